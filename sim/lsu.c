/* The pipeline behind the queues of the sub-cores (lsu_queue.c): one stage that they share in turn, then the write-back
 * ports. */
#include <stdlib.h>
#include <string.h>

#include "sim/lsu_parts.h"

/* ---- life ------------------------------------------------------------------------------------- */
/* Every message takes credits for its sectors. */
static uint32_t pool_requests(const struct config *c)
{
    return c->l1_outstanding_sectors + c->l1_outstanding_writes + NWARP;
}

static void init_pools(struct lsu *l, struct arena *a)
{
    const struct config *c = l->cfg;
    l->nop = c->lsu_pending;
    l->nrequest = pool_requests(c);
    l->npayload = c->l1_outstanding_writes < 512 ? c->l1_outstanding_writes : 512;
    l->ops = arena_zalloc(a, l->nop, sizeof *l->ops);
    l->requests = arena_zalloc(a, l->nrequest, sizeof *l->requests);
    l->waiters = arena_zalloc(a, l->nop, sizeof *l->waiters);
    /* Large and seldom used to the end: in small pages, and what was never used is not even touched. */
    l->effect_pool = xcalloc(l->nop + 1, sizeof *l->effects);
    l->effects = (struct effect *)(((uintptr_t)l->effect_pool + 63) & ~(uintptr_t)63);
    l->payloads = xcalloc(l->npayload, sizeof *l->payloads);
    l->masks = xcalloc(l->npayload, sizeof *l->masks);
    l->ops[0].next = l->requests[0].next = OP_NONE;
    l->payloads[0].next_free = l->masks[0].next_free = PAYLOAD_NONE;
    l->fresh_op = l->fresh_request = l->fresh_payload = l->fresh_mask = 1;
    for (l->nhot_bucket = 64; l->nhot_bucket < c->l1_outstanding_writes; l->nhot_bucket *= 2)
        ;
    l->hot = arena_zalloc(a, l->nhot_bucket, sizeof *l->hot);
    for (uint32_t i = 0; i < l->nhot_bucket; i++)
        l->hot[i] = OP_NONE;
}

struct lsu *lsu_new(const struct config *c, uint32_t smid, struct memory *mem, struct storelog *log, struct msgbox *out,
                    struct sm_counters *counters)
{
    struct arena *a = memory_arena(mem);
    struct lsu *l = arena_zalloc(a, 1, sizeof *l);
    must(c->subcores <= NSUBCORE && c->max_warps <= NWARP && c->mem_queue <= QUEUE_MAX);
    l->cfg = c;
    l->smid = smid;
    l->mem = mem;
    l->log = log;
    l->out = out;
    l->count = counters;
    l->nlane = c->warp_size;
    l->width_cycles = 4 * c->warp_size / c->writeback_bytes;
    l->wake = NEVER;
    l->turn = c->subcores - 1;
    l->stage.op = OP_NONE;
    const struct arch_info *arch = arch_info((enum arch)c->isa);
    l->shared_base = arch ? arch->shared_base : 0;
    init_pools(l, a);
    soon_init(&l->done, 2 * c->lsu_pending, a);
    l1_init(&l->l1, c, a);
    l1_resize(&l->l1, c, c->unified_bytes);
    miss_init(&l->miss, c->l1_mshr, c->l1_miss_waiters, a);
    constant_init(&l->constants, c, a);
    for (uint32_t w = 0; w < NWARP; w++) {
        l->warp[w].fence = OP_NONE;
        for (uint32_t g = 0; g < GROUPS; g++)
            l->warp[w].group_op[g] = OP_NONE;
    }
    return l;
}

void lsu_free(struct lsu *l)
{
    if (!l)
        return;
    tma_finish(l);
    soon_finish(&l->done);
    free(l->effect_pool);
    free(l->payloads);
    free(l->masks);
    free(l->records);
}

void lsu_configure(struct lsu *l, uint32_t shared_carveout_bytes, struct pc_counters *pcs)
{
    const struct config *c = l->cfg;
    for (uint32_t w = 0; w < NWARP; w++)
        l->warp[w].pcs = pcs;
    l1_resize(&l->l1, c, shared_carveout_bytes < c->unified_bytes ? c->unified_bytes - shared_carveout_bytes : 0);
    tma_launch(l);
}

