// mbarriers: what operations on them cost, and how soon a wait ends. Whole warps, since a lane that waits while others of
// its warp stand elsewhere is polled instead.
#include "../async/async.cuh"
#include "bench.cuh"

extern "C" __global__ void mbarrier(u32 *out)
{
    __shared__ alignas(8) u64 bar[8];
    __shared__ u32 stamp[2];
    u32 b = smem(bar), t0, t1;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 6; i++)
            bar_init(b + 8 * i, 32);
        bar_init(b + 48, 1 << 19);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int round = 0; round < 3; round++) {
            t0 = now();
#pragma unroll
            for (int i = 0; i < 32; i++)
                asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b + 48) : "memory");
            t1 = now();
            out[0] = t1 - t0;
            u32 p = 0;
            t0 = now();
#pragma unroll
            for (int i = 0; i < 32; i++)
                p = bar_test(b + 48 + 8 * p, 0);
            t1 = now() + p;
            out[1] = t1 - t0;
            t0 = now();
#pragma unroll
            for (int i = 0; i < 16; i++) {
                bar_arrive(b);
                bar_wait(b, i & 1);
            }
            t1 = now();
            out[2] = t1 - t0;
        }
    }
    __syncthreads();
    for (int k = 0; k < 6; k++) { // warp 1 waits, warp 0 arrives later
        const u32 delay[] = {300, 300, 400, 1000, 3000, 20000};
        if (threadIdx.x >= 32) {
            bar_wait(b + 8, k & 1);
            u32 t = now();
            if (threadIdx.x == 32)
                stamp[1] = t;
        } else {
            t0 = now();
            while (now() - t0 < delay[k])
                ;
            t1 = now();
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b + 8) : "memory");
            if (threadIdx.x == 0)
                stamp[0] = t1;
        }
        __syncthreads();
        if (threadIdx.x == 0)
            out[4 + k] = stamp[1] - stamp[0];
        __syncthreads();
    }
    t0 = now();
    for (int i = 0; i < 32; i++) // ping-pong
        if (threadIdx.x < 32) {
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b + 16) : "memory");
            bar_wait(b + 24, i & 1);
        } else {
            bar_wait(b + 16, i & 1);
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b + 24) : "memory");
        }
    t1 = now();
    if (threadIdx.x == 0)
        out[3] = t1 - t0;
}

// All warps of a block arrive and wait, as at a block barrier.
extern "C" __global__ void together(u32 *out)
{
    __shared__ alignas(8) u64 bar;
    u32 b = smem(&bar), t0 = 0, t1 = 0;
    if (threadIdx.x == 0)
        bar_init(b, blockDim.x);
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        t0 = now();
#pragma unroll
        for (int i = 0; i < 16; i++) {
            bar_arrive(b);
            bar_wait(b, i & 1);
        }
        t1 = now();
    }
    if (threadIdx.x == 0)
        out[0] = t1 - t0;
}
