// Paths of a warp that meet at a WARPSYNC: a branch on which the lanes part, and behind it an instruction that names all of them
// (no convergence barrier stands between). out[k] = cycles of 8 rounds of way k, less those of a round of clocks alone.
#include "bench.cuh"

__device__ __forceinline__ unsigned mixed(unsigned x) { return x * 0x9e3779b1u ^ x >> 7; }

#define WAY(name, TEST, ONE, OTHER, MEET)                                                          \
    extern "C" __global__ void __launch_bounds__(1024) meet_##name(unsigned *out, const unsigned *in) \
    {                                                                                              \
        unsigned lane = threadIdx.x & 31, r = in[threadIdx.x & 63], sum = 0, all = ~0u;            \
        _Pragma("unroll 1") for (int round = 0; round < 12; round++)                               \
        {                                                                                          \
            unsigned low = __ballot_sync(all, TEST), t0 = now();                                   \
            if (TEST) {                                                                            \
                ONE;                                                                               \
            } else {                                                                               \
                OTHER;                                                                             \
            }                                                                                      \
            MEET;                                                                                  \
            unsigned t1 = now();                                                                   \
            sum += round >= 4 ? t1 - t0 : 0;                                                       \
        }                                                                                          \
        if (lane == 0)                                                                             \
            out[threadIdx.x / 32] = sum;                                                           \
        out[32 + threadIdx.x] = r;                                                                 \
    }
#define SHUFFLE(mask) r = __shfl_sync(mask, r, __ffs(mask) - 1) + lane
#define ALL_SHUFFLE r += __shfl_xor_sync(all, r, 7)
WAY(halves, lane & 1, SHUFFLE(low), r = mixed(r), ALL_SHUFFLE)            // one side names itself, the other nobody
WAY(both, lane & 1, SHUFFLE(low), SHUFFLE(~low), ALL_SHUFFLE)             // each side names itself
WAY(few, lane == 5, SHUFFLE(low), SHUFFLE(~low), ALL_SHUFFLE)             // one lane and 31
WAY(twice, lane & 1, SHUFFLE(low); SHUFFLE(low), SHUFFLE(~low), ALL_SHUFFLE) // two names on one side
WAY(sync, lane & 1, SHUFFLE(low), SHUFFLE(~low), __syncwarp(); r = mixed(r))
WAY(vote, lane & 1, SHUFFLE(low), SHUFFLE(~low), r += __any_sync(all, r & 1))
WAY(none, lane < 32, r = mixed(r), SHUFFLE(~low), ALL_SHUFFLE)            // nobody parts
