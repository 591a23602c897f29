// How many accesses of shared memory issue before one is held: 40 of a warp, the clock after each, with conflicts of a number of
// ways. out[41 w + i] = the clock of warp w before its access i; `since` makes them cycles since out[41 w] (a difference made in place
// would be taken in uniform registers, whose clock passes the same queue).
#include "bench.cuh"

#define QUEUE(name, access)                                                                        \
    extern "C" __global__ void name(unsigned *out, int ways)                                       \
    {                                                                                              \
        __shared__ __align__(16) unsigned s[8192];                                                 \
        unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, t[41], x = lane, y = 0;         \
        for (int k = threadIdx.x; k < 8192; k += blockDim.x)                                       \
            s[k] = 0;                                                                              \
        unsigned at = (unsigned)__cvta_generic_to_shared(s) + lane / ways * ways * 4 + lane % ways * 128; \
        for (int round = 0; round < 2; round++) { /* the first fills the instruction caches */     \
            __syncthreads();                                                                       \
            __nanosleep(2000);                                                                     \
            __syncthreads();                                                                       \
            x += *(volatile unsigned *)&s[lane];                                                   \
            t[0] = now();                                                                          \
            _Pragma("unroll") for (int i = 0; i < 40; i++)                                         \
            {                                                                                      \
                access;                                                                            \
                t[i + 1] = now();                                                                  \
            }                                                                                      \
        }                                                                                          \
        if (lane == 0)                                                                             \
            for (int i = 0; i <= 40; i++)                                                          \
                out[warp * 41 + i] = t[i];                                                         \
        out[512 + threadIdx.x] = x + y;                                                            \
    }
QUEUE(stores, asm volatile("st.volatile.shared.u32 [%1], %0;" ::"r"(x), "r"(at) : "memory"))
// The register that was stored is written again.
QUEUE(stores_again, asm volatile("st.volatile.shared.u32 [%1], %0;\n\tadd.u32 %0, %0, 1;" : "+r"(x) : "r"(at) : "memory"))
QUEUE(loads, asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(y) : "r"(at) : "memory"))
extern "C" __global__ void since(unsigned *out)
{
    unsigned first = out[threadIdx.x / 32 * 41], k = threadIdx.x % 32;
    out += threadIdx.x / 32 * 41;
    __syncwarp();
    out[k] -= first;
    if (k < 9)
        out[32 + k] -= first;
}
