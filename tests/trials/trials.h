/* Trials: one machine instruction of sm_90 each, run on awkward and random operands on a real GPU and here.
 *
 * A trial is a word and the way it is put into a kernel: registers, uniform registers and predicates loaded from a
 * table of inputs (made by hashing, inputs.c), the word, its results stored. plan.c lists the words by varying every
 * field of every row of isa/encoding.def; gpu.c runs them on the GPU and records hashes; t_trials.c runs them here. */
#ifndef HEDDLE_TRIALS_H
#define HEDDLE_TRIALS_H

#include "isa/isa.h"

/* How a word is embedded. */
enum trial_flag {
    TF_UR_IN = 1,     /* uniform registers hold lane 0's operands */
    TF_UR_OUT = 2,    /* results are uniform registers */
    TF_PER_WARP = 4,  /* a record of inputs a warp: all lanes alike */
    TF_BRANCH = 8,    /* lanes without P3 are elsewhere */
    TF_SEQUENCE = 32, /* `space` is the enum trial_sequence of code around it */
    TF_MEMORY = 16,   /* operand A is stored first where the word's address points, and read back afterwards */
    TF_ALONE = 64,    /* no other trial in its kernel: it ends lanes */
};
enum trial_space { TS_GLOBAL, TS_SHARED, TS_LOCAL, TS_GENERIC_GLOBAL, TS_GENERIC_SHARED, TS_GENERIC_LOCAL, TS_COUNT };
/* Words that mean something only beside others. */
enum trial_sequence {
    SEQ_BRX,
    SEQ_BRXU,
    SEQ_JMX,
    SEQ_LEPC,
    SEQ_BMOV_READ,
    SEQ_BMOV_WRITE,
    SEQ_RPC_READ,
    SEQ_RPC_WRITE,
    SEQ_BAR,
    SEQ_B2R,
    SEQ_ARRIVE,
    SEQ_WAIT,
    SEQ_WARPSYNC,
    SEQ_COUNT
};
/* What the operands look like. */
enum family { FAM_INT, FAM_F32, FAM_F16, FAM_BF16, FAM_F64, FAM_SHIFT, FAM_LANE, FAM_FEW, FAM_INDEX, FAM_COUNT };
enum {
    TRIAL_BLOCKS = 4,   /* hashes a trial */
    TRIAL_LANES = 1024, /* records of a trial */
    TRIAL_WARPS = 128,  /* the same with a record a warp */
    INPUT_RECORDS = 8192,
    INPUT_WORDS = 16, /* of a family; A, B, C, and what results hold before */
    OUTPUT_WORDS = 16,
    OUTPUT_USED = 12, /* results, predicates, -, -, -, memory afterwards */
    CONST_AT = 0x250,
    CONST_WORDS = 64,
    TRIALS_A_KERNEL = 96,
    SCRATCH_BYTES = (TRIALS_A_KERNEL + 1) * TRIAL_LANES * 64,
    KERNEL_INSTS = 6144,
};
/* Registers of the kernel around a word. */
enum {
    TR_IN = 2,
    TR_A = 4,
    TR_B = 8,
    TR_C = 12,
    TR_D = 16,
    TR_PRED = 20,
    TR_MEM = 24,
    TR_OUT = 32,
    TR_MARK = 34,
    TR_SCRATCH = 36,
    TR_SHARED = 38,
    TR_LOCAL = 39,
    TR_INDEX = 40,
    TR_NUMBER = 41,
    TR_GENERIC = 42,
    TR_SCALED = 44,
    TR_CODE = 48,
    TP_IN = 0,
    TP_GUARD = 3,
    TP_OUT = 4,
    TU_DESC = 22,
    TU_BASE = 24,
    TU_BITS = 26,
    TU_ZERO = 28,
    TU_CODE = 30,
};
struct trial {
    uint64_t word[2];
    uint8_t flags, space, family;
    uint8_t state;  /* enum trial_state */
    uint16_t start; /* first record of inputs */
    uint32_t hash[TRIAL_BLOCKS];
};
enum trial_state {
    TRIAL_NEW,
    TRIAL_DONE,
    TRIAL_REFUSED, /* the GPU called it an illegal instruction (or ended with another error) */
    TRIAL_HUNG,
    TRIAL_FAULTED, /* it led to another error, of an address: the code around it is not right for it */
    TRIAL_ALIKE,   /* not tried: it combines what was refused in another word and accepted in none */
};
struct trials {
    struct trial *t;
    uint32_t n;
};

void trial_inputs(uint32_t *table); /* FAM_COUNT * INPUT_RECORDS * INPUT_WORDS words */
void trial_constants(uint32_t words[CONST_WORDS]);
static inline uint32_t trial_records(const struct trial *t)
{
    return t->flags & TF_PER_WARP ? TRIAL_WARPS : TRIAL_LANES;
}
static inline uint32_t trial_warps(const struct trial *t)
{
    return t->flags & TF_PER_WARP ? TRIAL_WARPS : TRIAL_LANES / 32;
}
/* Code of a kernel with these trials, all of one kind (PER_WARP or not); false if they do not fit. */
bool trial_kernel(const struct trial *const *t, uint32_t n, uint64_t (*code)[2], uint32_t *ninst, struct error *err);
void trial_schedule(uint64_t w[2], const struct inst *in); /* scheduling fields that wait for everything */
/* Whether x may join n trials in one kernel; if so its code is added to *length, which is 0 for n = 0. */
bool trial_joins(const struct trial *const *t, uint32_t n, const struct trial *x, uint32_t *length);
/* Results of the same kernel here: warps * 32 or warps records of OUTPUT_WORDS for each trial. only: records of the
 * first of the TRIAL_BLOCKS blocks. false: why says what failed. */
struct trial_run {
    uint32_t *inputs, *out;
    char why[256];
    bool only_first;
};
bool trial_simulate(struct trial_run *r, const struct trial *const *t, uint32_t n);
void trial_hashes(const struct trial *t, const uint32_t *out, uint32_t hash[TRIAL_BLOCKS]);

/* What a word combines: modifiers, kinds, signs and selectors of operands. Pairs of them (PAIRS bytes, 0 at first) tell
 * what refused words had and accepted ones did not. */
enum { MOST_FEATURES = 48, PAIRS = 1 << 22 };
struct features {
    uint16_t op, n, f[MOST_FEATURES];
};
void trial_features(const struct trial *t, struct features *x);
void pairs_accepted(const struct features *x, uint8_t *pairs);
void pairs_refused(const struct features *x, uint8_t *pairs);
void pairs_blame(const struct features *x, uint8_t *pairs);         /* again, of a refused one: more is known by now */
uint32_t pairs_suspicion(const struct features *x, uint8_t *pairs); /* 0: no pair that only refused words had */
bool pairs_convict(const struct features *x, uint8_t *pairs);       /* it has a pair for which others are refused */

bool trials_read(struct trials *s, const char *path, struct error *err);
bool trials_write(const struct trials *s, const char *path, struct error *err);

#endif
