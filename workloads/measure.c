/* `heddle measure`: specs on a real GPU, their times and outputs, and the records that `heddle check` reads. */
#include "workloads/measure.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct out { /* where records go: one text a folder */
    const struct measure_options *o;
    struct cuda *cu;
    struct profile *profile; /* what the profiler saw; NULL: it was not asked */
    struct sb text;          /* records of the folder that is being measured */
    char *folder;
    struct measure_summary *sum;
};

/* "NVIDIA H200" -> h200 */
static char *gpu_key(const char *name)
{
    const char *last = strrchr(name, ' ');
    char *key = xstrdup(last ? last + 1 : name), *to = key;
    for (const char *p = key; *p; p++)
        if (isalnum((unsigned char)*p))
            *to++ = (char)tolower((unsigned char)*p);
    *to = 0;
    return key;
}

static bool make_folders(const char *path)
{
    for (char *p = strchr(path + 1, '/'), *own; p; p = strchr(p + 1, '/')) {
        own = xstrndup(path, (size_t)(p - path));
        mkdir(own, 0777);
        free(own);
    }
    return true;
}

static bool write_folder(struct out *w, struct error *err)
{
    if (!w->text.len)
        return true;
    char *key = gpu_key(w->cu->name), date[16];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    char *path = xasprintf("%s/%s/measured/%s.yaml", w->o->out ? w->o->out : workload_dir(), w->folder, key);
    struct sb all = {0};
    sb_addf(&all, "# Written by `heddle measure`. Cycles are the profiler's sm__cycles_elapsed.max, one number a run; "
                  "event_us are times\n"
                  "# between events around single launches, graph_us of the whole spec inside a replayed graph. Cold: "
                  "after 256 MB\n"
                  "# were written and read, so L2 holds clean other lines.\n");
    sb_addf(&all,
            "device: {name: %s, driver: %d.%d, toolkit: \"%d.%d\", date: %s, sm_clock_mhz: %d, memory_clock_mhz: "
            "%d}\nrecords:\n",
            w->cu->name, w->cu->driver / 1000, w->cu->driver % 1000 / 10, w->cu->driver / 1000,
            w->cu->driver % 1000 / 10, date, w->cu->sm_khz / 1000, w->cu->mem_khz / 1000);
    sb_addn(&all, w->text.text, w->text.len);
    make_folders(path);
    bool ok = file_write(path, all.text, all.len, err);
    sb_finish(&all);
    sb_finish(&w->text);
    free(path);
    free(key);
    return ok;
}

static void add_metrics(struct out *w, const struct spec *s)
{
    if (!s->nmetric)
        return;
    sb_add(&w->text, "    metrics:\n");
    for (uint32_t i = 0; i < s->nmetric; i++) {
        const struct spec_metric *m = &s->metrics[i];
        const struct spec_buffer *b = &s->buffers[m->buffer];
        if (m->how != METRIC_LIST) {
            sb_addf(&w->text, "      %s: %.9g\n", m->name, spec_metric_value(s, i, b->out));
            continue;
        }
        sb_addf(&w->text, "      %s: [", m->name);
        for (uint64_t k = 0; k < m->count; k++)
            sb_addf(&w->text, "%s%.9g", k ? ", " : "",
                    (elem_get(b->type, b->out, m->index + k) - m->offset) / m->divide);
        sb_add(&w->text, "]\n");
    }
}

static void add_outputs(struct out *w, struct spec *s)
{
    if (!s->nexpect)
        return;
    sb_add(&w->text, "    outputs: {");
    for (uint32_t i = 0; i < s->nexpect; i++) {
        const struct verdict *v = &s->expects[i].verdict;
        sb_addf(&w->text, "%s%s: {sha256: \"%s\"", i ? ", " : "", s->buffers[s->expects[i].buffer].name, v->sha256);
        if (v->checked)
            sb_addf(&w->text, ", ok: %s, max_ulp: %llu, max_abs: %.3g", v->ok ? "true" : "false",
                    (unsigned long long)v->max_ulp, v->max_abs);
        sb_add(&w->text, "}");
        if (v->checked && !v->ok) {
            w->sum->wrong++;
            fprintf(stderr, "%s %s: wrong on the GPU: %s\n", s->name, s->size, v->text);
        }
    }
    sb_add(&w->text, "}\n");
}

static void add_launches(struct out *w, const struct spec *s, const double *warm, const double *cold,
                         const double *spread)
{
    sb_add(&w->text, "    launches:\n");
    for (uint32_t i = 0; i < s->nlaunch; i++) {
        sb_addf(&w->text, "      - {kernel: %s, event_us_warm: %.3f, event_us_cold: %.3f, spread: %.3f",
                s->launches[i].kernel_name ? s->launches[i].kernel_name : "?", warm[i], cold[i], spread[i]);
        profile_add(w->profile, s, i, &w->text);
        sb_add(&w->text, "}\n");
    }
}

