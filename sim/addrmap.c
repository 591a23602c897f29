/* Where an address lives. Chunks of l2.interleave_bytes are scattered over all slices by a hash, so any number of slices
 * and channels will do (the H200 has 94 of each width) and strides spread. Atomics at random over 1, 4 and 16 KB run at
 * the rate of 2 to 4, 8 and 26 slices on the H200, which is what 256-byte chunks thrown at random give. Sets are hashed
 * line by line, so a nearly full L2 overflows in some sets (measured: a chase through 24 MB). Lines of a chunk alternate
 * between the channels of its slice; chunks of one region share DRAM rows. Two lines may be given the same place in DRAM:
 * only times follow from places. */
#include "sim/mempart.h"

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

static uint32_t slice_of(const struct config *c, uint64_t chunk)
{
    return below(mix(chunk), c->l2_slices);
}

uint32_t partition_of(const struct config *c, uint64_t line_addr)
{
    return slice_of(c, line_addr / c->l2_interleave_bytes) / (c->l2_slices / c->mem_partitions);
}

void where_is(const struct config *c, uint64_t addr, struct where *w)
{
    uint32_t slices = c->l2_slices / c->mem_partitions, channels = c->dram_channels / c->mem_partitions;
    uint64_t chunk = addr / c->l2_interleave_bytes, line = addr / c->l2_line_bytes;
    uint32_t slice = slice_of(c, chunk);
    w->partition = slice / slices;
    w->slice = slice % slices;
    w->home = w->slice % c->l2_halves;
    w->set = below(mix(line + 0x5e7), c->l2_sets);
    uint32_t own = channels >= slices && channels % slices == 0 ? channels / slices : 0;
    w->channel = own ? w->slice * own + (uint32_t)((line ^ chunk) % own) : (uint32_t)(line + chunk) % channels;
    /* A region is what fills one row of every channel. Successive regions go round the bank groups and banks. */
    uint64_t region = addr / ((uint64_t)c->dram_row_bytes * c->dram_channels);
    uint32_t banks = c->dram_bank_groups * c->dram_banks;
    uint64_t round = region / banks;
    uint32_t bank = (uint32_t)((region - round * banks + below(mix(round * c->dram_channels + w->channel), banks)) % banks);
    w->bank_group = bank % c->dram_bank_groups;
    w->bank = bank / c->dram_bank_groups;
    w->row = (uint32_t)(region & 0x7fffffff);
    w->column = (uint32_t)(addr % c->dram_row_bytes / c->dram_burst_bytes);
}
