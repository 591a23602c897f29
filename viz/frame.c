/* What frames the panels: title bar, legend, help and tooltip. */
#include "viz/view.h"

#include <string.h>

/* A rounded label; returns its right edge. */
static double pill(struct canvas *c, double x, double y, struct rgb back, struct rgb ink, const char *text)
{
    double w = canvas_text_width(c, 10, false, text) + 16;
    canvas_round(c, (struct box){x, y - 8.5, w, 17}, 8.5, back);
    canvas_text(c, x + w / 2, y, 10, ink, ALIGN_CENTER, false, 0, text);
    return x + w;
}

static void speed_text(const struct view *v, char *out, size_t cap)
{
    if (v->cycles_per_second > 0)
        snprintf(out, cap, "%.0f cycles/s", v->cycles_per_second);
    else
        snprintf(out, cap, "full speed");
}

void view_title(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    char text[400];
    double y = b.y + b.h / 2, x = b.x + 14;
    canvas_fill(c, b, PANEL);
    canvas_text_bold(c, x, y, 13, ACCENT, ALIGN_LEFT, 0, "heddle");
    x += canvas_text_width(c, 13, false, "heddle") * 1.12 + 12;
    canvas_text_bold(c, x, y, 12, INK, ALIGN_LEFT, b.w * 0.24, model_launch(m)->kernel);
    double w = canvas_text_width(c, 12, false, model_launch(m)->kernel) * 1.12;
    x += (w < b.w * 0.24 ? w : b.w * 0.24) + 8;
    snprintf(text, sizeof text, "on %s", m->info.config);
    canvas_text(c, x, y, 11, INK_DIM, ALIGN_LEFT, false, b.w * 0.1, text);
    snprintf(text, sizeof text, "cycle %llu", (unsigned long long)view_time(v, m));
    double at = b.x + b.w * 0.40;
    canvas_text(c, at, y, 13, INK, ALIGN_LEFT, true, 0, text);
    at += canvas_text_width(c, 13, true, text) + 8;
    snprintf(text, sizeof text, "%.2f us", (double)view_time(v, m) / m->info.sm_mhz);
    canvas_text(c, at, y, 10.5, INK_DIM, ALIGN_LEFT, false, 0, text);
    at += canvas_text_width(c, 10.5, false, text) + 12;
    if (v->prompt[0])
        at = pill(c, at, y, INK, GROUND, v->prompt) + 6;
    else if (v->back)
        at = pill(c, at, y, WARN, GROUND, "looking back") + 6;
    else if (m->finished)
        at = pill(c, at, y, PANEL_EDGE, INK, "finished: figures of the whole run") + 6;
    else
        at = pill(c, at, y, v->paused ? WARN : GOOD, GROUND, v->paused ? "paused" : "running") + 6;
    if (!m->finished && !v->prompt[0] && !v->paused) {
        speed_text(v, text, sizeof text);
        canvas_text(c, at, y, 10, INK_DIM, ALIGN_LEFT, false, 90, text);
    }
    double done = m->blocks_total ? (double)m->blocks_done / (double)m->blocks_total : 0;
    struct box bar = {b.x + b.w - 96, y - 4, 84, 8};
    canvas_round(c, bar, 4, PANEL_EDGE);
    if (done > 0.06)
        canvas_round(c, (struct box){bar.x, bar.y, bar.w * done, bar.h}, 4, ACCENT);
    snprintf(text, sizeof text, "%llu of %llu blocks", (unsigned long long)m->blocks_done,
             (unsigned long long)m->blocks_total);
    canvas_text(c, bar.x - 8, y, 10, INK_DIM, ALIGN_RIGHT, false, b.w * 0.14, text);
    view_tip(v, (struct box){bar.x - 120, b.y, b.w, b.h}, "blocks of the grid that have ended, of all");
}

