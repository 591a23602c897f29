/* The occupancy calculator against check points made with the vendor's (cuda_occupancy.h of CUDA 13.0) and
 * against worked examples of the tuning guides. */
#include "sim/sim.h"

#include <check.h>
#include <stdlib.h>

static struct config *load(const char *name, const char *const *sets, size_t n)
{
    struct config *c = xcalloc(1, sizeof *c);
    struct error err = {0};
    if (!config_load(c, name, sets, n, &err))
        ck_abort_msg("%s", err.text);
    return c;
}

static struct occupancy of(const struct config *c, uint32_t threads, uint32_t regs, uint32_t shared)
{
    struct occupancy o;
    struct error err = {0};
    occupancy_of(c, threads, regs, shared, 1, &o, &err);
    return o;
}

START_TEST(registers_limit_as_the_vendor_calculator_says)
{
    static const struct {
        uint32_t regs, threads, blocks;
    } points[] = {{32, 96, 21},  {32, 160, 12}, {33, 64, 24},  {33, 128, 12}, {33, 256, 6}, {33, 512, 3},
                  {33, 1024, 1}, {64, 96, 10},  {72, 32, 28},  {72, 256, 3},  {72, 512, 1}, {72, 1024, 0},
                  {96, 96, 6},   {128, 96, 5},  {128, 160, 3}, {168, 32, 12}, {168, 96, 4}, {168, 128, 3},
                  {168, 160, 2}, {168, 256, 1}, {168, 512, 0}, {255, 32, 8},  {255, 64, 4}, {255, 96, 2},
                  {255, 128, 2}, {255, 160, 1}, {255, 256, 1}, {255, 512, 0}};
    struct config *c = load("h200", NULL, 0);
    for (size_t i = 0; i < ARRAY_LEN(points); i++)
        ck_assert_msg(of(c, points[i].threads, points[i].regs, 0).blocks == points[i].blocks,
                      "%u registers x %u threads: %u blocks, not %u", points[i].regs, points[i].threads,
                      of(c, points[i].threads, points[i].regs, 0).blocks, points[i].blocks);
    free(c);
}
END_TEST

START_TEST(shared_memory_limits_as_the_vendor_calculator_says)
{
    static const struct {
        const char *config;
        uint32_t bytes, blocks;
    } points[] = {{"h200", 16384, 8}, {"h200", 32768, 6},    {"h200", 49152, 4},    {"h200", 65536, 3},
                  {"h200", 98304, 2}, {"h200", 232448, 1},   {"a100", 32768, 4},    {"a100", 49152, 3},
                  {"a100", 65536, 2}, {"rtx3090", 16384, 5}, {"rtx3090", 32768, 3}, {"rtx3090", 49152, 2}};
    for (size_t i = 0; i < ARRAY_LEN(points); i++) {
        struct config *c = load(points[i].config, NULL, 0);
        ck_assert_msg(of(c, 256, 32, points[i].bytes).blocks == points[i].blocks, "%s, %u bytes: %u blocks",
                      points[i].config, points[i].bytes, of(c, 256, 32, points[i].bytes).blocks);
        free(c);
    }
}
END_TEST

/* Compute capability 7.5 is no shipped config: its limits over the A100's. */
static const char *const turing[] = {"sm.max_warps=32",
                                     "sm.max_blocks=16",
                                     "sm.shared.bytes=65536",
                                     "sm.shared.per_block_bytes=65536",
                                     "sm.shared.reserved_per_block_bytes=0",
                                     "sm.shared.granularity_bytes=256",
                                     "sm.shared.carveouts_kb=[32, 64]",
                                     "sm.l1.unified_bytes=98304"};

