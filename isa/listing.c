/* Prints an instruction as NVIDIA's disassembler does, by the row that encodes it. */
#include "isa/encoding.h"

#include <string.h>

static void print_signed_hex(int64_t v, struct sb *out)
{
    if (v < 0)
        sb_addf(out, "-0x%llx", -(unsigned long long)v);
    else
        sb_addf(out, "0x%llx", (unsigned long long)v);
}

static void print_int(const struct enc_item *it, int64_t imm, struct sb *out)
{
    if ((it->flags & ITF_SIGNED) && it->len >= 32)
        imm = (int32_t)imm;
    print_signed_hex(imm, out);
}

static void print_reg(char kind, unsigned n, struct sb *out)
{
    if (kind == 'R')
        n == RZ ? sb_add(out, "RZ") : sb_addf(out, "R%u", n);
    else
        n == URZ ? sb_add(out, "URZ") : sb_addf(out, "UR%u", n);
}

static void print_pred(const char *prefix, unsigned n, struct sb *out)
{
    n == PT ? sb_addf(out, "%sT", prefix) : sb_addf(out, "%s%u", prefix, n);
}

static void print_selector(const struct enc_item *it, const struct operand *o, const struct inst *in, struct sb *out)
{
    static const char *const half[] = {"", ".F32", ".H0_H0", ".H1_H1"};
    static const char *const byte[] = {"", ".B1", ".B2", ".B3"};
    if (it->style == 'h')
        sb_add(out, half[o->sel & 3]);
    else if (it->style == 'w')
        sb_add(out, ".H0_NH1");
    else if (it->style == 's')
        sb_add(out, ".SIGN");
    else if (it->style == 'H')
        sb_add(out, o->sel ? ".H1" : "");
    else if (it->style == 'b')
        sb_add(out, byte[o->sel & 3]);
    else if (it->style == 'c' && o->sel)
        sb_add(out, strchr(mod_value_name(MOD_CTYPE, in->mod[MOD_CTYPE]), '1') ? ".H1" : byte[o->sel & 3]);
}

static void print_mem(enum arch a, const struct enc_item *it, const struct operand *o, struct sb *out)
{
    static const char *const scale[] = {"", ".X4", ".X8", ".X16"};
    if ((o->flags & OPF_HAS_DESC) && (a == ARCH_SM90 || it->style == 'S')) { /* earlier parts list only explicit ones */
        sb_add(out, "desc[");
        print_reg('U', o->desc, out);
        sb_add(out, "]");
    }
    sb_add(out, "[");
    bool any = false;
    bool ur = o->flags & OPF_HAS_UREG, reg = o->flags & OPF_HAS_REG;
    if (reg || (o->flags & OPF_HAS_DESC) ||
        (ur ? o->sel != 0 || (a == ARCH_SM90 && (o->flags & OPF_U32)) : o->imm == 0)) {
        print_reg('R', reg ? o->reg : RZ, out);
        sb_add(out, o->flags & OPF_64 ? ".64" : o->flags & OPF_U32 ? ".U32" : "");
        sb_add(out, reg || ur ? scale[o->sel & 3] : "");
        any = true;
    }
    if (ur) {
        sb_add(out, any ? "+" : "");
        print_reg('U', o->ureg, out);
        any = true;
    }
    if (o->imm || !any) {
        sb_add(out, any ? "+" : "");
        print_signed_hex(o->imm, out);
    }
    sb_add(out, "]");
}

static void print_const(const struct enc_item *it, const struct operand *o, struct sb *out)
{
    sb_addf(out, "c[0x%x][", o->bank);
    if (o->flags & (OPF_HAS_REG | OPF_HAS_UREG)) {
        bool ur = o->flags & OPF_HAS_UREG;
        print_reg(ur ? 'U' : 'R', ur ? o->ureg : o->reg, out);
        if (o->imm) {
            sb_add(out, "+");
            print_signed_hex(o->imm, out);
        }
    } else if (it->base != NO_BIT && o->imm == 0) {
        sb_add(out, "RZ");
    } else {
        print_signed_hex(o->imm, out);
    }
    sb_add(out, "]");
}

