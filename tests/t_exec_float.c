/* Floating-point instructions against an integer-only reference, and the rules that differ from IEEE by hand. */
#include <check.h>

#include "isa/float.h"
#include "tests/exec_rig.h"
#include "tests/soft_float.h"

static uint32_t seed = 7;
static uint32_t rnd(void)
{
    return hash32(seed++ * 2654435761u);
}
static uint32_t rnd32(void)
{
    static const uint32_t corner[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
                                      0x00800000, 0x807fffff, 0x3f800000, 0xbf800000, 0x3f7fffff,
                                      0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
                                      0xff800001, 0x33800000, 0x34000000, 0x4b800000, 0x4b7fffff};
    uint32_t r = rnd();
    switch (r & 7) {
    case 0:
        return corner[r >> 8 & 31 ? (r >> 8) % ARRAY_LEN(corner) : 0];
    case 1:
        return (rnd() & 0x807fffff) | (100 + rnd() % 50) << 23; /* near one another */
    case 2:
        return (rnd() & 0x80000007) | (120 + rnd() % 12) << 23; /* few bits: ties */
    case 3:
        return rnd() & 0x80ffffff; /* tiny */
    default:
        return rnd();
    }
}
static uint32_t rnd16(void)
{
    uint32_t r = rnd();
    return r & 1 ? r >> 16 : (r >> 16 & 0x83ff) | (8 + (r >> 3) % 14) << 10;
}
static struct rig_result eval(struct inst in, uint64_t a, uint64_t b, uint64_t c, bool p)
{
    struct rig_result r = rig_eval(in, a, b, c, p);
    ck_assert_msg(r.ok, "%s: %s (%llx %llx %llx)", op_table[in.op].text, r.why, (unsigned long long)a,
                  (unsigned long long)b, (unsigned long long)c);
    return r;
}
static struct inst make(enum op op, uint32_t nsrc)
{
    struct inst in = rig_inst(op);
    in.opd[0] = rig_r(10);
    for (uint32_t i = 0; i < nsrc; i++)
        in.opd[1 + i] = rig_r(1 + 2 * i);
    return in;
}
static uint32_t flush(uint32_t x)
{
    return x & 0x7f800000 ? x : x & 0x80000000;
}
static uint32_t saturate(uint32_t x)
{
    if ((x & 0x7fffffff) > 0x7f800000 || x >> 31)
        return 0;
    return x > 0x3f800000 ? 0x3f800000 : x;
}

START_TEST(single)
{
    static const enum op ops[] = {OP_FADD, OP_FMUL, OP_FFMA};
    for (int i = 0; i < 4000; i++) {
        enum op op = ops[i % 3];
        uint32_t a = rnd32(), b = rnd32(), c = rnd32(), mode = i % 5 ? 0 : rnd() & 3;
        bool ftz = rnd() & 1, sat = (rnd() & 7) == 0;
        struct inst in = make(op, op == OP_FFMA ? 3 : 2);
        in.mod[MOD_FTZ] = ftz, in.mod[MOD_SAT] = sat, in.mod[MOD_RND] = (uint8_t)mode;
        uint32_t fa = ftz ? flush(a) : a, fb = ftz ? flush(b) : b, fc = ftz ? flush(c) : c;
        struct soft x = soft_unpack(fa, FMT32), y = soft_unpack(fb, FMT32), z = soft_unpack(fc, FMT32), s;
        if (op == OP_FADD)
            s = soft_fma(x, soft_one(), y, (int)mode);
        else if (op == OP_FMUL)
            s = soft_fma(x, y, soft_zero(x.neg != y.neg), (int)mode);
        else
            s = soft_fma(x, y, z, (int)mode);
        uint32_t want = soft_round(s, FMT32, (int)mode);
        if (ftz)
            want = flush(want);
        if (sat)
            want = saturate(want);
        uint32_t got = (uint32_t)eval(in, a, b, c, false).d;
        ck_assert_msg(got == want, "%s ftz %d sat %d rnd %u: %08x %08x %08x -> %08x, want %08x", op_table[op].text, ftz,
                      sat, mode, a, b, c, got, want);
    }
}
END_TEST

