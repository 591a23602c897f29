/* What a word consists of, for finding out which combinations the GPU refuses without trying every word: a word that is
 * refused casts suspicion on the pairs of its features that no accepted word had. */
#include "isa/shape.h"
#include "tests/trials/trials.h"

#include <string.h>

static void add(struct features *x, uint32_t f)
{
    if (x->n < MOST_FEATURES)
        x->f[x->n++] = (uint16_t)f;
}
static void operand_features(struct features *x, const struct inst *in, uint32_t i, bool dest)
{
    const struct operand *o = &in->opd[i];
    if (o->kind != OPD_REG && o->kind != OPD_UREG)
        add(x, 0x4000 + i * 32 + o->kind);
    if (o->kind == OPD_PRED || o->kind == OPD_UPRED) {
        if (dest && o->reg != PT)
            add(x, 0x5000 + i);
        return;
    }
    for (uint32_t b = 1; b <= OPF_HAS_DESC; b <<= 1)
        if (o->flags & b)
            add(x, 0x6000 + i * 256 + b);
    if (o->sel || in->op == OP_HADD2)
        add(x, 0x7000 + i * 16 + o->sel);
}
void trial_features(const struct trial *t, struct features *x)
{
    struct inst in;
    struct error err = {0};
    *x = (struct features){.op = OP_COUNT};
    if (!inst_decode(ARCH_SM90, t->word, 0, &in, &err))
        return;
    struct shape s = shape_of((enum op)in.op);
    x->op = in.op;
    for (unsigned m = 0; m < MOD_COUNT; m++)
        if (in.mod[m])
            add(x, 0x1000 + m * 32 + in.mod[m]);
    for (unsigned i = 0; i < s.n; i++)
        operand_features(x, &in, i, s.slot[i].dest);
    if (!x->n)
        add(x, 0); /* the opcode itself */
}

/* A pair: 0 new, GOOD, CULPRIT, or 1 + the refused words that had it. */
enum { GOOD = 1, ENOUGH = 1 + 8, CULPRIT = 255 };
static uint8_t *pair_of(const struct features *x, uint32_t i, uint32_t k, uint8_t *pairs)
{
    uint64_t h = ((uint64_t)x->op << 40 | (uint64_t)x->f[i] << 20 | x->f[k]) * 0x9e3779b97f4a7c15u;
    return &pairs[(h >> 40) & (PAIRS - 1)];
}
#define EACH_PAIR(x)                                                                                                   \
    for (uint32_t i_ = 0; i_ < (x)->n; i_++)                                                                           \
        for (uint32_t k_ = i_; k_ < (x)->n; k_++)
void pairs_accepted(const struct features *x, uint8_t *pairs)
{
    EACH_PAIR(x) * pair_of(x, i_, k_, pairs) = GOOD;
}
/* The only pair that no accepted word has is the culprit. */
void pairs_blame(const struct features *x, uint8_t *pairs)
{
    uint32_t unknown = 0;
    uint8_t *last = NULL;
    EACH_PAIR(x)
    {
        uint8_t *p = pair_of(x, i_, k_, pairs);
        unknown += *p != GOOD;
        last = *p != GOOD ? p : last;
    }
    if (unknown == 1)
        *last = CULPRIT;
}
void pairs_refused(const struct features *x, uint8_t *pairs)
{
    EACH_PAIR(x)
    {
        uint8_t *p = pair_of(x, i_, k_, pairs);
        if (*p != GOOD && *p < CULPRIT - 1)
            *p = (uint8_t)(*p + (*p ? 1 : 2));
    }
    pairs_blame(x, pairs);
}
uint32_t pairs_suspicion(const struct features *x, uint8_t *pairs)
{
    uint32_t sum = 0;
    EACH_PAIR(x)
    {
        uint8_t p = *pair_of(x, i_, k_, pairs);
        sum += p > GOOD ? p == CULPRIT ? 1000u : p - 1u : 0;
    }
    return sum;
}
bool pairs_convict(const struct features *x, uint8_t *pairs)
{
    EACH_PAIR(x)
    if (*pair_of(x, i_, k_, pairs) > ENOUGH)
        return true;
    return false;
}
