/* Whole kernels of nvcc whose answers are known without a GPU: calls of unknown depth, and atomics of every type
 * through generic addresses. Cubins and their sources: tests/cubins. */
#include "sim/sim.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct config *config;
static struct program *program;
static struct gpu *gpu;

static void open_cubin(const char *name)
{
    struct error err = {0};
    const char *root = getenv("HEDDLE_SOURCE_DIR");
    char *path = xasprintf("%s/tests/cubins/%s.sm_90.cubin", root ? root : ".", name);
    config = xcalloc(1, sizeof *config);
    ck_assert_msg(config_load(config, "h200", NULL, 0, &err), "%s", err.text);
    program = program_load(path, &err);
    ck_assert_msg(program != NULL, "%s", err.text);
    gpu = gpu_new(config, &(struct gpu_options){.max_cycles = 10000000, .threads = 1}, &err);
    ck_assert_msg(gpu && gpu_load(gpu, program, &err), "%s", err.text);
    free(path);
}

static void close_cubin(void)
{
    gpu_free(gpu);
    program_free(program);
    free(config);
}

static uint64_t buffer(const char *name, const void *data, size_t bytes)
{
    struct error err = {0};
    uint64_t at = 0;
    ck_assert_msg(gpu_alloc(gpu, name, bytes, &at, &err) && gpu_write(gpu, at, data, bytes, &err), "%s", err.text);
    return at;
}

static void run(const char *kernel, uint32_t threads, const void *params, uint32_t bytes)
{
    struct error err = {0};
    struct launch_result r = {0};
    struct launch l = {.program = program,
                       .kernel = program_kernel(program, kernel, &err),
                       .grid = {1, 1, 1},
                       .block = {threads, 1, 1},
                       .params = params,
                       .param_bytes = bytes};
    ck_assert_msg(l.kernel && gpu_run(gpu, &l, 1, &r, &err), "%s: %s", kernel, err.text);
    launch_result_finish(&r);
}

/* ---- calls ---- */
static uint32_t fib(uint32_t n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static uint32_t recursion(uint32_t t)
{
    return fib(t & 7);
}
static uint32_t mutual(uint32_t t)
{
    uint32_t n = t & 7, v = n & 1 ? 3 : 1; /* at the innermost call; then outwards */
    for (uint32_t i = 1; i <= n; i++)
        v = (n - i) & 1 ? v + 5 : 2 * v;
    return v;
}
static uint32_t indirect(uint32_t t)
{
    return t % 3 == 0 ? t + (t & 15) : t % 3 == 1 ? t * 3 : t - (t & 31);
}
static uint32_t virtuals(uint32_t t)
{
    return t % 3 == 0 ? t : t % 3 == 1 ? t * t : 6 * t * t;
}
static uint32_t frames(uint32_t t)
{
    return (t & 15) * ((t & 15) + 1) / 2;
}
static const struct {
    const char *kernel;
    uint32_t (*answer)(uint32_t thread);
} calls[] = {
    {"recursion", recursion}, {"mutual", mutual}, {"indirect", indirect}, {"virtuals", virtuals}, {"frames", frames}};

START_TEST(calls_of_unknown_depth)
{
    uint32_t out[64] = {0};
    struct error err = {0};
    open_cubin("calls");
    uint64_t at = buffer("out", out, sizeof out);
    for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
        run(calls[i].kernel, 64, &at, 8);
        ck_assert(gpu_read(gpu, at, out, sizeof out, &err));
        for (uint32_t t = 0; t < 64; t++)
            ck_assert_msg(out[t] == calls[i].answer(t), "%s, thread %u: %u, expected %u", calls[i].kernel, t, out[t],
                          calls[i].answer(t));
    }
    close_cubin();
}
END_TEST

/* ---- compiled apart and linked: functions in sections of their own, pointers in variables ---- */
static const uint32_t values[4] = {3, 1, 4, 1};
static uint32_t square(uint32_t x)
{
    return x * x + values[x & 3];
}
static uint32_t parts(uint32_t x, uint32_t y)
{
    uint32_t n = 0;
    for (; x; x /= y)
        n += x % y == 1 ? 10 : 1;
    return n;
}
static uint64_t direct(uint32_t t)
{
    return square(t) + parts(t, 3) + values[2] * 100 + values[3] * 1000;
}
static uint64_t by_table(uint32_t t)
{
    return square(t) + (t & 1 ? parts(t, 3) + values[1] : values[0]);
}
static uint64_t divided(uint32_t t)
{
    return 0x123456789abcdefull * (t + 1) / (t * 77777ull + 3);
}
static uint64_t changed(uint32_t t)
{
    return (void)t, values[1];
}
static const struct {
    const char *kernel;
    uint64_t (*answer)(uint32_t thread);
    uint32_t bytes;
} apart[] = {{"direct", direct, 4}, {"by_table", by_table, 4}, {"divided", divided, 8}, {"changed", changed, 4}};

