// Small kernels for the questions of docs/cases.md: one access, one branch, one atomic each. Strides and counts are parameters.
//   nvcc -arch=sm_90 -cubin -lineinfo -o questions.sm_90.cubin questions.cu
#include <cuda_fp16.h>

typedef unsigned u32;
typedef unsigned char u8;
typedef unsigned short u16;
#define KERNEL extern "C" __global__ void

// ---- shared memory: each lane reads element stride * lane + offset of its type. The loads alone are counted as loads.
#define FILLED(words)                                                                                                  \
    __shared__ __align__(16) u32 s[words];                                                                             \
    for (u32 i = threadIdx.x; i < words; i += blockDim.x)                                                              \
        s[i] = i;                                                                                                      \
    __syncthreads()
KERNEL words(u32 *out, int stride, int offset)
{
    FILLED(2112);
    out[threadIdx.x] = s[offset + stride * (int)threadIdx.x];
}
KERNEL pair(u32 *out) // two words for all
{
    FILLED(32);
    out[threadIdx.x] = s[threadIdx.x & 1];
}
KERNEL bytes(u32 *out, u32 stride)
{
    FILLED(1024);
    out[threadIdx.x] = ((u8 *)s)[stride * threadIdx.x];
}
KERNEL halves(u32 *out, u32 stride)
{
    FILLED(2048);
    out[threadIdx.x] = ((u16 *)s)[stride * threadIdx.x];
}
KERNEL doubles(double *out, u32 stride)
{
    FILLED(4096);
    out[threadIdx.x] = ((double *)s)[stride * threadIdx.x];
}
KERNEL quads(uint4 *out, u32 stride)
{
    FILLED(2048);
    out[threadIdx.x] = ((uint4 *)s)[stride * threadIdx.x & 511];
}
KERNEL two_quads(uint4 *out) // lanes 0 and 8 alone, both on banks 0 to 3
{
    FILLED(64);
    if (threadIdx.x == 0 || threadIdx.x == 8)
        out[threadIdx.x] = ((uint4 *)s)[threadIdx.x];
}
KERNEL tile(u32 *out, u32 pitch) // t[x][y], blocks of any two dimensions
{
    __shared__ u32 s[32 * 33];
    for (u32 i = threadIdx.y * blockDim.x + threadIdx.x; i < 32 * 33; i += blockDim.x * blockDim.y)
        s[i] = i;
    __syncthreads();
    out[threadIdx.y * blockDim.x + threadIdx.x] = s[threadIdx.x * pitch + threadIdx.y];
}
struct five { float a[5]; };
struct eight { float a[8]; };
KERNEL fields5(float *out)
{
    FILLED(160);
    out[threadIdx.x] = ((volatile five *)s)[threadIdx.x].a[0];
}
KERNEL fields8(float *out)
{
    FILLED(256);
    out[threadIdx.x] = ((volatile eight *)s)[threadIdx.x].a[0];
}
KERNEL step(u32 *out, u32 k) // one step of a tree of sums by one warp: two loads
{
    FILLED(512);
    u32 i = 2 * k * threadIdx.x;
    if (i < 256)
        out[threadIdx.x] = s[i] + s[i + k];
}
KERNEL few(u32 *out, u32 lanes) // all on one bank, not all lanes
{
    FILLED(1024);
    if (threadIdx.x < lanes)
        out[threadIdx.x] = s[32 * threadIdx.x];
}
KERNEL row(float *out, u32 k) // A[ty][k] of a product by blocks of 16 x 16
{
    __shared__ float a[16][16];
    a[threadIdx.y][threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = a[threadIdx.y][k];
}
KERNEL stores(u32 *out, u32 stride)
{
    __shared__ u32 s[1024];
    s[stride * threadIdx.x & 1023] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

// ---- device memory: each lane of `mask` reads (or writes) element offset + stride * lane
template <class T> __device__ bool odd(T v) { return v == (T)77; }
template <> __device__ bool odd(uint4 v) { return (v.x ^ v.y ^ v.z ^ v.w) == 77; }
template <class T> __device__ void load(const T *x, u32 *out, int stride, int offset, u32 mask)
{
    if (!(mask >> (threadIdx.x & 31) & 1))
        return;
    if (odd(x[offset + stride * (int)threadIdx.x]))
        out[threadIdx.x] = 1;
}
KERNEL load1(const u8 *x, u32 *out, int stride, int offset, u32 mask) { load(x, out, stride, offset, mask); }
KERNEL load2(const u16 *x, u32 *out, int stride, int offset, u32 mask) { load(x, out, stride, offset, mask); }
KERNEL load4(const u32 *x, u32 *out, int stride, int offset, u32 mask) { load(x, out, stride, offset, mask); }
KERNEL load8(const double *x, u32 *out, int stride, int offset, u32 mask) { load(x, out, stride, offset, mask); }
KERNEL load16(const uint4 *x, u32 *out, int stride, int offset, u32 mask) { load(x, out, stride, offset, mask); }
KERNEL store1(u8 *x, int stride, int offset) { x[offset + stride * (int)threadIdx.x] = 1; }
KERNEL store4(u32 *x, int stride, int offset) { x[offset + stride * (int)threadIdx.x] = 1; }
KERNEL store16(uint4 *x, int stride, int offset) { x[offset + stride * (int)threadIdx.x] = make_uint4(1, 2, 3, 4); }
KERNEL chunks(const uint4 *x, u32 *out) // four lanes a chunk of 64 bytes, a chunk every 4 KB and on odd lines
{
    uint4 v = x[(threadIdx.x / 4) * 256 + (threadIdx.x / 4 & 1) * 4 + (threadIdx.x & 3)];
    if (odd(v))
        out[threadIdx.x] = v.y;
}
KERNEL twice(const float4 *x, float *out, u32 n) // the same bytes twice
{
    float s = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
            float4 v = __ldca(x + i);
            s += v.x + v.y + v.z + v.w;
        }
        __syncthreads();
    }
    out[threadIdx.x] = s;
}
KERNEL fill(u32 *x, u32 stride) { x[stride * (blockIdx.x * blockDim.x + threadIdx.x)] = 1; }

