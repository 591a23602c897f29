/* sim: when things happen. The only header of sim/ that other folders include.
 *
 * A gpu holds device memory and a machine built from a config. Launches run on it one after another or, on
 * different streams, together; L2 contents stay between launches. */
#ifndef HEDDLE_SIM_SIM_H
#define HEDDLE_SIM_SIM_H

#include "base/base.h"
#include "isa/isa.h"

/* ---- configuration ---------------------------------------------------------------------------- */
enum policy { POLICY_CGGTY, POLICY_GTO, POLICY_LRR, POLICY_OLDEST, POLICY_TWO_LEVEL };
enum divergence { DIVERGENCE_ITS, DIVERGENCE_STACK };
enum hazards { HAZARDS_FAULT, HAZARDS_STALE };
enum memcheck { MEMCHECK_STRICT, MEMCHECK_PAGES };
enum { NGPC = 64, NLIST = 1024 };
struct config {
#define TYPE_U32(f) uint32_t f
#define TYPE_U64(f) uint64_t f
#define TYPE_F64(f) double f
#define TYPE_BOOL(f) bool f
#define TYPE_STR(f) char f[64]
#define TYPE_LIST_U32(f) uint32_t f[NLIST]; uint32_t n_##f
#define TYPE_ENUM_policy(f) enum policy f
#define TYPE_ENUM_divergence(f) enum divergence f
#define TYPE_ENUM_hazards(f) enum hazards f
#define TYPE_ENUM_memcheck(f) enum memcheck f
#define PARAM(type, field, path, min, max, unit, doc) TYPE_##type(field);
#include "sim/params.def"
    /* derived by config_load */
    uint32_t nsm, ntpc, ngpc;
    uint32_t tpc_of_sm[NLIST], gpc_of_sm[NLIST];
    uint32_t window_cycles; /* L */
};
/* `name` is a file name, or the name of a file in the hw_configs folder. sets: "path=value" strings. */
bool config_load(struct config *c, const char *name, const char *const *sets, size_t nset, struct error *err);
bool config_check(const struct config *c, struct error *err); /* possible machine? */
void config_explain(const struct config *c, struct sb *out);  /* every derived figure */
void config_diff(const struct config *a, const struct config *b, struct sb *out);
/* The table params.def itself, for listings: one entry a row, in its order. */
struct param_info {
    const char *path, *type, *unit, *doc; /* type: "u32", "f64", "list", "one of its, stack" ... */
    double min, max;
};
extern const struct param_info param_table[];
extern const size_t param_count;
void config_value(const struct config *c, size_t param, struct sb *out); /* as YAML would write it */
void param_range(size_t param, struct sb *out);                          /* "1 to 64", or the choices */
/* Folders searched for a config's name, nearest first; NULL ends. Result owned by the caller: config_dirs_free. */
char **config_dirs(void);
char **config_names(void); /* of the configs in them, sorted; NULL ends */
void config_dirs_free(char **names_or_dirs);
/* Peak rates, for reports: FLOP/s of fp32, fp16, fp64, tensor; bytes/s of DRAM, L2, L1. */
struct peaks { double fp32, fp16, fp64, tensor16, dram, l2, l1, issue; };
struct peaks config_peaks(const struct config *c);

/* ---- occupancy --------------------------------------------------------------------------------- */
struct occupancy {
    uint32_t blocks;              /* of an SM; 0: cannot launch */
    uint32_t warps_per_block, warps;
    uint32_t by_warps, by_blocks, by_registers, by_shared, by_barriers; /* blocks each limit allows */
    const char *limiter;          /* "registers", .. */
    uint32_t carveout_bytes, l1_bytes;
    double fraction;              /* warps / max_warps */
};
bool occupancy_of(const struct config *c, uint32_t block_threads, uint32_t regs_per_thread,
                  uint32_t shared_bytes, uint32_t nbarrier, struct occupancy *out, struct error *err);

