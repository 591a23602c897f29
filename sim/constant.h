/* Constant caches: level 0 of each sub-core for operands of fixed-latency instructions, another first level for LDC (a
 * line that one brought in is a miss for the other: HU25), the SM's cache behind them, then L2. Tags only. */
#ifndef HEDDLE_SIM_CONSTANT_H
#define HEDDLE_SIM_CONSTANT_H

#include "sim/sim.h"

enum { CONST_LINE_BYTES = 64, CONST_SUBCORES = 8 };
struct const_cache {
    uint64_t *tag;      /* address / line + 1; 0: empty */
    uint64_t *used;     /* when it was touched last: the oldest way leaves */
    cycle *ready;       /* when its fill arrives */
    uint32_t nset, ways;
};
struct constant_caches {
    struct const_cache level0[CONST_SUBCORES], indexed, level1; /* indexed: LDC */
    uint64_t touches;
    uint32_t nsub;
};
void constant_init(struct constant_caches *c, const struct config *cfg, struct arena *a);
/* A launch: bank 0 (driver words and parameters) is new, and lies in the SM's cache, since it comes with the launch; a
 * warm launch's measured time has room for no two misses to L2. The other banks stay where they are. */
void constant_launch(struct constant_caches *c);
/* Cycle at which the operand can be used; now: at once. */
cycle constant_access(struct constant_caches *c, const struct config *cfg, cycle now, uint32_t subcore, bool fixed,
                      uint32_t bank, uint32_t offset);

#endif
