/* Tensor arithmetic equals an H200's bit for bit: the kernels of workloads/micro/tiles, one for each shape and type,
 * over random, denormal, large-range, cancelling and special tiles, against the hashes of what the GPU answered. With
 * HEDDLE_TILES=FILE the results themselves are compared (the .bin file that answers.cu writes). */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/micro/tiles/kernels.h"
#include "workloads/workloads.h"

static char *path_of(const char *file)
{
    return xasprintf("%s/micro/tiles/%s", workload_dir(), file);
}

struct bench {
    struct config config;
    struct gpu *g;
    struct program *p;
    uint64_t in[3], out;
    uint32_t *words, *got;
    const uint8_t *want; /* NULL, or the GPU's results */
    size_t want_at, want_len;
};

static uint64_t room(struct bench *b, const char *name)
{
    struct error err = {0};
    uint64_t a = 0;
    ck_assert_msg(gpu_alloc(b->g, name, (uint64_t)TILES * TILES_MOST * 4, &a, &err), "%s", err.text);
    return a;
}
static void bench_start(struct bench *b)
{
    struct error err = {0};
    char *cubin = path_of("tiles.sm_90a.cubin");
    ck_assert_msg(config_load(&b->config, "h200", NULL, 0, &err), "%s", err.text);
    b->g = gpu_new(&b->config, &(struct gpu_options){.threads = 1}, &err);
    b->p = b->g ? program_load(cubin, &err) : NULL;
    ck_assert_msg(b->p && gpu_load(b->g, b->p, &err), "%s", err.text);
    for (int i = 0; i < 3; i++)
        b->in[i] = room(b, "in");
    b->out = room(b, "out");
    b->words = xcalloc((size_t)TILES * TILES_MOST, 4);
    b->got = xcalloc((size_t)TILES * TILES_MOST, 4);
    free(cubin);
}

/* Results of all tiles into b->got; false: what failed is in err. */
static bool answer(struct bench *b, const struct tiles_kernel *k, struct error *err)
{
    uint32_t n[3] = {k->na, k->nb, k->nc};
    uint64_t params[4] = {b->in[0], b->in[1], b->in[2], b->out}, bytes = (uint64_t)TILES * k->threads * k->words * 4;
    for (int i = 0; i < 3; i++) {
        tiles_operand(k, i, b->words);
        if (!gpu_write(b->g, b->in[i], b->words, (uint64_t)TILES * n[i] * 4, err))
            return false;
    }
    const struct kernel *kernel = program_kernel(b->p, k->name, err);
    struct launch l = {.program = b->p,
                       .kernel = kernel,
                       .grid = {TILES, 1, 1},
                       .block = {k->threads, 1, 1},
                       .params = params,
                       .param_bytes = sizeof params};
    struct launch_result r = {.cycles = 0};
    bool ok = kernel && gpu_run(b->g, &l, 1, &r, err);
    launch_result_finish(&r);
    return ok && gpu_read(b->g, b->out, b->got, bytes, err);
}

static void show_differences(struct bench *b, const struct tiles_kernel *k)
{
    uint32_t n = k->threads * k->words, shown = 0, wrong[TILES_CLASSES] = {0};
    for (uint32_t i = 0; i < TILES * n && b->want_at + 4 <= b->want_len; i++, b->want_at += 4) {
        uint32_t w;
        memcpy(&w, b->want + b->want_at, 4);
        if (w == b->got[i])
            continue;
        wrong[i / n / TILES_OF_CLASS]++;
        if (shown++ < 4)
            fprintf(stderr, "%s tile %u (%s) thread %u word %u: %08x, the GPU says %08x\n", k->name, i / n,
                    tiles_classes[i / n / TILES_OF_CLASS], i % n / k->words, i % k->words, b->got[i], w);
    }
    for (uint32_t c = 0; c < TILES_CLASSES; c++)
        if (wrong[c])
            fprintf(stderr, "%s, %s: %u of %u differ\n", k->name, tiles_classes[c], wrong[c], TILES_OF_CLASS * n);
}

static uint64_t hash_of_class(const struct bench *b, const struct tiles_kernel *k, uint32_t c)
{
    uint64_t h = 0xcbf29ce484222325;
    uint32_t n = TILES_OF_CLASS * k->threads * k->words;
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ b->got[c * n + i]) * 0x100000001b3;
    return h;
}

/* Compares a kernel's classes with their lines; *line moves past them. Number of classes that differ. */
static uint32_t judge(const struct bench *b, const struct tiles_kernel *k, const char **line, bool ran)
{
    uint32_t bad = 0;
    for (uint32_t c = 0; c < TILES_CLASSES; c++) {
        char name[64];
        unsigned class_number;
        unsigned long long want;
        ck_assert(sscanf(*line, "%63s %u %llx", name, &class_number, &want) == 3 && !strcmp(name, k->name) &&
                  class_number == c);
        *line = strchr(*line, '\n') + 1;
        if (!ran || hash_of_class(b, k, c) != want) {
            bad++;
            fprintf(stderr, "%s, %s: the answers differ from the GPU's\n", k->name, tiles_classes[c]);
        }
    }
    return bad;
}

START_TEST(products_equal_the_gpus)
{
    struct bench b = {.g = NULL};
    struct error err = {0};
    struct source hashes;
    uint8_t *want = NULL;
    char *list = path_of("tiles.answers");
    const char *line, *only = getenv("HEDDLE_TILES_ONLY"), *file = getenv("HEDDLE_TILES");
    ck_assert_msg(source_read(&hashes, list, &err), "%s", err.text);
    if (file)
        ck_assert_msg(file_read(file, &want, &b.want_len, &err), "%s", err.text);
    b.want = want;
    bench_start(&b);
    line = hashes.text;
    uint32_t bad = 0;
    for (uint32_t i = 0; i < TILES_KERNELS; i++) {
        const struct tiles_kernel *k = &tiles_kernels[i];
        size_t next = b.want_at + (size_t)TILES * k->threads * k->words * 4;
        struct error mine = {0};
        bool ran = answer(&b, k, &mine);
        if (!ran)
            fprintf(stderr, "%s: %s\n", k->name, mine.text);
        else if (want && (!only || strstr(k->name, only)))
            show_differences(&b, k);
        b.want_at = next;
        bad += judge(&b, k, &line, ran);
    }
    ck_assert_uint_eq(bad, 0);
    free(list);
    free(want);
    free(b.words);
    free(b.got);
    source_finish(&hashes);
    gpu_free(b.g);
    program_free(b.p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tiles");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 100);
    tcase_add_test(c, products_equal_the_gpus);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
