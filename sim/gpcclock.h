/* The clock of a GPC. The simulation's time is in cycles of the full SM clock; the SMs of a GPC live in cycles of their
 * own, which are longer while matrix units work there. One number for each: `own` of the GPC, `time` of all. Memory,
 * the ports of the interconnect and the block scheduler know only the time; what passes between them and an SM is
 * converted by the hub (what waits at a port when the clock changes goes on as it was reckoned). Private to sim/. */
#ifndef HEDDLE_SIM_GPCCLOCK_H
#define HEDDLE_SIM_GPCCLOCK_H

#include "base/base.h"

struct clock_part { /* from the own cycle `own` on, which begins at `begins`; both lengths with 16 fractional bits */
    cycle own;
    uint64_t begins, period;
};
struct gpc_clock {
    struct clock_part *part; /* of this launch, so that times gone by can be converted too; at least one */
    size_t n, cap;
    bool low;
    cycle seen; /* matrix work up to here (own) has been answered for */
};
extern const struct gpc_clock gpc_clock_full; /* never lowered: own cycles are the time */

void gpc_clock_begin(struct gpc_clock *g, cycle now); /* full clock; own cycles are the time again */
void gpc_clock_finish(struct gpc_clock *g);
/* Lasts a cycle `period` from time `at` on (1: full clock), and stands still for `still` first. */
void gpc_clock_change(struct gpc_clock *g, cycle at, double period, double still);
/* The first own cycle that begins at time t or later. */
cycle gpc_clock_own(const struct gpc_clock *g, cycle t);
/* The same of a time with `fraction` fractional bits (16 at most), no cycle begun: for ports with a bandwidth. */
uint64_t gpc_clock_own_fixed(const struct gpc_clock *g, uint64_t t, uint32_t fraction);
uint64_t gpc_clock_time_fixed(const struct gpc_clock *g, uint64_t own, uint32_t fraction);
/* The time in which an own cycle begins: gpc_clock_own(gpc_clock_time(x)) is x. */
cycle gpc_clock_time(const struct gpc_clock *g, cycle own);

#endif
