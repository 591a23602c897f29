/* Who issues: one instruction a sub-core and cycle, chosen among the warps that nothing holds.
 *
 * Policies: cggty, the compiler-guided greedy-then-youngest of Huerta et al. (MICRO 2025, section 5.1.2): the warp that
 * issued last as long as nothing but its stall count or its unit holds it, until it yields; else the youngest that can,
 * or whoever waited longest among those whose unit was taken; gto: the oldest instead of the youngest; lrr: the next in
 * turn; oldest; two_level: in turn inside a small set, which a warp leaves when it waits for memory. */
#include "sim/sm_core.h"

void subcore_add(struct subcore *sc, uint8_t local)
{
    sc->age[local] = ++sc->added;
}

void subcore_remove(struct subcore *sc, uint8_t local)
{
    sc->active &= ~((uint64_t)1 << local);
    if (sc->last == local)
        sc->last = NOBODY;
}

static uint8_t youngest(const struct subcore *sc, uint64_t eligible)
{
    uint32_t best = (uint32_t)__builtin_ctzll(eligible);
    while (eligible &= eligible - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(eligible);
        best = sc->age[i] > sc->age[best] ? i : best;
    }
    return (uint8_t)best;
}

static uint8_t oldest(const struct subcore *sc, uint64_t eligible)
{
    uint32_t best = (uint32_t)__builtin_ctzll(eligible);
    while (eligible &= eligible - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(eligible);
        best = sc->age[i] < sc->age[best] ? i : best;
    }
    return (uint8_t)best;
}

static uint8_t next_in_turn(const struct subcore *sc, uint64_t eligible)
{
    uint64_t after = sc->last >= 63 ? 0 : eligible & (~(uint64_t)0 << (sc->last + 1));
    return (uint8_t)__builtin_ctzll(after ? after : eligible);
}

/* The inner set takes in ready warps, oldest first, while it has room; who is not ready and waits for an unknown time
 * makes room. */
static uint8_t two_level(struct sm *s, struct subcore *sc, uint32_t subcore, uint64_t eligible)
{
    uint64_t in = eligible & sc->active;
    if (in)
        return next_in_turn(sc, in);
    for (uint64_t m = sc->active; m; m &= m - 1) {
        uint32_t local = (uint32_t)__builtin_ctzll(m);
        if (s->slot[slot_index(s, subcore, local)].ready == NEVER)
            sc->active &= ~((uint64_t)1 << local);
    }
    uint8_t w = oldest(sc, eligible);
    if ((uint32_t)__builtin_popcountll(sc->active) >= s->c->two_level_warps)
        sc->active &= sc->active - 1;
    sc->active |= (uint64_t)1 << w;
    return w;
}

/* Instructions that found their unit taken, or the memory queue full, get their turn in the order in which their warps
 * waited: then all warps advance alike. (Measured: clocks along chains of MUFU, LOP3, IMAD and DFMA in 2 to 8 warps of
 * a sub-core; the profiler's stall reasons of memory kernels. FFMA, which finds its unit free, is given to the
 * youngest.) */
static uint8_t longest_waiting(struct sm *s, struct subcore *sc, uint32_t subcore, uint64_t eligible, bool greedy,
                               uint8_t chosen)
{
    uint8_t head = s->slot[slot_index(s, subcore, chosen)].head;
    if (!(sc->turns >> head & 1) || (greedy && head != UNIT_LSU && head != UNIT_XU))
        return chosen;
    cycle oldest_issue = NEVER;
    for (uint64_t m = eligible & sc->unit_mask[head]; m; m &= m - 1) {
        uint32_t local = (uint32_t)__builtin_ctzll(m);
        cycle t = s->slot[slot_index(s, subcore, local)].since;
        if (t < oldest_issue) {
            oldest_issue = t;
            chosen = (uint8_t)local;
        }
    }
    return chosen;
}

static uint8_t choose(struct sm *s, struct subcore *sc, uint32_t subcore, uint64_t eligible, cycle now)
{
    bool greedy = sc->last != NOBODY && (eligible >> sc->last & 1);
    switch (s->c->policy) {
    case POLICY_CGGTY:
        greedy = greedy && now <= sc->greedy_until;
        return longest_waiting(s, sc, subcore, eligible, greedy, greedy ? sc->last : youngest(sc, eligible));
    case POLICY_GTO:
        return greedy ? sc->last : oldest(sc, eligible);
    case POLICY_OLDEST:
        return oldest(sc, eligible);
    case POLICY_TWO_LEVEL:
        return two_level(s, sc, subcore, eligible);
    case POLICY_LRR:
    default:
        return next_in_turn(sc, eligible);
    }
}

