/* The machine and its windows. SMs run a window by themselves, then their requests are carried, memory partitions run,
 * their answers are carried, at the end of a period values are committed, and the block scheduler acts. Private to sim/.
 *
 * A message takes L cycles or more. So with SMs at time T, partitions can be run to T + L, and SMs from there, since
 * what they ask comes back after 2L at the earliest, to T + 2L: the partitions' lead is L and a period 2L. That halves how
 * often each part's state has to come into the host's caches. Launches in which somebody can see sooner what others did
 * (launch_meets) run with no lead: all parts stand at T, and a period is L. */
#ifndef HEDDLE_SIM_ENGINE_H
#define HEDDLE_SIM_ENGINE_H

#include "sim/blocks.h"
#include "sim/crew.h"
#include "sim/gpcclock.h"
#include "sim/hub.h"
#include "sim/mempart.h"
#include "sim/sm.h"

struct engine {
    const struct config *cfg;
    const struct gpu_options *opt;
    struct memory *mem;
    struct sm **sms;
    struct mempart **parts;
    struct msgbox **sm_in, **sm_out;
    struct storelog **logs; /* SMs, then partitions: in order of source */
    uint32_t npart, nitem;  /* items: SMs, then partitions */
    struct hub *hub;
    struct blocks *blocks;
    struct crew *crew;
    cycle now, window_end;  /* of SMs */
    cycle lead, period;     /* memory partitions, answers and block scheduler stand at now + lead; values are committed every period */
    cycle start;            /* of the launches that run */
    struct gpc_clock *clocks;
    cycle *ran_to;          /* of each item: where it stands (SMs: in own cycles) */
    cycle *next;            /* of each item: when it acts by itself */
    cycle *matrix_until;    /* of each SM: its matrix units have worked up to here, in own cycles */
    bool *wrote;            /* of each item: its log holds something */
    struct storelog **written; /* logs of these */
    uint32_t *active, nactive; /* items of this window, SMs first */
    uint32_t first_active;  /* of those that run now */
    uint32_t *busy_gpcs, nbusy;
    bool *shard_changed;
    /* progress */
    cycle last_change;      /* last commit that changed a value, block start or end */
    uint64_t blocks_seen;
    bool clusters;          /* some launch has clusters of several blocks */
    struct spin {           /* livelock: a suspicion, and since when */
        enum spin_step { SPIN_CALM, SPIN_BEGUN, SPIN_MARKED } step;
        cycle since, turn;  /* turn: cycles in which a loop is expected to go round */
    } spin;
    const struct observer *observer;
    const struct gpu *gpu;
    cycle longest;          /* window the observer asked for */
    struct mempart *recording; /* whose channel keeps its DRAM commands */
    uint32_t recorded_channel;
};

void engine_init(struct engine *e, const struct config *c, const struct gpu_options *o, struct memory *mem);
void engine_finish(struct engine *e);
/* Runs launches that may overlap to their end and until everything has drained. */
bool engine_run(struct engine *e, struct launch_state *const *launches, size_t n, struct error *err);

/* gpcclock.c */
void clocks_begin(struct engine *e);                    /* of a launch: no clock is lowered */
void clocks_step(struct engine *e);                     /* at multiples of L: clocks go down and up */
cycle clocks_next_change(const struct engine *e);       /* a multiple of L; UINT64_MAX: none is known */
/* Cycles that the GPC which counts most counts between two times, and the one that counts least. */
cycle clocks_counted(const struct engine *e, cycle from, cycle until, cycle *least);

/* progress.c */
bool progress_check(struct engine *e, struct error *err);   /* false: livelock */
bool progress_none(struct engine *e, struct error *err);    /* nothing will ever happen: says who waits; returns false */

#endif
