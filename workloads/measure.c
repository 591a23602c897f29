/* `heddle measure`: specs on a real GPU, their times and outputs, and the records that `heddle check` reads. */
#include "workloads/pending.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const measure_phase_names[MEASURE_PHASES] = {
    "reading, filling, copying", "first runs",        "comparing with the reference", "timing", "profiler: cycles",
    "profiler: L2 and DRAM",     "profiler: counters"};

struct out { /* where records go: one text a folder */
    const struct measure_options *o;
    struct cuda *cu;
    struct profile *profile; /* what the profiler saw; NULL: it was not asked */
    struct record_head head;
    struct pending_list pending;
    struct sb text; /* records of the folder that is being measured */
    char *folder;
    struct measure_summary *sum;
};

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Adds the seconds since *since to a phase and starts the next one. */
static void spent(struct out *w, enum measure_phase phase, double *since)
{
    double now = seconds_now();
    w->sum->seconds[phase] += now - *since;
    *since = now;
}

static void tell_wrong(struct out *w, const struct spec *s)
{
    for (uint32_t i = 0; i < s->nexpect; i++) {
        const struct verdict *v = &s->expects[i].verdict;
        if (v->checked && !v->ok) {
            w->sum->wrong++;
            fprintf(stderr, "%s %s: wrong on the GPU: %s\n", s->name, s->size, v->text);
        }
    }
}

static void add_record(void *arg, const struct pending *p)
{
    struct out *w = arg;
    if (p->ok) {
        record_add(&w->text, p->s, p->times.warm ? &p->times : NULL, w->profile, p->runs);
        tell_wrong(w, p->s);
        w->sum->measured++;
    } else {
        w->sum->failed++;
        fprintf(stderr, "%s %s: %s\n", p->s->name, p->s->size, p->err.text);
    }
}

static bool write_folder(struct out *w, struct error *err)
{
    double since = seconds_now();
    pending_finish(&w->pending, add_record, w);
    spent(w, MEASURE_JUDGE, &since);
    if (!w->text.len)
        return true;
    char *key = record_gpu_key(w->cu->name);
    char *path = xasprintf("%s/%s/measured/%s.yaml", w->o->out ? w->o->out : workload_dir(), w->folder, key);
    bool ok = record_write(&w->head, path, &w->text, err);
    sb_finish(&w->text);
    free(path);
    free(key);
    return ok;
}

static void tell_done(const struct out *w, const struct spec *s, const struct record_times *t)
{
    double total = 0;
    for (uint32_t i = 0; t && i < s->nlaunch; i++)
        total += t->warm[i].median;
    if (w->o->quiet)
        return;
    printf("%-34s %-12s %3u launches", s->name, s->size, s->nlaunch);
    if (t)
        printf(" %12.2f us by events", total);
    if (t && !isnan(t->graph.median))
        printf(" %12.2f us in a graph", t->graph.median);
    printf("\n");
    fflush(stdout);
}

static bool write_outputs(const struct out *w, const struct spec *s, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; w->o->outputs && ok && i < s->nexpect; i++) {
        const struct spec_buffer *x = &s->buffers[s->expects[i].buffer];
        char *path = xasprintf("%s/%s.%s.%s", w->o->outputs, s->name, s->size, x->name);
        ok = file_write(path, (const char *)x->out, x->bytes, err);
        free(path);
    }
    return ok;
}

/* Outputs first, from exactly one run; then the times, whose repeated runs may change in-place buffers. */
static bool measure_kernels(struct out *w, struct bench *b, double *since, struct error *err)
{
    struct spec *s = b->s;
    struct bench_times *room = xcalloc(2 * s->nlaunch + 2U, sizeof *room);
    struct record_times t = {.warm = room, .cold = room + s->nlaunch};
    bool ok = bench_all(b, err) && bench_collect(b, err) && write_outputs(w, s, err);
    spent(w, MEASURE_RUN, since);
    ok = ok && bench_time(b, false, t.warm, err) && bench_time(b, true, t.cold, err);
    double us = 0;
    for (uint32_t i = 0; i < s->nlaunch; i++)
        us += t.warm[i].median;
    ok = ok && bench_graph(b, us, &t.graph, err);
    spent(w, MEASURE_TIME, since);
    if (!ok) {
        free(room);
        return false;
    }
    tell_done(w, s, &t);
    pending_add(&w->pending, s, t, NULL);
    spent(w, MEASURE_JUDGE, since);
    return true;
}

