// Reads of the same lines by several SMs of one GPC, a little apart: whether they meet before L2. The profiler's sectors at L2 say how
// many did. gpc, who: SMs of the GPC in order of number, a bit each; each begins `delay` cycles after the one before, the first at a tick of
// the global timer. Arrivals are counted by atomics only. The GPC of a TPC is as measured on an H200.
#include <stdint.h>

#include "bench.cuh"

__device__ const unsigned char gpc_of_tpc[66] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 1,
                                                 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 6, 7, 0, 0, 0, 0};

// Its rank among the SMs of its GPC.
__device__ __forceinline__ int rank_in(int gpc)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    int rank = sm % 2;
    for (int i = 0; i < (int)sm / 2; i++)
        rank += gpc_of_tpc[i] == gpc ? 2 : 0;
    return gpc_of_tpc[sm / 2] == gpc ? rank : 31;
}
// All n begin together, place * delay cycles apart.
__device__ __forceinline__ void apart(unsigned *out, int n, int place, int delay)
{
    __shared__ unsigned long long at;
    unsigned long long t;
    if (threadIdx.x == 0) {
        unsigned long long *start = (unsigned long long *)(out + 66);
        if (atomicAdd(out + 64, 1) == n - 1) {
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
            atomicExch(start, t + 8192);
        }
        while (!(t = atomicAdd(start, 0)))
            ;
        at = t;
    }
    __syncthreads();
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    while (t < at);
    unsigned begin = now();
    while ((int)(now() - begin) < place * delay)
        ;
    __syncthreads();
}

// One read of a line every 600 cycles by each of `blockDim.x / 32` warps, 256 in all; few (a bit for each place): lanes of one sector
// only.
#define PACED(name, load)                                                                                                            \
    extern "C" __global__ void __launch_bounds__(512) name(unsigned *out, const unsigned *in, int gpc, unsigned who, int delay, int few) \
    {                                                                                                                                \
        int rank = rank_in(gpc), place = __popc(who & ((1u << rank) - 1)), n = __popc(who), warps = blockDim.x / 32;                 \
        unsigned sum = 0, lane = threadIdx.x % 32;                                                                                   \
        if (!(who >> rank & 1))                                                                                                      \
            return;                                                                                                                  \
        apart(out, n, place, delay);                                                                                                 \
        unsigned t0 = now();                                                                                                         \
        const unsigned *from = in + threadIdx.x;                                                                                     \
        for (int i = 0; i < 256 / warps; i++) {                                                                                      \
            unsigned v = 0;                                                                                                          \
            while ((int)(now() - t0) < i * 600)                                                                                      \
                ;                                                                                                                    \
            if (lane < 8 || !(few >> place & 1))                                                                                     \
                asm volatile(load " %0, [%1];" : "=r"(v) : "l"(from + i * blockDim.x));                                              \
            sum += v;                                                                                                                \
        }                                                                                                                            \
        __syncthreads();                                                                                                             \
        unsigned t1 = now();                                                                                                         \
        if (threadIdx.x == 0)                                                                                                        \
            out[rank] = t1 - t0;                                                                                                     \
        if (sum == 12345)                                                                                                            \
            out[65] = 1;                                                                                                             \
    }
PACED(share_paced, "ld.global.u32")
PACED(share_paced_cg, "ld.global.cg.u32")

// Gathers: each lane reads a sector of a line of its own, `blockDim.x` lines together every 2,000 cycles, the same by each SM, in the same order
// (turn 0) or each SM beginning elsewhere.
#define GATHERED(name, load)                                                                                                         \
    extern "C" __global__ void __launch_bounds__(512) name(unsigned *out, const unsigned *in, int gpc, unsigned who, int delay, int turn) \
    {                                                                                                                                \
        int rank = rank_in(gpc), place = __popc(who & ((1u << rank) - 1)), n = __popc(who);                                          \
        unsigned sum = 0, mine = (threadIdx.x + place * turn) % blockDim.x;                                                          \
        if (!(who >> rank & 1))                                                                                                      \
            return;                                                                                                                  \
        apart(out, n, place, delay);                                                                                                 \
        unsigned t0 = now();                                                                                                         \
        for (int i = 0; i < 32; i++) {                                                                                               \
            unsigned v;                                                                                                              \
            while ((int)(now() - t0) < i * 2000)                                                                                     \
                ;                                                                                                                    \
            asm volatile(load " %0, [%1];" : "=r"(v) : "l"(in + (i * 512 + mine) * 32));                                             \
            sum += v;                                                                                                                \
        }                                                                                                                            \
        __syncthreads();                                                                                                             \
        unsigned t1 = now();                                                                                                         \
        if (threadIdx.x == 0)                                                                                                        \
            out[rank] = t1 - t0;                                                                                                     \
        if (sum == 12345)                                                                                                            \
            out[65] = 1;                                                                                                             \
    }
GATHERED(share_gathered, "ld.global.u32")
GATHERED(share_gathered_cg, "ld.global.cg.u32")

// Every lane reads a sector anywhere in mask + 1 sectors, `rounds` times, as fast as it goes (lanes: so many of a warp); whole: a warp's lanes
// read one line.
#define SCATTERED(name, load)                                                                                                        \
    extern "C" __global__ void name(unsigned *out, const unsigned *in, unsigned mask, int rounds, int lanes, int whole)              \
    {                                                                                                                                \
        unsigned lane = threadIdx.x % 32, sum = 0, i = (blockIdx.x * blockDim.x + threadIdx.x) / (whole ? 32 : 1) * rounds, t0 = now(); \
        if (lane < lanes)                                                                                                            \
            for (int r = 0; r < rounds; r++) {                                                                                       \
                unsigned x = i + r, v;                                                                                               \
                x = (x ^ x >> 16) * 0x7feb352d;                                                                                      \
                x = (x ^ x >> 15) * 0x846ca68b;                                                                                      \
                x = (x ^ x >> 16) & mask;                                                                                            \
                asm volatile(load " %0, [%1];" : "=r"(v) : "l"(in + (whole ? x / 4 * 32 + lane : x * 8)));                           \
                sum += v;                                                                                                            \
            }                                                                                                                        \
        __syncthreads();                                                                                                             \
        if (threadIdx.x == 0)                                                                                                        \
            out[blockIdx.x] = now() - t0;                                                                                            \
        if (sum == 12345)                                                                                                            \
            out[65] = 1;                                                                                                             \
    }
SCATTERED(share_scattered, "ld.global.u32")
SCATTERED(share_scattered_cg, "ld.global.cg.u32")
SCATTERED(share_scattered_no_allocate, "ld.global.L1::no_allocate.u32")
SCATTERED(share_scattered_nc_no_allocate, "ld.global.nc.L1::no_allocate.u32")
