/* isa: what a program means. Knows no time. The only header of isa/ that other folders include.
 *
 * KIR is one instruction form, `struct inst`, whatever it came from (machine code or text).
 * Its mnemonics and operand order are those of the machine's assembly; operands sit in the
 * canonical slots that ops.def gives for the opcode, so an execution routine indexes them without
 * looking at how the instruction was written. */
#ifndef HEDDLE_ISA_ISA_H
#define HEDDLE_ISA_ISA_H

#include "base/base.h"

enum {
    NREG = 256, RZ = 255,    /* R0..R254, RZ reads 0 */
    NUREG = 64, URZ = 63,    /* UR0..UR62 */
    NPRED = 8, PT = 7,       /* P0..P6, PT; the same for UP */
    NBREG = 16,              /* convergence barriers B0..B15 */
    NSB = 6, SB_NONE = 7,    /* dependence counters */
    NLANE = 64,              /* most lanes of any warp; warp_size of the config is 32 or 64 */
    NOPERAND = 8,
    INST_BYTES = 16,
    SEL_CROSSED = 4, /* H0_NH1: the high half is the low one, the low half the high one negated */
};
typedef uint64_t lanemask;

/* Where an instruction executes; config gives each unit latency and interval. */
#define HEDDLE_UNITS(X)                                                                            \
    X(ALU, "alu", "integer add, logic, shift, compare, select, fp compare and min/max")            \
    X(FMA, "fma", "fp32 multiply-add, both halves")                                                \
    X(FMAHEAVY, "fmaheavy", "integer multiply-add: the heavy half of the fma pipe")                \
    X(FP16, "fp16", "packed half arithmetic")                                                      \
    X(FP64, "fp64", "double arithmetic")                                                           \
    X(XU, "xu", "transcendentals, conversions, bit counts")                                        \
    X(UNIFORM, "uniform", "uniform datapath: one value a warp")                                    \
    X(TENSOR, "tensor", "matrix multiply-accumulate")                                              \
    X(LSU, "lsu", "memory, shuffles, barriers and special registers, through the memory queue")    \
    X(ADU, "adu", "indexed constants")                                                             \
    X(CBU, "cbu", "branches and convergence barriers")                                             \
    X(FE, "fe", "front end: no unit is used")                                                      \
    X(TMA, "tma", "bulk and tensor-map copies")
enum unit {
#define X(id, text, doc) UNIT_##id,
    HEDDLE_UNITS(X)
#undef X
        UNIT_COUNT
};

/* What the machine must do beside writing registers. */
#define HEDDLE_EFFECTS(X)                                                                          \
    X(NONE, "result only, computed when it issues")                                                \
    X(VARIABLE, "result only, but its latency varies: needs a dependence counter")                 \
    X(CONTROL, "changes the program counter or a convergence barrier")                             \
    X(EXIT, "ends lanes")                                                                          \
    X(LOAD, "memory read")                                                                         \
    X(STORE, "memory write")                                                                       \
    X(ATOMIC, "memory read-modify-write that returns the old value")                               \
    X(REDUCE, "memory read-modify-write without a result")                                         \
    X(CONST, "constant bank read through the constant caches")                                     \
    X(BARRIER, "block barrier")                                                                    \
    X(FENCE, "memory fence")                                                                       \
    X(CACHE, "cache control: prefetch, invalidate")                                                \
    X(DEPBAR, "waits until a dependence counter is low enough")                                    \
    X(ASYNC_COPY, "copy from global to shared memory that completes later")                        \
    X(ASYNC_GROUP, "closes a group of asynchronous copies")                                        \
    X(TENSOR_ASYNC, "warpgroup matrix multiply that completes later")                              \
    X(MBARRIER, "operation on an mbarrier in shared memory")                                       \
    X(BULK_COPY, "copy by the tensor memory accelerator")                                          \
    X(CLUSTER, "cluster barrier")                                                                  \
    X(SLEEP, "gives up the issue slot for a while")                                                \
    X(TRAP, "stops the kernel with an error")