static void print_list(int64_t set, struct sb *out)
{
    const char *comma = "";
    sb_add(out, "{");
    for (int i = 5; i >= 0; i--) {
        if (set >> i & 1) {
            sb_addf(out, "%s%d", comma, i);
            comma = ",";
        }
    }
    sb_add(out, "}");
}

static void print_sreg(enum arch a, int64_t n, struct sb *out)
{
    const char *name = sreg_name((unsigned)n);
    bool hopper_only = n == 65 || (n >= 134 && n < 255);
    if (name && (a == ARCH_SM90 || !hopper_only))
        sb_add(out, name);
    else
        sb_addf(out, "SR%d", (int)n);
}

static bool is_mod(const struct inst *in, unsigned m, const char *value)
{
    return !strcmp(mod_value_name(m, in->mod[m]), value);
}

/* FSWZADD: two letters for each lane of a quad, the highest bits first. */
static void print_signs(int64_t bits, unsigned n, struct sb *out)
{
    static const char *const pair[] = {"PP", "PN", "NP", "ZP"};
    for (; n >= 2; n -= 2)
        sb_add(out, pair[bits >> (n - 2) & 3]);
}

/* A single half as an immediate has the type that is converted from, or the only one. */
static bool half_is_bfloat(const struct inst *in)
{
    enum mod m = in->op == OP_MUFU ? MOD_MUFUTYPE : in->mod[MOD_CTYPE] ? MOD_CTYPE : MOD_DTYPE;
    return is_mod(in, m, "BF16");
}
static void print_value(const struct enc_item *it, enum arch a, const struct inst *in, const struct operand *o,
                        struct sb *out)
{
    bool bfloat = is_mod(in, MOD_BF16, "BF16_V2"), single = is_mod(in, MOD_BF16, "F32");
    switch (it->kind) {
    case IT_REG:
        print_reg('R', o->reg, out);
        break;
    case IT_UREG:
        sb_add(out, it->style == 'm' ? "[" : it->style == 'd' ? "desc[" : "");
        print_reg('U', o->reg, out);
        sb_add(out, it->style == 'm' || it->style == 'd' ? "]" : "");
        break;
    case IT_PRED:
        print_pred("P", o->reg, out);
        break;
    case IT_UPRED:
        print_pred("UP", o->reg, out);
        break;
    case IT_BREG:
        sb_addf(out, "B%u", o->reg);
        break;
    case IT_SB:
        sb_addf(out, it->style == 'g' ? "gsb%u" : "SB%u", o->reg);
        break;
    case IT_INT:
        if (it->style == 'p')
            sb_add(out, o->imm ? "Rpc.HI" : "Rpc.LO");
        else if (it->style == 'e')
            print_half((uint16_t)o->imm, half_is_bfloat(in), out);
        else if (it->style == 'z')
            print_signs(o->imm, it->len, out);
        else
            print_int(it, o->imm, out);
        break;
    case IT_F32:
        print_f32((uint32_t)o->imm, out);
        break;
    case IT_F64:
        print_f64_high((uint32_t)o->imm, out);
        break;
    case IT_HALF2:
        if (!single) { /* an instruction that widens to fp32 reads one half */
            print_half((uint16_t)(o->imm >> 16), bfloat, out);
            sb_add(out, ", ");
        }
        print_half((uint16_t)o->imm, bfloat, out);
        break;
    case IT_CONST:
        print_const(it, o, out);
        break;
    case IT_BINDLESS:
        sb_add(out, "cx[");
        print_reg('U', o->ureg, out);
        sb_addf(out, "][0x%llx]", (unsigned long long)o->imm);
        break;
    case IT_SREG:
        print_sreg(a, o->imm, out);
        break;
    case IT_TARGET:
        print_signed_hex(o->imm, out);
        break;
    case IT_MEM:
        print_mem(a, it, o, out);
        break;
    case IT_GDESC:
        sb_add(out, "gdesc[");
        print_reg('U', o->reg, out);
        sb_addf(out, "]%s%s%s%s", in->mod[MOD_NEGA] ? ".negA" : "", in->mod[MOD_NEGB] ? ".negB" : "",
                in->mod[MOD_TNSPA] ? ".tnspA" : "", in->mod[MOD_TNSPB] ? ".tnspB" : "");
        break;
    case IT_PR:
        sb_add(out, it->style == 'u' ? "UPR" : "PR");
        break;
    case IT_LIST:
        print_list(o->imm, out);
        break;
    default:
        must(!"operand item kind");
    }
}

