/* Global and local accesses at the L1. An instruction is cut into 128-byte lines; a few tags are looked up in a cycle.
 * What misses, is stored, or must act at L2 leaves as messages; a line that finds no free entry, credit or payload
 * holds the stage, and with it everything behind, until an answer comes. */
#include <string.h>

#include "sim/lsu_parts.h"
#include "sim/mempart.h"

/* Local memory lies interleaved: word w of all lanes is one run of 4 * nlane bytes, so that a warp's access to one
 * variable is as dense as an access to an array (CUDA Programming Guide, local memory). Each warp slot of each SM has
 * its own frame above all allocations, one behind the other; a lane's part of it is at least launch.stack_bytes. */
#define LOCAL_SPACE (UINT64_C(1) << 52)

static void local_lines(struct lsu *l, uint32_t op, lanemask lanes)
{
    const struct effect *e = &l->effects[op];
    struct coalesced *co = &l->stage.co;
    uint32_t used = lsu_warp_of(l, op)->local_bytes, own = used > l->cfg->stack_bytes ? used : l->cfg->stack_bytes;
    uint64_t words_in_all = (uint64_t)(own + 3) / 4 * l->nlane,
             frame = LOCAL_SPACE + (l->smid * (uint64_t)NWARP + l->ops[op].warp) * words_in_all * 4;
    uint32_t words = e->bytes > 4 ? e->bytes / 4U : 1, part = e->bytes < 4 ? e->bytes : 4;
    for (lanemask m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        for (uint32_t k = 0; k < words; k++) {
            uint64_t at = e->addr[lane] + 4 * k;
            coalesce_add(co, l->cfg->l1_line_bytes, lane, frame + (at / 4 * l->nlane + lane) * 4 + at % 4, part);
        }
    }
    coalesce_end(co);
}

static void find_lines(struct lsu *l, uint32_t op, bool stores)
{
    const struct effect *e = &l->effects[op];
    struct coalesced *co = &l->stage.co;
    bool holes =
        e->kind == EFF_ASYNC_COPY && e->value && e->value != e->mask; /* lanes that become zeros read nothing */
    if (e->space == SPACE_GLOBAL && l->ops[op].shape == SHAPE_RUN && !holes) {
        coalesce_run(co, l->cfg->l1_line_bytes, l->nlane, e->base, e->bytes, stores);
        return;
    }
    if (e->space == SPACE_GLOBAL) {
        coalesce(co, l->cfg->l1_line_bytes, l->nlane, holes ? e->value : e->mask, e->addr, e->bytes, stores);
        return;
    }
    coalesce_begin(co);
    for (lanemask m = lsu_lanes_in(e, SPACE_GLOBAL); m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        coalesce_add(co, l->cfg->l1_line_bytes, lane, e->addr[lane], e->bytes);
    }
    local_lines(l, op, lsu_lanes_in(e, SPACE_LOCAL));
}

static bool is_strong(const struct effect *e)
{
    return e->inst && (e->kind == EFF_LOAD || e->kind == EFF_STORE) && lsu_strong(e->inst);
}

static bool any_hot(const struct lsu *l, const struct coalesced *co)
{
    for (uint32_t i = 0; l->hot_used && i < co->n; i++) {
        uint32_t b = (uint32_t)(co->line[i].line / l->cfg->l1_line_bytes) & (l->nhot_bucket - 1);
        for (uint32_t r = l->hot[b]; r != OP_NONE; r = l->requests[r].next)
            if (l->requests[r].line == co->line[i].line && l->requests[r].sectors & co->line[i].sectors)
                return true;
    }
    return false;
}

/* Cycles that so many bytes take the data stage of shared memory. */
static uint64_t shared_lines(const struct lsu *l, uint64_t bytes)
{
    uint64_t wide = (uint64_t)l->cfg->smem_banks * l->cfg->smem_bank_bytes;
    return (bytes + wide - 1) / wide;
}

/* What an asynchronous copy writes, as the profiler counts it (gemm_int8, gemm_mma, gemm_mma256): a wavefront for each
 * line that it comes from, twice as many with zero-fill. */
