/* Microbenchmarks that stay inside the SM, redone and compared with what the H200 measured: latencies within a cycle,
 * throughputs within 5 %, stall counts exactly. Rows that are known to be further off have their own bound here. */
#include "workloads/workloads.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12 };

struct batch {
    const char *names[MOST], *sizes[MOST], *set;
    double cycles, share; /* bounds: this many cycles, or this share of what was measured */
};
static const struct batch batches[] = {
    {{"micro_latency_alu", "micro_latency_fp64", "micro_latency_half", "micro_latency_warp", "micro_latency_xu",
      "micro_latency_local"},
     {"default"},
     NULL,
     1,
     0.02},
    {{"micro_issue_rate"}, {"default"}, NULL, 0, 0},
    {{"micro_stall"}, {"default"}, "sm.hazards=stale", 0, 0},
    {{"micro_rate"},
     {"warps1", "warps2", "warps3", "default", "warps6", "warps8", "warps12", "warps16", "warps20", "warps24",
      "warps28", "warps32"},
     NULL,
     0,
     0.02},
    {{"micro_flow"}, {"default", "warps4", "warps8"}, NULL, 1, 0.05},
    {{"micro_flow"},
     {"warps16"},
     NULL,
     0,
     0.13}, /* four warps of a sub-core: which is first when branches are resolved */
    {{"micro_modulo"}, {"default", "warps1"}, NULL, 0, 0.03},
    {{"micro_modulo"}, {"warps8", "warps16", "warps32"}, NULL, 0, 0.08}, /* which warp goes first */
    {{"micro_atomic_latency", "micro_atomic_latency_cas"},
     {"default", "line", "one", "one_line", "one_sectors32", "warp_line"},
     NULL,
     0,
     0.11},
    {{"micro_store_queue_64"}, {"default", "apart"}, NULL, 0, 0.12},
    {{"micro_fences", "micro_fences_sys"}, {"all", "all_store", "half_lane_own", "half_lane_word"}, NULL, 0, 0.06},
    {{"micro_registers"}, {"default", "one", "full"}, NULL, 0, 0.005},
    {{"micro_throughput_alu", "micro_throughput_fp64", "micro_throughput_half", "micro_throughput_warp",
      "micro_throughput_xu"},
     {"default", "warps1", "warps2", "warps8"},
     NULL,
     0,
     0.05},
    {{"micro_throughput_alu", "micro_throughput_half", "micro_throughput_fp64", "micro_throughput_warp",
      "micro_throughput_xu"},
     {"warps16", "warps32"},
     NULL,
     0,
     0.05},
    {{"micro_shared_load"},
     {"default", "stride2", "stride4", "stride8", "stride16", "stride32", "stride33", "broadcast", "warps32"},
     NULL,
     0,
     0.02},
    {{"micro_shared_load"},
     {"stride2_warp1", "stride4_warp1", "stride8_warp1", "stride16_warp1", "stride32_warp1", "stride8_warp2",
      "stride8_warp8", "stride32_warp2", "stride32_warp8"},
     NULL,
     0,
     0.06}, /* stores of one warp: 2 cycles a wavefront, 1.92 there */
    {{"micro_shared_load"}, {"warps6", "warps8"}, NULL, 0, 0.08}, /* two warps of a sub-core: 2 cycles an address */
    {{"micro_l1_load"},
     {"default", "stride2", "stride8", "stride32", "stride32_warp1"},
     NULL,
     0,
     0.035}, /* L1's banks */
    {{"micro_barrier"}, {"default", "warps1", "warps2", "warps8", "warps16", "warps32"}, NULL, 1, 0.05},
    {{"micro_lock"}, {"default", "warps2", "warps4", "warps8", "warps16"}, NULL, 0, 0.10},
    {{"micro_meet"}, {"default", "warps4"}, NULL, 1, 0.01},
    {{"micro_meet"}, {"warps8"}, NULL, 1, 0.05},
    {{"micro_paths"}, {"default", "ways2", "ways4", "ways8", "warps8", "warps8_ways8"}, NULL, 3.5, 0.11},
    {{"micro_width"},
     {"default", "lanes1", "lanes8", "lanes8_own", "lanes16", "lanes16_own", "lanes17_own", "lanes32"},
     NULL,
     1,
     0},
    {{"micro_queue"}, {"default", "ways1", "ways8"}, NULL, 20, 0.06},
    {{"micro_queue"}, {"warps4", "warps4_ways8"}, NULL, 150, 0.1}, /* which of four sub-cores comes first */
    {{"micro_constant"}, {"default", "2048b", "8192b"}, NULL, 1, 0.05},
    {{"micro_policy"}, {"default"}, NULL, 20, 0.08}, /* hit or miss */
    {{"micro_chase_ca"}, {"4k", "64k", "192k", "384k", "1m"}, NULL, 0, 0.05},
    {{"micro_chase_each"}, {"default"}, NULL, 0, 0.05}, /* slices near and far */
    {{"micro_chase_ca"}, {"256k"}, NULL, 0, 0.10},      /* on the slope: which sets are too full is chance */
    {{"micro_constant_index"},
     {"default", "two", "four", "sixteen", "all", "eight_apart", "four_warps8", "all_warps8"},
     NULL,
     0,
     0.05},
    {{"micro_latency_mma", "micro_latency_tensor", "micro_wgmma"}, {"default"}, NULL, 1, 0.03},
    {{"micro_throughput_mma"}, {"warps4"}, NULL, 0, 0.03}, /* one warp a sub-core: no distance between warps */
    {{"micro_ldsm"}, {"default", "padded", "two_way", "four_way", "eight_way", "warps4"}, NULL, 0, 0.05},
    {{"micro_async_copies"}, {"default"}, NULL, 0, 0.07},
    {{"micro_async_arrivals"}, {"warps16", "warps32"}, NULL, 0, 0.25},
    {{"micro_l1_miss", "micro_l1_order"}, {"default", "warps4", "warps8", "full"}, NULL, 0, 0.15},
};

