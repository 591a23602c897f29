/* The report from a hand-made result: layout, hints that speak only when they should, JSON, CSV, HTML. */
#include "cli/report.h"

#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { NPC = 4 };
struct fake {
    struct config *c;
    struct program program;
    struct program *programs[1];
    struct kernel kernel;
    struct inst code[NPC];
    struct spec spec;
    struct spec_launch launch;
    struct spec_buffer buffer;
    struct spec_expect expect;
    struct launch_result result;
    struct simulation s;
};

/* A memory-bound kernel without faults. */
static struct fake *fake_new(void)
{
    struct fake *f = xcalloc(1, sizeof *f);
    struct error err = {0};
    f->c = xcalloc(1, sizeof *f->c);
    ck_assert(config_load(f->c, "tiny", NULL, 0, &err));
    for (int i = 0; i < NPC; i++)
        f->code[i] = (struct inst){.op = OP_EXIT, .guard = PT, .line = 10 + (uint32_t)i};
    f->kernel = (struct kernel){.name = "copy", .code = f->code, .n = NPC, .nreg = 16};
    f->program = (struct program){.path = "copy.cubin", .arch = ARCH_SM90, .kernels = &f->kernel, .nkernel = 1};
    f->programs[0] = &f->program;
    f->launch = (struct spec_launch){.kernel = &f->kernel};
    f->buffer = (struct spec_buffer){.name = "y"};
    f->expect = (struct spec_expect){.verdict = {.checked = true, .ok = true, .sha256 = "ab"}};
    f->spec = (struct spec){.name = "copy",
                            .launches = &f->launch,
                            .nlaunch = 1,
                            .programs = f->programs,
                            .nprogram = 1,
                            .buffers = &f->buffer,
                            .nbuffer = 1,
                            .expects = &f->expect,
                            .nexpect = 1};
    struct launch_result *r = &f->result;
    *r = (struct launch_result){.cycles = 10000,
                                .overhead_cycles = 0,
                                .time_us = 10,
                                .nsm = 2,
                                .nmp = 2,
                                .npc = NPC,
                                .grid = {64, 1, 1},
                                .block = {128, 1, 1},
                                .regs = 16,
                                .waves = 8};
    strcpy(r->kernel, "copy");
    ck_assert(occupancy_of(f->c, 128, 16, 0, 1, &r->occupancy, &err));
    r->sms = xcalloc(2, sizeof *r->sms);
    r->mps = xcalloc(2, sizeof *r->mps);
    r->pcs = xalloc_aligned(NPC * sizeof *r->pcs, HOST_LINE);
    for (int i = 0; i < 2; i++)
        r->sms[i] = (struct sm_counters){
            .cycles_active = 9900, .inst_executed = 1280, .blocks_launched = 32, .global_ld_sectors = 1024};
    r->sm = (struct sm_counters){.cycles_active = 19800,
                                 .warps_active = 316800,
                                 .issue_active = 2560,
                                 .inst_executed = 2560,
                                 .thread_inst = 81920,
                                 .thread_inst_pred_on = 81920,
                                 .global_ld_requests = 512,
                                 .global_ld_sectors = 2048,
                                 .branches = 10,
                                 .branches_uniform = 10};
    r->sm.stall[STALL_selected] = 2560;
    r->sm.stall[STALL_long_scoreboard] = 314240;
    r->mp = (struct mp_counters){
        .l2_reads = 2048, .dram_reads = 4000, .l2_fills = 4000, .dram_row_hits = 3900, .dram_row_misses = 100};
    r->pcs[1] = (struct pc_counters){
        .executed = 512, .thread_executed = 16384, .thread_pred_on = 16384, .sectors = 2048, .sectors_ideal = 2048};
    r->pcs[2] = (struct pc_counters){.executed = 512, .thread_executed = 16384, .thread_pred_on = 16384};
    r->pcs[2].stall[STALL_long_scoreboard] = 314240;
    launch_result_ratios(f->c, r);
    f->s = (struct simulation){.config = f->c,
                               .spec = &f->spec,
                               .results = r,
                               .judged = true,
                               .outputs_ok = true,
                               .host_seconds = 2,
                               .host_bytes = 1000000};
    return f;
}

static void fake_free(struct fake *f)
{
    launch_result_finish(&f->result);
    free(f->c);
    free(f);
}

static char *text_of(struct fake *f)
{
    struct sb out = {0};
    launch_result_ratios(f->c, &f->result);
    const struct common everything = {.full = true};
    report_text(&f->s, &everything, false, &out);
    return out.text;
}

START_TEST(sections_come_in_the_profilers_order_and_fit_the_page)
{
    struct fake *f = fake_new();
    char *text = text_of(f);
    static const char *const order[] = {"copy  grid 64, block 128, on tiny",
                                        "GPU speed of light",
                                        "Launch",
                                        "Occupancy",
                                        "Compute workload",
                                        "Memory workload",
                                        "Scheduler",
                                        "Warp states",
                                        "Divergence",
                                        "Hottest instructions",
                                        "Workload distribution",
                                        "Outputs",
                                        "copy on tiny: 10,000 cycles, 10.00 us"};
    const char *at = text;
    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        at = strstr(at, order[i]);
        ck_assert_msg(at, "no '%s' in order in\n%s", order[i], text);
    }
    if (getenv("SHOW"))
        puts(text);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") <= 112, "too wide: %.*s", (int)strcspn(line, "\n"), line);
    free(text);
    fake_free(f);
}
END_TEST

