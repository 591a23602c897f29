/* The machine and its windows. All parts run a window of at most L cycles by themselves, then messages are exchanged,
 * at multiples of L values are committed, and the block scheduler acts. Private to sim/. */
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
    cycle now, window_end;
    cycle start;            /* of the launches that run */
    struct gpc_clock *clocks;
    cycle *ran_to;          /* of each item: where it stands (SMs: in own cycles) */
    cycle *next;            /* of each item: when it acts by itself */
    cycle *matrix_until;    /* of each SM: its matrix units have worked up to here, in own cycles */
    bool *wrote;            /* of each item: its log holds something */
    struct storelog **written; /* logs of these */
    uint32_t *active, nactive;
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