enum effect_class {
#define X(id, doc) EFF_##id,
    HEDDLE_EFFECTS(X)
#undef X
        EFF_COUNT
};

/* ---- opcodes and modifiers, from ops.def ---------------------------------------------------- */
enum op {
#define OP(id, text, unit, effect, shape, doc) OP_##id,
#include "isa/ops.def"
    OP_COUNT
};
enum mod { /* modifier classes; inst.mod[class] holds the index of the value, 0 = the default */
#define MOD(id, ...) MOD_##id,
#include "isa/ops.def"
    MOD_COUNT
};
struct op_info {
    const char *id, *text, *shape, *doc;
    enum unit unit;
    enum effect_class effect;
};
extern const struct op_info op_table[OP_COUNT];
/* Architectures whose machine code has the opcode, as "75 80 86 89 90"; "" if only text has it. Owned by the caller. */
char *op_archs(enum op op);
/* What proves its values: numbers of forms that ran with results equal to a real GPU's, by kind of test (isa/proof.def);
 * "listing": only decoding is proven. Owned by the caller. */
char *op_proof(enum op op);
extern const char *const unit_names[UNIT_COUNT];
extern const char *const effect_names[EFF_COUNT];
const char *mod_name(enum mod m);                     /* class name */
const char *mod_value_name(enum mod m, unsigned v);   /* "" for a value that prints nothing */
unsigned mod_value_count(enum mod m);

/* ---- one instruction ------------------------------------------------------------------------ */
enum operand_kind {
    OPD_NONE,
    OPD_REG,    /* R reg */
    OPD_UREG,   /* UR reg */
    OPD_PRED,   /* P reg */
    OPD_UPRED,  /* UP reg */
    OPD_IMM,    /* imm: 32-bit pattern (for fp64 the high word), or a plain number */
    OPD_CONST,  /* c[bank][imm], or c[bank][R reg + imm] / c[bank][UR ureg + imm] when has_reg / has_ureg */
    OPD_BINDLESS, /* cx[UR ureg][imm] */
    OPD_MEM,    /* [R reg + UR ureg + imm] with optional desc[UR desc]; .64 / .X4 .. in `scale` */
    OPD_SREG,   /* special register number in imm */
    OPD_BREG,   /* B reg */
    OPD_SB,     /* SB reg (dependence counter), gsb0 */
    OPD_TARGET, /* code address: imm = absolute byte offset in the kernel's code */
    OPD_GDESC,  /* gdesc[UR reg]: shared-memory matrix descriptor(s) */
    OPD_PR,     /* the whole predicate file (P2R, R2P) */
    OPD_LIST,   /* {5,4,..}: set of dependence counters as bits in imm */
};
enum operand_flag {
    OPF_NEG = 1, OPF_ABS = 2, OPF_NOT = 4, /* -x, |x|, ~x or !p */
    OPF_64 = 8,        /* R2.64: register pair as address */
    OPF_U32 = 16,      /* R2.U32: zero-extended 32-bit index beside a 64-bit UR base */
    OPF_HAS_REG = 32, OPF_HAS_UREG = 64, OPF_HAS_DESC = 128,
};
struct operand {
    uint8_t kind, flags;
    uint8_t reg;   /* register number of the file that kind names; RZ/URZ/PT when unused */
    uint8_t ureg;  /* second, uniform register of an address */
    uint8_t desc;  /* descriptor's uniform register */
    uint8_t bank;  /* constant bank */
    uint8_t sel;   /* half swizzle (0 H1_H0, 1 F32, 2 H0_H0, 3 H1_H1, SEL_CROSSED H0_NH1) or byte selector: by opcode; or scale (0,1=X4,2=X8,3=X16) */
    uint8_t width; /* registers: 1, 2, 4.. ; filled by inst_link */
    int64_t imm;
};
struct sched { /* bits 105..124 of the machine word; present=false: hardware scoreboard mode */
    bool present;
    uint8_t stall;   /* cycles before this warp may issue again */
    bool yield;      /* true: prefer another warp next cycle (the machine bit is inverted) */
    uint8_t wr_sb, rd_sb; /* dependence counter raised until result written / sources read; SB_NONE */
    uint8_t wait;    /* mask of counters that must be 0 */
    uint8_t reuse;   /* bit per source slot A, B, C, D */
};
enum regfile { RF_R, RF_UR, RF_P, RF_UP, RF_B };
struct regref {
    uint8_t file, first, count;
};
/* Registers of all files in one numbering, for sets and times of registers: predicates first, R last, so that a
 * kernel with few registers uses a prefix. */
