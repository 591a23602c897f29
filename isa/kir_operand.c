/* One operand of KIR text, read as an item of an encoding row wants it. */
#include "isa/kir.h"

#include <stdlib.h>
#include <string.h>

const struct token *attempt_peek(const struct kir_attempt *a)
{
    return &a->s->tok[a->pos];
}
bool attempt_eat(struct kir_attempt *a, const char *text)
{
    if (!tok_is(attempt_peek(a), text))
        return false;
    a->pos++;
    return true;
}
bool attempt_want(struct kir_attempt *a, const char *text)
{
    return attempt_eat(a, text) || attempt_fail(a, "%s is expected", text);
}

bool kir_number(const struct token *t, bool negative, int64_t *out)
{
    char text[64];
    uint64_t u;
    if (t->kind != TOK_WORD || t->len + 1 >= sizeof text || *t->text < '0' || *t->text > '9')
        return false;
    memcpy(text, t->text, t->len);
    text[t->len] = 0;
    if (!parse_u64(text, &u))
        return false;
    *out = negative ? (int64_t)(0 - u) : (int64_t)u;
    return true;
}

bool kir_find_value(const struct kir *s, const struct token *t, int64_t *out)
{
    for (uint32_t i = 0; t->kind == TOK_WORD && i < s->nvalue; i++) {
        if (strlen(s->values[i].name) == t->len && memcmp(s->values[i].name, t->text, t->len) == 0) {
            *out = s->values[i].value;
            return true;
        }
    }
    return false;
}

/* A number, a name given by .equ, or a shared array; a leading minus. */
bool attempt_integer(struct kir_attempt *a, int64_t *out)
{
    bool negative = attempt_eat(a, "-");
    const struct token *t = attempt_peek(a);
    if (kir_find_value(a->s, t, out)) {
        *out = negative ? -*out : *out;
    } else if (!kir_number(t, negative, out)) {
        return attempt_fail(a, "a number is expected");
    }
    a->pos++;
    return true;
}

bool attempt_fits(struct kir_attempt *a, int64_t v, unsigned len, bool is_signed)
{
    if (len == 0)
        return v == 0 || attempt_fail(a, "this form takes no offset");
    int64_t most = len >= 63 ? INT64_MAX : (INT64_C(1) << len) - 1, least = is_signed ? -(INT64_C(1) << (len - 1)) : 0;
    if (is_signed && len < 32)
        most = (INT64_C(1) << (len - 1)) - 1;
    if (len >= 32)
        least = -(INT64_C(1) << 31);
    if (v >= least && v <= most)
        return true;
    a->pos--;
    attempt_fail_value(a, "%lld does not fit: from %lld to %lld", (long long)v, (long long)least, (long long)most);
    a->pos++;
    return false;
}

/* ---- registers ------------------------------------------------------------------------------ */
struct regword regword_split(const struct token *t)
{
    const char *end = t->text + t->len, *dot = memchr(t->text, '.', t->len);
    dot = dot ? dot : end;
    return (struct regword){t->text, (uint32_t)(dot - t->text), dot, end};
}

bool regword_suffix(struct regword *w, const char *text)
{
    size_t len = strlen(text);
    if ((size_t)(w->end - w->rest) < len || memcmp(w->rest, text, len) != 0)
        return false;
    if (w->rest + len < w->end && w->rest[len] != '.')
        return false;
    w->rest += len;
    return true;
}

static bool number_after(const char *p, uint32_t len, unsigned most, uint8_t *out)
{
    unsigned v = 0;
    if (len == 0 || len > 3 || (len > 1 && *p == '0'))
        return false;
    for (; len; len--, p++) {
        if (*p < '0' || *p > '9')
            return false;
        v = 10 * v + (unsigned)(*p - '0');
    }
    *out = (uint8_t)v;
    return v <= most;
}

