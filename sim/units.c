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

static cycle sooner(cycle a, cycle b)
{
    return a < b ? a : b;
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
uint64_t units_blocked(struct subcore *sc, cycle now)
{
    uint64_t held = 0;
    for (uint32_t m = sc->busy; m; m &= m - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(m);
        uint64_t who = sc->unit_mask[u] & sc->ready;
        if (u == CLASS_GMMA) {
            if (sc->unit_free[UNIT_TENSOR] <= now)
                sc->busy &= ~(1u << u);
            who = gmma_waits(sc, who, now);
        } else if (sc->input_free[u] <= now) {
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

cycle units_next_free(const struct subcore *sc, cycle now)
{
    cycle next = NEVER;
    for (uint32_t m = sc->blocked & ((1u << UNIT_COUNT) - 1); m; m &= m - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(m);
        cycle t = u == CLASS_GMMA ? gmma_next(sc, now) : sc->input_free[u];
        if (t < next)
            next = t;
    }
    return next;
}

/* It holds instructions until `free`; one that is free again in the next cycle nobody finds taken. */
static void input_taken(struct subcore *sc, uint32_t u, cycle free, cycle now)
{
    sc->input_free[u] = free;
    sc->busy |= (uint32_t)(free > now + 1) << u;
}

/* Of the transcendental unit there is room in the queue sooner. */
static void take_input(const struct sm *s, struct subcore *sc, uint32_t u, cycle until, cycle now)
{
    cycle queue = u == UNIT_XU ? (cycle)s->c->xu_queue * s->c->xu_interval_cycles : 0;
    sc->unit_free[u] = until;
    input_taken(sc, u, until > queue ? until - queue : 0, now);
}

static void take_fma(const struct sm *s, struct subcore *sc, uint32_t u, uint32_t interval, cycle now)
{
    bool lite = has_lite(s->c);
    if (u == UNIT_FMA && lite && sc->lite_free <= now)
        sc->lite_free = now + s->c->fmaheavy_interval_cycles;
    else
        sc->unit_free[UNIT_FMAHEAVY] = now + (u == UNIT_FMA && lite ? s->c->fmaheavy_interval_cycles : interval);
    cycle heavy = sc->unit_free[UNIT_FMAHEAVY];
    input_taken(sc, UNIT_FMAHEAVY, heavy, now);
    input_taken(sc, UNIT_FMA, lite ? sooner(sc->lite_free, heavy) : heavy, now);
}

/* A GPC in which matrix units work lowers its clock (result.c makes time of it). */
static void matrix_works(struct sm *s, cycle from, cycle to)
{
    if (!s->counters.matrix_clock_downs || from > s->matrix_until + s->c->matrix_hold_cycles) {
        s->counters.matrix_clock_downs++;
        s->matrix_until = from;
    }
    if (to > s->matrix_until) {
        s->counters.matrix_clock_cycles += to - s->matrix_until;
        s->matrix_until = to;
    }
}

void unit_take(struct sm *s, struct subcore *sc, const struct idesc *d, cycle now)
{
    uint32_t u = d->unit;
    if (u == UNIT_FMA || u == UNIT_FMAHEAVY) {
        take_fma(s, sc, u, d->interval, now);
    } else if (d->interval > 1) {
        take_input(s, sc, u, now + d->interval, now);
    }
    if (u == UNIT_TENSOR)
        matrix_works(s, now, now + d->interval);
}

/* An XU instruction waits in the queue until the unit takes it; one that follows the last without a pause comes out
 * later than one that found the unit idle. */
cycle xu_done(const struct sm *s, struct subcore *sc, const struct idesc *d, cycle now)
{
    bool idle = sc->unit_free[UNIT_XU] < now;
    cycle start = idle ? now : sc->unit_free[UNIT_XU];
    take_input(s, sc, UNIT_XU, start + d->interval, now);
    return start + d->latency + (idle ? 0 : s->c->xu_behind_cycles);
}

/* Reductions over lanes are made one after another for all sub-cores. */
cycle redux_done(struct sm *s, struct subcore *sc, const struct idesc *d, cycle now)
{
    cycle start = s->redux_free > now ? s->redux_free : now;
    s->redux_free = start + d->interval;
    take_input(s, sc, d->unit, s->redux_free, now);
    return start + d->latency;
}

/* A warpgroup multiply queues for the matrix unit; its warp goes on. */
cycle gmma_done(struct sm *s, struct subcore *sc, uint32_t local, const struct idesc *d, cycle now)
{
    cycle start = sc->unit_free[UNIT_TENSOR] > now ? sc->unit_free[UNIT_TENSOR] : now;
    sc->unit_free[UNIT_TENSOR] = sc->input_free[UNIT_TENSOR] = start + d->interval;
    sc->gmma_start[local] = start;
    matrix_works(s, start, start + d->interval);
    sc->busy |= 1u << UNIT_TENSOR | 1u << CLASS_GMMA;
    return start + d->latency;
}
