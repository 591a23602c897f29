/* A memory partition: L2 slices, their DRAM channels, and the values of atomics and strong accesses.
 *
 *   inbox -> slice queue -> tags: hit -----------------------------------------------> reply
 *                                 miss -> (home slice in the other half ->) DRAM -> fill -> reply
 *
 * The L2 has one or two halves. An SM asks the slice of its own half; if the line's home is in the other half, that
 * slice keeps a copy and fetches it from the home slice, which alone talks to DRAM. Writes and atomics pass through to
 * the home slice and drop or renew the copy; a write is acknowledged when its home takes it. Values of atomics and
 * strong accesses are worked out in delivery order, when a request arrives; everything else here is time. Queues push
 * back: a slice that lacks an outstanding-line entry, a way or room at its channel stops taking requests. Not modelled:
 * compression, ECC traffic. */
#include "sim/mempart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/mpcore.h"

/* Slices lie at different distances: those of a half are spread evenly over spread_cycles, neighbours far apart, and
 * what is near to one half's SMs is far from the other's (measured: micro_chase_each, hits of one SM take 271 to 338
 * cycles, the same line always the same, and SMs of the other half see the reverse). */
static cycle distance_of(const struct mempart *p, uint32_t slice)
{
    const double golden = 0.6180339887498949;
    uint32_t number = p->index * p->nslice + slice;
    uint32_t in_half = number / p->halves;
    double turns = in_half * golden, place = turns - floor(turns);
    return (cycle)(p->cfg->noc_spread_cycles * (number % p->halves ? 1 - place : place));
}

struct mempart *mempart_new(const struct config *c, uint32_t index, struct memory *mem, payload_fn *payload_of,
                            void *arg)
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
    p->own_channels = own_channels(c);
    must(p->nslice && p->nchannel && p->nslice % p->halves == 0);
    p->slices = xcalloc(p->nslice, sizeof *p->slices);
    for (uint32_t i = 0; i < p->nslice; i++) {
        l2_init(&p->slices[i].l2, c, memory_arena(mem), memory_arena_rare(mem));
        p->slices[i].distance = distance_of(p, i);
        for (uint32_t k = 0; k < QUEUES; k++)
            p->slices[i].queues[k].first = p->slices[i].queues[k].last = MP_NONE;
    }
    p->channels = xcalloc(p->nchannel, sizeof *p->channels);
    for (uint32_t i = 0; i < p->nchannel; i++) {
        p->channels[i].dram = dram_new(c, index * p->nchannel + i);
        p->channels[i].wake = UINT64_MAX;
    }
    p->done = xcalloc(dram_most_done(p->channels[0].dram), sizeof *p->done);
    p->free_request = p->free_transfer = MP_NONE;
    p->one_cost = (uint64_t)((1 << MP_FRACTION) * c->l2_request_cycles);
    p->byte_cost = (uint64_t)((1 << MP_FRACTION) / c->l2_slice_bytes + 0.5);
    p->port_cost = (uint64_t)((32 << MP_FRACTION) / c->l2_slice_request_bytes + 0.5);
    p->ask_cost = (uint64_t)((c->l2_read_request_bytes << MP_FRACTION) / c->l2_slice_request_bytes + 0.5);
    p->fabric_cost = (uint64_t)((32 << MP_FRACTION) / c->l2_fabric_bytes + 0.5);
    p->partial_cost = (uint64_t)((1 << MP_FRACTION) * c->l2_partial_write_cycles);
    p->partial_request_cost = (uint64_t)((1 << MP_FRACTION) * c->l2_partial_request_cycles);
    p->atomic_cost = (uint64_t)((1 << MP_FRACTION) * c->l2_atomic_interval_cycles);
    p->whole_cost = (uint64_t)((1 << MP_FRACTION) * c->l2_atomic_whole_cycles);
    p->again_cost = (uint64_t)((1 << MP_FRACTION) * c->l2_atomic_again_cycles);
    p->forward_cost = (uint64_t)((1 << MP_FRACTION) * c->l2_forward_cycles);
    p->out = xcalloc(c->ngpc, sizeof *p->out);
    wheel_init(&p->wheel);
    return p;
}

void mempart_free(struct mempart *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->nchannel; i++) {
        dram_free(p->channels[i].dram);
        free(p->channels[i].late);
    }
    free(p->slices);
    free(p->channels);
    free(p->requests);
    free(p->written);
    free(p->places);
    free(p->fills);
    free(p->transfers);
    free(p->done);
    wheel_finish(&p->wheel);
    msgbox_finish(&p->in);
    for (uint32_t g = 0; g < p->cfg->ngpc; g++)
        msgbox_finish(&p->out[g]);
    free(p->out);
    storelog_free(p->log);
    free(p);
}