/* It reads the clock itself: some runs from the same beginning, after one that warms up. */
static bool measure_metrics(struct out *w, struct bench *b, double *since, struct error *err)
{
    struct spec *s = b->s;
    double *runs = xcalloc((size_t)s->nmetric * MICRO_RUNS, sizeof *runs);
    bool ok = bench_all(b, err);
    for (int r = 0; ok && r < MICRO_RUNS; r++) {
        ok = bench_reset(b, err) && bench_all(b, err) && bench_collect(b, err);
        for (uint32_t i = 0; ok && i < s->nmetric; i++)
            if (s->metrics[i].how != METRIC_LIST)
                runs[i * MICRO_RUNS + (uint32_t)r] = spec_metric_value(s, i, s->buffers[s->metrics[i].buffer].out);
    }
    spent(w, MEASURE_RUN, since);
    if (!ok) {
        free(runs);
        return false;
    }
    tell_done(w, s, NULL);
    pending_add(&w->pending, s, (struct record_times){0}, runs);
    return true;
}

/* Done: the spec is the pending list's. */
static bool measure_one(struct out *w, struct spec *s, struct error *err)
{
    struct bench b;
    double since = seconds_now();
    bool ok = bench_start(&b, w->cu, s, err);
    record_toolkit(&w->head, s);
    if (ok && isnan(w->head.empty.graph.median))
        ok = bench_empty(&b, &w->head.empty, err);
    spent(w, MEASURE_PREPARE, &since);
    ok = ok && (s->nmetric ? measure_metrics(w, &b, &since, err) : measure_kernels(w, &b, &since, err));
    bench_finish(&b);
    return ok;
}

static struct spec *load(const char *name, const char *size, const struct cuda *cu, struct error *err)
{
    const char *const sizes[] = {size};
    return spec_load(
        name, &(struct spec_options){.sizes = sizes, .nsize = 1, .arch = (enum arch)(cu->major * 10 + cu->minor)}, err);
}

/* Some sizes are there to show that a device cannot hold them (attention_unfused, too_large): measured only when asked
 * for by name, which then fails. */
static bool too_large(const struct out *w, const struct spec *s)
{
    size_t have = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < s->nbuffer; i++)
        bytes += s->buffers[i].bytes;
    if (w->o->nsize || w->cu->device_bytes(&have, w->cu->device) || bytes <= have)
        return false;
    if (!w->o->sequence && !w->o->quiet)
        printf("%s %s: left out, %.0f GB of buffers on a device of %.0f\n", s->name, s->size, (double)bytes / 1e9,
               (double)have / 1e9);
    return true;
}

static bool measure_size(struct out *w, const char *name, const char *size, struct error *err)
{
    struct error mine = {0};
    struct spec *s = load(name, size, w->cu, &mine);
    if (s && too_large(w, s)) {
        spec_free(s);
        return true;
    }
    bool ok = s && (w->o->sequence ? profile_sequence(w->cu, s, w->o->sequence, &mine) : measure_one(w, s, &mine));
    if (!ok || w->o->sequence)
        spec_free(s);
    if (ok)
        return true;
    w->sum->failed++;
    fprintf(stderr, "%s %s: %s\n", name, size, mine.text);
    if (w->o->ntarget == 0 && !w->cu->hung)
        return true; /* of all, the others still run */
    return error_set(err, mine.status, "%s", mine.text);
}

static bool size_wanted(const struct measure_options *o, const char *size)
{
    for (size_t i = 0; i < o->nsize; i++)
        if (strcmp(o->sizes[i], size) == 0)
            return true;
    return o->nsize == 0;
}

static bool measure_workload(struct out *w, const char *name, struct error *err)
{
    struct spec *s = load(name, "default", w->cu, err);
    if (!s)
        return false;
    bool ok = !size_wanted(w->o, "default") || measure_size(w, name, "default", err);
    for (uint32_t i = 0; ok && i < s->nsize; i++)
        if (size_wanted(w->o, s->sizes[i].name))
            ok = measure_size(w, name, s->sizes[i].name, err);
    spec_free(s);
    return ok;
}

