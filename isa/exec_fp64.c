/* Double precision. NaN: b's, else c's, else a's comes out, quieted, with payload and sign, whatever the operand's
 * sign modifiers (measured); a generated one is 0xfff8000000000000. An addition is a * 1 + c: its second operand counts
 * first. */
#include "isa/float.h"

/* A 64-bit source with its sign modifiers; an immediate is the high word. */
static void src_f64(const struct warp *w, const struct operand *o, double *out, struct issue *is)
{
    uint32_t tl[NLANE], th[NLANE];
    const uint32_t *lo, *hi;
    if (o->kind == OPD_IMM) {
        row_fill(w, th, (uint32_t)o->imm);
        lo = exec_zero_row, hi = th;
    } else {
        lo = src_word(w, o, 0, tl, is), hi = src_word(w, o, 1, th, is);
    }
    uint64_t keep = o->flags & OPF_ABS ? ~((uint64_t)1 << 63) : ~(uint64_t)0,
             flip = o->flags & OPF_NEG ? (uint64_t)1 << 63 : 0;
    HALVES(h, w) LANES(l) out[h + l] = f64_of((((uint64_t)hi[h + l] << 32 | lo[h + l]) & keep) ^ flip);
}
static void put_f64(struct warp *w, uint32_t r, const double *v, const struct issue *is)
{
    uint32_t tl[NLANE], th[NLANE];
    if (r == RZ)
        return;
    uint32_t *lo = dst_row(w, r, tl, is), *hi = dst_row(w, r + 1, th, is);
    HALVES(h, w) LANES(l)
    {
        uint64_t u = f64_bits(v[h + l]);
        lo[h + l] = (uint32_t)u;
        hi[h + l] = (uint32_t)(u >> 32);
    }
    dst_put(w, r, tl, is);
    dst_put(w, r + 1, th, is);
}
/* The operand as it stands in its register or constant. */
static double as_stored(double x, const struct warp *w, const struct operand *o, uint32_t lane, struct issue *is)
{
    if (x == x || o->reg == RZ || !(o->flags & (OPF_NEG | OPF_ABS)))
        return x;
    uint32_t high = o->kind == OPD_REG ? exec_row(w, o->reg + 1u)[lane] : exec_scalar(w, o, 1, is);
    uint64_t sign = (uint64_t)1 << 63, top = (uint64_t)(high >> 31) << 63;
    return f64_of((f64_bits(x) & ~sign) | top);
}
SPECIALISED void f64_any(struct warp *w, const struct inst *in, struct issue *is, uint32_t op) /* 0 add, 1 mul, 2 fma */
{
    double a[NLANE], b[NLANE], c[NLANE], d[NLANE];
    src_f64(w, &in->opd[1], a, is);
    src_f64(w, &in->opd[2], b, is);
    if (op == 2)
        src_f64(w, &in->opd[3], c, is);
    uint32_t saved = in->mod[MOD_RND] ? round_begin(in->mod[MOD_RND]) : 0;
    HALVES(h, w)
    {
        uint32_t nan = 0;
        LANES(l)
        {
            double x = op == 0   ? a[h + l] + b[h + l]
                       : op == 1 ? a[h + l] * b[h + l]
                                 : fma(a[h + l], b[h + l], c[h + l]);
            d[h + l] = x;
            nan |= (uint32_t)(x != x);
        }
        for (uint32_t l = h; nan && l < h + 32; l++)
            if (d[l] != d[l])
                d[l] = f64_nan(as_stored(a[l], w, &in->opd[1], l, is), as_stored(b[l], w, &in->opd[2], l, is),
                               op == 2 ? as_stored(c[l], w, &in->opd[3], l, is) : 0);
    }
    if (in->mod[MOD_RND])
        round_end(saved);
    put_f64(w, in->opd[0].reg, d, is);
}
static void dadd(struct warp *w, const struct inst *in, struct issue *is)
{
    f64_any(w, in, is, 0);
}
static void dmul(struct warp *w, const struct inst *in, struct issue *is)
{
    f64_any(w, in, is, 1);
}
static void dfma(struct warp *w, const struct inst *in, struct issue *is)
{
    f64_any(w, in, is, 2);
}

static void dsetp(struct warp *w, const struct inst *in, struct issue *is)
{
    double a[NLANE], b[NLANE];
    uint32_t cmp = in->mod[MOD_FCMP];
    src_f64(w, &in->opd[2], a, is);
    src_f64(w, &in->opd[3], b, is);
    lanemask t = 0, c = src_pred(w, &in->opd[4], true);
    if (cmp >= 16) { /* MIN, MAX: a is the result; the second predicate, as it is: both are NaN */
        lanemask nan = 0;
        for (uint32_t l = 0; l < w->env->nlane; l++) {
            bool above = a[l] > b[l] || (a[l] == b[l] && !signbit(a[l]) && signbit(b[l])); /* -0 is below 0 */
            bool first = cmp == 16 ? !above && b[l] == b[l] : above;
            t |= (lanemask)(a[l] == a[l] && (first || b[l] != b[l])) << l;
            nan |= (lanemask)(a[l] != a[l] && b[l] != b[l]) << l;
        }
        put_pred(w, &in->opd[0], pred_combine(t, c, in->mod[MOD_BOP]), is);
        put_pred(w, &in->opd[1], nan, is);
        return;
    }
    for (uint32_t l = 0; l < w->env->nlane; l++) {
        bool r = (cmp & 1 && a[l] < b[l]) || (cmp & 2 && a[l] == b[l]) || (cmp & 4 && a[l] > b[l]) ||
                 (cmp & 8 && (a[l] != a[l] || b[l] != b[l]));
        t |= (lanemask)r << l;
    }
    put_pred(w, &in->opd[0], pred_combine(t, c, in->mod[MOD_BOP]), is);
    put_pred(w, &in->opd[1], pred_combine(~t, c, in->mod[MOD_BOP]), is);
}

exec_fn *EXEC_SYM(exec_fp64_of)(const struct inst *in)
{
    switch (in->op) {
    case OP_DADD:
        return dadd;
    case OP_DMUL:
        return dmul;
    case OP_DFMA:
        return dfma;
    case OP_DSETP:
        return dsetp;
    default:
        return NULL;
    }
}
