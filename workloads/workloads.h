/* workloads: what is run. The only header of workloads/ that other folders include.
 *
 * A launch spec (YAML) names a program, its launches, the buffers with their initial contents, the arguments, and
 * what the result must be. The same spec drives the simulator, the CPU reference and the real-GPU runner, so buffer
 * bytes and parameter blocks are made here and nowhere else.
 *
 *   struct spec *s = spec_load("gelu", &options, &err);   name, .yaml path; or spec_parse(text)
 *   spec_link(s, &err)                                    reads the programs, checks arguments against them
 *   spec_place(s, gpu, &err)                              device memory, initial bytes, struct launch for gpu_run
 *   gpu_run(gpu, s->sim, s->nlaunch, results, &err)
 *   spec_collect(s, gpu, &err)                            reads back; fills s->expects[i].verdict
 *   spec_free(s)
 *
 * The real-GPU runner does without spec_place: it allocates the buffers itself, calls spec_fill for their bytes,
 * spec_pack for each launch's parameters, and spec_check on what came back. */
#ifndef HEDDLE_WORKLOADS_WORKLOADS_H
#define HEDDLE_WORKLOADS_WORKLOADS_H

#include "base/base.h"
#include "isa/isa.h"
#include "sim/sim.h"

/* ---- element types and initial contents ------------------------------------------------------ */
#define HEDDLE_ELEMS(X)                                                                            \
    X(F64, "f64", 8) X(F32, "f32", 4) X(F16, "f16", 2) X(BF16, "bf16", 2)                          \
    X(E4M3, "e4m3", 1) X(E5M2, "e5m2", 1)                                                          \
    X(I8, "i8", 1) X(U8, "u8", 1) X(I16, "i16", 2) X(U16, "u16", 2)                                \
    X(I32, "i32", 4) X(U32, "u32", 4) X(I64, "i64", 8) X(U64, "u64", 8)
enum elem {
#define X(id, text, bytes) ELEM_##id,
    HEDDLE_ELEMS(X)
#undef X
        ELEM_COUNT
};
extern const char *const elem_names[ELEM_COUNT];
uint32_t elem_bytes(enum elem t);
double elem_get(enum elem t, const void *data, uint64_t i);           /* as double (64-bit integers rounded) */
void elem_put(enum elem t, void *data, uint64_t i, double v);         /* rounded to nearest even, f16 and bf16 through f32 */
float f16_to_f32(uint16_t h);
uint16_t f16_from_f32(float f);  /* nearest even */
float bf16_to_f32(uint16_t h);
uint16_t bf16_from_f32(float f);

enum init_kind {
    INIT_ZERO,
    INIT_UNIFORM, /* a + (b - a) * ((u >> 8) / 2^24) */
    INIT_RAW,     /* u: its low bytes, zero-extended */
    INIT_MOD,     /* u % m */
    INIT_FILL,    /* a */
    INIT_IOTA,    /* i */
    INIT_POISON,  /* 0xFF bytes */
    INIT_FILE,    /* bytes of a file */
    INIT_CHASE,   /* pointer chase: slots `stride` elements apart hold the element number of the next slot of one
                     cycle through all slots: next = (421 * slot + 1000003) mod slots; other elements are 0 */
    INIT_SIGNS,   /* `signs: k`: magnitude uniform in [0.5, 4), positive where (i / k) is even: k = 1 alternating
                     lanes, 16 halves of a warp, 32 whole warps */
};
struct spec_buffer {
    char *name;
    enum elem type;
    uint64_t count, bytes;
    enum init_kind init;
    double a, b;       /* parameters of init */
    char *file;
    uint32_t seed;
    struct srcpos at;
    uint64_t addr;     /* device address; spec_place or the GPU runner */
    bool wanted;       /* spec_collect reads it back though nothing is expected of it */
    uint8_t *out;      /* bytes read back by spec_collect; NULL: not read */
};

/* ---- launches ---------------------------------------------------------------------------------- */
struct spec_arg { /* one kernel argument */
    bool is_buffer;
    struct tensor_map *map; /* a CUtensorMap of the buffer; NULL: none */
    uint32_t buffer;     /* index into spec.buffers */
    uint64_t offset;     /* bytes added to the buffer's address */
    uint8_t value[8];    /* scalar, little endian */
    uint32_t bytes;
    struct srcpos at;
};
struct spec_launch {
    char *kernel_name;
    char *program_path;          /* as found for the chosen architecture; index into programs below */
    uint32_t program;
    uint32_t grid[3], block[3], cluster[3]; /* cluster 0: the kernel's own */
    uint32_t shared_bytes, stream;
    uint32_t cooperative; /* 1: a GPU is asked to have all its blocks resident at once (grid barriers) */
    struct spec_arg *args;
    uint32_t narg;
    const struct kernel *kernel; /* after spec_link */
    uint8_t *params;             /* after spec_place */
    uint32_t param_bytes;
    struct srcpos at;
};

