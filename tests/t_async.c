/* Asynchronous operations: states of mbarriers and tensor maps bit for bit as an H200 and its driver made them, values
 * of whole kernels, the same for any host threads and windows, and mistakes that are named. */
#include "workloads/workloads.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct config h200;

static void load_config(void)
{
    struct error err = {0};
    ck_assert_msg(config_load(&h200, "h200", NULL, 0, &err), "%s", err.text);
}

/* ---- mbarriers ---------------------------------------------------------------------------------- */
/* High words of the states that an H200 returned (driver 580.159.04), each from before its step. */
START_TEST(states_are_the_hardwares)
{
    static const struct {
        uint32_t state; /* 0: none was read */
        struct mbarrier_step step;
        enum mbarrier_outcome out;
    } steps[] = {
        {0x7fffd800, {1, 0, false}, MBARRIER_PENDING},   {0x7fffe000, {2, 0, false}, MBARRIER_PENDING},
        {0x7ffff000, {1, 0, false}, MBARRIER_PENDING},   {0x7ffff800, {1, 0, false}, MBARRIER_COMPLETES},
        {0xffffd800, {1, 100, false}, MBARRIER_PENDING}, {0, {0, 28, false}, MBARRIER_PENDING},
        {0, {0, -100, false}, MBARRIER_PENDING},         {0xffffe3ff, {1, 0, true}, MBARRIER_PENDING},
        {0xffffebff, {2, 0, false}, MBARRIER_PENDING},   {0xfffffbff, {1, 0, false}, MBARRIER_PENDING},
        {0, {0, -28, false}, MBARRIER_COMPLETES},        {0x7fffe000, {2, 0, true}, MBARRIER_PENDING},
        {0x7ffff000, {1, 0, true}, MBARRIER_PENDING},    {0x7ffff800, {1, 64, true}, MBARRIER_PENDING},
        {0, {0, -64, false}, MBARRIER_COMPLETES},
    };
    uint64_t word = (uint64_t)((0x100000u - 5) << 11) << 32 | (0x100000u - 5) << 1; /* as compiled code makes it */
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        if (steps[i].state)
            ck_assert_msg(word >> 32 == steps[i].state, "step %zu: %08x, not %08x", i, (uint32_t)(word >> 32),
                          steps[i].state);
        ck_assert_int_eq(mbarrier_apply(&word, steps[i].step), steps[i].out);
    }
}
END_TEST

START_TEST(counts_have_bounds)
{
    uint64_t word = mbarrier_word(2, 2, 0, false), same = word;
    ck_assert_int_eq(mbarrier_apply(&word, (struct mbarrier_step){.arrivals = 3}), MBARRIER_TOO_MANY);
    ck_assert_int_eq(mbarrier_apply(&word, (struct mbarrier_step){.tx = 1 << 20}), MBARRIER_TX_RANGE);
    ck_assert_int_eq(mbarrier_apply(&word, (struct mbarrier_step){.tx = -(1 << 20)}), MBARRIER_TX_RANGE);
    ck_assert_uint_eq(word, same);
    ck_assert_int_eq(mbarrier_apply(&word, (struct mbarrier_step){.tx = (1 << 20) - 1}), MBARRIER_PENDING);
    ck_assert_int_eq(mbarrier_tx(word), (1 << 20) - 1);
    ck_assert_uint_eq(mbarrier_pending(word), 2);
}
END_TEST

