/* One row of `heddle check`: a recorded run again on the simulator, cold (L2 full of clean other lines) and warm (the
 * same launches once more). */
#include "workloads/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below this, launch cost and its jitter decide; such rows are shown and not judged. */
static const double judged_from_us = 5.0;
/* Microbenchmarks have no instruction counts to budget by: those with more memory than this are left to the GPU. */
static const uint64_t micro_bytes = 72 << 20;

/* Without a profiler: the spec's time above that of empty kernels, in a replayed graph (warm) or between events after a
 * flush (cold), and what the model says that an empty kernel costs. */
static double cycles_by_events(const struct measured *m, const struct config *c, bool cold)
{
    if (cold && m->nlaunch > 1)
        return NAN; /* each launch was timed cold by itself; here only the chain's first is */
    double us = cold ? 0 : m->graph_us, empty = cold ? m->empty_event_us_cold : m->empty_graph_us;
    for (uint32_t i = 0; cold && i < m->nlaunch; i++)
        us += m->launches[i].event_cold;
    return (us - m->nlaunch * empty) * m->sm_clock_mhz + (double)m->nlaunch * (double)c->launch_overhead_cycles;
}

static double cycles_of(const struct measured *m, const struct config *c, bool cold, bool *by_events)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->nlaunch; i++)
        sum += cold ? m->launches[i].cycles_cold : m->launches[i].cycles_warm;
    *by_events = isnan(sum) && m->nlaunch;
    return *by_events ? cycles_by_events(m, c, cold) : m->nlaunch ? sum : NAN;
}

static double us_of(const struct measured *m, double cycles, bool cold, bool by_events)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->nlaunch; i++)
        sum += cold ? m->launches[i].us_cold : m->launches[i].us_warm;
    return by_events ? cycles / m->sm_clock_mhz : m->nlaunch ? sum : NAN;
}

struct rig { /* what a row needs while it runs */
    struct spec *s;
    struct gpu *g;
    struct launch_result *results;
};

static void rig_clear(struct rig *r)
{
    for (uint32_t i = 0; r->results && r->s && i < r->s->nlaunch; i++)
        launch_result_finish(&r->results[i]);
    if (r->results)
        memset(r->results, 0, r->s->nlaunch * sizeof *r->results);
}

static void rig_finish(struct rig *r)
{
    rig_clear(r);
    free(r->results);
    if (r->g)
        gpu_free(r->g);
    spec_free(r->s);
}

static bool rig_start(struct rig *r, const struct measured *m, const struct config *c, const struct check_options *o,
                      struct error *err)
{
    const char *const sizes[] = {m->size};
    struct spec_options so = {.sizes = sizes, .nsize = 1, .arch = (enum arch)c->isa};
    struct gpu_options go = {.threads = 1, .interrupted = o->interrupted};
    *r = (struct rig){0};
    r->s = spec_load(m->name, &so, err);
    if (!r->s)
        return false;
    r->g = gpu_new(c, &go, err);
    r->results = xcalloc(r->s->nlaunch, sizeof *r->results);
    return r->g && spec_place(r->s, r->g, err);
}

static double cycles_sum(const struct rig *r)
{
    double sum = 0;
    for (uint32_t i = 0; i < r->s->nlaunch; i++)
        sum += (double)r->results[i].cycles;
    return sum;
}

static double time_sum(const struct rig *r)
{
    double sum = 0;
    for (uint32_t i = 0; i < r->s->nlaunch; i++)
        sum += r->results[i].time_us;
    return sum;
}

static struct check_pair pair(double predicted, double measured)
{
    return (struct check_pair){predicted, measured, measured > 0 ? predicted / measured - 1 : NAN};
}

const struct measured_output *measured_output_of(const struct measured *m, const char *name)
{
    for (uint32_t i = 0; i < m->noutput; i++)
        if (strcmp(m->outputs[i].name, name) == 0)
            return &m->outputs[i];
    return NULL;
}

/* Against the reference, which decides, and against the bytes that the GPU gave. */
static void judge_outputs(struct check_row *row, const struct spec *s, const struct measured *m)
{
    struct sb differs = {0};
    row->right = true;
    for (uint32_t i = 0; i < s->nexpect; i++) {
        const struct verdict *v = &s->expects[i].verdict;
        const char *name = s->buffers[s->expects[i].buffer].name;
        const struct measured_output *gpu = measured_output_of(m, name);
        if (v->checked && !v->ok && row->right) {
            row->right = false;
            free(row->note);
            row->note = xasprintf("wrong: %s", v->text);
        }
        if (!gpu || !(v->checked || s->expects[i].measured) || m->nmetric)
            continue;
        bool same = strcmp(v->sha256, gpu->sha256) == 0;
        if (!same && s->expects[i].measured && row->right) {
            row->right = false;
            free(row->note);
            row->note = xasprintf("wrong: the bytes of %s are not the GPU's", name);
        }
        row->noutput++;
        row->nsame += same;
        if (!same)
            sb_addf(&differs, "%s%s", differs.len ? ", " : "", name);
    }
    row->differs = differs.text;
}

