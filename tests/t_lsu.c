/* The memory side's pipeline: when an instruction may issue, when its sources are free, when its result is there.
 * Latencies of the h200 configuration are HU25's table 2 (loads that hit), rates those of its section 5.4. */
#include "tests/lsu_bench.h"

static uint64_t shared_at(const struct bench *b)
{
    return b->cfg.isa == 90 ? 0x400 : 0;
}

/* Issues as fast as the queues allow from cycle 2 on; issue[s][n] is the cycle of sub-core s's n-th. */
static void fill_queues(struct bench *b, uint32_t nsub, uint32_t n, const struct effect *e, cycle issue[4][64])
{
    uint32_t count[4] = {0};
    bench_issue(b, 3, 63, e); /* brings the lines; sub-core 0 is next */
    bench_drain(b, false);
    cycle zero = b->now += 100;
    for (; b->now < zero + 4000; b->now++) {
        bench_step(b);
        for (uint32_t s = 0; s < nsub && b->now >= zero + 2; s++)
            if (count[s] < n && lsu_can_issue(b->lsu, s, e->inst, b->now)) {
                bench_issue(b, s, s, e);
                issue[s][count[s]++] = b->now - zero;
            }
    }
}

/* Each launch finds the constant caches empty but for bank 0, which operands of its first cycles still wait for. */
START_TEST(a_launch_empties_the_constant_caches)
{
    struct bench *b = bench_new("h200", NULL, 0);
    const struct config *c = &b->cfg;
    for (cycle at = 1000; at <= 9000; at += 8000) {
        cycle there = at + c->constants_cycles + (cycle)(16 * c->constants_interval);
        lsu_new_launch(b->lsu, 16, at);
        ck_assert_uint_eq(lsu_constant(b->lsu, at + 10, 0, 0, 0x210), there);
        cycle near = at + 2000, far = near + 500, again = far + 500;
        uint32_t miss = c->const_l1_miss_cycles + c->const_l2_miss_cycles;
        ck_assert_uint_eq(lsu_constant(b->lsu, near, 0, 0, 0x210), near);
        ck_assert_uint_eq(lsu_constant(b->lsu, near, 0, 0, 0x240), near + c->const_l1_miss_cycles);
        ck_assert_uint_eq(lsu_constant(b->lsu, near, 0, 3, 0), near + miss);
        ck_assert_uint_eq(lsu_constant(b->lsu, far, 0, 3, 64), far + c->const_l1_miss_cycles); /* level 1's line */
        ck_assert_uint_eq(lsu_constant(b->lsu, far, 0, 3, 256), far + miss);
        ck_assert_uint_eq(lsu_constant(b->lsu, again, 0, 3, 256), again);
        ck_assert_uint_eq(lsu_constant(b->lsu, again, 1, 3, 256), again + c->const_l1_miss_cycles);
    }
    bench_free(b);
}
END_TEST

START_TEST(queue_and_address_generation)
{
    static const cycle sixth[4][4] = {{13}, {13, 15}, {13, 15, 17}, {13, 15, 17, 19}};
    const char *sets[] = {"sm.lsu.shared_interval_cycles=2", "sm.lsu.stage_queue=0", "sm.lsu.queue_made=0"};
    struct bench *b = bench_new("h200", sets, 3);
    struct inst in = bench_inst(OP_LDG, false);
    cycle issue[4][64];
    uint32_t nsub = (uint32_t)_i + 1;
    fill_queues(b, nsub, 40, bench_effect(&in, EFF_LOAD, SPACE_GLOBAL, 4, b->buffer, 4), issue);
    for (uint32_t s = 0; s < nsub; s++) {
        for (uint32_t n = 0; n < 5; n++)
            ck_assert_uint_eq(issue[s][n], 2 + n);
        ck_assert_uint_eq(issue[s][5], sixth[nsub - 1][s]);
        /* steady: one in 4 cycles for a sub-core alone, Ampere's stage takes one in 2 from all */
        ck_assert_uint_eq(issue[s][39] - issue[s][29], 10 * (nsub > 2 ? 2 * nsub : 4));
    }
    bench_free(b);
}
END_TEST

