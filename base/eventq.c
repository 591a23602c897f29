/* Binary heap of events; equal times leave in key order. */
#include "base/base.h"

#include <stdlib.h>

static bool before(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->key < b->key;
}

void eventq_push(struct eventq *q, struct event e)
{
    q->heap = grow(q->heap, q->n, &q->cap, sizeof q->heap[0]);
    size_t i = q->n++;
    while (i > 0 && before(&e, &q->heap[(i - 1) / 2])) {
        q->heap[i] = q->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    q->heap[i] = e;
}

bool eventq_peek(const struct eventq *q, struct event *e)
{
    if (q->n == 0)
        return false;
    *e = q->heap[0];
    return true;
}

struct event eventq_pop(struct eventq *q)
{
    must(q->n > 0);
    struct event top = q->heap[0], last = q->heap[--q->n];
    size_t i = 0;
    for (;;) {
        size_t c = 2 * i + 1;
        if (c >= q->n)
            break;
        if (c + 1 < q->n && before(&q->heap[c + 1], &q->heap[c]))
            c++;
        if (!before(&q->heap[c], &last))
            break;
        q->heap[i] = q->heap[c];
        i = c;
    }
    q->heap[i] = last;
    return top;
}

void eventq_finish(struct eventq *q)
{
    free(q->heap);
    *q = (struct eventq){0};
}
