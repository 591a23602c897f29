/* Issue, cycle by cycle, on `tiny`: cycles below count from the first issue. */
#include "tests/sm_fake.h"

static struct script x;

static const struct sm_counters *counters(void)
{
    return sm_counters(x.sm);
}

/* ---- stall counts --------------------------------------------------------------------------------------- */
START_TEST(stall_counts_hold_one_warp)
{
    script_begin(&x, NULL, 0);
    fma3(&x, 1, 2, 3, 4)->sched.stall = 1;
    fma3(&x, 5, 2, 3, 4)->sched.stall = 4;
    fma3(&x, 6, 5, 3, 4)->sched.stall = 2;
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    ck_assert_str_eq(trace(&x, -1), "0@0 0@1 0@5 0@7");
    check_sums(&x);
    ck_assert_uint_eq(counters()->stall[STALL_wait], 3 + 1);
    script_end(&x);
}
END_TEST

START_TEST(yield_leaves_a_bubble)
{
    script_begin(&x, NULL, 0);
    fma3(&x, 1, 2, 3, 4)->sched.yield = true;
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    ck_assert_str_eq(trace(&x, -1), "0@0 0@2");
    check_sums(&x);
    script_end(&x);
}
END_TEST

START_TEST(stall_zero_with_yield_is_long)
{
    script_begin(&x, NULL, 0);
    struct inst *in = fma3(&x, 1, 2, 3, 4);
    in->sched.stall = 0;
    in->sched.yield = true;
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    ck_assert_str_eq(trace(&x, -1), "0@0 0@40");
    script_end(&x);
}
END_TEST

/* A dependent one cycle early is a fault that names both; on time it runs. */
START_TEST(dependent_at_t_minus_1_refused)
{
    for (uint8_t stall = 3; stall <= 4; stall++) {
        script_begin(&x, NULL, 0);
        fma3(&x, 1, 2, 3, 4)->sched.stall = stall;
        fma3(&x, 6, 1, 3, 4);
        exit_inst(&x);
        script_run(&x, 1, 1000, 1000);
        const struct sm_fault *f = sm_fault(x.sm);
        ck_assert_int_eq(f->set, stall == 3);
        if (f->set) {
            ck_assert_ptr_nonnull(strstr(f->text, "reads R1 1 cycle(s) before the result of pc 0x0 `FFMA` is ready"));
            ck_assert_ptr_nonnull(strstr(f->text, "kernel k, pc 0x10 `FFMA`"));
        }
        script_end(&x);
    }
}
END_TEST

/* ---- dependence counters ---------------------------------------------------------------------------------- */
static struct inst *load(int d, int a)
{
    struct inst *in = add(&x, OP_LDG, d, a, NONE, NONE);
    in->sched.wr_sb = 0;
    in->sched.stall = 2;
    return in;
}

START_TEST(counter_holds_until_the_result)
{
    script_begin(&x, NULL, 0);
    load(1, 2);
    fma3(&x, 6, 1, 3, 4)->sched.wait = 1;
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    ck_assert_str_eq(trace(&x, -1), "0@0 0@20 0@21");
    check_sums(&x);
    ck_assert_uint_eq(counters()->stall[STALL_wait], 1);
    ck_assert_uint_eq(counters()->stall[STALL_long_scoreboard], 18);
    script_end(&x);
}
END_TEST

START_TEST(sources_free_earlier)
{
    script_begin(&x, NULL, 0);
    struct inst *in = add(&x, OP_STG, NONE, 1, 2, NONE);
    in->sched.rd_sb = 3;
    in->sched.stall = 4;
    fma3(&x, 2, 5, 3, 4)->sched.wait = 1 << 3;
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    ck_assert_str_eq(trace(&x, -1), "0@0 0@10 0@11");
    check_sums(&x);
    ck_assert_uint_eq(counters()->stall[STALL_drain], 8); /* the store lasts until 20, the exit was at 11 */
    script_end(&x);
}
END_TEST

/* Raised at issue, seen scoreboard_visible_cycles = 2 later: a waiter right behind is let through, and caught. */
START_TEST(counter_is_seen_late)
{
    script_begin(&x, NULL, 0);
    load(1, 2)->sched.stall = 1;
    fma3(&x, 6, 1, 3, 4)->sched.wait = 1;
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    ck_assert(sm_fault(x.sm)->set);
    ck_assert_ptr_nonnull(strstr(sm_fault(x.sm)->text, "no dependence counter was waited for"));
    script_end(&x);
}
END_TEST

