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
