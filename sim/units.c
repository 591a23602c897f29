/* Execution units of a sub-core: how long an instruction takes a unit's input.
 *
 * The fma pipe has two halves, each half a warp wide; the heavy one also multiplies integers (HU25, and the vendor's
 * fmalighter metric). So FFMA may go to either and issues every cycle, IMAD every second. Where the config gives both
 * the same interval there is one half only. The transcendental unit has a queue in front: issue is held when it is
 * full. */
#include "sim/sm_core.h"

static bool has_lite(const struct config *c)
{
    return c->fma_interval_cycles < c->fmaheavy_interval_cycles;
}

static bool unit_is_free(const struct subcore *sc, const struct sm *s, enum unit u, cycle now)
{
    switch (u) {
    case UNIT_FMA:
        if (has_lite(s->c))
            return sc->lite_free <= now || sc->unit_free[UNIT_FMAHEAVY] <= now;
        return sc->unit_free[UNIT_FMAHEAVY] <= now;
    case UNIT_XU:
        return sc->unit_free[UNIT_XU] <= now + (cycle)s->c->xu_queue * s->c->xu_interval_cycles;
    default:
        return sc->unit_free[u] <= now;
    }
}

/* Local warps of `who` whose last warpgroup multiply still waits for the matrix unit: one a warp may. */
static uint64_t gmma_waits(const struct subcore *sc, uint64_t who, cycle now)
{
    uint64_t held = 0;
    for (uint64_t m = who; m; m &= m - 1) {
        uint32_t local = (uint32_t)__builtin_ctzll(m);
        held |= (uint64_t)(sc->gmma_start[local] > now) << local;
    }
    return held;
}

/* Looks at the units that were taken lately; notes in sc->blocked those that hold a ready warp. */
uint64_t units_blocked(struct subcore *sc, const struct sm *s, cycle now)
{
    uint64_t held = 0;
    for (uint32_t m = sc->busy; m; m &= m - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(m);
        uint64_t who = sc->unit_mask[u] & sc->ready;
        if (u == CLASS_GMMA) {
            if (sc->unit_free[UNIT_TENSOR] <= now)
                sc->busy &= ~(1u << u);
            who = gmma_waits(sc, who, now);
        } else if (unit_is_free(sc, s, (enum unit)u, now)) {
            if (sc->unit_free[u] <= now)
                sc->busy &= ~(1u << u);
            continue;
        }
        if (who)
            sc->blocked |= 1u << u;
        held |= who;
    }
    return held;
}

static cycle gmma_next(const struct subcore *sc, cycle now)
{
    cycle next = NEVER;
    for (uint64_t m = sc->unit_mask[CLASS_GMMA] & sc->ready; m; m &= m - 1) {
        cycle t = sc->gmma_start[__builtin_ctzll(m)];
        next = t > now && t < next ? t : next;
    }
    return next;
}

cycle units_next_free(const struct subcore *sc, const struct sm *s, cycle now)
{
    cycle next = NEVER;
    for (uint32_t m = sc->blocked & ((1u << UNIT_COUNT) - 1); m; m &= m - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(m);
        cycle t = sc->unit_free[u];
        if (u == UNIT_FMA)
            t = sc->lite_free > now && sc->lite_free < sc->unit_free[UNIT_FMAHEAVY] ? sc->lite_free
                                                                                    : sc->unit_free[UNIT_FMAHEAVY];
        if (u == UNIT_XU)
            t -= (cycle)s->c->xu_queue * s->c->xu_interval_cycles; /* room in its queue comes earlier */
        if (u == CLASS_GMMA)
            t = gmma_next(sc, now);
        if (t < next)
            next = t;
    }
    return next;
}

void unit_take(const struct sm *s, struct subcore *sc, const struct idesc *d, cycle now)
{
    uint32_t u = d->unit;
    if (u == UNIT_FMA) {
        if (!has_lite(s->c)) {
            u = UNIT_FMAHEAVY;
        } else {
            cycle half = now + s->c->fmaheavy_interval_cycles;
            if (sc->lite_free <= now)
                sc->lite_free = half;
            else
                sc->unit_free[UNIT_FMAHEAVY] = half;
            sc->busy |= 1u << UNIT_FMA | 1u << UNIT_FMAHEAVY;
            return;
        }
    }
    if (d->interval < 2 && u != UNIT_FMAHEAVY)
        return;
    sc->unit_free[u] = now + d->interval;
    sc->busy |= 1u << u;
    if (u == UNIT_FMAHEAVY)
        sc->busy |= 1u << UNIT_FMA;
}

/* An XU instruction waits in the queue until the unit takes it. */
cycle xu_start(struct subcore *sc, const struct idesc *d, cycle now)
{
    cycle start = sc->unit_free[UNIT_XU] > now ? sc->unit_free[UNIT_XU] : now;
    sc->unit_free[UNIT_XU] = start + d->interval;
    sc->busy |= 1u << UNIT_XU;
    return start;
}

/* A warpgroup multiply queues for the matrix unit; its warp goes on. */
cycle gmma_done(struct subcore *sc, uint32_t local, const struct idesc *d, cycle now)
{
    cycle start = sc->unit_free[UNIT_TENSOR] > now ? sc->unit_free[UNIT_TENSOR] : now;
    sc->unit_free[UNIT_TENSOR] = start + d->interval;
    sc->gmma_start[local] = start;
    sc->busy |= 1u << UNIT_TENSOR | 1u << CLASS_GMMA;
    return start + d->latency;
}
