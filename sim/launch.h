/* A launch made ready: limits checked, occupancy, and the constant bank that a kernel sees. */
#ifndef HEDDLE_SIM_LAUNCH_H
#define HEDDLE_SIM_LAUNCH_H

#include "sim/memory.h"
#include "sim/sm.h"

/* Addresses that the driver would have put in the constant bank. */
struct driver_words {
    uint64_t grid_id;
    uint64_t cooperative; /* workspace of the grid barrier, 0: none */
    uint64_t params;      /* device copy of the constant bank, 0: none */
    uint64_t constants;   /* of bank 3, for pointers to __constant__ variables, 0: none */
};
/* Is the machine able to run this program at all? */
bool launch_accepts(const struct config *c, const struct program *p, struct error *err);
bool launch_prepare(struct launch_state *ls, const struct config *c, const struct launch *l, uint32_t index,
                    const uint8_t *const *banks, struct error *err);
/* True if the kernel's code reads c[0x0][offset]. */
bool launch_reads(const struct kernel *k, uint32_t offset);
/* Offset of the word that points to the cooperative workspace (low half). */
uint32_t launch_cooperative_offset(enum arch a);
/* Offset of the address of bank 3. */
uint32_t launch_constants_offset(enum arch a);
/* May one SM notice what another did, or what L2 did with its own request, in less time than a request takes to L2 and
 * back? Strong accesses, atomics and fences order values, blocks of a cluster reach one another, and a GPC whose SMs use
 * matrix units changes its clock. */
bool launch_meets(const struct launch_state *ls);
/* Writes the image of bank 0. After launch_prepare. */
void launch_fill_bank(struct launch_state *ls, const struct config *c, const struct driver_words *d);
void launch_finish(struct launch_state *ls);

#endif