struct latency {
    enum op op;
    enum effect_class kind;
    enum space space;
    uint32_t bytes;
    bool uniform;
    cycle sources, result;
};
/* Loads as micro_width has them on an H200, each lane with an address of its own; stores as HU25 table 2 has them. */
static const struct latency latencies[] = {
    {OP_LDG, EFF_LOAD, SPACE_GLOBAL, 4, false, 11, 31},     {OP_LDG, EFF_LOAD, SPACE_GLOBAL, 8, false, 11, 34},
    {OP_LDG, EFF_LOAD, SPACE_GLOBAL, 16, false, 11, 40},    {OP_LDG, EFF_LOAD, SPACE_GLOBAL, 1, false, 11, 31},
    {OP_LDG, EFF_LOAD, SPACE_GLOBAL, 4, true, 9, 28},       {OP_LDS, EFF_LOAD, SPACE_SHARED, 4, false, 9, 23},
    {OP_LDS, EFF_LOAD, SPACE_SHARED, 8, false, 9, 26},      {OP_LDS, EFF_LOAD, SPACE_SHARED, 16, false, 9, 32},
    {OP_LDS, EFF_LOAD, SPACE_SHARED, 4, true, 9, 22},       {OP_STG, EFF_STORE, SPACE_GLOBAL, 4, false, 14, 14},
    {OP_STG, EFF_STORE, SPACE_GLOBAL, 8, false, 16, 16},    {OP_STG, EFF_STORE, SPACE_GLOBAL, 16, false, 20, 20},
    {OP_STG, EFF_STORE, SPACE_GLOBAL, 4, true, 10, 10},     {OP_STS, EFF_STORE, SPACE_SHARED, 4, false, 12, 12},
    {OP_STS, EFF_STORE, SPACE_SHARED, 16, false, 18, 18},   {OP_STS, EFF_STORE, SPACE_SHARED, 4, true, 10, 10},
    {OP_SHFL, EFF_VARIABLE, SPACE_GLOBAL, 4, false, 9, 24},
};

START_TEST(unloaded_latency)
{
    const struct latency *t = &latencies[_i];
    const char *sets[] = {"sm.lsu.writeback_bytes_per_cycle=64"}; /* Ampere's */
    struct bench *b = bench_new("h200", sets, t->kind == EFF_STORE);
    struct inst in = bench_inst(t->op, t->uniform);
    uint64_t base = t->space == SPACE_SHARED ? shared_at(b) : b->buffer;
    struct effect *e = bench_effect(&in, t->kind, t->space, t->bytes, base, t->bytes);
    for (uint32_t pass = 0; pass < 2; pass++) { /* the first brings the lines */
        bench_drain(b, false);
        b->now += 100;
        b->ndone = 0;
        cycle at = b->now;
        bench_issue(b, 0, 0, e);
        bench_drain(b, false);
        if (!pass)
            continue;
        ck_assert_uint_eq(bench_when(b, COMPLETE_SOURCES, 0) - at, t->sources);
        ck_assert_uint_eq(bench_when(b, COMPLETE_RESULT, 0) - at, t->result);
    }
    ck_assert(lsu_idle(b->lsu) || b->ndone == 2);
    bench_free(b);
}
END_TEST

START_TEST(conflict_latency) /* one warp alone: two cycles for each further wavefront */
{
    struct bench *b = bench_new("h200", NULL, 0);
    struct inst in = bench_inst(OP_LDS, false);
    for (uint32_t ways = 1; ways <= 32; ways *= 2) {
        b->ndone = 0;
        cycle at = b->now += 100;
        bench_issue(b, 0, 0, bench_effect(&in, EFF_LOAD, SPACE_SHARED, 4, shared_at(b), 4 * ways));
        bench_drain(b, false);
        ck_assert_uint_eq(bench_when(b, COMPLETE_RESULT, 0) - at, 23 + 2 * (ways - 1));
    }
    bench_free(b);
}
END_TEST

