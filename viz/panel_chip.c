/* The chip: GPCs with their SMs, the L2's partitions and the DRAM channels. */
#include "viz/view.h"

#include <math.h>

static const struct {
    const char *name, *explain;
} measures[MEASURE_COUNT] = {{"warp occupancy", "warps resident on an SM, of the slots it has"},
                             {"issue rate", "share of an SM's scheduler cycles in which an instruction issued"},
                             {"held by memory", "share of warps' time spent waiting for global memory"},
                             {"L1 hit rate", "share of the sectors of global loads found in the SM's own cache"}};

static double measure_of(const struct model *m, enum measure k, uint32_t sm)
{
    const struct sm_sample *s = m->finished ? &m->mean[sm] : &m->sms[sm];
    switch (k) {
    case MEASURE_OCCUPANCY:
        return (m->finished ? m->mean_resident[sm] : (double)s->resident) / m->info.max_warps;
    case MEASURE_ISSUE:
        return (double)s->issue / m->info.subcores;
    case MEASURE_MEMORY:
        return (double)s->memory_stall;
    default:
        return (double)s->l1_hit;
    }
}

/* SMs of a GPC side by side, GPCs in a grid that fits the room. */
struct grid {
    uint32_t columns, rows, per_gpc, inner, lines;
    double w, h;
};

/* Columns inside a GPC: cells near to square, few left empty. */
static void shape_gpc(struct grid *g)
{
    double best = INFINITY;
    for (uint32_t k = 1; k <= g->per_gpc; k++) {
        uint32_t lines = (g->per_gpc + k - 1) / k;
        double cw = g->w / k, ch = g->h / lines, skew = fabs(log(cw / (ch > 0 ? ch : 1)));
        double cost = skew + 1.5 * (k * lines - g->per_gpc) / g->per_gpc;
        if (cost < best) {
            best = cost;
            g->inner = k;
            g->lines = lines;
        }
    }
}

static struct grid grid_of(const struct model *m, struct box room)
{
    struct grid g = {.inner = 1, .lines = 1};
    uint32_t count[NGPC] = {0};
    for (uint32_t s = 0; s < m->info.nsm; s++)
        if (++count[m->info.gpc_of_sm[s] % NGPC] > g.per_gpc)
            g.per_gpc = count[m->info.gpc_of_sm[s] % NGPC];
    uint32_t n = m->info.ngpc ? m->info.ngpc : 1;
    g.columns = n == 1 ? 1 : n <= 4 ? 2 : 4;
    g.rows = (n + g.columns - 1) / g.columns;
    g.w = room.w / g.columns;
    g.h = room.h / g.rows;
    shape_gpc(&g);
    return g;
}

struct box overview_sm_box(const struct model *m, struct box room, uint32_t sm)
{
    struct grid g = grid_of(m, room);
    uint32_t gpc = m->info.gpc_of_sm[sm], k = 0;
    for (uint32_t s = 0; s < sm; s++)
        k += m->info.gpc_of_sm[s] == gpc;
    double cw = (g.w - 10) / g.inner, ch = (g.h - 10) / g.lines;
    uint32_t row = gpc / g.columns, line = k / g.inner;
    return (struct box){room.x + (gpc % g.columns) * g.w + 4 + (k % g.inner) * cw, room.y + row * g.h + 4 + line * ch,
                        cw - 1.5, ch - 1.5};
}

enum { BELOW = 74, NAME = 38, VALUE = 62 };

struct box overview_room(struct box panel)
{
    struct box inner = panel_inside(panel);
    return (struct box){inner.x - 2, inner.y, inner.w + 4, inner.h > BELOW ? inner.h - BELOW : 0};
}

static struct box memory_row(struct box panel, int i)
{
    struct box in = panel_inside(panel);
    return (struct box){in.x + NAME, in.y + in.h - BELOW + 26 + 26 * i, in.w - NAME - VALUE, 20};
}

/* Cells of a row, in as many lines as keep them visible. */
static struct box cell_of(struct box b, uint32_t i, uint32_t n)
{
    uint32_t lines = n > 96 ? 4 : n > 24 ? 2 : 1, columns = (n + lines - 1) / lines;
    double w = b.w / columns, h = b.h / lines;
    uint32_t row = i / columns;
    return (struct box){b.x + (i % columns) * w, b.y + row * h, w - (w > 3 ? 1 : 0.4), h - 1};
}

struct box overview_channel_box(const struct model *m, struct box panel, uint32_t channel)
{
    uint32_t n = m->info.nchannel < NVIEWCHANNEL ? m->info.nchannel : NVIEWCHANNEL;
    return cell_of(memory_row(panel, 1), channel, n);
}