START_TEST(depbar_lets_k_remain)
{
    script_begin(&x, NULL, 0);
    load(1, 2)->sched.stall = 5;
    load(3, 2)->sched.stall = 5;
    struct inst *in = add(&x, OP_DEPBAR, NONE, NONE, NONE, NONE);
    in->opd[0] = (struct operand){.kind = OPD_SB, .reg = 0};
    in->opd[1] = (struct operand){.kind = OPD_IMM, .imm = 1};
    in->sched.stall = 4;
    fma3(&x, 6, 1, 7, 8);
    exit_inst(&x)->sched.wait = 1;
    script_run(&x, 1, 1000, 1000);
    ck_assert_str_eq(trace(&x, -1), "0@0 0@5 0@20 0@24 0@25");
    check_sums(&x);
    script_end(&x);
}
END_TEST

START_TEST(unwaited_load_is_a_fault)
{
    script_begin(&x, NULL, 0);
    load(1, 2);
    fma3(&x, 6, 1, 3, 4);
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    ck_assert(sm_fault(x.sm)->set);
    script_end(&x);
}
END_TEST

/* Results that a warp left behind when it exited are no hazard for the next one of its slot, nor are those it waited
 * for. */
START_TEST(the_next_warp_begins_anew)
{
    script_begin(&x, NULL, 0);
    fma3(&x, 6, 1, 3, 4)->sched.stall = 4;
    for (uint32_t i = 0; i < 16; i++)
        add(&x, OP_MUFU, i < 15 ? (int)(10 + i) : 1, 2, NONE, NONE); /* queue behind one another, beyond the exit */
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    ck_assert(sm_idle(x.sm) && !sm_fault(x.sm)->set);
    uint64_t issued = counters()->inst_executed;
    for (cycle t = 1000; t < 4000; t += 1000) { /* one finds results that never came, the next all in order */
        msgbox_push(sm_inbox(x.sm),
                    (struct message){.time = t + 100, .kind = MSG_BLOCK_LAUNCH, .payload = PAYLOAD_NONE});
        sm_run(x.sm, t, t + 1000);
        ck_assert(sm_idle(x.sm) && !sm_fault(x.sm)->set);
        ck_assert_uint_eq(counters()->inst_executed, issued * (uint32_t)(t / 1000 + 1));
    }
    script_end(&x);
}
END_TEST

/* ---- code without fields: scoreboard ----------------------------------------------------------------------- */
static struct inst *bare(struct inst *in)
{
    in->sched.present = false;
    return in;
}

START_TEST(scoreboard_finds_latencies)
{
    script_begin(&x, NULL, 0);
    bare(fma3(&x, 1, 2, 3, 4));
    bare(fma3(&x, 5, 1, 3, 4));          /* same unit: 4 */
    bare(add(&x, OP_IADD3, 6, 5, 3, 4)); /* another unit: 4 + 1 */
    bare(fma3(&x, 7, 8, 9, 10));         /* independent: at once */
    bare(load(11, 6));                   /* alu to lsu: 4 + 1 after the IADD3 */
    bare(fma3(&x, 12, 11, 9, 10));       /* 20 after the load */
    bare(fma3(&x, 6, 8, 9, 10));         /* the load's address was read long ago */
    bare(exit_inst(&x));
    script_run(&x, 1, 1000, 1000);
    ck_assert_str_eq(trace(&x, -1), "0@0 0@4 0@9 0@10 0@14 0@34 0@35 0@36");
    check_sums(&x);
    script_end(&x);
}
END_TEST

START_TEST(scoreboard_guards_sources)
{
    script_begin(&x, NULL, 0);
    bare(add(&x, OP_STG, NONE, 1, 2, NONE));
    bare(fma3(&x, 2, 5, 3, 4)); /* overwrites what the store still reads: 10 */
    bare(exit_inst(&x));
    script_run(&x, 1, 1000, 1000);
    ck_assert_str_eq(trace(&x, -1), "0@0 0@10 0@11");
    script_end(&x);
}
END_TEST

