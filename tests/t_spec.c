/* Launch specs: what they say, how they are refused, how parameters are packed, how results are judged. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/workloads.h"

static const char good[] = "params: {n: 1000}\n"
                           "sizes:\n"
                           "  big: {n: 2^20}\n"
                           "isa: {sm_80: a.cubin, sm_90: b.cubin, kir: c.kir}\n"
                           "kernel: k\n"
                           "launch: {grid: [ceil(n/256), 2], block: 256, shared_bytes: 4 * 1024}\n"
                           "buffers:\n"
                           "  x: {type: f32, count: n, init: {uniform: [-1, 1]}}\n"
                           "  y: {type: f32, count: n, init: poison}\n"
                           "args: [x, {i32: -3}, {buffer: y, offset: 4 * n}, {f32: 0.5}, {u8: 7}, {i64: n}]\n"
                           "expect: {y: {reference: relu, max_abs: 0.5}}\n";

static struct spec *parse(const char *text, const struct spec_options *o, struct error *err)
{
    *err = (struct error){0};
    return spec_parse("t.yaml", ".", text, o, err);
}

static void refused(const char *from, const char *to, const char *message)
{
    struct error err;
    char *at = strstr(good, from);
    ck_assert_ptr_nonnull(at);
    char *text = xasprintf("%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    struct spec *s = parse(text, NULL, &err);
    ck_assert_msg(s == NULL, "accepted: %s", text);
    ck_assert_int_eq(err.status, EXIT_BAD_INPUT);
    ck_assert_msg(strstr(err.text, message) != NULL, "%s", err.text);
    free(text);
}

START_TEST(sizes_reach_counts_and_grids)
{
    struct error err;
    struct spec *s = parse(good, NULL, &err);
    ck_assert_msg(s != NULL, "%s", err.text);
    ck_assert_uint_eq(s->launches[0].grid[0], 4);
    ck_assert_uint_eq(s->launches[0].grid[1], 2);
    ck_assert_uint_eq(s->launches[0].grid[2], 1);
    ck_assert_uint_eq(s->launches[0].block[0], 256);
    ck_assert_uint_eq(s->launches[0].shared_bytes, 4096);
    ck_assert_uint_eq(s->buffers[0].bytes, 4000);
    ck_assert_str_eq(s->size, "default");
    spec_free(s);

    const char *const big[] = {"big"}, *const own[] = {"big", "n=0x200"}, *const bad[] = {"huge"},
                      *const worse[] = {"m=1"};
    s = parse(good, &(struct spec_options){.sizes = big, .nsize = 1}, &err);
    ck_assert_uint_eq(s->buffers[0].count, 1 << 20);
    ck_assert_str_eq(s->size, "big");
    spec_free(s);
    s = parse(good, &(struct spec_options){.sizes = own, .nsize = 2}, &err);
    ck_assert_uint_eq(s->buffers[0].count, 512);
    spec_free(s);
    ck_assert_ptr_null(parse(good, &(struct spec_options){.sizes = bad, .nsize = 1}, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "no size is named `huge`; there are: big default"));
    ck_assert_ptr_null(parse(good, &(struct spec_options){.sizes = worse, .nsize = 1}, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "n=1000"));
}
END_TEST

START_TEST(the_program_follows_the_machine)
{
    struct error err;
    struct spec *s = parse(good, &(struct spec_options){.arch = ARCH_SM86}, &err);
    ck_assert_str_eq(s->program_paths[0], "./a.cubin");
    spec_free(s);
    s = parse(good, &(struct spec_options){.isa = "kir"}, &err);
    ck_assert_str_eq(s->program_paths[0], "./c.kir");
    spec_free(s);
    ck_assert_ptr_null(parse(good, &(struct spec_options){.arch = ARCH_SM75}, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "t.yaml:4:6: no program here for sm_75"));
}
END_TEST

START_TEST(mistakes_are_named_with_their_place)
{
    refused("kernel: k", "kernle: k", "t.yaml:5:1: unknown key `kernle`; did you mean `kernel`?");
    refused("type: f32", "type: f23", "t.yaml:8:13: unknown type `f23`; did you mean `f32`?");
    refused("{uniform: [-1, 1]}", "{uniform: [-1]}", "a range has two ends");
    refused("{uniform: [-1, 1]}", "unifrom", "unknown contents `unifrom`; did you mean `uniform`?");
    refused("{uniform: [-1, 1]}", "uniform", "`uniform` needs a value");
    refused("ceil(n/256)", "n/256", "a whole number that is not negative is expected");
    refused("ceil(n/256)", "ceil(n/256", "missing `)`");
    refused("ceil(n/256)", "m", "`m` is not among the spec's params");
    refused("ceil(n/256)", "n/0", "division by zero");
    refused("ceil(n/256)", "0", "grid has a zero");
    refused("ceil(n/256)", "2^33", "too large");
    refused("count: n,", "count: 0,", "a buffer has 1 to 2^40 elements");
    refused("[x, {i32", "[z, {i32", "t.yaml:10:8: no buffer is called `z`");
    refused("{i32: -3}", "{i32: 0.5}", "i32 takes a whole number");
    refused("{u8: 7}", "{u8: 256}", "`256` does not fit u8");
    refused("{u8: 7}", "{i8: -129}", "`-129` does not fit i8");
    refused("{i32: -3}", "{i32: 99999999999}", "`99999999999` does not fit i32");
    refused("{i32: -3}", "{u64: 2^64}", "does not fit u64");
    refused("{i32: -3}", "{u64: 2^60 + 1}", "write the number itself");
    refused("params: {n: 1000}", "params: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
            "nested too deeply");
    refused("relu", "rleu", "no reference is called `rleu`");
    refused("max_abs: 0.5", "max_abs: -1", "a bound is not negative");
    refused("max_abs: 0.5", "max_abs: 0.5, bitwise: true", "bitwise and a bound are both given");
    refused("launch:", "launches: []\nlaunch:", "both launch: and launches: are given");
}
END_TEST

START_TEST(arguments_are_packed_as_c_does)
{
    struct error err;
    struct spec *s = parse(good, NULL, &err);
    uint8_t *p;
    uint32_t n;
    s->buffers[0].addr = 0x1122334455667788;
    s->buffers[1].addr = 0x1000;
    ck_assert(spec_pack(s, 0, &p, &n, &err));
    ck_assert_uint_eq(n, 40); /* x 0, i32 8, y 16, f32 24, u8 28, i64 32 */
    ck_assert_mem_eq(p, "\x88\x77\x66\x55\x44\x33\x22\x11\xfd\xff\xff\xff", 12);
    ck_assert_mem_eq(p + 16, "\xa0\x1f\0\0\0\0\0\0\0\0\0\x3f\x07", 13);
    ck_assert_mem_eq(p + 32, "\xe8\x03\0\0\0\0\0\0", 8);
    free(p);
    spec_free(s);
}
END_TEST

