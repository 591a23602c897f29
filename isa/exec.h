/* Execution routines: what they share. One file a family (exec_int.c, exec_float32.c, ..), each compiled once per
 * instruction-set level of the host (base, AVX2 with fma, AVX-512), since the loops over lanes below are written for
 * the compiler to vectorise and fmaf must be one instruction to be fast. All levels give the same bits.
 *
 * A routine gets the lanes that execute in is->exec (never empty). Sources come as rows of 32-bit lanes: the register
 * row itself, or a temporary row for a constant or a modified operand. With all live lanes executing, results go
 * straight into the register row; otherwise into a temporary that is blended in. Dead lanes' registers are not
 * preserved: nothing can read them. */
#ifndef HEDDLE_ISA_EXEC_H
#define HEDDLE_ISA_EXEC_H

#include <string.h>

#include "isa/isa.h"

#ifndef EXEC_LEVEL
#define EXEC_LEVEL base
#endif
#define EXEC_PASTE2(a, b) a##_##b
#define EXEC_PASTE(a, b)  EXEC_PASTE2(a, b)
#define EXEC_SYM(name)    EXEC_PASTE(name, EXEC_LEVEL)

enum exec_level { EXEC_LEVEL_BASE, EXEC_LEVEL_V3, EXEC_LEVEL_V4, EXEC_LEVEL_COUNT };
/* The routine that executes the instruction; one that faults "not supported" when there is none. */
exec_fn *exec_of(const struct inst *in);
/* The same from one level's copy, for tests; NULL if this build or this host has no such level. */
exec_fn *exec_of_level(const struct inst *in, enum exec_level level);

#define EXEC_FAMILIES(X)                                                                                               \
    X(int)                                                                                                             \
    X(logic) X(async) X(float32) X(half) X(fp64) X(convert) X(uniform) X(warpwide) X(memory) X(control) X(special) X(tensor)
#define EXEC_FAMILY_OF(name, level) exec_fn *exec_##name##_of_##level(const struct inst *in);
#define X(name)                     EXEC_FAMILY_OF(name, base) EXEC_FAMILY_OF(name, v3) EXEC_FAMILY_OF(name, v4)
EXEC_FAMILIES(X)
#undef X

/* Addresses of an operand that names shared memory, of any block of the cluster: e's addresses and space. */
void EXEC_SYM(shared_addresses)(const struct warp *w, const struct operand *o, struct effect *e, struct issue *is);

/* The function unit; x and out may be one row. Lanes that do not execute may be written as well. */
void EXEC_SYM(mufu_row)(uint32_t fn, const uint32_t *x, uint32_t *out, lanemask lanes, uint32_t nlane);

SELDOM void exec_fault(struct issue *is, const char *fmt, ...) PRINTF_LIKE(2, 3);
extern const uint32_t exec_zero_row[NLANE];

/* Each 32-lane half in turn, and the lanes of one half: the inner count is a constant, so it unrolls into whole
 * vectors. A destination row may be one of the source rows: each lane reads before it writes. */
