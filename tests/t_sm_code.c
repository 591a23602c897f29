/* Small KIR programs on the whole machine: what the SM does to values and to time, by cases with known answers. */
#include "sim/sim.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct run {
    struct config config;
    struct program *program;
    struct gpu *gpu;
    struct launch_result r;
    struct error err;
    uint32_t out[4096];
    bool ok;
};
static struct run x;

/* Runs `text` (one kernel with the parameter `out`) with the given block and grid; out is zero before. */
static void go(const char *config, const char *text, uint32_t grid, uint32_t block, const char *const *sets,
               size_t nset)
{
    struct error err = {0};
    memset(&x, 0, sizeof x);
    ck_assert_msg(config_load(&x.config, config, sets, nset, &err), "%s", err.text);
    x.program = kir_assemble("test.kir", text, &err);
    ck_assert_msg(x.program, "%s", err.text);
    struct gpu_options o = {.max_cycles = 10000000};
    x.gpu = gpu_new(&x.config, &o, &err);
    ck_assert_msg(x.gpu, "%s", err.text);
    uint64_t out;
    ck_assert(gpu_alloc(x.gpu, "out", sizeof x.out, &out, &err));
    ck_assert(gpu_write(x.gpu, out, x.out, sizeof x.out, &err));
    ck_assert_msg(gpu_load(x.gpu, x.program, &err), "%s", err.text);
    struct launch l = {.program = x.program,
                       .kernel = &x.program->kernels[0],
                       .grid = {grid, 1, 1},
                       .block = {block, 1, 1},
                       .params = &out,
                       .param_bytes = 8};
    x.ok = gpu_run(x.gpu, &l, 1, &x.r, &x.err);
    if (x.ok)
        ck_assert(gpu_read(x.gpu, out, x.out, sizeof x.out, &err));
}
static void done(void)
{
    launch_result_finish(&x.r);
    gpu_free(x.gpu);
    program_free(x.program);
}
static uint64_t reasons(const struct sm_counters *c)
{
    uint64_t sum = 0;
    for (int i = 0; i < STALL_COUNT; i++)
        sum += c->stall[i];
    return sum;
}
static void identities(void)
{
    ck_assert_msg(x.ok, "%s", x.err.text);
    ck_assert_uint_eq(reasons(&x.r.sm), x.r.sm.warps_active);
    ck_assert_uint_eq(x.r.sm.stall[STALL_selected], x.r.sm.inst_executed);
    uint64_t n = 0, op = 0, unit = 0;
    for (uint32_t i = 0; i < x.r.npc; i++)
        n += x.r.pcs[i].executed;
    for (int i = 0; i < OP_COUNT; i++)
        op += x.r.sm.op_executed[i];
    for (int i = 0; i < UNIT_COUNT; i++)
        unit += x.r.sm.unit_issued[i];
    ck_assert_uint_eq(n, x.r.sm.inst_executed);
    ck_assert_uint_eq(op, n);
    ck_assert_uint_eq(unit, n);
    ck_assert_uint_le(x.r.sm.thread_inst_pred_on, x.r.sm.thread_inst);
    ck_assert_uint_le(x.r.sm.thread_inst, n * x.config.warp_size);
}

#define STORE_R1                                                                                                       \
    "    S2R %t, SR_TID.X\n    MOV %four, 4\n    IMAD.WIDE %p, %t, %four, c[out]\n    STG.E [%p], %r\n    EXIT\n"

/* ---- patched stall counts ------------------------------------------------------------------------------- */
/* r = 1; r = r + 1; r' = r + r: with the right stall counts 4. */
static const char *patched(int stall)
{
    static char text[2048];
    snprintf(text, sizeof text,
             ".kernel k\n.param out ptr\n"
             "    S2R R0, SR_TID.X {stall 1, wr 0}\n"
             "    MOV R2, 0x3f800000 {stall 5, wait 0}\n"
             "    FADD R2, R2, 1.0 {stall %d}\n"
             "    FADD R3, R2, R2 {stall 5}\n"
             "    MOV R4, 4 {stall 6}\n"
             "    IMAD.WIDE R6, R0, R4, c[out] {stall 6}\n"
             "    STG.E [R6], R3 {stall 1}\n"
             "    EXIT {stall 5}\n",
             stall);
    return text;
}

