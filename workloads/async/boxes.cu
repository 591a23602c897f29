// Tensor-map copies: a box at any coordinates, as it lies in shared memory (so with its swizzle), and back.
#include "async.cuh"
#include <cuda.h>

extern __shared__ __align__(1024) char tile[];

__device__ __forceinline__ void start(u32 b, u32 bytes)
{
    for (u32 i = threadIdx.x; i < bytes; i += blockDim.x)
        tile[i] = (char)0xA5; // what a copy leaves untouched shows
    if (threadIdx.x == 0)
        bar_init(b, 1);
    proxy_fence();
    __syncthreads();
}

#define C1 "{%3}"
#define C2 "{%3, %4}"
#define C3 "{%3, %4, %5}"
#define C4 "{%3, %4, %5, %6}"
#define C5 "{%3, %4, %5, %6, %7}"
#define COORDS "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)

// bytes: what the box holds; room: what is written out.
#define LOAD(N, C)                                                                                                       \
    extern "C" __global__ void load##N(const __grid_constant__ CUtensorMap map, char *out, u32 bytes, u32 room, int c0, int c1, int c2, int c3, int c4) \
    {                                                                                                                    \
        __shared__ alignas(8) u64 bar;                                                                                   \
        u32 b = smem(&bar);                                                                                              \
        start(b, room);                                                                                                  \
        if (threadIdx.x == 0) {                                                                                          \
            bar_expect(b, bytes);                                                                                        \
            asm volatile("cp.async.bulk.tensor." #N "d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, " C "], [%2];" ::"r"(smem(tile)), \
                         "l"(&map), "r"(b), COORDS : "memory");                                                          \
        }                                                                                                                \
        bar_wait(b, 0);                                                                                                  \
        for (u32 i = threadIdx.x; i < room; i += blockDim.x)                                                             \
            out[i] = tile[i];                                                                                            \
    }
LOAD(1, C1)
LOAD(2, C2)
LOAD(3, C3)
LOAD(4, C4)
LOAD(5, C5)

#define STORE(N, C)                                                                                                      \
    extern "C" __global__ void store##N(const __grid_constant__ CUtensorMap map, const char *in, u32 bytes, int c0, int c1, int c2, int c3, int c4)    \
    {                                                                                                                    \
        for (u32 i = threadIdx.x; i < bytes; i += blockDim.x)                                                            \
            tile[i] = in[i];                                                                                             \
        proxy_fence();                                                                                                   \
        __syncthreads();                                                                                                 \
        if (threadIdx.x == 0) {                                                                                          \
            asm volatile("cp.async.bulk.tensor." #N "d.global.shared::cta.bulk_group [%1, " C "], [%0];" ::"r"(smem(tile)), "l"(&map), "r"(0), COORDS : "memory"); \
            bulk_commit();                                                                                               \
            bulk_wait(0);                                                                                                \
        }                                                                                                                \
    }
STORE(1, C1)
STORE(2, C2)
STORE(3, C3)
STORE(5, C5)

#define REDUCE(op)                                                                                                       \
    extern "C" __global__ void red_##op(const __grid_constant__ CUtensorMap map, const char *in, u32 bytes, int c0, int c1, int c2, int c3, int c4)    \
    {                                                                                                                    \
        for (u32 i = threadIdx.x; i < bytes; i += blockDim.x)                                                            \
            tile[i] = in[i];                                                                                             \
        proxy_fence();                                                                                                   \
        __syncthreads();                                                                                                 \
        if (threadIdx.x == 0) {                                                                                          \
            asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." #op ".tile.bulk_group [%1, " C2 "], [%0];" ::"r"(smem(tile)), "l"(&map), "r"(0), COORDS : "memory"); \
            bulk_commit();                                                                                               \
            bulk_wait(0);                                                                                                \
        }                                                                                                                \
    }
REDUCE(add)
REDUCE(min)
REDUCE(max)
REDUCE(xor)

// A tiled transpose: boxes in, turned in shared memory, boxes out; two maps.
extern "C" __global__ void transpose(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to)
{
    __shared__ alignas(128) float a[32][32], t[32][32];
    __shared__ alignas(8) u64 bar;
    u32 b = smem(&bar);
    int x = blockIdx.x * 32, y = blockIdx.y * 32;
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&from));
        bar_init(b, 1);
        bar_expect(b, sizeof a);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(smem(a)), "l"(&from), "r"(b), "r"(x), "r"(y) : "memory");
    }
    __syncthreads();
    bar_wait(b, 0);
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        t[i % 32][i / 32] = a[i / 32][i % 32];
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%1, {%2, %3}], [%0];" ::"r"(smem(t)), "l"(&to), "r"(y), "r"(x) : "memory");
        bulk_commit();
        bulk_wait_read(0);
    }
}
