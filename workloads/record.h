/* Private to workloads/: the records that `heddle measure` writes and measured.c reads. */
#ifndef HEDDLE_WORKLOADS_RECORD_H
#define HEDDLE_WORKLOADS_RECORD_H

#include "workloads/measure.h"

enum { MICRO_RUNS = 5 }; /* of a microbenchmark that reads the clock itself */
struct record_head {
    struct cuda *cu;
    const char *command;
    char toolkit[32]; /* that made the first cubin */
    struct bench_empty empty; /* graph.median NAN: not timed yet */
};
struct record_times {
    struct bench_times *warm, *cold; /* one a launch */
    struct bench_times graph;
};
char *record_gpu_key(const char *name);                             /* "NVIDIA H200" -> h200; owned by the caller */
void record_toolkit(struct record_head *h, const struct spec *s);   /* if it is not known yet */
bool record_write(const struct record_head *h, const char *path, const struct sb *records, struct error *err);
/* t: NULL where times were not taken; runs: MICRO_RUNS values of each metric, which are sorted here. */
void record_add(struct sb *out, const struct spec *s, const struct record_times *t, struct profile *p, double *runs);

#endif
