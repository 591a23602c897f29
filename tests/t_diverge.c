/* Divergence: barriers, loops, locks between lanes, early exits, indirect branches; post-dominators and the stack. */
#include <check.h>

#include "isa/diverge.h"
#include "tests/exec_rig.h"

/* d = a + imm, or d = imm when a is RZ */
static void add(struct rig *g, uint32_t d, uint32_t a, int32_t v)
{
    struct inst *in = rig_add(g, OP_VIADD);
    in->opd[0] = rig_r(d);
    in->opd[1] = rig_r(a);
    in->opd[2] = rig_i((uint32_t)v);
}
/* p = (a cmp imm), unsigned; cmp as in the opcode table */
static void setp(struct rig *g, uint32_t p, uint32_t a, uint32_t cmp, uint32_t v)
{
    struct inst *in = rig_add(g, OP_ISETP);
    in->opd[0] = rig_p(p);
    in->opd[1] = rig_p(PT);
    in->opd[2] = rig_r(a);
    in->opd[3] = rig_i(v);
    in->mod[MOD_CMP] = (uint8_t)cmp;
    in->mod[MOD_U32] = 1;
}
enum { LT = 1, EQ = 2, NE = 5, GE = 6 };
static struct inst *guarded(struct inst *in, uint32_t p, bool negated)
{
    in->guard = (uint8_t)p;
    in->guard_not = negated;
    return in;
}
static struct inst *bra(struct rig *g, uint32_t target)
{
    struct inst *in = rig_add(g, OP_BRA);
    in->opd[2] = rig_t(target);
    return in;
}
static void bssy(struct rig *g, uint32_t b, uint32_t target)
{
    struct inst *in = rig_add(g, OP_BSSY);
    in->opd[0] = rig_b(b);
    in->opd[2] = rig_t(target);
}
static struct inst *bsync(struct rig *g, uint32_t b)
{
    struct inst *in = rig_add(g, OP_BSYNC);
    in->opd[1] = rig_b(b);
    return in;
}
static struct rig *lanes(void) /* R1 = lane */
{
    struct rig *g = rig_new(32);
    for (uint32_t l = 0; l < 32; l++)
        rig_row(g, 1)[l] = l;
    return g;
}
/* Runs while noting the mask with which instruction `at` executes first. */
static bool run_watching(struct rig *g, uint32_t at, lanemask *mask, uint32_t limit)
{
    rig_link(g, EXEC_LEVEL_BASE);
    *mask = 0;
    for (uint32_t i = 0; i < limit && !warp_done(&g->warp); i++) {
        if (warp_blocked(&g->warp))
            return false;
        bool here = warp_pc(&g->warp) == at && !*mask;
        warp_issue(&g->warp, &g->issue);
        if (here)
            *mask = g->issue.exec;
        if (g->issue.fault)
            return false;
    }
    return warp_done(&g->warp);
}

START_TEST(if_else)
{
    struct rig *g = lanes();
    lanemask m;
    setp(g, 0, 1, LT, 8);         /* 0 */
    bssy(g, 0, 6);                /* 1 */
    guarded(bra(g, 5), 0, false); /* 2: lanes 0..7 */
    add(g, 2, 1, 100);            /* 3 */
    bra(g, 6);                    /* 4 */
    add(g, 2, 1, 200);            /* 5 */
    bsync(g, 0);                  /* 6 */
    add(g, 3, 2, 1);              /* 7: everybody together again */
    rig_add(g, OP_EXIT);
    ck_assert(run_watching(g, 7, &m, 100));
    ck_assert_uint_eq(m, 0xffffffff);
    for (uint32_t l = 0; l < 32; l++)
        ck_assert_uint_eq(rig_row(g, 3)[l], (l < 8 ? 200 : 100) + l + 1);
    free(g);
}
END_TEST