START_TEST(compiled_apart_and_linked)
{
    uint64_t out[64] = {0};
    struct error err = {0};
    open_cubin("separate");
    ck_assert_uint_eq(program->nkernel, ARRAY_LEN(apart)); /* functions are no kernels */
    uint64_t at = buffer("out", out, sizeof out);
    for (size_t i = 0; i < ARRAY_LEN(apart); i++) {
        run(apart[i].kernel, 64, &at, 8);
        ck_assert(gpu_read(gpu, at, out, sizeof out, &err));
        for (uint32_t t = 0; t < 64; t++) {
            uint64_t got = 0;
            memcpy(&got, (uint8_t *)out + t * apart[i].bytes, apart[i].bytes);
            ck_assert_msg(got == apart[i].answer(t), "%s, thread %u: %llu, expected %llu", apart[i].kernel, t,
                          (unsigned long long)got, (unsigned long long)apart[i].answer(t));
        }
    }
    close_cubin();
}
END_TEST

/* ---- what the driver knows ---- */
START_TEST(pointers_to_constant_memory)
{
    uint32_t out[256] = {0};
    struct error err = {0};
    open_cubin("driver");
    out[128] = 7, out[131] = 8;
    uint64_t at = buffer("out", out, sizeof out);
    run("pointers", 64, &at, 8);
    ck_assert(gpu_read(gpu, at, out, sizeof out, &err));
    for (uint32_t t = 0; t < 64; t++)
        ck_assert_uint_eq(out[t], (t == 3 ? 15u : 50u) + 20 * 100 + 30 * 10000);
    close_cubin();
}
END_TEST

/* They are told by name when they are called, and not before. */
START_TEST(functions_of_the_driver)
{
    static const struct {
        const char *kernel, *says;
    } named[] = {{"asserts", "an assertion failed: line 1234"}, {"prints", "vprintf is called (at pc 0x"}};
    uint32_t out[64] = {0};
    for (size_t i = 0; i < ARRAY_LEN(named); i++)
        for (uint32_t called = 0; called < 2; called++) {
            struct error err = {0};
            struct launch_result r = {0};
            open_cubin("driver"); /* anew: a fault ends a GPU's life */
            uint64_t at = buffer("out", out, sizeof out);
            struct {
                uint64_t out;
                uint32_t who;
            } params = {at, called ? 5 : 99};
            struct launch l = {.program = program,
                               .kernel = program_kernel(program, named[i].kernel, &err),
                               .grid = {1, 1, 1},
                               .block = {64, 1, 1},
                               .params = &params,
                               .param_bytes = 12};
            bool ok = l.kernel && gpu_run(gpu, &l, 1, &r, &err);
            ck_assert_msg(ok == !called, "%s: %s", named[i].kernel, err.text);
            ck_assert_msg(ok || strstr(err.text, named[i].says), "%s: %s", named[i].kernel, err.text);
            launch_result_finish(&r);
            close_cubin();
        }
}
END_TEST

/* ---- atomics ---- */
static uint64_t f_add(uint64_t x, uint64_t y, int bytes)
{
    float a, b;
    double c, d;
    memcpy(&a, &x, 4), memcpy(&b, &y, 4), memcpy(&c, &x, 8), memcpy(&d, &y, 8);
    a += b, c += d, x = 0;
    memcpy(&x, bytes == 8 ? (void *)&c : (void *)&a, (size_t)bytes);
    return x;
}
#define A static uint64_t
A add(uint64_t x, uint64_t y)
{
    return x + y;
}
A add32(uint64_t x, uint64_t y)
{
    return (uint32_t)(x + y);
}
A addf(uint64_t x, uint64_t y)
{
    return f_add(x, y, 4);
}
A addd(uint64_t x, uint64_t y)
{
    return f_add(x, y, 8);
}
A keep_half(uint64_t x, uint64_t y)
{
    return (void)y, x + 0x3c003c00;
} /* 0 + 1 in both halves */
A keep_bf(uint64_t x, uint64_t y)
{
    return (void)y, x + 0x3f803f80;
}
A one_half(uint64_t x, uint64_t y)
{
    return (void)y, x + 0x3c00;
}
A one_bf(uint64_t x, uint64_t y)
{
    return (void)y, x + 0x3f80;
}
A mins(uint64_t x, uint64_t y)
{
    return (int32_t)x < (int32_t)y ? x : y;
}
A minu(uint64_t x, uint64_t y)
{
    return x < y ? x : y;
}
A maxl(uint64_t x, uint64_t y)
{
    return (int64_t)x > (int64_t)y ? x : y;
}
A and (uint64_t x, uint64_t y)
{
    return x & y;
}
A or (uint64_t x, uint64_t y)
{
    return x | y;
}
A xor (uint64_t x, uint64_t y) { return x ^ y; } A inc(uint64_t x, uint64_t y)
{
    return x >= y ? 0 : x + 1;
}
A dec(uint64_t x, uint64_t y)
{
    return x == 0 || x > y ? y : x - 1;
}
A exch(uint64_t x, uint64_t y)
{
    return (void)x, y;
}
A cas(uint64_t x, uint64_t y)
{
    return x == y ? y + 1 : x;
}
static const struct {
    const char *name;
    int bytes;
    uint64_t (*apply)(uint64_t, uint64_t);
    uint64_t operand; /* of all lanes; 0: many */
} atomics[] = {
    {"add_s32", 4, add32, 0},
    {"add_u64", 8, add, 0},
    {"add_f32", 4, addf, 0},
    {"add_f64", 8, addd, 0},
    {"add_f16x2", 4, keep_half, 0x3c003c00},
    {"add_bf16x2", 4, keep_bf, 0x3f803f80},
    {"add_f16", 2, one_half, 0x3c00},
    {"add_bf16", 2, one_bf, 0x3f80},
    {"min_s32", 4, mins, 0},
    {"min_u32", 4, minu, 0},
    {"max_s64", 8, maxl, 0},
    {"min_u64", 8, minu, 0},
    {"and_u64", 8, and, 0},
    {"or_u64", 8, or, 0},
    {"xor_u64", 8, xor, 0},
    {"inc_u32", 4, inc, 0},
    {"dec_u32", 4, dec, 0},
    {"exch_s32", 4, exch, 0},
    {"exch_u64", 8, exch, 0},
    {"cas_u32", 4, cas, 0},
    {"cas_u64", 8, cas, 0},
    {"cas_u16", 2, cas, 0},
};

