/* Shifts, logic, byte permutes, selects, predicate arithmetic. */
#include "isa/alu.h"

SPECIALISED void lea_as(struct warp *w, const struct inst *in, struct issue *is, bool simple, bool hi_x)
{
    uint32_t ta[NLANE], tb[NLANE], tc[NLANE], td[NLANE];
    const struct operand *o = in->opd;
    const uint32_t *ra = src_word(w, &o[2], 0, ta, is), *rb = src_word(w, &o[3], 0, tb, is);
    const uint32_t *rc = o[4].kind == OPD_NONE ? exec_zero_row : src_word(w, &o[4], 0, tc, is);
    struct alu_lea e = alu_lea_of(in, &o[2], &o[3], &o[5]);
    if (simple) { /* what addresses are made with: nothing negated; LEA with its carry, or LEA.HI.X */
        e.fa = e.fb = 0;
        e.sx32 = false;
        e.hi = e.x = hi_x;
    }
    lanemask p = src_pred(w, &o[6], false), carry = 0;
    uint32_t *rd = dst_row(w, o[0].reg, td, is);
    HALVES(h, w)
    {
        uint32_t p32 = (uint32_t)(p >> h), m = 0;
        LANES(l)
        {
            uint64_t s = alu_lea(e, ra[h + l], rb[h + l], rc[h + l], p32 >> l & 1);
            rd[h + l] = (uint32_t)s;
            m |= (uint32_t)(s >> 32 != 0) << l;
        }
        carry |= (lanemask)m << h;
    }
    dst_put(w, o[0].reg, td, is);
    put_pred(w, &o[1], carry, is);
}
static void lea(struct warp *w, const struct inst *in, struct issue *is)
{
    lea_as(w, in, is, false, false);
}
static void lea_carry(struct warp *w, const struct inst *in, struct issue *is)
{
    lea_as(w, in, is, true, false);
}
static void lea_hi_x(struct warp *w, const struct inst *in, struct issue *is)
{
    lea_as(w, in, is, true, true);
}
/* The common form: base + (index << n), nothing negated, no carry. */
static void lea_plain(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], td[NLANE], n = (uint32_t)in->opd[5].imm & 31;
    const uint32_t *ra = src_row(w, &in->opd[2], ta, SRC_INT, is), *rb = src_row(w, &in->opd[3], tb, SRC_INT, is);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    HALVES(h, w) LANES(l) rd[h + l] = (ra[h + l] << n) + rb[h + l];
    dst_put(w, in->opd[0].reg, td, is);
}
static exec_fn *lea_of(const struct inst *in)
{
    bool signs = (in->opd[2].flags | in->opd[3].flags) & OPF_SIGNS;
    bool carry = in->opd[1].kind == OPD_PRED && in->opd[1].reg != PT;
    bool hi = in->mod[MOD_HI], x = in->mod[MOD_X];
    if (signs || in->mod[MOD_SX32] || hi != x)
        return lea;
    return hi ? lea_hi_x : carry ? lea_carry : lea_plain;
}

static void shf(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], tc[NLANE], td[NLANE];
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_INT, is), *rb = src_row(w, &in->opd[2], tb, SRC_INT, is);
    const uint32_t *rc = src_row(w, &in->opd[3], tc, SRC_INT, is);
    struct alu_shift s = alu_shift_of(in);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    HALVES(h, w) LANES(l) rd[h + l] = alu_shf(s, ra[h + l], rb[h + l], rc[h + l]);
    dst_put(w, in->opd[0].reg, td, is);
}
/* Shifts by an immediate 0..31 of one word: the compiler's left and right shifts. */
static inline uint32_t imm_shift(const struct inst *in)
{
    return (uint32_t)in->opd[2].imm & 31;
}
LANEWISE1(shl_imm, 1, SRC_INT, A << imm_shift(in))
LANEWISE1(shr_hi_s, 3, SRC_INT, (uint32_t)((int32_t)A >> imm_shift(in)))
LANEWISE1(shr_hi_u, 3, SRC_INT, A >> imm_shift(in))
static exec_fn *shf_of(const struct inst *in)
{
    struct alu_shift s = alu_shift_of(in);
    if (in->opd[2].kind != OPD_IMM || (uint64_t)in->opd[2].imm > 31)
        return shf;
    if (!s.right && !s.high)
        return shl_imm;
    if (s.right && s.high)
        return s.is_signed ? shr_hi_s : shr_hi_u;
    return shf;
}