START_TEST(worked_examples)
{
    static const struct {
        const char *config;
        uint32_t threads, regs, shared, blocks;
        double percent;
        const char *limiter;
    } rows[] = {{"h200", 128, 96, 0, 5, 31.25, "registers"},
                {"a100", 128, 96, 0, 5, 31.25, "registers"},
                {"rtx3090", 128, 96, 0, 5, 100 * 20 / 48.0, "registers"},
                {"h200", 256, 96, 0, 2, 25, "registers"},
                {"h200", 1024, 32, 0, 2, 100, "warps"},
                {"h200", 1024, 33, 0, 1, 50, "registers"},
                {"h200", 1024, 64, 0, 1, 50, "registers"},
                {"h200", 96, 32, 0, 21, 98.4375, "warps"},
                {"h200", 640, 32, 0, 3, 93.75, "warps"},
                {"h200", 768, 32, 0, 2, 75, "warps"},
                {"h200", 32, 32, 12288, 17, 26.5625, "shared memory"},
                {"h200", 256, 32, 232448, 1, 12.5, "shared memory"},
                {"h200", 128, 255, 0, 2, 12.5, "registers"},
                {"h200", 32, 16, 0, 32, 50, "blocks"},
                {"rtx4090", 32, 16, 0, 24, 50, "blocks"},
                {"rtx3090", 32, 16, 0, 16, 100 / 3.0, "blocks"},
                {"v100", 256, 32, 49152, 2, 25, "shared memory"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct config *c = load(rows[i].config, NULL, 0);
        struct occupancy o = of(c, rows[i].threads, rows[i].regs, rows[i].shared);
        ck_assert_msg(o.blocks == rows[i].blocks, "row %zu: %u blocks", i, o.blocks);
        ck_assert_double_eq_tol(100 * o.fraction, rows[i].percent, 1e-9);
        ck_assert_str_eq(o.limiter, rows[i].limiter);
        free(c);
    }
    struct config *t = load("a100", turing, ARRAY_LEN(turing));
    ck_assert_uint_eq(of(t, 128, 96, 0).warps, 20);
    ck_assert_double_eq_tol(of(t, 128, 96, 0).fraction, 0.625, 1e-9);
    free(t);
}
END_TEST

START_TEST(the_carve_out_is_the_smallest_that_holds_the_blocks)
{
    struct config *c = load("h200", NULL, 0);
    struct occupancy o = of(c, 1024, 64, 65 * 1024);
    ck_assert_uint_eq(o.blocks, 1);
    ck_assert_uint_eq(o.carveout_bytes, 100 * 1024);
    ck_assert_uint_eq(o.l1_bytes, 156 * 1024);
    o = of(c, 256, 32, 0); /* 8 blocks, each with the reserved kilobyte */
    ck_assert_uint_eq(o.carveout_bytes, 8 * 1024);
    o = of(c, 256, 32, 1);
    ck_assert_uint_eq(o.carveout_bytes, 16 * 1024);
    free(c);
}
END_TEST

START_TEST(what_cannot_launch_says_why)
{
    struct config *c = load("h200", NULL, 0);
    static const struct {
        uint32_t threads, regs, shared, barriers;
        const char *text;
    } rows[] = {{0, 32, 0, 0, "a block of 0 threads cannot launch: H200 allows 1 to 1024"},
                {1025, 32, 0, 0, "a block of 1025 threads cannot launch: H200 allows 1 to 1024"},
                {32, 256, 0, 0, "256 registers a thread cannot launch: H200 allows 255"},
                {32, 32, 228 * 1024, 0, "a block with 233472 bytes of shared memory cannot launch: H200 allows 232448"},
                {1024, 65, 0, 0,
                 "a block of 1024 threads with 65 registers each cannot launch: 32 warps of 2304 registers exceed the "
                 "SM's 65536"},
                {32, 32, 0, 65, "a block with 65 barriers cannot launch: H200 has 64"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct occupancy o;
        struct error err = {0};
        ck_assert(!occupancy_of(c, rows[i].threads, rows[i].regs, rows[i].shared, rows[i].barriers, &o, &err));
        ck_assert_str_eq(err.text, rows[i].text);
        ck_assert_int_eq(err.status, EXIT_BAD_INPUT);
    }
    free(c);
}
END_TEST

START_TEST(named_barriers_limit_blocks)
{
    struct config *c = load("h200", NULL, 0);
    struct occupancy o;
    struct error err = {0};
    ck_assert(occupancy_of(c, 32, 16, 0, 16, &o, &err));
    ck_assert_uint_eq(o.blocks, 4);
    ck_assert_str_eq(o.limiter, "barriers");
    free(c);
}
END_TEST

START_TEST(waves_of_64_lanes_count_by_64)
{
    struct config *c = load("wave64", NULL, 0);
    struct occupancy o = of(c, 33, 32, 0);
    ck_assert_uint_eq(o.warps_per_block, 1);
    ck_assert_uint_eq(of(c, 65, 32, 0).warps_per_block, 2);
    free(c);
    c = load("h200", NULL, 0);
    ck_assert_uint_eq(of(c, 33, 32, 0).warps_per_block, 2);
    free(c);
}
END_TEST

/* ---- the full table: compute capabilities 7.0 to 9.0 over block sizes, registers and shared memory
 * -------------------- */
/* Limits as the programming guide tabulates them, and the calculator's arithmetic written down a second time. */
struct capability {
    const char *name, *config;
    uint32_t warps, blocks, shared, per_block, reserved, unit;
};
static const struct capability capabilities[] = {
    {"7.0", "v100", 64, 32, 98304, 98304, 0, 256},         {"7.5", NULL, 32, 16, 65536, 65536, 0, 256},
    {"8.0", "a100", 64, 32, 167936, 166912, 1024, 128},    {"8.6", "rtx3090", 48, 16, 102400, 101376, 1024, 128},
    {"8.9", "rtx4090", 48, 24, 102400, 101376, 1024, 128}, {"9.0", "h200", 64, 32, 233472, 232448, 1024, 128},
};

static uint32_t up(uint32_t n, uint32_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static uint32_t expected_blocks(const struct capability *k, uint32_t threads, uint32_t regs, uint32_t shared)
{
    uint32_t warps = up(threads, 32) / 32, of_warp = up(regs * 32, 256), most = k->warps / warps;
    if (shared > k->per_block || of_warp * up(warps, 4) > 65536)
        return 0;
    uint32_t by_regs = 65536 / 4 / of_warp * 4 / warps, each = up(shared + k->reserved, k->unit);
    most = k->blocks < most ? k->blocks : most;
    most = by_regs < most ? by_regs : most;
    return each && k->shared / each < most ? k->shared / each : most;
}

START_TEST(full_table)
{
    static const uint32_t regs[] = {16, 24, 32, 33, 40, 48, 56, 64, 72, 80, 96, 112, 128, 144, 168, 192, 224, 255};
    const struct capability *k = &capabilities[_i];
    struct config *c = k->config ? load(k->config, NULL, 0) : load("a100", turing, ARRAY_LEN(turing));
    uint32_t n = 0;
    for (uint32_t threads = 32; threads <= 1024; threads += 32)
        for (size_t r = 0; r < ARRAY_LEN(regs); r++)
            for (uint32_t shared = 0; shared <= 240 * 1024; shared = shared ? shared + 5 * 1024 + 300 : 100, n++) {
                uint32_t want = expected_blocks(k, threads, regs[r], shared),
                         got = of(c, threads, regs[r], shared).blocks;
                ck_assert_msg(got == want, "%s: %u threads, %u registers, %u bytes: %u blocks, not %u", k->name,
                              threads, regs[r], shared, got, want);
            }
    ck_assert_uint_gt(n, 20000);
    free(c);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("occupancy");
    tcase_add_test(t, registers_limit_as_the_vendor_calculator_says);
    tcase_add_test(t, shared_memory_limits_as_the_vendor_calculator_says);
    tcase_add_test(t, worked_examples);
    tcase_add_test(t, the_carve_out_is_the_smallest_that_holds_the_blocks);
    tcase_add_test(t, what_cannot_launch_says_why);
    tcase_add_test(t, named_barriers_limit_blocks);
    tcase_add_test(t, waves_of_64_lanes_count_by_64);
    tcase_add_loop_test(t, full_table, 0, (int)ARRAY_LEN(capabilities));
    Suite *s = suite_create("occupancy");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
