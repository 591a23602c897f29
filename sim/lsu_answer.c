/* Answers from L2: lines into L1, sectors to those who wait, old values of atomics, acknowledged stores. */
#include "sim/lsu_parts.h"

static void one_less(struct lsu *l, cycle now, uint32_t op)
{
    struct lsu_op *o = &l->ops[op];
    const struct effect *e = &l->effects[op];
    /* from the answer on, the way is that of an L1 hit from its tag on */
    uint32_t latency = o->uniform ? l->cfg->l1_uniform_latency_cycles : l->cfg->l1_latency_cycles;
    uint32_t extra = e->kind == EFF_ASYNC_COPY ? l->cfg->lsu_copy_cycles : extra_width(l, e->bytes);
    cycle passed = o->pending == 1 ? lsu_pass_late(l, now, op) : now;
    cycle at = passed + lsu_after_stage(l, o, latency) + extra;
    o->result = at > o->result ? at : o->result;
    if (--o->pending)
        return;
    if (e->kind == EFF_ASYNC_COPY)
        lsu_copy_done(l, o->result, op);
    else
        lsu_write_back(l, o->result, op);
}

struct answer {
    struct lsu *l;
    cycle now;
    bool first, in_turn;
};

/* Loads that wait for one line read it from the data array one after another when it has come (measured: micro_l1_miss,
 * lines that all warps of a full SM read, 1.25 cycles a load); those that wait for one sector are all served by it (the
 * same with words: 1.00). */
static void waiter_done(void *arg, uint32_t op)
{
    struct answer *a = arg;
    if (a->in_turn && !a->first) {
        a->now++;
        a->l->stage_free = (a->l->stage_free > a->now ? a->l->stage_free : a->now) + 1;
    }
    a->first = false;
    one_less(a->l, a->now, op);
}

static void read_answered(struct lsu *l, cycle now, const struct request *q)
{
    /* a store that finds its line under way takes a place of its own, so what comes serves those that wait and no more
     * (measured: micro_overtaken, all of 16 lines) */
    if (q->fill && !l->miss.miss[q->miss].overtaken) { /* the data array has one port: a fill takes it for a cycle */
        if (now >= l->stage.beside)
            l->stage_free = (l->stage_free > now ? l->stage_free : now) + 1;
        l1_fill(&l->l1, q->line, q->sectors, q->evict_first ? L1_OLDEST : L1_NEWEST);
    }
    struct answer a = {l, now, true, sector_count(q->sectors) > 1};
    miss_answer(&l->miss, q->miss, q->sectors, waiter_done, &a);
}

static void take_values(struct lsu *l, const struct request *q)
{
    const struct payload *p = &l->payloads[q->payload];
    struct effect *e = &l->effects[q->op];
    uint32_t words = e->bytes > 4 ? e->bytes / 4U : 1;
    enum { CAST_SPIN = 12 }; /* value of AOP in ops.def: whether it swapped follows from the words compared */
    bool compares = e->kind == EFF_ATOMIC && e->inst->mod[MOD_AOP] == CAST_SPIN;
    for (lanemask m = p->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        for (uint32_t k = 0; compares && k < words; k++)
            e->data[words + k][lane] = e->data[k][lane];
        for (uint32_t k = 0; k < words; k++)
            e->data[k][lane] = p->data[k][lane];
    }
}

void lsu_receive(struct lsu *l, const struct message *m)
{
    must(m->tag < l->nrequest);
    struct request q = l->requests[m->tag];
    bool remote = m->kind == MSG_REMOTE_REPLY;
    if (remote && lsu_remote_fails(l, m, q.kind == REQ_REMOTE ? q.op : tma_op(l, m->tag)))
        return;
    l->count->replies_received += !remote;
    if (m->payload == PAYLOAD_SHARED) {
        l->count->coalesced_reads++;
        l->count->coalesced_sectors += sector_count(m->sectors);
    }
    bool values = q.kind == REQ_STRONG_READ || q.kind == REQ_ATOMIC;
    if (values || (q.kind == REQ_REMOTE && (l->effects[q.op].kind == EFF_LOAD || l->effects[q.op].kind == EFF_ATOMIC)))
        take_values(l, &q);
    lsu_free_request(l, m->tag);
    if (q.kind >= REQ_BULK_READ && q.kind <= REQ_BULK_REMOTE)
        tma_answer(l, m->time, m->tag, q.kind == REQ_BULK_READ);
    else if (q.kind == REQ_READ)
        read_answered(l, m->time, &q);
    else if (q.warp < NWARP)
        lsu_write_answered(l, m->time, q.warp, remote);
    if (values || q.kind == REQ_REMOTE)
        one_less(l, m->time, q.op);
    if (l->stage.op != OP_NONE && l->blocked && m->time < l->wake) {
        l->blocked = false;
        l->wake = m->time;
    }
}
