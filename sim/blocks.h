/* The block scheduler: which block starts when, on which SM. It belongs to the hub's side of the interconnect, so a
 * completion reaches it L cycles after the SM sent it, and a block L cycles after it was dispatched. */
#ifndef HEDDLE_SIM_BLOCKS_H
#define HEDDLE_SIM_BLOCKS_H

#include "sim/hub.h"
#include "sim/sm.h"

struct blocks;
struct blocks *blocks_new(const struct config *c);
void blocks_free(struct blocks *b);
/* Launches that may run together: those of one stream follow each other, streams overlap. All SMs are empty. */
void blocks_begin(struct blocks *b, struct launch_state *const *launches, size_t n, cycle now);
/* Does what falls due before `to`: takes completions, dispatches blocks. */
void blocks_step(struct blocks *b, struct hub *h, cycle to);
/* When it will act by itself; UINT64_MAX: only a completion can wake it. */
cycle blocks_next(const struct blocks *b);
bool blocks_finished(const struct blocks *b);
/* Blocks that wait for room, of all launches that have begun. */
uint64_t blocks_waiting(const struct blocks *b);
void blocks_count(const struct blocks *b, uint64_t *done, uint64_t *all);

#endif
