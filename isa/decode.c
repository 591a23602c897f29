/* Machine word -> instruction, by the first row of encoding.def that fits the word. Nothing is
 * guessed: a bit that no item of the row claims must have the row's value. */
#include "isa/encoding.h"

#include <string.h>

static void decode_sched(const uint64_t w[2], struct sched *s)
{
    s->present = true;
    s->stall = (uint8_t)word_get(w, 105, 4);
    s->yield = !word_get(w, 109, 1);
    s->wr_sb = (uint8_t)word_get(w, 110, 3);
    s->rd_sb = (uint8_t)word_get(w, 113, 3);
    s->wait = (uint8_t)word_get(w, 116, 6);
    s->reuse = (uint8_t)word_get(w, 122, 4); /* the fourth: of sparse products alone, their metadata */
}

static bool bit(const uint64_t w[2], uint8_t pos)
{
    return pos != NO_BIT && word_get(w, pos, 1);
}

static void decode_signs(const struct enc_item *it, const struct inst *in, const uint64_t w[2], struct operand *o)
{
    bool logic = (it->flags & ITF_LOGIC) || ((it->flags & ITF_LOGIC_X) && in->mod[MOD_X]);
    if (bit(w, it->neg))
        o->flags |= logic ? OPF_NOT : OPF_NEG;
    if (bit(w, it->abs))
        o->flags |= OPF_ABS;
    if (bit(w, it->not_))
        o->flags |= OPF_NOT;
    if (it->sel_len)
        o->sel = (uint8_t)word_get(w, it->sel, it->sel_len);
    if (it->style == 'w' && it->kind != IT_TARGET)
        o->sel = SEL_CROSSED;
}

/* Branch displacements count words of 4 bytes from the next instruction. */
static bool decode_target(const struct enc_item *it, enum arch a, const uint64_t w[2], uint32_t address,
                          struct operand *o)
{
    int64_t disp;
    if (it->style == TGT_NEAR)
        disp = sign_extend(word_get(w, 34, 30), 30) * 4;
    else if (it->style == TGT_LEPC) /* bytes */
        disp = sign_extend(word_get(w, 24, 58), 58);
    else if (a == ARCH_SM90)
        disp = sign_extend(word_get(w, 34, 48) << 8 | word_get(w, 16, 8), 56) * 4;
    else
        disp = sign_extend(word_get(w, 34, 48), 48) * 4;
    if (it->flags & ITF_REL) {
        o->kind = OPD_IMM;
        o->imm = disp;
    } else {
        o->kind = OPD_TARGET;
        o->imm = it->style == TGT_ABS ? disp : (int64_t)address + INST_BYTES + disp;
    }
    return true;
}

static void decode_mem(const struct enc_item *it, const uint64_t w[2], struct operand *o)
{
    o->kind = OPD_MEM;
    o->reg = RZ;
    o->ureg = o->desc = URZ;
    if (it->base != NO_BIT) {
        o->reg = (uint8_t)word_get(w, it->base, 8);
        if (o->reg != RZ)
            o->flags |= OPF_HAS_REG;
    }
    if (it->ur != NO_BIT) {
        uint8_t ur = (uint8_t)word_get(w, it->ur, 6);
        if (bit(w, it->desc)) {
            o->desc = ur;
            o->flags |= OPF_HAS_DESC;
        } else {
            o->ureg = ur;
            o->flags |= OPF_HAS_UREG;
        }
        if (it->wide != NO_BIT)
            o->flags |= bit(w, it->wide) ? OPF_64 : OPF_U32;
        if (it->style == 'Z' && (o->flags & OPF_64) && ur == URZ)
            o->flags &= (uint8_t)~OPF_HAS_UREG; /* not listed */
    }
    if (it->style == 'W')
        o->flags |= OPF_64;
    if (it->sel_len)
        o->sel = (uint8_t)word_get(w, it->sel, it->sel_len);
    if (it->len) {
        uint64_t v = word_get(w, it->pos, it->len);
        o->imm = mem_absolute(it, o) ? (int64_t)v : sign_extend(v, it->len);
    }
}