static void count_written(struct lsu *l, uint32_t op, uint64_t bytes)
{
    const struct effect *e = &l->effects[op];
    uint64_t ideal = shared_lines(l, bytes), lines = e->value ? l->stage.co.n : 0;
    uint32_t times = e->inst && e->inst->mod[MOD_ZFILL] ? 2 : 1;
    l->count->shared_wavefronts += times * (lines > ideal ? lines : ideal);
    l->count->shared_wavefronts_ideal += times * ideal;
}

static void count_access(struct lsu *l, uint32_t op)
{
    const struct effect *e = &l->effects[op];
    const struct coalesced *co = &l->stage.co;
    struct sm_counters *c = l->count;
    struct pc_counters *pcs = lsu_warp_of(l, op)->pcs;
    uint64_t bytes = (uint64_t)__builtin_popcountll(e->mask) * e->bytes;
    if (e->space == SPACE_CLUSTER || e->kind == EFF_MBARRIER)
        return;
    bool local = e->space == SPACE_LOCAL;
    if (pcs) {
        pcs[l->ops[op].pc].sectors += co->sectors;
        pcs[l->ops[op].pc].sectors_ideal += sectors_ideal(e->mask, e->bytes);
    }
    switch (e->kind) {
    case EFF_ATOMIC:
        c->atom_requests++;
        c->atom_sectors += co->sectors;
        break;
    case EFF_REDUCE:
        c->red_requests++;
        c->red_sectors += co->sectors;
        break;
    case EFF_ASYNC_COPY:
        c->copy_requests += e->value != 0; /* all zeros: nothing is read */
        c->copy_sectors += e->value ? co->sectors : 0;
        count_written(l, op, bytes);
        break;
    case EFF_LOAD:
        *(local ? &c->local_ld_sectors : &c->global_ld_sectors) += co->sectors;
        if (!local) {
            c->global_ld_requests++;
            c->global_ld_lines += co->n;
            c->global_ld_bytes += bytes;
        }
        break;
    default:
        *(local ? &c->local_st_sectors : &c->global_st_sectors) += co->sectors;
        if (!local) {
            c->global_st_requests++;
            c->global_st_lines += co->n;
            c->global_st_bytes += bytes;
        }
    }
}

static void count_hits(struct lsu *l, const struct effect *e, uint32_t sectors)
{
    struct sm_counters *c = l->count;
    uint32_t n = sector_count(sectors);
    if (e->kind == EFF_ASYNC_COPY)
        c->copy_sectors_hit += n;
    else
        *(e->space == SPACE_LOCAL ? &c->local_ld_sectors_hit : &c->global_ld_sectors_hit) += n;
}

/* What an operator leaves in L1 and what finds it there: micro_policy. */
static void policy_of(struct lsu_op *o, const struct effect *e)
{
    enum { EF = 1, LU = 3, NA = 5, WEAK_BYPASS = 1 }; /* values of EVICT and BYPASS in ops.def */
    uint8_t evict = e->inst ? e->inst->mod[MOD_EVICT] : 0;
    bool bypass = e->inst && e->inst->mod[MOD_BYPASS] == WEAK_BYPASS;
    o->looks = !bypass;
    o->fill = !bypass && evict != NA && evict != LU;
    o->evict_first = evict == EF;
}

/* L1's data lie in the banks of shared memory, one array: lanes that read different words of one bank follow each
 * other, in phases as there; but phases never merge, and local memory, interleaved, meets no conflicts. */
static uint32_t load_wavefronts(struct lsu *l, uint32_t op, lanemask lanes)
{
    const struct config *c = l->cfg;
    const struct effect *e = &l->effects[op];
    struct lsu_op *o = &l->ops[op];
    struct banks b = {c->smem_banks, c->smem_bank_bytes, l->nlane, false};
    bool plain = o->shape != SHAPE_ANY || e->space == SPACE_LOCAL;
    struct wavefronts w =
        plain ? shared_wavefronts_run(&b, lanes, e->bytes) : shared_wavefronts(&b, lanes, e->addr, e->bytes);
    o->wavefronts = (uint16_t)(o->wavefronts + w.total);
    o->conflicts = (uint16_t)(w.total - w.ideal);
    return w.total;
}

