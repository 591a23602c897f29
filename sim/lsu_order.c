/* What orders accesses: fences wait for a warp's stores, groups for its asynchronous copies; and cache control. */
#include "sim/lsu_parts.h"

/* ---- fences ----------------------------------------------------------------------------------- */
/* A fence of the device after stores, atomics or strong reads takes longer, also when all were answered long ago, and
 * longer still if one of them went to the other half of L2. (Measured: 264, 433 and 588 cycles, 2 or 2,000 behind the
 * store.) */
static uint32_t after_accesses(const struct lsu *l, uint8_t reached)
{
    return reached & REACHED_FAR ? l->cfg->membar_far_cycles : reached ? l->cfg->membar_near_cycles : 0;
}

/* Fences beyond the block leave the SM one after another; those that only release and acquire, with nothing before
 * them, do not (measured: micro_fences, 264 cycles each of 1 to 16 warps). */
static cycle fence_turn(struct lsu *l, cycle now, double apart)
{
    cycle turn = l->fence_free > (double)now ? (cycle)l->fence_free : now;
    l->fence_free = (l->fence_free > (double)now ? l->fence_free : (double)now) + apart;
    return turn - now;
}

static cycle fence_cycles(struct lsu *l, cycle now, const struct effect *e, uint8_t reached, bool *waits)
{
    enum { CTA = 1, SM = 2, SYS = 4, SC = 0 }; /* values of SCOPE and FENCE in ops.def */
    *waits = false;
    if (e->op != OP_MEMBAR)
        return 1; /* error barriers, proxy fences: nothing to wait for in a coherent model */
    uint8_t scope = e->inst ? e->inst->mod[MOD_SCOPE] : 0;
    bool sequential = !e->inst || e->inst->mod[MOD_FENCE] == SC;
    if (scope == CTA || scope == SM)
        return l->cfg->membar_cta_cycles;
    *waits = true;
    if (scope == SYS)
        return l->cfg->membar_sys_cycles + fence_turn(l, now, l->cfg->membar_sys_interval);
    double apart = reached ? l->cfg->membar_after_interval : sequential ? l->cfg->membar_gpu_interval : 0;
    return fence_turn(l, now, apart) + (sequential ? l->cfg->membar_gpu_cycles : l->cfg->membar_acqrel_cycles) +
           after_accesses(l, reached);
}

uint32_t lsu_fence(struct lsu *l, cycle now, uint32_t op)
{
    bool waits;
    struct warp_state *w = &l->warp[l->ops[op].warp];
    cycle cycles = fence_cycles(l, now, &l->effects[op], w->reached, &waits);
    w->reached = waits ? 0 : w->reached;
    lsu_complete(l, now, COMPLETE_SOURCES, op);
    if (waits && w->writes && w->fence == OP_NONE) {
        w->fence = op;
        w->fence_least = now + cycles;
    } else {
        lsu_complete(l, now + cycles, COMPLETE_FENCE, op);
    }
    bool passes = waits || l->effects[op].op == OP_FENCE_VIEW || l->cfg->membar_cta_interval_cycles < 1;
    return passes ? 1 : lsu_whole_cycles(l, l->cfg->membar_cta_interval_cycles);
}

void lsu_write_answered(struct lsu *l, cycle now, uint32_t warp, bool remote)
{
    struct warp_state *w = &l->warp[warp];
    if (--w->writes)
        return;
    l->has_writes &= ~(UINT64_C(1) << warp);
    if (w->fence == OP_NONE)
        return;
    cycle at = now + (remote ? 0 : l->cfg->membar_after_cycles); /* remote: shared memory of the cluster */
    lsu_complete(l, at > w->fence_least ? at : w->fence_least, COMPLETE_FENCE, w->fence);
    w->fence = OP_NONE;
}

/* ---- groups of asynchronous copies -------------------------------------------------------------- */
void lsu_copy_begins(struct lsu *l, uint32_t op)
{
    struct warp_state *w = &l->warp[l->ops[op].warp];
    l->ops[op].group = w->group_open;
    w->group_copies[w->group_open]++;
}

