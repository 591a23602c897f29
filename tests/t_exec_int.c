/* Integer instructions one at a time: corner cases worked out by hand, and random ones against plain C. */
#include <check.h>

#include "tests/exec_rig.h"

static uint32_t seed = 1;
static uint32_t rnd(void)
{
    static const uint32_t corner[] = {0,          1,      2,          31,         32,         33,
                                      63,         64,     0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe,
                                      0xffffffff, 0xffff, 0x10000,    0x8000};
    uint32_t r = hash32(seed++ * 2654435761u);
    return r & 3 ? hash32(r) : corner[r >> 8 & 15];
}
static struct rig_result eval(struct inst in, uint64_t a, uint64_t b, uint64_t c, bool p)
{
    struct rig_result r = rig_eval(in, a, b, c, p);
    ck_assert_msg(r.ok, "%s: %s", op_table[in.op].text, r.why);
    return r;
}
/* An instruction with destination R10, predicates P4 P5 and sources R1 R3 R5 P1 in the slots of the opcode. */
static struct inst make(enum op op)
{
    struct inst in = rig_inst(op);
    const char *s = op_table[op].shape;
    uint32_t slot = 0, reg = 1, pd = 4;
    bool dst = true;
    for (; *s; s++) {
        if (*s == '|') {
            dst = false;
            continue;
        }
        if (*s == ' ' || *s == '?' || *s == '!' || (*s >= '0' && *s <= '9') || *s == 'n')
            continue;
        struct operand o = {0};
        if (*s == 'R' || *s == 'V') {
            o = rig_r(dst ? 10 : reg);
            if (!dst)
                reg += 2;
        } else if (*s == 'P') {
            o = dst ? rig_p(pd++) : rig_p(1);
        } else if (*s == 'X')
            o = (struct operand){.kind = OPD_PR};
        in.opd[slot++] = o;
    }
    return in;
}
static struct inst with(struct inst in, enum mod m, uint32_t v)
{
    in.mod[m] = (uint8_t)v;
    return in;
}
static struct inst flag(struct inst in, uint32_t slot, uint32_t f)
{
    in.opd[slot].flags |= (uint8_t)f;
    return in;
}
static struct inst imm(struct inst in, uint32_t slot, int64_t v)
{
    in.opd[slot] = rig_i(v);
    return in;
}

START_TEST(iadd3)
{
    struct inst in = make(OP_IADD3), x = with(in, MOD_X, 1);
    struct rig_result r = eval(in, 0xffffffff, 1, 0, false);
    ck_assert_uint_eq((uint32_t)r.d, 0);
    ck_assert(r.p4 && !r.p5);
    r = eval(in, 0xffffffff, 0xffffffff, 0xffffffff, false); /* 3 * (2^32 - 1) >= 2^33 */
    ck_assert(r.p4 && r.p5);
    r = eval(flag(in, 4, OPF_NEG), 5, 0, 0, false); /* 5 - 0: no borrow shows as a carry */
    ck_assert(r.p4 && (uint32_t)r.d == 5);
    r = eval(flag(in, 4, OPF_NEG), 5, 6, 0, false);
    ck_assert(!r.p4 && (uint32_t)r.d == 0xffffffff);
    r = eval(flag(x, 4, OPF_NOT), 7, 3, 0, true); /* 7 + ~3 + 2 carries (both predicate slots are P1) */
    ck_assert_uint_eq((uint32_t)r.d, 7 + ~3u + 2);
    for (int i = 0; i < 200; i++) {
        uint32_t a = rnd(), b = rnd(), c = rnd();
        bool p = rnd() & 1;
        r = eval(x, a, b, c, p);
        uint64_t s = (uint64_t)a + b + c + 2 * p;
        ck_assert_uint_eq((uint32_t)r.d, (uint32_t)s);
        ck_assert(r.p4 == (s >> 32 >= 1) && r.p5 == (s >> 32 >= 2));
    }
}
END_TEST

