/* L2 tags against a plain model, byte masks, the dirty policy; and a partition seen through its boxes: conservation,
 * merging of misses, fetch granularity, order of atomics. */
#include "sim/l2.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/mempart.h"
#include "sim/wheel.h"

static struct config c;

static void tiny(const char *const *sets, size_t n)
{
    struct error err = {0};
    ck_assert_msg(config_load(&c, "tiny", sets, n, &err), "%s", err.text);
}

START_TEST(least_recently_used_line_leaves)
{
    tiny(NULL, 0); /* 4 ways */
    struct l2 s;
    struct arena *arena = arena_new();
    l2_init(&s, &c, arena, arena);
    struct l2_victim v;
    for (uint64_t n = 10; n < 14; n++)
        l2_replace(&s, 3, l2_choose(&s, 3), n, &v);
    l2_touch(&s, 3, l2_find(&s, 3, 10));
    uint32_t line = l2_choose(&s, 3);
    ck_assert_uint_eq(l2_number(&s.lines[line]), 11);
    s.lines[line].pending = 1; /* one that waits for data stays */
    ck_assert_uint_eq(l2_number(&s.lines[l2_choose(&s, 3)]), 12);
    for (uint32_t w = 0; w < 4; w++)
        s.lines[3 * 4 + w].pending = 1;
    ck_assert_uint_eq(l2_choose(&s, 3), L2_NONE);
    arena_free(arena);
}
END_TEST

/* A set of `ways` against a list in the order of use: numbers that differ in any bit, lines that wait for data now and
 * then, an empty and a filled cache to begin with. */
START_TEST(sets_of_any_width_keep_the_order_of_use)
{
    static const char *const widths[] = {"l2.ways=1", "l2.ways=3", "l2.ways=20", "l2.ways=21", "l2.ways=128"};
    for (uint32_t run = 0; run < 2 * ARRAY_LEN(widths); run++) {
        tiny(&widths[run / 2], 1);
        struct arena *arena = arena_new();
        struct l2 s;
        struct l2_victim v;
        l2_init(&s, &c, arena, arena);
        if (run % 2)
            l2_fill_clean(&s);
        uint32_t ways = s.ways, set = 5, first = set * ways, order[128]; /* last used first */
        uint64_t held[128], random = run + 1;
        for (uint32_t w = 0; w < ways; w++) {
            order[w] = ways - 1 - w;
            held[w] = UINT64_MAX;
        }
        for (uint32_t step = 0; step < 20 * ways + 1000; step++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            uint64_t number = UINT64_C(1) << (random >> 60) * 3 | (random >> 33) % (ways + 7);
            uint32_t at = 0, line = l2_find(&s, set, number);
            while (at < ways && held[order[at]] != number)
                at++;
            ck_assert_uint_eq(line, at < ways ? first + order[at] : L2_NONE);
            if (line == L2_NONE) {
                for (at = ways; at-- > 0 && s.lines[first + order[at]].pending;) {
                }
                line = l2_choose(&s, set);
                ck_assert_uint_eq(line, at < ways ? first + order[at] : L2_NONE);
                if (line != L2_NONE) {
                    l2_replace(&s, set, line, number, &v);
                    held[line - first] = number;
                    s.lines[line].pending = random >> 40 & 1;
                }
            } else {
                l2_touch(&s, set, line);
            }
            if (line != L2_NONE) {
                memmove(order + 1, order, at * sizeof *order);
                order[0] = line - first;
            }
            l2_fill(&s, first + (uint32_t)(random >> 20) % ways, 1);
        }
        l2_invalidate(&s);
        for (uint32_t w = 0; w < ways; w++)
            ck_assert(held[w] == UINT64_MAX || l2_find(&s, set, held[w]) == L2_NONE);
        arena_free(arena);
    }
}
END_TEST