START_TEST(conflict_rate) /* under load: one wavefront a cycle */
{
    static const uint32_t ways[] = {1, 2, 3, 4, 8, 16, 32};
    struct bench *b = bench_new("h200", NULL, 0);
    struct inst in = bench_inst(OP_LDS, false);
    uint32_t n = 400, left[4] = {n, n, n, n}, more = 4 * n;
    b->now = 1000;
    for (cycle begin = b->now; more; b->now++) {
        ck_assert(b->now - begin < 100000);
        bench_step(b);
        for (uint32_t s = 0; s < 4; s++)
            if (left[s] && lsu_can_issue(b->lsu, s, &in, b->now)) {
                uint32_t w = ways[_i];
                bench_issue(b, s, s, bench_effect(&in, EFF_LOAD, SPACE_SHARED, 4, shared_at(b), w == 3 ? 0 : 4 * w));
                left[s]--;
                more--;
            }
        while (b->ndone) {
            b->ndone--;
            if (b->done[b->ndone].kind != COMPLETE_SOURCES)
                lsu_effect_free(b->lsu, b->done[b->ndone].effect);
        }
    }
    double rate = (double)b->count.shared_wavefronts / (double)(b->now - 1000);
    ck_assert_msg(rate > 0.98 && rate < 1.02, "%u ways: %.3f wavefronts a cycle", ways[_i], rate);
    bench_free(b);
}
END_TEST

START_TEST(shuffle_rate) /* two cycles for each register from a sub-core, one shuffle a cycle from all four */
{
    struct bench *b = bench_new("h200", NULL, 0);
    struct inst in = bench_inst(OP_SHFL, false);
    cycle issue[4][64];
    uint32_t nsub = _i & 1 ? 4 : 1;
    in.opd[3].kind = _i & 2 ? OPD_REG : OPD_IMM;
    fill_queues(b, nsub, 40, bench_effect(&in, EFF_VARIABLE, SPACE_GLOBAL, 4, 0, 0), issue);
    uint32_t cycles = _i == 0 ? 20 : 40;
    ck_assert_uint_eq(issue[0][39] - issue[0][29], cycles);
    ck_assert_uint_eq(issue[nsub - 1][39] - issue[nsub - 1][29], cycles);
    bench_free(b);
}
END_TEST

START_TEST(barriers_arrive_in_turn)
{
    struct bench *b = bench_new("h200", NULL, 0);
    struct inst in = bench_inst(OP_BAR, false);
    for (uint32_t s = 0; s < 4; s++)
        bench_issue(b, s, s, bench_effect(&in, EFF_BARRIER, SPACE_GLOBAL, 4, 0, 0));
    bench_drain(b, false);
    cycle first = bench_when(b, COMPLETE_BARRIER, 0);
    for (uint32_t s = 1; s < 4; s++)
        ck_assert_uint_eq(bench_when(b, COMPLETE_BARRIER, s), first + s * b->cfg.barrier_interval_cycles);
    bench_free(b);
}
END_TEST

/* Lanes of an atomic on one word leave every second turn of the stage to other sub-cores; those of three sub-cores take
 * one in four each. */
START_TEST(between_the_lanes_of_an_atomic)
{
    for (uint32_t atomics = 1; atomics <= 3; atomics += 2) {
        struct bench *b = bench_new("h200", NULL, 0);
        struct inst cas = bench_inst(OP_ATOMS, false), ld = bench_inst(OP_LDS, false);
        cas.mod[MOD_AOP] = 10; /* CAS */
        struct effect *e = bench_effect(&cas, EFF_ATOMIC, SPACE_SHARED, 4, shared_at(b), 0);
        e->nword = 2;
        cycle at = b->now += 100;
        for (uint32_t s = 0; s < atomics; s++)
            bench_issue(b, s, s, e);
        bench_issue(b, 3, 3, bench_effect(&ld, EFF_LOAD, SPACE_SHARED, 4, shared_at(b), 4));
        bench_drain(b, false);
        ck_assert_uint_le(bench_when(b, COMPLETE_RESULT, 3) - at, 24 + 2 * atomics * (1 + atomics));
        ck_assert_uint_ge(bench_when(b, COMPLETE_RESULT, 0) - at, 30 + 2 * 31 * 2);
        ck_assert_uint_ge(bench_when(b, COMPLETE_RESULT, atomics - 1) - at, 30 + 2 * 31 * (atomics == 1 ? 2 : 3));
        bench_free(b);
    }
}
END_TEST

