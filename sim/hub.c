/* The interconnect: ports with bandwidth, one latency. Not modelled: contention inside the crossbar beyond the ports
 * of GPCs and slices, and virtual channels (requests and replies never block each other). */
#include "sim/hub.h"

#include "sim/coalescer.h"

#include <stdlib.h>
#include <string.h>

/* Port times have 12 fractional bits, so that bandwidths need not divide anything. */
enum { FRACTION = 12 };
struct port {
    uint64_t free; /* when the next message may enter */
};
struct wire { /* cost of a byte at each kind of port, in 1/4096 cycle */
    double sm, tpc, gpc;
};
struct lane { /* one GPC: everything that hub_gpc touches */
    uint32_t *sms, nsm;
    struct port request, reply;
    struct msgbox *to_part; /* per partition, sorted by arrival */
    struct msgbox completions;
    struct coalescer *meets; /* NULL: none */
    struct order {           /* scratch: a window's messages in order */
        const struct message **m;
        size_t cap;
    } order;
    uint32_t *count; /* scratch: messages by cycle of the window */
    cycle *arrives;  /* first arrival at each partition */
    cycle ahead;     /* first message left in an SM's outbox */
    bool busy;       /* an SM of it ran and sent, or has sent ahead */
};
struct hub {
    const struct config *cfg;
    struct msgbox *const *sm_in, *const *sm_out;
    const struct gpc_clock *clocks;
    uint32_t npart, hub_id;
    struct wire request, reply;
    double reply_least; /* of the SM's port, for an answer with data */
    struct port *cluster, *sm_request, *sm_reply, *tpc_request, *tpc_reply;
    struct lane *lanes;
    struct msgbox **from_part; /* of each partition: its boxes, one for each GPC; NULL: it has not run */
    uint64_t *replies;         /* of each partition: GPCs to which it sent */
    cycle *sm_arrives, *part_arrives;
};

static struct wire wire_of(double sm, double tpc, double gpc)
{
    double one = 1 << FRACTION;
    return (struct wire){one / sm, one / tpc, one / gpc};
}

struct hub *hub_new(const struct config *c, struct msgbox *const *sm_in, struct msgbox *const *sm_out,
                    const struct gpc_clock *clocks)
{
    struct hub *h = xcalloc(1, sizeof *h);
    h->cfg = c;
    h->sm_in = sm_in;
    h->sm_out = sm_out;
    h->clocks = clocks;
    h->npart = c->mem_partitions;
    h->hub_id = c->nsm + c->mem_partitions;
    h->request = wire_of(c->sm_request_bytes, c->tpc_request_bytes, c->gpc_request_bytes);
    h->reply = wire_of(c->sm_reply_bytes, c->tpc_reply_bytes, c->gpc_reply_bytes);
    h->reply_least = c->sm_reply_least * (1 << FRACTION);
    h->cluster = xcalloc(c->nsm, sizeof *h->cluster);
    h->sm_request = xcalloc(c->nsm, sizeof *h->sm_request);
    h->sm_reply = xcalloc(c->nsm, sizeof *h->sm_reply);
    h->tpc_request = xcalloc(c->ntpc, sizeof *h->tpc_request);
    h->tpc_reply = xcalloc(c->ntpc, sizeof *h->tpc_reply);
    h->replies = xcalloc(c->mem_partitions, sizeof *h->replies);
    h->sm_arrives = xcalloc(c->nsm, sizeof *h->sm_arrives);
    h->part_arrives = xcalloc(c->mem_partitions, sizeof *h->part_arrives);
    memset(h->sm_arrives, 0xff, c->nsm * sizeof *h->sm_arrives);
    h->from_part = xcalloc(c->mem_partitions, sizeof *h->from_part);
    h->lanes = xcalloc(c->ngpc, sizeof *h->lanes);
    for (uint32_t g = 0; g < c->ngpc; g++) {
        h->lanes[g].sms = xcalloc(c->nsm, sizeof *h->lanes[g].sms);
        h->lanes[g].to_part = xcalloc(c->mem_partitions, sizeof *h->lanes[g].to_part);
        h->lanes[g].count = xcalloc(HUB_MOST_WINDOW * c->window_cycles + 1, sizeof *h->lanes[g].count);
        h->lanes[g].arrives = xcalloc(c->mem_partitions, sizeof *h->lanes[g].arrives);
        memset(h->lanes[g].arrives, 0xff, c->mem_partitions * sizeof *h->lanes[g].arrives);
        h->lanes[g].ahead = UINT64_MAX;
    }
    for (uint32_t s = 0; s < c->nsm; s++) {
        struct lane *l = &h->lanes[c->gpc_of_sm[s]];
        l->sms[l->nsm++] = s;
    }
    for (uint32_t g = 0; g < c->ngpc && c->coalesce_cycles; g++)
        h->lanes[g].meets = coalescer_new(c->coalesce_cycles, c->coalesce_reads, c->window_cycles);
    return h;
}

