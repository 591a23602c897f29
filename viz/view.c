/* Layout of the window: title bar, panels, legend, help, tooltip. */
#include "viz/view.h"

#include <string.h>

void view_init(struct view *v)
{
    *v = (struct view){.cycles_shown = 256, .zoomed = -1, .mouse_x = -1, .mouse_y = -1, .code_follow = true};
}

cycle view_time(const struct view *v, const struct model *m)
{
    return m->now > v->back ? m->now - v->back : 0;
}

bool view_hover(struct view *v, struct box b)
{
    return v->mouse_x >= 0 && box_has(b, v->mouse_x, v->mouse_y);
}

struct box panel_begin(struct canvas *c, struct box b, const char *title, const char *detail)
{
    canvas_fill(c, b, PANEL);
    canvas_frame(c, b, PANEL_EDGE, 1);
    canvas_text(c, b.x + 8, b.y + 11, 11, INK, ALIGN_LEFT, false, b.w - 16, title);
    double w = canvas_text_width(c, 11, false, title);
    if (detail && b.w - w > 60)
        canvas_text(c, b.x + b.w - 8, b.y + 11, 10, INK_DIM, ALIGN_RIGHT, false, b.w - w - 30, detail);
    return panel_inside(b);
}

static void title_bar(struct canvas *c, const struct view *v, const struct model *m, struct box b)
{
    char text[400];
    canvas_fill(c, b, PANEL);
    double y = b.y + b.h / 2;
    snprintf(text, sizeof text, "heddle  %s on %s", m->info.kernel, m->info.config);
    canvas_text(c, b.x + 10, y, 13, INK, ALIGN_LEFT, false, b.w * 0.34, text);
    snprintf(text, sizeof text, "cycle %llu  (%.2f us)", (unsigned long long)view_time(v, m), (double)view_time(v, m) / m->info.sm_mhz);
    canvas_text(c, b.x + b.w * 0.36, y, 13, ACCENT, ALIGN_LEFT, true, b.w * 0.24, text);
    const char *state = m->finished ? "finished" : v->paused ? "paused" : "running";
    if (v->cycles_per_second > 0)
        snprintf(text, sizeof text, "%s  %.0f cycles/s", state, v->cycles_per_second);
    else
        snprintf(text, sizeof text, "%s%s", state, v->paused || m->finished ? "" : "  full speed");
    canvas_text(c, b.x + b.w * 0.61, y, 12, v->paused ? WARN : INK_DIM, ALIGN_LEFT, false, b.w * 0.15, text);
    struct box bar = {b.x + b.w * 0.77, y - 5, b.w * 0.12, 10};
    double done = m->blocks_total ? (double)m->blocks_done / (double)m->blocks_total : 0;
    canvas_fill(c, bar, GROUND);
    canvas_fill(c, (struct box){bar.x, bar.y, bar.w * done, bar.h}, ACCENT);
    snprintf(text, sizeof text, "%llu / %llu blocks", (unsigned long long)m->blocks_done, (unsigned long long)m->blocks_total);
    canvas_text(c, b.x + b.w - 10, y, 11, INK_DIM, ALIGN_RIGHT, false, b.w * 0.10, text);
}

void view_legend(struct canvas *c, struct view *v, struct box b)
{
    double step = b.w / (STATE_COUNT + 1.4);
    for (int i = 0; i < STATE_COUNT; i++) {
        struct box cell = {b.x + 8 + i * step, b.y, step, b.h};
        struct box key = {cell.x, b.y + b.h / 2 - 5, 10, 10};
        canvas_fill(c, key, state_styles[i].color);
        canvas_frame(c, key, PANEL_EDGE, 1);
        canvas_text(c, key.x + 14, b.y + b.h / 2, 10, INK_DIM, ALIGN_LEFT, false, step - 18, state_styles[i].name);
        if (view_hover(v, cell))
            snprintf(v->tip, sizeof v->tip, "%s: %s", state_styles[i].name, state_styles[i].explain);
    }
    struct box key = {b.x + 8 + STATE_COUNT * step, b.y + b.h / 2 - 5, 10, 10};
    canvas_fill(c, key, state_styles[STATE_ISSUED].color);
    canvas_hatch(c, key, GROUND);
    canvas_text(c, key.x + 14, key.y + 5, 10, INK_DIM, ALIGN_LEFT, false, 1.4 * step - 24, "diverged   h: help");
}

