/* Addresses and constants of KIR text. */
#include "isa/kir.h"

#include <string.h>

static bool scale_suffix(struct regword *w, uint8_t *sel)
{
    static const char *const scale[] = {".X4", ".X8", ".X16"};
    for (uint8_t i = 0; i < 3; i++) {
        if (regword_suffix(w, scale[i])) {
            *sel = (uint8_t)(i + 1);
            return true;
        }
    }
    return false;
}

static bool is_uniform_word(const struct kir_attempt *a, const struct token *t)
{
    for (uint32_t i = 0; i < a->s->nname; i++) {
        struct regword w = regword_split(t);
        const struct kir_name *n = &a->s->names[i];
        if (strlen(n->name) == w.len && memcmp(n->name, w.name, w.len) == 0)
            return n->file == NAME_UR;
    }
    return t->len > 1 && t->text[0] == 'U' && t->text[1] == 'R';
}

static bool address_register(struct kir_attempt *a, const struct enc_item *it, struct operand *o)
{
    struct regword w;
    if (it->ur != NO_BIT && is_uniform_word(a, attempt_peek(a)) && !(o->flags & OPF_HAS_UREG)) {
        o->flags |= OPF_HAS_UREG;
        return attempt_reg(a, NAME_UR, it->slot, USE_UREG, &o->ureg, &w) && attempt_no_more(a, &w);
    }
    if (it->base == NO_BIT || o->reg != RZ || !attempt_reg(a, NAME_R, it->slot, USE_REG, &o->reg, &w))
        return attempt_fail(a, "this form of the address takes no such register");
    if (o->reg != RZ)
        o->flags |= OPF_HAS_REG;
    if (it->style == 'W' || it->wide != NO_BIT) { /* W: always a pair */
        if (regword_suffix(&w, ".64"))
            o->flags |= OPF_64;
        else if (it->style != 'W')
            regword_suffix(&w, ".U32");
    }
    if (it->sel_len)
        scale_suffix(&w, &o->sel);
    return attempt_no_more(a, &w);
}

static bool address_terms(struct kir_attempt *a, const struct enc_item *it, struct operand *o)
{
    do {
        const struct token *t = attempt_peek(a);
        int64_t v = 0;
        bool number = tok_is(t, "-") || (t->kind == TOK_WORD && *t->text >= '0' && *t->text <= '9') ||
                      kir_find_value(a->s, t, &v);
        if (number) {
            if (!attempt_integer(a, &v))
                return false;
            o->imm += v;
        } else if (!address_register(a, it, o)) {
            return false;
        }
    } while (attempt_eat(a, "+") || tok_is(attempt_peek(a), "-"));
    return attempt_fits(a, o->imm, it->len, true);
}

bool attempt_memory(struct kir_attempt *a, const struct enc_item *it, struct operand *o)
{
    struct regword w;
    *o = (struct operand){.kind = OPD_MEM, .reg = RZ, .ureg = URZ, .desc = URZ};
    if (it->desc != NO_BIT && it->ur != NO_BIT && attempt_eat(a, "desc")) {
        o->flags |= OPF_HAS_DESC;
        if (!attempt_want(a, "[") || !attempt_reg(a, NAME_UR, it->slot, USE_DESC, &o->desc, &w) ||
            !attempt_no_more(a, &w) || !attempt_want(a, "]"))
            return false;
    }
    if (!attempt_want(a, "[") || !address_terms(a, it, o) || !attempt_want(a, "]"))
        return false;
    if ((o->flags & OPF_HAS_DESC) && (o->flags & OPF_HAS_UREG))
        return attempt_fail(a, "an address has a descriptor or a uniform register, not both");
    bool implied = it->style == 'Z' && (o->flags & OPF_64); /* URZ, which is not written */
    if (it->ur != NO_BIT && !implied && !(o->flags & (OPF_HAS_DESC | OPF_HAS_UREG)))
        return attempt_fail(a, "this form needs a uniform register in the address");
    if (it->wide != NO_BIT && !(o->flags & OPF_64))
        o->flags |= OPF_U32;
    return true;
}

