/* What the lessons on matrices and attention claim, as counted requests and sectors: the tiling law, O(N d) against
 * O(N^2) traffic, where the unfused form runs out of memory, and recomputation against stored activations. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/workloads.h"

struct traffic {              /* of all launches */
    double requests, sectors; /* global loads */
    double dram;              /* sectors read, written, and left to be written */
    double time_us;
};

static struct traffic traffic_of(const char *machine, const char *set, const char *name, const char *size)
{
    struct error err = {0};
    struct config *c = xcalloc(1, sizeof *c);
    const char *const sizes[] = {size}, *const sets[] = {set};
    struct traffic t = {0};
    ck_assert_msg(config_load(c, machine, sets, set != NULL, &err), "%s", err.text);
    struct spec *s = spec_load(name, &(struct spec_options){.sizes = sizes, .nsize = size != NULL}, &err);
    struct gpu *g = s ? gpu_new(c, &(struct gpu_options){.threads = 1}, &err) : NULL;
    struct launch_result *r = s ? xcalloc(s->nlaunch, sizeof *r) : NULL;
    ck_assert_msg(g && spec_place(s, g, &err) && gpu_run(g, s->sim, s->nlaunch, r, &err) && spec_collect(s, g, &err),
                  "%s", err.text);
    for (uint32_t i = 0; i < s->nexpect; i++)
        ck_assert_msg(s->expects[i].verdict.ok, "%s: %s", name, s->expects[i].verdict.text);
    for (uint32_t i = 0; i < s->nlaunch; i++) {
        t.requests += (double)r[i].sm.global_ld_requests;
        t.sectors += (double)r[i].sm.global_ld_sectors;
        t.dram += (double)(r[i].mp.dram_reads + r[i].mp.dram_writes);
        t.time_us += r[i].time_us;
        if (i + 1 == s->nlaunch)
            t.dram += (double)r[i].mp.l2_dirty_end;
        launch_result_finish(&r[i]);
    }
    free(r);
    gpu_free(g);
    spec_free(s);
    free(c);
    return t;
}

/* W x W: 2 W^3 words are read without tiles, 2 W^3 / T with tiles of T x T. A sector holds eight words; without tiles a
 * warp's lanes share the word of A, so its two loads are one sector and four. */
START_TEST(tiles_divide_the_reads_by_their_width)
{
    const double w3 = 96.0 * 96 * 96;
    struct traffic naive = traffic_of("h200", NULL, "matmul_naive", "n=96"),
                   t16 = traffic_of("h200", NULL, "gemm_tiled16", "n=96"),
                   t32 = traffic_of("h200", NULL, "matmul", "n=96");
    ck_assert_double_eq(naive.requests, 2 * w3 / 32);
    ck_assert_double_eq(naive.sectors, 5 * w3 / 32);
    ck_assert_double_eq(t16.requests, 2 * w3 / 16 / 32);
    ck_assert_double_eq(t16.sectors, 2 * w3 / 16 / 8);
    ck_assert_double_eq(t32.requests, 2 * w3 / 32 / 32);
    ck_assert_double_eq(t32.sectors, 2 * w3 / 32 / 8);
}
END_TEST

/* 128 x 128 tiles cover 384 x 384 of a 300 x 300 product: 39 % of the work is for nothing; of 256 x 256 none. */
START_TEST(tiles_that_stick_out_are_wasted)
{
    const char *size = "k=64";
    struct error err = {0};
    for (int n = 256; n <= 300; n += 44) {
        char text[32];
        snprintf(text, sizeof text, "m=%d", n);
        char other[32];
        snprintf(other, sizeof other, "n=%d", n);
        const char *const sizes[] = {text, other, size};
        struct config *c = xcalloc(1, sizeof *c);
        ck_assert_msg(config_load(c, "h200", NULL, 0, &err), "%s", err.text);
        struct spec *s = spec_load("gemm_mma", &(struct spec_options){.sizes = sizes, .nsize = 3}, &err);
        struct gpu *g = s ? gpu_new(c, &(struct gpu_options){.threads = 1}, &err) : NULL;
        struct launch_result r = {.cycles = 0};
        ck_assert_msg(g && spec_place(s, g, &err) && gpu_run(g, s->sim, 1, &r, &err), "%s", err.text);
        double wide = n == 300 ? 384 : 256;
        ck_assert_double_eq((double)r.sm.tensor_flops, 2 * wide * wide * 64);
        launch_result_finish(&r);
        gpu_free(g);
        spec_free(s);
        free(c);
    }
}
END_TEST

static uint32_t blocks_of(const char *name, unsigned n, enum arch arch)
{
    struct error err = {0};
    char size[32];
    snprintf(size, sizeof size, "n=%u", n);
    const char *const sizes[] = {size};
    struct spec *s = spec_load(name, &(struct spec_options){.sizes = sizes, .nsize = 1, .arch = arch}, &err);
    ck_assert_msg(s != NULL, "%s", err.text);
    uint32_t blocks = s->launches[0].grid[0] * s->launches[0].grid[1];
    spec_free(s);
    return blocks;
}

