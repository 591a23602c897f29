// Clusters: special registers, the barrier, distributed shared memory, counted stores, copies between blocks.
#include "async.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void registers(u32 *y)
{
    u32 v[12];
#define READ(i, name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(v[i]))
    READ(0, "cluster_ctaid.x"); READ(1, "cluster_ctaid.y"); READ(2, "cluster_ctaid.z"); READ(3, "cluster_nctaid.x");
    READ(4, "cluster_nctaid.y"); READ(5, "cluster_nctaid.z"); READ(6, "cluster_ctarank"); READ(7, "cluster_nctarank");
    READ(8, "clusterid.x"); READ(9, "clusterid.y"); READ(10, "nclusterid.x"); READ(11, "nclusterid.y");
    if (threadIdx.x == 0)
        for (int i = 0; i < 12; i++)
            y[((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * 12 + i] = v[i];
}

// A histogram of 256 bins over the shared memory of four blocks.
extern "C" __global__ void __cluster_dims__(4, 1, 1) histogram(const u32 *x, u32 *bins, int n)
{
    __shared__ u32 h[64];
    cg::cluster_group c = cg::this_cluster();
    u32 r = c.block_rank();
    if (threadIdx.x < 64)
        h[threadIdx.x] = 0;
    c.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        u32 b = x[i] & 255;
        u32 *d = c.map_shared_rank(h, b >> 6);
        atomicAdd(d + (b & 63), 1);
    }
    c.sync();
    if (threadIdx.x < 64)
        atomicAdd(&bins[r * 64 + threadIdx.x], h[threadIdx.x]);
}

// Each block's data go round the ring of its cluster once.
extern "C" __global__ void ring(const float *x, float *y, int rounds)
{
    __shared__ float t[2][256];
    cg::cluster_group c = cg::this_cluster();
    u32 r = c.block_rank(), n = c.num_blocks();
    t[0][threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    c.sync();
    for (int i = 0; i < rounds; i++) {
        float *d = c.map_shared_rank(&t[(i + 1) & 1][0], (r + 1) % n);
        d[threadIdx.x] = t[i & 1][threadIdx.x] + 1;
        c.sync();
    }
    float *s = c.map_shared_rank(&t[rounds & 1][0], r ^ 1);
    y[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x] + s[255 - threadIdx.x];
    c.sync();
}

// Bytes and arrivals that other blocks send to a block's mbarrier: counted stores, a bulk copy, plain arrivals.
extern "C" __global__ void __cluster_dims__(2, 1, 1) counted(u32 *y)
{
    __shared__ alignas(16) u32 t[1024];
    __shared__ alignas(8) u64 bar[3];
    u32 b = smem(bar), d = smem(t), other = cluster_rank() ^ 1, rb = map_rank(b, other), rd = map_rank(d, other), v, old;
    if (threadIdx.x == 0)
        bar_init(b, 1), bar_init(b + 8, 1), bar_init(b + 16, 128);
    for (int i = threadIdx.x; i < 1024; i += 128)
        t[i] = i + 10000 * blockIdx.x;
    cluster_sync();
    if (threadIdx.x == 0) {
        bar_expect(b, 128 * 16 + 128 * 4);
        bar_expect(b + 8, 512);
        proxy_fence();
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(rd + 512), "r"(d), "r"(rb + 8) : "memory");
    }
    u32 i = threadIdx.x;
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%2, %3, %4, %5}, [%1];" ::"r"(rd + 1024 + 16 * i), "r"(rb), "r"(i), "r"(2 * i), "r"(3 * i), "r"(4 * i) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %2, [%1];" ::"r"(rd + 3072 + 4 * i), "r"(rb), "r"(7 * i) : "memory");
    bar_wait(b, 0);
    bar_wait(b + 8, 0);
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(rd + 3072 + 4 * i));
    asm volatile("atom.shared::cluster.max.u32 %0, [%1], %2;" : "=r"(old) : "r"(rd + 3584 + 4 * i), "r"(5 * i + 3000));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(rb + 16) : "memory");
    bar_wait(b + 16, 0);
    cluster_sync();
    for (int k = threadIdx.x; k < 1024; k += 128)
        y[blockIdx.x * 1280 + k] = t[k];
    y[blockIdx.x * 1280 + 1024 + i] = v;
    y[blockIdx.x * 1280 + 1152 + i] = old;
}

// A sum over all blocks of a cluster of any size: everybody reads everybody's shared memory.
extern "C" __global__ void all_reduce(const float *x, float *y)
{
    __shared__ float4 t[128];
    cg::cluster_group c = cg::this_cluster();
    t[threadIdx.x] = ((const float4 *)x)[blockIdx.x * 128 + threadIdx.x];
    c.sync();
    float4 s = {0, 0, 0, 0};
    for (u32 r = 0; r < c.num_blocks(); r++) {
        float4 v = c.map_shared_rank(t, r)[threadIdx.x];
        s.x += v.x, s.y += v.y, s.z += v.z, s.w += v.w;
    }
    ((float4 *)y)[blockIdx.x * 128 + threadIdx.x] = s;
    c.sync();
}
