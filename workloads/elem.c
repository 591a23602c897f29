/* Element types of buffers: sizes, conversions, half formats with one rounding rule (nearest, ties to even). */
#include "workloads/workloads.h"

#include <math.h>
#include <string.h>

const char *const elem_names[ELEM_COUNT] = {
#define X(id, text, bytes) text,
    HEDDLE_ELEMS(X)
#undef X
};

uint32_t elem_bytes(enum elem t)
{
    static const uint8_t bytes_of[ELEM_COUNT] = {
#define X(id, text, bytes) bytes,
        HEDDLE_ELEMS(X)
#undef X
    };
    return bytes_of[t];
}

float f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000U) << 16, e = (h >> 10) & 31, m = h & 0x3ffU, bits;
    if (e == 31) {
        bits = sign | 0x7f800000U | m << 13;
    } else if (e != 0) {
        bits = sign | (e + 112) << 23 | m << 13;
    } else {
        float f = (float)m * 0x1p-24F; /* subnormal: exact */
        return sign ? -f : f;
    }
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

uint16_t f16_from_f32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000U);
    uint32_t a = bits & 0x7fffffffU;
    if (a > 0x7f800000U)
        return 0x7fff;    /* the hardware's canonical NaN */
    if (a >= 0x477ff000U) /* 65520 and above round to infinity */
        return sign | 0x7c00U;
    if (a < 0x38800000U) { /* result is subnormal: scale so that one unit is 1.0 and round */
        float x;
        memcpy(&x, &a, 4);
        return (uint16_t)(sign | (uint16_t)lrintf(x * 0x1p24F));
    }
    uint32_t r = a + 0xfffU + (a >> 13 & 1);
    return (uint16_t)(sign | (r - 0x38000000U) >> 13);
}

float bf16_to_f32(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

uint16_t bf16_from_f32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if ((bits & 0x7fffffffU) > 0x7f800000U)
        return 0x7fff;
    return (uint16_t)((bits + 0x7fffU + (bits >> 16 & 1)) >> 16);
}

/* One-byte floats: `frac` fraction bits, exponents of bias `bias`. What is too large becomes the largest number, as the
 * hardware's conversions do; e4m3 has no infinity and one NaN. */
struct tiny_float {
    int frac, bias;
    uint8_t largest, nan;
};
static const struct tiny_float e4m3 = {3, 7, 0x7e, 0x7f}, e5m2 = {2, 15, 0x7b, 0x7f};
static double tiny_value(struct tiny_float f, uint8_t u)
{
    int e = (u & 0x7f) >> f.frac, m = u & ((1 << f.frac) - 1);
    double v = (u & 0x7f) > f.largest ? (f.frac == 2 && m == 0 ? INFINITY : NAN)
               : e                    ? ldexp((1 << f.frac) + m, e - f.bias - f.frac)
                                      : ldexp(m, 1 - f.bias - f.frac);
    return u & 0x80 ? -v : v;
}
static uint8_t tiny_from(struct tiny_float f, double v)
{
    if (isnan(v))
        return f.nan;
    uint8_t sign = signbit(v) ? 0x80 : 0;
    double a = fabs(v);
    if (a >= tiny_value(f, f.largest))
        return sign | f.largest;
    int e = a > 0 ? ilogb(a) : 1 - f.bias;
    e = e < 1 - f.bias ? 1 - f.bias : e;
    uint32_t units =
        (uint32_t)rint(ldexp(a, f.frac - e)); /* to nearest, ties to even; a carry moves into the exponent */
    uint32_t u = ((uint32_t)(e + f.bias - 1) << f.frac) + units;
    return (uint8_t)(sign | (u > f.largest ? f.largest : u));
}

static int64_t to_i64(double v)
{
    v = rint(v);
    if (isnan(v))
        return 0;
    if (v >= 0x1p63)
        return v >= 0x1p64 ? -1 : (int64_t)(uint64_t)v; /* u64 beyond i64: same bits */
    return v <= -0x1p63 ? INT64_MIN : (int64_t)v;
}

void elem_put(enum elem t, void *data, uint64_t i, double v)
{
    uint32_t n = elem_bytes(t);
    uint8_t *at = (uint8_t *)data + i * n;
    float f = (float)v;
    uint16_t h;
    int64_t k;
    switch (t) {
    case ELEM_F64:
        memcpy(at, &v, 8);
        return;
    case ELEM_F32:
        memcpy(at, &f, 4);
        return;
    case ELEM_F16:
        h = f16_from_f32(f);
        memcpy(at, &h, 2);
        return;
    case ELEM_BF16:
        h = bf16_from_f32(f);
        memcpy(at, &h, 2);
        return;
    case ELEM_E4M3:
    case ELEM_E5M2:
        *at = tiny_from(t == ELEM_E4M3 ? e4m3 : e5m2, v);
        return;
    default:
        k = to_i64(v);
        memcpy(at, &k, n); /* low bytes: wraps */
    }
}

double elem_get(enum elem t, const void *data, uint64_t i)
{
    uint32_t n = elem_bytes(t);
    const uint8_t *at = (const uint8_t *)data + i * n;
    uint64_t u = 0;
    memcpy(&u, at, n);
    double d;
    float f;
    switch (t) {
    case ELEM_F64:
        memcpy(&d, at, 8);
        return d;
    case ELEM_F32:
        memcpy(&f, at, 4);
        return (double)f;
    case ELEM_F16:
        return (double)f16_to_f32((uint16_t)u);
    case ELEM_BF16:
        return (double)bf16_to_f32((uint16_t)u);
    case ELEM_E4M3:
        return tiny_value(e4m3, *at);
    case ELEM_E5M2:
        return tiny_value(e5m2, *at);
    case ELEM_I8:
        return (double)(int8_t)u;
    case ELEM_I16:
        return (double)(int16_t)u;
    case ELEM_I32:
        return (double)(int32_t)u;
    case ELEM_I64:
        return (double)(int64_t)u;
    default:
        return (double)u;
    }
}