/* Two arms that use the same inner barrier register, one after the other. */
START_TEST(nested_same_register)
{
    struct rig *g = lanes();
    lanemask m;
    setp(g, 0, 1, LT, 16);         /* 0 */
    bssy(g, 0, 19);                /* 1 */
    guarded(bra(g, 11), 0, false); /* 2 */
    setp(g, 1, 1, LT, 24);         /* 3: arm of lanes 16.. */
    bssy(g, 1, 8);                 /* 4 */
    guarded(bra(g, 7), 1, false);  /* 5 */
    rig_add(g, OP_NOP);            /* 6 */
    add(g, 2, 2, 1);               /* 7 */
    bsync(g, 1);                   /* 8 */
    add(g, 2, 2, 16);              /* 9 */
    bra(g, 19);                    /* 10 */
    setp(g, 1, 1, LT, 4);          /* 11: arm of lanes ..15 */
    bssy(g, 1, 16);                /* 12 */
    guarded(bra(g, 15), 1, false); /* 13 */
    rig_add(g, OP_NOP);            /* 14 */
    add(g, 2, 2, 2);               /* 15 */
    bsync(g, 1);                   /* 16 */
    add(g, 2, 2, 32);              /* 17 */
    rig_add(g, OP_NOP);            /* 18 */
    bsync(g, 0);                   /* 19 */
    add(g, 3, 2, 0);               /* 20 */
    rig_add(g, OP_EXIT);
    ck_assert(run_watching(g, 17, &m, 200));
    ck_assert_uint_eq(m, 0xffff); /* the inner barrier joined its own arm only */
    for (uint32_t l = 0; l < 32; l++)
        ck_assert_uint_eq(rig_row(g, 3)[l], l < 16 ? 34 : 17);
    free(g);
}
END_TEST

START_TEST(loop_with_break)
{
    struct rig *g = lanes();
    lanemask m;
    bssy(g, 2, 6);                          /* 0 */
    add(g, 2, 2, 1);                        /* 1: loop: r2++ */
    struct inst *in = rig_add(g, OP_ISETP); /* 2: p0 = r2 > lane */
    in->opd[0] = rig_p(0), in->opd[1] = rig_p(PT), in->opd[2] = rig_r(2), in->opd[3] = rig_r(1), in->mod[MOD_CMP] = 4;
    guarded(rig_add(g, OP_BREAK), 0, false)->opd[1] = rig_b(2); /* 3 */
    guarded(bra(g, 7), 0, false);                               /* 4: leaves early, without the barrier */
    bra(g, 1);                                                  /* 5 */
    bsync(g, 2);                                                /* 6: nobody comes here */
    add(g, 3, 2, 0);                                            /* 7 */
    rig_add(g, OP_EXIT);
    ck_assert(run_watching(g, 7, &m, 2000));
    ck_assert_uint_eq(m, 1); /* those who leave are fewer: they run first, and nobody waits for them */
    ck_assert_uint_eq(rig_row(g, 3)[31], 32);
    free(g);
}
END_TEST

/* Which side runs first: the one with fewer lanes, of equal sides the one that falls through. */
START_TEST(smaller_side_first)
{
    for (uint32_t n = 1; n < 32; n++) {
        struct rig *g = lanes();
        lanemask m;
        setp(g, 0, 1, LT, n);         /* 0 */
        guarded(bra(g, 4), 0, false); /* 1: lanes below n */
        rig_add(g, OP_NOP);           /* 2 */
        rig_add(g, OP_EXIT);          /* 3 */
        rig_add(g, OP_NOP);           /* 4 */
        rig_add(g, OP_EXIT);
        rig_link(g, EXEC_LEVEL_BASE);
        for (uint32_t i = 0; i < 2; i++)
            warp_issue(&g->warp, &g->issue);
        m = warp_active(&g->warp);
        ck_assert_uint_eq(m, n < 16 ? (1u << n) - 1 : ~((1u << n) - 1));
        ck_assert_uint_eq(warp_pc(&g->warp), n < 16 ? 4 : 2);
        free(g);
    }
}
END_TEST

