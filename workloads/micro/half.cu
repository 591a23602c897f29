// Packed half precision: two results a lane.
#include "bench.cuh"

#define HFMA2(x) asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
#define HADD2(x) asm volatile("add.rn.f16x2 %0, %0, %1;" : "+r"(x) : "r"(a));
#define HMUL2(x) asm volatile("mul.rn.f16x2 %0, %0, %1;" : "+r"(x) : "r"(a));
BOTH(hfma2, unsigned, HFMA2)
BOTH(hadd2, unsigned, HADD2)
BOTH(hmul2, unsigned, HMUL2)
#define BFMA2(x) asm volatile("fma.rn.bf16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
BOTH(hfma2_bf16, unsigned, BFMA2)
