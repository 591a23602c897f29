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

#endif
