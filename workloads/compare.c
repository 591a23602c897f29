/* Two measurements of the same code side by side: repeated, they must agree inside their own spread. */
#include "workloads/spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { CYCLES_WARM, CYCLES_COLD, EVENT_WARM, EVENT_COLD, GRAPH, METRIC, KINDS };
static const char *const kind_names[KINDS] = {"profiled cycles, warm", "profiled cycles, cold", "events, warm",
                                              "events, cold",          "graph replay",          "own clock reads"};
/* Two runs of a kernel may start at another phase of the clock that times them, which no spread of one run shows. */
static const double always_allowed = 0.01;

struct tally {
    size_t n, inside;
    double *differences;
    size_t cap;
};
struct comparison {
    struct tally kinds[KINDS];
    size_t outputs, same;
    struct sb outside, bytes; /* lines about what does not agree */
};

static void compare(struct comparison *c, enum kind kind, const struct measured *m, const char *what, double a,
                    double spread_a, double b, double spread_b)
{
    struct tally *t = &c->kinds[kind];
    if (isnan(a) || isnan(b) || a + b <= 0)
        return;
    double difference = fabs(a - b) / ((a + b) / 2), spread = fmax(fmax(spread_a, spread_b), always_allowed);
    t->differences = grow(t->differences, t->n, &t->cap, sizeof *t->differences);
    t->differences[t->n++] = difference;
    if (difference <= spread) {
        t->inside++;
        return;
    }
    sb_addf(&c->outside, "  %-30s %-10s %-22s %-22s %12.6g %12.6g %+7.1f%%  spread %.1f%%\n", m->name, m->size, what,
            kind_names[kind], a, b, (b / a - 1) * 100, spread * 100);
}

static void compare_launch(struct comparison *c, const struct measured *m, const struct measured_launch *x,
                           const struct measured_launch *y)
{
    const char *what = x->kernel ? x->kernel : "";
    compare(c, CYCLES_WARM, m, what, x->cycles_warm, x->spread_warm, y->cycles_warm, y->spread_warm);
    compare(c, CYCLES_COLD, m, what, x->cycles_cold, x->spread_cold, y->cycles_cold, y->spread_cold);
    compare(c, EVENT_WARM, m, what, x->event_warm, x->event_spread_warm, y->event_warm, y->event_spread_warm);
    compare(c, EVENT_COLD, m, what, x->event_cold, x->event_spread_cold, y->event_cold, y->event_spread_cold);
}

static double find(const struct measured_counter *list, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].value;
    return NAN;
}

static void compare_outputs(struct comparison *c, const struct measured *x, const struct measured *y)
{
    for (uint32_t i = 0; i < x->noutput && i < y->noutput; i++) {
        if (!x->outputs[i].judged || strcmp(x->outputs[i].name, y->outputs[i].name) != 0)
            continue;
        bool same = strcmp(x->outputs[i].sha256, y->outputs[i].sha256) == 0;
        c->outputs++;
        c->same += same;
        if (!same)
            sb_addf(&c->bytes, "  %s %s: %s has other bytes\n", x->name, x->size, x->outputs[i].name);
    }
}

static void compare_records(struct comparison *c, const struct measured *x, const struct measured *y)
{
    for (uint32_t i = 0; i < x->nlaunch && i < y->nlaunch; i++)
        compare_launch(c, x, &x->launches[i], &y->launches[i]);
    compare(c, GRAPH, x, "", x->graph_us, x->graph_spread, y->graph_us, y->graph_spread);
    for (uint32_t i = 0; i < x->nmetric; i++) {
        const char *name = x->metrics[i].name;
        compare(c, METRIC, x, name, x->metrics[i].value, find(x->metric_spreads, x->nspread, name),
                find(y->metrics, y->nmetric, name), find(y->metric_spreads, y->nspread, name));
    }
    compare_outputs(c, x, y);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_tally(const char *name, struct tally *t, struct sb *out)
{
    if (!t->n)
        return;
    qsort(t->differences, t->n, sizeof *t->differences, by_value);
    sb_addf(out, "%-24s %8zu %8zu %7.1f%% %9.2f%% %9.2f%% %9.2f%%\n", name, t->n, t->inside,
            100.0 * (double)t->inside / (double)t->n, 100 * t->differences[t->n / 2],
            100 * t->differences[t->n * 9 / 10], 100 * t->differences[t->n - 1]);
}

static void print(struct comparison *c, const struct measured_set *a, const struct measured_set *b, size_t rows,
                  struct sb *out)
{
    sb_addf(out, "%zu records of %s, and the same of %s\n\n", rows, a->device ? a->device : "?",
            b->device ? b->device : "?");
    sb_addf(out, "%-24s %8s %8s %8s %10s %10s %10s\n", "", "numbers", "inside", "", "median", "9 of 10", "worst");
    for (int k = 0; k < KINDS; k++)
        print_tally(kind_names[k], &c->kinds[k], out);
    sb_addf(out, "\ninside: the difference of the medians is at most the larger of the two runs' spreads, or %.0f %%\n",
            always_allowed * 100);
    sb_addf(out, "outputs: %zu of %zu have the same bytes\n", c->same, c->outputs);
    if (c->bytes.len)
        sb_addn(out, c->bytes.text, c->bytes.len);
    if (c->outside.len)
        sb_addf(out, "\noutside their spread:\n%s", c->outside.text);
}

static const struct measured *same_record(const struct measured_set *m, const struct measured *x)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->records[i].name, x->name) == 0 && strcmp(m->records[i].size, x->size) == 0)
            return &m->records[i];
    return NULL;
}

bool measured_compare(const struct measured_set *a, const struct measured_set *b, struct sb *out, double *share,
                      struct error *err)
{
    struct comparison c = {0};
    size_t rows = 0, n = 0, inside = 0;
    for (size_t i = 0; i < a->n; i++) {
        const struct measured *y = same_record(b, &a->records[i]);
        if (y)
            compare_records(&c, &a->records[i], y);
        rows += y != NULL;
    }
    if (rows)
        print(&c, a, b, rows, out);
    for (int k = 0; k < KINDS; k++) {
        n += c.kinds[k].n;
        inside += c.kinds[k].inside;
        free(c.kinds[k].differences);
    }
    sb_finish(&c.outside);
    sb_finish(&c.bytes);
    *share = n ? (double)inside / (double)n : 0;
    return n > 0 || error_set(err, EXIT_BAD_INPUT, "the two folders hold no record of the same workload and size");
}
