/* Reads that meet before L2: who joins whom, what comes back, and that nothing is kept. */
#include <check.h>
#include <stdlib.h>

#include "sim/coalescer.h"
#include "sim/sim.h"

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
    return r;
}

START_TEST(a_read_joins_one_that_covers_it)
{
    struct coalescer *c = coalescer_new();
    struct message first = read_of(1, 10, 4096, 0xf), part = read_of(2, 20, 4096, 0x6),
                   other = read_of(3, 30, 4224, 0xf);
    ck_assert(!coalescer_join(c, &first));
    ck_assert(coalescer_join(c, &part));
    ck_assert(!coalescer_join(c, &other)); /* another line */
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

START_TEST(a_read_of_more_goes_on_alone)
{
    struct coalescer *c = coalescer_new();
    struct message first = read_of(1, 10, 4096, 0x3), more = read_of(2, 20, 4096, 0x7),
                   third = read_of(3, 30, 4096, 0x4);
    ck_assert(!coalescer_join(c, &first));
    ck_assert(!coalescer_join(c, &more)); /* one sector is not under way */
    ck_assert(coalescer_join(c, &third)); /* now it is */
    struct got g = {.n = 0};
    struct message r = answer_to(&first);
    coalescer_answer(c, &r, keep, &g);
    ck_assert_uint_eq(g.n, 0); /* the third waits for the second */
    r = answer_to(&more);
    coalescer_answer(c, &r, keep, &g);
    ck_assert_uint_eq(g.n, 1);
    ck_assert_uint_eq(g.m[0].dest, 3);
    coalescer_free(c);
}
END_TEST

START_TEST(after_the_answer_nothing_is_kept)
{
    struct coalescer *c = coalescer_new();
    struct got g = {.n = 0};
    for (uint32_t i = 0; i < 10000; i++) { /* more than the tables hold */
        struct message m = read_of(i % 6, i, 128 * (uint64_t)(i % 7), 0xf), r = answer_to(&m);
        ck_assert(!coalescer_join(c, &m));
        coalescer_answer(c, &r, keep, &g);
    }
    ck_assert_uint_eq(g.n, 0);
    coalescer_free(c);
}
END_TEST

START_TEST(full_tables_let_reads_go_on)
{
    struct coalescer *c = coalescer_new();
    for (uint32_t i = 0; i < 5000; i++) {
        struct message m = read_of(1, i, 128 * (uint64_t)i, 0xf);
        ck_assert(!coalescer_join(c, &m));
    }
    coalescer_free(c);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("coalescer");
    tcase_add_test(t, a_read_joins_one_that_covers_it);
    tcase_add_test(t, a_read_of_more_goes_on_alone);
    tcase_add_test(t, after_the_answer_nothing_is_kept);
    tcase_add_test(t, full_tables_let_reads_go_on);
    Suite *s = suite_create("coalescer");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