START_TEST(the_bound_is_named)
{
    struct fake *f = fake_new();
    char *text = text_of(f);
    ck_assert_msg(strstr(text, "> DRAM-bound: 80 % of its peak"), "%s", text);
    free(text);
    f->result.overhead_cycles = 9000;
    text = text_of(f);
    ck_assert(strstr(text, "> Launch-bound: 90 % of the time"));
    free(text);
    f->result.overhead_cycles = 0;
    f->result.mp.dram_reads = 100;
    text = text_of(f);
    ck_assert(strstr(text, "> Latency-bound"));
    free(text);
    fake_free(f);
}
END_TEST

START_TEST(hints_speak_only_when_it_matters)
{
    struct fake *f = fake_new();
    char *text = text_of(f);
    ck_assert(!strstr(text, "Bank conflicts"));
    ck_assert(!strstr(text, "lanes are active: branches"));
    ck_assert(!strstr(text, "sectors are more than the bytes need"));
    ck_assert(strstr(text, "99 % of the warp cycles are long_scoreboard: the DRAM bandwidth"));
    free(text);
    f->result.sm.shared_wavefronts = 3200;
    f->result.sm.shared_wavefronts_ideal = 100;
    f->result.pcs[1].wavefronts = 3200;
    f->result.pcs[1].wavefronts_ideal = 100;
    f->result.pcs[1].sectors = 16384;
    f->result.sm.thread_inst = f->result.sm.thread_inst_pred_on = 2560 * 16;
    f->result.sm.branches_uniform = 5;
    text = text_of(f);
    ck_assert(strstr(text, "Bank conflicts: 97 % of the wavefronts are excess"));
    ck_assert(strstr(text, "On average 16.0 of 32 lanes are active: branches split"));
    ck_assert(strstr(text, "88 % of the global sectors are more than the bytes need"));
    free(text);
    fake_free(f);
}
END_TEST

START_TEST(what_is_not_modelled_is_not_zero)
{
    struct fake *f = fake_new();
    struct sb out = {0};
    report_csv(&f->s, &out);
    ck_assert(
        strstr(out.text, "\"0\",\"copy\",\"\",\"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum\",\"\",\"n/m\"\n"));
    ck_assert(strstr(out.text, "\"0\",\"copy\",\"\",\"dram__sectors_read.sum\",\"sector\",\"4000\"\n"));
    sb_finish(&out);
    fake_free(f);
}
END_TEST

START_TEST(json_has_its_stable_keys)
{
    struct fake *f = fake_new();
    struct sb out = {0};
    struct error err = {0};
    ck_assert(report_json(&f->s, "copy", true, &out, &err));
    json_t *root = json_loads(out.text, 0, NULL), *l = json_array_get(json_object_get(root, "launches"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(root, "config")), "tiny");
    ck_assert_int_eq(json_integer_value(json_object_get(l, "cycles")), 10000);
    ck_assert_double_eq(json_real_value(json_object_get(l, "time_us")), 10);
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(l, "counters"), "dram__sectors_read.sum")),
                     4000);
    ck_assert(json_is_null(
        json_object_get(json_object_get(l, "counters"), "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")));
    ck_assert(json_is_true(json_object_get(json_object_get(json_object_get(root, "outputs"), "y"), "ok")));
    ck_assert_double_eq(json_number_value(json_object_get(json_object_get(root, "host"), "seconds")), 2);
    json_decref(root);
    sb_finish(&out);
    ck_assert(report_json(&f->s, "copy", false, &out, &err));
    ck_assert(!strstr(out.text, "\"host\""));
    sb_finish(&out);
    fake_free(f);
}
END_TEST

START_TEST(html_is_escaped)
{
    struct fake *f = fake_new();
    struct sb out = {0};
    report_html(&f->s, "a<b>&c", &out);
    ck_assert(strstr(out.text, "a&lt;b&gt;&amp;c"));
    ck_assert(!strstr(out.text, "a<b>"));
    ck_assert(!strstr(out.text, "http") && !strstr(out.text, "<script") &&
              !strstr(out.text, "src=")); /* nothing beside the file */
    ck_assert(strstr(out.text, "What warps wait for") && strstr(out.text, "<h3>Code</h3>"));
    sb_finish(&out);
    fake_free(f);
}
END_TEST

START_TEST(numbers_for_people)
{
    static const struct {
        double v;
        const char *text;
    } rows[] = {{0, "0"},      {1234567, "1,234,567"}, {-1234, "-1,234"}, {999, "999"},
                {0.5, "0.50"}, {12345.67, "12,345.7"}, {0.0012, "0.0012"}};
    char out[32];
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        number(out, rows[i].v);
        ck_assert_str_eq(out, rows[i].text);
    }
    scaled(out, 67108864, "B");
    ck_assert_str_eq(out, "67.1 MB");
    scaled(out, 12, "B");
    ck_assert_str_eq(out, "12 B");
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("report");
    tcase_add_test(t, sections_come_in_the_profilers_order_and_fit_the_page);
    tcase_add_test(t, the_bound_is_named);
    tcase_add_test(t, hints_speak_only_when_it_matters);
    tcase_add_test(t, what_is_not_modelled_is_not_zero);
    tcase_add_test(t, json_has_its_stable_keys);
    tcase_add_test(t, html_is_escaped);
    tcase_add_test(t, numbers_for_people);
    Suite *s = suite_create("report");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
