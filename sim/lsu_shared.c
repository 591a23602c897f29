/* Shared-memory accesses: wavefronts, time and values at the stage. */
#include <string.h>

#include "sim/lsu_parts.h"
#include "sim/races.h"

static void count_shared(struct lsu *l, uint32_t op, struct wavefronts w)
{
    struct sm_counters *c = l->count;
    struct pc_counters *pcs = lsu_warp_of(l, op)->pcs;
    c->shared_wavefronts += w.total;
    c->shared_wavefronts_ideal += w.ideal;
    switch (l->effects[op].kind) {
    case EFF_LOAD:
        c->shared_ld_inst++;
        c->shared_ld_wavefronts += w.total;
        break;
    case EFF_STORE:
        c->shared_st_inst++;
        c->shared_st_wavefronts += w.total;
        break;
    default:
        c->shared_atom_inst++;
    }
    if (pcs) {
        pcs[l->ops[op].pc].wavefronts += w.total;
        pcs[l->ops[op].pc].wavefronts_ideal += w.ideal;
    }
}

/* Counts the lanes that got a word which nobody wrote. A word of that very value, or bytes of one partly written, are
 * not told apart: one in 2^32. */
static void count_unwritten(struct lsu *l, uint32_t op, lanemask lanes)
{
    const struct effect *e = &l->effects[op];
    struct pc_counters *pcs = lsu_warp_of(l, op)->pcs;
    uint32_t any = 0, n = 0;
    if (e->bytes < 4 || !pcs)
        return;
    for (uint32_t k = 0; k < e->bytes / 4; k++)
        for (uint32_t lane = 0; lane < l->nlane; lane++)
            any |= e->data[k][lane] == SHARED_UNWRITTEN;
    if (!any)
        return;
    for (lanemask m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m), here = 0;
        for (uint32_t k = 0; k < e->bytes / 4; k++)
            here |= e->data[k][lane] == SHARED_UNWRITTEN;
        n += here;
    }
    pcs[l->ops[op].pc].doubt[DOUBT_UNWRITTEN] += n;
}

static struct race_access race_access(const struct lsu *l, const struct lsu_op *o)
{
    return (struct race_access){.block = l->warp[o->warp].shared,
                                .base = l->shared_base,
                                .warp = o->warp,
                                .run = o->shape == SHAPE_RUN,
                                .issued = o->issue};
}

static void count_doubts(struct lsu *l, uint32_t op, lanemask lanes)
{
    const struct lsu_op *o = &l->ops[op];
    count_unwritten(l, op, lanes);
    struct pc_counters *pcs = l->warp[o->warp].pcs;
    if (pcs && l->races)
        pcs[o->pc].doubt[DOUBT_RACE] += races_load(l->races, race_access(l, o), &l->effects[op], lanes);
}

/* Wide loads take longer where many words come: not where lanes ask for one address, which merges their phases, nor of
 * few lanes. (Measured: micro_width.) */
static uint32_t more_of_width(const struct config *c, const struct lsu_op *o, const struct effect *e, bool merged)
{
    bool few = merged || o->shape == SHAPE_ONE || (uint32_t)__builtin_popcountll(e->mask) <= c->smem_few_lanes;
    if (e->bytes == 16)
        return few ? c->smem_128_cycles : c->smem_128_apart_cycles;
    return e->bytes == 8 && !few ? c->smem_64_apart_cycles : 0;
}

static uint32_t base_latency(const struct lsu *l, const struct lsu_op *o, const struct effect *e)
{
    const struct config *c = l->cfg;
    if (e->op == OP_LDSM && e->inst)
        return c->smem_matrix_cycles + c->smem_matrix_more_cycles * ((1u << e->inst->mod[MOD_LDSMNUM]) - 1);
    return o->uniform ? c->smem_uniform_latency_cycles : c->smem_latency_cycles;
}