/* A barrier that lost its mask holds nobody for ever: lanes that wait go on when no other can. */
START_TEST(lost_mask)
{
    struct rig *g = lanes();
    lanemask m;
    setp(g, 0, 1, LT, 8);         /* 0 */
    bssy(g, 0, 6);                /* 1 */
    guarded(bra(g, 6), 0, false); /* 2: lanes 0..7 wait at 6 */
    bssy(g, 0, 6);                /* 3: the others take the barrier for themselves */
    add(g, 2, RZ, 1);             /* 4 */
    rig_add(g, OP_NOP);           /* 5 */
    bsync(g, 0);                  /* 6 */
    add(g, 3, 2, 1);              /* 7 */
    rig_add(g, OP_EXIT);
    ck_assert(run_watching(g, 7, &m, 100));
    ck_assert_uint_eq(m, 0xffffff00);
    free(g);
}
END_TEST

/* A lock in a uniform register stands for memory: lane spins until UR0 says free; the holder frees it later. */
static struct rig *spin_program(void)
{
    struct rig *g = lanes();
    struct inst *in;
    /* Lane 0 takes the other path and sets UR1 = 1 there; all others loop until UR1 is 1. */
    setp(g, 0, 1, EQ, 0);         /* 0 */
    bssy(g, 0, 7);                /* 1 */
    guarded(bra(g, 6), 0, false); /* 2 */
    in = rig_add(g, OP_ISETP);    /* 3: loop: p1 = UR1 == 0 */
    in->opd[0] = rig_p(1), in->opd[1] = rig_p(PT), in->opd[2] = rig_r(RZ), in->opd[3] = rig_ur(1),
    in->mod[MOD_CMP] = EQ;
    guarded(bra(g, 3), 1, false); /* 4 */
    bra(g, 7);                    /* 5 */
    in = rig_add(g, OP_UMOV);     /* 6 */
    in->opd[0] = rig_ur(1), in->opd[1] = rig_i(1);
    bsync(g, 0); /* 7 */
    rig_add(g, OP_EXIT);
    return g;
}
START_TEST(spin_lock)
{
    struct rig *g = spin_program();
    lanemask m;
    ck_assert(run_watching(g, 8, &m, 1000));
    ck_assert_uint_eq(m, 0xffffffff);
    free(g);
}
END_TEST
START_TEST(spin_lock_hangs_on_the_stack)
{
    struct rig *g = spin_program();
    struct cfg_block blocks[5] = {
        {0, 2, {3, 1}, 2, 4}, {3, 4, {1, 2}, 2, 2}, {5, 5, {4}, 1, 4}, {6, 6, {4}, 1, 4}, {7, 8, {0}, 0, -1}};
    uint32_t block_of[9] = {0, 0, 0, 1, 1, 2, 3, 4, 4};
    struct cfg cfg = {.blocks = blocks, .n = 5, .block_of = block_of};
    lanemask m;
    g->env.divergence_stack = true;
    g->env.cfg = &cfg;
    ck_assert(!run_watching(g, 8, &m, 5000));
    ck_assert(!g->issue.fault && !warp_done(&g->warp) && !warp_blocked(&g->warp)); /* it runs for ever */
    free(g);
}
END_TEST

/* A loop whose registers change is no spin, also when the warp's slot ran the same code before: after it all are
 * together. */
START_TEST(counting_is_no_spin)
{
    struct rig *g = lanes();
    lanemask m;
    bssy(g, 0, 6);                /* 0 */
    setp(g, 0, 1, GE, 8);         /* 1 */
    guarded(bra(g, 6), 0, false); /* 2: lanes 8.. wait */
    add(g, 2, 2, 1);              /* 3: the loop */
    setp(g, 1, 2, LT, 40);        /* 4 */
    guarded(bra(g, 3), 1, false); /* 5 */
    bsync(g, 0);                  /* 6 */
    add(g, 3, 2, 0);              /* 7 */
    rig_add(g, OP_EXIT);
    for (int run = 0; run < 3; run++) {
        for (uint32_t l = 0; l < 32; l++)
            rig_row(g, 2)[l] = 0;
        ck_assert(run_watching(g, 7, &m, 1000));
        ck_assert_uint_eq(m, 0xffffffff);
        diverge_start(&g->warp);
    }
    free(g);
}
END_TEST

