/* What was measured and waits for its verdict: comparing large outputs with the reference takes the host longer than
 * the GPU takes to run, so it goes on in threads while the next specs run. Records are added in the order of
 * measurement. */
#include "workloads/pending.h"

#include <stdlib.h>

enum { MOST_JUDGES = 8 };
static const uint64_t most_bytes = UINT64_C(4) << 30; /* of buffers that wait; the judges hold about three times that */

static void *judge(void *arg)
{
    struct pending *p = arg;
    for (uint32_t i = 0; p->ok && i < p->s->nexpect; i++)
        p->ok = spec_check(p->s, i, p->s->buffers[p->s->expects[i].buffer].out, &p->err);
    return NULL;
}

static uint64_t bytes_of(const struct spec *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->nbuffer; i++)
        sum += s->buffers[i].bytes;
    return sum;
}

static void wait_for(struct pending *p)
{
    if (p->threaded)
        pthread_join(p->thread, NULL);
    p->threaded = false;
}

static void make_room(struct pending_list *l)
{
    for (;;) {
        size_t running = 0, oldest = l->n;
        uint64_t bytes = 0;
        for (size_t i = 0; i < l->n; i++) {
            if (!l->items[i].threaded)
                continue;
            oldest = oldest == l->n ? i : oldest;
            bytes += bytes_of(l->items[i].s);
            running++;
        }
        if (oldest == l->n || (running < MOST_JUDGES && bytes < most_bytes))
            return;
        wait_for(&l->items[oldest]);
    }
}

void pending_add(struct pending_list *l, struct spec *s, struct record_times times, double *runs)
{
    make_room(l);
    if (l->n == l->cap) { /* threads point at the items: they must not move while one runs */
        for (size_t i = 0; i < l->n; i++)
            wait_for(&l->items[i]);
    }
    l->items = grow(l->items, l->n, &l->cap, sizeof *l->items);
    struct pending *p = &l->items[l->n++];
    *p = (struct pending){.s = s, .times = times, .runs = runs, .ok = true};
    p->threaded = pthread_create(&p->thread, NULL, judge, p) == 0;
    if (!p->threaded)
        judge(p);
}

void pending_finish(struct pending_list *l, pending_fn *each, void *arg)
{
    for (size_t i = 0; i < l->n; i++) {
        wait_for(&l->items[i]);
        each(arg, &l->items[i]);
        free(l->items[i].times.warm);
        free(l->items[i].runs);
        spec_free(l->items[i].s);
    }
    free(l->items);
    *l = (struct pending_list){0};
}
