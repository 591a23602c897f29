// Instructions that CUDA C++ hardly reaches, one PTX line each: integers, video, floats, conversions, warps, memory.
#include "common.cuh"

// One result of three operands, into the hash
#define U3(text)                                                                                                       \
    {                                                                                                                  \
        u32 r;                                                                                                         \
        asm volatile("{.reg .u32 t; .reg .pred p, q; " text "}" : "=r"(r) : "r"(a), "r"(b), "r"(c));                   \
        h = mix(h, r);                                                                                                 \
    }
#define U3L(text)                                                                                                      \
    {                                                                                                                  \
        u64 r;                                                                                                         \
        asm volatile("{.reg .u64 t; .reg .pred p, q; " text "}" : "=l"(r) : "l"(x), "l"(y), "r"(c));                   \
        h = mix(h, r);                                                                                                 \
    }
#define F3(text)                                                                                                       \
    {                                                                                                                  \
        float r;                                                                                                       \
        asm volatile("{.reg .f32 t; .reg .pred p, q; " text "}" : "=f"(r) : "f"(fa), "f"(fb), "f"(fc));                \
        h = mix(h, r);                                                                                                 \
    }
#define H3(text)                                                                                                       \
    {                                                                                                                  \
        u16 r;                                                                                                         \
        asm volatile("{.reg .pred p, q; " text "}" : "=h"(r) : "h"((u16)a), "h"((u16)b), "h"((u16)c));                 \
        h = mix(h, (u32)r);                                                                                            \
    }
#define PUT                                                                                                            \
    out[t * groups + g++] = h, h = 0

