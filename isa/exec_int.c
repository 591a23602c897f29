/* Integer adds, multiplies, compares, minimum and maximum, bit counts: one result a lane. */
#include "isa/alu.h"

LANEWISE1(mov, 1, SRC_INT, A)
static void mov_quad(struct warp *w, const struct inst *in, struct issue *is) /* writes the lanes of a 4-bit mask */
{
    lanemask all = is->exec, part = 0;
    for (uint32_t l = 0; l < NLANE; l++)
        part |= (lanemask)(in->opd[2].imm >> (l & 3) & 1) << l;
    is->exec &= part;
    if (is->exec)
        mov(w, in, is);
    is->exec = all;
}

/* ---- three-way add ------------------------------------------------------------------------------------------ */
LANEWISE3(iadd3, 3, 4, 5, SRC_INT, A + B + C)
LANEWISE2(viadd, 1, 2, SRC_INT, A + B)
/* Packed: a sign modifier negates each half. */
static void viadd16x2(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], td[NLANE];
    struct operand b = in->opd[2];
    uint32_t flip = b.flags & OPF_NEG && b.kind != OPD_IMM ? 0xffffffffu : 0, one = flip ? 0x00010001u : 0;
    b.flags &= (uint8_t) ~(flip ? OPF_NEG : 0);
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_INT, is), *rb = src_row(w, &b, tb, SRC_INT, is);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    HALVES(h, w) LANES(l) rd[h + l] = alu_add16x2(ra[h + l], alu_add16x2(rb[h + l] ^ flip, one));
    dst_put(w, in->opd[0].reg, td, is);
}

static void iadd3_carry(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], tc[NLANE], td[NLANE];
    const struct operand *o = in->opd;
    const uint32_t *ra = src_word(w, &o[3], 0, ta, is), *rb = src_word(w, &o[4], 0, tb, is),
                   *rc = src_word(w, &o[5], 0, tc, is);
    uint32_t fa = o[3].flags, fb = o[4].flags, fc = o[5].flags;
    lanemask p = in->mod[MOD_X] ? src_pred(w, &o[6], false) : 0, q = in->mod[MOD_X] ? src_pred(w, &o[7], false) : 0;
    lanemask c1 = 0, c2 = 0;
    uint32_t *rd = dst_row(w, o[0].reg, td, is);
    HALVES(h, w)
    {
        uint32_t p32 = (uint32_t)(p >> h), q32 = (uint32_t)(q >> h), m1 = 0, m2 = 0;
        LANES(l)
        {
            uint64_t s = alu_addend(ra[h + l], fa) + alu_addend(rb[h + l], fb) + alu_addend(rc[h + l], fc) +
                         (p32 >> l & 1) + (q32 >> l & 1);
            rd[h + l] = (uint32_t)s;
            uint32_t over = (uint32_t)(s >> 32);
            m1 |= (uint32_t)(over >= 1) << l;
            m2 |= (uint32_t)(over >= 2) << l;
        }
        c1 |= (lanemask)m1 << h;
        c2 |= (lanemask)m2 << h;
    }
    dst_put(w, o[0].reg, td, is);
    put_pred(w, &o[1], c1, is);
    put_pred(w, &o[2], c2, is);
}

/* ---- multiply-add ------------------------------------------------------------------------------------------- */
LANEWISE3(imad, 2, 3, 4, SRC_INT, A *B + C)

static void imad_x(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], tc[NLANE], td[NLANE];
    const struct operand *o = in->opd;
    const uint32_t *ra = src_row(w, &o[2], ta, SRC_INT, is), *rb = src_row(w, &o[3], tb, SRC_INT, is);
    const uint32_t *rc = src_row(w, &o[4], tc, SRC_INT, is);
    lanemask p = src_pred(w, &o[5], false), carry = 0;
    uint32_t *rd = dst_row(w, o[0].reg, td, is);
    HALVES(h, w)
    {
        uint32_t p32 = (uint32_t)(p >> h), m = 0;
        LANES(l)
        {
            uint64_t s = (uint64_t)(ra[h + l] * rb[h + l]) + rc[h + l] + (p32 >> l & 1);
            rd[h + l] = (uint32_t)s;
            m |= (uint32_t)(s >> 32) << l;
        }
        carry |= (lanemask)m << h;
    }
    dst_put(w, o[0].reg, td, is);
    put_pred(w, &o[1], carry, is);
}

