/* The L1's tags and its table of outstanding misses. Sectored: a line's tag covers sectors that are filled one by one.
 * Streaming: a miss holds no place; the line gets its way when the data arrives. Values are not kept here. */
#ifndef HEDDLE_SIM_L1_H
#define HEDDLE_SIM_L1_H

#include "sim/sim.h"

struct l1 {
    uint32_t nset, ways_max, ways;   /* ways: what the shared-memory carve-out leaves */
    uint32_t line_bytes;
    bool hashed;
    struct l1_node *nodes;           /* set s owns nodes [s * ways_max, ..) */
    uint16_t *bucket;                /* hash of the line -> node + 1 */
    uint32_t nbucket;
    struct l1_set *sets;
    uint32_t resident;               /* lines */
};
struct l1_node {
    uint64_t line;
    uint16_t chain;                  /* next of the bucket, node + 1 */
    uint16_t newer, older;           /* recency list of the set, node + 1 */
    uint8_t valid;                   /* sectors */
};
struct l1_set {
    uint16_t newest, oldest, used;
    uint16_t free;                   /* nodes given back, chained through `chain` */
};
enum l1_insert { L1_NEWEST, L1_OLDEST };  /* evict-first lines enter at the old end */

void l1_init(struct l1 *c, const struct config *cfg, struct arena *a);
/* Gives the cache `bytes`; its contents are dropped. 0: everything misses. */
void l1_resize(struct l1 *c, const struct config *cfg, uint32_t bytes);
void l1_ask(const struct l1 *c, uint64_t line); /* into the host's caches (hostcache.h): where the line is looked for */
/* Valid sectors of a line; marks it as the newest of its set. */
uint8_t l1_lookup(struct l1 *c, uint64_t line);
/* The sectors arrive, or are written. What has to leave was written through long ago. */
void l1_fill(struct l1 *c, uint64_t line, uint8_t sectors, enum l1_insert where);
void l1_drop(struct l1 *c, uint64_t line, uint8_t sectors);
void l1_drop_all(struct l1 *c);

/* ---- outstanding misses --------------------------------------------------------------------- */
enum { MISS_NONE = 0xffffffffu };
struct miss { /* one line */
    uint64_t line;
    uint32_t chain;       /* next of the bucket, or of the free list */
    uint32_t waiters, last; /* list, first come first served */
    uint8_t pending;      /* sectors asked for and not answered */
    uint8_t requests;     /* messages under way */
    bool overtaken;       /* by a store to the line: what comes does not stay */
};
struct waiter {
    uint32_t op, next;
    uint8_t sectors;      /* still needed */
};
struct miss_table {
    struct miss *miss;
    struct waiter *waiter;
    uint32_t *bucket;
    uint32_t nbucket, free_miss, free_waiter, used, waiters_used;
};
void miss_init(struct miss_table *t, uint32_t lines, uint32_t waiters, struct arena *a);
uint32_t miss_find(const struct miss_table *t, uint64_t line);
uint32_t miss_add(struct miss_table *t, uint64_t line);      /* MISS_NONE: full */
bool miss_wait(struct miss_table *t, uint32_t miss, uint32_t op, uint8_t sectors); /* false: full */
/* An answer with `sectors` has come: calls done(arg, op) for each waiter that has all it needs; frees the entry after
 * its last message. */
void miss_answer(struct miss_table *t, uint32_t miss, uint8_t sectors, void (*done)(void *arg, uint32_t op), void *arg);

#endif
