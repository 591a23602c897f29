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
        return "traps";
    case OP_KILL:
        return "no compiler emits it for compute";
    case OP_GETLMEMBASE:
        return "an address that differs from run to run";
    case OP_UCLEA:
    case OP_LDGMC:
        return "needs what the driver sets up: bindless constants, multicast objects";
    case OP_STAS:
    case OP_REDAS:
        return "needs a cluster of blocks";
    case OP_UCGABAR_ARV:
    case OP_UCGABAR_WAIT:
        return "refused outside a cluster";
    case OP_ARRIVES:
    case OP_UBLKCP:
    case OP_UBLKPF:
    case OP_UBLKRED:
    case OP_UTMASTG:
    case OP_UTMAREDG:
    case OP_UTMAPF:
    case OP_UTMACCTL:
    case OP_UTMACMDFLUSH:
        return "asynchronous: whole kernels only";
    case OP_UPLOP3:
    case OP_UPRMT:
    case OP_UBMSK:
    case OP_UBREV:
    case OP_UPOPC:
    case OP_UP2UR:
    case OP_UR2UP:
        return "in trials of the uniform datapath, 128 warps of operands each";
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
        sb_addf(out, "%s%s%s", why && why[0] == 'i' ? "" : "listing", why && why[0] != 'i' ? "; " : "", why ? why : "");
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
