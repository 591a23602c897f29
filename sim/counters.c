/* Sums of counters and the ratios derived from them, all from counters.def. */
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sm_counters_add(struct sm_counters *sum, const struct sm_counters *x)
{
#define SMC(field, ...) sum->field += x->field;
#include "sim/counters.def"
    for (size_t i = 0; i < STALL_COUNT; i++)
        sum->stall[i] += x->stall[i];
    for (size_t i = 0; i < UNIT_COUNT; i++)
        sum->unit_issued[i] += x->unit_issued[i];
    for (size_t i = 0; i < OP_COUNT; i++)
        sum->op_executed[i] += x->op_executed[i];
}

void mp_counters_add(struct mp_counters *sum, const struct mp_counters *x)
{
#define MPC(field, ...) sum->field += x->field;
#include "sim/counters.def"
}

void pc_counters_add(struct pc_counters *sum, const struct pc_counters *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sum[i].executed += x[i].executed;
        sum[i].thread_executed += x[i].thread_executed;
        sum[i].thread_pred_on += x[i].thread_pred_on;
        for (size_t s = 0; s < STALL_COUNT; s++)
            sum[i].stall[s] += x[i].stall[s];
        sum[i].sectors += x[i].sectors;
        sum[i].sectors_ideal += x[i].sectors_ideal;
        sum[i].wavefronts += x[i].wavefronts;
        sum[i].wavefronts_ideal += x[i].wavefronts_ideal;
        sum[i].divergent += x[i].divergent;
        for (size_t d = 0; d < DOUBT_COUNT; d++)
            sum[i].doubt[d] += x[i].doubt[d];
    }
}

static double divide(double a, double b)
{
    return b != 0 ? a / b : NAN;
}

/* The larger; one that is not modelled does not count. */
static double larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

static double all_stalled(const struct sm_counters *s)
{
    double sum = 0;
    for (size_t i = 0; i < STALL_COUNT; i++)
        sum += (double)s->stall[i];
    return sum;
}

void launch_result_ratios(const struct config *c, struct launch_result *r)
{
    struct peaks peaks = config_peaks(c);
    double per_second = c->sm_mhz * 1e6, *ratio = r->ratio;
#define C(field)                         ((double)r->sm.field)
#define M(field)                         ((double)r->mp.field)
#define STALLED(id)                      ((double)r->sm.stall[STALL_##id])
#define ALL_STALLED                      all_stalled(&r->sm)
#define UNITS(id)                        ((double)r->sm.unit_issued[UNIT_##id])
#define OPS(id)                          ((double)r->sm.op_executed[OP_##id])
#define CFG(field)                       ((double)c->field)
#define PEAK(field)                      (peaks.field / per_second)
#define RES(field)                       ((double)r->field)
#define OCC(field)                       ((double)r->occupancy.field)
#define CYCLES                           ((double)r->cycles)
#define NSM                              ((double)c->nsm)
#define R(id)                            ratio[RATIO_##id]
#define DIV                              divide
#define MAX                              larger
#define NOT_MODELLED                     NAN
#define RATIO(id, name, unit, expr, doc) ratio[RATIO_##id] = (expr);
#include "sim/counters.def"
}

void launch_result_finish(struct launch_result *r)
{
    free(r->sms);
    free(r->mps);
    free(r->pcs);
    r->sms = NULL;
    r->mps = NULL;
    r->pcs = NULL;
}

const char *const stall_names[STALL_COUNT] = {
#define STALL(id, name, doc) name,
#include "sim/counters.def"
};
const char *const stall_docs[STALL_COUNT] = {
#define STALL(id, name, doc) doc,
#include "sim/counters.def"
};

const struct counter_info counter_table[] = {
#define SMC(field, name, unit, doc) {name, unit, doc, "sm"},
#include "sim/counters.def"
#define MPC(field, name, unit, doc) {name, unit, doc, "memory partition"},
#include "sim/counters.def"
#define RATIO(id, name, unit, expr, doc) {name, unit, doc, "ratio"},
#include "sim/counters.def"
};
const size_t counter_count = ARRAY_LEN(counter_table);

enum {
    NSMC = 0
#define SMC(...) +1
#include "sim/counters.def"
    ,
    NMPC = 0
#define MPC(...) +1
#include "sim/counters.def"
};

double counter_value(const struct launch_result *r, size_t counter)
{
    const uint64_t sm[] = {
#define SMC(field, ...) r->sm.field,
#include "sim/counters.def"
    };
    const uint64_t mp[] = {
#define MPC(field, ...) r->mp.field,
#include "sim/counters.def"
    };
    if (counter < NSMC)
        return (double)sm[counter];
    if (counter < NSMC + NMPC)
        return (double)mp[counter - NSMC];
    return r->ratio[counter - NSMC - NMPC];
}

int counter_find(const char *name)
{
    for (size_t i = 0; i < counter_count; i++)
        if (strcmp(counter_table[i].name, name) == 0)
            return (int)i;
    return -1;
}