START_TEST(stale_value_below_the_latency)
{
    const char *stale[] = {"sm.hazards=stale"};
    static const float want[] = {2.0f, 2.0f, 2.0f, 4.0f, 4.0f};
    for (int stall = 1; stall <= 5; stall++) {
        go("tiny", patched(stall), 1, 32, stale, 1);
        identities();
        float got;
        memcpy(&got, &x.out[7], 4);
        ck_assert_msg(got == want[stall - 1], "stall %d: %g", stall, (double)got);
        done();
    }
}
END_TEST

START_TEST(fault_below_the_latency)
{
    go("tiny", patched(3), 1, 32, NULL, 0);
    ck_assert(!x.ok);
    ck_assert_int_eq(x.err.status, EXIT_FAILED);
    ck_assert_ptr_nonnull(strstr(x.err.text, "reads R2 1 cycle(s) before the result of pc 0x20"));
    ck_assert_ptr_nonnull(strstr(x.err.text, "test.kir:6"));
    done();
    go("tiny", patched(4), 1, 32, NULL, 0);
    identities();
    done();
}
END_TEST

/* ---- latency and throughput (cases L1 to L5) ------------------------------------------------------------------ */
static char body[65536];
static const char *repeat(const char *head, const char *step, int n, const char *tail)
{
    size_t k = (size_t)snprintf(body, sizeof body, ".kernel k\n.param out ptr\n%s", head);
    for (int i = 0; i < n; i++)
        k += (size_t)snprintf(body + k, sizeof body - k, "%s", step);
    snprintf(body + k, sizeof body - k, "%s", tail);
    return body;
}
/* Cycles of a step of straight code between two readings of the clock, warp 0 of a block of `warps`. */
static double cycles_a_step(const char *config, const char *step, int n, uint32_t warps)
{
    go(config,
       repeat("    S2R %t, SR_TID.X\n    MOV R20, 0x3f800000\n    MOV R21, 0x3f800000\n    MOV R22, 0x3f800000\n    "
              "MOV R23, 0x3f800000\n"
              "    MOV R24, 0x3f800000\n    MOV R25, 0x3f800000\n    MOV R26, 0\n    MOV R27, 0\n    MOV R30, 3\n"
              "again:\n    BAR.SYNC 0\n    CS2R.32 R10, SR_CLOCKLO\n",
              step, n,
              "    BAR.SYNC 0\n    CS2R.32 R11, SR_CLOCKLO\n    IADD3 R30, R30, -1, RZ\n    ISETP.NE.AND P0, PT, R30, "
              "RZ, PT\n"
              "    @P0 BRA again\n    IADD3 %r, R11, -R10, RZ\n    MOV %four, 4\n    IMAD.WIDE %p, %t, %four, c[out]\n"
              "    STG.E [%p], %r\n    EXIT\n"),
       1, warps * 32, NULL, 0);
    identities();
    double c = (double)x.out[0] / n;
    done();
    return c;
}
static void near(double got, double want, double share)
{
    ck_assert_msg(fabs(got - want) <= share * want, "%g, expected %g", got, want);
}

START_TEST(dependent_chains)
{
    near(cycles_a_step("h200", "    FFMA R20, R20, R21, R22\n", 400, 1), 4, 0.1);
    near(cycles_a_step("h200", "    IMAD R20, R20, R21, R22\n", 400, 1), 4, 0.1);
    near(cycles_a_step("h200", "    IADD3 R20, R20, R21, RZ\n", 400, 1), 4, 0.1);
    near(cycles_a_step("h200", "    DFMA R20, R20, R22, R24\n", 400, 1), 8, 0.05);
    near(cycles_a_step("h200", "    MUFU.EX2 R20, R20\n", 400, 1), 17, 0.03);
}
END_TEST