/* Without barriers, lanes meet at the post-dominator; in both modes. */
START_TEST(post_dominators)
{
    for (int stack = 0; stack < 2; stack++) {
        struct rig *g = lanes();
        lanemask m;
        add(g, 2, RZ, 0);                       /* 0 */
        setp(g, 0, 1, LT, 8);                   /* 1 */
        guarded(bra(g, 7), 0, true);            /* 2: lanes 8.. leave for 7 */
        add(g, 2, 2, 1);                        /* 3: loop, lane + 1 turns */
        struct inst *in = rig_add(g, OP_ISETP); /* 4 */
        in->opd[0] = rig_p(1), in->opd[1] = rig_p(PT), in->opd[2] = rig_r(2), in->opd[3] = rig_r(1),
        in->mod[MOD_CMP] = 3;         /* LE */
        guarded(bra(g, 3), 1, false); /* 5 */
        rig_add(g, OP_NOP);           /* 6: lanes 0..7 together */
        add(g, 3, 2, 5);              /* 7: all */
        rig_add(g, OP_EXIT);          /* 8 */
        struct cfg_block blocks[4] = {
            {0, 2, {1, 3}, 2, 3}, {3, 5, {1, 2}, 2, 2}, {6, 6, {3}, 1, 3}, {7, 8, {0}, 0, -1}};
        uint32_t block_of[9] = {0, 0, 0, 1, 1, 1, 2, 3, 3};
        struct cfg cfg = {.blocks = blocks, .n = 4, .block_of = block_of};
        g->env.cfg = &cfg;
        g->env.divergence_stack = stack;
        ck_assert(run_watching(g, 6, &m, 500));
        ck_assert_uint_eq(m, 0xff);
        for (uint32_t l = 0; l < 32; l++)
            ck_assert_uint_eq(rig_row(g, 3)[l], (l < 8 ? l + 1 : 0) + 5);
        warp_start(&g->warp);
        for (uint32_t l = 0; l < 32; l++)
            rig_row(g, 1)[l] = l;
        ck_assert(run_watching(g, 7, &m, 500));
        ck_assert_uint_eq(m, 0xffffffff);
        free(g);
    }
}
END_TEST

START_TEST(early_exit)
{
    struct rig *g = lanes();
    lanemask m;
    setp(g, 0, 1, LT, 20);        /* 0 */
    bssy(g, 0, 4);                /* 1 */
    guarded(bra(g, 4), 0, false); /* 2 */
    rig_add(g, OP_EXIT);          /* 3: lanes 20.. */
    bsync(g, 0);                  /* 4: waits for the living only */
    add(g, 2, RZ, 1);             /* 5 */
    rig_add(g, OP_EXIT);
    ck_assert(run_watching(g, 5, &m, 100));
    ck_assert_uint_eq(m, 0xfffff);
    free(g);
}
END_TEST

START_TEST(indirect)
{
    struct rig *g = lanes();
    lanemask m;
    for (uint32_t l = 0; l < 32; l++)
        rig_row(g, 4)[l] = (3 + 2 * (l % 3)) * INST_BYTES; /* R4:R5 = table entry */
    bssy(g, 0, 8);                                         /* 0 */
    rig_add(g, OP_NOP);                                    /* 1 */
    struct inst *in = rig_add(g, OP_BRX);                  /* 2 */
    in->opd[1] = rig_r(4);
    in->opd[2] = rig_i(-3 * INST_BYTES); /* from the next instruction back to 0 */
    add(g, 2, RZ, 10);                   /* 3 */
    bra(g, 8);                           /* 4 */
    add(g, 2, RZ, 20);                   /* 5 */
    bra(g, 8);                           /* 6 */
    add(g, 2, RZ, 30);                   /* 7 */
    bsync(g, 0);                         /* 8 */
    add(g, 3, 2, 1);                     /* 9 */
    rig_add(g, OP_EXIT);
    ck_assert(run_watching(g, 9, &m, 100));
    ck_assert_uint_eq(m, 0xffffffff);
    for (uint32_t l = 0; l < 32; l++)
        ck_assert_uint_eq(rig_row(g, 3)[l], 10 * (l % 3 + 1) + 1);
    rig_row(g, 4)[5] = 8; /* not an instruction */
    warp_start(&g->warp);
    rig_row(g, 4)[5] = 8;
    ck_assert(!run_watching(g, 9, &m, 100));
    ck_assert(g->issue.fault && strstr(g->issue.why, "outside the kernel"));
    free(g);
}
END_TEST

