/* The one message between partitions, and the boxes it travels in.
 *
 * An endpoint is an SM (0..nsm-1), a memory partition (nsm..), or the hub (the last): the hub holds the
 * block scheduler and the ports that several partitions share (TPC, GPC) and runs at the barrier between
 * windows. A message leaves its sender's outbox at the end of the window in which it was sent and arrives
 * at least L cycles after it was sent; receivers take messages in order of (time, source, seq), so the
 * result does not depend on host threads or on the window length. */
#ifndef HEDDLE_SIM_MESSAGE_H
#define HEDDLE_SIM_MESSAGE_H

#include "base/base.h"

enum msg_kind {
    MSG_READ,          /* sectors of a line; answered by MSG_READ_REPLY */
    MSG_WRITE,         /* sectors, with byte masks in the payload when partial; answered by MSG_WRITE_ACK */
    MSG_ATOMIC,        /* payload: per-lane words; answered by MSG_ATOMIC_REPLY, results in the payload */
    MSG_REDUCE,        /* as MSG_ATOMIC, answered by MSG_WRITE_ACK */
    MSG_STRONG_READ,   /* value taken at L2 in delivery order; answered by MSG_ATOMIC_REPLY */
    MSG_STRONG_WRITE,  /* value applied at L2 in delivery order; answered by MSG_WRITE_ACK */
    MSG_PREFETCH,      /* L2 only; answered by MSG_WRITE_ACK */
    MSG_READ_REPLY,
    MSG_WRITE_ACK,
    MSG_ATOMIC_REPLY,
    MSG_BLOCK_LAUNCH,  /* hub -> SM: tag = index of the launch, addr = linear block number */
    MSG_BLOCK_DONE,    /* SM -> hub: the same; wire_bytes: cycles that it waited for its stores */
    MSG_REMOTE_SHARED, /* SM -> SM of one cluster: payload as MSG_ATOMIC; answered by MSG_REMOTE_REPLY */
    MSG_REMOTE_REPLY,
    MSG_CLUSTER_ARRIVE, /* SM -> SM of one cluster: tag = launch, addr = block, payload = rank of the sender and phase */
    MSG_CLUSTER_GONE,   /* the same: the sender's block has ended */
    MSG_KIND_COUNT
};
enum { PAYLOAD_NONE = 0xffffffffu, PAYLOAD_SHARED = 0xfffffffeu }; /* shared: an answer to another SM's read, see coalescer.h */

struct message {
    cycle time;           /* in an outbox: when it was sent; in an inbox: when it arrives */
    uint32_t source, seq; /* endpoint, and a number that its source counts up */
    uint32_t dest;
    uint32_t tag;         /* the sender's own; a reply returns it */
    uint32_t payload;     /* index in the requester's payload pool, PAYLOAD_NONE: none */
    uint16_t wire_bytes;  /* what it costs on the interconnect: header + data */
    uint8_t kind;
    uint8_t sectors;      /* mask of the line's 32-byte sectors */
    uint64_t addr;        /* line address */
};

/* The order of delivery; the same for any number of host threads. */
static inline bool message_before(const struct message *a, const struct message *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->source != b->source)
        return a->source < b->source;
    return a->seq < b->seq;
}

/* Data that travels beside a message. Written by the requester before sending; the receiver may read it
 * and (atomics) write results; the requester frees it on the answer. Barriers between windows order all
 * accesses, so no lock is needed. */
struct payload_head {
    uint32_t byte_mask[4];    /* MSG_WRITE: bytes of each of the line's sectors that are written */
    uint8_t joined;           /* and those that go with an earlier write, at no cost: a bit a sector */
};
struct payload {              /* all but MSG_WRITE, which brings a head and nothing behind it */
    struct payload_head head;
    uint32_t next_free;
    uint8_t bytes;            /* of a lane */
    uint64_t mask;            /* lanes */
    const void *inst;         /* struct inst of an atomic */
    uint64_t addr[64];        /* byte address of each lane */
    uint32_t mbarrier[64];    /* remote shared memory: where the bytes count, 0: nowhere */
    uint32_t data[8][64];     /* operands in, old values out; stores: the value */
};

static inline struct payload *payload_whole(struct payload_head *h) /* of other kinds than MSG_WRITE */
{
    return (struct payload *)(void *)h;
}

struct msgbox { /* growable array; capacity is kept, so nothing allocates once warm */
    struct message *m;
    size_t n, cap;
    size_t head;          /* inbox: first message not yet taken */
};
void msgbox_grow(struct msgbox *b);
static inline void msgbox_push(struct msgbox *b, struct message m)
{
    if (b->n == b->cap)
        msgbox_grow(b);
    b->m[b->n++] = m;
}
void msgbox_sort(struct msgbox *b);  /* by (time, source, seq), from head on; drops what was taken */
void msgbox_finish(struct msgbox *b);
/* The next message with time <= now, or NULL; the caller then does head++. */
static inline struct message *msgbox_peek(struct msgbox *b, cycle now)
{
    return b->head < b->n && b->m[b->head].time <= now ? &b->m[b->head] : NULL;
}
/* Time of the next message, UINT64_MAX if none. */
static inline cycle msgbox_next(const struct msgbox *b)
{
    return b->head < b->n ? b->m[b->head].time : UINT64_MAX;
}

#endif