START_TEST(partly_written_sector_is_whole_when_all_bytes_came)
{
    tiny(NULL, 0);
    struct l2 s;
    struct l2_victim v;
    struct arena *arena = arena_new();
    l2_init(&s, &c, arena, arena);
    uint32_t line = l2_choose(&s, 0);
    l2_replace(&s, 0, line, 5, &v);
    ck_assert(l2_write(&s, line, 1, 0x0000ffff));
    ck_assert_uint_eq(s.lines[line].valid, 0);
    ck_assert(!l2_write(&s, line, 1, 0xff000000)); /* dirty already */
    ck_assert_uint_eq(s.lines[line].valid, 0);
    l2_write(&s, line, 1, 0x00ff0000);
    ck_assert_uint_eq(s.lines[line].valid, 2);
    l2_write(&s, line, 2, 1);
    l2_replace(&s, 0, line, 6, &v);
    ck_assert_uint_eq(v.number, 5);
    ck_assert_uint_eq(v.dirty, 6);
    ck_assert_uint_eq(v.partial, 4); /* sector 2 needs its other bytes from DRAM */
    ck_assert_uint_eq(s.ndirty, 0);
    arena_free(arena);
}
END_TEST

START_TEST(oldest_dirty_line_is_cleaned_beyond_the_bound)
{
    tiny(NULL, 0); /* half of 64 x 4 lines may be dirty */
    struct l2 s;
    struct l2_victim v;
    uint32_t line;
    struct arena *arena = arena_new();
    l2_init(&s, &c, arena, arena);
    for (uint32_t i = 0; i < 129; i++) {
        ck_assert(!l2_clean_one(&s, &line, &v));
        uint32_t set = i % 64, way = l2_choose(&s, set);
        l2_replace(&s, set, way, 100 + i, &v);
        l2_write(&s, way, 0, i ? UINT32_MAX : 0xff);
    }
    ck_assert(l2_clean_one(&s, &line, &v));
    ck_assert_uint_eq(v.number, 100);
    ck_assert(v.dirty == 1 && v.partial == 1);
    ck_assert(s.lines[line].valid == 1 && s.written[line][0] == 0); /* it stays, clean and whole */
    ck_assert_uint_eq(l2_dirty_sectors(&s), 128);
    ck_assert(!l2_clean_one(&s, &line, &v));
    arena_free(arena);
}
END_TEST

/* ---- a partition's events ------------------------------------------------------------------------------ */
static void count_look(void *arg, const struct wheel_event *e)
{
    (void)e;
    ++*(size_t *)arg;
}

/* Events soon, in the same cycle, a turn of the ring ahead and far beyond it: each leaves at its time, those of one
 * time in the order in which they came, and looking finds those of the ring. */
START_TEST(events_leave_by_time_and_then_as_they_came)
{
    enum { MOST = 64, STEPS = 20000 };
    static const uint32_t reach[] = {1, 3, 60, WHEEL_SPAN - 1, WHEEL_SPAN, WHEEL_SPAN + 1, 5 * WHEEL_SPAN};
    struct wheel w;
    wheel_init(&w);
    ck_assert(wheel_next(&w) == UINT64_MAX);
    cycle at[MOST], now = 0;
    uint32_t number[MOST], n = 0, random = 1;
    for (uint32_t step = 0; step < STEPS; step++) {
        random = random * 1664525 + 1013904223;
        if (n < MOST && (random >> 31 || !n)) {
            at[n] = now + (random >> 8) % reach[(random >> 24) % ARRAY_LEN(reach)];
            wheel_push(&w, at[n], 1, number[n] = step, 0);
            n++;
            continue;
        }
        uint32_t first = 0, near = 0; /* the list is in the order in which they came */
        for (uint32_t i = 0; i < n; i++) {
            first = at[i] < at[first] ? i : first;
            near += at[i] < now + 50;
        }
        size_t seen = 0;
        wheel_look(&w, now + 50, count_look, &seen);
        ck_assert_uint_eq(seen, near);
        ck_assert_uint_eq(wheel_next(&w), at[first]);
        ck_assert_uint_eq(wheel_pop(&w).index, number[first]);
        now = at[first];
        n--;
        memmove(at + first, at + first + 1, (n - first) * sizeof *at);
        memmove(number + first, number + first + 1, (n - first) * sizeof *number);
    }
    wheel_finish(&w);
}
END_TEST

