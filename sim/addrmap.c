/* Where an address lives. As measured on the H200 (pairs of atomics that slow each other down, and their latency by
 * SM):
 *
 *   chunks of l2.interleave_bytes (256); four of them go a, b, a, b over two slices; a block of 16 (4 KB) uses eight
 * slices of one half of the L2, and the blocks' halves follow the parity of the block's number: 0 1 1 0 1 0 0 1 ..
 *
 * How the next block's eight slices are chosen is not known; here the blocks of a half go round its slices eight by
 * eight, and each round begins at a slice thrown at random, so any number of slices will do (47 in a half), strides
 * spread, and long stretches fill all slices alike. Sets follow one another likewise, with another start in each page:
 * a chase fills 28 of the 30 MB of a half before it misses. The parts of a line that DRAM gives at a time (64 bytes)
 * alternate between the channels of its slice; what fills one row of every channel shares rows. Two lines may be given
 * the same place in DRAM: only times follow from places. */
#include "sim/mempart.h"

enum { BLOCK_SLICES = 8 };

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* A hash's 32 bits as a number below n. */
static uint32_t below(uint64_t hash, uint32_t n)
{
    return (uint32_t)((hash & UINT32_MAX) * n >> 32);
}

struct place {
    uint32_t slice; /* of all; a half's slices are those with the same slice mod halves */
    uint32_t home;  /* half */
    uint64_t row;   /* lines of the slice before this stretch of it */
};

/* The greatest common divisor of n and BLOCK_SLICES, a power of two. */
static uint32_t common_slices(uint32_t n)
{
    uint32_t twos = n & -n;
    return twos < BLOCK_SLICES ? twos : BLOCK_SLICES;
}

static void place_of(const struct config *c, uint64_t addr, struct place *p)
{
    uint64_t chunk = addr / c->l2_interleave_bytes, block = chunk / BLOCK_CHUNKS;
    uint32_t n = c->l2_slices / c->l2_halves, k = (uint32_t)(chunk % BLOCK_CHUNKS);
    uint32_t common = common_slices(n), round = n / common, laps = BLOCK_SLICES / common;
    p->home = l2_home(c, addr);
    block /= c->l2_halves;
    uint64_t turn = block / round; /* so many blocks go round the slices so many times */
    uint32_t at = BLOCK_SLICES * (uint32_t)(block % round) + 2 * (k / 4) + k % 2;
    p->slice = (below(mix(2 * turn + p->home), n) + at) % n * c->l2_halves + p->home;
    p->row = (turn * laps + at / n) * 2 + k / 2 % 2; /* each time round it gets two chunks */
}

uint32_t partition_of(const struct config *c, uint64_t line_addr)
{
    struct place p;
    place_of(c, line_addr, &p);
    return p.slice / (c->l2_slices / c->mem_partitions);
}

uint32_t own_channels(const struct config *c)
{
    return c->dram_channels % c->l2_slices == 0 ? c->dram_channels / c->l2_slices : 0;
}

void where_is(const struct config *c, uint64_t addr, struct where *w)
{
    struct place p;
    place_of(c, addr, &p);
    uint32_t slices = c->l2_slices / c->mem_partitions, channels = c->dram_channels / c->mem_partitions;
    uint64_t line = addr / c->l2_line_bytes, chunk_lines = c->l2_interleave_bytes / c->l2_line_bytes;
    w->partition = (uint16_t)(p.slice / slices);
    w->slice = (uint16_t)(p.slice % slices);
    w->home = (uint8_t)p.home;
    uint64_t own_line = p.row * chunk_lines + line % chunk_lines;
    w->set = (uint16_t)((own_line + below(mix(addr / c->page_bytes + 0x5e7), c->l2_sets)) % c->l2_sets);
    uint32_t own = own_channels(c);
    w->channel =
        (uint16_t)(own ? w->slice * own + (uint32_t)(own_line % own) : (uint32_t)(own_line + p.slice) % channels);
    /* A region is what fills one row of every channel. Successive regions go round the bank groups and banks. */
    uint64_t region = addr / ((uint64_t)c->dram_row_bytes * c->dram_channels);
    uint32_t banks = c->dram_bank_groups * c->dram_banks;
    uint64_t round = region / banks, rows = c->memory_bytes / ((uint64_t)c->dram_row_bytes * c->dram_channels * banks);
    uint32_t bank =
        (uint32_t)((region - round * banks + below(mix(round * c->dram_channels + w->channel), banks)) % banks);
    w->bank_group = (uint8_t)(bank % c->dram_bank_groups);
    w->bank = (uint8_t)(bank / c->dram_bank_groups);
    w->row = (uint32_t)(rows ? round % rows : 0);
    w->column = (uint16_t)(addr % c->dram_row_bytes / c->dram_burst_bytes);
}
