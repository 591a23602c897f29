// Which path of a warp runs next, and what the choice costs: trees of branches with 2, 4, 8 leaves, all of which meet at one place.
// `ways` leaves are visited by equal numbers of lanes. The other side of the latest branch follows a path that cannot go on; where
// a side branched itself, those that waited longer are chosen: of 4 leaves one, of 8 three. out[0] = cycles of 16 rounds.
#include "bench.cuh"

template <int depth> __device__ __forceinline__ unsigned leaf(unsigned x, unsigned k)
{
    if constexpr (depth == 0) {
        asm volatile("mad.lo.u32 %0, %0, 5, 3;" : "+r"(x)::"memory");
        return x;
    } else if (k & 1u << (depth - 1)) {
        return leaf<depth - 1>(x, k);
    } else {
        return leaf<depth - 1>(x, k);
    }
}
// The compiler guards the last decision by a predicate instead of a branch.
#define TREE(name, depth)                                                                          \
    extern "C" __global__ void name(unsigned *out, int ways)                                       \
    {                                                                                              \
        unsigned lane = threadIdx.x % 32, x = lane, t0 = 0, t1 = 0, k = lane * ways / 32 << 1;     \
        for (int round = 0; round < 20; round++) {                                                 \
            if (round == 4)                                                                        \
                t0 = now();                                                                        \
            x = leaf<depth + 1>(x, k);                                                             \
            asm volatile("add.u32 %0, %0, 1;" : "+r"(x)::"memory");                                \
            __syncwarp();                                                                          \
        }                                                                                          \
        t1 = now();                                                                                \
        if (threadIdx.x == 0)                                                                      \
            out[0] = t1 - t0;                                                                      \
        out[32 + threadIdx.x] = x;                                                                 \
    }
TREE(tree_2, 1)
TREE(tree_4, 2)
TREE(tree_8, 3)