/* Cycles that an atomic takes to leave. */
static uint32_t atomic_cycles(const struct lsu *l, const struct effect *e)
{
    uint32_t cycles = 0;
    for (uint32_t i = 0; i < l->stage.co.n; i++)
        cycles += lsu_atomic_parts(l, e, &l->stage.co.line[i]);
    return cycles > l->cfg->l1_store_line_cycles ? cycles : l->cfg->l1_store_line_cycles;
}

/* Cycles that the access takes the data stage. */
static uint32_t data_cycles(struct lsu *l, uint32_t op, lanemask shared)
{
    const struct effect *e = &l->effects[op];
    const struct config *c = l->cfg;
    struct stage *st = &l->stage;
    if (e->kind == EFF_LOAD)
        return load_wavefronts(l, op, e->mask & ~shared & ~st->remote);
    uint32_t data = (st->co.sectors * SECTOR_BYTES + c->l1_bytes_per_cycle - 1) / c->l1_bytes_per_cycle;
    if (e->kind == EFF_ASYNC_COPY)
        return data;
    if (e->kind == EFF_REDUCE || e->kind == EFF_ATOMIC) {
        data = atomic_cycles(l, e);
        st->line_cycles = st->co.n ? data / st->co.n : 1;
    } else if (data < st->co.n * st->line_cycles) {
        data = st->co.n * st->line_cycles;
    }
    return data;
}

bool lsu_global_begin(struct lsu *l, cycle now, uint32_t op)
{
    struct lsu_op *o = &l->ops[op];
    struct effect *e = &l->effects[op];
    struct stage *st = &l->stage;
    bool writes = e->kind == EFF_STORE || e->kind == EFF_REDUCE || e->kind == EFF_ATOMIC;
    if (!lsu_check(l, now, op))
        return false;
    lanemask shared = lsu_lanes_in(e, SPACE_SHARED);
    uint32_t shared_cycles = 0;
    if (e->kind == EFF_MBARRIER && !lsu_sync_local(l, now, op, shared))
        return false;
    if (e->space == SPACE_GENERIC && shared && e->kind != EFF_MBARRIER)
        shared_cycles = lsu_shared_pass(l, now, op, shared);
    st->remote = lsu_lanes_in(e, SPACE_CLUSTER);
    o->remote = st->remote != 0;
    find_lines(l, op, writes);
    policy_of(o, e);
    o->strong = is_strong(e) || (e->kind != EFF_ASYNC_COPY && any_hot(l, &st->co));
    count_access(l, op);
    if (l->record)
        lsu_note_access(l, now, op, e->space, st->co.sectors);
    if (e->kind == EFF_LOAD || e->kind == EFF_ASYNC_COPY)
        lsu_load_values(l, op);
    else if (e->kind == EFF_STORE)
        lsu_store_values(l, now, op);
    if (!writes)
        lsu_complete(l, now, COMPLETE_SOURCES, op);
    /* sectors that are written as a whole need no byte masks and leave a line a cycle */
    bool whole =
        e->kind == EFF_STORE && (uint32_t)__builtin_popcountll(e->mask) * e->bytes == st->co.sectors * SECTOR_BYTES;
    st->line_cycles = whole ? 1 : l->cfg->l1_store_line_cycles;
    st->data_cycles = data_cycles(l, op, shared) + shared_cycles;
    st->cursor = 0;
    o->pending = 1;
    return true;
}

