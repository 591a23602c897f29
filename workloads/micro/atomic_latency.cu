// Latency of one global atomic whose answer is waited for, by warps that each have a place of their own: cycles of a round, by warp.
#include "bench.cuh"

#define WAITED(name, code)                                                                                                      \
    extern "C" __global__ void name(unsigned *words, unsigned *out, int lanes, int stride, int apart)                           \
    {                                                                                                                           \
        const int rounds = 32;                                                                                                  \
        int lane = threadIdx.x % 32, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;                                  \
        unsigned *p = words + warp * apart + lane * stride, v = 1, t0 = 0;                                                      \
        for (int r = -2; r < rounds; r++) {                                                                                     \
            if (r == 0) {                                                                                                       \
                __syncthreads();                                                                                                \
                t0 = now();                                                                                                     \
            }                                                                                                                   \
            if (lane < lanes)                                                                                                   \
                code;                                                                                                           \
            __syncwarp();                                                                                                       \
        }                                                                                                                       \
        unsigned t1 = now();                                                                                                    \
        if (lane == 0)                                                                                                          \
            out[warp] = (t1 - t0) / rounds;                                                                                     \
        if (v == 0x7fffffff)                                                                                                    \
            out[0] = 0;                                                                                                         \
    }
WAITED(waited_add, asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(v) : "l"(p) : "memory"))
WAITED(waited_cas, asm volatile("atom.global.cas.b32 %0, [%1], %0, %0;" : "+r"(v) : "l"(p) : "memory"))
WAITED(waited_load, asm volatile("{.reg .u32 q; ld.relaxed.gpu.global.u32 q, [%1]; and.b32 q, q, 1; or.b32 %0, q, %0;}" : "+r"(v) : "l"(p) : "memory"))