/* Physical name of a file: prefix and number, or prefix and the letter of the zero register. */
static bool physical(const struct regword *w, const char *prefix, unsigned last, const char *zero, unsigned zero_number,
                     uint8_t *out)
{
    size_t n = strlen(prefix);
    if (zero && strlen(zero) == w->len && memcmp(w->name, zero, w->len) == 0) {
        *out = (uint8_t)zero_number;
        return true;
    }
    return w->len > n && memcmp(w->name, prefix, n) == 0 && number_after(w->name + n, w->len - (uint32_t)n, last, out);
}

static const struct {
    const char *prefix, *zero, *what;
    unsigned last, zero_number;
} files[] = {
    [NAME_R] = {"R", "RZ", "a register (R0 to R254, RZ, or a name such as %x)", 254, RZ},
    [NAME_UR] = {"UR", "URZ", "a uniform register (UR0 to UR62, URZ, or a name)", 62, URZ},
    [NAME_P] = {"P", "PT", "a predicate (P0 to P6, PT, or a name)", 6, PT},
    [NAME_UP] = {"UP", "UPT", "a uniform predicate (UP0 to UP6, UPT, or a name)", 6, PT},
    [NAME_B] = {"B", NULL, "a convergence barrier (B0 to B15, or a name)", 15, 0},
};

/* Register of a file at the current word; suffixes are left in *w. */
bool attempt_reg(struct kir_attempt *a, enum name_class file, uint8_t slot, uint8_t field, uint8_t *out,
                 struct regword *w)
{
    const struct token *t = attempt_peek(a);
    *w = regword_split(t);
    if (t->kind != TOK_WORD)
        return attempt_fail(a, "%s is expected", files[file].what);
    if (*t->text == '%') {
        uint8_t add = regword_suffix(w, ".hi") ? 1 : regword_suffix(w, ".w2") ? 2 : regword_suffix(w, ".w3") ? 3 : 0;
        if (!add)
            regword_suffix(w, ".lo");
        *out = 0;
        if (!kir_name_use(a, file, w->name, w->len, slot, field, add))
            return false;
    } else if (!physical(w, files[file].prefix, files[file].last, files[file].zero, files[file].zero_number, out)) {
        return attempt_fail(a, "%s is expected", files[file].what);
    }
    a->pos++;
    return true;
}

bool attempt_no_more(struct kir_attempt *a, const struct regword *w)
{
    if (w->rest == w->end)
        return true;
    a->pos--;
    attempt_fail_value(a, "%.*s does not fit here", (int)(w->end - w->rest), w->rest);
    a->pos++;
    return false;
}

/* ---- immediates ------------------------------------------------------------------------------ */
static bool float_word(struct kir_attempt *a, char text[80])
{
    int n = 0;
    if (tok_is(attempt_peek(a), "-") || tok_is(attempt_peek(a), "+"))
        text[n++] = *a->s->tok[a->pos++].text;
    const struct token *t = attempt_peek(a);
    if (t->kind != TOK_WORD || t->len > 60)
        return attempt_fail(a, "a number is expected");
    memcpy(text + n, t->text, t->len);
    text[n + (int)t->len] = 0;
    a->pos++;
    return true;
}

static bool is_hex(const struct kir_attempt *a)
{
    const struct token *t = attempt_peek(a);
    return t->kind == TOK_WORD && t->len > 2 && t->text[0] == '0' && (t->text[1] | 32) == 'x';
}

