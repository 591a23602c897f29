// Bulk copies of one dimension: sizes, both directions, reductions at L2, prefetch.
#include "async.cuh"

extern "C" __global__ void sizes(const char *x, char *y)
{
    extern __shared__ __align__(128) char t[];
    __shared__ alignas(8) u64 bar;
    u32 b = smem(&bar), at = 0;
    for (int i = threadIdx.x; i < 49152; i += blockDim.x)
        t[i] = 0x55;
    if (threadIdx.x == 0)
        bar_init(b, 1);
    proxy_fence();
    __syncthreads();
    const u32 bytes[] = {16, 32, 48, 112, 128, 144, 1008, 4096, 8208, 32768};
    if (threadIdx.x == 0) {
        bar_expect(b, 46560);
        for (u32 i = 0; i < 10; i++, at += bytes[i - 1])
            bulk_load(smem(t) + at, x + 16 * i + at, bytes[i], b);
    }
    bar_wait(b, 0);
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(y, smem(t), 16);
        bulk_commit();
        bulk_store(y + 16, smem(t) + 16, 49120 - 16);
        bulk_commit();
        bulk_wait_read(1);
        bulk_wait(0);
    }
}

#define REDUCE(name, op, type)                                                                                          \
    extern "C" __global__ void red_##name(const char *x, char *y)                                                       \
    {                                                                                                                   \
        __shared__ alignas(128) char t[1024];                                                                           \
        for (int i = threadIdx.x; i < 1024; i += blockDim.x)                                                            \
            t[i] = x[blockIdx.x * 1024 + i];                                                                            \
        proxy_fence();                                                                                                  \
        __syncthreads();                                                                                                \
        if (threadIdx.x == 0) {                                                                                         \
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." op "." type " [%0], [%1], %2;" ::"l"(y), \
                         "r"(smem(t)), "r"(1024) : "memory");                                                           \
            bulk_commit();                                                                                              \
            bulk_wait(0);                                                                                               \
        }                                                                                                               \
    }
REDUCE(add_u32, "add", "u32")
REDUCE(add_u64, "add", "u64")
REDUCE(min_s32, "min", "s32")
REDUCE(max_u32, "max", "u32")
REDUCE(max_s64, "max", "s64")
REDUCE(inc_u32, "inc", "u32")
REDUCE(dec_u32, "dec", "u32")
REDUCE(and_b32, "and", "b32")
REDUCE(or_b32, "or", "b32")
REDUCE(xor_b64, "xor", "b64")
REDUCE(add_f32, "add", "f32")
REDUCE(add_f64, "add", "f64")
REDUCE(add_f16, "add.noftz", "f16")
REDUCE(add_bf16, "add.noftz", "bf16")
REDUCE(min_f16, "min", "f16")
REDUCE(max_bf16, "max", "bf16")
