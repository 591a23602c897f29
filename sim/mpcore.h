/* The inside of a memory partition. Private to the mempart files. */
#ifndef HEDDLE_SIM_MPCORE_H
#define HEDDLE_SIM_MPCORE_H

#include "sim/dram.h"
#include "sim/l2.h"
#include "sim/mempart.h"
#include "sim/wheel.h"

enum { MP_NONE = 0xffffffffu, MP_FRACTION = 12, MESSAGE_SECTORS = 8 };
enum mp_event { EV_ARRIVE, EV_SERVE, EV_FILL, EV_REPLY, EV_DRAM };
enum { KIND_FORWARD = MSG_KIND_COUNT }; /* a request between the halves */

struct request {
    struct message m;
    uint32_t next;  /* in a slice's queue, or in a line's waiters */
    uint16_t slice; /* that serves it */
    uint16_t need;  /* sectors */
    uint16_t joined; /* writes: those that go with an earlier write, at no cost */
    uint8_t kind;
    bool far;      /* writes, atomics: travelled to the other half */
    struct where w;
    uint32_t line; /* KIND_FORWARD: line of slice `back` that waits */
    uint16_t back;
    uint32_t busy; /* atomics: cycles of the slice from the first pass to the last */
};
enum transfer_kind { READ_LINE, READ_REST, WRITE_LINE };
struct transfer { /* between a line and DRAM, or from the home slice to the copy */
    uint64_t number;
    uint32_t slice, line, next;
    uint16_t sectors, partial;
    uint8_t kind;
};
struct queue { /* requests that wait for a slice */
    uint32_t first, last;
    uint64_t free; /* the next may be served, 12 fractional bits */
    bool scheduled, stalled;
};
enum { OWN, FAR, QUEUES }; /* of SMs; of the other half's slices, which must not wait for this half's own misses */
struct slice {
    struct l2 l2;
    struct queue queues[QUEUES];
    uint64_t port_free;     /* the interconnect can bring something again, 12 fractional bits */
    uint64_t data_free;     /* data can be taken in again, from there or from DRAM */
    uint64_t atomic_sector; /* of the last floating-point atomic */
    cycle distance;         /* there and back, beyond that of the nearest */
};
struct channel {
    struct dram *dram;
    struct dram_access *late; /* found no room */
    size_t nlate, cap, head;
    cycle wake; /* of the live EV_DRAM event */
};
struct mempart {
    const struct config *cfg;
    uint32_t index, id;
    struct memory *mem;
    payload_fn *payload_of;
    void *arg;
    struct storelog *log;
    struct msgbox in, *out; /* out: [gpc] */
    struct where *places;   /* scratch: of what arrives in this run */
    uint32_t *fills;        /* scratch: transfers whose data comes in this run */
    size_t place_cap, nfill, fill_cap;
    struct wheel wheel;
    struct slice *slices;
    struct channel *channels;
    uint32_t nslice, nchannel, halves;
    uint32_t own_channels; /* of a slice, see channel_of_part */
    uint32_t nstalled;     /* queues */
    struct request *requests;
    uint32_t (*written)[MESSAGE_SECTORS]; /* of requests that write: bytes of each sector that they cover */
    size_t nrequest, request_cap, written_cap;
    uint32_t free_request, live;
    struct transfer *transfers;
    size_t ntransfer, transfer_cap;
    uint32_t free_transfer;
    struct dram_done *done;
    struct dram_counters at_start; /* sums over channels when the launch began */
    struct mp_counters counters;
    uint32_t seq;
    cycle now;
    uint64_t one_cost;  /* of any request, in 1/4096 cycle */
    uint64_t byte_cost; /* of data that a slice answers with, in 1/4096 cycle */
    uint64_t port_cost, ask_cost,
        fabric_cost; /* of a sector that comes in; of a read that comes in; of a sector for the other half's copy */
    uint64_t partial_cost, partial_request_cost; /* of a sector partly written; of the request beside */
    uint64_t atomic_cost, whole_cost,
        again_cost;        /* of a pass of atomics: part of a sector, all of it, float on the last one's sector */
    uint64_t forward_cost; /* of a request that goes on to the other half */
};

static inline uint32_t mp_bits(uint16_t mask)
{
    uint32_t x = mask; /* without the instruction, which the least x86-64 lacks */
    x -= x >> 1 & 0x5555;
    x = (x & 0x3333) + (x >> 2 & 0x3333);
    x = (x + (x >> 4)) & 0x0f0f;
    return (x + (x >> 8)) & 31;
}

static inline uint32_t *mp_bytes(const struct mempart *p, const struct request *r)
{
    return p->written[r - p->requests];
}

/* One way between the halves. */
static inline cycle mp_far_cycles(const struct mempart *p, const struct request *r)
{
    bool atomic = r->kind == MSG_ATOMIC || r->kind == MSG_REDUCE;
    return p->cfg->noc_far_cycles + (atomic ? p->cfg->l2_forward_latency_cycles : 0);
}

/* mppool.c */
uint32_t mp_new_request(struct mempart *p);
void mp_drop_request(struct mempart *p, uint32_t r);
uint32_t mp_new_transfer(struct mempart *p, struct transfer t);
struct transfer mp_end_transfer(struct mempart *p, uint32_t i);

/* mpask.c */
void mp_ask(struct mempart *p, cycle to); /* before a run: places of what arrives, and requests to the host's caches */

/* mempart.c */
uint16_t mp_slice_for(const struct mempart *p, const struct message *m, const struct where *w); /* that is asked */

/* mpdram.c */
void mp_to_dram(struct mempart *p, const struct where *w, struct transfer t); /* each part of the line by itself */
bool mp_dram_has_room(const struct mempart *p, const struct where *w, bool write); /* for any part of the line */
void mp_write_back(struct mempart *p, const struct l2_victim *v);
void mp_clean_some(struct mempart *p, struct slice *s); /* the dirty policy */
void mp_run_channel(struct mempart *p, uint32_t i, uint32_t scheduled);

/* mpslice.c */
void mp_written_bytes(const struct mempart *p, struct request *r); /* of a write that has just arrived */
void mp_enqueue(struct mempart *p, uint32_t request);
void mp_serve(struct mempart *p, uint32_t slice, uint32_t queue);
void mp_fill(struct mempart *p, uint32_t transfer, bool from_dram);
void mp_reply(struct mempart *p, uint32_t request);
void mp_retry_stalled(struct mempart *p);

/* mpvalue.c */
void mp_apply_values(struct mempart *p, const struct message *m);

#endif
