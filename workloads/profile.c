/* Counters through the profiler: which metrics, which launches it shall see, and what of them goes into a record, in
 * three runs. Cycles and time: in a single pass, warm and cold. What L2 and DRAM did: cold, the whole program once more
 * for each pass, since replaying a kernel in place leaves its data in L2. The rest: replayed in place, so that the
 * caches are about as warm as they get. Ratios over the same hardware counters cost no pass, but the profiler's
 * `throughput` metrics are maxima over dozens of them and are left out. */
#include "workloads/ncu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct profile {
    struct ncu_table cycles, cold, counters;
};

enum { NWARM = 5, NCOLD = 5 }; /* profiled runs of a spec in the first run; the second profiles one cold run */
/* Each GPC has a clock of its own: one that multiplies matrices lowers it, and idle ones count more cycles meanwhile.
 * The most is what a launch's cycles are; the least is kept beside it. */
static const char cycles_list[] =
    "sm__cycles_elapsed.max,sm__cycles_elapsed.min,gpu__time_duration.sum,smsp__inst_executed.sum";
static const char cold_list[] =
    "lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum,"
    "lts__t_sectors_srcunit_tex_op_write.sum,lts__t_sectors_srcunit_tex_op_atom.sum,"
    "lts__t_sectors_srcunit_tex_op_red.sum,"
    "dram__sectors_read.sum,dram__sectors_write.sum,dram__bytes_read.sum,dram__bytes_write.sum";
/* Names of counters.def that the profiler does not have, or only at the price of many passes. */
static const char *const left_out[] = {
    "heddle__", "derived__", "throughput", "srcnode_fbp_fill", "pipe_fp16", "op_ldgsts", "srcunit_tex_op_read_hit_rate",
    "dram__",   "lts__"};

/* What reads the clock itself needs no profiler. */
bool profile_wants(const struct spec *s)
{
    return s->nmetric == 0;
}

static bool profiled(struct bench *b, struct error *err)
{
    return cuda_ok(b->cu, b->cu->profiler_start(), "the profiler", err) && bench_all(b, err) &&
           cuda_ok(b->cu, b->cu->profiler_stop(), "the profiler", err);
}

static bool sequence_of(struct bench *b, unsigned order, size_t *runs, struct error *err)
{
    bool ok = true;
    if (order == 1) {
        for (int i = 0; ok && i < 2; i++)
            ok = bench_all(b, err);
        for (int i = 0; ok && i < NWARM; i++, *runs += ok)
            ok = profiled(b, err);
    }
    for (int i = 0; ok && i < (order == 1 ? NCOLD : 1); i++, *runs += ok)
        ok = bench_flush(b, err) && cuda_wait(b->cu, b->s->name, err) && profiled(b, err);
    return ok;
}

bool profile_sequence(struct cuda *cu, struct spec *s, unsigned order, struct error *err)
{
    struct bench b;
    size_t runs = 0;
    if (!profile_wants(s))
        return true;
    bool ok = bench_start(&b, cu, s, err) && sequence_of(&b, order, &runs, err);
    bench_finish(&b);
    ncu_mark(s->name, s->size, runs * s->nlaunch);
    return ok;
}

static bool is_left_out(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(left_out); i++)
        if (strstr(name, left_out[i]))
            return true;
    return false;
}

static char *counter_list(void)
{
    struct sb list = {0};
    for (size_t i = 0; i < counter_count; i++)
        if (!is_left_out(counter_table[i].name))
            sb_addf(&list, "%s%s", list.len ? "," : "", counter_table[i].name);
    return list.text;
}

static int slowest_first(const void *a, const void *b)
{
    const struct ncu_spec *const *x = a, *const *y = b;
    return ((*x)->seconds < (*y)->seconds) - ((*x)->seconds > (*y)->seconds);
}

static void tell_slowest(const struct ncu_table *t)
{
    const struct ncu_spec **order = xcalloc(t->nspec + 1, sizeof *order);
    for (size_t i = 0; i < t->nspec; i++)
        order[i] = &t->specs[i];
    qsort(order, t->nspec, sizeof *order, slowest_first);
    for (size_t i = 0; i < t->nspec && i < 6; i++)
        fprintf(stderr, "%s%s %s %.1f s", i ? ", " : "  slowest: ", order[i]->name, order[i]->size, order[i]->seconds);
    fprintf(stderr, "\n");
    free(order);
}

static void run_table(struct ncu_table *t, const struct measure_options *o, unsigned sequence, char *list,
                      double *seconds)
{
    struct measure_options own = *o;
    double begun = seconds_now();
    own.micro = o->micro && sequence == 1; /* nothing in them that counters would explain */
    own.sequence = sequence == 1 ? 1 : 2;
    own.whole_program = sequence == 2;
    ncu_run(t, &own, list);
    *seconds = seconds_now() - begun;
    fprintf(stderr, "profiler, %s: %zu kernels in %.1f s\n",
            sequence == 1   ? "cycles and time"
            : sequence == 2 ? "L2 and DRAM"
                            : "other counters",
            t->n, *seconds);
    tell_slowest(t);
    free(list);
}

