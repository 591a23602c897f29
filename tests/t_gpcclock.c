/* The clock of GPCs under matrix products: what own cycles and the time have to do with each other, what is lost, who
 * counts it, that memory keeps its clock, and that nothing depends on how the work was cut. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "sim/gpcclock.h"
#include "workloads/workloads.h"

static const char *const halved[] = {"clocks.matrix.of_sm_clock=0.5", "clocks.matrix.hold_cycles=850",
                                     "clocks.matrix.down_ns=0", "clocks.matrix.up_ns=0"};
static const char *const whole[] = {"clocks.matrix.of_sm_clock=1", "clocks.matrix.hold_cycles=850",
                                    "clocks.matrix.down_ns=0", "clocks.matrix.up_ns=0"};
static const char *const moments[] = {"clocks.matrix.of_sm_clock=1", "clocks.matrix.hold_cycles=850",
                                      "clocks.matrix.down_ns=1000", "clocks.matrix.up_ns=0"};

static struct launch_result run_cut(const char *name, const char *const *sizes, uint32_t nsize, const char *const *sets,
                                    uint32_t window, uint32_t threads)
{
    struct error err = {0};
    struct config *c = xcalloc(1, sizeof *c);
    struct launch_result r = {0};
    ck_assert_msg(config_load(c, "h200", sets, sets ? 4 : 0, &err), "%s", err.text);
    struct gpu_options o = {.threads = threads, .window_cycles = window, .values_off = true};
    struct spec *s = spec_load(name, &(struct spec_options){.sizes = sizes, .nsize = nsize}, &err);
    struct gpu *g = s ? gpu_new(c, &o, &err) : NULL;
    ck_assert_msg(g && s->nlaunch == 1 && spec_place(s, g, &err) && gpu_run(g, s->sim, 1, &r, &err), "%s", err.text);
    gpu_free(g);
    spec_free(s);
    free(c);
    return r;
}

static struct launch_result run(const char *name, const char *const *sizes, uint32_t nsize, const char *const *sets)
{
    return run_cut(name, sizes, nsize, sets, 0, 1);
}

/* Down to half the clock at 1000, after standing still for 50; up again at 2000. */
START_TEST(cycles_and_time)
{
    struct gpc_clock g = {0};
    gpc_clock_begin(&g, 100);
    ck_assert_uint_eq(gpc_clock_own(&g, 1000), 1000);
    gpc_clock_change(&g, 1000, 2, 50);
    ck_assert_uint_eq(gpc_clock_own(&g, 1000), 1000);
    ck_assert_uint_eq(gpc_clock_own(&g, 1050), 1000);
    ck_assert_uint_eq(gpc_clock_own(&g, 1051), 1001);
    ck_assert_uint_eq(gpc_clock_own(&g, 1052), 1001);
    ck_assert_uint_eq(gpc_clock_own(&g, 1053), 1002);
    ck_assert_uint_eq(gpc_clock_time(&g, 1000), 1050);
    ck_assert_uint_eq(gpc_clock_time(&g, 1475), 2000);
    gpc_clock_change(&g, 2000, 1, 0);
    ck_assert_uint_eq(gpc_clock_own(&g, 2100), 1575);
    ck_assert_uint_eq(gpc_clock_own(&g, UINT64_MAX), UINT64_MAX);
    ck_assert_uint_eq(gpc_clock_time(&g, UINT64_MAX), UINT64_MAX);
    gpc_clock_change(&g, 3000, 1 / 0.916, 138.6);
    for (cycle own = 100; own < 5000; own++) { /* every cycle has its time, whatever the clock */
        cycle t = gpc_clock_time(&g, own);
        ck_assert_uint_eq(gpc_clock_own(&g, t), own);
        ck_assert_uint_gt(gpc_clock_time(&g, own + 1), t);
        ck_assert_uint_ge(gpc_clock_own(&g, t + 1), own);
    }
    gpc_clock_finish(&g);
}
END_TEST

/* One block, one SM: for its GPC each cycle of matrix work and of the hold lasts twice as long; the seven idle GPCs
 * count the whole time. */
START_TEST(one_block)
{
    struct launch_result a = run("matmul_triton", NULL, 0, whole), b = run("matmul_triton", NULL, 0, halved);
    ck_assert_uint_gt(a.sm.matrix_clock_cycles, 0);
    ck_assert_uint_eq(a.clock_cycles, 0);
    ck_assert_uint_gt(b.cycles, a.cycles);
    ck_assert_uint_ge(b.clock_cycles, b.sm.matrix_clock_cycles);
    ck_assert_uint_le(b.clock_cycles, b.sm.matrix_clock_cycles + 850 + 2 * 90); /* it changes each 90 */
    ck_assert_double_eq_tol(b.time_us, (double)b.cycles / 1980, 1e-6);
    launch_result_finish(&a);
    launch_result_finish(&b);
}
END_TEST

/* Each beginning costs a microsecond, 1,980 cycles. */
START_TEST(beginnings)
{
    struct launch_result r = run("matmul_triton", NULL, 0, moments);
    ck_assert_uint_gt(r.sm.matrix_clock_downs, 0);
    ck_assert_uint_eq(r.clock_cycles, r.sm.matrix_clock_downs * 1980);
    launch_result_finish(&r);
}
END_TEST

/* Where all GPCs multiply, none counts what the others lose: the time grows, the cycles shrink since memory
 * keeps its clock. */
START_TEST(all_gpcs)
{
    static const char *const blocks[] = {"m=2048", "n=1024", "k=64"}; /* 128 */
    struct launch_result a = run("gemm_mma", blocks, 3, whole), b = run("gemm_mma", blocks, 3, halved);
    double more_us = b.time_us - a.time_us;
    ck_assert_uint_lt(b.cycles - b.clock_cycles, a.cycles);
    ck_assert_double_gt(more_us, 0.05 * a.time_us);
    ck_assert_double_lt((double)b.cycles, (double)a.cycles + 0.5 * more_us * 1980);
    launch_result_finish(&a);
    launch_result_finish(&b);
}
END_TEST

/* Clocks change at multiples of L whatever the windows and the host's threads. */
START_TEST(cut_as_you_like)
{
    static const char *const blocks[] = {"m=1024", "n=256", "k=192"};
    static const struct {
        uint32_t window, threads;
    } cut[] = {{7, 1}, {41, 2}, {0, 3}};
    struct launch_result a = run_cut("gemm_wgmma", blocks, 3, NULL, 0, 1);
    ck_assert_uint_gt(a.clock_cycles, 0);
    for (size_t i = 0; i < ARRAY_LEN(cut); i++) {
        struct launch_result b = run_cut("gemm_wgmma", blocks, 3, NULL, cut[i].window, cut[i].threads);
        ck_assert_uint_eq(b.cycles, a.cycles);
        ck_assert_uint_eq(b.clock_cycles, a.clock_cycles);
        ck_assert_double_eq_tol(b.time_us, a.time_us, 1e-9);
        ck_assert_uint_eq(b.mp.l2_reads, a.mp.l2_reads);
        launch_result_finish(&b);
    }
    launch_result_finish(&a);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("gpcclock");
    TCase *t = tcase_create("gpcclock");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, cycles_and_time);
    tcase_add_test(t, one_block);
    tcase_add_test(t, beginnings);
    tcase_add_test(t, all_gpcs);
    tcase_add_test(t, cut_as_you_like);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
