/* Bank conflicts: wavefronts of one warp's access, for patterns with known answers and for other machines. */
#include <check.h>
#include <stdlib.h>

#include "sim/shared.h"

enum { FULL = 0xffffffff };

static const struct banks warp = {32, 4, 32, true};

static struct wavefronts strided(uint32_t banks, uint32_t width, uint32_t nlane, uint64_t mask, uint32_t stride,
                                 uint32_t bytes)
{
    uint64_t addr[NLANE];
    for (uint32_t i = 0; i < NLANE; i++)
        addr[i] = (uint64_t)i * stride;
    struct banks b = {banks, width, nlane, true};
    return shared_wavefronts(&b, mask, addr, bytes);
}

struct pattern {
    const char *what;
    uint32_t stride, bytes;
    uint64_t mask;
    uint32_t total, excess;
};
static const struct pattern patterns[] = {
    {"s[tid]", 4, 4, FULL, 1, 0},
    {"s[2*tid]", 8, 4, FULL, 2, 1},
    {"s[4*tid]", 16, 4, FULL, 4, 3},
    {"s[5*tid]", 20, 4, FULL, 1, 0},
    {"s[6*tid]", 24, 4, FULL, 2, 1},
    {"s[16*tid]", 64, 4, FULL, 16, 15},
    {"s[32*tid]", 128, 4, FULL, 32, 31},
    {"s[33*tid]", 132, 4, FULL, 1, 0},
    {"s[0]", 0, 4, FULL, 1, 0},
    {"bytes c[tid]", 1, 1, FULL, 1, 0},
    {"bytes c[32*tid]", 32, 1, FULL, 8, 7},
    {"double d[tid]", 8, 8, FULL, 2, 0},
    {"double d[2*tid]", 16, 8, FULL, 4, 2},
    {"float4 v[tid]", 16, 16, FULL, 4, 0},
    {"float4, a row of 128 bytes a lane", 128, 16, FULL, 32, 28},
    {"float4, one address", 0, 16, FULL, 2, 0}, /* loads merge pairs of phases */
    {"double, one address", 0, 8, FULL, 1, 0},
    {"column of [32][32]", 128, 4, FULL, 32, 31},
    {"column of [32][33]", 132, 4, FULL, 1, 0},
    {"structure of 5 floats", 20, 4, FULL, 1, 0},
    {"structure of 8 floats", 32, 4, FULL, 8, 7},
    {"stride 32, lanes 0..3", 128, 4, 0xf, 4, 3},
    {"8x8 matrix rows, one matrix", 16, 16, 0xff, 1, 0},
    {"8x8 matrix rows, pitch 128", 128, 16, 0xff, 8, 7},
};

START_TEST(patterns_of_a_warp)
{
    const struct pattern *p = &patterns[_i];
    struct wavefronts w = strided(32, 4, 32, p->mask, p->stride, p->bytes);
    ck_assert_msg(w.total == p->total && w.total - w.ideal == p->excess,
                  "%s: %u wavefronts, %u beyond ideal; not %u and %u", p->what, w.total, w.total - w.ideal, p->total,
                  p->excess);
}
END_TEST

/* Counted on the H200 in a product from registers: rows of a tile read by lane / 8, columns by lane % 8. */
START_TEST(phases_merge_by_neighbours_alone)
{
    uint64_t rows[NLANE], columns[NLANE];
    for (uint64_t i = 0; i < 32; i++) {
        rows[i] = i / 8 * 16;
        columns[i] = i % 8 * 16;
    }
    ck_assert_uint_eq(shared_wavefronts(&warp, FULL, rows, 16).total, 2);
    ck_assert_uint_eq(shared_wavefronts(&warp, FULL, columns, 16).total, 4);
    for (uint64_t i = 0; i < 32; i++) /* two apart: lanes 0 and 2 share, 1 and 3 */
        columns[i] = i % 2 * 16 + i / 4 * 32;
    ck_assert_uint_eq(shared_wavefronts(&warp, FULL, columns, 16).total, 2);
}
END_TEST

START_TEST(two_words)
{
    uint64_t addr[NLANE];
    for (uint32_t i = 0; i < 32; i++)
        addr[i] = i & 1 ? 4 : 0;
    ck_assert_uint_eq(shared_wavefronts(&warp, FULL, addr, 4).total, 1);
    for (uint32_t i = 0; i < 32; i++)
        addr[i] = i / 16 * 64; /* two rows of a tile: banks 0 and 16 */
    ck_assert_uint_eq(shared_wavefronts(&warp, FULL, addr, 4).total, 1);
}
END_TEST

START_TEST(small_tile_column) /* 16x16 threads, t[tx][ty]: padding by one word leaves a conflict of two rows */
{
    uint64_t addr[NLANE];
    for (uint32_t pitch = 16; pitch <= 17; pitch++) {
        for (uint32_t i = 0; i < 32; i++)
            addr[i] = 4 * (i % 16 * pitch + i / 16);
        ck_assert_uint_eq(shared_wavefronts(&warp, FULL, addr, 4).total, pitch == 16 ? 8 : 2);
    }
}
END_TEST

START_TEST(tree_sum) /* s[2*k*tid] += s[2*k*tid + k], 256 threads: first warp */
{
    static const uint32_t k[] = {1, 2, 4, 8, 16, 32}, active[] = {32, 32, 32, 16, 8, 4}, expect[] = {2, 4, 8, 8, 8, 4};
    for (uint32_t i = 0; i < 6; i++)
        ck_assert_uint_eq(strided(32, 4, 32, (UINT64_C(1) << active[i]) - 1, 8 * k[i], 4).total, expect[i]);
}
END_TEST