/* Arrivals at a barrier are counted two cycles apart, and the stage takes what comes behind them. */
START_TEST(behind_a_barrier)
{
    struct bench *b = bench_new("h200", NULL, 0);
    struct inst bar = bench_inst(OP_BAR, false), ld = bench_inst(OP_LDS, false);
    cycle at = b->now += 100;
    for (uint32_t s = 0; s < 3; s++)
        bench_issue(b, s, s, bench_effect(&bar, EFF_BARRIER, SPACE_GLOBAL, 4, 0, 0));
    bench_issue(b, 3, 3, bench_effect(&ld, EFF_LOAD, SPACE_SHARED, 4, shared_at(b), 4));
    bench_drain(b, false);
    ck_assert_uint_eq(bench_when(b, COMPLETE_BARRIER, 2) - bench_when(b, COMPLETE_BARRIER, 0), 4);
    ck_assert_uint_le(bench_when(b, COMPLETE_RESULT, 3) - at, 24 + 3);
    bench_free(b);
}
END_TEST

/* ---- L1 and messages, on tiny: hit 20, L2 120 -------------------------------------------------- */
static cycle load(struct bench *b, uint64_t offset, uint32_t stride)
{
    struct inst in = bench_inst(OP_LDG, false);
    cycle at = b->now += 50;
    b->ndone = 0;
    bench_issue(b, 0, 0, bench_effect(&in, EFF_LOAD, SPACE_GLOBAL, 4, b->buffer + offset, stride));
    bench_drain(b, false);
    for (uint32_t i = 0; i < b->ndone; i++)
        if (b->done[i].kind == COMPLETE_RESULT)
            lsu_effect_free(b->lsu, b->done[i].effect);
    return bench_when(b, COMPLETE_RESULT, 0) - at;
}

START_TEST(hits_and_misses)
{
    struct bench *b = bench_new("tiny", NULL, 0);
    ck_assert_uint_eq(load(b, 0, 4), 120);
    ck_assert_uint_eq(load(b, 0, 4), 20);
    ck_assert_uint_eq(b->nmessage[MSG_READ], 1);
    ck_assert_uint_eq(b->sectors[MSG_READ], 4);
    ck_assert_uint_eq(load(b, 128, 0), 120); /* one sector */
    ck_assert_uint_eq(load(b, 128, 4), 120); /* tag is there, three sectors are not */
    ck_assert_uint_eq(b->sectors[MSG_READ], 8);
    ck_assert_uint_eq(b->count.global_ld_sectors, 13);
    ck_assert_uint_eq(b->count.global_ld_sectors_hit, 5);
    ck_assert_uint_eq(b->count.global_ld_lines, 4);
    ck_assert_uint_eq(b->count.l1_read_misses_unmerged, 8);
    ck_assert_uint_eq(b->count.requests_sent, 3);
    ck_assert_uint_eq(b->count.replies_received, 3);
    ck_assert_uint_eq(load(b, 4096, 132), 120 + 7); /* 32 lines, 4 tags a cycle: the last 7 cycles later */
    ck_assert_uint_eq(load(b, 4096, 132), 20 + 7);
    ck_assert_uint_eq(load(b, 12288, 128), 120 + 7 + 31); /* of one bank all: one after another once all are there */
    ck_assert_uint_eq(load(b, 12288, 128), 20 + 31);
    lsu_invalidate_l1(b->lsu);
    ck_assert_uint_eq(load(b, 0, 4), 120);
    ck_assert(lsu_idle(b->lsu) && lsu_warp_idle(b->lsu, 0));
    bench_free(b);
}
END_TEST

START_TEST(misses_of_one_line_merge)
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst in = bench_inst(OP_LDG, false);
    for (uint32_t s = 0; s < 4; s++)
        bench_issue(b, s, s, bench_effect(&in, EFF_LOAD, SPACE_GLOBAL, 4, b->buffer, 4));
    bench_drain(b, false);
    ck_assert_uint_eq(b->nmessage[MSG_READ], 1);
    ck_assert_uint_eq(b->count.global_ld_sectors, 16);
    ck_assert_uint_eq(b->count.global_ld_sectors_hit, 12); /* under way is as good as there, for the profiler too */
    for (uint32_t s = 0; s < 4; s++)
        ck_assert_uint_eq(bench_when(b, COMPLETE_RESULT, s), 120 + s); /* in turn, as the data array has one port */
    bench_free(b);
}
END_TEST

