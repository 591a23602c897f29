/* Message boxes: growable arrays that keep their capacity, sorted in place. */
#include "sim/message.h"

#include <stdlib.h>
#include <string.h>

void msgbox_grow(struct msgbox *b)
{
    b->cap = b->cap ? b->cap * 2 : 32;
    b->m = xrealloc(b->m, b->cap, sizeof *b->m);
}

static void sift_down(struct message *m, size_t root, size_t n)
{
    struct message top = m[root];
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= n)
            break;
        if (child + 1 < n && message_before(&m[child], &m[child + 1]))
            child++;
        if (!message_before(&top, &m[child]))
            break;
        m[root] = m[child];
        root = child;
    }
    m[root] = top;
}

/* In place and without recursion or allocation; keys are unique, so stability does not matter. */
static void heap_sort(struct message *m, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift_down(m, i, n);
    for (size_t i = n; i-- > 1;) {
        struct message t = m[0];
        m[0] = m[i];
        m[i] = t;
        sift_down(m, 0, i);
    }
}

/* Boxes are nearly sorted: senders append in time order. Insertion sort, unless it moves too much. */
void msgbox_sort(struct msgbox *b)
{
    if (b->head) {
        b->n -= b->head;
        memmove(b->m, b->m + b->head, b->n * sizeof *b->m);
        b->head = 0;
    }
    size_t budget = 16 * b->n;
    for (size_t i = 1; i < b->n; i++) {
        if (!message_before(&b->m[i], &b->m[i - 1]))
            continue;
        struct message t = b->m[i];
        size_t j = i;
        do {
            b->m[j] = b->m[j - 1];
            j--;
        } while (j > 0 && message_before(&t, &b->m[j - 1]));
        b->m[j] = t;
        if (budget < i - j) {
            heap_sort(b->m, b->n);
            return;
        }
        budget -= i - j;
    }
}

void msgbox_finish(struct msgbox *b)
{
    free(b->m);
    *b = (struct msgbox){0};
}
