/* One SM: every warp slot as a row over time, and the lanes of the selected warp. */
#include "viz/view.h"

#include <math.h>
#include <string.h>

static struct box strip_room(struct box panel)
{
    struct box in = panel_inside(panel);
    return (struct box){in.x + 58, in.y, in.w - 58, in.h - 16};
}

/* Rows are grouped by sub-core: slot w is on sub-core w mod subcores. */
static double row_y(const struct model *m, struct box strip, uint32_t warp, double *height)
{
    must(m->info.max_warps > 0 && m->info.subcores > 0);
    uint32_t per = (m->info.max_warps + m->info.subcores - 1) / m->info.subcores;
    double gap = 4, h = (strip.h - gap * (m->info.subcores - 1)) / (per * m->info.subcores);
    uint32_t sub = warp % m->info.subcores, k = warp / m->info.subcores;
    *height = h;
    return strip.y + sub * (per * h + gap) + k * h;
}

double warps_row_y(const struct model *m, struct box panel, uint32_t warp, double *height)
{
    return row_y(m, strip_room(panel), warp, height);
}

static void segment(struct canvas *c, struct box strip, double y, double h, double x0, double x1, enum state_class s, bool diverged)
{
    if (x0 < strip.x)
        x0 = strip.x;
    if (x1 > strip.x + strip.w)
        x1 = strip.x + strip.w;
    if (x1 - x0 < 0.05)
        return;
    struct box b = {x0, y, x1 - x0, h > 3 ? h - 1 : h};
    canvas_fill(c, b, state_styles[s].color);
    if (diverged && b.w > 2 && b.h > 3)
        canvas_hatch(c, b, GROUND);
}

static double x_of(const struct box *strip, double t, double from, double shown)
{
    return strip->x + strip->w * (t - from) / shown;
}

/* Time spent before an issue gets the colour of its reason, the cycle of the issue itself the issue colour. Records
 * come in time order, so a newer one paints over nothing that an older one owns. */
static void draw_rows(struct canvas *c, const struct view *v, const struct model *m, struct box strip)
{
    double to = (double)view_time(v, m), from = to - v->cycles_shown;
    bool seen[NLANE] = {false};
    uint64_t kept = m->nissue < NISSUES ? m->nissue : NISSUES;
    for (uint64_t i = 0; i < kept; i++) {
        const struct issue_record *r = &m->issues[(m->nissue - 1 - i) % NISSUES];
        if ((double)r->time > to)
            continue;
        if ((double)r->time + 1 < from - 4096) /* nothing older can reach into the strip */
            break;
        double h, y = row_y(m, strip, r->warp, &h), t = (double)r->time;
        bool diverged = __builtin_popcountll(r->exec) < (int)m->info.warp_size;
        if (!seen[r->warp]) { /* from its last issue to now: what holds it now */
            seen[r->warp] = true;
            const struct warp_view *wv = &m->warps[r->warp];
            if (wv->resident && v->back == 0 && to > t + 1)
                segment(c, strip, y, h, x_of(&strip, t + 1, from, v->cycles_shown), x_of(&strip, to, from, v->cycles_shown),
                        state_of_stall(wv->reason), false);
        }
        double start = t - r->waited;
        segment(c, strip, y, h, x_of(&strip, start, from, v->cycles_shown), x_of(&strip, t, from, v->cycles_shown), state_of_stall(r->reason), false);
        segment(c, strip, y, h, x_of(&strip, t, from, v->cycles_shown), x_of(&strip, t + 1, from, v->cycles_shown), STATE_ISSUED, diverged);
    }
}

