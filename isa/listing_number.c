/* Float immediates as the machine listing writes them: 20 significant digits, exponent form from
 * 10^9 on, +INF, -QNAN and the like, -0.0. */
#include "isa/encoding.h"

#include <math.h>
#include <string.h>

static void print_special(bool negative, bool inf, bool quiet, struct sb *out)
{
    sb_addf(out, "%c%s", negative ? '-' : '+', inf ? "INF" : quiet ? "QNAN" : "SNAN");
}

static void print_finite(double v, struct sb *out)
{
    if (v == 0)
        sb_add(out, signbit(v) ? "-0.0" : "0");
    else
        sb_addf(out, fabs(v) >= 1e9 ? "%.20e" : "%.20g", v);
}

void print_f32(uint32_t bits, struct sb *out)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    if ((bits & 0x7f800000) == 0x7f800000)
        print_special(bits >> 31, !(bits & 0x7fffff), bits >> 22 & 1, out);
    else
        print_finite(f, out);
}

void print_f64_high(uint32_t bits, struct sb *out)
{
    uint64_t whole = (uint64_t)bits << 32;
    double d;
    memcpy(&d, &whole, sizeof d);
    if ((bits & 0x7ff00000) == 0x7ff00000)
        print_special(bits >> 31, !(bits & 0xfffff), bits >> 19 & 1, out);
    else
        print_finite(d, out);
}

void print_half(uint16_t bits, bool bfloat, struct sb *out)
{
    if (bfloat) {
        print_f32((uint32_t)bits << 16, out);
        return;
    }
    unsigned exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    bool negative = bits >> 15;
    if (exponent == 0x1f) {
        print_special(negative, !fraction, fraction >> 9, out);
        return;
    }
    double v = exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24);
    print_finite(negative ? -v : v, out);
}
