/* The coalescer: which 128-byte lines, and which 32-byte sectors of them, the lanes of one instruction touch. Order
 * of lanes is irrelevant; duplicates count once (profiler's definition of sectors per request). */
#ifndef HEDDLE_SIM_COALESCE_H
#define HEDDLE_SIM_COALESCE_H

#include "isa/isa.h"

enum { SECTOR_BYTES = 32, LINE_SECTORS = 4 };
/* Sectors of a line's mask; hosts without a bit-count instruction call a function for the builtin. */
static inline uint32_t sector_count(uint32_t mask) { return (uint32_t)(UINT64_C(0x4332322132212110) >> (mask & 15) * 4) & 7; }
struct line_access {
    uint64_t line;                     /* address of its first byte */
    uint32_t sectors;                  /* mask */
    lanemask lanes;                    /* lanes with a byte in it */
    uint32_t byte_mask[LINE_SECTORS];  /* bytes touched, by sector; filled when asked for */
};
struct coalesced {
    uint32_t n;                        /* lines, in order of their first lane */
    uint32_t sectors;                  /* sum over lines */
    uint64_t lowest, highest;          /* lines so far */
    struct line_access line[4 * NLANE];/* local accesses of 16 bytes touch up to four lines a lane */
};

/* bytes: of a lane, naturally aligned, so a lane never crosses a sector. byte_masks: fill them (stores). run: the lanes
 * are known to be consecutive. */
void coalesce_run(struct coalesced *c, uint32_t line_bytes, uint32_t nlane, uint64_t begin, uint32_t bytes, bool byte_masks);
void coalesce(struct coalesced *c, uint32_t line_bytes, uint32_t nlane, lanemask mask, const uint64_t *addr,
              uint32_t bytes, bool byte_masks);
/* Adds one piece of one lane (local memory, whose words lie apart). */
void coalesce_begin(struct coalesced *c);
void coalesce_add(struct coalesced *c, uint32_t line_bytes, uint32_t lane, uint64_t addr, uint32_t bytes);
void coalesce_end(struct coalesced *c);
/* addr[i] == addr[0] + i * bytes for all lanes of a full mask. */
bool lanes_consecutive(uint32_t nlane, lanemask mask, const uint64_t *addr, uint32_t bytes);
/* All lanes of the mask have one address. */
bool lanes_equal(uint32_t nlane, lanemask mask, const uint64_t *addr);
/* Sectors that the bytes asked for would need at least. */
uint32_t sectors_ideal(lanemask mask, uint32_t bytes);

#endif
