// Fences behind accesses, by warps of many SMs at once: cycles of a fence, the mean of 8 rounds and of all warps. before: 0 nothing, 1 a store
// to a line of the warp's own, 2 a reduction there, 3 one word for all warps, 4 an atomic with a result there, 5 a load past L1 there, 6 a word
// for each block. out: sum over rounds, by warp; behind them the cycles from the access to the end of the fence.
#include "bench.cuh"

#define FENCES(name, fence)                                                                                                     \
    extern "C" __global__ void name(unsigned *words, unsigned *out, int before, int lanes)                                      \
    {                                                                                                                           \
        int lane = threadIdx.x % 32, warps = gridDim.x * (blockDim.x / 32), warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; \
        unsigned sum = 0, whole = 0, v = 0, old = 0;                                                                                    \
        for (int r = 0; r < 9; r++) {                                                                                           \
            unsigned *own = words + 1024 + (r * warps + warp) * 32 + lane;                                                      \
            __syncthreads();                                                                                                    \
            unsigned t0 = now();                                                                                                \
            if (lane < lanes) {                                                                                                 \
                if (before == 1)                                                                                                \
                    asm volatile("st.global.u32 [%0], %1;" ::"l"(own), "r"(r) : "memory");                                      \
                else if (before == 2)                                                                                           \
                    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(own), "r"(r) : "memory");                                 \
                else if (before == 3)                                                                                           \
                    asm volatile("red.global.max.u32 [%0], %1;" ::"l"(words), "r"(r) : "memory");                               \
                else if (before == 4)                                                                                           \
                    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(words), "r"(r) : "memory");              \
                else if (before == 5)                                                                                           \
                    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(old) : "l"(own) : "memory");                      \
                else if (before == 6)                                                                                           \
                    asm volatile("red.global.xor.b32 [%0], %1;" ::"l"(words + blockIdx.x + 1), "r"(r) : "memory");              \
            }                                                                                                                   \
            unsigned t1 = now();                                                                                                \
            asm volatile(fence ::: "memory");                                                                                   \
            unsigned t2 = now();                                                                                                \
            v += old;                                                                                                           \
            if (r) {                                                                                                            \
                sum += t2 - t1;                                                                                                 \
                whole += t2 - t0;                                                                                               \
            }                                                                                                                   \
        }                                                                                                                       \
        if (lane == 0) {                                                                                                        \
            out[warp] = sum / 8;                                                                                                \
            out[warps + warp] = whole / 8;                                                                                      \
        }                                                                                                                       \
        if (v == 0x7fffffff)                                                                                                    \
            out[0] = 0;                                                                                                         \
    }
FENCES(fences_gpu, "fence.acq_rel.gpu;")
FENCES(fences_sys, "fence.sc.sys;")