/* Each wavefront after the first adds to it: conflicts, and phases of a wide load. */
static uint32_t load_latency(const struct lsu *l, uint32_t op, struct wavefronts w, uint32_t phases)
{
    const struct config *c = l->cfg;
    const struct lsu_op *o = &l->ops[op];
    const struct effect *e = &l->effects[op];
    if (e->op == OP_LDSM)
        return base_latency(l, o, e) + (w.total - w.ideal) * c->smem_conflict_cycles;
    return base_latency(l, o, e) + more_of_width(c, o, e, w.total < phases) + (w.total - 1) * c->smem_conflict_cycles;
}

/* Adds the lanes' count once for a whole address (ATOMS.POPC.INC), which every lane reads back. */
static void count_lanes(struct lsu *l, uint32_t op, lanemask lanes)
{
    struct effect *e = &l->effects[op];
    uint8_t *memory = lsu_warp_of(l, op)->shared;
    while (lanes) {
        uint64_t at = e->addr[__builtin_ctzll(lanes)];
        uint32_t old, *word = (uint32_t *)(void *)(memory + ((uint32_t)at - l->shared_base));
        old = *word;
        for (lanemask m = lanes; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctzll(m);
            if (e->addr[lane] != at)
                continue;
            e->data[0][lane] = old;
            ++*word;
            lanes &= ~(UINT64_C(1) << lane);
        }
    }
}

enum { CAS = 10, POPC_INC, CAST_SPIN }; /* values of AOP in ops.def */

/* A comparison comes between the read and the write of a bank, so that each address takes it longer. */
static bool compares(const struct effect *e)
{
    return e->inst && (e->inst->mod[MOD_AOP] == CAS || e->inst->mod[MOD_AOP] == CAST_SPIN);
}

/* Lanes that name one word pass the stage one after another, in turn with what other sub-cores bring: a slot in two, or
 * in as many as sub-cores have such atomics under way. (Measured: 0.99 cycles a lane from four sub-cores, 1.94 from
 * one; a lock's holder gets in between the attempts of 255 others.) Of lanes that compare and swap without the old
 * value (CAST.SPIN) one can win, which one pass finds out. */
uint32_t lsu_turns(const struct lsu *l, uint32_t subcore, cycle now)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < l->cfg->subcores; i++)
        n += i != subcore && l->queue[i].atomic_until > now;
    return n;
}

static uint32_t pass_atomic(struct lsu *l, cycle now, uint32_t op, lanemask lanes, struct wavefronts w)
{
    const struct config *c = l->cfg;
    struct effect *e = &l->effects[op];
    bool counts = e->inst && e->inst->mod[MOD_AOP] == POPC_INC;
    uint32_t passes = compares(e) ? c->atoms_compare_passes : 1;
    bool one_wins = e->inst && e->inst->mod[MOD_AOP] == CAST_SPIN;
    uint32_t serial = counts || one_wins ? 1 : shared_multiplicity(lanes, e->addr, e->bytes);
    if (counts)
        count_lanes(l, op, lanes);
    else
        shared_atomic(lsu_warp_of(l, op)->shared, l->shared_base, e, lanes);
    uint32_t busy = passes * w.total, apart = lsu_turns(l, l->ops[op].subcore, now);
    apart = apart > c->atoms_interval_cycles ? apart : c->atoms_interval_cycles;
    uint32_t turns = passes * (serial - 1) * apart;
    /* counted as the profiler counts them: each pass, lanes on one word like a conflict; of CAST.SPIN one access */
    uint32_t least = passes * w.ideal;
    count_shared(l, op, (struct wavefronts){.total = one_wins ? least : busy + passes * (serial - 1), .ideal = least});
    l->ops[op].wavefronts = (uint16_t)busy;
    if (serial > 1)
        l->queue[l->ops[op].subcore].atomic_until = now + busy * c->smem_conflict_cycles + turns;
    if (e->space != SPACE_SHARED)
        return busy; /* the global lanes complete the instruction */
    uint32_t latency = base_latency(l, &l->ops[op], e) + c->atoms_more_cycles + (passes - 1) * c->atoms_compare_cycles +
                       passes * (w.total - w.ideal) * c->smem_conflict_cycles + turns;
    lsu_write_back(l, now + lsu_after_stage(l, &l->ops[op], latency), op);
    return busy;
}

