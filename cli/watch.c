/* Timeline, time series and plots of one run. */
#include "cli/watch.h"

#include <stdlib.h>
#include <string.h>

enum { TRACE_SMS = 4, INTERVAL = 1000 };

struct watch_opts watch_table(struct watch_args *a)
{
    return (struct watch_opts){
        {{"trace", 0, OPT_FILE, &a->trace, "FILE", "timeline for Perfetto or chrome://tracing; .gz compresses"},
         {"trace-sms", 0, OPT_RANGE, a->trace_sms, "A:B", "SMs in it, B left out (the first 4 that get a block)"},
         {"trace-cycles", 0, OPT_RANGE, a->trace_cycles, "A:B", "cycles in it (all)"},
         {"series", 0, OPT_FILE, &a->series, "FILE", "CSV of rates by interval"},
         {"interval", 0, OPT_COUNT, &a->interval, "CYCLES", "of the series (1000)"},
         {"roofline", 0, OPT_PLOT, &a->roofline, "FILE", "plot, .svg or .png: the kernel under the roofs"},
         {"stalls", 0, OPT_PLOT, &a->stalls, "FILE", "plot: warp cycles by reason"},
         {"sectors", 0, OPT_PLOT, &a->sectors, "FILE", "plot: sectors of each memory instruction"}},
        8};
}

struct viz_job watch_job(const struct config *c, const struct spec *s, const char *title)
{
    struct viz_job job = {.config = c,
                          .launches = xcalloc(s->nlaunch, sizeof *job.launches),
                          .nlaunch = (uint32_t)s->nlaunch,
                          .title = title};
    for (uint32_t i = 0; i < job.nlaunch; i++) {
        const struct spec_launch *l = &s->launches[i];
        struct viz_launch *v = &job.launches[i];
        struct error ignored = {0}; /* a launch that does not fit is refused when it runs */
        v->kernel = l->kernel;
        v->arch = s->programs[l->program]->arch;
        occupancy_of(c, l->block[0] * l->block[1] * l->block[2], l->kernel->nreg,
                     l->kernel->shared_bytes + l->shared_bytes, l->kernel->nbarrier, &v->occupancy, &ignored);
    }
    return job;
}

static cycle barrier_of_both(void *arg, const struct gpu *g, cycle now)
{
    struct watch *w = arg;
    cycle least = UINT64_MAX;
    for (int i = 0; i < 2; i++) {
        cycle c = w->one[i]->barrier(w->one[i]->arg, g, now);
        least = c < least ? c : least;
    }
    return least;
}

bool watch_begin(struct watch *w, const struct watch_args *a, const struct config *c, const struct spec *s,
                 const char *title, struct error *err)
{
    bool some = a->trace_sms[1], part = a->trace_cycles[1]; /* (a range that is given does not end at 0) */
    uint64_t sm_from = a->trace_sms[0], sm_to = some ? a->trace_sms[1] : TRACE_SMS, from = a->trace_cycles[0],
             to = part ? a->trace_cycles[1] : UINT64_MAX;
    *w = (struct watch){0};
    if ((some || part) && !a->trace)
        return error_set(err, EXIT_BAD_INPUT, "--%s belongs to --trace FILE", some ? "trace-sms" : "trace-cycles");
    if (a->interval && !a->series)
        return error_set(err, EXIT_BAD_INPUT, "--interval belongs to --series FILE");
    if (sm_from >= c->nsm)
        return error_set(err, EXIT_BAD_INPUT, "--trace-sms: there is no SM %llu: %s has %u",
                         (unsigned long long)sm_from, c->name, c->nsm);
    if (sm_to > c->nsm)
        sm_to = c->nsm;
    if (a->trace) {
        struct viz_job job = watch_job(c, s, title);
        w->timeline = timeline_new(&job, a->trace, some ? (uint32_t)sm_from : TIMELINE_ANY_SM,
                                   (uint32_t)(sm_to - sm_from), from, to, err);
        free(job.launches);
        if (!w->timeline)
            return false;
    }
    if (a->series && !(w->series = series_new(c, a->series, a->interval ? a->interval : INTERVAL, err)))
        return false;
    size_t n = 0;
    if (w->timeline)
        w->one[n++] = timeline_observer(w->timeline);
    if (w->series)
        w->one[n++] = series_observer(w->series);
    if (n == 2)
        w->both = (struct observer){
            .arg = w, .barrier = barrier_of_both, .record = w->one[0]->record, .accesses = w->one[0]->accesses};
    return true;
}

const struct observer *watch_observer(struct watch *w)
{
    return w->one[1] ? &w->both : w->one[0];
}

bool watch_end(struct watch *w, struct error *err)
{
    bool ok = true;
    if (w->timeline)
        ok = timeline_finish(w->timeline, err);
    if (w->series)
        ok = series_finish(w->series, err) && ok;
    *w = (struct watch){0};
    return ok;
}

/* Plots show the longest launch. */
bool watch_plots(const struct watch_args *a, const struct simulation *s, struct error *err)
{
    size_t i = 0;
    for (size_t k = 1; k < s->spec->nlaunch; k++)
        if (s->results[k].cycles > s->results[i].cycles)
            i = k;
    const struct launch_result *r = &s->results[i];
    return (!a->roofline || plot_roofline(s->config, r, a->roofline, err)) &&
           (!a->stalls || plot_stalls(r, a->stalls, err)) &&
           (!a->sectors || plot_sectors(r, s->spec->launches[i].kernel, a->sectors, err));
}
