/* PTX forms of floating arithmetic. Rounding is always written, so that nothing is contracted. */
#include "isa/ptx.h"

#include <string.h>

static const char *const rounding[] = {".rn", ".rm", ".rp", ".rz"}; /* order of RND */

static const char *lower(struct ptx *x, const char *s)
{
    char text[16];
    size_t i = 0;
    for (; s[i] && i + 1 < sizeof text; i++)
        text[i] = s[i] >= 'A' && s[i] <= 'Z' ? (char)(s[i] + 32) : s[i];
    text[i] = 0;
    return ptx_text(x, "%s", text);
}

static bool f32(struct ptx *x, const char *op, unsigned n)
{
    const char *v[3] = {"", "", ""};
    for (unsigned i = 0; i < n; i++)
        if (!(v[i] = ptx_src(x, 1 + i, PTX_F32)))
            return false;
    ptx_line(x, "%s%s%s%s.f32 %s, %s, %s%s%s", op, rounding[x->in->mod[MOD_RND] & 3], x->in->mod[MOD_FTZ] ? ".ftz" : "",
             x->in->mod[MOD_SAT] ? ".sat" : "", ptx_dst(x, 0), v[0], v[1], n > 2 ? ", " : "", v[2]);
    return true;
}

static bool f64(struct ptx *x, const char *op, unsigned n)
{
    const char *v[3] = {"", "", ""}, *d = ptx_temp(x, 'd');
    for (unsigned i = 0; i < n; i++)
        if (!(v[i] = ptx_src64(x, 1 + i, true)))
            return false;
    ptx_line(x, "%s%s.f64 %s, %s, %s%s%s", op, rounding[x->in->mod[MOD_RND] & 3], d, v[0], v[1], n > 2 ? ", " : "",
             v[2]);
    ptx_put64(x, 0, d);
    return true;
}

static bool half2(struct ptx *x, const char *op, unsigned n)
{
    const char *v[3] = {"", "", ""};
    if (x->in->mod[MOD_BF16] || x->in->mod[MOD_RELU])
        return ptx_refuse(x, "only halves");
    for (unsigned i = 0; i < n; i++) {
        const char *s = ptx_src(x, 1 + i, PTX_HALF);
        if (!s)
            return false;
        v[i] = ptx_temp(x, 't');
        ptx_line(x, "mov.b32 %s, %s", v[i], s);
    }
    ptx_line(x, "%s.rn%s%s.f16x2 %s, %s, %s%s%s", op, x->in->mod[MOD_FTZ] ? ".ftz" : "",
             x->in->mod[MOD_SAT] ? ".sat" : "", ptx_dst(x, 0), v[0], v[1], n > 2 ? ", " : "", v[2]);
    return true;
}

static bool setp(struct ptx *x, bool wide)
{
    const char *cmp = ptx_mod(x, MOD_FCMP), *p = ptx_dst_pred(x, 0), *q = ptx_dst_pred(x, 1);
    if (!strcmp(cmp, "F") || !strcmp(cmp, "T") || !strcmp(cmp, "MIN") || !strcmp(cmp, "MAX"))
        return ptx_refuse(x, "a comparison that is always the same");
    const char *a = wide ? ptx_src64(x, 2, true) : ptx_src(x, 2, PTX_F32);
    const char *b = !a ? NULL : wide ? ptx_src64(x, 3, true) : ptx_src(x, 3, PTX_F32);
    const char *c = b ? ptx_pred(x, 4, true) : NULL;
    if (!c)
        return false;
    ptx_line(x, "setp.%s.%s%s.%s %s|%s, %s, %s, %s", lower(x, cmp), ptx_bool[x->in->mod[MOD_BOP] % 3],
             x->in->mod[MOD_FTZ] && !wide ? ".ftz" : "", wide ? "f64" : "f32", p, q, a, b, c);
    return true;
}

static bool fmnmx(struct ptx *x)
{
    const struct operand *p = &x->in->opd[3];
    const char *a = ptx_src(x, 1, PTX_F32), *b = a ? ptx_src(x, 2, PTX_F32) : NULL;
    if (!b)
        return false;
    if (x->in->mod[MOD_XORSIGN] || (p->kind != OPD_NONE && p->reg != PT))
        return ptx_refuse(x, "only a plain minimum or maximum");
    ptx_line(x, "%s%s%s.f32 %s, %s, %s", p->flags & OPF_NOT ? "max" : "min", x->in->mod[MOD_FTZ] ? ".ftz" : "",
             x->in->mod[MOD_NAN] ? ".NaN" : "", ptx_dst(x, 0), a, b);
    return true;
}

static bool mufu(struct ptx *x)
{
    static const char *const ops[] = {"cos.approx.ftz",
                                      "sin.approx.ftz",
                                      "ex2.approx.ftz",
                                      "lg2.approx.ftz",
                                      "rcp.approx.ftz",
                                      "rsqrt.approx.ftz",
                                      NULL,
                                      NULL,
                                      "sqrt.approx.ftz",
                                      "tanh.approx"}; /* order of MUFU */
    const char *op = x->in->mod[MOD_MUFU] < ARRAY_LEN(ops) ? ops[x->in->mod[MOD_MUFU]] : NULL;
    if (!op || x->in->mod[MOD_MUFUTYPE] || x->in->mod[MOD_MUFU] < 2)
        return ptx_refuse(x, "this function in the machine's own form");
    const char *a = ptx_src(x, 1, PTX_F32);
    if (a)
        ptx_line(x, "%s.f32 %s, %s", op, ptx_dst(x, 0), a);
    return a != NULL;
}

bool ptx_float(struct ptx *x)
{
    switch (x->in->op) {
    case OP_FADD:
        return f32(x, "add", 2);
    case OP_FMUL:
        return f32(x, "mul", 2);
    case OP_FFMA:
        return f32(x, "fma", 3);
    case OP_DADD:
        return f64(x, "add", 2);
    case OP_DMUL:
        return f64(x, "mul", 2);
    case OP_DFMA:
        return f64(x, "fma", 3);
    case OP_HADD2:
        return half2(x, "add", 2);
    case OP_HMUL2:
        return half2(x, "mul", 2);
    case OP_HFMA2:
    case OP_HFMA2_MMA:
        return half2(x, "fma", 3);
    case OP_FSETP:
        return setp(x, false);
    case OP_DSETP:
        return setp(x, true);
    case OP_FMNMX:
        return fmnmx(x);
    case OP_MUFU:
        return mufu(x);
    default:
        return ptx_unknown(x);
    }
}
