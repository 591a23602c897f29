/* mbarriers: operations on them at the shared stage, and the tests that wait for a phase. A test with TRYWAIT that
 * finds its phase not completed stays here until it completes, or for sync.try_wait_cycles. */
#include <inttypes.h>
#include <string.h>

#include "sim/lsu_parts.h"

enum { SYNCS_EXCH = 0, SYNCS_ARRIVE = 1, SYNCS_PHASECHK = 2 }; /* values of SYNCS in ops.def */

static uint64_t word_at(const uint8_t *at)
{
    uint64_t w;
    memcpy(&w, at, sizeof w);
    return w;
}

static uint8_t *object(const struct lsu *l, uint32_t op, uint32_t lane)
{
    return lsu_warp_of(l, op)->shared + ((uint32_t)l->effects[op].addr[lane] - l->shared_base);
}

/* Lanes whose phase has completed: its parity, bit 31 of the operand, is no more the current one. */
static lanemask completed(const struct lsu *l, uint32_t op)
{
    const struct effect *e = &l->effects[op];
    lanemask lanes = 0;
    for (lanemask m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        lanes |= (lanemask)(mbarrier_phase(word_at(object(l, op, lane))) != e->data[0][lane] >> 31) << lane;
    }
    return lanes;
}

/* ---- who waits -------------------------------------------------------------------------------- */
static void answer(struct lsu *l, uint32_t waiter, lanemask lanes, cycle at)
{
    uint32_t op = l->waiters[waiter].op;
    l->effects[op].value = lanes;
    lsu_complete(l, at, COMPLETE_RESULT, op);
    l->nwaiter--;
    memmove(&l->waiters[waiter], &l->waiters[waiter + 1], (l->nwaiter - waiter) * sizeof l->waiters[0]);
}

void lsu_sync_expire(struct lsu *l, cycle now)
{
    while (l->nwaiter && l->waiters[0].until <= now) {
        cycle more = l->waiters[0].polls ? l->cfg->sync_poll_cycles - l->cfg->sync_poll_look_cycles : 0;
        answer(l, 0, completed(l, l->waiters[0].op), now + more);
    }
}

static void phase_completes(struct lsu *l, cycle now)
{
    for (uint32_t i = 0; i < l->nwaiter;) {
        uint32_t op = l->waiters[i].op;
        if (!l->waiters[i].polls && completed(l, op) == l->effects[op].mask)
            answer(l, i, l->effects[op].mask, now + l->cfg->sync_wake_cycles);
        else
            i++;
    }
}

bool lsu_mbarrier_step(struct lsu *l, cycle now, uint8_t *at, struct mbarrier_step s, const char **why)
{
    uint64_t word = word_at(at);
    enum mbarrier_outcome out = mbarrier_apply(&word, s);
    if (out == MBARRIER_TOO_MANY || out == MBARRIER_TX_RANGE) {
        *why = out == MBARRIER_TOO_MANY ? "more arrivals at an mbarrier than its phase still expects"
                                        : "the tx-count of an mbarrier leaves its range of 2^20 - 1 bytes";
        return false;
    }
    memcpy(at, &word, sizeof word);
    if (out == MBARRIER_COMPLETES)
        phase_completes(l, now);
    return true;
}

bool lsu_only_waits(const struct lsu *l)
{
    return !l->requests_used && l->ops_used <= l->nwaiter;
}

/* ---- operations ------------------------------------------------------------------------------- */
static void exchange(struct lsu *l, uint32_t op)
{
    struct effect *e = &l->effects[op];
    uint32_t lane = (uint32_t)__builtin_ctzll(e->mask);
    uint64_t new = (uint64_t)e->data[1][lane] << 32 | e->data[0][lane], old = word_at(object(l, op, lane));
    memcpy(object(l, op, lane), &new, sizeof new);
    e->data[0][lane] = (uint32_t)old;
    e->data[1][lane] = (uint32_t)(old >> 32);
}

