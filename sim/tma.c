/* The copy engine at work: commands in, pieces out at its rate, answers, groups of stores. */
#include "sim/tma.h"

#include <stdlib.h>
#include <string.h>

#include "sim/mempart.h"

enum { AHEAD = 4 }; /* pieces are cut for so many cycles at a time, and leave in their own */

/* Made for the first command: most kernels have none. */
static struct tma *tma_of(struct lsu *l)
{
    if (l->tma)
        return l->tma;
    struct tma *t = l->tma = xcalloc(1, sizeof *t);
    t->piece = xcalloc(l->nrequest, sizeof *t->piece);
    for (uint32_t i = 0; i < TMA_JOBS; i++)
        t->job[i].next = i + 1 < TMA_JOBS ? i + 1 : OP_NONE;
    t->next = NEVER;
    return t;
}

void tma_finish(struct lsu *l)
{
    if (!l->tma)
        return;
    free(l->tma->piece);
    free(l->tma);
}

void tma_launch(struct lsu *l)
{
    if (l->tma)
        memset(l->tma->map_seen, 0, sizeof l->tma->map_seen);
}

bool tma_has_room(const struct lsu *l)
{
    return !l->tma || l->tma->free != OP_NONE;
}

cycle tma_next(const struct lsu *l)
{
    return l->tma ? l->tma->next : NEVER;
}

/* ---- commands ----------------------------------------------------------------------------------- */
static void wake_at(struct lsu *l, cycle at)
{
    l->tma->next = at;
    if (at < l->wake)
        l->wake = at;
}

static void command_done(struct lsu *l, cycle now, uint32_t op)
{
    lsu_complete(l, now + 1, COMPLETE_RESULT, op);
}

/* UTMACCTL: the engine fetches a descriptor, or forgets it. */
static void map_control(struct lsu *l, cycle now, uint32_t op)
{
    const struct effect *e = &l->effects[op];
    uint64_t addr = (uint64_t)e->data[0][1] << 32 | e->data[0][0];
    bool forget = !strcmp(mod_value_name(MOD_CCTL, e->inst->mod[MOD_CCTL]), "IV");
    struct tma *t = l->tma;
    uint32_t i = 0;
    while (i < TMA_MAPS && t->map_seen[i] != addr)
        i++;
    if (forget && i < TMA_MAPS)
        t->map_seen[i] = 0;
    if (!forget && i == TMA_MAPS) {
        t->map_seen[t->map_turn] = addr;
        t->map_turn = (t->map_turn + 1) % TMA_MAPS;
    }
    command_done(l, now, op);
}

void tma_command(struct lsu *l, cycle now, uint32_t op)
{
    struct tma *t = tma_of(l);
    uint32_t k = t->free;
    struct tma_job *j = &t->job[k];
    uint32_t next = j->next;
    lsu_complete(l, now, COMPLETE_SOURCES, op);
    if (l->effects[op].op == OP_UTMACCTL) {
        map_control(l, now, op);
        return;
    }
    const char *why = tma_decode(l, now, op, j);
    if (why) {
        j->next = next;
        lsu_set_fault(l, now, op, 0, SPACE_SHARED, false, why);
        return;
    }
    t->free = next;
    l->ops[op].group = (uint8_t)k;
    if (j->kind == TMA_STORE || j->kind == TMA_REDUCE)
        t->warp[j->warp].stores++;
    t->ring[(t->head + t->n++) % TMA_JOBS] = k;
    if (t->n == 1)
        wake_at(l, j->start);
}

/* ---- groups of stores ----------------------------------------------------------------------------- */
/* A group is done when its stores have been taken out of shared memory: on the H200 waiting for all of a group takes no
 * longer than waiting for its reads. */
static void end_groups(struct lsu *l, struct tma_warp *w, cycle at)
{
    while (w->n && w->group[w->head].stores <= w->cut) {
        lsu_complete(l, at, COMPLETE_SOURCES, w->group[w->head].op);
        lsu_complete(l, at, COMPLETE_RESULT, w->group[w->head].op);
        w->head = (w->head + 1) % TMA_FLUSHES;
        w->n--;
    }
}

void tma_group(struct lsu *l, cycle now, uint32_t op)
{
    struct tma_warp *w = &tma_of(l)->warp[l->ops[op].warp];
    if (w->n == TMA_FLUSHES) {
        lsu_set_fault(l, now, op, 0, SPACE_SHARED, false, "more than 64 groups of bulk stores are open");
        return;
    }
    w->group[(w->head + w->n++) % TMA_FLUSHES] = (struct tma_group){op, w->stores};
    end_groups(l, w, now + 1);
}

