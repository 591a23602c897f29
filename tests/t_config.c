/* Hardware configs: every shipped file loads, every kind of mistake is one error at its exact place. */
#include "sim/mempart.h"
#include "sim/sim.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static void load(struct config *c, const char *name, const char *const *sets, size_t n)
{
    struct error err = {0};
    if (!config_load(c, name, sets, n, &err))
        ck_abort_msg("%s", err.text);
}

/* First line of the error that loading gives. */
static const char *failure(const char *name, const char *const *sets, size_t n)
{
    static struct error err;
    struct config *c = xcalloc(1, sizeof *c);
    err = (struct error){0};
    ck_assert_msg(!config_load(c, name, sets, n, &err), "%s loads", name);
    free(c);
    ck_assert_int_eq(err.status, EXIT_BAD_INPUT);
    char *nl = strchr(err.text, '\n');
    if (nl)
        *nl = 0;
    return err.text;
}

static const char *bad_file(const char *text)
{
    struct error err = {0};
    if (!file_write("t_config.tmp.yaml", text, strlen(text), &err))
        ck_abort_msg("%s", err.text);
    const char *e = failure("t_config.tmp.yaml", NULL, 0);
    remove("t_config.tmp.yaml");
    return e;
}

static const char *bad_set(const char *set)
{
    return failure("tiny", &set, 1);
}

START_TEST(every_shipped_config_loads)
{
    char **names = config_names();
    size_t n = 0;
    for (; names[n]; n++) {
        struct config *c = xcalloc(1, sizeof *c);
        load(c, names[n], NULL, 0);
        struct error err = {0};
        ck_assert(config_check(c, &err));
        ck_assert_uint_eq(c->window_cycles, c->noc_latency_cycles);
        ck_assert(c->nsm >= 1 && c->ntpc * c->sms_per_tpc == c->nsm);
        free(c);
    }
    ck_assert_uint_ge(n, 2);
    config_dirs_free(names);
}
END_TEST

START_TEST(h200_is_the_documented_part)
{
    struct config *c = xcalloc(1, sizeof *c);
    load(c, "h200", NULL, 0);
    ck_assert_uint_eq(c->nsm, 132);
    ck_assert_uint_eq(c->ngpc, 8);
    struct peaks p = config_peaks(c);
    ck_assert_double_eq_tol(p.fp32 / 1e12, 66.9, 0.05);
    ck_assert_double_eq_tol(p.fp16 / 1e12, 133.8, 0.1);
    ck_assert_double_eq_tol(p.fp64 / 1e12, 33.5, 0.05);
    ck_assert_double_eq_tol(p.tensor16 / 1e12, 1070,
                            1); /* at 1,980 MHz; the data sheet's 989 is at its boost of 1,830 */
    ck_assert_double_eq_tol(p.dram / 1e9, 4814, 1);
    /* the driver's 60 MiB are 96 slices, of which 94 are there */
    ck_assert_uint_eq((uint64_t)96 * c->l2_sets * c->l2_ways * c->l2_line_bytes, 62914560);
    ck_assert_uint_eq(half_of_sm(c, 0), half_of_sm(c, 12)); /* GPCs 0 and 6, measured; 66 SMs a half */
    uint32_t first = 0;
    for (uint32_t i = 0; i < c->nsm; i++)
        first += half_of_sm(c, i) == 0;
    ck_assert_uint_eq(first, 66);
    ck_assert_uint_eq(c->memory_bytes, 143771ull << 20);
    /* measured placement: SMs 0 and 16 share GPC 0, 12 and 120 GPC 6, 128 belongs to GPC 0 */
    ck_assert_uint_eq(c->gpc_of_sm[0], c->gpc_of_sm[16]);
    ck_assert_uint_eq(c->gpc_of_sm[12], c->gpc_of_sm[120]);
    ck_assert_uint_eq(c->gpc_of_sm[128], 0);
    ck_assert_uint_eq(c->tpc_of_sm[131], 65);
    free(c);
}
END_TEST