/* ---- a partition through its boxes --------------------------------------------------------------------- */
static struct payload pay[256];
static struct payload_head *payload_of(void *arg, uint32_t source, uint32_t index)
{
    (void)arg, (void)source;
    return &pay[index].head;
}
struct rig {
    struct memory *mem;
    struct mempart *p;
    uint64_t base;
    uint32_t seq;
};

static struct rig rig_new(void)
{
    struct rig r = {.mem = memory_new(&c)};
    struct error err = {0};
    ck_assert(memory_alloc(r.mem, "m", 1 << 20, 0, &r.base, &err));
    while (partition_of(&c, r.base) != 0)
        r.base += 128;
    r.p = mempart_new(&c, 0, r.mem, payload_of, NULL);
    mempart_begin_launch(r.p);
    return r;
}

static void rig_free(struct rig *r)
{
    mempart_free(r->p);
    memory_free(r->mem);
}

static void request(struct rig *r, cycle at, enum msg_kind kind, uint64_t addr, uint8_t sectors, uint32_t payload)
{
    msgbox_push(mempart_inbox(r->p), (struct message){.time = at,
                                                      .kind = (uint8_t)kind,
                                                      .addr = addr,
                                                      .sectors = sectors,
                                                      .source = 0,
                                                      .seq = r->seq,
                                                      .tag = r->seq++,
                                                      .payload = payload});
}

static struct msgbox *outbox(const struct rig *r) /* of the GPC of SM 0 */
{
    return &mempart_outboxes(r->p)[c.gpc_of_sm[0]];
}

static struct message answer(const struct rig *r, size_t i)
{
    ck_assert_uint_lt(i, outbox(r)->n);
    return outbox(r)->m[i];
}

START_TEST(hit_and_miss_take_the_configured_time)
{
    tiny(NULL, 0); /* L2 20; DRAM 166 + tRCD 15 + tCL 15 + burst 4 */
    struct rig r = rig_new();
    request(&r, 100, MSG_READ, r.base, 1, PAYLOAD_NONE);
    request(&r, 1000, MSG_READ, r.base, 1, PAYLOAD_NONE);
    mempart_run(r.p, 0, 2000);
    ck_assert_uint_eq(answer(&r, 0).time, 100 + 200 + 20);
    ck_assert_uint_eq(answer(&r, 0).kind, MSG_READ_REPLY);
    ck_assert_uint_eq(answer(&r, 1).time, 1000 + 20);
    ck_assert_uint_eq(answer(&r, 1).tag, 1);
    ck_assert(mempart_idle(r.p));
    rig_free(&r);
}
END_TEST

/* The n-th line of the partition. */
static uint64_t line_of(const struct rig *r, uint32_t n)
{
    uint64_t addr = r->base;
    for (uint32_t i = 0; i < n; i++)
        do
            addr += 128;
        while (partition_of(&c, addr) != 0);
    return addr;
}

/* What comes in has a port of its own, 8 bytes a cycle here: four sectors every 16 cycles. What goes out does not hold
 * it. */
START_TEST(writes_take_the_port_by_which_they_enter)
{
    const char *sets[] = {"l2.slice_request_bytes_per_cycle=8", "l2.slice_bytes_per_cycle=1"};
    tiny(sets, 2);
    struct rig r = rig_new();
    for (uint32_t i = 0; i < 8; i++)
        request(&r, 100, MSG_WRITE, line_of(&r, i), 15, PAYLOAD_NONE);
    mempart_run(r.p, 0, 5000);
    for (uint32_t i = 0; i < 8; i++)
        ck_assert_uint_eq(answer(&r, i).time, 100 + 16 * i);
    rig_free(&r);
}
END_TEST

/* DRAM's data take turns with them: a line that comes when eight writes wait is there after those. */
static cycle read_beside_writes(const char *width, uint32_t writes)
{
    const char *sets[] = {width, "l2.read_request_bytes=0"};
    tiny(sets, 2);
    struct rig r = rig_new();
    cycle came = 0;
    request(&r, 100, MSG_READ, line_of(&r, 20), 15, PAYLOAD_NONE);
    for (uint32_t i = 0; i < writes; i++)
        request(&r, 200, MSG_WRITE, line_of(&r, i), 15, PAYLOAD_NONE);
    mempart_run(r.p, 0, 5000);
    for (uint32_t i = 0; i <= writes; i++)
        if (answer(&r, i).kind == MSG_READ_REPLY)
            came = answer(&r, i).time;
    rig_free(&r);
    return came;
}

