/* The order in which the paths of a warp run, against what an H200 noted (tests/data/paths.h200.txt): which places
 * lanes pass, in which order, and which lanes are there together. Kernels: tests/cubins/paths.cu. */
#include "sim/sim.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, ENTRIES = 512, WORDS = 4, MEM_BYTES = 1 << 20, NPATTERN = 8 };
struct passing {
    uint32_t id, lanes, clock;
};
struct lanes_in {
    char name[16];
    uint32_t in[LANES];
};

static char *path_of(const char *rest)
{
    const char *root = getenv("HEDDLE_SOURCE_DIR");
    return xasprintf("%s/tests/%s", root ? root : ".", rest);
}

static int by_clock(const void *a, const void *b)
{
    const struct passing *x = a, *y = b;
    if (x->clock != y->clock)
        return x->clock < y->clock ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->lanes < y->lanes ? -1 : x->lanes > y->lanes;
}

/* One event for the lanes that were together; in order of the clock. */
static size_t events_of(const uint32_t *log, struct passing *e)
{
    size_t n = 0, kept = 0;
    for (uint32_t i = 0; i < LANES * ENTRIES; i++)
        if (log[i * WORDS + 3])
            e[n++] = (struct passing){log[i * WORDS], log[i * WORDS + 1], log[i * WORDS + 2]};
    qsort(e, n, sizeof *e, by_clock);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || by_clock(&e[i], &e[i - 1]) != 0)
            e[kept++] = e[i];
    return kept;
}

static char *simulate(struct program *p, const struct config *c, const char *kernel, const uint32_t *in)
{
    static uint32_t log[LANES * ENTRIES * WORDS];
    static struct passing events[LANES * ENTRIES];
    struct error err = {0};
    struct launch_result r = {0};
    struct gpu *gpu = gpu_new(c, &(struct gpu_options){.max_cycles = 10000000, .threads = 1}, &err);
    struct {
        uint64_t log, in, mem;
    } args;
    void *zero = xcalloc(1, MEM_BYTES);
    memset(log, 0, sizeof log);
    ck_assert_msg(gpu && gpu_load(gpu, p, &err), "%s", err.text);
    ck_assert(gpu_alloc(gpu, "log", sizeof log, &args.log, &err) && gpu_write(gpu, args.log, log, sizeof log, &err));
    ck_assert(gpu_alloc(gpu, "in", LANES * 4, &args.in, &err) && gpu_write(gpu, args.in, in, LANES * 4, &err));
    ck_assert(gpu_alloc(gpu, "mem", MEM_BYTES, &args.mem, &err) && gpu_write(gpu, args.mem, zero, MEM_BYTES, &err));
    struct launch l = {.program = p,
                       .kernel = program_kernel(p, kernel, &err),
                       .grid = {1, 1, 1},
                       .block = {LANES, 1, 1},
                       .params = &args,
                       .param_bytes = sizeof args};
    ck_assert_msg(l.kernel && gpu_run(gpu, &l, 1, &r, &err), "%s: %s", kernel, err.text);
    ck_assert(gpu_read(gpu, args.log, log, sizeof log, &err));
    launch_result_finish(&r);
    gpu_free(gpu);
    free(zero);
    size_t n = events_of(log, events);
    struct sb text = {0};
    for (size_t i = 0; i < n; i++)
        sb_addf(&text, " %u:%x", events[i].id, events[i].lanes);
    return text.text;
}

/* What is not known of an H200, or depends on times that the model does not have to the cycle: sleeps (the phase of the
 * timer), lockshared (how long a lane spins before another gets its turn). */
static bool judged(const char *kernel)
{
    return strcmp(kernel, "sleeps") != 0 && strcmp(kernel, "lockshared") != 0;
}

static void read_pattern(struct lanes_in *p, char *line)
{
    char *at = strtok(line, " "); /* pattern */
    at = strtok(NULL, " ");
    snprintf(p->name, sizeof p->name, "%s", at);
    for (uint32_t i = 0; i < LANES; i++)
        p->in[i] = (uint32_t)strtoul(strtok(NULL, " "), NULL, 10);
}

START_TEST(as_the_h200_noted)
{
    struct error err = {0};
    struct lanes_in patterns[NPATTERN];
    size_t npattern = 0, cap = 0;
    uint32_t compared = 0, differ = 0;
    char *line = NULL, *cubin = path_of("cubins/paths.sm_90.cubin"), *data = path_of("data/paths.h200.txt");
    struct config *config = xcalloc(1, sizeof *config);
    ck_assert_msg(config_load(config, "h200", NULL, 0, &err), "%s", err.text);
    struct program *program = program_load(cubin, &err);
    FILE *f = fopen(data, "r");
    ck_assert(program && f);
    while (getline(&line, &cap, f) > 0) {
        char kernel[32], name[16];
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#')
            continue;
        if (strncmp(line, "pattern ", 8) == 0) {
            ck_assert(npattern < NPATTERN);
            read_pattern(&patterns[npattern++], line);
            continue;
        }
        ck_assert_int_eq(sscanf(line, "%31s %15s", kernel, name), 2);
        if (!judged(kernel))
            continue;
        size_t k = 0;
        while (k < npattern && strcmp(patterns[k].name, name) != 0)
            k++;
        ck_assert(k < npattern);
        char *got = simulate(program, config, kernel, patterns[k].in);
        const char *want = line + strlen(kernel) + 1 + strlen(name);
        if (strcmp(got, want) != 0) {
            fprintf(stderr, "%s %s\n H200  %s\n heddle%s\n", kernel, name, want, got);
            differ++;
        }
        compared++;
        free(got);
    }
    fclose(f);
    ck_assert_uint_eq(differ, 0);
    ck_assert_uint_ge(compared, 34);
    program_free(program);
    free(config);
    free(line);
    free(cubin);
    free(data);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("paths");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, as_the_h200_noted);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
