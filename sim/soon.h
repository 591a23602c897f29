/* Events of the near future, in a ring of cycles: O(1) in and out, against a heap's log n. What lies further ahead waits
 * in a heap. Events of one cycle leave in the order in which they came. Small on purpose: every SM has one and touches it
 * each time a result is written. */
#ifndef HEDDLE_SIM_SOON_H
#define HEDDLE_SIM_SOON_H

#include "base/base.h"

enum { SOON_SLOTS = 256, SOON_WORDS = SOON_SLOTS / 64 };
#define SOON_NONE 0xffffffffu

struct soon_node {
    uint64_t value;
    uint32_t next;
};
struct soon {
    uint64_t busy[SOON_WORDS];   /* slots with events */
    struct soon_slot {
        uint32_t first, last;     /* nodes; last: of a busy slot */
    } slot[SOON_SLOTS];
    cycle next;                   /* of all events: UINT64_MAX if there is none */
    cycle from;                   /* events of the ring lie in [from, from + SOON_SLOTS) */
    struct soon_node *nodes;
    uint32_t free;
    struct eventq far;
    uint64_t seq;
};
void soon_init(struct soon *w, uint32_t nodes, struct arena *a); /* most events at a time in the ring */
void soon_finish(struct soon *w);
void soon_push(struct soon *w, cycle time, uint64_t value);
/* The next event's time, UINT64_MAX if there is none. */
static inline cycle soon_next(const struct soon *w) { return w->next; }
/* Takes the next event if it is due by now. Afterwards nothing earlier than `now` may be pushed. */
bool soon_pop(struct soon *w, cycle now, cycle *time, uint64_t *value);

#endif
