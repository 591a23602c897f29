/* Instructions that look across lanes, memory effects and their completion, special registers, matrix products. */
#include <check.h>

#include "isa/float.h"
#include "tests/exec_rig.h"
#include "tests/soft_float.h"

static uint32_t seed = 11;
static uint32_t rnd(void)
{
    return hash32(seed++ * 2654435761u);
}

static struct rig *lanes(uint32_t nlane)
{
    struct rig *g = rig_new(nlane);
    for (uint32_t l = 0; l < nlane; l++) {
        rig_row(g, 1)[l] = 1000 + l;
        rig_row(g, 2)[l] = l;
    }
    return g;
}
static void must_do(struct rig *g, struct inst in)
{
    ck_assert_msg(rig_do(g, &in, EXEC_LEVEL_BASE), "%s: %s", op_table[in.op].text, g->issue.why);
}

/* SHFL written straight from its definition. */
static void shuffle_lane(uint32_t mode, uint32_t lane, uint32_t b, uint32_t c, uint32_t *from, bool *ok)
{
    int seg = (int)(c >> 8 & 31), cv = (int)(c & 31), bv = (int)(b & 31), l = (int)lane;
    int max = (l & seg) | (cv & ~seg), min = l & seg,
        j = mode == 0   ? min | (bv & ~seg)
            : mode == 1 ? l - bv
            : mode == 2 ? l + bv
                        : l ^ bv;
    *ok = mode == 1 ? j >= max : j <= max;
    *from = *ok ? (uint32_t)j : lane;
}
START_TEST(shuffles)
{
    static const uint32_t clamps[] = {0x1f, 0x181f, 0x1c1f, 0x0000, 0x1800};
    for (uint32_t level = 0; level < EXEC_LEVEL_COUNT; level++)
        for (uint32_t mode = 0; mode < 4; mode++)
            for (uint32_t k = 0; k < ARRAY_LEN(clamps); k++)
                for (uint32_t b = 0; b < 32; b += 3) {
                    struct rig *g = lanes(32);
                    struct inst in = rig_inst(OP_SHFL);
                    in.opd[0] = rig_p(2), in.opd[1] = rig_r(10), in.opd[2] = rig_r(1), in.opd[3] = rig_i(b),
                    in.opd[4] = rig_i(clamps[k]);
                    in.mod[MOD_SHFL] = (uint8_t)mode;
                    if (exec_of_level(&in, level)) {
                        ck_assert(rig_do(g, &in, level));
                        for (uint32_t l = 0; l < 32; l++) {
                            uint32_t from;
                            bool ok;
                            shuffle_lane(mode, l, b, clamps[k], &from, &ok);
                            ck_assert_uint_eq(rig_row(g, 10)[l], 1000 + from);
                            ck_assert(bit_of(g->warp.pred[2], l) == ok);
                        }
                    }
                    free(g);
                }
    struct rig *g = lanes(32); /* in place, and a source lane that does not execute gives 0 */
    struct inst in = rig_inst(OP_SHFL);
    in.opd[0] = rig_p(PT), in.opd[1] = rig_r(1), in.opd[2] = rig_r(1), in.opd[3] = rig_i(1), in.opd[4] = rig_i(0x1f),
    in.mod[MOD_SHFL] = 3;
    in.guard = 1;
    g->warp.pred[1] = ~(lanemask)2;
    must_do(g, in);
    ck_assert_uint_eq(rig_row(g, 1)[0], 0);
    ck_assert_uint_eq(rig_row(g, 1)[1], 1001);
    ck_assert_uint_eq(rig_row(g, 1)[2], 1003);
    free(g);
}
END_TEST

