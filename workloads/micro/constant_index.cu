// Constant bank read at an address of each lane's own: how many addresses differ in a warp, how far apart they lie, how
// many warps do so.
#include "bench.cuh"

__constant__ unsigned values[16384]; // zeros

// A chain: each read's address depends on the one before (shift and addition in the chain).
extern "C" __global__ void index_chain(unsigned *out, int distinct, int stride, int rounds)
{
    unsigned at = threadIdx.x % distinct * stride, t0 = 0, t1 = 0;
#pragma unroll 1
    for (int again = 0; again < 2; again++) { // the second time is reported
        t0 = now();
#pragma unroll 8
        for (int k = 0; k < rounds; k++)
            at += values[at];
        asm volatile("{.reg .u32 q;\n\tadd.u32 q, %1, 1;\n\tmov.u32 %0, %%clock;}" : "=r"(t1), "+r"(at)::"memory");
    }
    if (threadIdx.x == 0) {
        out[0] = t1 - t0;
        out[1] = at;
    }
}

// Eight independent reads a round and warp; the block's first to its last warp.
extern "C" __global__ void index_rate(unsigned *out, int distinct, int stride, int rounds)
{
    __shared__ unsigned first, last;
    unsigned at = threadIdx.x % distinct * stride, sum = 0;
    first = 0xffffffff, last = 0;
#pragma unroll 1
    for (int again = 0; again < 2; again++) {
        __syncthreads();
        unsigned t0 = now();
#pragma unroll 1
        for (int k = 0; k < rounds; k++) {
#pragma unroll
            for (int j = 0; j < 8; j++)
                sum += values[at + j];
            at += sum;
        }
        unsigned t1;
        asm volatile("{.reg .u32 q;\n\tadd.u32 q, %1, 1;\n\tmov.u32 %0, %%clock;}" : "=r"(t1), "+r"(at)::"memory");
        if (again && threadIdx.x % 32 == 0) {
            atomicMin(&first, t0);
            atomicMax(&last, t1);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[2] = last - first;
        out[3] = sum;
    }
}
