/* Atomics and strong accesses: values, their order, and what they cost inside an SM. */
#include "tests/lsu_bench.h"

enum { ADD = 0, CAS = 10, POPC_INC = 11, CAST_SPIN = 12, STRONG = 2, GPU = 3, SM = 2 }; /* values in ops.def */

static struct effect *atomic_effect(const struct inst *in, enum effect_class kind, enum space space, uint64_t base,
                                    uint32_t stride)
{
    struct effect *e = bench_effect(in, kind, space, 4, base, stride);
    for (uint32_t i = 0; i < 32; i++)
        e->data[0][i] = 1;
    return e;
}

static const struct effect *result(struct bench *b, uint32_t warp)
{
    for (uint32_t i = 0; i < b->ndone; i++)
        if (b->done[i].kind == COMPLETE_RESULT && b->done[i].warp == warp)
            return lsu_effect(b->lsu, b->done[i].effect);
    ck_abort_msg("warp %u has no result", warp);
}

/* The memory side knows modifiers by their value: they must still be those of ops.def. */
START_TEST(modifier_values)
{
    static const struct {
        enum mod mod;
        unsigned value;
        const char *name;
    } known[] = {
        {MOD_ORDER, 2, "STRONG"},   {MOD_ORDER, 3, "MMIO"},    {MOD_SCOPE, 1, "CTA"}, {MOD_SCOPE, 2, "SM"},
        {MOD_SCOPE, 3, "GPU"},      {MOD_SCOPE, 4, "SYS"},     {MOD_EVICT, 1, "EF"},  {MOD_EVICT, 3, "LU"},
        {MOD_EVICT, 5, "NA"},       {MOD_BYPASS, 1, "BYPASS"}, {MOD_AOP, 10, "CAS"},  {MOD_AOP, 11, "POPC.INC"},
        {MOD_AOP, 12, "CAST.SPIN"}, {MOD_CCTL, 1, "IVALL"},    {MOD_CCTL, 2, "PF1"},  {MOD_CCTL, 3, "PF2"},
        {MOD_CCTL, 5, "IV"},        {MOD_CCTL, 10, "PF1.5"},
    };
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        ck_assert_str_eq(mod_value_name(known[i].mod, known[i].value), known[i].name);
}
END_TEST

START_TEST(shared_counter) /* all lanes add one to one word: the old values are 0..31 */
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst in = bench_inst(OP_ATOMS, false);
    bench_issue(b, 0, 0, atomic_effect(&in, EFF_ATOMIC, SPACE_SHARED, 0x400, 0));
    bench_drain(b, false);
    uint64_t seen = 0;
    for (uint32_t i = 0; i < 32; i++)
        seen |= UINT64_C(1) << result(b, 0)->data[0][i];
    ck_assert_uint_eq(seen, FULL);
    ck_assert_uint_eq(*(uint32_t *)(void *)b->shared, 32);
    /* tiny: 20, and 2 for each of the 31 that follow the first */
    ck_assert_uint_eq(bench_when(b, COMPLETE_RESULT, 0), 20 + 31 * 2);
    ck_assert_uint_eq(b->count.shared_atom_inst, 1);
    bench_free(b);
}
END_TEST

START_TEST(shared_spread) /* different banks: no more than a load */
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst in = bench_inst(OP_ATOMS, false);
    bench_issue(b, 0, 0, atomic_effect(&in, EFF_ATOMIC, SPACE_SHARED, 0x400, 4));
    bench_drain(b, false);
    ck_assert_uint_eq(bench_when(b, COMPLETE_RESULT, 0), 20);
    bench_free(b);
}
END_TEST

START_TEST(shared_count_of_lanes) /* ATOMS.POPC.INC: one addition of the number of lanes, one old value for all */
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst in = bench_inst(OP_ATOMS, true);
    in.mod[MOD_AOP] = POPC_INC;
    struct effect *e = atomic_effect(&in, EFF_ATOMIC, SPACE_SHARED, 0x404, 0);
    e->mask = 0xff;
    bench_issue(b, 0, 0, e);
    bench_issue(b, 0, 1, e);
    bench_drain(b, false);
    ck_assert_uint_eq(*(uint32_t *)(void *)(b->shared + 4), 16);
    ck_assert_uint_eq(result(b, 0)->data[0][7], 0);
    ck_assert_uint_eq(result(b, 1)->data[0][0], 8);
    ck_assert_uint_eq(result(b, 1)->data[0][7], 8);
    ck_assert_uint_eq(bench_when(b, COMPLETE_RESULT, 0), 20);
    bench_free(b);
}
END_TEST