/* ---- counters ---------------------------------------------------------------------------------- */
enum stall {
#define STALL(id, name, doc) STALL_##id,
#include "sim/counters.def"
    STALL_COUNT
};
struct sm_counters {
#define SMC(field, name, unit, doc) uint64_t field;
#include "sim/counters.def"
    uint64_t stall[STALL_COUNT];   /* warp cycles by reason */
    uint64_t unit_issued[UNIT_COUNT];
    uint64_t op_executed[OP_COUNT];
};
struct mp_counters {
#define MPC(field, name, unit, doc) uint64_t field;
#include "sim/counters.def"
};
/* What a kernel may do here and on the hardware, and must not rely on. */
enum doubt { DOUBT_UNWRITTEN, DOUBT_RACE, DOUBT_IDLE_LANE, DOUBT_LEFT_BARRIER, DOUBT_COUNT };
/* What shared memory holds before a block writes it: as a float, a NaN. */
#define SHARED_UNWRITTEN UINT32_C(0x7fe5a5b7)
struct pc_counters { /* one instruction of a kernel, summed over SMs */
    /* one line of the host's caches: what each issue counts, and the usual reasons to wait */
    _Alignas(HOST_LINE) uint64_t executed;
    uint64_t thread_executed, thread_pred_on;
    uint64_t stall[STALL_COUNT];   /* warp cycles spent before issuing it, by reason */
    uint64_t sectors, sectors_ideal, wavefronts, wavefronts_ideal;
    uint64_t divergent;            /* branches that split */
    uint32_t doubt[DOUBT_COUNT];   /* times that it did what CUDA leaves undefined, by kind: each lane or barrier counts */
};
enum ratio {
#define RATIO(id, name, unit, expr, doc) RATIO_##id,
#include "sim/counters.def"
    RATIO_COUNT
};

/* ---- running ------------------------------------------------------------------------------------- */
struct gpu;
struct gpu_options {
    uint32_t threads;       /* host threads, 0: 1 */
    uint32_t window_cycles; /* 0: L */
    cycle max_cycles;       /* 0: none; beyond it the run ends with EXIT_NO_PROGRESS */
    bool values_off;        /* leave out matrix products on which nothing but values depends */
    void (*progress)(void *arg, cycle now, uint64_t blocks_done, uint64_t blocks);
    void *progress_arg;
    const volatile int *interrupted; /* nonzero: stop at the next barrier, partial result */
};
struct gpu *gpu_new(const struct config *c, const struct gpu_options *o, struct error *err);
void gpu_free(struct gpu *g);
/* Device memory. Addresses are at least 256-byte aligned. name: for messages. */
bool gpu_alloc(struct gpu *g, const char *name, uint64_t bytes, uint64_t *addr, struct error *err);
bool gpu_write(struct gpu *g, uint64_t addr, const void *data, uint64_t bytes, struct error *err);
bool gpu_read(struct gpu *g, uint64_t addr, void *data, uint64_t bytes, struct error *err);
/* Device code of the program: globals placed, relocations applied. Keep p until gpu_free. */
bool gpu_load(struct gpu *g, const struct program *p, struct error *err);
uint64_t gpu_global(const struct gpu *g, const struct program *p, const char *name); /* 0: none */

