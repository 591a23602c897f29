/* PTX forms of memory accesses, atomics, warp-wide operations, barriers and control. */
#include "isa/ptx.h"

#include <string.h>

/* The address as PTX writes it: base register and offset. */
static const char *address(struct ptx *x, unsigned slot, bool shared)
{
    const struct operand *o = &x->in->opd[slot];
    if (o->flags & (OPF_HAS_UREG | OPF_HAS_DESC))
        return ptx_refuse(x, "uniform registers and descriptors belong to the machine"), NULL;
    if (!shared) {
        const char *d = ptx_temp(x, 'd');
        bool pair = o->width == 2;
        if (!pair)
            return ptx_refuse(x, "a global address is a 64-bit pair: use .E"), NULL;
        ptx_line(x, "mov.b64 %s, {%s, %s}", d, ptx_reg(x, o->reg), ptx_reg(x, o->reg == RZ ? RZ : o->reg + 1u));
        return ptx_text(x, "%s%+lld", d, (long long)o->imm);
    }
    static const unsigned scale[] = {1, 4, 8, 16};
    const char *t = ptx_temp(x, 't');
    int64_t offset = o->imm - (int64_t)arch_info(x->p->arch)->shared_base;
    ptx_line(x, "mad.lo.u32 %s, %s, %u, %%smem", t, ptx_reg(x, o->reg), scale[o->sel & 3]);
    x->uses_shared = true;
    return ptx_text(x, "%s%+lld", t, (long long)offset);
}

static const char *scope(const struct ptx *x)
{
    const char *s = ptx_mod(x, MOD_SCOPE);
    return !strcmp(s, "CTA") || !strcmp(s, "SM") ? ".cta" : !strcmp(s, "SYS") ? ".sys" : ".gpu";
}

/* Vector and type of the access by its SIZE. */
static bool access_type(struct ptx *x, const char **type, unsigned *words)
{
    static const struct {
        const char *size, *type;
        unsigned words;
    } table[] = {{"", ".b32", 1},    {"U8", ".u8", 1},     {"S8", ".s8", 1},     {"U16", ".u16", 1},
                 {"S16", ".s16", 1}, {"64", ".v2.b32", 2}, {"128", ".v4.b32", 4}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        if (strcmp(table[i].size, ptx_mod(x, MOD_SIZE)) != 0)
            continue;
        *type = table[i].type;
        *words = table[i].words;
        return true;
    }
    return ptx_refuse(x, "an access of this size");
}

static const char *data_list(struct ptx *x, unsigned slot, unsigned words, bool dst)
{
    unsigned r = x->in->opd[slot].reg;
    if (words == 1)
        return dst ? ptx_dst(x, slot) : ptx_reg(x, r);
    char text[48] = "{";
    for (unsigned i = 0; i < words; i++) {
        char one[16];
        snprintf(one, sizeof one, r == RZ ? (dst ? "%s%%sink" : "%s0") : "%s%%r%u", i ? ", " : "", r + i);
        strncat(text, one, sizeof text - strlen(text) - 1);
    }
    strncat(text, "}", sizeof text - strlen(text) - 1);
    return ptx_text(x, "%s", text);
}

static bool load_store(struct ptx *x, bool store, bool shared)
{
    /* LDG: P? R | M P?;  LDS: R | M;  STG, STS: | M R */
    unsigned data = store ? 1 : shared ? 0 : 1, addr = store ? 0 : data + 1, words = 1;
    const char *type = "", *order = "";
    if (x->in->op == OP_LDG && (x->in->opd[0].kind != OPD_NONE || x->in->opd[3].kind != OPD_NONE))
        return ptx_refuse(x, "its predicate operands");
    if (!access_type(x, &type, &words))
        return false;
    const char *o = ptx_mod(x, MOD_ORDER);
    if (!strcmp(o, "STRONG"))
        order = ptx_text(x, ".relaxed%s", scope(x));
    else if (*o && strcmp(o, "CONSTANT") != 0)
        return ptx_refuse(x, "this memory order");
    const char *nc = !strcmp(o, "CONSTANT") && !store ? ".nc" : "";
    const char *a = address(x, addr, shared);
    if (!a)
        return false;
    const char *space = shared ? ".shared" : ".global", *d = data_list(x, data, words, !store);
    if (store)
        ptx_line(x, "st%s%s%s [%s], %s", order, space, type, a, d);
    else
        ptx_line(x, "ld%s%s%s%s %s, [%s]", order, space, nc, type, d, a);
    return true;
}

