/* The uniform datapath: one value a warp; and what moves between it and the lanes. */
#include "isa/alu.h"

static uint32_t us(const struct warp *w, const struct operand *o, struct issue *is)
{
    return modify(exec_scalar(w, o, 0, is), o->flags, SRC_INT);
}
static uint64_t us64(const struct warp *w, const struct operand *o, struct issue *is)
{
    uint64_t v = o->kind == OPD_IMM ? (uint64_t)(int64_t)(int32_t)o->imm
                                    : (uint64_t)exec_scalar(w, o, 1, is) << 32 | exec_scalar(w, o, 0, is);
    return o->flags & OPF_NOT ? ~v : o->flags & OPF_NEG ? 0 - v : v;
}
static bool up(const struct warp *w, const struct operand *o, bool absent)
{
    return src_pred(w, o, absent) & 1;
}
static void put64(struct warp *w, uint32_t r, uint64_t v)
{
    put_ureg(w, r, (uint32_t)v);
    if (r != URZ)
        put_ureg(w, r + 1, (uint32_t)(v >> 32));
}

static void umov(struct warp *w, const struct inst *in, struct issue *is)
{
    put_ureg(w, in->opd[0].reg, us(w, &in->opd[1], is));
}
static void uiadd3(struct warp *w, const struct inst *in, struct issue *is)
{
    const struct operand *o = in->opd;
    uint64_t s = 0;
    for (uint32_t i = 3; i < 6; i++)
        s += alu_addend(exec_scalar(w, &o[i], 0, is), o[i].flags);
    if (in->mod[MOD_X])
        s += (uint64_t)up(w, &o[6], false) + up(w, &o[7], false);
    put_ureg(w, o[0].reg, (uint32_t)s);
    put_upred(w, &o[1], s >> 32 >= 1);
    put_upred(w, &o[2], s >> 32 >= 2);
}
static void uiadd3_64(struct warp *w, const struct inst *in, struct issue *is)
{
    const struct operand *o = in->opd;
    uint64_t a = us64(w, &o[2], is), b = us64(w, &o[3], is), c = us64(w, &o[4], is);
    uint64_t p = in->mod[MOD_X] ? (uint64_t)up(w, &o[5], false) + up(w, &o[6], false) : 0;
    uint64_t s = a + b, t = s + c, u = t + p;
    put64(w, o[0].reg, u);
    put_upred(w, &o[1], s < a || t < s || u < t);
}
static void uimad(struct warp *w, const struct inst *in, struct issue *is)
{
    const struct operand *o = in->opd;
    uint32_t a = us(w, &o[2], is), b = us(w, &o[3], is);
    if (in->op == OP_UIMAD) {
        uint64_t s = (uint64_t)(a * b) + us(w, &o[4], is) + (in->mod[MOD_X] && up(w, &o[5], false));
        put_ureg(w, o[0].reg, (uint32_t)s);
        put_upred(w, &o[1], s >> 32 != 0);
        return;
    }
    uint64_t x = alu_product(a, b, in->mod[MOD_U32]), s = x + us64(w, &o[4], is);
    uint64_t t = s + (in->mod[MOD_X] && up(w, &o[5], false));
    if (in->op == OP_UIMAD_WIDE)
        put64(w, o[0].reg, t);
    else
        put_ureg(w, o[0].reg, (uint32_t)(t >> 32));
    put_upred(w, &o[1], s < x || t < s);
}
static void ulea(struct warp *w, const struct inst *in, struct issue *is)
{
    const struct operand *o = in->opd;
    struct alu_lea e = alu_lea_of(in, &o[2], &o[3], &o[5]);
    uint64_t s = alu_lea(e, exec_scalar(w, &o[2], 0, is), exec_scalar(w, &o[3], 0, is), exec_scalar(w, &o[4], 0, is),
                         up(w, &o[6], false));
    put_ureg(w, o[0].reg, (uint32_t)s);
    put_upred(w, &o[1], s >> 32 != 0);
}
static void ushf(struct warp *w, const struct inst *in, struct issue *is)
{
    put_ureg(w, in->opd[0].reg,
             alu_shf(alu_shift_of(in), us(w, &in->opd[1], is), us(w, &in->opd[2], is), us(w, &in->opd[3], is)));
}
static void ulop3(struct warp *w, const struct inst *in, struct issue *is)
{
    const struct operand *o = in->opd;
    uint32_t r = alu_lop3(us(w, &o[2], is), us(w, &o[3], is), us(w, &o[4], is), (uint32_t)o[5].imm);
    put_ureg(w, o[1].reg, r);
    bool p = up(w, &o[6], false);
    put_upred(w, &o[0], in->mod[MOD_PAND] ? r != 0 && p : r != 0 || p);
}
static void uplop3(struct warp *w, const struct inst *in, struct issue *is)
{
    const struct operand *o = in->opd;
    lanemask a = src_pred(w, &o[2], true), b = src_pred(w, &o[3], true), c = src_pred(w, &o[4], true);
    bool r = alu_plop3(a, b, c, (uint32_t)o[5].imm) & 1, s = alu_plop3(a, b, c, (uint32_t)o[6].imm) & 1;
    (void)is;
    put_upred(w, &o[0], r);
    put_upred(w, &o[1], s);
}
static void uprmt(struct warp *w, const struct inst *in, struct issue *is)
{
    put_ureg(w, in->opd[0].reg,
             alu_prmt(us(w, &in->opd[1], is), us(w, &in->opd[2], is), us(w, &in->opd[3], is), in->mod[MOD_PRMT]));
}
static void usel(struct warp *w, const struct inst *in, struct issue *is)
{
    put_ureg(w, in->opd[0].reg, us(w, &in->opd[up(w, &in->opd[3], true) ? 1 : 2], is));
}
static void uisetp(struct warp *w, const struct inst *in, struct issue *is)
{
    const struct operand *o = in->opd;
    uint32_t a = us(w, &o[2], is), b = us(w, &o[3], is), cmp = in->mod[MOD_CMP];
    bool lt = in->mod[MOD_U32] ? a < b : (int32_t)a < (int32_t)b, t = alu_compare(cmp, lt, a == b);
    if (in->mod[MOD_EX] && a == b && cmp != 0 && cmp != 7)
        t = up(w, &o[5], true);
    lanemask c = up(w, &o[4], true);
    put_upred(w, &o[0], pred_combine(t, c, in->mod[MOD_BOP]) & 1);
    put_upred(w, &o[1], pred_combine(!t, c, in->mod[MOD_BOP]) & 1);
}
/* One source, or a and b. */
static void ubits(struct warp *w, const struct inst *in, struct issue *is)
{
    const struct operand *o = in->opd;
    uint32_t r;
    switch (in->op) {
    case OP_USGXT:
        r = alu_sgxt(us(w, &o[1], is), us(w, &o[2], is), in->mod[MOD_U32], in->mod[MOD_WRAP]);
        break;
    case OP_UBMSK:
        r = alu_bmsk(us(w, &o[1], is), us(w, &o[2], is), in->mod[MOD_WRAP]);
        break;
    case OP_UBREV:
        r = alu_brev(us(w, &o[1], is));
        break;
    case OP_UPOPC:
        r = alu_popc(us(w, &o[1], is));
        break;
    default:
        r = alu_flo(us(w, &o[2], is), in->mod[MOD_U32], in->mod[MOD_SH]);
        put_upred(w, &o[1], r != ~0u);
        break;
    }
    put_ureg(w, o[0].reg, r);
}
static void up2ur(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t sh = in->mod[MOD_BYTESEL] * 8, mask = (us(w, &in->opd[3], is) & 0xff) << sh;
    uint32_t file = w->upred & 0x7f; /* it has no eighth: 0 */
    put_ureg(w, in->opd[0].reg, (us(w, &in->opd[2], is) & ~mask) | (file << sh & mask));
}
static void ur2up(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t v = us(w, &in->opd[1], is) >> in->mod[MOD_BYTESEL] * 8, mask = us(w, &in->opd[2], is) & 0x7f;
    w->upred = (uint8_t)((w->upred & ~mask) | (v & mask));
}
static void ulepc(struct warp *w, const struct inst *in, struct issue *is)
{
    (void)is;
    put64(w, in->opd[0].reg,
          in->opd[1].kind == OPD_NONE ? (uint64_t)w->split[w->cur].pc * INST_BYTES : (uint64_t)in->opd[1].imm);
}