START_TEST(votes)
{
    struct rig *g = lanes(32);
    struct inst in = rig_inst(OP_VOTE);
    in.opd[0] = rig_r(10), in.opd[1] = rig_p(2), in.opd[2] = rig_p(1);
    in.guard = 3;
    g->warp.pred[1] = 0x0000f0f0, g->warp.pred[3] = 0x0000ffff;
    in.mod[MOD_VOTE] = 1;
    must_do(g, in);
    ck_assert_uint_eq(rig_row(g, 10)[3], 0xf0f0);
    ck_assert_uint_eq(rig_row(g, 10)[20], 0);
    ck_assert(g->warp.pred[2] & 1);
    in.mod[MOD_VOTE] = 0;
    must_do(g, in);
    ck_assert(!(g->warp.pred[2] & 1));
    in.mod[MOD_VOTE] = 2;
    must_do(g, in);
    ck_assert(!(g->warp.pred[2] & 1));
    g->warp.pred[1] = 0xffff0000; /* none of the executing lanes: equal */
    must_do(g, in);
    ck_assert(g->warp.pred[2] & 1);
    free(g);
}
END_TEST

START_TEST(matches_and_reductions)
{
    struct rig *g = lanes(32);
    for (uint32_t l = 0; l < 32; l++)
        rig_row(g, 5)[l] = l % 5;
    struct inst in = rig_inst(OP_MATCH);
    in.opd[0] = rig_p(2), in.opd[1] = rig_r(10), in.opd[2] = rig_r(5), in.mod[MOD_MATCH] = 1;
    must_do(g, in);
    ck_assert_uint_eq(rig_row(g, 10)[7], 1u << 2 | 1u << 7 | 1u << 12 | 1u << 17 | 1u << 22 | 1u << 27);
    in.mod[MOD_MATCH] = 0;
    must_do(g, in);
    ck_assert_uint_eq(rig_row(g, 10)[7], 0);
    ck_assert_uint_eq(g->warp.pred[2] & 0xffffffff, 0);
    static const uint32_t want[] = {0, 0, 0, 31 * 32 / 2 + 32 * 1000, 1000, 1031}; /* AND OR XOR SUM MIN MAX */
    uint32_t all_and = ~0u, all_or = 0, all_xor = 0;
    for (uint32_t l = 0; l < 32; l++)
        all_and &= 1000 + l, all_or |= 1000 + l, all_xor ^= 1000 + l;
    for (uint32_t op = 0; op < 6; op++) {
        struct inst r = rig_inst(OP_REDUX);
        r.opd[0] = rig_ur(7), r.opd[1] = rig_r(1), r.mod[MOD_REDUX] = (uint8_t)op;
        must_do(g, r);
        ck_assert_uint_eq(g->warp.ureg[7], op == 0 ? all_and : op == 1 ? all_or : op == 2 ? all_xor : want[op]);
    }
    struct inst e = rig_inst(OP_ELECT);
    e.opd[0] = rig_p(2), e.opd[1] = rig_ur(8), e.guard = 3;
    g->warp.pred[3] = 0xff00, g->warp.pred[2] = 0;
    must_do(g, e);
    ck_assert_uint_eq(g->warp.pred[2], 0x100);
    struct inst t = rig_inst(OP_MOVM);
    t.opd[0] = rig_r(10), t.opd[1] = rig_r(6);
    for (uint32_t l = 0; l < 32; l++) /* element (r, c) = 16 r + c */
        rig_row(g, 6)[l] = (16 * (l / 4) + l % 4 * 2 + 1) << 16 | (16 * (l / 4) + l % 4 * 2);
    must_do(g, t);
    for (uint32_t l = 0; l < 32; l++)
        ck_assert_uint_eq(rig_row(g, 10)[l], (16 * (l % 4 * 2 + 1) + l / 4) << 16 | (16 * (l % 4 * 2) + l / 4));
    free(g);
}
END_TEST

