/* Races in shared memory: a thread reads what another has written, and nothing has ordered the two. */
#ifndef HEDDLE_SIM_RACES_H
#define HEDDLE_SIM_RACES_H

#include "sim/sim.h"

struct races;
/* An access to shared memory as it passes the stage. */
struct race_access {
    const uint8_t *block; /* the block's shared memory */
    uint32_t base;        /* its first address in the code's eyes */
    uint32_t warp;        /* slot, below 64 */
    bool run;             /* all lanes, one after the other */
    cycle issued;
};

/* `memory`: the SM's shared memory of `bytes`; blocks whose shared memory lies elsewhere are not watched. */
struct races *races_new(const uint8_t *memory, uint32_t bytes);
void races_free(struct races *r);
/* What the warps (a mask of slots) wrote until now is in order for all of their block, or for the warp's own lanes. */
void races_block_met(struct races *r, uint64_t warps, cycle now);
void races_warp_met(struct races *r, uint32_t warp, cycle now);
/* A store leaves its mark; for a load, how many of its lanes race with a store. */
void races_store(struct races *r, struct race_access a, const struct effect *e, lanemask lanes);
uint32_t races_load(const struct races *r, struct race_access a, const struct effect *e, lanemask lanes);

#endif
