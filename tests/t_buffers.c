/* Buffer contents, byte for byte: the values below were worked out by hand from hash32's definition. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/workloads.h"

static struct spec *spec_with(const char *buffer)
{
    struct error err = {0};
    char *text =
        xasprintf("program: none.cubin\nlaunch: {grid: [1], block: [32]}\nparams: {n: 4}\nbuffers:\n  x: %s\n", buffer);
    struct spec *s = spec_parse("t.yaml", ".", text, NULL, &err);
    ck_assert_msg(s != NULL, "%s", err.text);
    free(text);
    return s;
}

static void holds(const char *buffer, const void *want, size_t n)
{
    struct error err = {0};
    struct spec *s = spec_with(buffer);
    ck_assert_uint_eq(s->buffers[0].bytes, n);
    uint8_t *got = xcalloc(n, 1);
    ck_assert_msg(spec_fill(s, 0, got, &err), "%s", err.text);
    ck_assert_mem_eq(got, want, n);
    free(got);
    spec_free(s);
}

START_TEST(contents_are_the_defined_bytes)
{
    holds("{type: f32, count: n, init: {uniform: [-4, 4]}}",
          (uint32_t[]){0xc0800000, 0xbf156e48, 0x3fb0d334, 0xc0394e04}, 16);
    holds("{type: f32, count: n, init: {uniform: [-4, 4]}, seed: 1}",
          (uint32_t[]){0xbf3bb380, 0xc02776f4, 0xbfca9e4c, 0xc071c21a}, 16);
    holds("{type: f16, count: n, init: {uniform: [-4, 4]}}", (uint16_t[]){0xc400, 0xb8ab, 0x3d87, 0xc1ca}, 8);
    holds("{type: u32, count: n, init: raw}", (uint32_t[]){0, 0x6d523710, 0xac34cded, 0x2358fe96}, 16);
    holds("{type: u8, count: n, init: raw}", (uint8_t[]){0, 0x10, 0xed, 0x96}, 4);
    holds("{type: i32, count: n, init: {mod: 1000}, seed: 1}", (int32_t[]){952, 469, 789, 856}, 16);
    holds("{type: f64, count: 2, init: {fill: -1.5}}", (double[]){-1.5, -1.5}, 16);
    holds("{type: bf16, count: 3, init: iota}", (uint16_t[]){0, 0x3f80, 0x4000}, 6);
    holds("{type: i64, count: 2, init: poison}", (int64_t[]){-1, -1}, 16);
    holds("{type: u16, count: 2, init: zero}", (uint16_t[]){0, 0}, 4);
}
END_TEST

START_TEST(chase_visits_every_slot_once)
{
    struct error err = {0};
    struct spec *s = spec_with("{type: u32, count: 480, init: {chase: 4}}");
    uint32_t x[480], at = 0, hops = 0;
    ck_assert(spec_fill(s, 0, x, &err));
    do {
        at = x[at];
        ck_assert_uint_eq(at % 4, 0);
        hops++;
    } while (at != 0 && hops <= 480);
    ck_assert_uint_eq(hops, 120);
    spec_free(s);
    s = spec_with("{type: u32, count: 44, init: {chase: 4}}"); /* 11 slots: no full cycle */
    ck_assert(!spec_fill(s, 0, x, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "t.yaml:5:3: a chase needs"));
    spec_free(s);
}
END_TEST

START_TEST(signs_follow_the_pattern)
{
    struct error err = {0};
    struct spec *s = spec_with("{type: f32, count: 64, init: {signs: 16}}");
    float x[64];
    ck_assert(spec_fill(s, 0, x, &err));
    for (int i = 0; i < 64; i++) {
        ck_assert_int_eq(x[i] > 0, i / 16 % 2 == 0);
        ck_assert(fabsf(x[i]) >= 0.5F && fabsf(x[i]) < 4.0F);
    }
    spec_free(s);
}
END_TEST

START_TEST(halves_round_to_nearest_even)
{
    ck_assert_uint_eq(f16_from_f32(1.0F), 0x3c00);
    ck_assert_uint_eq(f16_from_f32(1.00048828125F), 0x3c00); /* half a unit above 1: ties to even */
    ck_assert_uint_eq(f16_from_f32(1.00146484375F), 0x3c02); /* one and a half units: up to even */
    ck_assert_uint_eq(f16_from_f32(65504.0F), 0x7bff);
    ck_assert_uint_eq(f16_from_f32(65519.9F), 0x7bff);
    ck_assert_uint_eq(f16_from_f32(65520.0F), 0x7c00);
    ck_assert_uint_eq(f16_from_f32(0x1p-24F), 0x0001);
    ck_assert_uint_eq(f16_from_f32(0x1p-25F), 0x0000); /* half the least: ties to even */
    ck_assert_uint_eq(f16_from_f32(-0x1.8p-25F), 0x8001);
    ck_assert_uint_eq(f16_from_f32(0x1.ff8p-15F), 0x03ff); /* largest subnormal */
    ck_assert_uint_eq(bf16_from_f32(1.00390625F), 0x3f80);
    ck_assert_uint_eq(bf16_from_f32(1.01171875F), 0x3f82);
    for (uint32_t h = 0; h < 0x10000; h++) /* every finite half survives the round trip */
        if ((h & 0x7c00) != 0x7c00)
            ck_assert_uint_eq(f16_from_f32(f16_to_f32((uint16_t)h)), h);
}
END_TEST

START_TEST(integers_wrap_and_round)
{
    int8_t b = 0;
    elem_put(ELEM_I8, &b, 0, 300);
    ck_assert_int_eq(b, 44);
    elem_put(ELEM_I8, &b, 0, -2.5);
    ck_assert_int_eq(b, -2);
    uint64_t u = 0;
    elem_put(ELEM_U64, &u, 0, 0x1p63);
    ck_assert(u == UINT64_C(1) << 63);
    ck_assert(elem_get(ELEM_U64, &u, 0) == 0x1p63);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("buffers");
    tcase_add_test(t, contents_are_the_defined_bytes);
    tcase_add_test(t, chase_visits_every_slot_once);
    tcase_add_test(t, signs_follow_the_pattern);
    tcase_add_test(t, halves_round_to_nearest_even);
    tcase_add_test(t, integers_wrap_and_round);
    Suite *s = suite_create("buffers");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
