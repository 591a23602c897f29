/* Floating-point rules of the machine, one value at a time: canonical NaN, flushing, saturation, narrow formats.
 * Everything is branch-free where it is hot, so that loops over lanes vectorise. NaN, saturation and min/max rules:
 * as published measurements on sm_89 have them; tests/t_exec_gpu compares with a real GPU. */
#ifndef HEDDLE_ISA_FLOAT_H
#define HEDDLE_ISA_FLOAT_H

#include <math.h>

#include "isa/exec.h"

enum { F32_NAN = 0x7fffffff, F32_INF = 0x7f800000, F16_NAN = 0x7fff };
enum round_mode { ROUND_NEAREST, ROUND_DOWN, ROUND_UP, ROUND_ZERO }; /* MOD_RND's values */

SPECIALISED bool f32_isnan(uint32_t u)
{
    return (u & 0x7fffffffu) > F32_INF;
}
SPECIALISED uint32_t f32_flush(uint32_t u)
{
    return u & 0x7f800000u ? u : u & 0x80000000u;
}
SPECIALISED uint32_t f32_flush_if(uint32_t u, bool ftz)
{
    return ftz ? f32_flush(u) : u;
}
/* What an arithmetic unit writes: any NaN is the canonical one; SAT clamps to [0,1], NaN to +0. */
SPECIALISED uint32_t f32_finish(float f, bool ftz, bool sat)
{
    uint32_t u = f32_bits(f);
    bool nan = f32_isnan(u);
    if (ftz)
        u = f32_flush(u);
    if (sat) {
        u = (int32_t)u <= 0 ? 0 : u; /* negative, -0, +0 */
        u = u > 0x3f800000u ? 0x3f800000u : u;
        return nan ? 0 : u;
    }
    return nan ? F32_NAN : u;
}
/* Orders all values, -0 below +0, as signed integers. */
SPECIALISED int32_t f32_key(uint32_t u)
{
    return (int32_t)(u ^ ((uint32_t)((int32_t)u >> 31) & 0x7fffffffu));
}
SPECIALISED uint32_t f32_minmax(uint32_t a, uint32_t b, bool min, bool nan_wins)
{
    bool na = f32_isnan(a), nb = f32_isnan(b);
    uint32_t r = (f32_key(a) < f32_key(b)) == min ? a : b;
    r = na ? b : nb ? a : r;
    return (na && nb) || (nan_wins && (na || nb)) ? F32_NAN : r;
}
/* Compare codes are sets of outcomes: 1 less, 2 equal, 4 greater, 8 unordered. */
SPECIALISED bool f32_compare(uint32_t cmp, float a, float b)
{
    return (cmp & 1 && a < b) | (cmp & 2 && a == b) | (cmp & 4 && a > b) | (cmp & 8 && (a != a || b != b));
}

/* ---- half ----------------------------------------------------------------------------------------------------- */
SPECIALISED float f16_value(uint32_t h)
{
    uint32_t sign = (h & 0x8000) << 16, em = h & 0x7fff;
    uint32_t normal = (em << 13) + 0x38000000u, special = (em << 13) + 0x70000000u;
    uint32_t tiny = f32_bits((float)(int32_t)em * 0x1p-24f);
    uint32_t u = em < 0x400 ? tiny : em < 0x7c00 ? normal : special;
    return f32_of(u | sign);
}
/* Round to nearest even; NaN is canonical. */
SPECIALISED uint32_t f16_round(float f)
{
    uint32_t x = f32_bits(f), a = x & 0x7fffffffu, sign = x >> 16 & 0x8000;
    uint32_t normal = (a - 0x38000000u + 0xfff + (a >> 13 & 1)) >> 13;
    uint32_t tiny = f32_bits(f32_of(a < 0x38800000u ? a : 0) + 0.5f) - 0x3f000000u;
    uint32_t r = a < 0x38800000u ? tiny : a >= 0x47800000u ? 0x7c00 : normal;
    return a > F32_INF ? (uint32_t)F16_NAN : r | sign;
}
SPECIALISED uint32_t f16_flush(uint32_t h)
{
    return h & 0x7c00 ? h : h & 0x8000;
}

