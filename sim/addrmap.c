/* Where an address lives. Every step divides by a count that need not be a power of two (the H200 has 94 channels of 64
 * bits) and rotates the remainder by a hash of the quotient. So any run of n lines touches n targets once each, and
 * strides that share a factor with n still spread. The finest interleave is one line. */
#include "sim/mempart.h"

static uint32_t mix(uint64_t x)
{
    x ^= x >> 32;
    return hash32((uint32_t)x);
}

/* Remainder of *x by n, rotated; *x becomes the quotient. */
static uint32_t spread(uint64_t *x, uint32_t n, uint32_t salt)
{
    if (n == 1)
        return 0;
    uint64_t q = *x / n;
    uint32_t r = (uint32_t)(*x % n);
    *x = q;
    return (uint32_t)((r + (uint64_t)mix(q + salt)) % n);
}

uint32_t partition_of(const struct config *c, uint64_t line_addr)
{
    uint64_t x = line_addr / c->l2_line_bytes;
    return spread(&x, c->mem_partitions, 1);
}

void where_is(const struct config *c, uint64_t addr, struct where *w)
{
    uint64_t x = addr / c->l2_line_bytes;
    w->partition = spread(&x, c->mem_partitions, 1);
    uint32_t halves = c->l2_halves, slices = c->l2_slices / c->mem_partitions, pairs = slices / halves;
    uint32_t channels = c->dram_channels / c->mem_partitions;
    uint64_t l2 = x, dram = x;
    uint32_t pair = spread(&l2, pairs, 2);
    w->home = spread(&l2, halves, 3);
    w->slice = pair * halves + w->home;
    w->set = spread(&l2, c->l2_sets, 4);
    w->channel = spread(&dram, channels, 5);
    /* A stream goes round the bank groups, so that bursts can follow each other at tCCD_S, and stays in their rows. */
    w->bank_group = spread(&dram, c->dram_bank_groups, 6);
    uint32_t lines = c->dram_row_bytes / c->l2_line_bytes;
    lines = lines ? lines : 1;
    w->column = (uint32_t)(dram % lines) * (c->l2_line_bytes / c->dram_burst_bytes);
    dram /= lines;
    w->bank = spread(&dram, c->dram_banks, 7);
    w->row = (uint32_t)dram;
}
