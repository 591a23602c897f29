/* Registers that no thread reads before it has written them: a warp's start need not clear their rows, which are most
 * of a warp's state (and of a short kernel's misses in the host's caches). A backward data-flow analysis of what is
 * read first, over single instructions: a bit for each register. Whatever is not plain counts as reading everything:
 * code whose successor is not in the instruction, and matrix instructions and transposes, which take rows as a whole,
 * also lanes that execute elsewhere or have exited. */
#include "isa/isa.h"

#include <stdlib.h>
#include <string.h>

struct rows {
    uint64_t w[NREG / 64];
};
static const struct rows all_rows = {{~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)}};

static void mark(struct rows *s, struct regref r, bool on)
{
    for (uint32_t i = r.first; r.file == RF_R && i < r.first + (uint32_t)r.count && i < RZ; i++) {
        uint64_t bit = UINT64_C(1) << i % 64;
        s->w[i / 64] = on ? s->w[i / 64] | bit : s->w[i / 64] & ~bit;
    }
}

static void join(struct rows *s, const struct rows *other)
{
    for (uint32_t i = 0; i < ARRAY_LEN(s->w); i++)
        s->w[i] |= other->w[i];
}

static bool takes_whole_rows(const struct inst *in)
{
    return op_table[in->op].unit == UNIT_TENSOR || op_table[in->op].effect == EFF_TENSOR_ASYNC || in->op == OP_MOVM;
}

static bool goes_anywhere(const struct inst *in)
{
    enum { EXCLUSIVE = 2 }; /* value of WSYNC in ops.def: from it on lanes of other paths may take part */
    switch (in->op) {
    case OP_BRX:
    case OP_BRXU:
    case OP_JMX:
    case OP_RET:
    case OP_CALL:
        return true;
    case OP_WARPSYNC:
        return in->mod[MOD_WSYNC] >= EXCLUSIVE;
    default:
        return false;
    }
}

static bool is_guarded(const struct inst *in)
{
    return in->guard != PT || in->guard_not;
}

/* Writes all that it names, in every lane that executes it. */
static bool writes_whole(const struct inst *in)
{
    if (is_guarded(in))
        return false;
    switch (op_table[in->op].effect) {
    case EFF_NONE:
    case EFF_VARIABLE:
    case EFF_CONST:
        return true;
    case EFF_LOAD:
        return in->op == OP_LDG || in->op == OP_LD || in->op == OP_LDS || in->op == OP_LDL;
    default:
        return false;
    }
}

/* A jump's target; its other operands, if it has any, are conditions. */
static const struct operand *target_of(const struct inst *in, bool *conditional)
{
    const struct operand *target = NULL;
    *conditional = is_guarded(in);
    for (uint32_t i = 0; i < NOPERAND; i++) {
        if (in->opd[i].kind == OPD_TARGET)
            target = &in->opd[i];
        else if (in->opd[i].kind != OPD_NONE)
            *conditional = true;
    }
    return target;
}

/* What is read first by those who have executed instruction i; before[]: by those who come to each. */
static struct rows after(const struct kernel *k, const struct rows *before, uint32_t i)
{
    const struct inst *in = &k->code[i];
    struct rows s = {{0}};
    bool goes_on = true;
    if (goes_anywhere(in))
        return all_rows;
    if (in->op == OP_EXIT || in->op == OP_KILL || in->op == OP_RTT)
        goes_on = is_guarded(in);
    if (in->op == OP_BRA || in->op == OP_JMP) {
        const struct operand *t = target_of(in, &goes_on);
        if (!t || t->imm < 0 || t->imm / INST_BYTES >= k->n)
            return all_rows;
        join(&s, &before[t->imm / INST_BYTES]);
    }
    if (goes_on && i + 1 < k->n)
        join(&s, &before[i + 1]);
    return s;
}

/* One pass from the end to the beginning; true: something was added. */
static bool pass(const struct kernel *k, struct rows *before)
{
    bool more = false;
    for (uint32_t i = k->n; i-- > 0;) {
        const struct inst *in = &k->code[i];
        struct rows s = after(k, before, i);
        for (uint32_t n = 0; n < in->nwrite && writes_whole(in); n++)
            mark(&s, in->writes[n], false);
        for (uint32_t n = 0; n < in->nread; n++)
            mark(&s, in->reads[n], true);
        more |= memcmp(&s, &before[i], sizeof s) != 0;
        before[i] = s;
    }
    return more;
}

/* Uniform registers from here on are not named. */
static uint32_t uniform_end(const struct kernel *k)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        const struct inst *in = &k->code[i];
        for (uint32_t n = 0; n < in->nread + (uint32_t)in->nwrite; n++) {
            struct regref r = n < in->nread ? in->reads[n] : in->writes[n - in->nread];
            if (r.file == RF_UR && r.first + (uint32_t)r.count > end)
                end = r.first + (uint32_t)r.count;
        }
    }
    return end < NUREG ? end : NUREG;
}

void kernel_unread(const struct kernel *k, struct unread *u)
{
    *u = (struct unread){.uregs = NUREG - uniform_end(k)};
    for (uint32_t i = 0; i < k->n; i++)
        if (takes_whole_rows(&k->code[i]))
            return;
    struct rows *before = xcalloc(k->n ? k->n : 1, sizeof *before);
    while (pass(k, before))
        ;
    for (uint32_t i = 0; i < ARRAY_LEN(u->rows) && k->n; i++)
        u->rows[i] = ~before[0].w[i];
    free(before);
}