void lsu_warp_pcs(struct lsu *l, uint32_t warp, struct pc_counters *pcs)
{
    l->warp[warp].pcs = pcs;
}
void lsu_warp_block(struct lsu *l, uint32_t warp, const struct cluster_map *map, uint32_t launch, uint64_t block)
{
    l->warp[warp].map = map;
    l->warp[warp].launch = launch;
    l->warp[warp].block = block;
}
void lsu_new_launch(struct lsu *l, uint64_t nblock, cycle now)
{
    l->gather = (struct gather){0};
    const struct config *c = l->cfg;
    uint64_t sms = nblock < c->nsm ? nblock : c->nsm;
    constant_launch(&l->constants, now + c->constants_cycles + (cycle)((double)sms * c->constants_interval));
}

void lsu_invalidate_l1(struct lsu *l)
{
    l1_drop_all(&l->l1);
}
void lsu_watch_races(struct lsu *l, struct races *races)
{
    l->races = races;
}
void lsu_shared_base(struct lsu *l, uint32_t base)
{
    l->shared_base = base;
}
struct effect *lsu_effect(struct lsu *l, uint32_t effect)
{
    return &l->effects[effect];
}
struct payload_head *lsu_payload(struct lsu *l, uint32_t index)
{
    return index >= MASKS_FROM ? &l->masks[index - MASKS_FROM].head : &l->payloads[index].head;
}
struct lsu_fault lsu_fault(const struct lsu *l)
{
    return l->fault;
}
uint64_t lsu_busy_warps(const struct lsu *l)
{
    return l->has_ops | l->has_writes;
}
uint64_t lsu_active_warps(const struct lsu *l)
{
    return l->has_ops;
}
uint64_t lsu_writing_warps(const struct lsu *l)
{
    return l->has_writes;
}
bool lsu_idle(const struct lsu *l)
{
    return !l->ops_used && !l->requests_used;
}

cycle lsu_constant(struct lsu *l, cycle now, uint32_t subcore, uint32_t bank, uint32_t offset)
{
    return constant_operand(&l->constants, l->cfg, now, subcore, bank, offset);
}

cycle lsu_constant_indexed(struct lsu *l, cycle now, uint32_t subcore, const struct effect *e)
{
    return constant_indexed(&l->constants, l->cfg, now, subcore, (uint32_t)e->value, e->addr, e->mask);
}

void lsu_set_fault(struct lsu *l, cycle now, uint32_t op, uint32_t lane, uint8_t space, bool misaligned,
                   const char *why)
{
    const struct effect *e = &l->effects[op];
    lsu_list_addresses(l, op);
    if (!l->fault.set)
        l->fault = (struct lsu_fault){true,          now,   l->ops[op].warp, e->inst,    lane,
                                      e->addr[lane], space, e->bytes,        misaligned, why};
}

/* ---- instructions that are over ------------------------------------------------------------------ */
void lsu_effect_free(struct lsu *l, uint32_t effect)
{
    l->ops[effect].next = l->free_op;
    l->free_op = effect;
    l->ops_used--;
}

/* ---- completions ------------------------------------------------------------------------------ */
void lsu_complete(struct lsu *l, cycle time, enum completion_kind kind, uint32_t op)
{
    uint64_t value = (uint64_t)op << 16 | (uint64_t)l->ops[op].warp << 8 | kind;
    soon_push(&l->done, time, value);
}

bool lsu_pop(struct lsu *l, cycle now, struct completion *out)
{
    uint64_t value;
    if (!soon_pop(&l->done, now, &out->time, &value))
        return false;
    out->kind = (uint8_t)value;
    out->warp = (uint8_t)(value >> 8);
    out->effect = (uint32_t)(value >> 16);
    if (out->kind != COMPLETE_SOURCES && --l->warp[out->warp].ops == 0)
        l->has_ops &= ~(UINT64_C(1) << out->warp);
    return true;
}

cycle lsu_after_stage(const struct lsu *l, const struct lsu_op *o, uint32_t latency_from_issue)
{
    (void)l;
    return latency_from_issue > o->front ? latency_from_issue - o->front : 1;
}