KERNEL ptx_integer(const u32 *in, u32 *out, u32 groups)
{
    u32 t = THREAD, g = 0, h = 0, a = in[t], b = scramble(a + 1) >> (a & 31), c = scramble(a + 2) & (a & 64 ? ~0u : 63);
    u64 x = (u64)scramble(a + 3) << 32 | b, y = (u64)c << 32 | a;
    U3("bfind.u32 %0, %2;") U3("bfind.s32 %0, %1;") U3("bfind.shiftamt.u32 %0, %2;") U3("bfind.shiftamt.s32 %0, %1;")
    { u32 r; asm volatile("bfind.u64 %0, %1;" : "=r"(r) : "l"(x)); h = mix(h, r); }
    { u32 r; asm volatile("bfind.shiftamt.s64 %0, %1;" : "=r"(r) : "l"(y)); h = mix(h, r); }
    PUT;
    U3("brev.b32 %0, %1;") U3L("brev.b64 %0, %1;") U3("popc.b32 %0, %1;") U3("clz.b32 %0, %2;")
    { u32 r; asm volatile("popc.b64 %0, %1;" : "=r"(r) : "l"(x)); h = mix(h, r); }
    { u32 r; asm volatile("clz.b64 %0, %1;" : "=r"(r) : "l"(x)); h = mix(h, r); }
    PUT;
    U3("and.b32 t, %2, 31; fns.b32 %0, %1, t, 1;") U3("and.b32 t, %2, 31; fns.b32 %0, %1, t, -2;") U3("and.b32 t, %2, 31; fns.b32 %0, %1, t, 0;")
    PUT;
    U3("prmt.b32 %0, %1, %2, %3;") U3("prmt.b32.f4e %0, %1, %2, %3;") U3("prmt.b32.b4e %0, %1, %2, %3;") U3("prmt.b32.rc8 %0, %1, %2, %3;")
    U3("prmt.b32.ecl %0, %1, %2, %3;") U3("prmt.b32.ecr %0, %1, %2, %3;") U3("prmt.b32.rc16 %0, %1, %2, %3;") U3("prmt.b32 %0, %1, %2, 0x7531;")
    PUT;
    U3("lop3.b32 %0, %1, %2, %3, 0x96;") U3("lop3.b32 %0, %1, %2, %3, 0xca;") U3("lop3.b32 %0, %1, %2, %3, 0x1e;") U3("cnot.b32 %0, %3;")
    U3("shf.l.wrap.b32 %0, %1, %2, %3;") U3("shf.l.clamp.b32 %0, %1, %2, %3;") U3("shf.r.wrap.b32 %0, %1, %2, %3;") U3("shf.r.clamp.b32 %0, %1, %2, %3;")
    U3("shl.b32 %0, %1, %3;") U3("shr.u32 %0, %1, %3;") U3("shr.s32 %0, %1, %3;")
    U3L("shl.b64 %0, %1, %3;") U3L("shr.u64 %0, %1, %3;") U3L("shr.s64 %0, %1, %3;")
    PUT;
    U3("sad.u32 %0, %1, %2, %3;") U3("sad.s32 %0, %1, %2, %3;") U3L("sad.s64 %0, %1, %2, %2;") H3("sad.u16 %0, %1, %2, %3;")
    U3("mul24.lo.u32 %0, %1, %2;") U3("mul24.lo.s32 %0, %1, %2;") U3("mul24.hi.u32 %0, %1, %2;") U3("mul24.hi.s32 %0, %1, %2;")
    U3("mad24.lo.u32 %0, %1, %2, %3;") U3("mad24.hi.s32 %0, %1, %2, %3;") U3("mad24.hi.sat.s32 %0, %1, %2, %3;") U3("mad.hi.sat.s32 %0, %1, %2, %3;")
    U3("add.sat.s32 %0, %1, %2;") U3("sub.sat.s32 %0, %1, %2;") U3("abs.s32 %0, %1;") U3L("abs.s64 %0, %1;") U3L("neg.s64 %0, %1;")
    PUT;
    U3("add.cc.u32 t, %1, %2; addc.cc.u32 t, %2, %3; addc.u32 %0, t, %1;") U3("sub.cc.u32 t, %1, %2; subc.cc.u32 t, %2, %3; subc.u32 %0, t, %1;")
    U3("mad.lo.cc.u32 t, %1, %2, %3; madc.hi.cc.u32 t, %1, %2, t; addc.u32 %0, t, 0;") U3("mad.hi.cc.s32 t, %1, %2, %3; madc.lo.s32 %0, %1, %3, t;")
    U3L("add.cc.u64 t, %1, %2; addc.u64 %0, t, 5;") U3L("mul.hi.u64 %0, %1, %2;") U3L("mul.hi.s64 %0, %1, %2;") U3L("mad.lo.s64 %0, %1, %2, %1;")
    PUT;
    U3("bfe.u32 %0, %1, %2, %3;") U3("bfe.s32 %0, %1, %3, %2;") U3("bfe.s32 %0, %1, 7, 13;") U3("bfi.b32 %0, %1, %2, %3, 9;") U3("bfi.b32 %0, %1, %2, 5, %3;")
    U3L("bfe.u64 %0, %1, %3, 17;") U3L("bfe.s64 %0, %1, 11, %3;") U3L("bfi.b64 %0, %1, %2, %3, 21;")
    U3("bmsk.clamp.b32 %0, %2, %3;") U3("bmsk.wrap.b32 %0, %2, %3;") U3("szext.clamp.u32 %0, %1, %3;") U3("szext.wrap.s32 %0, %1, %3;") U3("szext.clamp.s32 %0, %1, %3;")
    PUT;
    U3("dp4a.u32.u32 %0, %1, %2, %3;") U3("dp4a.s32.u32 %0, %1, %2, %3;") U3("dp4a.u32.s32 %0, %1, %2, %3;") U3("dp4a.s32.s32 %0, %1, %2, %3;")
    U3("dp2a.lo.u32.u32 %0, %1, %2, %3;") U3("dp2a.hi.s32.s32 %0, %1, %2, %3;") U3("dp2a.lo.s32.u32 %0, %1, %2, %3;") U3("dp2a.hi.u32.s32 %0, %1, %2, %3;")
    PUT;
    U3("min.s16x2 %0, %1, %2;") U3("max.u16x2 %0, %1, %2;") U3("max.relu.s16x2 %0, %1, %2;") U3("min.relu.s32 %0, %1, %2;") U3("add.u16x2 %0, %1, %2;") U3("add.s16x2 %0, %1, %2;")
    h = mix(h, __vimax3_s32(a, b, c)), h = mix(h, __vimin3_u32(a, b, c)), h = mix(h, __vimax3_s16x2(a, b, c)), h = mix(h, __vimin_s16x2_relu(a, b));
    PUT;
    {
        __int128 p = (__int128)(i64)x * (i64)y, q = (p << 17) - (__int128)x, d = (__int128)(i64)y | 1;
        h = mix(h, (u64)q), h = mix(h, (u64)(q >> 64)), h = mix(h, (u64)(p / d)), h = mix(h, (u64)(p % d)), h = mix(h, (u64)((unsigned __int128)q / (u32)(c | 1)));
    }
    PUT;
}
KERNEL ptx_video(const u32 *in, u32 *out, u32 groups)
{
    u32 t = THREAD, g = 0, h = 0, a = in[t], b = scramble(a + 1), c = scramble(a + 2) >> (a & 31);
    U3("vadd.u32.u32.u32 %0, %1.b1, %2.b3;") U3("vadd.s32.u32.s32.sat %0, %1, %2.h1;") U3("vsub.s32.s32.s32.add %0, %1.h0, %2.b2, %3;") U3("vadd.u32.s32.u32.min %0, %1, %2, %3;")
    PUT;
    U3("vabsdiff.u32.s32.s32 %0, %1.h1, %2.h0;") U3("vabsdiff.s32.u32.u32.sat.max %0, %1, %2, %3;") U3("vmin.s32.s32.u32 %0, %1, %2.b0;") U3("vmax.u32.u32.u32.add %0, %1.b2, %2.h1, %3;")
    PUT;
    U3("vshl.u32.u32.u32.clamp %0, %1, %2.b0;") U3("vshl.u32.u32.u32.sat.wrap.add %0, %1.h0, %2, %3;") U3("vshr.s32.s32.u32.clamp %0, %1, %2.b1;") U3("vshr.u32.u32.u32.wrap %0, %1, %2;")
    PUT;
    U3("vmad.u32.u32.u32 %0, %1.b0, %2.b1, %3;") U3("vmad.s32.s32.s32.sat.shr7 %0, %1.h1, %2.h0, %3;") U3("vmad.s32.s32.u32.shr15 %0, %1.h0, -%2.b3, %3;")
    PUT;
    U3("vset.s32.u32.lt %0, %1, %2.h0;") U3("vset.u32.u32.ge.add %0, %1.b1, %2.b2, %3;")
    PUT;
    U3("vadd2.s32.s32.s32.sat %0, %1, %2, %3;") U3("vsub2.u32.u32.u32 %0.h10, %1.h32, %2.h10, %3;") U3("vavrg2.s32.s32.s32 %0, %1, %2, %3;") U3("vabsdiff2.s32.s32.s32.add %0, %1, %2, %3;")
    U3("vmin2.u32.u32.u32 %0, %1, %2, %3;") U3("vmax2.s32.s32.s32 %0, %1, %2, %3;") U3("vset2.u32.u32.gt %0, %1, %2, %3;")
    PUT;
    U3("vadd4.u32.u32.u32.sat %0, %1, %2, %3;") U3("vsub4.s32.s32.s32 %0, %1, %2, %3;") U3("vavrg4.u32.u32.u32 %0, %1, %2, %3;") U3("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;")
    U3("vabsdiff4.s32.s32.s32 %0, %1, %2, %3;") U3("vmin4.s32.s32.s32 %0, %1, %2, %3;") U3("vmax4.u32.u32.u32.add %0, %1, %2, %3;") U3("vset4.s32.s32.le %0, %1, %2, %3;")
    PUT;
}
KERNEL ptx_float(const u32 *in, u32 *out, u32 groups)
{
    u32 t = THREAD, g = 0, h = 0, a = awkward32(in[t]), b = awkward32(scramble(in[t] + 1)), c = awkward32(scramble(in[t] + 2));
    float fa = __uint_as_float(a), fb = __uint_as_float(b), fc = __uint_as_float(c);
    double da = awkward64(scramble(in[t] + 3), a), db = awkward64(scramble(in[t] + 4), b);
    F3("fma.rz.ftz.f32 %0, %1, %2, %3;") F3("fma.rp.sat.f32 %0, %1, %2, %3;") F3("add.rm.f32 %0, %1, %2;") F3("mul.rp.ftz.sat.f32 %0, %1, %2;") F3("sub.rz.sat.f32 %0, %1, %2;")
    PUT;
    F3("min.f32 %0, %1, %2;") F3("max.ftz.f32 %0, %1, %2;") F3("min.NaN.f32 %0, %1, %2;") F3("max.ftz.NaN.f32 %0, %1, %2;") F3("min.xorsign.abs.f32 %0, %1, %2;") F3("max.NaN.xorsign.abs.f32 %0, %1, %2;")
    F3("copysign.f32 %0, %1, %2;") F3("abs.ftz.f32 %0, %1;") F3("neg.ftz.f32 %0, %1;")
    PUT;
    F3("setp.ltu.f32 p, %1, %2; selp.f32 %0, %1, %3, p;") F3("setp.num.f32 q, %3, %1; setp.num.and.f32 p|q, %1, %2, q; selp.f32 %0, 1.0, 2.0, q;") F3("slct.ftz.f32.f32 %0, %1, %2, %3;") F3("testp.subnormal.f32 p, %1; selp.f32 %0, 1.0, 0.5, p;") F3("testp.notanumber.f32 p, %2; selp.f32 %0, 1.0, 0.5, p;") F3("testp.normal.f32 p, %3; selp.f32 %0, 1.0, 0.5, p;")
    U3("set.gt.ftz.u32.f32 %0, 0f3f800000, 0f00000001;")
    { u32 r; asm volatile("set.geu.s32.f32 %0, %1, %2;" : "=r"(r) : "f"(fa), "f"(fb)); h = mix(h, r); }
    { float r; asm volatile("set.ne.f32.f32 %0, %1, %2;" : "=f"(r) : "f"(fa), "f"(fb)); h = mix(h, r); }
    PUT;
    F3("rcp.approx.f32 %0, %1;") F3("rcp.approx.ftz.f32 %0, %1;") F3("rsqrt.approx.f32 %0, %1;") F3("sqrt.approx.ftz.f32 %0, %1;") F3("sin.approx.f32 %0, %1;") F3("cos.approx.ftz.f32 %0, %1;") F3("lg2.approx.f32 %0, %1;") F3("ex2.approx.f32 %0, %1;") F3("tanh.approx.f32 %0, %1;") F3("div.approx.f32 %0, %1, %2;") F3("div.full.f32 %0, %1, %2;") F3("div.rp.ftz.f32 %0, %1, %2;") F3("sqrt.rm.f32 %0, %1;") F3("rcp.rz.f32 %0, %1;")
    PUT;
#define D2(text) { double r; asm volatile("{.reg .pred p;" text "}" : "=d"(r) : "d"(da), "d"(db)); h = mix(h, r); }
    D2("rcp.approx.ftz.f64 %0, %1;") D2("rsqrt.approx.ftz.f64 %0, %1;") D2("fma.rm.f64 %0, %1, %2, %1;") D2("add.rp.f64 %0, %1, %2;") D2("min.f64 %0, %1, %2;") D2("div.rz.f64 %0, %1, %2;") D2("sqrt.rp.f64 %0, %1;") D2("setp.neu.f64 p, %1, %2; selp.f64 %0, %1, %2, p;")
    PUT;
}
KERNEL ptx_half(const u32 *in, u32 *out, u32 groups)
{
    u32 t = THREAD, g = 0, h = 0, a = in[t], b = scramble(a + 1), c = scramble(a + 2);
    if (a & 1) // moderate numbers of both formats
        a = (a & 0xbfffbfffu) | 0x30003000u, b = (b & 0xbfffbfffu) | 0x38003800u, c = (c & 0xbfffbfffu) | 0x3c003c00u;
    U3("add.ftz.f16x2 %0, %1, %2;") U3("add.sat.f16x2 %0, %1, %2;") U3("sub.ftz.sat.f16x2 %0, %1, %2;") U3("mul.ftz.f16x2 %0, %1, %2;") U3("fma.rn.relu.f16x2 %0, %1, %2, %3;") U3("fma.rn.ftz.sat.f16x2 %0, %1, %2, %3;") U3("fma.rn.ftz.relu.f16x2 %0, %1, %2, %3;")
    PUT;
    H3("fma.rn.sat.f16 %0, %1, %2, %3;") H3("fma.rn.relu.f16 %0, %1, %2, %3;") H3("add.rn.f16 %0, %1, %2;") H3("mul.sat.f16 %0, %1, %2;") H3("neg.ftz.f16 %0, %1;") H3("abs.f16 %0, %2;") H3("min.f16 %0, %1, %2;") H3("max.NaN.f16 %0, %1, %2;") H3("min.ftz.xorsign.abs.f16 %0, %1, %2;")
    PUT;
    U3("fma.rn.relu.bf16x2 %0, %1, %2, %3;") U3("fma.rn.bf16x2 %0, %1, %2, %3;") U3("add.rn.bf16x2 %0, %1, %2;") U3("sub.rn.bf16x2 %0, %1, %2;") U3("mul.rn.bf16x2 %0, %1, %2;") U3("min.bf16x2 %0, %1, %2;") U3("max.NaN.bf16x2 %0, %1, %2;") U3("max.xorsign.abs.bf16x2 %0, %1, %2;") U3("neg.bf16x2 %0, %1;") U3("abs.bf16x2 %0, %1;")
    PUT;
    H3("fma.rn.bf16 %0, %1, %2, %3;") H3("fma.rn.relu.bf16 %0, %1, %2, %3;") H3("add.rn.bf16 %0, %1, %2;") H3("sub.rn.bf16 %0, %1, %2;") H3("mul.rn.bf16 %0, %1, %2;") H3("min.NaN.bf16 %0, %1, %2;")
    PUT;
    U3("ex2.approx.f16x2 %0, %1;") U3("ex2.approx.ftz.bf16x2 %0, %1;") U3("tanh.approx.f16x2 %0, %1;") U3("tanh.approx.bf16x2 %0, %1;") H3("ex2.approx.f16 %0, %1;") H3("tanh.approx.f16 %0, %1;") H3("tanh.approx.bf16 %0, %1;") H3("ex2.approx.ftz.bf16 %0, %1;")
    PUT;
    U3("set.gt.u32.f16x2 %0, %1, %2;") U3("set.leu.f16x2.f16x2 %0, %1, %2;") U3("set.ltu.ftz.u32.f16x2 %0, %1, %2;") U3("set.ne.bf16x2.bf16x2 %0, %1, %2;") U3("set.nan.u32.bf16x2 %0, %1, %2;")
    U3("setp.lt.f16x2 p|q, %1, %2; selp.b32 %0, 1, 2, p; @q add.u32 %0, %0, 8;") U3("setp.lt.u32 q, %3, %1; setp.equ.or.bf16x2 p|q, %1, %2, q; selp.b32 %0, 1, 2, p; @q add.u32 %0, %0, 8;")
    { u32 r; asm volatile("{.reg .pred p; setp.geu.f16 p, %1, %2; selp.b32 %0, 1, 2, p;}" : "=r"(r) : "h"((u16)a), "h"((u16)b)); h = mix(h, r); }
    PUT;
}
// TO, FROM with their constraints
#define CVT(how, rc, rt, ac, at, v)                                                                                    \
    {                                                                                                                  \
        rt r;                                                                                                          \
        asm volatile("cvt." how " %0, %1;" : rc(r) : ac((at)(v)));                                                     \
        h = mix(h, r);                                                                                                 \
    }