/* ---- one line --------------------------------------------------------------------------------- */
static bool load_line(struct lsu *l, cycle now, uint32_t op, const struct line_access *a)
{
    struct lsu_op *o = &l->ops[op];
    uint8_t asked = 0, hit = o->looks ? (uint8_t)(l1_lookup(&l->l1, a->line) & a->sectors) : 0;
    uint8_t missing = (uint8_t)(a->sectors & ~hit);
    if (missing) {
        uint32_t m = miss_find(&l->miss, a->line);
        uint8_t new = m == MISS_NONE ? missing : (uint8_t)(missing & ~l->miss.miss[m].pending);
        if (l->reads_out + sector_count(new) > l->cfg->l1_outstanding_sectors || l->miss.free_waiter == MISS_NONE ||
            (m == MISS_NONE && (m = miss_add(&l->miss, a->line)) == MISS_NONE))
            return false;
        miss_wait(&l->miss, m, op, missing);
        o->pending++;
        if (new) {
            uint32_t r = lsu_take_request(l, REQ_READ, op, a->line, new);
            l->requests[r].miss = m;
            l->requests[r].fill = o->fill;
            l->requests[r].evict_first = o->evict_first;
            l->miss.miss[m].pending |= new;
            l->miss.miss[m].requests++;
            lsu_send(l, now, r, MSG_READ, 0);
        }
        asked = new;
    }
    count_hits(l, &l->effects[op],
               a->sectors & ~(uint32_t)asked); /* what is under way counts as there, as in the profiler */
    return true;
}

static uint32_t take_payload(struct lsu *l, uint32_t op, lanemask lanes)
{
    const struct effect *e = &l->effects[op];
    lsu_list_addresses(l, op);
    uint32_t i = lsu_take_payload(l);
    struct payload *p = &l->payloads[i];
    p->mask = lanes;
    p->inst = e->inst;
    p->bytes = e->bytes;
    uint32_t words = e->kind == EFF_LOAD ? 0 : e->nword;
    for (lanemask m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        p->addr[lane] = e->addr[lane];
        for (uint32_t k = 0; k < words; k++)
            p->data[k][lane] = e->data[k][lane];
    }
    return i;
}

/* Which of a line's sectors go with earlier stores of this SM, whichever warps they came from. A store that comes while
 * another still brings its sectors of the line takes the line's place anew, without those (measured: micro_again).
 */
static uint8_t joins(struct lsu *l, cycle now, const struct line_access *a)
{
    const struct stage *st = &l->stage;
    const struct coalesced *co = &st->co;
    if (!l->cfg->l1_gather_lines)
        return 0;
    uint32_t last = sector_count(co->line[co->n - 1].sectors);
    cycle end = st->accepted + (co->sectors > last ? co->sectors - last : 0);
    uint8_t lost,
        joined = gather_store(&l->gather, l->cfg, now, end > now ? end : now, a->line, (uint8_t)a->sectors, &lost);
    if (lost)
        l1_drop(&l->l1, a->line, lost);
    l->count->l1_write_sent -= sector_count(joined);
    return joined;
}

static uint8_t whole_sectors(const struct line_access *a)
{
    uint8_t whole = 0;
    for (uint32_t s = 0; s < LINE_SECTORS; s++)
        if (a->sectors >> s & 1 && a->byte_mask[s] == UINT32_MAX)
            whole |= (uint8_t)(1u << s);
    return whole;
}

/* Sectors that are written whole stay in L1, by volatile stores too (measured: a softmax that reads its output back
 * hits; micro_overtaken); of others only what is present stays, and is renewed. Of local memory all stays: nobody else
 * writes it. What is under way of the line will not stay (micro_overtaken). Returns the sectors that stay. */
static uint8_t keep_stored(struct lsu *l, uint32_t op, const struct line_access *a)
{
    uint8_t whole = whole_sectors(a), stays = a->line >= LOCAL_SPACE ? (uint8_t)a->sectors : whole;
    uint32_t m = miss_find(&l->miss, a->line);
    if (m != MISS_NONE)
        l->miss.miss[m].overtaken = true;
    if (stays && l->ops[op].fill)
        l1_fill(&l->l1, a->line, stays, l->ops[op].evict_first ? L1_OLDEST : L1_NEWEST);
    return whole;
}