START_TEST(credits_hold_the_stage)
{
    const char *sets[] = {"sm.l1.outstanding_sectors=8"};
    struct bench *b = bench_new("tiny", sets, 1);
    ck_assert_uint_eq(load(b, 0, 4), 120);
    /* 32 sectors, 8 at a time: the four rounds follow each other's answers; then eight lanes of each bank pass */
    ck_assert_uint_eq(load(b, 8192, 32), 20 + 4 * 100 + 7);
    ck_assert_uint_eq(b->count.requests_sent, b->count.replies_received);
    bench_free(b);
}
END_TEST

START_TEST(stores_write_through)
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst in = bench_inst(OP_STG, false);
    load(b, 0, 4);
    struct effect *e = bench_effect(&in, EFF_STORE, SPACE_GLOBAL, 4, b->buffer, 4);
    for (uint32_t i = 0; i < 32; i++)
        e->data[0][i] = 100 + i;
    bench_issue(b, 0, 3, e);
    cycle start = b->now;
    for (; b->now < start + 40; b->now++)
        bench_step(b);
    ck_assert(!lsu_warp_idle(b->lsu, 3)); /* not acknowledged yet */
    bench_drain(b, false);
    ck_assert(lsu_warp_idle(b->lsu, 3));
    ck_assert_uint_eq(b->last.kind, MSG_WRITE);
    ck_assert_uint_eq(b->last.payload, PAYLOAD_NONE); /* whole sectors */
    ck_assert_uint_eq(load(b, 0, 4), 20);             /* the line stayed */
    uint32_t v;
    memory_load(b->mem, b->log, b->buffer + 4 * 7, &v, 4);
    ck_assert_uint_eq(v, 107);
    e = bench_effect(&in, EFF_STORE, SPACE_GLOBAL, 4, b->buffer + 32, 8);
    bench_issue(b, 0, 3, e);
    bench_drain(b, false);
    ck_assert(b->last.payload != PAYLOAD_NONE);
    ck_assert_uint_eq(b->last_payload.byte_mask[0], 0x0f0f0f0f); /* lanes 28 to 31 */
    ck_assert_uint_eq(b->count.global_st_sectors, 4 + 8);
    ck_assert_uint_eq(b->count.l1_write_sent, 4 + 8);
    bench_free(b);
}
END_TEST

/* A store to part of a sector joins an earlier one to it, of any warp, while that waits on the way to L2; its bytes
 * still arrive. */
START_TEST(stores_join)
{
    const char *set[] = {"sm.l1.gather_lines=28", "sm.l1.gather_cycles=64", "sm.l1.gather_last_cycles=64"};
    struct bench *b = bench_new("tiny", set, 3);
    struct inst in = bench_inst(OP_STG, false);
    static const uint64_t sent[3] = {32, 32, 64};
    for (uint32_t i = 0; i < 3; i++) {
        if (i == 2) {
            bench_drain(b, false);
            b->now += 200;
        }
        struct effect *e = bench_effect(&in, EFF_STORE, SPACE_GLOBAL, 8, b->buffer + 8 * i, 32);
        for (uint32_t l = 0; l < 32; l++)
            e->data[0][l] = e->data[1][l] = 1000 * i + l;
        bench_issue(b, i % 2, i, e);
        cycle start = b->now;
        for (; b->now < start + 60; b->now++)
            bench_step(b);
        ck_assert_uint_eq(b->count.l1_write_sent, sent[i]); /* the second joined */
    }
    bench_drain(b, false);
    ck_assert_uint_eq(b->count.global_st_sectors, 3 * 32);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t v;
        memory_load(b->mem, b->log, b->buffer + 8 * i + 32 * 9, &v, 4);
        ck_assert_uint_eq(v, 1000 * i + 9);
    }
    bench_free(b);
}
END_TEST

