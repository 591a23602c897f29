/* Device memory: who sees a store when, which store wins, what is valid; and the order of messages. */
#include "sim/memory.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/message.h"

static struct config small(void)
{
    struct config c = {0};
    c.page_bytes = 65536;
    c.memory_bytes = 16 << 20;
    c.memcheck = MEMCHECK_STRICT;
    return c;
}

static uint32_t load32(const struct memory *m, const struct storelog *l, uint64_t addr)
{
    uint32_t v;
    memory_load(m, l, addr, &v, 4);
    return v;
}

static void store32(struct memory *m, struct storelog *l, cycle now, uint64_t addr, uint32_t v)
{
    memory_store(m, l, now, addr, &v, 4);
}

START_TEST(store_is_seen_by_its_own_log_at_once_and_by_others_after_commit)
{
    struct config c = small();
    struct memory *m = memory_new(&c);
    struct error err = {0};
    uint64_t a;
    ck_assert(memory_alloc(m, "a", 1000, 0, &a, &err));
    ck_assert_uint_eq(a % 256, 0);
    struct storelog *l[2] = {storelog_new(0), storelog_new(1)};
    store32(m, l[0], 5, a + 8, 7);
    ck_assert_uint_eq(load32(m, l[0], a + 8), 7);
    ck_assert_uint_eq(load32(m, l[1], a + 8), 0);
    ck_assert_uint_eq(load32(m, NULL, a + 8), 0);
    ck_assert(memory_commit(m, l, 2, 0, 1));
    storelog_clear(l[0]);
    ck_assert(storelog_empty(l[0]));
    ck_assert_uint_eq(load32(m, l[1], a + 8), 7);
    store32(m, l[1], 9, a + 8, 7);
    ck_assert(!memory_commit(m, l, 2, 0, 1)); /* the same value: no change */
    storelog_free(l[0]);
    storelog_free(l[1]);
    memory_free(m);
}
END_TEST

START_TEST(later_store_wins_and_equal_times_go_to_the_greater_source)
{
    struct config c = small();
    for (uint32_t nshard = 1; nshard <= 4; nshard++) {
        struct memory *m = memory_new(&c);
        struct error err = {0};
        uint64_t a;
        ck_assert(memory_alloc(m, "a", 4096, 0, &a, &err));
        struct storelog *l[3] = {storelog_new(0), storelog_new(1), storelog_new(2)};
        store32(m, l[0], 50, a, 100);
        store32(m, l[1], 40, a, 101); /* earlier: loses */
        store32(m, l[2], 45, a, 102);
        store32(m, l[0], 60, a + 4, 110);
        store32(m, l[1], 60, a + 4, 111);
        store32(m, l[0], 70, a + 6 - 2, 112); /* same word again, later */
        store32(m, l[2], 65530, a + 64, 1);
        store32(m, l[1], 65540, a + 64, 2); /* 16-bit times wrap */
        uint8_t b = 9;
        memory_store(m, l[1], 65541, a + 65, &b, 1);
        for (uint32_t i = 0; i < nshard; i++)
            memory_commit(m, l, 3, i, nshard);
        ck_assert_uint_eq(load32(m, NULL, a), 100);
        ck_assert_uint_eq(load32(m, NULL, a + 4), 112);
        ck_assert_uint_eq(load32(m, NULL, a + 64), 0x902);
        for (int i = 0; i < 3; i++)
            storelog_free(l[i]);
        memory_free(m);
    }
}
END_TEST