START_TEST(four_chains_fill_the_pipe)
{
    const char *four = "    FFMA R20, R20, R23, RZ\n    FFMA R21, R21, R24, RZ\n    FFMA R22, R22, R23, RZ\n    FFMA "
                       "R25, R25, R24, RZ\n";
    near(cycles_a_step("h200", four, 100, 4) / 4, 1, 0.12);                            /* one warp a sub-core, ILP 4 */
    near(cycles_a_step("h200", "    FFMA R20, R20, R23, RZ\n", 400, 16) / 4, 1, 0.08); /* 16 warps of an SM, ILP 1 */
    near(cycles_a_step("h200", "    IADD3 R20, R20, R21, RZ\n", 200, 32) / 8, 2, 0.05);
    near(cycles_a_step("h200", "    DMUL R20, R20, R22\n", 200, 32) / 8, 2, 0.05);
    near(cycles_a_step("h200", "    MUFU.EX2 R20, R20\n", 100, 32) / 8, 8,
         0.15); /* the last warps are alone with their latency */
    near(cycles_a_step("h200", "    SHFL.BFLY PT, R20, R20, 1, 0x1f\n", 100, 32) / 32, 1, 0.05);
}
END_TEST

START_TEST(barrier_cost)
{
    static const struct {
        uint32_t warps;
        double cycles;
    } h200[] = {{1, 13.91}, {4, 19.84}, {8, 27.75}, {16, 43.56}, {32, 75.88}};
    for (size_t i = 0; i < 5; i++)
        near(cycles_a_step("h200", "    BAR.SYNC 0\n", 100, h200[i].warps), h200[i].cycles, 0.12);
}
END_TEST

/* ---- divergence (cases D1, D2, D4, D8, D10, D11) ---------------------------------------------------------------- */
START_TEST(both_sides_are_issued)
{
    const char *text = ".kernel k\n.param out ptr\n    S2R %t, SR_TID.X\n    LOP3.LUT %odd, %t, 1, RZ, 0xc0, !PT\n"
                       "    ISETP.NE.AND P0, PT, %odd, RZ, PT\n    @P0 BRA b\n    MOV %r, 10\n    BRA join\n"
                       "b:\n    MOV %r, 20\njoin:\n    MOV %four, 4\n    IMAD.WIDE %p, %t, %four, c[out]\n    STG.E "
                       "[%p], %r\n    EXIT\n";
    go("tiny", text, 1, 32, NULL, 0);
    identities();
    for (uint32_t i = 0; i < 32; i++)
        ck_assert_uint_eq(x.out[i], i & 1 ? 20 : 10);
    ck_assert_uint_eq(x.r.pcs[4].thread_executed, 16); /* MOV 10 */
    ck_assert_uint_eq(x.r.pcs[6].thread_executed, 16); /* MOV 20 */
    ck_assert_uint_eq(x.r.pcs[7].thread_executed, 32); /* together again */
    ck_assert_uint_eq(x.r.pcs[3].divergent, 1);
    done();
}
END_TEST

START_TEST(trip_count_of_the_lane)
{
    const char *text = ".kernel k\n.param out ptr\n    S2R %t, SR_TID.X\n    IADD3 %n, %t, 1, RZ\n    MOV %r, 0\n"
                       "loop:\n    IADD3 %r, %r, 1, RZ\n    IADD3 %n, %n, -1, RZ\n    ISETP.NE.AND P0, PT, %n, RZ, "
                       "PT\n    @P0 BRA loop\n"
                       "    MOV %four, 4\n    IMAD.WIDE %p, %t, %four, c[out]\n    STG.E [%p], %r\n    EXIT\n";
    go("tiny", text, 1, 32, NULL, 0);
    identities();
    ck_assert_uint_eq(x.r.pcs[3].executed, 32);
    ck_assert_uint_eq(x.r.pcs[3].thread_executed, 528);
    for (uint32_t i = 0; i < 32; i++)
        ck_assert_uint_eq(x.out[i], i + 1);
    done();
}
END_TEST