START_TEST(imad)
{
    for (int i = 0; i < 200; i++) {
        uint32_t a = rnd(), b = rnd();
        uint64_t c = (uint64_t)rnd() << 32 | rnd();
        struct inst wide = make(OP_IMAD_WIDE), hi = make(OP_IMAD_HI), lo = make(OP_IMAD);
        wide.opd[1] = hi.opd[1] = lo.opd[1] = (struct operand){0};
        wide.opd[0] = rig_r(10);
        uint64_t s = (uint64_t)((int64_t)(int32_t)a * (int32_t)b) + c, u = (uint64_t)a * b + c;
        ck_assert_uint_eq(eval(wide, a, b, c, false).d, s);
        ck_assert_uint_eq(eval(with(wide, MOD_U32, 1), a, b, c, false).d, u);
        ck_assert_uint_eq((uint32_t)eval(hi, a, b, c, false).d, (uint32_t)(s >> 32));
        ck_assert_uint_eq((uint32_t)eval(with(hi, MOD_U32, 1), a, b, c, false).d, (uint32_t)(u >> 32));
        ck_assert_uint_eq((uint32_t)eval(lo, a, b, c, false).d, a * b + (uint32_t)c);
        ck_assert_uint_eq((uint32_t)eval(flag(lo, 4, OPF_NEG), a, b, c, false).d, a * b - (uint32_t)c);
        ck_assert_uint_eq((uint32_t)eval(with(lo, MOD_X, 1), a, b, c, true).d, a * b + (uint32_t)c + 1);
    }
    struct inst wide = make(OP_IMAD_WIDE); /* carry out of the 64-bit sum */
    struct rig_result r = eval(with(wide, MOD_U32, 1), 0xffffffff, 0xffffffff, UINT64_MAX, false);
    ck_assert(r.p4);
    r = eval(with(imm(wide, 3, 4), MOD_U32, 0), 0xffffffff, 0, 100, false); /* base + (-1) * 4 */
    ck_assert_uint_eq(r.d, 96);
}
END_TEST

START_TEST(isetp)
{
    static const uint32_t lt = 1, eq = 2, gt = 4;
    for (uint32_t cmp = 0; cmp < 8; cmp++)
        for (int i = 0; i < 60; i++) {
            uint32_t a = rnd(), b = i % 4 ? rnd() : a;
            bool u = rnd() & 1, p = rnd() & 1;
            uint32_t bop = rnd() % 3;
            struct inst in = with(with(with(make(OP_ISETP), MOD_CMP, cmp), MOD_U32, u), MOD_BOP, bop);
            uint32_t rel = a == b ? eq : (u ? a < b : (int32_t)a < (int32_t)b) ? lt : gt;
            bool t = cmp & rel,
                 first = bop == 0   ? t && p
                         : bop == 1 ? t || p
                                    : t != p,
                 second = bop == 0   ? !t && p
                          : bop == 1 ? !t || p
                                     : !t != p;
            struct rig_result r = eval(in, a, b, 0, p);
            ck_assert_msg(r.p4 == first && r.p5 == second, "cmp %u u %d bop %u %x %x p %d", cmp, u, bop, a, b, p);
            struct inst ex = with(with(in, MOD_EX, 1), MOD_BOP, 1); /* OR with the low result in the same predicate */
            bool tex = a == b && cmp != 0 && cmp != 7 ? p : t;
            ck_assert(eval(ex, a, b, 0, p).p4 == (tex || p));
        }
}
END_TEST