static uint64_t bytes_of(const struct spec *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->nbuffer; i++)
        sum += s->buffers[i].bytes;
    return sum;
}

static bool run_cold(struct rig *r, struct error *err)
{
    gpu_flush_l2_clean(r->g);
    return gpu_run(r->g, r->s->sim, r->s->nlaunch, r->results, err);
}

static bool run_warm(struct rig *r, struct error *err)
{
    rig_clear(r);
    return spec_rewrite(r->s, r->g, err) && gpu_run(r->g, r->s->sim, r->s->nlaunch, r->results, err);
}

static bool run_baseline(struct check_row *row, const struct measured *m, const struct check_options *o,
                         struct error *err)
{
    struct rig r;
    bool ok = rig_start(&r, m, o->baseline, o, err) && run_cold(&r, err);
    if (ok)
        row->base_cold = cycles_sum(&r);
    ok = ok && run_warm(&r, err);
    if (ok)
        row->base_warm = cycles_sum(&r);
    rig_finish(&r);
    return ok;
}

static bool run_row(struct check_row *row, struct rig *r, const struct measured *m, const struct check_options *o,
                    struct error *err)
{
    double cold = cycles_of(m, o->config, true, &row->by_events),
           warm = cycles_of(m, o->config, false, &row->by_events);
    row->us_cold = us_of(m, cold, true, row->by_events);
    row->us_warm = us_of(m, warm, false, row->by_events);
    row->class_name = check_class(m, r->s, o->config);
    if (m->nmetric && bytes_of(r->s) > micro_bytes) {
        row->right = true;
        row->note = xstrdup("too large to redo");
        return true;
    }
    if (!run_cold(r, err) || !spec_collect(r->s, r->g, err))
        return false;
    judge_outputs(row, r->s, m);
    row->cold = pair(cycles_sum(r), cold);
    row->predicted_us_cold = time_sum(r);
    check_counters(row, m, r->results, r->s->nlaunch, true);
    if (!run_warm(r, err))
        return false;
    row->warm = pair(cycles_sum(r), warm);
    row->predicted_us_warm = time_sum(r);
    check_counters(row, m, r->results, r->s->nlaunch, false);
    if (m->nmetric == 0)
        return true;
    if (!spec_collect(r->s, r->g, err)) /* the second run's numbers: what measures itself was measured warm */
        return false;
    check_metrics(row, m, r->s);
    return true;
}

static void set_judged(struct check_row *row, const struct measured *m)
{
    double us = isnan(row->us_cold) ? row->us_warm : row->us_cold;
    bool fit = row->right && !row->note && !m->differs;
    row->judged = fit && (isnan(us) || us >= judged_from_us);
    row->short_run = fit && !row->judged;
    if (row->note)
        return;
    if (m->differs)
        row->note = xstrdup("other code ran");
    else if (row->short_run)
        row->note = xstrdup("under 5 us");
    else if (row->by_events)
        row->note = xstrdup("timed without a profiler");
}

bool check_row(struct check_row *row, const struct check_job *j, const struct check_options *o, struct error *err)
{
    struct rig r;
    struct error mine = {0};
    *row = (struct check_row){
        .name = xstrdup(j->m->name), .size = xstrdup(j->m->size), .class_name = "?", .instructions = j->instructions};
    row->cold = row->warm = (struct check_pair){NAN, NAN, NAN};
    row->us_cold = row->us_warm = row->base_cold = row->base_warm = NAN;
    bool ok = rig_start(&r, j->m, o->config, o, &mine) && run_row(row, &r, j->m, o, &mine);
    rig_finish(&r);
    ok = ok && (!o->baseline || run_baseline(row, j->m, o, &mine));
    if (ok) {
        set_judged(row, j->m);
        return true;
    }
    if (mine.status == EXIT_INTERRUPTED) {
        *err = mine;
        return false;
    }
    free(row->note);
    row->note = xasprintf("failed: %.*s", (int)strcspn(mine.text, "\n"), mine.text);
    row->right = false;
    return true;
}
