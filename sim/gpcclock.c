/* The clock of a GPC under matrix products. An H200's GPC lowers its clock by a twelfth as soon as one warp in it uses
 * a matrix unit, loses a moment when the clock goes down and again when it comes up some hundred cycles after the last
 * product; GPCs without products keep theirs (measured: tests/data/matrix_clock.h200.txt), and memory keeps its own
 * (measured: streams from L2 and DRAM beside products move as many bytes a second, an L2 hit takes fewer cycles). The
 * clock changes at multiples of L only, so that nothing depends on the length of windows. */
#include "sim/gpcclock.h"

#include <stdlib.h>

#include "sim/engine.h"

enum { FRACTION = 16 };
static const uint64_t one = 1 << FRACTION;

static struct clock_part whole_clock = {0, 0, 1 << FRACTION};
const struct gpc_clock gpc_clock_full = {.part = &whole_clock, .n = 1};

void gpc_clock_begin(struct gpc_clock *g, cycle now)
{
    if (!g->cap)
        g->part = grow(g->part, 0, &g->cap, sizeof *g->part);
    g->part[0] = (struct clock_part){now, now << FRACTION, one};
    g->n = 1;
    g->low = false;
}

void gpc_clock_finish(struct gpc_clock *g)
{
    free(g->part);
}

static cycle own_in(const struct clock_part *p, uint64_t at)
{
    if (at <= p->begins)
        return p->own;
    uint64_t passed = at - p->begins;
    return p->own + (p->period == one ? (passed + one - 1) >> FRACTION : (passed + p->period - 1) / p->period);
}

cycle gpc_clock_own(const struct gpc_clock *g, cycle t)
{
    if (t == UINT64_MAX)
        return t;
    const struct clock_part *p = &g->part[g->n - 1], *next = NULL;
    for (; p > g->part && t << FRACTION < p->begins; p--)
        next = p;
    cycle own = own_in(p, t << FRACTION);
    return next && next->own < own ? next->own : own; /* it stood still before the next part */
}

static uint64_t begins(const struct clock_part *p, cycle own)
{
    return p->begins + (own - p->own) * p->period;
}

cycle gpc_clock_time(const struct gpc_clock *g, cycle own)
{
    if (own == UINT64_MAX)
        return own;
    const struct clock_part *p = &g->part[g->n - 1];
    while (p > g->part && own < p->own)
        p--;
    return begins(p, own) >> FRACTION;
}

/* Ports look ahead only, so the last part will do. */
uint64_t gpc_clock_own_fixed(const struct gpc_clock *g, uint64_t t, uint32_t fraction)
{
    const struct clock_part *p = &g->part[g->n - 1];
    uint64_t at = t << (FRACTION - fraction), base = p->own << fraction;
    if (at <= p->begins)
        return base;
    return base +
           (p->period == one ? (at - p->begins) >> (FRACTION - fraction) : ((at - p->begins) << fraction) / p->period);
}

uint64_t gpc_clock_time_fixed(const struct gpc_clock *g, uint64_t own, uint32_t fraction)
{
    const struct clock_part *p = &g->part[g->n - 1];
    uint64_t base = p->own << fraction, passed = own > base ? own - base : 0;
    return (p->begins >> (FRACTION - fraction)) + (passed * p->period >> FRACTION);
}

void gpc_clock_change(struct gpc_clock *g, cycle at, double period, double still)
{
    cycle own = gpc_clock_own(g, at);
    struct clock_part p = {own, begins(&g->part[g->n - 1], own) + (uint64_t)(still * (double)one + 0.5),
                           (uint64_t)(period * (double)one + 0.5)};
    g->part = grow(g->part, g->n, &g->cap, sizeof *g->part);
    g->part[g->n++] = p;
}

/* ---- when it changes ----------------------------------------------------------------------------------- */
static bool ever_changes(const struct config *c)
{
    return c->matrix_clock < 1 || c->matrix_down_ns > 0 || c->matrix_up_ns > 0;
}

/* Matrix units of the GPC have worked up to here, in its own cycles. */
static cycle worked_until(const struct engine *e, uint32_t gpc)
{
    cycle until = 0;
    for (uint32_t s = 0; s < e->cfg->nsm; s++)
        if (e->cfg->gpc_of_sm[s] == gpc && e->matrix_until[s] > until)
            until = e->matrix_until[s];
    return until;
}

void clocks_begin(struct engine *e)
{
    for (uint32_t g = 0; g < e->cfg->ngpc; g++) {
        gpc_clock_begin(&e->clocks[g], e->now);
        e->clocks[g].seen = worked_until(e, g);
    }
}

static void change(struct engine *e, uint32_t gpc)
{
    const struct config *c = e->cfg;
    struct gpc_clock *g = &e->clocks[gpc];
    g->low = !g->low;
    if (!g->low)
        g->seen = worked_until(e, gpc);
    gpc_clock_change(g, e->now, g->low ? 1 / c->matrix_clock : 1,
                     (g->low ? c->matrix_down_ns : c->matrix_up_ns) * c->sm_mhz / 1e3);
    hub_clock_changed(e->hub, gpc);
    for (uint32_t s = 0; s < c->nsm; s++)
        if (c->gpc_of_sm[s] == gpc)
            e->next[s] = gpc_clock_time(g, sm_next_event(e->sms[s]));
}

void clocks_step(struct engine *e)
{
    if (e->now % e->cfg->window_cycles || !ever_changes(e->cfg))
        return;
    for (uint32_t g = 0; g < e->cfg->ngpc; g++) {
        const struct gpc_clock *k = &e->clocks[g];
        cycle until = worked_until(e, g);
        if (k->low ? gpc_clock_own(k, e->now) > until + e->cfg->matrix_hold_cycles : until > k->seen)
            change(e, g);
    }
}

cycle clocks_next_change(const struct engine *e)
{
    cycle first = UINT64_MAX, length = e->cfg->window_cycles;
    for (uint32_t g = 0; g < e->cfg->ngpc && ever_changes(e->cfg); g++) {
        const struct gpc_clock *k = &e->clocks[g];
        cycle until = worked_until(e, g), at = e->now;
        if (k->low)
            at = gpc_clock_time(k, until + e->cfg->matrix_hold_cycles) + 1;
        else if (until <= k->seen)
            continue;
        at = at > e->now ? at : e->now;
        first = at < first ? at : first;
    }
    return first == UINT64_MAX ? first : (first + length - 1) / length * length;
}

cycle clocks_counted(const struct engine *e, cycle from, cycle until, cycle *least)
{
    cycle most = 0;
    *least = UINT64_MAX;
    for (uint32_t g = 0; g < e->cfg->ngpc; g++) {
        cycle own = gpc_clock_own(&e->clocks[g], until) - gpc_clock_own(&e->clocks[g], from);
        most = own > most ? own : most;
        *least = own < *least ? own : *least;
    }
    return most;
}