/* ---- what must come out ------------------------------------------------------------------------- */
struct verdict {
    bool checked, ok;
    double max_abs;      /* against the reference; NaN against NaN is 0, against a number infinity */
    uint64_t max_ulp;    /* in units in the last place of the buffer's type; integers: difference */
    uint64_t nbad;       /* elements beyond the bound */
    char sha256[65];
    char text[256];      /* first wrong element; "" if none */
};
struct spec_expect {
    uint32_t buffer;
    char *reference;     /* NULL: bytes are recorded and not judged */
    bool measured;       /* they must be those that the real GPU gave, see measured_output */
    bool bitwise;        /* else every bound that is given must hold */
    double max_abs, max_rel;  /* negative: not given; max_rel is relative to the reference element */
    int64_t max_ulp;
    struct verdict verdict;
    struct srcpos at;
};
/* A number read out of an output buffer: microbenchmarks. value = out[index] / divide */
struct spec_metric {
    char *name, *unit;
    uint32_t buffer;
    uint64_t index, count; /* count > 1: reduced by `how` over out[index .. index + count) */
    enum { METRIC_FIRST, METRIC_MAX, METRIC_MIN, METRIC_MEAN, METRIC_LIST } how;
    double divide, offset; /* (value - offset) / divide */
};

struct spec_param { char *name; double value; };
struct spec_size { char *name; struct spec_param *set; uint32_t n; };
struct spec {
    char *name, *title, *path, *dir; /* dir: files are relative to it */
    char *class_name;                /* "launch", "latency", "compute", "memory", "shared", "divergence", "tensor", "micro" or NULL */
    char *size;                      /* name of the chosen size; "default" */
    struct spec_param *params;       /* values in use */
    uint32_t nparam;
    struct spec_size *sizes;         /* named sizes of the spec */
    uint32_t nsize;
    char *source;                    /* path or NULL */
    double work;                     /* useful operations of a run, 0: not said */
    struct spec_buffer *buffers;
    uint32_t nbuffer;
    struct spec_launch *launches;
    uint32_t nlaunch;
    struct spec_expect *expects;     /* outputs: every buffer named under expect: */
    uint32_t nexpect;
    struct spec_metric *metrics;
    uint32_t nmetric;
    char **program_paths;            /* distinct */
    struct program **programs;       /* after spec_link */
    uint32_t nprogram;
    struct launch *sim;              /* after spec_place: nlaunch launches for gpu_run */
    struct ydoc *docs;               /* the spec, and the one it is `like:` */
    uint32_t ndoc;
};
struct spec_options {
    const char *const *sizes;   /* "l2" (a named size) or "n=4096", applied in order */
    size_t nsize;
    enum arch arch;             /* of the machine; chooses among isa:. 0: sm_90 */
    bool any_arch;              /* if there is none for it, the oldest will do */
    const char *isa;            /* "kir", "sm_80".. forces a row of isa:; NULL: by arch */
};

/* target: a workload's name, or the path of a launch spec. */
struct spec *spec_load(const char *target, const struct spec_options *o, struct error *err);
/* The same from text in memory; files in it are relative to dir. path is for messages. */
struct spec *spec_parse(const char *path, const char *dir, const char *text, const struct spec_options *o, struct error *err);
void spec_free(struct spec *s);
double spec_value(const struct spec *s, const char *param, double otherwise); /* value of a size parameter */
int spec_buffer_index(const struct spec *s, const char *name);                /* -1: none */

/* Every workload, sorted by name. Folder: $HEDDLE_WORKLOAD_DIR, else the source tree's. */
struct spec_entry { char *name, *path, *title; bool micro; };
struct spec_entry *spec_list(size_t *n, struct error *err);
void spec_list_free(struct spec_entry *list, size_t n);
const char *workload_dir(void);

bool spec_link(struct spec *s, struct error *err);
bool spec_fill(const struct spec *s, uint32_t buffer, void *out, struct error *err); /* initial bytes */
/* Parameter block of a launch from buffers[].addr. Before spec_link: natural alignment; after it: the kernel's own
 * layout, checked. *out is owned by the caller. */