static struct operand mem(uint32_t r, int64_t off)
{
    return (struct operand){
        .kind = OPD_MEM, .flags = OPF_HAS_REG, .reg = (uint8_t)r, .ureg = URZ, .desc = URZ, .imm = off};
}
START_TEST(loads_and_stores)
{
    struct rig *g = lanes(32);
    for (uint32_t l = 0; l < 32; l++) {
        rig_row(g, 4)[l] = 0xfffffff0u + 4 * l;
        rig_row(g, 5)[l] = 1;
    }
    struct inst in = rig_inst(OP_LDG);
    in.opd[0] = (struct operand){0}, in.opd[1] = rig_r(10), in.opd[2] = mem(4, 16);
    in.mod[MOD_E] = 1, in.mod[MOD_SIZE] = 5; /* 64 */
    must_do(g, in);
    ck_assert(g->effect.kind == EFF_LOAD && g->effect.space == SPACE_GLOBAL && g->effect.bytes == 8 &&
              g->effect.nword == 2);
    ck_assert_uint_eq(g->effect.mask, 0xffffffff);
    ck_assert_uint_eq(g->effect.addr[3], 0x200000000ull + 12);
    for (uint32_t l = 0; l < 32; l++)
        g->effect.data[0][l] = l, g->effect.data[1][l] = 100 + l;
    isa_complete(&g->warp, &g->effect);
    ck_assert_uint_eq(rig_row(g, 10)[9], 9);
    ck_assert_uint_eq(rig_row(g, 11)[9], 109);
    in.mod[MOD_SIZE] = 2, in.guard = 3, g->warp.pred[3] = 0xf; /* S8, four lanes */
    must_do(g, in);
    ck_assert(g->effect.bytes == 1 && g->effect.mask == 0xf);
    g->effect.data[0][2] = 0x80;
    isa_complete(&g->warp, &g->effect);
    ck_assert_uint_eq(rig_row(g, 10)[2], 0xffffff80);
    ck_assert_uint_eq(rig_row(g, 10)[9], 9);
    struct inst st = rig_inst(OP_STS);
    st.opd[0] = mem(2, 0x400), st.opd[0].sel = 1, st.opd[1] = rig_r(1);
    must_do(g, st);
    ck_assert(g->effect.kind == EFF_STORE && g->effect.space == SPACE_SHARED);
    ck_assert_uint_eq(g->effect.addr[5], 0x414); /* [R2.X4 + 0x400] */
    ck_assert_uint_eq(g->effect.data[0][5], 1005);
    struct inst ld = rig_inst(OP_LD);
    ld.opd[1] = rig_r(10), ld.opd[2] = mem(6, 8), ld.mod[MOD_E] = 1;
    for (uint32_t l = 0; l < 32; l++) {
        uint64_t a = l < 16 ? g->env.shared_window + 0x400 + 4 * l : g->env.local_window + 4 * l;
        rig_row(g, 6)[l] = (uint32_t)a, rig_row(g, 7)[l] = (uint32_t)(a >> 32);
    }
    must_do(g, ld);
    ck_assert_uint_eq(g->effect.space, SPACE_GENERIC);
    ck_assert(g->effect.space_of[3] == SPACE_SHARED && g->effect.addr[3] == 0x414);
    ck_assert(g->effect.space_of[20] == SPACE_LOCAL && g->effect.addr[20] == 88);
    free(g);
}
END_TEST

