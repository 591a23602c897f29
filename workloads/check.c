/* `heddle check`: every recorded run again on the simulator, cold (L2 full of clean other lines) and warm (the same
 * launches once more), and how far the predicted cycles lie from the measured ones. */
#include "workloads/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below this, launch cost and its jitter decide; such rows are shown and not judged. */
static const double judged_from_us = 5.0;
/* Microbenchmarks have no instruction counts to budget by: those with more memory than this are left to the GPU. */
static const uint64_t micro_bytes = 48 << 20;

struct job { /* one record to be redone */
    const struct measured *m;
    double instructions;
};

static double sum_of(const struct measured *m, bool cold)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->nlaunch; i++)
        sum += cold ? m->launches[i].cycles_cold : m->launches[i].cycles_warm;
    return m->nlaunch ? sum : NAN;
}

static double us_of(const struct measured *m, bool cold)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->nlaunch; i++)
        sum += cold ? m->launches[i].us_cold : m->launches[i].us_warm;
    return m->nlaunch ? sum : NAN;
}

static double instructions_of(const struct measured *m)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->nlaunch; i++) {
        double v = measured_counter_value(&m->launches[i], "smsp__inst_executed.sum");
        sum += isnan(v) ? 0 : v;
    }
    return sum;
}

static bool wanted(const struct check_options *o, const struct measured *m)
{
    bool micro = strncmp(m->name, "micro_", 6) == 0;
    if (o->ntarget == 0)
        return micro == o->micro;
    for (size_t i = 0; i < o->ntarget; i++)
        if (strcmp(o->targets[i], m->name) == 0)
            return true;
    return false;
}

static int by_size(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    if (x->instructions != y->instructions)
        return x->instructions < y->instructions ? -1 : 1;
    int c = strcmp(x->m->name, y->m->name);
    return c ? c : strcmp(x->m->size, y->m->size);
}

static int by_name(const void *a, const void *b)
{
    const struct check_row *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : x->instructions < y->instructions ? -1 : x->instructions > y->instructions;
}

/* ---- one row ---- */
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

static bool rig_start(struct rig *r, const struct measured *m, const struct check_options *o, struct error *err)
{
    const char *const sizes[] = {m->size};
    struct spec_options so = {.sizes = sizes, .nsize = 1, .arch = (enum arch)o->config->isa};
    struct gpu_options go = {.threads = o->threads, .interrupted = o->interrupted};
    *r = (struct rig){0};
    r->s = spec_load(m->name, &so, err);
    if (!r->s)
        return false;
    r->g = gpu_new(o->config, &go, err);
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

static void judge_outputs(struct check_row *row, const struct spec *s)
{
    row->right = true;
    for (uint32_t i = 0; i < s->nexpect; i++) {
        const struct verdict *v = &s->expects[i].verdict;
        if (v->checked && !v->ok && row->right) {
            row->right = false;
            free(row->note);
            row->note = xasprintf("wrong: %s", v->text);
        }
    }
}

static uint64_t bytes_of(const struct spec *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->nbuffer; i++)
        sum += s->buffers[i].bytes;
    return sum;
}

static bool run_row(struct check_row *row, struct rig *r, const struct measured *m, const struct check_options *o,
                    struct error *err)
{
    row->class_name = check_class(m, r->s, o->config);
    if (o->micro && bytes_of(r->s) > micro_bytes) {
        row->right = true;
        row->note = xstrdup("too large to redo");
        return true;
    }
    gpu_flush_l2_clean(r->g);
    if (!gpu_run(r->g, r->s->sim, r->s->nlaunch, r->results, err) || !spec_collect(r->s, r->g, err))
        return false;
    judge_outputs(row, r->s);
    row->cold = pair(cycles_sum(r), sum_of(m, true));
    row->predicted_us_cold = time_sum(r);
    check_counters(row, m, r->results, r->s->nlaunch);
    rig_clear(r);
    if (!spec_rewrite(r->s, r->g, err) || !gpu_run(r->g, r->s->sim, r->s->nlaunch, r->results, err))
        return false;
    row->warm = pair(cycles_sum(r), sum_of(m, false));
    row->predicted_us_warm = time_sum(r);
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
    row->judged = row->right && !row->note && !m->differs && (isnan(us) || us >= judged_from_us);
    if (row->note)
        return;
    if (m->differs)
        row->note = xstrdup("other code ran");
    else if (!row->judged)
        row->note = xstrdup("under 5 us");
}

static bool do_row(struct check_row *row, const struct job *j, const struct check_options *o, struct error *err)
{
    struct rig r;
    struct error mine = {0};
    *row = (struct check_row){
        .name = xstrdup(j->m->name), .size = xstrdup(j->m->size), .class_name = "?", .instructions = j->instructions};
    row->cold = row->warm = (struct check_pair){NAN, NAN, NAN};
    row->us_cold = us_of(j->m, true);
    row->us_warm = us_of(j->m, false);
    bool ok = rig_start(&r, j->m, o, &mine) && run_row(row, &r, j->m, o, &mine);
    rig_finish(&r);
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
    return true; /* one row's failure is shown in the table; the others still run */
}

static struct job *make_jobs(const struct measured_set *m, const struct check_options *o, size_t *n)
{
    struct job *jobs = xcalloc(m->n + 1, sizeof *jobs);
    *n = 0;
    for (size_t i = 0; i < m->n; i++)
        if (wanted(o, &m->records[i]))
            jobs[(*n)++] = (struct job){&m->records[i], instructions_of(&m->records[i])};
    qsort(jobs, *n, sizeof *jobs, by_size);
    return jobs;
}

static size_t within_budget(const struct job *jobs, size_t n, double budget)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += 2 * jobs[i].instructions; /* cold and warm */
        if (budget > 0 && sum > budget)
            return i;
    }
    return n;
}

bool check_run(struct check_result *c, const struct check_options *o, struct error *err)
{
    struct measured_set m;
    size_t n;
    *c = (struct check_result){0};
    if (!measured_load(&m, o->records, o->gpu, err))
        return false;
    struct job *jobs = make_jobs(&m, o, &n);
    size_t run = within_budget(jobs, n, o->max_instructions);
    bool ok = n > 0 || error_set(err, EXIT_BAD_INPUT, "there is no record of %s for what was asked", o->gpu);
    c->skipped = n - run;
    c->micro = o->micro;
    c->device = xstrdup(m.device ? m.device : o->gpu);
    c->rows = xcalloc(run + 1, sizeof *c->rows);
    for (size_t i = 0; ok && i < run; i++) {
        if (o->progress)
            o->progress(o->progress_arg, i, run, jobs[i].m->name);
        ok = do_row(&c->rows[c->n++], &jobs[i], o, err);
        if (!ok)
            c->interrupted = true;
    }
    if (c->n)
        qsort(c->rows, c->n, sizeof *c->rows, by_name);
    check_statistics(c);
    free(jobs);
    measured_finish(&m);
    return ok;
}

void check_finish(struct check_result *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->rows[i].name);
        free(c->rows[i].size);
        free(c->rows[i].note);
        for (uint32_t k = 0; k < c->rows[i].ncounter; k++)
            free(c->rows[i].counters[k].name);
        free(c->rows[i].counters);
    }
    free(c->rows);
    free(c->device);
    *c = (struct check_result){0};
}
