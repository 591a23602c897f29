/* Warps' time in pieces: what held each warp until it issued, and the issues. The strip draws them, the figures add them. */
#include "viz/view.h"

static bool clip(struct piece *p, double from, double to)
{
    p->from = p->from > from ? p->from : from;
    p->to = p->to < to ? p->to : to;
    return p->to > p->from;
}

static void give(struct piece p, double from, double to, piece_fn *f, void *arg)
{
    if (clip(&p, from, to))
        f(arg, &p);
}

/* From their last issue until now: what holds them now. A warp that is ready at this moment was held by something
 * until shortly before. */
static void walk_present(const struct model *m, double from, double to, piece_fn *f, void *arg)
{
    enum { AWHILE = 4 };
    for (uint32_t w = 0; w < m->info.max_warps; w++) {
        const struct warp_view *v = &m->warps[w];
        double since = m->last_issue[w] ? (double)m->last_issue[w] + 1 : from;
        if (!v->resident)
            continue;
        enum state_class s = state_of_stall(v->reason);
        bool just_ready = s <= STATE_READY && m->waits[w] > STATE_READY && to - since > 2 * AWHILE;
        if (just_ready)
            give((struct piece){w, since, to - AWHILE, (enum state_class)m->waits[w], NULL}, from, to, f, arg);
        give((struct piece){w, just_ready ? to - AWHILE : since, to, s, NULL}, from, to, f, arg);
    }
}

void strip_walk(const struct model *m, cycle from, cycle to, bool present, piece_fn *f, void *arg)
{
    double lo = (double)from, hi = (double)to;
    uint64_t kept = m->nissue < NISSUES ? m->nissue : NISSUES;
    bool beyond[NLANE] = {false}; /* its next issue after the strip was met */
    if (present)
        walk_present(m, lo, hi, f, arg);
    for (uint64_t i = 0; i < kept; i++) {
        const struct issue_record *r = &m->issues[(m->nissue - 1 - i) % NISSUES];
        double t = (double)r->time;
        if (t + 1 <= lo)
            break;
        if (r->warp >= NLANE || (t >= hi && beyond[r->warp]))
            continue;
        beyond[r->warp] = t >= hi;
        if (r->waited > 1)
            give((struct piece){r->warp, t + 1 - r->waited, t, state_of_stall(r->reason), r}, lo, hi, f, arg);
        give((struct piece){r->warp, t, t + 1, STATE_ISSUED, r}, lo, hi, f, arg);
    }
}

struct adding {
    double sum[STATE_COUNT];
};

static void add(void *arg, const struct piece *p)
{
    struct adding *a = arg;
    a->sum[p->state] += p->to - p->from;
}

struct mix strip_mix(const struct view *v, const struct model *m)
{
    struct adding a = {0};
    struct mix mix = {0};
    cycle to = view_time(v, m), from = to > (cycle)v->cycles_shown ? to - (cycle)v->cycles_shown : 0;
    bool whole = m->finished && !v->back;
    if (whole)
        for (uint32_t pc = 0; pc < m->info.npc; pc++)
            for (int s = 0; s < STATE_COUNT; s++)
                a.sum[s] += (double)m->pcs[pc].waited[s];
    else
        strip_walk(m, from, to, v->back == 0, add, &a);
    for (int s = 0; s < STATE_COUNT; s++)
        mix.warp_cycles += a.sum[s];
    for (int s = 0; s < STATE_COUNT && mix.warp_cycles > 0; s++)
        mix.share[s] = a.sum[s] / mix.warp_cycles;
    double cycles = whole ? m->mean_time : (double)(to - from);
    mix.issue = cycles > 0 ? a.sum[STATE_ISSUED] / (cycles * m->info.subcores) : 0;
    return mix;
}

double mix_lanes(const struct model *m)
{
    uint64_t lanes = 0, executed = 0;
    for (uint32_t pc = 0; pc < m->info.npc; pc++) {
        lanes += m->pcs[pc].lanes;
        executed += m->pcs[pc].executed;
    }
    return executed ? (double)lanes / (double)executed : -1;
}