enum {
    KEY_P = 0,
    KEY_UP = KEY_P + NPRED,
    KEY_UR = KEY_UP + NPRED,
    KEY_R = KEY_UR + NUREG,
    NKEY = KEY_R + 256,
    NKEYWORD = (NKEY + 63) / 64,
};

/* A reference's first key, or NKEY when nothing can wait for it (zero registers, convergence barriers). */
static inline uint32_t key_of(struct regref r)
{
    switch (r.file) {
    case RF_R:
        return r.first == RZ ? NKEY : KEY_R + r.first;
    case RF_UR:
        return r.first >= URZ ? NKEY : KEY_UR + r.first;
    case RF_P:
        return r.first >= PT ? NKEY : KEY_P + r.first;
    case RF_UP:
        return r.first >= PT ? NKEY : KEY_UP + r.first;
    default:
        return NKEY;
    }
}
struct warp;
struct issue;
struct inst;
typedef void exec_fn(struct warp *w, const struct inst *in, struct issue *is);
struct inst {
    exec_fn *exec;           /* filled by inst_link */
    uint16_t op;
    uint16_t form;           /* encoding row that decoded it; 0xffff: from text */
    uint8_t guard;           /* predicate number, PT: always */
    bool guard_not;
    bool guard_uniform;      /* guard is UPn */
    struct sched sched;
    struct operand opd[NOPERAND]; /* canonical slots of ops.def's shape */
    uint8_t mod[MOD_COUNT];
    uint32_t line;           /* source line of file `file` in program.files; 0: unknown */
    uint16_t file;
    /* filled by inst_link from shape, modifiers and operands: */
    uint8_t nread, nwrite;
    struct regref reads[10], writes[6];
    uint64_t word[2];        /* machine words it was decoded from; 0,0 from text */
};

/* ---- program container ----------------------------------------------------------------------- */
enum arch { ARCH_KIR = 0, ARCH_SM75 = 75, ARCH_SM80 = 80, ARCH_SM86 = 86, ARCH_SM89 = 89, ARCH_SM90 = 90 };
struct arch_info { /* rows of arch.def */
    enum arch arch;
    uint32_t param_base;      /* first parameter byte in c[0x0] */
    uint32_t shared_base;     /* first address of a block's shared memory (0x400 on sm_90) */
    uint32_t desc_offset;     /* c[0x0] offset of the global descriptor, 0: none */
    /* further columns: see arch.def */
};
const struct arch_info *arch_info(enum arch a);

