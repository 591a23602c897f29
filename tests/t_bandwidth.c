/* Bandwidths of DRAM and L2 as the H200 has them: the cycles of reads, writes and copies within 10 %. All of them are
 * in docs/bandwidth.md (tests/accuracy.sh bandwidth); these are the ones that take seconds. */
#include "workloads/workloads.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *size;
} rows[] = {
    {"micro_stream_write", "4m"},         /* writes that stay in L2 */
    {"micro_stream_copy", "4m"},          /* read from DRAM, written to L2; warm: within L2 */
    {"micro_stream_copy", "16m"},         /* the same, long enough for the slices' ports to count */
    {"micro_stream_l2", "16m_few"},       /* reads within L2 */
    {"micro_stream_read", "64m_grid132"}, /* from DRAM, with as few warps as a latency bounds */
};

static void ten_percent(const struct check_row *row, const char *when, const struct check_pair *p)
{
    ck_assert_msg(p->measured > 0 && fabs(p->predicted / p->measured - 1) <= 0.1,
                  "%s %s %s: %.0f cycles, measured %.0f", row->name, row->size, when, p->predicted, p->measured);
}

START_TEST(as_measured)
{
    struct config config;
    struct error err = {0};
    ck_assert_msg(config_load(&config, "h200", NULL, 0, &err), "%s", err.text);
    const char *names[] = {rows[_i].name}, *sizes[] = {rows[_i].size};
    struct check_options o = {
        .config = &config, .gpu = "h200", .targets = names, .ntarget = 1, .sizes = sizes, .nsize = 1, .threads = 1};
    struct check_result r;
    ck_assert_msg(check_run(&r, &o, &err), "%s", err.text);
    ck_assert_uint_eq(r.n, 1);
    ten_percent(&r.rows[0], "cold", &r.rows[0].cold);
    ten_percent(&r.rows[0], "warm", &r.rows[0].warm);
    check_finish(&r);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("bandwidth");
    TCase *t = tcase_create("bandwidth");
    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, as_measured, 0, (int)ARRAY_LEN(rows));
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
