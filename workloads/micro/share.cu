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