/* ---- the end of a command -------------------------------------------------------------------------- */
static void maybe_done(struct lsu *l, cycle now, uint32_t k)
{
    struct tma_job *j = &l->tma->job[k];
    if (j->all_cut && !j->out)
        lsu_complete(l, now + (j->kind == TMA_LOAD ? l->cfg->tma_land_cycles : 1), COMPLETE_RESULT, j->op);
}

void lsu_bulk_done(struct lsu *l, cycle now, uint32_t op)
{
    struct tma *t = l->tma;
    const struct effect *e = &l->effects[op];
    const char *why = NULL;
    if (e->kind != EFF_BULK_COPY || e->op == OP_UTMACCTL)
        return;
    uint32_t k = l->ops[op].group;
    struct tma_job *j = &t->job[k];
    if (j->kind == TMA_LOAD &&
        !lsu_mbarrier_step(l, now, j->shared + j->mbarrier, (struct mbarrier_step){.tx = -(int32_t)j->bytes}, &why))
        lsu_set_fault(l, now, op, 0, SPACE_SHARED, false, why);
    j->next = t->free;
    t->free = k;
}

/* ---- pieces out -------------------------------------------------------------------------------------- */
static uint64_t cost_of(const struct lsu *l, const struct tma_job *j, const struct tma_piece *p)
{
    bool long_row = j->kind == TMA_LOAD && j->n[0] * (uint32_t)j->map.stride[0] > l->cfg->l1_line_bytes;
    double cycles = long_row ? l->cfg->tma_long_row_cycles : l->cfg->tma_piece_cycles;
    double bytes = (double)p->n * (double)j->map.stride[0] / l->cfg->tma_store_bytes;
    if ((j->kind == TMA_STORE || j->kind == TMA_REDUCE) && bytes > cycles)
        cycles = bytes;
    return (uint64_t)(cycles * (1 << TMA_FRACTION) + 0.5);
}

/* The most that a piece can need; what the memory pipeline uses is counted together with it. */
static bool credit(const struct lsu *l, const struct tma_job *j)
{
    if (j->kind == TMA_LOAD)
        return l->reads_out + LINE_SECTORS <= l->cfg->l1_outstanding_sectors;
    if (j->kind == TMA_COPY)
        return lsu_remote_room(l);
    return l->writes_out + LINE_SECTORS <= l->cfg->l1_outstanding_writes &&
           (j->kind == TMA_PREFETCH || lsu_has_payload(l));
}

static void put_store(struct lsu *l, cycle now, const struct tma_job *j, const struct tma_piece *p, uint32_t r,
                      const uint32_t byte_mask[LINE_SECTORS])
{
    uint8_t run[128];
    uint32_t element = (uint32_t)j->map.stride[0];
    bool whole = true;
    tma_from_shared(l, j, p, run);
    if (p->gap == element)
        memory_store(l->mem, l->log, now, p->addr, run, p->n * element);
    else
        for (uint32_t i = 0; i < p->n; i++)
            memory_store(l->mem, l->log, now, p->addr + (uint64_t)i * p->gap, run + i * element, element);
    for (uint32_t s = 0; s < LINE_SECTORS; s++)
        whole &= byte_mask[s] == 0 || byte_mask[s] == UINT32_MAX;
    if (whole)
        return;
    l->requests[r].payload = lsu_take_mask(l, byte_mask, 0);
}

/* A line is combined at L2 like the atomics of a warp. Halves go in pairs; the partner of a lone one is the number that
 * changes nothing. */
static uint32_t identity_half(const struct tma_job *j)
{
    enum { MIN = 1, MAX = 2 };
    bool bf16 = !strcmp(mod_value_name(MOD_ATYPE, j->reduction.mod[MOD_ATYPE]), "BF16x2.RN");
    uint32_t infinity = bf16 ? 0x7f80 : 0x7c00, aop = j->reduction.mod[MOD_AOP];
    return aop == MIN ? infinity : aop == MAX ? infinity | 0x8000 : 0x8000;
}

