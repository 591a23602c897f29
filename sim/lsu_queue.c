/* The way into the memory pipeline: a queue of each sub-core and its address generation. Five instructions issue back
 * to back, the sixth 11 cycles after the first, then one every 4 (HU25 section 5.4); more of them may wait for the
 * stage with their addresses made, those of one sub-core up to a number of words, those of all up to a number. */
#include <string.h>

#include "sim/lsu_parts.h"

/* ---- issue ------------------------------------------------------------------------------------ */
/* Instructions whose address is not made yet; the others wait for the stage. */
uint32_t lsu_waiting(const struct lsu *l, const struct queue *q, cycle now)
{
    uint32_t n = 0;
    while (n < q->n && l->ops[q->op[(q->head + q->n - 1 - n) % QUEUE_MAX]].ready > now)
        n++;
    return n;
}

/* Places of a queue that an instruction takes: one for each word that its lanes bring. (Measured: micro_queue, 29
 * stores of 32 bits, 9 of 128.) */
static uint32_t queue_rows(const struct effect *e)
{
    bool brings = e->kind == EFF_STORE || e->kind == EFF_ATOMIC || e->kind == EFF_REDUCE;
    return brings && e->bytes > 4 ? e->bytes / 4U : 1;
}

bool lsu_can_issue(const struct lsu *l, uint32_t subcore, const struct inst *in, cycle now)
{
    (void)in;
    const struct config *c = l->cfg;
    const struct queue *q = &l->queue[subcore];
    uint32_t own = q->n - q->passed;
    if (l->free_op == OP_NONE || q->n >= QUEUE_MAX)
        return false;
    return q->n < c->mem_queue || (own < c->mem_queue + c->mem_queue_made && lsu_waiting(l, q, now) < c->mem_queue);
}

bool lsu_head_is_global(const struct lsu *l, uint32_t subcore)
{
    const struct queue *q = &l->queue[subcore];
    return q->n && l->ops[q->op[q->head]].class == CLASS_GLOBAL;
}

static enum op_class class_of(const struct effect *e)
{
    switch (e->kind) {
    case EFF_LOAD:
    case EFF_STORE:
    case EFF_ATOMIC:
    case EFF_REDUCE:
        if (!e->mask)
            return CLASS_SPECIAL; /* no lane takes part: it only passes through */
        return e->space == SPACE_SHARED ? CLASS_SHARED : CLASS_GLOBAL;
    case EFF_ASYNC_COPY:
        return CLASS_GLOBAL;
    case EFF_ASYNC_GROUP:
        return CLASS_GROUP;
    case EFF_BULK_COPY:
        return CLASS_BULK;
    case EFF_MBARRIER:
        return e->op == OP_ARRIVES ? CLASS_GROUP : e->space == SPACE_SHARED ? CLASS_SYNC : CLASS_GLOBAL;
    case EFF_BARRIER:
        return CLASS_BARRIER;
    case EFF_FENCE:
        return CLASS_FENCE;
    case EFF_CACHE:
        return CLASS_CACHE;
    default:
        return e->op == OP_SHFL || e->op == OP_MATCH ? CLASS_SHUFFLE : CLASS_SPECIAL;
    }
}

static bool uniform_address(const struct inst *in)
{
    for (uint32_t i = 0; in && i < NOPERAND; i++)
        if (in->opd[i].kind == OPD_MEM && in->opd[i].flags & OPF_HAS_REG && in->opd[i].reg != RZ)
            return false;
    return true;
}

/* Nearly all accesses: their addresses follow one another, and what is done with them needs the first one only. */
static bool is_plain_run(const struct lsu_op *o, const struct effect *e)
{
    return o->shape == SHAPE_RUN && o->class == CLASS_GLOBAL && e->space == SPACE_GLOBAL &&
           (e->kind == EFF_LOAD || e->kind == EFF_STORE);
}

static bool has_addresses(uint8_t kind)
{
    return kind != EFF_VARIABLE && kind != EFF_BARRIER && kind != EFF_FENCE && kind != EFF_ASYNC_GROUP;
}

/* Only what later steps read: the header, the lanes' addresses, and operand words. Each line that is left out is one
 * that need not come into the host's caches. */
