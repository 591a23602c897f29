// Asynchronous operations timed by the clock register: bulk and tensor-map copies, mbarriers, clusters. The machine
// code is that of the program whose output the record holds.
#include <cuda.h>
typedef unsigned long long u64;
typedef unsigned u32;
__device__ __forceinline__ u32 clk()
{
    u32 c;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
    return c;
}
__device__ __forceinline__ u32 sa(const void *p)
{
    return (u32)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void minit(u32 b, u32 n)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1; fence.mbarrier_init.release.cluster;" ::"r"(b), "r"(n)
                 : "memory");
}
__device__ __forceinline__ u64 arrive(u32 b)
{
    u64 s;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(s) : "r"(b) : "memory");
    return s;
}
__device__ __forceinline__ void expect(u32 b, u32 n)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(n) : "memory");
}
__device__ __forceinline__ u32 trywait(u32 b, u32 ph)
{
    u32 p;
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(p)
                 : "r"(b), "r"(ph)
                 : "memory");
    return p;
}
__device__ __forceinline__ u32 testwait(u32 b, u32 ph)
{
    u32 p;
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(p)
                 : "r"(b), "r"(ph)
                 : "memory");
    return p;
}
__device__ __forceinline__ void wait(u32 b, u32 ph)
{
    while (!trywait(b, ph))
        ;
}
// n copies of `bytes` bytes by one thread, three times: cycles until they are issued, and until all are done.
// dir 0: from global memory; 1: to it, until its shared memory is read; 2: until they are done.
extern "C" __global__ void bulk_copies(u32 *out, const char *x, char *y, u32 bytes, u32 n, int dir)
{
    extern __shared__ __align__(1024) char smem_[];
    char *t = (char *)smem_;
    __shared__ alignas(8) u64 bar;
    u32 b = sa(&bar), d = sa(t);
    if (threadIdx.x)
        return;
    minit(b, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    const char *src = x + (u64)blockIdx.x * bytes * n;
    char *dst = y + (u64)blockIdx.x * bytes * n;
    for (int r = 0; r < 3; r++) {
        u32 t0 = clk(), t1;
        if (dir == 0) {
            expect(b, bytes * n);
            for (u32 i = 0; i < n; i++)
                asm volatile(
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                        d + i * bytes),
                    "l"(src + i * bytes), "r"(bytes), "r"(b)
                    : "memory");
            t1 = clk();
            wait(b, r & 1);
        } else {
            for (u32 i = 0; i < n; i++)
                asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(dst + i * bytes),
                             "r"(d + i * bytes), "r"(bytes)
                             : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            t1 = clk();
            if (dir == 1)
                asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            else
                asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        }
        u32 t2 = clk();
        out[blockIdx.x * 8 + r * 2] = t1 - t0;
        out[blockIdx.x * 8 + r * 2 + 1] = t2 - t0;
    }
}
extern "C" __global__ void boxes(u32 *out, const __grid_constant__ CUtensorMap m, u32 bytes, u32 n)
{
    extern __shared__ __align__(1024) char smem_[];
    char *t = (char *)smem_;
    __shared__ alignas(8) u64 bar;
    u32 b = sa(&bar), d = sa(t);
    if (threadIdx.x)
        return;
    minit(b, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    for (int r = 0; r < 3; r++) {
        u32 t0 = clk(), t1;
        expect(b, bytes * n);
        for (u32 i = 0; i < n; i++)
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                         "%3}], [%4];" ::"r"(d + i * bytes),
                         "l"(&m), "r"(0), "r"((blockIdx.x * n + i) * 64), "r"(b)
                         : "memory");
        t1 = clk();
        wait(b, r & 1);
        u32 t2 = clk();
        out[blockIdx.x * 8 + r * 2] = t1 - t0;
        out[blockIdx.x * 8 + r * 2 + 1] = t2 - t0;
    }
}
#define CSYNC  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory")
#define CSYNCR asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;" ::: "memory")
extern "C" __global__ void cluster(u32 *out, u32 *smids)
{
    extern __shared__ __align__(1024) char smem_[];
    u32 *t = (u32 *)smem_;
    u32 d = sa(t), rank, n, smid, t0, t1, v;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
    if (threadIdx.x == 0)
        smids[blockIdx.x] = smid;
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        t[i] = 0;
    u32 *o = out + blockIdx.x * 32;
    CSYNC;
    CSYNC;
    t0 = clk();
    for (int i = 0; i < 16; i++)
        CSYNC;
    t1 = clk();
    if (!threadIdx.x)
        o[0] = t1 - t0;
    t0 = clk();
    for (int i = 0; i < 16; i++)
        CSYNCR;
    t1 = clk();
    if (!threadIdx.x)
        o[1] = t1 - t0;
    u32 peer;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(peer) : "r"(d), "r"((rank + 1) % n));
    u32 self;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(self) : "r"(d), "r"(rank));
    CSYNC;
    if (threadIdx.x == 0 && rank == 0) {
        v = 0;
        t0 = clk();
        for (int i = 0; i < 16; i++)
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(peer + v) : "memory");
        o[2] = clk() - t0;
        v = 0;
        t0 = clk();
        for (int i = 0; i < 16; i++)
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(self + v) : "memory");
        o[3] = clk() - t0;
        v = 0;
        t0 = clk();
        for (int i = 0; i < 16; i++)
            asm volatile("atom.shared::cluster.add.u32 %0, [%1], 0;" : "=r"(v) : "r"(peer + v) : "memory");
        o[4] = clk() - t0;
        v = 0;
        t0 = clk();
        for (int i = 0; i < 16; i++) {
            asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(peer), "r"(0) : "memory");
            asm volatile("fence.acq_rel.cluster;" ::: "memory");
        }
        o[5] = clk() - t0;
        t0 = clk();
        for (int i = 0; i < 8; i++)
            asm volatile("fence.acq_rel.cluster;" ::: "memory");
        o[10] = clk() - t0;
        t0 = clk();
        for (int i = 0; i < 8; i++)
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        o[11] = clk() - t0;
    }
    CSYNC;
    // every thread of every block reads its neighbour's: the compiler keeps four 32-bit loads and one of 128 bits
    u32 a = peer + threadIdx.x * 4, s = 0;
    t0 = clk();
