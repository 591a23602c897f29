// What the kernels of this folder share: PTX of mbarriers, copies and clusters, one function each.
#pragma once
typedef unsigned u32;
typedef unsigned long long u64;

__device__ __forceinline__ u32 smem(const void *p)
{
    return (u32)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void bar_init(u32 b, u32 n)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n\tfence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;" ::"r"(b), "r"(n) : "memory");
}
__device__ __forceinline__ u64 bar_arrive(u32 b)
{
    u64 s;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(s) : "r"(b) : "memory");
    return s;
}
__device__ __forceinline__ void bar_expect(u32 b, u32 bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes) : "memory");
}
__device__ __forceinline__ u32 bar_try(u32 b, u32 phase)
{
    u32 p;
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(p) : "r"(b), "r"(phase) : "memory");
    return p;
}
__device__ __forceinline__ u32 bar_test(u32 b, u32 phase)
{
    u32 p;
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(p) : "r"(b), "r"(phase) : "memory");
    return p;
}
__device__ __forceinline__ void bar_wait(u32 b, u32 phase)
{
    while (!bar_try(b, phase))
        ;
}
__device__ __forceinline__ void proxy_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void bulk_load(u32 to, const void *from, u32 bytes, u32 bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(bar) : "memory");
}
__device__ __forceinline__ void bulk_store(void *to, u32 from, u32 bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
}
__device__ __forceinline__ void bulk_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
#define bulk_wait(n)      asm volatile("cp.async.bulk.wait_group %0;" ::"n"(n) : "memory")
#define bulk_wait_read(n) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory")
__device__ __forceinline__ u32 map_rank(u32 addr, u32 rank)
{
    u32 r;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(addr), "r"(rank));
    return r;
}
__device__ __forceinline__ u32 cluster_rank()
{
    u32 r;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ __forceinline__ u32 cluster_size()
{
    u32 r;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(r));
    return r;
}
#define cluster_sync() asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory")
