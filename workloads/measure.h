/* Private to workloads/: one spec on a real GPU. */
#ifndef HEDDLE_WORKLOADS_MEASURE_H
#define HEDDLE_WORKLOADS_MEASURE_H

#include "workloads/cuda.h"
#include "workloads/spec.h"

enum { NREPEAT = 21 };
struct bench { /* a spec, ready on the GPU */
    struct cuda *cu;
    struct spec *s;
    cu_module *modules;      /* one a program */
    cu_function *functions;  /* one a launch */
    uint8_t **params;
    uint32_t *param_bytes;
    cu_ptr *memory;          /* one a buffer */
    cu_event from, to;
    cu_module flush_module;
    cu_function flush;       /* reads the 256 MB that were just written, so that L2 holds clean lines of them */
    cu_ptr flush_memory;
};
bool spec_is_kir(const struct spec *s, uint32_t program);
bool bench_start(struct bench *b, struct cuda *cu, struct spec *s, struct error *err);
void bench_finish(struct bench *b);
bool bench_reset(struct bench *b, struct error *err);  /* initial bytes */
bool bench_launch(struct bench *b, uint32_t launch, struct error *err); /* on the stream, not waited for */
bool bench_all(struct bench *b, struct error *err);    /* every launch, waited for */
bool bench_flush(struct bench *b, struct error *err);
bool bench_collect(struct bench *b, struct error *err); /* outputs and metrics' buffers; verdicts */
/* Microseconds of each launch by events, median; cold: after bench_flush. spread: (max - min) / median. */
bool bench_time(struct bench *b, bool cold, double *us, double *spread, struct error *err);
/* Microseconds of the whole chain inside a graph of many: without the cost of single launches. */
bool bench_graph(struct bench *b, double *us, struct error *err);

/* Counters of the profiler for every spec that the options name, in their order. profile_add prints those of the next
 * spec's launch; it must be called for each launch of each spec in turn. */
struct profile;
struct profile *profile_run(const struct measure_options *o);
void profile_add(struct profile *p, const struct spec *s, uint32_t launch, struct sb *out);
void profile_free(struct profile *p);

#endif
