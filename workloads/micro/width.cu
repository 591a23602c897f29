// Latency of loads by width and by the lanes that take part, each with an address of its own or all with one; of MATCH.ANY by the
// number of values. Chains: out[k] = cycles of 32 loads and the additions between them, of which 31 are waited for.
#include "bench.cuh"

#define CHAIN(at, load)                                                                            \
    x = s[64];                                                                                     \
    for (int round = 0; round < 3; round++) {                                                      \
        t0 = now();                                                                                \
        REP32(load)                                                                                \
        t1 = now();                                                                                \
    }                                                                                              \
    sum += x + y + z + w;                                                                          \
    r[at] = t1 - t0;

extern "C" __global__ void width(unsigned *out, const char *g, int lanes, int own)
{
    __shared__ __align__(16) unsigned s[1024];
    unsigned lane = threadIdx.x, base = (unsigned)__cvta_generic_to_shared(s), x, y = 0, z = 0, w = 0, t0 = 0, t1 = 0, sum = 0, r[6];
    for (int k = lane; k < 1024; k += 32)
        s[k] = 0;
    __syncthreads();
    if (lane >= lanes)
        return;
    unsigned a = base + own * lane * 4, b = base + own * lane * 8, c = base + own * lane * 16;
    const char *p = g + own * lane * 4, *q = g + own * lane * 8, *v = g + own * lane * 16;
    CHAIN(0, asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(a + x) : "memory");)
    CHAIN(1, asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(b + x) : "memory");)
    CHAIN(2, asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(c + x) : "memory");)
    // Loads of device memory are made as narrow as what is used of them: the last word is added to the first.
    CHAIN(3, asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(p + (int)x) : "memory");)
    CHAIN(4, asm volatile("ld.global.v2.u32 {%0, %1}, [%2];\n\tadd.u32 %0, %0, %1;" : "=r"(x), "+r"(y) : "l"(q + (int)x) : "memory");)
    CHAIN(5, asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];\n\tadd.u32 %0, %0, %3;" : "=r"(x), "+r"(y), "+r"(z), "+r"(w) : "l"(v + (int)x) : "memory");)
    if (lane == 0)
        for (int i = 0; i < 6; i++)
            out[i] = r[i];
    out[16 + lane] = sum;
}

extern "C" __global__ void match(unsigned *out, int values)
{
    unsigned lane = threadIdx.x, x = lane % values, t0 = 0, t1 = 0; // (a mask of lanes is another value of the same number)
    for (int round = 0; round < 3; round++) {
        __syncwarp();
        t0 = now();
        REP32(asm volatile("match.any.sync.b32 %0, %0, 0xffffffff;" : "+r"(x));)
        t1 = now();
    }
    if (lane == 0)
        out[0] = t1 - t0;
    out[16 + lane] = x;
}
