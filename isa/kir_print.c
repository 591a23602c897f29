/* Program -> KIR text that the parser reads back to an equal program. */
#include "isa/kir.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- operands --------------------------------------------------------------------------------- */
static void hex(int64_t v, struct sb *out)
{
    sb_addf(out, v < 0 ? "-0x%llx" : "0x%llx", v < 0 ? -(unsigned long long)v : (unsigned long long)v);
}
static void reg(const char *prefix, unsigned n, unsigned zero, const char *zero_text, struct sb *out)
{
    n == zero ? sb_add(out, zero_text) : sb_addf(out, "%s%u", prefix, n);
}
static void r(unsigned n, struct sb *out)
{
    reg("R", n, RZ, "RZ", out);
}
static void ur(unsigned n, struct sb *out)
{
    reg("UR", n, URZ, "URZ", out);
}

static void print_mem(const struct operand *o, struct sb *out)
{
    static const char *const scale[] = {"", ".X4", ".X8", ".X16"};
    bool has_reg = o->flags & OPF_HAS_REG, has_ureg = o->flags & OPF_HAS_UREG;
    if (o->flags & OPF_HAS_DESC) {
        sb_add(out, "desc[");
        ur(o->desc, out);
        sb_add(out, "]");
    }
    sb_add(out, "[");
    bool any = has_reg || (o->flags & OPF_64) || (o->sel & 3) || (o->flags & OPF_HAS_DESC);
    if (any) {
        r(has_reg ? o->reg : RZ, out);
        sb_add(out, o->flags & OPF_64 ? ".64" : o->flags & OPF_U32 ? ".U32" : "");
        sb_add(out, scale[o->sel & 3]);
    }
    if (has_ureg) {
        sb_add(out, any ? "+" : "");
        ur(o->ureg, out);
        any = true;
    }
    if (o->imm || !any) {
        sb_add(out, any && o->imm >= 0 ? "+" : "");
        hex(o->imm, out);
    }
    sb_add(out, "]");
}

static void print_const(const struct operand *o, struct sb *out)
{
    sb_addf(out, "c[0x%x][", o->bank);
    if (o->flags & OPF_HAS_REG) {
        r(o->reg, out);
        sb_add(out, o->imm > 0 ? "+" : "");
    }
    if (o->flags & OPF_HAS_UREG) {
        ur(o->ureg, out);
        sb_add(out, o->imm > 0 ? "+" : "");
    }
    if (o->imm || !(o->flags & (OPF_HAS_REG | OPF_HAS_UREG)))
        hex(o->imm, out);
    sb_add(out, "]");
}

/* A number if its text gives the very bits back, else the bits. */
static void print_float(const struct enc_item *it, const struct inst *in, const struct operand *o, struct sb *out)
{
    struct sb text = {0};
    uint32_t bits = (uint32_t)o->imm, back, low = 0;
    bool bfloat = in->mod[MOD_BF16] != 0, ok;
    if (it->kind == IT_HALF2) {
        struct sb second = {0};
        print_half((uint16_t)(bits >> 16), bfloat, &text);
        print_half((uint16_t)bits, bfloat, &second);
        ok = kir_float_bits(IT_HALF2, bfloat, text.text, &back) &&
             kir_float_bits(IT_HALF2, bfloat, second.text, &low) && back == bits >> 16 && low == (bits & 0xffff);
        sb_addf(&text, ", %s", second.text);
        sb_finish(&second);
    } else {
        it->kind == IT_F32 ? print_f32(bits, &text) : print_f64_high(bits, &text);
        ok = kir_float_bits(it->kind, false, text.text, &back) && back == bits;
    }
    ok ? sb_add(out, text.text) : sb_addf(out, "0x%x", bits);
    sb_finish(&text);
}

static void print_target(const struct operand *o, const struct kernel *k, const uint8_t *is_target, struct sb *out)
{
    bool inside = o->kind == OPD_TARGET && o->imm >= 0 && o->imm % INST_BYTES == 0 && o->imm / INST_BYTES < k->n;
    if (inside && is_target[o->imm / INST_BYTES])
        sb_addf(out, ".L_%llx", (unsigned long long)o->imm);
    else
        hex(o->imm, out);
}

static void print_list(int64_t set, struct sb *out)
{
    const char *comma = "{";
    for (int i = 5; i >= 0; i--) {
        if (set >> i & 1) {
            sb_addf(out, "%s%d", comma, i);
            comma = ",";
        }
    }
    sb_add(out, set ? "}" : "{}");
}