void hub_free(struct hub *h)
{
    if (!h)
        return;
    for (uint32_t g = 0; g < h->cfg->ngpc; g++) {
        struct lane *l = &h->lanes[g];
        for (uint32_t p = 0; p < h->npart; p++)
            msgbox_finish(&l->to_part[p]);
        msgbox_finish(&l->completions);
        free(l->sms);
        free(l->to_part);
        free(l->order.m);
        coalescer_free(l->meets);
        free(l->count);
        free(l->arrives);
    }
    free(h->from_part);
    free(h->replies);
    free(h->sm_arrives);
    free(h->part_arrives);
    free(h->lanes);
    free(h->cluster);
    free(h->sm_request);
    free(h->sm_reply);
    free(h->tpc_request);
    free(h->tpc_reply);
    free(h);
}

static const struct gpc_clock *clock_of(const struct hub *h, uint32_t g)
{
    return h->clocks ? &h->clocks[g] : &gpc_clock_full;
}

/* ---- ports ------------------------------------------------------------------------------------ */
/* A message waits until the port is free; the port is then busy for the message's bytes. What follows sees the
 * message's head, so the bytes cost time once, at the narrowest port. */
static uint64_t pass(struct port *p, uint64_t at, double bytes_cost)
{
    uint64_t start = at > p->free ? at : p->free;
    p->free = start + (uint64_t)(bytes_cost + 0.5);
    return start;
}

static cycle whole(uint64_t fixed)
{
    return (fixed + (1 << FRACTION) - 1) >> FRACTION;
}

/* SM and TPC ports and the first cycles of the way go by the GPC's clock, its port and the rest of the way by that of
 * all. */
static cycle pass_request(struct hub *h, struct lane *l, const struct message *m, const struct gpc_clock *clock)
{
    uint64_t t = gpc_clock_own(clock, m->time) << FRACTION, gpc = (uint64_t)h->cfg->noc_gpc_cycles << FRACTION;
    t = pass(&h->sm_request[m->source], t, m->wire_bytes * h->request.sm);
    t = pass(&h->tpc_request[h->cfg->tpc_of_sm[m->source]], t, m->wire_bytes * h->request.tpc);
    t = gpc_clock_time_fixed(clock, t + gpc, FRACTION);
    t = pass(&l->request, t, m->wire_bytes * h->request.gpc);
    return whole(t - gpc) + h->cfg->window_cycles;
}

/* SMs of a cluster have a way of their own, inside the GPC and in its cycles: bandwidth at the sender, and a shorter
 * latency. */
static cycle pass_cluster(struct hub *h, const struct message *m, const struct gpc_clock *clock)
{
    uint64_t t = pass(&h->cluster[m->source], gpc_clock_own(clock, m->time) << FRACTION,
                      m->wire_bytes * (double)(1 << FRACTION) / h->cfg->cluster_bytes);
    return whole(t) + h->cfg->cluster_latency_cycles;
}