static bool atomic(struct ptx *x, bool shared)
{
    static const struct {
        const char *atype, *type, *bits;
        bool wide;
    } types[] = {{"", "u32", "b32", false},   {"S32", "s32", "b32", false},       {"64", "u64", "b64", true},
                 {"S64", "s64", "b64", true}, {"F32.FTZ.RN", "f32", NULL, false}, {"F64.RN", "f64", NULL, true}};
    static const char *const ops[] = {"add", "min", "max",  "inc", "dec", "and",
                                      "or",  "xor", "exch", NULL,  "cas"}; /* order of AOP */
    bool red = x->in->op == OP_RED;
    unsigned addr = red ? 0 : 2, data = red ? 1 : 3, t = 0;
    const char *op = x->in->mod[MOD_AOP] < ARRAY_LEN(ops) ? ops[x->in->mod[MOD_AOP]] : NULL;
    while (t < ARRAY_LEN(types) && strcmp(types[t].atype, ptx_mod(x, MOD_ATYPE)) != 0)
        t++;
    if (!op || t == ARRAY_LEN(types))
        return ptx_refuse(x, "this atomic operation");
    bool as_bits =
        !strcmp(op, "and") || !strcmp(op, "or") || !strcmp(op, "xor") || !strcmp(op, "exch") || !strcmp(op, "cas");
    const char *type = as_bits                                               ? types[t].bits
                       : !strcmp(types[t].type, "s64") && !strcmp(op, "add") ? "u64"
                                                                             : types[t].type;
    bool wide = types[t].wide;
    const char *a = type ? address(x, addr, shared) : NULL;
    if (!a)
        return type ? false : ptx_refuse(x, "this atomic operation");
    const char *v = wide ? ptx_src64(x, data, false) : ptx_src(x, data, PTX_RAW), *w = "";
    if (!strcmp(op, "cas"))
        w = wide ? ptx_src64(x, data + 1, false) : ptx_src(x, data + 1, PTX_RAW);
    if (!v || !w)
        return false;
    const char *d = wide ? ptx_temp(x, 'd') : red ? "" : ptx_dst(x, 1), *space = shared ? ".shared" : ".global";
    if (red)
        ptx_line(x, "red%s.%s.%s [%s], %s", space, op, type, a, v);
    else
        ptx_line(x, "atom%s.%s.%s %s, [%s], %s%s%s", space, op, type, d, a, v, *w ? ", " : "", w);
    if (wide && !red)
        ptx_put64(x, 1, d);
    return true;
}

static bool shuffle(struct ptx *x)
{
    static const char *const modes[] = {"idx", "up", "down", "bfly"}; /* order of SHFL */
    const char *a = ptx_src(x, 2, PTX_INT), *b = a ? ptx_src(x, 3, PTX_INT) : NULL,
               *c = b ? ptx_src(x, 4, PTX_INT) : NULL;
    const char *m = ptx_temp(x, 't');
    if (!c)
        return false;
    ptx_line(x, "activemask.b32 %s", m);
    ptx_line(x, "shfl.sync.%s.b32 %s|%s, %s, %s, %s, %s", modes[x->in->mod[MOD_SHFL] & 3], ptx_dst(x, 1),
             ptx_dst_pred(x, 0), a, b, c, m);
    return true;
}

static bool vote(struct ptx *x)
{
    static const char *const modes[] = {"all", "any", "uni"}; /* order of VOTE */
    const char *p = ptx_pred(x, 2, true), *m = ptx_temp(x, 't');
    if (!p)
        return false;
    ptx_line(x, "activemask.b32 %s", m);
    if (x->in->opd[0].kind == OPD_REG && x->in->opd[0].reg != RZ)
        ptx_line(x, "vote.sync.ballot.b32 %s, %s, %s", ptx_dst(x, 0), p, m);
    ptx_line(x, "vote.sync.%s.pred %s, %s, %s", modes[x->in->mod[MOD_VOTE] % 3], ptx_dst_pred(x, 1), p, m);
    return true;
}

