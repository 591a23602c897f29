/* Private to workloads/: the parts of `heddle check`. */
#ifndef HEDDLE_WORKLOADS_CHECK_H
#define HEDDLE_WORKLOADS_CHECK_H

#include "workloads/spec.h"

/* What bounds the kernel, from what the GPU measured; falls back on the spec's word where counters are missing. */
const char *check_class(const struct measured *m, const struct spec *s, const struct config *c);
extern const char *const check_classes[];
extern const size_t ncheck_class;
/* Predicted and measured counters of a cold run, launches summed or averaged as the counter wants. */
void check_counters(struct check_row *row, const struct measured *m, const struct launch_result *r, uint32_t n);
void check_metrics(struct check_row *row, const struct measured *m, const struct spec *s); /* outputs are collected */
void check_statistics(struct check_result *c);

#endif
