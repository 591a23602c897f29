// mbarriers by hand and through the library: what they return, cuda::barrier, cuda::pipeline, cuda::memcpy_async.
#include "async.cuh"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

// Every kind of arrival: the high word of each state token holds the phase and the count of pending arrivals.
extern "C" __global__ void tokens(u32 *out, u32 n)
{
    __shared__ alignas(8) u64 bar;
    u32 b = smem(&bar), k = 0;
    u64 s;
    if (threadIdx.x)
        return;
#define STATE(...) asm volatile(__VA_ARGS__ : "=l"(s) : "r"(b), "r"(n) : "memory"); out[k++] = (u32)(s >> 32); out[k++] = bar_test(b, 0); out[k++] = bar_test(b, 1);
#define STEP(...)  asm volatile(__VA_ARGS__ ::"r"(b), "r"(n) : "memory"); out[k++] = bar_test(b, 0);
    STEP("mbarrier.init.shared::cta.b64 [%0], 5;")
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1];")
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1], 2;")
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1], 1;")
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;") // n = 1: the phase completes
    STATE("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 100;")
    STEP("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 28;")
    STEP("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 100;")
    STATE("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];")
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1], 2;")
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1], 1;") // no arrival is missing, 28 bytes are
    STEP("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 28;")
    STATE("mbarrier.arrive_drop.shared::cta.b64 %0, [%1], 2;")
    STATE("mbarrier.arrive_drop.expect_tx.shared::cta.b64 %0, [%1], 64;")
    STEP("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 64;")
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1];")
    STEP("mbarrier.init.shared::cta.b64 [%0], 1;")
    STEP("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 16;") // bytes land before they are announced
    STATE("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 16;")
    STEP("mbarrier.init.shared::cta.b64 [%0], 1048575;")
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1], 1048574;")
    STATE("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 1048575;")
    STEP("mbarrier.init.shared::cta.b64 [%0], 3;")
    STEP("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];")
    STEP("cp.async.mbarrier.arrive.shared.b64 [%0];")
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1], 1;")
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1], 1;")
    out[k] = k;
}

extern "C" __global__ void barriers(const float *x, float *y)
{
    __shared__ barrier bar;
    __shared__ float t[256];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    x += blockIdx.x * 2048, y += blockIdx.x * 2048;
    for (int i = 0; i < 8; i++) {
        t[threadIdx.x] = x[i * 256 + threadIdx.x];
        barrier::arrival_token tok = bar.arrive();
        bar.wait(std::move(tok));
        float s = t[(threadIdx.x + 37) & 255];
        bar.arrive_and_wait();
        y[i * 256 + threadIdx.x] = s;
    }
}

// Two stages; all threads copy and compute.
extern "C" __global__ void pipeline(const float4 *x, float4 *y, int n)
{
    __shared__ float4 t[2][256];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int steps = n / 256;
    x += (size_t)blockIdx.x * n, y += (size_t)blockIdx.x * n;
    pipe.producer_acquire();
    cuda::memcpy_async(block, t[0], x, cuda::aligned_size_t<16>(4096), pipe);
    pipe.producer_commit();
    for (int i = 0; i < steps; i++) {
        if (i + 1 < steps) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, t[(i + 1) & 1], x + (i + 1) * 256, cuda::aligned_size_t<16>(4096), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        float4 v = t[i & 1][255 - threadIdx.x];
        pipe.consumer_release();
        y[i * 256 + threadIdx.x] = v;
    }
}

// Warps 0 and 1 produce through the copy engine, the others consume; four stages, full and empty barriers.
extern "C" __global__ void ring(const float *x, float *y, int steps)
{
    __shared__ alignas(128) float t[4][1024];
    __shared__ alignas(8) u64 full[4], empty[4];
    x += (size_t)blockIdx.x * steps * 1024, y += (size_t)blockIdx.x * steps * 1024;
    if (threadIdx.x == 0)
        for (int i = 0; i < 4; i++)
            bar_init(smem(&full[i]), 1), bar_init(smem(&empty[i]), 256);
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            for (int i = 0; i < steps; i++) {
                u32 s = i & 3, b = smem(&full[s]);
                if (i >= 4)
                    bar_wait(smem(&empty[s]), (i / 4 - 1) & 1);
                bar_expect(b, 4096);
                bulk_load(smem(t[s]), x + i * 1024, 4096, b);
            }
        return;
    }
    int id = threadIdx.x - 32;
    for (int i = 0; i < steps; i++) {
        u32 s = i & 3;
        bar_wait(smem(&full[s]), i / 4 & 1);
        float v[4];
        for (int k = 0; k < 4; k++)
            v[k] = t[s][1023 - (id + 256 * k)];
        bar_arrive(smem(&empty[s]));
        for (int k = 0; k < 4; k++)
            y[i * 1024 + id + 256 * k] = 2 * v[k] + 1;
    }
}
