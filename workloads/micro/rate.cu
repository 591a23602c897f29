// Throughput from 1 to 32 warps of the steps of alu.cu, half.cu, fp64.cu, warp.cu and xu.cu, without what begins and ends.
// The kernel takes the time of 4 and of 12 rounds of 32 x 8 steps, from the first warp's start to the last one's end; an access to
// shared memory stands before the clock, which waits until the barrier opens:
// out[0] = cycles of 8 rounds (their difference), out[1], out[2] the two times, out[8 + 2 w] = start and end of warp w in the longer.
#define BOTH(name, type, STEP) RATE(name, type, STEP)
#define RATE(name, type, STEP)                                                                                         \
    extern "C" __global__ void __launch_bounds__(1024) rate_##name(unsigned *out, const type *in, type *sink)          \
    {                                                                                                                  \
        __shared__ unsigned first[3], last[3];                                                                         \
        type x0 = in[threadIdx.x % 32 + 8], a = in[0], b = in[1], c = in[2], d = in[3];                                \
        type x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0, x6 = x0, x7 = x0;                                            \
        unsigned t0 = 0, t1 = 0;                                                                                       \
        (void)a, (void)b, (void)c, (void)d;                                                                            \
        if (threadIdx.x < 3)                                                                                           \
            first[threadIdx.x] = ~0u, last[threadIdx.x] = 0;                                                           \
        _Pragma("unroll 1") for (int part = 0; part < 3; part++) /* the first fills the instruction caches */          \
        {                                                                                                              \
            int rounds = part == 2 ? 12 : 4;                                                                           \
            __syncthreads();                                                                                           \
            (void)*(volatile unsigned *)&first[part];                                                                  \
            t0 = now();                                                                                                \
            _Pragma("unroll 1") for (int round = 0; round < rounds; round++)                                           \
            {                                                                                                          \
                REP32(STEP(x0) STEP(x1) STEP(x2) STEP(x3) STEP(x4) STEP(x5) STEP(x6) STEP(x7))                         \
            }                                                                                                          \
            t1 = now();                                                                                                \
            __syncthreads();                                                                                           \
            atomicMin(&first[part], t0 & 0x7fffffff);                                                                  \
            atomicMax(&last[part], t1 & 0x7fffffff);                                                                   \
        }                                                                                                              \
        if (threadIdx.x % 32 == 0)                                                                                     \
            out[8 + threadIdx.x / 16] = t0, out[9 + threadIdx.x / 16] = t1;                                            \
        __syncthreads();                                                                                               \
        if (threadIdx.x == 0) {                                                                                        \
            out[1] = last[1] - first[1] & 0x7fffffff;                                                                  \
            out[2] = last[2] - first[2] & 0x7fffffff;                                                                  \
            out[0] = out[2] - out[1];                                                                                  \
        }                                                                                                              \
        sink += threadIdx.x * 8;                                                                                       \
        sink[0] = x0, sink[1] = x1, sink[2] = x2, sink[3] = x3;                                                        \
        sink[4] = x4, sink[5] = x5, sink[6] = x6, sink[7] = x7;                                                        \
    }
#include "alu.cu"
#include "fp64.cu"
#include "half.cu"
#include "warp.cu"
#include "xu.cu"