KERNEL ptx_convert(const u32 *in, u32 *out, u32 groups)
{
    u32 t = THREAD, g = 0, h = 0, a = awkward32(in[t]), b = awkward32(scramble(in[t] + 1)), c = scramble(in[t] + 2);
    float fa = __uint_as_float(a), fb = __uint_as_float(b);
    double d = awkward64(c, a);
    i64 l = (i64)((u64)a << 32 | c) >> (c & 63);
#define PACK(how) { u32 r; asm volatile("cvt." how " %0, %1, %2;" : "=r"(r) : "f"(fa), "f"(fb)); h = mix(h, r); }
#define PACK8(how) { u16 r; asm volatile("cvt." how " %0, %1, %2;" : "=h"(r) : "f"(fa), "f"(fb)); h = mix(h, (u32)r); }
    PACK("rn.f16x2.f32") PACK("rz.f16x2.f32") PACK("rn.relu.f16x2.f32") PACK("rn.bf16x2.f32") PACK("rz.relu.bf16x2.f32")
    PUT;
    PACK8("rn.satfinite.e4m3x2.f32") PACK8("rn.satfinite.e5m2x2.f32") PACK8("rn.satfinite.relu.e4m3x2.f32") PACK8("rn.satfinite.relu.e5m2x2.f32")
    { u16 r; asm volatile("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(r) : "r"(c)); h = mix(h, (u32)r); }
    { u16 r; asm volatile("cvt.rn.satfinite.relu.e5m2x2.f16x2 %0, %1;" : "=h"(r) : "r"(c)); h = mix(h, (u32)r); }
    { u32 r; asm volatile("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(r) : "h"((u16)c)); h = mix(h, r); }
    { u32 r; asm volatile("cvt.rn.relu.f16x2.e5m2x2 %0, %1;" : "=r"(r) : "h"((u16)c)); h = mix(h, r); }
    PUT;
    CVT("rna.tf32.f32", "=r", u32, "f", float, fa) CVT("rn.tf32.f32", "=r", u32, "f", float, fb) CVT("rz.relu.tf32.f32", "=r", u32, "f", float, fb)
    CVT("rzi.u32.f32", "=r", u32, "f", float, fa) CVT("rni.s32.f32", "=r", u32, "f", float, fa) CVT("rmi.ftz.s32.f32", "=r", u32, "f", float, fa) CVT("rpi.u64.f32", "=l", u64, "f", float, fa) CVT("rzi.s64.f64", "=l", u64, "d", double, d) CVT("rni.u32.f64", "=r", u32, "d", double, d)
    PUT;
    CVT("rzi.u8.f32", "=r", u32, "f", float, fa) CVT("rni.s8.f32", "=r", u32, "f", float, fa) CVT("rpi.u16.f32", "=h", u16, "f", float, fa) CVT("rmi.sat.s16.f64", "=h", u16, "d", double, d) CVT("rni.s32.f16", "=r", u32, "h", u16, c) CVT("rzi.u64.f16", "=l", u64, "h", u16, c) CVT("rzi.s32.bf16", "=r", u32, "h", u16, c)
    PUT;
    CVT("rn.f32.u32", "=f", float, "r", u32, a) CVT("rz.f32.s32", "=f", float, "r", u32, a) CVT("rp.f32.s64", "=f", float, "l", u64, l) CVT("rm.f64.u64", "=d", double, "l", u64, l) CVT("rn.f16.s32", "=h", u16, "r", u32, c >> (c & 31)) CVT("rz.f16.u64", "=h", u16, "l", u64, l) CVT("rn.bf16.u32", "=h", u16, "r", u32, c) CVT("rn.bf16.s64", "=h", u16, "l", u64, l) CVT("rn.f16.u8", "=h", u16, "r", u32, c)
    PUT;
    CVT("rz.f32.f64", "=f", float, "d", double, d) CVT("rp.ftz.sat.f32.f64", "=f", float, "d", double, d) CVT("rn.f16.f32", "=h", u16, "f", float, fa) CVT("rm.f16.f64", "=h", u16, "d", double, d) CVT("f32.f16", "=f", float, "h", u16, c) CVT("f64.f16", "=d", double, "h", u16, c) CVT("f32.bf16", "=f", float, "h", u16, c) CVT("rn.bf16.f64", "=h", u16, "d", double, d) CVT("rn.bf16.f16", "=h", u16, "h", u16, c)
    CVT("rni.f32.f32", "=f", float, "f", float, fa) CVT("rzi.ftz.f32.f32", "=f", float, "f", float, fb) CVT("rpi.f64.f64", "=d", double, "d", double, d) CVT("rmi.f16.f16", "=h", u16, "h", u16, c) CVT("sat.f32.f32", "=f", float, "f", float, fa)
    PUT;
    U3("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;") U3("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;") U3("cvt.pack.sat.u16.s32 %0, %1, %2;") U3("cvt.pack.sat.s16.s32 %0, %1, %2;")
    CVT("sat.s8.s32", "=r", u32, "r", u32, c >> (c & 31)) CVT("sat.u8.s32", "=r", u32, "r", u32, a) CVT("sat.u16.s64", "=h", u16, "l", u64, l) CVT("sat.s32.u32", "=r", u32, "r", u32, a) CVT("sat.u32.s64", "=r", u32, "l", u64, l) CVT("sat.s64.u64", "=l", u64, "l", u64, l)
    PUT;
}
KERNEL ptx_warp(const u32 *in, u32 *out, u32 groups)
{
    u32 t = THREAD, g = 0, h = 0, a = in[t] & 7, b = scramble(in[t] + 1), lane = threadIdx.x & 31, r;
    u32 m = lane % 5 == 0 ? 0x42108421u : ~0x42108421u; // lanes 0, 5, 10, .. and the others
    u64 x = (u64)a << 33 | (a & 1);
#define V(text)                                                                                                        \
    asm volatile("{.reg .pred p, q; setp.gt.u32 p, %1, 3; " text "}" : "=r"(r) : "r"(a), "r"(m), "r"(b));              \
    h = mix(h, r);
    if (lane % 5 == 0) {
        V("vote.sync.all.pred q, p, %2; selp.u32 %0, 1, 0, q;") V("vote.sync.any.pred q, !p, %2; selp.u32 %0, 1, 0, q;") V("vote.sync.uni.pred q, p, %2; selp.u32 %0, 1, 0, q;") V("vote.sync.ballot.b32 %0, p, %2;")
        V("redux.sync.add.s32 %0, %3, %2;")
    } else {
        V("vote.sync.ballot.b32 %0, !p, %2;") V("match.any.sync.b32 %0, %1, %2;") V("match.all.sync.b32 %0|q, %1, %2; @q add.u32 %0, %0, 1;")
        V("elect.sync %0|q, %2; @q add.u32 %0, %0, 100;")
    }
    __syncwarp();
    PUT;
    m = 0xffffffffu;
    V("redux.sync.add.u32 %0, %3, %2;") V("redux.sync.min.s32 %0, %3, %2;") V("redux.sync.max.u32 %0, %3, %2;") V("redux.sync.min.u32 %0, %3, %2;") V("redux.sync.max.s32 %0, %3, %2;") V("redux.sync.and.b32 %0, %3, %2;") V("redux.sync.or.b32 %0, %1, %2;") V("redux.sync.xor.b32 %0, %3, %2;") V("elect.sync %0|q, %2; @q add.u32 %0, %0, 100;") V("activemask.b32 %0;")
    asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(r) : "l"(x), "r"(m));
    h = mix(h, r);
    V("match.all.sync.b32 %0|q, 7, %2; @q add.u32 %0, %0, 1;")
    PUT;
    V("shfl.sync.idx.b32 %0|q, %3, %1, 0x1f, %2; @q add.u32 %0, %0, 1;") V("shfl.sync.up.b32 %0|q, %3, %1, 0x800, %2; @q add.u32 %0, %0, 1;") V("shfl.sync.down.b32 %0|q, %3, 3, 0x181f, %2; @q add.u32 %0, %0, 1;") V("shfl.sync.bfly.b32 %0|q, %3, %1, 0x101f, %2; @q add.u32 %0, %0, 1;")
    PUT;
    V("bar.red.popc.u32 %0, 0, p;") V("barrier.cta.red.popc.aligned.u32 %0, 1, 128, !p;") V("bar.red.and.pred q, 0, p; selp.u32 %0, 1, 0, q;") V("barrier.cta.red.or.aligned.pred q, 2, 128, p; selp.u32 %0, 1, 0, q;")
    PUT;
}
// Memory: vector atomics, 16-bit and 128-bit compare and swap, hints, prefetches. Each thread has its own 64 bytes.
KERNEL ptx_memory(const u32 *in, u32 *out, u32 groups, u32 *room)
{
    u32 t = THREAD, g = 0, h = 0, a = in[t], r[4];
    float fa = awkward(a), fb = awkward(scramble(a + 1));
    u32 *p = room + 16 * t;
    u64 policy;
#define FOUR "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
#define MIX4 h = mix(mix(mix(mix(h, r[0]), r[1]), r[2]), r[3])
    for (u32 i = 0; i < 16; i++)
        p[i] = awkward32(scramble(a + i));
    asm volatile("atom.global.v2.f32.add {%0, %1}, [%2], {%3, %4};" : "=r"(r[0]), "=r"(r[1]) : "l"(p), "f"(fa), "f"(fb) : "memory");
    h = mix(mix(h, r[0]), r[1]);
    asm volatile("atom.global.v4.f32.add {%0, %1, %2, %3}, [%4], {%5, %6, %5, %6};" : FOUR : "l"(p + 4), "f"(fa), "f"(fb) : "memory");
    MIX4;
    asm volatile("red.global.v2.f32.add [%0], {%1, %2};" ::"l"(p + 2), "f"(fa), "f"(fb) : "memory");
    asm volatile("red.global.v4.f32.add [%0], {%1, %2, %1, %2};" ::"l"(p + 8), "f"(fa), "f"(fb) : "memory");
    PUT;
    asm volatile("atom.global.v4.f16x2.noftz.add {%0, %1, %2, %3}, [%4], {%5, %6, %5, %6};" : FOUR : "l"(p + 4), "r"(a), "r"(scramble(a + 2)) : "memory");
    MIX4;
    asm volatile("atom.global.v2.bf16x2.noftz.max {%0, %1}, [%2], {%3, %4};" : "=r"(r[0]), "=r"(r[1]) : "l"(p + 8), "r"(a), "r"(scramble(a + 3)) : "memory");
    h = mix(mix(h, r[0]), r[1]);
    asm volatile("red.global.v4.bf16x2.noftz.min [%0], {%1, %2, %1, %2};" ::"l"(p + 12), "r"(a), "r"(scramble(a + 4)) : "memory");
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(p), "r"(a) : "memory");
    asm volatile("atom.global.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(r[0]) : "l"(p + 1), "r"(a) : "memory");
    h = mix(h, r[0]);
    PUT;
    {
        u16 old;
        asm volatile("atom.global.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p + 3), "h"((u16)p[3]), "h"((u16)a) : "memory");
        h = mix(h, (u32)old);
        asm volatile("{.reg .b128 x, y; mov.b128 x, {%2, %3}; atom.global.exch.b128 y, [%4], x; mov.b128 {%0, %1}, y;}" : "=l"(((u64 *)r)[0]), "=l"(((u64 *)r)[1]) : "l"((u64)a), "l"((u64)scramble(a)), "l"(p + 4) : "memory");
        MIX4;
        asm volatile("{.reg .b128 x, y, z; mov.b128 x, {%2, %3}; mov.b128 z, {%3, %2}; atom.global.cas.b128 y, [%4], x, z; mov.b128 {%0, %1}, y;}" : "=l"(((u64 *)r)[0]), "=l"(((u64 *)r)[1]) : "l"((u64)a), "l"((u64)scramble(a)), "l"(p + 4) : "memory");
        MIX4;
    }
    PUT;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 0.5;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;" : FOUR : "l"(p + 8), "l"(policy) : "memory");
    MIX4;
    asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(p + 9), "r"(a), "l"(policy) : "memory");
    asm volatile("atom.global.add.L2::cache_hint.u32 %0, [%1], %2, %3;" : "=r"(r[0]) : "l"(p + 10), "r"(a), "l"(policy) : "memory");
    h = mix(h, r[0]);
    asm volatile("createpolicy.range.L2::evict_first.b64 %0, [%1], 64, 128;" : "=l"(policy) : "l"(p));
    asm volatile("ld.global.L1::no_allocate.L2::cache_hint.L2::256B.u32 %0, [%1], %2;" : "=r"(r[0]) : "l"(p + 11), "l"(policy) : "memory");
    h = mix(h, r[0]);
    PUT;
    asm volatile("prefetch.global.L2 [%0]; prefetch.global.L1 [%0]; prefetch.global.L2::evict_last [%0]; prefetchu.L1 [%0];" ::"l"(p) : "memory");
    asm volatile("ld.global.nc.L1::evict_last.L2::128B.v2.u32 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "l"(in + 2 * (t & 63)));
    h = mix(mix(h, r[0]), r[1]);
    asm volatile("ld.relaxed.sys.global.u8 %0, [%1];" : "=r"(r[0]) : "l"((char *)p + 3) : "memory");
    asm volatile("ld.acquire.gpu.global.s16 %0, [%1];" : "=r"(r[1]) : "l"((char *)p + 6) : "memory");
    asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(((u64 *)r)[1]) : "l"(p + 2) : "memory");
    MIX4;
    asm volatile("st.release.cluster.global.u16 [%0], %1;" ::"l"(p + 14), "h"((u16)a) : "memory");
    asm volatile("st.weak.global.wt.v2.u32 [%0], {%1, %2};" ::"l"(p + 12), "r"(a), "r"(h) : "memory");
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"((u64)p & ~127ull) : "memory");
    asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory");
    PUT;
}
