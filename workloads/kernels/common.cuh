// What the kernels of this folder share.
#pragma once
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

// A cheap way to look at many values: order matters, every bit matters.
__device__ __forceinline__ u32 mix(u32 h, u32 v)
{
    h = (h ^ v) * 0x9e3779b1u;
    return h ^ h >> 15;
}
__device__ __forceinline__ u32 mix(u32 h, u64 v) { return mix(mix(h, (u32)v), (u32)(v >> 32)); }
__device__ __forceinline__ u32 mix(u32 h, float v) { return mix(h, __float_as_uint(v)); }
__device__ __forceinline__ u32 mix(u32 h, double v) { return mix(h, (u64)__double_as_longlong(v)); }
__device__ __forceinline__ u32 mix(u32 h, int v) { return mix(h, (u32)v); }
__device__ __forceinline__ u32 mix(u32 h, i64 v) { return mix(h, (u64)v); }

// Hash of a counter: numbers without a buffer.
__device__ __forceinline__ u32 scramble(u32 x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// A random pattern in which awkward numbers are frequent: zeros, infinities, NaNs, denormals, powers of two, near 1.
__device__ __forceinline__ u32 awkward32(u32 r)
{
    switch (r & 15) {
    case 0: return r & 0x80000000u;
    case 1: return r | 0x7f800000u;                          // NaN, infinity
    case 2: return (r & 0x80000000u) | 0x7f800000u;
    case 3: return r & 0x807fffffu;                          // denormal
    case 4: return (r & 0x80ffffffu) | 0x00800000u;          // smallest exponents
    case 5: return (r & 0x80ffffffu) | 0x7e000000u;          // largest
    case 6: return (r & 0x8000000fu) | 0x3f800000u;          // near 1
    case 7: return r & 0xff800000u;                          // powers of two
    case 8: case 9: case 10: return (r & 0x83ffffffu) | 0x3e000000u; // moderate
    default: return r;
    }
}
__device__ __forceinline__ float awkward(u32 r) { return __uint_as_float(awkward32(r)); }
__device__ __forceinline__ double awkward64(u32 r, u32 s)
{
    u64 v = (u64)r << 32 | s, sign = v & 0x8000000000000000ull, low = v & 0x000fffffffffffffull;
    switch (s & 15) {
    case 0: v = sign; break;
    case 1: v |= 0x7ff0000000000000ull; break;
    case 2: v = sign | 0x7ff0000000000000ull; break;
    case 3: v = sign | low; break;
    case 4: v = sign | low | 0x0010000000000000ull; break;
    case 5: v = sign | low | 0x7fe0000000000000ull; break;
    case 6: v = sign | 0x3ff0000000000000ull | (low & 15); break;
    case 7: v = sign | (v & 0x7ff0000000000000ull); break;
    case 8: case 9: case 10: case 11: v = sign | low | 0x3f80000000000000ull | (v & 0x0070000000000000ull); break;
    default: break;
    }
    return __longlong_as_double((i64)v);
}
