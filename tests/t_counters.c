/* Counters: sums, ratios with hand-made numbers, identities, names. */
#include "sim/sim.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double value(const struct launch_result *r, const char *name)
{
    int i = counter_find(name);
    ck_assert_msg(i >= 0, "no counter %s", name);
    return counter_value(r, (size_t)i);
}

static struct config *tiny(void)
{
    struct config *c = xcalloc(1, sizeof *c);
    struct error err = {0};
    if (!config_load(c, "tiny", NULL, 0, &err))
        ck_abort_msg("%s", err.text);
    return c;
}

START_TEST(ratios_of_known_counts)
{
    struct config *c = tiny();
    struct launch_result r = {.cycles = 1000, .time_us = 1, .grid = {4, 1, 1}, .block = {128, 1, 1}, .regs = 16};
    r.sm.cycles_active = 1600; /* two SMs, 800 each */
    r.sm.inst_executed = r.sm.issue_active = 3200;
    r.sm.warps_active = 12800;
    r.sm.thread_inst = 51200;
    r.sm.stall[STALL_selected] = 3200;
    r.sm.stall[STALL_long_scoreboard] = 9600;
    r.sm.global_ld_requests = 10;
    r.sm.global_ld_sectors = 80;
    r.sm.global_ld_sectors_hit = 20;
    r.sm.shared_wavefronts = 320;
    r.sm.shared_wavefronts_ideal = 10;
    r.sm.ffma = 1000;
    r.sm.fadd = 24;
    r.mp.dram_reads = 60;
    r.mp.dram_row_hits = 45;
    r.mp.dram_row_misses = 10;
    r.mp.dram_row_conflicts = 5;
    launch_result_ratios(c, &r);
    ck_assert_double_eq(value(&r, "sm__inst_executed.avg.per_cycle_active"), 2);
    ck_assert_double_eq(value(&r, "sm__inst_executed.avg.per_cycle_elapsed"), 1.6);
    ck_assert_double_eq(value(&r, "smsp__issue_active.avg.pct_of_peak_sustained_active"), 50);
    ck_assert_double_eq(value(&r, "heddle__no_eligible.pct"), 50);
    ck_assert_double_eq(value(&r, "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"), 3);
    ck_assert_double_eq(value(&r, "smsp__average_warp_latency_per_inst_issued.ratio"), 4);
    ck_assert_double_eq(value(&r, "smsp__thread_inst_executed_per_inst_executed.ratio"), 16);
    ck_assert_double_eq(value(&r, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"), 8);
    ck_assert_double_eq(value(&r, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"), 25);
    ck_assert_double_eq(value(&r, "derived__memory_l1_wavefronts_shared_excessive"), 310);
    ck_assert_double_eq(value(&r, "heddle__flop_fp32.sum"), 2024);
    ck_assert_double_eq(value(&r, "dram__bytes_read.sum"), 1920);
    ck_assert_double_eq(value(&r, "dram__bytes.sum.per_second"), 1.92e9);
    ck_assert_double_eq_tol(value(&r, "dram__throughput.avg.pct_of_peak_sustained_elapsed"), 12,
                            1e-9); /* of 16 bytes a cycle */
    ck_assert_double_eq(value(&r, "heddle__dram_row_hit_rate.pct"), 75);
    ck_assert_double_eq(value(&r, "sm__warps_active.avg.pct_of_peak_sustained_active"), 50);
    ck_assert_double_eq(value(&r, "launch__grid_size"), 4);
    free(c);
}
END_TEST

START_TEST(stall_reasons_sum_to_the_warp_latency)
{
    struct config *c = tiny();
    struct launch_result r = {.cycles = 100, .time_us = 0.1};
    r.sm.issue_active = 7;
    for (size_t i = 0; i < STALL_COUNT; i++)
        r.sm.stall[i] = 3 * i + 1;
    launch_result_ratios(c, &r);
    double sum = 0;
    for (size_t i = 0; i < STALL_COUNT; i++) {
        char name[128];
        snprintf(name, sizeof name, "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio", stall_names[i]);
        sum += value(&r, name);
    }
    ck_assert_double_eq_tol(sum, value(&r, "smsp__average_warp_latency_per_inst_issued.ratio"), 1e-9);
    free(c);
}
END_TEST

START_TEST(nothing_run_is_not_a_number_and_never_zero)
{
    struct config *c = tiny();
    struct launch_result r = {.cycles = 10, .time_us = 0.01};
    launch_result_ratios(c, &r);
    ck_assert(isnan(value(&r, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct")));
    ck_assert(isnan(value(&r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")));
    ck_assert(isnan(value(&r, "smsp__average_warp_latency_per_inst_issued.ratio")));
    free(c);
}
END_TEST

START_TEST(sums_add_every_field)
{
    /* Every counter is a uint64_t, so the structs can be filled as arrays. */
    struct sm_counters *a = xcalloc(1, sizeof *a), *b = xcalloc(1, sizeof *b);
    uint64_t *pa = (uint64_t *)a, *pb = (uint64_t *)b;
    for (size_t i = 0; i < sizeof *a / 8; i++) {
        pa[i] = i + 1;
        pb[i] = 1000 * i;
    }
    sm_counters_add(a, b);
    for (size_t i = 0; i < sizeof *a / 8; i++)
        ck_assert_uint_eq(pa[i], 1001 * i + 1);
    free(a);
    free(b);
    struct mp_counters m = {0}, n = {0};
    uint64_t *pm = (uint64_t *)&m, *pn = (uint64_t *)&n;
    for (size_t i = 0; i < sizeof m / 8; i++)
        pn[i] = i;
    mp_counters_add(&m, &n);
    mp_counters_add(&m, &n);
    for (size_t i = 0; i < sizeof m / 8; i++)
        ck_assert_uint_eq(pm[i], 2 * i);
}
END_TEST

START_TEST(names_are_unique)
{
    for (size_t i = 0; i < counter_count; i++)
        ck_assert_msg(counter_find(counter_table[i].name) == (int)i, "%s appears twice", counter_table[i].name);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("counters");
    tcase_add_test(t, ratios_of_known_counts);
    tcase_add_test(t, stall_reasons_sum_to_the_warp_latency);
    tcase_add_test(t, nothing_run_is_not_a_number_and_never_zero);
    tcase_add_test(t, sums_add_every_field);
    tcase_add_test(t, names_are_unique);
    Suite *s = suite_create("counters");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