START_TEST(call_and_return) /* lanes call from two places and return each to its own */
{
    struct rig *g = lanes();
    lanemask m;
    struct inst *in;
    bssy(g, 0, 8);                 /* 0 */
    setp(g, 0, 1, LT, 4);          /* 1 */
    guarded(bra(g, 6), 0, false);  /* 2 */
    add(g, 6, RZ, 5 * INST_BYTES); /* 3: return address in R6:R7 */
    in = rig_add(g, OP_CALL);      /* 4 */
    in->opd[2] = rig_t(11);
    bra(g, 8);                     /* 5 */
    add(g, 6, RZ, 8 * INST_BYTES); /* 6 */
    in = rig_add(g, OP_CALL);      /* 7 */
    in->opd[2] = rig_t(11);
    bsync(g, 0);             /* 8 */
    add(g, 3, 2, 1);         /* 9 */
    rig_add(g, OP_EXIT);     /* 10 */
    add(g, 2, 1, 7);         /* 11: the function */
    in = rig_add(g, OP_RET); /* 12 */
    in->opd[1] = rig_r(6);
    in->opd[2] = rig_t(0);
    ck_assert(run_watching(g, 9, &m, 100));
    ck_assert_uint_eq(m, 0xffffffff);
    for (uint32_t l = 0; l < 32; l++)
        ck_assert_uint_eq(rig_row(g, 3)[l], l + 8);
    free(g);
}
END_TEST

START_TEST(warpsync)
{
    struct rig *g = lanes();
    lanemask m;
    setp(g, 0, 1, LT, 8);                        /* 0 */
    guarded(bra(g, 4), 0, false);                /* 1 */
    add(g, 2, RZ, 1);                            /* 2 */
    bra(g, 5);                                   /* 3 */
    add(g, 2, RZ, 2);                            /* 4 */
    rig_add(g, OP_WARPSYNC)->mod[MOD_WSYNC] = 1; /* 5 */
    add(g, 3, 2, 0);                             /* 6 */
    rig_add(g, OP_EXIT);
    ck_assert(run_watching(g, 6, &m, 100));
    ck_assert_uint_eq(m, 0xffffffff);
    free(g);
}
END_TEST

/* BRA.U.ANY: one lane's guard takes all lanes along, as nvcc's loop over the values of a uniform register's address
 * needs: each round another lane's guard holds, and every round is everybody's. */
START_TEST(any_lane_takes_all)
{
    struct rig *g = lanes();
    lanemask m;
    add(g, 2, RZ, 0);                                 /* 0 */
    add(g, 3, 1, 0);                                  /* 1: rounds left = lane */
    add(g, 2, 2, 1);                                  /* 2: the loop; rounds seen */
    add(g, 3, 3, -1);                                 /* 3 */
    setp(g, 1, 3, EQ, 0);                             /* 4: lane 1 only in the first round, lane 2 in the second .. */
    struct inst *back = guarded(bra(g, 2), 1, false); /* 5 */
    back->mod[MOD_BRACOND] = 1;
    back->mod[MOD_ANY] = 1;
    add(g, 4, 2, 0); /* 6 */
    rig_add(g, OP_EXIT);
    ck_assert(run_watching(g, 6, &m, 300));
    ck_assert_uint_eq(m, 0xffffffff);
    for (uint32_t l = 0; l < 32; l++)
        ck_assert_uint_eq(rig_row(g, 4)[l], 32); /* rounds 1 to 31 find a lane, the 32nd none */
    free(g);
}
END_TEST

/* All that a WARPSYNC names execute it once more together when the last of them has come; who names only itself, or
 * comes with all, does not. */
