/* Kernels of awkward operands over all instruction families: the machine code that ran on a real GPU gives the same
 * words here. workloads/micro/ops/ops.answers holds a hash of each word's 4096 answers on an H200; with the recording
 * itself beside it (ops.answers.bin, see answers.cu) the differing words are named. */
#include <check.h>

#include "tests/functional.h"
#include "workloads/micro/ops/kernels.h"

enum { IN_BASE = 0x10000, OUT_BASE = 0x200000 };

static char *path_of(const char *name)
{
    const char *root = getenv("HEDDLE_SOURCE_DIR");
    return xasprintf("%s/workloads/micro/ops/%s", root ? root : ".", name);
}

START_TEST(same_answers)
{
    struct error err = {0};
    char *cubin = path_of("ops.sm_90.cubin"), *answers = path_of("ops.answers.bin");
    struct program *p = program_load(cubin, &err);
    ck_assert_msg(p, "%s", err.text);
    uint8_t *want = NULL;
    size_t len = 0, at = 0;
    bool have = file_read(answers, &want, &len, &err);
    static uint32_t in[OPS_INPUTS], out[OPS_THREADS * 32];
    ops_inputs(in);
    struct source hashes;
    char *list = path_of("ops.answers"), *line;
    ck_assert_msg(source_read(&hashes, list, &err), "%s", err.text);
    line = hashes.text;
    uint32_t bad_kernels = 0;
    for (uint32_t k = 0; k < OPS_KERNELS; k++) {
        struct func *f = xcalloc(1, sizeof *f);
        struct kernel *kernel = program_kernel(p, ops_kernels[k].name, &err);
        ck_assert_msg(kernel, "%s", err.text);
        f->mem[0] = (struct func_memory){IN_BASE, (uint8_t *)in, sizeof in};
        f->mem[1] = (struct func_memory){OUT_BASE, (uint8_t *)out, sizeof out};
        f->nmem = 2;
        uint64_t args[] = {IN_BASE, OUT_BASE};
        memcpy(f->bank0 + arch_info(p->arch)->param_base, args, sizeof args);
        memset(out, 0, sizeof out);
        bool ok = func_run(f, kernel, p->arch, 32, 128);
        if (!ok)
            fprintf(stderr, "%s: %s\n", ops_kernels[k].name, f->why);
        uint32_t n = ops_kernels[k].words, wrong[64] = {0};
        for (uint32_t i = 0; have && i < OPS_THREADS * n && at + 4 * (i + 1) <= len; i++) {
            uint32_t w;
            memcpy(&w, want + at + 4 * i, 4);
            if (w != out[i] && wrong[i % n]++ < 3) {
                uint32_t t = i / n;
                fprintf(stderr, "%s word %u, thread %u (a %08x b %08x c %08x): %08x, the GPU says %08x\n",
                        ops_kernels[k].name, i % n, t, in[t / 64], in[t % 64], in[64 + t], out[i], w);
            }
        }
        for (uint32_t i = 0; i < n; i++)
            if (wrong[i] && (ok = false, true))
                fprintf(stderr, "%s word %u: %u wrong\n", ops_kernels[k].name, i, wrong[i]);
        for (uint32_t i = 0; i < n; i++) {
            char name[64];
            unsigned word;
            unsigned long long want_hash, h = 0xcbf29ce484222325;
            ck_assert(sscanf(line, "%63s %u %llx", name, &word, &want_hash) == 3 &&
                      !strcmp(name, ops_kernels[k].name) && word == i);
            line = strchr(line, '\n') + 1;
            for (uint32_t t = 0; t < OPS_THREADS; t++)
                h = (h ^ out[t * n + i]) * 0x100000001b3;
            if (h != want_hash && (ok = false, true))
                fprintf(stderr, "%s word %u: the answers differ from the GPU's\n", name, word);
        }
        at += (size_t)4 * OPS_THREADS * n;
        bad_kernels += !ok;
        free(f);
    }
    ck_assert_uint_eq(bad_kernels, 0);
    free(want);
    free(list);
    source_finish(&hashes);
    program_free(p);
    free(cubin);
    free(answers);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("exec_gpu");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, same_answers);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
