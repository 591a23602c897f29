/* Instruction -> machine word, by the row that decoded it, or for instructions from text by the
 * first row of the opcode that can express every operand and modifier. */
#include "isa/encoding.h"

#include <string.h>

static bool put(uint64_t w[2], unsigned pos, unsigned len, uint64_t v)
{
    if (len < 64 && v >> len)
        return false;
    word_put(w, pos, len, v);
    return true;
}

static bool put_bit(uint64_t w[2], uint8_t pos, bool v)
{
    if (pos == NO_BIT)
        return !v;
    word_put(w, pos, 1, v);
    return true;
}

static bool put_split(uint64_t w[2], const struct enc_item *it, uint64_t v)
{
    return put(w, it->pos, it->len, v & ((1ull << it->len) - 1)) && put(w, it->pos2, it->len2, v >> it->len);
}

/* Several modifier classes may share a field (memory order, scope, private): its value must suit all. */
static bool value_suits(const struct enc_row *r, const struct enc_item *field, unsigned v, const struct inst *in)
{
    for (unsigned i = 0; i < r->nitem; i++) {
        const struct enc_item *it = &r->item[i];
        if (it->kind == IT_MOD && it->pos == field->pos && it->len == field->len && it->len2 == field->len2 &&
            it->map[v] != (int)in->mod[it->mod])
            return false;
    }
    return true;
}

static bool encode_mod(const struct enc_row *r, const struct enc_item *it, const struct inst *in, uint64_t w[2])
{
    for (unsigned v = 0; v < it->nmap; v++)
        if (value_suits(r, it, v, in))
            return put_split(w, it, v);
    return false;
}

static bool encode_target(const struct enc_item *it, enum arch a, const struct operand *o, uint32_t address,
                          uint64_t w[2])
{
    int64_t disp = o->imm;
    if (o->kind != ((it->flags & ITF_REL) ? OPD_IMM : OPD_TARGET))
        return false;
    if (!(it->flags & ITF_REL) && it->style != TGT_ABS)
        disp -= (int64_t)address + INST_BYTES;
    if (it->style == TGT_LEPC) {
        word_put(w, 24, 58, (uint64_t)disp);
        return sign_extend((uint64_t)disp & ((1ull << 58) - 1), 58) == disp;
    }
    if (disp % 4)
        return false;
    disp /= 4;
    unsigned len = it->style == TGT_NEAR ? 30 : a == ARCH_SM90 ? 56 : 48;
    if (sign_extend((uint64_t)disp & ((1ull << len) - 1), len) != disp)
        return false;
    if (it->style != TGT_NEAR && a == ARCH_SM90) {
        word_put(w, 16, 8, (uint64_t)disp & 0xff);
        word_put(w, 34, 48, (uint64_t)(disp >> 8));
    } else {
        word_put(w, 34, len, (uint64_t)disp);
    }
    return true;
}

static bool encode_mem(const struct enc_item *it, const struct operand *o, uint64_t w[2])
{
    if (o->kind != OPD_MEM)
        return false;
    bool has_ur = o->flags & OPF_HAS_UREG, has_desc = o->flags & OPF_HAS_DESC;
    if (it->base == NO_BIT ? (o->flags & OPF_HAS_REG) != 0 : !put(w, it->base, 8, o->flags & OPF_HAS_REG ? o->reg : RZ))
        return false;
    if (it->ur == NO_BIT) {
        if (has_ur || has_desc)
            return false;
    } else {
        bool hidden = it->style == 'Z' && !has_ur && (o->flags & OPF_64);
        if ((has_ur == has_desc && !hidden) || !put_bit(w, it->desc, has_desc) ||
            !put(w, it->ur, 6,
                 hidden     ? URZ
                 : has_desc ? o->desc
                            : o->ureg))
            return false;
        if (it->wide != NO_BIT)
            word_put(w, it->wide, 1, (o->flags & OPF_64) != 0);
    }
    if (it->sel_len ? !put(w, it->sel, it->sel_len, o->sel) : o->sel != 0)
        return false;
    if (!it->len)
        return o->imm == 0;
    uint64_t v = (uint64_t)o->imm & ((1ull << it->len) - 1);
    bool fits = mem_absolute(it, o) ? (int64_t)v == o->imm : sign_extend(v, it->len) == o->imm;
    return fits && put(w, it->pos, it->len, v);
}

