/* What proves that an opcode's values are right. */
#include "isa/isa.h"

struct proof {
    uint32_t ops, tiles, kernels, all;
};
static const struct proof proofs[OP_COUNT] = {
#define PROOF(id, ops, tiles, kernels, all) [OP_##id] = {ops, tiles, kernels, all},
#include "isa/proof.def"
#undef PROOF
};

static void add(struct sb *out, const char *what, uint32_t n)
{
    if (n)
        sb_addf(out, "%s%s %u", out->len ? ", " : "", what, n);
}

char *op_proof(enum op op)
{
    struct sb text = {0};
    const struct proof *p = &proofs[op];
    if (p->all)
        sb_addf(&text, "%u form%s: ", p->all, p->all == 1 ? "" : "s");
    struct sb list = {0};
    add(&list, "conformance", p->ops);
    add(&list, "tiles", p->tiles);
    add(&list, "kernels", p->kernels);
    if (op == OP_MUFU)
        sb_add(&list, ", all inputs of all functions");
    sb_add(&text, list.len ? list.text : "listing");
    sb_finish(&list);
    return text.text;
}