/* The same bits signed or not; 64-bit numbers to the last one. */
START_TEST(whole_arguments_keep_their_bits)
{
    static const struct {
        const char *text;
        uint64_t bits;
        uint32_t bytes;
    } args[] = {{"{i32: 4294967295}", 0xffffffff, 4},
                {"{u32: -1}", 0xffffffff, 4},
                {"{i8: 255}", 0xff, 1},
                {"{u64: 12345678901234567}", 12345678901234567, 8},
                {"{i64: -9007199254740993}", (uint64_t)-9007199254740993, 8},
                {"{u64: 0xffffffffffffffff}", UINT64_MAX, 8},
                {"{u64: 2^53}", 1ull << 53, 8},
                {"{i64: -(2^40)}", (uint64_t) - (1ll << 40), 8}};
    for (size_t i = 0; i < ARRAY_LEN(args); i++) {
        struct error err;
        char *text = xasprintf("program: a.kir\nkernel: k\nlaunch: {grid: 1, block: 32}\nargs: [%s]\n", args[i].text);
        struct spec *s = parse(text, NULL, &err);
        ck_assert_msg(s != NULL, "%s: %s", args[i].text, err.text);
        ck_assert_uint_eq(s->launches[0].args[0].bytes, args[i].bytes);
        ck_assert_msg(memcmp(s->launches[0].args[0].value, &args[i].bits, args[i].bytes) == 0, "%s", args[i].text);
        spec_free(s);
        free(text);
    }
}
END_TEST