START_TEST(overrides_win_and_are_checked)
{
    struct config *c = xcalloc(1, sizeof *c);
    const char *sets[] = {"l2.ways=8", "sm.issue.policy=gto", "name=mine", "launch.order=[1, 0]",
                          "sm.operands.reuse_cache=false"};
    load(c, "tiny", sets, ARRAY_LEN(sets));
    ck_assert_uint_eq(c->l2_ways, 8);
    ck_assert_int_eq(c->policy, POLICY_GTO);
    ck_assert_str_eq(c->name, "mine");
    ck_assert_uint_eq(c->launch_order[0], 1);
    ck_assert(!c->reuse_cache);
    free(c);
    ck_assert_str_eq(bad_set("l2.wayz=8"), "--set:1:1: unknown parameter 'l2.wayz'; did you mean 'l2.ways'?");
    ck_assert_str_eq(bad_set("l2.ways=many"), "--set:1:9: 'many' is not a whole number");
    ck_assert_str_eq(bad_set("l2.ways=0"), "--set:1:9: l2.ways: 0 is out of range 1 to 128 ways");
    ck_assert_str_eq(bad_set("l2.ways"), "--set:1:1: expected path=value");
    ck_assert_str_eq(bad_set("l2.ways="), "--set:1:9: l2.ways: no readable value after '='");
    ck_assert_str_eq(bad_set("l2.slices=3"), "--set:1:11: l2.slices: 3 slices do not divide among 2 memory partitions");
    ck_assert_str_eq(bad_set("launch.order=[1, 2]"), "--set:1:14: launch.order: there is no SM 2");
    ck_assert_str_eq(bad_set("launch.order=[0, 9999]"), "--set:1:18: launch.order: 9999 is out of range 0 to 1023 SM");
}
END_TEST

START_TEST(mistakes_in_a_file_have_their_place)
{
    ck_assert_str_eq(bad_file("base: tiny\nsm: {max_wraps: 4}\n"),
                     "t_config.tmp.yaml:2:6: unknown parameter 'sm.max_wraps'; did you mean 'sm.max_warps'?");
    ck_assert_str_eq(bad_file("base: tiny\nsm:\n  max_warps: few\n"),
                     "t_config.tmp.yaml:3:14: 'few' is not a whole number");
    ck_assert_str_eq(bad_file("base: tiny\nsm:\n  max_warps: 1000\n"),
                     "t_config.tmp.yaml:3:14: sm.max_warps: 1000 is out of range 1 to 64 warps");
    ck_assert_str_eq(bad_file("base: tiny\nsm: 4\n"), "t_config.tmp.yaml:2:5: sm: expected a map of parameters");
    ck_assert_str_eq(bad_file("base: tiny\nsm:\n  divergence: none\n"),
                     "t_config.tmp.yaml:3:15: sm.divergence: 'none' is not one of its, stack");
    ck_assert_str_eq(bad_file("base: tiny\ntopology: {tpcs_per_gpc: 2}\n"),
                     "t_config.tmp.yaml:2:26: topology.tpcs_per_gpc: expected a list, as [1, 2]");
    ck_assert_str_eq(bad_file("base: tiny\nl2:\n  ways: 4\n  ways: 8\n"),
                     "t_config.tmp.yaml:4:3: 'ways' is given twice (first on line 3)");
    ck_assert_str_eq(bad_file("base: tinny\n"), "t_config.tmp.yaml:1:7: base 'tinny' not found");
    ck_assert_str_eq(bad_file("base: t_config.tmp.yaml\n"),
                     "./t_config.tmp.yaml:1:7: more than 8 files inherit from one another: a circle?");
    ck_assert_str_eq(bad_file("- 1\n"), "t_config.tmp.yaml:1:1: expected a map of parameters");
    const char *e = bad_file("name: x\nclocks: {sm_mhz: 1000}\n");
    ck_assert_msg(strncmp(e, "t_config.tmp.yaml:1:1: 'isa' is missing: ", 41) == 0, "%s", e);
}
END_TEST

