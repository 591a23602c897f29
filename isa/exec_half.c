/* Packed half and bfloat16 arithmetic: two results a lane, each rounded once. */
#include "isa/float.h"

/* Row of a packed operand after sign modifiers and the half swizzle (0 H1_H0, 2 H0_H0, 3 H1_H1, 4 H0_NH1). */
static inline const uint32_t *src_half(const struct warp *w, const struct operand *o, uint32_t *tmp, struct issue *is)
{
    const uint32_t *r = src_row(w, o, tmp, SRC_F16, is);
    if (o->sel < 2)
        return r;
    if (o->sel == SEL_CROSSED) { /* |x| takes its sign away again */
        uint32_t flip = o->flags & OPF_ABS ? 0 : 0x8000;
        HALVES(h, w) LANES(l) tmp[h + l] = r[h + l] << 16 | ((r[h + l] >> 16) ^ flip);
        return tmp;
    }
    uint32_t sh = o->sel == 3 ? 16 : 0;
    HALVES(h, w) LANES(l)
    {
        uint32_t x = r[h + l] >> sh & 0xffff;
        tmp[h + l] = x << 16 | x;
    }
    return tmp;
}

struct half_rules {
    bool bf16, ftz, sat, relu;
};
static inline struct half_rules half_rules_of(const struct inst *in)
{
    return (struct half_rules){.bf16 = in->mod[MOD_BF16] == 1 || in->mod[MOD_BF16] == 3,
                               .ftz = in->mod[MOD_FTZ],
                               .sat = in->mod[MOD_SAT],
                               .relu = in->mod[MOD_RELU]};
}
SPECIALISED float half_in(uint32_t h, bool bf16, bool ftz)
{
    if (bf16)
        return bf16_value(h);
    return f16_value(ftz ? f16_flush(h) : h);
}
/* d has at least 22 bits to spare against the half, or was rounded to odd. */
SPECIALISED uint32_t half_out(float f, bool bf16, bool ftz, bool sat, bool relu)
{
    uint32_t r = bf16 ? bf16_round(f) : f16_round(f), inf = bf16 ? 0x7f80 : 0x7c00, one = bf16 ? 0x3f80 : 0x3c00;
    bool nan = (r & 0x7fff) > inf;
    if (ftz && !bf16 && fabsf(f) < 0x1p-14f - 0x1p-26f) /* tiny when rounded to eleven bits, whatever its exponent */
        r &= 0x8000;
    if (sat) {
        r = r & 0x8000 || r == 0 ? 0 : r > one ? one : r;
        return nan ? 0 : r;
    }
    if (relu && !nan && r & 0x8000)
        r = 0;
    return r;
}

enum half_op { HALF_ADD, HALF_MUL, HALF_FMA };
SPECIALISED uint32_t half_lane(uint32_t wa, uint32_t wb, uint32_t wc, enum half_op op, bool bf16, bool ftz, bool sat,
                               bool relu)
{
    uint32_t r[2];
    for (uint32_t i = 0; i < 2; i++) {
        float a = half_in(wa >> 16 * i & 0xffff, bf16, ftz), b = half_in(wb >> 16 * i & 0xffff, bf16, ftz);
        float c = op == HALF_FMA ? half_in(wc >> 16 * i & 0xffff, bf16, ftz) : 0;
        float f;
        if (op == HALF_ADD) /* a sum of two narrow values survives the second rounding */
            f = bf16 ? f32_round_odd((double)a + (double)b) : a + b;
        else if (op == HALF_MUL)
            f = bf16 ? f32_round_odd((double)a * (double)b) : a * b;
        else if (bf16) /* the product is exact */
            f = f32_round_odd(f64_add_odd((double)a * (double)b, (double)c));
        else
            f = f32_add_odd(a * b, c); /* the product of two halves is exact in a float */
        r[i] = half_out(f, bf16, ftz, sat, relu);
    }
    return r[1] << 16 | r[0];
}
/* What a tensor map puts for elements outside its tensor, when asked for NaN, of either sign: measured, all 65,536
 * values of both factors. */