/* IMAD.WIDE and IMAD.HI: a * b + c:64, and with `carries` the sum's carry in and out. */
SPECIALISED void imad64(struct warp *w, const struct inst *in, struct issue *is, bool is_unsigned, bool wide,
                        bool carries)
{
    uint32_t ta[NLANE], tb[NLANE], tl[NLANE], th[NLANE], dl[NLANE], dh[NLANE];
    const struct operand *o = in->opd;
    const uint32_t *ra = src_row(w, &o[2], ta, SRC_INT, is), *rb = src_row(w, &o[3], tb, SRC_INT, is);
    const uint32_t *cl = src_word(w, &o[4], 0, tl, is), *ch = src_word(w, &o[4], 1, th, is);
    uint64_t flip = o[4].flags & (OPF_NEG | OPF_NOT) ? ~(uint64_t)0 : 0, one = o[4].flags & OPF_NEG ? 1 : 0;
    if (o[4].kind == OPD_IMM) { /* a 32-bit immediate has no high word of its own */
        row_fill(w, th, is_unsigned || (int32_t)o[4].imm >= 0 ? 0 : ~0u);
        ch = th;
    }
    lanemask p = carries && in->mod[MOD_X] ? src_pred(w, &o[5], false) : 0, carry = 0;
    bool dead = o[0].reg == RZ;
    uint32_t *rl = wide ? dst_row(w, o[0].reg, dl, is) : dl;
    uint32_t *rh = dst_row(w, dead ? RZ : o[0].reg + (uint32_t)wide, dh, is);
    HALVES(h, w)
    {
        uint32_t p32 = (uint32_t)(p >> h), m = 0;
        LANES(l)
        {
            uint64_t c = (((uint64_t)ch[h + l] << 32 | cl[h + l]) ^ flip) + one;
            uint64_t x = alu_product(ra[h + l], rb[h + l], is_unsigned), s = x + c;
            if (carries) {
                uint64_t y = s + (p32 >> l & 1);
                m |= (uint32_t)((s < x) | (y < s)) << l;
                s = y;
            }
            if (wide)
                rl[h + l] = (uint32_t)s;
            rh[h + l] = (uint32_t)(s >> 32);
        }
        carry |= (lanemask)m << h;
    }
    if (wide)
        dst_put(w, o[0].reg, dl, is);
    dst_put(w, dead ? RZ : o[0].reg + (uint32_t)wide, dh, is);
    if (carries)
        put_pred(w, &o[1], carry, is);
}
static void imad_wide_s(struct warp *w, const struct inst *in, struct issue *is)
{
    imad64(w, in, is, false, true, false);
}
static void imad_wide_u(struct warp *w, const struct inst *in, struct issue *is)
{
    imad64(w, in, is, true, true, false);
}
static void imad_wide_c(struct warp *w, const struct inst *in, struct issue *is)
{
    imad64(w, in, is, in->mod[MOD_U32], true, true);
}
static void imad_hi_s(struct warp *w, const struct inst *in, struct issue *is)
{
    imad64(w, in, is, false, false, false);
}
static void imad_hi_u(struct warp *w, const struct inst *in, struct issue *is)
{
    imad64(w, in, is, true, false, false);
}
static void imad_hi_c(struct warp *w, const struct inst *in, struct issue *is)
{
    imad64(w, in, is, in->mod[MOD_U32], false, true);
}

static exec_fn *imad_of(const struct inst *in)
{
    bool carries = in->mod[MOD_X] || (in->opd[1].kind == OPD_PRED && in->opd[1].reg != PT);
    bool is_unsigned = in->mod[MOD_U32];
    if (in->op == OP_IMAD_WIDE)
        return carries ? imad_wide_c : is_unsigned ? imad_wide_u : imad_wide_s;
    if (in->op == OP_IMAD_HI)
        return carries ? imad_hi_c : is_unsigned ? imad_hi_u : imad_hi_s;
    return carries ? imad_x : imad;
}

