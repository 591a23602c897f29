// Pointer chases through global memory by footprint.

// Links `slots` slots, stride_words 8-byte words apart, into one random cycle of absolute addresses.
extern "C" __global__ void link(unsigned long long *ring, int slots, int stride_words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < slots)
        ring[(size_t)i * stride_words] = (unsigned long long)(ring + (421ULL * i + 1000003) % slots * stride_words);
}

// Links only `linked` of `slots` places (a power of two), those that a walk meets first: lines never read before, over any
// footprint.
extern "C" __global__ void link_far(unsigned long long *ring, int slots, int linked, int stride_words)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < linked)
        ring[(size_t)(i * 2654435761u & slots - 1) * stride_words] = (unsigned long long)(ring + (size_t)((i + 1) * 2654435761u & slots - 1) * stride_words);
}

#define WALK(name, load)                                                                           \
    extern "C" __global__ void name(const unsigned long long *ring, unsigned *out, int warm, int hops) \
    {                                                                                              \
        unsigned long long p = (unsigned long long)ring;                                           \
        unsigned t0, t1;                                                                           \
        for (int k = 0; k < warm; k++)                                                             \
            asm volatile(load " %0, [%0];" : "+l"(p)::"memory");                                   \
        asm volatile("mov.u32 %0, %%clock;" : "=r"(t0), "+l"(p)::"memory");                        \
        _Pragma("unroll 8") for (int k = 0; k < hops; k++)                                         \
            asm volatile(load " %0, [%0];" : "+l"(p)::"memory");                                   \
        asm volatile("{.reg .u64 q;\n\tmov.u64 q, %1;\n\tmov.u32 %0, %%clock;}" : "=r"(t1), "+l"(p)::"memory"); \
        out[0] = t1 - t0;                                                                          \
        out[1] = (unsigned)p;                                                                      \
    }
WALK(walk_ca, "ld.global.u64")
WALK(walk_cg, "ld.global.cg.u64")

// Each hop on its own clock: shows near and far L2. Only block `chosen` walks; out: SM number, then one time a hop.
extern "C" __global__ void walk_each(const unsigned long long *ring, unsigned *out, int warm, int hops, int chosen)
{
    if (blockIdx.x != chosen)
        return;
    unsigned long long p = (unsigned long long)ring;
    for (int k = 0; k < warm; k++)
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    out[0] = sm;
    for (int k = 0; k < hops; k++) {
        unsigned long long q;
        unsigned t0, t1;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(t0)::"memory");
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(q) : "l"(p) : "memory");
        asm volatile("{.reg .pred z;\n\tsetp.eq.u64 z, %1, 0;\n\t@z trap;\n\tmov.u32 %0, %%clock;}" : "=r"(t1) : "l"(q) : "memory");
        p = q;
        out[k + 1] = t1 - t0;
    }
}
