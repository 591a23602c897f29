#include "sim/constant.h"

#include <string.h>

enum { WAYS = 4 };

static void cache_init(struct const_cache *c, uint32_t bytes, struct arena *a)
{
    uint32_t lines = bytes / CONST_LINE_BYTES ? bytes / CONST_LINE_BYTES : 1;
    c->ways = lines < WAYS ? lines : WAYS;
    c->nset = lines / c->ways;
    c->tag = arena_zalloc(a, (size_t)c->nset * c->ways, sizeof *c->tag);
    c->used = arena_zalloc(a, (size_t)c->nset * c->ways, sizeof *c->used);
    c->ready = arena_zalloc(a, (size_t)c->nset * c->ways, sizeof *c->ready);
}

void constant_init(struct constant_caches *c, const struct config *cfg, struct arena *a)
{
    memset(c, 0, sizeof *c);
    c->nsub = cfg->subcores < CONST_SUBCORES ? cfg->subcores : CONST_SUBCORES;
    for (uint32_t i = 0; i < c->nsub; i++)
        cache_init(&c->level0[i], cfg->const_l0_bytes, a);
    cache_init(&c->indexed, cfg->const_l0_bytes, a);
    cache_init(&c->level1, cfg->const_l1_bytes, a);
}

/* The line's slot; *hit tells whether it was there. The oldest way is taken otherwise. */
static uint32_t touch(struct const_cache *c, uint64_t line, uint64_t stamp, bool *hit)
{
    uint32_t first = (uint32_t)(line % c->nset) * c->ways, oldest = first;
    for (uint32_t i = first; i < first + c->ways; i++) {
        if (c->tag[i] == line + 1) {
            c->used[i] = stamp;
            *hit = true;
            return i;
        }
        if (c->used[i] < c->used[oldest])
            oldest = i;
    }
    c->tag[oldest] = line + 1;
    c->used[oldest] = stamp;
    *hit = false;
    return oldest;
}

enum { BANK0_BYTES = 0x210 + 4096 }; /* driver words and as many parameters as there may be */

static void drop_bank0(struct const_cache *c)
{
    for (uint32_t i = 0; i < c->nset * c->ways; i++)
        if (c->tag[i] && c->tag[i] - 1 <= BANK0_BYTES / CONST_LINE_BYTES)
            c->tag[i] = 0;
}

void constant_launch(struct constant_caches *c)
{
    bool hit;
    for (uint32_t i = 0; i < c->nsub; i++)
        drop_bank0(&c->level0[i]);
    drop_bank0(&c->indexed);
    for (uint64_t line = 0; line <= BANK0_BYTES / CONST_LINE_BYTES; line++)
        c->level1.ready[touch(&c->level1, line, ++c->touches, &hit)] = 0;
}

static cycle later(cycle a, cycle b)
{
    return a > b ? a : b;
}

static cycle level1(struct constant_caches *c, const struct config *cfg, cycle now, uint64_t line)
{
    bool hit;
    uint32_t i = touch(&c->level1, line, ++c->touches, &hit);
    if (!hit)
        c->level1.ready[i] = now + cfg->const_l2_miss_cycles;
    return later(now, c->level1.ready[i]);
}

static cycle access_line(struct constant_caches *c, const struct config *cfg, struct const_cache *l0, cycle now,
                         uint64_t line)
{
    bool hit;
    uint32_t i = touch(l0, line, ++c->touches, &hit);
    if (!hit)
        l0->ready[i] = level1(c, cfg, now, line) + cfg->const_l1_miss_cycles;
    return later(now, l0->ready[i]);
}

static uint64_t line_of(uint32_t bank, uint64_t offset)
{
    return ((uint64_t)bank << 32 | offset) / CONST_LINE_BYTES;
}

cycle constant_operand(struct constant_caches *c, const struct config *cfg, cycle now, uint32_t subcore, uint32_t bank,
                       uint32_t offset)
{
    return access_line(c, cfg, &c->level0[subcore], now, line_of(bank, offset));
}

/* Lanes of `left` that want the same word as its first lane. */
static lanemask same_word(const uint64_t *addr, lanemask left)
{
    lanemask same = 0;
    uint64_t word = addr[__builtin_ctzll(left)] / 4;
    for (lanemask m = left; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctzll(m);
        same |= (lanemask)(addr[l] / 4 == word) << l;
    }
    return same;
}

/* The words that the lanes want are read one after another, each when the one before is there; only so many
 * instructions of a sub-core are at it, and the cache gives a word each so many cycles to all (micro_constant_index: a
 * chain of reads takes 11 cycles for each word more, independent ones 2.9 for one warp, 2.0 for four or eight). */
cycle constant_indexed(struct constant_caches *c, const struct config *cfg, cycle now, uint32_t subcore, uint32_t bank,
                       const uint64_t *addr, lanemask lanes)
{
    struct const_queue *q = &c->queue[subcore];
    uint32_t place = q->next++ % cfg->const_queue;
    cycle at = later(now, q->free[place]), last = at;
    c->given = later(c->given, now);
    for (lanemask left = lanes; left; left &= ~same_word(addr, left)) {
        last = access_line(c, cfg, &c->indexed, at, line_of(bank, addr[__builtin_ctzll(left)]));
        at = last + cfg->const_next_word_cycles;
        c->given += cfg->const_word_cycles;
    }
    last = later(last, c->given - cfg->const_word_cycles);
    q->free[place] = later(at, c->given);
    return last + cfg->const_hit_cycles;
}