START_TEST(scaled_product) /* one rounding, after the power of two: also where plain and scaled differ in denormals */
{
    static const struct {
        uint32_t mode, a, b, ftz, want;
    } rows[] = {
        {6, 0x3fc00000, 0x40000000, 0, 0x41c00000},  /* 1.5 * 2 * 8 = 24 */
        {1, 0x3fc00000, 0x40000000, 0, 0x3ec00000},  /* / 8 = 0.375 */
        {4, 0x7f000000, 0x3f800000, 0, 0x7f800000},  /* 2^127 * 2 overflows */
        {3, 0x7f7fffff, 0x40000000, 0, 0x7f7fffff},  /* the largest number, times 2 / 2 */
        {3, 0x00800001, 0x3f800000, 0, 0x00400000},  /* a tie in the last denormal place goes to even */
        {3, 0x00800001, 0x3f800000, 1, 0},           /* and is flushed */
        {6, 0x1a000000, 0x1a000000, 0, 0x00000004}}; /* 2^-75 * 2^-75 * 8 = 2^-147 would have been lost before */
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct inst in = make(OP_FMUL, 2);
        in.mod[MOD_FSCALE] = (uint8_t)rows[i].mode, in.mod[MOD_FTZ] = rows[i].ftz != 0;
        uint32_t r = (uint32_t)eval(in, rows[i].a, rows[i].b, 0, false).d;
        ck_assert_msg(r == rows[i].want, "row %zu: %08x, not %08x", i, r, rows[i].want);
    }
}
END_TEST

START_TEST(signs)
{
    struct inst in = make(OP_FADD, 2);
    in.opd[1].flags = OPF_ABS;
    in.opd[2].flags = OPF_NEG | OPF_ABS;
    ck_assert_uint_eq((uint32_t)eval(in, 0xc0000000, 0xbf800000, 0, false).d, 0x3f800000); /* |-2| - |-1| */
    struct inst imm = make(OP_FFMA, 3);
    imm.opd[2] = rig_i(0x40000000);
    imm.opd[3].flags = OPF_NEG;
    ck_assert_uint_eq((uint32_t)eval(imm, 0x3f800000, 0, 0x3f800000, false).d, 0x3f800000); /* 1 * 2 - 1 */
}
END_TEST

START_TEST(minmax_single)
{
    struct inst in = make(OP_FMNMX, 2);
    in.opd[3] = rig_p(1);
    ck_assert_uint_eq((uint32_t)eval(in, 0x80000000, 0, 0, true).d, 0x80000000); /* -0 is below +0 */
    ck_assert_uint_eq((uint32_t)eval(in, 0, 0x80000000, 0, true).d, 0x80000000);
    ck_assert_uint_eq((uint32_t)eval(in, 0, 0x80000000, 0, false).d, 0);
    ck_assert_uint_eq((uint32_t)eval(in, 0x7fc00000, 0x3f800000, 0, true).d, 0x3f800000);
    ck_assert_uint_eq((uint32_t)eval(in, 0x3f800000, 0xffc00000, 0, false).d, 0x3f800000);
    ck_assert_uint_eq((uint32_t)eval(in, 0x7fc00001, 0xffc00000, 0, false).d, 0x7fffffff);
    ck_assert_uint_eq((uint32_t)eval(in, 0xff800000, 0x7f800000, 0, true).d, 0xff800000);
    in.mod[MOD_NAN] = 1;
    ck_assert_uint_eq((uint32_t)eval(in, 0x3f800000, 0xffc00000, 0, false).d, 0x7fffffff);
    in.mod[MOD_NAN] = 0, in.mod[MOD_FTZ] = 1;
    ck_assert_uint_eq((uint32_t)eval(in, 0x00000001, 0x80000001, 0, true).d, 0x80000000);
    in.mod[MOD_FTZ] = 0, in.mod[MOD_XORSIGN] = 1;
    in.opd[1].flags = in.opd[2].flags = OPF_ABS;
    ck_assert_uint_eq((uint32_t)eval(in, 0xbf800000, 0x40000000, 0, true).d, 0xbf800000);
}
END_TEST

