// Global atomics of warps that each have a place of their own: cycles of a block for 64 atomics a warp, none of which waits for another.
// `lanes` lanes, `stride` elements apart, each warp `apart` bytes after the one before.
#include "bench.cuh"

#define ROUNDS(name, type, code)                                                                                                \
    extern "C" __global__ void name(type *words, unsigned *out, int lanes, int stride, int apart)                               \
    {                                                                                                                           \
        int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;                                       \
        type *p = (type *)((char *)words + (long long)warp * apart) + lane * stride, v = (type)1, old, kept = (type)0;          \
        (void)old;                                                                                                              \
        unsigned t0 = 0;                                                                                                        \
        for (int r = 0; r < 5; r++) {                                                                                           \
            if (r == 1) {                                                                                                       \
                __syncthreads();                                                                                                \
                t0 = now();                                                                                                     \
            }                                                                                                                   \
            if (lane < lanes) {                                                                                                 \
                _Pragma("unroll") for (int k = 0; k < 16; k++)                                                                  \
                    code;                                                                                                       \
            }                                                                                                                   \
        }                                                                                                                       \
        if (kept == (type)77)                                                                                                   \
            words[0] = kept;                                                                                                    \
        __syncthreads();                                                                                                        \
        if (threadIdx.x == 0)                                                                                                   \
            out[blockIdx.x] = now() - t0;                                                                                       \
    }
#define RED(op, c) asm volatile("red.global." op " [%0], %1;" ::"l"(p), c(v) : "memory")
#define ATOM(op, c)                                                                                                             \
    {                                                                                                                           \
        asm volatile("atom.global." op " %0, [%1], %2;" : "=" c(old) : "l"(p), c(v) : "memory");                                \
        kept += old;                                                                                                            \
    }
#define CAS(op, c)                                                                                                              \
    {                                                                                                                           \
        asm volatile("atom.global.cas." op " %0, [%1], %2, %2;" : "=" c(old) : "l"(p), c(v) : "memory");                        \
        kept += old;                                                                                                            \
    }
ROUNDS(rounds_red, unsigned, RED("add.u32", "r"))
ROUNDS(rounds_red_u64, unsigned long long, RED("add.u64", "l"))
ROUNDS(rounds_add, unsigned, ATOM("add.u32", "r"))
ROUNDS(rounds_add_u64, unsigned long long, ATOM("add.u64", "l"))
ROUNDS(rounds_exch, unsigned, ATOM("exch.b32", "r"))
ROUNDS(rounds_exch_b64, unsigned long long, ATOM("exch.b64", "l"))
ROUNDS(rounds_cas, unsigned, CAS("b32", "r"))
ROUNDS(rounds_cas_b64, unsigned long long, CAS("b64", "l"))
