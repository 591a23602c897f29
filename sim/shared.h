/* Shared memory: how many passes of the data stage (wavefronts) an access needs, and its values.
 *
 * An access is served in phases of as many lanes as one pass of all banks can feed: a warp of 32 lanes in one phase for
 * 32-bit accesses, two half-warps for 64-bit, four quarter-warps for 128-bit (32 banks of 4 bytes). Within a phase lanes
 * that name the same word of a bank share it (broadcast); different words of one bank follow each other. */
#ifndef HEDDLE_SIM_SHARED_H
#define HEDDLE_SIM_SHARED_H

#include "isa/isa.h"

struct wavefronts {
    uint32_t total, ideal; /* ideal: the same lanes without conflicts: one a phase that has any lane */
};
struct banks {
    uint32_t banks, bank_bytes, nlane;
    bool merges; /* loads only: two neighbouring phases whose words together meet no conflict are served as one */
};
/* Of lanes that follow each other. */
struct wavefronts shared_wavefronts_run(const struct banks *b, lanemask mask, uint32_t bytes);
struct wavefronts shared_wavefronts(const struct banks *b, lanemask mask, const uint64_t *addr, uint32_t bytes);
/* Most lanes that name one and the same word: atomics on it follow each other. */
uint32_t shared_multiplicity(lanemask mask, const uint64_t *addr, uint32_t bytes);

/* Values. memory: byte 0 is address `base`; bounds were checked. word k of lane l is data[k][l]. */
void shared_load(const uint8_t *memory, uint32_t base, struct effect *e, lanemask mask);
void shared_store(uint8_t *memory, uint32_t base, const struct effect *e, lanemask mask);
/* Read-modify-write lane after lane in lane order; old values into the first data words, and those that compare find
 * their compare words behind them. */
void shared_atomic(uint8_t *memory, uint32_t base, struct effect *e, lanemask mask);

#endif