#define HALVES(h, w) for (size_t h = 0; h < (w)->env->nlane; h += 32)
#ifdef __clang__
#define INDEPENDENT /* clang's own analysis; its pragma would make every loop that stays scalar a warning */
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define LANES(l) INDEPENDENT for (size_t l = 0; l < 32; l++)
#define FOR_MASK(l, m)                                                                                                 \
    for (lanemask m_##l = (m); m_##l && ((l) = (uint32_t)__builtin_ctzll(m_##l), true); m_##l &= m_##l - 1)

/* For routines compiled once for each constant argument. */
#define SPECIALISED static inline __attribute__((always_inline))

static inline uint32_t *exec_row(const struct warp *w, uint32_t r)
{
    return w->reg + (size_t)r * w->env->nlane;
}
static inline bool bit_of(lanemask m, uint32_t l)
{
    return m >> l & 1;
}
static inline uint32_t f32_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
static inline float f32_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static inline uint64_t f64_bits(double f)
{
    uint64_t u;
    memcpy(&u, &f, 8);
    return u;
}
static inline double f64_of(uint64_t u)
{
    double f;
    memcpy(&f, &u, 8);
    return f;
}

/* ---- constants --------------------------------------------------------------------------------------------- */
static inline uint32_t exec_const(const struct warp *w, uint32_t bank, uint64_t off, struct issue *is)
{
    uint32_t v = 0;
    if (bank < 8 && w->env->bank[bank] && off + 4 <= w->env->bank_bytes[bank] && off + 4 > off)
        memcpy(&v, w->env->bank[bank] + off, 4);
    else
        exec_fault(is, "constant c[0x%x][0x%llx] lies beyond the bank", bank, (unsigned long long)off);
    return v;
}
/* Address inside the bank of a constant operand without a register index. */
static inline uint64_t const_offset(const struct warp *w, const struct operand *o)
{
    return (uint32_t)((o->flags & OPF_HAS_UREG ? w->ureg[o->ureg] : 0) + (uint32_t)o->imm);
}
/* A value that is the same in all lanes, before negation and the like. word 1: high half of a 64-bit operand. */
static inline uint32_t exec_scalar(const struct warp *w, const struct operand *o, uint32_t word, struct issue *is)
{
    switch (o->kind) {
    case OPD_UREG:
        return o->reg + word < URZ ? w->ureg[o->reg + word] : 0;
    case OPD_IMM:
        return word ? (uint32_t)((uint64_t)o->imm >> 32) : (uint32_t)o->imm;
    case OPD_CONST:
        return exec_const(w, o->bank, const_offset(w, o) + 4 * word, is);
    case OPD_BINDLESS:
        exec_fault(is, "bindless constants are not supported");
        return 0;
    default:
        return 0;
    }
}
static inline void row_fill(const struct warp *w, uint32_t *row, uint32_t v)
{
    HALVES(h, w) LANES(l) row[h + l] = v;
}

/* ---- sources ----------------------------------------------------------------------------------------------- */
enum { OPF_SIGNS = OPF_NEG | OPF_ABS | OPF_NOT };
enum src_kind { SRC_INT, SRC_F32, SRC_F16, SRC_RAW }; /* what -x, |x| and ~x mean */

static inline uint32_t modify(uint32_t x, uint32_t flags, enum src_kind kind)
{
    switch (kind) {
    case SRC_INT:
        if (flags & OPF_ABS)
            x = (int32_t)x < 0 ? 0u - x : x;
        if (flags & OPF_NOT)
            x = ~x;
        return flags & OPF_NEG ? 0u - x : x;
    case SRC_F32:
        if (flags & OPF_ABS)
            x &= 0x7fffffffu;
        return flags & OPF_NEG ? x ^ 0x80000000u : x;
    case SRC_F16:
        if (flags & OPF_ABS)
            x &= 0x7fff7fffu;
        return flags & OPF_NEG ? x ^ 0x80008000u : x;
    default:
        return x;
    }
}
/* noinline: the rare side of src_row, kept out of every routine. Word 1 reads the high half of a pair. */
const uint32_t *EXEC_SYM(src_row_slow)(const struct warp *w, const struct operand *o, uint32_t word, uint32_t *tmp,
                                       enum src_kind kind, struct issue *is);

static inline const uint32_t *src_row(const struct warp *w, const struct operand *o, uint32_t *tmp, enum src_kind kind,
                                      struct issue *is)
{
    if (o->kind == OPD_REG && !(o->flags & OPF_SIGNS))
        return o->reg == RZ ? exec_zero_row : exec_row(w, o->reg);
    return EXEC_SYM(src_row_slow)(w, o, 0, tmp, kind, is);
}
/* Unmodified word k of an operand: registers r, r+1, .. or the words of a wide scalar. */
static inline const uint32_t *src_word(const struct warp *w, const struct operand *o, uint32_t word, uint32_t *tmp,
                                       struct issue *is)
{
    if (o->kind == OPD_REG)
        return o->reg == RZ ? exec_zero_row : exec_row(w, o->reg + word);
    return EXEC_SYM(src_row_slow)(w, o, word, tmp, SRC_RAW, is);
}

/* A predicate source over the lanes; `absent` is its value when the slot is empty. */
static inline lanemask src_pred(const struct warp *w, const struct operand *o, bool absent)
{
    lanemask v;
    if (o->kind == OPD_PRED)
        v = w->pred[o->reg & 7];
    else if (o->kind == OPD_UPRED)
        v = w->upred >> (o->reg & 7) & 1 ? ~(lanemask)0 : 0;
    else
        return absent ? ~(lanemask)0 : 0;
    return o->flags & OPF_NOT ? ~v : v;
}

/* ---- destinations ------------------------------------------------------------------------------------------ */
/* Where results go: the register's row when every live lane executes, else tmp until dst_put. */
static inline uint32_t *dst_row(const struct warp *w, uint32_t r, uint32_t *tmp, const struct issue *is)
{
    return r != RZ && is->exec == w->live ? exec_row(w, r) : tmp;
}
void EXEC_SYM(row_blend)(uint32_t *to, const uint32_t *from, lanemask m, uint32_t nlane);

static inline void dst_put(const struct warp *w, uint32_t r, const uint32_t *tmp, const struct issue *is)
{
    if (r != RZ && is->exec != w->live)
        EXEC_SYM(row_blend)(exec_row(w, r), tmp, is->exec, w->env->nlane);
}
/* For results that had to stay in tmp until all were known. */
static inline void dst_blend(const struct warp *w, uint32_t r, const uint32_t *tmp, const struct issue *is)
{
    if (r != RZ)
        EXEC_SYM(row_blend)(exec_row(w, r), tmp, is->exec, w->env->nlane);
}
static inline void put_pred(struct warp *w, const struct operand *o, lanemask v, const struct issue *is)
{
    if (o->kind != OPD_PRED || o->reg >= PT)
        return;
    w->pred[o->reg] = (w->pred[o->reg] & ~is->exec) | (v & is->exec);
}
static inline void put_upred(struct warp *w, const struct operand *o, bool v)
{
    if (o->kind == OPD_UPRED && o->reg < PT)
        w->upred = (uint8_t)((w->upred & ~(1u << o->reg)) | (uint32_t)v << o->reg);
}
static inline void put_ureg(struct warp *w, uint32_t r, uint32_t v)
{
    if (r < URZ)
        w->ureg[r] = v;
}
static inline uint32_t first_lane(lanemask m)
{
    return (uint32_t)__builtin_ctzll(m);
}

/* ---- shapes of routines -------------------------------------------------------------------------------------
 * LANEWISE(name, slots of a, b, c, kind, expression in A B C and `in`): one register result of up to three sources. */
#define LANEWISE3(name, sa, sb, sc, kind, expr)                                                                        \
    static void name(struct warp *w, const struct inst *in, struct issue *is)                                          \
    {                                                                                                                  \
        uint32_t ta[NLANE], tb[NLANE], tc[NLANE], td[NLANE];                                                           \
        const uint32_t *ra = src_row(w, &in->opd[sa], ta, kind, is), *rb = src_row(w, &in->opd[sb], tb, kind, is);     \
        const uint32_t *rc = src_row(w, &in->opd[sc], tc, kind, is);                                                   \
        uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);                                                             \
        HALVES(h, w) LANES(l)                                                                                          \
        {                                                                                                              \
            uint32_t A = ra[h + l], B = rb[h + l], C = rc[h + l];                                                      \
            rd[h + l] = (expr);                                                                                        \
        }                                                                                                              \
        dst_put(w, in->opd[0].reg, td, is);                                                                            \
    }