/* An answer that several share passes the GPC's port once: only the first is carried there. Returns own cycles. */
static cycle pass_reply(struct hub *h, struct lane *l, const struct message *m, bool first,
                        const struct gpc_clock *clock)
{
    uint64_t t = m->time << FRACTION, gpc = h->cfg->noc_gpc_cycles;
    if (first)
        t = pass(&l->reply, t, m->wire_bytes * h->reply.gpc);
    else if (l->reply.free > t + (uint64_t)(m->wire_bytes * h->reply.gpc))
        t = l->reply.free - (uint64_t)(m->wire_bytes * h->reply.gpc);
    t = gpc_clock_own_fixed(clock, t + ((h->cfg->window_cycles - gpc) << FRACTION), FRACTION);
    t = pass(&h->tpc_reply[h->cfg->tpc_of_sm[m->dest]], t, m->wire_bytes * h->reply.tpc);
    double bytes_cost = m->wire_bytes * h->reply.sm,
           least = m->wire_bytes > h->cfg->noc_header_bytes ? h->reply_least : 0;
    t = pass(&h->sm_reply[m->dest], t, bytes_cost > least ? bytes_cost : least);
    return whole(t) + gpc;
}

/* ---- order ------------------------------------------------------------------------------------ */
/* The first n messages of box b were sent before `to`; the box keeps them until they are dropped. */
static size_t sent_before(struct msgbox *b, cycle to)
{
    msgbox_sort(b);
    size_t n = b->n;
    while (n && b->m[n - 1].time >= to)
        n--;
    return n;
}

static void drop(struct msgbox *b, size_t n)
{
    b->head = n;
    if (b->head == b->n)
        b->head = b->n = 0;
}

struct sources { /* boxes in order of their source */
    struct msgbox *box[NLIST];
    size_t n[NLIST], count, total;
};

/* Boxes come in order of source and each is sorted, so a stable counting sort by cycle gives (time, source, seq). */
static size_t in_order(const struct hub *h, struct lane *l, const struct sources *s, cycle from, cycle to)
{
    struct order *o = &l->order;
    size_t span = to - from;
    must(span <= HUB_MOST_WINDOW * (size_t)h->cfg->window_cycles);
    memset(l->count, 0, (span + 1) * sizeof *l->count);
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->n[i]; k++) {
            must(s->box[i]->m[k].time >= from);
            l->count[s->box[i]->m[k].time - from + 1]++;
        }
    for (size_t t = 1; t <= span; t++)
        l->count[t] += l->count[t - 1];
    if (s->total > o->cap) {
        o->cap = 2 * s->total;
        o->m = xrealloc(o->m, o->cap, sizeof *o->m);
    }
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->n[i]; k++)
            o->m[l->count[s->box[i]->m[k].time - from]++] = &s->box[i]->m[k];
    return s->total;
}

/* What was sent before `to`, by the sender's clock; from now on it has the time of all. */
static void add_source(struct sources *s, struct msgbox *b, const struct gpc_clock *clock, cycle to)
{
    if (b->n == b->head)
        return;
    size_t n = sent_before(b, gpc_clock_own(clock, to));
    if (!n)
        return;
    for (size_t i = 0; i < n; i++)
        b->m[i].time = gpc_clock_time(clock, b->m[i].time);
    s->box[s->count] = b;
    s->n[s->count++] = n;
    s->total += n;
}

static void drop_sources(const struct sources *s)
{
    for (size_t i = 0; i < s->count; i++)
        drop(s->box[i], s->n[i]);
}

/* ---- the exchange ------------------------------------------------------------------------------ */
/* m: in own cycles */
static void deliver(struct hub *h, struct message m)
{
    struct msgbox *b = h->sm_in[m.dest];
    if (b->head > 64 && b->head > b->n / 2) {
        b->n -= b->head;
        memmove(b->m, b->m + b->head, b->n * sizeof *b->m);
        b->head = 0;
    }
    msgbox_push(b, m);
    size_t i = b->n - 1;
    for (; i > b->head && message_before(&m, &b->m[i - 1]); i--)
        b->m[i] = b->m[i - 1];
    b->m[i] = m;
    cycle arrives = gpc_clock_time(clock_of(h, h->cfg->gpc_of_sm[m.dest]), m.time);
    if (arrives < h->sm_arrives[m.dest])
        h->sm_arrives[m.dest] = arrives;
}

void hub_deliver(struct hub *h, struct message m)
{
    m.time = gpc_clock_own(clock_of(h, h->cfg->gpc_of_sm[m.dest]), m.time);
    deliver(h, m);
}