START_TEST(divide_check) /* the bounds, on either side of each */
{
    static const struct {
        uint32_t ea, eb;
        bool slow;
    } v[] = {
        {127, 127, false}, {24, 100, true}, {25, 100, false},  {255, 200, true},  {254, 128, false},
        {254, 127, true},  {100, 1, true},  {100, 2, false},   {200, 251, false}, {200, 252, true},
        {128, 2, false},   {129, 2, true},  {126, 250, false}, {125, 250, true},  {0, 127, true},
    };
    struct inst in = rig_inst(OP_FCHK);
    in.opd[0] = rig_p(4), in.opd[1] = rig_r(1), in.opd[2] = rig_r(3);
    for (uint32_t i = 0; i < ARRAY_LEN(v); i++)
        ck_assert_msg(eval(in, v[i].ea << 23 | 0x80000000, v[i].eb << 23 | 77, 0, false).p4 == v[i].slow, "%u / %u",
                      v[i].ea, v[i].eb);
}
END_TEST

START_TEST(compare)
{
    static const uint32_t v[] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1};
    for (uint32_t cmp = 0; cmp < 16; cmp++)
        for (uint32_t i = 0; i < 8; i++)
            for (uint32_t k = 0; k < 8; k++) {
                static const double d[] = {0, 0, 1, -1, 1e300, -1e300, 0, 1e-45};
                bool nan = i == 6 || k == 6;
                uint32_t rel = nan ? 8 : d[i] < d[k] ? 1 : d[i] == d[k] ? 2 : 4;
                struct inst in = rig_inst(OP_FSETP);
                in.opd[0] = rig_p(4), in.opd[1] = rig_p(5), in.opd[2] = rig_r(1), in.opd[3] = rig_r(3),
                in.opd[4] = rig_p(1);
                in.mod[MOD_FCMP] = (uint8_t)cmp;
                struct rig_result r = eval(in, v[i], v[k], 0, true);
                ck_assert(r.p4 == ((cmp & rel) != 0) && r.p5 == ((cmp & rel) == 0));
                in.op = OP_DSETP;
                static const uint64_t w[] = {0,
                                             1ull << 63,
                                             0x3ff0000000000000,
                                             0xbff0000000000000,
                                             0x7ff0000000000000,
                                             0xfff0000000000000,
                                             0x7ff8000000000000,
                                             1};
                r = eval(in, w[i], w[k], 0, true);
                ck_assert(r.p4 == ((cmp & rel) != 0) && r.p5 == ((cmp & rel) == 0));
            }
}
END_TEST

START_TEST(half)
{
    for (int i = 0; i < 4000; i++) {
        static const enum op ops[] = {OP_HADD2, OP_HMUL2, OP_HFMA2};
        enum op op = ops[i % 3];
        bool bf = i & 8;
        struct fmt f = bf ? FMTBF : FMT16;
        uint32_t v[3] = {0}, want = 0;
        for (uint32_t k = 0; k < 6; k++)
            v[k / 2] |= (bf ? rnd32() >> 16 : rnd16()) << 16 * (k & 1);
        struct inst in = make(op, op == OP_HFMA2 ? 3 : 2);
        in.mod[MOD_BF16] = bf;
        for (uint32_t h = 0; h < 32; h += 16) {
            struct soft x = soft_unpack(v[0] >> h & 0xffff, f), y = soft_unpack(v[1] >> h & 0xffff, f),
                        z = soft_unpack(v[2] >> h & 0xffff, f), s;
            if (op == OP_HADD2)
                s = soft_fma(x, soft_one(), y, 0);
            else if (op == OP_HMUL2)
                s = soft_fma(x, y, soft_zero(x.neg != y.neg), 0);
            else
                s = soft_fma(x, y, z, 0);
            want |= soft_round(s, f, 0) << h;
        }
        uint32_t got = (uint32_t)eval(in, v[0], v[1], v[2], false).d;
        ck_assert_msg(got == want, "%s bf %d: %08x %08x %08x -> %08x, want %08x", op_table[op].text, bf, v[0], v[1],
                      v[2], got, want);
    }
}
END_TEST