/* ---- minimum, maximum, absolute value ------------------------------------------------------------------------ */
/* d = p ? min(x, y) : max(x, y), x and y from the lane's sources. */
SPECIALISED void minmax(struct warp *w, const struct inst *in, struct issue *is, uint32_t sa, bool add, bool third)
{
    uint32_t ta[NLANE], tb[NLANE], tc[NLANE], td[NLANE];
    const struct operand *o = in->opd;
    uint32_t packed = in->mod[MOD_B16X2], negb = packed && o[sa + 1].flags & OPF_NEG ? 0xffffffffu : 0;
    struct operand b = o[sa + 1];
    b.flags &= (uint8_t) ~(negb ? OPF_NEG : 0); /* packed: a sign modifier negates each half */
    const uint32_t *ra = src_row(w, &o[sa], ta, SRC_INT, is), *rb = src_row(w, &b, tb, SRC_INT, is);
    const uint32_t *rc = add || third ? src_row(w, &o[sa + 2], tc, SRC_INT, is) : rb;
    lanemask p = src_pred(w, &o[sa + 2 + (add || third)], true);
    uint32_t flip = in->mod[MOD_U32] ? 0x80000000u : 0;
    bool relu = in->mod[MOD_RELU];
    uint32_t *rd = dst_row(w, o[0].reg, td, is);
    if (negb) {
        HALVES(h, w) LANES(l) tb[h + l] = alu_add16x2(rb[h + l] ^ negb, 0x00010001);
        rb = tb;
    }
    HALVES(h, w)
    {
        uint32_t p32 = (uint32_t)(p >> h);
        if (packed) {
            LANES(l)
            {
                uint32_t x = add ? alu_add16x2(ra[h + l], rb[h + l]) : ra[h + l], y = add ? rc[h + l] : rb[h + l];
                uint32_t r = alu_minmax16x2(x, y, p32 >> l & 1, packed == 2);
                if (third)
                    r = alu_minmax16x2(r, rc[h + l], p32 >> l & 1, packed == 2);
                rd[h + l] = relu ? alu_relu16x2(r) : r;
            }
        } else {
            LANES(l)
            {
                uint32_t x = add ? ra[h + l] + rb[h + l] : ra[h + l], y = add ? rc[h + l] : rb[h + l];
                uint32_t r = alu_minmax(x, y, p32 >> l & 1, flip);
                if (third)
                    r = alu_minmax(r, rc[h + l], p32 >> l & 1, flip);
                rd[h + l] = relu && (int32_t)r < 0 ? 0 : r;
            }
        }
    }
    dst_put(w, o[0].reg, td, is);
}
/* VIMNMX of pairs: is the result, after .RELU, the first operand's half? The low half first. (Measured.) */
static void vimnmx_winners(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], flip = in->mod[MOD_B16X2] == 2 ? 0 : 0x8000;
    const struct operand *o = in->opd;
    const uint32_t *ra = src_row(w, &o[3], ta, SRC_INT, is), *rb = src_row(w, &o[4], tb, SRC_INT, is);
    lanemask p = src_pred(w, &o[5], true), won[2] = {0, 0};
    for (uint32_t l = 0; l < w->env->nlane; l++)
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t x = (ra[l] >> 16 * i & 0xffff) ^ flip, y = (rb[l] >> 16 * i & 0xffff) ^ flip;
            uint32_t r = (x < y) == bit_of(p, l) ? x : y, zero = 0x8000; /* 0 with the sign flipped */
            r = in->mod[MOD_RELU] && r < zero ? zero : r;
            won[i] |= (lanemask)(r == x) << l;
        }
    minmax(w, in, is, 3, false, false); /* may overwrite a source */
    put_pred(w, &o[1], won[0], is);
    put_pred(w, &o[2], won[1], is);
}
static void imnmx(struct warp *w, const struct inst *in, struct issue *is)
{
    minmax(w, in, is, 3, false, false);
}
static void viaddmnmx(struct warp *w, const struct inst *in, struct issue *is)
{
    minmax(w, in, is, 2, true, false);
}
static void vimnmx3(struct warp *w, const struct inst *in, struct issue *is)
{
    minmax(w, in, is, 1, false, true);
}
LANEWISE1(iabs, 1, SRC_INT, (int32_t)A < 0 ? 0u - A : A)