struct launch {
    const struct program *program;
    const struct kernel *kernel;
    uint32_t grid[3], block[3];
    uint32_t cluster[3];      /* blocks; 0: as the kernel was compiled */
    uint32_t dynamic_shared_bytes;
    const void *params;       /* kernel->param_bytes bytes */
    uint32_t param_bytes;
    uint32_t stream;          /* launches on one stream run in order; different streams overlap */
};
struct launch_result { /* arrays owned by the result; launch_result_finish frees */
    char kernel[256];
    cycle cycles;             /* as the profiler's sm__cycles_elapsed.max: with the launch overhead */
    cycle overhead_cycles;
    cycle clock_cycles;       /* of cycles, those that only a GPC counts whose clock stayed up: matrix products */
    double time_us;
    struct sm_counters sm;    /* sums */
    struct mp_counters mp;
    double ratio[RATIO_COUNT];/* NAN: not modelled */
    uint32_t nsm, nmp, npc;
    struct sm_counters *sms;  /* each SM */
    struct mp_counters *mps;  /* each memory partition */
    struct pc_counters *pcs;  /* each instruction */
    struct occupancy occupancy;
    uint32_t grid[3], block[3], regs, static_shared, dynamic_shared, local_bytes;
    double waves;
    bool partial;             /* interrupted or faulted: counters up to then */
};
void launch_result_finish(struct launch_result *r);
/* Sums, and the ratios of counters.def out of them (r->ratio; everything else in r must be set). */
void sm_counters_add(struct sm_counters *sum, const struct sm_counters *x);
void mp_counters_add(struct mp_counters *sum, const struct mp_counters *x);
void pc_counters_add(struct pc_counters *sum, const struct pc_counters *x, size_t n);
void launch_result_ratios(const struct config *c, struct launch_result *r);
/* counters.def as a table: what `run --json`, `--csv` and the reference list, in its order. */
struct counter_info {
    const char *name, *unit, *doc;
    const char *scope;        /* "sm", "memory partition", "ratio" */
};
extern const struct counter_info counter_table[];
extern const size_t counter_count;
double counter_value(const struct launch_result *r, size_t counter); /* NAN: not modelled */
int counter_find(const char *name);                                  /* -1: none */
extern const char *const stall_names[STALL_COUNT];
extern const char *const stall_docs[STALL_COUNT];
/* Runs the launches to the end; results[i] belongs to launches[i]. False: err tells what happened
 * (fault: EXIT_FAILED; no progress: EXIT_NO_PROGRESS), results are partial. */
bool gpu_run(struct gpu *g, const struct launch *launches, size_t n, struct launch_result *results, struct error *err);
/* Cache state before a launch: L2 filled with clean lines of other addresses, or left as it is. */
void gpu_flush_l2_clean(struct gpu *g);
void gpu_invalidate_l2(struct gpu *g);
uint64_t gpu_host_bytes(const struct gpu *g);
bool gpu_values_left_out(const struct gpu *g); /* some were: results in memory mean nothing */

/* ---- tensor maps ------------------------------------------------------------------------------------
 * What the copy engine must know of a tensor in global memory and of the box that it moves (CUtensorMap). */
enum { TENSOR_DIMS = 5, TENSOR_MAP_BYTES = 128 };
/* Types of elements, with the driver's numbers (CUtensorMapDataType). FTZ: denormals become zero in sums; TF32: rounded as
 * it is loaded. */
enum tensor_map_type {
    TMAP_U8, TMAP_U16, TMAP_U32, TMAP_I32, TMAP_U64, TMAP_I64, TMAP_F16, TMAP_F32, TMAP_F64, TMAP_BF16, TMAP_F32_FTZ,
    TMAP_TF32, TMAP_TF32_FTZ, TENSOR_TYPES,
};
struct tensor_map {
    uint64_t base;
    uint32_t rank, type;          /* enum tensor_map_type */
    uint64_t dim[TENSOR_DIMS];    /* elements, innermost first */
    uint64_t stride[TENSOR_DIMS]; /* bytes; [0] is the element's */
    uint32_t box[TENSOR_DIMS], step[TENSOR_DIMS]; /* elements; every step-th of them is moved */
    uint32_t swizzle;             /* 0 none, 1: 32 bytes, 2: 64, 3: 128 */
    uint32_t interleave, promotion;
    bool fill_nan;                /* elements outside: NaN instead of 0 */
};
extern const uint8_t tensor_element_bytes[TENSOR_TYPES];
const uint8_t *tensor_nan(uint32_t type); /* bytes of an element outside, fill_nan */
void tensor_map_encode(const struct tensor_map *m, uint8_t out[TENSOR_MAP_BYTES]);
const char *tensor_map_decode(const uint8_t in[TENSOR_MAP_BYTES], struct tensor_map *m); /* NULL, or what is wrong */
const char *tensor_map_check(const struct tensor_map *m);                                /* the same, of one to be made */

