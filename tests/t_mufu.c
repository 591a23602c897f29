/* The function unit against an H200: hashes of 2^23 results a block (workloads/micro/mufu/hash.bin, from sweep.cu). A
 * few blocks of each function by default; all 512 with HEDDLE_MUFU_ALL set, which takes minutes. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "isa/exec.h"
#include "isa/mufu.h"

static const struct {
    const char *name;
    enum mufu_fn fn;
} order[] = {
    {"rcp", MUFU_RCP}, {"rsq", MUFU_RSQ},   {"ex2", MUFU_EX2},   {"lg2", MUFU_LG2},       {"sin", MUFU_SIN},
    {"cos", MUFU_COS}, {"tanh", MUFU_TANH}, {"sqrt", MUFU_SQRT}, {"rcp64h", MUFU_RCP64H}, {"rsq64h", MUFU_RSQ64H},
};
static const uint8_t recorded_at[] = {0, 1, 3, 4, 5, 6, 7, 2, 8, 9}; /* their places in hash.bin */

static uint64_t mix(uint32_t x, uint32_t y)
{
    uint64_t t = (uint64_t)x << 32 | y;
    t ^= t >> 33;
    t *= 0xff51afd7ed558ccdull;
    t ^= t >> 33;
    t *= 0xc4ceb9fe1a85ec53ull;
    return t ^ t >> 33;
}
START_TEST(function)
{
    const char *root = getenv("HEDDLE_SOURCE_DIR");
    char *path = xasprintf("%s/workloads/micro/mufu/hash.bin", root ? root : ".");
    uint8_t *data;
    size_t len;
    struct error err = {0};
    ck_assert_msg(file_read(path, &data, &len, &err), "%s", err.text);
    ck_assert_uint_eq(len, 10 * 512 * 8);
    static const uint32_t some[] = {0x07e, 0x078, 0x17d}; /* blocks of positive and negative inputs */
    bool all = getenv("HEDDLE_MUFU_ALL");
    mufu_prepare(order[_i].fn);
    for (uint32_t k = 0; k < (all ? 512 : ARRAY_LEN(some)); k++) {
        uint32_t block = all ? k : some[k];
        uint64_t sum = 0, want;
        for (uint32_t i = 0; i < 1u << 23; i++)
            sum += mix(block << 23 | i, mufu(order[_i].fn, block << 23 | i));
        memcpy(&want, data + (recorded_at[_i] * 512u + block) * 8, 8);
        ck_assert_msg(sum == want, "%s: inputs 0x%03x << 23 give other results than the GPU", order[_i].name, block);
    }
    free(data);
    free(path);
}
END_TEST

/* A row of lanes gives what its lanes give one by one, also in place, at each level of the host's instruction set. */
START_TEST(rows)
{
    struct launch_env env = {.nlane = 64};
    static uint32_t reg[64 * 4];
    struct warp w = {.env = &env, .reg = reg};
    struct issue is = {0};
    struct inst in = {.op = OP_MUFU, .guard = PT, .opd = {{.kind = OPD_REG, .reg = 1}, {.kind = OPD_REG}}};
    for (uint32_t fn = 0; fn < MUFU_COUNT; fn++)
        for (uint32_t k = 0; k < 3 * 2048; k++) {
            in.mod[MOD_MUFU] = (uint8_t)fn;
            exec_fn *exec = exec_of_level(&in, (enum exec_level)(k % 3));
            uint32_t x[64], rd = k / 3 % 2;
            in.opd[0].reg = (uint8_t)rd;
            w.live = ~UINT64_C(0);
            is.exec = k % 5 ? w.live : UINT64_C(0x5a5af00f00ff8421) << k % 7;
            for (uint32_t l = 0; l < 64; l++)
                x[l] = reg[l] = reg[64 + l] =
                    k % 2 ? (k * 64 + l) * 2654435761u : (l * 4 % 256) << 23 | (k * 64 + l) * 40503u % 3;
            if (exec)
                exec(&w, &in, &is);
            for (uint32_t l = 0; exec && l < 64; l++)
                ck_assert_msg(reg[64 * rd + l] == (is.exec >> l & 1 ? mufu(fn, x[l]) : x[l]), "function %u of 0x%08x",
                              fn, x[l]);
        }
}
END_TEST

START_TEST(halves)
{
    static const struct {
        enum mufu_fn fn;
        bool bf16;
        uint64_t hash;
    } want[] = {
        {MUFU_TANH, false, 0xad1f254087177b9d},
        {MUFU_EX2, false, 0x80729ac6ad55e21a},
        {MUFU_TANH, true, 0x0483e97475bf5a09},
        {MUFU_EX2, true, 0x70809a4dea78138a},
    };
    for (uint32_t k = 0; k < ARRAY_LEN(want); k++) {
        uint64_t h = 0xcbf29ce484222325;
        mufu_prepare(want[k].fn);
        for (uint32_t x = 0; x < 65536; x++)
            h = (h ^ (want[k].bf16 ? mufu_bf16(want[k].fn, x) : mufu_f16(want[k].fn, x))) * 0x100000001b3;
        ck_assert_msg(h == want[k].hash, "half function %u", k);
    }
}
END_TEST

START_TEST(special_values)
{
    for (uint32_t fn = 0; fn < MUFU_COUNT; fn++)
        mufu_prepare(fn);
    ck_assert_uint_eq(mufu(MUFU_RCP, 0x80000000), 0xff800000);
    ck_assert_uint_eq(mufu(MUFU_RCP, 0x00000001), 0x7f800000); /* denormals are zero */
    ck_assert_uint_eq(mufu(MUFU_RCP, 0x7f7fffff), 0);
    ck_assert_uint_eq(mufu(MUFU_RCP, 0x7fc00001), 0x7fffffff);
    ck_assert_uint_eq(mufu(MUFU_RSQ, 0xbf800000), 0x7fffffff);
    ck_assert_uint_eq(mufu(MUFU_EX2, 0), 0x3f800000);
    ck_assert_uint_eq(mufu(MUFU_EX2, 0xff800000), 0);
    ck_assert_uint_eq(mufu(MUFU_LG2, 0), 0xff800000);
    ck_assert_uint_eq(mufu(MUFU_SIN, 0x80000000), 0x80000000);
    ck_assert_uint_eq(mufu(MUFU_SIN, 0x7f800000), 0x7fffffff);
    ck_assert_uint_eq(mufu(MUFU_COS, 0), 0x3f800000);
    ck_assert_uint_eq(mufu(MUFU_TANH, 0xff800000), 0xbf800000);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("mufu");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 600);
    tcase_add_loop_test(c, function, 0, (int)ARRAY_LEN(order));
    tcase_add_test(c, rows);
    tcase_add_test(c, halves);
    tcase_add_test(c, special_values);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