static void uldc(struct warp *w, const struct inst *in, struct issue *is)
{
    static const uint8_t bytes_of[] = {4, 1, 1, 2, 2, 8, 16, 16};
    const struct operand *o = &in->opd[1];
    uint32_t size = in->mod[MOD_SIZE] & 7, n = bytes_of[size], d = in->opd[0].reg;
    uint64_t off = const_offset(w, o);
    if (o->kind != OPD_CONST) {
        exec_fault(is, "bindless constants are not supported");
        return;
    }
    if (n >= 4) {
        for (uint32_t i = 0; i < n / 4; i++)
            put_ureg(w, d == URZ ? URZ : d + i, exec_const(w, o->bank, off + 4 * i, is));
    } else {
        uint32_t v = exec_const(w, o->bank, off & ~3ull, is) >> 8 * (off & 3), bits = 8 * n;
        put_ureg(w, d, alu_sgxt(v, bits, size == 1 || size == 3, false));
    }
    is->effect->kind = EFF_CONST;
    is->effect->op = in->op;
    is->effect->inst = in;
    is->effect->mask = 1;
    is->effect->value = o->bank;
    is->effect->bytes = (uint8_t)n;
    is->effect->nword = (uint8_t)((n + 3) / 4);
    is->effect->addr[0] = off;
}