/* 256 x 128 tiles, one block an SM: one more row of the matrix is another wave. */
START_TEST(one_more_row_is_another_wave)
{
    struct error err = {0};
    struct config *c = xcalloc(1, sizeof *c);
    struct occupancy o;
    ck_assert_msg(config_load(c, "a100", NULL, 0, &err), "%s", err.text);
    ck_assert_uint_eq(c->nsm, 108);
    ck_assert(occupancy_of(c, 256, 232, 73728, 1, &o, &err));
    ck_assert_uint_eq(o.blocks, 1);
    ck_assert_uint_eq(blocks_of("gemm_waves", 1792, ARCH_SM80), 98);
    ck_assert_uint_eq(blocks_of("gemm_waves", 1793, ARCH_SM80), 120);
    ck_assert_msg(config_load(c, "h200", NULL, 0, &err), "%s", err.text);
    ck_assert_uint_eq(c->nsm, 132);
    ck_assert_uint_eq(blocks_of("gemm_waves", 2048, ARCH_SM90), 128);
    ck_assert_uint_eq(blocks_of("gemm_waves", 2049, ARCH_SM90), 153);
    free(c);
}
END_TEST

/* The fused kernel reads Q, K, V and writes O: 4 n d words. The three kernels write S, read it, write P, read P: 4 n^2
 * more. L2 is made large enough for K and V and too small for S. */
START_TEST(flash_attention_never_moves_the_square)
{
    const char *l2 = "l2.sets_per_slice=512";
    const double n = 384, words = 4 * n * 64, square = n * n;
    struct traffic half = traffic_of("tiny", l2, "attention", "n=192"),
                   fused = traffic_of("tiny", l2, "attention", "n=384"),
                   three = traffic_of("tiny", l2, "attention_unfused", "n=384");
    /* two heads */
    ck_assert_double_eq_tol(half.dram, words / 2 * 2 / 8, 0.1 * words / 8);
    ck_assert_msg(fused.dram <= 2.5 * half.dram, "twice the rows move %.2f times the bytes", fused.dram / half.dram);
    ck_assert_msg(three.dram - fused.dram >= 0.9 * 4 * 2 * square / 8,
                  "%.0f against %.0f sectors, 4 n^2 words are %.0f", three.dram, fused.dram, 8 * square / 8);
}
END_TEST

START_TEST(the_square_does_not_fit_into_memory)
{
    struct error err = {0};
    struct config *c = xcalloc(1, sizeof *c);
    ck_assert_msg(config_load(c, "h200", NULL, 0, &err), "%s", err.text);
    const char *const names[] = {"attention", "attention_unfused"};
    const char *const sizes[] = {"heads=1", "n=196608"}; /* 196,608 squared words are 144 GiB, of 140 */
    for (int i = 0; i < 2; i++) {
        struct spec *s = spec_load(names[i], &(struct spec_options){.sizes = sizes, .nsize = 2}, &err);
        struct gpu *g = gpu_new(c, &(struct gpu_options){.threads = 1}, &err);
        ck_assert_msg(s && g, "%s", err.text);
        bool fits = true;
        for (uint32_t b = 0; fits && b < s->nbuffer; b++)
            fits = gpu_alloc(g, s->buffers[b].name, s->buffers[b].bytes, &s->buffers[b].addr, &err);
        ck_assert_msg(fits == (i == 0), "%s: %s", names[i], err.text);
        gpu_free(g);
        spec_free(s);
    }
    ck_assert_msg(strstr(err.text, "buffer s: out of device memory") != NULL, "%s", err.text);
    ck_assert_int_eq(err.status, EXIT_BAD_INPUT);
    free(c);
}
END_TEST

/* Stored: x read; s1, s2, out written; they and dout read, dx written: 9 passes. Again: 2 and 3 passes. */
START_TEST(recomputation_saves_four_of_nine_passes)
{
    const double pass = 65536.0 / 8;
    struct traffic store = traffic_of("tiny", NULL, "recompute_store", "n=65536"),
                   again = traffic_of("tiny", NULL, "recompute", "n=65536");
    ck_assert_double_eq_tol(store.dram, 9 * pass, 0.01 * pass);
    ck_assert_double_eq_tol(again.dram, 5 * pass, 0.01 * pass);
    ck_assert(again.time_us < store.time_us);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("lessons_matrix");
    tcase_set_timeout(t, 200);
    tcase_add_test(t, tiles_divide_the_reads_by_their_width);
    tcase_add_test(t, tiles_that_stick_out_are_wasted);
    tcase_add_test(t, one_more_row_is_another_wave);
    tcase_add_test(t, flash_attention_never_moves_the_square);
    tcase_add_test(t, the_square_does_not_fit_into_memory);
    tcase_add_test(t, recomputation_saves_four_of_nine_passes);
    Suite *s = suite_create("lessons_matrix");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