/* ---- tensor maps -------------------------------------------------------------------------------- */
static const struct {
    struct tensor_map map;
    uint64_t word[8];
} maps[] = {
    /* by cuTensorMapEncodeTiled of driver 580.159.04 */
    {{0x7f3b6e001000, 2, 9, {64, 32}, {2, 512}, {16, 8}, {1, 1}, 0, 0, 0, false},
     {0x7f3b6e001000, 0x2000000510, 0, 0, 0x1f0000003f, 0, 0xf00000000000000, 7}},
    {{0x7f3b6e001000, 2, 12, {64, 32}, {4, 512}, {16, 8}, {1, 1}, 0, 0, 0, false},
     {0x7f3b6e001000, 0x2000010410, 0, 0, 0x1f0000003f, 0, 0xf00000000000000, 7}},
    {{0x7f3b6e001000, 2, 6, {64, 32}, {2, 512}, {8, 8}, {1, 1}, 3, 0, 0, false},
     {0x7f3b6e001000, 0x2000006310, 0, 0, 0x1f0000003f, 0, 0x700000000000000, 7}},
    {{0x7f3b6e001000, 2, 6, {64, 32}, {2, 512}, {8, 8}, {1, 1}, 0, 0, 3, false},
     {0x7f3b6e001000, 0x2000060310, 0, 0, 0x1f0000003f, 0, 0x700000000000000, 7}},
    {{0x7f3b6e001000, 2, 6, {64, 32}, {2, 512}, {8, 8}, {1, 1}, 0, 0, 0, true},
     {0x7f3b6e001000, 0x2000008310, 0, 0, 0x1f0000003f, 0, 0x700000000000000, 7}},
    {{0x7f3b6e001000, 1, 6, {4294967296}, {2}, {256}, {1}, 0, 0, 0, false},
     {0x7f3b6e001000, 0x300, 0, 0, 0xffffffff, 0, 0xff00000000000000, 0}},
    {{0x7f3b6e001000,
      5,
      6,
      {65, 33, 18, 20, 24},
      {2, 528, 20496, 68719476752, 549755813920},
      {16, 3, 4, 5, 6},
      {8, 1, 2, 3, 7},
      0,
      0,
      0,
      false},
     {0x7f3b6e001000, 0x2100000340, 0x100000501, 0x810000000002, 0x2000000040, 0x1300000011, 0xf00644700000017,
      0x5040302}},
};

START_TEST(maps_are_the_drivers)
{
    for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
        uint8_t bytes[TENSOR_MAP_BYTES];
        struct tensor_map back;
        tensor_map_encode(&maps[i].map, bytes);
        ck_assert_msg(!memcmp(bytes, maps[i].word, sizeof maps[i].word), "map %zu", i);
        ck_assert_ptr_null(tensor_map_decode(bytes, &back));
        ck_assert_msg(!memcmp(&back, &maps[i].map, sizeof back), "map %zu read back", i);
    }
}
END_TEST

START_TEST(any_bytes_are_a_map_or_refused)
{
    uint32_t x = 1;
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[TENSOR_MAP_BYTES];
        struct tensor_map m;
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
        if (!tensor_map_decode(bytes, &m))
            ck_assert(m.rank >= 1 && m.rank <= TENSOR_DIMS && m.type < TENSOR_TYPES && !m.interleave);
    }
}
END_TEST

/* ---- values of whole kernels -------------------------------------------------------------------- */
/* First bytes of the outputs' hashes: an H200 gave the same bytes (the strided loads, and the fifth store, where it now
 * lies, excepted: those equal a model of PTX's descriptions written apart from this program). */
static const struct {
    const char *name, *outputs[5];
} runs[] = {
    {"async_barrier", {"0b82fa71a74f9cfe", "0c0cf37bce94dd26", "d40ea1a62e48c9d7", "ca34ec492e3d36cc"}},
    {"async_bulk", {"21ddcbc7f8e5daa1", "7956a9eaf637cd18", "84abfc6a0564a36c"}},
    {"async_tensor_load", {"dad5dd01168be81b"}},
    {"async_tensor_store",
     {"b1c265cce224fa72", "907cdbdc35b40582", "1002a7ff579b8b48", "6d115549164ca736", "af0b0972b9c7e7f0"}},
    {"async_cluster",
     {"b5fa5112dbdd74f3", "ebe65d0b20243286", "2bbfb8fb204a2bfe", "f426d61a8790d918", "f6e84015a0e40aa2"}},
    {"async_registers", {"7c9f8a53f124f953"}},
};

static cycle run_workload(size_t k, uint32_t threads, uint32_t window)
{
    struct error err = {0};
    struct spec *s = spec_load(runs[k].name, NULL, &err);
    ck_assert_msg(s != NULL, "%s", err.text);
    struct gpu *g = gpu_new(
        &h200, &(struct gpu_options){.threads = threads, .window_cycles = window, .max_cycles = 10000000}, &err);
    struct launch_result *r = xcalloc(s->nlaunch, sizeof *r);
    ck_assert_msg(g && spec_place(s, g, &err) && gpu_run(g, s->sim, s->nlaunch, r, &err) && spec_collect(s, g, &err),
                  "%s: %s", runs[k].name, err.text);
    cycle sum = 0;
    for (uint32_t i = 0; i < s->nlaunch; i++) {
        sum = sum * 31 + r[i].cycles;
        launch_result_finish(&r[i]);
    }
    for (uint32_t i = 0; i < s->nexpect; i++)
        ck_assert_msg(!strncmp(s->expects[i].verdict.sha256, runs[k].outputs[i], 16), "%s, output %u: %s", runs[k].name,
                      i, s->expects[i].verdict.sha256);
    free(r);
    gpu_free(g);
    spec_free(s);
    return sum;
}

