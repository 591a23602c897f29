// The float math library, with arguments that take its slow paths.
#include "common.cuh"

// Arguments up to 2^127: reduction by a table of 2/pi in local memory
KERNEL trig(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    for (u32 i = 0; i < 3; i++) {
        float x = awkward(scramble(in[t] + i)), s, c;
        h = mix(h, sinf(x)), h = mix(h, cosf(x)), h = mix(h, tanf(x));
        sincosf(x * 1048576.0f, &s, &c);
        h = mix(h, s), h = mix(h, c);
        h = mix(h, sinpif(x)), h = mix(h, cospif(x));
        h = mix(h, __sinf(x)), h = mix(h, __cosf(x)), h = mix(h, __tanf(x));
        h = mix(h, asinf(x)), h = mix(h, acosf(x)), h = mix(h, atanf(x)), h = mix(h, atan2f(x, s));
    }
    out[t] = h;
}
KERNEL exponentials(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    for (u32 i = 0; i < 3; i++) {
        float x = awkward(scramble(in[t] + i)), y = awkward(scramble(in[t] - i));
        h = mix(h, expf(x)), h = mix(h, exp2f(x)), h = mix(h, exp10f(x)), h = mix(h, expm1f(x));
        h = mix(h, logf(x)), h = mix(h, log2f(x)), h = mix(h, log10f(x)), h = mix(h, log1pf(x)), h = mix(h, logbf(x));
        h = mix(h, powf(x, y)), h = mix(h, powf(fabsf(x), y * 0.25f));
        h = mix(h, sinhf(x)), h = mix(h, coshf(x)), h = mix(h, tanhf(x)), h = mix(h, asinhf(x)), h = mix(h, acoshf(x)), h = mix(h, atanhf(x));
        h = mix(h, __expf(x)), h = mix(h, __logf(x)), h = mix(h, __powf(x, y)), h = mix(h, __exp10f(x));
    }
    out[t] = h;
}
KERNEL specials(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    float x = awkward(scramble(in[t]));
    h = mix(h, erff(x)), h = mix(h, erfcf(x)), h = mix(h, erfinvf(x)), h = mix(h, erfcinvf(x)), h = mix(h, erfcxf(x));
    h = mix(h, lgammaf(x)), h = mix(h, tgammaf(x)), h = mix(h, normcdff(x)), h = mix(h, normcdfinvf(x));
    h = mix(h, j0f(x)), h = mix(h, j1f(x)), h = mix(h, y0f(x)), h = mix(h, y1f(x)), h = mix(h, jnf(3, x)), h = mix(h, cyl_bessel_i0f(x));
    out[t] = h;
}
KERNEL roots(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    for (u32 i = 0; i < 4; i++) {
        float x = awkward(scramble(in[t] + i)), y = awkward(scramble(in[t] - i)), z = awkward(in[t]), w;
        int e;
        h = mix(h, x / y), h = mix(h, 1.0f / x), h = mix(h, sqrtf(x)), h = mix(h, rsqrtf(x)), h = mix(h, cbrtf(x)), h = mix(h, rcbrtf(x));
        h = mix(h, __fdiv_rd(x, y)), h = mix(h, __fdiv_ru(x, y)), h = mix(h, __fdiv_rz(x, y)), h = mix(h, __fdividef(x, y));
        h = mix(h, __fsqrt_rd(x)), h = mix(h, __fsqrt_ru(x)), h = mix(h, __fsqrt_rz(x)), h = mix(h, __frcp_rd(x)), h = mix(h, __frcp_ru(x)), h = mix(h, __frcp_rz(x));
        h = mix(h, hypotf(x, y)), h = mix(h, rhypotf(x, y)), h = mix(h, norm3df(x, y, z)), h = mix(h, rnorm4df(x, y, z, x));
        h = mix(h, fmodf(x, y)), h = mix(h, remainderf(x, y)), h = mix(h, remquof(x, y, &e)), h = mix(h, e);
        h = mix(h, frexpf(x, &e)), h = mix(h, e), h = mix(h, ldexpf(x, (int)(in[t] >> 24) - 128)), h = mix(h, ilogbf(x)), h = mix(h, modff(x, &w)), h = mix(h, w);
        h = mix(h, nextafterf(x, y)), h = mix(h, fdimf(x, y)), h = mix(h, fmaf(x, y, z)), h = mix(h, copysignf(x, y)), h = mix(h, scalblnf(x, 20));
        h = mix(h, roundf(x)), h = mix(h, rintf(x)), h = mix(h, truncf(x)), h = mix(h, ceilf(x)), h = mix(h, floorf(x)), h = mix(h, llrintf(x)), h = mix(h, (i64)lroundf(x));
        h = mix(h, fminf(x, y)), h = mix(h, fmaxf(x, y)), h = mix(h, __saturatef(x)), h = mix(h, isnan(x) + 2 * isinf(x) + 4 * isfinite(y) + 8 * signbit(y));
        h = mix(h, __fadd_rd(x, y)), h = mix(h, __fmul_ru(x, y)), h = mix(h, __fmaf_rz(x, y, z)), h = mix(h, __fmaf_rd(x, y, z)), h = mix(h, __frsqrt_rn(x));
    }
    out[t] = h;
}
// Conversions between all widths, saturating at the ends
KERNEL casts(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    for (u32 i = 0; i < 4; i++) {
        u32 r = scramble(in[t] + i);
        float x = awkward(r);
        double d = awkward64(r, scramble(r));
        h = mix(h, (int)x), h = mix(h, (u32)x), h = mix(h, (i64)x), h = mix(h, (u64)x), h = mix(h, (int)(short)(int)x), h = mix(h, (u32)(u8)(int)x), h = mix(h, (int)(signed char)(int)x);
        h = mix(h, (int)d), h = mix(h, (u32)d), h = mix(h, (i64)d), h = mix(h, (u64)d), h = mix(h, (float)d), h = mix(h, (double)x);
        h = mix(h, (float)r), h = mix(h, (float)(int)r), h = mix(h, (float)((u64)r << 17)), h = mix(h, (float)((i64)r * -77)), h = mix(h, (double)r), h = mix(h, (double)(int)r), h = mix(h, (double)((u64)r * r)), h = mix(h, (double)-(i64)((u64)r * r));
        h = mix(h, __float2int_rd(x)), h = mix(h, __float2uint_ru(x)), h = mix(h, __float2int_rn(x)), h = mix(h, __float2ll_ru(x)), h = mix(h, __float2ull_rd(x));
        h = mix(h, __double2float_rd(d)), h = mix(h, __double2float_ru(d)), h = mix(h, __double2float_rz(d)), h = mix(h, __double2int_ru(d)), h = mix(h, __double2ll_rd(d)), h = mix(h, __double2ull_rn(d));
        h = mix(h, __int2float_rz((int)r)), h = mix(h, __uint2float_ru(r)), h = mix(h, __ll2float_rd((i64)r * r)), h = mix(h, __ull2double_rz((u64)r * r + 1)), h = mix(h, __ull2float_ru((u64)r * r));
        h = mix(h, (float)(short)r), h = mix(h, (float)(u16)r), h = mix(h, (float)(signed char)r), h = mix(h, (float)(u8)(r >> 8)), h = mix(h, (double)(u8)(r >> 16)), h = mix(h, (double)(short)(r >> 16));
        h = mix(h, __double2hiint(d) ^ __double2loint(d)), h = mix(h, __hiloint2double((int)r, (int)h));
    }
    out[t] = h;
}
