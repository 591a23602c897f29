/* A memory partition's L2 slices: queues, hits, misses, fills, answers. */
#include <string.h>

#include "sim/mpcore.h"

static void serve_soon(struct mempart *p, uint32_t slice, uint32_t queue)
{
    struct queue *q = &p->slices[slice].queues[queue];
    if (q->scheduled || q->first == MP_NONE)
        return;
    cycle at = (q->free + (1 << MP_FRACTION) - 1) >> MP_FRACTION;
    q->scheduled = true;
    p->nstalled -= q->stalled;
    q->stalled = false;
    wheel_push(&p->wheel, at > p->now ? at : p->now, EV_SERVE, slice, queue);
}

void mp_retry_stalled(struct mempart *p)
{
    for (uint32_t i = 0; i < p->nslice && p->nstalled; i++)
        for (uint32_t k = 0; k < QUEUES; k++)
            if (p->slices[i].queues[k].stalled)
                serve_soon(p, i, k);
}

/* ---- answers ------------------------------------------------------------------------------------------- */
static const uint8_t answer_to[MSG_KIND_COUNT] = {
    [MSG_READ] = MSG_READ_REPLY,    [MSG_WRITE] = MSG_WRITE_ACK,          [MSG_ATOMIC] = MSG_ATOMIC_REPLY,
    [MSG_REDUCE] = MSG_WRITE_ACK,   [MSG_STRONG_READ] = MSG_ATOMIC_REPLY, [MSG_STRONG_WRITE] = MSG_WRITE_ACK,
    [MSG_PREFETCH] = MSG_WRITE_ACK,
};

void mp_reply(struct mempart *p, uint32_t r)
{
    struct message m = p->requests[r].m;
    m.dest = m.source;
    m.source = p->id;
    m.seq = p->seq++;
    m.time = p->now;
    m.kind = answer_to[m.kind];
    m.wire_bytes = (uint16_t)(p->cfg->noc_header_bytes + (m.kind == MSG_WRITE_ACK ? 0 : 32 * mp_bits(m.sectors)));
    msgbox_push(&p->out[p->cfg->gpc_of_sm[m.dest]], m);
    p->counters.part_replies++;
    mp_drop_request(p, r);
}

/* The request has what it needs at time now. */
static void satisfied(struct mempart *p, uint32_t i)
{
    const struct config *c = p->cfg;
    struct request *r = &p->requests[i];
    struct slice *s = &p->slices[r->slice];
    if (r->kind == KIND_FORWARD) {
        struct transfer t = {
            .slice = r->back, .line = r->line, .sectors = r->need, .number = r->m.addr / c->l2_line_bytes};
        wheel_push(&p->wheel, p->now + c->noc_far_cycles, EV_FILL, mp_new_transfer(p, t), 0);
        mp_drop_request(p, i);
        return;
    }
    if (r->kind == MSG_ATOMIC || r->kind == MSG_REDUCE) {
        uint32_t line = l2_find(&s->l2, r->w.set, r->m.addr / c->l2_line_bytes);
        for (uint32_t k = 0; k < s->l2.nsector; k++)
            if (r->need >> k & 1)
                p->counters.l2_dirtied += l2_write(&s->l2, line, k, UINT32_MAX);
        mp_clean_some(p, s);
    }
    /* a write is acknowledged when it arrives */
    cycle latency = r->kind == MSG_WRITE ? 0 : c->l2_latency_cycles + s->distance;
    cycle at = p->now + latency + r->busy + (r->far ? mp_far_cycles(p, r) : 0);
    wheel_push(&p->wheel, at, EV_REPLY, i, 0);
}

/* ---- slices --------------------------------------------------------------------------------------------- */
/* Sectors to fetch so that `missing` come, in units of the fetch granularity. */
static uint16_t widen(const struct mempart *p, uint16_t missing)
{
    uint32_t unit = p->cfg->l2_fetch_bytes / 32;
    uint16_t group = (uint16_t)((1u << unit) - 1), out = 0;
    for (uint32_t k = 0; k < p->cfg->l2_line_bytes / 32; k += unit)
        if (missing >> k & group)
            out |= (uint16_t)(group << k);
    return out;
}

