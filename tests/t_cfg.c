/* Control-flow graph: blocks, successors and post-dominators of small kernels that a person can draw. */
#include <check.h>
#include <stdlib.h>

#include "isa/isa.h"

struct graph {
    struct program *p;
    struct cfg g;
};

static struct graph build(const char *body)
{
    struct graph r = {0};
    struct error err = {0};
    char *text = xasprintf(".kernel k\n%s\n", body);
    r.p = kir_assemble("t.kir", text, &err);
    ck_assert_msg(r.p != NULL, "%s", err.text);
    ck_assert_msg(cfg_build(&r.g, &r.p->kernels[0], &err), "%s", err.text);
    free(text);
    return r;
}

static void drop(struct graph *r)
{
    cfg_finish(&r->g);
    program_free(r->p);
}

START_TEST(one_block)
{
    struct graph r = build("NOP\nEXIT");
    ck_assert_uint_eq(r.g.n, 1);
    ck_assert_uint_eq(r.g.blocks[0].nsucc, 0);
    ck_assert_int_eq(r.g.blocks[0].ipdom, -1);
    drop(&r);
}
END_TEST

START_TEST(if_else_meets_after_both)
{
    /* 0: branch; 1: else; 2: then; 3: join */
    struct graph r = build("@P0 BRA then\nMOV R0, 1\nBRA join\nthen: MOV R0, 2\njoin: EXIT");
    ck_assert_uint_eq(r.g.n, 4);
    ck_assert_uint_eq(r.g.blocks[0].nsucc, 2);
    ck_assert_int_eq(r.g.blocks[0].ipdom, 3);
    ck_assert_int_eq(r.g.blocks[1].ipdom, 3);
    ck_assert_int_eq(r.g.blocks[2].ipdom, 3);
    ck_assert_int_eq(r.g.blocks[3].ipdom, -1);
    ck_assert_uint_eq(r.g.block_of[4], 3);
    drop(&r);
}
END_TEST

START_TEST(a_loop_is_left_at_its_exit)
{
    struct graph r = build("MOV R0, 8\nloop: VIADD R0, R0, -1\n@P0 BRA loop\nNOP\nEXIT");
    ck_assert_uint_eq(r.g.n, 3);
    ck_assert_int_eq(r.g.blocks[0].ipdom, 1);
    ck_assert_int_eq(r.g.blocks[1].ipdom, 2);
    drop(&r);
}
END_TEST

START_TEST(two_exits_have_no_common_end)
{
    struct graph r = build("@P0 BRA other\nEXIT\nother: EXIT");
    ck_assert_int_eq(r.g.blocks[0].ipdom, -1);
    drop(&r);
}
END_TEST

START_TEST(a_guarded_exit_goes_on)
{
    struct graph r = build("@P0 EXIT\nNOP\nEXIT");
    ck_assert_uint_eq(r.g.n, 2);
    ck_assert_uint_eq(r.g.blocks[0].nsucc, 1);
    drop(&r);
}
END_TEST

START_TEST(an_endless_loop_has_no_post_dominator)
{
    struct graph r = build("loop: NOP\nBRA loop\nEXIT");
    ck_assert_int_eq(r.g.blocks[0].ipdom, -1);
    drop(&r);
}
END_TEST

START_TEST(nested)
{
    /* 0 outer branch, 1 inner branch, 2 inner body, 3 inner join, 4 outer join */
    struct graph r = build("@P0 BRA outer\n@P1 BRA inner\nNOP\ninner: NOP\nouter: EXIT");
    ck_assert_int_eq(r.g.blocks[0].ipdom, (int)r.g.block_of[4]);
    ck_assert_int_eq(r.g.blocks[1].ipdom, (int)r.g.block_of[3]);
    ck_assert_int_eq(r.g.blocks[r.g.block_of[3]].ipdom, (int)r.g.block_of[4]);
    drop(&r);
}
END_TEST

/* Against the definition: a block that every way to the exit passes, found by removing it. */
static bool reaches_exit(const struct cfg *g, uint32_t from, uint32_t without)
{
    uint8_t *seen = xcalloc(g->n, 1);
    uint32_t *stack = xcalloc(2 * (size_t)g->n + 2, sizeof *stack), top = 0;
    bool out = false;
    if (from != without)
        stack[top++] = from;
    while (top && !out) {
        uint32_t b = stack[--top];
        if (seen[b])
            continue;
        seen[b] = 1;
        out = g->blocks[b].nsucc == 0;
        for (uint32_t s = 0; s < g->blocks[b].nsucc; s++)
            if (g->blocks[b].succ[s] != without)
                stack[top++] = g->blocks[b].succ[s];
    }
    free(seen);
    free(stack);
    return out;
}

START_TEST(post_dominators_by_definition)
{
    uint32_t seed = 11;
    for (int round = 0; round < 200; round++) {
        struct sb text = {0};
        unsigned n = 3 + (seed = hash32(seed)) % 12;
        for (unsigned i = 0; i < n; i++) {
            unsigned pick = (seed = hash32(seed + 1)) % 4, to = (seed >> 8) % n;
            sb_addf(&text, "l%u: %s", i, pick == 0 ? "NOP\n" : "");
            if (pick)
                sb_addf(&text, pick == 1 ? "BRA l%u\n" : "@P%u BRA l%u\n", pick == 1 ? to : i % 7, to);
        }
        sb_add(&text, "EXIT");
        struct graph r = build(text.text);
        for (uint32_t b = 0; b < r.g.n; b++) {
            int32_t d = r.g.blocks[b].ipdom;
            if (!reaches_exit(&r.g, b, UINT32_MAX))
                continue;
            if (d >= 0)
                ck_assert_msg(!reaches_exit(&r.g, b, (uint32_t)d), "%s\nblock %u", text.text, b);
            for (uint32_t x = 0; x < r.g.n; x++) /* no nearer one: every other post-dominator of b is one of d's too */
                if (x != b && (int32_t)x != d && reaches_exit(&r.g, b, UINT32_MAX) && !reaches_exit(&r.g, b, x))
                    ck_assert_msg(d >= 0 && !reaches_exit(&r.g, (uint32_t)d, x), "%s\nblock %u: %d, but %u", text.text,
                                  b, d, x);
        }
        drop(&r);
        sb_finish(&text);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cfg");
    TCase *t = tcase_create("cfg");
    tcase_add_test(t, one_block);
    tcase_add_test(t, if_else_meets_after_both);
    tcase_add_test(t, a_loop_is_left_at_its_exit);
    tcase_add_test(t, two_exits_have_no_common_end);
    tcase_add_test(t, a_guarded_exit_goes_on);
    tcase_add_test(t, an_endless_loop_has_no_post_dominator);
    tcase_add_test(t, nested);
    tcase_add_test(t, post_dominators_by_definition);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
