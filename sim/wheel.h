/* Events of one part by cycle: a ring of buckets for the near future and a heap for what lies beyond. Events of one
 * cycle leave in the order in which they were put in. The ring is as long as most events lie ahead and no longer: every
 * partition has one, and all of it passes through the host's caches again and again. */
#ifndef HEDDLE_SIM_WHEEL_H
#define HEDDLE_SIM_WHEEL_H

#include "base/base.h"

enum { WHEEL_SPAN = 1024, WHEEL_NONE = 0xffffffff };
struct wheel_event {
    uint32_t next;
    uint32_t kind, index, arg;
};
struct wheel_bucket { /* events of one cycle, or of none */
    uint32_t first, last;
};
struct wheel {
    cycle now; /* no event is earlier */
    cycle next; /* of the next event, if next_known; UINT64_MAX: there is none */
    bool next_known;
    struct wheel_bucket bucket[WHEEL_SPAN];
    uint64_t used[WHEEL_SPAN / 64]; /* buckets that hold something */
    struct wheel_event *pool;
    size_t npool, cap;
    uint32_t free;
    struct eventq far;
    uint64_t order; /* of events in far */
    size_t count;
};
void wheel_init(struct wheel *w);
void wheel_finish(struct wheel *w);
void wheel_push(struct wheel *w, cycle at, uint32_t kind, uint32_t index, uint32_t arg);
cycle wheel_find(struct wheel *w); /* wheel_next when it is not known */
/* Time of the next event; UINT64_MAX: none. */
static inline cycle wheel_next(struct wheel *w)
{
    return w->next_known ? w->next : wheel_find(w);
}
/* To look at the events of the ring before `to`, in their order, without taking them: calls f for each. */
void wheel_look(const struct wheel *w, cycle to, void (*f)(void *arg, const struct wheel_event *e), void *arg);
/* The next event, whose time is wheel_next. */
struct wheel_event wheel_pop(struct wheel *w);

#endif
