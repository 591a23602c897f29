/* L2 tags and their policies. */
#include "sim/l2.h"

#include <string.h>

static void forget(struct l2 *s)
{
    for (size_t i = 0; i < (size_t)s->sets * s->ways; i++) {
        s->numbers[i] = UINT64_MAX;
        s->lines[i] = (struct l2_line){.waiters = L2_NONE};
    }
    s->ndirty = s->fifo_head = s->fifo_n = s->noutstanding = 0;
    s->dirty_sectors = 0;
}

void l2_init(struct l2 *s, const struct config *c, struct arena *a, struct arena *rare)
{
    *s = (struct l2){.sets = c->l2_sets, .ways = c->l2_ways, .nsector = c->l2_line_bytes / 32};
    must(s->nsector <= L2_SECTORS);
    size_t n = (size_t)s->sets * s->ways;
    s->numbers = arena_zalloc(a, n, sizeof *s->numbers);
    s->lines = arena_zalloc(a, n, sizeof *s->lines);
    s->written = arena_zalloc(rare, n, sizeof *s->written);
    s->fifo = arena_zalloc(rare, n, sizeof *s->fifo);
    s->dirty_most = (uint32_t)((double)n * c->l2_dirty_fraction);
    forget(s);
}

uint32_t l2_find(const struct l2 *s, uint32_t set, uint64_t number)
{
    uint32_t first = set * s->ways;
    for (uint32_t i = first; i < first + s->ways; i++)
        if (s->numbers[i] == number)
            return i;
    return L2_NONE;
}

void l2_touch(struct l2 *s, uint32_t line)
{
    s->lines[line].used = ++s->clock;
}

uint32_t l2_choose(const struct l2 *s, uint32_t set)
{
    uint32_t first = set * s->ways, best = L2_NONE, age = 0;
    for (uint32_t i = first; i < first + s->ways; i++) {
        const struct l2_line *l = &s->lines[i];
        if (s->numbers[i] == UINT64_MAX)
            return i;
        uint32_t a = s->clock - l->used; /* wraps with the clock */
        if (!l->pending && l->waiters == L2_NONE && (best == L2_NONE || a > age)) {
            best = i;
            age = a;
        }
    }
    return best;
}

static void tell_dirty(const struct l2 *s, uint32_t line, struct l2_victim *v)
{
    const struct l2_line *l = &s->lines[line];
    *v = (struct l2_victim){s->numbers[line], l->dirty, l->dirty & ~l->valid};
}

void l2_replace(struct l2 *s, uint32_t line, uint64_t number, struct l2_victim *v)
{
    struct l2_line *l = &s->lines[line];
    tell_dirty(s, line, v);
    if (v->partial)
        memset(s->written[line], 0, sizeof s->written[line]);
    s->ndirty -= l->dirty != 0;
    s->dirty_sectors -= (uint32_t)__builtin_popcount(l->dirty);
    s->numbers[line] = number;
    l->valid = l->dirty = 0;
    l2_touch(s, line);
}

static void note_dirty(struct l2 *s, uint32_t line)
{
    struct l2_line *l = &s->lines[line];
    s->ndirty++;
    if (l->in_fifo)
        return;
    uint32_t n = s->sets * s->ways;
    s->fifo[(s->fifo_head + s->fifo_n++) % n] = line;
    l->in_fifo = true;
}

bool l2_write(struct l2 *s, uint32_t line, uint32_t sector, uint32_t bytes)
{
    struct l2_line *l = &s->lines[line];
    uint16_t bit = (uint16_t)(1u << sector);
    bool clean = !(l->dirty & bit);
    bool none_yet = clean && bytes == UINT32_MAX; /* the whole sector: no need to remember bytes */
    if (!l->dirty)
        note_dirty(s, line);
    l->dirty |= bit;
    s->dirty_sectors += clean;
    if (none_yet) {
        l->valid |= bit;
    } else if (!(l->valid & bit)) {
        uint32_t *w = &s->written[line][sector];
        s->partly = true;
        *w |= bytes;
        if (*w == UINT32_MAX) {
            l->valid |= bit;
            *w = 0;
        }
    }
    return clean;
}

void l2_fill(struct l2 *s, uint32_t line, uint16_t sectors)
{
    struct l2_line *l = &s->lines[line];
    if (l->dirty & ~l->valid & sectors)
        for (uint32_t i = 0; i < s->nsector; i++)
            if (sectors >> i & 1)
                s->written[line][i] = 0;
    l->valid |= sectors;
    l->pending &= (uint16_t)~sectors;
}

bool l2_over_bound(const struct l2 *s)
{
    return s->ndirty > s->dirty_most && s->fifo_n;
}

bool l2_clean_one(struct l2 *s, uint32_t *line, struct l2_victim *v)
{
    uint32_t n = s->sets * s->ways;
    while (l2_over_bound(s)) {
        *line = s->fifo[s->fifo_head];
        s->fifo_head = (s->fifo_head + 1) % n;
        s->fifo_n--;
        struct l2_line *l = &s->lines[*line];
        l->in_fifo = false;
        if (!l->dirty)
            continue; /* evicted meanwhile */
        tell_dirty(s, *line, v);
        s->dirty_sectors -= (uint32_t)__builtin_popcount(l->dirty);
        if (v->partial) /* completed on its way out, so the line is whole now */
            l2_fill(s, *line, v->partial);
        l->dirty = 0;
        s->ndirty--;
        return true;
    }
    return false;
}

uint64_t l2_dirty_sectors(const struct l2 *s)
{
    return s->dirty_sectors;
}

void l2_invalidate(struct l2 *s)
{
    forget(s);
    if (s->partly)
        memset(s->written, 0, (size_t)s->sets * s->ways * sizeof *s->written);
    s->partly = false;
}

void l2_fill_clean(struct l2 *s)
{
    l2_invalidate(s);
    for (size_t i = 0; i < (size_t)s->sets * s->ways; i++) {
        s->numbers[i] = UINT64_MAX - 1 - i % s->ways; /* no address has such a number */
        s->lines[i].valid = (uint16_t)((1u << s->nsector) - 1);
        s->lines[i].used = ++s->clock;
    }
}