/* Groups end in the order in which they were closed. */
static void end_groups(struct lsu *l, struct warp_state *w)
{
    while (w->group_done != w->group_open && !w->group_copies[w->group_done] && w->group_op[w->group_done] != OP_NONE) {
        uint32_t op = w->group_op[w->group_done];
        lsu_complete(l, w->group_time, COMPLETE_GROUP, op);
        w->group_op[w->group_done] = OP_NONE;
        w->group_done = (uint8_t)((w->group_done + 1) % GROUPS);
    }
}

void lsu_copy_done(struct lsu *l, cycle at, uint32_t op)
{
    const struct lsu_op *o = &l->ops[op];
    struct warp_state *w = &l->warp[o->warp];
    lsu_land_copy(l, op);
    lsu_complete(l, at, COMPLETE_RESULT, op);
    w->group_copies[o->group]--;
    w->group_time = at > w->group_time ? at : w->group_time;
    end_groups(l, w);
}

/* The group's number is settled at issue: copies issued behind it belong to the next. A dependence counter holds 63, so
 * more groups than that cannot be open. */
void lsu_group_closes(struct lsu *l, cycle now, uint32_t op)
{
    struct warp_state *w = &l->warp[l->ops[op].warp];
    l->ops[op].group = w->group_open;
    uint8_t next = (uint8_t)((w->group_open + 1) % GROUPS);
    if (next == w->group_done) {
        lsu_set_fault(l, now, op, 0, SPACE_SHARED, false, "more than 63 groups of asynchronous copies are open");
        return;
    }
    w->group_open = next;
}

void lsu_group_close(struct lsu *l, cycle now, uint32_t op)
{
    struct warp_state *w = &l->warp[l->ops[op].warp];
    lsu_complete(l, now, COMPLETE_SOURCES, op);
    w->group_op[l->ops[op].group] = op;
    w->group_time = now + 1 > w->group_time ? now + 1 : w->group_time;
    end_groups(l, w);
}

/* ---- cache control ------------------------------------------------------------------------------ */
static void prefetch_line(struct lsu *l, cycle now, uint64_t line, uint8_t sectors, bool to_l1)
{
    uint32_t n = sector_count(sectors);
    if (!to_l1) {
        if (l->writes_out + n > l->cfg->l1_outstanding_writes)
            return; /* a hint: dropped when there is no room */
        lsu_send(l, now, lsu_take_request(l, REQ_PREFETCH, OP_NONE, line, sectors), MSG_PREFETCH, 0);
        return;
    }
    uint32_t m = miss_find(&l->miss, line);
    uint8_t pending = m == MISS_NONE ? 0 : l->miss.miss[m].pending;
    uint8_t new = (uint8_t)(sectors & ~l1_lookup(&l->l1, line) & ~pending);
    n = sector_count(new);
    if (!new || l->reads_out + n > l->cfg->l1_outstanding_sectors ||
        (m == MISS_NONE && (m = miss_add(&l->miss, line)) == MISS_NONE))
        return;
    uint32_t r = lsu_take_request(l, REQ_READ, OP_NONE, line, new);
    l->requests[r].miss = m;
    l->requests[r].fill = true;
    l->miss.miss[m].pending |= new;
    l->miss.miss[m].requests++;
    lsu_send(l, now, r, MSG_READ, 0);
}

void lsu_cache_control(struct lsu *l, cycle now, uint32_t op)
{
    enum { IVALL = 1, PF1 = 2, PF2 = 3, IV = 5, PF15 = 10 }; /* values of CCTL in ops.def */
    const struct effect *e = &l->effects[op];
    uint8_t what = e->inst ? e->inst->mod[MOD_CCTL] : 0;
    struct coalesced *co = &l->stage.co;
    lsu_complete(l, now, COMPLETE_SOURCES, op);
    lsu_complete(l, now + 1, COMPLETE_RESULT, op);
    if (what == IVALL)
        l1_drop_all(&l->l1);
    if (!e->mask || !e->bytes || (what != PF1 && what != PF2 && what != IV && what != PF15))
        return;
    coalesce(co, l->cfg->l1_line_bytes, l->nlane, e->mask, e->addr, 1, false);
    for (uint32_t i = 0; i < co->n; i++) {
        if (!memory_valid(l->mem, co->line[i].line, 1))
            continue; /* a prefetch never faults */
        if (what == IV)
            l1_drop(&l->l1, co->line[i].line, (uint8_t)co->line[i].sectors);
        else
            prefetch_line(l, now, co->line[i].line, (uint8_t)co->line[i].sectors, what == PF1);
    }
}
