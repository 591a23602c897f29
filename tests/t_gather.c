/* Stores that join each other on the way to L2: the rules, and the profiler's counts of an H200
 * (tests/data/join.h200.txt). */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/gather.h"
#include "workloads/workloads.h"

static struct config limits = {.l1_gather_lines = 3, .l1_gather_cycles = 7, .l1_gather_last_cycles = 9};

START_TEST(same_sectors_join_while_they_wait)
{
    struct gather g = {.n = 0};
    uint8_t lost;
    ck_assert_uint_eq(gather_store(&g, &limits, 100, 100, 0, 0x3, &lost), 0);
    ck_assert_uint_eq(gather_store(&g, &limits, 104, 104, 0, 0x6, &lost),
                      0x2); /* sector 2 is new, and goes with the line */
    ck_assert_uint_eq(gather_store(&g, &limits, 108, 108, 0, 0x7, &lost), 0x7);
    ck_assert_uint_eq(gather_store(&g, &limits, 116, 116, 0, 0x7, &lost), 0x7); /* eight cycles after the last */
    ck_assert_uint_eq(gather_store(&g, &limits, 126, 126, 0, 0x7, &lost), 0);   /* ten */
}
END_TEST

START_TEST(a_line_leaves_sooner_when_another_came)
{
    struct gather g = {.n = 0};
    uint8_t lost;
    ck_assert_uint_eq(gather_store(&g, &limits, 100, 100, 0, 1, &lost), 0);
    ck_assert_uint_eq(gather_store(&g, &limits, 104, 104, 128, 1, &lost), 0);
    ck_assert_uint_eq(gather_store(&g, &limits, 108, 108, 0, 1, &lost), 0);
    ck_assert_uint_eq(gather_store(&g, &limits, 109, 109, 128, 1, &lost), 1);
}
END_TEST

START_TEST(a_queue_on_the_way_out_keeps_lines)
{
    struct gather g = {.n = 0};
    uint8_t lost;
    ck_assert_uint_eq(gather_store(&g, &limits, 100, 100, 0, 0xf, &lost), 0);
    ck_assert_uint_eq(gather_store(&g, &limits, 101, 101, 128, 0xf, &lost), 0);
    ck_assert_uint_eq(gather_store(&g, &limits, 102, 102, 256, 0xf, &lost), 0);
    /* the first leaves at 107 and takes four cycles, so does the second */
    ck_assert_uint_eq(gather_store(&g, &limits, 110, 110, 128, 0xf, &lost), 0xf);
    ck_assert_uint_eq(gather_store(&g, &limits, 110, 110, 0, 0xf, &lost), 0);
}
END_TEST

START_TEST(no_more_lines_than_there_is_room_for)
{
    struct gather g = {.n = 0};
    uint8_t lost;
    for (uint32_t turn = 0; turn < 4; turn++) /* four lines in turn, room for three: none meets itself */
        for (uint32_t i = 0; i < 4; i++)
            ck_assert_uint_eq(gather_store(&g, &limits, 100, 100, 128 * (uint64_t)i, 1, &lost), 0);
    g = (struct gather){.n = 0};
    for (uint32_t turn = 0; turn < 4; turn++)
        for (uint32_t i = 0; i < 3; i++)
            ck_assert_uint_eq(gather_store(&g, &limits, 100, 100, 128 * (uint64_t)i, 1, &lost), turn > 0);
}
END_TEST

START_TEST(stores_wait_while_the_way_out_is_behind)
{
    struct config c = limits;
    c.l1_gather_out = 6;
    struct gather g = {.n = 0};
    uint8_t lost;
    for (uint32_t i = 0; i < 4; i++) { /* the fourth makes room: the first leaves from 100 to 104 */
        ck_assert_uint_eq(gather_room(&g, &c, 100, 128 * (uint64_t)i), 100);
        gather_store(&g, &c, 100, 100, 128 * (uint64_t)i, 0xf, &lost);
    }
    ck_assert_uint_eq(gather_room(&g, &c, 100, 4 * 128), 100); /* four sectors are behind */
    gather_store(&g, &c, 100, 100, 4 * 128, 0xf, &lost);
    ck_assert_uint_eq(gather_room(&g, &c, 100, 5 * 128), 102); /* eight: two too many */
    ck_assert_uint_eq(gather_room(&g, &c, 100, 4 * 128), 100); /* one that joins needs no room */
    ck_assert_uint_eq(gather_room(&g, &c, 102, 5 * 128), 102);
}
END_TEST

