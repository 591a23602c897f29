/* PTX writer: hand-written KIR as virtual text for the vendor's assembler, so that a lesson can run on a real GPU. The
 * assembler chooses registers and order anew, so scheduling fields, convergence barriers and forms that only the
 * machine has are refused: they would be lost. */
#include "isa/ptx.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SINK_PRED = 7 };

bool ptx_refuse(struct ptx *x, const char *fmt, ...)
{
    char why[300];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    struct sb text = {0};
    inst_print(x->p->arch, x->in, &text);
    error_set(x->err, EXIT_BAD_INPUT, "%s:%u: kernel %s: \"%s\" cannot be written as PTX: %s", x->p->path, x->in->line,
              x->k->name, text.text, why);
    sb_finish(&text);
    return false;
}

bool ptx_unknown(struct ptx *x)
{
    return ptx_refuse(x, "the writer has no form for it");
}

const char *ptx_text(struct ptx *x, const char *fmt, ...)
{
    char *to = x->pool[x->npool++ % ARRAY_LEN(x->pool)];
    va_list args;
    va_start(args, fmt);
    vsnprintf(to, sizeof x->pool[0], fmt, args);
    va_end(args);
    return to;
}

const char *ptx_temp(struct ptx *x, char kind)
{
    unsigned *n = kind == 't' ? &x->ntemp : kind == 'd' ? &x->nwide : &x->npred;
    return ptx_text(x, "%%%c%u", kind, (*n)++);
}

void ptx_line(struct ptx *x, const char *fmt, ...)
{
    char text[300];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    sb_add(&x->body, "    ");
    if (x->in->guard != PT)
        sb_addf(&x->body, "@%s%%p%u ", x->in->guard_not ? "!" : "", x->in->guard);
    sb_addf(&x->body, "%s;\n", text);
}

const char *ptx_mod(const struct ptx *x, enum mod m)
{
    return mod_value_name(m, x->in->mod[m]);
}

/* ---- operands ----------------------------------------------------------------------------------- */
const char *ptx_reg(struct ptx *x, unsigned n)
{
    return n == RZ ? "0" : ptx_text(x, "%%r%u", n);
}

static const struct param *param_at(const struct ptx *x, int64_t offset, uint32_t bytes, uint32_t *within)
{
    int64_t at = offset - arch_info(x->p->arch)->param_base;
    for (uint32_t i = 0; i < x->k->nparam; i++) {
        const struct param *p = &x->k->params[i];
        if (at >= p->offset && at + bytes <= (int64_t)p->offset + p->bytes) {
            *within = (uint32_t)(at - p->offset);
            return p;
        }
    }
    return NULL;
}

/* c[0x0]: block and grid size, and the parameters. */
static const char *constant(struct ptx *x, const struct operand *o, uint32_t bytes)
{
    static const char *const driver[] = {"%ntid.x", "%ntid.y", "%ntid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z"};
    uint32_t within;
    if (o->bank != 0 || (o->flags & (OPF_HAS_REG | OPF_HAS_UREG)))
        return ptx_refuse(x, "only parameters and block sizes can be read as constants"), NULL;
    const char *t = ptx_temp(x, bytes == 8 ? 'd' : 't');
    if (bytes == 4 && o->imm % 4 == 0 && (uint64_t)o->imm / 4 < ARRAY_LEN(driver)) {
        ptx_line(x, "mov.u32 %s, %s", t, driver[o->imm / 4]);
        return t;
    }
    const struct param *p = param_at(x, o->imm, bytes, &within);
    if (!p)
        return ptx_refuse(x, "c[0x0][0x%llx] is not a parameter", (unsigned long long)o->imm), NULL;
    ptx_line(x, "ld.param.b%u %s, [p_%s+%u]", bytes * 8, t, p->name, within);
    return t;
}

