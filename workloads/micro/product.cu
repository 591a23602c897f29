// What a step of a tiled matrix product by mma.sync is made of, part by part: fragments loaded by ldmatrix, products, a barrier,
// asynchronous copies of the step after the next. 64 x 64 (or 64 x 32) sums a warp, steps of depth 32, as ../gemm/tensor.cu has
// them, without its tests for the edges. The input is zeros and leftovers: the time does not depend on it.
// out[0] = cycles of 32 steps, from barrier to barrier.
#include <stdint.h>

#include "bench.cuh"

template <int N, bool LOAD, bool MULTIPLY, bool BARRIER, bool COPY> __device__ __forceinline__ void steps(unsigned *out, const uint4 *in)
{
    extern __shared__ __align__(128) uint8_t tiles[];
    constexpr uint32_t bytes_a = 256 * 64, stage = bytes_a + 32 * 256;
    uint32_t base = (uint32_t)__cvta_generic_to_shared(tiles), t = threadIdx.x, lane = t % 32, warp = t / 32, t0 = 0, t1 = 0;
    uint32_t wrow = warp / 2 * 64 & 255, wcol = warp % 2 * 64;
    uint32_t fa[4][4], fb[N][2], ra[4], rb[N / 2], to[6];
    const uint4 *from[6];
    float d[4][N][4];
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < N; j++)
            d[i][j][0] = d[i][j][1] = d[i][j][2] = d[i][j][3] = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int e = 0; e < 4; e++)
            fa[i][e] = in[i * 4 + e].x;
#pragma unroll
    for (int j = 0; j < N; j++)
        fb[j][0] = in[j + 32].x, fb[j][1] = in[j + 32].y;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t r = wrow + i * 16 + lane % 16;
        ra[i] = base + r * 64 + (lane / 16 ^ (r / 2 & 3)) * 16;
        r = (t + i * 256) / 4 & 255, to[i] = base + r * 64 + (t % 4 ^ (r / 2 & 3)) * 16, from[i] = in + r * 128 + t % 4;
    }
#pragma unroll
    for (int j = 0; j < N / 2; j++) {
        uint32_t r = lane % 16;
        rb[j] = base + bytes_a + r * 256 + (wcol / 8 + j * 2 + lane / 16 ^ (r & 7)) * 16;
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        uint32_t r = (t + i * 256) / 16 & 31;
        to[4 + i] = base + bytes_a + r * 256 + (t % 16 ^ (r & 7)) * 16, from[4 + i] = in + 32768 + r * 16 + t % 16;
    }
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        t0 = now();
        uint32_t at = 0, into = 2 * stage;
#pragma unroll 1
        for (int step = 0; step < 32; step++) {
            if (COPY)
                asm volatile("cp.async.wait_group 1;" ::: "memory");
            if (BARRIER)
                __syncthreads();
            if (COPY) {
#pragma unroll
                for (int i = 0; i < 6; i++)
                    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to[i] + into), "l"(from[i] + step * (i < 4 ? 4 : 512)) : "memory");
                asm volatile("cp.async.commit_group;" ::: "memory");
            }
#pragma unroll
            for (int k = 0; k < 2; k++) {
                if (LOAD) {
#pragma unroll
                    for (int i = 0; i < 4; i++)
                        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3]) : "r"((ra[i] ^ k * 32) + at));
