// Shared memory under load: every warp reads (or writes) 8 times a round at a lane stride; out[1], out[2] = cycles of the block
// for 16 and 64 rounds, out[0] = their difference: what begins and ends does not count.
#include "bench.cuh"

#define LOADED(name, bytes, access)                                                                \
    extern "C" __global__ void name(unsigned *out, int stride)                                     \
    {                                                                                              \
        __shared__ __align__(16) unsigned s[8192];                                                 \
        __shared__ unsigned open;                                                                  \
        for (int k = threadIdx.x; k < 8192; k += blockDim.x)                                       \
            s[k] = 0;                                                                              \
        unsigned at = (unsigned)__cvta_generic_to_shared(s) + ((threadIdx.x & 31) * stride * bytes & 32767); \
        unsigned x = 0, y = 0, z = 0, w = 0, t[2] = {0, 0};                                        \
        _Pragma("unroll 1") for (int part = 0; part < 3; part++) /* the first fills the caches */  \
        {                                                                                          \
            int rounds = part == 2 ? 64 : 16;                                                      \
            __syncthreads();                                                                       \
            (void)*(volatile unsigned *)&open; /* waits for the barrier */                         \
            unsigned t0 = now();                                                                   \
            _Pragma("unroll 1") for (int round = 0; round < rounds; round++)                       \
            {                                                                                      \
                REP8(access)                                                                       \
            }                                                                                      \
            __syncthreads();                                                                       \
            (void)*(volatile unsigned *)&open;                                                     \
            t[0] = t[1], t[1] = now() - t0;                                                        \
        }                                                                                          \
        if (threadIdx.x == 0)                                                                      \
            out[0] = t[1] - t[0], out[1] = t[0], out[2] = t[1];                                    \
        out[4 + threadIdx.x] = x + y + z + w;                                                      \
    }
LOADED(lds32, 4, asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");)
LOADED(lds64, 8, asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at) : "memory");)
LOADED(lds128, 16, asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(at) : "memory");)
LOADED(sts32, 4, asm volatile("st.volatile.shared.u32 [%1], %0;" : "+r"(x) : "r"(at) : "memory");)
LOADED(sts128, 16, asm volatile("st.volatile.shared.v4.u32 [%4], {%0, %1, %2, %3};" : "+r"(x), "+r"(y), "+r"(z), "+r"(w) : "r"(at) : "memory");)
LOADED(atoms32, 4, asm volatile("red.shared.add.u32 [%1], %0;" : "+r"(x) : "r"(at) : "memory");)