void view_help(struct canvas *c, const struct view *v)
{
    static const char *const lines[][2] = {
        {"space", "pause, go on"}, {". or right", "one cycle (hold shift: 10, ctrl: 100)"}, {"n", "to the next issue of this warp"},
        {", or left", "one cycle back (by replay, paused)"}, {"+  -", "faster, slower"}, {"f", "full speed"},
        {"[  ]", "scrub back, forward over what was recorded"}, {"home", "back to the present"}, {"z  x", "zoom the strip in, out"},
        {"tab / shift tab", "next, previous warp"}, {"PgUp PgDn", "previous, next SM"}, {"m", "colour SMs by another measure"},
        {"c", "next DRAM channel"}, {"1 .. 7", "one panel fills the window; again: all"}, {"s", "screenshot"}, {"h or F1", "this help"},
        {"q or Esc", "quit"}, {"mouse", "click an SM, a warp row, a channel, an instruction; wheel zooms the strip"}};
    double w = 560, row = 20;
    size_t nline = ARRAY_LEN(lines);
    double h = row * (double)nline + 52;
    double cw = canvas_width(c), ch = canvas_height(c);
    if (w > cw - 20)
        w = cw - 20;
    struct box b = {(cw - w) / 2, (ch - h) / 2 > 4 ? (ch - h) / 2 : 4, w, h};
    (void)v;
    canvas_fill_alpha(c, (struct box){0, 0, cw, ch}, GROUND, 0.6);
    canvas_fill(c, b, PANEL);
    canvas_frame(c, b, ACCENT, 1.5);
    canvas_text(c, b.x + b.w / 2, b.y + 20, 15, INK, ALIGN_CENTER, false, b.w - 20, "Keys");
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        double y = b.y + 48 + row * (double)i;
        canvas_text(c, b.x + 24, y, 12, ACCENT, ALIGN_LEFT, true, 130, lines[i][0]);
        canvas_text(c, b.x + 170, y, 12, INK, ALIGN_LEFT, false, b.w - 184, lines[i][1]);
    }
}

static void tooltip(struct canvas *c, const struct view *v)
{
    double w = canvas_text_width(c, 11, false, v->tip) + 16, cw = canvas_width(c);
    if (w > cw - 10)
        w = cw - 10;
    double x = v->mouse_x + 14, y = v->mouse_y + 18;
    if (x + w > cw - 5)
        x = cw - 5 - w;
    if (y + 22 > canvas_height(c))
        y = v->mouse_y - 28;
    struct box b = {x, y, w, 22};
    canvas_fill(c, b, INK);
    canvas_text(c, b.x + 8, b.y + 11, 11, GROUND, ALIGN_LEFT, false, w - 16, v->tip);
}

/* Three columns: chip and memory on the left, the SM in the middle, code on the right. */
static void layout(struct view *v, struct box room)
{
    double left = room.w * 0.27, right = room.w * 0.27, gap = 6, mid = room.w - left - right - 2 * gap;
    double x1 = room.x + left + gap, x2 = x1 + mid + gap;
    double h0 = room.h * 0.44, h1 = room.h * 0.24, h2 = room.h - h0 - h1 - 2 * gap;
    v->boxes[PANEL_OVERVIEW] = (struct box){room.x, room.y, left, h0};
    v->boxes[PANEL_HISTORY] = (struct box){room.x, room.y + h0 + gap, left, h1};
    v->boxes[PANEL_DRAM] = (struct box){room.x, room.y + h0 + h1 + 2 * gap, left, h2};
    double strip = room.h * 0.66;
    v->boxes[PANEL_WARPS] = (struct box){x1, room.y, mid, strip};
    v->boxes[PANEL_ACCESS] = (struct box){x1, room.y + strip + gap, mid, room.h - strip - gap};
    double lanes = room.h * 0.24;
    v->boxes[PANEL_LANES] = (struct box){x2, room.y, right, lanes};
    v->boxes[PANEL_CODE] = (struct box){x2, room.y + lanes + gap, right, room.h - lanes - gap};
    if (v->zoomed >= 0) {
        for (int i = 0; i < PANEL_COUNT; i++)
            v->boxes[i] = (struct box){0};
        v->boxes[v->zoomed] = room;
    }
}

void view_draw(struct canvas *c, struct view *v, const struct model *m)
{
    typedef void draw_fn(struct canvas *, struct view *, const struct model *, struct box);
    static draw_fn *const draw[PANEL_COUNT] = {
        [PANEL_OVERVIEW] = panel_overview, [PANEL_HISTORY] = panel_history, [PANEL_WARPS] = panel_warps, [PANEL_LANES] = panel_lanes,
        [PANEL_ACCESS] = panel_access,     [PANEL_DRAM] = panel_dram,       [PANEL_CODE] = panel_code,
    };
    double w = canvas_width(c), h = canvas_height(c), bar = 26, foot = 20;
    v->tip[0] = 0;
    canvas_clear(c, GROUND);
    title_bar(c, v, m, (struct box){0, 0, w, bar});
    layout(v, (struct box){6, bar + 6, w - 12, h - bar - foot - 12});
    for (int i = 0; i < PANEL_COUNT; i++)
        if (v->boxes[i].w > 40 && v->boxes[i].h > 40)
            draw[i](c, v, m, v->boxes[i]);
    v->legend = (struct box){0, h - foot, w, foot};
    view_legend(c, v, v->legend);
    if (v->tip[0])
        tooltip(c, v);
    if (v->help)
        view_help(c, v);
}