/* Each part of a line that DRAM gives at a time takes an entry while it is under way. (Measured: reads of 24 to 48 MB
 * of which a part hits, where hits wait behind misses; copies of single sectors have twice as many lines under way.) */
static bool entries_are_taken(const struct mempart *p, const struct slice *s)
{
    return s->l2.noutstanding >= p->cfg->l2_mshr * (p->cfg->l2_fetch_bytes / 32);
}

/* Finds the request's line, or takes one. L2_NONE: every way waits for data. */
static uint32_t line_for(struct mempart *p, struct slice *s, const struct request *r)
{
    uint64_t number = r->m.addr / p->cfg->l2_line_bytes;
    uint32_t line = l2_find(&s->l2, r->w.set, number);
    if (line != L2_NONE) {
        l2_touch(&s->l2, r->w.set, line);
        return line;
    }
    line = l2_choose(&s->l2, r->w.set);
    if (line == L2_NONE)
        return line;
    struct l2_victim v;
    l2_replace(&s->l2, r->w.set, line, number, &v);
    mp_write_back(p, &v);
    return line;
}

static void forward(struct mempart *p, uint32_t i, uint32_t line, uint16_t sectors)
{
    uint32_t f = mp_new_request(p);
    struct request *r = &p->requests[i], *n = &p->requests[f];
    *n = *r;
    n->kind = KIND_FORWARD;
    n->back = r->slice;
    n->slice = r->w.slice;
    n->line = line;
    n->need = sectors;
    wheel_push(&p->wheel, p->now + p->cfg->noc_far_cycles, EV_ARRIVE, f, 0);
}

/* here: sectors that are valid, or under way for somebody before: the profiler's lookups hit those too (measured: of
 * matrix rows read sector by sector, of which DRAM sends two at a time, half hit; of rows that all SMs want at once,
 * all but one). */
static void count_read(struct mempart *p, const struct request *r, uint16_t here)
{
    if (r->kind == MSG_READ || r->kind == MSG_STRONG_READ) {
        p->counters.l2_reads += mp_bits(r->need);
        p->counters.l2_read_hits += mp_bits(r->need & here);
    } else if (r->kind == MSG_ATOMIC) {
        p->counters.l2_atomics += mp_bits(r->need);
    } else if (r->kind == MSG_REDUCE) {
        p->counters.l2_reds += mp_bits(r->need);
    } else if (r->kind == KIND_FORWARD) {
        p->counters.l2_far_reads += mp_bits(r->need);
        p->counters.l2_far_hits += mp_bits(r->need & here);
    }
}

/* No way is free for a line that the other half waits for: DRAM's answer goes there without staying here. If it waited,
 * the two halves could wait for each other. */
static bool read_through(struct mempart *p, uint32_t i)
{
    struct request *r = &p->requests[i];
    count_read(p, r, 0);
    p->counters.l2_fills += mp_bits(r->need);
    struct transfer t = {.slice = r->back, .line = r->line, .sectors = r->need, .kind = READ_LINE};
    struct where w = r->w;
    mp_drop_request(p, i);
    mp_to_dram(p, &w, t);
    return true;
}

/* Reads, and the read part of atomics. False: cannot be taken now. */
static bool serve_read(struct mempart *p, uint32_t i)
{
    struct request *r = &p->requests[i];
    struct slice *s = &p->slices[r->slice];
    bool home = r->slice == r->w.slice;
    if ((entries_are_taken(p, s) && r->kind != KIND_FORWARD) || (home && !mp_dram_has_room(p, &r->w, false)))
        return false;
    uint32_t line = line_for(p, s, r);
    if (line == L2_NONE)
        return r->kind == KIND_FORWARD && read_through(p, i);
    struct l2_line *l = &s->l2.lines[line];
    count_read(p, r, l->valid | l->pending);
    if (!(r->need & ~l->valid)) {
        satisfied(p, i);
        return true;
    }
    r->next = l->waiters;
    l->waiters = i;
    uint16_t missing = r->need & (uint16_t) ~(l->valid | l->pending);
    /* a copy takes as much of its line as DRAM gives: a matrix read sector by sector hits every other time in the
     * H200's L2 */
    missing = widen(p, missing) & (uint16_t) ~(l->valid | l->pending);
    if (!missing)
        return true;
    l->pending |= missing;
    s->l2.noutstanding += mp_bits(missing);
    if (!home) {
        forward(p, i, line, missing);
        return true;
    }
    p->counters.l2_fills += mp_bits(missing);
    struct transfer t = {.slice = r->slice, .line = line, .sectors = missing, .kind = READ_LINE};
    struct where w = r->w;
    mp_to_dram(p, &w, t);
    return true;
}