static void add_params(struct out *w, const struct spec *s)
{
    sb_addf(&w->text, "  - name: %s\n    size: %s\n    params: {", s->name, s->size);
    for (uint32_t i = 0; i < s->nparam; i++)
        sb_addf(&w->text, "%s%s: %.17g", i ? ", " : "", s->params[i].name, s->params[i].value);
    sb_add(&w->text, "}\n");
    if (spec_is_kir(s, 0))
        sb_add(&w->text, "    differs: true # PTX was made of it: other machine code ran\n");
}

/* Outputs first, from exactly one run; then the times, whose repeated runs may change in-place buffers. */
static bool measure_bench(struct out *w, struct bench *b, struct error *err)
{
    struct spec *s = b->s;
    double *us = xcalloc(4 * (s->nlaunch + 1), sizeof *us), graph = NAN;
    double *warm = us, *cold = us + s->nlaunch, *spread = cold + s->nlaunch, *unused = spread + s->nlaunch;
    bool ok = bench_all(b, err) && (!s->nmetric || (bench_reset(b, err) && bench_all(b, err))) &&
              bench_collect(b, err) && bench_time(b, false, warm, spread, err) &&
              bench_time(b, true, cold, unused, err) && bench_graph(b, &graph, err);
    if (ok) {
        add_params(w, s);
        sb_addf(&w->text, "    graph_us: %.3f\n", graph);
        add_launches(w, s, warm, cold, spread);
        add_outputs(w, s);
        add_metrics(w, s);
        w->sum->measured++;
        double total = 0;
        for (uint32_t i = 0; i < s->nlaunch; i++)
            total += warm[i];
        if (!w->o->quiet)
            printf("%-34s %-16s %4u launches %12.2f us by events %12.2f us in a graph\n", s->name, s->size, s->nlaunch,
                   total, graph);
        fflush(stdout);
    }
    free(us);
    return ok;
}

static bool measure_one(struct out *w, struct spec *s, struct error *err)
{
    struct bench b;
    bool ok = bench_start(&b, w->cu, s, err) && measure_bench(w, &b, err);
    bench_finish(&b);
    return ok;
}

/* The order of launches that profile.c expects. 1: two chains to warm up, two warm, then flush and chain twice.
 * 2: flush and chain. */
static bool sequence_one(struct cuda *cu, struct spec *s, unsigned order, struct error *err)
{
    struct bench b;
    bool ok = bench_start(&b, cu, s, err);
    for (int i = 0; ok && order == 1 && i < 4; i++)
        ok = bench_all(&b, err);
    for (int i = 0; ok && i < (order == 1 ? 2 : 1); i++)
        ok = bench_flush(&b, err) && bench_all(&b, err);
    bench_finish(&b);
    return ok;
}

static struct spec *load(const char *name, const char *size, const struct cuda *cu, struct error *err)
{
    const char *const sizes[] = {size};
    return spec_load(
        name, &(struct spec_options){.sizes = sizes, .nsize = 1, .arch = (enum arch)(cu->major * 10 + cu->minor)}, err);
}

static bool measure_size(struct out *w, const char *name, const char *size, struct error *err)
{
    struct error mine = {0};
    struct spec *s = load(name, size, w->cu, &mine);
    bool ok = s && (w->o->sequence ? sequence_one(w->cu, s, w->o->sequence, &mine) : measure_one(w, s, &mine));
    spec_free(s);
    if (ok)
        return true;
    w->sum->failed++;
    fprintf(stderr, "%s %s: %s\n", name, size, mine.text);
    return w->o->ntarget == 0 || error_set(err, mine.status, "%s", mine.text); /* of all, the others still run */
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

static char *folder_of(const char *path)
{
    char *dir = path_dir(path);
    const char *slash = strrchr(dir, '/');
    char *folder = xstrdup(slash ? slash + 1 : dir);
    free(dir);
    return folder;
}

static bool measure_list(struct out *w, const struct spec_entry *list, size_t n, struct error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        if (!wanted(w->o, &list[i]))
            continue;
        char *folder = folder_of(list[i].path);
        if (w->folder && strcmp(folder, w->folder) != 0)
            ok = write_folder(w, err);
        free(w->folder);
        w->folder = folder;
        ok = ok && measure_workload(w, list[i].name, err);
    }
    return ok && (w->o->sequence || write_folder(w, err));
}

bool measure_run(const struct measure_options *o, struct measure_summary *sum, struct error *err)
{
    struct cuda cu;
    struct out w = {.o = o, .cu = &cu, .sum = sum};
    size_t n = 0;
    *sum = (struct measure_summary){0};
    struct spec_entry *list = spec_list(&n, err);
    bool ok = list && cuda_open(&cu, o->device, err);
    if (ok && o->counters && !o->sequence)
        w.profile = profile_run(o);
    for (size_t t = 0; ok && t < o->ntarget; t++) {
        size_t i = 0;
        while (i < n && strcmp(list[i].name, o->targets[t]) != 0)
            i++;
        ok = i < n || error_set(err, EXIT_BAD_INPUT, "no workload is called `%s`", o->targets[t]);
    }
    ok = ok && measure_list(&w, list, n, err);
    profile_free(w.profile);
    sb_finish(&w.text);
    free(w.folder);
    spec_list_free(list, n);
    if (list)
        cuda_close(&cu);
    return ok;
}
