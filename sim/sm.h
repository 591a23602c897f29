/* A streaming multiprocessor: block and warp slots, four sub-cores (fetch, issue, operands, units), barriers. */
#ifndef HEDDLE_SIM_SM_H
#define HEDDLE_SIM_SM_H

#include "sim/cluster.h"
#include "sim/gpcclock.h"
#include "sim/lsu.h"

struct launch_state { /* one launch in flight; owned by the engine, read by SMs */
    struct launch launch;
    struct launch_env env; /* constant banks with parameters, grid, windows: what warps need */
    uint32_t index;
    struct occupancy occupancy;
    uint32_t warps_per_block;
    uint64_t nblock, next_block, blocks_done;
    cycle start, end;
    bool finished, clustered; /* clustered: by its launch or its kernel, if only of one block */
    bool cold_code;           /* L2 does not hold the kernel's code */
    struct cluster_map map;
    struct cfg cfg;
    struct timing *timing; /* made by sm_launch_begin */
    uint8_t *skip;         /* matrix products that are not computed; NULL: all are */
};
struct sm_fault {
    bool set;
    cycle time;
    enum exit_status status;
    char text[2048]; /* kernel, pc, source line, block, thread, address, nearest allocation */
};
struct sm;

/* The kernel's instructions as the SMs' timing sees them, shared by all of them. Once a launch, when env is filled and
 * before sm_prepare. False: an instruction that this machine cannot run. */
bool sm_launch_begin(const struct config *c, struct launch_state *ls, struct error *err);
void sm_launch_end(struct launch_state *ls);
/* Multiplications and additions of a warp in one matrix instruction; 0: it is none. */
uint64_t sm_matrix_flops(const struct inst *in);

struct sm *sm_new(const struct config *c, uint32_t smid, struct memory *mem, const struct gpu_options *o);
void sm_free(struct sm *s);
/* How to reach the payloads of other SMs' requests. */
struct sm_peers {
    struct payload_head *(*payload)(void *arg, uint32_t source, uint32_t index);
    void *arg;
};
void sm_set_peers(struct sm *s, struct sm_peers peers);
/* All times of an SM, its boxes' included, are in its GPC's own cycles; gpc_clock_full without this call. Records are in the
 * time of all. */
void sm_set_clock(struct sm *s, const struct gpc_clock *clock);
/* launches: array the engine owns; MSG_BLOCK_LAUNCH's tag indexes it. Resets counters of the launch. */
void sm_prepare(struct sm *s, struct launch_state *const *launches, size_t n);
/* Runs [from, to): steps by cycle while it can issue, jumps otherwise. Takes its inbox, fills its outbox. */
void sm_run(struct sm *s, cycle from, cycle to);
struct msgbox *sm_inbox(struct sm *s);
struct msgbox *sm_outbox(struct sm *s);
struct storelog *sm_log(struct sm *s);
struct payload_head *sm_payload(struct sm *s, uint32_t index);
bool sm_idle(const struct sm *s);        /* no block resident, nothing outstanding */
cycle sm_next_event(const struct sm *s); /* UINT64_MAX: only a message can wake it */
const struct sm_fault *sm_fault(const struct sm *s);
struct sm_counters *sm_counters(struct sm *s);
cycle sm_matrix_until(const struct sm *s); /* matrix units have worked up to here (0: never) */
const struct pc_counters *sm_pcs(struct sm *s, size_t launch, uint32_t *n);
/* Deadlock inside the SM: adds "block b warp w waits for .. at pc .." lines to out; false if every warp can go on. */
bool sm_describe_stuck(struct sm *s, struct sb *out);
/* No warp can do anything that others would see, and nothing is under way: at most tests of mbarriers are repeated. */
bool sm_only_waits(const struct sm *s);
/* Livelock detection (recur.c): begin remembers which instructions have run; mark, some turns later, what of every
 * warp's state the instructions run since then depend on; recurs says whether every warp has come back to it, or waits
 * for another warp. */
void sm_watch_begin(struct sm *s);
void sm_watch_mark(struct sm *s);
bool sm_watch_recurs(struct sm *s);
void sm_watch_end(struct sm *s);
void sm_describe_loops(const struct sm *s, struct sb *out); /* where its first warps are */

/* The one function that says what holds a warp: report, viewer and watchdog ask it. */
/* reason selected: it can issue. */
struct why {
    enum stall reason;
    bool resident;
    uint32_t pc;
    lanemask active;
};
struct why sm_warp_why(const struct sm *s, uint32_t warp, cycle now);

/* Records and views for observers, valid at a barrier between windows. sm_record empties the records and says whether
 * the next window is recorded. */
void sm_record(struct sm *s, bool on, bool accesses);
void sm_view_get(const struct sm *s, struct sm_view *v);
void sm_warp_view_get(const struct sm *s, uint32_t warp, cycle now, struct warp_view *v);
struct lsu *sm_lsu(struct sm *s);

#endif