static void copy_effect(struct effect *to, const struct effect *from, const struct lsu_op *o, uint32_t nlane)
{
    to->kind = from->kind;
    to->space = from->space;
    to->bytes = from->bytes;
    to->nword = from->nword;
    to->op = from->op;
    to->inst = from->inst;
    to->mask = from->mask;
    to->value = from->value;
    to->value2 = from->value2;
    if (!from->mask)
        return;
    to->base = from->addr[0];
    if (o->listed && has_addresses(from->kind))
        memcpy(to->addr, from->addr, nlane * sizeof *to->addr);
    if (from->space == SPACE_GENERIC)
        memcpy(to->space_of, from->space_of, nlane);
    /* asynchronous copies: row 0 is the target address, row 1 how many bytes are zeros instead */
    uint32_t rows = from->kind == EFF_LOAD ? 0 : from->kind == EFF_ASYNC_COPY ? 2 : from->nword;
    for (uint32_t k = 0; k < rows && k < 8; k++)
        memcpy(to->data[k], from->data[k], nlane * sizeof to->data[k][0]);
}

static void find_sources(struct effect *e, uint32_t nlane)
{
    e->value = e->mask;
    for (uint32_t i = 0; i < nlane; i++)
        e->value &= ~((uint64_t)(e->data[1][i] >= e->bytes) << i);
}

static enum shape shape_of(const struct effect *e, uint32_t nlane)
{
    if (!e->mask || e->space == SPACE_GENERIC)
        return SHAPE_ANY;
    uint32_t first = (uint32_t)__builtin_ctzll(e->mask);
    if (e->addr[first] == e->addr[63 - __builtin_clzll(e->mask)] && lanes_equal(nlane, e->mask, e->addr))
        return SHAPE_ONE;
    if (e->addr[nlane - 1] == e->addr[0] + (uint64_t)(nlane - 1) * e->bytes &&
        lanes_consecutive(nlane, e->mask, e->addr, e->bytes))
        return SHAPE_RUN;
    return SHAPE_ANY;
}

/* SHFL.IDX and the like with the lane in a register. */
bool lsu_by_register(const struct inst *in)
{
    return in && in->op == OP_SHFL && in->opd[3].kind == OPD_REG;
}

static uint32_t address_interval(const struct config *c, const struct lsu_op *o, const struct inst *in)
{
    switch ((enum op_class)o->class) {
    case CLASS_BARRIER:
    case CLASS_FENCE:
        return 1; /* no address */
    case CLASS_SHUFFLE:
        return c->agu_register_cycles * (lsu_by_register(in) ? 2 : 1);
    case CLASS_SHARED:
        return c->agu_register_cycles;
    default:
        return c->agu_interval_cycles;
    }
}

static uint32_t front_cycles(const struct config *c, const struct lsu_op *o)
{
    if (o->class == CLASS_FENCE)
        return c->lsu_bare_cycles;
    if (o->class != CLASS_GLOBAL)
        return c->lsu_war_shared_cycles;
    return o->uniform ? c->lsu_war_uniform_cycles : c->lsu_war_cycles;
}

uint32_t lsu_store_data(const struct lsu *l, const struct lsu_op *o, uint32_t bytes)
{
    return (o->uniform ? l->cfg->lsu_store_data_uniform_cycles : l->cfg->lsu_store_data_cycles) + extra_width(l, bytes);
}

/* The next of this queue goes on to those that wait for the stage. Accesses of shared memory have then read their
 * registers, however long they wait. (Measured: micro_queue, registers stored with 32-way conflicts are overwritten
 * every 10.5 cycles until 20 stores wait.) */
static void goes_on(struct lsu *l, cycle now, struct queue *q)
{
    uint32_t op = q->op[(q->head + q->passed++) % QUEUE_MAX];
    struct lsu_op *o = &l->ops[op];
    const struct effect *e = &l->effects[op];
    l->fifo += o->rows;
    if (o->class != CLASS_SHARED)
        return;
    uint32_t data = e->kind == EFF_LOAD || e->kind == EFF_STORE ? 0 : l->cfg->lsu_store_data_cycles;
    lsu_complete(l, (o->ready > now ? o->ready : now) + data, COMPLETE_SOURCES, op);
}