static bool arrive(struct lsu *l, cycle now, uint32_t op, lanemask lanes)
{
    struct effect *e = &l->effects[op];
    const char *why;
    for (lanemask m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        uint64_t old = word_at(object(l, op, lane));
        if (!lsu_mbarrier_step(l, now, object(l, op, lane), mbarrier_step_of(e->inst, e->data[0][lane]), &why)) {
            lsu_set_fault(l, now, op, lane, SPACE_SHARED, false, why);
            return false;
        }
        e->data[0][lane] = 0; /* the low word of a token says nothing */
        e->data[1][lane] = (uint32_t)(old >> 32);
    }
    return true;
}

void lsu_copies_arrive(struct lsu *l, cycle now, uint32_t effect)
{
    if (lsu_check_shared(l, now, effect, l->effects[effect].mask))
        arrive(l, now, effect, l->effects[effect].mask);
}

bool lsu_sync_local(struct lsu *l, cycle now, uint32_t op, lanemask lanes)
{
    const struct inst *in = l->effects[op].inst;
    if (in->mod[MOD_SYNCS] == SYNCS_ARRIVE && in->mod[MOD_RED])
        return arrive(l, now, op, lanes);
    lsu_set_fault(l, now, op, 0, SPACE_CLUSTER, false,
                  "an mbarrier of another block takes arrivals without a result only");
    return false;
}

static void wait_for_phase(struct lsu *l, uint32_t op, cycle until, bool polls)
{
    uint32_t i = l->nwaiter++;
    for (; i && l->waiters[i - 1].until > until; i--)
        l->waiters[i] = l->waiters[i - 1];
    l->waiters[i] = (struct phase_waiter){op, polls, until};
}

static void test(struct lsu *l, cycle now, uint32_t op)
{
    struct effect *e = &l->effects[op];
    cycle at = now + lsu_after_stage(l, &l->ops[op], l->cfg->sync_latency_cycles);
    e->value = completed(l, op);
    if (e->value == e->mask || !e->inst->mod[MOD_TRYWAIT])
        lsu_complete(l, at, COMPLETE_RESULT, op);
    else if (e->value2) /* the other lanes of the warp must not wait for long: it answers soon and is made again */
        wait_for_phase(l, op, now + l->cfg->sync_poll_look_cycles, true);
    else
        wait_for_phase(l, op, at + l->cfg->sync_try_wait_cycles, false);
}

/* Lanes that name one object are served together, several objects one after another. */
static uint32_t objects(const struct effect *e)
{
    uint32_t n = 0;
    for (lanemask left = e->mask; left; n++) {
        uint64_t at = e->addr[__builtin_ctzll(left)];
        for (lanemask m = left; m; m &= m - 1)
            if (e->addr[__builtin_ctzll(m)] == at)
                left &= ~(m & (0 - m));
    }
    return n;
}

uint32_t lsu_whole_cycles(struct lsu *l, double cycles)
{
    double owed = cycles + l->stage_rest;
    uint32_t whole = (uint32_t)owed;
    l->stage_rest = owed - whole;
    return whole;
}

uint32_t lsu_sync_pass(struct lsu *l, cycle now, uint32_t op)
{
    struct effect *e = &l->effects[op];
    uint32_t n = objects(e),
             busy = n > 1 ? n * l->cfg->sync_object_cycles : lsu_whole_cycles(l, l->cfg->sync_interval_cycles);
    if (!lsu_check_shared(l, now, op, e->mask))
        return 1;
    lsu_complete(l, now, COMPLETE_SOURCES, op);
    switch (e->inst->mod[MOD_SYNCS]) {
    case SYNCS_PHASECHK:
        test(l, now, op);
        return busy;
    case SYNCS_EXCH:
        exchange(l, op);
        break;
    case SYNCS_ARRIVE:
        if (!arrive(l, now, op, e->mask))
            return 1;
        break;
    default:
        break; /* cache control of the objects: they have no cache of their own here */
    }
    lsu_complete(l, now + lsu_after_stage(l, &l->ops[op], l->cfg->sync_latency_cycles), COMPLETE_RESULT, op);
    return busy;
}