/* A lock that the lanes of one warp take in turn. Volta and later finish; on a stack the winner waits for the losers.
 */
static const char lock[] =
    ".kernel k\n.param out ptr\n    MOV %one, 1\n    MOV %zero, 0\n    MOV %base, c[out]\n    MOV %high, c[out+4]\n"
    "    MOV R40, %base\n    MOV R41, %high\n    BSSY B0, out\n"
    "spin:\n    ATOMG.E.CAS.STRONG.GPU PT, %old, [R40], %zero, %one\n    ISETP.NE.AND P0, PT, %old, RZ, PT\n    @P0 "
    "BRA spin\n"
    "    LDG.E.STRONG.GPU %v, [R40+4]\n    IADD3 %v, %v, 1, RZ\n    STG.E.STRONG.GPU [R40+4], %v\n    MEMBAR.SC.GPU\n"
    "    ATOMG.E.EXCH.STRONG.GPU PT, %old, [R40], %zero\nout:\n    BSYNC B0\n    EXIT\n";

START_TEST(lane_lock)
{
    go("tiny", lock, 1, 32, NULL, 0);
    ck_assert_msg(x.ok, "%s", x.err.text);
    ck_assert_uint_eq(x.out[1], 32);
    done();
    const char *stack[] = {"sm.divergence=stack"};
    go("tiny", lock, 1, 32, stack, 1);
    ck_assert(!x.ok);
    ck_assert_int_eq(x.err.status, EXIT_NO_PROGRESS);
    done();
}
END_TEST

/* A long loop that changes no memory is no livelock, whichever register counts its turns. */
START_TEST(counting_is_progress)
{
    char text[512];
    snprintf(text, sizeof text,
             ".kernel k\n.param out ptr\n    MOV R%d, 0\nloop:\n    IADD3 R%d, R%d, 1, RZ\n"
             "    ISETP.LT.AND P0, PT, R%d, 20000, PT\n    @P0 BRA loop\n    EXIT\n",
             _i, _i, _i, _i);
    go("tiny", text, 1, 32, NULL, 0);
    ck_assert_msg(x.ok, "R%d: %s", _i, x.err.text);
    ck_assert_uint_gt(x.r.cycles, 100000); /* longer than it takes to suspect one */
    done();
}
END_TEST

/* Nor are sums on one word that take long after the last of them was sent. */
START_TEST(sums_under_way_are_progress)
{
    go("h200",
       ".kernel k\n.param out ptr\n    MOV R4, c[out]\n    MOV R5, c[out+4]\n    MOV %one, 1\n    MOV %n, 0\nloop:\n"
       "    RED.E.ADD.STRONG.GPU [R4], %one\n    IADD3 %n, %n, 1, RZ\n    ISETP.LT.AND P0, PT, %n, 64, PT\n"
       "    @P0 BRA loop\n    EXIT\n",
       4, 512, NULL, 0);
    ck_assert_msg(x.ok, "%s", x.err.text);
    ck_assert_uint_eq(x.out[0], 4 * 512 * 64);
    ck_assert_uint_gt(x.r.cycles, 150000);
    done();
}
END_TEST

/* Nor is one whose warps are, whenever one looks, at a barrier that opens soon, or wait for a result on its way; the
 * second is longer than a test of an mbarrier may be repeated in vain. */
