/* Whole kernels against a real GPU: every workload whose outputs must be the measured ones (expect: measured), and a
 * few more, give the bytes that the H200 gave. With names as arguments only those; the quick run leaves out the few
 * that take longest. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/forms.h"
#include "workloads/workloads.h"

static char **only;
static size_t nonly;

static bool wanted(const char *name)
{
    static const char *const long_ones[] = {"kernels_roots64",       "kernels_sort_each",  "kernels_solve",
                                            "kernels_nbody",         "kernels_reductions", "kernels_relay",
                                            "kernels_float_atomics", "practice_pairs"};
    for (size_t i = 0; i < nonly; i++)
        if (strcmp(only[i], name) == 0)
            return true;
    for (size_t i = 0; i < ARRAY_LEN(long_ones); i++)
        if (strcmp(long_ones[i], name) == 0)
            return false;
    return nonly == 0;
}

/* Others whose sums have one order only, or that are checked against a recorded sum elsewhere, so that their bytes can
 * be compared too. */
static bool also(const char *name)
{
    static const char *const list[] = {
        "flash",      "gemm_mma",      "gemm_wgmma",      "gemm_fp8_wgmma",    "async_barrier",
        "async_bulk", "async_cluster", "async_registers", "async_tensor_load", "async_tensor_store"};
    for (size_t i = 0; i < ARRAY_LEN(list); i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

static const struct measured *record_of(const struct measured_set *m, const char *name)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->records[i].name, name) == 0 && strcmp(m->records[i].size, "default") == 0)
            return &m->records[i];
    return NULL;
}

static bool judged(const struct spec *s)
{
    bool any = also(s->name);
    for (uint32_t i = 0; i < s->nexpect; i++)
        any = any || s->expects[i].measured;
    return any;
}

/* Number of outputs that differ, each named. */
static uint32_t differing(const struct spec *s, const struct measured *m)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < s->nexpect; i++) {
        const char *buffer = s->buffers[s->expects[i].buffer].name;
        const struct measured_output *gpu = m ? measured_output_of(m, buffer) : NULL;
        bool compared = s->expects[i].measured || also(s->name);
        if (!compared || (gpu && strcmp(gpu->sha256, s->expects[i].verdict.sha256) == 0))
            continue;
        fprintf(stderr, "%s: %s %s\n", s->name, buffer, gpu ? "differs from the GPU's" : "was not recorded");
        bad++;
    }
    return bad;
}

/* What ran in it is proven if nothing differs. */
static void note_forms(struct forms *f, const struct spec *s, const struct launch_result *r)
{
    for (uint32_t i = 0; i < s->nlaunch; i++)
        for (uint32_t k = 0; k < r[i].npc; k++)
            if (r[i].pcs[k].thread_pred_on)
                forms_add(f, FORMS_KERNELS, &s->sim[i].kernel->code[k]);
}

static uint32_t run_one(const struct config *c, const char *name, const struct measured_set *m, uint32_t *ran,
                        struct forms *f)
{
    struct error err = {0};
    struct spec *s = spec_load(name, &(struct spec_options){.arch = ARCH_SM90}, &err);
    ck_assert_msg(s != NULL, "%s", err.text);
    if (!judged(s)) {
        spec_free(s);
        return 0;
    }
    struct gpu *g = gpu_new(c, &(struct gpu_options){.threads = 2}, &err);
    struct launch_result *r = xcalloc(s->nlaunch, sizeof *r);
    bool ok = g && spec_place(s, g, &err) && gpu_run(g, s->sim, s->nlaunch, r, &err) && spec_collect(s, g, &err);
    if (!ok)
        fprintf(stderr, "%s: %s\n", name, err.text);
    uint32_t bad = ok ? differing(s, record_of(m, name)) : 1;
    if (!bad)
        note_forms(f, s, r);
    for (uint32_t i = 0; i < s->nlaunch; i++)
        launch_result_finish(&r[i]);
    free(r);
    gpu_free(g);
    spec_free(s);
    ++*ran;
    return bad;
}

static void add_cubin(struct forms *f, enum form_source from, const char *file)
{
    struct error err = {0};
    char *path = path_join(workload_dir(), file);
    struct program *p = program_load(path, &err);
    ck_assert_msg(p != NULL, "%s", err.text);
    forms_add_program(f, from, p);
    program_free(p);
    free(path);
}

static void add_trials(struct forms *f, const char *root)
{
    struct error err = {0};
    struct trials s = {0};
    char *path = xasprintf("%s/tests/data/trials_sm_90.z", root);
    ck_assert_msg(trials_read(&s, path, &err), "%s", err.text);
    forms_add_trials(f, &s);
    free(s.t);
    free(path);
}

/* The conformance kernels, the tiles and the trials are judged by their own tests; here they are counted. */
static void check_proof(struct forms *f)
{
    struct sb text = {0};
    struct source kept;
    struct error err = {0};
    const char *root = getenv("HEDDLE_SOURCE_DIR"), *how = getenv("HEDDLE_PROOF");
    char *path = xasprintf("%s/isa/proof.def", root ? root : ".");
    add_cubin(f, FORMS_OPS, "micro/ops/ops.sm_90.cubin");
    add_cubin(f, FORMS_TILES, "micro/tiles/tiles.sm_90a.cubin");
    add_trials(f, root ? root : ".");
    forms_print(f, &text);
    if (how && strcmp(how, "write") == 0)
        ck_assert_msg(file_write(path, text.text, text.len, &err), "%s", err.text);
    ck_assert_msg(source_read(&kept, path, &err), "%s", err.text);
    ck_assert_msg(strcmp(kept.text, text.text) == 0,
                  "isa/proof.def does not say what ran: HEDDLE_PROOF=write tests/t_kernels makes it again");
    source_finish(&kept);
    sb_finish(&text);
    free(path);
}

START_TEST(bytes_of_the_gpu)
{
    struct error err = {0};
    struct config *c = xcalloc(1, sizeof *c);
    struct measured_set m = {0};
    size_t n = 0;
    uint32_t bad = 0, ran = 0;
    struct forms *f = xcalloc(1, sizeof *f);
    ck_assert_msg(config_load(c, "h200", NULL, 0, &err) && measured_load(&m, workload_dir(), "h200", &err), "%s",
                  err.text);
    struct spec_entry *list = spec_list(&n, &err);
    ck_assert_msg(list != NULL, "%s", err.text);
    for (size_t i = 0; i < n; i++)
        if (!list[i].micro && wanted(list[i].name))
            bad += run_one(c, list[i].name, &m, &ran, f);
    printf("%u kernels or chains of kernels, %u outputs wrong\n", ran, bad);
    ck_assert_uint_eq(bad, 0);
    ck_assert_uint_ge(ran, nonly ? nonly : 60);
    if (!nonly)
        check_proof(f);
    forms_free(f);
    free(f);
    spec_list_free(list, n);
    measured_finish(&m);
    free(c);
}
END_TEST

int main(int argc, char **argv)
{
    only = argv + 1;
    nonly = (size_t)argc - 1;
    TCase *t = tcase_create("kernels");
    tcase_set_timeout(t, 600);
    tcase_add_test(t, bytes_of_the_gpu);
    Suite *s = suite_create("kernels");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