START_TEST(values_and_times_do_not_depend_on_the_host)
{
    cycle one = run_workload((size_t)_i, 1, 0);
    if (_i == 0 || _i == 4) { /* waits and clusters; every kernel that passes messages between SMs */
        ck_assert_uint_eq(run_workload((size_t)_i, 2, 7), one);
        ck_assert_uint_eq(run_workload((size_t)_i, 5, 0), one);
    } else {
        ck_assert_uint_eq(run_workload((size_t)_i, 2, 0), one);
    }
}
END_TEST

/* ---- mistakes ------------------------------------------------------------------------------------- */
static const struct {
    const char *kernel;
    uint32_t threads, blocks, cluster;
    bool reads; /* a first argument of 256 bytes */
    const char *says[3];
} mistakes[] = {
    {"in_vain",
     64,
     1,
     0,
     false,
     {"deadlock: no warp can go on", "warp 1: waits for the mbarrier at shared address 0x400",
      "128 bytes and 1 of 65 arrivals are missing in phase 0"}},
    {"too_many",
     64,
     1,
     0,
     false,
     {"more arrivals at an mbarrier than its phase still expects", "too_many", "thread ("}},
    {"too_late", 32, 2, 2, false, {"the block of the cluster that is named has ended", "too_late", "block (0,0,0)"}},
    {"apart", 32, 2, 2, false, {"deadlock", "waits at the cluster barrier", "33 of 33 arrivals are missing"}},
    {"crooked", 32, 1, 0, true, {"a bulk copy's address and size are multiples of 16 bytes", "crooked", "UBLKCP"}},
    {"beyond", 32, 1, 0, true, {"out of bounds", "past the end of buffer x", "UBLKCP"}},
    {"several", 32, 2, 2, true, {"multicast copies are not supported", "several", "UBLKCP"}},
    {"in_vain", 32, 3, 2, false, {"grid 3x1x1 is not a multiple of its cluster 2x1x1", "", ""}},
    {"in_vain", 32, 17, 17, false, {"16 is the most", "", ""}},
};

START_TEST(mistakes_are_named)
{
    struct error err = {0};
    const char *root = getenv("HEDDLE_SOURCE_DIR");
    char *path = xasprintf("%s/tests/cubins/mbarrier.sm_90a.cubin", root ? root : ".");
    struct program *p = program_load(path, &err);
    ck_assert_msg(p != NULL, "%s", err.text);
    struct gpu *g = gpu_new(&h200, &(struct gpu_options){.threads = 1}, &err);
    uint64_t at[2];
    ck_assert(g && gpu_load(g, p, &err) && gpu_alloc(g, "x", 256, &at[0], &err) &&
              gpu_alloc(g, "out", 4096, &at[1], &err));
    bool reads = mistakes[_i].reads;
    struct launch l = {.program = p,
                       .kernel = program_kernel(p, mistakes[_i].kernel, &err),
                       .grid = {mistakes[_i].blocks, 1, 1},
                       .block = {mistakes[_i].threads, 1, 1},
                       .params = reads ? at : at + 1,
                       .param_bytes = reads ? 16 : 8};
    if (mistakes[_i].cluster)
        l.cluster[0] = mistakes[_i].cluster, l.cluster[1] = l.cluster[2] = 1;
    struct launch_result r = {0};
    ck_assert(!gpu_run(g, &l, 1, &r, &err));
    for (int i = 0; i < 3; i++)
        ck_assert_msg(strstr(err.text, mistakes[_i].says[i]) != NULL, "`%s` is not in: %s", mistakes[_i].says[i],
                      err.text);
    launch_result_finish(&r);
    gpu_free(g);
    program_free(p);
    free(path);
}
END_TEST

