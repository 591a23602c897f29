/* A timer wheel. */
#include "sim/wheel.h"

#include <stdlib.h>
#include <string.h>

void wheel_init(struct wheel *w)
{
    memset(w, 0, sizeof *w);
    for (uint32_t i = 0; i < WHEEL_SPAN; i++)
        w->bucket[i].first = WHEEL_NONE;
    w->free = WHEEL_NONE;
    w->next = UINT64_MAX;
    w->next_known = true;
}

void wheel_finish(struct wheel *w)
{
    free(w->pool);
    eventq_finish(&w->far);
}

static uint32_t take_event(struct wheel *w)
{
    if (w->free != WHEEL_NONE) {
        uint32_t e = w->free;
        w->free = w->pool[e].next;
        return e;
    }
    w->pool = grow(w->pool, w->npool, &w->cap, sizeof *w->pool);
    return (uint32_t)w->npool++;
}

static void put(struct wheel *w, cycle at, uint32_t e)
{
    uint32_t i = at % WHEEL_SPAN;
    struct wheel_bucket *b = &w->bucket[i];
    w->pool[e].next = WHEEL_NONE;
    if (b->first == WHEEL_NONE) {
        b->first = e;
        w->used[i / 64] |= UINT64_C(1) << i % 64;
    } else {
        w->pool[b->last].next = e;
    }
    b->last = e;
}

void wheel_push(struct wheel *w, cycle at, uint32_t kind, uint32_t index, uint32_t arg)
{
    uint32_t e = take_event(w);
    if (at < w->now)
        at = w->now;
    w->pool[e] = (struct wheel_event){WHEEL_NONE, kind, index, arg};
    w->count++;
    if (w->next_known && at < w->next)
        w->next = at;
    if (at - w->now < WHEEL_SPAN)
        put(w, at, e);
    else
        eventq_push(&w->far, (struct event){at, w->order++, e});
}

/* First used bucket at or after the one of `now`, going round; the wheel is not empty. */
static cycle first_bucket(const struct wheel *w)
{
    uint32_t start = w->now % WHEEL_SPAN, word = start / 64;
    uint64_t bits = w->used[word] & ~UINT64_C(0) << start % 64;
    for (uint32_t i = 0; i <= WHEEL_SPAN / 64; i++) {
        if (bits) {
            uint32_t b = word * 64 + (uint32_t)__builtin_ctzll(bits);
            return w->now + (b - start + WHEEL_SPAN) % WHEEL_SPAN;
        }
        word = (word + 1) % (WHEEL_SPAN / 64);
        bits = w->used[word];
        if (word == start / 64)
            bits &= ~(~UINT64_C(0) << start % 64);
    }
    return UINT64_MAX;
}

/* Events of the heap enter the ring before anything can be put behind them: those of a cycle keep their order. */
static void advance(struct wheel *w, cycle now)
{
    w->now = now;
    struct event e;
    while (w->far.n && eventq_peek(&w->far, &e) && e.time - now < WHEEL_SPAN)
        put(w, e.time, (uint32_t)eventq_pop(&w->far).value);
}

cycle wheel_find(struct wheel *w)
{
    cycle t = w->count ? first_bucket(w) : UINT64_MAX;
    struct event e;
    if (t == UINT64_MAX && eventq_peek(&w->far, &e))
        t = e.time;
    w->next = t;
    w->next_known = true;
    return t;
}

struct wheel_event wheel_pop(struct wheel *w)
{
    cycle t = wheel_next(w);
    must(t != UINT64_MAX);
    if (t != w->now)
        advance(w, t);
    uint32_t b = t % WHEEL_SPAN, e = w->bucket[b].first;
    struct wheel_event out = w->pool[e];
    w->bucket[b].first = out.next;
    w->next_known = out.next != WHEEL_NONE; /* another of this cycle */
    if (out.next == WHEEL_NONE)
        w->used[b / 64] &= ~(UINT64_C(1) << b % 64);
    w->pool[e].next = w->free;
    w->free = e;
    w->count--;
    return out;
}

void wheel_look(const struct wheel *w, cycle to, void (*f)(void *arg, const struct wheel_event *e), void *arg)
{
    cycle end = to - w->now < WHEEL_SPAN ? to : w->now + WHEEL_SPAN;
    for (cycle t = w->now; t < end; t++) {
        uint32_t b = t % WHEEL_SPAN;
        uint64_t left = w->used[b / 64] >> b % 64;
        if (!left) {
            t |= 63; /* no other of these 64 */
            continue;
        }
        t += (cycle)__builtin_ctzll(left);
        for (uint32_t e = t < end ? w->bucket[t % WHEEL_SPAN].first : WHEEL_NONE; e != WHEEL_NONE; e = w->pool[e].next)
            f(arg, &w->pool[e]);
    }
}
