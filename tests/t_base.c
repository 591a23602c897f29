/* base/: errors with position, numbers, YAML positions, event order. */
#include "base/base.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

START_TEST(division_by_inverse_is_exact)
{
    static const uint64_t numbers[] = {
        0,         1, 2, 3, 5, 7, 47, 94, 188, 660, 1067, 3201000, 0x7fffffff, UINT32_MAX, 0x100000001, UINT64_MAX / 3,
        UINT64_MAX};
    for (size_t i = 1; i < ARRAY_LEN(numbers); i++) {
        uint64_t n = numbers[i];
        struct divisor d = divisor_of(n);
        for (size_t k = 0; k < ARRAY_LEN(numbers); k++)
            for (uint64_t q = 0; q < 3; q++)
                for (int more = -1; more <= 1; more++) { /* around multiples, and elsewhere */
                    uint64_t x = numbers[k] * (q ? n : 1) + (q > 1 ? UINT64_MAX / 2 : 0) + (uint64_t)more;
                    ck_assert_uint_eq(quotient_of(x, &d), x / n);
                    ck_assert_uint_eq(remainder_of(x, &d), x % n);
                }
    }
}
END_TEST

START_TEST(error_shows_line_and_caret)
{
    struct source s;
    source_from_text(&s, "a.yaml", "one\n\ttwo three\n");
    struct error e = {0};
    error_at(&e, &s, (struct srcpos){2, 6}, "bad '%s'", "three");
    ck_assert_str_eq(e.text, "a.yaml:2:6: bad 'three'\n  \ttwo three\n  \t    ^");
    ck_assert_int_eq(e.status, EXIT_BAD_INPUT);
    error_set(&e, EXIT_FAILED, "second"); /* the first error stays */
    ck_assert_int_eq(e.status, EXIT_BAD_INPUT);
    source_finish(&s);
}
END_TEST

START_TEST(numbers_are_whole_strings)
{
    uint64_t u;
    ck_assert(parse_u64("2^20", &u) && u == 1048576);
    ck_assert(parse_u64("0x10", &u) && u == 16);
    ck_assert(parse_u64("64K", &u) && u == 65536);
    ck_assert(!parse_u64("64Q", &u) && !parse_u64("", &u) && !parse_u64("-1", &u) && !parse_u64("1 ", &u));
    ck_assert(!parse_u64("99999999999999999999", &u) && !parse_u64("2^64", &u));
    int64_t i;
    ck_assert(parse_i64("-9223372036854775808", &i) && i == INT64_MIN);
    ck_assert(!parse_i64("9223372036854775808", &i));
    double d;
    ck_assert(parse_f64("1.5e3", &d) && d == 1500);
    ck_assert(!parse_f64("1.5x", &d) && !parse_f64("", &d));
}
END_TEST

START_TEST(nearest_name_suggests_only_near_ones)
{
    static const char *const names[] = {"latency_cycles", "banks", "ways"};
    ck_assert_str_eq(nearest_name("latency_cycle", names, 3), "latency_cycles");
    ck_assert_str_eq(nearest_name("bnaks", names, 3), "banks");
    ck_assert_ptr_null(nearest_name("zzzzz", names, 3));
}
END_TEST

START_TEST(yaml_nodes_know_their_place)
{
    struct ydoc d;
    struct error e = {0};
    ck_assert(ydoc_parse(&d, "x.yaml", "a: 1\nb:\n  c: [1, two]\n", &e));
    struct ynode *c = ymap_get(ymap_get(d.root, "b"), "c");
    ck_assert_uint_eq(c->n, 2);
    ck_assert_uint_eq(c->items[1]->at.line, 3);
    ck_assert_uint_eq(c->items[1]->at.col, 10);
    uint64_t u;
    ck_assert(ynode_u64(&d, c->items[0], &u, &e) && u == 1);
    ck_assert(!ynode_u64(&d, c->items[1], &u, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "x.yaml:3:10: 'two' is not a whole number"));
    ydoc_finish(&d);
}
END_TEST

START_TEST(yaml_faults_are_errors)
{
    static const char *const bad[] = {"a: [1", "a: 1\na: 2\n", "", "a: &x 1\nb: *x\n", "? [1]\n: 2\n"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct ydoc d;
        struct error e = {0};
        ck_assert_msg(!ydoc_parse(&d, "x.yaml", bad[i], &e), "%s", bad[i]);
        ck_assert_int_eq(e.status, EXIT_BAD_INPUT);
        ck_assert_ptr_nonnull(strstr(e.text, "x.yaml:"));
    }
}
END_TEST

START_TEST(events_leave_by_time_then_key)
{
    struct eventq q = {0};
    uint32_t x = 1;
    for (int i = 0; i < 1000; i++) {
        x = hash32(x);
        eventq_push(&q, (struct event){x % 16, x >> 8, x});
    }
    struct event last = eventq_pop(&q), e;
    for (int i = 1; i < 1000; i++) {
        e = eventq_pop(&q);
        ck_assert(e.time > last.time || (e.time == last.time && e.key >= last.key));
        last = e;
    }
    ck_assert(!eventq_peek(&q, &e));
    eventq_finish(&q);
}
END_TEST

/* Pieces of an arena: zero, on lines of their own, apart from each other, also those that outgrow a chunk. */
START_TEST(arena_pieces)
{
    static const size_t sizes[] = {1, 64, 65, 4096, 3 << 20, 40 << 20, 1, 1 << 20};
    struct arena *a = arena_new();
    uint8_t *piece[8 * ARRAY_LEN(sizes)];
    for (size_t i = 0; i < ARRAY_LEN(piece); i++) {
        size_t n = sizes[i % ARRAY_LEN(sizes)];
        piece[i] = arena_zalloc(a, n, 1);
        ck_assert_uint_eq((uintptr_t)piece[i] % 64, 0);
        ck_assert(piece[i][0] == 0 && piece[i][n / 2] == 0 && piece[i][n - 1] == 0);
        piece[i][0] = piece[i][n / 2] = piece[i][n - 1] = (uint8_t)(i + 1);
    }
    for (size_t i = 0; i < ARRAY_LEN(piece); i++) {
        size_t n = sizes[i % ARRAY_LEN(sizes)];
        ck_assert(piece[i][0] == i + 1 && piece[i][n / 2] == i + 1 && piece[i][n - 1] == i + 1);
    }
    arena_free(a);
}
END_TEST

START_TEST(sha256_of_known_texts)
{
    char h[65];
    sha256_hex("abc", 3, h); /* FIPS 180-4 example */
    ck_assert_str_eq(h, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_hex("", 0, h);
    ck_assert_str_eq(h, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("base");
    tcase_add_test(t, division_by_inverse_is_exact);
    tcase_add_test(t, error_shows_line_and_caret);
    tcase_add_test(t, numbers_are_whole_strings);
    tcase_add_test(t, nearest_name_suggests_only_near_ones);
    tcase_add_test(t, yaml_nodes_know_their_place);
    tcase_add_test(t, yaml_faults_are_errors);
    tcase_add_test(t, events_leave_by_time_then_key);
    tcase_add_test(t, arena_pieces);
    tcase_add_test(t, sha256_of_known_texts);
    Suite *s = suite_create("base");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
