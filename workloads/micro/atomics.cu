// Global atomics: rounds of one atomic a thread. spread: words between the addresses of neighbouring threads; 0 is
// one hot word. atomics_return uses the old value as the next operand, atomics_reduce does not want it.
extern "C" __global__ void atomics_return(unsigned *words, unsigned *out, int spread, unsigned mask, int rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = 1, t0, t1;
    unsigned *p = words + (i * spread & mask);
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t0)::"memory");
    for (int r = 0; r < rounds; r++)
        asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(v) : "l"(p) : "memory");
    asm volatile("{.reg .u32 q;\n\tadd.u32 q, %1, 1;\n\tmov.u32 %0, %%clock;}" : "=r"(t1), "+r"(v)::"memory");
    if (i == 0) {
        out[0] = t1 - t0;
        out[1] = v;
    }
}

extern "C" __global__ void atomics_reduce(unsigned *words, int spread, unsigned mask, int rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *p = words + (i * spread & mask);
    for (int r = 0; r < rounds; r++)
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(r) : "memory");
}
