/* A memory partition: L2 slices, their DRAM channels, and the values of atomics and strong accesses.
 *
 *   inbox -> slice queue -> tags: hit -----------------------------------------------> reply
 *                                 miss -> (home slice in the other half ->) DRAM -> fill -> reply
 *
 * The L2 has one or two halves. An SM asks the slice of its own half; if the line's home is in the other half, that
 * slice keeps a copy and fetches it from the home slice, which alone talks to DRAM. Writes and atomics act on the home
 * slice and drop or renew the copy. Values of atomics and strong accesses are worked out in delivery order, when a
 * request arrives; everything else here is time. Queues push back: a slice that lacks an outstanding-line entry, a way
 * or room at its channel stops taking requests. Not modelled: the fill port, compression, ECC traffic. */
#include "sim/mempart.h"

#include <stdlib.h>
#include <string.h>

#include "sim/dram.h"
#include "sim/l2.h"
#include "sim/wheel.h"

enum { NONE = 0xffffffffu, FRACTION = 12 };
enum event_kind { EV_ARRIVE, EV_SERVE, EV_FILL, EV_REPLY, EV_DRAM };
enum { KIND_FORWARD = MSG_KIND_COUNT }; /* a request between the halves */

struct request {
    struct message m;
    struct where w;
    uint32_t slice;      /* that serves it */
    uint32_t next;       /* in a slice's queue, or in a line's waiters */
    uint16_t need;       /* sectors */
    uint8_t kind;
    bool far;            /* writes, atomics: travelled to the other half */
    uint32_t line;       /* KIND_FORWARD: line of slice `back` that waits */
    uint32_t back;
};
enum transfer_kind { READ_LINE, READ_REST, WRITE_LINE };
struct transfer { /* between a line and DRAM, or from the home slice to the copy */
    uint64_t number;
    uint32_t slice, line, next;
    uint16_t sectors, partial;
    uint8_t kind;
};
struct slice {
    struct l2 l2;
    uint32_t first, last;  /* queue of requests */
    uint64_t free;         /* next request may be served, 12 fractional bits */
    bool scheduled, stalled;
};
struct channel {
    struct dram *dram;
    struct dram_access *late; /* found no room */
    size_t nlate, cap, head;
    cycle wake;            /* of the live EV_DRAM event */
};
struct mempart {
    const struct config *cfg;
    uint32_t index, id;
    struct memory *mem;
    payload_fn *payload_of;
    void *arg;
    struct storelog *log;
    struct msgbox in, out;
    struct wheel wheel;
    struct slice *slices;
    struct channel *channels;
    uint32_t nslice, nchannel, halves;
    struct request *requests;
    size_t nrequest, request_cap;
    uint32_t free_request, live;
    struct transfer *transfers;
    size_t ntransfer, transfer_cap;
    uint32_t free_transfer;
    struct dram_done *done;
    struct dram_counters at_start; /* sums over channels when the launch began */
    struct mp_counters counters;
    uint32_t seq;
    cycle now;
    uint64_t byte_cost;    /* of a slice's data, in 1/4096 cycle */
};

struct mempart *mempart_new(const struct config *c, uint32_t index, struct memory *mem, payload_fn *payload_of, void *arg)
{
    struct mempart *p = xcalloc(1, sizeof *p);
    p->cfg = c;
    p->index = index;
    p->id = c->nsm + index;
    p->mem = mem;
    p->payload_of = payload_of;
    p->arg = arg;
    p->log = storelog_new(p->id);
    p->halves = c->l2_halves;
    p->nslice = c->l2_slices / c->mem_partitions;
    p->nchannel = c->dram_channels / c->mem_partitions;
    must(p->nslice && p->nchannel && p->nslice % p->halves == 0);
    p->slices = xcalloc(p->nslice, sizeof *p->slices);
    for (uint32_t i = 0; i < p->nslice; i++) {
        l2_init(&p->slices[i].l2, c);
        p->slices[i].first = p->slices[i].last = NONE;
    }
    p->channels = xcalloc(p->nchannel, sizeof *p->channels);
    for (uint32_t i = 0; i < p->nchannel; i++) {
        p->channels[i].dram = dram_new(c);
        p->channels[i].wake = UINT64_MAX;
    }
    p->done = xcalloc(dram_most_done(p->channels[0].dram), sizeof *p->done);
    p->free_request = p->free_transfer = NONE;
    p->byte_cost = (uint64_t)((1 << FRACTION) / c->l2_slice_bytes + 0.5);
    wheel_init(&p->wheel);
    return p;
}