START_TEST(compare_and_swap) /* one of the lanes that compare with 0 wins */
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst in = bench_inst(OP_ATOMS, false);
    in.mod[MOD_AOP] = _i ? CAST_SPIN : CAS;
    struct effect *e = atomic_effect(&in, EFF_ATOMIC, SPACE_SHARED, 0x400, 0);
    e->nword = 2;
    for (uint32_t i = 0; i < 32; i++) {
        e->data[0][i] = 0;
        e->data[1][i] = 100 + i;
    }
    bench_issue(b, 0, 0, e);
    bench_drain(b, false);
    ck_assert_uint_eq(*(uint32_t *)(void *)b->shared, 100);
    const struct effect *r = result(b, 0);
    for (uint32_t i = 0; i < 32; i++) {
        ck_assert_uint_eq(r->data[0][i], i ? 100 : 0);
        ck_assert_uint_eq(r->data[1][i], 0); /* the compare word */
    }
    bench_free(b);
}
END_TEST

/* Wavefronts as the profiler of an H200 counts them (memory_l1_wavefronts_shared and its ideal, one warp): by lanes,
 * the words between them, and what is done. */
START_TEST(shared_wavefronts_counted)
{
    static const struct {
        uint32_t aop, bytes, lanes, words, total, ideal;
    } known[] = {{ADD, 4, 1, 0, 1, 1},       {ADD, 4, 32, 1, 1, 1},       {ADD, 4, 32, 0, 32, 1},
                 {ADD, 4, 8, 32, 8, 1},      {CAS, 4, 1, 0, 2, 2},        {CAS, 4, 2, 0, 4, 2},
                 {CAS, 4, 32, 0, 64, 2},     {CAS, 4, 32, 32, 64, 2},     {CAS, 4, 32, 1, 2, 2},
                 {CAS, 8, 32, 2, 4, 4},      {CAST_SPIN, 4, 32, 0, 2, 2}, {CAST_SPIN, 4, 8, 32, 2, 2},
                 {CAST_SPIN, 8, 32, 2, 4, 4}};
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        struct bench *b = bench_new("h200", NULL, 0);
        struct inst in = bench_inst(OP_ATOMS, false);
        in.mod[MOD_AOP] = (uint8_t)known[i].aop;
        struct effect *e = bench_effect(&in, EFF_ATOMIC, SPACE_SHARED, known[i].bytes, 0x400, 4 * known[i].words);
        e->nword = (uint8_t)(known[i].aop == ADD ? known[i].bytes / 4 : known[i].bytes / 2);
        e->mask = known[i].lanes == 32 ? FULL : (1u << known[i].lanes) - 1;
        bench_issue(b, 0, 0, e);
        bench_drain(b, false);
        ck_assert_msg(b->count.shared_wavefronts == known[i].total &&
                          b->count.shared_wavefronts_ideal == known[i].ideal,
                      "%zu: %llu wavefronts, ideal %llu", i, (unsigned long long)b->count.shared_wavefronts,
                      (unsigned long long)b->count.shared_wavefronts_ideal);
        bench_free(b);
    }
}
END_TEST

START_TEST(global_atomics_travel) /* one message a line, old values come back with the answer */
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst in = bench_inst(OP_ATOMG, false);
    bench_issue(b, 0, 2, atomic_effect(&in, EFF_ATOMIC, SPACE_GLOBAL, b->buffer + 64, 4));
    bench_drain(b, false);
    ck_assert_uint_eq(b->nmessage[MSG_ATOMIC], 2);
    ck_assert_uint_eq(b->sectors[MSG_ATOMIC], 4);
    ck_assert_uint_eq(b->count.atom_requests, 1);
    ck_assert_uint_eq(b->count.atom_sectors, 4);
    ck_assert_uint_eq(bench_when(b, COMPLETE_RESULT, 2), 121); /* the second line leaves a cycle later */
    bench_issue(b, 0, 3, atomic_effect(&in, EFF_ATOMIC, SPACE_GLOBAL, b->buffer + 64, 4));
    bench_drain(b, false);
    ck_assert_uint_eq(result(b, 3)->data[0][31], 1);
    ck_assert_uint_eq(b->count.requests_sent, b->count.replies_received);
    ck_assert(lsu_warp_idle(b->lsu, 3));
    bench_free(b);
}
END_TEST

START_TEST(reductions_do_not_wait) /* done for the warp at once, but it is not idle until the answer */
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst in = bench_inst(OP_RED, false);
    bench_issue(b, 0, 2, atomic_effect(&in, EFF_REDUCE, SPACE_GLOBAL, b->buffer, 0));
    for (; b->now < 40; b->now++)
        bench_step(b);
    ck_assert_uint_eq(bench_when(b, COMPLETE_RESULT, 2), 12);
    ck_assert(!lsu_warp_idle(b->lsu, 2));
    bench_drain(b, false);
    ck_assert(lsu_warp_idle(b->lsu, 2));
    ck_assert_uint_eq(b->nmessage[MSG_REDUCE], 1);
    ck_assert_uint_eq(b->count.red_requests, 1);
    bench_free(b);
}
END_TEST

