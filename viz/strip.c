/* Warps' time in pieces: what held each warp until it issued, and the issues. The strip draws them, the figures add
 * them. */
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

/* What instructions did: by state of their warps before, by unit, and lanes. */
struct adding {
    const struct model *m;
    double sum[STATE_COUNT], units[UNIT_COUNT], lanes, issued;
};

static void add_issues(struct adding *a, uint32_t pc, double n, double lanes)
{
    a->issued += n;
    a->lanes += lanes;
    if (pc < a->m->info.npc)
        a->units[a->m->info.unit_of[pc] % UNIT_COUNT] += n;
}

static void add(void *arg, const struct piece *p)
{
    struct adding *a = arg;
    a->sum[p->state] += p->to - p->from;
    if (p->state == STATE_ISSUED && p->issue)
        add_issues(a, p->issue->pc, 1, __builtin_popcountll(p->issue->exec));
}

static void add_run(struct adding *a)
{
    for (uint32_t pc = 0; pc < a->m->info.npc; pc++) {
        const struct pc_stats *p = &a->m->pcs[pc];
        for (int s = 0; s < STATE_COUNT; s++)
            a->sum[s] += (double)p->waited[s];
        add_issues(a, pc, (double)p->executed, (double)p->lanes);
    }
}

struct mix strip_mix(const struct view *v, const struct model *m)
{
    struct adding a = {.m = m};
    struct mix mix = {.lanes = -1};
    cycle to = view_time(v, m), from = to > (cycle)v->cycles_shown ? to - (cycle)v->cycles_shown : 0;
    bool whole = m->finished && !v->back;
    if (whole)
        add_run(&a);
    else
        strip_walk(m, from, to, v->back == 0, add, &a);
    double cycles = whole ? m->mean_time : (double)(to - from);
    for (int s = 0; s < STATE_COUNT; s++)
        mix.warp_cycles += a.sum[s];
    for (int s = 0; s < STATE_COUNT && mix.warp_cycles > 0; s++)
        mix.share[s] = a.sum[s] / mix.warp_cycles;
    if (a.issued > 0)
        mix.lanes = a.lanes / a.issued;
    if (cycles <= 0)
        return mix;
    mix.issue = a.issued / (cycles * m->info.subcores);
    for (int u = 0; u < UNIT_COUNT; u++) {
        double busy = a.units[u] * (double)m->info.unit_interval[u] / (cycles * m->info.subcores);
        mix.units[u] = busy < 1 ? busy : 1;
    }
    return mix;
}
