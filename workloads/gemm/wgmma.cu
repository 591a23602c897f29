// C = A B by warpgroup products (wgmma) on tiles that the tensor memory accelerator (TMA) brings: 128 x 128 tiles, 128 bytes
// deep, four stages. One warpgroup only asks for tiles, two multiply 64 x 128 each; mbarriers say when a stage is full
// and when it is empty again. m, n multiples of 128, k of 128 bytes.
#include <cuda.h>
#include <cuda_fp16.h>
#include <stdint.h>

namespace {
constexpr int stages = 4, tile_bytes = 128 * 128;
struct __align__(1024) memory {
    uint8_t a[stages][tile_bytes], b[stages][tile_bytes];
    uint64_t full[stages], empty[stages];
};

__device__ __forceinline__ uint32_t address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void barrier_init(uint64_t *bar, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void barrier_expect(uint64_t *bar, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(bar)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void barrier_arrive(uint64_t *bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(bar)) : "memory");
}
__device__ __forceinline__ void barrier_wait(uint64_t *bar, int parity)
{
    asm volatile("{\n .reg .pred p;\nAGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n @p bra DONE_%=;\n bra AGAIN_%=;\nDONE_%=:\n}" ::"r"(address(bar)),
                 "r"(parity)
                 : "memory");
}
__device__ __forceinline__ void load_tile(void *to, const CUtensorMap *map, int x, int y, uint64_t *bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(address(bar))
                 : "memory");
}
// Rows of 128 bytes, swizzled over eight rows.
__device__ __forceinline__ uint64_t descriptor(const void *p, int lead, int stride)
{
    return (uint64_t)(address(p) >> 4 & 0x3fff) | (uint64_t)(lead >> 4) << 16 | (uint64_t)(stride >> 4) << 32 | (uint64_t)1 << 62;
}
#define SUMS "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}"
#define S4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define S16(i) S4(i), S4(i + 4), S4(i + 8), S4(i + 12)
#define ALL S16(0), S16(16), S16(32), S16(48)
__device__ __forceinline__ void multiply_halves(float *d, uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " SUMS ", %64, %65, 1, 1, 1, 0, 1;" : ALL : "l"(a), "l"(b));
}
__device__ __forceinline__ void multiply_bytes(float *d, uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 " SUMS ", %64, %65, 1, 1, 1;" : ALL : "l"(a), "l"(b));
}

// The warpgroup that brings tiles: one thread of it.
template <bool HALVES>
__device__ __forceinline__ void produce(memory &s, const CUtensorMap *ma, const CUtensorMap *mb, int steps)
{
    for (int step = 0; step < steps; step++) {
        int i = step % stages, k = step * (HALVES ? 64 : 128);
        barrier_wait(&s.empty[i], step / stages % 2 ^ 1);
        barrier_expect(&s.full[i], 2 * tile_bytes);
        load_tile(s.a[i], ma, k, blockIdx.y * 128, &s.full[i]);
        if (HALVES) { // B is k x n: two boxes of 64 columns
            load_tile(s.b[i], mb, blockIdx.x * 128, k, &s.full[i]);
            load_tile(s.b[i] + tile_bytes / 2, mb, blockIdx.x * 128 + 64, k, &s.full[i]);
        } else { // B is n x k
            load_tile(s.b[i], mb, k, blockIdx.x * 128, &s.full[i]);
        }
    }
}
template <bool HALVES>
__device__ __forceinline__ void consume(memory &s, float *d, int steps, int group)
{
    for (int step = 0; step < steps; step++) {
        int i = step % stages;
        barrier_wait(&s.full[i], step / stages % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < 4; k++) { // 32 bytes of depth each
            uint64_t a = descriptor(s.a[i] + group * 64 * 128 + k * 32, 16, 1024);
            if (HALVES)
                multiply_halves(d, a, descriptor(s.b[i] + k * 16 * 128, tile_bytes / 2, 1024));
            else
                multiply_bytes(d, a, descriptor(s.b[i] + k * 32, 16, 1024));
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (step && threadIdx.x % 128 == 0) // the product before this one has read its stage
            barrier_arrive(&s.empty[(step - 1) % stages]);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
template <bool HALVES>
__device__ __forceinline__ void product(const CUtensorMap *ma, const CUtensorMap *mb, void *c, int n, int k)
{
    extern __shared__ uint8_t raw[];
    memory &s = *(memory *)(raw + (-address(raw) & 1023)); // swizzled tiles begin at multiples of 1,024
    int steps = k / (HALVES ? 64 : 128), t = threadIdx.x;
    if (t == 0) {
        for (int i = 0; i < stages; i++) {
            barrier_init(&s.full[i], 1);
            barrier_init(&s.empty[i], 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (t < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (t == 0)
            produce<HALVES>(s, ma, mb, steps);
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 152;");
    float d[64] = {};
    consume<HALVES>(s, d, steps, t / 128 - 1);
    int row = blockIdx.y * 128 + (t / 128 - 1) * 64 + t % 128 / 32 * 16 + t % 32 / 4, col = blockIdx.x * 128 + t % 4 * 2;
#pragma unroll
    for (int i = 0; i < 16; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            size_t at = (size_t)(row + 8 * h) * n + col + i * 8;
            float x = d[i * 4 + 2 * h], y = d[i * 4 + 2 * h + 1];
            if (HALVES)
                *(half2 *)((half *)c + at) = __floats2half2_rn(x, y);
            else
                *(float2 *)((float *)c + at) = make_float2(x, y);
        }
}
} // namespace

extern "C" __global__ void __launch_bounds__(384)
gemm_wgmma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, half *c, int n, int k)
{
    product<true>(&a, &b, c, n, k);
}
extern "C" __global__ void __launch_bounds__(384)
gemm_fp8_wgmma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int n, int k)
{
    product<false>(&a, &b, c, n, k);
}
