// C = A B' with e4m3 elements and fp32 sums: see narrow.cuh. Hopper's mma.sync has no fp8 of its own: the assembler widens
// the elements to halves. The warpgroup products of wgmma.cu take fp8 as it is.
#define ACC float
#include "narrow.cuh"

__device__ __forceinline__ void multiply(float *d, const uint32_t *a, const uint32_t *b)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
extern "C" __global__ void __launch_bounds__(256) gemm_fp8(const uint8_t *a, const uint8_t *b, float *c, int m, int n, int k)
{
    narrow_product(a, b, c, m, n, k);
}
