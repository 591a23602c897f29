/* The L1's tags: scripts of accesses with the hits that a person can work out. And reads of constants by lanes. */
#include <check.h>
#include <stdlib.h>

#include "sim/constant.h"
#include "sim/l1.h"

static struct config cfg;
static struct l1 cache;
static struct arena *arena;

static void set_up(uint32_t bytes)
{
    struct error err = {0};
    ck_assert_msg(config_load(&cfg, "tiny", NULL, 0, &err), "%s", err.text);
    arena = arena_new();
    l1_init(&cache, &cfg, arena);
    l1_resize(&cache, &cfg, bytes);
}

/* touch: look up; on a miss the sectors are filled at once. Returns the sectors that hit. */
static uint32_t touch(uint64_t line, uint8_t sectors)
{
    uint8_t hit = (uint8_t)(l1_lookup(&cache, line) & sectors);
    if (hit != sectors)
        l1_fill(&cache, line, sectors, L1_NEWEST);
    return hit;
}

START_TEST(sectors_are_filled_one_by_one)
{
    set_up(8192); /* 16 sets of 4 ways */
    ck_assert_uint_eq(touch(0x1000, 1), 0);
    ck_assert_uint_eq(touch(0x1000, 1), 1);
    ck_assert_uint_eq(touch(0x1000, 3), 1); /* tag is there, sector 1 is not */
    ck_assert_uint_eq(touch(0x1000, 3), 3);
    ck_assert_uint_eq(touch(0x1080, 1), 0);
    arena_free(arena);
}
END_TEST

START_TEST(least_recently_used_leaves)
{
    set_up(8192);
    uint64_t step = 16 * 128; /* the same set */
    for (uint64_t i = 0; i < 4; i++)
        touch(i * step, 15);
    ck_assert_uint_eq(touch(0, 15), 15);       /* 0 is the newest now */
    ck_assert_uint_eq(touch(4 * step, 15), 0); /* drives 1 out */
    ck_assert_uint_eq(l1_lookup(&cache, 1 * step), 0);
    ck_assert_uint_eq(l1_lookup(&cache, 0), 15);
    l1_fill(&cache, 5 * step, 15, L1_OLDEST); /* evict-first: in for 2, and next to leave */
    ck_assert_uint_eq(l1_lookup(&cache, 2 * step), 0);
    l1_fill(&cache, 6 * step, 15, L1_NEWEST);
    ck_assert_uint_eq(l1_lookup(&cache, 5 * step), 0);
    ck_assert_uint_eq(l1_lookup(&cache, 3 * step), 15);
    arena_free(arena);
}
END_TEST

START_TEST(second_pass_hits)
{
    set_up(24576);
    for (uint64_t a = 0; a < 16384; a += 128)
        ck_assert_uint_eq(touch(a, 15), 0);
    for (uint64_t a = 0; a < 16384; a += 128)
        ck_assert_uint_eq(touch(a, 15), 15);
    l1_resize(&cache, &cfg, 8192); /* half of it fits now, cyclically: nothing hits */
    for (uint32_t pass = 0; pass < 3; pass++)
        for (uint64_t a = 0; a < 16384; a += 128)
            ck_assert_uint_eq(touch(a, 15), 0);
    l1_resize(&cache, &cfg, 0);
    ck_assert_uint_eq(touch(0, 1), 0);
    ck_assert_uint_eq(touch(0, 1), 0);
    arena_free(arena);
}
END_TEST

START_TEST(dropped_sectors_miss)
{
    set_up(8192);
    touch(0x80, 15);
    l1_drop(&cache, 0x80, 1);
    ck_assert_uint_eq(touch(0x80, 15), 14);
    l1_drop(&cache, 0x80, 15);
    ck_assert_uint_eq(cache.resident, 0);
    ck_assert_uint_eq(touch(0x80, 15), 0);
    l1_drop_all(&cache);
    ck_assert_uint_eq(touch(0x80, 15), 0);
    arena_free(arena);
}
END_TEST

