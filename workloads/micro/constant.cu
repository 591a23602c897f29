// Constant bank read at a dependent address, one 64-byte line after another, by footprint. One thread.
#include "bench.cuh"

__constant__ unsigned table[16384]; // zeros

extern "C" __global__ void constant(unsigned *out, unsigned mask, int hops)
{
    unsigned at = 0, t0 = 0, t1 = 0;
#pragma unroll 1
    for (int round = 0; round < 2; round++) { // the second round is reported
        t0 = now();
#pragma unroll 4
        for (int k = 0; k < hops; k++) {
            unsigned v = table[at];
            at = (at + 16 + v) & mask;
        }
        asm volatile("{.reg .u32 q;\n\tadd.u32 q, %1, 1;\n\tmov.u32 %0, %%clock;}" : "=r"(t1), "+r"(at)::"memory");
    }
    out[0] = t1 - t0;
    out[1] = at;
}