/* Floating immediates: a number that has these very bits, or the bits in hexadecimal. */
static bool floating(struct kir_attempt *a, const struct enc_item *it, struct operand *o)
{
    char text[80];
    uint32_t bits = 0, low = 0;
    int64_t v = 0;
    bool bfloat = a->in.mod[MOD_BF16] != 0;
    *o = (struct operand){.kind = OPD_IMM};
    if (is_hex(a)) {
        if (!attempt_integer(a, &v) || !attempt_fits(a, v, 32, false))
            return false;
        o->imm = (int64_t)(uint32_t)v;
        return true;
    }
    if (!float_word(a, text))
        return false;
    if (!kir_float_bits(it->kind, bfloat, text, &bits)) {
        a->pos--;
        return attempt_fail_value(a, "%s is not a number that this immediate can hold; give its bits as 0x..", text);
    }
    if (it->kind != IT_HALF2) {
        o->imm = (int64_t)bits;
        return true;
    }
    if (!attempt_want(a, ",") || !float_word(a, text) || !kir_float_bits(it->kind, bfloat, text, &low))
        return attempt_fail(a, "two half-precision numbers, or their bits as 0x.., are expected");
    o->imm = (int64_t)(bits << 16 | low);
    return true;
}

static bool whole(struct kir_attempt *a, const struct enc_item *it, struct operand *o)
{
    *o = (struct operand){.kind = OPD_IMM};
    if (!attempt_integer(a, &o->imm) ||
        !attempt_fits(a, o->imm, it->len + it->len2 + it->shift, it->flags & ITF_SIGNED))
        return false;
    if (o->imm & ((INT64_C(1) << it->shift) - 1))
        return attempt_fail_value(a, "a multiple of %lld is expected", (long long)(INT64_C(1) << it->shift));
    if (it->len + it->len2 >= 32)
        o->imm = (int64_t)(uint32_t)o->imm;
    if (a->row->power_of_two && (it->kind == IT_INT) && it->len == 32 && (o->imm == 0 || (o->imm & (o->imm - 1))))
        return attempt_fail_value(a, "a power of two is expected");
    return true;
}

static bool special(struct kir_attempt *a, struct operand *o)
{
    const struct token *t = attempt_peek(a);
    const char *names[256];
    size_t n = 0;
    uint8_t number;
    *o = (struct operand){.kind = OPD_SREG};
    for (unsigned i = 0; i < 256; i++) {
        const char *name = sreg_name(i);
        if (name && t->kind == TOK_WORD && strlen(name) == t->len && memcmp(name, t->text, t->len) == 0) {
            o->imm = i;
            a->pos++;
            return true;
        }
        if (name)
            names[n++] = name;
    }
    if (t->kind == TOK_WORD && t->len > 2 && memcmp(t->text, "SR", 2) == 0 &&
        number_after(t->text + 2, t->len - 2, 255, &number)) {
        o->imm = number;
        a->pos++;
        return true;
    }
    char *word = xstrndup(t->text, t->len);
    const char *near = nearest_name(word, names, n);
    attempt_fail_value(a, "a special register is expected%s%s%s", near ? "; did you mean " : "", near ? near : "",
                       near ? "?" : "");
    free(word);
    return false;
}

static bool is_register_word(const struct token *t)
{
    struct regword w = regword_split(t);
    uint8_t n;
    if (*t->text == '%')
        return true;
    for (unsigned f = 0; f < ARRAY_LEN(files); f++)
        if (physical(&w, files[f].prefix, files[f].last, files[f].zero, files[f].zero_number, &n))
            return true;
    return false;
}

static bool target(struct kir_attempt *a, const struct enc_item *it, struct operand *o)
{
    const struct token *t = attempt_peek(a);
    *o = (struct operand){.kind = it->flags & ITF_REL ? OPD_IMM : OPD_TARGET};
    bool number = tok_is(t, "-") || (t->kind == TOK_WORD && *t->text >= '0' && *t->text <= '9');
    if (number)
        return attempt_integer(a, &o->imm);
    if ((t->kind != TOK_WORD && t->kind != TOK_STRING) || (t->kind == TOK_WORD && is_register_word(t)))
        return attempt_fail(a, "a label is expected");
    struct kir *s = a->s;
    s->jumps = xrealloc(s->jumps, s->njump + 1, sizeof *s->jumps);
    s->jumps[s->njump++] =
        (struct kir_jump){.inst = s->k->n, .slot = it->slot, .name = xstrndup(t->text, t->len), .at = t->at};
    a->pos++;
    return true;
}

