/* Are two programs equal in all that execution and timing can see? Lines count only where both have them. */
#ifndef HEDDLE_TESTS_KIR_EQUAL_H
#define HEDDLE_TESTS_KIR_EQUAL_H

#include <stdio.h>
#include <string.h>

#include "isa/isa.h"

#define SAME(cond, ...)                                                                            \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            snprintf(why, 300, __VA_ARGS__);                                                       \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

static inline bool same_inst(const struct inst *a, const struct inst *b, const char *kernel, uint32_t at, char why[300])
{
    SAME(a->op == b->op, "%s 0x%x: op %s, %s", kernel, at, op_table[a->op].text, op_table[b->op].text);
    SAME(a->guard == b->guard && a->guard_not == b->guard_not && a->guard_uniform == b->guard_uniform, "%s 0x%x: guard", kernel, at);
    for (unsigned m = 0; m < MOD_COUNT; m++)
        SAME(a->mod[m] == b->mod[m], "%s 0x%x %s: modifier %s %u %u", kernel, at, op_table[a->op].text, mod_name(m), a->mod[m], b->mod[m]);
    for (unsigned i = 0; i < NOPERAND; i++)
        SAME(memcmp(&a->opd[i], &b->opd[i], sizeof a->opd[i]) == 0, "%s 0x%x %s: operand %u (kind %u %u flags %x %x reg %u %u imm %llx %llx sel %u %u)",
             kernel, at, op_table[a->op].text, i, a->opd[i].kind, b->opd[i].kind, a->opd[i].flags, b->opd[i].flags, a->opd[i].reg, b->opd[i].reg,
             (unsigned long long)a->opd[i].imm, (unsigned long long)b->opd[i].imm, a->opd[i].sel, b->opd[i].sel);
    const struct sched *x = &a->sched, *y = &b->sched;
    SAME(x->present == y->present && x->stall == y->stall && x->yield == y->yield && x->wr_sb == y->wr_sb && x->rd_sb == y->rd_sb &&
         x->wait == y->wait && x->reuse == y->reuse, "%s 0x%x: scheduling", kernel, at);
    return true;
}

static inline bool same_kernel(const struct kernel *a, const struct kernel *b, char why[300])
{
    SAME(strcmp(a->name, b->name) == 0, "names %s %s", a->name, b->name);
    SAME(a->n == b->n, "%s: %u and %u instructions", a->name, a->n, b->n);
    for (uint32_t i = 0; i < a->n; i++)
        if (!same_inst(&a->code[i], &b->code[i], a->name, i * INST_BYTES, why))
            return false;
    SAME(a->nreg == b->nreg && a->shared_bytes == b->shared_bytes && a->local_bytes == b->local_bytes && a->nbarrier == b->nbarrier,
         "%s: sizes", a->name);
    SAME(memcmp(a->reqntid, b->reqntid, sizeof a->reqntid) == 0 && memcmp(a->maxntid, b->maxntid, sizeof a->maxntid) == 0 &&
         memcmp(a->cluster, b->cluster, sizeof a->cluster) == 0, "%s: block sizes", a->name);
    SAME(a->nparam == b->nparam && a->param_bytes == b->param_bytes, "%s: parameters", a->name);
    for (uint32_t i = 0; i < a->nparam; i++)
        SAME(strcmp(a->params[i].name, b->params[i].name) == 0 && a->params[i].offset == b->params[i].offset &&
             a->params[i].bytes == b->params[i].bytes, "%s: parameter %u", a->name, i);
    for (unsigned k = 0; k < 8; k++)
        SAME(a->bank_bytes[k] == b->bank_bytes[k] && (a->bank_bytes[k] == 0 || memcmp(a->bank[k], b->bank[k], a->bank_bytes[k]) == 0),
             "%s: bank %u", a->name, k);
    SAME(a->nreloc == b->nreloc, "%s: relocations", a->name);
    for (uint32_t i = 0; i < a->nreloc; i++)
        SAME(a->relocs[i].offset == b->relocs[i].offset && a->relocs[i].kind == b->relocs[i].kind && a->relocs[i].where == b->relocs[i].where &&
             a->relocs[i].addend == b->relocs[i].addend && strcmp(a->relocs[i].symbol, b->relocs[i].symbol) == 0, "%s: relocation %u", a->name, i);
    SAME(a->nsymbol == b->nsymbol, "%s: symbols", a->name);
    for (uint32_t i = 0; i < a->nsymbol; i++)
        SAME(a->symbols[i].address == b->symbols[i].address && strcmp(a->symbols[i].name, b->symbols[i].name) == 0, "%s: symbol %u", a->name, i);
    return true;
}

static inline bool same_program(const struct program *a, const struct program *b, char why[300])
{
    SAME(a->arch == b->arch && a->arch_specific == b->arch_specific, "architecture");
    SAME(a->nkernel == b->nkernel && a->nglobal == b->nglobal, "counts");
    for (uint32_t i = 0; i < a->nkernel; i++)
        if (!same_kernel(&a->kernels[i], &b->kernels[i], why))
            return false;
    for (uint32_t i = 0; i < a->nglobal; i++) {
        const struct global *x = &a->globals[i], *y = &b->globals[i];
        SAME(strcmp(x->name, y->name) == 0 && x->bytes == y->bytes && x->align == y->align && !x->init == !y->init &&
             (!x->init || memcmp(x->init, y->init, x->bytes) == 0), "global %s", x->name);
        SAME(x->nreloc == y->nreloc, "global %s: pointers", x->name);
        for (uint32_t n = 0; n < x->nreloc; n++)
            SAME(x->relocs[n].offset == y->relocs[n].offset && x->relocs[n].kind == y->relocs[n].kind && x->relocs[n].addend == y->relocs[n].addend &&
                 strcmp(x->relocs[n].symbol, y->relocs[n].symbol) == 0, "global %s: pointer %u", x->name, n);
    }
    bool lines = a->nfile && b->nfile && strcmp(a->files[0], b->files[0]) == 0 && a->nfile == b->nfile;
    for (uint32_t i = 0; lines && i < a->nkernel; i++)
        for (uint32_t n = 0; n < a->kernels[i].n; n++)
            SAME(a->kernels[i].code[n].line == b->kernels[i].code[n].line && a->kernels[i].code[n].file == b->kernels[i].code[n].file,
                 "%s 0x%x: line", a->kernels[i].name, n * INST_BYTES);
    return true;
}

#endif
