#include "sim/soon.h"

#include <stdlib.h>
#include <string.h>

void soon_init(struct soon *w, uint32_t nodes, struct arena *a)
{
    memset(w, 0, sizeof *w);
    w->next = UINT64_MAX;
    w->nodes = arena_zalloc(a, nodes, sizeof *w->nodes);
    for (uint32_t i = 0; i < nodes; i++)
        w->nodes[i].next = i + 1 < nodes ? i + 1 : SOON_NONE;
}

void soon_finish(struct soon *w)
{
    eventq_finish(&w->far);
}

void soon_push(struct soon *w, cycle time, uint64_t value)
{
    must(time >= w->from);
    w->next = time < w->next ? time : w->next;
    uint32_t n = w->free;
    if (time - w->from >= SOON_SLOTS || n == SOON_NONE) {
        eventq_push(&w->far, (struct event){time, w->seq++, value});
        return;
    }
    uint32_t s = time % SOON_SLOTS;
    w->free = w->nodes[n].next;
    w->nodes[n] = (struct soon_node){value, SOON_NONE};
    if (w->busy[s / 64] >> s % 64 & 1)
        w->nodes[w->slot[s].last].next = n;
    else
        w->slot[s].first = n;
    w->slot[s].last = n;
    w->busy[s / 64] |= UINT64_C(1) << s % 64;
}

static cycle ring_next(const struct soon *w)
{
    uint32_t at = w->from % SOON_SLOTS;
    uint64_t word = w->busy[at / 64] & ~UINT64_C(0) << at % 64;
    for (uint32_t i = at / 64, k = 0; k <= SOON_WORDS; k++) {
        if (word) {
            uint32_t s = i * 64 + (uint32_t)__builtin_ctzll(word);
            return w->from + (s - at) % SOON_SLOTS;
        }
        i = (i + 1) % SOON_WORDS;
        word = w->busy[i];
    }
    return UINT64_MAX;
}

static void find_next(struct soon *w)
{
    struct event e;
    cycle t = ring_next(w);
    w->next = w->far.n && eventq_peek(&w->far, &e) && e.time < t ? e.time : t;
}

bool soon_pop(struct soon *w, cycle now, cycle *time, uint64_t *value)
{
    struct event e;
    cycle t = w->next;
    if (t > now) {
        w->from = now > w->from ? now : w->from;
        return false;
    }
    *time = t;
    if (w->far.n && eventq_peek(&w->far, &e) && e.time == t) { /* of one cycle, the far ones came first */
        eventq_pop(&w->far);
        *value = e.value;
        find_next(w);
        return true;
    }
    uint32_t s = t % SOON_SLOTS, n = w->slot[s].first;
    w->from = t;
    *value = w->nodes[n].value;
    w->slot[s].first = w->nodes[n].next;
    w->nodes[n].next = w->free;
    w->free = n;
    if (w->slot[s].first == SOON_NONE) {
        w->busy[s / 64] &= ~(UINT64_C(1) << s % 64);
        find_next(w);
    }
    return true;
}
