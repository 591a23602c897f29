/* L2 tags and their policies. */
#include "sim/l2.h"

#include <string.h>

/* Line numbers have 47 bits (addresses of 2^52 bytes); the highest stand for no line or a line of no allocation. */
static const uint64_t no_number = (UINT64_C(1) << 47) - 1;

static uint16_t *marks_of(const struct l2 *s, uint32_t set)
{
    return (uint16_t *)(void *)(s->search + set * s->search_bytes);
}

static uint8_t *order_of(const struct l2 *s, uint32_t set)
{
    return s->search + set * s->search_bytes + s->ways * sizeof(uint16_t);
}

/* Lines of one set are far apart, often by powers of two: all bits of the number count. */
static uint16_t mark_of(uint64_t number)
{
    return (uint16_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 48);
}

static void set_number(struct l2_line *l, uint64_t number)
{
    l->number_low = (uint32_t)number;
    l->number_high = number >> 32 & 0x7fff;
}

/* Every way of the set is free, or holds a clean line of no allocation; the first is the first to be taken. Nobody
 * looks for what they hold, so their marks may stay. */
static void forget_set(struct l2 *s, uint32_t set, bool filled)
{
    uint8_t *order = order_of(s, set);
    for (uint32_t w = 0; w < s->ways; w++) {
        uint32_t line = set * s->ways + w;
        order[w] = (uint8_t)(s->ways - 1 - w);
        s->lines[line] = (struct l2_line){.waiters = L2_NONE, .valid = (uint16_t)(filled ? (1u << s->nsector) - 1 : 0)};
        set_number(&s->lines[line], filled ? no_number - 1 - w : no_number);
    }
}

static void forget(struct l2 *s, bool filled)
{
    for (uint32_t set = 0; set < s->sets; set++)
        forget_set(s, set, filled);
    s->ndirty = s->fifo_head = s->fifo_n = s->noutstanding = 0;
    s->dirty_sectors = 0;
    if (s->partly)
        memset(s->written, 0, (size_t)s->sets * s->ways * sizeof *s->written);
    s->partly = false;
}

void l2_init(struct l2 *s, const struct config *c, struct arena *a, struct arena *rare)
{
    *s = (struct l2){.sets = c->l2_sets, .ways = c->l2_ways, .nsector = c->l2_line_bytes / 32};
    must(s->nsector <= L2_SECTORS && s->ways <= UINT8_MAX);
    size_t n = (size_t)s->sets * s->ways, each = s->ways * (sizeof(uint16_t) + sizeof(uint8_t));
    s->search_bytes = (each + HOST_LINE - 1) / HOST_LINE * HOST_LINE;
    s->search = arena_zalloc(a, s->sets, s->search_bytes);
    s->lines = arena_zalloc(a, n, sizeof *s->lines);
    s->written = arena_zalloc(rare, n, sizeof *s->written);
    s->fifo = arena_zalloc(rare, n, sizeof *s->fifo);
    s->dirty_most = (uint32_t)((double)n * c->l2_dirty_fraction);
    forget(s, false);
}

uint32_t l2_find(const struct l2 *s, uint32_t set, uint64_t number)
{
    const uint16_t *marks = marks_of(s, set), mark = mark_of(number);
    uint32_t first = set * s->ways;
    for (uint32_t w = 0; w < s->ways; w++)
        if (marks[w] == mark && l2_number(&s->lines[first + w]) == number)
            return first + w;
    return L2_NONE;
}

void l2_touch(struct l2 *s, uint32_t set, uint32_t line)
{
    uint8_t *order = order_of(s, set), way = (uint8_t)(line - set * s->ways);
    const uint8_t *at = memchr(order, way, s->ways);
    memmove(order + 1, order, (size_t)(at - order));
    order[0] = way;
}

/* Free ways have never been used, so they are the last in the order. */
uint32_t l2_choose(const struct l2 *s, uint32_t set)
{
    const uint8_t *order = order_of(s, set);
    for (uint32_t i = s->ways; i-- > 0;) {
        uint32_t line = set * s->ways + order[i];
        if (!s->lines[line].pending && s->lines[line].waiters == L2_NONE)
            return line;
    }
    return L2_NONE;
}

static void tell_dirty(const struct l2 *s, uint32_t line, struct l2_victim *v)
{
    const struct l2_line *l = &s->lines[line];
    *v = (struct l2_victim){l2_number(l), l->dirty, l->dirty & ~l->valid};
}

void l2_replace(struct l2 *s, uint32_t set, uint32_t line, uint64_t number, struct l2_victim *v)
{
    struct l2_line *l = &s->lines[line];
    must(number < no_number - UINT8_MAX);
    tell_dirty(s, line, v);
    if (v->partial)
        memset(s->written[line], 0, sizeof s->written[line]);
    s->ndirty -= l->dirty != 0;
    s->dirty_sectors -= (uint32_t)__builtin_popcount(l->dirty);
    set_number(l, number);
    marks_of(s, set)[line - set * s->ways] = mark_of(number);
    l->valid = l->dirty = 0;
    l2_touch(s, set, line);
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
    forget(s, false);
}

void l2_fill_clean(struct l2 *s)
{
    forget(s, true);
}