// ---- divergence, barriers
__device__ __forceinline__ float work(float v, float a)
{
#pragma unroll
    for (int i = 0; i < 64; i++)
        v = fmaf(v, a, 0.5f);
    return v;
}
KERNEL odd_even_lanes(float *x, float a, float b)
{
    float v = x[threadIdx.x];
    if (threadIdx.x & 1)
        v = work(v, a);
    else
        v = work(v, b) + 1;
    x[threadIdx.x] = v;
}
KERNEL odd_even_warps(float *x, float a, float b)
{
    float v = x[threadIdx.x];
    if (threadIdx.x / 32 & 1)
        v = work(v, a);
    else
        v = work(v, b) + 1;
    x[threadIdx.x] = v;
}
KERNEL trips(float *x) // lane + 1 rounds
{
    float v = x[threadIdx.x];
#pragma unroll 1
    for (u32 i = 0; i <= (threadIdx.x & 31); i++)
        v = v * 1.5f + 1;
    x[threadIdx.x] = v;
}
KERNEL together_again(float *x, float a, float b) // after the branch all lanes add
{
    float v = x[threadIdx.x];
    if (threadIdx.x & 1)
        v = work(v, a);
    __syncwarp();
    for (int i = 0; i < 64; i++)
        asm volatile("mul.f32 %0, %0, %1;" : "+f"(v) : "f"(b));
    x[threadIdx.x] = v;
}
KERNEL predicated(float *x)
{
    float v = x[threadIdx.x];
    if (threadIdx.x & 1)
        v += 2;
    x[threadIdx.x] = v;
}
KERNEL lock(u32 *m, u32 *sum) // by all lanes of a warp
{
    bool done = false;
    while (!done)
        if (atomicCAS(m, 0, 1) == 0) {
            *(volatile u32 *)sum += 1;
            __threadfence();
            atomicExch(m, 0);
            done = true;
        }
}
KERNEL half_return(u32 *out, u32 n) // the others meet
{
    if (threadIdx.x >= n)
        return;
    out[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] += 1;
}
KERNEL barrier_twice(float *x) // two barriers on the two sides of a branch inside a warp
{
    u32 t = threadIdx.x;
    if (t & 16) {
        x[t] *= 2;
        __syncthreads();
        x[t] += x[t ^ 1];
    } else {
        x[t] *= 3;
        __syncthreads();
        x[t] -= x[t ^ 1];
    }
}
KERNEL shuffle_apart(u32 *out) // names the whole warp, but half of it has gone another way
{
    u32 v = threadIdx.x;
    if (v < 16)
        v = __shfl_sync(~0u, v, v + 1);
    out[threadIdx.x] = v;
}
KERNEL uneven_barriers(u32 *out) // warp w passes w + 1 barriers
{
    for (u32 i = 0; i <= threadIdx.x / 32; i++)
        asm volatile("bar.sync 1, 64;");
    out[threadIdx.x] = 1;
}
KERNEL two_barriers(u32 *out)
{
    for (u32 i = 0; i < 8; i++) {
        asm volatile("bar.sync 1;");
        asm volatile("bar.sync 2;");
    }
    out[threadIdx.x] = 1;
}
KERNEL from_idle(u32 *out) // lane 31 does not take part
{
    u32 v = threadIdx.x + 100;
    if (threadIdx.x < 31)
        asm volatile("shfl.sync.idx.b32 %0, %0, 31, 31, 0x7fffffff;" : "+r"(v));
    out[threadIdx.x] = v;
}