/* Atomics and strong accesses: the value is made, or taken, at L2. */
static bool strong_line(struct lsu *l, cycle now, uint32_t op, const struct line_access *a, enum request_kind kind)
{
    static const enum msg_kind message[] = {
        [REQ_STRONG_READ] = MSG_STRONG_READ,
        [REQ_STRONG_WRITE] = MSG_STRONG_WRITE,
        [REQ_ATOMIC] = MSG_ATOMIC,
        [REQ_REDUCE] = MSG_REDUCE,
    };
    uint32_t n = sector_count(a->sectors);
    bool read = kind == REQ_STRONG_READ;
    if (!lsu_has_payload(l) ||
        (read ? l->reads_out + n > l->cfg->l1_outstanding_sectors : l->writes_out + n > l->cfg->l1_outstanding_writes))
        return false;
    uint32_t r = lsu_take_request(l, kind, op, a->line, (uint8_t)a->sectors);
    uint32_t p = l->requests[r].payload = take_payload(l, op, a->lanes);
    uint8_t joined = kind == REQ_STRONG_WRITE ? joins(l, now, a) : 0;
    l->payloads[p].head.joined = joined;
    if (read || kind == REQ_ATOMIC)
        l->ops[op].pending++;
    bool stores = kind == REQ_STRONG_WRITE;
    if (stores)
        keep_stored(l, op, a);
    else
        l1_drop(&l->l1, a->line, (uint8_t)a->sectors);
    lsu_send(l, now, r, message[kind],
             read     ? 0
             : stores ? n - sector_count(joined)
                      : lsu_atomic_parts(l, &l->effects[op], a));
    return true;
}

/* Write-through, local memory too (the profiler's sectors at L2 are those of global and local stores). */
static bool store_line(struct lsu *l, cycle now, uint32_t op, const struct line_access *a)
{
    uint32_t n = sector_count(a->sectors);
    if (l->writes_out + n > l->cfg->l1_outstanding_writes || !lsu_has_payload(l))
        return false;
    uint32_t r = lsu_take_request(l, REQ_WRITE, op, a->line, (uint8_t)a->sectors);
    uint8_t joined = joins(l, now, a);
    if (keep_stored(l, op, a) != a->sectors || joined)
        l->requests[r].payload = lsu_take_mask(l, a->byte_mask, joined);
    lsu_send(l, now, r, MSG_WRITE, n - sector_count(joined));
    return true;
}

/* Stores that have filled the way out to L2 hold the stage, and what comes behind, until a line has left. */
static bool has_room(struct lsu *l, cycle now, const struct line_access *a)
{
    cycle room = l->cfg->l1_gather_lines ? gather_room(&l->gather, l->cfg, now, a->line) : now;
    l->stage.room = room > now ? room : 0;
    return room <= now;
}

static bool pass_line(struct lsu *l, cycle now, uint32_t op, const struct line_access *a)
{
    const struct effect *e = &l->effects[op];
    bool strong = l->ops[op].strong && a->line < LOCAL_SPACE;
    /* what writes leaves one line after another, though its tags were looked up together */
    cycle leaves = l->stage.accepted + (cycle)l->stage.cursor * l->stage.line_cycles;
    if (e->kind != EFF_LOAD && e->kind != EFF_ASYNC_COPY && leaves > now)
        now = leaves;
    switch (e->kind) {
    case EFF_ATOMIC:
        return strong_line(l, now, op, a, REQ_ATOMIC);
    case EFF_REDUCE:
        return strong_line(l, now, op, a, REQ_REDUCE);
    case EFF_STORE:
        return has_room(l, now, a) &&
               (strong ? strong_line(l, now, op, a, REQ_STRONG_WRITE) : store_line(l, now, op, a));
    default:
        return strong ? strong_line(l, now, op, a, REQ_STRONG_READ) : load_line(l, now, op, a);
    }
}

