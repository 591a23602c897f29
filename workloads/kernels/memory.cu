// Memory: cache operators, spaces, widths, flags between blocks, asynchronous copies.
#include <cuda_pipeline.h>
#include "common.cuh"

KERNEL cache_operators(const u32 *in, u32 *out, u32 n)
{
    u32 t = THREAD, h = 0;
    const uint4 *wide = (const uint4 *)in;
    h = mix(h, __ldg(in + t)), h = mix(h, __ldcg(in + (t * 3 & n - 1))), h = mix(h, __ldca(in + (t * 5 & n - 1))), h = mix(h, __ldcs(in + (t * 7 & n - 1)));
    h = mix(h, __ldlu(in + (t * 9 & n - 1))), h = mix(h, __ldcv(in + (t * 11 & n - 1)));
    uint4 a = __ldg(wide + (t & n / 4 - 1)), b = __ldcs(wide + (t * 13 & n / 4 - 1));
    h = mix(h, a.x ^ a.y ^ a.z ^ a.w), h = mix(h, b.x + b.w);
    u32 r, s;
    asm volatile("ld.global.L1::evict_last.u32 %0, [%1];" : "=r"(r) : "l"(in + (t ^ 1)));
    asm volatile("ld.global.L1::no_allocate.L2::128B.u32 %0, [%1];" : "=r"(s) : "l"(in + (t ^ 2)));
    h = mix(h, r + s);
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(r) : "l"(in + (t ^ 3)));
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(s) : "l"(in + (t ^ 5)));
    h = mix(h, r ^ s);
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + (t + 64 & n - 1)));
    asm volatile("prefetch.global.L1 [%0];" ::"l"(in + (t + 128 & n - 1)));
    asm volatile("{ .reg .u64 p; createpolicy.fractional.L2::evict_first.b64 p, 1.0; ld.global.L2::cache_hint.u32 %0, [%1], p; }" : "=r"(r) : "l"(in + (t ^ 9)));
    h = mix(h, r);
    __stwt(out + t, h), __stcs(out + n + t, h + 1), __stcg(out + 2 * n + t, h + 2), __stwb(out + 3 * n + t, h + 3);
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(out + 4 * n + t), "r"(h + 4) : "memory");
    asm volatile("st.global.L1::no_allocate.v4.u32 [%0], {%1, %1, %2, %2};" ::"l"((uint4 *)(out + 5 * n) + (t >> 2)), "r"(in[t & ~3u]), "r"(in[t | 3u]) : "memory");
}

// One pointer that means global, shared, local or constant memory, by lane
__constant__ u32 fixed_words[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5};
__device__ u32 module_words[64] = {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5, 2, 3, 5, 3, 6, 0, 2, 8, 7, 4, 7, 1, 3, 5, 2, 6};
KERNEL generic(const u32 *in, u32 *out)
{
    __shared__ u32 shared[128];
    u32 local[16], t = THREAD, h = 0;
    shared[threadIdx.x] = in[t];
    for (u32 i = 0; i < 16; i++)
        local[i] = in[t] + i;
    __syncthreads();
    for (u32 i = 0; i < 8; i++) {
        u32 v = scramble(in[t] + i);
        u32 *p = v % 3 == 0 ? &shared[v >> 8 & 127] : v % 3 == 1 ? &local[v >> 8 & 15] : &module_words[v >> 8 & 63];
        h = mix(h, *p + fixed_words[v >> 16 & 63]);
        u32 *q = v % 3 == 1 ? &local[v >> 12 & 15] : out + gridDim.x * blockDim.x + t;
        *q = h;
        h = mix(h, *(volatile u32 *)q + (v & 1 ? ((u8 *)q)[1] : ((u16 *)q)[1]));
    }
    for (u32 i = 0; i < 16; i++)
        h = mix(h, local[i]);
    out[t] = h;
}

