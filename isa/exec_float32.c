/* Single precision: add, multiply, fused multiply-add, compares, minimum and maximum, the function unit. */
#include "isa/float.h"
#include "isa/mufu.h"

/* ---- arithmetic: plain, flushing, saturating, both; other rounding modes run the general one under that mode ---- */
SPECIALISED void add32(struct warp *w, const struct inst *in, struct issue *is, bool ftz, bool sat)
{
    uint32_t ta[NLANE], tb[NLANE], td[NLANE];
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_F32, is), *rb = src_row(w, &in->opd[2], tb, SRC_F32, is);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    HALVES(h, w) LANES(l)
    {
        float a = f32_of(f32_flush_if(ra[h + l], ftz)), b = f32_of(f32_flush_if(rb[h + l], ftz));
        rd[h + l] = f32_finish(a + b, ftz, sat);
    }
    dst_put(w, in->opd[0].reg, td, is);
}
/* FSWZADD, two bits for each place in a quad, the first lane's the highest: a + b, a - b, b - a, b (measured: b added
 * to 0). A quad of which a lane is elsewhere or has ended gives 0, unless NDV says not to look (measured of lanes
 * elsewhere). */
static uint32_t swizzled_sum(uint32_t a, uint32_t b, uint32_t how, bool ftz)
{
    uint32_t x = how == 3 ? 0 : how == 2 ? a ^ 0x80000000u : a, y = how == 1 ? b ^ 0x80000000u : b;
    return f32_finish(f32_of(f32_flush_if(x, ftz)) + f32_of(f32_flush_if(y, ftz)), ftz, false);
}
static void fswzadd(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], td[NLANE], signs = (uint32_t)in->opd[3].imm, l;
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_F32, is), *rb = src_row(w, &in->opd[2], tb, SRC_F32, is);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is), saved = round_begin(in->mod[MOD_RND]);
    lanemask here = w->split[w->cur].mask;
    FOR_MASK(l, is->exec)
    {
        bool whole = in->mod[MOD_NDV] || (here >> (l & ~3u) & 15) == 15;
        rd[l] = whole ? swizzled_sum(ra[l], rb[l], signs >> (6 - 2 * (l & 3)) & 3, in->mod[MOD_FTZ]) : 0;
    }
    round_end(saved);
    dst_put(w, in->opd[0].reg, td, is);
}
/* Flushing looks at the result before rounding: one that rounds up to the smallest normal number is flushed all the
 * same, as measured, unless a product too far below the addend for the adder's width is all that keeps it from being
 * that number (measured: 24 bits below counts, 126 does not; where between is inferred). */
static void flush_edges(uint32_t *rd, const uint32_t *ra, const uint32_t *rb, const uint32_t *rc, uint32_t n)
{
    for (uint32_t l = 0; l < n; l++)
        if ((rd[l] & 0x7fffffffu) == 0x00800000u) {
            double p = (double)f32_of(f32_flush(ra[l])) * (double)f32_of(f32_flush(rb[l]));
            if (fabs(p) > 0x1p-153 && fabs(f64_add_odd(p, (double)f32_of(f32_flush(rc[l])))) < 0x1p-126)
                rd[l] &= 0x80000000u;
        }
}
SPECIALISED uint32_t is_edge(uint32_t u)
{
    return (u & 0x7fffffffu) == 0x00800000u;
}