START_TEST(half_forms)
{
    struct inst in = make(OP_HFMA2_MMA, 3); /* -RZ * RZ + {0, 2^-24}: how constants are built */
    in.opd[1] = rig_f(rig_r(RZ), OPF_NEG), in.opd[2] = rig_r(RZ), in.opd[3] = rig_i(1);
    ck_assert_uint_eq((uint32_t)eval(in, 0, 0, 0, false).d, 1);
    in.opd[3] = rig_i(0x80000000); /* -0 * 0 + -0 = -0 */
    ck_assert_uint_eq((uint32_t)eval(in, 0, 0, 0, false).d, 0x80000000);
    struct inst wide = make(OP_HADD2, 2); /* HADD2.F32 R, -RZ, R.H1_H1 */
    wide.mod[MOD_BF16] = 2;
    wide.opd[1] = rig_f(rig_r(RZ), OPF_NEG), wide.opd[2] = rig_r(3), wide.opd[2].sel = 3;
    ck_assert_uint_eq((uint32_t)eval(wide, 0, 0x3c00c000, 0, false).d, 0x3f800000);
    wide.opd[2].sel = 2;
    ck_assert_uint_eq((uint32_t)eval(wide, 0, 0x3c00c000, 0, false).d, 0xc0000000);
    ck_assert_uint_eq((uint32_t)eval(wide, 0, 0x8000, 0, false).d, 0x80000000);
    struct inst relu = make(OP_HFMA2, 3);
    relu.mod[MOD_RELU] = 1;
    ck_assert_uint_eq((uint32_t)eval(relu, 0xbc003c00, 0x3c003c00, 0, false).d, 0x00003c00);
    struct inst set = make(OP_HSET2, 2);
    set.opd[3] = rig_p(PT), set.mod[MOD_FCMP] = 1, set.mod[MOD_BF] = 1;
    ck_assert_uint_eq((uint32_t)eval(set, 0x3c000000, 0x3c003c00, 0, false).d, 0x00003c00);
    struct inst setp = rig_inst(OP_HSETP2);
    setp.opd[0] = rig_p(4), setp.opd[1] = rig_p(5), setp.opd[2] = rig_r(1), setp.opd[3] = rig_r(3),
    setp.opd[4] = rig_p(PT), setp.mod[MOD_FCMP] = 1;
    struct rig_result r = eval(setp, 0x3c000000, 0x3c003c00, 0, false);
    ck_assert(r.p4 && !r.p5);
    setp.mod[MOD_HAND] = 1;
    r = eval(setp, 0x3c000000, 0x3c003c00, 0, false);
    ck_assert(!r.p4 && r.p5);
    struct inst mn = make(OP_HMNMX2, 2);
    mn.opd[3] = rig_p(1);
    ck_assert_uint_eq((uint32_t)eval(mn, 0x7e008000, 0x3c000000, 0, true).d, 0x3c008000);
}
END_TEST