static void put_reduction(struct lsu *l, const struct tma_job *j, const struct tma_piece *p, uint32_t r)
{
    uint8_t run[128];
    uint32_t element = (uint32_t)j->map.stride[0], i = l->requests[r].payload = lsu_take_payload(l), lane = 0;
    struct payload *pay = &l->payloads[i];
    tma_from_shared(l, j, p, run);
    pay->inst = &j->reduction;
    pay->bytes = (uint8_t)(element == 2 ? 4 : element);
    pay->mask = 0;
    for (uint32_t n = 0; n < p->n; lane++) {
        uint64_t addr = p->addr + (uint64_t)n * p->gap;
        pay->addr[lane] = addr & ~(uint64_t)(pay->bytes - 1u);
        pay->data[0][lane] = element == 2 ? identity_half(j) * 0x10001u : 0;
        pay->data[1][lane] = 0;
        pay->mask |= UINT64_C(1) << lane;
        do { /* both halves of a word */
            uint64_t word = (uint64_t)pay->data[1][lane] << 32 | pay->data[0][lane];
            memcpy((uint8_t *)&word + (addr & (pay->bytes - 1u)), run + n * element, element);
            pay->data[0][lane] = (uint32_t)word;
            pay->data[1][lane] = (uint32_t)(word >> 32);
            addr = p->addr + (uint64_t)++n * p->gap;
        } while (n < p->n && (addr & ~(uint64_t)(pay->bytes - 1u)) == pay->addr[lane]);
    }
}

/* To another block: words, or what is combined there; each lane's bytes count at the mbarrier. */
static void put_copy(struct lsu *l, cycle at, const struct tma_job *j, const struct tma_piece *p, uint32_t r)
{
    uint32_t bytes = p->n * (uint32_t)j->map.stride[0];
    if (j->reduction.op == OP_RED) {
        put_reduction(l, j, p, r);
    } else {
        uint8_t run[128];
        uint32_t i = l->requests[r].payload = lsu_take_payload(l);
        struct payload *pay = &l->payloads[i];
        tma_from_shared(l, j, p, run);
        pay->inst = NULL;
        pay->bytes = 4;
        pay->mask = 0;
        for (uint32_t lane = 0; lane < bytes / 4; lane++) {
            pay->mask |= UINT64_C(1) << lane;
            pay->addr[lane] = p->addr + 4 * lane;
            memcpy(&pay->data[0][lane], run + 4 * lane, 4);
        }
    }
    for (uint32_t lane = 0; lane < NLANE; lane++)
        l->payloads[l->requests[r].payload].mbarrier[lane] = j->far_mbarrier;
    lsu_send_remote(l, at, r, j->warp, j->rank, bytes);
}

static const struct {
    enum request_kind request;
    enum msg_kind message;
} forms[] = {[TMA_LOAD] = {REQ_BULK_READ, MSG_READ},
             [TMA_STORE] = {REQ_BULK_WRITE, MSG_WRITE},
             [TMA_REDUCE] = {REQ_BULK_REDUCE, MSG_REDUCE},
             [TMA_PREFETCH] = {REQ_BULK_PREFETCH, MSG_PREFETCH},
             [TMA_COPY] = {REQ_BULK_REMOTE, MSG_REMOTE_SHARED}};

static bool send_piece(struct lsu *l, cycle now, cycle at, uint32_t k, struct tma_piece *p)
{
    struct tma_job *j = &l->tma->job[k];
    uint32_t byte_mask[LINE_SECTORS] = {0}, line = l->cfg->l1_line_bytes;
    uint32_t last = (p->n - 1) * p->gap + (uint32_t)j->map.stride[0];
    if (j->kind != TMA_COPY && !memory_valid(l->mem, p->addr, last)) {
        if (j->kind == TMA_PREFETCH)
            return true;
        l->effects[j->op].addr[0] = p->addr;
        l->effects[j->op].bytes = (uint8_t)last;
        lsu_set_fault(l, now, j->op, 0, SPACE_GLOBAL, false, NULL);
        return false;
    }
    uint8_t sectors = j->kind == TMA_COPY ? 0 : tma_sectors(j, p, byte_mask);
    uint32_t r = lsu_take_request(l, forms[j->kind].request, OP_NONE, p->addr / line * line, sectors);
    p->job = k;
    l->tma->piece[r] = *p;
    j->out++;
    if (j->kind == TMA_COPY) {
        put_copy(l, at, j, p, r);
        return true;
    }
    if (j->kind == TMA_STORE)
        put_store(l, now, j, p, r, byte_mask);
    else if (j->kind == TMA_REDUCE)
        put_reduction(l, j, p, r);
    bool data = j->kind == TMA_STORE || j->kind == TMA_REDUCE;
    lsu_send(l, at, r, forms[j->kind].message, data ? sector_count(sectors) : 0);
    return true;
}

