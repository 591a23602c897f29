/* Which matrix products may be left out when only times are wanted: those of a kernel whose results, and all that is
 * computed from them, reach neither a guard nor a branch nor an address nor any other thing that decides what is
 * executed when. A forward data-flow analysis over the control-flow graph: a bit for each register, and one for each
 * kind of memory that may hold such a value. All products of a kernel or none. */
#include "isa/access.h"

#include <stdlib.h>
#include <string.h>

struct state {
    uint64_t w[NKEYWORD]; /* registers that may depend on a product */
};
struct flow {
    const struct kernel *k;
    uint32_t memory; /* spaces that may hold what depends on one, a bit each */
    bool matters;    /* something that counts depends on one */
};
enum { EVERYWHERE = (1 << SPACE_COUNT) - 1 };

static bool holds(const struct state *s, struct regref r)
{
    uint32_t key = key_of(r);
    for (uint32_t i = 0; i < r.count && key + i < NKEY; i++)
        if (s->w[(key + i) / 64] >> (key + i) % 64 & 1)
            return true;
    return false;
}

static bool reads(const struct state *s, const struct inst *in)
{
    for (uint32_t i = 0; i < in->nread; i++)
        if (holds(s, in->reads[i]))
            return true;
    return false;
}

static bool reads_uniform(const struct state *s, const struct inst *in)
{
    for (uint32_t i = 0; i < in->nread; i++)
        if ((in->reads[i].file == RF_UR || in->reads[i].file == RF_UP) && holds(s, in->reads[i]))
            return true;
    return false;
}

static bool address_depends(const struct state *s, const struct inst *in)
{
    for (uint32_t i = 0; i < NOPERAND; i++) {
        const struct operand *o = &in->opd[i];
        if (o->kind != OPD_MEM)
            continue;
        if ((o->flags & OPF_HAS_REG && holds(s, (struct regref){RF_R, o->reg, o->flags & OPF_64 ? 2 : 1})) ||
            (o->flags & OPF_HAS_UREG && holds(s, (struct regref){RF_UR, o->ureg, 2})) ||
            (o->flags & OPF_HAS_DESC && holds(s, (struct regref){RF_UR, o->desc, 2})))
            return true;
    }
    return false;
}

static bool is_product(const struct inst *in)
{
    return op_table[in->op].effect == EFF_TENSOR_ASYNC || in->op == OP_HMMA || in->op == OP_IMMA || in->op == OP_BMMA ||
           in->op == OP_QMMA || in->op == OP_DMMA;
}

static void write(struct state *s, const struct inst *in, bool depends)
{
    bool whole = in->guard == PT && !in->guard_not;
    for (uint32_t i = 0; i < in->nwrite; i++) {
        uint32_t key = key_of(in->writes[i]);
        for (uint32_t k = key; k < key + in->writes[i].count && k < NKEY; k++) {
            uint64_t *w = &s->w[k / 64], bit = UINT64_C(1) << k % 64;
            *w = depends ? *w | bit : whole ? *w & ~bit : *w;
        }
    }
}

static uint32_t space_bits(uint32_t op)
{
    enum space space = access_space(op);
    return space == SPACE_GENERIC ? EVERYWHERE : 1u << space;
}

static void access(struct flow *f, struct state *s, const struct inst *in)
{
    uint32_t where = space_bits(in->op);
    bool load = op_table[in->op].effect == EFF_LOAD, depends = reads(s, in);
    f->matters |= address_depends(s, in) || (load && depends);
    if (!load && depends)
        f->memory |= where;
    write(s, in, depends || f->memory & where);
}

static void step(struct flow *f, struct state *s, const struct inst *in)
{
    bool depends = reads(s, in);
    struct regref guard = {.file = in->guard_uniform ? RF_UP : RF_P, .first = in->guard, .count = 1};
    f->matters |= holds(s, guard);
    if (is_product(in)) {
        f->matters |= reads_uniform(s, in); /* descriptors */
        write(s, in, true);
        return;
    }
    switch (op_table[in->op].effect) {
    case EFF_NONE:
    case EFF_VARIABLE:
        write(s, in, depends);
        return;
    case EFF_LOAD:
    case EFF_STORE:
    case EFF_ATOMIC:
    case EFF_REDUCE:
        access(f, s, in);
        return;
    case EFF_ASYNC_COPY:
    case EFF_BULK_COPY:
        if (f->memory)
            f->memory = EVERYWHERE;
        break;
    default:
        break;
    }
    f->matters |= depends;
    write(s, in, false);
}

/* One pass over all blocks; true: something was added. */
static bool pass(struct flow *f, const struct cfg *g, struct state *in)
{
    bool more = false;
    for (uint32_t b = 0; b < g->n && !f->matters; b++) {
        struct state s = in[b];
        uint32_t memory = f->memory;
        for (uint32_t i = g->blocks[b].first; i <= g->blocks[b].last; i++)
            step(f, &s, &f->k->code[i]);
        more |= f->memory != memory;
        for (uint32_t e = 0; e < g->blocks[b].nsucc; e++)
            for (uint32_t w = 0; w < NKEYWORD; w++) {
                uint64_t *to = &in[g->blocks[b].succ[e]].w[w], sum = *to | s.w[w];
                more |= sum != *to;
                *to = sum;
            }
    }
    return more;
}

/* Jumps that the graph does not know. */
static bool has_indirect(const struct kernel *k)
{
    for (uint32_t i = 0; i < k->n; i++) {
        uint16_t op = k->code[i].op;
        if (op == OP_BRX || op == OP_BRXU || op == OP_JMX || op == OP_RET || op == OP_CALL)
            return true;
    }
    return false;
}

bool kernel_skips(const struct kernel *k, const struct cfg *g, bool memory, uint8_t *skip)
{
    bool any = false;
    for (uint32_t i = 0; i < k->n; i++)
        any |= skip[i] = is_product(&k->code[i]);
    if (!any || has_indirect(k))
        return false;
    struct flow f = {.k = k, .memory = memory ? 1u << SPACE_GLOBAL : 0};
    struct state *in = xcalloc(g->n, sizeof *in);
    while (!f.matters && pass(&f, g, in))
        ;
    free(in);
    return !f.matters;
}