/* ---- observation -----------------------------------------------------------------------------------
 * One narrow interface for viewer, timeline and recorder. The observer is called at barriers between windows and
 * reads; it never changes a result. With none attached nothing is recorded. SMs whose bit is set in `record` keep
 * records of the last window, which are valid during the call. */
struct issue_record {      /* one instruction issued */
    cycle time;
    uint32_t pc;           /* instruction index */
    uint32_t waited;       /* cycles since the warp's previous issue (or start) */
    lanemask exec;         /* lanes that executed it */
    uint8_t warp;          /* slot */
    uint8_t reason;        /* enum stall: what took most of `waited` */
    uint16_t launch;
};
struct block_record {      /* a block started or ended on the SM */
    cycle time;
    uint32_t block;        /* linear number in its grid */
    uint16_t launch;
    uint8_t first_warp, nwarp; /* nwarp warps; slots first_warp.. when contiguous */
    bool start;
};
struct access_record {     /* one shared or global access as it passed its stage */
    cycle time;
    uint32_t pc;
    uint8_t warp, space, bytes, cost; /* cost: wavefronts (shared) or sectors (global) */
    lanemask mask;
    uint64_t addr[NLANE];
};
struct sm_view {           /* an SM at a barrier */
    const struct issue_record *issues;
    const struct block_record *blocks;
    const struct access_record *accesses;
    size_t nissue, nblock, naccess;
    const struct sm_counters *counters; /* so far; those that count instructions (stalls, units, lanes) as of gpu_sm_counters */
    uint32_t resident_warps, resident_blocks;
};
struct warp_view {         /* a warp slot at a barrier */
    bool resident;
    uint8_t reason;        /* enum stall: what holds it now */
    uint32_t pc, block, launch;
    lanemask active, live;
    uint32_t nsplit;
    struct { uint32_t pc; lanemask mask; } split[8];
};
struct bank_view { int32_t open_row; uint64_t activates; };  /* -1: closed */
enum dram_cmd { DRAM_ACT, DRAM_PRE, DRAM_RD, DRAM_WR, DRAM_REF, DRAM_CMD_COUNT };
struct command_record {    /* a command on the bus of a DRAM channel */
    cycle time;            /* refreshes are worked out late: not always in order */
    uint32_t row;
    uint8_t bank, command; /* enum dram_cmd */
};
struct channel_view {
    const struct bank_view *banks;
    const struct command_record *commands; /* of the last window, if recorded */
    uint32_t nbank, ncommand;
    uint64_t row_hits, row_misses, row_conflicts, bus_busy;
};
struct observer {
    void *arg;
    /* Returns the longest next window it wants (1: cycle by cycle; anything above L means L; results are the same),
     * or 0 to stop the run here, as an interruption does. */
    cycle (*barrier)(void *arg, const struct gpu *g, cycle now);
    const uint8_t *record; /* nsm flags, or NULL: no records */
    bool accesses;         /* keep access records too */
    const uint32_t *commands; /* the DRAM channel whose commands are kept, or NULL */
};
void gpu_observe(struct gpu *g, const struct observer *o); /* before gpu_run; copied; NULL: none */
void gpu_sm_view(const struct gpu *g, uint32_t sm, struct sm_view *out);
/* All counters of an SM as they are now: a sum over the kernel's instructions, so ask rarely. */
const struct sm_counters *gpu_sm_counters(const struct gpu *g, uint32_t sm);
void gpu_warp_view(const struct gpu *g, uint32_t sm, uint32_t warp, cycle now, struct warp_view *out);
const struct mp_counters *gpu_partition_counters(const struct gpu *g, uint32_t partition);
bool gpu_channel_view(const struct gpu *g, uint32_t channel, struct channel_view *out);
uint32_t gpu_first_launch(const struct gpu *g); /* records count launches from the first that runs now: its place in gpu_run */
void gpu_progress(const struct gpu *g, uint64_t *blocks_done, uint64_t *blocks);

#endif
