/* What the lessons on memory claim, in bytes, row activations and time: neighbours against scattered words, a matrix
 * walked along rows or columns, tiles on and off the bursts; and that blocks hear of one another. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/workloads.h"

struct cost {
    double bytes, activations, cycles; /* bytes read from DRAM */
};

/* Runs and gives the words of a buffer, to be freed. */
static uint32_t *words_of(const char *machine, const char *name, const char *buffer, uint32_t *n)
{
    const char *const sizes[] = {"chip"};
    struct error err = {0};
    struct config *c = xcalloc(1, sizeof *c);
    ck_assert_msg(config_load(c, machine, NULL, 0, &err), "%s", err.text);
    struct spec *s =
        spec_load(name, &(struct spec_options){.sizes = sizes, .nsize = 1, .arch = (enum arch)c->isa}, &err);
    struct gpu *g = s ? gpu_new(c, &(struct gpu_options){.threads = 1}, &err) : NULL;
    struct launch_result r = {0};
    ck_assert_msg(g && spec_place(s, g, &err) && gpu_run(g, s->sim, 1, &r, &err) && spec_collect(s, g, &err), "%s: %s",
                  machine, err.text);
    int b = spec_buffer_index(s, buffer);
    ck_assert(b >= 0);
    *n = (uint32_t)(s->buffers[b].bytes / 4);
    uint32_t *words = xcalloc(*n, 4);
    memcpy(words, s->buffers[b].out, 4 * (size_t)*n);
    launch_result_finish(&r);
    gpu_free(g);
    spec_free(s);
    free(c);
    return words;
}

static struct cost cost_of(const char *machine, const char *name, const char *size)
{
    struct error err = {0};
    struct config *c = xcalloc(1, sizeof *c);
    const char *const sizes[] = {size};
    struct launch_result r = {0};
    ck_assert_msg(config_load(c, machine, NULL, 0, &err), "%s", err.text);
    struct spec *s = spec_load(name, &(struct spec_options){.sizes = sizes, .nsize = size != NULL}, &err);
    struct gpu *g = s ? gpu_new(c, &(struct gpu_options){.threads = 1}, &err) : NULL;
    ck_assert_msg(g && spec_place(s, g, &err) && gpu_run(g, s->sim, 1, &r, &err) && spec_collect(s, g, &err), "%s",
                  err.text);
    for (uint32_t i = 0; i < s->nexpect; i++)
        ck_assert_msg(s->expects[i].verdict.ok, "%s: %s", name, s->expects[i].verdict.text);
    struct cost x = {32 * (double)r.mp.dram_reads, (double)r.mp.dram_activates, (double)r.cycles};
    launch_result_finish(&r);
    gpu_free(g);
    spec_free(s);
    free(c);
    return x;
}

/* The notes' picture promises a factor of four. Here a word uses an eighth of its burst, and nearly each burst opens a
 * row: eight times the bytes, and more than that in time. */
START_TEST(scattered_words_cost_bursts_and_rows)
{
    struct cost near = cost_of("tiny", "dram_gather", NULL), far = cost_of("tiny", "dram_gather", "scattered");
    ck_assert_double_eq(near.bytes, 4 * 65536);
    ck_assert_double_ge(far.bytes, 0.95 * 8 * near.bytes);
    ck_assert_double_ge(far.activations, 20 * near.activations);
    ck_assert_double_ge(far.cycles, 6 * near.cycles);
    ck_assert_double_le(far.cycles, 12 * near.cycles);
}
END_TEST

/* A lane a column: every burst is used by its warp at once. A lane a row: 32 rows at a time, whose bursts must wait in
 * the caches for the seven steps that use the rest of them. */
START_TEST(a_row_a_lane_walks_across_the_rows_of_dram)
{
    struct cost columns = cost_of("tiny", "dram_column_sums", NULL), rows = cost_of("tiny", "dram_row_sums", NULL);
    ck_assert_double_eq(columns.bytes, 4 * 256 * 256);
    ck_assert_double_ge(rows.bytes, 2 * columns.bytes);
    ck_assert_double_ge(rows.activations, 10 * columns.activations);
    ck_assert_double_ge(rows.cycles, 5 * columns.cycles);
}
END_TEST

/* 4096 tiles of 128 bytes: on bursts four each, off them five; a pitch of 1001 words meets every remainder by turns,
 * and seven words of padding bring it back. */
START_TEST(tiles_off_the_bursts_fetch_one_more)
{
    struct cost on = cost_of("tiny", "dram_tile", NULL), off = cost_of("tiny", "dram_tile", "straddling"),
                odd = cost_of("tiny", "dram_tile", "odd"), padded = cost_of("tiny", "dram_tile", "padded");
    ck_assert_double_eq(on.bytes, 4096 * 4 * 32);
    ck_assert_double_eq(off.bytes, 4096 * 5 * 32);
    ck_assert_double_eq(odd.bytes, 4096 / 8 * (4 + 7 * 5) * 32);
    ck_assert_double_eq(padded.bytes, on.bytes);
    ck_assert(off.activations > on.activations && odd.activations > padded.activations);
    ck_assert(off.cycles > on.cycles && odd.cycles > padded.cycles);
}
END_TEST

/* Each block has seen the word of the one before it, since that one's fence stands between the word and the flag. */
START_TEST(a_message_passes_through_all_blocks)
{
    uint32_t n, *words = words_of("h200", "order_message", "words", &n);
    for (uint32_t i = 0; i < n; i++)
        ck_assert_uint_eq(words[i], i + 1);
    free(words);
}
END_TEST

/* Four rounds of two steps, each to the neighbouring block and one more: nvcc's code for a barrier of the whole grid,
 * on a part of each of the last two majors. */
START_TEST(the_grid_meets)
{
    const char *const machines[] = {"h200", "a100"};
    for (int m = 0; m < 2; m++) {
        uint32_t n, *a = words_of(machines[m], "order_grid_sync", "a", &n);
        for (uint32_t i = 0; i < n; i++)
            ck_assert_uint_eq(a[i], (i + 8 * 64) % n + 8);
        free(a);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("lessons_memory");
    TCase *t = tcase_create("dram");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, scattered_words_cost_bursts_and_rows);
    tcase_add_test(t, a_row_a_lane_walks_across_the_rows_of_dram);
    tcase_add_test(t, tiles_off_the_bursts_fetch_one_more);
    tcase_add_test(t, a_message_passes_through_all_blocks);
    tcase_add_test(t, the_grid_meets);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