void mp_written_bytes(const struct mempart *p, struct request *r)
{
    uint32_t *bytes = mp_bytes(p, r);
    for (uint32_t k = 0; k < MESSAGE_SECTORS; k++)
        bytes[k] = r->m.sectors >> k & 1 ? UINT32_MAX : 0;
    if (r->m.payload == PAYLOAD_NONE)
        return;
    struct payload_head *head = p->payload_of(p->arg, r->m.source, r->m.payload);
    if (r->kind == MSG_WRITE) {
        for (uint32_t k = 0; k < ARRAY_LEN(head->byte_mask); k++)
            bytes[k] &= head->byte_mask[k];
        r->joined = head->joined;
        return;
    }
    const struct payload *pay = payload_whole(head);
    r->joined = r->kind == MSG_STRONG_WRITE ? head->joined : 0;
    memset(bytes, 0, MESSAGE_SECTORS * sizeof *bytes);
    for (uint64_t m = pay->mask; m; m &= m - 1) {
        uint64_t offset = pay->addr[__builtin_ctzll(m)] - r->m.addr;
        bytes[offset / 32 % MESSAGE_SECTORS] |= (uint32_t)((UINT64_C(1) << pay->bytes) - 1) << offset % 32;
    }
}

/* Sectors written whole are all here afterwards; those of which a part was written, only if they were before. */
static void keep_copy(struct mempart *p, struct slice *s, const struct request *r)
{
    const uint32_t *bytes = mp_bytes(p, r);
    uint16_t whole = 0;
    for (uint32_t k = 0; k < MESSAGE_SECTORS; k++)
        whole |= (uint16_t)((r->need >> k & 1 && bytes[k] == UINT32_MAX) << k);
    uint32_t line = whole ? line_for(p, s, r) : l2_find(&s->l2, r->w.set, r->m.addr / p->cfg->l2_line_bytes);
    if (line != L2_NONE)
        s->l2.lines[line].valid |= whole & (uint16_t)~s->l2.lines[line].pending;
}

/* The copy in the other half. If the writer is there, what it wrote passed through that half and stays in it too
 * (measured: an SM's reads of what it wrote all hit its own half, though half of the lines are at home in the other; a
 * copy of 24 MB within L2 finds as little there as reads of 48 MB do, tests/data/l2_keep.h200.txt); else the copy is
 * gone. */
static void update_copy(struct mempart *p, const struct request *r)
{
    if (p->halves == 1)
        return;
    struct slice *s = &p->slices[r->w.slice ^ 1];
    if (r->far) {
        keep_copy(p, s, r);
        return;
    }
    uint32_t line = l2_find(&s->l2, r->w.set, r->m.addr / p->cfg->l2_line_bytes);
    if (line == L2_NONE)
        return;
    struct l2_line *l = &s->l2.lines[line];
    if (!l->pending && l->waiters == L2_NONE) /* who waits for the line has asked before this write */
        l->valid &= (uint16_t)~r->need;
}

static bool serve_write(struct mempart *p, uint32_t i)
{
    struct request *r = &p->requests[i];
    struct slice *s = &p->slices[r->slice];
    if (!mp_dram_has_room(p, &r->w, true))
        return false;
    uint32_t line = line_for(p, s, r);
    if (line == L2_NONE)
        return false;
    const uint32_t *bytes = mp_bytes(p, r);
    const struct l2_line *l = &s->l2.lines[line];
    p->counters.l2_writes += mp_bits(r->need & (uint16_t)~r->joined);
    for (uint32_t k = 0; k < MESSAGE_SECTORS && k < s->l2.nsector; k++) {
        if (!(r->need >> k & 1))
            continue;
        if (!(r->joined >> k & 1))
            p->counters.l2_write_hits += (l->valid >> k & 1) || bytes[k] == UINT32_MAX;
        p->counters.l2_dirtied += l2_write(&s->l2, line, k, bytes[k]);
    }
    update_copy(p, r);
    mp_clean_some(p, s);
    satisfied(p, i);
    return true;
}

