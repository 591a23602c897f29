/* Constant caches: level 0 of each sub-core for operands of fixed-latency instructions, another first level for LDC (a
 * line that one brought in is a miss for the other: HU25), the SM's cache behind them, then L2. Tags only. */
#ifndef HEDDLE_SIM_CONSTANT_H
#define HEDDLE_SIM_CONSTANT_H

#include "sim/sim.h"

enum { CONST_LINE_BYTES = 64, CONST_SUBCORES = 8, CONST_QUEUE = 16 };
struct const_cache {
    uint64_t *tag;      /* address / line + 1; 0: empty */
    uint64_t *used;     /* when it was touched last: the oldest way leaves */
    cycle *ready;       /* when its fill arrives */
    uint32_t nset, ways, line_bytes;
};
struct const_queue { /* LDCs of a sub-core */
    cycle free[CONST_QUEUE]; /* when the one that has the place will have read its last word */
    uint32_t next;
};
struct constant_caches {
    struct const_cache level0[CONST_SUBCORES], indexed, level1; /* indexed: LDC */
    struct const_queue queue[CONST_SUBCORES];
    cycle operands_from; /* bank 0 */
    cycle given; /* the cache has given all words that were asked of it */
    uint64_t touches;
    uint32_t nsub;
};
void constant_init(struct constant_caches *c, const struct config *cfg, struct arena *a);
/* A launch: all caches are empty, but bank 0 (driver words and parameters) comes with the launch: it lies in the SM's cache at
 * once, and operands can be read from it from that cycle on. */
void constant_launch(struct constant_caches *c, cycle operands_from);
/* Cycle at which the operand of a fixed-latency instruction can be used; now: at once. */
cycle constant_operand(struct constant_caches *c, const struct config *cfg, cycle now, uint32_t subcore, uint32_t bank, uint32_t offset);
/* LDC: cycle at which what the lanes read at addr[lane] can be used. */
cycle constant_indexed(struct constant_caches *c, const struct config *cfg, cycle now, uint32_t subcore, uint32_t bank,
                       const uint64_t *addr, lanemask lanes);

#endif