/* Where boxes may begin, as an H200 has it: launches of the two workloads with other coordinates. */
static const struct {
    const char *name;
    uint32_t launch;
    int32_t at[2];
    const char *says; /* NULL: it runs */
} places[] = {
    {"async_tensor_load", 0, {-64, -64}, NULL},
    {"async_tensor_load", 0, {128, 0}, NULL},
    {"async_tensor_load", 0, {2, 0}, "no multiple of 16 bytes"},
    {"async_tensor_load", 0, {-1, 0}, "no multiple of 16 bytes"},
    {"async_tensor_load", 9, {8, 0}, "no multiple of 16 bytes"},
    {"async_tensor_load", 9, {-4080, 0}, NULL},
    {"async_tensor_store", 0, {64, 0}, NULL},
    {"async_tensor_store", 0, {0, 64}, NULL},
    {"async_tensor_store", 0, {-8, 0}, "begins before the tensor"},
    {"async_tensor_store", 0, {0, -4}, "begins before the tensor"},
    {"async_tensor_store", 7, {2, 0}, "no multiple of 16 bytes"},
    {"async_tensor_store", 7, {0, -4}, "begins before the tensor"},
};

START_TEST(boxes_begin_where_the_hardware_lets_them)
{
    struct error err = {0};
    struct spec *s = spec_load(places[_i].name, NULL, &err);
    struct spec_launch first = s->launches[0], *l = &s->launches[places[_i].launch];
    uint32_t c = l->narg - 5; /* five coordinates come last */
    memcpy(l->args[c].value, &places[_i].at[0], 4);
    memcpy(l->args[c + 1].value, &places[_i].at[1], 4);
    if (places[_i].launch) { /* that one alone */
        s->launches[0] = *l;
        *l = first;
    }
    struct gpu *g = gpu_new(&h200, &(struct gpu_options){.threads = 1, .max_cycles = 1000000}, &err);
    struct launch_result r = {0};
    ck_assert_msg(g && spec_place(s, g, &err), "%s", err.text);
    bool ran = gpu_run(g, s->sim, 1, &r, &err);
    ck_assert_msg(ran == !places[_i].says, "%s", err.text);
    ck_assert_msg(ran || strstr(err.text, places[_i].says), "%s", err.text);
    launch_result_finish(&r);
    gpu_free(g);
    spec_free(s);
}
END_TEST

START_TEST(prefetches_leave_no_trace)
{
    struct error err = {0};
    const char *root = getenv("HEDDLE_SOURCE_DIR");
    char *path = xasprintf("%s/tests/cubins/mbarrier.sm_90a.cubin", root ? root : ".");
    struct program *p = program_load(path, &err);
    struct gpu *g = gpu_new(&h200, &(struct gpu_options){.threads = 1}, &err);
    uint8_t bytes[256];
    uint32_t out[32];
    uint64_t at[2];
    memset(bytes, 7, sizeof bytes);
    ck_assert_msg(p && g && gpu_load(g, p, &err) && gpu_alloc(g, "x", 256, &at[0], &err) &&
                      gpu_alloc(g, "out", 128, &at[1], &err) && gpu_write(g, at[0], bytes, 256, &err),
                  "%s", err.text);
    struct launch l = {.program = p,
                       .kernel = program_kernel(p, "ahead", &err),
                       .grid = {1, 1, 1},
                       .block = {32, 1, 1},
                       .params = at,
                       .param_bytes = 16};
    struct launch_result r = {0};
    ck_assert_msg(gpu_run(g, &l, 1, &r, &err) && gpu_read(g, at[1], out, sizeof out, &err), "%s", err.text);
    ck_assert_uint_eq(out[31], 7);
    launch_result_finish(&r);
    gpu_free(g);
    program_free(p);
    free(path);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("async");
    TCase *t = tcase_create("async");
    tcase_add_checked_fixture(t, load_config, NULL);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, states_are_the_hardwares);
    tcase_add_test(t, counts_have_bounds);
    tcase_add_test(t, maps_are_the_drivers);
    tcase_add_test(t, any_bytes_are_a_map_or_refused);
    tcase_add_loop_test(t, values_and_times_do_not_depend_on_the_host, 0, ARRAY_LEN(runs));
    tcase_add_test(t, prefetches_leave_no_trace);
    tcase_add_loop_test(t, boxes_begin_where_the_hardware_lets_them, 0, ARRAY_LEN(places));
    tcase_add_loop_test(t, mistakes_are_named, 0, ARRAY_LEN(mistakes));
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int bad = srunner_ntests_failed(r);
    srunner_free(r);
    return bad != 0;
}