START_TEST(fence_waits_for_stores)
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst st = bench_inst(OP_STG, false), fence = bench_inst(OP_MEMBAR, false);
    enum { CTA = 1, GPU = 3 };
    b->now = 1000;
    bench_issue(b, 0, 0, bench_effect(&st, EFF_STORE, SPACE_GLOBAL, 4, b->buffer, 4));
    fence.mod[MOD_SCOPE] = GPU;
    bench_issue(b, 0, 0, bench_effect(&fence, EFF_FENCE, SPACE_GLOBAL, 4, 0, 0));
    fence.mod[MOD_SCOPE] = GPU;
    bench_issue(b, 1, 1, bench_effect(&fence, EFF_FENCE, SPACE_GLOBAL, 4, 0, 0));
    bench_drain(b, false);
    /* the store leaves at 1010, is acknowledged 100 later; then the fence's 100 */
    ck_assert_uint_eq(bench_when(b, COMPLETE_FENCE, 0), 1010 + 100 + 100);
    ck_assert_uint_eq(bench_when(b, COMPLETE_FENCE, 1), 1012 + 100);
    struct inst block = fence;
    block.mod[MOD_SCOPE] = CTA;
    cycle at = b->now += 100;
    bench_issue(b, 2, 2, bench_effect(&block, EFF_FENCE, SPACE_GLOBAL, 4, 0, 0));
    bench_drain(b, false);
    ck_assert_uint_eq(bench_when(b, COMPLETE_FENCE, 2) - at, 10 + 10);
    bench_free(b);
}
END_TEST

START_TEST(copies_end_in_groups)
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst copy = bench_inst(OP_LDGSTS, false), close = bench_inst(OP_LDGDEPBAR, false);
    uint32_t v = 77;
    struct error err = {0};
    ck_assert(memory_write(b->mem, b->buffer + 4096 + 4, &v, 4, &err));
    struct effect *e;
    for (uint32_t g = 0; g < 2; g++) {
        e = bench_effect(&copy, EFF_ASYNC_COPY, SPACE_GLOBAL, 4, b->buffer + 4096 * (1 - g), 4);
        for (uint32_t i = 0; i < 32; i++)
            e->data[0][i] = 0x400 + 128 * g + 4 * i;
        bench_issue(b, 0, 5, e);
        bench_issue(b, 0, 5, bench_effect(&close, EFF_ASYNC_GROUP, SPACE_GLOBAL, 4, 0, 0));
    }
    bench_drain(b, true);
    uint32_t groups = 0;
    cycle last = 0;
    for (uint32_t i = 0; i < b->ndone; i++)
        if (b->done[i].kind == COMPLETE_GROUP) {
            ck_assert(b->done[i].time >= last && b->done[i].time >= 124);
            last = b->done[i].time;
            groups++;
        }
    ck_assert_uint_eq(groups, 2);
    ck_assert_int_eq(memcmp(b->shared + 4, &v, 4), 0);
    ck_assert_uint_eq(b->count.copy_sectors, 8);
    ck_assert_uint_eq(b->count.global_ld_sectors, 0);
    ck_assert(lsu_warp_idle(b->lsu, 5));
    bench_free(b);
}
END_TEST

START_TEST(local_memory_is_interleaved)
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst st = bench_inst(OP_STL, false), ld = bench_inst(OP_LDL, false);
    struct effect *e = bench_effect(&st, EFF_STORE, SPACE_LOCAL, 4, 16, 0);
    for (uint32_t i = 0; i < 32; i++)
        e->data[0][i] = i * i;
    bench_issue(b, 0, 0, e);
    bench_issue(b, 0, 0, bench_effect(&ld, EFF_LOAD, SPACE_LOCAL, 4, 16, 0));
    bench_drain(b, false);
    ck_assert_uint_eq(b->count.local_st_sectors, 4);
    ck_assert_uint_eq(b->count.local_ld_sectors, 4);
    ck_assert_uint_eq(b->count.local_ld_sectors_hit, 4); /* written through, and kept */
    ck_assert_uint_eq(b->sectors[MSG_WRITE], 4);
    ck_assert_uint_eq(b->nmessage[MSG_READ], 0);
    for (uint32_t i = 0; i < b->ndone; i++)
        if (b->done[i].kind == COMPLETE_RESULT && lsu_effect(b->lsu, b->done[i].effect)->kind == EFF_LOAD)
            ck_assert_uint_eq(lsu_effect(b->lsu, b->done[i].effect)->data[0][9], 81);
    bench_issue(b, 0, 0, bench_effect(&ld, EFF_LOAD, SPACE_LOCAL, 16, 32, 0));
    bench_drain(b, false);
    ck_assert_uint_eq(b->count.local_ld_sectors, 4 + 16);
    bench_free(b);
}
END_TEST

