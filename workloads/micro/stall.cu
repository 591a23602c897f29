// Which stall count a dependent pair needs. Each kernel runs a pair of dependent instructions thirteen times as compiled and
// thirteen times again; then patch_stalls.py has set the producer's stall count to 1, 2, .. 11 (12 and more without yield mean something else). out[0] =
// the least count from which on every result is right, out[k] = 1 if it is with k. Inputs differ from turn to turn, so
// that an old value in the register is a wrong one. The first round fills the instruction cache.
// Each turn's input lies where the turn before it says (`zero` is 0), so that nothing comes between the two.
#define FIRST(k) in[(round * 13 + (k)) * 32 + threadIdx.x + order]
template <typename T> __device__ __forceinline__ unsigned word(T v)
{
    return sizeof v == 8 ? (unsigned)(*(unsigned long long *)&v) : *(unsigned *)&v;
}

#define TURN(k, type, PAIR)                                                                        \
    {                                                                                              \
        type x = *(volatile const type *)&FIRST(k), y;                                             \
        PAIR(x, y)                                                                                 \
        order = word(y) & zero;                                                                    \
        got[k] = y;                                                                                \
    }
#define TURNS(type, PAIR) TURN(0, type, PAIR) TURN(1, type, PAIR) TURN(2, type, PAIR) TURN(3, type, PAIR) TURN(4, type, PAIR) TURN(5, type, PAIR) \
    TURN(6, type, PAIR) TURN(7, type, PAIR) TURN(8, type, PAIR) TURN(9, type, PAIR) TURN(10, type, PAIR) TURN(11, type, PAIR) TURN(12, type, PAIR)

#define STALL(name, type, PAIR)                                                                    \
    extern "C" __global__ void stall_##name(unsigned *out, const type *in, const type *other, unsigned zero) \
    {                                                                                              \
        type a = other[threadIdx.x], b = other[threadIdx.x + 32], want[13], got[13];               \
        unsigned least = 1, order = 0; \
        _Pragma("unroll 1") for (int round = 0; round < 2; round++)                                \
        {                                                                                          \
            TURNS(type, PAIR)                                                                      \
            _Pragma("unroll") for (int k = 0; k < 13; k++) want[k] = got[k];                       \
            asm volatile("" ::: "memory");                                                         \
            TURNS(type, PAIR)                                                                      \
            asm volatile("" ::: "memory");                                                         \
            _Pragma("unroll") for (int k = 0; k < 11; k++)                                         \
            {                                                                                      \
                bool right = __all_sync(0xffffffff, got[k] == want[k]);                            \
                least = right ? least : k + 2;                                                     \
                if (threadIdx.x == 0)                                                              \
                    out[k + 1] = right;                                                            \
            }                                                                                      \
            if (threadIdx.x == 0)                                                                  \
                out[0] = least;                                                                    \
            least = 1;                                                                             \
        }                                                                                          \
    }