static bool special_register(struct ptx *x)
{
    static const char *const names[][2] = {{"SR_TID.X", "%tid.x"},
                                           {"SR_TID.Y", "%tid.y"},
                                           {"SR_TID.Z", "%tid.z"},
                                           {"SR_CTAID.X", "%ctaid.x"},
                                           {"SR_CTAID.Y", "%ctaid.y"},
                                           {"SR_CTAID.Z", "%ctaid.z"},
                                           {"SR_LANEID", "%laneid"},
                                           {"SR_CLOCKLO", "%clock"},
                                           {"SR_CLOCKHI", "%clock_hi"},
                                           {"SR_VIRTUALSMID", "%smid"},
                                           {"SR_EQMASK", "%lanemask_eq"},
                                           {"SR_LTMASK", "%lanemask_lt"},
                                           {"SR_LEMASK", "%lanemask_le"},
                                           {"SR_GTMASK", "%lanemask_gt"},
                                           {"SR_GEMASK", "%lanemask_ge"},
                                           {"SR_GLOBALTIMERLO", "%globaltimer_lo"},
                                           {"SR_GLOBALTIMERHI", "%globaltimer_hi"}};
    const char *name = sreg_name((unsigned)x->in->opd[1].imm);
    for (size_t i = 0; name && i < ARRAY_LEN(names); i++) {
        if (strcmp(name, names[i][0]) != 0)
            continue;
        ptx_line(x, "mov.u32 %s, %s", ptx_dst(x, 0), names[i][1]);
        return true;
    }
    return ptx_refuse(x, "this special register");
}

static bool barrier(struct ptx *x)
{
    const struct operand *n = &x->in->opd[1];
    const char *id = ptx_src(x, 0, PTX_INT), *count = id && n->kind != OPD_NONE ? ptx_src(x, 1, PTX_INT) : "";
    if (!id || !count)
        return false;
    const char *mode = ptx_mod(x, MOD_BARMODE);
    if (strcmp(mode, "SYNC") != 0 && strcmp(mode, "ARV") != 0)
        return ptx_refuse(x, "this kind of barrier");
    ptx_line(x, "%s %s%s%s", *mode == 'S' ? "bar.sync" : "bar.arrive", id, *count ? ", " : "", count);
    return true;
}

static bool branch(struct ptx *x)
{
    if (x->in->opd[0].kind != OPD_NONE || x->in->opd[1].kind != OPD_NONE || x->in->mod[MOD_BRACOND])
        return ptx_refuse(x, "only a guarded branch");
    ptx_line(x, "bra L_%llx", (unsigned long long)x->in->opd[2].imm);
    return true;
}

static bool parameter(struct ptx *x)
{
    bool wide = !strcmp(ptx_mod(x, MOD_SIZE), "64");
    if (!wide && *ptx_mod(x, MOD_SIZE))
        return ptx_refuse(x, "a constant of this size");
    const char *v = wide ? ptx_src64(x, 1, false) : ptx_src(x, 1, PTX_INT);
    if (v && wide)
        ptx_put64(x, 0, v);
    else if (v)
        ptx_line(x, "mov.b32 %s, %s", ptx_dst(x, 0), v);
    return v != NULL;
}

bool ptx_memory(struct ptx *x)
{
    switch (x->in->op) {
    case OP_LDG:
    case OP_STG:
        return load_store(x, x->in->op == OP_STG, false);
    case OP_LDS:
    case OP_STS:
        return load_store(x, x->in->op == OP_STS, true);
    case OP_LDC:
        return parameter(x);
    case OP_ATOMG:
    case OP_RED:
        return atomic(x, false);
    case OP_ATOMS:
        return atomic(x, true);
    case OP_SHFL:
        return shuffle(x);
    case OP_VOTE:
        return vote(x);
    case OP_S2R:
        return special_register(x);
    case OP_BAR:
        return barrier(x);
    case OP_BRA:
        return branch(x);
    case OP_MEMBAR:
        ptx_line(x, "fence.acq_rel%s", scope(x));
        return true;
    case OP_EXIT:
        if (x->in->opd[0].kind != OPD_NONE)
            return ptx_refuse(x, "only a guarded exit");
        ptx_line(x, "exit");
        return true;
    default:
        return ptx_unknown(x);
    }
}