/* What a write takes beside the port by which it came in: a sector of which only some bytes are written is read and
 * written, and the request takes longer as such. */
static uint64_t write_cost(const struct mempart *p, const struct request *r)
{
    const uint32_t *bytes = mp_bytes(p, r);
    uint64_t cost = 0, request = 0;
    for (uint32_t k = 0; k < MESSAGE_SECTORS; k++) {
        bool part = bytes[k] != UINT32_MAX, written = (r->need & ~r->joined) >> k & 1;
        cost += written && part ? p->partial_cost : 0;
        request = written && part ? p->partial_request_cost : request;
    }
    return cost + request;
}

/* A slice's atomic unit takes one sector in a pass, one lane a word, as many bytes as atomic_pass_bytes of operands
 * (32: eight words; a compare-and-swap has two operands a word, a double is worth two words): lanes on one word need a
 * pass each. A pass that fills its width is quicker than one that writes a part. Floating-point additions to the sector
 * of the pass before wait for its sum. */
enum { AOP_CAS = 10 }; /* value of AOP in ops.def */
static uint64_t passes_cost(struct mempart *p, struct slice *s, const struct payload *pay, uint64_t sector,
                            uint32_t most, uint32_t words)
{
    const struct inst *in = pay->inst;
    uint8_t type = in ? in->mod[MOD_ATYPE] : 0;
    bool is_float = type >= 4 && type <= 7; /* F32, F16x2, F64, BF16x2 */
    bool wide = (in && in->mod[MOD_AOP] == AOP_CAS) || (is_float && pay->bytes == 8);
    uint32_t room = wide ? 4 : 8, passes = most;
    if (words > room)
        passes *= 2;
    uint64_t one = words >= room ? p->whole_cost : p->atomic_cost, cost = passes * one;
    if (is_float) {
        bool again = s->atomic_sector == sector;
        uint64_t wait = p->again_cost > one ? p->again_cost - one : 0;
        cost += (most - 1 + again) * wait;
        s->atomic_sector = sector;
    }
    return cost;
}

static uint64_t atomic_cost(struct mempart *p, struct slice *s, const struct request *r)
{
    if (r->m.payload == PAYLOAD_NONE)
        return mp_bits(r->need) * p->atomic_cost;
    const struct payload *pay = payload_whole(p->payload_of(p->arg, r->m.source, r->m.payload));
    uint64_t total = 0;
    uint8_t lanes[L2_SECTORS][8] = {{0}}, most[L2_SECTORS] = {0}, words[L2_SECTORS] = {0};
    for (uint64_t m = pay->mask; m; m &= m - 1) {
        uint64_t offset = pay->addr[__builtin_ctzll(m)] - r->m.addr;
        uint32_t k = offset / 32 % L2_SECTORS;
        uint8_t n = ++lanes[k][offset % 32 / 4];
        if (n == 1)
            words[k] = (uint8_t)(words[k] + (pay->bytes > 4 ? pay->bytes / 4 : 1));
        most[k] = n > most[k] ? n : most[k];
    }
    for (uint32_t k = 0; k < L2_SECTORS; k++)
        if (r->need >> k & 1)
            total += passes_cost(p, s, pay, r->m.addr / 32 + k, most[k], words[k]);
    return total;
}

static uint64_t service_cost(struct mempart *p, struct slice *s, const struct request *r)
{
    uint64_t data = (uint64_t)mp_bits(r->need) * 32 * p->byte_cost;
    if (r->kind == MSG_ATOMIC || r->kind == MSG_REDUCE)
        data = atomic_cost(p, s, r);
    else if (r->joined && r->joined == r->need)
        return 0;
    else if (r->kind == MSG_WRITE || r->kind == MSG_STRONG_WRITE)
        data = write_cost(p, r);
    else if (r->kind == KIND_FORWARD)
        data = mp_bits(r->need) * p->fabric_cost;
    return data > p->one_cost ? data : p->one_cost;
}