static void all_cut(struct lsu *l, cycle at, uint32_t k)
{
    struct tma *t = l->tma;
    struct tma_job *j = &t->job[k];
    t->head = (t->head + 1) % TMA_JOBS;
    t->n--;
    if (j->kind == TMA_STORE || j->kind == TMA_REDUCE) {
        t->warp[j->warp].cut++;
        cycle done = at + l->cfg->tma_store_done_cycles, least = j->start + l->cfg->tma_store_least_cycles;
        end_groups(l, &t->warp[j->warp], done > least ? done : least);
    }
    maybe_done(l, at, k);
}

/* When the next piece can leave. */
static cycle next_piece(const struct lsu *l)
{
    const struct tma *t = l->tma;
    const struct tma_job *j = &t->job[t->ring[t->head]];
    cycle port = (t->port + (1 << TMA_FRACTION) - 1) >> TMA_FRACTION;
    return port > j->start ? port : j->start;
}

void tma_step(struct lsu *l, cycle now)
{
    struct tma *t = l->tma;
    while (t->n && !l->fault.set) {
        uint32_t k = t->ring[t->head];
        struct tma_job *j = &t->job[k];
        cycle at = next_piece(l);
        at = at > now ? at : now;
        if (at >= now + AHEAD) {
            t->next = at;
            return;
        }
        if (!credit(l, j)) {
            t->next = NEVER; /* until an answer */
            return;
        }
        struct tma_piece p;
        bool any = tma_cut(l, j, &p);
        if (any && p.n && !send_piece(l, now, at, k, &p))
            return;
        /* one that left as soon as the port let it goes on from the port's own time: rounding up adds to no rate */
        uint64_t from = at << TMA_FRACTION;
        bool idle = from >= t->port + (1 << TMA_FRACTION);
        t->port = (idle ? from : t->port) + (any ? cost_of(l, j, &p) : 0);
        if (j->all_cut)
            all_cut(l, at, k);
    }
    t->next = NEVER;
}

uint32_t tma_op(const struct lsu *l, uint32_t request)
{
    return l->tma->job[l->tma->piece[request].job].op;
}

/* ---- answers ------------------------------------------------------------------------------------------- */
/* TF32 is rounded as it lands, to the nearest (cvt.rna), denormals too, and every NaN becomes one; the -FTZ types load
 * denormals as they are (read off an H200; ties of the rounding were not among what it was asked). */
static void convert(const struct tma_job *j, uint8_t *run, uint32_t n)
{
    if (j->map.type != TMAP_TF32 && j->map.type != TMAP_TF32_FTZ)
        return;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x, size;
        memcpy(&x, run + 4 * i, 4);
        size = x & 0x7fffffffu;
        if (size > 0x7f800000u)
            x = 0x7fffe000u;
        else if (size < 0x7f800000u)
            x = (x + 0x1000u) & ~0x1fffu;
        memcpy(run + 4 * i, &x, 4);
    }
}

static void land(struct lsu *l, cycle now, const struct tma_job *j, const struct tma_piece *p)
{
    uint8_t line[128 + 8], run[128];
    uint32_t element = (uint32_t)j->map.stride[0];
    memory_load(l->mem, l->log, p->addr, line, (p->n - 1) * p->gap + element);
    for (uint32_t i = 0; i < p->n; i++)
        if (p->gap != element)
            memcpy(run + i * element, line + i * p->gap, element);
    if (p->gap == element)
        memcpy(run, line, p->n * element);
    convert(j, run, p->n);
    tma_to_shared(l, j, p, run);
    l->stage_free = (l->stage_free > now ? l->stage_free : now) + 1; /* the data array has one port */
}

void tma_answer(struct lsu *l, cycle now, uint32_t request, bool read)
{
    struct tma *t = l->tma;
    const struct tma_piece *p = &t->piece[request];
    struct tma_job *j = &t->job[p->job];
    if (read)
        land(l, now, j, p);
    j->out--;
    maybe_done(l, now, p->job);
    if (t->n && t->next == NEVER)
        wake_at(l, now);
}
