/* The tensor core's sum of products: see tensor.h. Sixteen columns at a time, as vectors of integers. */
#include "isa/tensor.h"

#pragma GCC diagnostic ignored "-Wpsabi" /* vectors wider than the host's pass between inlined functions only */
typedef int32_t v16 __attribute__((vector_size(64)));
typedef uint32_t u16x __attribute__((vector_size(64)));

struct unpacked { /* of B: planes of significand, exponent and sign (0 or -1) */
    _Alignas(64) int32_t mag[TENSOR_K][TENSOR_N], exp[TENSOR_K][TENSOR_N], neg[TENSOR_K][TENSOR_N];
};
/* A zero has no part in the choice of the largest exponent. Above LEAST_EXPONENT lie all products and sums. */
enum { ZERO_EXPONENT = -4000, LEAST_EXPONENT = -900 };

struct format {
    uint32_t frac, exp_bits, bias, sign;
    bool no_inf;
};
static const struct format formats[] = {
    [TENSOR_F16] = {10, 5, 15, 15, false},   [TENSOR_BF16] = {7, 8, 127, 15, false},
    [TENSOR_TF32] = {10, 8, 127, 18, false}, [TENSOR_E4M3] = {3, 4, 7, 7, true},
    [TENSOR_E5M2] = {2, 5, 15, 7, false},
};
/* TF32 elements are floats whose low 13 bits do not count. */
SPECIALISED uint32_t element(uint32_t x, enum tensor_format f)
{
    return f == TENSOR_TF32 ? x >> 13 : x;
}

SPECIALISED void unpack(uint32_t x, struct format f, int32_t *mag, int32_t *exp, int32_t *neg, uint32_t *special)
{
    uint32_t m = x & ((1u << f.frac) - 1), e = x >> f.frac & ((1u << f.exp_bits) - 1), top = (1u << f.exp_bits) - 1;
    *special |= f.no_inf ? (e == top) & (m == 7) : e == top;
    uint32_t s = e ? m | 1u << f.frac : m;
    *mag = (int32_t)s;
    *exp = s ? (int32_t)(e ? e : 1) - (int32_t)f.bias : ZERO_EXPONENT;
    *neg = -(int32_t)(x >> f.sign & 1);
}
static double value(uint32_t x, struct format f)
{
    int32_t mag, exp, neg;
    uint32_t special = 0;
    unpack(x, f, &mag, &exp, &neg, &special);
    double v = special ? (f.no_inf || (mag & ((1 << f.frac) - 1)) ? NAN : INFINITY) : ldexp(mag, exp - (int)f.frac);
    return neg ? -v : v;
}
static double accumulator(uint32_t c, bool half)
{
    return half ? (double)f16_value(c & 0xffff) : (double)f32_of(c);
}

/* ---- one row by sixteen columns ---------------------------------------------------------------------------------- */
struct row {
    int32_t mag[TENSOR_K], exp[TENSOR_K], neg[TENSOR_K];
};

SPECIALISED v16 cut(u16x mag, v16 distance)
{
    v16 far = distance > 31;
    u16x d = (u16x)((distance & ~far) | (far & 31));
    return (v16)((mag >> d) & ~(u16x)far);
}
static void dot_chunk(const struct tensor_tile *t, const struct row *a, const struct unpacked *b, uint32_t k0,
                      uint32_t n0, const uint32_t *c, double *out)
{
    v16 cmag, cexp, cneg, emax, some, s1 = {0}, s2 = {0};
    uint32_t cfrac = t->half_result ? 10 : 23, left = t->fraction - formats[t->fa].frac - formats[t->fb].frac;
    for (uint32_t i = 0; i < TENSOR_CHUNK; i++) {
        int32_t m, e, s;
        uint32_t special = 0;
        unpack(c[i], t->half_result ? formats[TENSOR_F16] : (struct format){23, 8, 127, 31, false}, &m, &e, &s,
               &special);
        cmag[i] = special ? 0 : m, cexp[i] = special ? ZERO_EXPONENT : e, cneg[i] = s;
    }
    emax = cexp;
    for (uint32_t k = k0; k < k0 + t->step; k++) {
        v16 e = *(const v16 *)&b->exp[k][n0] + a->exp[k], more = e > emax;
        emax = (e & more) | (emax & ~more);
    }
    some = emax > LEAST_EXPONENT;
    emax = (emax & some) | (LEAST_EXPONENT & ~some);
    for (uint32_t k = k0; k < k0 + t->step; k++) {
        v16 distance = emax - (*(const v16 *)&b->exp[k][n0] + a->exp[k]);
        u16x product = ((u16x) * (const v16 *)&b->mag[k][n0] * (uint32_t)a->mag[k]) << left;
        v16 neg = *(const v16 *)&b->neg[k][n0] ^ a->neg[k], x = (cut(product, distance) ^ neg) - neg;
        if (k & 1) /* each half stays below 2^31 */
            s1 += x;
        else
            s2 += x;
    }
    int32_t shift = (int32_t)t->fraction - (int32_t)cfrac;
    u16x cm = shift >= 0 ? (u16x)cmag << (uint32_t)shift : (u16x)cmag;
    v16 cd = emax - cexp + (shift < 0 ? -shift : 0), cx = (cut(cm, cd) ^ cneg) - cneg;
    for (uint32_t i = 0; i < TENSOR_CHUNK; i++) {
        double scale = f64_of((uint64_t)(1023 + emax[i] - (int32_t)t->fraction) << 52);
        out[i] = ((double)s1[i] + (double)s2[i] + (double)cx[i]) * scale;
    }
}
static uint32_t result_f32(double d)
{
    float f = (float)d;
    uint32_t u = f32_bits(f);
    u -= fabs((double)f) > fabs(d) && fabs(d) < 0x1p128 ? 1u : 0u; /* what is too large becomes infinite */
    return u == 0x80000000u ? 0 : u;                               /* what is too small becomes +0 */
}
static uint32_t result_f16(double d)
{
    uint32_t h = f16_round(f32_round_odd(d));
    return h == 0x8000 ? 0 : h; /* what rounds to zero is +0 */
}

