/* Observers that the command line attaches to a run, and plots of its result. Private to cli/. */
#ifndef HEDDLE_CLI_WATCH_H
#define HEDDLE_CLI_WATCH_H

#include "cli/cli.h"
#include "viz/viz.h"

struct viz_job watch_job(const struct config *c, const struct spec *s, const char *title); /* without run and arg; free its launches */

struct watch_args {
    const char *trace, *series;
    uint64_t trace_sms[2], trace_cycles[2]; /* from, to; to 0: not given */
    uint32_t interval;
    const char *roofline, *stalls, *sectors;
};
struct watch_opts {
    struct opt row[8];
    size_t n;
};
struct watch_opts watch_table(struct watch_args *a);
struct watch {
    struct timeline *timeline;
    struct series *series;
    struct observer both;
    const struct observer *one[2];
};
/* NULL observer: nothing was asked for. */
bool watch_begin(struct watch *w, const struct watch_args *a, const struct config *c, const struct spec *s,
                 const char *title, struct error *err);
const struct observer *watch_observer(struct watch *w);
bool watch_end(struct watch *w, struct error *err);
bool watch_plots(const struct watch_args *a, const struct simulation *s, struct error *err);

#endif