static void draw_sms(struct canvas *c, struct view *v, const struct model *m, struct box room)
{
    struct grid g = grid_of(m, room);
    for (uint32_t p = 0; p < m->info.ngpc; p++) {
        uint32_t row = p / g.columns;
        struct box gpc = {room.x + (p % g.columns) * g.w + 1, room.y + row * g.h + 1, g.w - 4, g.h - 4};
        canvas_round(c, gpc, 4, PANEL_EDGE);
        canvas_round(c, box_inset(gpc, 1), 3.5, PANEL);
        view_tip(v, gpc, "GPC %u: a group of SMs that share a port to the L2", p);
    }
    for (uint32_t s = 0; s < m->info.nsm; s++) {
        struct box cell = overview_sm_box(m, room, s);
        double value = measure_of(m, v->measure, s);
        bool any = value > 0 || (!m->finished && m->sms[s].resident && value >= 0);
        canvas_round(c, cell, 2, any ? heat(value) : state_styles[STATE_EMPTY].color);
        if (cell.w > 26 && cell.h > 18) {
            char number[16];
            snprintf(number, sizeof number, "%u", s);
            canvas_text(c, cell.x + cell.w / 2, cell.y + cell.h / 2, 10, any && value > 0.35 ? GROUND : INK_DIM,
                        ALIGN_CENTER, false, 0, number);
        }
        if (s == m->sm)
            canvas_frame(c, box_inset(cell, -1.5), INK, 2);
        const struct sm_sample *q = &m->sms[s];
        if (m->finished)
            view_tip(v, cell, "SM %u, over the run: %.1f warps, %.2f instructions a cycle. Click to watch it.", s,
                     m->mean_resident[s], (double)m->mean[s].issue);
        else
            view_tip(v, cell,
                     "SM %u: %u warps in %u blocks, %.2f instructions a cycle, %.0f%% of warps' time held by memory. "
                     "Click to watch it.",
                     s, q->resident, q->blocks, (double)q->issue, 100.0 * (double)q->memory_stall);
    }
}

static void draw_key(struct canvas *c, struct view *v, struct box b)
{
    double w = 90, x = b.x + b.w - w - 30;
    char text[64];
    snprintf(text, sizeof text, "SMs: %s", measures[v->measure].name);
    canvas_text(c, b.x, b.y + b.h / 2, 10, INK, ALIGN_LEFT, false, x - b.x - 14, text);
    for (int i = 0; i < 30; i++)
        canvas_fill(c, (struct box){x + w * i / 30, b.y + 4, w / 30 + 0.5, b.h - 8}, heat(i / 29.0));
    canvas_text(c, x - 4, b.y + b.h / 2, 9, INK_DIM, ALIGN_RIGHT, false, 0, "0");
    canvas_text(c, b.x + b.w, b.y + b.h / 2, 9, INK_DIM, ALIGN_RIGHT, false, 0, "100%");
    view_tip(v, b, "colour of the SMs: %s. m or a click here: another measure", measures[v->measure].explain);
}

static void name_row(struct canvas *c, struct box row, const char *name, const char *value)
{
    canvas_text(c, row.x - NAME, row.y + row.h / 2, 10, INK, ALIGN_LEFT, false, NAME - 4, name);
    canvas_text(c, row.x + row.w + VALUE, row.y + row.h / 2, 9.5, INK, ALIGN_RIGHT, false, VALUE - 4, value);
}

static void draw_l2(struct canvas *c, struct view *v, const struct model *m, struct box row)
{
    char text[64] = "idle";
    double busy = 0;
    for (uint32_t i = 0; i < m->info.npart; i++) {
        const struct part_sample *p = m->finished ? &m->parts_mean[i] : &m->parts[i];
        struct box cell = cell_of(row, i, m->info.npart);
        busy += (double)p->busy / m->info.npart;
        canvas_fill(c, cell, p->busy > 0 ? heat(0.12 + 0.88 * (double)p->busy) : state_styles[STATE_EMPTY].color);
        if (p->hit >= 0)
            view_tip(v, cell, "L2 slices of memory partition %u: %.0f%% of their peak rate, %.0f%% of reads hit", i,
                     100 * (double)p->busy, 100 * (double)p->hit);
        else
            view_tip(v, cell, "L2 slices of memory partition %u: %.0f%% of their peak rate, no read of late", i,
                     100 * (double)p->busy);
    }
    if (busy > 0)
        snprintf(text, sizeof text, "%.0f%% busy", 100 * busy);
    name_row(c, row, "L2", text);
}

static void draw_channels(struct canvas *c, struct view *v, const struct model *m, struct box panel, struct box row)
{
    char text[64] = "idle";
    double busy = 0;
    uint32_t n = m->info.nchannel < NVIEWCHANNEL ? m->info.nchannel : NVIEWCHANNEL;
    for (uint32_t i = 0; i < n; i++) {
        const struct channel_state *s = &m->channels[i];
        struct box cell = overview_channel_box(m, panel, i);
        double all = (double)(s->hits + s->misses + s->conflicts);
        double mine = model_channel_busy(m, i);
        busy += mine / n;
        canvas_fill(c, cell, mine > 0 ? heat(0.12 + 0.88 * mine) : state_styles[STATE_EMPTY].color);
        if (i == v->channel)
            canvas_frame(c, box_inset(cell, -1), INK, 1.2);
        view_tip(v, cell,
                 "DRAM channel %u: data bus busy %.0f%% of the time of late, %.0f%% of its accesses so far hit an open "
                 "row. Click to see its banks.",
                 i, 100 * mine, all > 0 ? 100 * (double)s->hits / all : 0);
    }
    if (busy > 0)
        snprintf(text, sizeof text, "%.0f%% busy", 100 * busy);
    name_row(c, row, "DRAM", text);
}

void panel_overview(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    char text[128];
    snprintf(text, sizeof text, m->finished ? "%u SMs, means of the run" : "%u SMs in %u GPCs", m->info.nsm,
             m->info.ngpc);
    struct box in = panel_begin(c, v, b, PANEL_OVERVIEW, "Chip", text,
                                "The whole chip: SMs by GPC, coloured by a measure; below, the L2 cache by memory "
                                "partition and the DRAM channels by how busy they are");
    draw_sms(c, v, m, overview_room(b));
    draw_key(c, v, (struct box){in.x, in.y + in.h - BELOW + 3, in.w, 18});
    draw_l2(c, v, m, memory_row(b, 0));
    draw_channels(c, v, m, b, memory_row(b, 1));
}
