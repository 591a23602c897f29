/* A memory side of one SM with a stand-in for everything behind it: answers come a fixed time after each message. */
#ifndef HEDDLE_TESTS_LSU_BENCH_H
#define HEDDLE_TESTS_LSU_BENCH_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/lsu.h"
#include "sim/mempart.h"

enum { FULL = 0xffffffff, EVENTS = 65536, SHARED_BYTES = 16384, LOCAL_BYTES = 256, BUFFER = 1 << 20 };

struct bench {
    struct config cfg;
    struct memory *mem;
    struct storelog *log;
    struct msgbox out, in;
    struct sm_counters count;
    struct pc_counters pcs[64];
    struct lsu *lsu;
    uint64_t buffer;              /* device address */
    uint8_t shared[SHARED_BYTES], local[64 * LOCAL_BYTES];
    cycle now, answer_after;
    uint32_t nmessage[MSG_KIND_COUNT];
    uint64_t sectors[MSG_KIND_COUNT];
    struct message last;
    struct payload_head last_payload;
    struct completion done[EVENTS];
    uint32_t ndone;
};

static struct bench *bench_new(const char *config, const char *const *sets, size_t nset)
{
    struct error err = {0};
    struct bench *b = xcalloc(1, sizeof *b);
    must(config_load(&b->cfg, config, sets, nset, &err));
    b->cfg.memory_bytes = 16 << 20;
    b->mem = memory_new(&b->cfg);
    b->log = storelog_new(0);
    must(memory_alloc(b->mem, "x", BUFFER, 512, &b->buffer, &err));
    b->lsu = lsu_new(&b->cfg, 0, b->mem, b->log, &b->out, &b->count);
    lsu_configure(b->lsu, 0, b->pcs);
    b->answer_after = 2 * b->cfg.noc_latency_cycles + b->cfg.l2_latency_cycles;
    return b;
}

static void bench_free(struct bench *b)
{
    lsu_free(b->lsu);
    storelog_free(b->log);
    memory_free(b->mem);
    msgbox_finish(&b->out);
    msgbox_finish(&b->in);
    free(b);
}

/* What L2 would do to the values of atomics and strong accesses: 32-bit words, addition. */
static void bench_values(struct bench *b, const struct message *m)
{
    struct payload *p = payload_whole(lsu_payload(b->lsu, m->payload));
    for (lanemask k = p->mask; k; k &= k - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(k), old, new;
        memory_load(b->mem, b->log, p->addr[lane], &old, 4);
        new = m->kind == MSG_STRONG_WRITE ? p->data[0][lane] : old + p->data[0][lane];
        if (m->kind != MSG_STRONG_READ)
            memory_store(b->mem, b->log, b->now, p->addr[lane], &new, 4);
        p->data[0][lane] = old;
    }
}

static void bench_take_out(struct bench *b)
{
    for (size_t i = 0; i < b->out.n; i++) {
        struct message m = b->out.m[i];
        b->nmessage[m.kind]++;
        b->sectors[m.kind] += (uint64_t)__builtin_popcount(m.sectors);
        b->last = m;
        if (m.payload != PAYLOAD_NONE)
            b->last_payload = *lsu_payload(b->lsu, m.payload);
        m.time += b->answer_after;
        msgbox_push(&b->in, m);
    }
    b->out.n = 0;
}

static void bench_step(struct bench *b)
{
    struct message *m;
    struct completion c;
    while ((m = msgbox_peek(&b->in, b->now))) {
        if (m->kind == MSG_ATOMIC || m->kind == MSG_REDUCE || m->kind == MSG_STRONG_READ || m->kind == MSG_STRONG_WRITE)
            bench_values(b, m);
        lsu_receive(b->lsu, m);
        b->in.head++;
    }
    lsu_step(b->lsu, b->now);
    while (lsu_pop(b->lsu, b->now, &c)) {
        must(b->ndone < EVENTS);
        b->done[b->ndone++] = c;
    }
    bench_take_out(b);
}

static cycle bench_next(struct bench *b)
{
    cycle t = lsu_next_event(b->lsu, b->now), m = msgbox_next(&b->in);
    return t < m ? t : m;
}

/* Until nothing is left to happen; jump: only where the memory side says that something happens. */
__attribute__((unused)) static void bench_drain(struct bench *b, bool jump)
{
    for (cycle end = b->now + 200000; b->now < end;) {
        bench_step(b);
        cycle next = bench_next(b);
        if (next == UINT64_MAX)
            return;
        b->now = jump && next > b->now ? next : b->now + 1;
    }
    must(!"idle in the end");
}

/* Time of the first completion of this kind that names the warp. */
__attribute__((unused)) static cycle bench_when(const struct bench *b, enum completion_kind kind, uint32_t warp)
{
    for (uint32_t i = 0; i < b->ndone; i++)
        if (b->done[i].kind == kind && b->done[i].warp == warp)
            return b->done[i].time;
    return UINT64_MAX;
}

static const struct operand register_address = {.kind = OPD_MEM, .flags = OPF_HAS_REG | OPF_64, .reg = 2};
static const struct operand uniform_address = {.kind = OPD_MEM, .flags = OPF_HAS_UREG, .reg = RZ, .ureg = 4};

static struct inst bench_inst(enum op op, bool uniform)
{
    struct inst in = {.op = (uint16_t)op, .guard = PT};
    in.opd[1] = uniform ? uniform_address : register_address;
    return in;
}

static struct effect *bench_effect(const struct inst *in, enum effect_class kind, enum space space, uint32_t bytes,
                                   uint64_t base, uint32_t stride)
{
    static struct effect e;
    memset(&e, 0, sizeof e);
    e.kind = (uint8_t)kind;
    e.space = (uint8_t)space;
    e.bytes = (uint8_t)bytes;
    e.nword = (uint8_t)(bytes > 4 ? bytes / 4 : 1);
    e.op = in->op;
    e.inst = in;
    e.mask = FULL;
    for (uint32_t i = 0; i < 32; i++)
        e.addr[i] = base + (uint64_t)i * stride;
    return &e;
}

static void bench_issue(struct bench *b, uint32_t subcore, uint32_t warp, const struct effect *e)
{
    lsu_issue(b->lsu, b->now, subcore, warp, warp % 64, e, b->shared, SHARED_BYTES, b->local, LOCAL_BYTES);
}

#endif
