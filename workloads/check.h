/* Private to workloads/: the parts of `heddle check`. */
#ifndef HEDDLE_WORKLOADS_CHECK_H
#define HEDDLE_WORKLOADS_CHECK_H

#include "workloads/spec.h"

struct check_job { /* one record to be redone */
    const struct measured *m;
    double instructions;
};
/* False: interrupted. One row's failure is shown in the table; the others still run. */
bool check_row(struct check_row *row, const struct check_job *j, const struct check_options *o, struct error *err);

/* What bounds the kernel, from what the GPU measured; falls back on the spec's word where counters are missing. */
const char *check_class(const struct measured *m, const struct spec *s, const struct config *c);
/* Of the DRAM's pin bandwidth, measured warm, without the launches' own cost; NAN: not measured. */
double check_dram_share(const struct measured *m, const struct config *c);
extern const char *const check_classes[];
extern const size_t ncheck_class;
/* Predicted and measured counters of a cold or of a warm run, launches summed or averaged as the counter wants. */
void check_counters(struct check_row *row, const struct measured *m, const struct launch_result *r, uint32_t n, bool cold);
void check_metrics(struct check_row *row, const struct measured *m, const struct spec *s); /* outputs are collected */
/* How a rule fared over all rows. furthest: in percent, or points; where: the row it is in */
struct check_tally { size_t n, within; double furthest; char where[96]; };
struct check_tally check_tally_of(const struct check_result *c, const struct check_rule *rule);
void check_bound(const struct check_rule *r, char out[32]);
/* Of what microbenchmarks measured themselves: how far the predictions are off. */
struct check_spread { size_t n, within_5, within_10; double median, ninth; };
struct check_spread check_metric_spread(const struct check_result *c);
double check_counter_error(const struct check_counter *k);
void check_statistics(struct check_result *c);

#endif
