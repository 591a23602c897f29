// A machine full of blocks that wait for a chain of loads in L2, which leaves all units idle: how long is a block's place empty before
// the next one runs there?
#include "bench.cuh"

__device__ __forceinline__ unsigned wait_for(volatile const unsigned *x, unsigned i, unsigned mask, int chain)
{
    unsigned v = 0;
#pragma unroll 1
    for (int k = 0; k < chain; k++)
        v = x[(i & mask) + v]; // the words are 0
    return v;
}

extern "C" __global__ void turn(const unsigned *x, unsigned *y, unsigned mask, int chain, int stores)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = wait_for(x, i, mask, chain);
    if (stores || v)
        y[i] = v;
}

// Each warp notes the clock at its end for whoever comes to its place next: out[warp] = cycles since that end, life[warp] = its own.
extern "C" __global__ void place(const unsigned *x, unsigned *y, unsigned mask, int chain, unsigned *out, unsigned *life,
                                 volatile unsigned *last)
{
    unsigned t0 = now(), sm, slot, lane = threadIdx.x % 32, i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
    slot = sm * 64 + slot;
    unsigned before = last[slot], v = wait_for(x, i, mask, chain);
    y[i] = v;
    unsigned t1 = now();
    if (lane == 0) {
        out[i / 32] = before ? t0 - before : 0;
        life[i / 32] = t1 - t0;
        last[slot] = t1;
    }
}
