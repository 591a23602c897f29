/* One warp: start, issue of one instruction, completion of a memory access. */
#include "isa/diverge.h"

/* Zeros, but not in what the program writes before it reads it. */
static void clear_registers(struct warp *w)
{
    const struct unread *u = &w->env->unread;
    uint32_t n = kernel_registers(w->env->kernel);
    for (uint32_t first = 0; first < n; first += 64) {
        uint64_t m = ~u->rows[first / 64] & (n - first < 64 ? (UINT64_C(1) << (n - first)) - 1 : ~UINT64_C(0));
        while (m) {
            uint32_t at = (uint32_t)__builtin_ctzll(m);
            uint32_t run = ~(m >> at) ? (uint32_t)__builtin_ctzll(~(m >> at)) : 64;
            size_t row = w->env->nlane * sizeof w->reg[0];
            memset(w->reg + (size_t)(first + at) * w->env->nlane, 0, run * row);
            m &= run < 64 ? ~(((UINT64_C(1) << run) - 1) << at) : 0;
        }
    }
    memset(w->ureg, 0, (NUREG - u->uregs) * sizeof w->ureg[0]);
}

void warp_start(struct warp *w)
{
    w->nreg = w->env->kernel->nreg;
    clear_registers(w);
    memset(w->pred, 0, sizeof w->pred);
    w->pred[PT] = ~(lanemask)0;
    w->upred = 1u << PT;
    w->barrier_result = 0;
    diverge_start(w);
}

static inline lanemask guard_mask(const struct warp *w, const struct inst *in)
{
    if (in->guard == PT && !in->guard_not)
        return ~(lanemask)0;
    lanemask v = !in->guard_uniform ? w->pred[in->guard & 7] : w->upred >> (in->guard & 7) & 1 ? ~(lanemask)0 : 0;
    return in->guard_not ? ~v : v;
}

void warp_issue(struct warp *w, struct issue *is)
{
    struct split *s = &w->split[w->cur];
    is->diverged = is->branch = is->fault = false;
    is->effect->kind = EFF_NONE;
    is->exec = 0;
    w->now = is->now;
    if (s->pc >= w->env->kernel->n) {
        exec_fault(is, "execution runs past the end of the kernel");
        return;
    }
    const struct inst *in = &w->env->kernel->code[s->pc++];
    is->exec = s->mask & guard_mask(w, in);
    bool left_out = w->env->skip && w->env->skip[in - w->env->kernel->code];
    if ((is->exec || in->op == OP_BRA) && !left_out) /* BRA.DIV also acts for lanes whose guard is off */
        in->exec(w, in, is);
    else
        is->branch = in->op == OP_BRX;
    if (w->env->cfg && w->nsplit && w->split[w->cur].recon != RECON_NONE)
        diverge_arrive(w);
}

bool kernel_has_barriers(const struct kernel *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        if (k->code[i].op == OP_BSSY)
            return true;
    return false;
}