void panel_warps(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    char text[160];
    snprintf(text, sizeof text, "%.0f cycles shown%s", v->cycles_shown, v->back ? ", scrubbed back" : "");
    char title[64];
    snprintf(title, sizeof title, "SM %u: warps over time", m->sm);
    panel_begin(c, b, title, text);
    struct box strip = strip_room(b);
    canvas_fill(c, strip, state_styles[STATE_EMPTY].color);
    canvas_clip(c, strip);
    draw_rows(c, v, m, strip);
    canvas_unclip(c);
    for (uint32_t s = 0; s < m->info.subcores; s++) {
        double h, y = row_y(m, strip, s, &h);
        uint32_t per = (m->info.max_warps + m->info.subcores - 1) / m->info.subcores;
        snprintf(text, sizeof text, "sub-core %u", s);
        canvas_text(c, strip.x - 6, y + per * h / 2, 9, INK_DIM, ALIGN_RIGHT, false, 56, text);
    }
    double h, y = row_y(m, strip, v->warp, &h);
    canvas_frame(c, (struct box){strip.x - 2, y - 1, strip.w + 4, h + 1.5}, ACCENT, 1.2);
    double to = (double)view_time(v, m), step = pow(10, floor(log10(v->cycles_shown / 2)));
    if (v->cycles_shown / step > 8)
        step *= 2;
    for (double t = ceil((to - v->cycles_shown) / step) * step; t <= to; t += step) {
        double x = x_of(&strip, t, to - v->cycles_shown, v->cycles_shown);
        if (t < 0 || x > strip.x + strip.w - 18)
            continue;
        snprintf(text, sizeof text, "%.0f", t);
        canvas_line(c, x, strip.y + strip.h, x, strip.y + strip.h + 3, INK_DIM, 1);
        canvas_text(c, x, strip.y + strip.h + 10, 9, INK_DIM, ALIGN_CENTER, false, 80, text);
    }
    if (!view_hover(v, strip))
        return;
    for (uint32_t w = 0; w < m->info.max_warps; w++) {
        double rh, ry = row_y(m, strip, w, &rh);
        if (v->mouse_y >= ry && v->mouse_y < ry + rh) {
            const struct warp_view *wv = &m->warps[w];
            if (wv->resident)
                snprintf(v->tip, sizeof v->tip, "warp %u, block %u, at %04x: %s (%s)", w, wv->block, wv->pc * INST_BYTES,
                         state_styles[state_of_stall(wv->reason)].name, state_styles[state_of_stall(wv->reason)].explain);
            else
                snprintf(v->tip, sizeof v->tip, "warp slot %u: empty", w);
        }
    }
}

static void lane_row(struct canvas *c, const struct model *m, struct box b, lanemask active, lanemask live, struct rgb color)
{
    double w = b.w / m->info.warp_size;
    for (uint32_t l = 0; l < m->info.warp_size; l++) {
        struct box cell = {b.x + l * w, b.y, w - 1, b.h};
        bool on = active >> l & 1, alive = live >> l & 1;
        canvas_fill(c, cell, on ? color : alive ? PANEL_EDGE : GROUND);
        if (!alive)
            canvas_frame(c, cell, PANEL_EDGE, 0.7);
    }
}

void panel_lanes(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    char text[200];
    const struct warp_view *w = &m->warps[v->warp];
    snprintf(text, sizeof text, "SM %u, sub-core %u", m->sm, v->warp % m->info.subcores);
    char title[64];
    snprintf(title, sizeof title, "Warp %u: lanes", v->warp);
    struct box in = panel_begin(c, b, title, text);
    if (!w->resident) {
        canvas_text(c, in.x, in.y + 12, 11, INK_DIM, ALIGN_LEFT, false, in.w, "no warp in this slot");
        return;
    }
    enum state_class s = state_of_stall(w->reason);
    snprintf(text, sizeof text, "block %u   %d of %u lanes active   %s", w->block, __builtin_popcountll(w->active), m->info.warp_size, state_styles[s].name);
    canvas_text(c, in.x, in.y + 8, 10, INK, ALIGN_LEFT, false, in.w, text);
    double y = in.y + 20, row = 20;
    uint32_t n = w->nsplit ? w->nsplit : 1;
    for (uint32_t i = 0; i < n && i < 8 && y + row <= in.y + in.h; i++, y += row) {
        lanemask mask = w->nsplit ? w->split[i].mask : w->active;
        uint32_t pc = w->nsplit ? w->split[i].pc : w->pc;
        lane_row(c, m, (struct box){in.x, y, in.w - 44, 12}, mask, w->live, mask == w->active ? state_styles[STATE_READY].color : state_styles[STATE_DEPENDENCY].color);
        snprintf(text, sizeof text, "%04x", pc * INST_BYTES);
        canvas_text(c, in.x + in.w, y + 6, 10, INK_DIM, ALIGN_RIGHT, true, 42, text);
    }
    if (y + 12 <= in.y + in.h)
        canvas_text(c, in.x, y + 6, 9, INK_DIM, ALIGN_LEFT, false, in.w, "a row a path: yellow runs now, blue waits; outlined lanes have ended");
    if (view_hover(v, in))
        snprintf(v->tip, sizeof v->tip, "lanes of a warp that took different branches form paths with their own program counter");
}