static bool wanted(const struct measure_options *o, const struct spec_entry *e)
{
    for (size_t i = 0; i < o->ntarget; i++)
        if (strcmp(o->targets[i], e->name) == 0)
            return true;
    return o->ntarget == 0 && (!e->micro || o->micro);
}

static char *folder_of(const struct spec_entry *e)
{
    char *dir = path_dir(e->path);
    const char *slash = strrchr(dir, '/');
    char *folder = xstrdup(slash ? slash + 1 : dir);
    free(dir);
    return folder;
}

static bool measure_folder(struct out *w, const struct spec_entry *list, size_t n, struct error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        char *folder = folder_of(&list[i]);
        if (strcmp(folder, w->folder) == 0 && wanted(w->o, &list[i]))
            ok = measure_workload(w, list[i].name, err);
        free(folder);
    }
    struct error unused = {0}; /* what was measured before a failure is kept */
    return (w->o->sequence || write_folder(w, ok ? err : &unused)) && ok;
}

/* Folder by folder, since a folder's records are one file; the list is sorted by name, which need not be the same. */
static bool measure_list(struct out *w, const struct spec_entry *list, size_t n, struct error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        char *folder = folder_of(&list[i]);
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++) {
            char *other = folder_of(&list[k]);
            seen = strcmp(other, folder) == 0;
            free(other);
        }
        w->folder = folder;
        ok = seen || measure_folder(w, list, n, err);
        free(folder);
    }
    w->folder = NULL;
    return ok;
}

static bool is_listed(const struct spec_entry *list, size_t n, const char *target)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].name, target) == 0)
            return true;
    return false;
}

/* Names are looked up; anything else must be the path of a launch spec, which joins the list. */
static bool add_paths(const struct measure_options *o, struct spec_entry **list, size_t *n, struct error *err)
{
    for (size_t t = 0; t < o->ntarget; t++) {
        const char *target = o->targets[t];
        if (is_listed(*list, *n, target))
            continue;
        if (!strchr(target, '/') || !file_exists(target))
            return error_set(err, EXIT_BAD_INPUT, "no workload is called `%s`, and no launch spec is there", target);
        *list = xrealloc(*list, *n + 1, sizeof **list);
        (*list)[(*n)++] = (struct spec_entry){.name = xstrdup(target), .path = xstrdup(target)};
    }
    return true;
}

static void name_command(struct sb *out, const struct measure_options *o)
{
    sb_addf(out, "heddle measure%s%s%s", o->ntarget ? "" : " --all", o->micro ? " --micro" : "",
            o->counters ? " --counters"
            : o->cycles ? " --cycles"
                        : "");
    for (size_t i = 0; i < o->nsize; i++)
        sb_addf(out, " --size %s", o->sizes[i]);
    for (size_t i = 0; i < o->ntarget; i++)
        sb_addf(out, " %s", o->targets[i]);
}

bool measure_run(const struct measure_options *o, struct measure_summary *sum, struct error *err)
{
    struct cuda cu = {.watchdog_s = o->watchdog_s};
    struct sb command = {0};
    name_command(&command, o);
    struct out w = {
        .o = o, .cu = &cu, .sum = sum, .head = {.cu = &cu, .command = command.text, .empty.graph = {NAN, NAN, NAN}}};
    size_t n = 0;
    *sum = (struct measure_summary){0};
    struct spec_entry *list = spec_list(&n, err);
    bool ok = list && add_paths(o, &list, &n, err) && cuda_open(&cu, o->device, err);
    if (ok && (o->cycles || o->counters) && !o->sequence)
        w.profile = profile_run(o, sum);
    ok = ok && measure_list(&w, list, n, err);
    profile_free(w.profile);
    sb_finish(&w.text);
    sb_finish(&command);
    spec_list_free(list, n);
    sum->hung = cu.hung;
    if (!cu.hung) /* what hangs is ended with the process */
        cuda_close(&cu);
    return ok;
}