void view_legend(struct canvas *c, struct view *v, struct box b)
{
    double x = b.x + 12, y = b.y + b.h / 2, room = b.w - 24, want = 0;
    double help = canvas_text_width(c, 10, false, "h  help") + 12;
    for (int i = 0; i < STATE_COUNT; i++)
        want += canvas_text_width(c, 10, false, state_styles[i].name) + 30;
    want += canvas_text_width(c, 10, false, "diverged") + 30 + help;
    double squeeze = want > room ? room / want : 1;
    for (int i = 0; i <= STATE_COUNT; i++) {
        bool diverged = i == STATE_COUNT;
        const char *name = diverged ? "diverged" : state_styles[i].name;
        double w = (canvas_text_width(c, 10, false, name) + 30) * squeeze;
        struct box key = {x, y - 5, 10, 10};
        canvas_round(c, key, 2, state_styles[diverged ? STATE_ISSUED : i].color);
        if (diverged)
            canvas_fill(c, (struct box){key.x, key.y, key.w, key.h / 2}, PANEL_EDGE);
        if (i == STATE_EMPTY)
            canvas_frame(c, key, INK_DIM, 0.7);
        canvas_text(c, x + 15, y, 10 * (squeeze < 0.9 ? 0.9 : 1), INK_DIM, ALIGN_LEFT, false, w - 18, name);
        if (diverged)
            view_tip(v, (struct box){x, b.y, w, b.h},
                     "diverged: an instruction issued for some of the warp's lanes only; the white part is as high as "
                     "their share");
        else
            view_tip(v, (struct box){x, b.y, w, b.h}, "%s: %s", name, state_styles[i].explain);
        x += w;
    }
    canvas_text(c, b.x + b.w - 12, y, 10, ACCENT, ALIGN_RIGHT, false, 0, "h  help");
}

void view_help(struct canvas *c)
{
    static const char *const lines[][2] = {{"space", "pause, go on"},
                                           {". or right", "one cycle; with shift 10, with ctrl 100"},
                                           {", or left", "one cycle back, by replay; shift, ctrl as above"},
                                           {"n", "to the next issue of the selected warp"},
                                           {"g", "go to a cycle: type it, Enter; forwards or back"},
                                           {"b", "pause at the selected instruction; again: no more"},
                                           {"+  -", "faster, slower"},
                                           {"f", "full speed"},
                                           {"[  ]  or drag", "look back and forward over what was recorded"},
                                           {"home", "back to the present"},
                                           {"z  x  or wheel", "fewer, more cycles in the strip"},
                                           {"tab, shift tab", "next, previous warp"},
                                           {"PgUp  PgDn", "previous, next SM"},
                                           {"m", "colour SMs by the next measure"},
                                           {"c", "next DRAM channel"},
                                           {"1 .. 8", "one panel fills the window; again: all of them"},
                                           {"s", "screenshot"},
                                           {"h or F1", "this help"},
                                           {"q or Esc", "quit"},
                                           {"click", "an SM, a warp, a DRAM channel, an instruction"},
                                           {"point", "at anything: what it means"}};
    double w = 600, row = 21, cw = canvas_width(c), ch = canvas_height(c);
    size_t nline = ARRAY_LEN(lines);
    double h = row * (double)nline + 62;
    w = w > cw - 20 ? cw - 20 : w;
    struct box b = {(cw - w) / 2, (ch - h) / 2 > 4 ? (ch - h) / 2 : 4, w, h};
    canvas_fill_alpha(c, (struct box){0, 0, cw, ch}, GROUND, 0.75);
    canvas_round(c, box_inset(b, -1), 9, ACCENT);
    canvas_round(c, b, 8, PANEL);
    canvas_text_bold(c, b.x + 26, b.y + 26, 15, INK, ALIGN_LEFT, 0, "Keys and mouse");
    for (size_t i = 0; i < nline; i++) {
        double y = b.y + 58 + row * (double)i;
        canvas_text(c, b.x + 26, y, 11, ACCENT, ALIGN_LEFT, true, 130, lines[i][0]);
        canvas_text(c, b.x + 160, y, 11.5, INK, ALIGN_LEFT, false, b.w - 180, lines[i][1]);
    }
}

void view_tooltip(struct canvas *c, const struct view *v)
{
    enum { LINE = 16, MOST = 6 };
    double cw = canvas_width(c), ch = canvas_height(c), most = cw - 40 < 400 ? cw - 40 : 400;
    double w = canvas_text_width(c, 11, false, v->tip), x = v->mouse_x + 14, y = v->mouse_y + 18;
    int n = canvas_lines(c, -9999, -9999, 11, LINE, MOST, INK, most, v->tip); /* out of sight: how many lines? */
    struct box b = {x, y, (w < most ? w : most) + 20, LINE * n + 10};
    if (b.x + b.w > cw - 5)
        b.x = cw - 5 - b.w;
    if (b.y + b.h > ch - 4)
        b.y = v->mouse_y - b.h - 8;
    canvas_round(c, box_inset(b, -1), 6, GROUND);
    canvas_round(c, b, 5, INK);
    canvas_lines(c, b.x + 10, b.y + 13, 11, LINE, MOST, GROUND, most, v->tip);
}
