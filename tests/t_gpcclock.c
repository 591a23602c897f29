/* The clock of GPCs under matrix products: what is lost, who counts it, and that nothing is where the clock is not
 * lowered. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "workloads/workloads.h"

static const char *const halved[] = {"clocks.matrix.of_sm_clock=0.5", "clocks.matrix.hold_cycles=0",
                                     "clocks.matrix.down_ns=0", "clocks.matrix.up_ns=0"};
static const char *const whole[] = {"clocks.matrix.of_sm_clock=1", "clocks.matrix.hold_cycles=0",
                                    "clocks.matrix.down_ns=0", "clocks.matrix.up_ns=0"};
static const char *const moments[] = {"clocks.matrix.of_sm_clock=1", "clocks.matrix.hold_cycles=0",
                                      "clocks.matrix.down_ns=1000", "clocks.matrix.up_ns=500"};

static struct launch_result run(const char *name, const char *const *sizes, uint32_t nsize, const char *const *sets)
{
    struct error err = {0};
    struct config *c = xcalloc(1, sizeof *c);
    struct launch_result r = {0};
    ck_assert_msg(config_load(c, "h200", sets, 4, &err), "%s", err.text);
    struct spec *s = spec_load(name, &(struct spec_options){.sizes = sizes, .nsize = nsize}, &err);
    struct gpu *g = s ? gpu_new(c, &(struct gpu_options){.threads = 1, .values_off = true}, &err) : NULL;
    ck_assert_msg(g && s->nlaunch == 1 && spec_place(s, g, &err) && gpu_run(g, s->sim, 1, &r, &err), "%s", err.text);
    gpu_free(g);
    spec_free(s);
    free(c);
    return r;
}

/* One block, one SM: at half the clock every cycle of matrix work takes a second one, which the seven idle GPCs count.
 */
START_TEST(one_block)
{
    struct launch_result a = run("matmul_triton", NULL, 0, whole), b = run("matmul_triton", NULL, 0, halved);
    ck_assert_uint_gt(a.sm.matrix_clock_cycles, 0);
    ck_assert_uint_eq(a.clock_cycles, 0);
    ck_assert_uint_eq(b.sm.matrix_clock_cycles, a.sm.matrix_clock_cycles);
    ck_assert_uint_eq(b.clock_cycles, b.sm.matrix_clock_cycles);
    ck_assert_uint_eq(b.cycles, a.cycles + b.clock_cycles);
    ck_assert_double_eq_tol(b.time_us, (double)b.cycles / 1980, 1e-6);
    launch_result_finish(&a);
    launch_result_finish(&b);
}
END_TEST

/* Each beginning costs a microsecond and each end half of one, 1,980 and 990 cycles; the kernel stores after its last
 * product. */
START_TEST(beginnings_and_ends)
{
    struct launch_result r = run("matmul_triton", NULL, 0, moments);
    ck_assert_uint_gt(r.sm.matrix_clock_downs, 0);
    ck_assert_uint_eq(r.clock_cycles, r.sm.matrix_clock_downs * (1980 + 990));
    launch_result_finish(&r);
}
END_TEST

/* Where all GPCs multiply, none counts what the others lose: the time grows, the cycles hardly. */
START_TEST(all_gpcs)
{
    static const char *const blocks[] = {"m=2048", "n=1024", "k=64"}; /* 128 */
    struct launch_result a = run("gemm_mma", blocks, 3, whole), b = run("gemm_mma", blocks, 3, halved);
    double more_us = b.time_us - a.time_us, more_cycles = (double)(b.cycles - a.cycles);
    ck_assert_uint_eq(b.cycles - b.clock_cycles, a.cycles);
    ck_assert_double_gt(more_us, 0.05 * a.time_us);
    ck_assert_double_lt(more_cycles, 0.5 * more_us * 1980);
    launch_result_finish(&a);
    launch_result_finish(&b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("gpcclock");
    TCase *t = tcase_create("gpcclock");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, one_block);
    tcase_add_test(t, beginnings_and_ends);
    tcase_add_test(t, all_gpcs);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
