/* What proves that an opcode's values are right. */
#include "isa/isa.h"

#include <stdlib.h>
#include <string.h>

struct proof {
    uint32_t ops, tiles, kernels, trials, all;
    uint64_t operands;
    uint32_t refused;
};
static const struct proof proofs[OP_COUNT] = {
#define PROOF(id, ops, tiles, kernels, trials, all, operands, refused)                                                 \
    [OP_##id] = {ops, tiles, kernels, trials, all, operands, refused},
#include "isa/proof.def"
#undef PROOF
};

/* Why there is no proof of an opcode of sm_90. */
static const char *reason(enum op op)
{
    switch (op) {
    case OP_BPT:
        return "ends the launch with an error";
    case OP_KILL:
        return "the GPU calls it illegal in compute code";
    case OP_GETLMEMBASE:
        return "an address that differs from run to run";
    case OP_JMP:
        return "names an absolute address, which only the driver knows";
    case OP_LDGMC:
        return "needs a multicast object of several GPUs";
    default:
        return NULL;
    }
}

static void add(struct sb *out, const char *what, uint32_t n)
{
    if (n)
        sb_addf(out, "%s%s %u", out->len ? ", " : "", what, n);
}

static void add_unproven(struct sb *out, enum op op)
{
    char *archs = op_archs(op);
    const char *why = reason(op);
    if (!archs[0])
        sb_add(out, "no machine code of sm_75 to sm_90 that compilers emit has it");
    else if (!strstr(archs, "90"))
        sb_add(out, "not on sm_90: listing");
    else
        sb_addf(out, "listing%s%s", why ? "; " : "", why ? why : "");
    free(archs);
}

char *op_proof(enum op op)
{
    struct sb text = {0}, list = {0};
    const struct proof *p = &proofs[op];
    if (p->all)
        sb_addf(&text, "%u form%s: ", p->all, p->all == 1 ? "" : "s");
    add(&list, "conformance", p->ops);
    add(&list, "tiles", p->tiles);
    add(&list, "kernels", p->kernels);
    add(&list, "trials", p->trials);
    if (p->operands)
        sb_addf(&list, " (%llu operands)", (unsigned long long)p->operands);
    if (op == OP_MUFU)
        sb_add(&list, ", all inputs of all functions");
    if (list.len)
        sb_add(&text, list.text);
    else
        add_unproven(&text, op);
    if (p->refused)
        sb_addf(&text, "; %u more that the GPU refuses", p->refused);
    sb_finish(&list);
    return text.text;
}
