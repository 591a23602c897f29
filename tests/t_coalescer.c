/* Reads that meet before L2: who joins whom, what comes back, and that nothing is kept. */
#include <check.h>
#include <stdlib.h>

#include "sim/coalescer.h"
#include "sim/sim.h"

enum { PERIOD = 80, MOST = 4, WAY = 90 };

struct got {
    struct message m[8];
    uint32_t n;
};
static void keep(void *arg, const struct message *m)
{
    struct got *g = arg;
    ck_assert_uint_lt(g->n, 8);
    g->m[g->n++] = *m;
}
static struct message read_of(uint32_t sm, uint32_t tag, uint64_t addr, uint8_t sectors)
{
    return (struct message){.kind = MSG_READ,
                            .source = sm,
                            .tag = tag,
                            .addr = addr,
                            .sectors = sectors,
                            .wire_bytes = 8,
                            .payload = PAYLOAD_NONE};
}
static struct message answer_to(const struct message *m)
{
    struct message r = *m;
    r.kind = MSG_READ_REPLY;
    r.dest = m->source;
    r.source = 200;
    r.wire_bytes = (uint16_t)(8 + 32 * __builtin_popcount(m->sectors));
    r.time = m->time + PERIOD + WAY; /* later than any read can join it */
    return r;
}

START_TEST(equal_reads_share_an_answer)
{
    struct coalescer *c = coalescer_new(PERIOD, MOST, WAY);
    struct message first = read_of(1, 10, 4096, 0x6), same = read_of(2, 20, 4096, 0x6),
                   other = read_of(3, 30, 4224, 0x6), part = read_of(4, 40, 4096, 0x2),
                   more = read_of(5, 50, 4096, 0xf);
    ck_assert(!coalescer_join(c, &first));
    ck_assert(coalescer_join(c, &same));
    ck_assert(!coalescer_join(c, &other)); /* another line */
    ck_assert(!coalescer_join(c, &part));  /* fewer sectors: measured, they do not meet */
    ck_assert(!coalescer_join(c, &more));
    struct got g = {.n = 0};
    struct message r = answer_to(&first);
    coalescer_answer(c, &r, keep, &g);
    ck_assert_uint_eq(g.n, 1);
    ck_assert_uint_eq(g.m[0].dest, 2);
    ck_assert_uint_eq(g.m[0].tag, 20);
    ck_assert_uint_eq(g.m[0].sectors, 0x6);
    ck_assert_uint_eq(g.m[0].wire_bytes, 8 + 64);
    ck_assert_uint_eq(g.m[0].payload, PAYLOAD_SHARED);
    coalescer_free(c);
}
END_TEST

/* A read of other sectors of a line ends what could be joined there, and is joined by none itself until the tick
 * (measured: gathers of single sectors of 128 lines by all SMs hardly meet, 3 of 100, reads of these lines as a whole
 * do, 42 of 100). */
START_TEST(other_sectors_spoil_a_line)
{
    struct coalescer *c = coalescer_new(PERIOD, MOST, WAY);
    struct message first = read_of(1, 10, 4096, 0x1), other = read_of(2, 20, 4096, 0x2),
                   same = read_of(3, 30, 4096, 0x1), second = read_of(4, 40, 4096, 0x2);
    ck_assert(!coalescer_join(c, &first));
    ck_assert(!coalescer_join(c, &other));
    ck_assert(!coalescer_join(c, &same));
    ck_assert(!coalescer_join(c, &second));
    struct message later = read_of(5, 50, 4096, 0x2), again = read_of(6, 60, 4096, 0x2);
    later.time = again.time = PERIOD;
    ck_assert(!coalescer_join(c, &later));
    ck_assert(coalescer_join(c, &again));
    coalescer_free(c);
}
END_TEST

/* As measured: reads of one line at once by 2, 6 and 18 SMs reach L2 as 1, 2 and 5. */
START_TEST(so_many_to_an_answer)
{
    static const uint32_t sms[] = {2, 6, 18}, reach[] = {1, 2, 5};
    for (uint32_t k = 0; k < 3; k++) {
        struct coalescer *c = coalescer_new(PERIOD, MOST, WAY);
        struct got g = {.n = 0};
        uint32_t n = 0, alone[18];
        for (uint32_t i = 0; i < sms[k]; i++) {
            struct message m = read_of(i, i, 4096, 0xf);
            if (!coalescer_join(c, &m))
                alone[n++] = i;
        }
        ck_assert_uint_eq(n, reach[k]);
        for (uint32_t i = 0; i < n; i++) {
            struct message m = read_of(alone[i], alone[i], 4096, 0xf), r = answer_to(&m);
            g.n = 0;
            coalescer_answer(c, &r, keep, &g);
            ck_assert_uint_lt(g.n, MOST);
            ck_assert(sms[k] != 2 || g.n == 1);
        }
        coalescer_free(c);
    }
}
END_TEST

