// What a launch costs that finds its data, its code, or both no longer in L2. `sweep` reads a buffer larger than L2, so that
// all else is gone; `touch` brings data back; the same kernel on other data brings its code back.

extern "C" __global__ void sweep(const uint4 *x, unsigned *out, long long n)
{
    unsigned sum = 0;
#pragma unroll 4
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
        sum += x[i].x;
    if (sum == 0x12345678)
        out[0] = sum;
}

extern "C" __global__ void touch(const unsigned *x, unsigned *out)
{
    if (x[blockIdx.x * blockDim.x + threadIdx.x] == 0x12345678)
        out[0] = 1;
}

static __device__ __forceinline__ unsigned now()
{
    unsigned t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

// Loads, stores, and says when: out[4 * block ..]: parameters there, datum there, in cycles since its first instruction.
extern "C" __global__ void stamp(const unsigned *x, unsigned *y, unsigned *out, unsigned odd)
{
    unsigned t0 = now();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, t1, t2;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t1) : "r"(odd) : "memory");
    unsigned v = x[i];
    if (v == 0x12345678)
        v = odd;
    y[i] = v;
    t2 = now();
    if (threadIdx.x == 0) {
        out[4 * blockIdx.x] = t1 - t0;
        out[4 * blockIdx.x + 1] = t2 - t0;
    }
}

// Straight code of some length, and nothing else
#define FOUR(x) x x x x
#define LONG(name, body)                                                                           \
    extern "C" __global__ void name(unsigned *out, float a)                                        \
    {                                                                                              \
        float v = threadIdx.x;                                                                     \
        unsigned t0 = now();                                                                       \
        body unsigned t1 = now();                                                                  \
        if (v == 1.5f)                                                                             \
            out[1] = 1;                                                                            \
        if (threadIdx.x == 0 && blockIdx.x == 0)                                                   \
            out[0] = t1 - t0;                                                                      \
    }
#define STEP asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(v) : "f"(a));
LONG(code64, FOUR(FOUR(FOUR(STEP))))
LONG(code256, FOUR(FOUR(FOUR(FOUR(STEP)))))
LONG(code1024, FOUR(FOUR(FOUR(FOUR(FOUR(STEP))))))
LONG(code4096, FOUR(FOUR(FOUR(FOUR(FOUR(FOUR(STEP)))))))

// Each block loads 16 bytes a lane, stores them if asked to, and says when: out[4 * block ..]: nanoseconds at its start, cycles
// until the data were there, until it was done, its SM.
extern "C" __global__ void ramp(const uint4 *x, uint4 *y, unsigned *out, unsigned stores)
{
    unsigned ns, sm, t0 = now();
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(ns)::"memory");
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint4 v = x[i];
    if (v.x == 0x12345678)
        v.y = stores;
    __syncthreads();
    unsigned t1 = now();
    if (stores)
        y[i] = v;
    unsigned t2 = now();
    if (threadIdx.x == 0)
        ((uint4 *)out)[blockIdx.x] = make_uint4(ns, t1 - t0, t2 - t0, sm);
}
