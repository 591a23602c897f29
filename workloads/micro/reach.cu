// Bytes that L2 gives to some SMs at once: `per` SMs of each of `gpcs` GPCs read `bytes` bytes of their own, or all the same ones, by
// loads that bypass L1, by cp.async, or by bulk copies; or write. The others are idle. The GPC of a TPC is as measured on an H200.
// out[slot] = cycles of the last of four rounds, which begin together; out[160] counts arrivals.
#include <stdint.h>

#include "bench.cuh"

__device__ const unsigned char gpc_of_tpc[66] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 1,
                                                 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 6, 7, 0, 0, 0, 0};
// Its place among the SMs that read, or -1: in order of the TPCs of each GPC (`apart`: first one SM of each TPC).
__device__ __forceinline__ int place(int gpcs, int per, int apart)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    int tpc = sm / 2, gpc = gpc_of_tpc[tpc], before = 0, tpcs = 0;
    for (int i = 0; i < 66; i++) {
        before += gpc_of_tpc[i] == gpc && i < tpc;
        tpcs += gpc_of_tpc[i] == gpc;
    }
    int rank = apart ? (int)(sm % 2) * tpcs + before : before * 2 + (int)(sm % 2);
    return gpc < gpcs && rank < per ? gpc * per + rank : -1;
}
__device__ __forceinline__ void together(unsigned *count, unsigned n)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned ticket = atomicAdd(count, 1), until = (ticket / n + 1) * n;
        while (*(volatile unsigned *)count < until)
            ;
    }
    __syncthreads();
}
#define READ(name, HOW)                                                                                        \
    extern "C" __global__ void __launch_bounds__(512) name(unsigned *out, const uint4 *in, int gpcs, int per, int apart, int same) \
    {                                                                                                          \
        extern __shared__ __align__(128) uint8_t memory[];                                                     \
        __shared__ __align__(8) uint64_t bar;                                                                  \
        unsigned to = (unsigned)__cvta_generic_to_shared(memory), b = (unsigned)__cvta_generic_to_shared(&bar), t0 = 0, t1 = 0, sum = 0; \
        int slot = place(gpcs, per, apart);                                                                    \
        if (slot < 0)                                                                                          \
            return;                                                                                            \
        const uint4 *from = in + (same ? 0 : slot * 8192);                                                     \
        if (threadIdx.x == 0)                                                                                  \
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(b) : "memory"); \
        _Pragma("unroll 1") for (int round = 0; round < 4; round++)                                            \
        {                                                                                                      \
            together(out + 160, gpcs * per);                                                                   \
            t0 = now();                                                                                        \
            HOW;                                                                                               \
            __syncthreads();                                                                                   \
            t1 = now();                                                                                        \
        }                                                                                                      \
        if (threadIdx.x == 0)                                                                                  \
            out[slot] = t1 - t0;                                                                               \
        if (sum == 12345)                                                                                      \
            out[161] = 1;                                                                                      \
    }
READ(reach_load, {
    uint4 v[16];
    _Pragma("unroll") for (int i = 0; i < 16; i++)
        asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w) : "l"(from + i * 512 + threadIdx.x) : "memory");
    _Pragma("unroll") for (int i = 0; i < 16; i++) sum += v[i].x + v[i].y + v[i].z + v[i].w;
})
READ(reach_copy, {
    _Pragma("unroll") for (int i = 0; i < 16; i++)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + (i * 512 + threadIdx.x) * 16), "l"(from + i * 512 + threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");
})
READ(reach_bulk, {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 131072;" ::"r"(b) : "memory");
        for (int i = 0; i < 8; i++)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16384, [%2];" ::"r"(to + i * 16384), "l"(from + i * 1024), "r"(b) : "memory");
        unsigned done = 0;
        while (!done)
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b), "r"(round & 1) : "memory");
    }
})
// Stores to memory of their own until a fence says that they have arrived: whole lines, and sectors of eight rows as a product's sums
// are stored.
#define SUM make_uint4(t1, t1, t1, t1)
READ(reach_store, {
    uint4 *at = (uint4 *)from;
    _Pragma("unroll") for (int i = 0; i < 16; i++) at[i * 512 + threadIdx.x] = SUM;
    __threadfence();
})
READ(reach_store_rows, {
    uint2 *at = (uint2 *)from + threadIdx.x / 32 * 1024 + threadIdx.x % 32 / 4 * 128 + threadIdx.x % 4;
    _Pragma("unroll") for (int i = 0; i < 32; i++) at[i * 4] = make_uint2(t1, t1);
    __threadfence();
})