START_TEST(matrices_through_memory)
{
    for (uint32_t trans = 0; trans < 2; trans++) {
        struct rig *g = lanes(32);
        uint8_t memory[2048];
        for (uint32_t k = 0; k < 4; k++) /* element (r, c) of matrix k = 256 k + 16 r + c */
            for (uint32_t l = 0; l < 32; l++) {
                uint32_t v = 256 * k + 16 * (l / 4) + l % 4 * 2;
                rig_row(g, 4 + k)[l] = (v + 1) << 16 | v;
                rig_row(g, 2)[l] = 32 * l; /* rows 32 bytes apart */
            }
        struct inst st = rig_inst(OP_STSM), ld = rig_inst(OP_LDSM);
        st.opd[0] = mem(2, 0), st.opd[1] = rig_r(4), st.mod[MOD_LDSMNUM] = 2;
        ld.opd[0] = rig_r(12), ld.opd[1] = mem(2, 0), ld.mod[MOD_LDSMNUM] = 2, ld.mod[MOD_LDSMSIZE] = (uint8_t)trans;
        must_do(g, st);
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t k = 0; k < 4; k++)
                memcpy(memory + g->effect.addr[l] + 4 * k, &g->effect.data[k][l], 4);
        uint16_t x;
        memcpy(&x, memory + 32 * (8 * 2 + 5) + 2 * 3, 2);
        ck_assert_uint_eq(x, 256 * 2 + 16 * 5 + 3);
        must_do(g, ld);
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t k = 0; k < 4; k++)
                memcpy(&g->effect.data[k][l], memory + g->effect.addr[l] + 4 * k, 4);
        isa_complete(&g->warp, &g->effect);
        for (uint32_t l = 0; l < 32; l++) {
            uint32_t r = l / 4, c = l % 4 * 2;
            uint32_t want = trans ? (256 * 3 + 16 * (c + 1) + r) << 16 | (256 * 3 + 16 * c + r)
                                  : (256 * 3 + 16 * r + c + 1) << 16 | (256 * 3 + 16 * r + c);
            ck_assert_uint_eq(rig_row(g, 15)[l], want);
        }
        free(g);
    }
}
END_TEST

START_TEST(atomics)
{
    struct inst in = rig_inst(OP_ATOMG);
    struct atomic_words one = {1, 0}, big = {0xfffffffe, 0}, r;
    enum { ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCH, SAFEADD, CAS };
    in.mod[MOD_AOP] = ADD;
    r = isa_atomic(&in, big, (struct atomic_words){5, 0}, one);
    ck_assert_uint_eq(r.lo, 3);
    in.mod[MOD_AOP] = MIN;
    ck_assert_uint_eq(isa_atomic(&in, big, one, one).lo, 1);
    in.mod[MOD_ATYPE] = 1; /* S32 */
    ck_assert_uint_eq(isa_atomic(&in, big, one, one).lo, 0xfffffffe);
    in.mod[MOD_ATYPE] = 0, in.mod[MOD_AOP] = INC;
    ck_assert_uint_eq(isa_atomic(&in, one, (struct atomic_words){1, 0}, one).lo, 0);
    ck_assert_uint_eq(isa_atomic(&in, one, (struct atomic_words){2, 0}, one).lo, 2);
    in.mod[MOD_AOP] = DEC;
    ck_assert_uint_eq(isa_atomic(&in, (struct atomic_words){0, 0}, (struct atomic_words){7, 0}, one).lo, 7);
    ck_assert_uint_eq(isa_atomic(&in, (struct atomic_words){9, 0}, (struct atomic_words){7, 0}, one).lo, 7);
    ck_assert_uint_eq(isa_atomic(&in, (struct atomic_words){5, 0}, (struct atomic_words){7, 0}, one).lo, 4);
    in.mod[MOD_AOP] = CAS;
    ck_assert_uint_eq(isa_atomic(&in, one, one, big).lo, 0xfffffffe);
    ck_assert_uint_eq(isa_atomic(&in, one, big, big).lo, 1);
    in.mod[MOD_AOP] = ADD, in.mod[MOD_ATYPE] = 4; /* F32.FTZ.RN */
    ck_assert_uint_eq(
        isa_atomic(&in, (struct atomic_words){0x3f800000, 0}, (struct atomic_words){0x3f800000, 0}, one).lo,
        0x40000000);
    ck_assert_uint_eq(isa_atomic(&in, (struct atomic_words){1, 0}, (struct atomic_words){1, 0}, one).lo, 0);
    in.mod[MOD_ATYPE] = 2; /* 64 */
    ck_assert_uint_eq(isa_atomic(&in, (struct atomic_words){UINT64_MAX - 1, 0}, (struct atomic_words){3, 0}, one).lo,
                      1);
}
END_TEST