START_TEST(random_stores_merge_as_if_done_in_order)
{
    struct config c = small();
    struct memory *m = memory_new(&c);
    struct error err = {0};
    enum { N = 2048, NLOG = 5 };
    uint64_t a;
    ck_assert(memory_alloc(m, "a", N, 0, &a, &err));
    struct storelog *l[NLOG];
    for (uint32_t i = 0; i < NLOG; i++)
        l[i] = storelog_new(i);
    static uint8_t want[N], got[N];
    uint32_t x = 1;
    for (int round = 0; round < 20; round++) {
        for (cycle t = 0; t < 200; t++)
            for (uint32_t s = 0; s < NLOG; s++) {
                x = hash32(x + 1);
                uint32_t bytes = 1u << x % 5, at = (x >> 8) % (N / bytes) * bytes;
                uint8_t v[16];
                memset(v, (int)(x >> 24), sizeof v);
                memory_store(m, l[s], (cycle)round * 250 + t, a + at, v, bytes);
                memcpy(want + at, v, bytes);
            }
        for (uint32_t i = 0; i < 3; i++)
            memory_commit(m, l, NLOG, i, 3);
        for (uint32_t i = 0; i < NLOG; i++)
            storelog_clear(l[i]);
        ck_assert(memory_read(m, a, got, N, &err));
        ck_assert_mem_eq(got, want, N);
    }
    for (uint32_t i = 0; i < NLOG; i++)
        storelog_free(l[i]);
    memory_free(m);
}
END_TEST

START_TEST(strict_check_ends_at_the_last_byte)
{
    struct config c = small();
    struct memory *m = memory_new(&c);
    struct error err = {0};
    uint64_t a, b;
    ck_assert(memory_alloc(m, "a", 100, 0, &a, &err));
    ck_assert(memory_alloc(m, "b", 200000, 0, &b, &err));
    ck_assert(memory_valid(m, a, 16) && memory_valid(m, a + 96, 4) && !memory_valid(m, a + 97, 4) &&
              !memory_valid(m, a + 100, 1));
    ck_assert(memory_valid(m, b + 199996, 4) && !memory_valid(m, b + 200000, 1) && !memory_valid(m, b - 1, 1));
    ck_assert(!memory_valid(m, 0, 1) && !memory_valid(m, UINT64_MAX, 4));
    char text[256];
    memory_describe(m, a + 116, text, sizeof text);
    ck_assert(strstr(text, "16 bytes past the end of buffer a ") == text);
    memory_describe(m, b - 4, text, sizeof text);
    ck_assert(strstr(text, "4 bytes before buffer b ") == text);
    uint64_t d;
    ck_assert(!memory_alloc(m, "huge", UINT64_C(1) << 40, 0, &d, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "out of device memory"));
    ck_assert(!memory_write(m, a + 90, &d, 8 + 8, &(struct error){0}));
    memory_free(m);
    c.memcheck = MEMCHECK_PAGES;
    m = memory_new(&c);
    ck_assert(memory_alloc(m, "a", 100, 0, &a, &(struct error){0}));
    ck_assert(memory_valid(m, a + 100, 4) && memory_valid(m, a + 65532, 4) && !memory_valid(m, a + 65533, 4));
    memory_free(m);
}
END_TEST

START_TEST(messages_leave_in_order_of_time_source_seq)
{
    struct msgbox b = {0};
    uint32_t x = 7;
    for (uint32_t i = 0; i < 1000; i++) {
        x = hash32(x + i);
        msgbox_push(&b, (struct message){.time = 1 + x % 50, .source = x >> 8 & 7, .seq = i});
        if (i == 500) {
            msgbox_sort(&b);
            b.head = 17;
        }
    }
    msgbox_sort(&b);
    ck_assert_uint_eq(b.n, 1000 - 17);
    ck_assert_ptr_null(msgbox_peek(&b, msgbox_next(&b) - 1));
    for (size_t i = 1; i < b.n; i++) {
        const struct message *p = &b.m[i - 1], *q = &b.m[i];
        ck_assert(p->time < q->time ||
                  (p->time == q->time && (p->source < q->source || (p->source == q->source && p->seq < q->seq))));
    }
    b.head = b.n;
    ck_assert_uint_eq(msgbox_next(&b), UINT64_MAX);
    msgbox_finish(&b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("memory");
    TCase *t = tcase_create("all");
    tcase_add_test(t, store_is_seen_by_its_own_log_at_once_and_by_others_after_commit);
    tcase_add_test(t, later_store_wins_and_equal_times_go_to_the_greater_source);
    tcase_add_test(t, random_stores_merge_as_if_done_in_order);
    tcase_add_test(t, strict_check_ends_at_the_last_byte);
    tcase_add_test(t, messages_leave_in_order_of_time_source_seq);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