static bool param_offset(struct kir_attempt *a, int64_t *out)
{
    const struct token *t = attempt_peek(a);
    struct kernel *k = a->s->k;
    for (uint32_t i = 0; t->kind == TOK_WORD && i < k->nparam; i++) {
        if (strlen(k->params[i].name) != t->len || memcmp(k->params[i].name, t->text, t->len) != 0)
            continue;
        *out = arch_info(a->s->p->arch)->param_base + k->params[i].offset;
        a->pos++;
        return true;
    }
    return false;
}

/* c[bank][offset], c[bank][R + offset]; c[name] and c[name + 4] are parameters. */
bool attempt_constant(struct kir_attempt *a, const struct enc_item *it, struct operand *o)
{
    int64_t v = 0;
    struct regword w;
    *o = (struct operand){.kind = OPD_CONST, .reg = it->base != NO_BIT ? RZ : 0};
    if (!attempt_want(a, "c") || !attempt_want(a, "["))
        return false;
    if (param_offset(a, &v)) {
        o->imm = v;
    } else {
        const struct token *t = attempt_peek(a);
        if (t->kind == TOK_WORD && !(*t->text >= '0' && *t->text <= '9'))
            return attempt_fail_value(a, "the kernel has no parameter %.*s", (int)t->len, t->text);
        if (!attempt_integer(a, &v) || v < 0 || v > 31)
            return attempt_fail(a, "a constant bank (0 to 31) or a parameter is expected");
        o->bank = (uint8_t)v;
        if (!attempt_want(a, "]") || !attempt_want(a, "["))
            return false;
        t = attempt_peek(a);
        bool is_reg = t->kind == TOK_WORD && (*t->text == 'R' || *t->text == '%');
        bool uniform = t->kind == TOK_WORD && is_uniform_word(a, t);
        if (uniform != (it->ur == 24))
            return attempt_fail(a, uniform ? "this form takes no uniform register in the constant's address"
                                           : "a uniform register is expected");
        if (uniform && (!attempt_reg(a, NAME_UR, it->slot, USE_UREG, &o->ureg, &w) || !attempt_no_more(a, &w)))
            return false;
        if (uniform)
            o->flags |= OPF_HAS_UREG;
        is_reg = is_reg && !uniform;
        if (is_reg &&
            (it->base == NO_BIT || !attempt_reg(a, NAME_R, it->slot, USE_REG, &o->reg, &w) || !attempt_no_more(a, &w)))
            return attempt_fail(a, "this form takes no register in the constant's address");
        if (is_reg && o->reg != RZ)
            o->flags |= OPF_HAS_REG;
        if (!is_reg && !uniform && !attempt_integer(a, &o->imm))
            return false;
    }
    while (attempt_eat(a, "+") || tok_is(attempt_peek(a), "-")) {
        if (!attempt_integer(a, &v))
            return false;
        o->imm += v;
    }
    bool indexed = (o->flags & (OPF_HAS_REG | OPF_HAS_UREG)) != 0;
    return attempt_fits(a, o->imm, it->len, indexed) && attempt_want(a, "]");
}

bool attempt_bindless(struct kir_attempt *a, const struct enc_item *it, struct operand *o)
{
    struct regword w;
    *o = (struct operand){.kind = OPD_BINDLESS};
    return attempt_want(a, "cx") && attempt_want(a, "[") && attempt_reg(a, NAME_UR, it->slot, USE_UREG, &o->ureg, &w) &&
           attempt_no_more(a, &w) && attempt_want(a, "]") && attempt_want(a, "[") && attempt_integer(a, &o->imm) &&
           attempt_fits(a, o->imm, it->len, false) && attempt_want(a, "]");
}