bool spec_pack(const struct spec *s, uint32_t launch, uint8_t **out, uint32_t *bytes, struct error *err);
bool spec_place(struct spec *s, struct gpu *g, struct error *err);
bool spec_rewrite(const struct spec *s, struct gpu *g, struct error *err); /* initial bytes again, between repeated runs */
bool spec_collect(struct spec *s, struct gpu *g, struct error *err);
/* Judges one expected buffer's bytes (count * type bytes) and fills its verdict. False: could not be judged. */
bool spec_check(struct spec *s, uint32_t expect, const void *data, struct error *err);
double spec_metric_value(const struct spec *s, uint32_t metric, const void *data); /* data: the metric's buffer */

/* ---- references -------------------------------------------------------------------------------- */
/* Computes what `buffer` must hold after the launches. init[b]: initial bytes of every buffer; out starts as a copy
 * of init[buffer], so what a kernel must not touch needs no code. */
typedef bool reference_fn(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err);
/* Judges values that have more than one right answer (order of atomics). "" or what is wrong in why. */
typedef bool checker_fn(const struct spec *s, const void *const *init, uint32_t buffer, const void *data, char why[256]);
struct reference {
    const char *name, *doc;
    reference_fn *compute;
    checker_fn *judge;
};
extern const struct reference references[];
extern const uint32_t nreference;

/* ---- measured records ----------------------------------------------------------------------------- */
/* What a real GPU did: FOLDER/measured/GPU.yaml beside the spec. Numbers that were not measured are NAN. */
struct measured_counter { char *name; double value; bool cold; }; /* cold: seen in a cold run, not in replays of it */
struct measured_launch {
    char *kernel;
    double cycles_warm, cycles_cold; /* median of the runs that the record lists */
    double spread_warm, spread_cold; /* (largest - smallest) / median */
    double us_warm, us_cold;
    double event_warm, event_cold;   /* microseconds between events around single launches */
    double event_spread_warm, event_spread_cold;
    struct measured_counter *counters;
    uint32_t ncounter;
};
struct measured_output { char *name, *sha256; bool judged, ok; };
struct measured {
    char *name, *size; /* of the workload */
    struct measured_launch *launches;
    uint32_t nlaunch;
    struct measured_counter *metrics; /* of microbenchmarks; lists are left out */
    uint32_t nmetric;
    struct measured_counter *metric_spreads;
    uint32_t nspread;
    struct measured_output *outputs;
    uint32_t noutput;
    double graph_us, graph_spread;    /* of the whole spec inside a replayed graph */
    double empty_event_us_cold, empty_graph_us; /* of an empty kernel in the same run */
    double sm_clock_mhz;              /* of the device then */
    bool differs;                     /* other code ran than the simulator runs (KIR through PTX) */
};
struct measured_set {
    struct measured *records;
    size_t n;
    char *device; /* name, driver, date in words */
};
/* Every record of the GPU called gpu ("h200"; NULL: any) in a folder of records (NULL: the workloads'), sorted by workload
 * and size. */
bool measured_load(struct measured_set *m, const char *dir, const char *gpu, struct error *err);
const struct measured_output *measured_output_of(const struct measured *m, const char *buffer); /* NULL: not recorded */
void measured_finish(struct measured_set *m);
double measured_counter_value(const struct measured_launch *l, const char *name); /* NAN: not measured */

/* ---- a real GPU -------------------------------------------------------------------------------------- */
struct measure_options {
    const char *const *targets;   /* workload names; none: all */
    size_t ntarget;
    const char *const *sizes;     /* named sizes; none: default and every named one */
    size_t nsize;
    int device;
    const char *out;              /* folder for the records; NULL: beside the workloads */
    const char *outputs;          /* folder for the bytes of every expected buffer; NULL: only their hashes are kept */
    bool micro, quiet;
    bool cycles, counters;        /* through the profiler: cycles and time; these and the other counters */
    unsigned watchdog_s;          /* a launch that takes longer is given up */
    unsigned sequence;            /* 1, 2: only launch what the profiler shall see: warm and cold runs, or one cold run */
    bool whole_program;           /* the profiler runs it again for each pass, instead of each kernel */
};
enum measure_phase { MEASURE_PREPARE, MEASURE_RUN, MEASURE_JUDGE, MEASURE_TIME, MEASURE_CYCLES, MEASURE_COLD, MEASURE_COUNTERS, MEASURE_PHASES };
extern const char *const measure_phase_names[MEASURE_PHASES];
struct measure_summary {
    size_t measured, failed, wrong;
    bool hung;                       /* the driver answers no more: leave by _exit */
    double seconds[MEASURE_PHASES];  /* where the time went */
};
/* False: no driver, no device, or what was asked for by name failed. */
bool measure_run(const struct measure_options *o, struct measure_summary *sum, struct error *err);