static void carry_request(struct hub *h, struct lane *l, struct message m)
{
    if (m.dest == h->hub_id) {
        m.time += h->cfg->window_cycles;
        msgbox_push(&l->completions, m);
        return;
    }
    if (m.dest < h->cfg->nsm) {
        must(h->cfg->gpc_of_sm[m.dest] == h->cfg->gpc_of_sm[m.source]); /* clusters stay within a GPC */
        m.time = pass_cluster(h, &m, clock_of(h, h->cfg->gpc_of_sm[m.source]));
        deliver(h, m);
        return;
    }
    m.time = pass_request(h, l, &m, clock_of(h, h->cfg->gpc_of_sm[m.source]));
    uint32_t p = m.dest - h->cfg->nsm;
    msgbox_push(&l->to_part[p], m);
    if (m.time < l->arrives[p])
        l->arrives[p] = m.time;
}

/* The read meets those of its neighbours before the GPC's port. */
static bool joins(struct lane *l, const struct message *m)
{
    return l->meets && m->kind == MSG_READ && coalescer_join(l->meets, m);
}

struct carrier {
    struct hub *h;
    struct lane *l;
};
static void deliver_shared(void *arg, const struct message *reply)
{
    struct carrier *c = arg;
    struct message m = *reply;
    m.time = pass_reply(c->h, c->l, &m, false, clock_of(c->h, c->h->cfg->gpc_of_sm[m.dest]));
    deliver(c->h, m);
}

static void carry_reply(struct hub *h, struct lane *l, struct message m)
{
    struct carrier c = {h, l};
    struct message sent = m;
    m.time = pass_reply(h, l, &m, true, clock_of(h, h->cfg->gpc_of_sm[m.dest]));
    deliver(h, m);
    if (l->meets && m.kind == MSG_READ_REPLY)
        coalescer_answer(l->meets, &sent, deliver_shared, &c);
}

static void look_ahead(struct hub *h, uint32_t g)
{
    struct lane *l = &h->lanes[g];
    cycle ahead = UINT64_MAX;
    for (uint32_t i = 0; i < l->nsm; i++) {
        cycle t = msgbox_next(h->sm_out[l->sms[i]]);
        ahead = t < ahead ? t : ahead;
    }
    l->ahead = gpc_clock_time(clock_of(h, g), ahead);
    l->busy = ahead != UINT64_MAX;
}

void hub_clock_changed(struct hub *h, uint32_t g)
{
    const struct lane *l = &h->lanes[g];
    for (uint32_t i = 0; i < l->nsm; i++)
        h->sm_arrives[l->sms[i]] = gpc_clock_time(clock_of(h, g), msgbox_next(h->sm_in[l->sms[i]]));
    look_ahead(h, g);
}

void hub_requests(struct hub *h, uint32_t g, cycle from, cycle to)
{
    struct lane *l = &h->lanes[g];
    struct sources up;
    up.count = up.total = 0;
    for (uint32_t i = 0; i < l->nsm; i++)
        add_source(&up, h->sm_out[l->sms[i]], clock_of(h, g), to);
    size_t n = up.total ? in_order(h, l, &up, from, to) : 0;
    for (size_t i = 0; i < n; i++)
        if (!joins(l, l->order.m[i]))
            carry_request(h, l, *l->order.m[i]);
    drop_sources(&up);
    look_ahead(h, g);
}

static cycle next_late(const struct lane *l)
{
    return l->meets ? coalescer_next(l->meets) : UINT64_MAX;
}

static void carry_late(struct hub *h, struct lane *l, cycle to)
{
    while (next_late(l) < to) {
        struct message m = coalescer_take(l->meets);
        deliver_shared(&(struct carrier){h, l}, &m);
    }
}

void hub_replies(struct hub *h, uint32_t g, cycle from, cycle to)
{
    struct lane *l = &h->lanes[g];
    struct sources down;
    down.count = down.total = 0;
    for (uint32_t p = 0; p < h->npart; p++)
        if (h->from_part[p])
            add_source(&down, &h->from_part[p][g], &gpc_clock_full, to);
    size_t n = down.total ? in_order(h, l, &down, from, to) : 0;
    for (size_t i = 0; i < n; i++) {
        carry_late(h, l, l->order.m[i]->time);
        carry_reply(h, l, *l->order.m[i]);
    }
    carry_late(h, l, to);
    drop_sources(&down);
}