static const char *plain(struct ptx *x, const struct operand *o, enum ptx_kind kind)
{
    switch (o->kind) {
    case OPD_REG:
        if (o->sel)
            return ptx_refuse(x, "half or byte selectors have no PTX form"), NULL;
        return o->reg == RZ && kind == PTX_F32 ? "0f00000000" : ptx_reg(x, o->reg);
    case OPD_IMM:
        return kind == PTX_F32 ? ptx_text(x, "0f%08x", (uint32_t)o->imm) : ptx_text(x, "0x%x", (uint32_t)o->imm);
    case OPD_CONST:
        return constant(x, o, 4);
    case OPD_NONE:
        return kind == PTX_F32 ? "0f00000000" : "0";
    default:
        return ptx_refuse(x, "uniform registers belong to the machine"), NULL;
    }
}

const char *ptx_src(struct ptx *x, unsigned slot, enum ptx_kind kind)
{
    const struct operand *o = &x->in->opd[slot];
    const char *v = plain(x, o, kind);
    if (!v || !(o->flags & (OPF_NEG | OPF_ABS | OPF_NOT)) || kind == PTX_RAW)
        return v;
    const char *t = ptx_temp(x, 't');
    ptx_line(x, "mov.b32 %s, %s", t, v);
    if (kind == PTX_HALF) {
        if (o->flags & OPF_ABS)
            ptx_line(x, "and.b32 %s, %s, 0x7fff7fff", t, t);
        if (o->flags & OPF_NEG)
            ptx_line(x, "xor.b32 %s, %s, 0x80008000", t, t);
        return t;
    }
    if ((o->flags & OPF_ABS) && kind == PTX_F32)
        ptx_line(x, "and.b32 %s, %s, 0x7fffffff", t, t);
    else if (o->flags & OPF_ABS)
        ptx_line(x, "abs.s32 %s, %s", t, t);
    if (o->flags & OPF_NOT)
        ptx_line(x, "not.b32 %s, %s", t, t);
    if ((o->flags & OPF_NEG) && kind == PTX_F32)
        ptx_line(x, "xor.b32 %s, %s, 0x80000000", t, t);
    else if (o->flags & OPF_NEG)
        ptx_line(x, "neg.s32 %s, %s", t, t);
    return t;
}

const char *ptx_src64(struct ptx *x, unsigned slot, bool fp)
{
    const struct operand *o = &x->in->opd[slot];
    const char *d;
    if (o->kind == OPD_CONST) {
        d = constant(x, o, 8);
    } else if (o->kind == OPD_REG) {
        d = ptx_temp(x, 'd');
        ptx_line(x, "mov.b64 %s, {%s, %s}", d, ptx_reg(x, o->reg), ptx_reg(x, o->reg == RZ ? RZ : o->reg + 1u));
    } else if (o->kind == OPD_IMM && fp) {
        d = ptx_temp(x, 'd');
        ptx_line(x, "mov.b64 %s, 0x%08x00000000", d, (uint32_t)o->imm);
    } else {
        return ptx_refuse(x, "a 64-bit operand of this kind"), NULL;
    }
    if (!d || !(o->flags & (OPF_NEG | OPF_ABS | OPF_NOT)))
        return d;
    const char *t = ptx_temp(x, 'd');
    ptx_line(x, "mov.b64 %s, %s", t, d);
    if (o->flags & OPF_ABS)
        ptx_line(x, fp ? "abs.f64 %s, %s" : "abs.s64 %s, %s", t, t);
    if (o->flags & OPF_NEG)
        ptx_line(x, fp ? "neg.f64 %s, %s" : "neg.s64 %s, %s", t, t);
    if (o->flags & OPF_NOT)
        ptx_line(x, "not.b64 %s, %s", t, t);
    return t;
}

