/* What `heddle measure` writes: one record a spec and size, one file a folder. */
#include "workloads/record.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* "NVIDIA H200" -> h200 */
char *record_gpu_key(const char *name)
{
    const char *last = strrchr(name, ' ');
    char *key = xstrdup(last ? last + 1 : name), *to = key;
    for (const char *p = key; *p; p++)
        if (isalnum((unsigned char)*p))
            *to++ = (char)tolower((unsigned char)*p);
    *to = 0;
    return key;
}

static void make_folders(const char *path)
{
    for (char *p = strchr(path + 1, '/'), *own; p; p = strchr(p + 1, '/')) {
        own = xstrndup(path, (size_t)(p - path));
        mkdir(own, 0777);
        free(own);
    }
}

static void add_times(struct sb *out, const char *name, struct bench_times t)
{
    sb_addf(out, "%s: [%.3f, %.3f, %.3f]", name, t.low, t.median, t.high);
}

static void today(char date[16])
{
    time_t now = time(NULL);
    strftime(date, 16, "%Y-%m-%d", gmtime(&now));
}

static void add_device(struct sb *out, const struct record_head *h)
{
    char date[16];
    today(date);
    sb_addf(out,
            "device: {name: %s, driver: %s, cuda: \"%d.%d\", toolkit: \"%s\", date: %s, sm_clock_mhz: %d, "
            "memory_clock_mhz: %d, sm_clock_mhz_after: %d}\n",
            h->cu->name, h->cu->driver[0] ? h->cu->driver : "unknown", h->cu->api / 1000, h->cu->api % 1000 / 10,
            h->toolkit[0] ? h->toolkit : "unknown", date, h->cu->sm_khz / 1000, h->cu->mem_khz / 1000,
            cuda_sm_clock_mhz(h->cu));
    sb_addf(out, "command: \"%s\"\nempty: {", h->command);
    add_times(out, "event_us_warm", h->empty.warm);
    sb_add(out, ", ");
    add_times(out, "event_us_cold", h->empty.cold);
    sb_add(out, ", ");
    add_times(out, "graph_us", h->empty.graph);
    sb_add(out, "} # an empty kernel, timed in the same ways\nrecords:\n");
}

/* A record in the text of a file: from "  - name: NAME" to the next one. */
struct block {
    const char *at;
    size_t len;
};

static bool next_block(const char **p, struct block *b)
{
    static const char head[] = "  - name: ";
    while (**p && strncmp(*p, head, sizeof head - 1) != 0) {
        *p += strcspn(*p, "\n");
        *p += **p == '\n';
    }
    b->at = *p;
    while (**p) {
        *p += strcspn(*p, "\n");
        *p += **p == '\n';
        if (strncmp(*p, head, sizeof head - 1) == 0)
            break;
    }
    b->len = (size_t)(*p - b->at);
    return b->len > 0;
}

/* Name and size are a record's first two lines. */
static size_t key_len(const struct block *b)
{
    size_t one = strcspn(b->at, "\n") + 1;
    return one < b->len ? one + strcspn(b->at + one, "\n") : b->len;
}

static bool has(const struct sb *records, const struct block *b)
{
    struct block r;
    for (const char *p = records->text; next_block(&p, &r);)
        if (key_len(&r) == key_len(b) && strncmp(r.at, b->at, key_len(b)) == 0)
            return true;
    return false;
}

/* What was not measured again stays; each record has its own date. */
static void keep_others(struct sb *all, const char *path, const struct sb *records)
{
    uint8_t *old;
    size_t len;
    struct block b;
    struct error unused = {0};
    if (!file_exists(path) || !file_read(path, &old, &len, &unused))
        return;
    char *text = xstrndup((const char *)old, len);
    for (const char *p = text; next_block(&p, &b);)
        if (!has(records, &b))
            sb_addn(all, b.at, b.len);
    free(text);
    free(old);
}

bool record_write(const struct record_head *h, const char *path, const struct sb *records, struct error *err)
{
    struct sb all = {0};
    sb_addf(&all,
            "# Written by `heddle measure`. Cycles and time_us are the profiler's sm__cycles_elapsed.max and "
            "gpu__time_duration.sum, one\n"
            "# number a run; least_cycles are sm__cycles_elapsed.min: less where matrix products slow the clock of "
            "some GPCs only. event_us\n"
            "# are times between events around single launches (%d of them), graph_us of the whole spec inside a "
            "replayed graph: [lower\n"
            "# end of the middle eight tenths, median, upper end]. Cold: after 256 MB were written and read, so L2 "
            "holds clean other lines.\n",
            NREPEAT);
    add_device(&all, h);
    sb_addn(&all, records->text, records->len);
    keep_others(&all, path, records);
    make_folders(path);
    bool ok = file_write(path, all.text, all.len, err);
    sb_finish(&all);
    return ok;
}