START_TEST(doubles)
{
    struct inst fma_ = make(OP_DFMA, 3), add = make(OP_DADD, 2), mul = make(OP_DMUL, 2);
    ck_assert_uint_eq(eval(add, f64_bits(1), f64_bits(0x1p-53), 0, false).d, f64_bits(1)); /* a tie goes to even */
    add.mod[MOD_RND] = 2;
    ck_assert_uint_eq(eval(add, f64_bits(1), f64_bits(0x1p-80), 0, false).d, f64_bits(0x1.0000000000001p0));
    add.mod[MOD_RND] = 0;
    ck_assert_uint_eq(eval(mul, f64_bits(0x1p-1000), f64_bits(0x1p-74), 0, false).d, 1); /* denormals are kept */
    /* (1 + 2^-52)^2 - (1 + 2^-51) = 2^-104 */
    ck_assert_uint_eq(
        eval(fma_, f64_bits(0x1.0000000000001p0), f64_bits(0x1.0000000000001p0), f64_bits(-0x1.0000000000002p0), false)
            .d,
        f64_bits(0x1p-104));
    ck_assert_uint_eq(eval(add, f64_bits(INFINITY), f64_bits(-INFINITY), 0, false).d, 0xfff8000000000000);
    ck_assert_uint_eq(eval(add, 0x7ff0000000000001, f64_bits(2), 0, false).d,
                      0x7ff8000000000001); /* quieted, payload kept */
    ck_assert_uint_eq(eval(add, 0x7ff8000000000001, 0xfff8000000000002, 0, false).d,
                      0xfff8000000000002); /* the last one */
    mul.opd[2] = rig_i(0x40000000);        /* the immediate is the high word */
    ck_assert_uint_eq(eval(mul, f64_bits(1.25), 0, 0, false).d, f64_bits(2.5));
    mul.opd[1].flags = OPF_NEG;
    ck_assert_uint_eq(eval(mul, f64_bits(1.25), 0, 0, false).d, f64_bits(-2.5));
}
END_TEST

enum { T_F16 = 1, T_F32, T_F64, T_BF16, T_U8, T_S8, T_U16, T_S16, T_U32, T_S32, T_U64, T_S64 };
static uint64_t f2i(uint32_t src, uint32_t dst, uint32_t round, bool ntz, uint64_t x)
{
    struct inst in = make(OP_F2I, 1);
    in.mod[MOD_CTYPE] = (uint8_t)src, in.mod[MOD_DTYPE] = (uint8_t)dst, in.mod[MOD_IRND] = (uint8_t)round,
    in.mod[MOD_NTZ] = ntz;
    uint64_t d = eval(in, x, 0, 0, false).d;
    return dst == T_U64 || dst == T_S64 ? d : (uint32_t)d;
}
START_TEST(float_to_int)
{
    ck_assert_uint_eq(f2i(0, 0, 0, true, f32_bits(2.5f)), 2);
    ck_assert_uint_eq(f2i(0, 0, 0, true, f32_bits(3.5f)), 4);
    ck_assert_uint_eq(f2i(0, 0, 3, true, f32_bits(-2.9f)), (uint32_t)-2);
    ck_assert_uint_eq(f2i(0, 0, 1, true, f32_bits(-2.1f)), (uint32_t)-3);
    ck_assert_uint_eq(f2i(0, 0, 2, true, f32_bits(2.1f)), 3);
    ck_assert_uint_eq(f2i(0, 0, 3, true, f32_bits(3e9f)), 0x7fffffff);
    ck_assert_uint_eq(f2i(0, 0, 3, true, f32_bits(-3e9f)), 0x80000000);
    ck_assert_uint_eq(f2i(0, 0, 3, true, 0x7fc00000), 0);
    ck_assert_uint_eq(f2i(0, 0, 3, true, 0x7f800000), 0x7fffffff);
    ck_assert_uint_eq(f2i(0, T_U32, 3, true, f32_bits(-1.0f)), 0);
    ck_assert_uint_eq(f2i(0, T_U32, 3, true, f32_bits(3e9f)), 3000000000u);
    ck_assert_uint_eq(f2i(0, T_U32, 3, true, f32_bits(5e9f)), 0xffffffff);
    ck_assert_uint_eq(f2i(0, T_U32, 3, true, f32_bits(0.99f)), 0);
    ck_assert_uint_eq(f2i(0, T_U8, 3, true, f32_bits(300.f)), 255);
    ck_assert_uint_eq(f2i(0, T_S16, 3, true, f32_bits(-40000.f)), 0xffff8000);
    ck_assert_uint_eq(f2i(0, T_S64, 3, true, f32_bits(-1e10f)), (uint64_t)-10000000000ll);
    ck_assert_uint_eq(f2i(T_F64, T_S64, 3, false, f64_bits(1e19)), INT64_MAX);
    ck_assert_uint_eq(f2i(T_F64, T_U64, 3, false, f64_bits(1e19)), 10000000000000000000ull);
    ck_assert_uint_eq(f2i(T_F64, 0, 3, false, 0x7ff8000000000000), 0x80000000);
    ck_assert_uint_eq(f2i(T_F64, T_S64, 3, false, 0x7ff8000000000000), 1ull << 63);
    ck_assert_uint_eq(f2i(T_F64, 0, 0, false, f64_bits(-1.5)), (uint32_t)-2);
    ck_assert_uint_eq(f2i(T_F16, 0, 0, true, 0xc100), (uint32_t)-2); /* -2.5 */
    for (int i = 0; i < 2000; i++) { /* the vectorised forms against the general one, through plain C */
        float f = f32_of(rnd32());
        uint32_t mode = rnd() & 3;
        double r = mode == 0   ? rint((double)f)
                   : mode == 1 ? floor((double)f)
                   : mode == 2 ? ceil((double)f)
                               : trunc((double)f);
        uint32_t s = f != f               ? 0
                     : r >= 2147483648.0  ? 0x7fffffff
                     : r <= -2147483648.0 ? 0x80000000
                                          : (uint32_t)(int32_t)r;
        uint32_t u = f != f || r <= 0 ? 0 : r >= 4294967296.0 ? 0xffffffff : (uint32_t)r;
        ck_assert_uint_eq(f2i(0, 0, mode, true, f32_bits(f)), s);
        ck_assert_uint_eq(f2i(0, T_U32, mode, true, f32_bits(f)), u);
    }
}
END_TEST