/* Rows and columns that hold an infinity or NaN anywhere: the sum in doubles says which comes out. */
static uint32_t result_special(const struct tensor_tile *t, uint32_t r, uint32_t n, uint32_t k0, uint32_t c)
{
    double s = accumulator(c, t->half_result);
    for (uint32_t k = k0; k < k0 + t->step; k++)
        s += value(element(t->a[r][k], t->fa), formats[t->fa]) * (t->neg_a != t->neg_b ? -1.0 : 1.0) *
             value(element(t->b[k][n], t->fb), formats[t->fb]);
    if (s != s)
        return t->half_result ? (uint32_t)F16_NAN : (uint32_t)F32_NAN;
    return (t->half_result ? 0x7c00u : (uint32_t)F32_INF) | (signbit(s) ? t->half_result ? 0x8000u : 0x80000000u : 0);
}
static bool accumulator_special(uint32_t c, bool half)
{
    return half ? (c & 0x7c00) == 0x7c00 : (c & 0x7f800000u) == 0x7f800000u;
}

void EXEC_SYM(tensor_multiply)(struct tensor_tile *t)
{
    struct unpacked b;
    uint32_t mask = t->short_result ? 0xfffffc00u : ~0u;
    struct row a[TENSOR_ROWS];
    uint32_t wide = (t->n + TENSOR_CHUNK - 1) / TENSOR_CHUNK * TENSOR_CHUNK, bad_row[TENSOR_ROWS] = {0}, any_bad = 0;
    _Alignas(64) uint32_t bad_col[TENSOR_N] = {0};
    for (uint32_t r = 0; r < TENSOR_ROWS; r++)
        for (uint32_t k = 0; k < t->k; k++) {
            unpack(element(t->a[r][k], t->fa), formats[t->fa], &a[r].mag[k], &a[r].exp[k], &a[r].neg[k], &bad_row[r]);
            a[r].neg[k] ^= -(int32_t)(t->neg_a != t->neg_b);
        }
    struct format fb = formats[t->fb];
    for (uint32_t k = 0; k < t->k; k++) {
        for (size_t n = t->n; n < wide; n++)
            t->b[k][n] = 0;
        for (size_t n = 0; n < wide; n++)
            unpack(element(t->b[k][n], t->fb), fb, &b.mag[k][n], &b.exp[k][n], &b.neg[k][n], &bad_col[n]);
    }
    for (uint32_t r = 0; r < TENSOR_ROWS; r++)
        any_bad |= bad_row[r];
    for (uint32_t n = 0; n < wide; n++)
        any_bad |= bad_col[n];
    for (uint32_t n0 = 0; n0 < wide; n0 += TENSOR_CHUNK)
        for (uint32_t r = 0; r < TENSOR_ROWS; r++)
            for (uint32_t k0 = 0; k0 < t->k; k0 += t->step) {
                double out[TENSOR_CHUNK];
                uint32_t *c = &t->c[r][n0], before[TENSOR_CHUNK];
                dot_chunk(t, &a[r], &b, k0, n0, c, out);
                memcpy(before, c, sizeof before);
                uint32_t bad = any_bad;
                for (size_t i = 0; i < TENSOR_CHUNK; i++) {
                    bad |= accumulator_special(before[i], t->half_result);
                    c[i] = t->half_result ? result_f16(out[i]) : result_f32(out[i]) & mask;
                }
                for (uint32_t i = 0; bad && i < TENSOR_CHUNK; i++)
                    if (bad_row[r] || bad_col[n0 + i] || accumulator_special(before[i], t->half_result))
                        c[i] = result_special(t, r, n0 + i, k0, before[i]);
            }
}
