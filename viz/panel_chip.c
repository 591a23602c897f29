/* The chip: GPCs with their SMs, L2 and DRAM bars, and the curves of resident and eligible warps. */
#include "viz/view.h"

#include <math.h>

static const char *const measure_names[MEASURE_COUNT] = {"warp occupancy", "issue rate", "held by memory", "L1 hit rate"};

static double measure_of(const struct model *m, enum measure k, uint32_t sm)
{
    const struct sm_sample *s = &m->sms[sm];
    switch (k) {
    case MEASURE_OCCUPANCY:
        return (double)s->resident / m->info.max_warps;
    case MEASURE_ISSUE:
        return s->issue / m->info.subcores;
    case MEASURE_MEMORY:
        return s->memory_stall;
    default:
        return s->l1_hit;
    }
}

/* SMs of a GPC side by side, GPCs in a grid that fits the room. */
struct grid {
    uint32_t columns, rows, per_gpc, inner;
    double w, h;
};

static struct grid grid_of(const struct model *m, struct box room)
{
    struct grid g = {0};
    uint32_t count[NGPC] = {0};
    for (uint32_t s = 0; s < m->info.nsm; s++)
        if (++count[m->info.gpc_of_sm[s] % NGPC] > g.per_gpc)
            g.per_gpc = count[m->info.gpc_of_sm[s] % NGPC];
    uint32_t n = m->info.ngpc ? m->info.ngpc : 1;
    g.columns = n == 1 ? 1 : n <= 4 ? 2 : room.w > room.h ? 4 : 2;
    g.rows = (n + g.columns - 1) / g.columns;
    g.w = room.w / g.columns;
    g.h = room.h / g.rows;
    g.inner = (uint32_t)ceil(sqrt(g.per_gpc * g.w / (g.h > 1 ? g.h : 1)));
    if (g.inner < 1)
        g.inner = 1;
    return g;
}

struct box overview_sm_box(const struct model *m, struct box room, uint32_t sm)
{
    struct grid g = grid_of(m, room);
    uint32_t gpc = m->info.gpc_of_sm[sm], k = 0;
    for (uint32_t s = 0; s < sm; s++)
        k += m->info.gpc_of_sm[s] == gpc;
    uint32_t lines = (g.per_gpc + g.inner - 1) / g.inner;
    double cw = (g.w - 8) / g.inner, ch = (g.h - 8) / lines;
    uint32_t row = gpc / g.columns, line = k / g.inner;
    return (struct box){room.x + (gpc % g.columns) * g.w + 4 + (k % g.inner) * cw, room.y + row * g.h + 4 + line * ch,
                        cw - 1.5, ch - 1.5};
}

struct box overview_room(struct box panel)
{
    struct box inner = panel_inside(panel);
    return (struct box){inner.x, inner.y, inner.w, inner.h - 62};
}

static void meter(struct canvas *c, struct box b, const char *name, double value, const char *text)
{
    canvas_text(c, b.x, b.y + b.h / 2, 10, INK_DIM, ALIGN_LEFT, false, 56, name);
    struct box bar = {b.x + 58, b.y + 2, b.w - 58 - 78, b.h - 4};
    canvas_fill(c, bar, GROUND);
    if (value > 0)
        canvas_fill(c, (struct box){bar.x, bar.y, bar.w * (value > 1 ? 1 : value), bar.h}, heat(value));
    canvas_text(c, b.x + b.w, b.y + b.h / 2, 10, INK, ALIGN_RIGHT, false, 76, text);
}

static void color_key(struct canvas *c, struct box b, const char *name)
{
    canvas_text(c, b.x, b.y + b.h / 2, 10, INK_DIM, ALIGN_LEFT, false, b.w * 0.5, name);
    double x = b.x + b.w * 0.5, w = b.w * 0.38;
    for (int i = 0; i < 24; i++)
        canvas_fill(c, (struct box){x + w * i / 24, b.y + 4, w / 24 + 0.5, b.h - 8}, heat(i / 23.0));
    canvas_text(c, x - 4, b.y + b.h / 2, 9, INK_DIM, ALIGN_RIGHT, false, 30, "0");
    canvas_text(c, x + w + 3, b.y + b.h / 2, 9, INK_DIM, ALIGN_LEFT, false, 40, "100%");
}

