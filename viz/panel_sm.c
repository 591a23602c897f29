/* One SM: every warp slot that is used as a row over time. */
#include "viz/view.h"

#include <math.h>
#include <string.h>

enum { GUTTER = 46, AXIS = 16, MIX = 24 };

struct box warps_strip(struct box panel)
{
    struct box in = panel_inside(panel);
    return (struct box){in.x + GUTTER, in.y + MIX, in.w - GUTTER, in.h - MIX - AXIS};
}

/* Slots beyond the highest one used so far get no row. */
uint32_t warps_rows(const struct model *m)
{
    uint32_t sub = m->info.subcores, per = (m->rows + sub - 1) / sub, most = (m->info.max_warps + sub - 1) / sub;
    return (per < 1 ? 1 : per > most ? most : per) * sub;
}

/* Rows are grouped by sub-core: slot w is on sub-core w mod subcores. */
static double row_y(const struct model *m, struct box strip, uint32_t warp, double *height)
{
    must(m->info.max_warps > 0 && m->info.subcores > 0);
    uint32_t per = warps_rows(m) / m->info.subcores, sub = warp % m->info.subcores, k = warp / m->info.subcores;
    double gap = 6, h = (strip.h - gap * (m->info.subcores - 1)) / (per * m->info.subcores);
    *height = h;
    return strip.y + sub * (per * h + gap) + k * h;
}

double warps_row_y(const struct model *m, struct box panel, uint32_t warp, double *height)
{
    return row_y(m, warps_strip(panel), warp, height);
}

struct drawing {
    struct canvas *c;
    const struct model *m;
    struct box strip;
    double from, shown;
    uint32_t rows;
};

static double x_of(const struct drawing *d, double t)
{
    return d->strip.x + d->strip.w * (t - d->from) / d->shown;
}

static void draw_piece(void *arg, const struct piece *p)
{
    const struct drawing *d = arg;
    double h, y = row_y(d->m, d->strip, p->warp, &h), x = x_of(d, p->from), w = x_of(d, p->to) - x;
    if (p->warp >= d->rows || w < 0.02)
        return;
    bool issue = p->state == STATE_ISSUED,
         diverged = issue && p->issue && __builtin_popcountll(p->issue->exec) < (int)d->m->info.warp_size;
    double edge = h > 5 ? 1 : h > 2.5 ? 0.5 : 0, gap = issue && w > 4 ? 0.6 : 0;
    struct box b = {x, y + edge, w - gap, h - 2 * edge};
    if (diverged) { /* as high as its share of the lanes */
        double share = (double)__builtin_popcountll(p->issue->exec) / d->m->info.warp_size;
        canvas_fill(d->c, b, PANEL_EDGE);
        b.y += b.h * (1 - share);
        b.h *= share;
    }
    canvas_fill(d->c, b, state_styles[p->state].color);
}

/* Shares of warps' time over the strip, as one bar with figures: the answer to "what do they wait for". */
static void draw_mix(struct canvas *c, struct view *v, struct box b)
{
    double x = b.x;
    char text[64];
    canvas_fill(c, b, state_styles[STATE_EMPTY].color);
    for (int s = 0; s < STATE_EMPTY; s++) {
        double share = v->mix.share[s], w = b.w * share;
        struct box cell = {x, b.y, w - (w > 3 ? 1 : 0), b.h};
        canvas_fill(c, cell, state_styles[s].color);
        snprintf(text, sizeof text, "%s %.0f%%", state_styles[s].name, 100 * share);
        if (canvas_text_width(c, 9.5, false, text) > w - 8)
            snprintf(text, sizeof text, "%.0f%%", 100 * share);
        if (canvas_text_width(c, 9.5, false, text) < w - 4)
            canvas_text(c, x + w / 2, b.y + b.h / 2, 9.5, GROUND, ALIGN_CENTER, false, 0, text);
        if (w > 0)
            view_tip(v, cell, "%s: %.1f%% of warps' time here; %s", state_styles[s].name, 100 * share,
                     state_styles[s].explain);
        x += w;
    }
}

/* Left of the rows: sub-cores, and each slot's block by its colour. */
static void draw_gutter(struct canvas *c, struct view *v, const struct model *m, struct box strip, uint32_t rows)
{
    char text[48];
    for (uint32_t s = 0; s < m->info.subcores; s++) {
        double h, y = row_y(m, strip, s, &h), all = h * rows / m->info.subcores;
        snprintf(text, sizeof text, all > 56 ? "sub-core %u" : "%u", s);
        canvas_text_up(c, strip.x - 38, y + all / 2, 9, INK_DIM, text);
        view_tip(v, (struct box){strip.x - 46, y, 16, all},
                 "sub-core %u: a quarter of the SM with its own scheduler, which issues one instruction a cycle; warp "
                 "w lives on sub-core w mod %u",
                 s, m->info.subcores);
    }
    for (uint32_t w = 0; w < rows && w < m->info.max_warps; w++) {
        double h, y = row_y(m, strip, w, &h);
        const struct warp_view *wv = &m->warps[w];
        struct box mark = {strip.x - 8, y + 0.5, 5, h - 1};
        if (wv->resident)
            canvas_fill(c, mark, block_hue(m, block_first_warp(m, wv->block)));
        if (h >= 8) {
            snprintf(text, sizeof text, "%u", w);
            canvas_text(c, strip.x - 12, y + h / 2, h < 10 ? 7.5 : 9, w == v->warp ? ACCENT : INK_DIM, ALIGN_RIGHT,
                        false, 0, text);
        }
        if (wv->resident)
            view_tip(v, (struct box){strip.x - 26, y, 24, h}, "warp slot %u: block %u (its colour)", w, wv->block);
    }
}