/* A weak load behind an unanswered reduction of the same sector sees the sum; one of another sector may hit L1. */
START_TEST(weak_loads_follow_atomics)
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst red = bench_inst(OP_RED, false), ld = bench_inst(OP_LDG, false);
    bench_issue(b, 0, 0, bench_effect(&ld, EFF_LOAD, SPACE_GLOBAL, 4, b->buffer, 4));
    bench_drain(b, false);
    b->now += 20;
    b->ndone = 0;
    cycle at = b->now;
    bench_issue(b, 0, 0, atomic_effect(&red, EFF_REDUCE, SPACE_GLOBAL, b->buffer, 0));
    bench_issue(b, 0, 1, bench_effect(&ld, EFF_LOAD, SPACE_GLOBAL, 4, b->buffer, 0));
    bench_issue(b, 0, 2, bench_effect(&ld, EFF_LOAD, SPACE_GLOBAL, 4, b->buffer + 32, 0));
    bench_drain(b, false);
    ck_assert_uint_eq(result(b, 1)->data[0][0], 32);
    ck_assert(bench_when(b, COMPLETE_RESULT, 1) >= at + 120);
    ck_assert(bench_when(b, COMPLETE_RESULT, 2) < at + 60);
    ck_assert_uint_eq(b->nmessage[MSG_STRONG_READ], 1);
    bench_free(b);
}
END_TEST

/* A weak store behind an unanswered atomic must not be overtaken by it: x += 32 in L2, then x = 5. */
START_TEST(weak_stores_follow_atomics)
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst red = bench_inst(OP_RED, false), st = bench_inst(OP_STG, false);
    bench_issue(b, 0, 0, atomic_effect(&red, EFF_REDUCE, SPACE_GLOBAL, b->buffer, 0));
    struct effect *e = bench_effect(&st, EFF_STORE, SPACE_GLOBAL, 4, b->buffer, 0);
    e->mask = 1;
    e->data[0][0] = 5;
    bench_issue(b, 0, 0, e);
    bench_drain(b, false);
    uint32_t v;
    memory_load(b->mem, b->log, b->buffer, &v, 4);
    ck_assert_uint_eq(v, 5);
    ck_assert_uint_eq(b->nmessage[MSG_STRONG_WRITE], 1);
    bench_free(b);
}
END_TEST

/* .STRONG.GPU goes to L2 each time; .STRONG.SM may hit L1. */
START_TEST(strong_loads_bypass)
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst ld = bench_inst(OP_LDG, false);
    ld.mod[MOD_ORDER] = STRONG;
    ld.mod[MOD_SCOPE] = _i ? GPU : SM;
    for (uint32_t n = 0; n < 3; n++) {
        bench_issue(b, 0, n, bench_effect(&ld, EFF_LOAD, SPACE_GLOBAL, 4, b->buffer, 4));
        bench_drain(b, false);
        b->now += 20;
    }
    ck_assert_uint_eq(b->nmessage[MSG_STRONG_READ], _i ? 3 : 0);
    ck_assert_uint_eq(b->nmessage[MSG_READ], _i ? 0 : 1);
    ck_assert_uint_eq(b->count.l1_read_misses_unmerged, _i ? 12 : 4);
    bench_free(b);
}
END_TEST

START_TEST(payloads_run_out_and_return) /* many scattered atomics: nothing is lost, all are answered */
{
    const char *sets[] = {"sm.l1.outstanding_write_sectors=16"};
    struct bench *b = bench_new("tiny", sets, 1);
    struct inst in = bench_inst(OP_ATOMG, false);
    uint32_t left = 40;
    while (left) {
        bench_step(b);
        if (lsu_can_issue(b->lsu, left % 4, &in, b->now)) {
            bench_issue(b, left % 4, left % 16, atomic_effect(&in, EFF_ATOMIC, SPACE_GLOBAL, b->buffer, 4096));
            left--;
        }
        b->now++;
    }
    bench_drain(b, true);
    ck_assert_uint_eq(b->nmessage[MSG_ATOMIC], 40 * 32);
    ck_assert_uint_eq(b->count.requests_sent, b->count.replies_received);
    uint32_t v;
    memory_load(b->mem, b->log, b->buffer + 31 * 4096, &v, 4);
    ck_assert_uint_eq(v, 40);
    for (uint32_t w = 0; w < 16; w++)
        ck_assert(lsu_warp_idle(b->lsu, w));
    bench_free(b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("atomics");
    TCase *t = tcase_create("all");
    tcase_add_test(t, modifier_values);
    tcase_add_test(t, shared_counter);
    tcase_add_test(t, shared_spread);
    tcase_add_test(t, shared_count_of_lanes);
    tcase_add_loop_test(t, compare_and_swap, 0, 2);
    tcase_add_test(t, shared_wavefronts_counted);
    tcase_add_test(t, global_atomics_travel);
    tcase_add_test(t, reductions_do_not_wait);
    tcase_add_test(t, weak_loads_follow_atomics);
    tcase_add_test(t, weak_stores_follow_atomics);
    tcase_add_loop_test(t, strong_loads_bypass, 0, 2);
    tcase_add_test(t, payloads_run_out_and_return);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
/* One partition takes everything: the stand-in for L2. */
uint32_t partition_of(const struct config *c, uint64_t line_addr)
{
    (void)c;
    (void)line_addr;
    return 0;
}