static void put_default(const struct enc_item *it, uint64_t w[2])
{
    bool pred = it->kind == IT_PRED || it->kind == IT_UPRED;
    uint64_t v = pred                  ? (it->flags & ITF_INVERTED ? 0 : PT)
                 : it->kind == IT_SB   ? SB_NONE
                 : it->kind == IT_REG  ? RZ
                 : it->kind == IT_UREG ? URZ
                                       : it->dflt;
    put_split(w, it, v);
    if (it->flags & ITF_OMIT_NOT)
        put_bit(w, it->not_, true);
}

static bool encode_const(const struct enc_item *it, const struct operand *o, uint64_t w[2])
{
    if (it->base != NO_BIT && !put(w, it->base, 8, o->flags & OPF_HAS_REG ? o->reg : RZ))
        return false;
    if (it->base == NO_BIT && (o->flags & OPF_HAS_REG))
        return false;
    if ((it->ur == 24) != ((o->flags & OPF_HAS_UREG) != 0))
        return false;
    if (it->ur == 24 && !put(w, it->ur, 6, o->ureg))
        return false;
    uint64_t mask = (1ull << it->len) - 1;
    if (sign_extend((uint64_t)o->imm & mask, it->len) != o->imm)
        return false;
    return put(w, it->pos, it->len, (uint64_t)o->imm & mask) && put(w, 54, 5, o->bank);
}

static bool encode_int(const struct enc_item *it, const struct operand *o, uint64_t w[2])
{
    uint64_t v = (uint64_t)(o->imm >> it->shift);
    unsigned len = it->len + it->len2;
    if ((int64_t)(v << it->shift) != o->imm)
        return false;
    if ((it->flags & ITF_SIGNED) && len < 32) {
        v &= (1ull << len) - 1;
        if (sign_extend(v, len) != o->imm >> it->shift)
            return false;
    }
    return v >> len == 0 && put_split(w, it, v);
}

static bool encode_operand(const struct enc_item *it, enum arch a, const struct inst *in, uint32_t address,
                           uint64_t w[2])
{
    static const uint8_t kinds[] = {
        [IT_REG] = OPD_REG,   [IT_UREG] = OPD_UREG,   [IT_PRED] = OPD_PRED,   [IT_UPRED] = OPD_UPRED,
        [IT_BREG] = OPD_BREG, [IT_SB] = OPD_SB,       [IT_INT] = OPD_IMM,     [IT_F32] = OPD_IMM,
        [IT_HALF2] = OPD_IMM, [IT_F64] = OPD_IMM,     [IT_CONST] = OPD_CONST, [IT_BINDLESS] = OPD_BINDLESS,
        [IT_SREG] = OPD_SREG, [IT_GDESC] = OPD_GDESC, [IT_PR] = OPD_PR,       [IT_LIST] = OPD_LIST,
    };
    const struct operand *o = &in->opd[it->slot];
    if (!item_present(it, in) || (o->kind == OPD_NONE && (it->flags & ITF_OMIT))) {
        put_default(it, w);
        return o->kind == OPD_NONE;
    }
    if (it->kind == IT_TARGET)
        return encode_target(it, a, o, address, w);
    if (it->kind == IT_MEM)
        return encode_mem(it, o, w);
    if (o->kind != kinds[it->kind])
        return false;
    bool ok = true;
    switch (it->kind) {
    case IT_CONST:
        ok = encode_const(it, o, w);
        break;
    case IT_BINDLESS:
        ok = o->imm >= 0 && put(w, it->pos, it->len, (uint64_t)o->imm) && put(w, it->ur, 6, o->ureg);
        break;
    case IT_INT:
    case IT_F32:
    case IT_HALF2:
    case IT_F64:
    case IT_SREG:
    case IT_LIST:
        ok = encode_int(it, o, w);
        break;
    default:
        ok = put(w, it->pos, it->len, it->flags & ITF_INVERTED ? 7u - o->reg : o->reg);
    }
    bool logic = (it->flags & ITF_LOGIC) || ((it->flags & ITF_LOGIC_X) && in->mod[MOD_X]);
    bool not_ = o->flags & OPF_NOT, neg = logic ? not_ : (o->flags & OPF_NEG) != 0;
    return ok && put_bit(w, it->neg, neg) && put_bit(w, it->abs, o->flags & OPF_ABS) &&
           put_bit(w, it->not_, not_ && !logic) && (!logic || !(o->flags & OPF_NEG)) &&
           (it->sel_len ? put(w, it->sel, it->sel_len, o->sel) : o->sel == (it->style == 'w' ? SEL_CROSSED : 0));
}

