/* viz: what can be seen: the live window, recordings, timelines and plots. The only header of viz/ that others include.
 * Reads the simulation through sim.h's observer; never changes a result. */
#ifndef HEDDLE_VIZ_VIZ_H
#define HEDDLE_VIZ_VIZ_H

#include "sim/sim.h"

/* Runs the whole simulation from the start with the observer attached (again, when the viewer steps back). */
typedef bool viz_run_fn(void *arg, const struct observer *o, struct error *err);

struct viz_job {
    const struct config *config;
    struct viz_launch {
        const struct kernel *kernel;
        enum arch arch;
        struct occupancy occupancy;   /* theoretical residency on an SM */
    } *launches;                      /* in the order of gpu_run */
    uint32_t nlaunch;
    const char *title;                /* target as the user named it */
    viz_run_fn *run;
    void *arg;
};
#define VIZ_BUSY (UINT64_MAX - 1)
struct viz_options {
    bool headless;
    const char *screenshot;           /* PNG; headless: written at at_cycle */
    cycle at_cycle;                   /* UINT64_MAX: the end; VIZ_BUSY: a moment at which there is much to see */
    int width, height;                /* pixels; 0: 1280 x 800 */
    double scale;                     /* 0: by the size */
    int64_t sm, warp, channel;        /* to watch; -1: one that has something to show */
    const char *measure;              /* "occupancy", "issue", "memory", "l1"; NULL: occupancy */
    const char *panel;                /* name of the panel that fills the window, or NULL */
    const char *record;               /* file to record to */
    const char *script;               /* file of input lines, for tests: "key space", "click 100 200", "wait 500", "quit" */
    int64_t select_pc;                /* byte offset of the instruction whose accesses are shown, -1: none */
    int64_t break_pc;                 /* byte offset where the run pauses, -1: none */
    cycle break_cycle;                /* 0: none */
    double cycles_shown;              /* 0: 256 */
    double speed;                     /* cycles a second; 0: full speed */
    bool start_paused, help;
};
bool viz_view(const struct viz_job *job, const struct viz_options *o, struct error *err);
bool viz_replay(const char *path, const struct viz_options *o, struct error *err);
bool viz_has_window(void);            /* built with SDL2 */

/* Chrome trace / Perfetto JSON, gzip-compressed if the name ends in .gz. Bounded by SMs (from first_sm on, or the first
 * nsm that get a block) and cycles. */
#define TIMELINE_ANY_SM UINT32_MAX
struct timeline;
struct timeline *timeline_new(const struct viz_job *job, const char *path, uint32_t first_sm, uint32_t nsm, cycle from, cycle to, struct error *err);
const struct observer *timeline_observer(struct timeline *t);
bool timeline_finish(struct timeline *t, struct error *err); /* writes and frees */
/* Time series by interval: cycle, IPC, warps, hit rates, DRAM bytes. */
struct series;
struct series *series_new(const struct config *c, const char *path, cycle interval, struct error *err);
const struct observer *series_observer(struct series *s);
bool series_finish(struct series *s, struct error *err);

/* Plots: SVG or PNG by the file name; the data beside it as .csv. */
bool plot_roofline(const struct config *c, const struct launch_result *r, const char *path, struct error *err);
bool plot_stalls(const struct launch_result *r, const char *path, struct error *err);
bool plot_sectors(const struct launch_result *r, const struct kernel *k, const char *path, struct error *err);
struct plot_point { double x, y; };
struct plot_curve { const char *name; const struct plot_point *points; size_t n; };
bool plot_curves(const char *title, const char *x_name, const char *y_name, bool log_x, bool log_y, const struct plot_curve *curves, size_t n,
                 const char *path, struct error *err);

#endif