#define FFMA_FFMA(x, y) asm volatile("fma.rn.f32 %1, %1, %2, %3;\n\tfma.rn.f32 %0, %1, %2, %3;" : "=f"(y), "+f"(x) : "f"(a), "f"(b));
#define FFMA_LOP3(x, y) asm volatile("{.reg .f32 t; .reg .b32 u, v;\n\tfma.rn.f32 t, %1, %2, %3;\n\tmov.b32 u, t;\n\tmov.b32 v, %2;\n\tlop3.b32 u, u, v, v, 0x3c;\n\tmov.b32 %0, u;}" : "=f"(y), "+f"(x) : "f"(a), "f"(b));
STALL(ffma_ffma, float, FFMA_FFMA)
STALL(ffma_lop3, float, FFMA_LOP3)
#define IMAD_IMAD(x, y) asm volatile("mad.lo.u32 %1, %1, %2, %3;\n\tmad.lo.u32 %0, %1, %2, %3;" : "=r"(y), "+r"(x) : "r"(a), "r"(b));
#define LOP3_LOP3(x, y) asm volatile("lop3.b32 %1, %1, %2, %3, 0x6a;\n\tlop3.b32 %0, %1, %3, %2, 0x1b;" : "=r"(y), "+r"(x) : "r"(a), "r"(b));
#define LOP3_IMAD(x, y) asm volatile("lop3.b32 %1, %1, %2, %3, 0x6a;\n\tmad.lo.u32 %0, %1, %2, %3;" : "=r"(y), "+r"(x) : "r"(a), "r"(b));
#define IMAD_LOP3(x, y) asm volatile("mad.lo.u32 %1, %1, %2, %3;\n\tlop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(y), "+r"(x) : "r"(a), "r"(b));
#define IADD3_IADD3(x, y) asm volatile("{.reg .u32 t;\n\tadd.u32 t, %1, %2;\n\tadd.u32 t, t, %3;\n\tlop3.b32 %0, t, %2, %3, 0x6a;}" : "=r"(y), "+r"(x) : "r"(a), "r"(b));
#define SHF_SHF(x, y) asm volatile("shf.l.wrap.b32 %1, %1, %2, %3;\n\tshf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(y), "+r"(x) : "r"(a), "r"(b));
#define PRMT_SHF(x, y) asm volatile("prmt.b32 %1, %1, %2, %3;\n\tshf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(y), "+r"(x) : "r"(a), "r"(b));
#define ISETP_SEL(x, y) asm volatile("{.reg .pred p;\n\tsetp.lt.u32 p, %1, %2;\n\tselp.b32 %0, %1, %3, p;}" : "=r"(y), "+r"(x) : "r"(a), "r"(b));
#define IMNMX_IMAD(x, y) asm volatile("min.s32 %1, %1, %2;\n\tmad.lo.u32 %0, %1, %2, %3;" : "=r"(y), "+r"(x) : "r"(a), "r"(b));
STALL(imad_imad, unsigned, IMAD_IMAD)
STALL(lop3_lop3, unsigned, LOP3_LOP3)
STALL(lop3_imad, unsigned, LOP3_IMAD)
STALL(imad_lop3, unsigned, IMAD_LOP3)
STALL(iadd3_lop3, unsigned, IADD3_IADD3)
STALL(shf_shf, unsigned, SHF_SHF)
STALL(prmt_shf, unsigned, PRMT_SHF)
STALL(isetp_sel, unsigned, ISETP_SEL)
STALL(imnmx_imad, unsigned, IMNMX_IMAD)
#define HFMA2_HFMA2(x, y) asm volatile("fma.rn.f16x2 %1, %1, %2, %3;\n\tfma.rn.f16x2 %0, %1, %2, %3;" : "=r"(y), "+r"(x) : "r"(a), "r"(b));
#define HFMA2_LOP3(x, y) asm volatile("fma.rn.f16x2 %1, %1, %2, %3;\n\tlop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(y), "+r"(x) : "r"(a), "r"(b));
STALL(hfma2_hfma2, unsigned, HFMA2_HFMA2)
STALL(hfma2_lop3, unsigned, HFMA2_LOP3)
#define DFMA_DFMA(x, y) asm volatile("fma.rn.f64 %1, %1, %2, %3;\n\tfma.rn.f64 %0, %1, %2, %3;" : "=d"(y), "+d"(x) : "d"(a), "d"(b));
STALL(dfma_dfma, double, DFMA_DFMA)
#define WIDE_WIDE(x, y) (void)a, (void)b; asm volatile("{.reg .u32 l, h;\n\tmov.b64 {l, h}, %1;\n\tmul.wide.u32 %1, l, h;\n\tmov.b64 {l, h}, %1;\n\tmul.wide.u32 %0, l, h;}" : "=l"(y), "+l"(x));
STALL(wide_wide, unsigned long long, WIDE_WIDE)
#define HI_LOP3(x, y) asm volatile("mul.hi.u32 %1, %1, %2;\n\tlop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(y), "+r"(x) : "r"(a), "r"(b));
STALL(hi_lop3, unsigned, HI_LOP3)
