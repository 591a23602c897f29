/* What the lessons claim, in numbers: idle lanes of odd blocks, the cost of divergence, what fusion saves, and that a
 * program lifted to text is the same program. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/workloads.h"

struct outcome { /* of one spec, launches summed */
    cycle cycles;
    double sectors_read, sectors_written, left_dirty;
    uint64_t warps, thread_inst, inst, float_inst;
    char sha256[65];
};

static void load_config(struct config *c, const char *name)
{
    struct error err = {0};
    ck_assert_msg(config_load(c, name, NULL, 0, &err), "%s", err.text);
}

static void sum_up(struct outcome *o, const struct launch_result *r, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        o->cycles += r[i].cycles;
        o->sectors_read += (double)r[i].mp.dram_reads;
        o->sectors_written += (double)r[i].mp.dram_writes;
        o->left_dirty = (double)r[i].mp.l2_dirty_end;
        o->warps += r[i].sm.warps_launched;
        o->thread_inst += r[i].sm.thread_inst;
        o->inst += r[i].sm.inst_executed;
        o->float_inst += r[i].sm.op_executed[OP_FFMA] + r[i].sm.op_executed[OP_FADD] + r[i].sm.op_executed[OP_FMUL];
    }
}

/* Runs the spec (and frees it); its outputs must be right. */
static struct outcome run_spec(const struct config *c, struct spec *s)
{
    struct error err = {0};
    struct outcome o = {.cycles = 0};
    struct gpu *g = gpu_new(c, &(struct gpu_options){.threads = 1}, &err);
    struct launch_result *r = xcalloc(s->nlaunch, sizeof *r);
    ck_assert_msg(g && spec_place(s, g, &err) && gpu_run(g, s->sim, s->nlaunch, r, &err) && spec_collect(s, g, &err),
                  "%s", err.text);
    for (uint32_t i = 0; i < s->nexpect; i++)
        ck_assert_msg(!s->expects[i].verdict.checked || s->expects[i].verdict.ok, "%s: %s", s->name,
                      s->expects[i].verdict.text);
    sum_up(&o, r, s->nlaunch);
    if (s->nexpect)
        memcpy(o.sha256, s->expects[0].verdict.sha256, sizeof o.sha256);
    for (uint32_t i = 0; i < s->nlaunch; i++)
        launch_result_finish(&r[i]);
    free(r);
    gpu_free(g);
    spec_free(s);
    return o;
}

static struct spec *load(const char *name, const char *a, const char *b)
{
    struct error err = {0};
    const char *const sizes[] = {a, b};
    struct spec *s = spec_load(name, &(struct spec_options){.sizes = sizes, .nsize = (a != NULL) + (b != NULL)}, &err);
    ck_assert_msg(s != NULL, "%s", err.text);
    return s;
}

static struct outcome run(const char *config, const char *name, const char *a, const char *b)
{
    struct config *c = xcalloc(1, sizeof *c);
    load_config(c, config);
    struct outcome o = run_spec(c, load(name, a, b));
    free(c);
    return o;
}

START_TEST(a_block_of_33_threads_is_two_warps_or_one_wave)
{
    struct outcome o = run("h200", "vecadd_odd_block", NULL, NULL);
    ck_assert_uint_eq(o.warps, 2 * 128);
    ck_assert_uint_eq(o.thread_inst * 2, o.inst * 33); /* 33 lanes in two warps */

    struct config *c = xcalloc(1, sizeof *c);
    struct error err = {0};
    load_config(c, "wave64");
    char *dir = path_join(workload_dir(), "vecadd");
    struct spec *s = spec_parse("odd.yaml", dir,
                                "params: {n: 4224}\nprogram: vecadd.kir\nlaunch: {grid: n/33, block: 33}\nbuffers:\n"
                                "  x: {type: f32, count: n, init: {uniform: [-1, 1]}, seed: 1}\n"
                                "  y: {type: f32, count: n, init: {uniform: [-1, 1]}, seed: 2}\n"
                                "  z: {type: f32, count: n, init: poison}\n"
                                "args: [x, y, z, {u32: n}]\nexpect: {z: {reference: vecadd}}\n",
                                NULL, &err);
    ck_assert_msg(s != NULL, "%s", err.text);
    o = run_spec(c, s);
    ck_assert_uint_eq(o.warps, 128);
    ck_assert_uint_eq(o.thread_inst, o.inst * 33); /* 31 lanes idle */
    free(dir);
    free(c);
}
END_TEST