START_TEST(arguments_must_match_the_kernel)
{
    struct error err;
    struct param params[7] = {{"x", 0, 8},  {"a", 8, 4},  {"y", 16, 8}, {"b", 24, 4},
                              {"c", 28, 1}, {"d", 32, 8}, {"e", 40, 4}};
    struct kernel k = {.name = "k", .params = params, .nparam = 7, .param_bytes = 44};
    uint8_t *p;
    uint32_t n;
    struct spec *s = parse(good, NULL, &err);
    s->launches[0].kernel = &k;
    ck_assert(!spec_pack(s, 0, &p, &n, &err));
    ck_assert_msg(strstr(err.text, "argument 7 is missing: kernel k takes 7 (e has 4 bytes), 6 given"), "%s", err.text);
    err = (struct error){0};
    k.nparam = 5;
    ck_assert(!spec_pack(s, 0, &p, &n, &err));
    ck_assert_msg(strstr(err.text, "t.yaml:10:71: argument 6 is one too many: kernel k takes 5"), "%s", err.text);
    err = (struct error){0};
    k.nparam = 6;
    params[3].bytes = 8;
    ck_assert(!spec_pack(s, 0, &p, &n, &err));
    ck_assert_msg(strstr(err.text, "argument 4 has 4 bytes, but parameter b of kernel k has 8"), "%s", err.text);
    spec_free(s);
}
END_TEST

START_TEST(results_are_judged_within_their_bounds)
{
    struct error err;
    struct spec *s = parse(good, NULL, &err);
    float x[1000];
    ck_assert(spec_fill(s, 0, x, &err));
    for (int i = 0; i < 1000; i++)
        x[i] = x[i] > 0 ? x[i] : 0;
    x[3] += 0.5F;
    x[5] = -0.0F;
    ck_assert(spec_check(s, 0, x, &err));
    ck_assert_msg(s->expects[0].verdict.ok, "%s", s->expects[0].verdict.text);
    ck_assert_double_eq_tol(s->expects[0].verdict.max_abs, 0.5, 1e-6);
    s->expects[0].bitwise = true;
    ck_assert(spec_check(s, 0, x, &err));
    ck_assert(!s->expects[0].verdict.ok);
    ck_assert_uint_ge(s->expects[0].verdict.nbad, 1);
    ck_assert_ptr_nonnull(strstr(s->expects[0].verdict.text, "y[3] is 0."));
    spec_free(s);
}
END_TEST

/* Every spec of the tree reads, at every size it names, and names programs that exist. */
START_TEST(every_workload_reads)
{
    struct error err = {0};
    size_t n;
    struct spec_entry *list = spec_list(&n, &err);
    ck_assert_uint_gt(n, 20);
    for (size_t i = 0; i < n; i++) {
        struct spec *s = spec_load(list[i].name, NULL, &err);
        ck_assert_msg(s != NULL, "%s", err.text);
        ck_assert_str_eq(s->name, list[i].name);
        ck_assert_msg(list[i].title[0] != 0, "%s has no title", s->name);
        for (uint32_t k = 0; k < s->nprogram; k++)
            ck_assert_msg(file_exists(s->program_paths[k]), "%s", s->program_paths[k]);
        for (uint32_t k = 0; k < s->nsize; k++) {
            const char *const size[] = {s->sizes[k].name};
            struct spec *z = spec_load(list[i].name, &(struct spec_options){.sizes = size, .nsize = 1}, &err);
            ck_assert_msg(z != NULL, "%s", err.text);
            spec_free(z);
        }
        spec_free(s);
    }
    spec_list_free(list, n);
    ck_assert_ptr_null(spec_load("vecad", NULL, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "did you mean `vecadd`?"));
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("spec");
    tcase_add_test(t, sizes_reach_counts_and_grids);
    tcase_add_test(t, the_program_follows_the_machine);
    tcase_add_test(t, mistakes_are_named_with_their_place);
    tcase_add_test(t, arguments_are_packed_as_c_does);
    tcase_add_test(t, whole_arguments_keep_their_bits);
    tcase_add_test(t, arguments_must_match_the_kernel);
    tcase_add_test(t, results_are_judged_within_their_bounds);
    tcase_add_test(t, every_workload_reads);
    Suite *s = suite_create("spec");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
