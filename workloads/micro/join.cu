// Stores to parts of sectors: which go to L2 together? The profiler's sectors at L2 say. Each warp of one block writes eight words of 4
// bytes one after another into the sectors that its lanes name (`lanes` of them, `stride` bytes apart), of N places 1 KB apart in turn, with F
// dependent multiplications between two turns; fresh places in each round; `share` warps have the same ones, and their words lie beside each other.
#include "bench.cuh"

__device__ __forceinline__ void pause(unsigned since, int cycles)
{
    while ((int)(now() - since) < cycles)
        ;
}
#define TURNS(N, F)                                                                                                             \
    extern "C" __global__ void turns_##N##_##F(char *y, unsigned *out, int rounds, int lanes, int stride, int share)            \
    {                                                                                                                           \
        int lane = threadIdx.x % 32, warp = threadIdx.x / 32, all = blockIdx.x * (blockDim.x / 32) + warp;                      \
        unsigned total = 0, x = rounds;                                                                                         \
        char *at = y + (long long)(all / share) * rounds * 65536 + lane * stride + warp % share * 4;                            \
        for (int r = 0; r < rounds; r++, at += 65536) {                                                                         \
            __syncthreads();                                                                                                    \
            unsigned begin = now();                                                                                             \
            if (lane < lanes) {                                                                                                 \
                _Pragma("unroll") for (int p = 0; p < 8; p++)                                                                   \
                {                                                                                                               \
                    _Pragma("unroll") for (int k = 0; k < N; k++)                                                               \
                        asm volatile("st.global.u32 [%0], %1;" ::"l"(at + k * 1024 + p * 4), "r"(x) : "memory");                \
                    _Pragma("unroll") for (int k = 0; k < F; k++)                                                               \
                        asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(x));                                                   \
                }                                                                                                               \
            }                                                                                                                   \
            total += now() - begin;                                                                                             \
            pause(begin, 6000);                                                                                                 \
        }                                                                                                                       \
        if (lane == 0)                                                                                                          \
            out[all] = total;                                                                                                   \
    }
TURNS(1, 0)
TURNS(1, 2)
TURNS(1, 3)
TURNS(1, 4)
TURNS(1, 8)
TURNS(1, 12)
TURNS(2, 0)
TURNS(3, 0)
TURNS(4, 0)
