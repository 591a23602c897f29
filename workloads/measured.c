/* Records of real GPUs: FOLDER/measured/GPU.yaml. */
#include "workloads/spec.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One number, or a list of runs: median and relative spread. */
static bool runs(struct yat y, double *median, double *spread, struct error *err)
{
    *median = *spread = NAN;
    if (!y.n)
        return true;
    if (y.n->kind == Y_SCALAR) {
        *spread = 0;
        return ynode_f64(y.doc, y.n, median, err);
    }
    if (!yat_kind(y, Y_LIST, "a number or a list of numbers", err) || y.n->n == 0)
        return y.n->kind == Y_LIST;
    size_t n = y.n->n;
    double *v = xcalloc(n, sizeof *v);
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++)
        ok = ynode_f64(y.doc, y.n->items[i], &v[i], err);
    qsort(v, n, sizeof *v, by_value);
    *median = (v[(n - 1) / 2] + v[n / 2]) / 2;
    *spread = *median > 0 ? (v[n - 1] - v[0]) / *median : 0;
    free(v);
    return ok;
}

static void free_counters(struct measured_counter *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        free(c[i].name);
    free(c);
}

/* Scalars of a map; lists in it (curves) are left out. */
static bool numbers(struct yat y, struct measured_counter **out, uint32_t *n, struct error *err)
{
    if (!y.n)
        return true;
    if (!yat_kind(y, Y_MAP, "a map of names and numbers", err))
        return false;
    *out = xcalloc(y.n->n + 1, sizeof **out);
    for (size_t i = 0; i < y.n->n; i++) {
        double v;
        if (y.n->items[i]->kind != Y_SCALAR)
            continue;
        if (!ynode_f64(y.doc, y.n->items[i], &v, err))
            return false;
        (*out)[(*n)++] = (struct measured_counter){.name = xstrdup(y.n->keys[i]->text), .value = v};
    }
    return true;
}

/* Those of the cold run stand first, so that they are found before what replays counted under the same name. */
static bool all_counters(struct yat y, struct measured_launch *l, struct error *err)
{
    struct measured_counter *rest = NULL;
    uint32_t nrest = 0;
    if (!numbers(yat_get(y, "counters_cold"), &l->counters, &l->ncounter, err) ||
        !numbers(yat_get(y, "counters"), &rest, &nrest, err)) {
        free_counters(rest, nrest);
        return false;
    }
    for (uint32_t i = 0; i < l->ncounter; i++)
        l->counters[i].cold = true;
    l->counters = xrealloc(l->counters, l->ncounter + nrest + 1U, sizeof *l->counters);
    for (uint32_t i = 0; i < nrest; i++) {
        bool again = false;
        for (uint32_t k = 0; k < l->ncounter && !again; k++)
            again = strcmp(l->counters[k].name, rest[i].name) == 0;
        if (again)
            free(rest[i].name);
        else
            l->counters[l->ncounter++] = rest[i];
    }
    free(rest);
    return true;
}

static bool read_launch(struct yat y, struct measured_launch *l, struct error *err)
{
    struct yat kernel = yat_get(y, "kernel");
    double unused;
    if (!yat_kind(y, Y_MAP, "a launch", err))
        return false;
    if (kernel.n && !yat_text(kernel, &l->kernel, err))
        return false;
    return runs(yat_get(y, "event_us_warm"), &l->event_warm, &l->event_spread_warm, err) &&
           runs(yat_get(y, "event_us_cold"), &l->event_cold, &l->event_spread_cold, err) &&
           runs(yat_get(y, "cycles_warm"), &l->cycles_warm, &l->spread_warm, err) &&
           runs(yat_get(y, "cycles_cold"), &l->cycles_cold, &l->spread_cold, err) &&
           runs(yat_get(y, "time_us_warm"), &l->us_warm, &unused, err) &&
           runs(yat_get(y, "time_us_cold"), &l->us_cold, &unused, err) && all_counters(y, l, err);
}

static const char *word(struct yat map, const char *key)
{
    struct yat y = yat_get(map, key);
    return y.n && y.n->kind == Y_SCALAR ? y.n->text : "?";
}

static bool read_outputs(struct yat y, struct measured *m, struct error *err)
{
    if (!y.n)
        return true;
    if (!yat_kind(y, Y_MAP, "a map of outputs", err))
        return false;
    m->outputs = xcalloc(y.n->n + 1, sizeof *m->outputs);
    for (size_t i = 0; i < y.n->n; i++) {
        struct yat v = {y.doc, y.n->items[i]};
        m->outputs[m->noutput++] = (struct measured_output){.name = xstrdup(y.n->keys[i]->text),
                                                            .sha256 = xstrdup(word(v, "sha256")),
                                                            .judged = strcmp(word(v, "ok"), "?") != 0,
                                                            .ok = strcmp(word(v, "ok"), "true") == 0};
    }
    return true;
}