const char *ptx_pred(struct ptx *x, unsigned slot, bool absent)
{
    const struct operand *o = &x->in->opd[slot];
    if (o->kind == OPD_NONE)
        return absent ? "%true" : "!%true";
    if (o->kind != OPD_PRED)
        return ptx_refuse(x, "uniform predicates belong to the machine"), NULL;
    const char *neg = o->flags & OPF_NOT ? "!" : "";
    return o->reg == PT ? ptx_text(x, "%s%%true", neg) : ptx_text(x, "%s%%p%u", neg, o->reg);
}

const char *ptx_dst(struct ptx *x, unsigned slot)
{
    const struct operand *o = &x->in->opd[slot];
    return o->kind == OPD_REG && o->reg != RZ ? ptx_reg(x, o->reg) : "%sink";
}

const char *ptx_dst_pred(struct ptx *x, unsigned slot)
{
    const struct operand *o = &x->in->opd[slot];
    return o->kind == OPD_PRED && o->reg != PT ? ptx_text(x, "%%p%u", o->reg) : "%psink";
}

void ptx_put64(struct ptx *x, unsigned slot, const char *wide)
{
    const struct operand *o = &x->in->opd[slot];
    if (o->kind == OPD_REG && o->reg != RZ)
        ptx_line(x, "mov.b64 {%%r%u, %%r%u}, %s", o->reg, o->reg + 1u, wide);
}

/* ---- the instruction ------------------------------------------------------------------------------ */
static bool check(struct ptx *x)
{
    const struct inst *in = x->in;
    if (in->sched.present)
        return ptx_refuse(x, "scheduling fields would be lost; leave them out (heddle lift --strip-sched)");
    if (in->guard_uniform && (in->guard != PT || in->guard_not))
        return ptx_refuse(x, "uniform predicates belong to the machine");
    switch (in->op) {
    case OP_BSSY:
    case OP_BSYNC:
    case OP_BREAK:
    case OP_BMOV:
    case OP_WARPSYNC:
    case OP_YIELD:
        return ptx_refuse(x, "PTX has no convergence barriers; leave them out");
    case OP_DEPBAR:
        return ptx_refuse(x, "PTX has no dependence counters");
    default:
        return true;
    }
}

static bool write_inst(struct ptx *x)
{
    x->npool = 0;
    if (!check(x))
        return false;
    if (x->in->guard == PT && x->in->guard_not)
        return true; /* never executes */
    switch (op_table[x->in->op].unit) {
    case UNIT_FP16:
    case UNIT_FP64:
        return ptx_float(x);
    case UNIT_FMA:
        return ptx_float(x);
    case UNIT_LSU:
    case UNIT_CBU:
    case UNIT_ADU:
        return ptx_memory(x);
    default:
        return ptx_arith(x);
    }
}

static uint8_t *find_targets(const struct kernel *k)
{
    uint8_t *t = xcalloc(k->n, 1);
    for (uint32_t i = 0; i < k->n; i++)
        for (unsigned s = 0; s < NOPERAND; s++) {
            const struct operand *o = &k->code[i].opd[s];
            if (o->kind == OPD_TARGET && o->imm >= 0 && o->imm / INST_BYTES < k->n)
                t[o->imm / INST_BYTES] = 1;
        }
    return t;
}