#pragma unroll
    for (int i = 0; i < 16; i++) {
        u32 w;
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(w) : "r"(a + (i & 3) * 4096) : "memory");
        s += w;
    }
    t1 = clk() + (s & 0);
    if (!threadIdx.x)
        o[6] = t1 - t0;
    CSYNC;
    a = peer + threadIdx.x * 16;
    t0 = clk();
#pragma unroll
    for (int i = 0; i < 16; i++) {
        u32 w, x, y, z;
        asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(w), "=r"(x), "=r"(y), "=r"(z)
                     : "r"(a)
                     : "memory");
        s += w + x + y + z;
    }
    t1 = clk() + (s & 0);
    if (!threadIdx.x) {
        o[7] = t1 - t0;
        o[12] = s;
    }
    CSYNC;
    a = peer + threadIdx.x * 4;
    t0 = clk();
#pragma unroll
    for (int i = 0; i < 16; i++)
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(a + (i & 3) * 4096), "r"(i) : "memory");
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
    t1 = clk();
    if (!threadIdx.x)
        o[8] = t1 - t0;
    CSYNC;
    t0 = clk();
#pragma unroll
    for (int i = 0; i < 4; i++) {
        u32 w;
        asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(w) : "r"(a) : "memory");
        s += w;
    }
    t1 = clk() + (s & 0);
    if (!threadIdx.x) {
        o[9] = t1 - t0;
        o[13] = s;
    }
    CSYNC;
    // bulk to the peer
    __shared__ alignas(8) u64 bar;
    u32 b = sa(&bar), rb;
    if (threadIdx.x == 0)
        minit(b, 1);
    CSYNC;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rb) : "r"(b), "r"((rank + 1) % n));
    const u32 sizes[3] = {128, 2048, 16384};
    for (int k = 0; k < 3; k++) {
        CSYNC;
        if (threadIdx.x == 0) {
            t0 = clk();
            expect(b, sizes[k]);
            asm volatile(
                "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                    peer + 16384),
                "r"(d), "r"(sizes[k]), "r"(rb)
                : "memory");
            wait(b, k & 1);
            o[14 + k] = clk() - t0;
        }
        CSYNC;
    }
    // remote mbarrier ping-pong between ranks 0 and 1 (n >= 2)
    __shared__ alignas(8) u64 bar2;
    u32 b2 = sa(&bar2), rb2;
    if (threadIdx.x == 0)
        minit(b2, 1);
    CSYNC;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rb2) : "r"(b2), "r"(rank ^ 1));
    if (threadIdx.x == 0 && rank < 2) {
        t0 = clk();
        for (int i = 0; i < 16; i++) {
            if (rank == 1)
                wait(b2, i & 1);
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(rb2) : "memory");
            if (rank == 0)
                wait(b2, i & 1);
        }
        o[17] = clk() - t0;
    }
    CSYNC;
}

