/* The coalescer against counts that a person can check: 32-byte sectors and 128-byte lines of one warp. */
#include <check.h>
#include <stdlib.h>

#include "sim/coalesce.h"

enum { FULL = 0xffffffff };
struct pattern {
    const char *what;
    uint64_t base;
    int64_t stride; /* bytes between lanes */
    uint32_t bytes;
    uint64_t mask;
    uint32_t sectors, lines, useful_percent;
};
/* x[..] of floats unless said; base 128-aligned unless said */
static const struct pattern patterns[] = {
    {"x[tid]", 0x1000, 4, 4, FULL, 4, 1, 100},
    {"x[tid+1]", 0x1004, 4, 4, FULL, 5, 2, 80},
    {"x[2*tid]", 0x1000, 8, 4, FULL, 8, 2, 50},
    {"x[4*tid]", 0x1000, 16, 4, FULL, 16, 4, 25},
    {"x[8*tid]", 0x1000, 32, 4, FULL, 32, 8, 12},
    {"x[16*tid]", 0x1000, 64, 4, FULL, 32, 16, 12},
    {"x[32*tid]", 0x1000, 128, 4, FULL, 32, 32, 12},
    {"structures of 16 bytes", 0x1000, 16, 4, FULL, 16, 4, 25},
    {"structures of 32 bytes", 0x1000, 32, 4, FULL, 32, 8, 12},
    {"all lanes one address", 0x1000, 0, 4, FULL, 1, 1, 400},
    {"float4, every second", 0x1000, 32, 16, FULL, 32, 8, 50},
    {"float4", 0x1000, 16, 16, FULL, 16, 4, 100},
    {"double", 0x1000, 8, 8, FULL, 8, 2, 100},
    {"bytes", 0x1000, 1, 1, FULL, 1, 1, 100},
    {"halves", 0x1000, 2, 2, FULL, 2, 1, 100},
    {"reversed", 0x1000 + 124, -4, 4, FULL, 4, 1, 100},
    {"column of 4096 floats", 0x100000, 16384, 4, FULL, 32, 32, 12},
    {"lanes 0..15", 0x1000, 4, 4, 0xffff, 2, 1, 100},
    {"odd lanes", 0x1000, 4, 4, 0xaaaaaaaa, 4, 1, 50},
    {"one lane", 0x1000, 4, 4, 1, 1, 1, 12},
};

static void addresses(const struct pattern *p, uint64_t *addr)
{
    for (uint32_t i = 0; i < NLANE; i++)
        addr[i] = p->base + (uint64_t)(p->stride * (int64_t)i);
}

START_TEST(counts)
{
    const struct pattern *p = &patterns[_i];
    static struct coalesced c;
    uint64_t addr[NLANE];
    addresses(p, addr);
    for (int masks = 0; masks < 2; masks++) {
        coalesce(&c, 128, 32, p->mask, addr, p->bytes, masks);
        ck_assert_msg(c.sectors == p->sectors && c.n == p->lines, "%s: %u sectors in %u lines, not %u in %u", p->what,
                      c.sectors, c.n, p->sectors, p->lines);
        uint32_t useful = (uint32_t)__builtin_popcountll(p->mask) * p->bytes * 100 / (c.sectors * 32);
        ck_assert_uint_eq(useful, p->useful_percent);
    }
}
END_TEST

/* The run of consecutive lanes and the way lane by lane give the same lines, lanes and bytes. */
START_TEST(run_equals_lanes)
{
    static struct coalesced run, each;
    uint64_t addr[NLANE];
    for (uint32_t bytes = 1; bytes <= 16; bytes *= 2)
        for (uint32_t nlane = 32; nlane <= 64; nlane += 32)
            for (uint64_t base = 0x4000; base < 0x4100; base += bytes) {
                uint64_t full = nlane == 64 ? ~UINT64_C(0) : FULL;
                for (uint32_t i = 0; i < nlane; i++)
                    addr[i] = base + i * bytes;
                ck_assert(lanes_consecutive(nlane, full, addr, bytes));
                coalesce(&run, 128, nlane, full, addr, bytes, true);
                coalesce_begin(&each);
                for (uint32_t i = 0; i < nlane; i++)
                    coalesce_add(&each, 128, i, addr[i], bytes);
                coalesce_end(&each);
                ck_assert_uint_eq(run.n, each.n);
                ck_assert_uint_eq(run.sectors, each.sectors);
                for (uint32_t i = 0; i < run.n; i++) {
                    ck_assert_uint_eq(run.line[i].line, each.line[i].line);
                    ck_assert_uint_eq(run.line[i].sectors, each.line[i].sectors);
                    ck_assert_uint_eq(run.line[i].lanes, each.line[i].lanes);
                    ck_assert_mem_eq(run.line[i].byte_mask, each.line[i].byte_mask, sizeof run.line[i].byte_mask);
                }
            }
}
END_TEST

/* Any order of the lanes is the same request. */
START_TEST(order_is_irrelevant)
{
    static struct coalesced c;
    uint64_t addr[NLANE];
    for (uint32_t seed = 0; seed < 50; seed++) {
        for (uint32_t i = 0; i < 32; i++)
            addr[i] = 0x2000 + 4 * i;
        for (uint32_t i = 31; i > 0; i--) {
            uint32_t j = hash32(seed * 100 + i) % (i + 1);
            uint64_t t = addr[i];
            addr[i] = addr[j];
            addr[j] = t;
        }
        coalesce(&c, 128, 32, FULL, addr, 4, false);
        ck_assert_uint_eq(c.sectors, 4);
        ck_assert_uint_eq(c.n, 1);
    }
}
END_TEST

/* 64-byte pieces at scattered places, four lanes of 16 bytes each: 16 sectors in 8 lines. */
START_TEST(scattered_pieces)
{
    static struct coalesced c;
    uint64_t addr[NLANE];
    for (uint32_t i = 0; i < 32; i++)
        addr[i] = 0x10000 + hash32(i / 4) % 4096 * 1024 + i % 4 * 16;
    coalesce(&c, 128, 32, FULL, addr, 16, false);
    ck_assert_uint_eq(c.sectors, 16);
    ck_assert_uint_eq(c.n, 8);
}
END_TEST

START_TEST(ideal)
{
    ck_assert_uint_eq(sectors_ideal(FULL, 4), 4);
    ck_assert_uint_eq(sectors_ideal(FULL, 16), 16);
    ck_assert_uint_eq(sectors_ideal(0xf, 4), 1);
    ck_assert_uint_eq(sectors_ideal(0x1ff, 4), 2);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("coalesce");
    TCase *t = tcase_create("all");
    tcase_add_loop_test(t, counts, 0, (int)ARRAY_LEN(patterns));
    tcase_add_test(t, run_equals_lanes);
    tcase_add_test(t, order_is_irrelevant);
    tcase_add_test(t, scattered_pieces);
    tcase_add_test(t, ideal);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
