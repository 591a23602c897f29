// The copy engine: bulk loads and stores and tensor-map loads, one after another by one thread, L2 warm.
// out[2 i], out[2 i + 1]: cycles until the commands were issued, and until all bytes had come.
#include "../async/async.cuh"
#include "bench.cuh"
#include <cuda.h>
extern __shared__ __align__(1024) char tile[];

extern "C" __global__ void loads(u32 *out, const char *x, u32 bytes, u32 n)
{
    __shared__ alignas(8) u64 bar;
    u32 b = smem(&bar), t0 = 0, t1 = 0, t2 = 0;
    if (threadIdx.x)
        return;
    bar_init(b, 1);
    x += (size_t)blockIdx.x * bytes * n;
    for (u32 round = 0; round < 3; round++) {
        t0 = now();
        bar_expect(b, bytes * n);
        for (u32 i = 0; i < n; i++)
            bulk_load(smem(tile) + i * bytes, x + i * bytes, bytes, b);
        t1 = now();
        bar_wait(b, round & 1);
        t2 = now();
    }
    out[2 * blockIdx.x] = t1 - t0, out[2 * blockIdx.x + 1] = t2 - t0;
}

extern "C" __global__ void stores(u32 *out, char *y, u32 bytes, u32 n)
{
    u32 t0 = 0, t1 = 0, t2 = 0;
    if (threadIdx.x)
        return;
    y += (size_t)blockIdx.x * bytes * n;
    for (u32 round = 0; round < 3; round++) {
        t0 = now();
        for (u32 i = 0; i < n; i++)
            bulk_store(y + i * bytes, smem(tile) + i * bytes, bytes);
        bulk_commit();
        t1 = now();
        bulk_wait(0);
        t2 = now();
    }
    out[2 * blockIdx.x] = t1 - t0, out[2 * blockIdx.x + 1] = t2 - t0;
}

extern "C" __global__ void boxes(u32 *out, const __grid_constant__ CUtensorMap map, u32 bytes, u32 rows, u32 n)
{
    __shared__ alignas(8) u64 bar;
    u32 b = smem(&bar), t0 = 0, t1 = 0, t2 = 0;
    if (threadIdx.x)
        return;
    bar_init(b, 1);
    for (u32 round = 0; round < 3; round++) {
        t0 = now();
        bar_expect(b, bytes * n);
        for (u32 i = 0; i < n; i++)
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(smem(tile) + i * bytes), "l"(&map), "r"(b), "r"(0), "r"((blockIdx.x * n + i) * rows) : "memory");
        t1 = now();
        bar_wait(b, round & 1);
        t2 = now();
    }
    out[2 * blockIdx.x] = t1 - t0, out[2 * blockIdx.x + 1] = t2 - t0;
}
