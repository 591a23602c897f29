/* Lists the words to try: trials_plan OUT [EMITTED]. Every row of isa/encoding.def that sm_90 has and that can run by
 * itself, with every combination of modifiers (a sample where there are very many), every combination of signs and
 * selectors, and immediates of all kinds; near the words of EMITTED (trials_join --listing), each modifier varied by
 * itself. trials_plan --listing ARCH WORDS.bin: words of all rows of an architecture, for a disassembler
 * (tests/corpus). */
#include "tests/trials/plan.h"
#include "isa/shape.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 40 };

struct field { /* bits that vary */
    uint8_t pos, len, pos2, len2;
    uint8_t n;
    uint8_t value[64];
};
struct row_plan {
    const struct enc_row *row;
    struct field mod[MAX_FIELDS], sign[MAX_FIELDS];
    uint32_t nmod, nsign;
};
static struct {
    uint32_t mods, signs, values;
} most = {512, 128, 256}; /* combinations of a row */
static enum arch arch = ARCH_SM90;
static bool listing;
static struct trials out;
static size_t cap;
static uint64_t *seen;
static uint32_t rng;

static uint32_t rnd(uint32_t n)
{
    rng = rng * 1664525u + 1013904223u;
    uint32_t x = rng ^ rng >> 15;
    x *= 0x2c1b3c6du;
    return (x ^ x >> 13) % n;
}

static bool fresh(const uint64_t w[2], uint32_t extra)
{
    enum { CAP = 1 << 20 };
    if (!seen)
        seen = xcalloc(CAP, 8);
    uint64_t h =
        (w[0] * 0x9e3779b97f4a7c15u ^ (w[1] & ~(0xfffffull << 41))) * 0xff51afd7ed558ccdu + extra * 0x9e3779b9u;
    h = (h ^ h >> 29) | 1;
    uint32_t i = (uint32_t)(h >> 40) & (CAP - 1);
    while (seen[i] && seen[i] != h)
        i = (i + 1) & (CAP - 1);
    bool is = !seen[i];
    seen[i] = h;
    return is;
}

/* ---- fields of a row --------------------------------------------------------------------------------------------- */
static void add_field(struct field *list, uint32_t *n, struct field f)
{
    for (uint32_t i = 0; i < *n; i++) {
        if (list[i].pos != f.pos || list[i].len != f.len)
            continue;
        uint32_t k = 0; /* shared by two classes: values that both allow */
        for (uint32_t a = 0; a < list[i].n; a++)
            for (uint32_t b = 0; b < f.n; b++)
                if (list[i].value[a] == f.value[b]) {
                    list[i].value[k++] = f.value[b];
                    break;
                }
        list[i].n = (uint8_t)k;
        return;
    }
    must(*n < MAX_FIELDS);
    list[(*n)++] = f;
}
static void add_bits(struct field *list, uint32_t *n, uint8_t pos, uint8_t len)
{
    if (pos == NO_BIT || !len)
        return;
    struct field f = {.pos = pos, .len = len, .n = (uint8_t)(1u << len)};
    for (uint32_t v = 0; v < f.n; v++)
        f.value[v] = (uint8_t)v;
    add_field(list, n, f);
}

static void row_fields(const struct enc_row *r, struct row_plan *p)
{
    *p = (struct row_plan){.row = r};
    for (unsigned i = 0; i < r->nitem; i++) {
        const struct enc_item *it = &r->item[i];
        if (it->kind == IT_MOD) {
            struct field f = {.pos = it->pos, .len = it->len, .pos2 = it->pos2, .len2 = it->len2};
            for (unsigned v = 0; v < it->nmap && v < 64; v++)
                if (it->map[v] >= 0)
                    f.value[f.n++] = (uint8_t)v;
            add_field(p->mod, &p->nmod, f);
        } else if (it->kind > IT_SKIP) {
            add_bits(p->sign, &p->nsign, it->neg, 1);
            add_bits(p->sign, &p->nsign, it->abs, 1);
            if (it->kind == IT_PRED || it->kind == IT_UPRED)
                add_bits(p->sign, &p->nsign, it->cond ? NO_BIT : it->not_, 1);
            if (it->kind != IT_MEM)
                add_bits(p->sign, &p->nsign, it->sel_len ? it->sel : NO_BIT, it->sel_len);
        }
    }
}