static void draw_axis(struct canvas *c, const struct drawing *d)
{
    char text[32];
    double step = pow(10, floor(log10(d->shown / 2)));
    if (d->shown / step > 8)
        step *= 2;
    for (double t = ceil(d->from / step) * step; t <= d->from + d->shown; t += step) {
        double x = x_of(d, t);
        if (t < 0 || x > d->strip.x + d->strip.w - 14)
            continue;
        snprintf(text, sizeof text, "%.0f", t);
        canvas_line(c, x, d->strip.y + d->strip.h, x, d->strip.y + d->strip.h + 4, INK_DIM, 1);
        canvas_text(c, x, d->strip.y + d->strip.h + 11, 9, INK_DIM, ALIGN_CENTER, false, 80, text);
    }
}

/* A block that starts or ends: a mark across its warps' rows. */
static void draw_block_marks(struct canvas *c, const struct drawing *d)
{
    const struct model *m = d->m;
    uint64_t kept = m->nblock < NBLOCKS ? m->nblock : NBLOCKS;
    kept = m->is_copy && kept > 256 ? 256 : kept;
    for (uint64_t i = 0; i < kept; i++) {
        const struct block_record *r = &m->blocks[(m->nblock - 1 - i) % NBLOCKS];
        double t = (double)r->time, h;
        if (t < d->from || t > d->from + d->shown)
            continue;
        for (uint32_t w = r->first_warp; w < (uint32_t)r->first_warp + r->nwarp && w < d->rows; w++) {
            double y = row_y(m, d->strip, w, &h);
            canvas_line(c, x_of(d, t), y, x_of(d, t), y + h, block_hue(m, r->first_warp), 2);
        }
    }
}

struct finding {
    double t;
    uint32_t warp;
    struct piece found;
    bool any;
};

static void find(void *arg, const struct piece *p)
{
    struct finding *f = arg;
    if (p->warp == f->warp && f->t >= p->from && f->t < p->to) {
        f->found = *p;
        f->any = true;
    }
}

static void hover(struct view *v, const struct model *m, const struct drawing *d, cycle from, cycle to)
{
    if (!view_hover(v, d->strip))
        return;
    struct finding f = {.t = d->from + d->shown * (v->mouse_x - d->strip.x) / d->strip.w};
    for (uint32_t w = 0; w < d->rows; w++) {
        double h, y = row_y(m, d->strip, w, &h);
        if (v->mouse_y >= y && v->mouse_y < y + h)
            f.warp = w;
    }
    strip_walk(m, from, to, v->back == 0, find, &f);
    const struct piece *p = &f.found;
    if (!f.any)
        view_tip(v, d->strip, "warp slot %u, cycle %.0f: empty", f.warp, f.t);
    else if (p->state == STATE_ISSUED && p->issue) /* one that is chosen at this moment has no record yet */
        view_tip(v, d->strip, "warp %u, cycle %.0f: issued %s for %d lanes", p->warp, p->from,
                 p->issue->pc < m->info.npc ? m->info.listing[p->issue->pc] : "?",
                 __builtin_popcountll(p->issue->exec));
    else
        view_tip(v, d->strip, "warp %u, cycles %.0f to %.0f: %s (%s)%s%s", p->warp, p->from, p->to,
                 state_styles[p->state].name, state_styles[p->state].explain, p->issue ? ", before " : "",
                 p->issue && p->issue->pc < m->info.npc ? m->info.listing[p->issue->pc] : "");
}

void panel_warps(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    char text[160], title[64];
    uint32_t rows = warps_rows(m);
    snprintf(text, sizeof text, rows < m->info.max_warps ? "%.0f cycles; slots from %u on stay empty" : "%.0f cycles",
             v->cycles_shown, rows);
    snprintf(title, sizeof title, "SM %u: warps over time", m->sm);
    struct box in = panel_begin(c, v, b, PANEL_WARPS, title, text,
                                "A row a warp slot: what holds the warp in each cycle, white where it issues. Wheel "
                                "zooms, dragging looks back.");
    cycle to = view_time(v, m), from = to > (cycle)v->cycles_shown ? to - (cycle)v->cycles_shown : 0;
    struct drawing d = {c, m, warps_strip(b), (double)to - v->cycles_shown, v->cycles_shown, rows};
    draw_mix(c, v, (struct box){in.x + GUTTER, in.y, in.w - GUTTER, MIX - 7});
    canvas_text(c, in.x + GUTTER - 8, in.y + 8, 9, INK_DIM, ALIGN_RIGHT, false, 0, "share");
    for (uint32_t w = 0; w < rows; w++) {
        double h, y = row_y(m, d.strip, w, &h);
        canvas_fill(c, (struct box){d.strip.x, y, d.strip.w, h}, state_styles[STATE_EMPTY].color);
    }
    canvas_clip(c, d.strip);
    strip_walk(m, from, to, v->back == 0, draw_piece, &d);
    draw_block_marks(c, &d);
    canvas_unclip(c);
    draw_gutter(c, v, m, d.strip, rows);
    if (v->warp < rows) {
        double h, y = row_y(m, d.strip, v->warp, &h);
        canvas_frame(c, (struct box){d.strip.x - 1.5, y - 1, d.strip.w + 3, h + 2}, ACCENT, 1.5);
    }
    draw_axis(c, &d);
    hover(v, m, &d, from, to);
}