static bool counter_list(struct kir_attempt *a, struct operand *o)
{
    int64_t v = 0;
    *o = (struct operand){.kind = OPD_LIST};
    if (!attempt_want(a, "{"))
        return false;
    do {
        if (!attempt_integer(a, &v) || v < 0 || v > 5)
            return attempt_fail(a, "a counter from 0 to 5 is expected");
        o->imm |= INT64_C(1) << v;
    } while (attempt_eat(a, ","));
    return attempt_want(a, "}");
}

static bool counter(struct kir_attempt *a, const struct enc_item *it, struct operand *o)
{
    struct regword w = regword_split(attempt_peek(a));
    *o = (struct operand){.kind = OPD_SB};
    const char *prefix = it->style == 'g' ? "gsb" : "SB";
    if (attempt_peek(a)->kind != TOK_WORD || !physical(&w, prefix, (1u << it->len) - 1, NULL, 0, &o->reg) ||
        w.rest != w.end)
        return attempt_fail(a, "a dependence counter such as %s0 is expected", prefix);
    a->pos++;
    return true;
}

/* ---- the whole operand ------------------------------------------------------------------------ */
static void selector(const struct enc_item *it, struct regword *w, struct operand *o)
{
    static const char *const half[] = {".F32", ".H0_H0", ".H1_H1"}, *const byte[] = {".B1", ".B2", ".B3"};
    for (uint8_t i = 0; it->sel_len && i < 3; i++)
        if (regword_suffix(w, it->style == 'h' ? half[i] : byte[i]))
            o->sel = (uint8_t)(i + 1);
    if (it->style == 's')
        regword_suffix(w, ".SIGN");
    if (it->style == 'w' && regword_suffix(w, ".H0_NH1"))
        o->sel = SEL_CROSSED;
}

static bool register_operand(struct kir_attempt *a, const struct enc_item *it, struct operand *o)
{
    static const struct {
        enum name_class file;
        uint8_t kind;
    } as[] = {
        [IT_REG] = {NAME_R, OPD_REG},      [IT_UREG] = {NAME_UR, OPD_UREG}, [IT_PRED] = {NAME_P, OPD_PRED},
        [IT_UPRED] = {NAME_UP, OPD_UPRED}, [IT_BREG] = {NAME_B, OPD_BREG},
    };
    uint8_t flags = o->flags;
    struct regword w;
    *o = (struct operand){.kind = as[it->kind].kind, .flags = flags};
    if (!attempt_reg(a, as[it->kind].file, it->slot, USE_REG, &o->reg, &w))
        return false;
    if ((flags & OPF_ABS) && !attempt_want(a, "|"))
        return false;
    const struct token *t = attempt_peek(a);
    if ((flags & OPF_ABS) && w.rest == w.end && t->kind == TOK_WORD && t->joined && *t->text == '.') {
        w = regword_split(t);
        a->pos++;
    }
    if (it->reuse != NO_BIT && regword_suffix(&w, ".reuse"))
        a->in.sched.reuse |= (uint8_t)(1u << it->reuse);
    selector(it, &w, o);
    return attempt_no_more(a, &w);
}

static bool signs(struct kir_attempt *a, const struct enc_item *it, struct operand *o)
{
    bool pred = it->kind == IT_PRED || it->kind == IT_UPRED;
    bool literal = it->kind >= IT_INT && it->kind <= IT_F64;
    bool logic = (it->flags & ITF_LOGIC) || ((it->flags & ITF_LOGIC_X) && a->in.mod[MOD_X]);
    if (literal || it->kind == IT_TARGET || it->kind == IT_MEM)
        return true;
    if (pred && it->not_ != NO_BIT && attempt_eat(a, "!"))
        o->flags |= OPF_NOT;
    if (!pred && (logic || it->not_ != NO_BIT) && attempt_eat(a, "~"))
        o->flags |= OPF_NOT;
    if (!logic && it->neg != NO_BIT && attempt_eat(a, "-"))
        o->flags |= OPF_NEG;
    if (it->abs != NO_BIT && attempt_eat(a, "|"))
        o->flags |= OPF_ABS;
    const struct token *t = attempt_peek(a);
    if (tok_is(t, "!") || tok_is(t, "~") || tok_is(t, "|") || tok_is(t, "-"))
        return attempt_fail(a, "%.*s is not possible on this operand", (int)t->len, t->text);
    return true;
}

