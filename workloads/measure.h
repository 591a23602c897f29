/* Private to workloads/: one spec on a real GPU. */
#ifndef HEDDLE_WORKLOADS_MEASURE_H
#define HEDDLE_WORKLOADS_MEASURE_H

#include "workloads/cuda.h"
#include "workloads/spec.h"

enum { NREPEAT = 21 };
struct bench_times { double low, median, high; }; /* microseconds; low to high: the middle eight tenths */
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
    cu_function empty;
    cu_ptr flush_memory;
    cu_graph_exec graph;     /* while it is being timed */
};
bool spec_is_kir(const struct spec *s, uint32_t program);
bool bench_start(struct bench *b, struct cuda *cu, struct spec *s, struct error *err);
void bench_finish(struct bench *b);
bool bench_reset(struct bench *b, struct error *err);  /* initial bytes */
bool bench_launch(struct bench *b, uint32_t launch, struct error *err); /* on the stream, not waited for */
bool bench_all(struct bench *b, struct error *err);    /* every launch, waited for */
bool bench_flush(struct bench *b, struct error *err);
bool bench_collect(struct bench *b, struct error *err); /* reads back outputs and metrics' buffers */
/* Each launch between events, NREPEAT times; cold: after bench_flush. */
bool bench_time(struct bench *b, bool cold, struct bench_times *us, struct error *err);
/* The whole chain inside a graph of many: without the cost of single launches. */
bool bench_graph(struct bench *b, double expected_us, struct bench_times *us, struct error *err);
/* The empty kernel in the same ways: what a launch costs whatever it does. */
struct bench_empty { struct bench_times warm, cold, graph; };
bool bench_empty(struct bench *b, struct bench_empty *e, struct error *err);

/* Counters of the profiler for every spec that the options name. It runs this program again with o->sequence, which
 * calls profile_sequence for each spec; profile_add prints what it saw of a spec's launch. */
struct profile;
struct profile *profile_run(const struct measure_options *o, struct measure_summary *sum);
void profile_add(struct profile *p, const struct spec *s, uint32_t launch, struct sb *out);
void profile_free(struct profile *p);
bool profile_wants(const struct spec *s); /* not what reads the clock itself */
bool profile_sequence(struct cuda *cu, struct spec *s, unsigned order, struct error *err);

double seconds_now(void);

#endif