void lsu_write_back(struct lsu *l, cycle time, uint32_t op)
{
    const struct lsu_op *o = &l->ops[op];
    const struct effect *e = &l->effects[op];
    struct queue *q = &l->queue[o->subcore];
    uint32_t bytes = e->bytes < 4 ? 4 : e->bytes;
    cycle port = q->wb_free + (bytes * l->nlane + l->cfg->writeback_bytes - 1) / l->cfg->writeback_bytes;
    cycle at = time > port ? time : port;
    q->wb_free = at;
    lsu_complete(l, at, COMPLETE_RESULT, op);
}

void lsu_finish_store(struct lsu *l, cycle now, uint32_t op)
{
    bool shared = l->ops[op].class == CLASS_SHARED; /* has brought its data with it */
    cycle at = shared ? now : now + lsu_store_data(l, &l->ops[op], l->effects[op].bytes);
    if (!shared)
        lsu_complete(l, at, COMPLETE_SOURCES, op);
    lsu_complete(l, at, COMPLETE_RESULT, op);
}

/* ---- the shared stage ------------------------------------------------------------------------- */
static cycle pass_special(struct lsu *l, cycle now, uint32_t op)
{
    const struct config *c = l->cfg;
    const struct lsu_op *o = &l->ops[op];
    const struct effect *e = &l->effects[op];
    bool shuffle = o->class == CLASS_SHUFFLE;
    uint32_t latency = shuffle ? c->shfl_latency_cycles : c->s2r_latency_cycles, interval = c->shfl_interval_cycles;
    if (e->op == OP_MATCH) {
        latency = c->match_latency_cycles + (uint32_t)e->value * c->match_value_cycles;
        interval = (uint32_t)e->value * c->match_interval_cycles;
    } else if (shuffle && lsu_by_register(e->inst)) {
        latency += c->shfl_index_cycles;
    }
    lsu_complete(l, now, COMPLETE_SOURCES, op);
    if (e->kind == EFF_CLUSTER) {
        lsu_set_fault(l, now, op, 0, SPACE_SHARED, false, "this operation is not supported");
        return 1;
    }
    bool passes = e->kind == EFF_LOAD || e->kind == EFF_STORE || e->kind == EFF_ATOMIC || e->kind == EFF_REDUCE;
    lsu_complete(l, passes ? now + 1 : now + lsu_after_stage(l, o, latency), COMPLETE_RESULT, op);
    return shuffle ? (interval ? interval : 1) : passes ? 1 : c->lsu_interval_cycles;
}

static cycle pass_shared(struct lsu *l, cycle now, uint32_t op)
{
    if (!lsu_check_shared(l, now, op, l->effects[op].mask))
        return 1;
    uint32_t busy = lsu_shared_pass(l, now, op, l->effects[op].mask);
    return busy > l->cfg->smem_interval_cycles ? busy : l->cfg->smem_interval_cycles;
}

static cycle pass_barrier(struct lsu *l, cycle now, uint32_t op)
{
    cycle counted = l->barrier_free > now ? l->barrier_free : now;
    l->barrier_free = counted + l->cfg->barrier_interval_cycles;
    lsu_complete(l, now, COMPLETE_SOURCES, op);
    lsu_complete(l, counted, COMPLETE_BARRIER, op);
    return 1;
}

/* An instruction enters; those of one pass leave at once, others stay in l->stage. Returns cycles until the next. */
static cycle enter(struct lsu *l, cycle now, uint32_t op)
{
    switch ((enum op_class)l->ops[op].class) {
    case CLASS_GLOBAL:
        if (lsu_global_begin(l, now, op))
            l->stage.op = op;
        return 1;
    case CLASS_SHARED:
        return pass_shared(l, now, op);
    case CLASS_BARRIER:
        return pass_barrier(l, now, op);
    case CLASS_FENCE:
        return lsu_fence(l, now, op);
    case CLASS_CACHE:
        lsu_cache_control(l, now, op);
        return l->cfg->lsu_interval_cycles;
    case CLASS_GROUP:
        if (l->effects[op].op == OP_UTMACMDFLUSH)
            tma_group(l, now, op);
        else
            lsu_group_close(l, now, op);
        return 1;
    case CLASS_BULK:
        tma_command(l, now, op);
        return 1;
    case CLASS_SYNC:
        return lsu_sync_pass(l, now, op);
    case CLASS_SHUFFLE:
    case CLASS_SPECIAL:
        break;
    }
    return pass_special(l, now, op);
}