/* What is further off, and by how much. */
static const struct {
    const char *name, *size, *metric; /* size or metric NULL: all */
    double share;
} known[] = {
    /* bytes of a sector that was never whole stay in L1 too; the model keeps whole sectors only */
    {"micro_policy", NULL, "whole_ca", 3.5},
    {"micro_policy", NULL, "whole_cg_ca", 3.5},
    {"micro_policy", NULL, "whole_cs_ca", 3.5},
    {"micro_policy", NULL, "st_wb_ca", 3.5},
    {"micro_policy", NULL, "whole_next", 3.5},
    {"micro_policy", NULL, "kept_red_ca", 0.35},
    {"micro_rate", NULL, "shfl_idx", 0.03},
    {"micro_modulo", "warps8", "high", 0.09},
    {"micro_modulo", "warps32", "rem_s64", 0.13},
    {"micro_modulo", "warps32", "compare", 0.09},
    {"micro_rate", "warps16", "imad_wide_add64", 0.03},
    {"micro_rate", "warps6", "f2i_i2f", 0.06},
    {"micro_rate", "warps8", "f2i_i2f", 0.06},
    {"micro_flow", "warps8", "switch", 0.08},
    {"micro_flow", "warps8", "vote_branch", 0.08},
    {"micro_flow", "warps8", "one_sleeps", 0.06},
    {"micro_flow", "warps8", "sleeps_loop", 0.06},
    {"micro_flow", NULL, "store_fence_block", 0.12},
    {"micro_flow", "warps8", "fence", 0.06},
    {"micro_flow", NULL, "store_fence", 0.07},            /* one line: its slice may be near or far */
    {"micro_flow", "warps8", "store_fence", 0.18},        /* all lines far there, some here */
    {"micro_flow", "warps8", "store_fence_system", 0.35}, /* 1,642 cycles there, of 16 warps 1,619 */
    {"micro_flow", "warps16", "fence_block", 0.16},
    {"micro_flow", "warps16", "store", 0.28},
    {"micro_flow", "warps16", "store_fence", 0.18},
    {"micro_flow", "warps16", "one_sleeps", 0.15},
    {"micro_flow", "warps16", "sleeps_barrier", 0.14},
    {"micro_flow", "warps16", "sleeps_loop", 0.14},
    /* 1.7 cycles a fence of 8 warps, 2.8 of 16 and 32: one interval here */
    {"micro_barrier", "default", "fence_cta", 0.33},
    {"micro_barrier", "warps8", "fence_cta", 0.62},
    {"micro_latency_local", NULL, "ldg64_l2", 0.10}, /* one line: its slice may be near or far */
    {"micro_chase_each", NULL, "most", 0.10},        /* the first hop */
    /* Lines that are written again while they wait to leave L1 leave it once there: 128 bytes a cycle, 32 here. */
    {"micro_l1_load", NULL, "stg32", 3.1},
    {"micro_l1_load", NULL, "stg128", 3.1},
    /* four warps, each of which waits for its last loads once a round: in step there (7 to 10 % from run to run), apart
       here */
    {"micro_shared_load", "stride2_warp4", "lds128", 0.10},
    {"micro_shared_load", "stride32_warp4", "lds32", 0.12},
    {"micro_queue", "warps4", "loads_16", 1}, /* one of four sub-cores is held after 12 loads there, none here */
    {"micro_queue", "warps4", "loads_26", 0.3},
    {"micro_queue", "warps4", "loads_32", 0.3},
    {"micro_queue", "warps4", "loads_40", 0.4},
    {"micro_throughput_half", NULL, "hadd2", 0.07}, /* of eight sums one reads two registers of a bank */
    {"micro_throughput_half", NULL, "hmul2", 0.07},
    {"micro_constant_index", "four", "rate", 0.08},
    {"micro_constant_index", "eight_apart", "rate", 0.07}, /* words of one warp overlap a little more */
    /* two and four spinning warps of a sub-core: how its turns go round among them is not known */
    {"micro_lock", "warps8", "shared", 0.22},
    {"micro_lock", "warps8", "shared_each", 0.22},
    {"micro_lock", "warps16", "shared_each", 0.24},
    {"micro_lock", "warps16", "each", 0.18},
    {"micro_lock", "warps16", "all", 0.12},
    /* sums of 16 warps fall into step there, 17 % from run to run: two succeed in the time of one loop */
    {"micro_lock", "warps16", "sum_1", 0.40},
    {"micro_lock", "warps16", "sum_8", 0.60},
    {"micro_lock", "warps4", "shared_each", 0.12},
    {"micro_meet", "warps8", "none", 0.08},
    {"micro_ldsm", NULL, "ldsm_x1", 0.15}, /* clocks behind a barrier: the warps' distance */
    {"micro_ldsm", NULL, "ldsm_x2", 0.15},
    {"micro_ldsm", "warps4", "stsm_x4", 0.10},
    {"micro_async_copies", NULL, "store_read_128", 0.10},
    {"micro_async_copies", NULL, "store_128", 0.08},
    /* bulk stores of one thread are issued 25 and 17 cycles apart, 31 and 21 there */
    {"micro_async_copies", NULL, "store_read_1024x16_issue", 0.20},
    {"micro_async_copies", NULL, "store_read_128x128_issue", 0.20},
    {"micro_async_copies", NULL, "store_read_128x128", 0.20},
    {"micro_l1_miss", "default", "lines", 0.30}, /* which warp runs ahead and brings lines for the others */
    {"micro_l1_miss", "default", "both", 0.20},
    {"micro_l1_miss", "full", "words", 0.16},
    {"micro_l1_miss", "default", "both_more", 0.20},
};