START_TEST(fills_take_turns_with_writes)
{
    cycle alone = read_beside_writes("l2.slice_request_bytes_per_cycle=8", 0);
    ck_assert_uint_eq(read_beside_writes("l2.slice_request_bytes_per_cycle=8", 4), alone); /* they are in by then */
    ck_assert_uint_gt(read_beside_writes("l2.slice_request_bytes_per_cycle=8", 16), alone + 100);
    ck_assert_uint_eq(read_beside_writes("l2.slice_request_bytes_per_cycle=1024", 16), alone);
}
END_TEST

START_TEST(misses_of_one_sector_are_fetched_once)
{
    const char *sets[] = {"l2.fetch_bytes=64"};
    tiny(sets, 1);
    struct rig r = rig_new();
    for (int i = 0; i < 5; i++)
        request(&r, 100 + (cycle)i, MSG_READ, r.base, 1, PAYLOAD_NONE);
    request(&r, 110, MSG_READ, r.base, 2, PAYLOAD_NONE); /* came with its neighbour */
    request(&r, 120, MSG_READ, r.base, 8, PAYLOAD_NONE);
    mempart_run(r.p, 0, 5000);
    const struct mp_counters *n = mempart_counters(r.p);
    ck_assert_uint_eq(n->l2_reads, 7);
    ck_assert_uint_eq(n->l2_read_hits, 5); /* what is under way counts as there, as the profiler has it */
    ck_assert_uint_eq(n->dram_reads, 4);
    ck_assert_uint_eq(n->l2_fills, 4);
    ck_assert_uint_eq(n->part_replies, 7);
    for (uint32_t i = 1; i < 6; i++)
        ck_assert_uint_lt(answer(&r, i - 1).tag, answer(&r, i).tag); /* in the order in which they came */
    rig_free(&r);
}
END_TEST

/* When the read of another line is answered, beside one of `sectors` of a line, with so many entries. */
static cycle read_beside_a_miss(const char *entries, uint8_t sectors)
{
    const char *sets[] = {"l2.fetch_bytes=64", entries};
    tiny(sets, ARRAY_LEN(sets));
    struct rig r = rig_new();
    struct where w, other;
    uint64_t at = r.base - r.base % 128, next = at;
    where_is(&c, at, &w);
    do
        where_is(&c, next += 128, &other);
    while (other.partition != 0 || other.slice != w.slice);
    request(&r, 100, MSG_READ, at, sectors, PAYLOAD_NONE);
    request(&r, 101, MSG_READ, next, 1, PAYLOAD_NONE);
    mempart_run(r.p, 0, 5000);
    ck_assert_uint_eq(outbox(&r)->n, 2);
    cycle when = 0;
    for (size_t i = 0; i < 2; i++)
        if (answer(&r, i).addr == next)
            when = answer(&r, i).time;
    rig_free(&r);
    return when;
}

/* An entry is a part of a line that DRAM gives at a time. */
START_TEST(reads_wait_for_an_entry)
{
    cycle free = read_beside_a_miss("l2.miss_entries_per_slice=3", 15);
    ck_assert_uint_gt(read_beside_a_miss("l2.miss_entries_per_slice=2", 15), free + 20);
    ck_assert_uint_le(read_beside_a_miss("l2.miss_entries_per_slice=2", 3), free);
}
END_TEST

