// Warp-level matrix products.
#define FROM_BARRIER_TO_BARRIER
#include "bench.cuh"

struct acc {
    float v[4];
};
#define HMMA(x)                                                                                                       \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%4,%5}, {%6,%7}, {%0,%1,%2,%3};" \
                 : "+f"((x).v[0]), "+f"((x).v[1]), "+f"((x).v[2]), "+f"((x).v[3])                                     \
                 : "r"(__float_as_uint(a.v[0])), "r"(__float_as_uint(b.v[0])), "r"(__float_as_uint(c.v[0])), "r"(__float_as_uint(d.v[0])));
BOTH(hmma_16816_f32, acc, HMMA)
#define HMMA8(x)                                                                                                   \
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"       \
                 : "+f"((x).v[0]), "+f"((x).v[1]), "+f"((x).v[2]), "+f"((x).v[3])                                  \
                 : "r"(__float_as_uint(a.v[0])), "r"(__float_as_uint(b.v[0])), "r"(__float_as_uint(c.v[0])));
BOTH(hmma_1688_f32, acc, HMMA8)
