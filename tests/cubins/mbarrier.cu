// Mistakes with mbarriers, clusters and copies that heddle must name. nvcc -arch=sm_90a -cubin
typedef unsigned u32;
typedef unsigned long long u64;
__device__ __forceinline__ u32 smem(const void *p)
{
    return (u32)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void init(u32 b, u32 n)
{
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(n) : "memory");
    __syncthreads();
}
__device__ __forceinline__ void wait(u32 b)
{
    asm volatile("{.reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @p bra D; bra L; D: }" ::"r"(b) : "memory");
}
// One arrival and 128 bytes never come.
extern "C" __global__ void in_vain(u32 *out)
{
    __shared__ alignas(8) u64 bar;
    u32 b = smem(&bar);
    init(b, 65);
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory");
    if (threadIdx.x == 0)
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 128;" ::"r"(b) : "memory");
    wait(b);
    out[threadIdx.x] = 1;
}
extern "C" __global__ void too_many(u32 *out)
{
    __shared__ alignas(8) u64 bar;
    init(smem(&bar), 40);
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 50;" ::"r"(smem(&bar)) : "memory");
    out[threadIdx.x] = 1;
}
// The neighbour has ended.
extern "C" __global__ void too_late(u32 *out)
{
    __shared__ u32 t[64];
    u32 rank, far;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(smem(t)), "r"(rank ^ 1));
    if (rank)
        return;
    __nanosleep(20000);
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(far), "r"(1) : "memory");
    out[0] = 1;
}
// One block does not come to the second barrier, but waits for a flag that nobody sets.
extern "C" __global__ void apart(u32 *out)
{
    __shared__ alignas(8) u64 bar;
    u32 rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    init(smem(&bar), 33);
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    if (rank == 0)
        asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    else
        wait(smem(&bar));
    out[threadIdx.x] = 1;
}
extern "C" __global__ void crooked(const char *x, u32 *out)
{
    __shared__ alignas(128) char t[1024];
    __shared__ alignas(8) u64 bar;
    init(smem(&bar), 1);
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(smem(t)), "l"(x + 8), "r"(smem(&bar)) : "memory");
    wait(smem(&bar));
    out[threadIdx.x] = t[threadIdx.x];
}
extern "C" __global__ void beyond(const char *x, u32 *out)
{
    __shared__ alignas(128) char t[1024];
    __shared__ alignas(8) u64 bar;
    init(smem(&bar), 1);
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(smem(t)), "l"(x), "r"(smem(&bar)) : "memory");
    wait(smem(&bar));
    out[threadIdx.x] = t[threadIdx.x];
}
extern "C" __global__ void several(const char *x, u32 *out)
{
    __shared__ alignas(128) char t[1024];
    __shared__ alignas(8) u64 bar;
    init(smem(&bar), 1);
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;" ::"r"(smem(t)), "l"(x), "r"(smem(&bar)), "h"((short)3) : "memory");
    out[threadIdx.x] = t[threadIdx.x];
}
// No mistake: lines that come into L2 ahead, some twice.
extern "C" __global__ void ahead(const char *x, u32 *out)
{
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], 256;" ::"l"(x));
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], 128;" ::"l"(x));
    }
    out[threadIdx.x] = x[threadIdx.x];
}
