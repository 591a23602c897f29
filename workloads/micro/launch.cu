// The empty kernel, and where and when blocks start.
extern "C" __global__ void empty()
{
}

// Per block: SM number, clock at its start.
extern "C" __global__ void order(unsigned *sm, unsigned *start)
{
    unsigned s, t;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(t));
    if (threadIdx.x == 0) {
        sm[blockIdx.x] = s;
        start[blockIdx.x] = t;
    }
}
