// fp32 and integer arithmetic.
#include "bench.cuh"

#define FFMA(x) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
#define FADD(x) asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a));
#define FMUL(x) asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a));
// Two instructions: minimum, then maximum.
#define FMNMX(x) asm volatile("min.f32 %0, %0, %1;\n\tmax.f32 %0, %0, %2;" : "+f"(x) : "f"(a), "f"(b));
BOTH(ffma, float, FFMA)
BOTH(fadd, float, FADD)
BOTH(fmul, float, FMUL)
BOTH(fmnmx, float, FMNMX)

#define IMAD(x) asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
#define IMADHI(x) asm volatile("mul.hi.u32 %0, %0, %1;" : "+r"(x) : "r"(a));
// Two logic operations over four constants, so that they cannot be merged.
#define LOP3(x) asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;\n\tlop3.b32 %0, %0, %3, %4, 0x6a;" : "+r"(x) : "r"(a), "r"(b), "r"(c), "r"(d));
// A three-input addition, then a logic operation.
#define IADD(x) asm volatile("add.u32 %0, %0, %1;\n\tadd.u32 %0, %0, %2;\n\tlop3.b32 %0, %0, %3, %4, 0x6a;" : "+r"(x) : "r"(a), "r"(b), "r"(c), "r"(d));
#define SHF(x) asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
#define PRMT(x) asm volatile("prmt.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
// Set a predicate, select by it.
#define SETSEL(x) asm volatile("{.reg .pred p;\n\tsetp.lt.u32 p, %0, %1;\n\tselp.b32 %0, %2, %3, p;}" : "+r"(x) : "r"(a), "r"(b), "r"(c));
#define IMNMX(x) asm volatile("min.s32 %0, %0, %1;\n\tmax.s32 %0, %0, %2;" : "+r"(x) : "r"(a), "r"(b));
#define DP4A(x) asm volatile("dp4a.u32.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
BOTH(imad, unsigned, IMAD)
BOTH(imad_hi, unsigned, IMADHI)
BOTH(lop3_2, unsigned, LOP3)
BOTH(iadd_lop3, unsigned, IADD)
BOTH(shf, unsigned, SHF)
BOTH(prmt, unsigned, PRMT)
BOTH(setp_sel, unsigned, SETSEL)
BOTH(imnmx_2, unsigned, IMNMX)
BOTH(dp4a, unsigned, DP4A)

// A wide product, then a 64-bit addition (two instructions).
#define IMADWIDE(x) asm volatile("{.reg .u32 l, h;\n\tmov.b64 {l, h}, %0;\n\tmad.wide.u32 %0, l, h, %1;}" : "+l"(x) : "l"(b));
BOTH(imad_wide_add64, unsigned long long, IMADWIDE)