/* "Cuda compilation tools, release 13.0, V13.0.88" stands in what nvcc makes. */
void record_toolkit(struct record_head *h, const struct spec *s)
{
    static const char mark[] = "Cuda compilation tools, release ";
    uint8_t *data;
    size_t len;
    struct error unused = {0};
    if (h->toolkit[0] || spec_is_kir(s, 0) || !file_read(s->program_paths[0], &data, &len, &unused))
        return;
    const char *at = memmem(data, len, mark, sizeof mark - 1), *v = at;
    const char *end = (const char *)data + len;
    while (v && v + 1 < end && !(v[0] == ' ' && v[1] == 'V'))
        v++;
    for (size_t n = 0;
         v && v + 2 + n < end && n + 1 < sizeof h->toolkit && (isdigit((unsigned char)v[2 + n]) || v[2 + n] == '.');
         n++)
        h->toolkit[n] = v[2 + n];
    free(data);
}

static void add_params(struct sb *out, const struct spec *s)
{
    char date[16];
    sb_addf(out, "  - name: %s\n    size: %s\n    params: {", s->name, s->size);
    for (uint32_t i = 0; i < s->nparam; i++)
        sb_addf(out, "%s%s: %.17g", i ? ", " : "", s->params[i].name, s->params[i].value);
    today(date);
    sb_addf(out, "}\n    date: %s\n", date);
    if (spec_is_kir(s, 0))
        sb_add(out, "    differs: true # PTX was made of it: other machine code ran\n");
}

static void add_launches(struct sb *out, const struct spec *s, const struct record_times *t, struct profile *p)
{
    sb_add(out, "    launches:\n");
    for (uint32_t i = 0; i < s->nlaunch; i++) {
        sb_addf(out, "      - {kernel: %s", s->launches[i].kernel_name ? s->launches[i].kernel_name : "?");
        if (t) {
            sb_add(out, ", ");
            add_times(out, "event_us_warm", t->warm[i]);
            sb_add(out, ", ");
            add_times(out, "event_us_cold", t->cold[i]);
        }
        profile_add(p, s, i, out);
        sb_add(out, "}\n");
    }
}

static void add_outputs(struct sb *out, const struct spec *s)
{
    if (!s->nexpect)
        return;
    sb_add(out, "    outputs: {");
    for (uint32_t i = 0; i < s->nexpect; i++) {
        const struct verdict *v = &s->expects[i].verdict;
        sb_addf(out, "%s%s: {sha256: \"%s\"", i ? ", " : "", s->buffers[s->expects[i].buffer].name, v->sha256);
        if (v->checked)
            sb_addf(out, ", ok: %s, max_ulp: %llu, max_abs: %.3g", v->ok ? "true" : "false",
                    (unsigned long long)v->max_ulp, v->max_abs);
        sb_add(out, "}");
    }
    sb_add(out, "}\n");
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void add_list(struct sb *out, const struct spec_metric *m, const struct spec_buffer *b)
{
    sb_addf(out, "      %s: [", m->name);
    for (uint64_t k = 0; k < m->count; k++)
        sb_addf(out, "%s%.9g", k ? ", " : "", (elem_get(b->type, b->out, m->index + k) - m->offset) / m->divide);
    sb_add(out, "]\n");
}

static void add_metrics(struct sb *out, const struct spec *s, double *runs)
{
    if (!s->nmetric)
        return;
    struct sb spread = {0};
    sb_add(out, "    metrics:\n");
    for (uint32_t i = 0; i < s->nmetric; i++) {
        const struct spec_metric *m = &s->metrics[i];
        double *v = runs + (size_t)i * MICRO_RUNS;
        if (m->how == METRIC_LIST) {
            add_list(out, m, &s->buffers[m->buffer]);
            continue;
        }
        qsort(v, MICRO_RUNS, sizeof *v, by_value);
        double median = v[MICRO_RUNS / 2];
        sb_addf(out, "      %s: %.9g\n", m->name, median);
        sb_addf(&spread, "%s%s: %.3g", spread.len ? ", " : "", m->name,
                median != 0 ? (v[MICRO_RUNS - 1] - v[0]) / fabs(median) : 0);
    }
    if (spread.len)
        sb_addf(out, "    metric_spread: {%s} # (largest - smallest) / median of %d runs\n", spread.text, MICRO_RUNS);
    sb_finish(&spread);
}

void record_add(struct sb *out, const struct spec *s, const struct record_times *t, struct profile *p, double *runs)
{
    add_params(out, s);
    if (t && !isnan(t->graph.median)) {
        sb_add(out, "    ");
        add_times(out, "graph_us", t->graph);
        sb_add(out, "\n");
    }
    add_launches(out, s, t, p);
    add_outputs(out, s);
    add_metrics(out, s, runs);
}