static void put_field(uint64_t w[2], const struct field *f, uint32_t v)
{
    word_put(w, f->pos, f->len, v & ((1u << f->len) - 1));
    if (f->len2)
        word_put(w, f->pos2, f->len2, v >> f->len);
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */
static uint32_t immediate(const struct enc_item *it)
{
    static const uint32_t ints[] = {0,  1,    0xffffffff, 0x80000000, 0x7fffffff, 31,     32,   33,
                                    64, 0x10, 0xffff,     0x12345678, 0x7610,     0x5432, 0xf8, 0x80007fff};
    static const uint32_t floats[] = {0x3f800000, 0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                      0x7f812345, 0x00000001, 0x807fffff, 0x3fc00000, 0x4b000001, 0xc2000000};
    static const uint32_t halves[] = {0x3c003c00, 0x00018001, 0x7c00fc00, 0x7e003c00,
                                      0x3f80bf80, 0x7f810001, 0x80000000, 0x3c0043ff};
    static const uint32_t doubles[] = {0x3ff00000, 0x80000000, 0x7ff00000, 0x7ff80000,
                                       0x00000001, 0xc0080000, 0x7fefffff, 0x41e00000};
    bool random = rnd(3) == 0;
    uint32_t any = rnd(65536) << 16 | rnd(65536);
    if (random)
        return any;
    switch (it->kind) {
    case IT_F32:
        return floats[rnd(ARRAY_LEN(floats))];
    case IT_HALF2:
        return halves[rnd(ARRAY_LEN(halves))];
    case IT_F64:
        return doubles[rnd(ARRAY_LEN(doubles))];
    default:
        return ints[rnd(ARRAY_LEN(ints))];
    }
}

static uint8_t register_at(uint8_t pos)
{
    return pos == 16 ? TR_D : pos == 24 ? TR_A : pos == 32 ? TR_B : TR_C;
}

static void put_pred(const struct enc_item *it, uint64_t w[2], bool dest, uint32_t *nth)
{
    uint32_t v = dest ? TP_OUT + nth[0]++ : TP_IN + nth[1]++;
    if (dest && (it->flags & ITF_OMIT) && rnd(4) == 0)
        v = PT;
    if (!dest && rnd(8) == 0)
        v = PT;
    word_put(w, it->pos, 3, it->flags & ITF_INVERTED ? 7 - v : v);
}
static void put_absent(const struct enc_item *it, uint64_t w[2])
{
    if (it->kind == IT_PRED || it->kind == IT_UPRED)
        word_put(w, it->pos, 3, it->flags & ITF_INVERTED ? 0 : PT);
    else if (it->kind == IT_REG)
        word_put(w, it->pos, it->len, RZ);
    else if (it->kind == IT_UREG)
        word_put(w, it->pos, it->len, URZ);
    if (it->flags & ITF_OMIT_NOT)
        word_put(w, it->not_, 1, 1);
}
static bool mod_is_set(const struct enc_row *r, const uint64_t w[2], unsigned cls)
{
    for (unsigned i = 0; i < r->nitem; i++) {
        const struct enc_item *it = &r->item[i];
        if (it->kind == IT_MODSET && it->mod == cls)
            return it->sel != 0;
        if (it->kind == IT_MOD && it->mod == cls)
            return it->map[word_get(w, it->pos, it->len) | word_get(w, it->pos2, it->len2) << it->len] != 0;
    }
    return false;
}
static void put_memory(const struct enc_item *it, uint64_t w[2], enum trial_space s, uint32_t bytes)
{
    bool shared = s == TS_SHARED, scaled = false;
    if (it->sel_len)
        word_put(w, it->sel, it->sel_len, 0);
    uint32_t base = s == TS_GLOBAL ? TR_SCRATCH : shared ? TR_SHARED : s == TS_LOCAL ? TR_LOCAL : TR_GENERIC;
    if (it->sel_len && (scaled = rnd(2))) {
        uint32_t k = 1 + rnd(3); /* X4 X8 X16 */
        word_put(w, it->sel, it->sel_len, k);
        base = TR_SCALED + k - 1;
    }
    if (it->ur != NO_BIT) {
        bool desc = it->desc != NO_BIT && rnd(2), wide = it->wide != NO_BIT && (desc || rnd(2));
        if (it->desc != NO_BIT)
            word_put(w, it->desc, 1, desc);
        if (it->wide != NO_BIT)
            word_put(w, it->wide, 1, wide);
        bool narrow = it->wide != NO_BIT && !wide && s == TS_GLOBAL;
        word_put(w, it->ur, 6, desc ? TU_DESC : narrow ? TU_BASE : TU_ZERO);
        if (narrow)
            base = TR_INDEX;
        if (it->wide != NO_BIT && !wide && s != TS_GLOBAL)
            word_put(w, it->wide, 1, 1);
    }
    if (it->base != NO_BIT)
        word_put(w, it->base, 8, base);
    if (it->len)
        word_put(w, it->pos, it->len, bytes < 16 && !scaled ? rnd(16 / bytes) * bytes : 0);
}

static const uint8_t sregs[] = {0x00, 0x21, 0x22, 0x23, 0x25, 0x26, 0x27, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0xff};

static void put_operands(const struct enc_row *r, uint64_t w[2], enum trial_space space)
{
    struct shape s = shape_of((enum op)r->op);
    uint32_t pred[2] = {0, 0}, upred[2] = {0, 0};
    for (unsigned i = 0; i < r->nitem; i++) {
        const struct enc_item *it = &r->item[i];
        bool dest = it->slot < s.n && s.slot[it->slot].dest;
        if (it->cond && it->kind > IT_SKIP && !mod_is_set(r, w, it->cond - 1u)) {
            put_absent(it, w);
            continue;
        }
        switch (it->kind) {
        case IT_REG:
            word_put(w, it->pos, it->len, register_at(it->pos));
            break;
        case IT_UREG:
            word_put(w, it->pos, it->len, register_at(it->pos));
            break;
        case IT_PRED:
            put_pred(it, w, dest, pred);
            break;
        case IT_UPRED:
            put_pred(it, w, dest, upred);
            break;
        case IT_CONST:
            word_put(w, it->pos, it->len,
                     CONST_AT + (it->base != NO_BIT || it->ur == 24 ? 0 : 8 * rnd(CONST_WORDS / 2)));
            word_put(w, 54, 5, 0);
            if (it->base != NO_BIT)
                word_put(w, it->base, 8, TR_A);
            else if (it->ur == 24)
                word_put(w, it->ur, 6, TR_A);
            break;
        case IT_INT:
        case IT_F32:
        case IT_HALF2:
        case IT_F64: {
            uint32_t v = r->power_of_two ? 1u << rnd(32) : immediate(it), len = it->len + it->len2;
            if (len < 32)
                v &= (1u << len) - 1;
            word_put(w, it->pos, it->len, v & (uint32_t)((1ull << it->len) - 1));
            if (it->len2)
                word_put(w, it->pos2, it->len2, v >> it->len);
            break;
        }
        case IT_SREG:
            word_put(w, it->pos, it->len, sregs[rnd(ARRAY_LEN(sregs))]);
            break;
        case IT_SB:
            word_put(w, it->pos, it->len, 0);
            break;
        case IT_MEM:
            put_memory(it, w, space, 16);
            break;
        default:
            break;
        }
    }
}

/* Operands that the code around the word prepares. */
static void put_in_sequence(const struct enc_row *r, uint64_t w[2], enum trial_sequence q)
{
    for (unsigned i = 0; i < r->nitem; i++) {
        const struct enc_item *it = &r->item[i];
        bool code = q == SEQ_BRX || q == SEQ_JMX || q == SEQ_WARPSYNC || q == SEQ_BMOV_WRITE;
        if (it->kind == IT_REG && it->pos != 16 && code)
            word_put(w, it->pos, it->len, TR_CODE);
        if (it->kind == IT_REG && q == SEQ_BAR)
            word_put(w, it->pos, it->len, RZ);
        if (it->kind == IT_UREG && q == SEQ_BRXU)
            word_put(w, it->pos, it->len, TU_CODE);
        if (it->kind == IT_BREG)
            word_put(w, it->pos, it->len, 1);
        if (it->kind == IT_INT && q == SEQ_BAR)
            word_put(w, it->pos, it->len, it->len > 8 ? rnd(2) * 32 : 0);
        if (it->kind == IT_INT && q == SEQ_BMOV_WRITE)
            word_put(w, it->pos, it->len, ~0u);
        if ((it->kind == IT_PRED) && q != SEQ_BAR && q != SEQ_B2R) /* who does not act would meet nobody */
            word_put(w, it->pos, 3, PT);
        if (it->kind == IT_PRED && it->not_ != NO_BIT && q != SEQ_BAR)
            word_put(w, it->not_, 1, 0);
    }
}

/* ---- trials ------------------------------------------------------------------------------------------------------ */
static uint8_t flags_of(const struct inst *in)
{
    uint8_t f = 0;
    struct shape s = shape_of((enum op)in->op);
    for (unsigned i = 0; i < s.n; i++) {
        const struct operand *o = &in->opd[i];
        bool u = o->kind == OPD_UREG || o->kind == OPD_UPRED || (o->kind == OPD_CONST && (o->flags & OPF_HAS_UREG)) ||
                 (o->kind == OPD_PR && op_table[in->op].unit == UNIT_UNIFORM);
        if (u)
            f |= TF_UR_IN;
        if (u && s.slot[i].dest)
            f |= TF_UR_OUT;
        if (o->kind == OPD_MEM)
            f |= TF_MEMORY;
    }
    bool vector = word_crosses_lanes(in->op) || in->op == OP_S2UR;
    if (op_table[in->op].unit == UNIT_UNIFORM && !vector)
        f |= TF_UR_IN | TF_UR_OUT | TF_PER_WARP;
    return f;
}

static void add_trial(const uint64_t w[2], const struct inst *in, uint8_t flags, enum trial_space space)
{
    uint32_t copies =
        flags & TF_SEQUENCE && space == (enum trial_space)SEQ_BAR ? 4 : 1; /* (few words, other operands) */
    uint32_t copy = 0;
    while (copy < copies && !fresh(w, flags | (uint32_t)space << 8 | copy << 16))
        copy++;
    if (copy == copies)
        return;
    struct trial t = {
        .word = {w[0], w[1]}, .flags = flags, .space = (uint8_t)space, .family = (uint8_t)word_family(in)};
    trial_schedule(t.word, in);
    t.start = (uint16_t)rnd(INPUT_RECORDS - TRIAL_LANES);
    out.t = grow(out.t, out.n, &cap, sizeof t);
    out.t[out.n++] = t;
}

/* Known beforehand to fault or to be without a meaning here. */
static bool sensible(const struct inst *in)
{
    if (in->op == OP_EXIT && in->mod[MOD_EXITMODE])
        return false; /* for the driver's own code, which saves and restores warps */
    if (in->op == OP_NANOSLEEP && in->opd[1].kind == OPD_CONST)
        return false; /* the constants are long times */
    if (in->op == OP_LDG || in->op == OP_STG || in->op == OP_ATOMG || in->op == OP_RED || in->op == OP_LD ||
        in->op == OP_ST || in->op == OP_ATOM || in->op == OP_QSPC)
        return in->mod[MOD_E];
    const char *what = mod_value_name(MOD_CCTL, in->mod[MOD_CCTL]);
    if (in->op == OP_CCTL && in->opd[0].kind == OPD_MEM) /* DML2 and RML2 give up what the line holds */
        return in->mod[MOD_E] && strcmp(what, "DML2") && strcmp(what, "RML2");
    return true;
}

/* Whether the text says the same word: a few forms print as another one does. */
static bool is_its_text(const uint64_t w[2], const struct inst *in)
{
    struct inst fresh = *in;
    struct error err = {0};
    uint64_t back[2];
    fresh.form = 0xffff;
    return inst_encode(arch, &fresh, 0, back, &err) && back[0] == w[0] && back[1] == w[1];
}

static void one(const struct row_plan *p, uint64_t w[2], enum trial_space space)
{
    struct inst in;
    struct error err = {0};
    int q = row_sequence(p->row);
    word_put(w, 12, 4, PT);
    if (q >= 0 && !listing)
        put_in_sequence(p->row, w, (enum trial_sequence)q);
    if (!inst_decode(arch, w, 0, &in, &err))
        return;
    if (listing) {
        if (is_its_text(w, &in))
            add_trial(w, &in, 0, TS_GLOBAL);
        return;
    }
    if (q == SEQ_BAR && in.mod[MOD_BARMODE] != 2)
        return; /* without a reduction there is nothing to read */
    if (q >= 0) {
        add_trial(w, &in, (uint8_t)(TF_SEQUENCE | (q == SEQ_BRXU ? TF_PER_WARP | TF_UR_IN : 0)), (enum trial_space)q);
        if (q == SEQ_BMOV_READ || q == SEQ_WARPSYNC || (q == SEQ_BMOV_WRITE && in.opd[2].kind == OPD_REG))
            add_trial(w, &in, TF_SEQUENCE | TF_BRANCH, (enum trial_space)q);
        return;
    }
    for (unsigned i = 0; i < p->row->nitem; i++) /* now that the width is known */
        if (p->row->item[i].kind == IT_MEM)
            put_memory(&p->row->item[i], w, space, word_access_bytes(&in));
    if (p->row->op == OP_NANOSLEEP && p->row->code == 0x95d) /* short ones: 0x95d has an immediate */
        word_put(w, 32, 32, rnd(256));
    if (!inst_decode(arch, w, 0, &in, &err) || in.op != p->row->op || !sensible(&in))
        return;
    uint8_t flags = flags_of(&in);
    if (op_table[in.op].effect == EFF_EXIT) { /* some lanes end; what the others do shows it */
        word_put(w, 12, 4, TP_GUARD);
        flags |= TF_ALONE;
    }
    add_trial(w, &in, flags, space);
    if (!word_crosses_lanes(in.op) || p->row->uniform_guard)
        return;
    word_put(w, 12, 4, TP_GUARD);
    add_trial(w, &in, flags, space);
    word_put(w, 12, 4, TP_GUARD | 8);
    add_trial(w, &in, flags, space);
    word_put(w, 12, 4, PT);
    add_trial(w, &in, flags | TF_BRANCH, space);
}

static uint64_t combinations(const struct field *f, uint32_t n)
{
    uint64_t c = 1;
    for (uint32_t i = 0; i < n && c < 1000000; i++)
        c *= f[i].n;
    return c;
}
/* Combination k of the fields; every: k counts through all, else each field is random. */
static void combine(uint64_t w[2], const struct field *f, uint32_t n, uint64_t k, bool every)
{
    for (uint32_t i = 0; i < n; i++) {
        put_field(w, &f[i], f[i].value[every ? k % f[i].n : rnd(f[i].n)]);
        k /= f[i].n;
    }
}

static void start_word(const struct row_plan *p, uint64_t w[2])
{
    w[0] = p->row->fixed[0];
    w[1] = p->row->fixed[1];
}

/* A row's words do not depend on the rows before it. */
static void seed(const struct enc_row *r, enum trial_space space)
{
    uint64_t h = r->fixed[0] ^ (r->fixed[1] * 0x9e3779b97f4a7c15u) ^ (uint64_t)r->nitem << 56 ^ (uint64_t)space << 48;
    for (unsigned i = 0; i < r->nitem; i++)
        h = (h ^ ((uint64_t)r->item[i].kind << 8 | r->item[i].pos)) * 0x100000001b3u;
    rng = (uint32_t)(h >> 32 ^ h);
}

static void plan_row(const struct row_plan *p, enum trial_space space)
{
    seed(p->row, space);
    uint64_t mods = combinations(p->mod, p->nmod), signs = combinations(p->sign, p->nsign), w[2];
    bool all_mods = mods <= most.mods, all_signs = signs <= most.signs;
    for (uint64_t k = 0; k < (all_mods ? mods : most.mods); k++) {
        start_word(p, w);
        combine(w, p->mod, p->nmod, k, all_mods);
        if (rnd(2))
            combine(w, p->sign, p->nsign, 0, false);
        put_operands(p->row, w, space);
        one(p, w, space);
    }
    for (uint64_t k = 0; k < (all_signs ? signs : most.signs); k++) {
        start_word(p, w);
        combine(w, p->mod, p->nmod, 0, false);
        combine(w, p->sign, p->nsign, k, all_signs);
        put_operands(p->row, w, space);
        one(p, w, space);
    }
    for (unsigned i = 0; i < p->row->nitem;
         i++) { /* tables of logic functions, shift counts; registers that are zero */
        const struct enc_item *it = &p->row->item[i];
        uint32_t len = it->len + it->len2, n = it->kind == IT_INT && len <= 8              ? 1u << len
                                               : it->kind == IT_REG && it->pos != 16       ? 2
                                               : it->kind == IT_INT || it->kind == IT_SREG ? 16
                                                                                           : 0;
        for (uint32_t k = 0; k < n && k < most.values; k++) {
            start_word(p, w);
            combine(w, p->mod, p->nmod, 0, false);
            put_operands(p->row, w, space);
            if (it->kind == IT_INT && len <= 8) {
                word_put(w, it->pos, it->len, k & ((1u << it->len) - 1));
                if (it->len2)
                    word_put(w, it->pos2, it->len2, k >> it->len);
            } else if (it->kind == IT_REG) {
                word_put(w, it->pos, it->len, RZ);
            }
            one(p, w, space);
        }
    }
}

/* ---- words near those that compilers emit ------------------------------------------------------------------------ */
static uint32_t get_field(const uint64_t w[2], const struct field *f)
{
    return (uint32_t)(word_get(w, f->pos, f->len) | word_get(w, f->pos2, f->len2) << f->len);
}
static void near_word(const struct row_plan *p, enum trial_space space, const uint64_t from[2], uint32_t varied,
                      uint32_t value)
{
    uint64_t w[2];
    start_word(p, w);
    for (uint32_t i = 0; i < p->nmod; i++)
        put_field(w, &p->mod[i], i == varied ? value : get_field(from, &p->mod[i]));
    put_operands(p->row, w, space);
    one(p, w, space);
}
/* Where a row's modifiers have too many combinations to try all: those of emitted words, and with one of them changed.
 */
static void plan_near(const struct row_plan *p, enum trial_space space, uint32_t row, const struct trials *emitted)
{
    enum { MOST_BASES = 16 };
    uint64_t base[MOST_BASES][2];
    uint32_t n = 0;
    if (combinations(p->mod, p->nmod) <= most.mods)
        return;
    for (uint32_t i = 0; i < emitted->n && n < MOST_BASES; i++) {
        struct inst in;
        struct error err = {0};
        const uint64_t *w = emitted->t[i].word;
        bool fresh_one = inst_decode(arch, w, 0, &in, &err) && in.form == row;
        for (uint32_t k = 0; fresh_one && k < n; k++) {
            bool differs = false;
            for (uint32_t m = 0; m < p->nmod; m++)
                differs = differs || get_field(w, &p->mod[m]) != get_field(base[k], &p->mod[m]);
            fresh_one = differs;
        }
        if (fresh_one)
            memcpy(base[n++], w, sizeof base[0]);
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t m = 0; m < p->nmod; m++)
            for (uint32_t v = 0; v < p->mod[m].n; v++)
                near_word(p, space, base[k], m, p->mod[m].value[v]);
}

static bool write_words(const char *path, struct error *err)
{
    uint64_t *words = xcalloc(out.n + 1, 16);
    for (uint32_t i = 0; i < out.n; i++)
        memcpy(words + 2 * (size_t)i, out.t[i].word, 16);
    bool ok = file_write(path, words, (size_t)out.n * 16, err);
    free(words);
    return ok;
}

int main(int argc, char **argv)
{
    const struct enc_table *t = enc_table();
    struct error err = {0};
    listing = argc == 4 && strcmp(argv[1], "--listing") == 0;
    struct trials emitted = {0};
    if ((!listing && argc != 2 && argc != 3) || (argc == 3 && !trials_read(&emitted, argv[2], &err)))
        return fprintf(stderr, "trials_plan OUT [EMITTED], or trials_plan --listing ARCH WORDS.bin; %s\n", err.text), 2;
    if (listing) {
        arch = (enum arch)atoi(argv[2]);
        most.mods = 40, most.signs = 12, most.values = 12;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        if (!(t->row[i].archs >> arch_bit(arch) & 1) || (!listing && !row_runs(&t->row[i])))
            continue;
        struct row_plan p;
        row_fields(&t->row[i], &p);
        uint32_t spaces = listing ? 0 : op_spaces(t->row[i].op);
        for (uint32_t s = 0; s < TS_COUNT; s++)
            if (spaces ? spaces >> s & 1 : s == 0) {
                plan_row(&p, (enum trial_space)s);
                plan_near(&p, (enum trial_space)s, i, &emitted);
            }
    }
    printf("%u words\n", out.n);
    if (!(listing ? write_words(argv[3], &err) : trials_write(&out, argv[1], &err)))
        return fprintf(stderr, "%s\n", err.text), 1;
    return 0;
}
