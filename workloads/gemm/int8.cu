// C = A B' with signed bytes and 32-bit sums: see narrow.cuh.
#define ACC int
#include "narrow.cuh"

__device__ __forceinline__ void multiply(int *d, const uint32_t *a, const uint32_t *b)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
extern "C" __global__ void __launch_bounds__(256) gemm_int8(const uint8_t *a, const uint8_t *b, int *c, int m, int n, int k)
{
    narrow_product(a, b, c, m, n, k);
}