static bool has_default(const struct enc_item *it, const struct operand *o)
{
    if (o->kind == OPD_PRED || o->kind == OPD_UPRED)
        return o->reg == PT && !!(o->flags & OPF_NOT) == !!(it->flags & ITF_OMIT_NOT);
    if (o->kind == OPD_REG)
        return o->reg == RZ && !o->flags;
    if (o->kind == OPD_UREG)
        return o->reg == URZ && !o->flags;
    return o->kind == OPD_SB ? o->reg == SB_NONE : o->imm == it->dflt;
}

static bool decode_operand(const struct enc_item *it, enum arch a, const uint64_t w[2], uint32_t address,
                           const struct inst *in, struct operand *o)
{
    static const uint8_t kinds[] = {
        [IT_REG] = OPD_REG,   [IT_UREG] = OPD_UREG, [IT_PRED] = OPD_PRED, [IT_UPRED] = OPD_UPRED,
        [IT_BREG] = OPD_BREG, [IT_SB] = OPD_SB,     [IT_INT] = OPD_IMM,   [IT_F32] = OPD_IMM,
        [IT_HALF2] = OPD_IMM, [IT_F64] = OPD_IMM,   [IT_SREG] = OPD_SREG, [IT_GDESC] = OPD_GDESC,
        [IT_PR] = OPD_PR,     [IT_LIST] = OPD_LIST,
    };
    uint64_t v = word_get(w, it->pos, it->len) | word_get(w, it->pos2, it->len2) << it->len;
    switch (it->kind) {
    case IT_TARGET:
        return decode_target(it, a, w, address, o);
    case IT_MEM:
        decode_mem(it, w, o);
        return true;
    case IT_CONST:
        o->kind = OPD_CONST;
        o->imm = sign_extend(v, it->len);
        o->bank = (uint8_t)word_get(w, 54, 5);
        if (it->base != NO_BIT) {
            o->reg = (uint8_t)word_get(w, it->base, 8);
            if (o->reg != RZ)
                o->flags |= OPF_HAS_REG;
        } else if (it->ur == 24) {
            o->ureg = (uint8_t)word_get(w, it->ur, 6);
            o->flags |= OPF_HAS_UREG;
        }
        break;
    case IT_BINDLESS:
        o->kind = OPD_BINDLESS;
        o->imm = (int64_t)v;
        o->ureg = (uint8_t)word_get(w, it->ur, 6);
        break;
    case IT_INT:
    case IT_F32:
    case IT_HALF2:
    case IT_F64:
    case IT_SREG:
    case IT_LIST:
        o->kind = kinds[it->kind];
        o->imm = (int64_t)(v << it->shift);
        if ((it->flags & ITF_SIGNED) && it->len < 32)
            o->imm = sign_extend(v, it->len) * (1 << it->shift);
        break;
    default:
        o->kind = kinds[it->kind];
        o->reg = (uint8_t)(it->flags & ITF_INVERTED ? 7 - v : v);
    }
    decode_signs(it, in, w, o);
    return true;
}

static bool row_fits(const struct enc_row *r, enum arch a, const uint64_t w[2])
{
    if (!(r->archs >> arch_bit(a) & 1))
        return false;
    if ((w[0] & r->fixed_mask[0]) != r->fixed[0] || (w[1] & r->fixed_mask[1]) != r->fixed[1])
        return false;
    uint32_t imm = (uint32_t)word_get(w, 32, 32);
    return !r->power_of_two || enc_is_shift(imm);
}

/* Half swizzle 1 means a single-precision register, which after sm_75 few operands can be; bytes and halves are chosen
 * only of a source that is narrower than the register. */
static bool selector_means(const struct enc_item *it, enum arch a, const struct inst *in, const struct operand *o)
{
    if (!it->sel_len || it->kind == IT_MEM)
        return true;
    if (it->style == 'h')
        return o->sel != 1 || a == ARCH_SM75 || (it->flags & ITF_SINGLE);
    if (it->style != 'c')
        return true;
    const char *type = mod_value_name(MOD_CTYPE, in->mod[MOD_CTYPE]);
    return o->sel < (strchr(type, '8') ? 4 : strstr(type, "16") ? 2 : 1);
}