/* ---- logic ---------------------------------------------------------------------------------------------------- */
static void lop3_pred(struct warp *w, const struct inst *in, const uint32_t *rd, struct issue *is)
{
    lanemask nz = 0, p = src_pred(w, &in->opd[6], false);
    HALVES(h, w)
    {
        uint32_t m = 0;
        LANES(l) m |= (uint32_t)(rd[h + l] != 0) << l;
        nz |= (lanemask)m << h;
    }
    put_pred(w, &in->opd[0], in->mod[MOD_PAND] ? nz & p : nz | p, is);
}
#define LOP3(name, expr)                                                                                               \
    static void name(struct warp *w, const struct inst *in, struct issue *is)                                          \
    {                                                                                                                  \
        uint32_t ta[NLANE], tb[NLANE], tc[NLANE], td[NLANE];                                                           \
        const uint32_t *ra = src_row(w, &in->opd[2], ta, SRC_INT, is), *rb = src_row(w, &in->opd[3], tb, SRC_INT, is); \
        const uint32_t *rc = src_row(w, &in->opd[4], tc, SRC_INT, is);                                                 \
        uint32_t lut = (uint32_t)in->opd[5].imm, *rd = dst_row(w, in->opd[1].reg, td, is);                             \
        (void)lut;                                                                                                     \
        HALVES(h, w) LANES(l)                                                                                          \
        {                                                                                                              \
            uint32_t A = ra[h + l], B = rb[h + l], C = rc[h + l];                                                      \
            (void)A, (void)B, (void)C;                                                                                 \
            rd[h + l] = (expr);                                                                                        \
        }                                                                                                              \
        if (in->opd[0].kind == OPD_PRED && in->opd[0].reg != PT)                                                       \
            lop3_pred(w, in, rd, is);                                                                                  \
        dst_put(w, in->opd[1].reg, td, is);                                                                            \
    }
LOP3(lop3, alu_lop3(A, B, C, lut))
LOP3(lop3_and, A &B)
LOP3(lop3_or, A | B)
LOP3(lop3_xor, A ^ B)
LOP3(lop3_xor3, A ^ B ^ C)
static exec_fn *lop3_of(const struct inst *in)
{
    switch (in->opd[5].imm & 0xff) {
    case 0xc0:
        return lop3_and;
    case 0xfc:
        return lop3_or;
    case 0x3c:
        return lop3_xor;
    case 0x96:
        return lop3_xor3;
    default:
        return lop3;
    }
}
static void plop3(struct warp *w, const struct inst *in, struct issue *is)
{
    const struct operand *o = in->opd;
    lanemask a = src_pred(w, &o[2], true), b = src_pred(w, &o[3], true), c = src_pred(w, &o[4], true);
    put_pred(w, &o[0], alu_plop3(a, b, c, (uint32_t)o[5].imm), is);
    put_pred(w, &o[1], alu_plop3(a, b, c, (uint32_t)o[6].imm), is);
}

/* The same of the signs of registers. */
static lanemask signs(struct warp *w, const struct operand *o, struct issue *is)
{
    uint32_t t[NLANE], l;
    const uint32_t *r = src_row(w, o, t, SRC_RAW, is);
    lanemask m = 0;
    FOR_MASK(l, is->exec) m |= (lanemask)(r[l] >> 31) << l;
    return m;
}
static void plop3_signs(struct warp *w, const struct inst *in, struct issue *is)
{
    const struct operand *o = in->opd;
    lanemask a = signs(w, &o[2], is), b = signs(w, &o[3], is), c = signs(w, &o[4], is);
    put_pred(w, &o[0], alu_plop3(a, b, c, (uint32_t)o[5].imm), is);
    put_pred(w, &o[1], alu_plop3(a, b, c, (uint32_t)o[6].imm), is);
}