START_TEST(waiting_in_passing_is_progress)
{
    static const struct {
        const char *step;
        uint32_t turns, least_cycles;
    } loops[] = {{"BAR.SYNC 0", 20000, 100000}, {"MUFU.EX2 R2, R2", 200000, 4100000}};
    char text[512];
    snprintf(text, sizeof text,
             ".kernel k\n.param out ptr\n    MOV R1, 0\n    MOV R2, 0\nloop:\n    %s\n"
             "    LOP3.LUT R2, R2, 0, RZ, 0xc0, !PT\n    IADD3 R1, R1, 1, R2\n    ISETP.LT.AND P0, PT, R1, %u, PT\n    "
             "@P0 BRA loop\n    EXIT\n",
             loops[_i].step, loops[_i].turns);
    go("tiny", text, 1, 64, NULL, 0);
    ck_assert_msg(x.ok, "%s: %s", loops[_i].step, x.err.text);
    ck_assert_uint_gt(x.r.cycles, loops[_i].least_cycles);
    done();
}
END_TEST

START_TEST(barrier_in_half_a_warp_is_told)
{
    const char *text =
        ".kernel k\n.param out ptr\n    S2R %t, SR_TID.X\n    ISETP.LT.AND P0, PT, %t, 16, PT\n    @P0 BRA a\n"
        "    BAR.SYNC 0\n    EXIT\na:\n    BAR.SYNC 0\n    EXIT\n";
    go("tiny", text, 1, 64, NULL, 0);
    ck_assert(!x.ok);
    ck_assert_ptr_nonnull(strstr(x.err.text, "barrier reached by part of the warp"));
    done();
}
END_TEST

START_TEST(exited_threads_do_not_count)
{
    const char *text =
        ".kernel k\n.param out ptr\n    S2R %t, SR_TID.X\n    ISETP.GE.AND P0, PT, %t, 48, PT\n    @P0 EXIT\n"
        "    BAR.SYNC 0\n    MOV %r, 7\n    MOV %four, 4\n    IMAD.WIDE %p, %t, %four, c[out]\n    STG.E [%p], %r\n    "
        "EXIT\n";
    go("tiny", text, 1, 128, NULL, 0);
    identities();
    for (uint32_t i = 0; i < 64; i++)
        ck_assert_uint_eq(x.out[i], i < 48 ? 7 : 0);
    done();
}
END_TEST

START_TEST(barrier_that_is_not_met_is_a_deadlock)
{
    const char *text =
        ".kernel k\n.param out ptr\n    S2R %t, SR_TID.X\n    ISETP.GE.AND P0, PT, %t, 32, PT\n    @P0 BRA b\n"
        "    BAR.SYNC 1\n    EXIT\nb:\n    BAR.SYNC 2\n    EXIT\n";
    go("tiny", text, 1, 64, NULL, 0);
    ck_assert(!x.ok);
    ck_assert_int_eq(x.err.status, EXIT_NO_PROGRESS);
    ck_assert_ptr_nonnull(strstr(x.err.text, "barrier 1 has 1 of 2 warps"));
    ck_assert_ptr_nonnull(strstr(x.err.text, "waits at the barrier"));
    done();
}
END_TEST

/* Two named barriers: 32 threads produce, 32 consume, twice. */
START_TEST(producer_and_consumer)
{
    const char *text =
        ".kernel k\n.param out ptr\n.shared box 256\n    S2R %t, SR_TID.X\n    MOV %four, 4\n    LOP3.LUT %l, %t, 31, "
        "RZ, 0xc0, !PT\n"
        "    IMAD %a, %l, %four, box\n    ISETP.GE.AND P0, PT, %t, 32, PT\n    @P0 BRA consume\n"
        "    IADD3 %v, %l, 100, RZ\n    STS [%a], %v\n    BAR.ARV 1, 64\n    BAR.SYNC 2, 64\n    IADD3 %v, %l, 200, "
        "RZ\n"
        "    STS [%a], %v\n    BAR.ARV 1, 64\n    EXIT\n"
        "consume:\n    BAR.SYNC 1, 64\n    LDS %x, [%a]\n    BAR.ARV 2, 64\n    BAR.SYNC 1, 64\n    LDS %y, [%a]\n"
        "    IADD3 %r, %x, %y, RZ\n    IMAD.WIDE %p, %l, %four, c[out]\n    STG.E [%p], %r\n    EXIT\n";
    go("tiny", text, 1, 64, NULL, 0);
    identities();
    for (uint32_t i = 0; i < 32; i++)
        ck_assert_uint_eq(x.out[i], 300 + 2 * i);
    done();
}
END_TEST