static void print_value(const struct enc_item *it, const struct inst *in, const struct operand *o,
                        const struct kernel *k, const uint8_t *is_target, struct sb *out)
{
    switch (o->kind) {
    case OPD_REG:
        r(o->reg, out);
        break;
    case OPD_UREG:
        ur(o->reg, out);
        break;
    case OPD_PRED:
        reg("P", o->reg, PT, "PT", out);
        break;
    case OPD_UPRED:
        reg("UP", o->reg, PT, "UPT", out);
        break;
    case OPD_BREG:
        sb_addf(out, "B%u", o->reg);
        break;
    case OPD_SB:
        sb_addf(out, it->style == 'g' ? "gsb%u" : "SB%u", o->reg);
        break;
    case OPD_IMM:
        if (it->kind == IT_F32 || it->kind == IT_F64 || it->kind == IT_HALF2)
            print_float(it, in, o, out);
        else
            hex((it->flags & ITF_SIGNED) && it->len >= 32 ? (int32_t)o->imm : o->imm, out);
        break;
    case OPD_CONST:
        print_const(o, out);
        break;
    case OPD_BINDLESS:
        sb_add(out, "cx[");
        ur(o->ureg, out);
        sb_addf(out, "][0x%llx]", (unsigned long long)o->imm);
        break;
    case OPD_SREG:
        sreg_name((unsigned)o->imm) ? sb_add(out, sreg_name((unsigned)o->imm)) : sb_addf(out, "SR%u", (unsigned)o->imm);
        break;
    case OPD_TARGET:
        print_target(o, k, is_target, out);
        break;
    case OPD_MEM:
        print_mem(o, out);
        break;
    case OPD_GDESC:
        sb_add(out, "gdesc[");
        ur(o->reg, out);
        sb_add(out, "]");
        break;
    case OPD_PR:
        sb_add(out, "PR");
        break;
    case OPD_LIST:
        print_list(o->imm, out);
        break;
    default:
        break;
    }
}

static void print_operand(const struct enc_item *it, const struct inst *in, const struct kernel *k,
                          const uint8_t *is_target, struct sb *out)
{
    static const char *const half[] = {"", ".F32", ".H0_H0", ".H1_H1"}, *const byte[] = {"", ".B1", ".B2", ".B3"};
    const struct operand *o = &in->opd[it->slot];
    if (o->flags & OPF_NOT)
        sb_add(out, o->kind == OPD_PRED || o->kind == OPD_UPRED ? "!" : "~");
    sb_add(out, o->flags & OPF_NEG ? "-" : "");
    sb_add(out, o->flags & OPF_ABS ? "|" : "");
    print_value(it, in, o, k, is_target, out);
    sb_add(out, o->flags & OPF_ABS ? "|" : "");
    if (it->sel_len && it->kind != IT_MEM)
        sb_add(out, it->style == 'h' ? half[o->sel & 3] : byte[o->sel & 3]);
    if (o->sel == SEL_CROSSED)
        sb_add(out, ".H0_NH1");
}

/* ---- instructions --------------------------------------------------------------------------- */
static void print_mods(const struct enc_row *row, const struct inst *in, struct sb *out)
{
    for (unsigned i = 0; i < row->nitem; i++) {
        const struct enc_item *it = &row->item[i];
        if (it->kind == IT_TEXT)
            sb_addf(out, ".%s", it->text);
        if (it->kind != IT_MOD && it->kind != IT_MODSET)
            continue; /* also those that the machine listing leaves out: nothing may be lost */
        const char *value = mod_value_name(it->mod, in->mod[it->mod]);
        if (*value)
            sb_addf(out, "%s%s", it->mod == MOD_GMMAK ? "x" : ".", value);
    }
}

static void print_bits(const char *lead, unsigned mask, bool letters, struct sb *out)
{
    for (unsigned i = 0; i < 8; i++) {
        if (!(mask >> i & 1))
            continue;
        letters ? sb_addf(out, "%s%c", lead, 'A' + (int)i) : sb_addf(out, "%s%u", lead, i);
        lead = "|";
    }
}

static void print_sched(const struct sched *f, struct sb *out)
{
    sb_addf(out, "  {stall %u", f->stall);
    sb_add(out, f->yield ? ", yield" : "");
    if (f->wr_sb != SB_NONE)
        sb_addf(out, ", wr %u", f->wr_sb);
    if (f->rd_sb != SB_NONE)
        sb_addf(out, ", rd %u", f->rd_sb);
    print_bits(", wait ", f->wait, false, out);
    print_bits(", reuse ", f->reuse, true, out);
    sb_add(out, "}");
}