/* ---- who issues ------------------------------------------------------------------------------------------------ */
static const char *order(const char *policy)
{
    char set[64];
    const char *sets[] = {set};
    snprintf(set, sizeof set, "sm.issue.policy=%s", policy);
    script_begin(&x, sets, 1);
    fma3(&x, 20, 2, 3, RZ);
    fma3(&x, 21, 2, 3, RZ)->sched.stall = 3;
    fma3(&x, 22, 2, 3, RZ);
    exit_inst(&x);
    script_run(&x, 9, 1000, 1000); /* warps 0, 4 and 8 on sub-core 0 */
    check_sums(&x);
    const char *t = trace(&x, 0);
    script_end(&x);
    return t;
}

START_TEST(policies)
{
    ck_assert_str_eq(order("cggty"), "8@0 8@1 4@2 4@3 8@4 8@5 4@6 4@7 0@8 0@9 0@12 0@13");
    ck_assert_str_eq(order("gto"), "0@0 0@1 4@2 4@3 0@4 0@5 4@6 4@7 8@8 8@9 8@12 8@13");
    ck_assert_str_eq(order("oldest"), "0@0 0@1 4@2 4@3 0@4 0@5 4@6 4@7 8@8 8@9 8@12 8@13");
    ck_assert_str_eq(order("lrr"), "0@0 4@1 8@2 0@3 4@4 8@5 0@6 4@7 8@8 0@9 4@10 8@11");
    ck_assert_str_eq(order("two_level"), "0@0 0@1 4@2 4@3 0@4 0@5 4@6 4@7 8@8 8@9 8@12 8@13");
}
END_TEST

/* Three warps whose unit is half a warp wide: each keeps it through its stall counts until it yields, then whoever
 * waited longest has it. A unit that is free goes to the youngest. */
static const char *bursts(enum op op)
{
    script_begin(&x, NULL, 0);
    for (int i = 0; i < 4; i++) {
        struct inst *in = add(&x, op, 20 + i, 2, 3, NONE);
        in->sched.stall = 2;
        in->sched.yield = i == 1;
    }
    exit_inst(&x);
    script_run(&x, 9, 1000, 1000); /* warps 0, 4 and 8 on sub-core 0 */
    check_sums(&x);
    const char *t = trace(&x, 0);
    script_end(&x);
    return t;
}

START_TEST(turns_from_yield_to_yield)
{
    ck_assert_str_eq(bursts(OP_IADD3), "8@0 8@2 0@4 0@6 4@8 4@10 8@12 8@14 8@16 4@17 4@19 4@21 0@22 0@24 0@26");
    ck_assert_str_eq(bursts(OP_FADD), "8@0 4@1 8@2 4@3 8@4 4@5 8@6 4@7 8@8 4@9 0@10 0@12 0@14 0@16 0@18");
}
END_TEST

/* ---- barriers ------------------------------------------------------------------------------------------------- */
static void bar(int id, int threads, bool arrive_only)
{
    struct inst *in = add(&x, OP_BAR, NONE, NONE, NONE, NONE);
    in->opd[0] = (struct operand){.kind = OPD_IMM, .imm = id};
    in->opd[1] = (struct operand){.kind = OPD_IMM, .imm = threads};
    in->mod[MOD_BARMODE] = arrive_only ? 1 : 0;
    in->sched.stall = 5;
}

/* A warp that has arrived goes on with what has a fixed latency; its first instruction of another kind waits. */
START_TEST(fixed_latency_goes_on_behind_a_barrier)
{
    static const struct {
        enum op op;
        const char *trace;
    } next[] = {{OP_EXIT, "4@0 4@1 4@2 0@3 0@4 0@5 4@14 0@15"},
                {OP_MUFU, "4@0 4@1 4@2 0@3 0@4 0@5 4@14 4@15 0@16 0@17"},
                {OP_LDG, "4@0 4@1 4@2 0@3 0@4 0@5 4@14 4@15 0@16 0@17"}};
    for (size_t i = 0; i < ARRAY_LEN(next); i++) {
        script_begin(&x, NULL, 0);
        bar(0, 0, false);
        x.code[0].sched.stall = 1;
        fma3(&x, 20, 2, 3, RZ);
        add(&x, OP_IADD3, 21, 2, 3, NONE);
        if (next[i].op != OP_EXIT)
            add(&x, next[i].op, 22, 2, NONE, NONE)->sched.wr_sb = 0;
        exit_inst(&x);
        script_run(&x, 8, 1000, 1000);
        ck_assert_str_eq(trace(&x, 0), next[i].trace);
        check_sums(&x);
        script_end(&x);
    }
}
END_TEST

