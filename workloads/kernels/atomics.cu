// Atomics of all types and scopes. Sums of floats are of whole numbers, so their order does not matter.
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "common.cuh"

KERNEL integer_atomics(const u32 *in, u32 *words, u64 *longs, u32 *out)
{
    u32 t = THREAD, v = in[t], k = v & 15;
    atomicAdd(words + k, v), atomicSub(words + 16 + k, v), atomicMin(words + 32 + k, v), atomicMax(words + 48 + k, v);
    atomicMin((int *)words + 64 + k, (int)v), atomicMax((int *)words + 80 + k, (int)v), atomicAnd(words + 96 + k, v | 0xff), atomicOr(words + 112 + k, v & 0xff00ff), atomicXor(words + 128 + k, v);
    u32 a = atomicInc(words + 144 + k, 1000), b = atomicDec(words + 160 + k, 77);
    atomicAdd(words + 176, a <= 1000), atomicAdd(words + 177, b <= 77);
    atomicAdd(longs + k, (u64)v << 20), atomicMin(longs + 16 + k, (u64)v * v), atomicMax(longs + 32 + k, (u64)v * v), atomicMin((i64 *)longs + 48 + k, (i64)(int)v * v), atomicMax((i64 *)longs + 64 + k, (i64)(int)v << 9);
    atomicAnd(longs + 80 + k, (u64)v << 16 | 0xffff), atomicOr(longs + 96 + k, (u64)(v & 3) << 40), atomicXor(longs + 112 + k, (u64)v << 7);
    atomicAdd_block(words + 9216 + blockIdx.x * 16 + k, v), atomicAdd_system(words + 208 + k, v), atomicMax_system(longs + 128 + k, (u64)v << 3);
    out[t] = atomicExch(words + 1024 + t, v) + (u32)atomicExch(longs + 1024 + t, v) + atomicCAS(words + 1024 + (t ^ 0), v, 5);
}
// Compare and swap in 16, 32, 64 and 128 bits; loops of all lanes for one word
KERNEL swaps(const u32 *in, u32 *words, u16 *halves, u64 *longs, ulonglong2 *quads)
{
    u32 t = THREAD, v = in[t], k = v & 7;
    for (u32 old = words[k], seen; (seen = atomicCAS(words + k, old, old + (v | 1))) != old; old = seen) // a sum
        ;
    for (u16 old = halves[k], seen; (seen = atomicCAS(halves + k, old, (u16)(old + v))) != old; old = seen)
        ;
    for (u64 old = longs[k], seen; (seen = atomicCAS(longs + k, old, old ^ (u64)v << k)) != old; old = seen)
        ;
    ulonglong2 old = {0, 0}, seen;
    for (;; old = seen) {
        ulonglong2 next = {old.x + v, old.y ^ (u64)v << 32};
        asm volatile("{ .reg .b128 c, n, d; mov.b128 c, {%2, %3}; mov.b128 n, {%4, %5}; atom.global.cas.b128 d, [%6], c, n; mov.b128 {%0, %1}, d; }"
                     : "=l"(seen.x), "=l"(seen.y) : "l"(old.x), "l"(old.y), "l"(next.x), "l"(next.y), "l"(quads + k) : "memory");
        if (seen.x == old.x && seen.y == old.y)
            break;
    }
    ulonglong2 mine = {v, (u64)t << 32};
    asm volatile("{ .reg .b128 n, d; mov.b128 n, {%2, %3}; atom.global.exch.b128 d, [%4], n; mov.b128 {%0, %1}, d; }"
                 : "=l"(seen.x), "=l"(seen.y) : "l"(mine.x), "l"(mine.y), "l"(quads + 8 + t) : "memory");
    longs[8 + t] = seen.x + seen.y;
}
KERNEL float_atomics(const u32 *in, float *f, double *d, __half2 *h, __nv_bfloat162 *b, __half *h1, __nv_bfloat16 *b1)
{
    u32 t = THREAD, v = in[t], k = v & 255;
    int w = (int)(v >> 8 & 3) - 1;
    atomicAdd(f + k, (float)w), atomicAdd(d + k, (double)w * 0.5), atomicAdd(h + k, __floats2half2_rn((float)w, (float)-w)), atomicAdd(b + k, __floats2bfloat162_rn((float)w, 1));
    atomicAdd(h1 + k, __int2half_rn(w)), atomicAdd(b1 + k, __int2bfloat16_rn(w));
    atomicAdd((float2 *)f + 512 + k, make_float2((float)w, 2)), atomicAdd((float4 *)f + 512 + k, make_float4(1, (float)w, 2, (float)-w));
}
KERNEL shared_atomics(const u32 *in, u32 *out, u64 *wide)
{
    __shared__ u32 w[128];
    __shared__ u64 l[64];
    __shared__ float f[16];
    __shared__ double d[16];
    __shared__ __half2 h[16];
    __shared__ __nv_bfloat162 b[16];
    __shared__ u16 s[16];
    u32 t = THREAD, x = threadIdx.x, v = in[t], k = v & 15;
    int m = (int)(v >> 8 & 3) - 1;
    if (x < 128)
        w[x] = x < 64 ? 0 : ~0u;
    if (x < 64)
        l[x] = x < 32 ? 0 : ~0ull;
    if (x < 16)
        f[x] = 0, d[x] = 0, h[x] = __float2half2_rn(0), b[x] = __float2bfloat162_rn(0), s[x] = 0;
    __syncthreads();
    atomicAdd(w + k, v), atomicMax(w + 16 + k, v), atomicOr(w + 32 + k, v), atomicInc(w + 48 + k, 10), atomicMin(w + 64 + k, v), atomicAnd(w + 80 + k, v), atomicXor(w + 96 + k, v), atomicMin((int *)w + 112 + k, (int)v);
    atomicAdd(l + k, (u64)v << 30), atomicMax(l + 16 + k, (u64)v * v), atomicMin(l + 32 + k, (u64)v * v), atomicAnd(l + 48 + k, (u64)v << 32 | 0xffffffff);
    atomicAdd(f + k, (float)m), atomicAdd(d + k, (double)m), atomicAdd(h + k, __float2half2_rn((float)m)), atomicAdd(b + k, __float2bfloat162_rn((float)m));
    for (u16 old = s[k], seen; (seen = atomicCAS(s + k, old, (u16)(old + v))) != old; old = seen)
        ;
    __syncthreads();
    u32 r = x < 128 ? atomicExch(w + x, v) + (u32)(x < 64 ? atomicCAS(l + x, (u64)x, 3) + atomicExch(l + x, l[x] + v) : 0) : 0;
    if (x < 16)
        r = mix(r, f[x]), r = mix(r, d[x]), r = mix(r, *(u32 *)&h[x]), r = mix(r, *(u32 *)&b[x]), r = mix(r, (u32)s[x]);
    out[t] = r;
    if (x < 64)
        wide[blockIdx.x * 64 + x] = l[x];
}
// libcu++: orders and scopes
KERNEL ordered(const u32 *in, u32 *counter, u32 *out)
{
    u32 t = THREAD;
    cuda::atomic_ref<u32, cuda::thread_scope_device> dev(counter[0]);
    cuda::atomic_ref<u32, cuda::thread_scope_block> blk(counter[1 + blockIdx.x]);
    cuda::atomic_ref<u32, cuda::thread_scope_system> sys(counter[1024]);
    dev.fetch_add(in[t], cuda::memory_order_relaxed);
    blk.fetch_xor(in[t], cuda::memory_order_acq_rel);
    sys.fetch_max(in[t], cuda::memory_order_seq_cst);
    __syncthreads();
    u32 own = blk.load(cuda::memory_order_acquire);
    cuda::atomic_ref<u32, cuda::thread_scope_device> mine(out[t]);
    mine.store(own ^ in[t], cuda::memory_order_release);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    u32 expect = own ^ in[t];
    mine.compare_exchange_strong(expect, expect + 1, cuda::memory_order_acq_rel);
}