/* ---- lanes to uniform ------------------------------------------------------------------------------------------ */
static void r2ur(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t tmp[NLANE], l;
    const uint32_t *r = src_row(w, &in->opd[2], tmp, SRC_INT, is);
    lanemask other = in->mod[MOD_OR] && in->opd[1].kind == OPD_PRED ? w->pred[in->opd[1].reg & 7] : 0; /* .OR: kept */
    uint32_t first = r[first_lane(is->exec)];
    FOR_MASK(l, is->exec) other |= (lanemask)(r[l] != first) << l;
    put_ureg(w, in->opd[0].reg, first);
    put_pred(w, &in->opd[1], other, is);
}
static void redux(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t tmp[NLANE], l;
    const uint32_t *r = src_row(w, &in->opd[1], tmp, SRC_INT, is);
    uint32_t v = r[first_lane(is->exec)], op = in->mod[MOD_REDUX], flip = in->mod[MOD_S32] ? 0 : 0x80000000u;
    FOR_MASK(l, is->exec & (is->exec - 1))
    {
        switch (op) { /* AND OR XOR SUM MIN MAX */
        case 0:
            v &= r[l];
            break;
        case 1:
            v |= r[l];
            break;
        case 2:
            v ^= r[l];
            break;
        case 3:
            v += r[l];
            break;
        default:
            v = alu_minmax(v, r[l], op == 4, flip);
            break;
        }
    }
    put_ureg(w, in->opd[0].reg, v);
}
static void voteu(struct warp *w, const struct inst *in, struct issue *is)
{
    lanemask t = src_pred(w, &in->opd[2], true) & is->exec;
    uint32_t mode = in->mod[MOD_VOTE]; /* ALL ANY EQ */
    if (in->opd[0].kind == OPD_UREG)
        put_ureg(w, in->opd[0].reg, (uint32_t)t);
    put_upred(w, &in->opd[1], mode == 0 ? t == is->exec : mode == 1 ? t != 0 : t == 0 || t == is->exec);
}

/* TRY_ALLOC takes what the block's other warps have given back, or fails and is tried again. */
static void usetmaxreg(struct warp *w, const struct inst *in, struct issue *is)
{
    enum { DEALLOC = 0 }; /* of REGPOOL */
    uint32_t n = (uint32_t)in->opd[1].imm;
    bool gives = in->mod[MOD_REGPOOL] == DEALLOC, ok = true;
    if (!w->reg_pool || (gives ? n > w->nreg : n > NREG)) {
        exec_fault(is,
                   gives ? "registers are given back, but the thread has fewer" : "registers cannot be asked for here");
        return;
    }
    if (gives) {
        *w->reg_pool += w->nreg - n;
        w->nreg = n;
    } else if (n > w->nreg) {
        ok = n - w->nreg <= *w->reg_pool;
        *w->reg_pool -= ok ? n - w->nreg : 0;
        w->nreg = ok ? n : w->nreg;
    }
    put_upred(w, &in->opd[0], ok);
}

exec_fn *EXEC_SYM(exec_uniform_of)(const struct inst *in)
{
    switch (in->op) {
    case OP_UMOV:
        return umov;
    case OP_UIADD3:
        return uiadd3;
    case OP_UIADD3_64:
        return uiadd3_64;
    case OP_UIMAD:
    case OP_UIMAD_WIDE:
    case OP_UIMAD_HI:
        return uimad;
    case OP_ULEA:
        return ulea;
    case OP_USHF:
        return ushf;
    case OP_ULOP3:
        return ulop3;
    case OP_UPLOP3:
        return uplop3;
    case OP_UPRMT:
        return uprmt;
    case OP_USEL:
        return usel;
    case OP_UISETP:
        return uisetp;
    case OP_USGXT:
    case OP_UBMSK:
    case OP_UBREV:
    case OP_UPOPC:
    case OP_UFLO:
        return ubits;
    case OP_UP2UR:
        return up2ur;
    case OP_UR2UP:
        return ur2up;
    case OP_ULEPC:
        return ulepc;
    case OP_ULDC:
        return uldc;
    case OP_USETMAXREG:
        return usetmaxreg;
    case OP_R2UR:
        return r2ur;
    case OP_REDUX:
        return redux;
    case OP_VOTEU:
        return voteu;
    default:
        return NULL;
    }
}