START_TEST(faults)
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst in = bench_inst(OP_LDG, false), sh = bench_inst(OP_STS, false);
    struct effect *e;
    struct lsu_fault f;
    switch (_i) {
    case 0: /* float4 at an odd float */
        e = bench_effect(&in, EFF_LOAD, SPACE_GLOBAL, 16, b->buffer, 16);
        e->addr[5] += 4;
        bench_issue(b, 0, 7, e);
        bench_drain(b, false);
        f = lsu_fault(b->lsu);
        ck_assert(f.set && f.misaligned && f.lane == 5 && f.warp == 7 && f.addr == b->buffer + 84 && f.bytes == 16);
        break;
    case 1: /* past the end of the buffer in the last lane */
        e = bench_effect(&in, EFF_LOAD, SPACE_GLOBAL, 4, b->buffer + BUFFER - 124, 4);
        bench_issue(b, 0, 0, e);
        bench_drain(b, false);
        f = lsu_fault(b->lsu);
        ck_assert(f.set && !f.misaligned && f.lane == 31 && f.addr == b->buffer + BUFFER && f.space == SPACE_GLOBAL);
        break;
    case 2: /* below and beyond shared memory */
        e = bench_effect(&sh, EFF_STORE, SPACE_SHARED, 4, 0x3fc, 4);
        bench_issue(b, 0, 0, e);
        bench_drain(b, false);
        f = lsu_fault(b->lsu);
        ck_assert(f.set && f.lane == 0 && f.space == SPACE_SHARED && f.addr == 0x3fc);
        break;
    case 3:
        e = bench_effect(&sh, EFF_STORE, SPACE_SHARED, 4, 0x400 + SHARED_BYTES - 4 * 31, 4);
        bench_issue(b, 0, 0, e);
        bench_drain(b, false);
        f = lsu_fault(b->lsu);
        ck_assert(f.set && f.lane == 31 && f.space == SPACE_SHARED);
        break;
    case 4: /* inactive lanes may point anywhere */
        e = bench_effect(&in, EFF_LOAD, SPACE_GLOBAL, 4, b->buffer, 4);
        e->addr[3] = 1;
        e->mask = FULL & ~8u;
        bench_issue(b, 0, 0, e);
        bench_drain(b, false);
        ck_assert(!lsu_fault(b->lsu).set);
        break;
    case 5: /* local memory ends */
        e = bench_effect(&in, EFF_LOAD, SPACE_LOCAL, 4, LOCAL_BYTES, 0);
        bench_issue(b, 0, 0, e);
        bench_drain(b, false);
        f = lsu_fault(b->lsu);
        ck_assert(f.set && f.lane == 0 && f.space == SPACE_LOCAL);
        break;
    default:
        break;
    }
    bench_free(b);
}
END_TEST

/* The same accesses, once looking every cycle, once only when the memory side says so: the same times. */
static void mixed(struct bench *b, bool jump)
{
    static const uint32_t strides[] = {0, 4, 8, 32, 128, 4, 4, 20};
    struct inst ld = bench_inst(OP_LDG, false), st = bench_inst(OP_STG, false), lds = bench_inst(OP_LDS, false);
    struct inst shfl = bench_inst(OP_SHFL, false);
    uint32_t issued = 0, seen = 0;
    while (issued < 600) {
        bench_step(b);
        uint32_t h = hash32(issued + 1), s = h % 4;
        cycle next = bench_next(b);
        if (lsu_can_issue(b->lsu, s, &ld, b->now) && h >> 8 & 1) {
            uint64_t at = b->buffer + h % 64 * 1024;
            struct effect *e = h >> 10 & 1   ? bench_effect(&ld, EFF_LOAD, SPACE_GLOBAL, 4, at, strides[h >> 12 & 7])
                               : h >> 11 & 1 ? bench_effect(&st, EFF_STORE, SPACE_GLOBAL, 4, at, strides[h >> 12 & 7])
                               : h >> 15 & 1
                                   ? bench_effect(&lds, EFF_LOAD, SPACE_SHARED, 4, 0x400, strides[h >> 12 & 7])
                                   : bench_effect(&shfl, EFF_VARIABLE, SPACE_GLOBAL, 4, 0, 0);
            bench_issue(b, s, s + 4 * (issued % 4), e);
            issued++;
            b->now++;
        } else if (h >> 8 & 1) {
            ck_assert(next != UINT64_MAX);
            b->now = jump && next > b->now ? next : b->now + 1; /* the queue is full: only an event changes that */
        } else {
            issued++;
            b->now++;
        }
        for (; seen < b->ndone; seen++)
            ck_assert(b->done[seen].time <= b->now);
    }
    bench_drain(b, jump);
}

