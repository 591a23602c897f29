/* When a warp may issue, and what its waiting is charged to.
 *
 * slot_examine looks at a warp's next instruction and finds the cycle from which nothing of its own holds it: its stall
 * count, its dependence counters (or registers, without scheduling fields) and its instruction buffer. The structural
 * constraints (unit, queue, ports, the other warps) are the sub-core's and are looked at in issue.c.
 *
 * Each constraint leaves its release time in the slot (slot_until). At issue the cycles since the last issue go to the
 * first reason, in the profiler's priority, that was not yet released; so they add up by construction. */
#include "sim/sm_core.h"

/* The next cycle, from now on, at which somebody leaves the wheel. */
cycle subcore_wheel_next(const struct subcore *sc, cycle now)
{
    if (!sc->occupied)
        return NEVER;
    uint32_t r = (uint32_t)(now % NWHEEL);
    uint64_t turned = r ? sc->occupied >> r | sc->occupied << (NWHEEL - r) : sc->occupied;
    return now + (cycle)__builtin_ctzll(turned);
}

void slot_park(struct slot *sl)
{
    sl->sc->ready &= ~((uint64_t)1 << sl->local);
    sl->ready = NEVER;
}

static cycle later(cycle a, cycle b)
{
    return a > b ? a : b;
}

/* Counters that nothing but the last instruction holds up. */
static uint8_t only_fresh(const struct slot *sl)
{
    uint8_t only = 0;
    for (uint32_t m = sl->fresh; m; m &= m - 1) {
        uint32_t sb = (uint32_t)__builtin_ctz(m);
        only = (uint8_t)(only | (sl->sb_count[sb] == 1) << sb);
    }
    return only;
}

static bool past_barrier(struct slot *sl)
{
    if (sl->bar_open == NEVER)
        return false;
    sl->state = SLOT_RUN;
    slot_hold(sl, STALL_barrier, sl->bar_open);
    return true;
}

/* Without scheduling fields: when what it reads and writes is there; parks the warp if that is not known. */
APART static cycle registers_ready(const struct sm *s, struct slot *sl, const struct idesc *d)
{
    cycle r = scoreboard_ready(sl, s, d);
    if (r == NEVER || slot_sb_waits(sl, d, 0)) { /* counters: of groups that DEPBAR waits for */
        sl->ready = NEVER;
        return NEVER;
    }
    /* A fixed latency that the code did not cover is the counterpart of a stall count. */
    if (r > sl->wait)
        sl->wait = r;
    return r;
}

/* The warp is not in the wheel and not ready when this is called. At a barrier it is held by the first instruction that
 * is not of fixed latency. */
void slot_examine(struct sm *s, struct slot *sl, cycle now)
{
    if (sl->state != SLOT_RUN && sl->state != SLOT_BARRIER)
        return;
    const struct idesc *d = &sl->desc[warp_pc(&sl->w)];
    if (sl->state == SLOT_BARRIER && !d->passes_bar && !past_barrier(sl))
        return;
    cycle t = later(later(now, sl->wait), sl->hold);
    if (d->flags & D_SCHED) {
        /* DEPBAR reads its counter late enough to see LDGDEPBAR right before it, as ptxas writes them */
        uint8_t ignore = t < slot_fresh_until(s, sl) && !(d->flags & D_DEPBAR) ? only_fresh(sl) : 0;
        if (slot_sb_waits(sl, d, ignore)) {
            sl->ready = NEVER;
            return;
        }
    } else {
        cycle r = registers_ready(s, sl, d);
        if (r == NEVER)
            return;
        t = later(t, r);
    }
    slot_ask(s, sl, d);
    subcore_queue(s, sl, t, now);
}

struct share { /* of the time: the reason with the most cycles */
    enum stall reason;
    uint64_t cycles;
};
static void charge(struct pc_counters *p, struct share *most, enum stall reason, uint64_t cycles)
{
    p->stall[reason] += cycles;
    if (cycles > most->cycles)
        *most = (struct share){reason, cycles};
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Reasons that a warp itself can have behind STALL_wait, in the profiler's priority. */
static const uint8_t own_reasons[] = {
    STALL_short_scoreboard,
    STALL_long_scoreboard,
    STALL_imc_miss,
    STALL_branch_resolving,
    STALL_no_instruction,
    STALL_barrier,
    STALL_membar,
    STALL_sleeping,
    STALL_gmma,
    STALL_misc,
};

static enum stall account_long(struct sm *s, struct slot *sl, struct pc_counters *p, cycle now)
{
    struct share most = {STALL_selected, 0};
    cycle at = sl->since + 1;
    if (sl->wait > at) {
        cycle until = least(sl->wait, now);
        charge(p, &most, STALL_wait, until - at);
        at = until;
    }
    for (size_t i = 0; i < sizeof own_reasons && at < now && sl->hold > at; i++) {
        cycle until = least(slot_until(sl, own_reasons[i]), now);
        if (until <= at)
            continue;
        charge(p, &most, own_reasons[i], until - at);
        at = until;
    }
    uint64_t rest = now - at;
    if (rest == 0)
        return most.reason;
    const struct subcore *sc = &s->sc[sl->subcore];
    const struct {
        enum stall reason;
        uint32_t cycles;
    } shared[] = {
        {STALL_dispatch_stall, sc->blocked_cycles[CLASS_DISPATCH] - sl->snap_dispatch},
        {sl->head == UNIT_XU      ? STALL_mio_throttle
         : sl->head == CLASS_GMMA ? STALL_gmma
                                  : STALL_math_pipe_throttle,
         sl->head == UNIT_LSU ? 0 : sc->blocked_cycles[sl->head] - sl->snap_unit},
        {STALL_mio_throttle, sl->head == UNIT_LSU ? sc->blocked_cycles[CLASS_MIO] - sl->snap_mio : 0},
        {STALL_lg_throttle, sl->head == UNIT_LSU ? sc->blocked_cycles[CLASS_LG] - sl->snap_lg : 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(shared); i++) {
        uint64_t n = least(shared[i].cycles, rest);
        if (n)
            charge(p, &most, shared[i].reason, n);
        rest -= n;
    }
    if (rest)
        charge(p, &most, STALL_not_selected, rest);
    return most.reason;
}

/* Returns the reason that took most. */
enum stall slot_account(struct sm *s, struct slot *sl, cycle now)
{
    struct pc_counters *p = &sl->pcs[warp_pc(&sl->w)];
    uint64_t waited = now - sl->since - 1; /* not 0 */
    if (sl->wait != now)
        return account_long(s, sl, p, now);
    p->stall[STALL_wait] += waited; /* the usual case: the stall count and nothing beyond it */
    return STALL_wait;
}
