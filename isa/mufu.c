/* The function unit, correctly rounded; denormal inputs and results are flushed as the hardware does. */
#include "isa/float.h"
#include "isa/mufu.h"

static const double two_pi = 6.283185307179586476925286766559;

static double function_value(uint32_t fn, double x)
{
    switch (fn) {
    case MUFU_COS: x -= rint(x); return (double)cosl((long double)x * (long double)two_pi);
    case MUFU_SIN: x -= rint(x); return (double)sinl((long double)x * (long double)two_pi);
    case MUFU_EX2: return exp2(x);
    case MUFU_LG2: return log2(x);
    case MUFU_RCP: return 1.0 / x;
    case MUFU_RSQ: return (double)(1.0L / sqrtl((long double)x));
    case MUFU_SQRT: return sqrt(x);
    case MUFU_TANH: return tanh(x);
    default: return 0;
    }
}

/* RCP64H, RSQ64H: high word of a double in and out. */
static uint32_t function_64h(uint32_t fn, uint32_t x)
{
    double d = f64_of((uint64_t)x << 32);
    if ((x & 0x7fffffffu) > 0x7ff00000u)
        return 0x7fffffffu;
    if (!(x & 0x7ff00000u)) /* zero or denormal: flushed */
        return (x & 0x80000000u) | 0x7ff00000u;
    if (fn == MUFU_RSQ64H && x >> 31)
        return x == 0xfff00000u ? 0xfff80000u : 0xfff80000u;
    double r = fn == MUFU_RCP64H ? 1.0 / d : 1.0 / sqrt(d);
    uint64_t u = f64_bits(r);
    if (!(u & 0x7ff0000000000000u))
        return (uint32_t)(u >> 32) & 0x80000000u;
    return (uint32_t)((u + 0x80000000u) >> 32);
}

uint32_t mufu(uint32_t fn, uint32_t x)
{
    if (fn == MUFU_RCP64H || fn == MUFU_RSQ64H)
        return function_64h(fn, x);
    if (fn >= MUFU_COUNT)
        return 0;
    x = f32_flush(x);
    float v = f32_of(x);
    if (v != v || ((fn == MUFU_SIN || fn == MUFU_COS) && isinf(v)))
        return F32_NAN;
    if (fn == MUFU_SQRT && v == 0)
        return x;
    return f32_finish((float)function_value(fn, (double)v), true, false);
}

/* A narrow result is the function of the widened source, rounded once. */
uint32_t mufu_f16(uint32_t fn, uint32_t x)
{
    double v = (double)f16_value(x & 0xffff);
    if (v != v || ((fn == MUFU_SIN || fn == MUFU_COS) && isinf(v)))
        return F16_NAN;
    return f16_round(f32_round_odd(function_value(fn, v)));
}
uint32_t mufu_bf16(uint32_t fn, uint32_t x)
{
    double v = (double)bf16_value(x & 0xffff);
    return v != v ? (uint32_t)F16_NAN : bf16_round(f32_round_odd(function_value(fn, v)));
}

bool mufu_approximate(uint32_t fn) { return fn < MUFU_COUNT; }