uint64_t hub_requesting(const struct hub *h)
{
    uint64_t busy = 0;
    for (uint32_t g = 0; g < h->cfg->ngpc; g++)
        busy |= (uint64_t)h->lanes[g].busy << g;
    return busy;
}

uint64_t hub_replying(struct hub *h, cycle to)
{
    uint64_t busy = 0;
    for (uint32_t p = 0; p < h->npart; p++) {
        busy |= h->replies[p];
        h->replies[p] = 0; /* all of them are carried now */
    }
    for (uint32_t g = 0; g < h->cfg->ngpc; g++)
        busy |= (uint64_t)(next_late(&h->lanes[g]) < to) << g;
    return busy;
}

void hub_sm_ran(struct hub *h, uint32_t sm)
{
    const struct msgbox *b = h->sm_out[sm];
    if (b->n != b->head)
        h->lanes[h->cfg->gpc_of_sm[sm]].busy = true;
}

/* A GPC's messages to one partition passed the same last port, so each queue is in order of arrival already;
 * equal arrivals at a partition are taken by GPC, within one in the order they were sent. */
void hub_enter_partition(struct hub *h, uint32_t p, cycle to, struct msgbox *inbox)
{
    uint32_t ngpc = h->cfg->ngpc;
    for (;;) {
        struct msgbox *best = NULL;
        for (uint32_t g = 0; g < ngpc; g++) {
            struct msgbox *b = &h->lanes[g].to_part[p];
            if (b->head < b->n && b->m[b->head].time < to && (!best || b->m[b->head].time < best->m[best->head].time))
                best = b;
        }
        if (!best)
            break;
        msgbox_push(inbox, best->m[best->head++]);
    }
    for (uint32_t g = 0; g < ngpc; g++) {
        struct msgbox *b = &h->lanes[g].to_part[p];
        h->lanes[g].arrives[p] = msgbox_next(b);
        if (b->head == b->n) {
            b->head = b->n = 0;
        } else if (b->head > 256 && b->head > b->n / 2) {
            b->n -= b->head;
            memmove(b->m, b->m + b->head, b->n * sizeof *b->m);
            b->head = 0;
        }
    }
}

void hub_leave_partition(struct hub *h, uint32_t p, struct msgbox *outboxes)
{
    h->from_part[p] = outboxes;
    h->replies[p] = 0;
    for (uint32_t g = 0; g < h->cfg->ngpc; g++)
        h->replies[p] |= (uint64_t)(outboxes[g].n != outboxes[g].head) << g;
}

struct msgbox *hub_completions(struct hub *h, uint32_t g)
{
    return &h->lanes[g].completions;
}

void hub_look(struct hub *h)
{
    memcpy(h->part_arrives, h->lanes[0].arrives, h->npart * sizeof *h->part_arrives);
    for (uint32_t g = 1; g < h->cfg->ngpc; g++)
        for (uint32_t p = 0; p < h->npart; p++) {
            cycle t = h->lanes[g].arrives[p];
            h->part_arrives[p] = t < h->part_arrives[p] ? t : h->part_arrives[p];
        }
}

cycle *hub_sm_arrivals(struct hub *h)
{
    return h->sm_arrives;
}

const cycle *hub_partition_arrivals(const struct hub *h)
{
    return h->part_arrives;
}

cycle hub_sent_ahead(const struct hub *h)
{
    cycle first = UINT64_MAX;
    for (uint32_t g = 0; g < h->cfg->ngpc; g++)
        first = h->lanes[g].ahead < first ? h->lanes[g].ahead : first;
    return first;
}

cycle hub_late_answer(const struct hub *h)
{
    cycle first = UINT64_MAX;
    for (uint32_t g = 0; g < h->cfg->ngpc; g++) {
        cycle t = next_late(&h->lanes[g]);
        first = t < first ? t : first;
    }
    return first;
}