enum { OOB_NAN = 0x7ff7 };
/* .OOB: zero where a factor is that. */
static uint32_t half_lane_oob(uint32_t a, uint32_t b, uint32_t c, bool bf16, bool relu)
{
    uint32_t r = half_lane(a, b, c, HALF_FMA, bf16, false, false, relu);
    for (uint32_t i = 0; i < 32; i += 16)
        if ((a >> i & 0x7fff) == OOB_NAN || (b >> i & 0x7fff) == OOB_NAN)
            r &= ~(0xffffu << i);
    return r;
}
SPECIALISED void half_loop(uint32_t *rd, const uint32_t *ra, const uint32_t *rb, const uint32_t *rc, uint32_t n,
                           enum half_op op, bool bf16, bool ftz, bool sat, bool relu)
{
    for (size_t h = 0; h < n; h += 32)
        LANES(l) rd[h + l] = half_lane(ra[h + l], rb[h + l], rc[h + l], op, bf16, ftz, sat, relu);
}
static bool same_in_all_lanes(const struct inst *in, uint32_t nsource)
{
    for (uint32_t i = 1; i <= nsource; i++)
        if (in->opd[i].kind == OPD_REG && in->opd[i].reg != RZ)
            return false;
    return true;
}
SPECIALISED void half_any(struct warp *w, const struct inst *in, struct issue *is, enum half_op op)
{
    uint32_t ta[NLANE], tb[NLANE], tc[NLANE], td[NLANE], n = w->env->nlane;
    const uint32_t *ra = src_half(w, &in->opd[1], ta, is), *rb = src_half(w, &in->opd[2], tb, is);
    const uint32_t *rc = op == HALF_FMA ? src_half(w, &in->opd[3], tc, is) : ra;
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    struct half_rules r = half_rules_of(in);
    if (in->mod[MOD_OOB]) {
        lanemask p = r.relu ? src_pred(w, &in->opd[4], true) : 0;
        for (uint32_t l = 0; l < n; l++)
            rd[l] = half_lane_oob(ra[l], rb[l], rc[l], r.bf16, bit_of(p, l));
    } else if (r.relu && in->opd[4].kind == OPD_PRED) { /* only in the lanes of a predicate */
        lanemask p = src_pred(w, &in->opd[4], true);
        for (uint32_t l = 0; l < n; l++)
            rd[l] = half_lane(ra[l], rb[l], rc[l], op, r.bf16, r.ftz, r.sat, bit_of(p, l));
    } else if (same_in_all_lanes(in,
                                 op == HALF_FMA ? 3 : 2)) { /* how compilers set constants where this pipe is idle */
        uint32_t v = half_lane(ra[0], rb[0], rc[0], op, r.bf16, r.ftz, r.sat, r.relu);
        HALVES(h, w) LANES(l) rd[h + l] = v;
    } else if (!r.bf16 && !r.ftz && !r.sat && !r.relu)
        half_loop(rd, ra, rb, rc, n, op, false, false, false, false);
    else if (r.bf16 && !r.sat && !r.relu)
        half_loop(rd, ra, rb, rc, n, op, true, false, false, false);
    else
        half_loop(rd, ra, rb, rc, n, op, r.bf16, r.ftz, r.sat, r.relu);
    dst_put(w, in->opd[0].reg, td, is);
}
static void hadd2(struct warp *w, const struct inst *in, struct issue *is)
{
    half_any(w, in, is, HALF_ADD);
}
static void hmul2(struct warp *w, const struct inst *in, struct issue *is)
{
    half_any(w, in, is, HALF_MUL);
}
static void hfma2(struct warp *w, const struct inst *in, struct issue *is)
{
    half_any(w, in, is, HALF_FMA);
}

/* HADD2.F32: one float result from the chosen halves: how a half is widened. */
static void hadd2_f32(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], td[NLANE];
    const struct operand *oa = &in->opd[1], *ob = &in->opd[2];
    const uint32_t *ra = src_half(w, oa, ta, is), *rb = src_half(w, ob, tb, is);
    bool fa = oa->sel == 1, fb = ob->sel == 1; /* an operand may already be a float */
    if (fa)
        ra = src_row(w, oa, ta, SRC_F32, is);
    if (fb)
        rb = src_row(w, ob, tb, SRC_F32, is);
    bool ftz = in->mod[MOD_FTZ], sat = in->mod[MOD_SAT];
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    HALVES(h, w) LANES(l)
    {
        float a = fa ? f32_of(ra[h + l]) : f16_value(ra[h + l] & 0xffff),
              b = fb ? f32_of(rb[h + l]) : f16_value(rb[h + l] & 0xffff);
        rd[h + l] = f32_finish(a + b, ftz, sat);
    }
    dst_put(w, in->opd[0].reg, td, is);
}