/* The SM's half keeps as much of a line as DRAM gave to its home in the other. */
START_TEST(a_copy_takes_what_dram_gives)
{
    const char *sets[] = {"l2.fetch_bytes=64", "l2.slices=4", "l2.halves=2", "topology.tpcs_per_gpc=[1,1]"};
    tiny(sets, ARRAY_LEN(sets));
    struct rig r = rig_new();
    struct where w;
    uint64_t at = r.base - r.base % 128;
    for (where_is(&c, at, &w); w.partition != 0 || w.home != 1; where_is(&c, at, &w))
        at += 128;
    request(&r, 100, MSG_READ, at, 1, PAYLOAD_NONE);
    request(&r, 3000, MSG_READ, at, 2, PAYLOAD_NONE);
    for (size_t i = 0; i < mempart_inbox(r.p)->n; i++)
        mempart_inbox(r.p)->m[i].source = 0; /* of the first half */
    mempart_run(r.p, 0, 5000);
    const struct mp_counters *n = mempart_counters(r.p);
    ck_assert_uint_eq(n->l2_reads, 2);
    ck_assert_uint_eq(n->l2_read_hits, 1);
    ck_assert_uint_eq(n->l2_far_reads, 2);
    ck_assert_uint_eq(n->dram_reads, 2);
    rig_free(&r);
}
END_TEST

/* What an SM writes to a line at home in the other half stays in its own half too; SMs over there find it at home, and
 * their own copy is gone when the home's side writes. */
START_TEST(what_is_written_stays_in_the_writers_half)
{
    const char *sets[] = {"l2.slices=4", "l2.halves=2", "topology.tpcs_per_gpc=[1,1]"};
    tiny(sets, ARRAY_LEN(sets));
    struct rig r = rig_new();
    struct where w;
    uint64_t at = r.base - r.base % 128;
    for (where_is(&c, at, &w); w.partition != 0 || w.home != 1; where_is(&c, at, &w))
        at += 128;
    static const struct { /* half 0 is the far one */
        enum msg_kind kind;
        uint32_t half;
        uint64_t hits, far_reads; /* sectors so far */
    } steps[] = {
        {MSG_WRITE, 0, 0, 0}, {MSG_READ, 0, 2, 0},  {MSG_READ, 1, 4, 0}, /* both halves have it */
        {MSG_WRITE, 1, 4, 0}, {MSG_READ, 0, 4, 2},                       /* the copy was dropped and comes again */
        {MSG_READ, 0, 6, 2},  {MSG_WRITE, 0, 6, 2}, {MSG_READ, 0, 8, 2},
    };
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        request(&r, 100 + 1000 * i, steps[i].kind, at, 3, PAYLOAD_NONE);
        struct msgbox *in = mempart_inbox(r.p);
        in->m[in->n - 1].source = c.nsm / 2 * steps[i].half;
        mempart_run(r.p, 1000 * i, 1000 * (i + 1));
        const struct mp_counters *n = mempart_counters(r.p);
        ck_assert_msg(n->l2_read_hits == steps[i].hits && n->l2_far_reads == steps[i].far_reads,
                      "step %zu: %llu hits, %llu read over there", i, (unsigned long long)n->l2_read_hits,
                      (unsigned long long)n->l2_far_reads);
    }
    ck_assert_uint_eq(mempart_counters(r.p)->dram_reads, 0);
    rig_free(&r);
}
END_TEST

START_TEST(atomics_take_effect_in_delivery_order)
{
    tiny(NULL, 0);
    struct rig r = rig_new();
    static struct inst add = {.op = OP_ATOMG};
    for (uint32_t i = 0; i < 10; i++) {
        pay[i] = (struct payload){.mask = 7, .bytes = 4, .inst = &add};
        for (int l = 0; l < 3; l++) {
            pay[i].addr[l] = r.base + 4;
            pay[i].data[0][l] = 1;
        }
        request(&r, 100 + i, i % 2 ? MSG_REDUCE : MSG_ATOMIC, r.base, 1, i);
    }
    pay[10] = (struct payload){.mask = 1, .bytes = 4, .addr = {r.base + 4}};
    request(&r, 105, MSG_STRONG_READ, r.base, 1, 10);
    msgbox_sort(mempart_inbox(r.p));
    mempart_run(r.p, 0, 5000);
    for (uint32_t i = 0; i < 10; i += 2)
        for (uint32_t l = 0; l < 3; l++)
            ck_assert_uint_eq(pay[i].data[0][l], 3 * i + l);
    ck_assert_uint_eq(pay[10].data[0][0], 18); /* after the request of cycle 105, by sequence */
    uint32_t v = 0;
    memory_load(r.mem, mempart_log(r.p), r.base + 4, &v, 4);
    ck_assert_uint_eq(v, 30);
    memory_load(r.mem, NULL, r.base + 4, &v, 4); /* others see it after the commit */
    ck_assert_uint_eq(v, 0);
    struct storelog *log = mempart_log(r.p);
    memory_commit(r.mem, &log, 1, 0, 1);
    memory_load(r.mem, NULL, r.base + 4, &v, 4);
    ck_assert_uint_eq(v, 30);
    const struct mp_counters *n = mempart_counters(r.p);
    ck_assert_uint_eq(n->part_requests, n->part_replies);
    ck_assert_uint_eq(n->l2_dirtied, 1);
    rig_free(&r);
}
END_TEST

