/* Where stores wait for each other on their way from L1 to L2: one that names a sector of a line that still waits there
 * goes with it. Fitted to micro_join on an H200; what is known is when stores meet, not how the hardware does it. */
#ifndef HEDDLE_SIM_GATHER_H
#define HEDDLE_SIM_GATHER_H

#include "sim/sim.h"

enum { GATHER_LINES = 64 }; /* sm.l1.gather_lines is no more */
struct gathered {
    uint64_t line;
    cycle touched;   /* when the last instruction that named it had brought its last line */
    uint8_t sectors;
};
struct gather { /* all zero: nothing waits */
    struct gathered lines[GATHER_LINES]; /* in the order in which they came, from head on, round and round */
    uint32_t head, n, newest; /* newest: number (from head 0 on, ever counted) of the one that was named last */
    uint32_t gone;   /* lines that have left */
    cycle out_free;  /* the way out is taken until then */
};

/* When there is room for this line: now, or later if as many wait as can and those that made room have not left. */
cycle gather_room(const struct gather *g, const struct config *c, cycle now, uint64_t line);
/* A store to these sectors of a line at time now; its instruction has brought all its lines at `end`. Returns the sectors
 * that go with an earlier store; *lost: those that another's store still brings, which L1 then does not keep. Times must
 * not fall. */
uint8_t gather_store(struct gather *g, const struct config *c, cycle now, cycle end, uint64_t line, uint8_t sectors,
                     uint8_t *lost);

#endif