/* ---- policies, width
 * ------------------------------------------------------------------------------------------------- */
START_TEST(policies_change_time_and_not_values)
{
    static const char *const names[] = {"cggty", "gto", "lrr", "oldest", "two_level"};
    static uint32_t first[4096];
    cycle cycles[5];
    uint32_t differ = 0;
    const char *text = ".kernel k\n.param out ptr\n    S2R %t, SR_TID.X\n    MOV %four, 4\n    IMAD.WIDE %p, %t, "
                       "%four, c[out]\n    MOV %n, 12\n"
                       "    MOV %r, %t\nloop:\n    LDG.E %v, [%p]\n    MUFU.EX2 %e, %v\n    IMAD %r, %r, 5, %t\n    "
                       "IADD3 %r, %r, %v, RZ\n"
                       "    IADD3 %n, %n, -1, RZ\n    ISETP.NE.AND P0, PT, %n, RZ, PT\n    @P0 BRA loop\n    STG.E "
                       "[%p], %r\n    EXIT\n";
    for (int i = 0; i < 5; i++) {
        char set[64];
        const char *sets[] = {set};
        snprintf(set, sizeof set, "sm.issue.policy=%s", names[i]);
        go("tiny", text, 1, 512, sets, 1);
        identities();
        if (i == 0)
            memcpy(first, x.out, sizeof first);
        ck_assert_mem_eq(first, x.out, sizeof first);
        cycles[i] = x.r.cycles;
        differ += i > 0 && cycles[i] != cycles[0];
        done();
    }
    ck_assert_uint_gt(differ, 0);
}
END_TEST

START_TEST(waves_of_64)
{
    const char *wide[] = {"sm.warp_size=64", "isa=0"};
    const char *text = ".kernel k\n.param out ptr\n    S2R %t, SR_TID.X\n    IADD3 %r, %t, 5, RZ\n    MOV %four, 4\n"
                       "    IMAD.WIDE %p, %t, %four, c[out]\n    STG.E [%p], %r\n    EXIT\n";
    go("tiny", text, 1, 128, wide, 2);
    identities();
    ck_assert_uint_eq(x.r.sm.inst_executed, 2 * 6);
    ck_assert_uint_eq(x.r.sm.thread_inst, 128 * 6);
    for (uint32_t i = 0; i < 128; i++)
        ck_assert_uint_eq(x.out[i], i + 5);
    done();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("sm_code");
    TCase *t = tcase_create("code");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, stale_value_below_the_latency);
    tcase_add_test(t, fault_below_the_latency);
    tcase_add_test(t, dependent_chains);
    tcase_add_test(t, four_chains_fill_the_pipe);
    tcase_add_test(t, barrier_cost);
    tcase_add_test(t, both_sides_are_issued);
    tcase_add_test(t, trip_count_of_the_lane);
    tcase_add_test(t, lane_lock);
    tcase_add_test(t, barrier_in_half_a_warp_is_told);
    tcase_add_loop_test(t, counting_is_progress, 2, 64);
    tcase_add_test(t, sums_under_way_are_progress);
    tcase_add_loop_test(t, waiting_in_passing_is_progress, 0, 2);
    tcase_add_test(t, exited_threads_do_not_count);
    tcase_add_test(t, barrier_that_is_not_met_is_a_deadlock);
    tcase_add_test(t, producer_and_consumer);
    tcase_add_test(t, policies_change_time_and_not_values);
    tcase_add_test(t, waves_of_64);
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