START_TEST(gathered_lanes_execute_again)
{
    static const lanemask expect[] = {0xff, 0xffffff00, 0xffffffff};
    struct rig *g = lanes();
    setp(g, 0, 1, LT, 8);                        /* 0 */
    guarded(bra(g, 3), 0, false);                /* 1 */
    add(g, 2, RZ, 1);                            /* 2 */
    rig_add(g, OP_WARPSYNC)->mod[MOD_WSYNC] = 1; /* 3 */
    rig_add(g, OP_WARPSYNC)->mod[MOD_WSYNC] = 1; /* 4: they are together */
    rig_add(g, OP_EXIT);
    rig_link(g, EXEC_LEVEL_BASE);
    uint32_t n = 0, again = 0;
    for (uint32_t i = 0; i < 100 && !warp_done(&g->warp); i++) {
        uint32_t pc = warp_pc(&g->warp);
        warp_issue(&g->warp, &g->issue);
        if (pc == 3) {
            ck_assert_uint_lt(n, 3);
            ck_assert_uint_eq(g->issue.exec, expect[n++]);
        }
        again += pc == 4;
    }
    ck_assert_uint_eq(n, 3);
    ck_assert_uint_eq(again, 1);
    free(g);
}
END_TEST

/* Lanes that left a barrier by BREAK complete it for those that wait there, also when they themselves wait elsewhere:
 * nobody passes the outer barrier alone. */
START_TEST(break_completes_a_barrier)
{
    struct rig *g = lanes();
    lanemask m;
    bssy(g, 1, 9);                                              /* 0 */
    bssy(g, 2, 8);                                              /* 1 */
    setp(g, 0, 1, LT, 8);                                       /* 2 */
    guarded(bra(g, 7), 0, false);                               /* 3: eight lanes wait at the inner barrier */
    setp(g, 1, 1, LT, 20);                                      /* 4 */
    guarded(rig_add(g, OP_BREAK), 1, false)->opd[1] = rig_b(2); /* 5: twelve leave it */
    guarded(bra(g, 9), 1, false);                               /* 6 */
    bsync(g, 2);                                                /* 7 */
    add(g, 2, 2, 1);                                            /* 8 */
    bsync(g, 1);                                                /* 9 */
    add(g, 3, 2, 0);                                            /* 10 */
    rig_add(g, OP_EXIT);
    ck_assert(run_watching(g, 8, &m, 100));
    ck_assert_uint_eq(m, 0xfff000ff);
    ck_assert_uint_eq(rig_row(g, 3)[0], 1);
    ck_assert_uint_eq(rig_row(g, 3)[8], 0);
    g = (free(g), lanes());
    bssy(g, 1, 9), bssy(g, 2, 8), setp(g, 0, 1, LT, 8), guarded(bra(g, 7), 0, false), setp(g, 1, 1, LT, 32);
    guarded(rig_add(g, OP_BREAK), 1, false)->opd[1] = rig_b(2); /* 5: all others leave it, the eight wait already */
    guarded(bra(g, 9), 1, false), bsync(g, 2), add(g, 2, 2, 1), bsync(g, 1), add(g, 3, 2, 0), rig_add(g, OP_EXIT);
    ck_assert(run_watching(g, 10, &m, 100));
    ck_assert_uint_eq(m, 0xffffffff);
    free(g);
}
END_TEST

/* Lanes that wait at the post-dominator go on when the others wait for them elsewhere: nobody hangs. */
START_TEST(missed_at_a_warpsync)
{
    struct rig *g = lanes();
    lanemask m;
    setp(g, 0, 1, LT, 8);                        /* 0 */
    guarded(bra(g, 4), 0, true);                 /* 1: lanes 8.. leave for 4 */
    rig_add(g, OP_WARPSYNC)->mod[MOD_WSYNC] = 1; /* 2: waits for all */
    add(g, 2, RZ, 1);                            /* 3 */
    add(g, 3, RZ, 2);                            /* 4: where they would meet */
    rig_add(g, OP_EXIT);                         /* 5 */
    struct cfg_block blocks[3] = {{0, 1, {1, 2}, 2, 2}, {2, 3, {2}, 1, 2}, {4, 5, {0}, 0, -1}};
    uint32_t block_of[6] = {0, 0, 1, 1, 2, 2};
    struct cfg cfg = {.blocks = blocks, .n = 3, .block_of = block_of};
    g->env.cfg = &cfg;
    ck_assert(run_watching(g, 3, &m, 100));
    ck_assert_uint_eq(m, 0xff);
    for (uint32_t l = 0; l < 32; l++) {
        ck_assert(l >= 8 || rig_row(g, 2)[l] == 1); /* (registers of lanes that have exited do not matter) */
        ck_assert_uint_eq(rig_row(g, 3)[l], 2);
    }
    free(g);
}
END_TEST

