/* What a word consists of, for finding out which combinations the GPU refuses without trying every word: a word that is
 * refused casts suspicion on the pairs of its features that no accepted word had. */
#include "isa/shape.h"
#include "tests/trials/trials.h"

#include <string.h>

uint32_t trial_features(const struct inst *in, uint16_t f[MOST_FEATURES])
{
    struct shape s = shape_of((enum op)in->op);
    uint32_t n = 0;
    f[n++] = 0; /* the opcode itself */
    for (unsigned m = 0; m < MOD_COUNT; m++)
        if (in->mod[m] && n < MOST_FEATURES)
            f[n++] = (uint16_t)(0x1000 + m * 32 + in->mod[m]);
    for (unsigned i = 0; i < s.n; i++) {
        const struct operand *o = &in->opd[i];
        if (o->kind != OPD_REG && o->kind != OPD_UREG && n < MOST_FEATURES)
            f[n++] = (uint16_t)(0x4000 + i * 32 + o->kind);
        if (o->kind == OPD_PRED || o->kind == OPD_UPRED) {
            if (s.slot[i].dest && o->reg != PT && n < MOST_FEATURES)
                f[n++] = (uint16_t)(0x5000 + i);
            continue;
        }
        for (uint32_t b = 1; b <= OPF_HAS_DESC; b <<= 1)
            if (o->flags & b && n < MOST_FEATURES)
                f[n++] = (uint16_t)(0x6000 + i * 256 + b);
        if ((o->sel || in->op == OP_HADD2) && n < MOST_FEATURES)
            f[n++] = (uint16_t)(0x7000 + i * 16 + o->sel);
    }
    return n;
}

static uint32_t pair_slot(uint32_t op, uint32_t a, uint32_t b)
{
    uint64_t h = ((uint64_t)op << 40 | (uint64_t)a << 20 | b) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 40) & (PAIRS - 1);
}
static void each_pair(const struct trial *t, void (*f)(uint8_t *pair, void *arg), uint8_t *pairs, void *arg)
{
    struct inst in;
    struct error err = {0};
    uint16_t x[MOST_FEATURES];
    if (!inst_decode(ARCH_SM90, t->word, 0, &in, &err))
        return;
    uint32_t n = trial_features(&in, x);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i; k < n; k++)
            f(&pairs[pair_slot(in.op, x[i], x[k])], arg);
}

/* A pair: 0 new, GOOD, CULPRIT, or 1 + the refused words that had it. */
enum { GOOD = 1, ENOUGH = 1 + 8, CULPRIT = 255 };
static void mark_good(uint8_t *p, void *arg)
{
    (void)arg;
    *p = GOOD;
}
static void mark_suspect(uint8_t *p, void *arg)
{
    (void)arg;
    if (*p != GOOD && *p < CULPRIT - 1)
        *p += *p ? 1 : 2;
}
static void mark_culprit(uint8_t *p, void *arg)
{
    (void)arg;
    if (*p != GOOD)
        *p = CULPRIT;
}
static void count_culprits(uint8_t *p, void *arg)
{
    uint32_t *n = arg;
    *n += *p > ENOUGH;
}
static void count_suspect(uint8_t *p, void *arg)
{
    uint32_t *n = arg;
    *n += *p > GOOD;
}
static void count_unknown(uint8_t *p, void *arg)
{
    uint32_t *n = arg;
    *n += *p != GOOD;
}
void trial_accepted(const struct trial *t, uint8_t *pairs)
{
    each_pair(t, mark_good, pairs, NULL);
}
void trial_refused(const struct trial *t, uint8_t *pairs)
{
    each_pair(t, mark_suspect, pairs, NULL);
    trial_blame(t, pairs);
}
/* The only pair that no accepted word has is the culprit; so is one that many refused words had. */
void trial_blame(const struct trial *t, uint8_t *pairs)
{
    if (trial_unknowns(t, pairs) == 1)
        each_pair(t, mark_culprit, pairs, NULL);
}
uint32_t trial_culprits(const struct trial *t, uint8_t *pairs)
{
    uint32_t n = 0;
    each_pair(t, count_culprits, pairs, &n);
    return n;
}
uint32_t trial_suspects(const struct trial *t, uint8_t *pairs)
{
    uint32_t n = 0;
    each_pair(t, count_suspect, pairs, &n);
    return n;
}
uint32_t trial_unknowns(const struct trial *t, uint8_t *pairs)
{
    uint32_t n = 0;
    each_pair(t, count_unknown, pairs, &n);
    return n;
}
