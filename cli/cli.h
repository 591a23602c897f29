/* cli: what a person types. One file per verb; this header is what the verbs share. */
#ifndef HEDDLE_CLI_CLI_H
#define HEDDLE_CLI_CLI_H

#include "base/base.h"
#include "sim/sim.h"
#include "workloads/workloads.h"

/* ---- verbs ------------------------------------------------------------------------------------- */
typedef enum exit_status verb_fn(int argc, char **argv, struct error *err); /* argv[0] is the verb */
struct verb {
    const char *name, *summary, *usage; /* usage: the line after "heddle NAME" */
    const char *help;                   /* further text of `heddle help NAME` */
    verb_fn *run;
};
extern const struct verb verbs[];
extern const size_t nverb;
verb_fn verb_run, verb_list, verb_config, verb_occupancy, verb_asm, verb_dis, verb_lift, verb_explain, verb_sweep,
    verb_check, verb_measure, verb_view, verb_diff, verb_help;

/* ---- options ------------------------------------------------------------------------------------ */
struct strings {
    const char **items;
    size_t n, cap;
};
void strings_add(struct strings *s, const char *item);
void strings_finish(struct strings *s);

enum opt_kind {
    OPT_FLAG,
    OPT_TEXT,
    OPT_OUT,   /* text: a file that will be written, or - for stdout; that it can be is seen at once, not after the run */
    OPT_FILE,  /* the same without - */
    OPT_PLOT,  /* the same for a plot, whose name ends in .svg, or .png unless `value` says FILE.svg */
    OPT_U32,
    OPT_COUNT, /* u32 from 1 up */
    OPT_COUNT64,
    OPT_F64,   /* from 0 up */
    OPT_ABOVE, /* double above 0 */
    OPT_LIST,  /* may be repeated; all others are given once */
    OPT_DIM3,
    OPT_RANGE, /* "A:B", "A:" or ":B", A below B: uint64_t[2] */
};
struct opt {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    enum opt_kind kind;
    void *to;          /* bool, const char *, uint32_t, uint64_t, double, struct strings, uint32_t[3], uint64_t[2] */
    const char *value; /* what the help calls the value; NULL for flags */
    const char *doc;
};
/* Fills what the options name and collects the other arguments. "--" ends options. --help prints the verb's usage
 * with these tables and returns false without an error. */
bool opts_parse(const struct opt *const *tables, const size_t *counts, size_t ntable, int argc, char **argv,
                struct strings *rest, struct error *err);
void opts_help(const struct opt *table, size_t n, struct sb *out);
void help_print(const char *verb, const struct opt *const *tables, const size_t *counts, size_t ntable,
                struct error *err);

/* Options that several verbs share. */
struct common {
    const char *config;
    struct strings sets;
    uint32_t threads, window, warm;
    uint64_t max_cycles;
    const char *json, *csv, *html;
    bool quiet, no_host, full, source;
};
struct common_opts {
    struct opt row[16];
    size_t n;
};
struct common common_defaults(void);
/* The options of a verb: those that it would not heed are unknown to it. */
enum {
    WITH_CONFIG = 1,
    WITH_THREADS = 2,
    WITH_RUN = 4,
    WITH_DATA = 8,  /* JSON and CSV */
    WITH_HTML = 16, /* and what the JSON of a run may leave out */
    WITH_REPORT = 32,
    WITH_QUIET = 64,
    WITH_ALL = 127
};
struct common_opts common_table(struct common *c, unsigned with);
void common_finish(struct common *c);
/* The config that the options name; NULL: err says why. free() it. */
struct config *common_config(const struct common *c, struct error *err);

/* How to launch a bare program. */
struct target {
    const char *kernel, *isa;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t shared_bytes;
    struct strings args, sizes;
    bool has_grid, has_block;
};
struct target_opts {
    struct opt row[16];
    size_t n;
};
struct target target_defaults(void);
struct target_opts target_table(struct target *t);
void target_finish(struct target *t);
/* A workload's name, a spec .yaml, a .kir, .cubin or .cu file; linked, and checked to run on c. */
struct spec *target_load(const char *name, const struct target *t, const struct config *c, struct error *err);
/* Only the program of such a file, for asm, dis and lift. */
struct program *target_program(const char *path, struct error *err);
bool target_is_file(const char *name); /* .kir, .cubin or .cu */
char *nvcc_compile(const char *path, uint32_t isa,
                   struct error *err); /* path of a temporary cubin, owned by the caller */

/* ---- one simulation ------------------------------------------------------------------------------- */
struct simulation {
    const struct config *config;
    struct spec *spec;
    struct launch_result *results; /* spec->nlaunch of them */
    uint32_t warm;                 /* launches before the reported one */
    const char *gpu;               /* whose measured records to compare with; NULL: none */
    bool judged;                   /* outputs were read back and checked */
    bool outputs_ok;
    bool left_out;                 /* some values were not computed, so outputs are not checked */
    double host_seconds, cpu_seconds; /* by the clock; of the thread that simulates */
    uint64_t host_bytes;
};
struct sim_options {
    uint32_t threads, window, warm;
    uint64_t max_cycles;
    bool quiet;
    const struct observer *observer; /* of the reported launches; NULL: none */
    bool values_off;                 /* leave out matrix products on which no control flow depends */
};
/* Runs all launches of the spec. False: err says what happened; results are then partial. */
bool simulate(struct simulation *s, const struct sim_options *o, struct error *err);
/* A number that the kernel measured; item: of a metric that is a list. */
double metric_item(const struct simulation *s, uint32_t metric, uint64_t item);
void simulation_finish(struct simulation *s); /* not the spec nor the config */
extern volatile int interrupted;              /* set by SIGINT */
void catch_interrupts(void);

/* ---- output ------------------------------------------------------------------------------------------ */
bool colours(void); /* stdout is a terminal and NO_COLOR is not set */
bool print_out(const struct sb *text, struct error *err);
bool write_text(const char *path, const struct sb *text, struct error *err); /* "-": stdout */
void number(char out[32], double v);                                         /* thousands marked, n/m for NAN */
void scaled(char out[32], double v, const char *unit);                       /* 67.1 MB */
const char *version_text(void);

void report_text(const struct simulation *s, const struct common *c, bool colour, struct sb *out);
void report_csv(const struct simulation *s, struct sb *out);
bool report_json(const struct simulation *s, const char *target, bool host, struct sb *out, struct error *err);
void report_html(const struct simulation *s, const char *target, struct sb *out);
bool report_files(const struct simulation *s, const struct common *c, const char *target, struct error *err); /* those asked for */
void report_summary(const struct simulation *s, size_t launch, struct sb *out); /* one line */

#endif