/* Behind a barrier, open or not, it is woken by the counter that its next instruction waits for. */
START_TEST(counters_wake_behind_a_barrier)
{
    script_begin(&x, NULL, 0);
    load(1, 2);
    bar(0, 0, false);
    struct inst *in = fma3(&x, 6, 1, 3, 4);
    in->sched.wait = 1;
    in->sched.stall = 6;
    in = add(&x, OP_MUFU, 7, 6, NONE, NONE);
    in->sched.wr_sb = 1;
    in->sched.stall = 2;
    fma3(&x, 8, 7, 3, 4)->sched.wait = 2;
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    ck_assert_str_eq(trace(&x, -1), "0@0 0@2 0@20 0@26 0@42 0@43");
    check_sums(&x);
    script_end(&x);
}
END_TEST

START_TEST(barrier_releases_after_the_last)
{
    script_begin(&x, NULL, 0);
    bar(0, 0, false);
    exit_inst(&x);
    script_run(&x, 8, 1000, 1000); /* on each sub-core warps at 0 and 1; arrivals at 1 and 2, release 10 later */
    ck_assert_str_eq(trace(&x, 0), "4@0 0@1 4@12 0@13");
    check_sums(&x);
    ck_assert_uint_gt(counters()->stall[STALL_barrier], 0);
    script_end(&x);
}
END_TEST

START_TEST(barrier_that_cannot_be_met_is_told)
{
    script_begin(&x, NULL, 0);
    bar(1, 96, false); /* three warps, the block has two */
    exit_inst(&x);
    script_run(&x, 2, 1000, 1000);
    ck_assert(sm_fault(x.sm)->set);
    script_end(&x);
    script_begin(&x, NULL, 0);
    bar(1, 64, false);
    bar(2, 0, false);
    bar(1, 64, false);
    exit_inst(&x);
    script_run(&x, 1, 1000, 1000);
    ck_assert(sm_fault(x.sm)->set); /* 64 threads of a block of 32 */
    script_end(&x);
}
END_TEST

/* ---- loops, fetch ------------------------------------------------------------------------------------------------ */
START_TEST(taken_branch_refills)
{
    script_begin(&x, NULL, 0);
    fma3(&x, 20, 2, 3, RZ);
    struct inst *in = add(&x, OP_BRA, NONE, NONE, NONE, NONE);
    in->opd[2].imm = 0;
    in->sched.stall = 5;
    exit_inst(&x);
    fake_loop_count = 2;
    script_run(&x, 1, 1000, 1000);
    /* target known after 5, its instruction 2 later; not taken: the stall count */
    ck_assert_str_eq(trace(&x, -1), "0@0 0@1 0@8 0@9 0@16 0@17 0@22");
    check_sums(&x);
    ck_assert_uint_eq(counters()->stall[STALL_branch_resolving] + counters()->stall[STALL_wait], 2 * 4 + 4);
    ck_assert_uint_eq(counters()->branches, 3);
    script_end(&x);
}
END_TEST

/* 512 instructions stream from memory; a second run through the loop finds them in the level-0 cache or not. */
static cycle waits_for_code(uint32_t n, const char *prefetch)
{
    const char *sets[] = {prefetch};
    script_begin(&x, sets, 1);
    for (uint32_t i = 0; i + 2 < n; i++)
        fma3(&x, 20, 2, 3, RZ)->sched.stall = 4;
    struct inst *in = add(&x, OP_BRA, NONE, NONE, NONE, NONE);
    in->opd[2].imm = 0;
    exit_inst(&x);
    fake_loop_count = 2;
    script_run(&x, 1, 20000, 20000);
    check_sums(&x);
    cycle sum = counters()->stall[STALL_no_instruction];
    script_end(&x);
    return sum;
}

START_TEST(icache_levels)
{
    const char *none = "sm.icache.prefetch_lines=0", *four = "sm.icache.prefetch_lines=4";
    /* Level 0 holds 256 instructions: the second and third pass wait for every line, 20 + 2 - 2 cycles less the lead.
     */
    ck_assert_uint_gt(waits_for_code(500, none), 2 * waits_for_code(200, none) * 500 / 400);
    /* The stream hides level-1 hits: no more waiting than in the first pass. */
    ck_assert_uint_lt(waits_for_code(500, four), waits_for_code(500, none) / 10);
}
END_TEST