#define LANEWISE2(name, sa, sb, kind, expr)                                                                            \
    static void name(struct warp *w, const struct inst *in, struct issue *is)                                          \
    {                                                                                                                  \
        uint32_t ta[NLANE], tb[NLANE], td[NLANE];                                                                      \
        const uint32_t *ra = src_row(w, &in->opd[sa], ta, kind, is), *rb = src_row(w, &in->opd[sb], tb, kind, is);     \
        uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);                                                             \
        HALVES(h, w) LANES(l)                                                                                          \
        {                                                                                                              \
            uint32_t A = ra[h + l], B = rb[h + l];                                                                     \
            rd[h + l] = (expr);                                                                                        \
        }                                                                                                              \
        dst_put(w, in->opd[0].reg, td, is);                                                                            \
    }
#define LANEWISE1(name, sa, kind, expr)                                                                                \
    static void name(struct warp *w, const struct inst *in, struct issue *is)                                          \
    {                                                                                                                  \
        uint32_t ta[NLANE], td[NLANE];                                                                                 \
        const uint32_t *ra = src_row(w, &in->opd[sa], ta, kind, is);                                                   \
        uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);                                                             \
        HALVES(h, w) LANES(l)                                                                                          \
        {                                                                                                              \
            uint32_t A = ra[h + l];                                                                                    \
            rd[h + l] = (expr);                                                                                        \
        }                                                                                                              \
        dst_put(w, in->opd[0].reg, td, is);                                                                            \
    }

/* p = t bop c, q = !t bop c: the tail of every compare. */
static inline lanemask pred_combine(lanemask t, lanemask c, uint32_t bop)
{
    return bop == 0 ? t & c : bop == 1 ? t | c : t ^ c;
}

#endif
