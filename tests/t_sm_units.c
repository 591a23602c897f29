/* Units and operand ports, cycle by cycle, on `tiny`: cycles below count from the first issue. */
#include "tests/sm_fake.h"

static struct script x;

static const struct sm_counters *counters(void)
{
    return sm_counters(x.sm);
}

/* ---- units ------------------------------------------------------------------------------------------------- */
START_TEST(half_wide_unit_takes_two_cycles)
{
    script_begin(&x, NULL, 0);
    for (int i = 0; i < 4; i++)
        add(&x, OP_IADD3, 10 + i, 2, 3, NONE);
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    ck_assert_str_eq(trace(&x, -1), "0@0 0@2 0@4 0@6 0@7");
    check_sums(&x);
    ck_assert_uint_eq(counters()->stall[STALL_math_pipe_throttle], 3);
    script_end(&x);
}
END_TEST

/* Both halves of the fma pipe take FFMA; one of them also IMAD: two FFMA and one IMAD go in 1, 1, 1. */
START_TEST(imad_and_ffma_share_the_heavy_half)
{
    script_begin(&x, NULL, 0);
    add(&x, OP_IMAD, 10, 2, 3, NONE);
    fma3(&x, 11, 2, 3, 5);
    add(&x, OP_IMAD, 12, 2, 3, NONE);
    add(&x, OP_IMAD, 13, 2, 3, NONE);
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    ck_assert_str_eq(trace(&x, -1), "0@0 0@1 0@2 0@4 0@5");
    script_end(&x);
}
END_TEST

/* Interval 8 and a queue of 2: the first three go at once, then one every 8 cycles. */
START_TEST(xu_queue_fills)
{
    script_begin(&x, NULL, 0);
    for (int i = 0; i < 5; i++)
        add(&x, OP_MUFU, 10 + i, 2, NONE, NONE)->sched.wr_sb = 0;
    fma3(&x, 20, 10, 3, 5)->sched.wait = 1;
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    ck_assert_str_eq(trace(&x, -1), "0@0 0@1 0@2 0@8 0@16 0@48 0@49"); /* the last starts at 32, is ready at 48 */
    check_sums(&x);
    ck_assert_uint_eq(counters()->stall[STALL_mio_throttle], 5 + 7);
    script_end(&x);
}
END_TEST

/* One that follows another without a pause comes 2 cycles later; one that found the unit idle does not. */
START_TEST(xu_behind_another)
{
    const char *set = "sm.units.xu.behind_more_cycles=2";
    for (int gap = 0; gap <= 1; gap++) {
        script_begin(&x, &set, 1);
        struct inst *first = add(&x, OP_MUFU, 10, 2, NONE, NONE);
        first->sched.wr_sb = 1;
        first->sched.stall = (uint8_t)(8 + gap);
        struct inst *second = add(&x, OP_MUFU, 11, 2, NONE, NONE);
        second->sched.wr_sb = 0;
        second->sched.stall = 2;
        fma3(&x, 20, 11, 3, 5)->sched.wait = 1;
        exit_inst(&x);
        script_run(&x, 1, 1000, 1000);
        ck_assert_str_eq(trace(&x, -1), gap ? "0@0 0@9 0@25 0@26" : "0@0 0@8 0@26 0@27");
        check_sums(&x);
        script_end(&x);
    }
}
END_TEST

/* Reductions over lanes pass one after another, whichever sub-cores they come from: 8 cycles each. */
START_TEST(redux_is_of_the_sm)
{
    for (uint32_t nwarp = 1; nwarp <= 4; nwarp++) {
        script_begin(&x, NULL, 0);
        add(&x, OP_REDUX, 4, 2, NONE, NONE)->sched.wr_sb = 0;
        add(&x, OP_REDUX, 5, 3, NONE, NONE)->sched.wr_sb = 0;
        fma3(&x, 20, 2, 3, 5)->sched.wait = 1;
        exit_inst(&x);
        script_run(&x, nwarp, 1000, 1000);
        struct sm_view v;
        sm_view_get(x.sm, &v);
        cycle begin = v.issues[0].time, end = 0;
        for (size_t i = 0; i < v.nissue; i++)
            end = v.issues[i].time > end ? v.issues[i].time : end;
        ck_assert_uint_eq(end - begin, 8 * (2 * nwarp - 1) + 20 + 1);
        script_end(&x);
    }
}
END_TEST

/* ---- operands ----------------------------------------------------------------------------------------------- */
/* 12 FFMA of one warp with two (three) sources in one bank: one (two) cycles more each, once the window is full. */
static cycle span(int a, int b, int c, uint8_t reuse)
{
    script_begin(&x, NULL, 0);
    for (int i = 0; i < 12; i++)
        fma3(&x, 20 + i, a, b, c)->sched.reuse = reuse;
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    struct sm_view v;
    sm_view_get(x.sm, &v);
    cycle n = v.issues[11].time - v.issues[3].time;
    check_sums(&x);
    script_end(&x);
    return n;
}

START_TEST(bank_conflicts)
{
    ck_assert_uint_eq(span(2, 3, 5, 0), 16); /* odd bank twice: 2 cycles each */
    ck_assert_uint_eq(span(2, 3, 3, 0), 8);  /* one read serves both (16 warps of such FFMA run so on an H200) */
    ck_assert_uint_eq(span(3, 2, 3, 0), 8);
    ck_assert_uint_eq(span(3, 3, 3, 0), 8);
    ck_assert_uint_eq(span(2, 4, 2, 0), 16);
    ck_assert_uint_eq(span(2, 3, RZ, 0), 8); /* none */
    ck_assert_uint_eq(span(2, 4, 5, 0), 16);
    ck_assert_uint_eq(span(2, 4, 6, 0), 24);
    ck_assert_uint_eq(span(2, 4, 6, 7), 8); /* all from the reuse cache */
    ck_assert_uint_eq(span(2, 4, 6, 1), 16);
}
END_TEST

START_TEST(single_conflict_hides_in_the_window)
{
    script_begin(&x, NULL, 0);
    fma3(&x, 20, 2, 4, 5);
    fma3(&x, 21, 3, 5, 6);
    fma3(&x, 22, 2, 3, RZ);
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    ck_assert_str_eq(trace(&x, -1), "0@0 0@1 0@2 0@3");
    script_end(&x);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sm units");
    TCase *t = tcase_create("units");
    tcase_add_test(t, half_wide_unit_takes_two_cycles);
    tcase_add_test(t, imad_and_ffma_share_the_heavy_half);
    tcase_add_test(t, xu_queue_fills);
    tcase_add_test(t, xu_behind_another);
    tcase_add_test(t, redux_is_of_the_sm);
    tcase_add_test(t, bank_conflicts);
    tcase_add_test(t, single_conflict_hides_in_the_window);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
