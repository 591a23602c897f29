// Divisions by a number that is known only when the kernel runs, as loops of them: what mixes the transcendental unit
// (I2F, MUFU.RCP, F2I), long multiplications, comparisons and predicated additions. And that sequence's parts.
// out[0] = cycles of 8 rounds of 32 steps from 1 to 32 warps: of 12 rounds less those of 4, from the first warp's start
// to the last one's end; out[1], out[2] the two times.
#define BOTH(name, type, STEP)
#include "bench.cuh"
#define MODULO(name, type, STEP)                                                                                       \
    extern "C" __global__ void __launch_bounds__(1024) modulo_##name(unsigned *out, const type *in, type *sink)        \
    {                                                                                                                  \
        __shared__ unsigned first[3], last[3];                                                                         \
        type x = in[threadIdx.x % 32 + 8], n = in[0], a = in[1];                                                       \
        unsigned t0 = 0, t1 = 0;                                                                                       \
        (void)n, (void)a;                                                                                              \
        if (threadIdx.x < 3)                                                                                           \
            first[threadIdx.x] = ~0u, last[threadIdx.x] = 0;                                                           \
        _Pragma("unroll 1") for (int part = 0; part < 3; part++) /* the first fills the instruction caches */          \
        {                                                                                                              \
            int rounds = part == 2 ? 12 : 4;                                                                           \
            __syncthreads();                                                                                           \
            (void)*(volatile unsigned *)&first[part];                                                                  \
            t0 = now();                                                                                                \
            _Pragma("unroll 1") for (int round = 0; round < rounds; round++)                                           \
            {                                                                                                          \
                _Pragma("unroll 4") for (int i = 0; i < 32; i++) { STEP(x) }                                           \
            }                                                                                                          \
            t1 = now();                                                                                                \
            __syncthreads();                                                                                           \
            atomicMin(&first[part], t0 & 0x7fffffff);                                                                  \
            atomicMax(&last[part], t1 & 0x7fffffff);                                                                   \
        }                                                                                                              \
        __syncthreads();                                                                                               \
        if (threadIdx.x == 0) {                                                                                        \
            out[1] = last[1] - first[1] & 0x7fffffff;                                                                  \
            out[2] = last[2] - first[2] & 0x7fffffff;                                                                  \
            out[0] = out[2] - out[1];                                                                                  \
        }                                                                                                              \
        sink[threadIdx.x] = x;                                                                                         \
    }
// (the divisor changes, for all that the compiler knows: else it takes the reciprocal out of the loop)
#define REM_U32(x)                                                                                                     \
    asm volatile("{.reg .u32 m;\n\tshr.u32 m, %0, 31;\n\tadd.u32 m, m, %1;\n\trem.u32 %0, %0, m;\n\tadd.u32 %0, %0, %2;}" \
                 : "+r"(x) : "r"(n), "r"(a));
#define REM_S64(x) /* as C has it: a branch to a function if either is beyond 32 bits */                               \
    x = ((long long)x + a) % (n + (x >> 63));
#define RECIPROCAL(x) /* what the transcendental unit has to do in one of them */                                      \
    asm volatile("{.reg .f32 f;\n\tcvt.rp.f32.u32 f, %0;\n\trcp.approx.ftz.f32 f, f;\n\tcvt.rzi.ftz.u32.f32 %0, f;}"   \
                 : "+r"(x));
#define CORRECT(x) /* what is left of it: long multiplications, then two steps towards the remainder */                \
    asm volatile("{.reg .u32 q, m, r;\n\t.reg .pred p;\n\tmul.hi.u32 q, %0, %1;\n\tneg.s32 m, q;\n\t"                  \
                 "mad.lo.u32 r, m, %1, %2;\n\tsetp.ge.u32 p, r, %1;\n\t@p sub.u32 r, r, %1;\n\t"                       \
                 "setp.ge.u32 p, r, %1;\n\t@p sub.u32 r, r, %1;\n\tmad.hi.u32 %0, r, %1, %0;}"                         \
                 : "+r"(x) : "r"(n), "r"(a));
#define HIGH(x) asm volatile("mad.hi.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(n), "r"(a));
#define WIDE(x) asm volatile("{.reg .u32 l, h;\n\tmov.b64 {l, h}, %0;\n\tmad.wide.u32 %0, l, h, %1;}" : "+l"(x) : "l"(n));
#define COMPARE(x) /* an addition behind its comparison, twice */                                                      \
    asm volatile("{.reg .pred p;\n\tsetp.ge.u32 p, %0, %1;\n\t@p sub.u32 %0, %0, %1;\n\t"                              \
                 "setp.ge.u32 p, %0, %2;\n\t@p sub.u32 %0, %0, %2;}" : "+r"(x) : "r"(n), "r"(a));
MODULO(rem_u32, unsigned, REM_U32)
MODULO(rem_s64, long long, REM_S64)
MODULO(reciprocal, unsigned, RECIPROCAL)
MODULO(correct, unsigned, CORRECT)
MODULO(high, unsigned, HIGH)
MODULO(wide, unsigned long long, WIDE)
MODULO(compare, unsigned, COMPARE)
