/* The table of outstanding misses: which lines are on their way and who waits for which sectors. */

#include "sim/l1.h"

static uint32_t miss_bucket(const struct miss_table *t, uint64_t line)
{
    uint64_t x = line / 32 * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(x >> 40) & (t->nbucket - 1);
}

void miss_init(struct miss_table *t, uint32_t lines, uint32_t waiters, struct arena *a)
{
    t->miss = arena_zalloc(a, lines, sizeof *t->miss);
    t->waiter = arena_zalloc(a, waiters, sizeof *t->waiter);
    for (t->nbucket = 16; t->nbucket < 2 * lines; t->nbucket *= 2)
        ;
    t->bucket = arena_zalloc(a, t->nbucket, sizeof *t->bucket);
    for (uint32_t i = 0; i < t->nbucket; i++)
        t->bucket[i] = MISS_NONE;
    for (uint32_t i = 0; i < lines; i++)
        t->miss[i].chain = i + 1 < lines ? i + 1 : MISS_NONE;
    for (uint32_t i = 0; i < waiters; i++)
        t->waiter[i].next = i + 1 < waiters ? i + 1 : MISS_NONE;
    t->free_miss = t->free_waiter = 0;
    t->used = t->waiters_used = 0;
}

uint32_t miss_find(const struct miss_table *t, uint64_t line)
{
    uint32_t i = t->bucket[miss_bucket(t, line)];
    while (i != MISS_NONE && t->miss[i].line != line)
        i = t->miss[i].chain;
    return i;
}

uint32_t miss_add(struct miss_table *t, uint64_t line)
{
    uint32_t i = t->free_miss;
    if (i == MISS_NONE)
        return i;
    uint32_t *b = &t->bucket[miss_bucket(t, line)];
    t->free_miss = t->miss[i].chain;
    t->miss[i] = (struct miss){.line = line, .chain = *b, .waiters = MISS_NONE};
    *b = i;
    t->used++;
    return i;
}

bool miss_wait(struct miss_table *t, uint32_t miss, uint32_t op, uint8_t sectors)
{
    uint32_t w = t->free_waiter;
    if (w == MISS_NONE)
        return false;
    t->free_waiter = t->waiter[w].next;
    t->waiter[w] = (struct waiter){op, MISS_NONE, sectors};
    struct miss *m = &t->miss[miss];
    if (m->waiters == MISS_NONE)
        m->waiters = w;
    else
        t->waiter[m->last].next = w;
    m->last = w;
    t->waiters_used++;
    return true;
}

static void remove_miss(struct miss_table *t, uint32_t miss)
{
    uint32_t *p = &t->bucket[miss_bucket(t, t->miss[miss].line)];
    while (*p != miss)
        p = &t->miss[*p].chain;
    *p = t->miss[miss].chain;
    t->miss[miss].chain = t->free_miss;
    t->free_miss = miss;
    t->used--;
}

void miss_answer(struct miss_table *t, uint32_t miss, uint8_t sectors, void (*done)(void *arg, uint32_t op), void *arg)
{
    struct miss *m = &t->miss[miss];
    m->pending &= (uint8_t)~sectors;
    m->requests--;
    uint32_t *p = &m->waiters, kept = MISS_NONE;
    while (*p != MISS_NONE) {
        uint32_t w = *p;
        t->waiter[w].sectors &= (uint8_t)~sectors;
        if (t->waiter[w].sectors) {
            kept = w;
            p = &t->waiter[w].next;
            continue;
        }
        *p = t->waiter[w].next;
        t->waiter[w].next = t->free_waiter;
        t->free_waiter = w;
        t->waiters_used--;
        done(arg, t->waiter[w].op);
    }
    m->last = kept;
    if (!m->requests)
        remove_miss(t, miss);
}