/* ---- compare -------------------------------------------------------------------------------------------------- */
static inline uint32_t mask_lt(const uint32_t *a, const uint32_t *b, uint32_t flip)
{
    uint32_t m = 0;
    LANES(l) m |= (uint32_t)((int32_t)(a[l] ^ flip) < (int32_t)(b[l] ^ flip)) << l;
    return m;
}
static inline uint32_t mask_eq(const uint32_t *a, const uint32_t *b)
{
    uint32_t m = 0;
    LANES(l) m |= (uint32_t)(a[l] == b[l]) << l;
    return m;
}
static void isetp(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], cmp = in->mod[MOD_CMP], flip = in->mod[MOD_U32] ? 0x80000000u : 0;
    const struct operand *o = in->opd;
    const uint32_t *ra = src_row(w, &o[2], ta, SRC_INT, is), *rb = src_row(w, &o[3], tb, SRC_INT, is);
    lanemask t = 0, c = src_pred(w, &o[4], true);
    HALVES(h, w)
    {
        uint32_t m;
        switch (cmp) { /* F LT EQ LE GT NE GE T */
        case 0:
            m = 0;
            break;
        case 1:
            m = mask_lt(ra + h, rb + h, flip);
            break;
        case 2:
            m = mask_eq(ra + h, rb + h);
            break;
        case 3:
            m = ~mask_lt(rb + h, ra + h, flip);
            break;
        case 4:
            m = mask_lt(rb + h, ra + h, flip);
            break;
        case 5:
            m = ~mask_eq(ra + h, rb + h);
            break;
        case 6:
            m = ~mask_lt(ra + h, rb + h, flip);
            break;
        default:
            m = ~0u;
            break;
        }
        if (in->mod[MOD_EX] && cmp != 0 && cmp != 7) { /* equal high words take the low words' result */
            uint32_t eq = mask_eq(ra + h, rb + h);
            m = (m & ~eq) | ((uint32_t)(src_pred(w, &o[5], true) >> h) & eq);
        }
        t |= (lanemask)m << (h % NLANE);
    }
    put_pred(w, &o[0], pred_combine(t, c, in->mod[MOD_BOP]), is);
    put_pred(w, &o[1], pred_combine(~t, c, in->mod[MOD_BOP]), is);
}

/* ---- dot products, differences --------------------------------------------------------------------------------- */
static inline int32_t idp_part(uint32_t x, uint32_t i, uint32_t bits, bool is_signed)
{
    uint32_t up = x << (32 - bits * (i + 1));
    return is_signed ? (int32_t)up >> (32 - bits) : (int32_t)(up >> (32 - bits));
}
static void idp(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], tc[NLANE], td[NLANE], mode = in->mod[MOD_IDPMODE];
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_RAW, is), *rb = src_row(w, &in->opd[2], tb, SRC_RAW, is);
    const uint32_t *rc = src_row(w, &in->opd[3], tc, SRC_INT, is);
    bool sa = !(in->mod[MOD_TYPEA] & 1), sb = !(in->mod[MOD_TYPEB] & 1);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is), n = mode ? 2 : 4, abits = mode ? 16 : 8,
             first = mode == 2 ? 2 : 0;
    HALVES(h, w) LANES(l)
    {
        uint32_t s = rc[h + l];
        for (uint32_t i = 0; i < n; i++)
            s += (uint32_t)idp_part(ra[h + l], i, abits, sa) * (uint32_t)idp_part(rb[h + l], first + i, 8, sb);
        rd[h + l] = s;
    }
    dst_put(w, in->opd[0].reg, td, is);
}
LANEWISE3(vabsdiff_s, 1, 2, 3, SRC_INT, C + ((int32_t)A < (int32_t)B ? B - A : A - B))
LANEWISE3(vabsdiff_u, 1, 2, 3, SRC_INT, C + (A < B ? B - A : A - B))
static inline uint32_t byte_diff(uint32_t a, uint32_t b, bool is_signed)
{
    uint32_t s = 0;
    for (uint32_t i = 0; i < 4; i++) {
        int32_t d = idp_part(a, i, 8, is_signed) - idp_part(b, i, 8, is_signed);
        s += (uint32_t)(d < 0 ? -d : d);
    }
    return s;
}
static inline uint32_t byte_diffs(uint32_t a, uint32_t b, bool is_signed)
{
    uint32_t r = 0;
    for (uint32_t i = 0; i < 4; i++) {
        int32_t d = idp_part(a, i, 8, is_signed) - idp_part(b, i, 8, is_signed);
        r |= (uint32_t)(d < 0 ? -d : d) << 8 * i;
    }
    return r;
}
LANEWISE3(vabsdiff4_sum, 1, 2, 3, SRC_RAW, C + byte_diff(A, B, in->mod[MOD_U8] == 0))
LANEWISE2(vabsdiff4, 1, 2, SRC_RAW, byte_diffs(A, B, in->mod[MOD_U8] == 0))