/* ---- minimum, maximum, compare ---------------------------------------------------------------------------------- */
static inline uint32_t half_minmax(uint32_t a, uint32_t b, bool min, bool nan_wins, bool bf16)
{
    uint32_t inf = bf16 ? 0x7f80 : 0x7c00;
    int32_t ka = (int32_t)(a << 16) >> 16, kb = (int32_t)(b << 16) >> 16;
    ka ^= ka >> 31 & 0x7fff;
    kb ^= kb >> 31 & 0x7fff;
    bool na = (a & 0x7fff) > inf, nb = (b & 0x7fff) > inf;
    uint32_t r = (ka < kb) == min ? a : b;
    r = na ? b : nb ? a : r;
    return (na && nb) || (nan_wins && (na || nb)) ? (uint32_t)F16_NAN : r;
}
static void hmnmx2(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], tc[NLANE], td[NLANE], tr[NLANE], ts[NLANE];
    uint32_t tq[NLANE];
    struct operand plain[3] = {in->opd[1], in->opd[2], in->opd[3]};
    bool third = in->op == OP_VHMNMX, nan = in->mod[MOD_NAN], xorsign = in->mod[MOD_XORSIGN];
    struct half_rules q = half_rules_of(in);
    const uint32_t *ra = src_half(w, &in->opd[1], ta, is), *rb = src_half(w, &in->opd[2], tb, is);
    const uint32_t *rc = third ? src_half(w, &in->opd[3], tc, is) : ra;
    lanemask p = src_pred(w, &in->opd[third ? 4 : 3], true);
    plain[0].flags = plain[1].flags = plain[2].flags = 0; /* XORSIGN takes the signs from before |x| */
    const uint32_t *sa = src_half(w, &plain[0], tr, is), *sb = src_half(w, &plain[1], ts, is);
    const uint32_t *sc = third ? src_half(w, &plain[2], tq, is) : exec_zero_row;
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    for (uint32_t l = 0; l < w->env->nlane; l++) {
        uint32_t out = 0;
        for (uint32_t i = 0; i < 32; i += 16) {
            uint32_t a = ra[l] >> i & 0xffff, b = rb[l] >> i & 0xffff, c = rc[l] >> i & 0xffff;
            if (q.ftz && !q.bf16)
                a = f16_flush(a), b = f16_flush(b), c = f16_flush(c);
            uint32_t r = half_minmax(a, b, bit_of(p, l), nan, q.bf16);
            if (xorsign && r != F16_NAN)
                r = (r & 0x7fff) | ((sa[l] ^ sb[l]) >> i & 0x8000);
            uint32_t sign = (r ^ sc[l] >> i) & 0x8000;
            if (third)
                r = half_minmax(r, c, bit_of(p, l), nan, q.bf16);
            if (third && xorsign && r != F16_NAN)
                r = (r & 0x7fff) | sign;
            out |= r << i;
        }
        rd[l] = out;
    }
    dst_put(w, in->opd[0].reg, td, is);
}
/* Compares of the low halves in t[0], of the high ones in t[1]. */
static void half_compare(struct warp *w, const struct inst *in, uint32_t slot, lanemask t[2], struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], cmp = in->mod[MOD_FCMP];
    const uint32_t *ra = src_half(w, &in->opd[slot], ta, is), *rb = src_half(w, &in->opd[slot + 1], tb, is);
    struct half_rules q = half_rules_of(in);
    for (uint32_t i = 0; i < 2; i++) {
        t[i] = 0;
        for (uint32_t l = 0; l < w->env->nlane; l++) {
            float a = half_in(ra[l] >> 16 * i & 0xffff, q.bf16, q.ftz),
                  b = half_in(rb[l] >> 16 * i & 0xffff, q.bf16, q.ftz);
            t[i] |= (lanemask)f32_compare(cmp, a, b) << l;
        }
    }
}
static void hsetp2(struct warp *w, const struct inst *in, struct issue *is)
{
    lanemask t[2], c = src_pred(w, &in->opd[4], true), bop = in->mod[MOD_BOP];
    half_compare(w, in, 2, t, is);
    lanemask first = in->mod[MOD_HAND] ? t[0] & t[1] : t[0], second = in->mod[MOD_HAND] ? ~first : t[1];
    put_pred(w, &in->opd[0], pred_combine(first, c, (uint32_t)bop), is);
    put_pred(w, &in->opd[1], pred_combine(second, c, (uint32_t)bop), is);
}
static void hset2(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t td[NLANE], yes = in->mod[MOD_BF] ? half_rules_of(in).bf16 ? 0x3f80 : 0x3c00 : 0xffff;
    lanemask t[2], c = src_pred(w, &in->opd[3], true);
    half_compare(w, in, 1, t, is);
    t[0] = pred_combine(t[0], c, in->mod[MOD_BOP]);
    t[1] = pred_combine(t[1], c, in->mod[MOD_BOP]);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    for (uint32_t l = 0; l < w->env->nlane; l++)
        rd[l] = (bit_of(t[1], l) ? yes << 16 : 0) | (bit_of(t[0], l) ? yes : 0);
    dst_put(w, in->opd[0].reg, td, is);
}

exec_fn *EXEC_SYM(exec_half_of)(const struct inst *in)
{
    switch (in->op) {
    case OP_HADD2:
        return in->mod[MOD_BF16] == 2 ? hadd2_f32 : hadd2;
    case OP_HMUL2:
        return hmul2;
    case OP_HFMA2:
    case OP_HFMA2_MMA:
        return hfma2;
    case OP_HMNMX2:
    case OP_VHMNMX:
        return hmnmx2;
    case OP_HSETP2:
        return hsetp2;
    case OP_HSET2:
        return hset2;
    default:
        return NULL;
    }
}