/* ---- bfloat16 -------------------------------------------------------------------------------------------------- */
SPECIALISED float bf16_value(uint32_t h)
{
    return f32_of(h << 16);
}
SPECIALISED uint32_t bf16_round(float f)
{
    uint32_t x = f32_bits(f);
    return f32_isnan(x) ? (uint32_t)F16_NAN : (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

/* Double to float rounded to odd, so that a second rounding to at most 22 bits is as if rounded once. */
SPECIALISED float f32_round_odd(double d)
{
    float f = (float)d;
    uint32_t u = f32_bits(f);
    bool inexact = (double)f != d && d == d;
    uint32_t toward = u - (fabs((double)f) > fabs(d) ? 1u : 0u);
    return inexact ? f32_of(toward | 1) : f;
}

/* Sum of two floats rounded to odd, neither near the largest: the rounding error of a + b is itself a float. */
SPECIALISED float f32_add_odd(float a, float b)
{
    float s = a + b, t = s - a, e = (a - (s - t)) + (b - t);
    uint32_t u = f32_bits(s);
    bool inexact = e < 0 || e > 0, past = (e < 0) != ((int32_t)u < 0); /* s lies beyond the exact sum */
    return inexact ? f32_of((u - (past ? 1u : 0u)) | 1) : s;
}

SPECIALISED double f64_add_odd(double a, double b)
{
    double s = a + b, t = s - a, e = (a - (s - t)) + (b - t);
    uint64_t u = f64_bits(s);
    bool inexact = e < 0 || e > 0, past = (e < 0) != ((int64_t)u < 0);
    return inexact ? f64_of((u - (past ? 1u : 0u)) | 1) : s;
}

/* General narrowing of a finite, infinite or NaN float to a format with the given fraction bits and minimum exponent,
 * any rounding mode: for the rarely used forms. Returns exponent and fraction without sign; `max` is the largest finite
 * pattern, `inf` what overflow gives. */
SPECIALISED uint32_t narrow_float(double d, uint32_t frac, int emin, uint32_t max, uint32_t inf, enum round_mode mode)
{
    double a = fabs(d);
    if (a == 0)
        return 0;
    if (isinf(a))
        return inf;
    int e = ilogb(a);
    if (e < emin)
        e = emin;
    double scaled = ldexp(a, (int)frac - e), whole = floor(scaled), rest = scaled - whole; /* exact: powers of two */
    bool neg = signbit(d), up = false;
    if (mode == ROUND_NEAREST)
        up = rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0);
    else if (mode != ROUND_ZERO)
        up = rest > 0 && (mode == ROUND_DOWN) == neg;
    uint64_t m = (uint64_t)whole + up;
    uint64_t r = ((uint64_t)(e - emin) << frac) + m; /* the hidden bit carries into the exponent */
    if (r <= max)
        return (uint32_t)r;
    bool to_inf = mode == ROUND_NEAREST || (mode != ROUND_ZERO && (mode == ROUND_DOWN) == neg);
    return to_inf ? inf : max;
}

/* ---- host rounding mode ---------------------------------------------------------------------------------------
 * For the directed modes a whole routine runs under the host's mode: its loads follow round_begin and its stores come
 * before round_end, since both may change memory as far as the compiler knows. */
uint32_t round_begin(enum round_mode mode);
void round_end(uint32_t saved);

/* The NaN that fma(a, b, c) gives: b's, else c's, else a's, quieted, with payload and sign (measured); else a generated one. */
SPECIALISED double f64_nan(double a, double b, double c)
{
    double x = b != b ? b : c != c ? c : a;
    return f64_of(x != x ? f64_bits(x) | (uint64_t)1 << 51 : (uint64_t)0xfff8 << 48);
}

#endif