/* ---- bit counts, narrowing -------------------------------------------------------------------------------------- */
LANEWISE1(popc, 1, SRC_INT, alu_popc(A))
LANEWISE1(brev, 1, SRC_INT, alu_brev(A))
static void flo(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], td[NLANE];
    const uint32_t *ra = src_row(w, &in->opd[2], ta, SRC_INT, is);
    bool is_unsigned = in->mod[MOD_U32], sh = in->mod[MOD_SH];
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    lanemask found = 0;
    for (uint32_t l = 0; l < w->env->nlane; l++) {
        uint32_t r = alu_flo(ra[l], is_unsigned, sh);
        rd[l] = r;
        found |= (lanemask)(r != ~0u) << l;
    }
    dst_put(w, in->opd[0].reg, td, is);
    put_pred(w, &in->opd[1], found, is);
}
static inline uint32_t narrow(uint32_t x, uint32_t type) /* MOD_DTYPE: U8 S8 U16 S16 from a signed word */
{
    int32_t v = (int32_t)x;
    switch (type) {
    case 5:
        return (uint32_t)alu_clamp(v, 0, 255);
    case 6:
        return (uint32_t)alu_clamp(v, -128, 127);
    case 7:
        return (uint32_t)alu_clamp(v, 0, 65535);
    case 8:
        return (uint32_t)alu_clamp(v, -32768, 32767);
    default:
        return x;
    }
}
LANEWISE1(i2i, 1, SRC_INT, narrow(A, in->mod[MOD_DTYPE]))
/* Two values of `bits` bits, clamped when `sat`, below what is left of c. */
static inline uint32_t pack_small(int32_t a, int32_t b, uint32_t c, uint32_t bits, bool is_signed, bool sat)
{
    int32_t most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1, least = is_signed ? -most - 1 : 0;
    uint32_t mask = (1u << bits) - 1;
    if (sat) {
        a = a < least ? least : a > most ? most : a;
        b = b < least ? least : b > most ? most : b;
    }
    return c << 2 * bits | ((uint32_t)a & mask) << bits | ((uint32_t)b & mask);
}
static inline uint32_t pack_narrow(uint32_t a, uint32_t b, uint32_t c, uint32_t type, bool sat)
{
    enum { TYPE_U8 = 5, TYPE_S8 = 6, TYPE_U4 = 16, TYPE_S4, TYPE_U2, TYPE_S2 }; /* values of DTYPE */
    if (type >= TYPE_U4)
        return pack_small((int32_t)a, (int32_t)b, c, type >= TYPE_U2 ? 2 : 4, (type - TYPE_U4) & 1, sat);
    if (!sat)
        return type == TYPE_U8 || type == TYPE_S8 ? c << 16 | (a & 0xff) << 8 | (b & 0xff) : a << 16 | (b & 0xffff);
    if (type == TYPE_U8 || type == TYPE_S8)
        return c << 16 | (narrow(a, type) & 0xff) << 8 | (narrow(b, type) & 0xff);
    return narrow(a, type) << 16 | (narrow(b, type) & 0xffff);
}
LANEWISE3(i2ip, 1, 2, 3, SRC_INT, pack_narrow(A, B, C, in->mod[MOD_DTYPE], in->mod[MOD_SAT]))

exec_fn *EXEC_SYM(exec_int_of)(const struct inst *in)
{
    switch (in->op) {
    case OP_MOV:
        return in->opd[2].kind == OPD_IMM && (in->opd[2].imm & 15) != 15 ? mov_quad : mov;
    case OP_IADD3:
        return in->mod[MOD_X] || (in->opd[1].kind == OPD_PRED && in->opd[1].reg != PT) ||
                       (in->opd[2].kind == OPD_PRED && in->opd[2].reg != PT)
                   ? iadd3_carry
                   : iadd3;
    case OP_IMAD:
    case OP_IMAD_MOV:
    case OP_IMAD_SHL:
    case OP_IMAD_IADD:
    case OP_IMAD_WIDE:
    case OP_IMAD_HI:
        return imad_of(in);
    case OP_VIADD:
        return in->mod[MOD_B16X2] ? viadd16x2 : viadd;
    case OP_VIADDMNMX:
        return viaddmnmx;
    case OP_VIMNMX:
    case OP_IMNMX:
        return in->opd[1].kind == OPD_PRED && in->mod[MOD_B16X2] ? vimnmx_winners : imnmx;
    case OP_VIMNMX3:
        return vimnmx3;
    case OP_ISETP:
        return isetp;
    case OP_IABS:
        return iabs;
    case OP_IDP:
        return idp;
    case OP_VABSDIFF:
        return in->mod[MOD_U32] ? vabsdiff_u : vabsdiff_s;
    case OP_VABSDIFF4:
        return in->mod[MOD_ACC] ? vabsdiff4_sum : vabsdiff4;
    case OP_POPC:
        return popc;
    case OP_BREV:
        return brev;
    case OP_FLO:
        return flo;
    case OP_I2I:
        return i2i;
    case OP_I2IP:
        return i2ip;
    default:
        return NULL;
    }
}
