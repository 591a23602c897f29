// The double math library, with arguments that take its slow paths.
#include "common.cuh"

KERNEL trig64(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    double x = awkward64(scramble(in[t]), in[t]), s, c;
    h = mix(h, sin(x)), h = mix(h, cos(x)), h = mix(h, tan(x));
    sincos(x * 1048576.0, &s, &c);
    h = mix(h, s), h = mix(h, c), h = mix(h, sinpi(x)), h = mix(h, cospi(x));
    h = mix(h, asin(x)), h = mix(h, acos(x)), h = mix(h, atan(x)), h = mix(h, atan2(x, s));
    out[t] = h;
}
KERNEL exponentials64(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    double x = awkward64(scramble(in[t]), in[t]), y = awkward64(scramble(in[t] + 1), in[t] >> 4);
    h = mix(h, exp(x)), h = mix(h, exp2(x)), h = mix(h, exp10(x)), h = mix(h, expm1(x));
    h = mix(h, log(x)), h = mix(h, log2(x)), h = mix(h, log10(x)), h = mix(h, log1p(x)), h = mix(h, logb(x));
    h = mix(h, pow(x, y)), h = mix(h, pow(fabs(x), y * 0.25));
    h = mix(h, sinh(x)), h = mix(h, cosh(x)), h = mix(h, tanh(x)), h = mix(h, asinh(x)), h = mix(h, acosh(x)), h = mix(h, atanh(x));
    out[t] = h;
}
KERNEL specials64(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    double x = awkward64(scramble(in[t]), in[t]);
    h = mix(h, erf(x)), h = mix(h, erfc(x)), h = mix(h, erfinv(x)), h = mix(h, erfcx(x));
    h = mix(h, lgamma(x)), h = mix(h, tgamma(x)), h = mix(h, normcdf(x));
    out[t] = h;
}
KERNEL roots64(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    for (u32 i = 0; i < 1; i++) {
        double x = awkward64(scramble(in[t] + i), in[t]), y = awkward64(scramble(in[t] - i), in[t] >> 4), z = awkward64(in[t], scramble(in[t] + 7)), w;
        int e;
        h = mix(h, x / y), h = mix(h, 1.0 / x), h = mix(h, sqrt(x)), h = mix(h, rsqrt(x)), h = mix(h, cbrt(x)), h = mix(h, rcbrt(x));
        h = mix(h, __ddiv_rd(x, y)), h = mix(h, __ddiv_ru(x, y)), h = mix(h, __ddiv_rz(x, y)), h = mix(h, __dsqrt_rd(x)), h = mix(h, __dsqrt_ru(x)), h = mix(h, __drcp_rz(x));
        h = mix(h, hypot(x, y)), h = mix(h, norm3d(x, y, z)), h = mix(h, fmod(x, y)), h = mix(h, remainder(x, y)), h = mix(h, remquo(x, y, &e)), h = mix(h, e);
        h = mix(h, frexp(x, &e)), h = mix(h, e), h = mix(h, ldexp(x, (int)(in[t] >> 21) - 1024)), h = mix(h, ilogb(x)), h = mix(h, modf(x, &w)), h = mix(h, w);
        h = mix(h, nextafter(x, y)), h = mix(h, fdim(x, y)), h = mix(h, fma(x, y, z)), h = mix(h, copysign(x, y)), h = mix(h, fmin(x, y)), h = mix(h, fmax(x, y));
        h = mix(h, round(x)), h = mix(h, rint(x)), h = mix(h, trunc(x)), h = mix(h, ceil(x)), h = mix(h, floor(x)), h = mix(h, llrint(x));
        h = mix(h, __dadd_rd(x, y)), h = mix(h, __dmul_ru(x, y)), h = mix(h, __fma_rz(x, y, z)), h = mix(h, isnan(x) + 2 * (x < y) + 4 * (x >= z) + 8 * (y != z));
    }
    out[t] = h;
}
// Compensated and double-double sums: every rounding counts
KERNEL compensated(const u32 *in, u64 *out)
{
    u32 t = THREAD;
    double sum = 0, low = 0, prod = 1, plow = 0;
    for (u32 i = 0; i < 64; i++) {
        double x = awkward64(scramble(in[t] + i) & 0x3fffffff | 0x20000000, scramble(i) | 8);
        double s = sum + x, b = s - sum;
        low += (sum - (s - b)) + (x - b);
        sum = s;
        double y = 1.0 + x * 0x1p-900, p = prod * y;
        plow = fma(prod, y, -p) + plow * y;
        prod = p;
    }
    out[t] = (u64)__double_as_longlong(sum + low) ^ (u64)__double_as_longlong(prod + plow) * 3;
}
