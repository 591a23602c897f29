/* Which forms of instructions ran in a test whose results equal a real GPU's: opcode, modifiers, kinds of operands. They are
 * counted into isa/proof.def, which `heddle list ops` shows. */
#ifndef FORMS_H
#define FORMS_H

#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "tests/trials/trials.h"

enum form_source { FORMS_OPS, FORMS_TILES, FORMS_KERNELS, FORMS_TRIALS, FORMS_ALL, FORMS_REFUSED, FORMS_SOURCES };
struct forms {
    uint64_t *set[FORMS_SOURCES]; /* hashes, open addressing; 0: free */
    uint32_t count[OP_COUNT][FORMS_SOURCES];
    uint64_t operands[OP_COUNT]; /* of trials */
};
enum { FORMS_CAP = 1 << 16 };

static inline uint64_t form_hash(const struct inst *in)
{
    uint64_t h = (0xcbf29ce484222325u ^ in->op) * 0x100000001b3u;
    for (unsigned m = 0; m < MOD_COUNT; m++)
        h = (h ^ in->mod[m]) * 0x100000001b3u;
    for (unsigned i = 0; i < NOPERAND; i++)
        h = (h ^ in->opd[i].kind) * 0x100000001b3u;
    return h | 1;
}

static inline bool form_put(uint64_t **set, uint64_t h)
{
    if (!*set)
        *set = xcalloc(FORMS_CAP, sizeof **set);
    uint32_t i = (uint32_t)(h >> 40) & (FORMS_CAP - 1);
    while ((*set)[i] && (*set)[i] != h)
        i = (i + 1) & (FORMS_CAP - 1);
    bool fresh = !(*set)[i];
    (*set)[i] = h;
    return fresh;
}

static inline bool form_known(const uint64_t *set, uint64_t h)
{
    uint32_t i = (uint32_t)(h >> 40) & (FORMS_CAP - 1);
    while (set && set[i] && set[i] != h)
        i = (i + 1) & (FORMS_CAP - 1);
    return set && set[i];
}

static inline void forms_add(struct forms *f, enum form_source from, const struct inst *in)
{
    uint64_t h = form_hash(in);
    f->count[in->op][from] += form_put(&f->set[from], h);
    f->count[in->op][FORMS_ALL] += form_put(&f->set[FORMS_ALL], h);
}

/* Words of tests/trials: what the GPU computed, and what it refused as illegal. */
static inline void forms_add_trials(struct forms *f, const struct trials *s)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < s->n; i++) {
            struct inst in;
            struct error err = {0};
            bool done = s->t[i].state == TRIAL_DONE;
            if (done != (pass == 0) || !inst_decode(ARCH_SM90, s->t[i].word, 0, &in, &err))
                continue;
            if (done) {
                forms_add(f, FORMS_TRIALS, &in);
                f->operands[in.op] += trial_records(&s->t[i]);
            } else if (!form_known(f->set[FORMS_ALL], form_hash(&in))) {
                f->count[in.op][FORMS_REFUSED] += form_put(&f->set[FORMS_REFUSED], form_hash(&in));
            }
        }
}

/* Kernels without branches: all of it runs. */
static inline void forms_add_program(struct forms *f, enum form_source from, const struct program *p)
{
    for (uint32_t k = 0; k < p->nkernel; k++)
        for (uint32_t i = 0; i < p->kernels[k].n; i++)
            if (p->kernels[k].code[i].op != OP_NOP)
                forms_add(f, from, &p->kernels[k].code[i]);
}

static inline void forms_print(const struct forms *f, struct sb *out)
{
    sb_add(out, "/* Made by tests/t_kernels (HEDDLE_PROOF=write). PROOF(opcode, forms in the conformance kernels, in the tensor "
                "tiles,\n * in whole kernels, in trials, different ones in all, operands of trials, forms that the GPU refuses): what ran with\n"
                " * results equal to an H200's. */\n");
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (f->count[op][FORMS_ALL] || f->count[op][FORMS_REFUSED])
            sb_addf(out, "PROOF(%s, %u, %u, %u, %u, %u, %llu, %u)\n", op_table[op].id, f->count[op][FORMS_OPS],
                    f->count[op][FORMS_TILES], f->count[op][FORMS_KERNELS], f->count[op][FORMS_TRIALS], f->count[op][FORMS_ALL],
                    (unsigned long long)f->operands[op], f->count[op][FORMS_REFUSED]);
}

static inline void forms_free(struct forms *f)
{
    for (unsigned i = 0; i < FORMS_SOURCES; i++)
        free(f->set[i]);
}

#endif