/* The H200's chase: 128-byte steps, again and again. Nothing misses at 128 KB, few at 224, most at 256, all at 512. */
START_TEST(capacity_curve)
{
    struct error err = {0};
    ck_assert(config_load(&cfg, "h200", NULL, 0, &err));
    arena = arena_new();
    l1_init(&cache, &cfg, arena);
    static const struct {
        uint32_t kb;
        double low, high;
    } rows[] = {{64, 0, 0}, {128, 0, 0}, {192, 0, 0.02}, {224, 0.05, 0.25}, {256, 0.5, 0.8}, {512, 1, 1}};
    for (uint32_t r = 0; r < ARRAY_LEN(rows); r++) {
        l1_resize(&cache, &cfg, 248 * 1024); /* beside a carve-out of 8 KB */
        uint32_t misses = 0, lines = rows[r].kb * 8;
        for (uint32_t pass = 0; pass < 4; pass++)
            for (uint32_t i = 0; i < lines; i++)
                misses += !touch(UINT64_C(0x7f0000000000) + 128 * i, 1) && pass;
        double ratio = misses / (3.0 * lines);
        ck_assert_msg(ratio >= rows[r].low && ratio <= rows[r].high, "%u KB: %.3f", rows[r].kb, ratio);
    }
    arena_free(arena);
}
END_TEST

static uint32_t seen[8], nseen;
static void note(void *arg, uint32_t op)
{
    (void)arg;
    seen[nseen++] = op;
}

START_TEST(misses_merge)
{
    struct miss_table t;
    arena = arena_new();
    miss_init(&t, 2, 4, arena);
    nseen = 0;
    uint32_t a = miss_add(&t, 0x100), b = miss_add(&t, 0x200);
    ck_assert_uint_eq(miss_add(&t, 0x300), MISS_NONE); /* full */
    ck_assert_uint_eq(miss_find(&t, 0x200), b);
    t.miss[a].pending = 3;
    t.miss[a].requests = 2;
    ck_assert(miss_wait(&t, a, 1, 1));
    ck_assert(miss_wait(&t, a, 2, 3));
    ck_assert(miss_wait(&t, a, 3, 1));
    ck_assert(miss_wait(&t, b, 4, 1));
    ck_assert(!miss_wait(&t, b, 5, 1)); /* full */
    miss_answer(&t, a, 1, note, NULL);
    ck_assert_uint_eq(nseen, 2);
    ck_assert(seen[0] == 1 && seen[1] == 3);
    miss_answer(&t, a, 2, note, NULL);
    ck_assert(nseen == 3 && seen[2] == 2);
    ck_assert_uint_eq(miss_find(&t, 0x100), MISS_NONE);
    ck_assert_uint_eq(miss_add(&t, 0x300), a);
    arena_free(arena);
}
END_TEST

/* Lanes that name one address share a read; those of other words, and of other bytes of the same word, follow. */
START_TEST(indexed_constants_go_by_address)
{
    static struct constant_caches c;
    uint64_t addr[4][4] = {{64, 64, 64, 64}, {64, 68, 64, 68}, {64, 68, 72, 76}, {64, 65, 66, 67}};
    static const uint32_t more[4] = {0, 1, 3, 3};
    struct error err = {0};
    ck_assert_msg(config_load(&cfg, "h200", NULL, 0, &err), "%s", err.text);
    arena = arena_new();
    constant_init(&c, &cfg, arena);
    constant_launch(&c, 0);
    constant_indexed(&c, &cfg, 0, 0, 3, addr[0], 15); /* the line comes */
    for (uint32_t i = 0; i < 4; i++) {
        cycle now = 10000 * (i + 1), done = constant_indexed(&c, &cfg, now, 0, 3, addr[i], 15);
        ck_assert_uint_eq(done - now, cfg.const_hit_cycles + more[i] * cfg.const_next_word_cycles);
    }
    arena_free(arena);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("l1");
    TCase *t = tcase_create("all");
    tcase_add_test(t, sectors_are_filled_one_by_one);
    tcase_add_test(t, least_recently_used_leaves);
    tcase_add_test(t, second_pass_hits);
    tcase_add_test(t, dropped_sectors_miss);
    tcase_add_test(t, capacity_curve);
    tcase_add_test(t, misses_merge);
    tcase_add_test(t, indexed_constants_go_by_address);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