struct param {
    char *name;          /* cubins: "p0", "p1".. unless known */
    uint32_t offset;     /* from the parameter base */
    uint32_t bytes;
};
struct symbol { /* function, label or source-level name inside a kernel's code */
    char *name;
    uint32_t address; /* byte offset in the code */
};
enum reloc_kind { RELOC_ADDR32, RELOC_ADDR64, RELOC_CODE_LO32, RELOC_CODE_HI32 }; /* a word, two words; an immediate of the code */
enum { RELOC_IN_CODE = 0xff };
#define RELOC_CONSTANTS "(constants)" /* as a symbol: where bank 3, the __constant__ variables, lies as memory */
struct reloc { /* a constant-bank or code location that holds an address known only at load */
    uint32_t offset;
    uint8_t kind;       /* enum reloc_kind */
    char *symbol;
    int64_t addend;
    uint8_t where;      /* constant bank number */
};
struct kernel {
    char *name;
    struct inst *code;
    uint32_t n;               /* instructions; the address of code[i] is 16*i */
    uint32_t nreg;            /* registers a thread, at its start */
    uint32_t nreg_later;      /* the most that USETMAXREG asks for; 0: it does not occur; by program_link */
    uint32_t shared_bytes;    /* static, without the reserved kilobyte */
    uint32_t local_bytes;     /* a thread: stack */
    uint32_t nbarrier;
    uint32_t reqntid[3], maxntid[3]; /* 0: not given */
    uint32_t cluster[3];      /* 0: none */
    struct param *params;
    uint32_t nparam, param_bytes;
    uint8_t *bank[8];         /* initial contents of c[1..7] that the kernel uses (2, 3, 4); NULL: none */
    uint32_t bank_bytes[8];
    struct reloc *relocs;
    uint32_t nreloc;
    struct symbol *symbols;
    uint32_t nsymbol;
    char *refused;            /* why it cannot be run; NULL: it can. It has no code then; others of its file may run */
};
struct global { /* module-scope __device__ variable, placed in device memory at load */
    char *name;
    uint64_t bytes;
    uint32_t align;
    uint8_t *init; /* NULL: zero */
    struct reloc *relocs; /* pointers in it: kind ADDR32 or ADDR64; `where` means nothing */
    uint32_t nreloc;
};
struct program {
    char *path;
    enum arch arch;
    bool arch_specific;       /* sm_90a */
    struct kernel *kernels;
    uint32_t nkernel;
    struct global *globals;
    uint32_t nglobal;
    char **files;             /* source files of the line table */
    uint32_t nfile;
};
/* Reads a .cubin or .kir by content. Verified and linked on success; program_free on failure is done. A cubin's kernel
 * with an instruction that is not known, or with broken code, is refused alone. */
struct program *program_load(const char *path, struct error *err);
struct program *cubin_read(const char *path, const uint8_t *data, size_t len, struct error *err);
struct program *kir_assemble(const char *path, const char *text, struct error *err);
void program_free(struct program *p);
void kernel_finish(struct kernel *k); /* all that it owns, not itself */
/* By its whole name or, where that is one kernel, by the C++ function's own name; NULL name: the only one. One that
 * was refused is an error. */
struct kernel *program_kernel(const struct program *p, const char *name, struct error *err);
/* True if no kernel was refused; else the error says of each why. For printing all that a file holds. */
bool program_whole(const struct program *p, struct error *err);
/* Text that kir_assemble reads back to an equal program. strip_sched leaves out scheduling fields. */
void kir_print(const struct program *p, bool strip_sched, struct sb *out);
/* Without scheduling fields machine code runs under a hardware scoreboard on any part: unscheduled.c. */
bool program_unscheduled(const struct program *p);
void program_strip(struct program *p);
const struct inst *program_counts_lanes(const struct program *p); /* the first that is written for warps of 32 lanes; NULL */
/* Of a linked program: register bounds and alignment, targets, barriers, running off the end. */
bool program_verify(const struct program *p, struct error *err);
/* What is odd but may run: one line each (code that no way leads to). */
void program_warnings(const struct program *p, struct sb *out);
/* Hand-written KIR as PTX for the vendor's assembler. Refuses what only the machine has: scheduling fields, convergence
 * barriers, uniform registers. */
bool ptx_write(const struct program *p, struct sb *out, struct error *err);
/* Fills exec pointer, operand widths, read and write sets of every instruction. */
bool program_link(struct program *p, struct error *err);
void inst_link(struct inst *in);

/* One machine word pair -> inst. False: unknown; err says why (opcode, modifier or field bits). */
bool inst_decode(enum arch a, const uint64_t word[2], uint32_t address, struct inst *out, struct error *err);
bool inst_encode(enum arch a, const struct inst *in, uint32_t address, uint64_t word[2], struct error *err);
/* One instruction in machine-listing text ("@!P0 IADD3 R2, R2, 0x1, RZ"), branch targets as hex.
 * labels NULL: absolute addresses. */
void inst_print(enum arch a, const struct inst *in, struct sb *out);
/* Listing of every kernel of a program of machine code, with addresses. */
void sass_print(const struct program *p, struct sb *out);

