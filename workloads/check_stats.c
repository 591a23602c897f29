/* What bounds a kernel, and the statistics under the table. */
#include "workloads/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const check_classes[] = {"launch", "latency",    "compute", "memory",
                                     "shared", "divergence", "tensor",  "micro"};
const size_t ncheck_class = ARRAY_LEN(check_classes);

/* Sum over the launches, NAN if any lacks it. */
static double total(const struct measured *m, const char *name)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->nlaunch; i++)
        sum += measured_counter_value(&m->launches[i], name);
    return m->nlaunch ? sum : NAN;
}

/* Lanes that exist, of 32 a warp: a block of one thread diverges from nobody. */
static double launched_lanes(const struct spec *s)
{
    const uint32_t *b = s->launches[0].block;
    uint32_t threads = b[0] * b[1] * b[2], warps = (threads + 31) / 32;
    return warps ? threads / (32.0 * warps) : 1;
}

static double share_of_peak(double bytes, double peak_per_second, const struct config *c, double cycles)
{
    return bytes / (cycles / (c->sm_mhz * 1e6) * peak_per_second);
}

/* The profiler counts HFMA2.MMA in the tensor pipe, and nvcc uses it for constants: only code with products is
 * tensor-bound. */
static bool has_products(const struct spec *s)
{
    for (uint32_t i = 0; i < s->nlaunch; i++) {
        const struct kernel *k = s->launches[i].kernel;
        for (uint32_t pc = 0; k && pc < k->n; pc++)
            if (op_table[k->code[pc].op].unit == UNIT_TENSOR)
                return true;
    }
    return false;
}

/* Thresholds are shares of what the machine could do in the measured time without what the launches cost by themselves;
 * a kernel near none of them waits. */