void panel_overview(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    char text[128];
    snprintf(text, sizeof text, "%u SMs in %u GPCs", m->info.nsm, m->info.ngpc);
    struct box in = panel_begin(c, b, "Chip", text), room = overview_room(b);
    struct grid g = grid_of(m, room);
    for (uint32_t p = 0; p < m->info.ngpc; p++) {
        uint32_t row = p / g.columns;
        canvas_frame(c, (struct box){room.x + (p % g.columns) * g.w + 1, room.y + row * g.h + 1, g.w - 3, g.h - 3}, PANEL_EDGE, 1);
    }
    for (uint32_t s = 0; s < m->info.nsm; s++) {
        struct box cell = overview_sm_box(m, room, s);
        double value = measure_of(m, v->measure, s);
        canvas_fill(c, cell, m->sms[s].resident || value > 0 ? heat(value) : state_styles[STATE_EMPTY].color);
        if (s == m->sm)
            canvas_frame(c, (struct box){cell.x - 1.5, cell.y - 1.5, cell.w + 3, cell.h + 3}, INK, 1.5);
        if (view_hover(v, cell)) {
            const struct sm_sample *q = &m->sms[s];
            snprintf(v->tip, sizeof v->tip, "SM %u, GPC %u: %u warps in %u blocks, %.2f instructions a cycle, %.0f%% of warp time held by memory",
                     s, m->info.gpc_of_sm[s], q->resident, q->blocks, (double)q->issue, 100.0 * (double)q->memory_stall);
        }
    }
    double y = in.y + in.h - 58;
    color_key(c, (struct box){in.x, y, in.w, 18}, measure_names[v->measure]);
    const struct chip_sample *s = m->nhistory ? &m->history[(m->nhistory - 1) % NHISTORY] : &(struct chip_sample){0};
    snprintf(text, sizeof text, s->l2_hit >= 0 ? "%.0f%% hit" : "idle", 100.0 * (double)s->l2_hit);
    meter(c, (struct box){in.x, y + 20, in.w, 16}, "L2", s->l2_hit, text);
    double busy = 0, worst = 0;
    uint32_t n = m->info.nchannel < NVIEWCHANNEL ? m->info.nchannel : NVIEWCHANNEL;
    for (uint32_t i = 0; i < n; i++) {
        busy += (double)m->channels[i].busy / n;
        if ((double)m->channels[i].busy > worst)
            worst = m->channels[i].busy;
    }
    snprintf(text, sizeof text, "%.0f%%, max %.0f%%", 100 * busy, 100 * worst);
    meter(c, (struct box){in.x, y + 38, in.w, 16}, "DRAM bus", busy, text);
}

/* One curve over the kept samples, scaled to `top`. */
static void curve(struct canvas *c, const struct model *m, struct box b, size_t offset, double top, struct rgb color)
{
    enum { POINTS = 240 };
    double xy[2 * POINTS];
    uint64_t kept = m->nhistory < NHISTORY ? m->nhistory : NHISTORY;
    if (kept < 2)
        return;
    size_t n = kept < POINTS ? kept : POINTS;
    for (size_t i = 0; i < n; i++) {
        uint64_t k = m->nhistory - kept + i * (kept - 1) / (n - 1);
        double value = *(const float *)((const char *)&m->history[k % NHISTORY] + offset);
        xy[2 * i] = b.x + b.w * (double)i / (double)(n - 1);
        xy[2 * i + 1] = b.y + b.h * (1 - (value > top ? 1 : value / top));
    }
    canvas_polyline(c, xy, n, color, 1.5);
}

void panel_history(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    char text[128];
    struct box in = panel_begin(c, b, "Warps over time", "per SM, chip mean and the watched SM");
    struct box plot = {in.x + 26, in.y + 2, in.w - 26, in.h - 34};
    double top = m->info.max_warps;
    canvas_fill(c, plot, GROUND);
    for (int i = 0; i <= 2; i++) {
        double y = plot.y + plot.h * i / 2;
        snprintf(text, sizeof text, "%.0f", top * (2 - i) / 2);
        canvas_text(c, plot.x - 4, y, 9, INK_DIM, ALIGN_RIGHT, false, 24, text);
        canvas_line(c, plot.x, y, plot.x + plot.w, y, PANEL_EDGE, 0.7);
    }
    double limit = plot.y + plot.h * (1 - m->info.max_resident_warps / top);
    for (double x = plot.x; x < plot.x + plot.w; x += 8)
        canvas_line(c, x, limit, x + 4, limit, WARN, 1.2);
    canvas_clip(c, plot);
    curve(c, m, plot, offsetof(struct chip_sample, resident), top, state_styles[STATE_DEPENDENCY].color);
    curve(c, m, plot, offsetof(struct chip_sample, sm_resident), top, state_styles[STATE_FETCH].color);
    curve(c, m, plot, offsetof(struct chip_sample, eligible), top, state_styles[STATE_READY].color);
    curve(c, m, plot, offsetof(struct chip_sample, sm_eligible), top, state_styles[STATE_SHARED].color);
    canvas_unclip(c);
    static const struct { const char *name; enum state_class color; } keys[] = {
        {"resident", STATE_DEPENDENCY}, {"this SM", STATE_FETCH}, {"eligible", STATE_READY}, {"this SM", STATE_SHARED}};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        size_t line = i / 2;
        double x = in.x + in.w * (double)(i % 2) / 2, y = in.y + in.h - 20 + 13 * (double)line;
        canvas_line(c, x, y, x + 12, y, state_styles[keys[i].color].color, 2);
        canvas_text(c, x + 16, y, 9, INK_DIM, ALIGN_LEFT, false, in.w / 2 - 18, keys[i].name);
    }
    if (view_hover(v, plot))
        snprintf(v->tip, sizeof v->tip, "dashed: theoretical limit of %u warps an SM for this launch", m->info.max_resident_warps);
}