/* ---- control-flow graph --------------------------------------------------------------------- */
struct cfg_block { uint32_t first, last; /* instruction indices */ uint32_t succ[2], nsucc; int32_t ipdom; /* block, -1 exit */ };
struct cfg { struct cfg_block *blocks; uint32_t n; uint32_t *block_of; /* per instruction */ };
bool cfg_build(struct cfg *g, const struct kernel *k, struct error *err);
void cfg_finish(struct cfg *g);

/* ---- architectural state and execution --------------------------------------------------------
 * One warp. No time in it. Registers are rows of lanes: reg[r * nlane + lane]. */
enum space {
    SPACE_GLOBAL,
    SPACE_SHARED,
    SPACE_LOCAL,
    SPACE_CONST,
    SPACE_GENERIC,
    SPACE_CLUSTER, /* shared memory of another block of the cluster: its rank in bits 24 and up of the address */
    SPACE_COUNT
};
enum { CLUSTER_RANK_AT = 24, MBARRIER_BYTES = 8 };
enum { NSPLIT = 64 };
struct split { /* lanes that share a program counter */
    uint32_t pc;       /* instruction index */
    lanemask mask;
    uint8_t state;     /* enum split_state */
    uint8_t breg;      /* barrier it is blocked on; at WARPSYNC: 1 for a collective region */
    uint8_t recon;     /* innermost entry of warp.recon it belongs to; RECON_NONE */
    bool alone;        /* shall not be joined with others at its pc: what follows is over the lanes of one WARPSYNC mask */
    uint32_t born;     /* warp.picks when it last parted from others */
    lanemask wait_mask; /* WARPSYNC's mask */
};
enum split_state {
    SPLIT_READY,
    SPLIT_BSYNC,    /* blocked at a convergence barrier */
    SPLIT_WARPSYNC, /* blocked at WARPSYNC */
    SPLIT_RECON,    /* waits at a post-dominator (code without barriers, or the pre-Volta stack) */
    SPLIT_YIELDED,  /* can run, but prefers others */
    SPLIT_ASLEEP,   /* NANOSLEEP; until warp.wake */
};
enum { RECON_NONE = 0xff };
struct recon { /* lanes that meet again at a post-dominator */
    uint32_t pc;
    uint8_t used, parent;
    lanemask mask;
};
/* What a warp's start need not clear: no thread reads it before it has written it. Nothing set: all is cleared. */
struct unread {
    uint64_t rows[NREG / 64];   /* registers, a bit each */
    uint32_t uregs;             /* so many uniform registers, the last ones, are not named at all */
};
struct launch_env { /* the same for every warp of a launch; owned by sim */
    enum arch arch;
    const struct kernel *kernel;
    uint32_t grid[3], block[3], cluster[3];
    const uint8_t *bank[8];     /* constant banks, relocated; bank[0] holds the driver words and parameters */
    uint32_t bank_bytes[8];
    uint32_t nlane;             /* 32 or 64 */
    uint64_t shared_window, local_window; /* generic addresses of the windows, 16 MiB each */
    uint32_t shared_bytes;      /* static + dynamic of a block, without the reserved part */
    uint32_t local_bytes;
    uint32_t warp_slots;        /* warps an SM can hold, for the special register that says so */
    bool divergence_stack;      /* pre-Volta post-dominator stack */
    const uint8_t *skip;        /* instructions that are timed and not computed, a flag each; NULL: none */
    struct unread unread;       /* by kernel_unread, where nobody sees a register before the program does */
    const struct cfg *cfg;      /* lanes meet again at post-dominators: for code without convergence barriers
                                 * (kernel_has_barriers false), and for the stack; else NULL */
};
/* How the running path came to run: it goes on, or is the other side of the latest divergence; it goes on although it
 * asked for others that are apart (a WARPSYNC that names its own lanes, a BSYNC executed again); it was chosen among
 * those that wait. */
