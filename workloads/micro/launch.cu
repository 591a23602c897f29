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

// What a launch that touches more and more costs: nothing but a parameter; one load; one store; two loads, the second by the
// first's value.
extern "C" __global__ void param(unsigned *p, unsigned x)
{
    if (x == 0x12345678)
        *p = x;
}
extern "C" __global__ void load(const unsigned *p, unsigned *q)
{
    if (p[threadIdx.x] == 0x12345678)
        *q = 1;
}
extern "C" __global__ void store(unsigned *q)
{
    q[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
extern "C" __global__ void load_load(const unsigned *p, unsigned *q)
{
    if (p[p[threadIdx.x] + (1 << 20)] == 0x12345678)
        *q = 1;
}
extern "C" __global__ void load_store(const unsigned *p, unsigned *q)
{
    q[blockIdx.x * blockDim.x + threadIdx.x] = p[blockIdx.x * blockDim.x + threadIdx.x];
}