START_TEST(special_registers)
{
    struct rig *g = lanes(32);
    g->env.block[0] = 5, g->env.block[1] = 3, g->env.block[2] = 4;
    g->warp.first_thread = 32;
    struct inst in = rig_inst(OP_S2R);
    in.opd[0] = rig_r(10);
    for (uint32_t d = 0; d < 3; d++) {
        in.opd[1] = (struct operand){.kind = OPD_SREG, .imm = 33 + d};
        must_do(g, in);
        for (uint32_t l = 0; l < 28; l++) {
            uint32_t t = 32 + l;
            ck_assert_uint_eq(rig_row(g, 10)[l], d == 0 ? t % 5 : d == 1 ? t / 5 % 3 : t / 15);
        }
    }
    in.opd[1].imm = 57; /* LTMASK */
    must_do(g, in);
    ck_assert_uint_eq(rig_row(g, 10)[4], 0xf);
    in.opd[1].imm = 200;
    ck_assert(!rig_do(g, &in, EXEC_LEVEL_BASE));
    struct inst cs = rig_inst(OP_CS2R);
    cs.opd[0] = rig_r(10), cs.opd[1] = (struct operand){.kind = OPD_SREG, .imm = 80};
    g->issue.now = 0x1234567890;
    must_do(g, cs);
    ck_assert(rig_row(g, 10)[0] == 0x34567890 && rig_row(g, 11)[0] == 0x12);
    uint32_t word = 0xcafe;
    memcpy(g->bank0 + 0x40, &word, 4);
    struct inst ldc = rig_inst(OP_LDC);
    ldc.opd[0] = rig_r(10),
    ldc.opd[1] = (struct operand){.kind = OPD_CONST, .flags = OPF_HAS_REG, .reg = 20, .imm = 0x40};
    must_do(g, ldc);
    ck_assert(rig_row(g, 10)[7] == 0xcafe && g->effect.kind == EFF_CONST && g->effect.addr[7] == 0x40);
    ldc.opd[1].imm = 0x4000;
    ck_assert(!rig_do(g, &ldc, EXEC_LEVEL_BASE));
    free(g);
}
END_TEST