static const char *class_of_profile(const struct measured *m, const struct spec *s, const struct config *c,
                                    double cycles)
{
    double inst = total(m, "smsp__inst_executed.sum");
    double issue = inst / (cycles * c->nsm * c->subcores);
    double dram = share_of_peak(32 * (total(m, "dram__sectors_read.sum") + total(m, "dram__sectors_write.sum")),
                                config_peaks(c).dram, c, cycles);
    double l2 = share_of_peak(
        32 * (total(m, "lts__t_sectors_srcunit_tex_op_read.sum") + total(m, "lts__t_sectors_srcunit_tex_op_write.sum")),
        config_peaks(c).l2, c, cycles);
    double atomics = (total(m, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum") +
                      total(m, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum")) /
                     inst;
    double shared = total(m, "memory_l1_wavefronts_shared") / (cycles * c->nsm);
    double lanes = total(m, "smsp__thread_inst_executed.sum") / (32 * inst) / launched_lanes(s);
    double tensor = total(m, "sm__inst_executed_pipe_tensor.sum") -
                    total(m, "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum") / 32;
    if (has_products(s) && tensor > 0.01 * inst)
        return "tensor";
    if (dram > 0.5 || l2 > 0.5 || atomics > 0.03)
        return "memory";
    if (shared > 0.5)
        return "shared";
    if (lanes < 0.75)
        return "divergence";
    if (issue > 0.4)
        return "compute";
    return isnan(dram) || isnan(shared) || isnan(lanes) ? NULL : "latency";
}

double check_dram_share(const struct measured *m, const struct config *c)
{
    double cycles = 0;
    for (uint32_t i = 0; i < m->nlaunch; i++)
        cycles += m->launches[i].cycles_warm - (double)c->launch_overhead_cycles;
    return share_of_peak(32 * (total(m, "dram__sectors_read.sum") + total(m, "dram__sectors_write.sum")),
                         config_peaks(c).dram, c, cycles);
}

const char *check_class(const struct measured *m, const struct spec *s, const struct config *c)
{
    double cycles = 0, floor = 0;
    for (uint32_t i = 0; i < m->nlaunch; i++) {
        double v = isnan(m->launches[i].cycles_cold) ? m->launches[i].cycles_warm : m->launches[i].cycles_cold;
        cycles += v;
        floor += (double)c->launch_overhead_cycles;
    }
    if (cycles < 2 * floor) /* most of it is the empty kernel's cost */
        return "launch";
    const char *found = class_of_profile(m, s, c, cycles - floor);
    if (found)
        return found;
    for (size_t i = 0; i < ncheck_class; i++)
        if (s->class_name && strcmp(s->class_name, check_classes[i]) == 0)
            return check_classes[i];
    return "latency";
}

/* ---- statistics ---- */
struct points {
    double *x, *y; /* measured, predicted */
    size_t n;
};

static double correlation(const double *x, const double *y, size_t n)
{
    double mx = 0, my = 0, sxy = 0, sxx = 0, syy = 0;
    for (size_t i = 0; i < n; i++) {
        mx += x[i] / (double)n;
        my += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        sxy += (x[i] - mx) * (y[i] - my);
        sxx += (x[i] - mx) * (x[i] - mx);
        syy += (y[i] - my) * (y[i] - my);
    }
    return sxx > 0 && syy > 0 ? sxy / sqrt(sxx * syy) : NAN;
}

static void ranks(const double *v, double *rank, size_t n)
{
    for (size_t i = 0; i < n; i++) { /* small n: ties get the mean of their places */
        double less = 0, same = 0;
        for (size_t k = 0; k < n; k++) {
            less += v[k] < v[i];
            same += v[k] == v[i];
        }
        rank[i] = less + (same - 1) / 2;
    }
}

static void add_point(struct points *p, struct check_stats *s, const struct check_pair *v)
{
    if (isnan(v->error) || v->predicted <= 0)
        return;
    p->x[p->n] = log(v->measured);
    p->y[p->n++] = log(v->predicted);
    s->mape += fabs(v->error);
    s->bias += v->error;
    s->worst = fmax(s->worst, fabs(v->error));
}

/* What is asked of rows: of this class, of names that begin so (NULL: any), judged or else under 5 us. */
struct choice {
    const char *class_name, *prefix;
    bool cold, warm, brief;
};

static bool chosen(const struct check_row *r, const struct choice *w)
{
    return (w->brief ? r->short_run : r->judged) && (!w->class_name || strcmp(w->class_name, r->class_name) == 0) &&
           (!w->prefix || strncmp(r->name, w->prefix, strlen(w->prefix)) == 0);
}

static struct check_stats stats_of(const struct check_result *c, struct choice w)
{
    struct check_stats s = {0};
    size_t most = 2 * c->n + 1;
    double *room = xcalloc(4 * most, sizeof *room);
    struct points p = {room, room + most, 0};
    for (size_t i = 0; i < c->n; i++) {
        const struct check_row *r = &c->rows[i];
        if (!chosen(r, &w))
            continue;
        if (w.cold)
            add_point(&p, &s, &r->cold);
        if (w.warm)
            add_point(&p, &s, &r->warm);
    }
    s.n = p.n;
    s.mape = p.n ? s.mape / (double)p.n : NAN;
    s.bias = p.n ? s.bias / (double)p.n : NAN;
    s.pearson = correlation(p.x, p.y, p.n);
    ranks(p.x, room + 2 * most, p.n);
    ranks(p.y, room + 3 * most, p.n);
    s.rank = correlation(room + 2 * most, room + 3 * most, p.n);
    free(room);
    return s;
}

struct check_stats check_stats_of(const struct check_result *c, const char *class_name, bool cold, bool warm)
{
    return stats_of(c, (struct choice){.class_name = class_name, .cold = cold, .warm = warm});
}

const char *const check_fresh[NFRESH] = {"kernels_", "practice_"};

void check_statistics(struct check_result *c)
{
    c->brief = stats_of(c, (struct choice){.cold = true, .warm = true, .brief = true});
    for (size_t i = 0; i < NFRESH; i++)
        c->fresh[i] = stats_of(c, (struct choice){.prefix = check_fresh[i], .cold = true, .warm = true});
    c->all = check_stats_of(c, NULL, true, true);
    c->cold = check_stats_of(c, NULL, true, false);
    c->warm = check_stats_of(c, NULL, false, true);
}
