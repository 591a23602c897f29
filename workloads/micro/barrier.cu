// Cost of a block barrier by number of warps; of fences.
#include "bench.cuh"

extern "C" __global__ void barrier(unsigned *out)
{
    unsigned t0 = 0, t1 = 0;
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        t0 = now();
        REP32(asm volatile("bar.sync 0;" ::: "memory");)
        t1 = now();
    }
    if (threadIdx.x == 0)
        out[0] = t1 - t0;
}

#define FENCE(name, what)                                                                          \
    extern "C" __global__ void fence_##name(unsigned *out)                                         \
    {                                                                                              \
        unsigned t0 = 0, t1 = 0;                                                                   \
        _Pragma("unroll 1") for (int round = 0; round < 2; round++)                                \
        {                                                                                          \
            t0 = now();                                                                            \
            REP8(asm volatile(what ::: "memory");)                                                 \
            t1 = now();                                                                            \
        }                                                                                          \
        if (threadIdx.x == 0)                                                                      \
            out[0] = t1 - t0;                                                                      \
    }
FENCE(cta, "membar.cta;")
FENCE(gpu, "membar.gl;")