static uint64_t get(const uint8_t *data, uint32_t i, int bytes)
{
    uint64_t v = 0;
    memcpy(&v, data + i * (uint32_t)bytes, (size_t)bytes);
    return v;
}

/* Words for both memories and operands. Floats: moderate numbers, so that sums are exact or rounded as the host does.
 */
static void fill(uint8_t *data, int a)
{
    int n = atomics[a].bytes;
    bool is_float = strstr(atomics[a].name, "f32") || strstr(atomics[a].name, "f64");
    for (uint32_t i = 0; i < 192; i++) {
        uint64_t v = hash32(i + 77) | (uint64_t)hash32(i + 9999) << 32;
        if (is_float)
            v = n == 4 ? 0x3f000000u | (v & 0x80ffffff) : 0x3fe0000000000000u | (v & 0x801fffffffffffff);
        if (strstr(atomics[a].name, "cas") && i < 128 && i % 3)
            v = hash32((i & 63) + 128 + 77) | (uint64_t)hash32((i & 63) + 128 + 9999) << 32; /* equal */
        if (atomics[a].operand)
            v = i < 128 ? 0 : atomics[a].operand;
        memcpy(data + i * (uint32_t)n, &v, (size_t)n);
    }
}

static void atomic_case(int a, bool old, int k)
{
    uint8_t g[192 * 8] = {0}, after[192 * 8], out[128 * 8] = {0};
    int n = atomics[a].bytes;
    char kernel[40];
    snprintf(kernel, sizeof kernel, "%s_%s", old ? "old" : "new", atomics[a].name);
    fill(g, a);
    struct {
        uint64_t g, out;
        int k;
    } args = {buffer("g", g, sizeof g), buffer("out", out, sizeof out), k};
    run(kernel, 64, &args, 20);
    struct error err = {0};
    ck_assert(gpu_read(gpu, args.g, after, sizeof after, &err) && gpu_read(gpu, args.out, out, sizeof out, &err));
    for (uint32_t t = 0; t < 64; t++) {
        bool shared = (t + (uint32_t)k) & 1;
        uint32_t to = shared ? 64 + (t ^ 1) : t;
        uint64_t was = get(g, to, n), want = atomics[a].apply(was, get(g, 128 + t, n));
        uint64_t is = shared ? get(out, to, n) : get(after, t, n);
        ck_assert_msg(is == want, "%s lane %u (%s): %#llx, expected %#llx", kernel, t, shared ? "shared" : "global",
                      (unsigned long long)is, (unsigned long long)want);
        if (old)
            ck_assert_msg(get(out, t, n) == was, "%s lane %u: old %#llx, expected %#llx", kernel, t,
                          (unsigned long long)get(out, t, n), (unsigned long long)was);
    }
}

START_TEST(generic_atomics)
{
    open_cubin("generic_atomics");
    for (int i = 0; i < 4 * (int)ARRAY_LEN(atomics); i++)
        atomic_case(i / 4, i & 1, i >> 1 & 1);
    close_cubin();
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("calls");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, calls_of_unknown_depth);
    tcase_add_test(t, compiled_apart_and_linked);
    tcase_add_test(t, pointers_to_constant_memory);
    tcase_add_test(t, functions_of_the_driver);
    tcase_add_test(t, generic_atomics);
    Suite *s = suite_create("calls");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
