// Latency of loads under load: each warp asks for its next lines when the last ones have come, so the time of a round is the
// latency with that many warps and lines under way. Rounds go through memory together; scattered: in pieces thrown at random.
#include "bench.cuh"

__device__ __forceinline__ unsigned fold(unsigned v)
{
    return v;
}
__device__ __forceinline__ unsigned fold(uint4 v)
{
    return v.x | v.y | v.z | v.w;
}

// The first rounds are not timed: translations and all warps are there then.
enum { BEFORE = 4 };

template <int LOADS, bool SCATTERED, bool STORES, class T>
__device__ __forceinline__ void rounds_of(const T *x, T *y, unsigned *out, int rounds, unsigned mask, unsigned grain)
{
    unsigned warps = gridDim.x * blockDim.x / 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned sum = 0, t0 = 0;
#pragma unroll 1
    for (int r = 0; r < BEFORE + rounds; r++) {
        if (r == BEFORE)
            t0 = now();
        T v[LOADS];
        unsigned at[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            unsigned piece = (r * warps + warp) * LOADS + k;
            if (SCATTERED) // pieces of 2^grain lines
                piece = ((piece >> grain) * 0x9E3779B1u & mask) << grain | (piece & ((1 << grain) - 1));
            at[k] = piece * 32 + lane + sum; // the words are 0
            v[k] = x[at[k]];
        }
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            sum |= fold(v[k]);
            if (STORES)
                y[at[k]] = v[k];
        }
    }
    unsigned t1 = now();
    if (lane == 0)
        out[warp] = t1 - t0 + sum;
}

#define KERNEL(name, loads, scattered, stores, type)                                                                             \
    extern "C" __global__ void name(const type *x, type *y, unsigned *out, int rounds, unsigned mask, unsigned grain)            \
    {                                                                                                                            \
        rounds_of<loads, scattered, stores>(x, y, out, rounds, mask, grain);                                                     \
    }
KERNEL(one, 1, false, false, unsigned)
KERNEL(four, 4, false, false, unsigned)
KERNEL(wide, 1, false, false, uint4)
KERNEL(scattered, 1, true, false, unsigned)
KERNEL(copied, 1, false, true, unsigned)

// One line after another, each load's own time.
extern "C" __global__ void each(const unsigned *x, unsigned *out, int rounds)
{
    unsigned warps = gridDim.x * blockDim.x / 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned sum = 0;
#pragma unroll 1
    for (int r = 0; r < BEFORE + rounds; r++) {
        unsigned t0 = now();
        sum |= x[(r * warps + warp) * 32 + lane + sum];
        unsigned t1 = now() + sum;
        if (lane == 0)
            out[r * warps + warp] = t1 - t0;
    }
}

// Other lines into L2.
extern "C" __global__ void sweep(const uint4 *z, unsigned *out)
{
    uint4 v[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = z[(blockIdx.x * 8 + k) * blockDim.x + threadIdx.x];
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum |= fold(v[k]);
    if (sum)
        out[0] = sum;
}