static void snapshot(struct slot *sl, const struct subcore *sc)
{
    sl->snap_dispatch = sc->blocked_cycles[CLASS_DISPATCH];
    sl->snap_unit = sc->blocked_cycles[sl->head];
    sl->snap_mio = sc->blocked_cycles[CLASS_MIO];
    sl->snap_lg = sc->blocked_cycles[CLASS_LG];
}

/* What was blocked at the last look stayed so until now. */
static void count_blocked(struct subcore *sc, cycle now)
{
    for (uint32_t m = sc->blocked; m; m &= m - 1)
        sc->blocked_cycles[__builtin_ctz(m)] += (uint32_t)(now - sc->scanned);
    sc->blocked = 0;
    sc->scanned = now;
}

static void take_from_wheel(struct sm *s, struct subcore *sc, uint32_t subcore, cycle now)
{
    uint32_t r = (uint32_t)(now % NWHEEL);
    uint64_t fresh = sc->wheel[r];
    if (!fresh)
        return;
    sc->wheel[r] = 0;
    sc->occupied &= ~((uint64_t)1 << r);
    sc->ready |= fresh;
    for (uint64_t m = fresh; m; m &= m - 1)
        snapshot(&s->slot[slot_index(s, subcore, (uint32_t)__builtin_ctzll(m))], sc);
}

static cycle nearest(cycle a, cycle b)
{
    return a < b ? a : b;
}

/* When to look again, after a look at `now`. */
static void plan(struct sm *s, struct subcore *sc, uint32_t subcore, bool issued, cycle now)
{
    if (sc->ready && issued) {
        s->sc_next[subcore] = now + 1;
        return;
    }
    cycle next = subcore_wheel_next(sc, now + 1);
    if (sc->ready) {
        cycle free = units_next_free(sc, now);
        if (sc->dispatch_free > now)
            free = nearest(free, sc->dispatch_free);
        /* a full memory queue moves with the LSU, which wakes the sub-core */
        if (sc->blocked & (1u << CLASS_MIO | 1u << CLASS_LG))
            free = nearest(free, now + 1 > s->lsu_next ? now + 1 : s->lsu_next);
        next = nearest(next, free > now ? free : now + 1);
    }
    s->sc_next[subcore] = next;
}

void subcore_step(struct sm *s, uint32_t subcore, cycle now)
{
    struct subcore *sc = &s->sc[subcore];
    if (sc->blocked)
        count_blocked(sc, now);
    else
        sc->scanned = now;
    take_from_wheel(s, sc, subcore, now);
    if (!sc->ready) {
        s->sc_next[subcore] = subcore_wheel_next(sc, now + 1);
        return;
    }
    if (sc->dispatch_free > now) {
        sc->blocked |= 1u << CLASS_DISPATCH;
        plan(s, sc, subcore, false, now);
        return;
    }
    uint64_t eligible = sc->ready;
    if (sc->busy)
        eligible &= ~units_blocked(sc, now);
    bool issued = false;
    while (eligible) {
        bool one = !(eligible & (eligible - 1)) && s->c->policy != POLICY_TWO_LEVEL;
        uint8_t local = one ? (uint8_t)__builtin_ctzll(eligible) : choose(s, sc, subcore, eligible, now);
        uint32_t n = (uint32_t)__builtin_popcountll(eligible);
        enum issue_outcome o = slot_issue(s, &s->slot[slot_index(s, subcore, local)], now);
        if (o == ISSUED) {
            s->counters.warps_eligible += n;
            s->counters.issue_active++;
            sc->last = local;
            sc->turns = 0;
            issued = true;
            break;
        }
        eligible &= ~((uint64_t)1 << local);
        if (o == REFUSED_LSU) {
            eligible &= ~sc->unit_mask[UNIT_LSU];
            sc->turns |= 1u << UNIT_LSU;
            sc->blocked |= 1u << (lsu_head_is_global(s->lsu, subcore) ? CLASS_LG : CLASS_MIO);
        }
    }
    if (!issued)
        sc->turns |= sc->blocked & ((1u << UNIT_COUNT) - 1);
    plan(s, sc, subcore, issued, now);
}