/* Lanes that follow one another are kept as their first: whoever needs the others finds them. */
START_TEST(addresses_of_a_run)
{
    struct bench *b = bench_new("tiny", NULL, 0);
    struct inst in = bench_inst(OP_LDG, false);
    lsu_record(b->lsu, true, &gpc_clock_full);
    bench_issue(b, 0, 0, bench_effect(&in, EFF_LOAD, SPACE_GLOBAL, 8, b->buffer + 256, 8));
    bench_drain(b, false);
    size_t n;
    const struct access_record *r = lsu_records(b->lsu, &n);
    ck_assert_uint_eq(n, 1);
    for (uint32_t l = 0; l < 32; l++)
        ck_assert_uint_eq(r->addr[l], b->buffer + 256 + 8 * l);
    lsu_record(b->lsu, false, &gpc_clock_full);
    uint32_t word[32], before = b->nmessage[MSG_STRONG_READ];
    for (uint32_t l = 0; l < 32; l++)
        word[l] = 100 + l;
    memory_store(b->mem, b->log, b->now, b->buffer + 512, word, sizeof word);
    struct inst strong = bench_inst(OP_LDG, false);
    strong.mod[MOD_ORDER] = 2; /* STRONG.GPU */
    strong.mod[MOD_SCOPE] = 3;
    bench_issue(b, 0, 0, bench_effect(&strong, EFF_LOAD, SPACE_GLOBAL, 4, b->buffer + 512, 4));
    bench_drain(b, false);
    ck_assert_uint_gt(b->nmessage[MSG_STRONG_READ], before);
    struct effect *e = lsu_effect(b->lsu, b->done[b->ndone - 1].effect);
    for (uint32_t l = 0; l < 32; l++)
        ck_assert_uint_eq(e->data[0][l], 100 + l);
    bench_free(b);
}
END_TEST

START_TEST(jumping_changes_nothing)
{
    const char *sets[] = {"sm.lsu.pending_instructions=700", "sm.l1.outstanding_sectors=32"};
    struct bench *each = bench_new("tiny", sets, 2), *jump = bench_new("tiny", sets, 2);
    mixed(each, false);
    mixed(jump, true);
    ck_assert_uint_eq(each->ndone, jump->ndone);
    for (uint32_t i = 0; i < each->ndone; i++) {
        ck_assert_uint_eq(each->done[i].time, jump->done[i].time);
        ck_assert_uint_eq(each->done[i].warp, jump->done[i].warp);
        ck_assert_uint_eq(each->done[i].kind, jump->done[i].kind);
    }
    ck_assert_mem_eq(&each->count, &jump->count, sizeof each->count);
    ck_assert_uint_eq(each->count.requests_sent, each->count.replies_received);
    ck_assert(each->count.requests_sent > 100);
    bench_free(each);
    bench_free(jump);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("lsu");
    TCase *t = tcase_create("all");
    tcase_add_loop_test(t, queue_and_address_generation, 0, 4);
    tcase_add_loop_test(t, unloaded_latency, 0, (int)ARRAY_LEN(latencies));
    tcase_add_test(t, conflict_latency);
    tcase_add_loop_test(t, conflict_rate, 0, 7);
    tcase_add_loop_test(t, shuffle_rate, 0, 4);
    tcase_add_test(t, between_the_lanes_of_an_atomic);
    tcase_add_test(t, behind_a_barrier);
    tcase_add_test(t, barriers_arrive_in_turn);
    tcase_add_test(t, hits_and_misses);
    tcase_add_test(t, misses_of_one_line_merge);
    tcase_add_test(t, credits_hold_the_stage);
    tcase_add_test(t, stores_write_through);
    tcase_add_test(t, stores_join);
    tcase_add_test(t, fence_waits_for_stores);
    tcase_add_test(t, copies_end_in_groups);
    tcase_add_test(t, local_memory_is_interleaved);
    tcase_add_test(t, a_launch_empties_the_constant_caches);
    tcase_add_loop_test(t, faults, 0, 6);
    tcase_add_test(t, addresses_of_a_run);
    tcase_add_test(t, jumping_changes_nothing);
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