/* Two copies of a shuffle on divergent paths, run once by all lanes of the mask. */
START_TEST(collective)
{
    struct rig *g = lanes();
    lanemask m;
    setp(g, 0, 1, LT, 8);         /* 0 */
    add(g, 6, RZ, -1);            /* 1: mask */
    add(g, 7, RZ, 3);             /* 2: source lane */
    guarded(bra(g, 9), 0, false); /* 3 */
    add(g, 4, 1, 100);            /* 4 */
    for (int path = 0; path < 2; path++) {
        if (path) {
            add(g, 4, 1, 200); /* 9 */
        }
        struct inst *in = rig_add(g, OP_WARPSYNC); /* 5, 10 */
        in->mod[MOD_WSYNC] = 3;
        in->opd[1] = rig_r(6);
        in->opd[2] = rig_t(path ? 13 : 8);
        in = rig_add(g, OP_SHFL); /* 6, 11 */
        in->opd[0] = rig_p(PT), in->opd[1] = rig_r(5), in->opd[2] = rig_r(4), in->opd[3] = rig_r(7),
        in->opd[4] = rig_i(0x1f);
        rig_add(g, OP_ENDCOLLECTIVE); /* 7, 12 */
        rig_add(g, OP_EXIT);          /* 8, 13 */
    }
    ck_assert(run_watching(g, 11, &m, 100) || m == 0);
    ck_assert(warp_done(&g->warp));
    for (uint32_t l = 0; l < 32; l++)
        ck_assert_uint_eq(rig_row(g, 5)[l], 203); /* lane 3's value, also in the other path */
    free(g);
}
END_TEST

START_TEST(saved_barrier) /* BMOV around a use of the same register */
{
    struct rig *g = lanes();
    lanemask m;
    struct inst *in;
    bssy(g, 0, 9);            /* 0 */
    in = rig_add(g, OP_BMOV); /* 1: R8 = B0, cleared */
    in->opd[0] = rig_r(8), in->opd[3] = rig_b(0), in->mod[MOD_CLEAR] = 1;
    setp(g, 0, 1, LT, 8);         /* 2 */
    bssy(g, 0, 6);                /* 3 */
    guarded(bra(g, 6), 0, false); /* 4 */
    add(g, 2, RZ, 7);             /* 5 */
    bsync(g, 0);                  /* 6 */
    in = rig_add(g, OP_BMOV);     /* 7: B0 = R8 */
    in->opd[1] = rig_b(0), in->opd[2] = rig_r(8);
    guarded(bra(g, 10), 0, false); /* 8 */
    rig_add(g, OP_NOP);            /* 9 */
    bsync(g, 0);                   /* 10 */
    add(g, 3, 2, 0);               /* 11 */
    rig_add(g, OP_EXIT);
    ck_assert(run_watching(g, 11, &m, 100));
    ck_assert_uint_eq(m, 0xffffffff);
    ck_assert_uint_eq(rig_row(g, 8)[5], 0xffffffff);
    free(g);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("diverge");
    TCase *c = tcase_create("all");
    tcase_add_test(c, if_else);
    tcase_add_test(c, nested_same_register);
    tcase_add_test(c, loop_with_break);
    tcase_add_test(c, smaller_side_first);
    tcase_add_test(c, lost_mask);
    tcase_add_test(c, spin_lock);
    tcase_add_test(c, counting_is_no_spin);
    tcase_add_test(c, spin_lock_hangs_on_the_stack);
    tcase_add_test(c, post_dominators);
    tcase_add_test(c, early_exit);
    tcase_add_test(c, indirect);
    tcase_add_test(c, call_and_return);
    tcase_add_test(c, warpsync);
    tcase_add_test(c, any_lane_takes_all);
    tcase_add_test(c, gathered_lanes_execute_again);
    tcase_add_test(c, break_completes_a_barrier);
    tcase_add_test(c, missed_at_a_warpsync);
    tcase_add_test(c, collective);
    tcase_add_test(c, saved_barrier);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