static void print_operand(const struct enc_item *it, enum arch a, const struct inst *in, struct sb *out)
{
    const struct operand *o = &in->opd[it->slot];
    bool reg = it->kind == IT_REG, sel = (it->sel_len || it->style == 'w' || it->style == 's') && it->kind != IT_MEM;
    /* |R1|.H0_H0 and R1.reuse.H1, but |R1.H1| and |c[0x0][0x8].H0_H0| */
    bool sel_after = reg && !(it->style == 'H' && (o->flags & OPF_ABS));
    if (o->flags & OPF_NOT)
        sb_add(out, it->kind == IT_PRED || it->kind == IT_UPRED ? "!" : "~");
    if (o->flags & OPF_NEG)
        sb_add(out, "-");
    if (o->flags & OPF_ABS)
        sb_add(out, "|");
    print_value(it, a, in, o, out);
    if (sel && !sel_after)
        print_selector(it, o, in, out);
    if (o->flags & OPF_ABS)
        sb_add(out, "|");
    if (reg && it->reuse != NO_BIT && (in->sched.reuse >> it->reuse & 1))
        sb_add(out, ".reuse");
    if (it->style == 'R' || it->style == 'C')
        sb_add(out, it->style == 'R' ? ".ROW" : ".COL");
    if (it->style == '4' || it->style == '2')
        sb_add(out, it->style == '4' ? ".24" : ".28");
    if (sel && sel_after)
        print_selector(it, o, in, out);
}

static void print_guard(const struct inst *in, struct sb *out)
{
    if (in->guard == PT && !in->guard_not)
        return;
    sb_add(out, in->guard_not ? "@!" : "@");
    print_pred(in->guard_uniform ? "UP" : "P", in->guard, out);
    sb_add(out, " ");
}

void inst_print(enum arch a, const struct inst *in, struct sb *out)
{
    uint64_t w[2];
    const struct enc_table *t = enc_table();
    int row = in->form < t->n && t->row[in->form].op == in->op ? in->form : enc_find_row(a, in, 0, w);
    print_guard(in, out);
    sb_add(out, op_table[in->op].text);
    if (row < 0) {
        sb_add(out, " (no encoding)");
        return;
    }
    const struct enc_row *r = &t->row[row];
    for (unsigned i = 0; i < r->nitem; i++) {
        const struct enc_item *it = &r->item[i];
        if (it->kind == IT_TEXT)
            sb_addf(out, "%s%s", it->flags & ITF_GLUE ? "" : ".", it->text);
        else if ((it->kind == IT_MOD || it->kind == IT_MODSET) && !(it->flags & ITF_HIDE)) {
            const char *value = mod_value_name(it->mod, in->mod[it->mod]);
            const char *lead = !*value ? "" : it->mod == MOD_GMMAK ? "x" : "."; /* 64x64x16 */
            sb_addf(out, "%s%s", lead, value);
        }
    }
    bool first = true;
    for (unsigned i = 0; i < r->nitem; i++) {
        const struct enc_item *it = &r->item[i];
        if (it->kind <= IT_SKIP || in->opd[it->slot].kind == OPD_NONE)
            continue;
        sb_add(out, first || (it->flags & ITF_GLUE) ? " " : ", ");
        print_operand(it, a, in, out);
        first = false;
    }
}

/* A kernel's whole code, one instruction a line, as `cuobjdump -sass` lays it out without the words. */
void sass_print(const struct program *p, struct sb *out)
{
    for (uint32_t k = 0; k < p->nkernel; k++) {
        const struct kernel *kn = &p->kernels[k];
        sb_addf(out, "%sFunction : %s\n", k ? "\n" : "", kn->name);
        for (uint32_t i = 0; i < kn->n; i++) {
            sb_addf(out, "        /*%04x*/                   ", i * INST_BYTES);
            inst_print(p->arch, &kn->code[i], out);
            sb_add(out, " ;\n");
        }
    }
}