START_TEST(shifts)
{
    struct inst in = make(OP_SHF);
    enum { S64, U64, S32, U32 };
    /* SHF.R.S32.HI R, RZ, 31, R6: sign of R6 */
    struct inst shr = with(with(with(in, MOD_DIR, 1), MOD_HI, 1), MOD_STYPE, S32);
    ck_assert_uint_eq((uint32_t)eval(imm(shr, 2, 31), 0, 0, 0x80000000, false).d, 0xffffffff);
    ck_assert_uint_eq((uint32_t)eval(imm(shr, 2, 4), 0, 0, 0x80000000, false).d, 0xf8000000);
    ck_assert_uint_eq((uint32_t)eval(shr, 0x1234, 40, 0x80000000, false).d, 0xffffffff); /* clamps at 32 */
    ck_assert_uint_eq((uint32_t)eval(with(shr, MOD_STYPE, U32), 0x1234, 40, 0x80000000, false).d, 0);
    ck_assert_uint_eq((uint32_t)eval(with(shr, MOD_WRAP, 1), 0, 36, 0x80000000, false).d, 0xf8000000);
    struct inst shl = with(in, MOD_STYPE, U32);
    ck_assert_uint_eq((uint32_t)eval(shl, 0x80000001, 1, 0, false).d, 2);
    ck_assert_uint_eq((uint32_t)eval(shl, 1, 32, 7, false).d, 0);
    ck_assert_uint_eq((uint32_t)eval(imm(shl, 2, 5), 3, 0, 0, false).d, 96);
    struct inst shl64 = with(with(in, MOD_STYPE, U64), MOD_HI, 1); /* high word of {c:a} << n */
    ck_assert_uint_eq((uint32_t)eval(shl64, 0x89abcdef, 8, 0x01234567, false).d, 0x23456789);
    ck_assert_uint_eq((uint32_t)eval(shl64, 0x89abcdef, 40, 0x01234567, false).d, 0xabcdef00);
    ck_assert_uint_eq((uint32_t)eval(shl64, 1, 64, 1, false).d, 0);
    struct inst shr64 = with(with(in, MOD_STYPE, S64), MOD_DIR, 1);
    ck_assert_uint_eq((uint32_t)eval(shr64, 0x89abcdef, 8, 0x81234567, false).d, 0x6789abcd);
    ck_assert_uint_eq((uint32_t)eval(shr64, 0, 63, 0x80000000, false).d, 0xffffffff);
    ck_assert_uint_eq((uint32_t)eval(shr64, 0, 64, 0x80000000, false).d, 0xffffffff);
}
END_TEST

START_TEST(lea)
{
    struct inst in = imm(make(OP_LEA), 5, 4);
    in.opd[4] = (struct operand){0};
    in.opd[6] = (struct operand){0};
    struct rig_result r = eval(in, 0x10000001, 0xffffffff, 0, false);
    ck_assert_uint_eq((uint32_t)r.d, 0x10 + 0xffffffffu);
    ck_assert(r.p4); /* carry of the 32-bit add */
    ck_assert_uint_eq((uint32_t)eval(flag(in, 2, OPF_NEG), 3, 100, 0, false).d, 100 - 48);
    struct inst hi = with(imm(make(OP_LEA), 5, 4), MOD_HI, 1);
    hi.opd[6] = (struct operand){0};
    ck_assert_uint_eq((uint32_t)eval(hi, 0xf0000000, 5, 0x12345678, false).d, 0x2345678fu + 5);
    struct inst sx = with(with(imm(make(OP_LEA), 5, 2), MOD_HI, 1), MOD_SX32, 1);
    sx.mod[MOD_X] = 1;
    sx.opd[4] = (struct operand){0};
    ck_assert_uint_eq((uint32_t)eval(sx, 0x80000000, 7, 0, true).d, 0xfffffffeu + 7 + 1); /* -2^31 * 4 >> 32 = -2 */
    r = eval(flag(in, 2, OPF_NEG), 0, 9, 0, false);                                       /* negated zero carries */
    ck_assert(r.p4 && (uint32_t)r.d == 9);
}
END_TEST