START_TEST(divergent_lanes_issue_both_ways)
{
    struct outcome both = run("tiny", "divergence_long", "n=4096", "rounds=64");
    struct outcome halves = run("tiny", "divergence_long_halves", "n=4096", "rounds=64");
    struct outcome one = run("tiny", "divergence_long_warps", "n=4096", "rounds=64");
    ck_assert_uint_eq(both.float_inst, 2 * one.float_inst);
    ck_assert_uint_eq(halves.float_inst, 2 * one.float_inst);
    double times = (double)both.cycles / (double)one.cycles;
    ck_assert_msg(times >= 1.8 && times <= 2.0, "both ways take %.3f times as long", times);
}
END_TEST

/* n elements of 4 bytes are n / 8 sectors. The arrays are larger than tiny's L2, so each kernel's pass is seen. */
START_TEST(fusion_saves_passes_over_memory)
{
    const double pass = 65536.0 / 8;
    struct outcome fused = run("tiny", "gelu", "n=65536", NULL), chain = run("tiny", "gelu_chain", "n=65536", NULL);
    ck_assert_double_eq_tol(fused.sectors_read, pass, 0.5);
    ck_assert_double_eq_tol(fused.sectors_written + fused.left_dirty, pass, 0.5);
    ck_assert_double_eq_tol(chain.sectors_read, 13 * pass, 0.002 * pass);
    ck_assert_double_eq_tol(chain.sectors_written + chain.left_dirty, 9 * pass, 0.002 * pass);

    fused = run("h200", "gelu", NULL, NULL); /* small arrays stay in L2 */
    ck_assert_double_eq_tol(fused.sectors_written, 0, 0.5);
}
END_TEST

/* The program as text, kept where the build lies. */
static char *lifted(const char *cubin, bool strip)
{
    struct error err = {0};
    struct sb text = {0};
    const char *build = getenv("HEDDLE_BUILD_DIR");
    struct program *p = program_load(cubin, &err);
    ck_assert_msg(p != NULL, "%s", err.text);
    kir_print(p, strip, &text);
    char *path = xasprintf("%s/lifted-%d.kir", build ? build : ".", strip);
    ck_assert_msg(file_write(path, text.text, text.len, &err), "%s", err.text);
    program_free(p);
    sb_finish(&text);
    return path;
}

static struct outcome run_lifted(const struct config *c, const char *name, bool strip)
{
    struct spec *s = load(name, NULL, NULL);
    char *path = lifted(s->program_paths[0], strip);
    free(s->program_paths[0]);
    s->program_paths[0] = path;
    return run_spec(c, s);
}

START_TEST(lifted_programs_run_to_the_same_cycle)
{
    const char *const names[] = {"gelu", "reduce", "histogram", "divergence_long", "softmax", "flash"};
    struct config *c = xcalloc(1, sizeof *c);
    load_config(c, "h200");
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct outcome machine = run_spec(c, load(names[i], NULL, NULL)), text = run_lifted(c, names[i], false);
        ck_assert_msg(machine.cycles == text.cycles, "%s: %llu cycles, lifted %llu", names[i],
                      (unsigned long long)machine.cycles, (unsigned long long)text.cycles);
        ck_assert_str_eq(machine.sha256, text.sha256);
        struct outcome stripped = run_lifted(c, names[i], true);
        ck_assert_str_eq(machine.sha256, stripped.sha256);
    }
    free(c);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("lessons");
    tcase_set_timeout(t, 200);
    tcase_add_test(t, a_block_of_33_threads_is_two_warps_or_one_wave);
    tcase_add_test(t, divergent_lanes_issue_both_ways);
    tcase_add_test(t, fusion_saves_passes_over_memory);
    tcase_add_test(t, lifted_programs_run_to_the_same_cycle);
    Suite *s = suite_create("lessons");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