void mempart_free(struct mempart *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->nslice; i++)
        l2_finish(&p->slices[i].l2);
    for (uint32_t i = 0; i < p->nchannel; i++) {
        dram_free(p->channels[i].dram);
        free(p->channels[i].late);
    }
    free(p->slices);
    free(p->channels);
    free(p->requests);
    free(p->transfers);
    free(p->done);
    wheel_finish(&p->wheel);
    msgbox_finish(&p->in);
    msgbox_finish(&p->out);
    storelog_free(p->log);
    free(p);
}

/* ---- pools ----------------------------------------------------------------------------------------- */
static uint32_t new_request(struct mempart *p)
{
    p->live++;
    uint32_t r = p->free_request;
    if (r != NONE) {
        p->free_request = p->requests[r].next;
        return r;
    }
    p->requests = grow(p->requests, p->nrequest, &p->request_cap, sizeof *p->requests);
    return (uint32_t)p->nrequest++;
}

static void drop_request(struct mempart *p, uint32_t r)
{
    p->requests[r].next = p->free_request;
    p->free_request = r;
    p->live--;
}

static uint32_t new_transfer(struct mempart *p, struct transfer t)
{
    uint32_t i = p->free_transfer;
    if (i != NONE) {
        p->free_transfer = p->transfers[i].next;
    } else {
        p->transfers = grow(p->transfers, p->ntransfer, &p->transfer_cap, sizeof *p->transfers);
        i = (uint32_t)p->ntransfer++;
    }
    p->transfers[i] = t;
    p->live++;
    return i;
}

static struct transfer end_transfer(struct mempart *p, uint32_t i)
{
    struct transfer t = p->transfers[i];
    p->transfers[i].next = p->free_transfer;
    p->free_transfer = i;
    p->live--;
    return t;
}