/* ---- tensor cores: the sum of products from its definition ----------------------------------------------------- */
static uint32_t dot(const uint32_t *a, const uint32_t *b, uint32_t k, uint32_t c, struct fmt f, uint32_t fraction,
                    bool half)
{
    __int128 sum = 0;
    int e = -1000, pe[33];
    __int128 pm[33];
    for (uint32_t i = 0; i <= k; i++) {
        struct fmt cf = half ? FMT16 : FMT32;
        if (i == k) {
            struct soft s = soft_unpack(c, cf);
            pe[i] = s.m ? s.e + (int)cf.frac : -126;
            pm[i] = (s.neg ? -1 : 1) * (s.m << (40 - cf.frac));
        } else {
            struct soft x = soft_unpack(a[i], f), y = soft_unpack(b[i], f);
            pe[i] = (x.m ? x.e + (int)f.frac : -126) + (y.m ? y.e + (int)f.frac : -126);
            pm[i] = (x.neg != y.neg ? -1 : 1) * ((x.m * y.m) << (40 - 2 * f.frac)); /* 40 fraction bits */
        }
        e = pe[i] > e ? pe[i] : e;
    }
    for (uint32_t i = 0; i <= k; i++) { /* cut toward zero at `fraction` bits below 2^e */
        __int128 m = pm[i] < 0 ? -pm[i] : pm[i];
        int drop = 40 - (int)fraction + e - pe[i];
        m = drop > 120 ? 0 : m >> drop;
        sum += pm[i] < 0 ? -m : m;
    }
    struct soft s = {.neg = sum < 0, .m = sum < 0 ? -sum : sum, .e = e - (int)fraction};
    return soft_round(s, half ? FMT16 : FMT32, half ? SOFT_RN : SOFT_RZ);
}
static uint32_t rnd_half(bool bf)
{
    uint32_t r = rnd();
    if ((r & 31) == 0)
        return r >> 16 & 0x8000;
    if (bf)
        return (r >> 16 & 0x807f) | (110 + (r & 31)) << 7;
    return r & 64 ? (r >> 16 & 0xbfff) : (r >> 16 & 0x83ff) | (10 + (r & 7)) << 10;
}
START_TEST(half_products)
{
    for (uint32_t level = 0; level < EXEC_LEVEL_COUNT; level++)
        for (int turn = 0; turn < 40; turn++) {
            bool bf = turn & 1, half = !bf && turn & 2, k16 = turn & 4, ampere = turn & 8;
            struct rig *g = rig_new(32);
            struct inst in = rig_inst(OP_HMMA);
            in.opd[0] = rig_r(20), in.opd[1] = rig_r(4), in.opd[2] = rig_r(8), in.opd[3] = rig_r(12);
            in.mod[MOD_MMASHAPE] = k16 ? 3 : 2, in.mod[MOD_MMADST] = half ? 2 : 1, in.mod[MOD_MMATYPE] = bf;
            g->env.arch = ampere ? ARCH_SM80 : ARCH_SM90;
            if (!exec_of_level(&in, level)) {
                free(g);
                continue;
            }
            uint32_t a[16][16], b[8][16], c[16][8], k = k16 ? 16 : 8;
            for (uint32_t r = 0; r < 16; r++)
                for (uint32_t i = 0; i < 16; i++)
                    a[r][i] = rnd_half(bf), b[r & 7][i] = rnd_half(bf);
            for (uint32_t r = 0; r < 16; r++)
                for (uint32_t n = 0; n < 8; n++)
                    c[r][n] = turn < 8 ? 0 : half ? rnd_half(false) : (rnd() & 0x807fffff) | (100 + rnd() % 40) << 23;
            for (uint32_t l = 0; l < 32; l++) {
                uint32_t gr = l / 4, t = l % 4;
                for (uint32_t i = 0; i < k / 4; i++) {
                    uint32_t row = gr + 8 * (i & 1), col = 8 * (i / 2) + 2 * t;
                    rig_row(g, 4 + i)[l] = a[row][col + 1] << 16 | a[row][col];
                }
                for (uint32_t i = 0; i < k / 8; i++)
                    rig_row(g, 8 + i)[l] = b[gr][8 * i + 2 * t + 1] << 16 | b[gr][8 * i + 2 * t];
                for (uint32_t i = 0; i < (half ? 2u : 4u); i++)
                    rig_row(g, 12 + i)[l] = half ? c[gr + 8 * i][2 * t + 1] << 16 | c[gr + 8 * i][2 * t]
                                                 : c[gr + 8 * (i / 2)][2 * t + (i & 1)];
            }
            ck_assert_msg(rig_do(g, &in, level), "%s", g->issue.why);
            for (uint32_t r = 0; r < 16; r++)
                for (uint32_t n = 0; n < 8; n++) {
                    uint32_t want = c[r][n], step = ampere ? 8 : k, lane = r % 8 * 4 + n / 2;
                    for (uint32_t i = 0; i < k; i += step)
                        want = dot(&a[r][i], &b[n][i], step, want, bf ? FMTBF : FMT16, ampere ? 24 : 25, half);
                    uint32_t got = half ? rig_row(g, 20 + r / 8)[lane] >> 16 * (n & 1) & 0xffff
                                        : rig_row(g, 20 + r / 8 * 2 + (n & 1))[lane];
                    ck_assert_msg(got == want, "level %u turn %d row %u col %u: %x want %x", level, turn, r, n, got,
                                  want);
                }
            free(g);
        }
}
END_TEST