START_TEST(what_another_store_still_brings_is_lost)
{
    struct gather g = {.n = 0};
    uint8_t lost;
    gather_store(&g, &limits, 100, 103, 0, 0x1, &lost);
    ck_assert_uint_eq(lost, 0);
    gather_store(&g, &limits, 102, 102, 0, 0xe, &lost);
    ck_assert_uint_eq(lost, 0x1);
    gather_store(&g, &limits, 104, 104, 0, 0x1, &lost); /* all there */
    ck_assert_uint_eq(lost, 0);
}
END_TEST

/* ---- the H200's counts ---- */
struct row {
    unsigned places, pauses, warps, lanes, stride, share, sectors;
};

static double predicted(const struct row *r)
{
    char text[4][32], name[32] = "micro_join";
    const char *sizes[4];
    if (r->places != 1 || r->pauses)
        snprintf(name, sizeof name, "micro_join_%u_%u", r->places, r->pauses);
    snprintf(text[0], sizeof text[0], "warps=%u", r->warps);
    snprintf(text[1], sizeof text[1], "lanes=%u", r->lanes);
    snprintf(text[2], sizeof text[2], "stride=%u", r->stride);
    snprintf(text[3], sizeof text[3], "share=%u", r->share);
    for (uint32_t i = 0; i < 4; i++)
        sizes[i] = text[i];
    struct error err = {0};
    struct config *c = xcalloc(1, sizeof *c);
    struct launch_result result = {0};
    ck_assert_msg(config_load(c, "h200", NULL, 0, &err), "%s", err.text);
    struct spec *s = spec_load(name, &(struct spec_options){.sizes = sizes, .nsize = 4}, &err);
    struct gpu *g = s ? gpu_new(c, &(struct gpu_options){.threads = 1}, &err) : NULL;
    ck_assert_msg(g && s->nlaunch == 1, "%s", err.text);
    ck_assert_msg(spec_place(s, g, &err), "%s", err.text);
    ck_assert_msg(gpu_run(g, s->sim, 1, &result, &err), "%s", err.text);
    double sectors = (double)result.mp.l2_writes;
    launch_result_finish(&result);
    gpu_free(g);
    spec_free(s);
    free(c);
    return sectors;
}

static bool has_spec(const struct row *r)
{
    return r->places == 1 ? !r->pauses || r->pauses == 2 || r->pauses == 3
                          : (r->places == 2 || r->places == 4) && !r->pauses;
}

/* One warp: as many groups of the eight words as there, within half a group for most. Several: more when there are more
 * lines; together within a fifth. */
START_TEST(as_many_join)
{
    const char *root = getenv("HEDDLE_SOURCE_DIR");
    char *path = xasprintf("%s/tests/data/join.h200.txt", root ? root : "."), line[256];
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s", path);
    double model = 0, h200 = 0;
    unsigned ones = 0, right = 0;
    while (fgets(line, sizeof line, f)) {
        struct row r;
        if (sscanf(line, "%u %u %u %u %u %u %u", &r.places, &r.pauses, &r.warps, &r.lanes, &r.stride, &r.share,
                   &r.sectors) != 7 ||
            !has_spec(&r) || r.warps > 8)
            continue;
        double groups = 16.0 * r.places * r.lanes * r.warps / r.share, p = predicted(&r) / groups,
               m = r.sectors / groups;
        if (r.stride < 32)
            continue;
        model += p * groups;
        h200 += m * groups;
        if (r.warps > 1)
            continue;
        ones++;
        right += fabs(p - m) < 0.6;
        if (fabs(p - m) >= 0.6)
            printf("%u places, %u pauses, %u lanes %u apart: %.2f groups, measured %.2f\n", r.places, r.pauses, r.lanes,
                   r.stride, p, m);
    }
    fclose(f);
    free(path);
    printf("one warp: %u of %u as measured; all rows: %.0f sectors at L2, measured %.0f\n", right, ones, model, h200);
    ck_assert_uint_gt(ones, 20);
    ck_assert_uint_ge(right + 4, ones);
    ck_assert_double_eq_tol(model / h200, 1, 0.2);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("gather");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, same_sectors_join_while_they_wait);
    tcase_add_test(t, a_line_leaves_sooner_when_another_came);
    tcase_add_test(t, a_queue_on_the_way_out_keeps_lines);
    tcase_add_test(t, no_more_lines_than_there_is_room_for);
    tcase_add_test(t, stores_wait_while_the_way_out_is_behind);
    tcase_add_test(t, what_another_store_still_brings_is_lost);
    tcase_add_test(t, as_many_join);
    Suite *s = suite_create("gather");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