/* ---- windows do not matter -------------------------------------------------------------------------------------- */
static uint64_t run_hash(cycle window)
{
    script_begin(&x, NULL, 0);
    for (int i = 0; i < 10; i++) {
        load(1, 2);
        add(&x, OP_MUFU, 12, 2, NONE, NONE)->sched.wr_sb = 1;
        fma3(&x, 6, 1, 4, 12)->sched.wait = 3;
        add(&x, OP_IADD3, 14, 2, 3, NONE)->sched.stall = 4;
        bar(0, 0, false);
    }
    exit_inst(&x);
    script_run(&x, 8, window, 4000);
    check_sums(&x);
    struct sm_view v;
    sm_view_get(x.sm, &v);
    uint64_t h = 0;
    for (size_t i = 0; i < v.nissue; i++)
        h = h * 1000003 + v.issues[i].time * 64 + v.issues[i].warp;
    const uint64_t *c = (const uint64_t *)counters();
    for (size_t i = 0; i < sizeof(struct sm_counters) / 8; i++)
        h = h * 1000003 + c[i];
    script_end(&x);
    return h;
}

START_TEST(any_window_gives_the_same)
{
    uint64_t h = run_hash(4000);
    ck_assert_uint_eq(run_hash(1), h);
    ck_assert_uint_eq(run_hash(7), h);
    ck_assert_uint_eq(run_hash(40), h);
}
END_TEST

START_TEST(constant_miss_holds_the_warp) /* by a number, and by a uniform register and a number */
{
    script_begin(&x, NULL, 0);
    fma3(&x, 20, 2, 3, RZ);
    struct inst *in = fma3(&x, 21, 2, 3, NONE);
    in->opd[3] = (struct operand){.kind = OPD_CONST, .bank = _i ? 3 : 0, .imm = 0x210};
    if (_i)
        in->opd[3].flags = OPF_HAS_UREG, in->opd[3].ureg = 4;
    exit_inst(&x);
    script_run(&x, 1, 50, 50); /* makes the SM; the block comes at 100 */
    fake_lsu->constant_ready = 400;
    sm_run(x.sm, 50, 1000);
    struct sm_view v;
    sm_view_get(x.sm, &v);
    ck_assert_uint_eq(v.issues[1].time, 400);
    check_sums(&x);
    ck_assert_uint_gt(counters()->stall[STALL_imc_miss], 100);
    script_end(&x);
}
END_TEST

START_TEST(full_memory_queue_throttles)
{
    script_begin(&x, NULL, 0);
    for (int i = 0; i < 3; i++)
        add(&x, OP_LDS, 10 + i, 2, NONE, NONE)->sched.wr_sb = 0;
    exit_inst(&x);
    script_run(&x, 1, 50, 50);
    fake_lsu->room = 3; /* completions: two a load */
    sm_run(x.sm, 50, 1000);
    ck_assert_str_eq(trace(&x, -1), "0@0 0@1 0@11 0@12");
    check_sums(&x);
    ck_assert_uint_eq(counters()->stall[STALL_mio_throttle], 9);
    script_end(&x);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("sm");
    TCase *t = tcase_create("issue");
    tcase_add_test(t, stall_counts_hold_one_warp);
    tcase_add_test(t, yield_leaves_a_bubble);
    tcase_add_test(t, stall_zero_with_yield_is_long);
    tcase_add_test(t, dependent_at_t_minus_1_refused);
    tcase_add_test(t, counter_holds_until_the_result);
    tcase_add_test(t, sources_free_earlier);
    tcase_add_test(t, counter_is_seen_late);
    tcase_add_test(t, depbar_lets_k_remain);
    tcase_add_test(t, unwaited_load_is_a_fault);
    tcase_add_test(t, scoreboard_finds_latencies);
    tcase_add_test(t, scoreboard_guards_sources);
    tcase_add_test(t, policies);
    tcase_add_test(t, turns_from_yield_to_yield);
    tcase_add_test(t, fixed_latency_goes_on_behind_a_barrier);
    tcase_add_test(t, counters_wake_behind_a_barrier);
    tcase_add_test(t, barrier_releases_after_the_last);
    tcase_add_test(t, barrier_that_cannot_be_met_is_told);
    tcase_add_test(t, taken_branch_refills);
    tcase_add_test(t, icache_levels);
    tcase_add_test(t, the_next_warp_begins_anew);
    tcase_add_test(t, any_window_gives_the_same);
    tcase_add_loop_test(t, constant_miss_holds_the_warp, 0, 2);
    tcase_add_test(t, full_memory_queue_throttles);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    SRunner *r = srunner_create(suite());
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
