// Memory inside the SM, by dependent loads: shared, L1, constants through registers. The _add forms add the first and
// the other words of the load (one addition; two for lds128), so that the compiler does not narrow wide ones.
// chain_NAME(out, in): one warp; in: 4-byte words that are all 0, so each load gives the next offset, 0.
#include "bench.cuh"

#define CHAIN(name, prologue, STEP)                                                                \
    extern "C" __global__ void chain_##name(unsigned *out, const unsigned *in)                     \
    {                                                                                              \
        unsigned x = in[0], y = 0, z = 0, w = 0, t0 = 0, t1 = 0, t2 = 0;                           \
        prologue;                                                                                  \
        _Pragma("unroll 1") for (int round = 0; round < 3; round++)                                \
        {                                                                                          \
            __syncwarp();                                                                          \
            t0 = now();                                                                            \
            REP32(STEP)                                                                            \
            t1 = now();                                                                            \
            REP160(STEP)                                                                           \
            t2 = now();                                                                            \
        }                                                                                          \
        if (threadIdx.x == 0) {                                                                    \
            out[0] = (t2 - t1) - (t1 - t0);                                                        \
            out[1] = t1 - t0;                                                                      \
            out[2] = t2 - t1;                                                                      \
        }                                                                                          \
        out[4 + threadIdx.x] = x + y + z + w;                                                      \
    }

#define SHARED                                                                                     \
    __shared__ unsigned s[256];                                                                    \
    unsigned base = (unsigned)__cvta_generic_to_shared(s);                                         \
    for (int k = threadIdx.x; k < 256; k += 32)                                                    \
        s[k] = k % 4 ? 0 : base;                                                                   \
    __syncthreads();                                                                               \
    x = base
CHAIN(lds32, SHARED, asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x)::"memory");)
CHAIN(lds32_add, SHARED; y = in[threadIdx.x], asm volatile("ld.shared.u32 %0, [%0];\n\tadd.u32 %0, %0, %1;" : "+r"(x) : "r"(y) : "memory");)
CHAIN(lds64_add, SHARED, asm volatile("ld.shared.v2.u32 {%0, %1}, [%0];\n\tadd.u32 %0, %0, %1;" : "+r"(x), "+r"(y)::"memory");)
CHAIN(lds128_add, SHARED, asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%0];\n\tadd.u32 %0, %0, %1;\n\tadd.u32 %0, %0, %2;\n\tadd.u32 %0, %0, %3;" : "+r"(x), "+r"(y), "+r"(z), "+r"(w)::"memory");)
// Store, then load what was stored.
CHAIN(sts_lds, SHARED, asm volatile("st.volatile.shared.u32 [%0], %0;\n\tld.volatile.shared.u32 %0, [%0];" : "+r"(x)::"memory");)
// The old value of the atomic is the next address: the word holds its own address and 0 is added.
CHAIN(atoms_add, SHARED; y = in[0], asm volatile("atom.shared.add.u32 %0, [%0], %1;" : "+r"(x) : "r"(y) : "memory");)

// Global, hitting in L1: the address is a 64-bit pointer that the word holds.
#define GLOBAL_CHAIN(name, vector)                                                                \
    extern "C" __global__ void chain_##name(unsigned *out, unsigned long long *in)                 \
    {                                                                                              \
        unsigned long long x = (unsigned long long)in, y = in[1];                                    \
        unsigned t0 = 0, t1 = 0, t2 = 0;                                                           \
        if (threadIdx.x == 0)                                                                      \
            in[0] = x;                                                                             \
        __syncthreads();                                                                           \
        _Pragma("unroll 1") for (int round = 0; round < 3; round++)                                \
        {                                                                                          \
            __syncwarp();                                                                          \
            t0 = now();                                                                            \
            REP32(vector)                                                                          \
            t1 = now();                                                                            \
            REP160(vector)                                                                         \
            t2 = now();                                                                            \
        }                                                                                          \
        if (threadIdx.x == 0) {                                                                    \
            out[0] = (t2 - t1) - (t1 - t0);                                                        \
            out[1] = t1 - t0;                                                                      \
            out[2] = t2 - t1;                                                                      \
        }                                                                                          \
        out[4 + threadIdx.x] = (unsigned)(x + y);                                                  \
    }
GLOBAL_CHAIN(ldg64, asm volatile("ld.global.u64 %0, [%0];" : "+l"(x)::"memory");)
GLOBAL_CHAIN(ldg64_add, asm volatile("ld.global.u64 %0, [%0];\n\tadd.u64 %0, %0, %1;" : "+l"(x) : "l"(y) : "memory");)
GLOBAL_CHAIN(ldg128_add, asm volatile("ld.global.v2.u64 {%0, %1}, [%0];\n\tadd.u64 %0, %0, %1;" : "+l"(x), "+l"(y)::"memory");)
GLOBAL_CHAIN(ldg64_l2, asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(x)::"memory");)

// A constant read through a register: c[at] is 0.
__constant__ unsigned ring[16384];
CHAIN(ldc, , x = ring[x];)
