/* Warp-wide matrix multiply-accumulate: HMMA, QMMA, IMMA, DMMA. Lane 4g + t holds rows g and g + 8 of A and D, column g
 * of B, as PTX documents the fragments. */
#include "isa/tensor.h"

/* ---- floating point ---------------------------------------------------------------------------------------------- */
struct shape {
    uint32_t m, n, k;
};
static bool shape_of(const struct inst *in, struct shape *s)
{
    /* "", 1684, 1688, 16816, 16832, 8816, 8832, 16864, 88128, 168128, 168256, 884, 16x8x4, 16x8x8, 16x8x16, 8x8x4 */
    static const struct shape shapes[] = {{0, 0, 0},  {16, 8, 4},  {16, 8, 8},  {16, 8, 16},  {16, 8, 32},  {8, 8, 16},
                                          {8, 8, 32}, {16, 8, 64}, {8, 8, 128}, {16, 8, 128}, {16, 8, 256}, {8, 8, 4},
                                          {16, 8, 4}, {16, 8, 8},  {16, 8, 16}, {8, 8, 4}};
    uint32_t i = in->mod[MOD_MMASHAPE];
    if (i >= ARRAY_LEN(shapes) || !shapes[i].m)
        return false;
    *s = shapes[i];
    return true;
}
/* Elements of `bits` bits: register i of A holds row g + 8 (i & 1), columns of group t in the half i / 2 of k. */
static void take_fragments(struct warp *w, const struct inst *in, struct tensor_tile *t, uint32_t bits,
                           struct issue *is)
{
    uint32_t per = 32 / bits, mask = bits == 32 ? ~0u : (1u << bits) - 1, group = 4 * per, tmp[NLANE];
    uint32_t na = t->k / group * 2, nb = t->k / group;
    for (uint32_t i = 0; i < na; i++) {
        const uint32_t *r = src_word(w, &in->opd[1], i, tmp, is);
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t j = 0; j < per; j++)
                t->a[l / 4 + 8 * (i & 1)][i / 2 * group + l % 4 * per + j] = r[l] >> bits * j & mask;
    }
    for (uint32_t i = 0; i < nb; i++) {
        const uint32_t *r = src_word(w, &in->opd[2], i, tmp, is);
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t j = 0; j < per; j++)
                t->b[i * group + l % 4 * per + j][l / 4] = r[l] >> bits * j & mask;
    }
}
static void hmma(struct warp *w, const struct inst *in, struct issue *is)
{
    static const uint8_t format_of[] = {TENSOR_F16, TENSOR_BF16, TENSOR_TF32, TENSOR_E4M3, TENSOR_E5M2};
    static const uint8_t bits_of[] = {16, 16, 32, 8, 8};
    struct shape s;
    uint32_t f = in->mod[MOD_MMATYPE], tmp[NLANE];
    if (!shape_of(in, &s) || s.m != 16 || in->mod[MOD_SPARSE] || f >= ARRAY_LEN(format_of) || s.k > TENSOR_K ||
        s.k < 128 / bits_of[f]) {
        exec_fault(is, "this form of %s is not supported", op_table[in->op].text);
        return;
    }
    struct tensor_tile t;
    t.n = 8, t.k = s.k;
    t.fa = t.fb = format_of[f];
    t.half_result = in->mod[MOD_MMADST] == 2;
    t.neg_a = in->opd[1].flags & OPF_NEG;
    t.neg_b = t.short_result = false;
    tensor_arithmetic(w->env->arch, t.fa, t.k, &t.fraction, &t.step);
    take_fragments(w, in, &t, bits_of[f], is);
    uint32_t nreg = t.half_result ? 2 : 4;
    memset(t.c, 0, sizeof t.c);
    for (uint32_t i = 0; i < nreg; i++) {
        const uint32_t *r = src_word(w, &in->opd[3], i, tmp, is);
        for (uint32_t l = 0; l < 32; l++) {
            uint32_t col = l % 4 * 2;
            if (t.half_result)
                t.c[l / 4 + 8 * i][col] = r[l] & 0xffff, t.c[l / 4 + 8 * i][col + 1] = r[l] >> 16;
            else
                t.c[l / 4 + 8 * (i / 2)][col + (i & 1)] = r[l];
        }
    }
    EXEC_SYM(tensor_multiply)(&t);
    for (uint32_t i = 0; i < nreg && in->opd[0].reg != RZ; i++) {
        uint32_t out[NLANE] = {0};
        for (uint32_t l = 0; l < 32; l++) {
            uint32_t col = l % 4 * 2;
            out[l] = t.half_result ? t.c[l / 4 + 8 * i][col + 1] << 16 | t.c[l / 4 + 8 * i][col]
                                   : t.c[l / 4 + 8 * (i / 2)][col + (i & 1)];
        }
        EXEC_SYM(row_blend)(exec_row(w, in->opd[0].reg + i), out, is->exec, 32);
    }
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */
static void imma(struct warp *w, const struct inst *in, struct issue *is)
{
    struct shape s;
    uint32_t ta = in->mod[MOD_TYPEA], tb = in->mod[MOD_TYPEB], tmp[NLANE];
    if (!shape_of(in, &s) || in->mod[MOD_SPARSE] || s.k > 32 || s.k < 16 || ta > 1 || tb > 1) {
        exec_fault(is, "this form of IMMA is not supported");
        return;
    }
    int32_t a[16][32] = {{0}}, b[32][8] = {{0}};
    uint32_t na = s.k / 16 * (s.m / 8), nd = s.m / 4, first[4][NLANE];
    for (uint32_t i = 0; i < na; i++) {
        const uint32_t *r = src_word(w, &in->opd[1], i, tmp, is);
        uint32_t row8 = s.m == 16 ? i & 1 : 0, half = s.m == 16 ? i / 2 : i;
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t j = 0; j < 4; j++) {
                uint32_t x = r[l] >> 8 * j & 0xff;
                a[l / 4 + 8 * row8][half * 16 + l % 4 * 4 + j] = ta == 0 ? (int8_t)x : (int32_t)x;
            }
    }
    for (uint32_t i = 0; i < s.k / 16; i++) {
        const uint32_t *r = src_word(w, &in->opd[2], i, tmp, is);
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t j = 0; j < 4; j++) {
                uint32_t x = r[l] >> 8 * j & 0xff;
                b[i * 16 + l % 4 * 4 + j][l / 4] = tb == 0 ? (int8_t)x : (int32_t)x;
            }
    }
    for (uint32_t i = 0; i < nd; i++)
        memcpy(first[i], src_word(w, &in->opd[3], i, tmp, is), 32 * sizeof(uint32_t));
    for (uint32_t i = 0; i < nd && in->opd[0].reg != RZ; i++) {
        uint32_t out[NLANE] = {0};
        for (uint32_t l = 0; l < 32; l++) {
            int64_t sum = (int32_t)first[i][l];
            for (uint32_t k = 0; k < s.k; k++)
                sum += (int64_t)a[l / 4 + 8 * (i / 2)][k] * b[k][l % 4 * 2 + (i & 1)];
            out[l] = (uint32_t)(in->mod[MOD_SAT] ? (sum < INT32_MIN   ? INT32_MIN
                                                    : sum > INT32_MAX ? INT32_MAX
                                                                      : sum)
                                                 : sum);
        }
        EXEC_SYM(row_blend)(exec_row(w, in->opd[0].reg + i), out, is->exec, 32);
    }
}

