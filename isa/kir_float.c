/* Floating immediates of KIR text: the number's text and its bits. */
#include "isa/kir.h"

#include <math.h>
#include <string.h>

static bool special(const char *text, uint32_t bits_inf, uint32_t quiet, uint32_t sign, uint32_t *bits)
{
    const char *p = text + (*text == '+' || *text == '-');
    uint32_t v;
    if (strcmp(p, "INF") == 0)
        v = bits_inf;
    else if (strcmp(p, "QNAN") == 0)
        v = bits_inf | quiet;
    else
        return false;
    *bits = *text == '-' ? v | sign : v;
    return true;
}

/* A half that is exactly v, or false. */
static bool half_bits(double v, uint32_t *bits)
{
    double m = fabs(v);
    uint32_t sign = signbit(v) ? 0x8000 : 0;
    int e;
    if (m == 0) {
        *bits = sign;
        return true;
    }
    frexp(m, &e);
    int exponent = e - 1 < -14 ? -14 : e - 1;
    double scaled = ldexp(m, 10 - exponent);
    if (exponent > 15 || scaled != floor(scaled) || scaled >= 2048)
        return false;
    uint32_t fraction = (uint32_t)scaled;
    *bits = sign | (fraction < 1024 ? fraction : (uint32_t)(exponent + 15) << 10 | (fraction - 1024));
    return true;
}

static bool f32_bits(double v, uint32_t *bits)
{
    float f = (float)v; /* a decimal text rounds to the nearest float, as in C */
    if (isinf(f))
        return false;
    memcpy(bits, &f, sizeof *bits);
    return true;
}

static bool f64_high(double v, uint32_t *bits)
{
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    *bits = (uint32_t)(u >> 32);
    return (uint32_t)u == 0;
}

bool kir_float_bits(enum item_kind kind, bool bfloat, const char *text, uint32_t *bits)
{
    double v;
    if (kind == IT_F32 && special(text, 0x7f800000, 0x400000, 0x80000000, bits))
        return true;
    if (kind == IT_F64 && special(text, 0x7ff00000, 0x80000, 0x80000000, bits))
        return true;
    if (kind == IT_HALF2 &&
        (bfloat ? special(text, 0x7f80, 0x40, 0x8000, bits) : special(text, 0x7c00, 0x200, 0x8000, bits)))
        return true;
    if (!parse_f64(*text == '+' ? text + 1 : text, &v) || !isfinite(v))
        return false;
    switch (kind) {
    case IT_F32:
        return f32_bits(v, bits);
    case IT_F64:
        return f64_high(v, bits);
    default:
        break;
    }
    if (!bfloat)
        return half_bits(v, bits);
    uint32_t whole;
    if (!f32_bits(v, &whole) || (whole & 0xffff))
        return false;
    *bits = whole >> 16;
    return true;
}
