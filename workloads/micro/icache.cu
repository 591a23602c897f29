// Straight code of 1 to 48 pieces of 4 KB, run four times: cycles an instruction by code footprint. One warp.
#include "bench.cuh"

#define STEP4                                                                                      \
    asm volatile("fma.rn.f32 %0, %0, %4, %5;\n\tfma.rn.f32 %1, %1, %4, %5;\n\tfma.rn.f32 %2, %2, %4, %5;\n\t" \
                 "fma.rn.f32 %3, %3, %4, %5;" : "+f"(x0), "+f"(x1), "+f"(x2), "+f"(x3) : "f"(a), "f"(b));
// 252 instructions, then the test and branch.
#define PIECE(k)                                                                                   \
    REP32(STEP4) REP8(STEP4) REP8(STEP4) REP8(STEP4) REP4(STEP4) STEP4 STEP4 STEP4                 \
    if (pieces == k)                                                                               \
        goto done;
#define PIECE4(k) PIECE(k) PIECE(k + 1) PIECE(k + 2) PIECE(k + 3)
#define PIECE16(k) PIECE4(k) PIECE4(k + 4) PIECE4(k + 8) PIECE4(k + 12)

extern "C" __global__ void icache(unsigned *out, const float *in, int pieces)
{
    float x0 = in[8], x1 = x0, x2 = x0, x3 = x0, a = in[0], b = in[1];
    unsigned t[5];
    t[0] = now();
#pragma unroll 1
    for (int round = 0; round < 4; round++) {
        PIECE16(1) PIECE16(17) PIECE16(33)
    done:
        unsigned u = now();
        if (threadIdx.x == 0)
            out[round] = u - t[0];
        t[0] = now();
    }
    ((float *)(out + 8))[threadIdx.x] = x0 + x1 + x2 + x3;
}
