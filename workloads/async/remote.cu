// Counted stores and reductions of every type in the other block of a pair; prefetches of bulk data, boxes and tensor maps.
#include "async.cuh"
#include <cuda.h>

#define BAR "[%1];"
#define STORE(text, bytes, ...)                                                                                         \
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes." text BAR ::"r"(to + at), "r"(rb), __VA_ARGS__ : "memory"); \
    at += bytes
#define REDUCE(op, type, kind, value)                                                                                   \
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." op "." type " [%0], %2, " BAR ::"r"(to + at), "r"(rb), kind(value) : "memory"); \
    at += sizeof(value)

extern "C" __global__ void __cluster_dims__(2, 1, 1) remote(const u32 *x, u32 *y)
{
    __shared__ alignas(16) u32 t[32 * 32]; // 128 bytes of each thread
    __shared__ alignas(8) u64 bar;
    u32 b = smem(&bar), rb = map_rank(b, cluster_rank() ^ 1), to = map_rank(smem(t), cluster_rank() ^ 1) + 128 * threadIdx.x, at = 0;
    for (u32 i = threadIdx.x; i < 1024; i += 32)
        t[i] = x[1024 * blockIdx.x + i];
    u32 a = x[4096 + 32 * blockIdx.x + threadIdx.x], c = a * 7 + 1;
    u64 w = (u64)c << 32 | a;
    if (threadIdx.x == 0)
        bar_init(b, 1);
    cluster_sync();
    if (threadIdx.x == 0)
        bar_expect(b, 32 * 104);
    STORE("v4.b32 [%0], {%2, %3, %2, %3}, ", 16, "r"(a), "r"(c));
    STORE("v2.b64 [%0], {%2, %3}, ", 16, "l"(w), "l"(w + 1));
    STORE("v2.b32 [%0], {%2, %3}, ", 8, "r"(a), "r"(c));
    STORE("b64 [%0], %2, ", 8, "l"(w));
    STORE("b32 [%0], %2, ", 4, "r"(a));
    REDUCE("inc", "u32", "r", c);
    REDUCE("dec", "u32", "r", c);
    REDUCE("min", "u32", "r", c);
    REDUCE("min", "s32", "r", c);
    REDUCE("max", "u32", "r", c);
    REDUCE("max", "s32", "r", c);
    REDUCE("add", "u32", "r", c);
    REDUCE("add", "s32", "r", c);
    REDUCE("and", "b32", "r", c);
    REDUCE("or", "b32", "r", c);
    REDUCE("xor", "b32", "r", c);
    REDUCE("add", "u64", "l", w);
    bar_wait(b, 0);
    cluster_sync();
    for (u32 i = threadIdx.x; i < 1024; i += 32)
        y[1024 * blockIdx.x + i] = t[i];
}

// What is asked for beforehand is what comes.
extern "C" __global__ void prefetches(const __grid_constant__ CUtensorMap map, const u32 *x, u32 *y)
{
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(x), "r"(4096) : "memory");
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(0), "r"(0) : "memory");
    }
    __syncthreads();
    y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x + 512];
}