SPECIALISED void mul32(struct warp *w, const struct inst *in, struct issue *is, bool ftz, bool sat)
{
    uint32_t ta[NLANE], tb[NLANE], td[NLANE];
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_F32, is), *rb = src_row(w, &in->opd[2], tb, SRC_F32, is);
    uint32_t *rd = ftz ? td : dst_row(w, in->opd[0].reg, td, is), edge = 0;
    HALVES(h, w) LANES(l)
    {
        float a = f32_of(f32_flush_if(ra[h + l], ftz)), b = f32_of(f32_flush_if(rb[h + l], ftz));
        rd[h + l] = f32_finish(a * b, ftz, sat);
        if (ftz)
            edge |= is_edge(rd[h + l]);
    }
    if (edge)
        flush_edges(td, ra, rb, exec_zero_row, w->env->nlane);
    if (ftz)
        dst_blend(w, in->opd[0].reg, td, is);
    else
        dst_put(w, in->opd[0].reg, td, is);
}
SPECIALISED void fma32(struct warp *w, const struct inst *in, struct issue *is, bool ftz, bool sat)
{
    uint32_t ta[NLANE], tb[NLANE], tc[NLANE], td[NLANE];
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_F32, is), *rb = src_row(w, &in->opd[2], tb, SRC_F32, is);
    const uint32_t *rc = src_row(w, &in->opd[3], tc, SRC_F32, is);
    uint32_t *rd = ftz ? td : dst_row(w, in->opd[0].reg, td, is), edge = 0;
    HALVES(h, w) LANES(l)
    {
        float a = f32_of(f32_flush_if(ra[h + l], ftz)), b = f32_of(f32_flush_if(rb[h + l], ftz));
        float c = f32_of(f32_flush_if(rc[h + l], ftz));
        rd[h + l] = f32_finish(fmaf(a, b, c), ftz, sat);
        if (ftz)
            edge |= is_edge(rd[h + l]);
    }
    if (edge)
        flush_edges(td, ra, rb, rc, w->env->nlane);
    if (ftz)
        dst_blend(w, in->opd[0].reg, td, is);
    else
        dst_put(w, in->opd[0].reg, td, is);
}
#define VARIANTS(op)                                                                                                   \
    static void op##_n(struct warp *w, const struct inst *in, struct issue *is)                                        \
    {                                                                                                                  \
        op(w, in, is, false, false);                                                                                   \
    }                                                                                                                  \
    static void op##_f(struct warp *w, const struct inst *in, struct issue *is)                                        \
    {                                                                                                                  \
        op(w, in, is, true, false);                                                                                    \
    }                                                                                                                  \
    static void op##_s(struct warp *w, const struct inst *in, struct issue *is)                                        \
    {                                                                                                                  \
        op(w, in, is, false, true);                                                                                    \
    }                                                                                                                  \
    static void op##_fs(struct warp *w, const struct inst *in, struct issue *is)                                       \
    {                                                                                                                  \
        op(w, in, is, true, true);                                                                                     \
    }                                                                                                                  \
    static exec_fn *const op##_of[4] = {op##_n, op##_f, op##_s, op##_fs};                                              \
    static void op##_rounded(struct warp *w, const struct inst *in, struct issue *is)                                  \
    {                                                                                                                  \
        uint32_t saved = round_begin(in->mod[MOD_RND]);                                                                \
        op##_of[(in->mod[MOD_FTZ] != 0) | (in->mod[MOD_SAT] != 0) << 1](w, in, is);                                    \
        round_end(saved);                                                                                              \
    }
VARIANTS(add32)
VARIANTS(mul32)
VARIANTS(fma32)

/* FMUL.M2 to .M8 and .D2 to .D8: the product, exact in double precision, is scaled and rounded once. */
static void mul32_scaled(struct warp *w, const struct inst *in, struct issue *is)
{
    static const double scales[] = {1, 0.125, 0.25, 0.5, 2, 4, 8}; /* MOD_FSCALE's values */
    uint32_t ta[NLANE], tb[NLANE], td[NLANE];
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_F32, is), *rb = src_row(w, &in->opd[2], tb, SRC_F32, is);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    bool ftz = in->mod[MOD_FTZ], sat = in->mod[MOD_SAT];
    double scale = scales[in->mod[MOD_FSCALE]];
    uint32_t saved = round_begin(in->mod[MOD_RND]);
    HALVES(h, w) LANES(l)
    {
        double a = (double)f32_of(f32_flush_if(ra[h + l], ftz)), b = (double)f32_of(f32_flush_if(rb[h + l], ftz));
        double p = a * b * scale;
        if (ftz && fabs(p) < 0x1p-126)
            p = copysign(0, p);
        rd[h + l] = f32_finish((float)p, ftz, sat);
    }
    round_end(saved);
    dst_put(w, in->opd[0].reg, td, is);
}
#define CHOOSE(op, in)                                                                                                 \
    ((in)->mod[MOD_RND] ? op##_rounded : op##_of[((in)->mod[MOD_FTZ] != 0) | ((in)->mod[MOD_SAT] != 0) << 1])

/* ---- minimum, maximum, compare ----------------------------------------------------------------------------------- */
static void fmnmx(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], tr[NLANE], ts[NLANE], td[NLANE];
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_F32, is), *rb = src_row(w, &in->opd[2], tb, SRC_F32, is);
    const uint32_t *sa = src_word(w, &in->opd[1], 0, tr, is), *sb = src_word(w, &in->opd[2], 0, ts, is);
    bool ftz = in->mod[MOD_FTZ], nan = in->mod[MOD_NAN], xorsign = in->mod[MOD_XORSIGN];
    lanemask p = src_pred(w, &in->opd[3], true);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    HALVES(h, w)
    {
        uint32_t p32 = (uint32_t)(p >> h);
        LANES(l)
        {
            uint32_t a = f32_flush_if(ra[h + l], ftz), b = f32_flush_if(rb[h + l], ftz);
            uint32_t sign = (sa[h + l] ^ sb[h + l]) & 0x80000000u;
            uint32_t r = f32_minmax(a, b, p32 >> l & 1, nan);
            rd[h + l] = xorsign && !f32_isnan(r) ? (r & 0x7fffffffu) | sign : r;
        }
    }
    dst_put(w, in->opd[0].reg, td, is);
}