/* Golden rule for one phase and a stride of whole words: lanes that meet in a bank are those a multiple of
 * banks / gcd(stride, banks) apart. */
static uint32_t gcd(uint32_t a, uint32_t b)
{
    return b ? gcd(b, a % b) : a;
}

static uint32_t expected(uint32_t banks, uint32_t width, uint32_t nlane, uint32_t stride_words)
{
    uint32_t total = 0, phase = banks * width / 4 < nlane ? banks * width / 4 : nlane;
    for (uint32_t first = 0; first < nlane; first += phase) {
        uint32_t count[64] = {0}, most = 0;
        uint64_t last = UINT64_MAX; /* ascending, so equal words are neighbours */
        for (uint32_t i = first; i < first + phase; i++) {
            uint64_t word = (uint64_t)i * stride_words * 4 / width;
            if (word == last)
                continue;
            last = word;
            uint32_t n = ++count[word % banks];
            most = n > most ? n : most;
        }
        total += most;
    }
    return total;
}

START_TEST(banks_and_widths)
{
    for (uint32_t banks = 16; banks <= 64; banks *= 2)
        for (uint32_t width = 4; width <= 8; width *= 2)
            for (uint32_t nlane = 32; nlane <= 64; nlane *= 2)
                for (uint32_t stride = 1; stride <= 33; stride++) {
                    uint64_t full = nlane == 64 ? ~UINT64_C(0) : FULL;
                    ck_assert_uint_eq(strided(banks, width, nlane, full, 4 * stride, 4).total,
                                      expected(banks, width, nlane, stride));
                }
    for (uint32_t stride = 1; stride <= 33; stride++)
        ck_assert_uint_eq(strided(32, 4, 32, FULL, 4 * stride, 4).total, gcd(stride, 32));
    /* by hand: 16 banks serve 32 lanes in two phases; 64 banks leave stride 2 free of conflicts */
    ck_assert_uint_eq(strided(16, 4, 32, FULL, 4, 4).total, 2);
    ck_assert_uint_eq(strided(16, 4, 32, FULL, 8, 4).total, 4);
    ck_assert_uint_eq(strided(64, 4, 32, FULL, 8, 4).total, 1);
    ck_assert_uint_eq(strided(64, 4, 32, FULL, 16, 4).total, 2);
    ck_assert_uint_eq(strided(32, 8, 32, FULL, 8, 4).total, 1);
    ck_assert_uint_eq(strided(32, 8, 32, FULL, 8, 8).total, 1);
    ck_assert_uint_eq(strided(32, 8, 32, FULL, 8, 8).ideal, 1);
}
END_TEST

START_TEST(values)
{
    static uint8_t memory[4096];
    static struct effect e;
    e = (struct effect){.kind = EFF_STORE, .space = SPACE_SHARED, .bytes = 8, .nword = 2, .mask = FULL};
    for (uint32_t i = 0; i < 32; i++) {
        e.addr[i] = 0x400 + 16 * i;
        e.data[0][i] = i;
        e.data[1][i] = ~i;
    }
    shared_store(memory, 0x400, &e, 0xffff);
    e.bytes = 2;
    shared_load(memory, 0x400, &e, FULL);
    ck_assert_uint_eq(e.data[0][15], 15);
    ck_assert_uint_eq(e.data[0][16], 0); /* was not stored */
    for (uint32_t i = 0; i < 32; i++)
        e.addr[i] += 4;
    shared_load(memory, 0x400, &e, FULL);
    ck_assert_uint_eq(e.data[0][15], 0xfff0);
}
END_TEST

START_TEST(stores_never_merge)
{
    uint64_t addr[NLANE] = {0};
    struct banks b = {32, 4, 32, false};
    ck_assert_uint_eq(shared_wavefronts(&b, FULL, addr, 16).total, 4);
    ck_assert_uint_eq(shared_wavefronts(&b, FULL, addr, 8).total, 2);
    for (uint32_t i = 0; i < 32; i++) /* neighbours share an address: 16 of 16 bytes, 256 bytes, two rounds of banks */
        addr[i] = i / 2 * 16;
    ck_assert_uint_eq(shared_wavefronts(&b, FULL, addr, 16).total, 4);
    ck_assert_uint_eq(shared_wavefronts(&warp, FULL, addr, 16).total, 2);
}
END_TEST

START_TEST(multiplicity)
{
    uint64_t addr[NLANE];
    for (uint32_t i = 0; i < 32; i++)
        addr[i] = 4 * (i % 8);
    ck_assert_uint_eq(shared_multiplicity(FULL, addr, 4), 4);
    ck_assert_uint_eq(shared_multiplicity(0xff, addr, 4), 1);
    ck_assert_uint_eq(shared_multiplicity(0x101, addr, 4), 2);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("shared");
    TCase *t = tcase_create("all");
    tcase_add_test(t, phases_merge_by_neighbours_alone);
    tcase_add_loop_test(t, patterns_of_a_warp, 0, (int)ARRAY_LEN(patterns));
    tcase_add_test(t, two_words);
    tcase_add_test(t, small_tile_column);
    tcase_add_test(t, tree_sum);
    tcase_add_test(t, banks_and_widths);
    tcase_add_test(t, values);
    tcase_add_test(t, multiplicity);
    tcase_add_test(t, stores_never_merge);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
