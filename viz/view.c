/* Layout of the window: title bar, figures, panels, legend; help and tooltip above them. */
#include "viz/view.h"

#include <math.h>
#include <string.h>

const char *const panel_names[PANEL_COUNT] = {"chip", "history", "warps", "lanes", "access", "dram", "code", "units"};

void view_init(struct view *v)
{
    *v = (struct view){.cycles_shown = 256,
                       .zoomed = -1,
                       .mouse_x = -1,
                       .mouse_y = -1,
                       .code_follow = true,
                       .pc = -1,
                       .breakpoint = -1};
}

double view_scale(int width_px, int height_px)
{
    double fit = width_px / 1180.0 < height_px / 740.0 ? width_px / 1180.0 : height_px / 740.0;
    return fit < 0.9 ? 0.9 : fit > 1 ? pow(fit, 0.85) : fit; /* a large window shows more, not only larger */
}

cycle view_time(const struct view *v, const struct model *m)
{
    cycle end = model_end(m);
    return end > v->back ? end - v->back : 0;
}

cycle view_oldest(const struct view *v, const struct model *m)
{
    double t = (double)view_time(v, m) - v->cycles_shown - 2;
    return t > 0 ? (cycle)t : 0;
}

bool view_hover(const struct view *v, struct box b)
{
    return v->mouse_x >= 0 && box_has(b, v->mouse_x, v->mouse_y);
}

void view_tip(struct view *v, struct box b, const char *fmt, ...)
{
    if (!view_hover(v, b))
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(v->tip, sizeof v->tip, fmt, ap);
    va_end(ap);
}

struct box panel_begin(struct canvas *c, struct view *v, struct box b, enum panel p, const char *title,
                       const char *detail, const char *explain)
{
    char key[2] = {(char)('1' + p), 0};
    canvas_round(c, b, 6, PANEL);
    canvas_round(c, (struct box){b.x + 9, b.y + 7, 13, 13}, 3, PANEL_EDGE);
    canvas_text(c, b.x + 15.5, b.y + 13.5, 9, INK_DIM, ALIGN_CENTER, false, 0, key);
    canvas_text_bold(c, b.x + 28, b.y + 13.5, 11, INK, ALIGN_LEFT, b.w - 36, title);
    double w = canvas_text_width(c, 11, false, title) * 1.12 + 34;
    if (detail && b.w - w > 70)
        canvas_text(c, b.x + b.w - 10, b.y + 13.5, 9.5, INK_DIM, ALIGN_RIGHT, false, b.w - w - 14, detail);
    view_tip(v, (struct box){b.x, b.y, b.w, 22}, "%s", explain);
    return panel_inside(b);
}

enum { GAP = 6, TITLE = 30, TILES = 50, FOOT = 22 };

static struct box part(struct box b, double x0, double y0, double x1, double y1)
{
    double x = b.x + b.w * x0 + (x0 > 0 ? GAP / 2.0 : 0), y = b.y + b.h * y0 + (y0 > 0 ? GAP / 2.0 : 0);
    return (struct box){x, y, b.x + b.w * x1 - (x1 < 1 ? GAP / 2.0 : 0) - x,
                        b.y + b.h * y1 - (y1 < 1 ? GAP / 2.0 : 0) - y};
}

/* Three columns: chip and memory on the left, the SM in the middle, its warp and code on the right. A small window
 * has two, and leaves three panels to their keys. */
static void layout(struct view *v, struct box room)
{
    struct box *b = v->boxes;
    memset(b, 0, sizeof v->boxes);
    if (v->zoomed >= 0) {
        b[v->zoomed] = room;
        return;
    }
    if (room.w < 1000) {
        b[PANEL_WARPS] = part(room, 0, 0, 0.58, 0.56);
        b[PANEL_ACCESS] = part(room, 0, 0.56, 0.58, 1);
        b[PANEL_OVERVIEW] = part(room, 0.58, 0, 1, 0.4);
        b[PANEL_LANES] = part(room, 0.58, 0.4, 1, 0.58);
        b[PANEL_CODE] = part(room, 0.58, 0.58, 1, 1);
        return;
    }
    b[PANEL_OVERVIEW] = part(room, 0, 0, 0.265, 0.42);
    b[PANEL_HISTORY] = part(room, 0, 0.42, 0.265, 0.70);
    b[PANEL_DRAM] = part(room, 0, 0.70, 0.265, 1);
    b[PANEL_WARPS] = part(room, 0.265, 0, 0.725, 0.55);
    b[PANEL_UNITS] = part(room, 0.265, 0.55, 0.43, 1);
    b[PANEL_ACCESS] = part(room, 0.43, 0.55, 0.725, 1);
    b[PANEL_LANES] = part(room, 0.725, 0, 1, 0.21);
    b[PANEL_CODE] = part(room, 0.725, 0.21, 1, 1);
}

/* Until the person picks one: the first slot that has a warp. */
static void choose_warp(struct view *v, const struct model *m)
{
    if (v->warp >= m->info.max_warps)
        v->warp = 0;
    for (uint32_t w = 0; !v->warp_chosen && !m->warps[v->warp].resident && w < m->info.max_warps; w++)
        if (m->warps[w].resident)
            v->warp = w;
}

void view_draw(struct canvas *c, struct view *v, const struct model *m)
{
    typedef void draw_fn(struct canvas *, struct view *, const struct model *, struct box);
    static draw_fn *const draw[PANEL_COUNT] = {
        [PANEL_OVERVIEW] = panel_overview, [PANEL_HISTORY] = panel_history, [PANEL_WARPS] = panel_warps,
        [PANEL_LANES] = panel_lanes,       [PANEL_ACCESS] = panel_access,   [PANEL_DRAM] = panel_dram,
        [PANEL_CODE] = panel_code,         [PANEL_UNITS] = panel_units,
    };
    double w = canvas_width(c), h = canvas_height(c);
    v->tip[0] = 0;
    choose_warp(v, m);
    v->mix = strip_mix(v, m);
    canvas_clear(c, GROUND);
    view_title(c, v, m, (struct box){0, 0, w, TITLE});
    view_tiles(c, v, m, (struct box){GAP, TITLE + GAP, w - 2 * GAP, TILES});
    layout(v, (struct box){GAP, TITLE + TILES + 2 * GAP, w - 2 * GAP, h - TITLE - TILES - FOOT - 3 * GAP});
    for (int i = 0; i < PANEL_COUNT; i++)
        if (v->boxes[i].w > 40 && v->boxes[i].h > 40)
            draw[i](c, v, m, v->boxes[i]);
    v->legend = (struct box){0, h - FOOT, w, FOOT};
    view_legend(c, v, v->legend);
    if (v->tip[0] && !v->help)
        view_tooltip(c, v);
    if (v->help)
        view_help(c);
}