static double bound_of(const struct batch *b, const struct check_row *row, const char *metric, double measured)
{
    double bound = fmax(b->cycles, b->share * fabs(measured));
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (!strcmp(known[i].name, row->name) && (!known[i].size || !strcmp(known[i].size, row->size)) &&
            (!known[i].metric || !strcmp(known[i].metric, metric)))
            bound = fmax(bound, known[i].share * fabs(measured));
    return bound + 1e-6;
}

START_TEST(as_measured)
{
    const struct batch *b = &batches[_i];
    struct config config;
    struct error err = {0};
    ck_assert_msg(config_load(&config, "h200", &b->set, b->set != NULL, &err), "%s", err.text);
    struct check_options o = {
        .config = &config, .gpu = "h200", .targets = b->names, .sizes = b->sizes, .threads = 1, .micro = true};
    while (o.ntarget < MOST && b->names[o.ntarget])
        o.ntarget++;
    while (o.nsize < MOST && b->sizes[o.nsize])
        o.nsize++;
    struct check_result r;
    ck_assert_msg(check_run(&r, &o, &err), "%s", err.text);
    ck_assert_uint_ge(r.n, o.ntarget);
    uint32_t n = 0, far = 0;
    for (size_t i = 0; i < r.n; i++)
        for (uint32_t k = 0; k < r.rows[i].ncounter; k++) {
            const struct check_counter *c = &r.rows[i].counters[k];
            n++;
            if (fabs(c->predicted - c->measured) <= bound_of(b, &r.rows[i], c->name, c->measured))
                continue;
            far++;
            printf("%s %s %s: %.4f, measured %.4f\n", r.rows[i].name, r.rows[i].size, c->name, c->predicted,
                   c->measured);
        }
    check_finish(&r);
    fflush(stdout);
    ck_assert_uint_gt(n, 0);
    ck_assert_msg(far == 0, "%u of %u values are further off than they may be", far, n);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("micro");
    TCase *t = tcase_create("micro");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, as_measured, 0, (int)ARRAY_LEN(batches));
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
