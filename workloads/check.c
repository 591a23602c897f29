/* `heddle check`: every recorded run again on the simulator, cold (L2 full of clean other lines) and warm (the same
 * launches once more), and how far the predicted cycles lie from the measured ones. */
#include "workloads/check.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static double instructions_of(const struct measured *m)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->nlaunch; i++) {
        double v = measured_counter_value(&m->launches[i], "smsp__inst_executed.sum");
        sum += isnan(v) ? 0 : v;
    }
    return sum;
}

static bool size_wanted(const struct check_options *o, const char *size)
{
    for (size_t i = 0; i < o->nsize; i++)
        if (strcmp(o->sizes[i], size) == 0)
            return true;
    return o->nsize == 0;
}

/* Rows for which other code ran are never judged: of these only small ones are redone unasked. */
static const double unjudged_instructions = 1e6;

static bool wanted(const struct check_options *o, const struct measured *m)
{
    if (!size_wanted(o, m->size) || (o->ntarget == 0 && m->differs && instructions_of(m) > unjudged_instructions))
        return false;
    if (o->dram_share > 0 && !(check_dram_share(m, o->baseline ? o->baseline : o->config) >= o->dram_share))
        return false;
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
    const struct check_job *x = a, *y = b;
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

static struct check_job *make_jobs(const struct measured_set *m, const struct check_options *o, size_t *n)
{
    struct check_job *jobs = xcalloc(m->n + 1, sizeof *jobs);
    *n = 0;
    for (size_t i = 0; i < m->n; i++)
        if (wanted(o, &m->records[i]))
            jobs[(*n)++] = (struct check_job){&m->records[i], instructions_of(&m->records[i])};
    qsort(jobs, *n, sizeof *jobs, by_size);
    return jobs;
}

static size_t within_budget(const struct check_job *jobs, size_t n, double budget)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += 2 * jobs[i].instructions; /* cold and warm */
        if (budget > 0 && sum > budget)
            return i;
    }
    return n;
}

/* ---- rows side by side ---- */
struct pool { /* rows that host threads take one after another, largest first */
    const struct check_options *o;
    const struct check_job *jobs;
    struct check_row *rows;
    size_t n, taken, done;
    struct error *err; /* of the first row that was interrupted */
    pthread_mutex_t lock;
};

/* Index of the next job, n: none is left. */
static size_t take(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    size_t i = p->taken < p->n && p->err->status == EXIT_DONE ? p->n - 1 - p->taken++ : p->n;
    if (i < p->n && p->o->progress)
        p->o->progress(p->o->progress_arg, p->done, p->n, p->jobs[i].m->name);
    pthread_mutex_unlock(&p->lock);
    return i;
}

static void *work(void *arg)
{
    struct pool *p = arg;
    for (size_t i; (i = take(p)) < p->n;) {
        struct error err = {0};
        bool ok = check_row(&p->rows[i], &p->jobs[i], p->o, &err);
        pthread_mutex_lock(&p->lock);
        p->done++;
        if (!ok && p->err->status == EXIT_DONE)
            *p->err = err;
        pthread_mutex_unlock(&p->lock);
    }
    return NULL;
}

static void run_rows(struct pool *p)
{
    enum { MOST = 256 };
    pthread_t threads[MOST];
    size_t n = p->o->threads ? p->o->threads : 1, started = 0;
    n = n < p->n ? n : p->n;
    pthread_mutex_init(&p->lock, NULL);
    while (started + 1 < n && started < MOST && pthread_create(&threads[started], NULL, work, p) == 0)
        started++;
    work(p);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&p->lock);
}

/* Rows that were never begun leave no gap. */
static size_t drop_unrun(struct check_row *rows, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (rows[i].name)
            rows[kept++] = rows[i];
    return kept;
}

bool check_run(struct check_result *c, const struct check_options *o, struct error *err)
{
    struct measured_set m;
    size_t n;
    *c = (struct check_result){0};
    if (!measured_load(&m, o->records, o->gpu, err))
        return false;
    struct check_job *jobs = make_jobs(&m, o, &n);
    size_t run = within_budget(jobs, n, o->max_instructions);
    bool ok = n > 0 ||
              error_set(err, EXIT_BAD_INPUT, "there is no record of %s for what was asked", o->gpu ? o->gpu : "a GPU");
    c->skipped = n - run;
    c->micro = o->micro;
    c->baseline = o->baseline != NULL;
    c->device = xstrdup(m.device ? m.device : o->gpu ? o->gpu : "?");
    c->rows = xcalloc(run + 1, sizeof *c->rows);
    struct pool p = {.o = o, .jobs = jobs, .rows = c->rows, .n = run, .err = err};
    if (ok)
        run_rows(&p);
    c->interrupted = err->status != EXIT_DONE;
    c->n = drop_unrun(c->rows, run);
    if (c->n)
        qsort(c->rows, c->n, sizeof *c->rows, by_name);
    check_statistics(c);
    free(jobs);
    measured_finish(&m);
    return err->status == EXIT_DONE;
}

void check_finish(struct check_result *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->rows[i].name);
        free(c->rows[i].size);
        free(c->rows[i].note);
        free(c->rows[i].differs);
        for (uint32_t k = 0; k < c->rows[i].ncounter; k++)
            free(c->rows[i].counters[k].name);
        free(c->rows[i].counters);
    }
    free(c->rows);
    free(c->device);
    *c = (struct check_result){0};
}