static bool good_name(const char *s)
{
    for (const char *p = s; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_' && *p != '$')
            return false;
    return *s && !isdigit((unsigned char)*s);
}

static bool write_head(struct ptx *x, struct sb *out)
{
    const struct kernel *k = x->k;
    if (!good_name(k->name))
        return error_set(x->err, EXIT_BAD_INPUT, "%s: PTX has no kernel named %s", x->p->path, k->name);
    sb_addf(out, "\n.visible .entry %s(", k->name);
    for (uint32_t i = 0; i < k->nparam; i++) {
        uint32_t b = k->params[i].bytes, align = b % 8 == 0 ? 8 : b % 4 == 0 ? 4 : b % 2 == 0 ? 2 : 1;
        if (!good_name(k->params[i].name))
            return error_set(x->err, EXIT_BAD_INPUT, "%s: PTX has no parameter named %s", x->p->path,
                             k->params[i].name);
        sb_addf(out, "%s\n    .param .align %u .b8 p_%s[%u]", i ? "," : "", align, k->params[i].name, b);
    }
    sb_add(out, "\n)\n");
    if (k->reqntid[0])
        sb_addf(out, ".reqntid %u, %u, %u\n", k->reqntid[0], k->reqntid[1], k->reqntid[2]);
    else if (k->maxntid[0])
        sb_addf(out, ".maxntid %u, %u, %u\n", k->maxntid[0], k->maxntid[1], k->maxntid[2]);
    return true;
}

/* Registers begin as zero, as they do in the simulator. */
static void write_frame(const struct ptx *x, struct sb *out)
{
    uint8_t used[NREG] = {0};
    for (uint32_t i = 0; i < x->k->n; i++)
        for (unsigned r = 0; r < x->k->code[i].nread; r++)
            for (unsigned n = 0; x->k->code[i].reads[r].file == RF_R && n < x->k->code[i].reads[r].count; n++)
                used[(x->k->code[i].reads[r].first + n) % NREG] = 1;
    sb_addf(out, "{\n    .reg .b32 %%r<%u>, %%t<%u>, %%sink, %%smem;\n    .reg .b64 %%d<%u>;\n", x->k->nreg,
            x->ntemp + 1, x->nwide + 1);
    sb_addf(out, "    .reg .pred %%p<%u>, %%q<%u>, %%true, %%psink;\n", SINK_PRED, x->npred + 1);
    if (x->uses_shared && x->k->shared_bytes)
        sb_addf(out, "    .shared .align 128 .b8 shared_static[%u];\n    mov.u32 %%smem, shared_static;\n",
                x->k->shared_bytes);
    else if (x->uses_shared)
        sb_add(out, "    mov.u32 %smem, shared_dynamic;\n");
    sb_add(out, "    setp.eq.u32 %true, 0, 0;\n");
    for (unsigned i = 0; i < x->k->nreg; i++)
        if (used[i])
            sb_addf(out, "    mov.b32 %%r%u, 0;\n", i);
    for (unsigned i = 0; i < SINK_PRED; i++)
        sb_addf(out, "    setp.ne.u32 %%p%u, 0, 0;\n", i);
}

static bool write_kernel(const struct program *p, const struct kernel *k, struct sb *out, struct error *err)
{
    struct ptx x = {.p = p, .k = k, .err = err};
    uint8_t *target = find_targets(k);
    bool ok = write_head(&x, out);
    for (unsigned b = 1; ok && b < ARRAY_LEN(k->bank); b++)
        if (k->bank[b])
            ok = error_set(err, EXIT_BAD_INPUT, "%s: kernel %s: constant bank %u has no PTX form", p->path, k->name, b);
    for (uint32_t i = 0; ok && i < k->n; i++) {
        x.in = &k->code[i];
        if (target[i])
            sb_addf(&x.body, "L_%x:\n", i * INST_BYTES);
        ok = write_inst(&x);
    }
    if (ok) {
        write_frame(&x, out);
        sb_add(out, x.body.text ? x.body.text : "");
        sb_add(out, "}\n");
    }
    sb_finish(&x.body);
    free(target);
    return ok;
}

bool ptx_write(const struct program *p, struct sb *out, struct error *err)
{
    sb_add(out, "// written by heddle\n.version 7.8\n.target sm_80\n.address_size 64\n\n.extern .shared .align 128 .b8 "
                "shared_dynamic[];\n");
    if (p->nglobal)
        return error_set(err, EXIT_BAD_INPUT, "%s: module variables have no PTX form here; pass them as parameters",
                         p->path);
    for (uint32_t i = 0; i < p->nkernel; i++)
        if (!write_kernel(p, &p->kernels[i], out, err))
            return false;
    return true;
}