/* Two reads meet if no tick lies between them: always at once, never a period apart. */
START_TEST(until_the_next_tick)
{
    struct coalescer *c = coalescer_new(PERIOD, MOST, WAY);
    uint32_t line = 0;
    for (cycle apart = 0; apart <= PERIOD; apart++) {
        uint32_t met = 0;
        for (cycle at = 0; at < PERIOD; at++, line++) {
            struct message first = read_of(1, 10, 128 * (uint64_t)line, 0xf),
                           next = read_of(2, 20, 128 * (uint64_t)line, 0xf), r = answer_to(&first);
            struct got g = {.n = 0};
            first.time = (1000 + 3 * (cycle)line) * PERIOD + at;
            next.time = first.time + apart;
            ck_assert(!coalescer_join(c, &first));
            if (coalescer_join(c, &next))
                met++;
            coalescer_answer(c, &r, keep, &g);
        }
        ck_assert_uint_eq(met, PERIOD - apart);
    }
    coalescer_free(c);
}
END_TEST

START_TEST(after_the_answer_nothing_is_kept)
{
    struct coalescer *c = coalescer_new(PERIOD, MOST, WAY);
    struct got g = {.n = 0};
    for (uint32_t i = 0; i < 10000; i++) {
        struct message m = read_of(i % 6, i, 128 * (uint64_t)(i % 7), 0xf);
        m.time = i * (PERIOD + WAY);
        struct message r = answer_to(&m);
        ck_assert(!coalescer_join(c, &m));
        coalescer_answer(c, &r, keep, &g);
    }
    ck_assert_uint_eq(g.n, 0);
    ck_assert(coalescer_next(c) == UINT64_MAX);
    coalescer_free(c);
}
END_TEST

/* A read that joins late has its answer when it could have been to L2 and back, whether or not it was known when the
 * answer passed. */
START_TEST(nobody_is_answered_sooner_than_by_l2)
{
    enum { SOON = 100 }; /* after the first read */
    for (uint32_t known = 0; known < 2; known++)
        for (cycle apart = 0; apart < PERIOD; apart++) {
            struct coalescer *c = coalescer_new(PERIOD, MOST, WAY);
            struct got g = {.n = 0};
            struct message first = read_of(1, 10, 4096, 0xf), next = read_of(2, 20, 4096, 0xf), r = answer_to(&first);
            next.time = apart;
            r.time = SOON;
            bool waits = apart + WAY > SOON;
            ck_assert(!coalescer_join(c, &first));
            ck_assert(!known || coalescer_join(c, &next));
            if (!known && !waits) { /* must have come */
                coalescer_free(c);
                continue;
            }
            coalescer_answer(c, &r, keep, &g);
            ck_assert(known || coalescer_join(c, &next));
            ck_assert_uint_eq(g.n, waits ? 0 : 1);
            ck_assert_uint_eq(coalescer_next(c), waits ? apart + WAY : UINT64_MAX);
            struct message m = waits ? coalescer_take(c) : g.m[0];
            ck_assert_uint_eq(m.dest, 2);
            ck_assert_uint_eq(m.tag, 20);
            ck_assert_uint_eq(m.payload, PAYLOAD_SHARED);
            ck_assert(coalescer_next(c) == UINT64_MAX);
            coalescer_free(c);
        }
}
END_TEST

START_TEST(any_number_may_be_under_way)
{
    struct coalescer *c = coalescer_new(PERIOD, MOST, WAY);
    struct got g = {.n = 0};
    enum { N = 20000 };
    for (uint32_t i = 0; i < N; i++) {
        struct message m = read_of(1, i, 128 * (uint64_t)i, 0xf), also = read_of(2, i, 128 * (uint64_t)i, 0xf);
        ck_assert(!coalescer_join(c, &m));
        ck_assert(coalescer_join(c, &also));
    }
    for (uint32_t i = 0; i < N; i++) {
        struct message m = read_of(1, i, 128 * (uint64_t)i, 0xf), r = answer_to(&m);
        g.n = 0;
        coalescer_answer(c, &r, keep, &g);
        ck_assert_uint_eq(g.n, 1);
        ck_assert_uint_eq(g.m[0].tag, i);
    }
    coalescer_free(c);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("coalescer");
    tcase_add_test(t, equal_reads_share_an_answer);
    tcase_add_test(t, other_sectors_spoil_a_line);
    tcase_add_test(t, so_many_to_an_answer);
    tcase_add_test(t, until_the_next_tick);
    tcase_add_test(t, after_the_answer_nothing_is_kept);
    tcase_add_test(t, nobody_is_answered_sooner_than_by_l2);
    tcase_add_test(t, any_number_may_be_under_way);
    Suite *s = suite_create("coalescer");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
