/* PTX forms of integer, predicate, move and conversion instructions. */
#include "isa/ptx.h"

#include <string.h>

static const char *lower_compare(const struct ptx *x)
{
    static const char *const names[] = {"",   "lt", "eq", "le",
                                        "gt", "ne", "ge", ""}; /* order of CMP; F and T have none */
    return names[x->in->mod[MOD_CMP] & 7];
}
const char *const ptx_bool[3] = {"and", "or", "xor"}; /* order of BOP */

static bool three(struct ptx *x, unsigned first, const char *v[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (!(v[i] = ptx_src(x, first + i, PTX_INT)))
            return false;
    return true;
}

/* 64-bit value of an addend; -x is (~x) + 1 without wrapping, so that carries come out as the machine's. */
static const char *addend(struct ptx *x, unsigned slot)
{
    const struct operand *o = &x->in->opd[slot];
    const char *raw = ptx_src(x, slot, PTX_RAW), *d = ptx_temp(x, 'd'), *t = ptx_temp(x, 't');
    if (!raw)
        return NULL;
    ptx_line(x, "mov.b32 %s, %s", t, raw);
    if (o->flags & (OPF_NOT | OPF_NEG))
        ptx_line(x, "not.b32 %s, %s", t, t);
    ptx_line(x, "cvt.u64.u32 %s, %s", d, t);
    if (o->flags & OPF_NEG)
        ptx_line(x, "add.u64 %s, %s, 1", d, d);
    return d;
}

static bool add_carry_in(struct ptx *x, const char *sum, unsigned slot)
{
    const char *p = ptx_pred(x, slot, false), *d = ptx_temp(x, 'd');
    if (!p)
        return false;
    const char *name = p + (*p == '!');
    ptx_line(x, *p == '!' ? "selp.b64 %s, 0, 1, %s" : "selp.b64 %s, 1, 0, %s", d, name);
    ptx_line(x, "add.u64 %s, %s, %s", sum, sum, d);
    return true;
}

static bool iadd3(struct ptx *x)
{
    const char *v[3], *sum = ptx_temp(x, 'd');
    if (!x->in->mod[MOD_X] && x->in->opd[1].kind == OPD_NONE && x->in->opd[2].kind == OPD_NONE) {
        const char *t = ptx_temp(x, 't');
        if (!three(x, 3, v))
            return false;
        ptx_line(x, "add.s32 %s, %s, %s", t, v[0], v[1]);
        ptx_line(x, "add.s32 %s, %s, %s", ptx_dst(x, 0), t, v[2]);
        return true;
    }
    for (unsigned i = 0; i < 3; i++)
        if (!(v[i] = addend(x, 3 + i)))
            return false;
    ptx_line(x, "add.u64 %s, %s, %s", sum, v[0], v[1]);
    ptx_line(x, "add.u64 %s, %s, %s", sum, sum, v[2]);
    if (x->in->mod[MOD_X] && (!add_carry_in(x, sum, 6) || !add_carry_in(x, sum, 7)))
        return false;
    ptx_line(x, "cvt.u32.u64 %s, %s", ptx_dst(x, 0), sum);
    ptx_line(x, "setp.ge.u64 %s, %s, 0x100000000", ptx_dst_pred(x, 1), sum);
    ptx_line(x, "setp.ge.u64 %s, %s, 0x200000000", ptx_dst_pred(x, 2), sum);
    return true;
}

static bool imad(struct ptx *x)
{
    const char *v[3];
    if (x->in->mod[MOD_X])
        return ptx_refuse(x, "carries of products");
    if (!three(x, 2, v))
        return false;
    ptx_line(x, "mad.lo.s32 %s, %s, %s, %s", ptx_dst(x, 0), v[0], v[1], v[2]);
    return true;
}

static bool imad_wide(struct ptx *x)
{
    bool hi = x->in->op == OP_IMAD_HI;
    const char *type = x->in->mod[MOD_U32] ? "u32" : "s32", *d = ptx_temp(x, 'd');
    if (x->in->mod[MOD_X] || x->in->opd[1].kind != OPD_NONE)
        return ptx_refuse(x, "carries of products");
    const char *a = ptx_src(x, 2, PTX_INT), *b = ptx_src(x, 3, PTX_INT), *c = a && b ? ptx_src64(x, 4, false) : NULL;
    if (!c)
        return false;
    ptx_line(x, "mad.wide.%s %s, %s, %s, %s", type, d, a, b, c);
    if (hi) {
        ptx_line(x, "shr.u64 %s, %s, 32", d, d);
        ptx_line(x, "cvt.u32.u64 %s, %s", ptx_dst(x, 0), d);
    } else {
        ptx_put64(x, 0, d);
    }
    return true;
}

static bool two(struct ptx *x, const char *op, unsigned first)
{
    const char *a = ptx_src(x, first, PTX_INT), *b = a ? ptx_src(x, first + 1, PTX_INT) : NULL;
    if (b)
        ptx_line(x, "%s %s, %s, %s", op, ptx_dst(x, 0), a, b);
    return b != NULL;
}

static bool one(struct ptx *x, const char *op, unsigned slot)
{
    const char *a = ptx_src(x, slot, PTX_INT);
    if (a)
        ptx_line(x, "%s %s, %s", op, ptx_dst(x, 0), a);
    return a != NULL;
}

static bool minmax(struct ptx *x, unsigned a_slot, unsigned p_slot)
{
    const char *type = x->in->mod[MOD_U32] ? "u32" : "s32";
    const struct operand *p = &x->in->opd[p_slot];
    if (x->in->mod[MOD_B16X2] || x->in->mod[MOD_RELU] || (p->kind != OPD_NONE && p->reg != PT))
        return ptx_refuse(x, "only a plain minimum or maximum");
    bool max = p->flags & OPF_NOT;
    return two(x, max ? ptx_text(x, "max.%s", type) : ptx_text(x, "min.%s", type), a_slot);
}

static bool isetp(struct ptx *x)
{
    const char *cmp = lower_compare(x), *p = ptx_dst_pred(x, 0), *q = ptx_dst_pred(x, 1);
    if (x->in->mod[MOD_EX])
        return ptx_refuse(x, "64-bit comparisons in two steps");
    if (!*cmp)
        return ptx_refuse(x, "a comparison that is always the same");
    const char *a = ptx_src(x, 2, PTX_INT), *b = a ? ptx_src(x, 3, PTX_INT) : NULL,
               *c = b ? ptx_pred(x, 4, true) : NULL;
    if (!c)
        return false;
    ptx_line(x, "setp.%s.%s.%s %s|%s, %s, %s, %s", cmp, ptx_bool[x->in->mod[MOD_BOP] % 3],
             x->in->mod[MOD_U32] ? "u32" : "s32", p, q, a, b, c);
    return true;
}

static bool lea(struct ptx *x)
{
    unsigned shift = (unsigned)x->in->opd[5].imm & 31;
    const char *t = ptx_temp(x, 't'), *a = ptx_src(x, 2, PTX_RAW), *b = a ? ptx_src(x, 3, PTX_INT) : NULL;
    if (!b)
        return false;
    if (x->in->mod[MOD_X] || x->in->mod[MOD_HI] || x->in->opd[1].kind != OPD_NONE || (x->in->opd[2].flags & OPF_NEG))
        return ptx_refuse(x, "only the plain 32-bit form");
    ptx_line(x, "shl.b32 %s, %s, %u", t, a, shift);
    ptx_line(x, "add.s32 %s, %s, %s", ptx_dst(x, 0), t, b);
    return true;
}

/* A shift of the pair {hi:lo}, by 0 to 32 or to 64; the 32-bit types shift a pair too. */
static bool shf(struct ptx *x)
{
    const char *type = ptx_mod(x, MOD_STYPE), *d = ptx_temp(x, 'd'), *n = ptx_temp(x, 't');
    bool wide = strstr(type, "64"), is_signed = *type == 'S', left = x->in->mod[MOD_DIR] == 0;
    const char *lo = ptx_src(x, 1, PTX_INT), *by = lo ? ptx_src(x, 2, PTX_INT) : NULL,
               *hi = by ? ptx_src(x, 3, PTX_INT) : NULL;
    if (!hi)
        return false;
    const char *tl = ptx_temp(x, 't'), *th = ptx_temp(x, 't');
    ptx_line(x, "mov.b32 %s, %s", tl, lo);
    ptx_line(x, "mov.b32 %s, %s", th, hi);
    ptx_line(x, "mov.b64 %s, {%s, %s}", d, tl, th);
    if (x->in->mod[MOD_WRAP])
        ptx_line(x, "and.b32 %s, %s, %u", n, by, wide ? 63 : 31);
    else
        ptx_line(x, "min.u32 %s, %s, %u", n, by, wide ? 64 : 32);
    ptx_line(x, "%s %s, %s, %s", left ? "shl.b64" : is_signed ? "shr.s64" : "shr.u64", d, d, n);
    if (x->in->mod[MOD_HI])
        ptx_line(x, "shr.u64 %s, %s, 32", d, d);
    ptx_line(x, "cvt.u32.u64 %s, %s", ptx_dst(x, 0), d);
    return true;
}

static bool lop3(struct ptx *x)
{
    const char *v[3], *t = ptx_temp(x, 't'), *pin = ptx_pred(x, 6, false);
    if (!pin || !three(x, 2, v))
        return false;
    ptx_line(x, "lop3.b32 %s, %s, %s, %s, 0x%x", t, v[0], v[1], v[2], (unsigned)x->in->opd[5].imm & 0xff);
    ptx_line(x, "mov.b32 %s, %s", ptx_dst(x, 1), t);
    if (x->in->opd[0].kind == OPD_PRED)
        ptx_line(x, "setp.ne.%s.u32 %s, %s, 0, %s", x->in->mod[MOD_PAND] ? "and" : "or", ptx_dst_pred(x, 0), t, pin);
    return true;
}

static bool plop3(struct ptx *x)
{
    const char *v[3], *t = ptx_temp(x, 't'), *p = ptx_dst_pred(x, 0), *q = ptx_dst_pred(x, 1);
    for (unsigned i = 0; i < 3; i++) {
        const char *s = ptx_pred(x, 2 + i, true);
        if (!s)
            return false;
        v[i] = ptx_temp(x, 't');
        ptx_line(x, *s == '!' ? "selp.b32 %s, 0, -1, %s" : "selp.b32 %s, -1, 0, %s", v[i], s + (*s == '!'));
    }
    for (unsigned i = 0; i < 2; i++) {
        ptx_line(x, "lop3.b32 %s, %s, %s, %s, 0x%x", t, v[0], v[1], v[2], (unsigned)x->in->opd[5 + i].imm & 0xff);
        ptx_line(x, "setp.ne.u32 %s, %s, 0", i ? q : p, t);
    }
    return true;
}

static bool select(struct ptx *x, enum ptx_kind kind)
{
    const char *a = ptx_src(x, 1, kind), *b = a ? ptx_src(x, 2, kind) : NULL, *p = b ? ptx_pred(x, 3, true) : NULL;
    if (!p)
        return false;
    bool swap = *p == '!';
    ptx_line(x, "selp.b32 %s, %s, %s, %s", ptx_dst(x, 0), swap ? b : a, swap ? a : b, p + swap);
    return true;
}

static bool prmt(struct ptx *x)
{
    const char *v[3];
    if (x->in->mod[MOD_PRMT])
        return ptx_refuse(x, "only the general byte choice");
    if (!three(x, 1, v))
        return false;
    ptx_line(x, "prmt.b32 %s, %s, %s, %s", ptx_dst(x, 0), v[0], v[2], v[1]);
    return true;
}

static const char *cvt_type(const char *name, const char *otherwise)
{
    static const char *const types[][2] = {{"F64", "f64"}, {"F32", "f32"}, {"U32", "u32"},
                                           {"S32", "s32"}, {"U64", "u64"}, {"S64", "s64"}};
    if (!*name)
        return otherwise;
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (strcmp(name, types[i][0]) == 0)
            return types[i][1];
    return NULL;
}

/* I2F, F2I, F2F: 32- and 64-bit types. */
static bool convert(struct ptx *x)
{
    static const char *const to_float[] = {"rn", "rm", "rp", "rz"}, *const to_int[] = {"rni", "rmi", "rpi", "rzi"};
    bool from_int = x->in->op == OP_I2F || x->in->op == OP_I2FP, into_int = x->in->op == OP_F2I;
    const char *to = cvt_type(ptx_mod(x, MOD_DTYPE), into_int ? "s32" : "f32");
    const char *from = cvt_type(ptx_mod(x, MOD_CTYPE), from_int ? "s32" : "f32");
    if (!to || !from || x->in->opd[1].sel)
        return ptx_refuse(x, "conversions of narrow types");
    bool wide_to = strstr(to, "64"), wide_from = strstr(from, "64"), widen = !strcmp(to, "f64") && !strcmp(from, "f32");
    const char *round = into_int ? to_int[x->in->mod[MOD_IRND] & 3] : to_float[x->in->mod[MOD_RND] & 3];
    bool exact = widen || (from_int && !strcmp(to, "f64") && !wide_from);
    const char *s = wide_from ? ptx_src64(x, 1, *from == 'f') : ptx_src(x, 1, from_int ? PTX_INT : PTX_F32);
    const char *d = wide_to ? ptx_temp(x, 'd') : ptx_dst(x, 0);
    if (!s)
        return false;
    const char *in = s;
    if (!wide_from) {
        in = ptx_temp(x, 't');
        ptx_line(x, "mov.b32 %s, %s", in, s);
    }
    bool ftz = x->in->mod[MOD_FTZ] && (!strcmp(to, "f32") || !strcmp(from, "f32"));
    bool plain = exact && !from_int; /* f64 from f32 needs no rounding mode */
    ptx_line(x, "cvt%s%s%s.%s.%s %s, %s", plain ? "" : ".", plain ? "" : round, ftz ? ".ftz" : "", to, from, d, in);
    if (wide_to)
        ptx_put64(x, 0, d);
    return true;
}

static bool special_move(struct ptx *x)
{
    bool max_u = x->in->mod[MOD_U32];
    switch (x->in->op) {
    case OP_FLO:
        if (x->in->opd[1].kind != OPD_NONE)
            return ptx_refuse(x, "its predicate");
        return one(x,
                   x->in->mod[MOD_SH] ? (max_u ? "bfind.shiftamt.u32" : "bfind.shiftamt.s32")
                   : max_u            ? "bfind.u32"
                                      : "bfind.s32",
                   2);
    case OP_POPC:
        return one(x, "popc.b32", 1);
    case OP_BREV:
        return one(x, "brev.b32", 1);
    case OP_IABS:
        return one(x, "abs.s32", 1);
    case OP_VIADD:
        return x->in->mod[MOD_B16X2] ? ptx_unknown(x) : two(x, "add.s32", 1);
    case OP_IMNMX:
    case OP_VIMNMX:
        return minmax(x, 3, 5);
    default:
        return ptx_unknown(x);
    }
}

static bool cs2r(struct ptx *x)
{
    const char *name = sreg_name((unsigned)x->in->opd[1].imm), *d = ptx_temp(x, 'd');
    if (x->in->mod[MOD_W32] && name && strcmp(name, "SR_CLOCKLO") == 0) {
        ptx_line(x, "mov.u32 %s, %%clock", ptx_dst(x, 0));
        return true;
    }
    if (!name || (strcmp(name, "SR_CLOCKLO") != 0 && strcmp(name, "SRZ") != 0))
        return ptx_unknown(x);
    ptx_line(x, strcmp(name, "SRZ") == 0 ? "mov.u64 %s, 0" : "mov.u64 %s, %%clock64", d);
    ptx_put64(x, 0, d);
    return true;
}

bool ptx_arith(struct ptx *x)
{
    switch (x->in->op) {
    case OP_NOP:
        return true;
    case OP_MOV:
        return one(x, "mov.b32", 1);
    case OP_IADD3:
        return iadd3(x);
    case OP_IMAD:
    case OP_IMAD_MOV:
    case OP_IMAD_SHL:
    case OP_IMAD_IADD:
        return imad(x);
    case OP_IMAD_WIDE:
    case OP_IMAD_HI:
        return imad_wide(x);
    case OP_ISETP:
        return isetp(x);
    case OP_LEA:
        return lea(x);
    case OP_SHF:
        return shf(x);
    case OP_LOP3:
        return lop3(x);
    case OP_PLOP3:
        return plop3(x);
    case OP_SEL:
        return select(x, PTX_INT);
    case OP_FSEL:
        return select(x, PTX_F32);
    case OP_PRMT:
        return prmt(x);
    case OP_I2F:
    case OP_I2FP:
    case OP_F2I:
    case OP_F2F:
        return convert(x);
    case OP_CS2R:
        return cs2r(x);
    case OP_FMNMX:
    case OP_FSETP:
    case OP_MUFU:
        return ptx_float(x);
    case OP_VOTE:
        return ptx_memory(x);
    default:
        return special_move(x);
    }
}