/* Of the sub-cores' queues the one whose next instruction is the oldest, if any waits there. */
static struct queue *next_to_go_on(struct lsu *l)
{
    struct queue *best = NULL;
    cycle oldest = NEVER;
    for (uint32_t s = 0; s < l->cfg->subcores; s++) {
        struct queue *q = &l->queue[s];
        if (q->passed == q->n || l->ops[q->op[(q->head + q->passed) % QUEUE_MAX]].issue >= oldest)
            continue;
        best = q;
        oldest = l->ops[q->op[(q->head + q->passed) % QUEUE_MAX]].issue;
    }
    return best;
}

void lsu_queue_leaves(struct lsu *l, cycle now, struct queue *q)
{
    if (!q->passed)
        goes_on(l, now, q); /* there is no place to wait but the queue itself */
    l->fifo -= l->ops[q->op[q->head]].rows;
    q->passed--;
    q->head = (q->head + 1) % QUEUE_MAX;
    q->n--;
    for (struct queue *next; l->fifo < l->cfg->stage_queue && (next = next_to_go_on(l));)
        goes_on(l, now, next);
}

void lsu_list_addresses(struct lsu *l, uint32_t op)
{
    struct effect *e = &l->effects[op];
    for (uint32_t i = 0; !l->ops[op].listed && i < l->nlane; i++)
        e->addr[i] = e->base + (uint64_t)i * e->bytes;
    l->ops[op].listed = true;
}

void lsu_issue(struct lsu *l, cycle now, uint32_t subcore, uint32_t warp, uint32_t pc, const struct effect *e,
               uint8_t *shared, uint32_t shared_bytes, uint8_t *local, uint32_t local_bytes)
{
    struct queue *q = &l->queue[subcore];
    uint32_t op = l->free_op;
    must(op != OP_NONE && q->n < QUEUE_MAX);
    struct lsu_op *o = &l->ops[op];
    l->free_op = o->next;
    if (l->free_op == OP_NONE && l->fresh_op < l->nop) {
        l->free_op = l->fresh_op++;
        l->ops[l->free_op].next = OP_NONE;
    }
    l->ops_used++;
    memset(o, 0, sizeof *o);
    o->class = class_of(e);
    o->uniform = uniform_address(e->inst);
    o->shape = (uint8_t)(o->class == CLASS_GLOBAL || o->class == CLASS_SHARED ? shape_of(e, l->nlane) : SHAPE_ANY);
    o->listed = !is_plain_run(o, e);
    copy_effect(&l->effects[op], e, o, l->nlane);
    if (e->kind == EFF_ASYNC_COPY)
        find_sources(&l->effects[op], l->nlane);
    o->issue = now;
    o->ready = now + front_cycles(l->cfg, o);
    o->front = (uint16_t)(o->ready - now);
    uint32_t apart = address_interval(l->cfg, o, e->inst);
    if (o->ready < q->agu_last + apart)
        o->ready = q->agu_last + apart;
    q->agu_last = o->ready;
    if (o->class == CLASS_SHARED && e->kind == EFF_STORE)
        o->ready += lsu_store_data(l, o, e->bytes);
    o->pc = pc;
    o->subcore = (uint8_t)subcore;
    o->warp = (uint8_t)warp;
    if (e->kind == EFF_ASYNC_COPY)
        lsu_copy_begins(l, op);
    if (o->class == CLASS_GROUP && e->op != OP_UTMACMDFLUSH)
        lsu_group_closes(l, now, op);
    struct warp_state *w = &l->warp[warp];
    w->shared = shared;
    w->shared_bytes = shared_bytes;
    w->local = local;
    w->local_bytes = local_bytes;
    w->ops++;
    l->has_ops |= UINT64_C(1) << warp;
    q->op[(q->head + q->n++) % QUEUE_MAX] = op;
    o->rows = (uint8_t)queue_rows(e);
    if (q->passed + 1 == q->n && l->fifo < l->cfg->stage_queue)
        goes_on(l, now, q);
    if (o->ready < l->wake)
        l->wake = o->ready;
}