static bool read_record(struct yat y, struct measured *m, struct error *err)
{
    struct yat launches = yat_get(y, "launches"), differs = yat_get(y, "differs");
    if (!yat_kind(y, Y_MAP, "a record", err) || !yat_text(yat_get(y, "name"), &m->name, err) ||
        !yat_text(yat_get(y, "size"), &m->size, err))
        return false;
    if (differs.n && !ynode_bool(differs.doc, differs.n, &m->differs, err))
        return false;
    if (!numbers(yat_get(y, "metrics"), &m->metrics, &m->nmetric, err) ||
        !numbers(yat_get(y, "metric_spread"), &m->metric_spreads, &m->nspread, err) ||
        !runs(yat_get(y, "graph_us"), &m->graph_us, &m->graph_spread, err) ||
        !read_outputs(yat_get(y, "outputs"), m, err))
        return false;
    if (!launches.n)
        return true;
    if (!yat_kind(launches, Y_LIST, "a list of launches", err))
        return false;
    m->launches = xcalloc(launches.n->n + 1, sizeof *m->launches);
    for (size_t i = 0; i < launches.n->n; i++) {
        m->nlaunch++;
        if (!read_launch((struct yat){launches.doc, launches.n->items[i]}, &m->launches[i], err))
            return false;
    }
    return true;
}

/* What the whole file says of its run. */
struct run_facts {
    double empty_event_cold, empty_graph, clock;
};

static bool read_facts(struct yat root, struct run_facts *f, struct error *err)
{
    struct yat empty = yat_get(root, "empty");
    double unused;
    return runs(yat_get(empty, "event_us_cold"), &f->empty_event_cold, &unused, err) &&
           runs(yat_get(empty, "graph_us"), &f->empty_graph, &unused, err) &&
           runs(yat_get(yat_get(root, "device"), "sm_clock_mhz"), &f->clock, &unused, err);
}

static bool read_file(struct measured_set *m, size_t *cap, const char *path, struct error *err)
{
    struct ydoc doc;
    if (!ydoc_read(&doc, path, err))
        return false;
    struct yat root = {&doc, doc.root}, list = yat_get(root, "records"), device = yat_get(root, "device");
    struct run_facts facts;
    bool ok = yat_kind(list, Y_LIST, "records: (a list)", err) && read_facts(root, &facts, err);
    if (ok && !m->device && device.n)
        m->device = xasprintf("%s, driver %s, CUDA %s, %s", word(device, "name"), word(device, "driver"),
                              word(device, "toolkit"), word(device, "date"));
    for (size_t i = 0; ok && i < list.n->n; i++) {
        m->records = grow(m->records, m->n, cap, sizeof *m->records);
        struct measured *r = &m->records[m->n++];
        *r = (struct measured){.empty_event_us_cold = facts.empty_event_cold,
                               .empty_graph_us = facts.empty_graph,
                               .sm_clock_mhz = facts.clock};
        ok = read_record((struct yat){&doc, list.n->items[i]}, r, err);
    }
    ydoc_finish(&doc);
    return ok;
}

static int by_name(const void *a, const void *b)
{
    const struct measured *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : strcmp(x->size, y->size);
}

/* FOLDER/measured/GPU.yaml, or every file there. */
static bool load_folder(struct measured_set *m, size_t *cap, const char *folder, const char *gpu, struct error *err)
{
    DIR *d = gpu ? NULL : opendir(folder);
    bool ok = true;
    if (gpu) {
        char *path = xasprintf("%s/%s.yaml", folder, gpu);
        ok = !file_exists(path) || read_file(m, cap, path, err);
        free(path);
    }
    for (struct dirent *e; d && ok && (e = readdir(d));) {
        size_t len = strlen(e->d_name);
        char *path = xasprintf("%s/%s", folder, e->d_name);
        if (len > 5 && strcmp(e->d_name + len - 5, ".yaml") == 0)
            ok = read_file(m, cap, path, err);
        free(path);
    }
    if (d)
        closedir(d);
    return ok;
}

bool measured_load(struct measured_set *m, const char *dir, const char *gpu, struct error *err)
{
    size_t cap = 0;
    *m = (struct measured_set){0};
    dir = dir ? dir : workload_dir();
    DIR *d = opendir(dir);
    if (!d)
        return error_set(err, EXIT_BAD_INPUT, "the folder of records %s cannot be read", dir);
    bool ok = true;
    for (struct dirent *e; ok && (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        char *folder = xasprintf("%s/%s/measured", dir, e->d_name);
        ok = load_folder(m, &cap, folder, gpu, err);
        free(folder);
    }
    closedir(d);
    if (m->n)
        qsort(m->records, m->n, sizeof *m->records, by_name);
    if (!ok)
        measured_finish(m);
    return ok;
}

void measured_finish(struct measured_set *m)
{
    for (size_t i = 0; i < m->n; i++) {
        struct measured *r = &m->records[i];
        for (uint32_t k = 0; k < r->nlaunch; k++) {
            free(r->launches[k].kernel);
            free_counters(r->launches[k].counters, r->launches[k].ncounter);
        }
        for (uint32_t k = 0; k < r->noutput; k++) {
            free(r->outputs[k].name);
            free(r->outputs[k].sha256);
        }
        free(r->outputs);
        free_counters(r->metrics, r->nmetric);
        free_counters(r->metric_spreads, r->nspread);
        free(r->launches);
        free(r->name);
        free(r->size);
    }
    free(m->records);
    free(m->device);
    *m = (struct measured_set){0};
}

double measured_counter_value(const struct measured_launch *l, const char *name)
{
    for (uint32_t i = 0; i < l->ncounter; i++)
        if (strcmp(l->counters[i].name, name) == 0)
            return l->counters[i].value;
    return NAN;
}