/* ---- livelock detection ---------------------------------------------------------------------------- */
void lsu_watch(struct lsu *l, bool on)
{
    l->watched = on;
    l->changed = false;
}

bool lsu_watch_changed(const struct lsu *l)
{
    return l->changed;
}

/* The bytes that the lanes address, folded. */
static uint64_t bytes_hash(const struct lsu *l, uint32_t op, lanemask lanes)
{
    const struct effect *e = &l->effects[op];
    uint64_t h = 1;
    for (lanemask m = lanes; m; m &= m - 1) {
        const uint8_t *at = lsu_warp_of(l, op)->shared + ((uint32_t)e->addr[__builtin_ctzll(m)] - l->shared_base);
        for (uint32_t i = 0; i < e->bytes; i++)
            h = (h ^ at[i]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return h;
}

static uint32_t pass(struct lsu *l, cycle now, uint32_t op, lanemask lanes);

uint32_t lsu_shared_pass(struct lsu *l, cycle now, uint32_t op, lanemask lanes)
{
    if (!l->watched || l->effects[op].kind == EFF_LOAD)
        return pass(l, now, op, lanes);
    uint64_t before = bytes_hash(l, op, lanes);
    uint32_t busy = pass(l, now, op, lanes);
    l->changed |= bytes_hash(l, op, lanes) != before;
    return busy;
}

static uint32_t pass(struct lsu *l, cycle now, uint32_t op, lanemask lanes)
{
    const struct config *c = l->cfg;
    struct lsu_op *o = &l->ops[op];
    struct effect *e = &l->effects[op];
    uint8_t *shared = l->warp[o->warp].shared;
    struct banks b = {c->smem_banks, c->smem_bank_bytes, l->nlane, c->smem_merges && e->kind == EFF_LOAD};
    bool one_phase = e->bytes * l->nlane <= c->smem_banks * c->smem_bank_bytes;
    struct wavefronts w = o->shape == SHAPE_RUN || (o->shape == SHAPE_ONE && one_phase)
                              ? shared_wavefronts_run(&b, lanes, e->bytes)
                              : shared_wavefronts(&b, lanes, e->addr, e->bytes);
    o->wavefronts = (uint16_t)w.total;
    if (l->record)
        lsu_note_access(l, now, op, SPACE_SHARED, w.total);
    if (e->kind == EFF_ATOMIC || e->kind == EFF_REDUCE)
        return pass_atomic(l, now, op, lanes, w);
    count_shared(l, op, w);
    if (e->kind == EFF_LOAD && o->shape == SHAPE_RUN && e->bytes == 4)
        memcpy(e->data[0], shared + ((uint32_t)e->addr[0] - l->shared_base), 4 * l->nlane);
    else if (e->kind == EFF_LOAD)
        shared_load(shared, l->shared_base, e, lanes);
    if (e->kind == EFF_LOAD)
        count_doubts(l, op, lanes);
    else
        shared_store(shared, l->shared_base, e, lanes);
    if (e->kind == EFF_STORE && l->races)
        races_store(l->races, race_access(l, o), e, lanes);
    if (e->space != SPACE_SHARED)
        return w.total;
    if (e->kind == EFF_STORE) {
        lsu_finish_store(l, now, op);
        return w.total;
    }
    uint32_t latency = load_latency(l, op, w, shared_wavefronts_run(&b, lanes, e->bytes).total);
    lsu_write_back(l, now + lsu_after_stage(l, o, latency), op);
    return w.total;
}