enum path_start { START_ON, START_AGAIN, START_CHOSEN };
struct warp {
    /* what each issue touches: two lines of a cache and a half */
    const struct launch_env *env;
    uint32_t *reg;              /* kernel_registers() rows; owned by sim's register file */
    lanemask live;              /* lanes that exist and have not exited */
    lanemask full;              /* lanes that exist */
    uint32_t nsplit, cur;       /* cur: index of the running split */
    cycle now, wake;            /* now: of the issue; wake: the sleeping paths' first time, set by sim */
    uint32_t spins;             /* backward branches since the last change of split */
    uint8_t upred;              /* bit PT always set */
    uint16_t restored;          /* barriers whose mask BMOV brought back, a bit each: nobody has met there since */
    bool regions;               /* breg or recon have been written since they were last zero */
    bool forced;                /* the running path shall pass the BSYNC at its pc */
    uint8_t start;              /* enum path_start of the running path; cleared by sim */
    bool asleep;                /* the running path cannot run before `wake`; cleared by sim */
    lanemask pred[NPRED];       /* pred[PT] is all ones, always */
    /* what is set when a warp starts lies between, so that it brings no further lines */
    uint32_t ctaid[3];          /* of its block */
    uint32_t warp_in_block;
    uint32_t first_thread;      /* linear index in the block of lane 0 */
    uint32_t cluster_rank;
    uint32_t barrier_result;    /* last BAR.RED result, read by B2R */
    uint32_t slot;              /* hardware warp slot and SM, for %warpid and %smid */
    uint32_t smid;
    uint32_t nreg;              /* registers a thread has now */
    uint32_t *reg_pool;         /* of its block: registers a thread that warps have given back */
    uint8_t *shared;            /* block's shared memory (window offset 0 = shared_base) */
    uint8_t *local;             /* lane-major: local[lane * env->local_bytes + offset] */
    uint64_t spin_hash;         /* the running split's registers when that was last looked at */
    uint32_t picks;             /* paths chosen so far, other than by a branch */
    struct split split[NSPLIT]; /* a warp that has not diverged uses the first, and nothing behind it: kept together */
    uint32_t ureg[NUREG];       /* ureg[URZ] is 0, always */
    lanemask breg[NBREG];       /* masks of the convergence barriers */
    uint32_t resume[NLANE];     /* where lanes go on after the collective region that they are in */
    struct recon recon[NSPLIT];
    uint32_t rpc[2][NLANE];     /* return addresses, low and high halves: only RPCMOV touches them */
};
static inline uint32_t warp_pc(const struct warp *w) { return w->split[w->cur].pc; }
static inline lanemask warp_active(const struct warp *w) { return w->split[w->cur].mask; }

/* What an instruction asks of the machine after it issued. Results without a memory access (also of EFF_VARIABLE and
 * EFF_CONST instructions) are already in the registers.
 *   BARRIER  value id, value2 threads (0: the whole block), data[0][lane] predicate of a reduction
 *   CONST    value bank, addr[lane of mask] byte offset      SLEEP  value nanoseconds
 *   DEPBAR   value counter, value2 limit             CACHE  addr[lane], with bytes 0 when there is no address
 *   MBARRIER addr[lane] the object, data[0][lane] count, bytes or parity (EXCH: data[0], data[1] the word); results: a
 *            state token in data[0], data[1], whether the phase has completed in value (lanes); value2 1: other lanes
 *            of the warp are elsewhere
 *   BULK_COPY, of lane 0: addr[0] global address or tensor map, data[k][0] the words of operand k
 *   ATOMIC   value2 lanes of CAST.SPIN that do not swap whatever they find
 *   ASYNC_COPY  addr[lane] global source, data[0][lane] shared destination, data[1][lane] 1: write zeros instead
 * Loads: sim reads `bytes` at addr[lane]
 * into data (word k of lane l in data[k][l], sub-word values in the low bytes) and calls
 * isa_complete, which extends and writes registers. Stores, atomics: data holds the operands
 * (word k; compare-and-swap: compare words first, then the new words). */