/* An absent predicate before a present one of its kind has to be written. */
static const char *placeholder(const struct enc_row *row, unsigned i, const struct inst *in)
{
    const struct enc_item *it = &row->item[i], *next = i + 1 < row->nitem ? it + 1 : NULL;
    if (!next || !(it->flags & ITF_OMIT) || !(next->flags & ITF_OMIT) || it->kind != next->kind ||
        in->opd[next->slot].kind == OPD_NONE)
        return NULL;
    return it->kind == IT_PRED    ? "PT"
           : it->kind == IT_UPRED ? "UPT"
           : it->kind == IT_REG   ? "RZ"
           : it->kind == IT_UREG  ? "URZ"
                                  : NULL;
}

static void print_inst(const struct program *p, const struct kernel *k, const struct inst *in, bool strip,
                       const uint8_t *is_target, struct sb *out)
{
    const struct enc_table *t = enc_table();
    uint64_t w[2];
    int row = in->form < t->n && t->row[in->form].op == in->op ? in->form : enc_find_row(p->arch, in, 0, w);
    size_t start = out->len;
    sb_add(out, "    ");
    if (in->guard != PT || in->guard_not) {
        sb_add(out, in->guard_not ? "@!" : "@");
        in->guard_uniform ? reg("UP", in->guard, PT, "UPT", out) : reg("P", in->guard, PT, "PT", out);
        sb_add(out, " ");
    }
    sb_add(out, op_table[in->op].text);
    bool first = true;
    if (row >= 0)
        print_mods(&t->row[row], in, out);
    for (unsigned i = 0; row >= 0 && i < t->row[row].nitem; i++) {
        const struct enc_item *it = &t->row[row].item[i];
        bool absent = it->kind > IT_SKIP && in->opd[it->slot].kind == OPD_NONE;
        const char *stand_in = absent ? placeholder(&t->row[row], i, in) : NULL;
        if (it->kind <= IT_SKIP || (absent && !stand_in))
            continue;
        sb_add(out, first || (it->flags & ITF_GLUE) ? " " : ", ");
        stand_in ? sb_add(out, stand_in) : print_operand(it, in, k, is_target, out);
        first = false;
    }
    if (in->sched.present && !strip) {
        while (out->len - start < 56)
            sb_add(out, " ");
        print_sched(&in->sched, out);
    }
    sb_add(out, "\n");
}