START_TEST(impossible_machines_are_refused_where_they_are_written)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"sm: {warp_size: 48}", "2:17: sm.warp_size: a warp has 32 or 64 lanes, not 48"},
        {"sm: {warp_size: 64}",
         "2:17: sm.warp_size: machine code is 32 lanes wide; a 64-lane part runs KIR only (isa: 0)"},
        {"sm: {max_warps: 18}", "2:17: sm.max_warps: 18 warps do not divide among 4 sub-cores"},
        {"sm: {max_threads_per_block: 1024}",
         "2:29: sm.max_threads_per_block: a block of 1024 threads does not fit in 16 warps of 32 lanes"},
        {"sm: {registers: 16385}",
         "2:17: sm.registers: 16385 registers do not divide among 4 sub-cores in rows of 32 lanes"},
        {"sm: {shared: {banks: 31}}", "2:22: sm.shared.banks: 31 is no power of two"},
        {"sm: {shared: {carveouts_kb: [0, 8, 8]}}",
         "2:29: sm.shared.carveouts_kb: 8 KiB does not come after 8 KiB in rising order"},
        {"sm: {l1: {ways: 7}}", "2:17: sm.l1.ways: 320 lines of the array are no whole number of sets of 7"},
        {"l2: {memory_partitions: 3}", NULL},
        {"dram: {channels: 5}", "2:18: dram.channels: 5 channels do not divide among 2 memory partitions"},
        {"topology: {gpc_of_tpc: [1]}", "2:24: topology.gpc_of_tpc: TPC 0 is in GPC 1, but there are only 1 GPCs"},
        {"interconnect: {coalesce_cycles: 21, latency_cycles: 20}",
         "2:33: interconnect.coalesce_cycles: reads meet for 21 cycles, longer than interconnect.latency_cycles, 20"},
        {"launch: {order: [0, 0]}", "2:17: launch.order: SM 0 appears twice"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[256], want[256];
        snprintf(text, sizeof text, "base: tiny\n%s\n", cases[i].text);
        const char *e = bad_file(text);
        snprintf(want, sizeof want, "t_config.tmp.yaml:%s", cases[i].error ? cases[i].error : "");
        if (cases[i].error)
            ck_assert_str_eq(e, want);
        else /* the value to blame stands in the base */
            ck_assert_msg(strstr(e, "tiny.yaml:") && strstr(e, "l2.slices: 2 slices do not divide"), "%s", e);
    }
}
END_TEST

START_TEST(a_wrong_name_is_answered_with_the_nearest)
{
    ck_assert_str_eq(failure("h20", NULL, 0), "no config 'h20'; did you mean 'h200'?");
    const char *e = failure("nosuchthing", NULL, 0);
    ck_assert_msg(strstr(e, "there are: ") && strstr(e, "tiny"), "%s", e);
    e = failure("./missing.yaml", NULL, 0);
    ck_assert_msg(strstr(e, "missing.yaml"), "%s", e);
}
END_TEST

START_TEST(explain_and_diff_name_the_figures)
{
    struct config *a = xcalloc(1, sizeof *a), *b = xcalloc(1, sizeof *b);
    const char *set = "l2.ways=8";
    load(a, "tiny", NULL, 0);
    load(b, "tiny", &set, 1);
    struct sb out = {0};
    config_diff(a, b, &out);
    ck_assert_str_eq(out.text, "l2.ways                                4 -> 8 ways\n");
    sb_finish(&out);
    config_explain(a, &out);
    ck_assert(strstr(out.text, "window L                           40 cycles"));
    ck_assert(strstr(out.text, "shared 20, L1 20, L2 120, DRAM about 320 cycles"));
    sb_finish(&out);
    free(a);
    free(b);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("config");
    tcase_add_test(t, every_shipped_config_loads);
    tcase_add_test(t, h200_is_the_documented_part);
    tcase_add_test(t, overrides_win_and_are_checked);
    tcase_add_test(t, mistakes_in_a_file_have_their_place);
    tcase_add_test(t, impossible_machines_are_refused_where_they_are_written);
    tcase_add_test(t, a_wrong_name_is_answered_with_the_nearest);
    tcase_add_test(t, explain_and_diff_name_the_figures);
    Suite *s = suite_create("config");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