static bool matrix_descriptor(struct kir_attempt *a, const struct enc_item *it, struct operand *o)
{
    struct regword w;
    *o = (struct operand){.kind = OPD_GDESC};
    return attempt_want(a, "gdesc") && attempt_want(a, "[") &&
           attempt_reg(a, NAME_UR, it->slot, USE_REG, &o->reg, &w) && attempt_no_more(a, &w) && attempt_want(a, "]");
}

static bool constant_operand(struct kir_attempt *a, const struct enc_item *it, struct operand *o)
{
    uint8_t flags = o->flags;
    struct operand value;
    if (!(it->kind == IT_CONST ? attempt_constant(a, it, &value) : attempt_bindless(a, it, &value)))
        return false;
    if ((flags & OPF_ABS) && !attempt_want(a, "|"))
        return false;
    *o = value;
    o->flags |= flags;
    const struct token *t = attempt_peek(a);
    if ((it->sel_len || it->style == 'w' || it->style == 's') && t->kind == TOK_WORD && t->joined && *t->text == '.') {
        struct regword w = regword_split(t);
        selector(it, &w, o);
        a->pos++;
        return attempt_no_more(a, &w);
    }
    return true;
}

static bool value_of(struct kir_attempt *a, const struct enc_item *it, struct operand *o)
{
    switch (it->kind) {
    case IT_REG:
    case IT_UREG:
    case IT_PRED:
    case IT_UPRED:
    case IT_BREG:
        return register_operand(a, it, o);
    case IT_SB:
        return counter(a, it, o);
    case IT_INT:
        return whole(a, it, o);
    case IT_F32:
    case IT_HALF2:
    case IT_F64:
        return floating(a, it, o);
    case IT_CONST:
    case IT_BINDLESS:
        return constant_operand(a, it, o);
    case IT_SREG:
        return special(a, o);
    case IT_TARGET:
        return target(a, it, o);
    case IT_MEM:
        return attempt_memory(a, it, o);
    case IT_GDESC:
        return matrix_descriptor(a, it, o);
    case IT_LIST:
        return counter_list(a, o);
    case IT_PR:
        *o = (struct operand){.kind = OPD_PR};
        return attempt_want(a, "PR");
    default:
        return attempt_fail(a, "an operand of unknown kind");
    }
}

bool kir_operand(struct kir_attempt *a, const struct enc_item *it)
{
    struct operand o = {0};
    if (!signs(a, it, &o) || !value_of(a, it, &o))
        return false;
    bool is_default = (o.kind == OPD_PRED || o.kind == OPD_UPRED) && o.reg == PT &&
                      !!(o.flags & OPF_NOT) == !!(it->flags & ITF_OMIT_NOT);
    bool named =
        a->s->nuse && a->s->uses[a->s->nuse - 1].inst == a->s->k->n && a->s->uses[a->s->nuse - 1].slot == it->slot;
    bool zero =
        !named && ((o.kind == OPD_REG && o.reg == RZ && !o.flags) || (o.kind == OPD_UREG && o.reg == URZ && !o.flags) ||
                   ((o.kind == OPD_IMM || o.kind == OPD_LIST) && o.imm == 0));
    if ((it->flags & ITF_OMIT) && (is_default || zero))
        o = (struct operand){0}; /* as if it had not been written */
    a->in.opd[it->slot] = o;
    return true;
}
