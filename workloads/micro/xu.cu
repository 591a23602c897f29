// Transcendentals, conversions, bit counts.
#include "bench.cuh"

#define EX2(x) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
#define LG2(x) asm volatile("lg2.approx.ftz.f32 %0, %0;" : "+f"(x));
// A reciprocal alone would cancel the one before it: an addition stands between them.
#define RCP(x) asm volatile("rcp.approx.ftz.f32 %0, %0;\n\tadd.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a));
#define RSQ(x) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x));
#define TANH(x) asm volatile("tanh.approx.f32 %0, %0;" : "+f"(x));
BOTH(mufu_ex2, float, EX2)
BOTH(mufu_lg2, float, LG2)
BOTH(mufu_rcp_fadd, float, RCP)
BOTH(mufu_rsq, float, RSQ)
BOTH(mufu_tanh, float, TANH)

#define POPC(x) asm volatile("popc.b32 %0, %0;" : "+r"(x));
#define FLO(x) asm volatile("bfind.u32 %0, %0;" : "+r"(x));
#define BREV(x) asm volatile("brev.b32 %0, %0;" : "+r"(x));
BOTH(popc, unsigned, POPC)
BOTH(flo, unsigned, FLO)
BOTH(brev, unsigned, BREV)

// Two conversions: to integer and back; to half and back; to double and back.
#define F2I(x) asm volatile("{.reg .s32 k;\n\tcvt.rzi.s32.f32 k, %0;\n\tcvt.rn.f32.s32 %0, k;}" : "+f"(x));
#define F2D(x) asm volatile("{.reg .f64 k;\n\tcvt.f64.f32 k, %0;\n\tcvt.rn.f32.f64 %0, k;}" : "+f"(x));
BOTH(f2i_i2f, float, F2I)
BOTH(f2d_d2f, float, F2D)