/* False: a modifier field holds a value that has no meaning, or a hidden operand is not at its default. */
static bool decode_row(const struct enc_row *r, enum arch a, const uint64_t w[2], uint32_t address, struct inst *in,
                       const char **why)
{
    memset(in, 0, sizeof *in);
    in->op = r->op;
    decode_sched(w, &in->sched);
    in->guard = (uint8_t)word_get(w, 12, 3);
    in->guard_not = word_get(w, 15, 1);
    in->guard_uniform = r->uniform_guard;
    for (unsigned i = 0; i < r->nitem; i++) {
        const struct enc_item *it = &r->item[i];
        if (it->kind == IT_MODSET)
            in->mod[it->mod] = it->sel;
        if (it->kind != IT_MOD)
            continue;
        unsigned v = (unsigned)(word_get(w, it->pos, it->len) | word_get(w, it->pos2, it->len2) << it->len);
        if (it->map[v] < 0) {
            *why = mod_name(it->mod);
            return false;
        }
        in->mod[it->mod] = (uint8_t)it->map[v];
    }
    for (unsigned i = 0; i < r->nitem; i++) {
        const struct enc_item *it = &r->item[i];
        if (it->kind <= IT_SKIP)
            continue;
        struct operand o = {0};
        decode_operand(it, a, w, address, in, &o);
        bool present = item_present(it, in);
        if (!selector_means(it, a, in, &o)) {
            *why = "the selector of an operand";
            return false;
        }
        if (it->kind == IT_MEM && a == ARCH_SM90 && (o.flags & OPF_HAS_UREG) && (o.flags & OPF_64) &&
            !(o.flags & OPF_HAS_REG)) {
            *why = "a register pair: RZ as a 64-bit address";
            return false;
        }
        if (!present && !has_default(it, &o)) {
            *why = "an operand that this form does not have";
            return false;
        }
        if (!present || ((it->flags & ITF_OMIT) && has_default(it, &o)))
            continue;
        in->opd[it->slot] = o;
    }
    return true;
}

bool inst_decode(enum arch a, const uint64_t word[2], uint32_t address, struct inst *out, struct error *err)
{
    const struct enc_table *t = enc_table();
    unsigned code = word[0] & 0xfff;
    const char *why = NULL;
    uint64_t best[2] = {0, 0};
    unsigned fewest = 129;
    for (unsigned k = 0; k < t->ncode[code]; k++) {
        uint32_t id = t->by_code[code][k];
        const struct enc_row *r = &t->row[id];
        if (row_fits(r, a, word)) {
            if (decode_row(r, a, word, address, out, &why)) {
                out->form = (uint16_t)id;
                out->word[0] = word[0];
                out->word[1] = word[1];
                return true;
            }
        } else if (r->archs >> arch_bit(a) & 1) { /* remember the nearest row, for the message */
            uint64_t d[2] = {(word[0] ^ r->fixed[0]) & r->fixed_mask[0], (word[1] ^ r->fixed[1]) & r->fixed_mask[1]};
            unsigned n = (unsigned)(__builtin_popcountll(d[0]) + __builtin_popcountll(d[1]));
            if (n < fewest) {
                fewest = n;
                best[0] = d[0];
                best[1] = d[1];
            }
        }
    }
    char words[64];
    snprintf(words, sizeof words, "0x%016llx 0x%016llx", (unsigned long long)word[0], (unsigned long long)word[1]);
    if (why)
        return error_set(err, EXIT_BAD_INPUT, "cannot decode the sm_%d instruction %s at 0x%x: undefined value of %s",
                         (int)a, words, address, why);
    if (t->ncode[code] && (best[0] | best[1]))
        return error_set(err, EXIT_BAD_INPUT,
                         "cannot decode the sm_%d instruction %s at 0x%x: opcode 0x%03x is known, but not with bits "
                         "0x%016llx 0x%016llx changed so",
                         (int)a, words, address, code, (unsigned long long)best[0], (unsigned long long)best[1]);
    return error_set(err, EXIT_BAD_INPUT, "cannot decode the sm_%d instruction %s at 0x%x: unknown opcode 0x%03x",
                     (int)a, words, address, code);
}
