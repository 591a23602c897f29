/* Branches, calls, convergence barriers, exit, traps. */
#include "isa/diverge.h"

/* Guard and the instruction's own predicate: the lanes that act. */
static inline lanemask acting(const struct warp *w, const struct operand *p, const struct issue *is)
{
    return is->exec & src_pred(w, p, true);
}
static bool target_index(const struct warp *w, uint64_t addr, uint32_t *pc, struct issue *is)
{
    if (addr % INST_BYTES || addr / INST_BYTES >= w->env->kernel->n) {
        exec_fault(is, "branch to 0x%llx, outside the kernel's code", (unsigned long long)addr);
        return false;
    }
    *pc = (uint32_t)(addr / INST_BYTES);
    return true;
}
static uint32_t this_pc(const struct warp *w)
{
    return w->split[w->cur].pc - 1;
}

static void branch_to(struct warp *w, const struct operand *t, lanemask taken, struct issue *is)
{
    uint32_t pc;
    is->branch = true;
    if (taken && target_index(w, (uint64_t)t->imm, &pc, is))
        diverge_branch(w, is, taken, this_pc(w), pc);
}
/* DIV, CONV: are the lanes of the mask all here, with their guards on? If not, DIV sends every lane of the path away:
 * to code that goes through the groups of lanes one by one. (What cooperative groups of parts of a warp rely on;
 * measured by workloads/kernels/tiles.) U.ANY: all lanes of the path jump if one lane's guard holds: nvcc's loop over
 * the values of an address that a uniform register has to hold, whose uniform registers would otherwise be set once a
 * lane. */
static void bra(struct warp *w, const struct inst *in, struct issue *is)
{
    lanemask taken = acting(w, &in->opd[0], is);
    uint32_t cond = in->mod[MOD_BRACOND]; /* "", U, DIV, CONV */
    if (cond >= 2) {
        uint32_t v = exec_scalar(w, &in->opd[1], 0, is);
        lanemask want = in->opd[1].flags & OPF_NOT ? ~(lanemask)v : v;
        bool converged = !(want & w->live & ~taken);
        taken = converged != (cond == 3) ? 0 : cond == 2 ? warp_active(w) : taken;
    } else if (in->mod[MOD_ANY] && taken) {
        taken = warp_active(w);
    }
    branch_to(w, &in->opd[2], taken, is);
}
static void jump(struct warp *w, const struct inst *in, struct issue *is)
{
    branch_to(w, &in->opd[1], acting(w, &in->opd[0], is), is);
}
/* Target = register pair + offset, a lane. BRX's offset, absent if 0, counts from the next instruction, a code address
 * from 0. */
static void branch_indexed(struct warp *w, const struct operand *p, const struct operand *r, const struct operand *t,
                           bool relative, struct issue *is)
{
    lanemask taken = acting(w, p, is);
    uint32_t target[NLANE] = {0}, tmp[NLANE], tmph[NLANE], l;
    const uint32_t *lo = src_word(w, r, 0, tmp, is), *hi = src_word(w, r, 1, tmph, is);
    uint64_t base = t->kind == OPD_NONE ? 0 : (uint64_t)t->imm;
    if (t->kind == OPD_IMM || relative)
        base += (uint64_t)w->split[w->cur].pc * INST_BYTES;
    is->branch = true;
    FOR_MASK(l, taken)
    {
        uint64_t addr = ((uint64_t)hi[l] << 32 | lo[l]) + base;
        if (!target_index(w, addr, &target[l], is))
            return;
    }
    if (taken)
        diverge_targets(w, is, taken, this_pc(w), target);
}
static void brx(struct warp *w, const struct inst *in, struct issue *is)
{
    bool relative = in->opd[2].kind == OPD_NONE && (in->op == OP_BRX || in->op == OP_BRXU);
    branch_indexed(w, &in->opd[0], &in->opd[1], &in->opd[2], relative, is);
}
static void call(struct warp *w, const struct inst *in, struct issue *is)
{
    if (in->opd[1].kind == OPD_NONE)
        branch_to(w, &in->opd[2], acting(w, &in->opd[0], is), is);
    else
        branch_indexed(w, &in->opd[0], &in->opd[1], &in->opd[2], false, is);
}

