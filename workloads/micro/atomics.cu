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

// Patterns: `lanes` lanes of each warp take part; `share` neighbouring lanes have one element, the next is `stride` elements
// on; each warp begins `apart` elements after the one before, within mask + 1 elements.
#pragma nv_diag_suppress 177, 550 // names that a pattern without a result does not use
#define PATTERN(name, type, code)                                                                              \
    extern "C" __global__ void name(type *words, int lanes, int share, int stride, int apart, unsigned mask, int rounds) \
    {                                                                                                          \
        unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;                  \
        type *p = words + (warp * apart + lane / share * stride & mask), v = (type)1, old, kept = (type)0;                      \
        if (lane < lanes)                                                                                      \
            for (int r = 0; r < rounds; r++)                                                                   \
                code;                                                                                          \
        if (kept == (type)77)                                                                                  \
            words[0] = kept;                                                                                   \
    }
#define RED(op, c) asm volatile("red.global." op " [%0], %1;" ::"l"(p), c(v) : "memory")
#define ATOM(op, c)                                                                                            \
    {                                                                                                          \
        asm volatile("atom.global." op " %0, [%1], %2;" : "=" c(old) : "l"(p), c(v) : "memory");                \
        kept += old;                                                                                           \
    }
PATTERN(pattern_add, unsigned, RED("add.u32", "r"))
PATTERN(pattern_max, unsigned, RED("max.u32", "r"))
PATTERN(pattern_f32, float, RED("add.f32", "f"))
PATTERN(pattern_u64, unsigned long long, RED("add.u64", "l"))
PATTERN(pattern_f64, double, RED("add.f64", "d"))
PATTERN(pattern_half2, unsigned, RED("add.noftz.f16x2", "r"))
PATTERN(pattern_exch, unsigned, ATOM("exch.b32", "r"))
PATTERN(pattern_return, unsigned, ATOM("add.u32", "r"))
PATTERN(pattern_cas, unsigned, { asm volatile("atom.global.cas.b32 %0, [%1], %2, %2;" : "=r"(old) : "l"(p), "r"(v) : "memory"); kept += old; })

// Every lane at a place of its own, another each round: a histogram without the reads.
#define RANDOM(name, code)                                                                                     \
    extern "C" __global__ void name(unsigned *words, unsigned mask, int rounds)                                \
    {                                                                                                          \
        unsigned v = 1, old, kept = 0, i = (blockIdx.x * blockDim.x + threadIdx.x) * rounds;                              \
        for (int r = 0; r < rounds; r++) {                                                                     \
            unsigned x = i + r;                                                                                \
            x = (x ^ x >> 16) * 0x7feb352d;                                                                    \
            x = (x ^ x >> 15) * 0x846ca68b;                                                                    \
            unsigned *p = words + ((x ^ x >> 16) & mask);                                                      \
            code;                                                                                              \
        }                                                                                                      \
        if (kept == 77)                                                                                        \
            words[0] = kept;                                                                                   \
    }
RANDOM(random_add, RED("add.u32", "r"))
RANDOM(random_return, ATOM("add.u32", "r"))

// Latency of a chain of atomics of one thread, the mean over `places` places 256 bytes apart.
extern "C" __global__ void atomics_chain(unsigned *words, unsigned *out, int places)
{
    unsigned sum = 0;
    for (int i = 0; i < places; i++) {
        unsigned *p = words + i * 64, v = 1, t0, t1;
        for (int r = 0; r < 2; r++)
            asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(v) : "l"(p) : "memory");
        asm volatile("{.reg .u32 q;\n\tadd.u32 q, %1, 1;\n\tmov.u32 %0, %%clock;}" : "=r"(t0), "+r"(v)::"memory");
        for (int r = 0; r < 8; r++)
            asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(v) : "l"(p) : "memory");
        asm volatile("{.reg .u32 q;\n\tadd.u32 q, %1, 1;\n\tmov.u32 %0, %%clock;}" : "=r"(t1), "+r"(v)::"memory");
        sum += t1 - t0;
    }
    out[0] = sum;
}
