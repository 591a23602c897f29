/* Control-flow graph: basic blocks, successors, immediate post-dominators. A block that leaves through an indirect
 * branch has no known successor; it counts as an exit, so its post-dominator is the kernel's end, which is always safe:
 * lanes reconverge later than they might. A call comes back, so the block after it follows. */
#include "isa/isa.h"

#include <stdlib.h>
#include <string.h>

static bool is_indirect(const struct inst *in)
{
    return in->op == OP_BRX || in->op == OP_BRXU || in->op == OP_JMX || in->op == OP_RET;
}
static bool is_direct(const struct inst *in)
{
    return in->op == OP_BRA || in->op == OP_JMP;
}
static bool is_end(const struct inst *in)
{
    return in->op == OP_EXIT || in->op == OP_KILL || in->op == OP_RTT;
}

/* Conditional: by its guard, or by a predicate among its operands. */
static bool is_conditional(const struct inst *in)
{
    if (in->guard != PT || in->guard_not)
        return true;
    for (unsigned i = 0; i < NOPERAND; i++) {
        const struct operand *o = &in->opd[i];
        if ((o->kind == OPD_PRED || o->kind == OPD_UPRED) && (o->reg != PT || (o->flags & OPF_NOT)))
            return true;
    }
    return false;
}

static const struct operand *target_of(const struct inst *in)
{
    for (unsigned i = 0; i < NOPERAND; i++)
        if (in->opd[i].kind == OPD_TARGET)
            return &in->opd[i];
    return NULL;
}

static bool target_index(const struct kernel *k, const struct inst *in, uint32_t *index)
{
    const struct operand *t = target_of(in);
    if (!t || t->imm < 0 || t->imm % INST_BYTES || t->imm / INST_BYTES >= k->n)
        return false;
    *index = (uint32_t)(t->imm / INST_BYTES);
    return true;
}

static bool ends_block(const struct inst *in)
{
    return is_direct(in) || is_indirect(in) || is_end(in);
}

static bool mark_leaders(const struct kernel *k, uint8_t *leader, struct error *err)
{
    leader[0] = 1;
    for (uint32_t i = 0; i < k->n; i++) {
        const struct inst *in = &k->code[i];
        uint32_t t;
        if (target_of(in) && !is_indirect(in) && in->op != OP_CALL && in->op != OP_LEPC &&
            in->op != OP_ULEPC) { /* BSSY's and WARPSYNC's targets start blocks too */
            if (!target_index(k, in, &t))
                return error_set(err, EXIT_BAD_INPUT, "kernel %s, 0x%x: %s leads outside the kernel", k->name,
                                 i * INST_BYTES, op_table[in->op].text);
            leader[t] = 1;
        }
        if (ends_block(in) && i + 1 < k->n)
            leader[i + 1] = 1;
    }
    for (uint32_t i = 0; i < k->nsymbol; i++)
        if (k->symbols[i].address / INST_BYTES < k->n)
            leader[k->symbols[i].address / INST_BYTES] = 1;
    return true;
}

static void add_succ(struct cfg_block *b, uint32_t to)
{
    if (b->nsucc == 0 || b->succ[0] != to)
        b->succ[b->nsucc++] = to;
}

static void link_blocks(struct cfg *g, const struct kernel *k)
{
    for (uint32_t i = 0; i < g->n; i++) {
        struct cfg_block *b = &g->blocks[i];
        const struct inst *in = &k->code[b->last];
        uint32_t t;
        if (is_direct(in) && target_index(k, in, &t))
            add_succ(b, g->block_of[t]);
        if (is_indirect(in)) {
            b->nsucc = 0; /* unknown: an exit */
            continue;
        }
        if ((!ends_block(in) || is_conditional(in)) && b->last + 1 < k->n)
            add_succ(b, g->block_of[b->last + 1]);
    }
}

/* Post-dominators after Cooper, Harvey and Kennedy, on the reversed graph with one virtual exit, number n. */
struct pdom {
    const struct cfg *g;
    uint32_t *order;             /* reverse post order of the reversed graph: blocks by number, the exit is 0 */
    uint32_t *number;            /* of each block; UINT32_MAX: the exit cannot be reached from it */
    uint32_t *idom;              /* by number */
    uint32_t *pred, *pred_start; /* predecessors of each block */
    uint32_t count;
};