static uint32_t bits(uint16_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

/* ---- DRAM -------------------------------------------------------------------------------------------- */
static void wake_channel(struct mempart *p, uint32_t i)
{
    struct channel *c = &p->channels[i];
    cycle next = dram_next(c->dram);
    if (next < p->now)
        next = p->now;
    if (next < c->wake) {
        c->wake = next;
        wheel_push(&p->wheel, next, EV_DRAM, i, (uint32_t)next);
    }
}

static void to_dram(struct mempart *p, const struct where *w, bool write, uint16_t sectors, uint32_t transfer)
{
    const struct config *c = p->cfg;
    struct channel *ch = &p->channels[w->channel];
    uint32_t bytes = bits(sectors) * 32;
    struct dram_access a = {
        .bank = w->bank_group * c->dram_banks + w->bank, .row = w->row, .column = w->column,
        .bursts = (bytes + c->dram_burst_bytes - 1) / c->dram_burst_bytes, .write = write, .tag = transfer,
    };
    if (ch->head == ch->nlate && dram_room(ch->dram, write)) {
        dram_push(ch->dram, p->now, &a);
        wake_channel(p, w->channel);
        return;
    }
    ch->late = grow(ch->late, ch->nlate, &ch->cap, sizeof *ch->late);
    ch->late[ch->nlate++] = a;
}

static bool channel_has_room(const struct mempart *p, uint32_t i, bool write)
{
    const struct channel *c = &p->channels[i];
    return c->head == c->nlate && dram_room(c->dram, write);
}

static void push_late(struct mempart *p, struct channel *c)
{
    while (c->head < c->nlate && dram_room(c->dram, c->late[c->head].write))
        dram_push(c->dram, p->now, &c->late[c->head++]);
    if (c->head == c->nlate)
        c->head = c->nlate = 0;
}

static void write_back(struct mempart *p, const struct l2_victim *v)
{
    if (!v->dirty)
        return;
    struct where w;
    where_is(p->cfg, v->number * p->cfg->l2_line_bytes, &w);
    p->counters.l2_writebacks += bits(v->dirty);
    struct transfer t = {.number = v->number, .sectors = v->dirty, .partial = v->partial, .kind = v->partial ? READ_REST : WRITE_LINE};
    if (v->partial) /* the missing bytes come from DRAM before the sector can go there */
        p->counters.l2_fills += bits(v->partial);
    to_dram(p, &w, !v->partial, v->partial ? v->partial : v->dirty, new_transfer(p, t));
}

static void clean_some(struct mempart *p, struct slice *s)
{
    struct l2_victim v;
    uint32_t line;
    while (l2_over_bound(&s->l2) && l2_clean_one(&s->l2, &line, &v)) {
        write_back(p, &v);
        struct where w;
        where_is(p->cfg, v.number * p->cfg->l2_line_bytes, &w);
        if (!channel_has_room(p, w.channel, true))
            break;
    }
}

static void serve_soon(struct mempart *p, uint32_t slice)
{
    struct slice *s = &p->slices[slice];
    if (s->scheduled || s->first == NONE)
        return;
    cycle at = (s->free + (1 << FRACTION) - 1) >> FRACTION;
    s->scheduled = true;
    s->stalled = false;
    wheel_push(&p->wheel, at > p->now ? at : p->now, EV_SERVE, slice, 0);
}

static void retry_stalled(struct mempart *p)
{
    for (uint32_t i = 0; i < p->nslice; i++)
        if (p->slices[i].stalled)
            serve_soon(p, i);
}

static void dram_finished(struct mempart *p, const struct dram_done *d)
{
    struct transfer *t = &p->transfers[d->tag];
    if (d->write) {
        p->counters.dram_writes += bits(t->sectors);
        end_transfer(p, d->tag);
    } else if (t->kind == READ_REST) {
        p->counters.dram_reads += bits(t->partial);
        struct where w;
        where_is(p->cfg, t->number * p->cfg->l2_line_bytes, &w);
        t->kind = WRITE_LINE;
        to_dram(p, &w, true, t->sectors, d->tag);
    } else {
        p->counters.dram_reads += bits(t->sectors);
        wheel_push(&p->wheel, d->time + p->cfg->dram_latency_cycles, EV_FILL, d->tag, 0);
    }
}

static void run_channel(struct mempart *p, uint32_t i, uint32_t scheduled)
{
    struct channel *c = &p->channels[i];
    if (c->wake != p->now || scheduled != (uint32_t)c->wake)
        return; /* an earlier event took its place */
    c->wake = UINT64_MAX;
    size_t n = dram_run(c->dram, p->now, p->done);
    push_late(p, c);
    for (size_t k = 0; k < n; k++)
        dram_finished(p, &p->done[k]);
    if (n)
        retry_stalled(p);
    wake_channel(p, i);
}

/* ---- answers ------------------------------------------------------------------------------------------- */
static const uint8_t answer_to[MSG_KIND_COUNT] = {
    [MSG_READ] = MSG_READ_REPLY, [MSG_WRITE] = MSG_WRITE_ACK, [MSG_ATOMIC] = MSG_ATOMIC_REPLY,
    [MSG_REDUCE] = MSG_WRITE_ACK, [MSG_STRONG_READ] = MSG_ATOMIC_REPLY, [MSG_STRONG_WRITE] = MSG_WRITE_ACK,
    [MSG_PREFETCH] = MSG_WRITE_ACK,
};

static void reply(struct mempart *p, uint32_t r)
{
    struct message m = p->requests[r].m;
    m.dest = m.source;
    m.source = p->id;
    m.seq = p->seq++;
    m.time = p->now;
    m.kind = answer_to[m.kind];
    m.wire_bytes = (uint16_t)(p->cfg->noc_header_bytes + (m.kind == MSG_WRITE_ACK ? 0 : 32 * bits(m.sectors)));
    msgbox_push(&p->out, m);
    p->counters.part_replies++;
    drop_request(p, r);
}

/* The request has what it needs at time now. */
static void satisfied(struct mempart *p, uint32_t i)
{
    const struct config *c = p->cfg;
    struct request *r = &p->requests[i];
    struct slice *s = &p->slices[r->slice];
    if (r->kind == KIND_FORWARD) {
        struct transfer t = {.slice = r->back, .line = r->line, .sectors = r->need, .number = r->m.addr / c->l2_line_bytes};
        wheel_push(&p->wheel, p->now + c->noc_far_cycles, EV_FILL, new_transfer(p, t), 0);
        drop_request(p, i);
        return;
    }
    if (r->kind == MSG_ATOMIC || r->kind == MSG_REDUCE) {
        uint32_t line = l2_find(&s->l2, r->w.set, r->m.addr / c->l2_line_bytes);
        for (uint32_t k = 0; k < s->l2.nsector; k++)
            if (r->need >> k & 1)
                p->counters.l2_dirtied += l2_write(&s->l2, line, k, UINT32_MAX);
        clean_some(p, s);
    }
    cycle at = p->now + c->l2_latency_cycles + (r->far ? 2 * c->noc_far_cycles : 0);
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

/* Finds the request's line, or takes one. L2_NONE: every way waits for data. */
static uint32_t line_for(struct mempart *p, struct slice *s, const struct request *r)
{
    uint64_t number = r->m.addr / p->cfg->l2_line_bytes;
    uint32_t line = l2_find(&s->l2, r->w.set, number);
    if (line != L2_NONE) {
        l2_touch(&s->l2, line);
        return line;
    }
    line = l2_choose(&s->l2, r->w.set);
    if (line == L2_NONE)
        return line;
    struct l2_victim v;
    l2_replace(&s->l2, line, number, &v);
    write_back(p, &v);
    return line;
}

static void forward(struct mempart *p, uint32_t i, uint32_t line, uint16_t sectors)
{
    uint32_t f = new_request(p);
    struct request *r = &p->requests[i], *n = &p->requests[f];
    *n = *r;
    n->kind = KIND_FORWARD;
    n->back = r->slice;
    n->slice = r->w.slice;
    n->line = line;
    n->need = sectors;
    wheel_push(&p->wheel, p->now + p->cfg->noc_far_cycles, EV_ARRIVE, f, 0);
}

static void count_read(struct mempart *p, const struct request *r, uint16_t valid)
{
    if (r->kind == MSG_READ || r->kind == MSG_STRONG_READ) {
        p->counters.l2_reads += bits(r->need);
        p->counters.l2_read_hits += bits(r->need & valid);
    } else if (r->kind == MSG_ATOMIC || r->kind == MSG_REDUCE) {
        p->counters.l2_atomics += bits(r->need);
    } else if (r->kind == KIND_FORWARD) {
        p->counters.l2_far_reads += bits(r->need);
        p->counters.l2_far_hits += bits(r->need & valid);
    }
}

/* Reads, and the read part of atomics. False: cannot be taken now. */
static bool serve_read(struct mempart *p, uint32_t i)
{
    struct request *r = &p->requests[i];
    struct slice *s = &p->slices[r->slice];
    bool home = r->slice == r->w.slice;
    if (s->l2.noutstanding >= p->cfg->l2_mshr || (home && !channel_has_room(p, r->w.channel, false)))
        return false;
    uint32_t line = line_for(p, s, r);
    if (line == L2_NONE)
        return false;
    r = &p->requests[i];
    struct l2_line *l = &s->l2.lines[line];
    count_read(p, r, l->valid);
    if (!(r->need & ~l->valid)) {
        satisfied(p, i);
        return true;
    }
    r->next = l->waiters;
    l->waiters = i;
    uint16_t missing = r->need & (uint16_t)~(l->valid | l->pending);
    if (home)
        missing = widen(p, missing) & (uint16_t)~(l->valid | l->pending);
    if (!missing)
        return true;
    l->pending |= missing;
    if (!l->busy) {
        l->busy = true;
        s->l2.noutstanding++;
    }
    if (!home) {
        forward(p, i, line, missing);
        return true;
    }
    p->counters.l2_fills += bits(missing);
    struct transfer t = {.slice = r->slice, .line = line, .sectors = missing, .kind = READ_LINE};
    struct where w = r->w;
    to_dram(p, &w, false, missing, new_transfer(p, t));
    return true;
}

/* Bytes of each sector that a write covers. */
static void written_bytes(const struct mempart *p, const struct request *r, uint32_t bytes[L2_SECTORS])
{
    for (uint32_t k = 0; k < L2_SECTORS; k++)
        bytes[k] = r->m.sectors >> k & 1 ? UINT32_MAX : 0;
    if (r->m.payload == PAYLOAD_NONE)
        return;
    const struct payload *pay = p->payload_of(p->arg, r->m.source, r->m.payload);
    if (r->kind == MSG_WRITE) {
        for (uint32_t k = 0; k < 4; k++)
            bytes[k] &= pay->byte_mask[k];
        return;
    }
    memset(bytes, 0, L2_SECTORS * sizeof *bytes);
    for (uint64_t m = pay->mask; m; m &= m - 1) {
        uint64_t offset = pay->addr[__builtin_ctzll(m)] - r->m.addr;
        bytes[offset / 32 % L2_SECTORS] |= (uint32_t)((UINT64_C(1) << pay->bytes) - 1) << offset % 32;
    }
}

/* The copy in the other half: gone, or renewed if the writer is there. */
static void update_copy(struct mempart *p, const struct request *r)
{
    if (p->halves == 1)
        return;
    struct slice *s = &p->slices[r->w.slice ^ 1];
    uint32_t line = l2_find(&s->l2, r->w.set, r->m.addr / p->cfg->l2_line_bytes);
    if (line != L2_NONE && !r->far)
        s->l2.lines[line].valid &= (uint16_t)~r->need;
}

static bool serve_write(struct mempart *p, uint32_t i)
{
    struct request *r = &p->requests[i];
    struct slice *s = &p->slices[r->slice];
    if (!channel_has_room(p, r->w.channel, true))
        return false;
    uint32_t line = line_for(p, s, r);
    if (line == L2_NONE)
        return false;
    uint32_t bytes[L2_SECTORS];
    written_bytes(p, r, bytes);
    const struct l2_line *l = &s->l2.lines[line];
    p->counters.l2_writes += bits(r->need);
    for (uint32_t k = 0; k < s->l2.nsector; k++) {
        if (!(r->need >> k & 1))
            continue;
        p->counters.l2_write_hits += (l->valid >> k & 1) || bytes[k] == UINT32_MAX;
        p->counters.l2_dirtied += l2_write(&s->l2, line, k, bytes[k]);
    }
    update_copy(p, r);
    clean_some(p, s);
    satisfied(p, i);
    return true;
}

static uint64_t service_cost(const struct mempart *p, const struct request *r)
{
    uint64_t one = 1 << FRACTION, data = (uint64_t)bits(r->need) * 32 * p->byte_cost;
    if (r->kind == MSG_ATOMIC || r->kind == MSG_REDUCE)
        data = (uint64_t)bits(r->need) * p->cfg->l2_atomic_interval_cycles << FRACTION;
    return data > one ? data : one;
}

static void serve(struct mempart *p, uint32_t slice)
{
    struct slice *s = &p->slices[slice];
    s->scheduled = false;
    uint32_t i = s->first;
    uint64_t cost = service_cost(p, &p->requests[i]);
    uint32_t next = p->requests[i].next;
    uint8_t kind = p->requests[i].kind;
    if (!(kind == MSG_WRITE || kind == MSG_STRONG_WRITE ? serve_write(p, i) : serve_read(p, i))) {
        s->stalled = true;
        return;
    }
    s->first = next;
    if (next == NONE)
        s->last = NONE;
    uint64_t at = p->now << FRACTION;
    s->free = (s->free > at ? s->free : at) + cost;
    serve_soon(p, slice);
}

static void enqueue(struct mempart *p, uint32_t i)
{
    struct request *r = &p->requests[i];
    struct slice *s = &p->slices[r->slice];
    r->next = NONE;
    *(s->last == NONE ? &s->first : &p->requests[s->last].next) = i;
    s->last = i;
    if (!s->stalled)
        serve_soon(p, r->slice);
}

static void wake_waiters(struct mempart *p, struct l2_line *l)
{
    uint32_t i = l->waiters, ready = NONE;
    l->waiters = NONE;
    while (i != NONE) { /* newest first: turning the list round twice keeps their order */
        struct request *r = &p->requests[i];
        uint32_t next = r->next;
        uint32_t *list = r->need & ~l->valid ? &l->waiters : &ready;
        r->next = *list;
        *list = i;
        i = next;
    }
    uint32_t kept = l->waiters;
    l->waiters = NONE;
    while (kept != NONE) {
        uint32_t next = p->requests[kept].next;
        p->requests[kept].next = l->waiters;
        l->waiters = kept;
        kept = next;
    }
    while (ready != NONE) {
        uint32_t next = p->requests[ready].next;
        satisfied(p, ready);
        ready = next;
    }
}

static void fill(struct mempart *p, uint32_t transfer)
{
    struct transfer t = end_transfer(p, transfer);
    struct slice *s = &p->slices[t.slice];
    struct l2_line *l = &s->l2.lines[t.line];
    l2_fill(&s->l2, t.line, t.sectors);
    if (l->busy && !l->pending) {
        l->busy = false;
        s->l2.noutstanding--;
    }
    wake_waiters(p, l);
    retry_stalled(p);
}

/* ---- values -------------------------------------------------------------------------------------------- */
static void lane_atomic(struct mempart *p, struct payload *pay, uint32_t lane)
{
    uint32_t words = pay->bytes > 4 ? pay->bytes / 4 : 1;
    struct atomic_words old = {0}, a = {0}, b = {0}, new;
    uint32_t x[8] = {0};
    for (uint32_t k = 0; k < 4; k++)
        x[k] = pay->data[k][lane];
    memory_load(p->mem, p->log, pay->addr[lane], &old, pay->bytes);
    memcpy(&a, x, 4 * words);
    memcpy(&b, x + words, 4 * words);
    new = isa_atomic(pay->inst, old, a, b);
    memory_store(p->mem, p->log, p->now, pay->addr[lane], &new, pay->bytes);
    uint32_t o[4];
    memcpy(o, &old, sizeof o);
    for (uint32_t k = 0; k < words && k < 4; k++)
        pay->data[k][lane] = o[k];
}

static void move_lane(struct mempart *p, struct payload *pay, uint32_t lane, bool store)
{
    uint32_t x[4] = {0};
    if (!store)
        memory_load(p->mem, p->log, pay->addr[lane], x, pay->bytes);
    for (uint32_t k = 0; k < 4; k++)
        *(store ? &x[k] : &pay->data[k][lane]) = store ? pay->data[k][lane] : x[k];
    if (store)
        memory_store(p->mem, p->log, p->now, pay->addr[lane], x, pay->bytes);
}

static void apply_values(struct mempart *p, const struct message *m)
{
    bool strong = m->kind == MSG_STRONG_READ || m->kind == MSG_STRONG_WRITE;
    if (m->payload == PAYLOAD_NONE || !(strong || m->kind == MSG_ATOMIC || m->kind == MSG_REDUCE))
        return;
    struct payload *pay = p->payload_of(p->arg, m->source, m->payload);
    for (uint64_t mask = pay->mask; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(mask);
        if (strong)
            move_lane(p, pay, lane, m->kind == MSG_STRONG_WRITE);
        else
            lane_atomic(p, pay, lane);
    }
}

/* ---- running ------------------------------------------------------------------------------------------- */
static uint32_t half_of_sm(const struct mempart *p, uint32_t sm)
{
    return p->halves == 1 ? 0 : p->cfg->gpc_of_sm[sm] * p->halves / p->cfg->ngpc;
}

static void receive(struct mempart *p, const struct message *m)
{
    apply_values(p, m);
    p->counters.part_requests++;
    uint32_t i = new_request(p);
    struct request *r = &p->requests[i];
    *r = (struct request){.m = *m, .kind = m->kind, .need = m->sectors};
    where_is(p->cfg, m->addr, &r->w);
    bool at_local = m->kind == MSG_READ || m->kind == MSG_PREFETCH;
    uint32_t half = half_of_sm(p, m->source);
    r->slice = at_local ? r->w.slice - r->w.home + half : r->w.slice;
    r->far = !at_local && half != r->w.home;
    enqueue(p, i);
}

static void handle(struct mempart *p, struct wheel_event e)
{
    switch (e.kind) {
    case EV_ARRIVE: enqueue(p, e.index); break;
    case EV_SERVE: serve(p, e.index); break;
    case EV_FILL: fill(p, e.index); break;
    case EV_REPLY: reply(p, e.index); break;
    case EV_DRAM: run_channel(p, e.index, e.arg); break;
    }
}

void mempart_run(struct mempart *p, cycle from, cycle to)
{
    (void)from;
    for (;;) {
        cycle event = wheel_next(&p->wheel), arrival = msgbox_next(&p->in), t = event < arrival ? event : arrival;
        if (t >= to)
            break;
        p->now = t;
        if (event <= arrival)
            handle(p, wheel_pop(&p->wheel));
        else
            receive(p, &p->in.m[p->in.head++]);
    }
    if (p->in.head == p->in.n)
        p->in.head = p->in.n = 0;
}

struct msgbox *mempart_inbox(struct mempart *p)
{
    return &p->in;
}

struct msgbox *mempart_outbox(struct mempart *p)
{
    return &p->out;
}

struct storelog *mempart_log(struct mempart *p)
{
    return p->log;
}

bool mempart_idle(const struct mempart *p)
{
    return !p->live;
}

cycle mempart_next_event(const struct mempart *p)
{
    return p->live ? wheel_next((struct wheel *)&p->wheel) : UINT64_MAX;
}

/* ---- launches -------------------------------------------------------------------------------------------- */
static struct dram_counters dram_sums(const struct mempart *p)
{
    struct dram_counters s = {0};
    for (uint32_t i = 0; i < p->nchannel; i++) {
        const struct dram_counters *d = dram_counters(p->channels[i].dram);
        s.activates += d->activates;
        s.row_hits += d->row_hits;
        s.row_misses += d->row_misses;
        s.row_conflicts += d->row_conflicts;
        s.refreshes += d->refreshes;
        s.bus_busy += d->bus_busy;
    }
    return s;
}

struct mp_counters *mempart_counters(struct mempart *p)
{
    struct dram_counters s = dram_sums(p), *b = &p->at_start;
    p->counters.dram_activates = s.activates - b->activates;
    p->counters.dram_row_hits = s.row_hits - b->row_hits;
    p->counters.dram_row_misses = s.row_misses - b->row_misses;
    p->counters.dram_row_conflicts = s.row_conflicts - b->row_conflicts;
    p->counters.dram_refreshes = s.refreshes - b->refreshes;
    p->counters.dram_bus_busy = s.bus_busy - b->bus_busy;
    return &p->counters;
}

static uint64_t dirty_sectors(const struct mempart *p)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < p->nslice; i++)
        n += l2_dirty_sectors(&p->slices[i].l2);
    return n;
}

void mempart_begin_launch(struct mempart *p)
{
    p->counters = (struct mp_counters){.l2_dirty_start = dirty_sectors(p)};
    p->at_start = dram_sums(p);
}

void mempart_end_launch(struct mempart *p)
{
    must(mempart_idle(p) && p->in.n == 0 && p->out.n == 0);
    p->counters.l2_dirty_end = dirty_sectors(p);
}

void mempart_fill_clean(struct mempart *p)
{
    for (uint32_t i = 0; i < p->nslice; i++)
        l2_fill_clean(&p->slices[i].l2);
}

void mempart_invalidate(struct mempart *p)
{
    for (uint32_t i = 0; i < p->nslice; i++)
        l2_invalidate(&p->slices[i].l2);
}

bool mempart_channel_view(const struct mempart *p, uint32_t channel, struct channel_view *out)
{
    if (channel >= p->nchannel)
        return false;
    const struct dram_counters *d = dram_counters(p->channels[channel].dram);
    *out = (struct channel_view){.row_hits = d->row_hits, .row_misses = d->row_misses, .row_conflicts = d->row_conflicts, .bus_busy = d->bus_busy};
    out->banks = dram_banks(p->channels[channel].dram, &out->nbank);
    return true;
}
