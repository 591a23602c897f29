/* Races in shared memory: which reads count, by hand. */
#include <check.h>
#include <stdlib.h>

#include "sim/races.h"

enum { BASE = 1024, WORDS = 256 };
static uint32_t memory[WORDS];

/* Lane i of warp w accesses element first + i. */
static uint32_t access_at(struct races *r, bool store, uint32_t w, cycle issued, uint32_t first, uint8_t bytes,
                          lanemask lanes)
{
    struct effect *e = calloc(1, sizeof *e);
    e->bytes = bytes;
    for (uint32_t i = 0; i < 32; i++)
        e->addr[i] = BASE + (uint64_t)(first + i) * bytes;
    struct race_access a = {.block = (const uint8_t *)memory, .base = BASE, .warp = w, .issued = issued};
    uint32_t n = 0;
    if (store)
        races_store(r, a, e, lanes);
    else
        n = races_load(r, a, e, lanes);
    free(e);
    return n;
}
static struct races *two_warps(void)
{
    struct races *r = races_new((const uint8_t *)memory, sizeof memory);
    races_block_met(r, 3, 10);
    return r;
}

START_TEST(between_warps)
{
    struct races *r = two_warps();
    access_at(r, true, 0, 20, 0, 4, 0xffffffff);
    ck_assert_uint_eq(access_at(r, false, 0, 21, 0, 4, 0xffffffff), 0); /* its own words */
    ck_assert_uint_eq(access_at(r, false, 1, 22, 0, 4, 0xff), 8);
    ck_assert_uint_eq(access_at(r, false, 1, 22, 32, 4, 0xff), 0); /* nobody's */
    races_warp_met(r, 1, 23);                                      /* orders no other warp */
    ck_assert_uint_eq(access_at(r, false, 1, 24, 0, 4, 0xff), 8);
    races_block_met(r, 3, 25);
    ck_assert_uint_eq(access_at(r, false, 1, 26, 0, 4, 0xffffffff), 0);
    races_free(r);
}
END_TEST

START_TEST(between_lanes)
{
    struct races *r = two_warps();
    access_at(r, true, 1, 20, 0, 4, 0xffff);
    ck_assert_uint_eq(access_at(r, false, 1, 21, 1, 4, 0xffff), 15); /* lane i reads lane i + 1's; the last nobody's */
    races_warp_met(r, 1, 22);
    ck_assert_uint_eq(access_at(r, false, 1, 23, 1, 4, 0xffff), 0);
    races_free(r);
}
END_TEST

START_TEST(widths)
{
    struct races *r = two_warps();
    access_at(r, true, 0, 20, 0, 16, 1); /* words 0 to 3 */
    ck_assert_uint_eq(access_at(r, false, 1, 21, 0, 4, 0x1f), 4);
    ck_assert_uint_eq(access_at(r, false, 1, 21, 0, 8, 0x7), 2);
    ck_assert_uint_eq(access_at(r, false, 1, 21, 0, 1, 0xff), 8);
    access_at(r, true, 0, 22, 0, 1, 1); /* a word written in parts is not watched */
    ck_assert_uint_eq(access_at(r, false, 1, 23, 0, 4, 0x1f), 3);
    races_free(r);
}
END_TEST

/* A later block in the same slots finds marks that are older than itself. */
START_TEST(next_block)
{
    struct races *r = two_warps();
    access_at(r, true, 0, 20, 0, 4, 0xffffffff);
    races_block_met(r, 3, 30); /* its warps start */
    ck_assert_uint_eq(access_at(r, false, 1, 31, 0, 4, 0xffffffff), 0);
    static uint32_t elsewhere[32];
    struct effect e = {.bytes = 4, .addr = {BASE}};
    struct race_access a = {.block = (const uint8_t *)elsewhere, .base = BASE, .issued = 40};
    races_store(r, a, &e, 1);
    ck_assert_uint_eq(
        races_load(r, (struct race_access){.block = (const uint8_t *)elsewhere, .base = BASE, .warp = 1, .issued = 41},
                   &e, 1),
        0);
    races_free(r);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("races");
    TCase *t = tcase_create("all");
    tcase_add_test(t, between_warps);
    tcase_add_test(t, between_lanes);
    tcase_add_test(t, widths);
    tcase_add_test(t, next_block);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
