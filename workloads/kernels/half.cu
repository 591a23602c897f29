// Half, bfloat16 and fp8: arithmetic, functions, conversions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include "common.cuh"

__device__ u32 mix(u32 h, __half v) { return mix(h, (u32)__half_as_ushort(v)); }
__device__ u32 mix(u32 h, __half2 v) { return mix(h, *(u32 *)&v); }
__device__ u32 mix(u32 h, __nv_bfloat16 v) { return mix(h, (u32)__bfloat16_as_ushort(v)); }
__device__ u32 mix(u32 h, __nv_bfloat162 v) { return mix(h, *(u32 *)&v); }

KERNEL half_functions(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    for (u32 i = 0; i < 4; i++) {
        u32 r = scramble(in[t] + i);
        __half x = __ushort_as_half((u16)r), y = __ushort_as_half((u16)(r >> 16));
        __half2 v = *(__half2 *)&r;
        h = mix(h, hexp(x)), h = mix(h, hexp2(x)), h = mix(h, hexp10(x)), h = mix(h, hlog(x)), h = mix(h, hlog2(x)), h = mix(h, hlog10(x));
        h = mix(h, hsin(x)), h = mix(h, hcos(x)), h = mix(h, hsqrt(x)), h = mix(h, hrsqrt(x)), h = mix(h, hrcp(x)), h = mix(h, htanh(x)), h = mix(h, htanh_approx(x));
        h = mix(h, __hdiv(x, y)), h = mix(h, hceil(x)), h = mix(h, hfloor(x)), h = mix(h, hrint(x)), h = mix(h, htrunc(x));
        h = mix(h, h2exp(v)), h = mix(h, h2log(v)), h = mix(h, h2sin(v)), h = mix(h, h2sqrt(v)), h = mix(h, h2rcp(v)), h = mix(h, h2tanh(v)), h = mix(h, h2exp2(v));
        h = mix(h, __half2int_rn(x)), h = mix(h, __half2uint_rz(x)), h = mix(h, __half2ll_rd(x)), h = mix(h, (int)__half2short_ru(x)), h = mix(h, __int2half_rn((int)r)), h = mix(h, __uint2half_rz(r)), h = mix(h, __ll2half_ru((i64)r << 8));
        h = mix(h, __short2half_rn((short)r)), h = mix(h, __double2half(awkward64(r, r >> 3))), h = mix(h, __float2half_rd(awkward(r))), h = mix(h, __float2half_ru(awkward(r))), h = mix(h, __float2half_rz(awkward(r)));
    }
    out[t] = h;
}
KERNEL half_arithmetic(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    for (u32 i = 0; i < 8; i++) {
        u32 r = scramble(in[t] + i), s = scramble(r), q = scramble(s);
        if (i & 1)
            s = (s & 0x83ff83ff) | 0x04000400, r &= 0xbfffbfff; // denormals near
        __half2 x = *(__half2 *)&r, y = *(__half2 *)&s, z = *(__half2 *)&q;
        h = mix(h, __hadd2(x, y)), h = mix(h, __hsub2(x, y)), h = mix(h, __hmul2(x, y)), h = mix(h, __hfma2(x, y, z)), h = mix(h, __hfma2_relu(x, y, z)), h = mix(h, __hfma2_sat(x, y, z));
        h = mix(h, __hadd2_sat(x, y)), h = mix(h, __hmul2_sat(x, y)), h = mix(h, __hneg2(x)), h = mix(h, __habs2(x)), h = mix(h, __h2div(x, y));
        h = mix(h, __hmin2(x, y)), h = mix(h, __hmax2(x, y)), h = mix(h, __hmin2_nan(x, y)), h = mix(h, __hmax2_nan(x, y)), h = mix(h, __hcmadd(x, y, z));
        h = mix(h, __heq2(x, y)), h = mix(h, __hlt2(x, y)), h = mix(h, __hgeu2(x, y)), h = mix(h, __hne2_mask(x, y)), h = mix(h, __hgt2_mask(x, y)), h = mix(h, (u32)__hbeq2(x, x) + 2 * (u32)__hble2(x, y) + 4 * (u32)__hbltu2(x, y));
        h = mix(h, __low2half(x) + __high2half(y)), h = mix(h, __lows2half2(x, y)), h = mix(h, __highs2half2(x, y)), h = mix(h, __lowhigh2highlow(x)), h = mix(h, (u32)(__low2half(x) < __high2half(y)));
        h = mix(h, __hfma(__low2half(x), __high2half(y), __low2half(z))), h = mix(h, __hmul(__low2half(x), __low2half(y))), h = mix(h, __hisnan2(x));
        float2 f = __half22float2(x);
        h = mix(h, f.x), h = mix(h, f.y), h = mix(h, __floats2half2_rn(awkward(r), awkward(s)));
    }
    out[t] = h;
}
KERNEL bfloat(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    for (u32 i = 0; i < 6; i++) {
        u32 r = scramble(in[t] + i), s = scramble(r), q = scramble(s);
        __nv_bfloat162 x = *(__nv_bfloat162 *)&r, y = *(__nv_bfloat162 *)&s, z = *(__nv_bfloat162 *)&q;
        __nv_bfloat16 a = __low2bfloat16(x), b = __high2bfloat16(y);
        h = mix(h, __hadd2(x, y)), h = mix(h, __hsub2(x, y)), h = mix(h, __hmul2(x, y)), h = mix(h, __hfma2(x, y, z)), h = mix(h, __hfma2_relu(x, y, z)), h = mix(h, __h2div(x, y));
        h = mix(h, __hmin2(x, y)), h = mix(h, __hmax2_nan(x, y)), h = mix(h, __hlt2(x, y)), h = mix(h, __hgeu2_mask(x, y)), h = mix(h, __hneg2(x)), h = mix(h, __habs2(y));
        h = mix(h, hexp(a)), h = mix(h, hlog(a)), h = mix(h, hsin(a)), h = mix(h, hcos(b)), h = mix(h, hsqrt(a)), h = mix(h, hrcp(b)), h = mix(h, hrsqrt(a)), h = mix(h, htanh(a)), h = mix(h, hexp2(a)), h = mix(h, hlog10(a));
        h = mix(h, __hdiv(a, b)), h = mix(h, hrint(a)), h = mix(h, hfloor(b)), h = mix(h, __bfloat162int_rn(a)), h = mix(h, __bfloat162ull_rz(b)), h = mix(h, __int2bfloat16_rn((int)r)), h = mix(h, __ull2bfloat16_rd((u64)r * s));
        h = mix(h, __float2bfloat16_rz(awkward(r))), h = mix(h, __float2bfloat16_ru(awkward(r))), h = mix(h, __double2bfloat16(awkward64(r, s))), h = mix(h, __floats2bfloat162_rn(awkward(r), awkward(s)));
    }
    out[t] = h;
}
KERNEL fp8(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    for (u32 i = 0; i < 8; i++) {
        u32 r = scramble(in[t] + i);
        float x = awkward(r), y = __uint_as_float(0x3b000000u + (r & 0x87ffffffu));
        float2 p = make_float2(y, x);
        h = mix(h, (u32)__nv_cvt_float_to_fp8(y, __NV_SATFINITE, __NV_E4M3)), h = mix(h, (u32)__nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E4M3));
        h = mix(h, (u32)__nv_cvt_float_to_fp8(y, __NV_SATFINITE, __NV_E5M2)), h = mix(h, (u32)__nv_cvt_float2_to_fp8x2(p, __NV_SATFINITE, __NV_E5M2)), h = mix(h, (u32)__nv_cvt_float2_to_fp8x2(p, __NV_SATFINITE, __NV_E4M3));
        h = mix(h, (u32)__nv_cvt_double_to_fp8((double)y * 1.0000001, __NV_SATFINITE, __NV_E4M3)), h = mix(h, (u32)__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{(u16)r}, __NV_NOSAT, __NV_E5M2));
        h = mix(h, (u32)__nv_cvt_halfraw_to_fp8(__half_raw{(u16)r}, __NV_SATFINITE, __NV_E4M3)), h = mix(h, (u32)__nv_cvt_halfraw2_to_fp8x2(__half2_raw{(u16)r, (u16)(r >> 16)}, __NV_SATFINITE, __NV_E5M2));
        __half_raw a = __nv_cvt_fp8_to_halfraw((u8)r, __NV_E4M3), b = __nv_cvt_fp8_to_halfraw((u8)r, __NV_E5M2);
        __half2_raw c = __nv_cvt_fp8x2_to_halfraw2((u16)r, __NV_E4M3), d = __nv_cvt_fp8x2_to_halfraw2((u16)(r >> 8), __NV_E5M2);
        h = mix(h, a.x | (u32)b.x << 16), h = mix(h, c.x | (u32)c.y << 16), h = mix(h, d.x | (u32)d.y << 16);
        __nv_fp8_e4m3 e(y);
        __nv_fp8x4_e5m2 f(make_float4(x, y, x * 0.5f, y * 0.25f));
        float4 g = float4(f);
        h = mix(h, float(e)), h = mix(h, g.x), h = mix(h, g.w), h = mix(h, (int)__nv_fp8_e5m2((int)(r >> 20)).__x), h = mix(h, (int)e);
    }
    out[t] = h;
}
// GeLU, softmax and layer norm of rows of halves, as networks use them
KERNEL activations(const __half2 *in, __half2 *out)
{
    __shared__ float part[8];
    u32 row = blockIdx.x, t = threadIdx.x;
    float2 v = __half22float2(in[row * 256 + t]);
    float s = v.x + v.y, m = fmaxf(v.x, v.y);
    for (int i = 16; i; i /= 2) {
        s += __shfl_xor_sync(~0u, s, i);
        m = fmaxf(m, __shfl_xor_sync(~0u, m, i));
    }
    if (t % 32 == 0)
        part[t / 32] = s;
    __syncthreads();
    float mean = 0;
    for (int i = 0; i < 8; i++)
        mean += part[i];
    mean *= 1.0f / 512;
    float a = v.x - mean, b = v.y - mean, var = a * a + b * b;
    for (int i = 16; i; i /= 2)
        var += __shfl_xor_sync(~0u, var, i);
    a *= rsqrtf(var / 64 + 1e-5f);
    b *= rsqrtf(var / 64 + 1e-5f);
    a = 0.5f * a * (1 + erff(a * 0.70710678f));
    b = 0.5f * b * (1 + tanhf(0.79788456f * (b + 0.044715f * b * b * b)));
    out[row * 256 + t] = __floats2half2_rn(a / (1 + __expf(-m)), b * __expf(v.x - m));
}