/* ---- bits: how many pairs are both set, or differ -------------------------------------------------------------------
 */
static void bmma(struct warp *w, const struct inst *in, struct issue *is)
{
    struct shape s;
    if (!shape_of(in, &s) || s.k < 128) {
        exec_fault(is, "this form of BMMA is not supported");
        return;
    }
    bool differ = !strcmp(mod_value_name(MOD_BOP, in->mod[MOD_BOP]), "XOR");
    uint32_t a[4][NLANE] = {{0}}, b[2][NLANE] = {{0}}, c[4][NLANE] = {{0}}, tmp[NLANE], rows = s.m / 8,
             halves = s.k / 128;
    for (uint32_t i = 0; i < rows * halves; i++)
        memcpy(a[i], src_word(w, &in->opd[1], i, tmp, is), sizeof a[i]);
    for (uint32_t i = 0; i < halves; i++)
        memcpy(b[i], src_word(w, &in->opd[2], i, tmp, is), sizeof b[i]);
    for (uint32_t i = 0; i < 2 * rows; i++)
        memcpy(c[i], src_word(w, &in->opd[3], i, tmp, is), sizeof c[i]);
    for (uint32_t i = 0; i < 2 * rows && in->opd[0].reg != RZ; i++) {
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t k = 0; k < 4 * halves; k++) { /* 32 bits of depth at a time */
                uint32_t x = a[k / 4 * rows + i / 2][l / 4 * 4 + k % 4],
                         y = b[k / 4][(l % 4 * 2 + (i & 1)) * 4 + k % 4];
                c[i][l] += (uint32_t)__builtin_popcount(differ ? x ^ y : x & y);
            }
        EXEC_SYM(row_blend)(exec_row(w, in->opd[0].reg + i), c[i], is->exec, 32);
    }
}