// Lane 0 of a warp waits, another warp arrives `delay` cycles after a common start; then single operations.
extern "C" __global__ void wake(u32 *out, u32 delay)
{
    __shared__ alignas(8) u64 bar[2];
    __shared__ u32 tm[4];
    u32 b = sa(bar);
    if (threadIdx.x == 0) {
        minit(b, 1);
        minit(b + 8, 1);
    }
    __syncthreads();
    for (int r = 0; r < 2; r++) {
        __syncthreads();
        if (threadIdx.x == 32) {
            u32 t0 = clk();
            while (clk() - t0 < delay)
                ;
            tm[0] = clk();
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory");
        }
        if (threadIdx.x == 0) {
            u32 n = 0, t0 = clk();
            while (!trywait(b, r & 1))
                n++;
            tm[1] = clk();
            tm[2] = n;
            tm[3] = t0;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            out[0] = tm[1] - tm[0];
            out[1] = tm[2];
            out[2] = tm[0] - tm[3];
        }
    }
    if (threadIdx.x == 0) {
        u32 t0 = clk();
        u32 p = trywait(b + 8, 0);
        if (p)
            out[9] = 1;
        u32 t1 = clk();
        out[3] = t1 - t0;
        t0 = clk();
        p = testwait(b + 8, 0);
        if (p)
            out[9] = 1;
        t1 = clk();
        out[4] = t1 - t0;
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0, 20000; selp.u32 %0, 1, 0, p;}"
                     : "=r"(p)
                     : "r"(b + 8));
        if (p)
            out[9] = 1;
        t0 = clk();
        out[5] = t0 - t1;
        t0 = clk();
        u64 s = arrive(b + 8);
        if ((u32)(s >> 32) == 77)
            out[9] = 2;
        t1 = clk();
        out[6] = t1 - t0;
        t0 = clk();
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        t1 = clk();
        out[7] = t1 - t0;
        t0 = clk();
        asm volatile("fence.acq_rel.cta;" ::: "memory");
        t1 = clk();
        out[8] = t1 - t0;
    }
}
extern "C" __global__ void arrivals(u32 *out, u32 nw)
{
    __shared__ alignas(8) u64 bar[32];
    u32 b = sa(bar);
    if (threadIdx.x == 0) {
        minit(b, nw * 32);
        for (int i = 1; i < 32; i++)
            minit(b + 8 * i, 32);
    }
    __syncthreads();
    u32 t0 = clk();
    for (int i = 0; i < 16; i++) {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory");
    }
    u32 t1 = clk();
    wait(b, 1);
    __syncthreads();
    u32 t2 = clk();
    if (threadIdx.x == 0) {
        out[0] = t1 - t0;
        out[1] = t2 - t0;
    }
    t0 = clk();
    for (int i = 0; i < 16; i++) {
        arrive(b);
        wait(b, i & 1);
    }
    t1 = clk();
    if (threadIdx.x == 0)
        out[2] = t1 - t0;
    if (threadIdx.x < 32) {
        u32 c = b + 8 * (threadIdx.x % 31 + 1);
        t0 = clk();
        for (int i = 0; i < 16; i++)
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(c) : "memory");
        asm volatile("fence.acq_rel.cta;" ::: "memory");
        t1 = clk();
        if (threadIdx.x == 0)
            out[3] = t1 - t0;
    }
}
