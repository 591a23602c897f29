/* A live simulation under control: it runs on its own thread, feeds the model at barriers, and pauses, steps, and
 * starts again (to step back) as told. The painter locks the session while it reads the model. */
#ifndef HEDDLE_VIZ_SESSION_H
#define HEDDLE_VIZ_SESSION_H

#include "viz/gather.h"
#include "viz/record.h"

struct session;
struct session *session_new(const struct viz_job *job, const struct viz_options *o, struct error *err);
struct session *session_replay(const char *path, const struct viz_options *o, struct error *err);
void session_start(struct session *s);
/* Stops the simulation and frees everything. False if the run failed: err has its message. */
bool session_finish(struct session *s, struct error *err);

struct model *session_lock(struct session *s); /* the model, until session_unlock */
void session_unlock(struct session *s);
uint64_t session_changes(struct session *s);   /* rises whenever there is something new to draw */
bool session_paused(struct session *s);
bool session_done(struct session *s);          /* the run has ended */
void session_pause(struct session *s, bool pause);
void session_step(struct session *s, cycle cycles);
void session_step_issue(struct session *s, uint32_t warp); /* to the next issue of that warp */
void session_back(struct session *s, cycle cycles);        /* by replay from the start */
void session_run_to(struct session *s, cycle when);        /* then pause */
void session_goto(struct session *s, cycle when);          /* then pause; backwards: by replay */
void session_break(struct session *s, int64_t pc);         /* byte offset at which to pause; again: no more */
int64_t session_breakpoint(struct session *s);             /* -1: none */
void session_speed(struct session *s, double cycles_per_second); /* 0: full */
void session_watch(struct session *s, uint32_t sm);
void session_watch_channel(struct session *s, uint32_t channel); /* its DRAM commands */
/* Waits until it is paused or done, at most ms milliseconds; true if so. */
bool session_wait(struct session *s, int ms);

#endif