/* Random traffic over more than the L2 holds, in two halves: everything is answered, nothing is lost. */
START_TEST(what_goes_in_comes_out)
{
    const char *sets[] = {"l2.slices=4",
                          "l2.halves=2",
                          "interconnect.far_partition_cycles=30",
                          "l2.sets_per_slice=8",
                          "l2.miss_entries_per_slice=4",
                          "dram.queue_entries=4",
                          "topology.tpcs_per_gpc=[1,1]",
                          "l2.partial_write_cycles=3"};
    tiny(sets, ARRAY_LEN(sets));
    struct rig r = rig_new();
    uint32_t x = 3;
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t addr;
        do {
            x = hash32(x + 11);
            addr = r.base - r.base % 128 + x % 2000 * 128;
        } while (partition_of(&c, addr) != 0);
        uint32_t k = x >> 12 & 15, slot = i % 256;
        pay[slot] = (struct payload){.head.byte_mask = {0xff, 0xff, UINT32_MAX, UINT32_MAX}};
        bool partial = k == 9;
        request(&r, i / 2,
                k < 8    ? MSG_READ
                : k < 14 ? MSG_WRITE
                         : MSG_PREFETCH,
                addr, (uint8_t)(1 + (x >> 20) % 15), partial ? slot : PAYLOAD_NONE);
        mempart_inbox(r.p)->m[mempart_inbox(r.p)->n - 1].source = i % 4;
    }
    mempart_run(r.p, 0, 100000000);
    const struct mp_counters *n = mempart_counters(r.p);
    ck_assert_uint_eq(n->part_requests, 20000);
    ck_assert_uint_eq(n->part_replies, 20000);
    size_t answers = 0;
    for (uint32_t g = 0; g < c.ngpc; g++) {
        answers += mempart_outboxes(r.p)[g].n;
        mempart_outboxes(r.p)[g].n = 0;
    }
    ck_assert_uint_eq(answers, 20000);
    ck_assert(mempart_idle(r.p));
    mempart_end_launch(r.p);
    ck_assert_uint_eq(n->l2_fills, n->dram_reads);
    ck_assert_uint_eq(n->l2_writebacks, n->dram_writes);
    ck_assert_uint_eq(n->l2_dirtied + n->l2_dirty_start, n->l2_writebacks + n->l2_dirty_end);
    ck_assert_uint_gt(n->l2_far_reads, 0);
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("l2");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, least_recently_used_line_leaves);
    tcase_add_test(t, sets_of_any_width_keep_the_order_of_use);
    tcase_add_test(t, events_leave_by_time_and_then_as_they_came);
    tcase_add_test(t, partly_written_sector_is_whole_when_all_bytes_came);
    tcase_add_test(t, oldest_dirty_line_is_cleaned_beyond_the_bound);
    tcase_add_test(t, hit_and_miss_take_the_configured_time);
    tcase_add_test(t, writes_take_the_port_by_which_they_enter);
    tcase_add_test(t, fills_take_turns_with_writes);
    tcase_add_test(t, misses_of_one_sector_are_fetched_once);
    tcase_add_test(t, reads_wait_for_an_entry);
    tcase_add_test(t, a_copy_takes_what_dram_gives);
    tcase_add_test(t, what_is_written_stays_in_the_writers_half);
    tcase_add_test(t, atomics_take_effect_in_delivery_order);
    tcase_add_test(t, what_goes_in_comes_out);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