START_TEST(special_products) /* infinities and NaN come through */
{
    struct rig *g = rig_new(32);
    struct inst in = rig_inst(OP_HMMA);
    in.opd[0] = rig_r(20), in.opd[1] = rig_r(4), in.opd[2] = rig_r(8), in.opd[3] = rig_r(RZ);
    in.mod[MOD_MMASHAPE] = 2, in.mod[MOD_MMADST] = 1;
    rig_fill(g, 4, 0x3c003c00), rig_fill(g, 5, 0x3c003c00), rig_fill(g, 8, 0x3c003c00);
    rig_row(g, 4)[0] = 0x3c007c00; /* row 0, column 0: infinity */
    rig_row(g, 5)[4] = 0x3c007e00; /* row 9: NaN */
    rig_row(g, 8)[8] = 0x3c000000; /* column 2, row 0 of B: zero */
    must_do(g, in);
    ck_assert_uint_eq(rig_row(g, 20)[0], 0x7f800000);
    ck_assert_uint_eq(rig_row(g, 20)[1], 0x7fffffff); /* infinity times zero */
    ck_assert_uint_eq(rig_row(g, 22)[4], 0x7fffffff);
    ck_assert_uint_eq(rig_row(g, 20)[4], 0x41000000); /* 8 */
    free(g);
}
END_TEST

START_TEST(integer_and_double_products)
{
    struct rig *g = rig_new(32);
    struct inst in = rig_inst(OP_IMMA);
    in.opd[0] = rig_r(20), in.opd[1] = rig_r(4), in.opd[2] = rig_r(8), in.opd[3] = rig_r(12);
    in.mod[MOD_MMASHAPE] = 4, in.mod[MOD_TYPEB] = 1; /* 16832, S8 x U8 */
    for (uint32_t r = 4; r < 16; r++)
        for (uint32_t l = 0; l < 32; l++)
            rig_row(g, r)[l] = rnd();
    must_do(g, in);
    for (uint32_t r = 0; r < 16; r++)
        for (uint32_t n = 0; n < 8; n++) {
            uint32_t lane = r % 8 * 4 + n / 2, want = rig_row(g, 12 + r / 8 * 2 + (n & 1))[lane];
            for (uint32_t k = 0; k < 32; k++) {
                int32_t a = (int8_t)(rig_row(g, 4 + r / 8 + k / 16 * 2)[r % 8 * 4 + k % 16 / 4] >> 8 * (k & 3));
                int32_t b = (uint8_t)(rig_row(g, 8 + k / 16)[n * 4 + k % 16 / 4] >> 8 * (k & 3));
                want += (uint32_t)(a * b);
            }
            ck_assert_uint_eq(rig_row(g, 20 + r / 8 * 2 + (n & 1))[lane], want);
        }
    struct inst d = rig_inst(OP_DMMA);
    d.opd[0] = rig_r(20), d.opd[1] = rig_r(4), d.opd[2] = rig_r(8), d.opd[3] = rig_r(12);
    d.mod[MOD_MMASHAPE] = 11; /* 884 */
    double a[8][4], b[4][8], c[8][8];
    for (uint32_t l = 0; l < 32; l++) {
        a[l / 4][l % 4] = (double)(int32_t)rnd() * 0x1p-20, b[l % 4][l / 4] = (double)(int32_t)rnd() * 0x1p-9;
        c[l / 4][l % 4 * 2] = rnd(), c[l / 4][l % 4 * 2 + 1] = -1.0 / (1 + (rnd() & 255));
        double v[4] = {a[l / 4][l % 4], b[l % 4][l / 4], c[l / 4][l % 4 * 2], c[l / 4][l % 4 * 2 + 1]};
        static const uint32_t reg[4] = {4, 8, 12, 14};
        for (uint32_t i = 0; i < 4; i++) {
            rig_row(g, reg[i])[l] = (uint32_t)f64_bits(v[i]);
            rig_row(g, reg[i] + 1)[l] = (uint32_t)(f64_bits(v[i]) >> 32);
        }
    }
    must_do(g, d);
    for (uint32_t r = 0; r < 8; r++)
        for (uint32_t n = 0; n < 8; n++) {
            double want = c[r][n];
            for (uint32_t k = 0; k < 4; k++)
                want = fma(a[r][k], b[k][n], want);
            uint32_t lane = r * 4 + n / 2, reg = 20 + 2 * (n & 1);
            ck_assert((((uint64_t)rig_row(g, reg + 1)[lane] << 32) | rig_row(g, reg)[lane]) == f64_bits(want));
        }
    free(g);
}
END_TEST