/* Every set modifier and operand must have found its place, or the row cannot express the instruction. */
static bool all_placed(const struct enc_row *r, const struct inst *in)
{
    bool mod[MOD_COUNT] = {false}, opd[NOPERAND] = {false};
    for (unsigned i = 0; i < r->nitem; i++) {
        const struct enc_item *it = &r->item[i];
        if (it->kind == IT_MOD || it->kind == IT_MODSET)
            mod[it->mod] = true;
        else if (it->kind > IT_SKIP)
            opd[it->slot] = true;
    }
    for (unsigned m = 0; m < MOD_COUNT; m++)
        if (in->mod[m] && !mod[m])
            return false;
    for (unsigned s = 0; s < NOPERAND; s++)
        if (in->opd[s].kind != OPD_NONE && !opd[s])
            return false;
    return true;
}

static void encode_sched(const struct sched *s, uint64_t w[2])
{
    if (!s->present) { /* the safest hint: no counters, no stall */
        word_put(w, 109, 1, 1);
        word_put(w, 110, 6, 0x3f);
        return;
    }
    word_put(w, 105, 4, s->stall);
    word_put(w, 109, 1, !s->yield);
    word_put(w, 110, 3, s->wr_sb);
    word_put(w, 113, 3, s->rd_sb);
    word_put(w, 116, 6, s->wait);
    word_put(w, 122, 4, s->reuse);
}

static bool encode_row(const struct enc_row *r, enum arch a, const struct inst *in, uint32_t address, uint64_t w[2])
{
    if (r->op != in->op || !(r->archs >> arch_bit(a) & 1) || !all_placed(r, in))
        return false;
    if (in->guard_uniform != r->uniform_guard && !(in->guard == PT))
        return false;
    w[0] = r->fixed[0];
    w[1] = r->fixed[1];
    word_put(w, 12, 3, in->guard);
    word_put(w, 15, 1, in->guard_not);
    encode_sched(&in->sched, w);
    for (unsigned i = 0; i < r->nitem; i++) {
        const struct enc_item *it = &r->item[i];
        if (it->kind == IT_MOD && !encode_mod(r, it, in, w))
            return false;
        if (it->kind == IT_MODSET && in->mod[it->mod] != it->sel)
            return false;
        if (it->kind > IT_SKIP && !encode_operand(it, a, in, address, w))
            return false;
    }
    uint32_t imm = (uint32_t)word_get(w, 32, 32);
    if (r->power_of_two && (!imm || (imm & (imm - 1))))
        return false;
    return (w[0] & r->fixed_mask[0]) == r->fixed[0] && (w[1] & r->fixed_mask[1]) == r->fixed[1];
}

/* The row of an instruction: of the one that decoded it, else found by trying; -1: none fits. */
int enc_find_row(enum arch a, const struct inst *in, uint32_t address, uint64_t w[2])
{
    const struct enc_table *t = enc_table();
    if (in->form < t->n && encode_row(&t->row[in->form], a, in, address, w))
        return in->form;
    for (uint32_t i = 0; i < t->n; i++)
        if (encode_row(&t->row[i], a, in, address, w))
            return (int)i;
    return -1;
}

bool inst_encode(enum arch a, const struct inst *in, uint32_t address, uint64_t word[2], struct error *err)
{
    if (enc_find_row(a, in, address, word) >= 0)
        return true;
    struct sb text = {0};
    inst_print(a, in, &text);
    error_set(err, EXIT_BAD_INPUT, "sm_%d has no encoding for \"%s\" at 0x%x", (int)a, text.text, address);
    sb_finish(&text);
    return false;
}
