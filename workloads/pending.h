/* Private to workloads/: measured specs whose outputs are being judged. */
#ifndef HEDDLE_WORKLOADS_PENDING_H
#define HEDDLE_WORKLOADS_PENDING_H

#include "workloads/record.h"

#include <pthread.h>

struct pending {
    struct spec *s;             /* owned, like times.warm (cold lies behind it) and runs */
    struct record_times times;  /* warm NULL: none were taken */
    double *runs;               /* of a microbenchmark's metrics, or NULL */
    pthread_t thread;
    bool threaded, ok;
    struct error err;
};
struct pending_list { struct pending *items; size_t n, cap; };
typedef void pending_fn(void *arg, const struct pending *p);
/* Begins to judge s, whose outputs were read back. */
void pending_add(struct pending_list *l, struct spec *s, struct record_times times, double *runs);
/* Waits for all, hands each to `each` in order, and empties the list. */
void pending_finish(struct pending_list *l, pending_fn *each, void *arg);

#endif