struct profile *profile_run(const struct measure_options *o, struct measure_summary *sum)
{
    struct profile *p = xcalloc(1, sizeof *p);
    run_table(&p->cycles, o, 1, xstrdup(cycles_list), &sum->seconds[MEASURE_CYCLES]);
    if (o->counters) {
        run_table(&p->cold, o, 2, xstrdup(cold_list), &sum->seconds[MEASURE_COLD]);
        run_table(&p->counters, o, 3, counter_list(), &sum->seconds[MEASURE_COUNTERS]);
    }
    return p;
}

void profile_free(struct profile *p)
{
    if (!p)
        return;
    ncu_free(&p->cycles);
    ncu_free(&p->cold);
    ncu_free(&p->counters);
    free(p);
}

/* ---- handing out ---- */
static double at(const struct ncu_table *t, size_t row, const char *name)
{
    size_t c = ncu_column(t, name);
    return row < t->n && c < t->ncolumn ? t->rows[row].values[c] : NAN;
}

static void add_runs(const struct ncu_table *t, size_t first, uint32_t n, uint32_t i, int runs, const char *name,
                     const char *metric, double divide, struct sb *out)
{
    sb_addf(out, ", %s: [", name);
    for (int r = 0; r < runs; r++)
        sb_addf(out, "%s%.9g", r ? ", " : "", at(t, first + (size_t)r * n + i, metric) / divide);
    sb_add(out, "]");
}

/* Rows of a spec of n launches: NWARM times n, then NCOLD times n. */
static void add_cycles(const struct ncu_table *t, size_t first, uint32_t n, uint32_t i, struct sb *out)
{
    size_t cold = first + (size_t)NWARM * n;
    add_runs(t, first, n, i, NWARM, "cycles_warm", "sm__cycles_elapsed.max", 1, out);
    add_runs(t, cold, n, i, NCOLD, "cycles_cold", "sm__cycles_elapsed.max", 1, out);
    add_runs(t, first, n, i, NWARM, "least_cycles_warm", "sm__cycles_elapsed.min", 1, out);
    add_runs(t, cold, n, i, NCOLD, "least_cycles_cold", "sm__cycles_elapsed.min", 1, out);
    add_runs(t, first, n, i, NWARM, "time_us_warm", "gpu__time_duration.sum", 1e3, out);
    add_runs(t, cold, n, i, NCOLD, "time_us_cold", "gpu__time_duration.sum", 1e3, out);
}

static void add_counters(const struct ncu_table *t, size_t row, const char *name, const char *wanted, struct sb *out)
{
    bool first = true;
    sb_addf(out, ", %s: {", name);
    for (size_t c = 0; c < t->ncolumn; c++) {
        double v = t->rows[row].values[c];
        /* the profiler adds columns of its own */
        if (counter_find(t->columns[c]) < 0 || isnan(v) || (wanted && !strstr(wanted, t->columns[c])))
            continue;
        sb_addf(out, "%s%s: %.9g", first ? "" : ", ", t->columns[c], v);
        first = false;
    }
    sb_add(out, "}");
}

/* Without the second run the first one's count of instructions still stands. */
static void add_instructions(const struct ncu_table *t, size_t row, struct sb *out)
{
    double v = at(t, row, "smsp__inst_executed.sum");
    if (!isnan(v))
        sb_addf(out, ", counters: {smsp__inst_executed.sum: %.0f}", v);
}

/* The spec's rows, if all are there. */
static const struct ncu_spec *rows_of(const struct ncu_table *t, const struct spec *s, size_t runs)
{
    const struct ncu_spec *x = ncu_find(t, s->name, s->size);
    return x && x->n == runs * s->nlaunch && x->first + x->n <= t->n ? x : NULL;
}

void profile_add(struct profile *p, const struct spec *s, uint32_t launch, struct sb *out)
{
    if (!p)
        return;
    const struct ncu_spec *cycles = rows_of(&p->cycles, s, NWARM + NCOLD), *cold = rows_of(&p->cold, s, 1),
                          *counters = rows_of(&p->counters, s, 1);
    if (cycles)
        add_cycles(&p->cycles, cycles->first, s->nlaunch, launch, out);
    if (counters)
        add_counters(&p->counters, counters->first + launch, "counters", NULL, out);
    else if (cycles)
        add_instructions(&p->cycles, cycles->first + launch, out);
    if (cold)
        add_counters(&p->cold, cold->first + launch, "counters_cold", cold_list, out);
}