/* Lanes that conflict pass the banks one after another once all data are there. */
cycle lsu_pass_late(struct lsu *l, cycle now, uint32_t op)
{
    struct lsu_op *o = &l->ops[op];
    struct queue *q = &l->queue[o->subcore];
    if (!o->conflicts)
        return now;
    /* while its tags were looked up another's data could pass, so that time is not taken twice */
    l->data_free =
        (l->data_free > now ? l->data_free : now) + (o->conflicts > o->tag_cycles ? o->conflicts - o->tag_cycles : 0);
    l->stage.beside = l->data_free;
    if (l->stage.op == OP_NONE && l->stage_free < l->data_free)
        l->stage_free = l->data_free;
    q->data_free = (q->data_free > now ? q->data_free : now) + o->conflicts;
    return q->data_free > l->data_free ? q->data_free : l->data_free;
}

/* Phases and conflicting lanes pass the banks one after another: by how many cycles the last data come after the first.
 * (Measured: micro_width, loads of 32, 64, 128 bits by 1 to 32 lanes; unlike in shared memory, lanes that ask for one
 * address do not merge phases.) */
static uint64_t after_first(const struct lsu *l, const struct lsu_op *o)
{
    return o->wavefronts ? (uint64_t)(o->wavefronts - 1) * l->cfg->smem_conflict_cycles : 0;
}

static void leave_stage(struct lsu *l, cycle now, uint32_t op)
{
    struct lsu_op *o = &l->ops[op];
    const struct effect *e = &l->effects[op];
    bool stores = e->kind == EFF_STORE || e->kind == EFF_REDUCE;
    if (stores && !o->remote) {
        lsu_finish_store(l, now, op);
        return;
    }
    uint32_t latency = o->uniform ? l->cfg->l1_uniform_latency_cycles : l->cfg->l1_latency_cycles;
    uint64_t extra = e->kind == EFF_ASYNC_COPY
                         ? l->cfg->lsu_copy_cycles
                         : extra_width(l, e->bytes) + (e->bytes == 16 ? l->cfg->l1_128_cycles : 0);
    uint64_t passing = now - l->stage.accepted, conflicts = after_first(l, o);
    bool late = o->conflicts && o->pending > 1;
    if (late) { /* what has not come yet cannot pass the banks */
        l->stage.data_cycles -= o->conflicts;
        o->wavefronts = (uint16_t)(o->wavefronts - o->conflicts);
        l->queue[o->subcore].stage_free = l->stage.accepted + (cycle)o->wavefronts * l->cfg->smem_conflict_cycles;
        o->tag_cycles = (uint16_t)passing;
        conflicts = 0;
    } else if (o->conflicts) {
        l->stage.beside = l->stage.accepted + l->stage.data_cycles;
    }
    passing = l->stage.data_cycles > passing + 1 ? l->stage.data_cycles - 1 : passing;
    if (e->kind == EFF_LOAD)
        extra += conflicts;
    cycle result = l->stage.accepted + lsu_after_stage(l, o, latency) + (extra > passing ? extra : passing);
    o->result = result > o->result ? result : o->result;
    if (e->kind == EFF_ATOMIC || stores)
        lsu_complete(l, now + l->cfg->lsu_store_data_cycles, COMPLETE_SOURCES, op);
    if (--o->pending)
        return;
    if (e->kind == EFF_ASYNC_COPY)
        lsu_copy_done(l, o->result, op);
    else
        lsu_write_back(l, o->result, op);
}

bool lsu_global_continue(struct lsu *l, cycle now)
{
    struct stage *st = &l->stage;
    l->blocked = false;
    st->room = 0;
    for (uint32_t i = 0; i < l->cfg->l1_tags_per_cycle && st->cursor < st->co.n; i++) {
        if (!pass_line(l, now, st->op, &st->co.line[st->cursor])) {
            l->blocked = true;
            return false;
        }
        st->cursor++;
    }
    if (st->cursor < st->co.n)
        return false;
    while (st->remote)
        if (!lsu_remote_pass(l, now, st->op, &st->remote)) {
            l->blocked = true;
            return false;
        }
    leave_stage(l, now, st->op);
    return true;
}