static bool accept(struct lsu *l, cycle now)
{
    uint32_t n = l->cfg->subcores;
    for (uint32_t i = 1; i <= n; i++) {
        uint32_t s = (l->turn + i) % n;
        struct queue *q = &l->queue[s];
        if (!q->n || q->stage_free > now || l->ops[q->op[q->head]].ready > now)
            continue;
        uint32_t op = q->op[q->head];
        if (l->ops[op].class == CLASS_BULK && !tma_has_room(l))
            continue;
        lsu_queue_leaves(l, now, q);
        l->turn = s;
        l->stage.accepted = now;
        cycle busy = enter(l, now, op);
        l->stage_free = now + busy * lsu_turns(l, s, now); /* atomics on one word have their turns in between */
        /* one sub-core's wavefronts follow one another at half the rate of the stage (measured: 2 cycles each) */
        cycle own = (cycle)l->ops[op].wavefronts * l->cfg->smem_conflict_cycles;
        q->stage_free = now + (own > busy ? own : busy);
        q->stage_free = q->stage_free > q->atomic_until ? q->stage_free : q->atomic_until;
        return true;
    }
    return false;
}

static bool stage_moves(struct lsu *l, cycle now)
{
    uint32_t before = l->stage.cursor;
    if (lsu_global_continue(l, now)) {
        cycle next =
            l->stage.accepted +
            (l->stage.data_cycles > l->cfg->lsu_interval_cycles ? l->stage.data_cycles : l->cfg->lsu_interval_cycles);
        next = next > l->data_free ? next : l->data_free;
        l->stage_free = next > now ? next : now + 1;
        l->stage.op = OP_NONE;
        return true;
    }
    return l->stage.cursor != before;
}

static cycle next_accept(const struct lsu *l)
{
    cycle best = NEVER;
    for (uint32_t s = 0; s < l->cfg->subcores; s++) {
        const struct queue *q = &l->queue[s];
        if (!q->n)
            continue;
        cycle t = l->ops[q->op[q->head]].ready;
        t = t > q->stage_free ? t : q->stage_free;
        best = t < best ? t : best;
    }
    return best > l->stage_free || best == NEVER ? best : l->stage_free;
}

bool lsu_step(struct lsu *l, cycle now)
{
    if (now < l->wake || l->fault.set)
        return false;
    bool moved = false;
    if (l->nwaiter && l->waiters[0].until <= now)
        lsu_sync_expire(l, now);
    if (tma_next(l) <= now)
        tma_step(l, now);
    if (l->stage.op == OP_NONE && now >= l->stage_free)
        moved = accept(l, now);
    if (l->stage.op != OP_NONE)
        moved |= stage_moves(l, now);
    if (l->stage.op != OP_NONE)
        l->wake = !l->blocked ? now + 1 : l->stage.room > now ? l->stage.room : NEVER;
    else
        l->wake = next_accept(l);
    if (l->nwaiter && l->waiters[0].until < l->wake)
        l->wake = l->waiters[0].until;
    if (tma_next(l) < l->wake)
        l->wake = tma_next(l);
    return moved;
}

/* When a full queue has room again though the stage takes nothing. */
static cycle queue_moves(const struct lsu *l, cycle now)
{
    cycle best = NEVER;
    for (uint32_t s = 0; s < l->cfg->subcores; s++) {
        const struct queue *q = &l->queue[s];
        uint32_t n = q->n < l->cfg->mem_queue ? 0 : lsu_waiting(l, q, now);
        if (n < l->cfg->mem_queue)
            continue;
        cycle t = l->ops[q->op[(q->head + q->n - n) % QUEUE_MAX]].ready;
        best = t < best ? t : best;
    }
    return best;
}

cycle lsu_next_event(const struct lsu *l, cycle now)
{
    cycle t = soon_next(&l->done), room = queue_moves(l, now);
    t = room < t ? room : t;
    return l->wake < t ? l->wake : t;
}