/* ---- program -------------------------------------------------------------------------------- */
static bool plain_name(const char *s)
{
    for (const char *p = s; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_' && *p != '.' && *p != '$')
            return false;
    return *s && !isdigit((unsigned char)*s);
}
static void print_name(const char *s, struct sb *out)
{
    sb_addf(out, plain_name(s) ? "%s" : "\"%s\"", s);
}

static void print_data(const uint8_t *data, uint64_t bytes, struct sb *out)
{
    uint64_t i = 0;
    for (uint64_t end; i < bytes; i = end) {
        end = i;
        while (end < bytes && data[end] == 0)
            end++;
        if (end - i >= 16 || end == bytes) { /* a run of zeros */
            end = end == bytes ? end : i + (end - i) / 4 * 4;
            sb_addf(out, "    .zero %llu\n", (unsigned long long)(end - i));
            continue;
        }
        end = i;
        const char *lead = bytes - i >= 4 ? "    .word " : "    .byte ";
        unsigned step = bytes - i >= 4 ? 4 : 1;
        for (unsigned n = 0; n < 8 && bytes - end >= step; n++, end += step, lead = ", ") {
            uint32_t v = 0;
            memcpy(&v, data + end, step);
            sb_addf(out, "%s0x%x", lead, v);
        }
        sb_add(out, "\n");
    }
}

static const char *const kinds[] = {"addr32", "addr64", "lo32", "hi32"};

static void print_addend(int64_t a, struct sb *out)
{
    if (a)
        sb_addf(out, a < 0 ? " - 0x%llx" : " + 0x%llx", a < 0 ? -(unsigned long long)a : (unsigned long long)a);
    sb_add(out, "\n");
}

static void print_pointers(const struct global *g, struct sb *out)
{
    for (uint32_t i = 0; i < g->nreloc; i++) {
        sb_addf(out, "    .pointer 0x%x %s ", g->relocs[i].offset, kinds[g->relocs[i].kind & 1]);
        print_name(g->relocs[i].symbol, out);
        print_addend(g->relocs[i].addend, out);
    }
}

static void print_relocs(const struct kernel *k, struct sb *out)
{
    for (uint32_t i = 0; i < k->nreloc; i++) {
        const struct reloc *x = &k->relocs[i];
        sb_add(out, "  .reloc ");
        x->where == RELOC_IN_CODE ? sb_add(out, "code") : sb_addf(out, "%u", x->where);
        sb_addf(out, " 0x%x %s ", x->offset, kinds[x->kind & 3]);
        print_name(x->symbol, out);
        print_addend(x->addend, out);
    }
}

static void print_three(const char *name, const uint32_t v[3], struct sb *out)
{
    if (v[0])
        sb_addf(out, "  %s %u, %u, %u\n", name, v[0], v[1], v[2]);
}

static void print_header(const struct kernel *k, struct sb *out)
{
    uint32_t end = 0;
    sb_add(out, "\n.kernel ");
    print_name(k->name, out);
    sb_addf(out, "\n  .regs %u\n", k->nreg);
    for (uint32_t i = 0; i < k->nparam; i++) {
        sb_add(out, "  .param ");
        print_name(k->params[i].name, out);
        sb_addf(out, " %u @0x%x\n", k->params[i].bytes, k->params[i].offset);
        end = k->params[i].offset + k->params[i].bytes > end ? k->params[i].offset + k->params[i].bytes : end;
    }
    if (k->param_bytes != end)
        sb_addf(out, "  .param_bytes %u\n", k->param_bytes);
    if (k->shared_bytes)
        sb_addf(out, "  .shared %u\n", k->shared_bytes);
    if (k->local_bytes)
        sb_addf(out, "  .local %u\n", k->local_bytes);
    sb_addf(out, "  .barriers %u\n", k->nbarrier);
    print_three(".reqntid", k->reqntid, out);
    print_three(".maxntid", k->maxntid, out);
    print_three(".cluster", k->cluster, out);
    for (unsigned b = 1; b < ARRAY_LEN(k->bank); b++) {
        if (!k->bank[b])
            continue;
        sb_addf(out, "  .bank %u %u\n", b, k->bank_bytes[b]);
        print_data(k->bank[b], k->bank_bytes[b], out);
    }
    print_relocs(k, out);
}

/* A text that is its own source needs no line marks: they are its lines. */
static bool has_lines(const struct program *p, const struct kernel *k)
{
    if (p->nfile == 1 && strcmp(p->files[0], p->path) == 0)
        return false;
    for (uint32_t i = 0; i < k->n; i++)
        if (k->code[i].line)
            return true;
    return false;
}

static void print_symbols(const struct kernel *k, uint32_t index, struct sb *out)
{
    for (uint32_t i = 0; i < k->nsymbol; i++) {
        if (k->symbols[i].address != index * INST_BYTES)
            continue;
        print_name(k->symbols[i].name, out);
        sb_add(out, ":\n");
    }
}

static uint8_t *find_targets(const struct kernel *k)
{
    uint8_t *t = xcalloc(k->n + 1, 1);
    for (uint32_t i = 0; i < k->n; i++)
        for (unsigned s = 0; s < NOPERAND; s++) {
            const struct operand *o = &k->code[i].opd[s];
            if (o->kind == OPD_TARGET && o->imm >= 0 && o->imm % INST_BYTES == 0 && o->imm / INST_BYTES < k->n)
                t[o->imm / INST_BYTES] = 1;
        }
    return t;
}

static void print_kernel(const struct program *p, const struct kernel *k, bool strip, struct sb *out)
{
    uint8_t *is_target = find_targets(k);
    bool lines = has_lines(p, k);
    uint32_t line = 0, file = 0;
    print_header(k, out);
    for (uint32_t i = 0; i < k->n; i++) {
        const struct inst *in = &k->code[i];
        print_symbols(k, i, out);
        if (is_target[i])
            sb_addf(out, ".L_%x:\n", i * INST_BYTES);
        if (lines && (in->line != line || in->file != file))
            sb_addf(out, "  .loc %u %u\n", in->file, in->line);
        line = in->line;
        file = in->file;
        print_inst(p, k, in, strip, is_target, out);
    }
    print_symbols(k, k->n, out);
    free(is_target);
}

void kir_print(const struct program *p, bool strip_sched, struct sb *out)
{
    if (p->arch == ARCH_KIR)
        sb_add(out, ".arch kir\n");
    else
        sb_addf(out, ".arch sm_%d%s\n", (int)p->arch, p->arch_specific ? "a" : "");
    for (uint32_t i = 0; i < p->nfile && strcmp(p->files[0], p->path) != 0; i++)
        sb_addf(out, ".file %u \"%s\"\n", i, p->files[i]);
    for (uint32_t i = 0; i < p->nglobal; i++) {
        sb_add(out, ".global ");
        print_name(p->globals[i].name, out);
        sb_addf(out, " %llu %u\n", (unsigned long long)p->globals[i].bytes, p->globals[i].align);
        if (p->globals[i].init)
            print_data(p->globals[i].init, p->globals[i].bytes, out);
        print_pointers(&p->globals[i], out);
    }
    for (uint32_t i = 0; i < p->nkernel; i++)
        print_kernel(p, &p->kernels[i], strip_sched, out);
}