#pragma unroll
                    for (int j = 0; j < N; j += 2)
                        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fb[j][0]), "=r"(fb[j][1]), "=r"(fb[j + 1][0]), "=r"(fb[j + 1][1]) : "r"(rb[j / 2] + k * 4096 + at));
                }
                if (MULTIPLY) {
#pragma unroll
                    for (int i = 0; i < 4; i++)
#pragma unroll
                        for (int j = 0; j < N; j++)
                            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                                         : "+f"(d[i][j][0]), "+f"(d[i][j][1]), "+f"(d[i][j][2]), "+f"(d[i][j][3])
                                         : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
                }
            }
            at = at == 2 * stage ? 0 : at + stage;
            into = into == 2 * stage ? 0 : into + stage;
        }
        if (COPY)
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        t1 = now();
    }
    if (t == 0)
        out[0] = t1 - t0;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < N; j++)
            sum += d[i][j][0] + d[i][j][1] + d[i][j][2] + d[i][j][3] + __uint_as_float(fa[i][0] + fb[j][0] + fa[i][1] + fb[j][1] + fa[i][2] + fa[i][3]);
    if (sum == 1.25f)
        out[1] = 1;
}
#define STEPS(name, ...) \
    extern "C" __global__ void __launch_bounds__(256) name(unsigned *out, const uint4 *in) { steps<__VA_ARGS__>(out, in); }
STEPS(product_m, 8, false, true, false, false)
STEPS(product_l, 8, true, false, false, false)
STEPS(product_lm, 8, true, true, false, false)
STEPS(product_lmb, 8, true, true, true, false)
STEPS(product_c, 8, false, false, true, true)
STEPS(product_lc, 8, true, false, true, true)
STEPS(product_lmbc, 8, true, true, true, true)
STEPS(product32_m, 4, false, true, false, false)
STEPS(product32_lm, 4, true, true, false, false)
STEPS(product32_lmb, 4, true, true, true, false)
STEPS(product32_lmbc, 4, true, true, true, true)

// Products among other arithmetic: 8 independent products and as many (twice as many) additions or logic operations.
#define MIX(name, STEP)                                                                                        \
    extern "C" __global__ void __launch_bounds__(512) name(unsigned *out, const uint4 *in)                     \
    {                                                                                                          \
        float d[8][4];                                                                                         \
        unsigned a[4], b[2], x[8], t0 = 0, t1 = 0;                                                             \
        float y[8];                                                                                            \
        _Pragma("unroll") for (int i = 0; i < 8; i++) d[i][0] = d[i][1] = d[i][2] = d[i][3] = y[i] = 0, x[i] = in[i].x; \
        _Pragma("unroll") for (int i = 0; i < 4; i++) a[i] = in[i].y;                                          \
        b[0] = in[4].x, b[1] = in[4].y;                                                                        \
        _Pragma("unroll 1") for (int round = 0; round < 33; round++)                                           \
        {                                                                                                      \
            if (round == 1) {                                                                                  \
                __syncthreads();                                                                               \
                t0 = now();                                                                                    \
            }                                                                                                  \
            _Pragma("unroll") for (int r = 0; r < 4; r++) _Pragma("unroll") for (int i = 0; i < 8; i++)        \
            {                                                                                                  \
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
                             : "+f"(d[i][0]), "+f"(d[i][1]), "+f"(d[i][2]), "+f"(d[i][3])                      \
                             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));              \
                STEP                                                                                           \
            }                                                                                                  \
        }                                                                                                      \
        __syncthreads();                                                                                       \
        t1 = now();                                                                                            \
        if (threadIdx.x == 0)                                                                                  \
            out[0] = t1 - t0;                                                                                  \
        float sum = 0;                                                                                         \
        _Pragma("unroll") for (int i = 0; i < 8; i++) sum += d[i][0] + d[i][1] + d[i][2] + d[i][3] + y[i] + __uint_as_float(x[i]); \
        if (sum == 1.25f)                                                                                      \
            out[1] = 1;                                                                                        \
    }
#define ADD asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(y[i]) : "f"(y[(i + 1) % 8]));
#define LOGIC asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x[i]) : "r"(x[(i + 1) % 8]), "r"(x[(i + 2) % 8]));
MIX(mix_none, )
MIX(mix_fma, ADD)
MIX(mix_fma4, ADD ADD ADD ADD)
MIX(mix_logic, LOGIC)
MIX(mix_logic2, LOGIC LOGIC)
MIX(mix_both, ADD LOGIC ADD LOGIC)