/* ---- doubles: a chain of fused multiply-adds in the order of k ------------------------------------------------------
 */
static double pair_value(const uint32_t *lo, const uint32_t *hi, uint32_t l)
{
    return f64_of((uint64_t)hi[l] << 32 | lo[l]);
}
static void take_doubles(struct warp *w, const struct operand *o, uint32_t n, double (*out)[32], struct issue *is)
{
    uint32_t tl[NLANE], th[NLANE];
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *lo = src_word(w, o, 2 * i, tl, is), *hi = src_word(w, o, 2 * i + 1, th, is);
        for (uint32_t l = 0; l < 32; l++) {
            double x = pair_value(lo, hi, l);
            x = o->flags & OPF_ABS ? fabs(x) : x;
            out[i][l] = o->flags & OPF_NEG ? -x : x;
        }
    }
}
static double fma_f64(double a, double b, double c)
{
    double d = fma(a, b, c);
    return d != d ? f64_nan(a, b, c) : d;
}
static void dmma(struct warp *w, const struct inst *in, struct issue *is)
{
    struct shape s;
    if (!shape_of(in, &s) || s.k > 16) {
        exec_fault(is, "this form of DMMA is not supported");
        return;
    }
    double a[8][32] = {0}, b[4][32] = {0}, c[4][32] = {0};
    uint32_t rows = s.m / 8, na = rows * s.k / 4, nb = s.k / 4, nd = 2 * rows;
    take_doubles(w, &in->opd[1], na, a, is);
    take_doubles(w, &in->opd[2], nb, b, is);
    take_doubles(w, &in->opd[3], nd, c, is);
    for (uint32_t i = 0; i < nd && in->opd[0].reg != RZ; i++) {
        uint32_t lo[NLANE] = {0}, hi[NLANE] = {0};
        for (uint32_t l = 0; l < 32; l++) {
            double d = c[i][l];
            uint32_t g = l / 4, col = l % 4 * 2 + (i & 1);
            for (uint32_t k = 0; k < s.k; k++) /* A: lane 4g + k%4; B: lane 4 col + k%4 */
                d = fma_f64(a[k / 4 * rows + i / 2][4 * g + k % 4], b[k / 4][4 * col + k % 4], d);
            uint64_t u = f64_bits(d);
            lo[l] = (uint32_t)u, hi[l] = (uint32_t)(u >> 32);
        }
        EXEC_SYM(row_blend)(exec_row(w, in->opd[0].reg + 2 * i), lo, is->exec, 32);
        EXEC_SYM(row_blend)(exec_row(w, in->opd[0].reg + 2 * i + 1), hi, is->exec, 32);
    }
}

exec_fn *EXEC_SYM(exec_tensor_of)(const struct inst *in)
{
    switch (in->op) {
    case OP_HMMA:
    case OP_QMMA:
        return hmma;
    case OP_IMMA:
        return imma;
    case OP_DMMA:
        return dmma;
    case OP_BMMA:
        return bmma;
    default:
        return EXEC_SYM(exec_gmma_of)(in);
    }
}