/* ---- running ------------------------------------------------------------------------------------------- */
/* Every request enters by the slice of its SM's half. What comes with it takes time at that slice's port (of atomics
 * all that was sent: the profiler's lts__xbar2lts_cycles_active, and they go on when it has come); atomics for the
 * other half take the slice's time itself: each sector on its way there and, with a value, each line on its way back
 * (measured: 32 sectors a warp in 8 lines take 717 cycles a round of all SMs, in 32 lines 980, without a value 796 and
 * 743). When is it through? */
static cycle enter(struct mempart *p, const struct request *r, struct slice *s)
{
    uint64_t at = p->now << MP_FRACTION, start = s->port_free > at ? s->port_free : at;
    if (r->kind == MSG_WRITE || r->kind == MSG_STRONG_WRITE) {
        start = s->data_free > start ? s->data_free : start; /* they bring data, for which DRAM's wait too */
        s->port_free = s->data_free = start + mp_bits(r->need & (uint16_t)~r->joined) * p->port_cost;
    } else if (r->kind == MSG_READ) {
        s->port_free = start + p->ask_cost;
    } else {
        uint64_t *free = &s->queues[OWN].free;
        uint32_t passes = mp_bits(r->need) + (r->kind == MSG_ATOMIC);
        start = s->port_free = start + r->m.wire_bytes / 32 * p->port_cost;
        if (r->far)
            *free = (*free > at ? *free : at) + passes * p->forward_cost;
    }
    return start >> MP_FRACTION;
}

static bool asks_own_half(const struct message *m)
{
    return m->kind == MSG_READ || m->kind == MSG_PREFETCH || m->kind == MSG_STRONG_READ;
}

uint16_t mp_slice_for(const struct mempart *p, const struct message *m, const struct where *w)
{
    return (uint16_t)(asks_own_half(m) ? w->slice - w->home + half_of_sm(p->cfg, m->source) : w->slice);
}

static void receive(struct mempart *p, const struct message *m, const struct where *w)
{
    mp_apply_values(p, m);
    p->counters.part_requests++;
    uint32_t i = mp_new_request(p);
    struct request *r = &p->requests[i];
    *r = (struct request){.m = *m, .kind = m->kind, .need = m->sectors, .w = *w};
    if (m->kind == MSG_WRITE || m->kind == MSG_STRONG_WRITE)
        mp_written_bytes(p, r);
    uint32_t half = half_of_sm(p->cfg, m->source);
    r->slice = mp_slice_for(p, m, w);
    r->far = !asks_own_half(m) && half != w->home;
    cycle at = enter(p, r, &p->slices[r->w.slice - r->w.home + half]) + (r->far ? mp_far_cycles(p, r) : 0);
    if (at == p->now)
        mp_enqueue(p, i);
    else
        wheel_push(&p->wheel, at, EV_ARRIVE, i, 0);
}

static void handle(struct mempart *p, struct wheel_event e)
{
    switch (e.kind) {
    case EV_ARRIVE:
        mp_enqueue(p, e.index);
        break;
    case EV_SERVE:
        mp_serve(p, e.index, e.arg);
        break;
    case EV_FILL:
        mp_fill(p, e.index, e.arg);
        break;
    case EV_REPLY:
        mp_reply(p, e.index);
        break;
    case EV_DRAM:
        mp_run_channel(p, e.index, e.arg);
        break;
    }
}

void mempart_run(struct mempart *p, cycle from, cycle to)
{
    (void)from;
    mp_ask(p, to);
    const struct where *w = p->places;
    for (;;) {
        cycle event = wheel_next(&p->wheel), arrival = msgbox_next(&p->in), t = event < arrival ? event : arrival;
        if (t >= to)
            break;
        p->now = t;
        if (event <= arrival)
            handle(p, wheel_pop(&p->wheel));
        else
            receive(p, &p->in.m[p->in.head++], w++);
    }
    if (p->in.head == p->in.n)
        p->in.head = p->in.n = 0;
}

struct msgbox *mempart_inbox(struct mempart *p)
{
    return &p->in;
}

struct msgbox *mempart_outboxes(struct mempart *p)
{
    return p->out;
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
    must(mempart_idle(p) && p->in.n == 0);
    for (uint32_t g = 0; g < p->cfg->ngpc; g++)
        must(p->out[g].n == 0);
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
    *out = (struct channel_view){.row_hits = d->row_hits,
                                 .row_misses = d->row_misses,
                                 .row_conflicts = d->row_conflicts,
                                 .bus_busy = d->bus_busy};
    out->banks = dram_banks(p->channels[channel].dram, &out->nbank);
    out->commands = dram_records(p->channels[channel].dram, &out->ncommand);
    return true;
}

void mempart_record(struct mempart *p, uint32_t channel, bool on)
{
    dram_record(p->channels[channel].dram, on);
}
