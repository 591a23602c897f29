// Locks between the lanes of a warp, and between warps: every thread takes the lock once. out[0] = cycles of block 0 from one
// barrier to the next, out[1] = how often the lock was held, out[2 + i] = attempts of thread i of block 0.
#include "bench.cuh"

#define LOCKED(name, take)                                                                         \
    extern "C" __global__ void name(unsigned *out, int *m)                                         \
    {                                                                                              \
        __shared__ int f, c;                                                                       \
        if (threadIdx.x == 0)                                                                      \
            f = c = 0;                                                                             \
        __syncthreads();                                                                           \
        unsigned t0 = now(), n = 1;                                                                \
        take;                                                                                      \
        __syncthreads();                                                                           \
        unsigned t1 = now();                                                                       \
        if (blockIdx.x == 0)                                                                       \
            out[2 + threadIdx.x] = n;                                                              \
        if (blockIdx.x == 0 && threadIdx.x == 0)                                                   \
            out[0] = t1 - t0, out[1] = ((volatile int *)m)[1] + *(volatile int *)&c;               \
    }
#define COUNT(at) *(volatile int *)(at) = *(volatile int *)(at) + 1
// As everybody writes it first: all lanes try until they have it, then work, then give it back.
LOCKED(lock_all, while (atomicCAS(m, 0, 1)) n++; COUNT(m + 1); __threadfence(); atomicExch(m, 0))
// As one had to write it before Volta: who has it works at once.
LOCKED(lock_each, bool done = false; while (!done) { if (atomicCAS(m, 0, 1) == 0) { COUNT(m + 1); __threadfence(); atomicExch(m, 0); done = true; } else n++; })
LOCKED(lock_shared, while (atomicCAS(&f, 0, 1)) n++; COUNT(&c); __threadfence_block(); atomicExch(&f, 0))