// ---- atomics
KERNEL count_naive(u32 *c) { atomicAdd(c, 1); }
KERNEL tickets(u32 *c, u32 *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(c, 1); }
KERNEL count_warps(u32 *c, u32 v)
{
    v = __reduce_add_sync(~0u, v);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(c, v);
}
KERNEL count_blocks(u32 *c, u32 v)
{
    __shared__ u32 part[8];
    v = __reduce_add_sync(~0u, v);
    if ((threadIdx.x & 31) == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; i++)
            v += part[i];
        atomicAdd(c, v);
    }
}
KERNEL shared_counts(u32 *out, u32 stride) // stride 0: one word for all, 1: a word each
{
    __shared__ u32 s[1024];
    s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(s + (stride * threadIdx.x & 1023), 1);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
KERNEL float_counts_shared(float *out)
{
    __shared__ float s;
    s = 0;
    __syncthreads();
    atomicAdd(&s, 1.0f);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = s;
}
KERNEL float_counts_global(float *out) { atomicAdd(out + blockIdx.x, 1.0f); }

// ---- time
KERNEL units(float *x, u32 rounds, u32 extra) // block b works rounds + extra * b
{
    float v = x[threadIdx.x];
#pragma unroll 1
    for (u32 i = 0; i < rounds + extra * blockIdx.x; i++)
        v = v * 1.5f + 1;
    x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
KERNEL early_warps(float *x, u32 rounds) // only warp 0 goes on
{
    if (threadIdx.x >= 32)
        return;
    float v = x[threadIdx.x];
#pragma unroll 1
    for (u32 i = 0; i < rounds; i++)
        v = v * 1.5f + 1;
    x[blockIdx.x * 32 + threadIdx.x] = v;
}
template <int chains> __device__ void fma_chains(float *x, u32 rounds)
{
    float v[chains], a = x[0];
    for (int c = 0; c < chains; c++)
        v[c] = x[threadIdx.x + c];
#pragma unroll 1
    for (u32 r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < 512 / chains; i++)
#pragma unroll
            for (int c = 0; c < chains; c++)
                v[c] = fmaf(v[c], a, 1.0f);
    float s = 0;
    for (int c = 0; c < chains; c++)
        s += v[c];
    x[threadIdx.x] = s;
}
KERNEL chains1(float *x, u32 rounds) { fma_chains<1>(x, rounds); }
KERNEL chains4(float *x, u32 rounds) { fma_chains<4>(x, rounds); }
KERNEL doubles_fma(double *x, u32 rounds)
{
    double v[4], a = x[0];
    for (int c = 0; c < 4; c++)
        v[c] = x[threadIdx.x + c];
#pragma unroll 1
    for (u32 r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < 256; i++)
            v[i & 3] = fma(v[i & 3], a, 1.0);
    x[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}
KERNEL integers(u32 *x, u32 rounds)
{
    u32 a = x[0], v[4];
    for (int c = 0; c < 4; c++)
        v[c] = x[threadIdx.x + c];
#pragma unroll 1
    for (u32 r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < 256; i++)
            asm volatile("{.reg .u32 t; xor.b32 t, %0, %1; add.u32 %0, t, %1;}" : "+r"(v[i & 3]) : "r"(a));
    x[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}
KERNEL shuffle_stream(u32 *x, u32 rounds)
{
    u32 v[4];
    for (int c = 0; c < 4; c++)
        v[c] = x[threadIdx.x + c];
#pragma unroll 1
    for (u32 r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < 128; i++)
            v[i & 3] = __shfl_xor_sync(~0u, v[i & 3], 1);
    x[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}
KERNEL conflicts(u32 *x, u32 rounds) // 32 lanes on one bank, each load used at once
{
    FILLED(1024);
    u32 at = threadIdx.x * 32 & 1023, v = 0;
#pragma unroll 1
    for (u32 r = 0; r < rounds; r++) {
        v += ((volatile u32 *)s)[at];
        at ^= v & 32 * 31 & 0;
    }
    x[threadIdx.x] = v;
}

// ---- faults
KERNEL odd_quad(const u8 *x, float4 *out, u32 offset) { out[threadIdx.x] = *(const float4 *)(x + offset + 16 * threadIdx.x); }
KERNEL odd_word(const u8 *x, u32 *out, u32 offset) { out[threadIdx.x] = *(const u32 *)(x + offset); }
KERNEL beyond(u32 *x, u32 n) { x[n + threadIdx.x] = 1; }
KERNEL never_written(u32 *out)
{
    __shared__ u32 s[64];
    if (threadIdx.x < 16)
        s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
KERNEL tree(float *out, const float *x, u32 synced) // sums of a warp through shared memory, as written before Volta
{
    __shared__ float s[64];
    u32 t = threadIdx.x;
    s[t] = x[t];
    s[t + 32] = 0;
    for (u32 d = 16; d; d /= 2) {
        if (synced) {
            __syncwarp();
            float v = s[t + d];
            __syncwarp();
            s[t] += v;
        } else {
            ((volatile float *)s)[t] += ((volatile float *)s)[t + d];
        }
    }
    out[t] = s[t];
}
KERNEL neighbour(u32 *out, u32 synced) // reads what another warp has written
{
    __shared__ u32 s[128];
    s[threadIdx.x] = threadIdx.x;
    if (synced)
        __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}
KERNEL flagged(u32 *out) // one warp hands a value to the other by a flag, fences between
{
    __shared__ u32 value, flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        value = 7;
        __threadfence_block();
        atomicExch(&flag, 1);
    }
    if (threadIdx.x == 0) {
        while (!atomicAdd(&flag, 0))
            ;
        __threadfence_block();
        out[0] = value;
    }
}
KERNEL bases(u32 *out, const u8 *a, const u8 *b) // of two buffers of odd sizes
{
    out[0] = (u32)((unsigned long long)a % 256);
    out[1] = (u32)((unsigned long long)b % 256);
}
KERNEL dynamic(u32 *out)
{
    extern __shared__ u32 d[];
    d[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = d[threadIdx.x ^ 1];
}
KERNEL nothing() {}
KERNEL logic(u32 *out, u32 rounds) // four chains of three-input logic a lane: the ALU alone takes them
{
    u32 a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3, k = rounds * 77;
    for (u32 i = 0; i < rounds; i++) {
#pragma unroll
        for (u32 j = 0; j < 32; j++) {
            a = (a ^ k) & (b | i);
            b = (b ^ k) & (c | i);
            c = (c ^ k) & (d | i);
            d = (d ^ k) & (a | i);
        }
    }
    out[threadIdx.x] = a ^ b ^ c ^ d;
}
KERNEL chase_shared(u32 *out, u32 steps) // cycles of a load that waits for the one before; x is all zeros in each of these
{
    __shared__ volatile u32 x[1024];
    for (u32 i = threadIdx.x; i < 1024; i += 32)
        x[i] = 0;
    __syncwarp();
    u32 p = x[0], begin = clock();
    for (u32 i = 0; i < steps; i++)
        p = x[p];
    u32 end = clock();
    out[0] = (end - begin + p) / steps;
}
KERNEL chase(const u32 *x, u32 *out, u32 stride, u32 words, u32 passes, u32 cached) // per load of the last pass: least, most, mean
{
    __shared__ volatile u32 came; // the clock is read behind a store that needs the loaded value
    u32 least = ~0u, most = 0, sum = 0, n = 0;
    for (u32 pass = 0; pass < passes; pass++) {
        least = ~0u, most = 0, sum = 0, n = 0;
        for (u32 p = 0; p < words; p += stride) {
            u32 begin = clock(), v = cached ? __ldca(x + p) : __ldcg(x + p);
            came = v;
            u32 took = clock() - begin;
            p += v;
            least = min(least, took), most = max(most, took), sum += took, n++;
        }
    }
    out[0] = least, out[1] = most, out[2] = sum / n;
}