static void bssy(struct warp *w, const struct inst *in, struct issue *is)
{
    diverge_set_members(w, in->opd[0].reg & (NBREG - 1), acting(w, &in->opd[1], is));
}
static void bsync(struct warp *w, const struct inst *in, struct issue *is)
{
    lanemask m = acting(w, &in->opd[0], is);
    if (m)
        diverge_sync(w, in->opd[1].reg & (NBREG - 1), m);
}
static void brk(struct warp *w, const struct inst *in, struct issue *is)
{
    diverge_break(w, in->opd[1].reg & (NBREG - 1), acting(w, &in->opd[0], is));
}
static void bmov(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t l, tmp[NLANE];
    if (in->opd[3].kind == OPD_BREG) { /* register = barrier, perhaps cleared */
        uint32_t b = in->opd[3].reg & (NBREG - 1);
        if (in->opd[0].kind == OPD_REG && in->opd[0].reg != RZ) {
            uint32_t *rd = exec_row(w, in->opd[0].reg);
            FOR_MASK(l, is->exec) rd[l] = (uint32_t)diverge_members(w, b);
        }
        if (in->mod[MOD_CLEAR])
            diverge_set_members(w, b, 0);
        return;
    }
    const uint32_t *rs = src_row(w, &in->opd[2], tmp, SRC_INT, is);
    if (is->exec) /* one mask for the warp, whatever other lanes hold */
        diverge_restore_members(w, in->opd[1].reg & (NBREG - 1), rs[first_lane(is->exec)]);
}
/* Half of the return address that each lane keeps. */
static void rpcmov(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t l, tmp[NLANE];
    if (in->opd[0].kind == OPD_REG) {
        if (in->opd[0].reg != RZ)
            FOR_MASK(l, is->exec) exec_row(w, in->opd[0].reg)[l] = w->rpc[in->opd[1].imm & 1][l];
        return;
    }
    const uint32_t *row = src_row(w, &in->opd[1], tmp, SRC_INT, is);
    FOR_MASK(l, is->exec) w->rpc[in->opd[0].imm & 1][l] = row[l];
}
static void warpsync(struct warp *w, const struct inst *in, struct issue *is)
{
    lanemask m = acting(w, &in->opd[0], is);
    uint32_t masks[NLANE], l;
    if (!m)
        return;
    bool all = in->mod[MOD_WSYNC] == 1 || in->opd[1].kind == OPD_NONE, collective = in->mod[MOD_WSYNC] >= 3,
         same = true;
    enum warpsync_kind kind = collective                ? WARPSYNC_COLLECTIVE
                              : in->mod[MOD_WSYNC] == 2 ? WARPSYNC_EXCLUSIVE
                                                        : WARPSYNC_PLAIN;
    const uint32_t *row = all ? NULL : src_row(w, &in->opd[1], masks, SRC_INT, is);
    lanemask wait = all ? ~(lanemask)0 : row[first_lane(m)];
    if (collective) { /* the lanes go on at the target after the region, wherever its code ran */
        uint32_t pc = 0;
        if (!target_index(w, (uint64_t)in->opd[2].imm, &pc, is))
            return;
        FOR_MASK(l, m) w->resume[l] = pc;
    }
    if (!all) {
        FOR_MASK(l, m) same &= row[l] == (uint32_t)wait;
    }
    if (same)
        diverge_warpsync(w, wait, m, kind);
    else
        diverge_warpsync_groups(w, is, row, m, kind);
}
static void end_collective(struct warp *w, const struct inst *in, struct issue *is)
{
    (void)in;
    diverge_end_collective(w, is);
}
static void do_exit(struct warp *w, const struct inst *in, struct issue *is)
{
    lanemask m = acting(w, &in->opd[0], is);
    if (m)
        diverge_exit(w, m);
}
static void yield(struct warp *w, const struct inst *in, struct issue *is)
{
    if (acting(w, &in->opd[0], is))
        diverge_yield(w);
}
static void nanosleep_(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t tmp[NLANE];
    lanemask m = acting(w, &in->opd[0], is);
    if (!m)
        return;
    is->effect->kind = EFF_SLEEP;
    is->effect->op = in->op;
    is->effect->inst = in;
    is->effect->mask = m;
    is->effect->value = src_row(w, &in->opd[1], tmp, SRC_INT, is)[first_lane(m)];
    diverge_sleep(w);
}
/* A trap that stands for a function of the driver's (cubin_join.c). The ABI: arguments from R4 on, of __assertfail two
 * strings and the line; R20 holds where to go back to, the instruction behind the call. */
static bool driver_call(const struct warp *w, struct issue *is)
{
    enum { LINE = 8, BACK = 20 };
    const struct kernel *k = w->env->kernel;
    uint32_t lane = first_lane(is->exec), n = w->env->nlane;
    const char *name = NULL;
    for (uint32_t i = 0; i < k->nsymbol; i++)
        if (k->symbols[i].address == this_pc(w) * INST_BYTES)
            name = k->symbols[i].name;
    if (!name)
        return false;
    uint32_t back = k->nreg > BACK ? w->reg[BACK * n + lane] - INST_BYTES : 0;
    if (strcmp(name, "__assertfail") == 0 && k->nreg > LINE)
        exec_fault(is, "an assertion failed: line %u of its source (called at pc 0x%x)", w->reg[LINE * n + lane], back);
    else
        exec_fault(is, "%s is called (at pc 0x%x): a function of the driver's, which is not simulated", name, back);
    return true;
}

static void trap(struct warp *w, const struct inst *in, struct issue *is)
{
    if (in->op == OP_BPT && in->mod[MOD_TRAP] >= 2)
        return; /* DRAIN, CAL, PAUSE: for a debugger */
    if (acting(w, &in->opd[0], is) && !driver_call(w, is))
        exec_fault(is, "the kernel trapped (%s)", in->op == OP_BPT ? "BPT" : "RTT");
}
static void nop(struct warp *w, const struct inst *in, struct issue *is)
{
    (void)w, (void)in, (void)is;
}

exec_fn *EXEC_SYM(exec_control_of)(const struct inst *in)
{
    switch (in->op) {
    case OP_BRA:
        return bra;
    case OP_JMP:
        return jump;
    case OP_BRX:
    case OP_BRXU:
    case OP_JMX:
    case OP_RET:
        return brx;
    case OP_CALL:
        return call;
    case OP_BSSY:
        return bssy;
    case OP_BSYNC:
        return bsync;
    case OP_BREAK:
        return brk;
    case OP_BMOV:
        return bmov;
    case OP_RPCMOV:
        return rpcmov;
    case OP_WARPSYNC:
        return warpsync;
    case OP_EXIT:
    case OP_KILL:
        return do_exit;
    case OP_YIELD:
        return yield;
    case OP_NANOSLEEP:
        return nanosleep_;
    case OP_BPT:
    case OP_RTT:
        return trap;
    case OP_NOP:
    case OP_PMTRIG:
        return nop;
    case OP_ENDCOLLECTIVE:
        return end_collective;
    default:
        return NULL;
    }
}