/* ---- bytes and bits ------------------------------------------------------------------------------------------- */
static void prmt(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], tc[NLANE], td[NLANE], mode = in->mod[MOD_PRMT];
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_INT, is), *rb = src_row(w, &in->opd[2], tb, SRC_INT, is);
    const uint32_t *rc = src_row(w, &in->opd[3], tc, SRC_INT, is);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    if (mode == 0) { /* straight-line form of alu_prmt's default mode */
        HALVES(h, w) LANES(l)
        {
            uint64_t pool = (uint64_t)rc[h + l] << 32 | ra[h + l];
            uint32_t sel = rb[h + l], r = 0;
            for (uint32_t k = 0; k < 4; k++) {
                uint32_t s = sel >> 4 * k, byte = (uint32_t)(pool >> 8 * (s & 7)) & 0xff;
                uint32_t sign = (uint32_t)((int32_t)(byte << 24) >> 31) & 0xff;
                r |= (s & 8 ? sign : byte) << 8 * k;
            }
            rd[h + l] = r;
        }
    } else {
        for (uint32_t l = 0; l < w->env->nlane; l++)
            rd[l] = alu_prmt(ra[l], rb[l], rc[l], mode);
    }
    dst_put(w, in->opd[0].reg, td, is);
}
SPECIALISED void select_rows(struct warp *w, const struct inst *in, struct issue *is, enum src_kind kind, bool ftz)
{
    uint32_t ta[NLANE], tb[NLANE], td[NLANE];
    const uint32_t *ra = src_row(w, &in->opd[1], ta, kind, is), *rb = src_row(w, &in->opd[2], tb, kind, is);
    lanemask p = src_pred(w, &in->opd[3], true);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    HALVES(h, w)
    {
        uint32_t p32 = (uint32_t)(p >> h);
        LANES(l)
        {
            uint32_t x = p32 >> l & 1 ? ra[h + l] : rb[h + l];
            rd[h + l] = ftz && !(x & 0x7f800000u) ? x & 0x80000000u : x;
        }
    }
    dst_put(w, in->opd[0].reg, td, is);
}
static void sel(struct warp *w, const struct inst *in, struct issue *is)
{
    select_rows(w, in, is, SRC_INT, false);
}
static void fsel(struct warp *w, const struct inst *in, struct issue *is)
{
    select_rows(w, in, is, SRC_F32, false);
}
static void fsel_ftz(struct warp *w, const struct inst *in, struct issue *is)
{
    select_rows(w, in, is, SRC_F32, true);
}
LANEWISE2(sgxt, 1, 2, SRC_INT, alu_sgxt(A, B, in->mod[MOD_U32], in->mod[MOD_WRAP]))
LANEWISE2(bmsk, 1, 2, SRC_INT, alu_bmsk(A, B, in->mod[MOD_WRAP]))

/* P2R: the chosen byte of a takes the predicates under the mask; R2P: the other way. */
static void p2r(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], td[NLANE], sh = in->mod[MOD_BYTESEL] * 8;
    const uint32_t *ra = src_row(w, &in->opd[2], ta, SRC_INT, is), *rb = src_row(w, &in->opd[3], tb, SRC_INT, is);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    for (uint32_t l = 0; l < w->env->nlane; l++) {
        uint32_t pr = 0, mask = (rb[l] & 0xff) << sh; /* the file has no eighth: 0 */
        for (uint32_t i = 0; i < PT; i++)
            pr |= (uint32_t)bit_of(w->pred[i], l) << i;
        rd[l] = (ra[l] & ~mask) | (pr << sh & mask);
    }
    dst_put(w, in->opd[0].reg, td, is);
}
static void r2p(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], sh = in->mod[MOD_BYTESEL] * 8;
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_INT, is), *rb = src_row(w, &in->opd[2], tb, SRC_INT, is);
    uint32_t l;
    sh = sh ? sh : in->opd[1].sel * 8u;
    FOR_MASK(l, is->exec)
    {
        for (uint32_t i = 0; i < PT; i++)
            if (rb[l] >> i & 1)
                w->pred[i] = (w->pred[i] & ~((lanemask)1 << l)) | (lanemask)(ra[l] >> sh >> i & 1) << l;
    }
}

exec_fn *EXEC_SYM(exec_logic_of)(const struct inst *in)
{
    switch (in->op) {
    case OP_LEA:
        return lea_of(in);
    case OP_SHF:
        return shf_of(in);
    case OP_LOP3:
        return lop3_of(in);
    case OP_PLOP3:
        return in->opd[4].kind == OPD_REG ? plop3_signs : plop3;
    case OP_PRMT:
        return prmt;
    case OP_SEL:
        return sel;
    case OP_FSEL:
        return in->mod[MOD_FTZ] ? fsel_ftz : fsel;
    case OP_SGXT:
        return sgxt;
    case OP_BMSK:
        return bmsk;
    case OP_P2R:
        return p2r;
    case OP_R2P:
        return r2p;
    default:
        return NULL;
    }
}
