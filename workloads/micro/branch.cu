// What control flow costs when no warp diverges: 16 places a round where 24 multiply-adds are jumped over or not, with a condition of
// each thread (the compiler adds BSSY and BSYNC) or of the block. out[0] = cycles of 64 rounds of the block.
#include "bench.cuh"

#define F asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a) : "memory");
#define REP16(s) REP4(s) REP4(s) REP4(s) REP4(s)
#define PLACES(name, flag, STEP) SOME(name, flag, REP16(STEP))
#define SOME(name, flag, STEPS)                                                                                \
    extern "C" __global__ void name(unsigned *out, const unsigned *in, int all)                                \
    {                                                                                                          \
        unsigned t0 = 0, t1 = 0, own = in[threadIdx.x % 32];                                                   \
        float x = 1, a = __uint_as_float(in[33]);                                                              \
        (void)own;                                                                                             \
        _Pragma("unroll 1") for (int round = 0; round < 66; round++)                                           \
        {                                                                                                      \
            if (round == 2) {                                                                                  \
                __syncthreads();                                                                               \
                t0 = now();                                                                                    \
            }                                                                                                  \
            STEPS                                                                                              \
        }                                                                                                      \
        __syncthreads();                                                                                       \
        t1 = now();                                                                                            \
        if (threadIdx.x == 0)                                                                                  \
            out[0] = t1 - t0;                                                                                  \
        out[4 + threadIdx.x] = __float_as_uint(x);                                                             \
    }
#define BODY REP8(F) REP8(F) REP8(F)
PLACES(branch_base, all, F F F F F F F F)
PLACES(branch_body, all, F F F F F F F F BODY)
PLACES(branch_thread, own, F F F F F F F F if (own) { BODY })
PLACES(branch_block, all, F F F F F F F F if (all) { BODY })
// The same jump over more and less.
PLACES(branch_over_16, all, F F F F F F F F if (all) { REP16(F) })
PLACES(branch_over_56, all, F F F F F F F F if (all) { BODY BODY REP8(F) })
PLACES(branch_over_120, all, F F F F F F F F if (all) { BODY BODY BODY BODY BODY })
// Fewer places in the loop: which of the lines that are jumped to are still at hand.
#define REP2(s) s s
#define OVER(body) F F F F F F F F if (all) { body }
SOME(jumps_none_1, all, F F F F F F F F)
SOME(jumps_none_2, all, REP2(F F F F F F F F))
SOME(jumps_none_4, all, REP4(F F F F F F F F))
SOME(jumps_none_8, all, REP8(F F F F F F F F))
SOME(jumps_24_1, all, OVER(BODY))
SOME(jumps_24_2, all, REP2(OVER(BODY)))
SOME(jumps_24_4, all, REP4(OVER(BODY)))
SOME(jumps_24_8, all, REP8(OVER(BODY)))
SOME(jumps_56_1, all, OVER(BODY BODY REP8(F)))
SOME(jumps_56_2, all, REP2(OVER(BODY BODY REP8(F))))
SOME(jumps_56_4, all, REP4(OVER(BODY BODY REP8(F))))
SOME(jumps_56_8, all, REP8(OVER(BODY BODY REP8(F))))
