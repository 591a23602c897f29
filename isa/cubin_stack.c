/* The stack of a thread. ptxas adds up the frames along all chains of calls (MIN_STACK_SIZE), but where a chain can
 * be of any length, recursion, or its end is not known, calls through registers, or where a frame has the size that
 * data say, alloca, it leaves the rest to the driver, which then gives every thread the stack limit, 1024 bytes unless
 * the program changes it (cudaLimitStackSize). */
#include "isa/cubin.h"

#include <stdlib.h>
#include <string.h>

enum { DRIVER_STACK_BYTES = 1024 };

static const struct operand *call_target(const struct inst *in)
{
    for (unsigned i = 0; i < NOPERAND && in->op == OP_CALL; i++)
        if (in->opd[i].kind == OPD_TARGET)
            return &in->opd[i];
    return NULL;
}

static bool by_register(const struct inst *in)
{
    bool reg = false;
    for (unsigned i = 0; i < NOPERAND; i++)
        reg |= in->opd[i].kind == OPD_REG && in->opd[i].reg != RZ;
    return in->op == OP_CALL && reg;
}

/* alloca: the stack pointer R1 takes a number from a register. */
static bool frame_varies(const struct inst *in)
{
    bool writes = false, other = false, moves = in->op == OP_LDC || in->op == OP_LDL; /* its first value; restored */
    for (unsigned i = 0; i < in->nwrite; i++)
        writes |= in->writes[i].file == RF_R && in->writes[i].first == 1;
    for (unsigned i = 0; i < in->nread; i++)
        other |= in->reads[i].file == RF_R && in->reads[i].first != 1 && in->reads[i].first != RZ;
    return writes && other && !moves;
}

/* Functions of a kernel begin where calls lead to; each lies in one piece. */
struct calls {
    const struct kernel *k;
    uint32_t *function; /* of each instruction: index of its entry */
    uint8_t *state;     /* of each entry: 0 new, 1 on the chain, 2 done */
};

static void find_functions(struct calls *c)
{
    for (uint32_t i = 0; i < c->k->n; i++) {
        const struct operand *t = call_target(&c->k->code[i]);
        uint64_t to = t ? (uint64_t)t->imm / INST_BYTES : 0;
        if (t && to < c->k->n)
            c->function[to] = (uint32_t)to;
    }
    for (uint32_t i = 1; i < c->k->n; i++)
        if (!c->function[i])
            c->function[i] = c->function[i - 1];
}

/* Depth-first without recursion of our own: a chain is no longer than the number of entries. */
static bool has_cycle(struct calls *c)
{
    struct {
        uint32_t entry, at;
    } *chain = xcalloc((size_t)c->k->n + 1, sizeof *chain);
    size_t top = 1;
    bool found = false;
    c->state[0] = 1;
    while (top && !found) {
        uint32_t entry = chain[top - 1].entry, i = chain[top - 1].at++;
        if (i >= c->k->n || c->function[i] != entry) {
            c->state[entry] = 2;
            top--;
            continue;
        }
        const struct operand *t = call_target(&c->k->code[i]);
        uint64_t to = t ? (uint64_t)t->imm / INST_BYTES : 0;
        if (!t || by_register(&c->k->code[i]) || to >= c->k->n || c->state[to] == 2)
            continue;
        found = c->state[to] == 1;
        c->state[to] = 1;
        chain[top].entry = chain[top].at = (uint32_t)to;
        top++;
    }
    free(chain);
    return found;
}

static bool undetermined(const struct kernel *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        if (by_register(&k->code[i]) || frame_varies(&k->code[i]))
            return true;
    struct calls c = {k, xcalloc((size_t)k->n + 1, sizeof(uint32_t)), xcalloc((size_t)k->n + 1, 1)};
    find_functions(&c);
    bool endless = has_cycle(&c);
    free(c.function);
    free(c.state);
    return endless;
}

void cubin_stack(struct cubin *c)
{
    for (uint32_t i = 0; i < c->p->nkernel; i++) {
        struct kernel *k = &c->p->kernels[i];
        if (k->local_bytes < DRIVER_STACK_BYTES && undetermined(k))
            k->local_bytes = DRIVER_STACK_BYTES;
    }
}
