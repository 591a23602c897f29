/* A warp by itself, to execute single instructions or short programs made by hand. */
#ifndef HEDDLE_TESTS_EXEC_RIG_H
#define HEDDLE_TESTS_EXEC_RIG_H

#include <stdlib.h>

#include "isa/exec.h"

enum { RIG_CODE = 64, RIG_REGS = 64 };
struct rig {
    struct inst code[RIG_CODE];
    struct kernel kernel;
    struct launch_env env;
    struct warp warp;
    struct effect effect;
    struct issue issue;
    uint32_t reg[RIG_REGS * NLANE];
    uint8_t bank0[1024];
};

static inline struct operand rig_r(uint32_t r) { return (struct operand){.kind = OPD_REG, .reg = (uint8_t)r, .width = 1}; }
static inline struct operand rig_ur(uint32_t r) { return (struct operand){.kind = OPD_UREG, .reg = (uint8_t)r}; }
static inline struct operand rig_i(int64_t v) { return (struct operand){.kind = OPD_IMM, .imm = v}; }
static inline struct operand rig_p(uint32_t p) { return (struct operand){.kind = OPD_PRED, .reg = (uint8_t)p}; }
static inline struct operand rig_b(uint32_t b) { return (struct operand){.kind = OPD_BREG, .reg = (uint8_t)b}; }
static inline struct operand rig_t(uint32_t index) { return (struct operand){.kind = OPD_TARGET, .imm = index * INST_BYTES}; }
static inline struct operand rig_f(struct operand o, uint32_t flags) { o.flags |= (uint8_t)flags; return o; }

static inline struct inst rig_inst(enum op op)
{
    return (struct inst){.op = (uint16_t)op, .guard = PT};
}
static inline struct inst *rig_add(struct rig *g, enum op op)
{
    must(g->kernel.n < RIG_CODE);
    g->code[g->kernel.n] = rig_inst(op);
    return &g->code[g->kernel.n++];
}
static inline struct rig *rig_new(uint32_t nlane)
{
    struct rig *g = xcalloc(1, sizeof *g);
    g->kernel = (struct kernel){.code = g->code, .nreg = RIG_REGS};
    g->env = (struct launch_env){.kernel = &g->kernel, .nlane = nlane, .grid = {1, 1, 1}, .block = {nlane, 1, 1},
                                 .shared_window = 0x7f0000000000, .local_window = 0x7e0000000000};
    g->env.bank[0] = g->bank0;
    g->env.bank_bytes[0] = sizeof g->bank0;
    g->warp.env = &g->env;
    g->warp.reg = g->reg;
    g->warp.full = nlane == 64 ? ~(lanemask)0 : 0xffffffffu;
    g->issue.effect = &g->effect;
    warp_start(&g->warp);
    return g;
}
static inline void rig_link(struct rig *g, enum exec_level level)
{
    for (uint32_t i = 0; i < g->kernel.n; i++)
        g->code[i].exec = exec_of_level(&g->code[i], level);
}
static inline uint32_t *rig_row(struct rig *g, uint32_t r) { return g->reg + r * g->env.nlane; }
static inline void rig_fill(struct rig *g, uint32_t r, uint32_t v)
{
    for (uint32_t l = 0; l < g->env.nlane; l++)
        rig_row(g, r)[l] = v;
}
/* Executes one instruction with all lanes (or the guard's) at the given level. */
static inline bool rig_do(struct rig *g, const struct inst *in, enum exec_level level)
{
    g->kernel.n = 0;
    *rig_add(g, OP_NOP) = *in;
    rig_link(g, level);
    g->warp.split[0].pc = 0;
    warp_issue(&g->warp, &g->issue);
    return !g->issue.fault;
}
/* Runs to the end; false if it has not ended after `limit` instructions, or faulted. */
static inline bool rig_run(struct rig *g, uint32_t limit)
{
    for (uint32_t i = 0; i < limit && !warp_done(&g->warp); i++) {
        if (warp_blocked(&g->warp))
            return false;
        warp_issue(&g->warp, &g->issue);
        if (g->issue.fault)
            return false;
    }
    return warp_done(&g->warp);
}

/* Executes one instruction at every level of this host, with all lanes and with half of them, sources R1:R2 = a, R3:R4 =
 * b, R5:R6 = c (64-bit values; 32-bit ones in R1, R3, R5), predicates P1 = p. Checks that levels and lanes agree and that
 * lanes outside the mask keep their values. Returns R11:R10; predicates P4, P5 of lane 0 in *out. */
struct rig_result { uint64_t d; bool p4, p5, ok; char why[160]; };
static inline struct rig_result rig_eval(struct inst in, uint64_t a, uint64_t b, uint64_t c, bool p)
{
    struct rig_result first = {.ok = false};
    for (uint32_t level = 0; level < EXEC_LEVEL_COUNT; level++) {
        if (!exec_of_level(&in, level))
            continue;
        for (uint32_t wide = 0; wide < 2; wide++)
            for (uint32_t part = 0; part < 2; part++) {
                struct rig *g = rig_new(wide ? 64 : 32);
                const uint64_t v[3] = {a, b, c};
                for (uint32_t k = 0; k < 3; k++) {
                    rig_fill(g, 1 + 2 * k, (uint32_t)v[k]);
                    rig_fill(g, 2 + 2 * k, (uint32_t)(v[k] >> 32));
                }
                rig_fill(g, 10, 0xdead0010);
                rig_fill(g, 11, 0xdead0011);
                g->warp.pred[1] = p ? ~(lanemask)0 : 0;
                g->warp.pred[3] = 0x0000ffff0f0f0f0full;
                struct inst one = in;
                if (part)
                    one.guard = 3;
                struct rig_result r = {.ok = rig_do(g, &one, level)};
                memcpy(r.why, g->issue.why, sizeof r.why);
                uint32_t *lo = rig_row(g, 10), *hi = rig_row(g, 11), l0 = 0;
                r.d = (uint64_t)hi[l0] << 32 | lo[l0];
                r.p4 = g->warp.pred[4] & 1;
                r.p5 = g->warp.pred[5] & 1;
                for (uint32_t l = 0; l < g->env.nlane; l++) {
                    bool in_mask = !part || (g->warp.pred[3] >> l & 1);
                    bool same = lo[l] == lo[l0] && hi[l] == hi[l0] && bit_of(g->warp.pred[4], l) == r.p4 && bit_of(g->warp.pred[5], l) == r.p5;
                    bool kept = lo[l] == 0xdead0010 && hi[l] == 0xdead0011 && !bit_of(g->warp.pred[4], l) && !bit_of(g->warp.pred[5], l);
                    if (r.ok && !(in_mask ? same : kept)) {
                        r.ok = false;
                        snprintf(r.why, sizeof r.why, "lane %u differs (level %u, nlane %u, part %u)", l, level, g->env.nlane, part);
                    }
                }
                if (!level && !wide && !part)
                    first = r;
                if (r.ok && (r.d != first.d || r.p4 != first.p4 || r.p5 != first.p5)) {
                    r.ok = false;
                    snprintf(r.why, sizeof r.why, "level %u nlane %u part %u gives %llx, base %llx", level, g->env.nlane, part, (unsigned long long)r.d, (unsigned long long)first.d);
                }
                free(g);
                if (!r.ok)
                    return r;
            }
    }
    return first;
}

#endif
