// Locks between the lanes of a warp, and between warps: every thread takes the lock once. Times are spans, from the first warp's
// start behind a barrier to the last warp's end. A lock in global memory is tried at two words 4 KB apart, one in each half of L2:
// out[0], out[1] = the shorter and the longer span, out[2] = how often each lock was held, out[4 + i] = attempts of thread i.
#include "bench.cuh"

#define SPAN(k, work)                                                                              \
    if (threadIdx.x == 0)                                                                          \
        first = ~0u, last = 0;                                                                     \
    __syncthreads();                                                                               \
    (void)*(volatile unsigned *)&first; /* waits for the barrier: a clock alone does not */        \
    t0 = now();                                                                                    \
    work;                                                                                          \
    t1 = now();                                                                                    \
    __syncthreads();                                                                               \
    atomicMin(&first, t0 & 0x7fffffff);                                                            \
    atomicMax(&last, t1 & 0x7fffffff);                                                             \
    __syncthreads();                                                                               \
    span[k] = last - first & 0x7fffffff;                                                           \
    __syncthreads();
#define LOCKED(name, words, take)                                                                  \
    extern "C" __global__ void name(unsigned *out, int *m)                                         \
    {                                                                                              \
        __shared__ unsigned first, last;                                                           \
        __shared__ int f, c;                                                                       \
        unsigned t0, t1, n = 0, span[2];                                                           \
        if (threadIdx.x == 0)                                                                      \
            f = c = 0;                                                                             \
        __syncthreads();                                                                           \
        _Pragma("unroll 1") for (int k = 0; k < words; k++, m += 1024)                             \
        {                                                                                          \
            SPAN(k, take)                                                                          \
        }                                                                                          \
        m -= 1024 * words;                                                                         \
        out[4 + threadIdx.x] = n;                                                                  \
        if (threadIdx.x == 0) {                                                                    \
            out[0] = words == 2 && span[1] < span[0] ? span[1] : span[0];                          \
            out[1] = words == 2 && span[1] > span[0] ? span[1] : span[0];                          \
            out[2] = words == 2 ? ((volatile int *)m)[1] + ((volatile int *)m)[1025] : *(volatile int *)&c; \
        }                                                                                          \
    }
#define COUNT(at) *(volatile int *)(at) = *(volatile int *)(at) + 1
// As everybody writes it first: all lanes try until they have it, then work, then give it back.
LOCKED(lock_all, 2, while (atomicCAS(m, 0, 1)) n++; COUNT(m + 1); __threadfence(); atomicExch(m, 0))
// As one had to write it before Volta: who has it works at once.
LOCKED(lock_each, 2, bool done = false; while (!done) { if (atomicCAS(m, 0, 1) == 0) { COUNT(m + 1); __threadfence(); atomicExch(m, 0); done = true; } else n++; })
LOCKED(lock_shared, 1, while (atomicCAS(&f, 0, 1)) n++; COUNT(&c); __threadfence_block(); atomicExch(&f, 0))
LOCKED(lock_shared_each, 1, bool done = false; while (!done) { if (atomicCAS(&f, 0, 1) == 0) { COUNT(&c); __threadfence_block(); atomicExch(&f, 0); done = true; } else n++; })
// A sum of floats is a loop of a load and a compare-and-swap that one lane of each word wins (ATOMS.CAST.SPIN).
#define SUMMED(name, words)                                                                        \
    extern "C" __global__ void name(unsigned *out, int *m)                                         \
    {                                                                                              \
        __shared__ unsigned first, last;                                                           \
        __shared__ float sum[words];                                                               \
        unsigned t0, t1, span[1];                                                                  \
        if (threadIdx.x < words)                                                                   \
            sum[threadIdx.x] = 0;                                                                  \
        SPAN(0, atomicAdd(&sum[threadIdx.x % words], 1.0f))                                        \
        if (threadIdx.x == 0)                                                                      \
            out[0] = out[1] = span[0], out[2] = (unsigned)sum[0] * words;                          \
    }
SUMMED(sum_1, 1)
SUMMED(sum_8, 8)
SUMMED(sum_32, 32)