/* Two sets of records of the same code: does what was measured agree inside its own spread? Prints a table; *share is that
 * of the numbers which do. False: nothing to compare. */
bool measured_compare(const struct measured_set *a, const struct measured_set *b, struct sb *out, double *share, struct error *err);

/* ---- predicted against measured --------------------------------------------------------------------- */
struct check_options {
    const struct config *config;
    const struct config *baseline;  /* every row on this machine too, to show what a change does; NULL: none */
    const char *records;            /* folder of the records; NULL: the workloads' */
    const char *gpu;                /* whose */
    const char *const *targets;     /* workload names; none: all that have records */
    size_t ntarget;
    const char *const *sizes;       /* only these sizes; none: all */
    size_t nsize;
    uint32_t threads;               /* rows are redone side by side */
    double max_instructions;        /* of all rows together, smallest first; 0: no limit */
    bool micro;                     /* microbenchmarks instead of workloads */
    double dram_share;              /* only rows that were measured to use so much of the DRAM's bandwidth; 0: all */
    void (*progress)(void *arg, size_t done, size_t all, const char *what);
    void *progress_arg;
    const volatile int *interrupted;
};
struct check_pair { double predicted, measured, error; }; /* error: predicted / measured - 1; NAN where not measured */
bool check_judges(const char *counter); /* the code alone causes it, so the model is judged by it */
/* How a counter is judged: exact, within a share of what was measured, or within so many points; of rows that measured at
 * least `least`. */
struct check_rule { const char *name; enum { RULE_EXACT, RULE_SHARE, RULE_POINTS } kind; double bound, least; };
extern const struct check_rule check_rules[];
extern const size_t ncheck_rule;
struct check_counter { /* a profiler's counter (cold), or a number that a microbenchmark measured itself (warm) */
    char *name;
    double predicted, measured;
    bool judged, ok;                /* ok: within the bound that check_rules gives the counter */
};
struct check_row {
    char *name, *size;
    const char *class_name;
    struct check_pair cold, warm;   /* cycles of all launches of the spec */
    double base_cold, base_warm;    /* predicted on check_options.baseline */
    bool by_events;                 /* measured cycles come from events and graph replays, not from a profiler */
    double us_cold, us_warm;        /* measured */
    double predicted_us_cold, predicted_us_warm;
    double instructions;            /* measured or predicted warp instructions */
    bool judged;                    /* counts in the MAPE: at least 5 us, and the same code ran */
    bool short_run;                 /* under 5 us, where launch cost and jitter decide: statistics of their own */
    bool right;                     /* outputs equalled the reference */
    uint32_t noutput, nsame;        /* judged outputs, and how many have the GPU's own bytes */
    char *differs;                  /* names of the others; NULL: none */
    char *note;                     /* why not judged, or what failed; NULL: nothing */
    struct check_counter *counters;
    uint32_t ncounter;
};
struct check_stats {
    size_t n;
    double mape, worst, bias; /* mean |error|, largest |error|, mean error */
    double pearson, rank;     /* of log cycles; of ranks */
};
/* Prefixes of workloads that were recorded after the model's constants were settled. */
enum { NFRESH = 2 };
extern const char *const check_fresh[NFRESH];

struct check_result {
    struct check_row *rows;
    size_t n;
    struct check_stats all, cold, warm; /* judged rows */
    struct check_stats brief;           /* rows under 5 us */
    struct check_stats fresh[NFRESH];   /* judged rows of each of check_fresh */
    char *device;
    size_t skipped; /* rows beyond max_instructions */
    bool interrupted, micro, baseline;
};
bool check_run(struct check_result *c, const struct check_options *o, struct error *err);
void check_finish(struct check_result *c);
struct check_stats check_stats_of(const struct check_result *c, const char *class_name, bool cold, bool warm); /* NULL: all */
void check_print(const struct check_result *c, bool counters, struct sb *out);    /* for a terminal */
void check_markdown(const struct check_result *c, struct sb *out);                /* docs/accuracy.md */
void check_json(const struct check_result *c, struct sb *out);
void check_csv(const struct check_result *c, struct sb *out);
void check_svg(const struct check_result *c, struct sb *out); /* predicted over measured, log axes, bands of 10 and 30 % */

#endif