static void find_preds(struct pdom *d)
{
    const struct cfg *g = d->g;
    d->pred_start = xcalloc(g->n + 2, sizeof *d->pred_start);
    d->pred = xcalloc(2 * (size_t)g->n + 1, sizeof *d->pred);
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t s = 0; s < g->blocks[i].nsucc; s++)
            d->pred_start[g->blocks[i].succ[s] + 2]++;
    for (uint32_t i = 0; i <= g->n; i++)
        d->pred_start[i + 1] += d->pred_start[i];
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t s = 0; s < g->blocks[i].nsucc; s++)
            d->pred[d->pred_start[g->blocks[i].succ[s] + 1]++] = i;
}

/* Depth-first over predecessors with an explicit stack; `post` gets blocks in post order. */
static uint32_t walk_from(struct pdom *d, uint32_t root, uint32_t *stack, uint32_t *next, uint32_t *post, uint32_t n)
{
    uint32_t top = 0;
    stack[top++] = root;
    d->number[root] = 0;
    while (top) {
        uint32_t b = stack[top - 1];
        if (next[b] < d->pred_start[b + 1]) {
            uint32_t p = d->pred[next[b]++];
            if (d->number[p] == UINT32_MAX) {
                d->number[p] = 0;
                stack[top++] = p;
            }
        } else {
            post[n++] = b;
            top--;
        }
    }
    return n;
}

static void number_blocks(struct pdom *d)
{
    uint32_t n = d->g->n, npost = 0;
    uint32_t *stack = xcalloc(n, sizeof *stack), *next = xcalloc(n, sizeof *next), *post = xcalloc(n, sizeof *post);
    for (uint32_t i = 0; i < n; i++) {
        next[i] = d->pred_start[i];
        d->number[i] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < n; i++)
        if (d->g->blocks[i].nsucc == 0)
            npost = walk_from(d, i, stack, next, post, npost);
    d->count = npost + 1;
    for (uint32_t i = 0; i < npost; i++) {
        d->order[npost - i] = post[i];
        d->number[post[i]] = npost - i;
    }
    free(stack);
    free(next);
    free(post);
}

static uint32_t meet(const uint32_t *idom, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (a > b)
            a = idom[a];
        while (b > a)
            b = idom[b];
    }
    return a;
}

static bool improve(struct pdom *d, uint32_t number)
{
    const struct cfg_block *b = &d->g->blocks[d->order[number]];
    uint32_t best = b->nsucc ? UINT32_MAX : 0;
    for (uint32_t s = 0; s < b->nsucc; s++) {
        uint32_t x = d->number[b->succ[s]];
        if (x != UINT32_MAX && d->idom[x] != UINT32_MAX)
            best = best == UINT32_MAX ? x : meet(d->idom, best, x);
    }
    if (best == UINT32_MAX || d->idom[number] == best)
        return false;
    d->idom[number] = best;
    return true;
}

static void post_dominators(struct cfg *g)
{
    struct pdom d = {.g = g,
                     .order = xcalloc(g->n + 1, sizeof(uint32_t)),
                     .number = xcalloc(g->n, sizeof(uint32_t)),
                     .idom = xcalloc(g->n + 1, sizeof(uint32_t))};
    find_preds(&d);
    number_blocks(&d);
    for (uint32_t i = 1; i <= g->n; i++)
        d.idom[i] = UINT32_MAX;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < d.count; i++)
            changed |= improve(&d, i);
    }
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t x = d.number[i];
        g->blocks[i].ipdom =
            x == UINT32_MAX || d.idom[x] == 0 || d.idom[x] == UINT32_MAX ? -1 : (int32_t)d.order[d.idom[x]];
    }
    free(d.order);
    free(d.number);
    free(d.idom);
    free(d.pred);
    free(d.pred_start);
}

bool cfg_build(struct cfg *g, const struct kernel *k, struct error *err)
{
    *g = (struct cfg){0};
    if (k->n == 0)
        return error_set(err, EXIT_BAD_INPUT, "kernel %s has no instructions", k->name);
    uint8_t *leader = xcalloc(k->n, 1);
    if (!mark_leaders(k, leader, err)) {
        free(leader);
        return false;
    }
    for (uint32_t i = 0; i < k->n; i++)
        g->n += leader[i];
    g->blocks = xcalloc(g->n, sizeof *g->blocks);
    g->block_of = xcalloc(k->n, sizeof *g->block_of);
    uint32_t b = UINT32_MAX;
    for (uint32_t i = 0; i < k->n; i++) {
        if (leader[i])
            g->blocks[++b].first = i;
        g->blocks[b].last = i;
        g->block_of[i] = b;
    }
    free(leader);
    link_blocks(g, k);
    post_dominators(g);
    return true;
}

void cfg_finish(struct cfg *g)
{
    free(g->blocks);
    free(g->block_of);
    *g = (struct cfg){0};
}