// Every width and alignment, signed and not, in shared memory of dynamic size
KERNEL widths(const u8 *in, u32 *out)
{
    extern __shared__ __align__(16) u8 room[];
    u32 t = THREAD, x = threadIdx.x, h = 0;
    for (u32 i = x; i < 4096; i += blockDim.x)
        room[i] = in[(blockIdx.x * 4096 + i) & 0xffff];
    __syncthreads();
    h = mix(h, (int)((signed char *)room)[x * 3]), h = mix(h, (u32)room[x * 5 & 4095]);
    h = mix(h, (int)((short *)room)[x * 7 & 2047]), h = mix(h, (u32)((u16 *)room)[x * 9 & 2047]);
    h = mix(h, ((u64 *)room)[x * 11 & 511]), h = mix(h, ((uint4 *)room)[x * 13 & 255].z), h = mix(h, ((uint2 *)room)[x * 3 & 511].y);
    uint3 c = ((uint3 *)room)[x];
    h = mix(h, c.x + c.y * 3 + c.z * 5);
    __syncthreads();
    ((u16 *)room)[x * 8] = (u16)h, room[x * 16 + 3] = (u8)(h >> 8), ((u32 *)room)[x * 4 + 1] = h, ((u64 *)room)[x * 2 + 1] = (u64)h * h;
    __syncthreads();
    uint4 v = ((uint4 *)room)[x ^ 1];
    ((uint4 *)out)[t] = make_uint4(v.x, v.y ^ h, v.z, v.w);
}

KERNEL relay_start(u32 *flag) { flag[threadIdx.x] = 0; }
// Blocks in a chain: each waits for the flag of the one before it
KERNEL relay(const u32 *in, volatile u32 *flag, volatile u32 *value, u32 *out)
{
    u32 b = blockIdx.x, x = threadIdx.x;
    __shared__ u32 before;
    if (x == 0) {
        if (b)
            while (flag[b - 1] == 0)
                __nanosleep(20);
        __threadfence();
        before = b ? value[b - 1] : 1;
        value[b] = mix(before, in[b]);
        __threadfence();
        flag[b] = 1;
    }
    __syncthreads();
    out[THREAD] = mix(before, x);
}

// Asynchronous copies in stages
KERNEL staged(const u32 *in, u32 *out, u32 rows)
{
    __shared__ __align__(16) u32 stage[4][512];
    u32 x = threadIdx.x, h = 0;
    const u32 *from = in + blockIdx.x * rows * 512;
    for (u32 s = 0; s < 3; s++) {
        __pipeline_memcpy_async(&stage[s][x * 4], from + s * 512 + x * 4, 16);
        __pipeline_commit();
    }
    for (u32 r = 0; r < rows; r++) {
        __pipeline_wait_prior(2);
        __syncthreads();
        h = mix(h, stage[r & 3][x] + stage[r & 3][511 - x * 3]);
        if (r + 3 < rows) {
            u32 k = r + 3 & 3;
            __pipeline_memcpy_async(&stage[k][x * 4], from + (r + 3) * 512 + x * 4, 16);
        }
        __pipeline_commit();
    }
    out[THREAD] = h;
}
KERNEL staged_small(const u32 *in, u32 *out, u32 n)
{
    __shared__ __align__(16) u32 stage[256];
    u32 x = threadIdx.x, t = THREAD;
    stage[x] = 7;
    __syncthreads();
    __pipeline_memcpy_async(&stage[x], in + (t < n ? t : 0), 4, t < n ? 0 : 4); // beyond the end: zeros
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    u32 v = stage[x ^ 9];
    __syncthreads();
    if (x < 128) {
        __pipeline_memcpy_async(&stage[x * 2], in + x * 2, 8);
        __pipeline_commit();
        __pipeline_wait_prior(0);
    }
    __syncthreads();
    out[t] = v + stage[255 - x];
}

// Structures that are copied whole, with odd sizes
struct record { u8 kind; u16 part; u32 word; u8 tail[5]; };
struct __align__(16) body { float x, y, z, m; double w; u8 tag; };
KERNEL records(const record *in, const body *bodies, record *out, body *moved)
{
    u32 t = THREAD;
    record r = in[t], s = in[t ^ 3];
    body b = bodies[t ^ 1];
    r.part = (u16)(s.part + r.tail[3]);
    for (u32 i = 0; i < 5; i++)
        r.tail[i] = (u8)(r.tail[4 - i] ^ s.tail[i] + s.kind);
    r.word = s.word;
    b.w += b.x;
    b.tag = r.kind;
    out[t] = r;
    moved[t] = b;
}