struct effect {
    uint8_t kind;               /* enum effect_class; EFF_NONE: nothing to do */
    uint8_t space;              /* enum space; GENERIC only if lanes differ, then space_of[] holds */
    uint8_t bytes;              /* a lane: 1, 2, 4, 8, 16 */
    uint8_t nword;              /* words of data a lane */
    uint16_t op;
    const struct inst *inst;
    lanemask mask;              /* lanes that take part */
    uint64_t value;             /* scalar argument: barrier id, count, sleep time, DEPBAR's number.. see ops.def */
    uint64_t value2;
    uint64_t base;              /* sim's own */
    uint64_t spare[2];          /* rows of lanes begin where lines of the host's caches do */
    uint64_t addr[NLANE];       /* byte address in its space (shared: without the window base, as in the code) */
    uint8_t space_of[NLANE];
    uint32_t data[8][NLANE];
};
/* ---- mbarriers -----------------------------------------------------------------------------------
 * An object of 64 bits in shared memory: arrivals still expected, bytes (transactions) still expected, and the parity of
 * the current phase, which completes when both are 0. Phase and count of pending arrivals lie where the hardware has them
 * in the state that an arrival returns (read back on an H200); programs see nothing else of it. */
struct mbarrier_step {
    uint32_t arrivals;
    int32_t tx;  /* bytes to come: positive announced, negative landed */
    bool leaves; /* these arrivals are not expected in later phases */
};
enum mbarrier_outcome { MBARRIER_PENDING, MBARRIER_COMPLETES, MBARRIER_TOO_MANY, MBARRIER_TX_RANGE };
enum mbarrier_outcome mbarrier_apply(uint64_t *word, struct mbarrier_step s);
uint64_t mbarrier_word(uint32_t expected, uint32_t pending, int32_t tx, bool phase);
static inline bool mbarrier_phase(uint64_t word) { return word >> 63; }
uint32_t mbarrier_pending(uint64_t word);
uint32_t mbarrier_expected(uint64_t word); /* arrivals of a phase */
int32_t mbarrier_tx(uint64_t word);        /* bytes still expected */
struct mbarrier_step mbarrier_step_of(const struct inst *in, uint32_t operand); /* SYNCS.ARRIVE, ARRIVES */

struct issue { /* in: how the machine looks now; out: what happened */
    cycle now;                  /* in: for clock registers */
    uint64_t globaltimer_ns;    /* in */
    lanemask exec;              /* out: lanes that executed (active and guard true) */
    bool diverged;              /* out: a branch split the lanes */
    bool branch;                /* out: a branch was evaluated */
    lanemask idle;              /* out: lanes of a shuffle that read one which does not execute are added */
    bool fault;                 /* out: `why` says what */
    char why[160];
    struct effect *effect;      /* in: room for one; out: filled when kind != EFF_NONE */
};
void warp_start(struct warp *w); /* registers, predicates, one split at pc 0; fields above set by sim */
/* Executes the instruction at warp_pc for the running split, advances its pc, moves barriers,
 * picks the split to run next. Afterwards warp_done / warp_blocked say whether it can go on. */
void warp_issue(struct warp *w, struct issue *is);
void isa_complete(struct warp *w, const struct effect *e);
static inline uint32_t kernel_registers(const struct kernel *k) /* the most that a thread ever has */
{
    return k->nreg_later > k->nreg ? k->nreg_later : k->nreg;
}
/* Marks in skip (a flag for each instruction) the matrix products that need not be computed because nothing but values
 * depends on them; false: none, or something does. memory: device memory holds values that were left out before. */
bool kernel_skips(const struct kernel *k, const struct cfg *g, bool memory, uint8_t *skip);
void kernel_unread(const struct kernel *k, struct unread *u);
bool kernel_has_barriers(const struct kernel *k); /* BSSY occurs: the code says where its lanes meet again */
static inline bool warp_done(const struct warp *w) { return w->live == 0; }
/* Live lanes, but every split waits for another: deadlock inside the warp. */
static inline bool warp_blocked(const struct warp *w)
{
    return w->live && w->split[w->cur].state != SPLIT_READY;
}
/* One lane's atomic on memory words; returns the new value. type: MOD_ATYPE value. */
struct atomic_words { uint64_t lo, hi; };
struct atomic_words isa_atomic(const struct inst *in, struct atomic_words old, struct atomic_words a, struct atomic_words b);
const char *sreg_name(unsigned n);

#endif