#define COMPARE_MASK(name, expr)                                                                                       \
    static inline uint32_t name(const uint32_t *ra, const uint32_t *rb, bool ftz)                                      \
    {                                                                                                                  \
        uint32_t m = 0;                                                                                                \
        LANES(l)                                                                                                       \
        {                                                                                                              \
            float a = f32_of(f32_flush_if(ra[l], ftz)), b = f32_of(f32_flush_if(rb[l], ftz));                          \
            m |= (uint32_t)(expr) << l;                                                                                \
        }                                                                                                              \
        return m;                                                                                                      \
    }
COMPARE_MASK(less, a < b)
COMPARE_MASK(equal, a == b)
COMPARE_MASK(unordered, (a != a) | (b != b))
static lanemask fcompare(struct warp *w, const struct inst *in, uint32_t slot, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], cmp = in->mod[MOD_FCMP];
    bool ftz = in->mod[MOD_FTZ];
    const uint32_t *ra = src_row(w, &in->opd[slot], ta, SRC_F32, is),
                   *rb = src_row(w, &in->opd[slot + 1], tb, SRC_F32, is);
    lanemask t = 0;
    HALVES(h, w)
    {
        uint32_t m = 0;
        if (cmp & 1)
            m |= less(ra + h, rb + h, ftz);
        if (cmp & 2)
            m |= equal(ra + h, rb + h, ftz);
        if (cmp & 4)
            m |= less(rb + h, ra + h, ftz);
        if (cmp & 8)
            m |= unordered(ra + h, rb + h, ftz);
        t |= (lanemask)m << (h % NLANE);
    }
    return t;
}
static void fsetp(struct warp *w, const struct inst *in, struct issue *is)
{
    lanemask t = fcompare(w, in, 2, is), c = src_pred(w, &in->opd[4], true);
    put_pred(w, &in->opd[0], pred_combine(t, c, in->mod[MOD_BOP]), is);
    put_pred(w, &in->opd[1], pred_combine(~t, c, in->mod[MOD_BOP]), is);
}
static void fset(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t td[NLANE], yes = in->mod[MOD_BF] ? 0x3f800000u : ~0u;
    lanemask t = pred_combine(fcompare(w, in, 1, is), src_pred(w, &in->opd[3], true), in->mod[MOD_BOP]);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    for (uint32_t l = 0; l < w->env->nlane; l++)
        rd[l] = bit_of(t, l) ? yes : 0;
    dst_put(w, in->opd[0].reg, td, is);
}

/* Whether a / b needs the slow path: by the exponents alone. Measured on an H200 over all pairs of exponents, by the
 * time that a division takes (workloads/micro/mufu). */
static inline bool needs_slow_divide(uint32_t a, uint32_t b)
{
    int32_t ea = (int32_t)(a >> 23 & 0xff), eb = (int32_t)(b >> 23 & 0xff);
    bool fast = ea >= 25 && ea <= 254 && eb >= 2 && eb <= 251 && ea - eb >= -124 && ea - eb <= 126;
    return !fast;
}
static void fchk(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE];
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_F32, is), *rb = src_row(w, &in->opd[2], tb, SRC_F32, is);
    lanemask t = 0;
    for (uint32_t l = 0; l < w->env->nlane; l++)
        t |= (lanemask)needs_slow_divide(ra[l], rb[l]) << l;
    put_pred(w, &in->opd[0], t, is);
}

static void mufu_f32(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], td[NLANE], fn = in->mod[MOD_MUFU], type = in->mod[MOD_MUFUTYPE], l;
    const uint32_t *ra = src_row(w, &in->opd[1], ta, type ? SRC_F16 : SRC_F32, is);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is), sh = in->opd[1].sel & 1 ? 16 : 0; /* .H1 */
    if (type == 0)
        EXEC_SYM(mufu_row)(fn, ra, rd, is->exec, w->env->nlane);
    else
        FOR_MASK(l, is->exec)
    rd[l] = type == 1 ? mufu_f16(fn, ra[l] >> sh & 0xffff) : mufu_bf16(fn, ra[l] >> sh & 0xffff);
    dst_put(w, in->opd[0].reg, td, is);
}

exec_fn *EXEC_SYM(exec_float32_of)(const struct inst *in)
{
    switch (in->op) {
    case OP_FADD:
        return CHOOSE(add32, in);
    case OP_FMUL:
        return in->mod[MOD_FSCALE] ? mul32_scaled : CHOOSE(mul32, in);
    case OP_FFMA:
        return CHOOSE(fma32, in);
    case OP_FSWZADD:
        return fswzadd;
    case OP_FMNMX:
        return fmnmx;
    case OP_FSETP:
        return fsetp;
    case OP_FSET:
        return fset;
    case OP_FCHK:
        return fchk;
    case OP_MUFU:
        mufu_prepare(in->mod[MOD_MUFU]);
        return mufu_f32;
    default:
        return NULL;
    }
}