void mp_serve(struct mempart *p, uint32_t slice, uint32_t queue)
{
    struct slice *s = &p->slices[slice];
    struct queue *q = &s->queues[queue];
    q->scheduled = false;
    uint32_t i = q->first;
    uint64_t cost = service_cost(p, s, &p->requests[i]);
    if (p->requests[i].kind == MSG_ATOMIC) /* it answers after its last pass */
        p->requests[i].busy = (uint32_t)((cost > p->atomic_cost ? cost - p->atomic_cost : 0) >> MP_FRACTION);
    uint32_t next = p->requests[i].next;
    uint8_t kind = p->requests[i].kind;
    if (!(kind == MSG_WRITE || kind == MSG_STRONG_WRITE ? serve_write(p, i) : serve_read(p, i))) {
        q->stalled = true;
        p->nstalled++;
        return;
    }
    q->first = next;
    if (next == MP_NONE)
        q->last = MP_NONE;
    uint64_t at = p->now << MP_FRACTION;
    bool busy = q->free + (1 << MP_FRACTION) > at; /* until this cycle: its fraction counts */
    q->free = (busy ? q->free : at) + cost;
    serve_soon(p, slice, queue);
}

void mp_enqueue(struct mempart *p, uint32_t i)
{
    struct request *r = &p->requests[i];
    uint32_t queue = r->kind == KIND_FORWARD ? FAR : OWN;
    struct queue *q = &p->slices[r->slice].queues[queue];
    r->next = MP_NONE;
    *(q->last == MP_NONE ? &q->first : &p->requests[q->last].next) = i;
    q->last = i;
    if (!q->stalled)
        serve_soon(p, r->slice, queue);
}

static void wake_waiters(struct mempart *p, struct l2_line *l)
{
    uint32_t i = l->waiters, ready = MP_NONE;
    l->waiters = MP_NONE;
    while (i != MP_NONE) { /* newest first: turning the list round twice keeps their order */
        struct request *r = &p->requests[i];
        uint32_t next = r->next;
        uint32_t *list = r->need & ~l->valid ? &l->waiters : &ready;
        r->next = *list;
        *list = i;
        i = next;
    }
    uint32_t kept = l->waiters;
    l->waiters = MP_NONE;
    while (kept != MP_NONE) {
        uint32_t next = p->requests[kept].next;
        p->requests[kept].next = l->waiters;
        l->waiters = kept;
        kept = next;
    }
    while (ready != MP_NONE) {
        uint32_t next = p->requests[ready].next;
        satisfied(p, ready);
        ready = next;
    }
}

/* What DRAM sends takes its turn with what SMs write: measured are 4.4 TB/s of reads from DRAM, 4.6 of writes that stay
 * in L2, and for a copy that reads from DRAM and whose writes stay 2.3 of each, whereas a copy within L2 has 4.1 of
 * each. */
static bool passes_port(struct mempart *p, uint32_t transfer)
{
    const struct transfer *t = &p->transfers[transfer];
    struct slice *s = &p->slices[t->slice];
    uint64_t at = p->now << MP_FRACTION, start = s->data_free > at ? s->data_free : at;
    s->data_free = start + mp_bits(t->sectors) * p->port_cost;
    if (start >> MP_FRACTION == p->now)
        return true;
    wheel_push(&p->wheel, start >> MP_FRACTION, EV_FILL, transfer, false);
    return false;
}

void mp_fill(struct mempart *p, uint32_t transfer, bool from_dram)
{
    if (from_dram && !passes_port(p, transfer))
        return;
    struct transfer t = mp_end_transfer(p, transfer);
    struct slice *s = &p->slices[t.slice];
    struct l2_line *l = &s->l2.lines[t.line];
    l2_fill(&s->l2, t.line, t.sectors);
    s->l2.noutstanding -= mp_bits(t.sectors);
    wake_waiters(p, l);
    mp_retry_stalled(p);
}
