#include "sim/constant.h"

#include <string.h>

enum { WAYS = 4 };

static void cache_init(struct const_cache *c, uint32_t bytes, uint32_t line_bytes, struct arena *a)
{
    uint32_t lines = bytes / line_bytes ? bytes / line_bytes : 1;
    c->line_bytes = line_bytes;
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
        cache_init(&c->level0[i], cfg->const_l0_bytes, CONST_LINE_BYTES, a);
    cache_init(&c->indexed, cfg->const_l0_bytes, CONST_LINE_BYTES, a);
    cache_init(&c->level1, cfg->const_l1_bytes, cfg->const_l1_line_bytes, a);
}

/* The slot of the line with that address; *hit tells whether it was there. The oldest way is taken otherwise. */
static uint32_t touch(struct const_cache *c, uint64_t addr, uint64_t stamp, bool *hit)
{
    uint64_t line = addr / c->line_bytes;
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

static void drop(struct const_cache *c)
{
    memset(c->tag, 0, (size_t)c->nset * c->ways * sizeof *c->tag);
    memset(c->used, 0, (size_t)c->nset * c->ways * sizeof *c->used);
}

void constant_launch(struct constant_caches *c, cycle operands_from)
{
    enum { BANK0_BYTES = 0x210 + 4096 }; /* driver words and as many parameters as there may be */
    bool hit;
    for (uint32_t i = 0; i < c->nsub; i++)
        drop(&c->level0[i]);
    drop(&c->indexed);
    drop(&c->level1);
    for (uint64_t at = 0; at < BANK0_BYTES; at += c->level1.line_bytes)
        c->level1.ready[touch(&c->level1, at, ++c->touches, &hit)] = 0;
    c->operands_from = operands_from;
}

static cycle later(cycle a, cycle b)
{
    return a > b ? a : b;
}

static cycle level1(struct constant_caches *c, const struct config *cfg, cycle now, uint64_t addr)
{
    bool hit;
    uint32_t i = touch(&c->level1, addr, ++c->touches, &hit);
    if (!hit)
        c->level1.ready[i] = now + cfg->const_l2_miss_cycles;
    return later(now, c->level1.ready[i]);
}

static cycle access_line(struct constant_caches *c, const struct config *cfg, struct const_cache *l0, cycle now,
                         uint64_t addr)
{
    bool hit;
    uint32_t i = touch(l0, addr, ++c->touches, &hit);
    if (!hit)
        l0->ready[i] = level1(c, cfg, now, addr) + cfg->const_l1_miss_cycles;
    return later(now, l0->ready[i]);
}

static uint64_t address_of(uint32_t bank, uint64_t offset)
{
    return (uint64_t)bank << 32 | offset;
}

cycle constant_operand(struct constant_caches *c, const struct config *cfg, cycle now, uint32_t subcore, uint32_t bank,
                       uint32_t offset)
{
    cycle there = access_line(c, cfg, &c->level0[subcore], now, address_of(bank, offset));
    return bank ? there : later(there, c->operands_from);
}

/* Lanes of `left` with the address of its first lane. Other bytes of the same word are another address
 * (practice_automaton, a table of bytes: 313 cycles a read, 11 for each of some 25 addresses in some 19 words). */
static lanemask same_address(const uint64_t *addr, lanemask left)
{
    lanemask same = 0;
    uint64_t first = addr[__builtin_ctzll(left)];
    for (lanemask m = left; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctzll(m);
        same |= (lanemask)(addr[l] == first) << l;
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
    for (lanemask left = lanes; left; left &= ~same_address(addr, left)) {
        last = access_line(c, cfg, &c->indexed, at, address_of(bank, addr[__builtin_ctzll(left)]));
        at = last + cfg->const_next_word_cycles;
        c->given += cfg->const_word_cycles;
    }
    last = later(last, c->given - cfg->const_word_cycles);
    q->free[place] = later(at, c->given);
    return last + cfg->const_hit_cycles;
}