static uint64_t convert(enum op op, uint32_t src, uint32_t dst, uint32_t round, uint64_t x)
{
    struct inst in = make(op, 1);
    in.mod[MOD_CTYPE] = (uint8_t)src, in.mod[MOD_DTYPE] = (uint8_t)dst, in.mod[MOD_RND] = (uint8_t)round;
    uint64_t d = eval(in, x, 0, 0, false).d;
    return dst == T_F64 ? d : (uint32_t)d;
}
static uint32_t soft_from_int(int64_t x, bool is_unsigned, struct fmt f, int mode)
{
    bool neg = !is_unsigned && x < 0;
    struct soft s = {.neg = neg, .m = neg ? -(__int128)x : (__int128)(uint64_t)x};
    return soft_round(s, f, mode);
}
START_TEST(int_to_float)
{
    for (int i = 0; i < 1500; i++) {
        uint64_t x = (uint64_t)rnd() << 32 | rnd();
        x >>= rnd() & 63;
        if (rnd() & 1)
            x = 0 - x;
        uint32_t mode = rnd() & 3;
        ck_assert_uint_eq(convert(OP_I2F, 0, 0, mode, x), soft_from_int((int32_t)x, false, FMT32, (int)mode));
        ck_assert_uint_eq(convert(OP_I2F, T_U32, 0, mode, x), soft_from_int((uint32_t)x, true, FMT32, (int)mode));
        ck_assert_uint_eq(convert(OP_I2F, T_S64, 0, mode, x), soft_from_int((int64_t)x, false, FMT32, (int)mode));
        ck_assert_uint_eq(convert(OP_I2F, T_U64, 0, mode, x), soft_from_int((int64_t)x, true, FMT32, (int)mode));
        ck_assert_uint_eq(convert(OP_I2F, T_S16, 0, mode, x), soft_from_int((int16_t)x, false, FMT32, (int)mode));
        ck_assert_uint_eq(convert(OP_I2F, 0, T_F16, mode, x), soft_from_int((int32_t)x, false, FMT16, (int)mode));
    }
    ck_assert_uint_eq(convert(OP_I2F, T_S64, T_F64, 0, (uint64_t)-5), f64_bits(-5));
}
END_TEST
START_TEST(float_to_float)
{
    for (int i = 0; i < 1500; i++) {
        uint32_t x = rnd32(), mode = rnd() & 3;
        if ((x & 0x7fffffff) > 0x7f800000)
            continue;
        struct soft s = soft_unpack(x, FMT32);
        ck_assert_uint_eq(convert(OP_F2F, T_F32, T_F16, mode, x), soft_round(s, FMT16, (int)mode));
        ck_assert_uint_eq(convert(OP_F2F, T_F32, T_BF16, mode, x), soft_round(s, FMTBF, (int)mode));
        ck_assert_uint_eq(convert(OP_F2F, T_F32, T_F64, 0, x), f64_bits((double)f32_of(x)));
        uint32_t y = rnd32();
        struct inst in = make(OP_F2FP, 2); /* a high, b low */
        in.mod[MOD_DTYPE] = i & 1 ? T_F16 : T_BF16, in.mod[MOD_CTYPE] = T_F32, in.mod[MOD_PACK] = 1;
        in.mod[MOD_RND] = i & 2 ? 3 : 0;
        struct fmt f = i & 1 ? FMT16 : FMTBF;
        uint32_t want = soft_round(s, f, in.mod[MOD_RND]) << 16 | soft_round(soft_unpack(y, FMT32), f, in.mod[MOD_RND]);
        ck_assert_uint_eq((uint32_t)eval(in, x, y, 0, false).d, want);
    }
    ck_assert_uint_eq(convert(OP_F2F, T_F64, T_F32, 3, f64_bits(1.0000001)), f32_bits(1.0f));
    ck_assert_uint_eq(convert(OP_F2F, T_F64, T_F32, 2, f64_bits(1.00000001)), 0x3f800001);
    ck_assert_uint_eq(convert(OP_F2F, T_F64, T_F32, 0, 0xfff0000020000000), 0xffc00001);
    struct inst fr = make(OP_FRND, 1);
    ck_assert_uint_eq((uint32_t)eval(fr, f32_bits(-0.5f), 0, 0, false).d, 0x80000000);
    ck_assert_uint_eq((uint32_t)eval(fr, f32_bits(2.5f), 0, 0, false).d, f32_bits(2.0f));
    fr.mod[MOD_IRND] = 2;
    ck_assert_uint_eq((uint32_t)eval(fr, f32_bits(2.1f), 0, 0, false).d, f32_bits(3.0f));
}
END_TEST
START_TEST(eight_bits)
{
    struct inst in = make(OP_F2FP, 2);
    in.mod[MOD_DTYPE] = 13, in.mod[MOD_CTYPE] = T_F32, in.mod[MOD_PACK] = 2,
    in.mod[MOD_SATFINITE] = 1; /* E4M3, merged over c */
    in.opd[3] = rig_r(RZ);
    ck_assert_uint_eq((uint32_t)eval(in, f32_bits(1.0f), f32_bits(-2.0f), 0, false).d, 0x38c0);
    ck_assert_uint_eq((uint32_t)eval(in, f32_bits(1000.0f), f32_bits(448.0f), 0, false).d, 0x7e7e);
    ck_assert_uint_eq((uint32_t)eval(in, f32_bits(0x1p-9f), f32_bits(0x1p-10f), 0, false).d, 0x0100);
    in.mod[MOD_DTYPE] = 14; /* E5M2 */
    ck_assert_uint_eq((uint32_t)eval(in, f32_bits(1.0f), f32_bits(1e9f), 0, false).d, 0x3c7b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("exec_float");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, single);
    tcase_add_test(c, scaled_product);
    tcase_add_test(c, signs);
    tcase_add_test(c, minmax_single);
    tcase_add_test(c, divide_check);
    tcase_add_test(c, compare);
    tcase_add_test(c, half);
    tcase_add_test(c, half_forms);
    tcase_add_test(c, doubles);
    tcase_add_test(c, float_to_int);
    tcase_add_test(c, int_to_float);
    tcase_add_test(c, float_to_float);
    tcase_add_test(c, eight_bits);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
