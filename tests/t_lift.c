/* Lifting loses nothing: a kernel lifted to KIR text and assembled again takes the same cycles and leaves the same
 * bytes; without its scheduling fields it runs under the scoreboard to the same bytes. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/workloads.h"

static struct config machine;

/* Puts every program of the spec through text. */
static void through_text(struct spec *s, bool strip)
{
    struct error err = {0};
    for (uint32_t i = 0; i < s->nprogram; i++) {
        struct sb text = {0};
        kir_print(s->programs[i], strip, &text);
        struct program *p = kir_assemble("lifted.kir", text.text, &err);
        ck_assert_msg(p != NULL, "%s", err.text);
        sb_finish(&text);
        for (uint32_t l = 0; l < s->nlaunch; l++)
            if (s->launches[l].program == i)
                s->launches[l].kernel = program_kernel(p, s->launches[l].kernel_name, &err);
        program_free(s->programs[i]);
        s->programs[i] = p;
    }
}

struct outcome {
    cycle cycles;
    char sha256[65];
};

static struct outcome run(const char *name, bool lift, bool strip)
{
    struct error err = {0};
    struct outcome out = {0};
    struct gpu_options o = {.threads = 1};
    struct spec *s = spec_load(name, &(struct spec_options){.arch = ARCH_SM90}, &err);
    ck_assert_msg(s && spec_link(s, &err), "%s", err.text);
    if (lift)
        through_text(s, strip);
    struct gpu *g = gpu_new(&machine, &o, &err);
    struct launch_result *r = xcalloc(s->nlaunch, sizeof *r);
    bool ok = g && spec_place(s, g, &err) && gpu_run(g, s->sim, s->nlaunch, r, &err) && spec_collect(s, g, &err);
    ck_assert_msg(ok, "%s: %s", name, err.text);
    if (lift) /* it is the text that ran */
        ck_assert(s->sim[0].kernel == s->launches[0].kernel &&
                  s->programs[0]->kernels[0].code[0].sched.present == !strip);
    struct sb all = {0};
    for (uint32_t i = 0; i < s->nlaunch; i++) {
        out.cycles += r[i].cycles;
        launch_result_finish(&r[i]);
    }
    for (uint32_t i = 0; i < s->nexpect; i++)
        sb_add(&all, s->expects[i].verdict.sha256);
    sha256_hex(all.text, all.len, out.sha256);
    sb_finish(&all);
    gpu_free(g);
    spec_free(s);
    free(r);
    return out;
}

static const char *const names[] = {"vecadd",     "gelu",      "reduce", "softmax",
                                    "divergence", "histogram", "flash",  "matmul_triton"};

START_TEST(lifted)
{
    struct outcome machine_code = run(names[_i], false, false), text = run(names[_i], true, false),
                   bare = run(names[_i], true, true);
    ck_assert_str_eq(machine_code.sha256, text.sha256);
    ck_assert_uint_eq(machine_code.cycles, text.cycles);
    ck_assert_str_eq(machine_code.sha256, bare.sha256);
}
END_TEST

int main(void)
{
    struct error err = {0};
    if (!config_load(&machine, "h200", NULL, 0, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_FAILURE;
    }
    Suite *s = suite_create("lift");
    TCase *t = tcase_create("lift");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, lifted, 0, (int)ARRAY_LEN(names));
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