START_TEST(logic)
{
    for (uint32_t lut = 0; lut < 256; lut++) {
        uint32_t a = rnd(), b = rnd(), c = rnd(), want = 0;
        struct inst in = imm(make(OP_LOP3), 5, lut);
        bool p = rnd() & 1, pand = rnd() & 1;
        in.mod[MOD_PAND] = pand;
        for (uint32_t i = 0; i < 32; i++)
            want |= (lut >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i;
        struct rig_result r = eval(in, a, b, c, p);
        ck_assert_uint_eq((uint32_t)r.d, want);
        ck_assert(r.p4 == (pand ? want != 0 && p : want != 0 || p));
        struct inst pl = make(OP_PLOP3);
        pl.opd[5] = rig_i(lut);
        pl.opd[6] = rig_i(lut ^ 0xff);
        pl.opd[3] = rig_f(rig_p(1), OPF_NOT);
        r = eval(pl, 0, 0, 0, p);
        bool t = lut >> (p << 2 | !p << 1 | p) & 1;
        ck_assert(r.p4 == t && r.p5 == !t);
    }
}
END_TEST

START_TEST(bytes)
{
    struct inst in = make(OP_PRMT);
    ck_assert_uint_eq((uint32_t)eval(in, 0x33221100, 0x5410, 0x77665544, false).d, 0x55441100);
    ck_assert_uint_eq((uint32_t)eval(in, 0x332211ff, 0x8880, 0, false).d, 0xffffffff); /* sign of byte 0, and byte 0 */
    ck_assert_uint_eq((uint32_t)eval(in, 0x3322117f, 0x8880, 0, false).d, 0x0000007f);
    ck_assert_uint_eq((uint32_t)eval(in, 0x33221100, 0x7632, 0x77665544, false).d, 0x77663322);
    static const uint32_t want[7][2] = {{0, 0},
                                        {0x44332211, 0x55443322},
                                        {0x66770011, 0x77001122},
                                        {0x11111111, 0x22222222},
                                        {0x33221111, 0x33222222},
                                        {0x11111100, 0x22221100},
                                        {0x33223322, 0x11001100}};
    for (uint32_t mode = 1; mode < 7; mode++)
        for (uint32_t s = 1; s <= 2; s++)
            ck_assert_msg((uint32_t)eval(with(in, MOD_PRMT, mode), 0x33221100, s, 0x77665544, false).d ==
                              want[mode][s - 1],
                          "mode %u sel %u: %x", mode, s,
                          (uint32_t)eval(with(in, MOD_PRMT, mode), 0x33221100, s, 0x77665544, false).d);
    struct inst sg = make(OP_SGXT), bm = make(OP_BMSK);
    ck_assert_uint_eq((uint32_t)eval(sg, 0x1f, 5, 0, false).d, 0xffffffff);
    ck_assert_uint_eq((uint32_t)eval(with(sg, MOD_U32, 1), 0xffff, 5, 0, false).d, 0x1f);
    ck_assert_uint_eq((uint32_t)eval(sg, 0xabcd, 0, 0, false).d, 0);
    ck_assert_uint_eq((uint32_t)eval(sg, 0xabcd, 32, 0, false).d, 0xabcd);
    ck_assert_uint_eq((uint32_t)eval(bm, 4, 8, 0, false).d, 0xff0);
    ck_assert_uint_eq((uint32_t)eval(bm, 28, 8, 0, false).d, 0xf0000000);
    ck_assert_uint_eq((uint32_t)eval(bm, 40, 8, 0, false).d, 0);
    ck_assert_uint_eq((uint32_t)eval(with(bm, MOD_WRAP, 1), 33, 3, 0, false).d, 0xe);
    struct inst sel = make(OP_SEL);
    ck_assert_uint_eq((uint32_t)eval(sel, 5, 6, 0, true).d, 5);
    ck_assert_uint_eq((uint32_t)eval(sel, 5, 6, 0, false).d, 6);
}
END_TEST

START_TEST(counts)
{
    struct inst flo = make(OP_FLO), popc = make(OP_POPC), brev = make(OP_BREV);
    struct inst uflo = with(flo, MOD_U32, 1);
    ck_assert_uint_eq((uint32_t)eval(uflo, 1, 0, 0, false).d, 0);
    ck_assert_uint_eq((uint32_t)eval(uflo, 0x80000000, 0, 0, false).d, 31);
    ck_assert_uint_eq((uint32_t)eval(uflo, 0, 0, 0, false).d, 0xffffffff);
    ck_assert_uint_eq((uint32_t)eval(with(uflo, MOD_SH, 1), 0x00800000, 0, 0, false).d, 8);
    ck_assert_uint_eq((uint32_t)eval(flo, 0xfffffff0, 0, 0, false).d, 3);
    ck_assert_uint_eq((uint32_t)eval(flo, 0xffffffff, 0, 0, false).d, 0xffffffff);
    ck_assert_uint_eq((uint32_t)eval(popc, 0xf0f0f0f1, 0, 0, false).d, 17);
    ck_assert_uint_eq((uint32_t)eval(popc, 0xffffffff, 0, 0, false).d, 32);
    ck_assert_uint_eq((uint32_t)eval(brev, 0x00000001, 0, 0, false).d, 0x80000000);
    ck_assert_uint_eq((uint32_t)eval(brev, 0x12345678, 0, 0, false).d, 0x1e6a2c48);
    struct inst iabs = make(OP_IABS);
    ck_assert_uint_eq((uint32_t)eval(iabs, 0x80000000, 0, 0, false).d, 0x80000000);
    ck_assert_uint_eq((uint32_t)eval(iabs, 0xffffffff, 0, 0, false).d, 1);
}
END_TEST

START_TEST(minmax_dot)
{
    struct inst mn = make(OP_VIMNMX), am = make(OP_VIADDMNMX);
    mn.opd[1] = mn.opd[2] = am.opd[1] = (struct operand){0};
    ck_assert_uint_eq((uint32_t)eval(mn, 0xffffffff, 1, 0, true).d, 0xffffffff);
    ck_assert_uint_eq((uint32_t)eval(mn, 0xffffffff, 1, 0, false).d, 1);
    ck_assert_uint_eq((uint32_t)eval(with(mn, MOD_U32, 1), 0xffffffff, 1, 0, true).d, 1);
    ck_assert_uint_eq((uint32_t)eval(with(mn, MOD_RELU, 1), 0xffffffff, 1, 0, true).d, 0);
    ck_assert_uint_eq((uint32_t)eval(am, 0x7fffffff, 1, 5, true).d, 0x80000000); /* the sum wraps */
    ck_assert_uint_eq((uint32_t)eval(with(mn, MOD_B16X2, 3), 0xffff0001, 0x0002fffe, 0, true).d, 0xfffffffe);
    ck_assert_uint_eq((uint32_t)eval(with(mn, MOD_B16X2, 2), 0xffff0001, 0x0002fffe, 0, true).d, 0x00020001);
    struct inst dp = make(OP_IDP); /* S8 x S8 */
    ck_assert_uint_eq((uint32_t)eval(dp, 0x01ff0203, 0x04050607, 10, false).d, 10 + 4 - 5 + 12 + 21);
    ck_assert_uint_eq((uint32_t)eval(with(with(dp, MOD_TYPEA, 1), MOD_TYPEB, 1), 0x01ff0203, 0x04050607, 10, false).d,
                      10 + 4 + 255 * 5 + 12 + 21);
    struct inst d2 = with(with(with(dp, MOD_IDPMODE, 2), MOD_TYPEA, 2), MOD_TYPEB, 0);
    ck_assert_uint_eq((uint32_t)eval(d2, 0xffff0003, 0x04050607, 1, false).d, 1 + 3 * 5 - 4);
    struct inst vd = make(OP_VABSDIFF);
    ck_assert_uint_eq((uint32_t)eval(vd, 0xfffffffb, 5, 2, false).d, 12);
    ck_assert_uint_eq((uint32_t)eval(with(vd, MOD_U32, 1), 1, 5, 2, false).d, 6);
    struct inst add16 = with(make(OP_VIADD), MOD_B16X2, 1);
    ck_assert_uint_eq((uint32_t)eval(add16, 0x0001ffff, 0x00020001, 0, false).d, 0x00030000);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("exec_int");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, iadd3);
    tcase_add_test(c, imad);
    tcase_add_test(c, isetp);
    tcase_add_test(c, shifts);
    tcase_add_test(c, lea);
    tcase_add_test(c, logic);
    tcase_add_test(c, bytes);
    tcase_add_test(c, counts);
    tcase_add_test(c, minmax_dot);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
