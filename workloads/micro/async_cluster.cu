// Clusters: the barrier, and shared memory of other blocks: latency, and rate with all warps at it.
#include "../async/async.cuh"
#include "bench.cuh"
#define relaxed_sync() asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory")

extern "C" __global__ void cluster(u32 *out)
{
    __shared__ alignas(16) u32 t[8192 - 16];
    u32 rank = cluster_rank(), d = smem(t), far = map_rank(d, (rank + 1) % cluster_size()), t0, t1, v, s = 0;
    u32 *o = out + blockIdx.x * 16;
    bool first = threadIdx.x == 0;
    for (u32 i = threadIdx.x; i < 8192 - 16; i += blockDim.x)
        t[i] = 0;
    cluster_sync();
    if (threadIdx.x < 32)
        t[threadIdx.x] = far; // a chase that goes to and fro between neighbours would need theirs: it stays at one address
    cluster_sync();
    for (int round = 0; round < 2; round++) {
        cluster_sync();
        t0 = now();
#pragma unroll
        for (int i = 0; i < 16; i++)
            cluster_sync();
        t1 = now();
        if (first)
            o[0] = t1 - t0;
        relaxed_sync();
        t0 = now();
#pragma unroll
        for (int i = 0; i < 16; i++)
            relaxed_sync();
        t1 = now();
        if (first)
            o[1] = t1 - t0;
        if (rank == 0 && threadIdx.x < 32) {
            v = 0;
            t0 = now();
#pragma unroll
            for (int i = 0; i < 16; i++) {
                asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(far + 256 + v + 4 * threadIdx.x) : "memory");
            }
            t1 = now() + v;
            if (first)
                o[2] = t1 - t0;
            t0 = now();
#pragma unroll
            for (int i = 0; i < 16; i++)
                asm volatile("atom.shared::cluster.add.u32 %0, [%1], 0;" : "=r"(v) : "r"(far + 256 + v + 4 * threadIdx.x) : "memory");
            t1 = now() + v;
            if (first)
                o[3] = t1 - t0;
        }
        relaxed_sync();
        u32 a = far + 256 + threadIdx.x * 4;
        t0 = now();
#pragma unroll
        for (int i = 0; i < 16; i++) {
            asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(a + i * 128) : "memory");
            s += v;
        }
        t1 = now() + s;
        if (first)
            o[4] = t1 - t0;
        relaxed_sync();
        a = far + 256 + threadIdx.x * 16;
        t0 = now();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            u32 x, y, z;
            asm volatile("ld.volatile.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(x), "=r"(y), "=r"(z) : "r"(a + i * 128) : "memory");
            s += v + x + y + z;
        }
        t1 = now() + s;
        if (first)
            o[5] = t1 - t0;
        relaxed_sync();
        a = far + 256 + threadIdx.x * 4;
        t0 = now();
#pragma unroll
        for (int i = 0; i < 16; i++)
            asm volatile("st.volatile.shared::cluster.u32 [%0], %1;" ::"r"(a + i * 128), "r"(0) : "memory");
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
        t1 = now();
        if (first)
            o[6] = t1 - t0;
        relaxed_sync();
        t0 = now();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            asm volatile("atom.shared::cluster.add.u32 %0, [%1], 0;" : "=r"(v) : "r"(a + i * 128) : "memory");
            s += v;
        }
        t1 = now() + s;
        if (first)
            o[7] = t1 - t0;
        t0 = now();
#pragma unroll
        for (int i = 0; i < 8; i++)
            asm volatile("fence.acq_rel.cluster;" ::: "memory");
        t1 = now();
        if (first)
            o[8] = t1 - t0;
        relaxed_sync();
    }
    if (first) {
        u32 smid;
        asm("mov.u32 %0, %%smid;" : "=r"(smid));
        o[15] = smid;
    }
}

// 128 bytes to 16 KB from shared memory to a neighbour's, all blocks at once.
extern "C" __global__ void copies(u32 *out)
{
    __shared__ alignas(128) char t[32768];
    __shared__ alignas(8) u64 bar;
    u32 next = (cluster_rank() + 1) % cluster_size(), b = smem(&bar), d = smem(t), rb = map_rank(b, next), rd = map_rank(d, next), phase = 0;
    if (threadIdx.x == 0)
        bar_init(b, 1);
    cluster_sync();
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < 4; k++) {
            const u32 bytes[] = {128, 1024, 4096, 16384};
            if (threadIdx.x == 0) {
                u32 t0 = now();
                bar_expect(b, bytes[k]);
                asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(rd + 16384), "r"(d), "r"(bytes[k]), "r"(rb) : "memory");
                bar_wait(b, phase & 1);
                out[blockIdx.x * 4 + k] = now() - t0;
            }
            phase++;
            cluster_sync();
        }
}