/* HGMMA 64x8x16 with A and B in shared memory in each swizzle, against the same elements placed by hand. */
static uint32_t swizzled(uint32_t a, uint32_t bytes)
{
    return a ^ ((a >> 7 & (bytes / 16 - 1)) << 4);
}
START_TEST(warpgroup_products)
{
    static const uint32_t code[] = {0, 3, 2, 1}, bytes[] = {16, 32, 64, 128};
    for (uint32_t s = 0; s < 4; s++)
        for (uint32_t warp = 0; warp < 4; warp++) {
            struct rig *g = rig_new(32);
            uint8_t *shared = xcalloc(1, 16384);
            uint32_t a[64][16], b[8][16];
            g->env.shared_bytes = 16384;
            g->warp.shared = shared;
            g->warp.warp_in_block = warp;
            for (uint32_t r = 0; r < 64; r++)
                for (uint32_t k = 0; k < 16; k++) {
                    a[r][k] = rnd_half(false), b[r & 7][k] = rnd_half(false);
                    uint16_t x = (uint16_t)a[r][k], y = (uint16_t)b[r & 7][k];
                    /* A at 0, B at 8192; eight rows of one pitch after another, groups of eight 1024 bytes apart */
                    uint32_t pa = s ? swizzled(r / 8 * 1024 + r % 8 * bytes[s] + 2 * k, bytes[s])
                                    : r / 8 * 1024 + k / 8 * 128 + r % 8 * 16 + k % 8 * 2;
                    uint32_t pb = s ? swizzled(8192 + (r & 7) * bytes[s] + 2 * k, bytes[s])
                                    : 8192 + k / 8 * 128 + (r & 7) * 16 + k % 8 * 2;
                    memcpy(shared + pa, &x, 2);
                    memcpy(shared + pb, &y, 2);
                }
            uint64_t da = (uint64_t)(128 >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)code[s] << 62,
                     db = da | 8192 >> 4;
            g->warp.ureg[4] = (uint32_t)da, g->warp.ureg[5] = (uint32_t)(da >> 32), g->warp.ureg[6] = (uint32_t)db,
            g->warp.ureg[7] = (uint32_t)(db >> 32);
            struct inst in = rig_inst(OP_HGMMA);
            in.opd[0] = rig_r(20), in.opd[1] = (struct operand){.kind = OPD_GDESC, .reg = 4}, in.opd[3] = rig_r(RZ),
            in.mod[MOD_MMADST] = 1;
            ck_assert_msg(rig_do(g, &in, EXEC_LEVEL_BASE), "%s", g->issue.why);
            ck_assert_uint_eq(g->effect.kind, EFF_TENSOR_ASYNC);
            for (uint32_t r = 0; r < 16; r++)
                for (uint32_t n = 0; n < 8; n++)
                    ck_assert_uint_eq(rig_row(g, 20 + r / 8 * 2 + (n & 1))[r % 8 * 4 + n / 2],
                                      dot(a[16 * warp + r], b[n], 16, 0, FMT16, 25, false));
            g->env.shared_bytes = 4096; /* A now reaches beyond the block's memory */
            ck_assert(!rig_do(g, &in, EXEC_LEVEL_BASE));
            free(shared);
            free(g);
        }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("exec_warp");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, shuffles);
    tcase_add_test(c, votes);
    tcase_add_test(c, matches_and_reductions);
    tcase_add_test(c, loads_and_stores);
    tcase_add_test(c, matrices_through_memory);
    tcase_add_test(c, atomics);
    tcase_add_test(c, special_registers);
    tcase_add_test(c, half_products);
    tcase_add_test(c, special_products);
    tcase_add_test(c, integer_and_double_products);
    tcase_add_test(c, warpgroup_products);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
