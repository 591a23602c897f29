/* mbarriers, bulk and tensor-map copies, clusters: everything is done by the machine, so addresses and operands go into
 * an effect. */
#include "isa/access.h"
#include "isa/exec.h"

static struct effect *begin(const struct inst *in, lanemask lanes, struct issue *is)
{
    struct effect *e = is->effect;
    e->kind = (uint8_t)op_table[in->op].effect;
    e->op = in->op;
    e->inst = in;
    e->mask = lanes;
    e->value = e->value2 = 0;
    return e;
}

/* ---- mbarriers ------------------------------------------------------------------------------------------------ */
enum { SYNCS_EXCH = 0, SYNCS_ARRIVE = 1, SYNCS_PHASECHK = 2, SYNCS_CCTL = 3 }; /* values of SYNCS in ops.def */

static void syncs(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t tmp[NLANE], what = in->mod[MOD_SYNCS];
    if (what > SYNCS_CCTL) {
        exec_fault(is, "this form of SYNCS is not supported");
        return;
    }
    /* an exchange is the warp's, not a lane's: its operands are uniform */
    struct effect *e = begin(in, what == SYNCS_EXCH ? (lanemask)1 << first_lane(is->exec) : is->exec, is);
    EXEC_SYM(shared_addresses)(w, &in->opd[2], e, is);
    e->bytes = MBARRIER_BYTES;
    e->nword = 2;
    e->value2 = is->exec != w->live; /* a part of the warp's lanes */
    for (uint32_t k = 0; k < (what == SYNCS_EXCH ? 2 : 1); k++)
        memcpy(e->data[k], src_word(w, &in->opd[3], k, tmp, is), w->env->nlane * sizeof tmp[0]);
}
static void arrives(struct warp *w, const struct inst *in, struct issue *is)
{
    struct effect *e = begin(in, is->exec, is);
    EXEC_SYM(shared_addresses)(w, &in->opd[0], e, is);
    e->bytes = MBARRIER_BYTES;
    e->nword = 0;
}

/* STAS, REDAS: [R.64] is an address in a block of the cluster and its mbarrier there, which counts the bytes. */
static void store_counted(struct warp *w, const struct inst *in, struct issue *is)
{
    struct effect *e = begin(in, is->exec, is);
    const struct operand *o = &in->opd[0];
    struct operand reg = {.kind = OPD_REG, .reg = o->flags & OPF_HAS_REG ? o->reg : RZ};
    uint32_t tmp[NLANE], l;
    const uint32_t *lo = src_word(w, &reg, 0, tmp, is);
    FOR_MASK(l, is->exec) e->addr[l] = (uint32_t)(lo[l] + (uint32_t)o->imm);
    e->space = SPACE_CLUSTER;
    e->bytes = (uint8_t)access_bytes(in);
    e->nword = 5;
    for (uint32_t k = 0; k < 4; k++)
        memcpy(e->data[k], k < (e->bytes + 3u) / 4 ? src_word(w, &in->opd[1], k, tmp, is) : exec_zero_row,
               w->env->nlane * sizeof tmp[0]);
    memcpy(e->data[4], src_word(w, &reg, 1, tmp, is), w->env->nlane * sizeof tmp[0]);
}
static void cluster_barrier(struct warp *w, const struct inst *in, struct issue *is)
{
    (void)w;
    begin(in, is->exec, is)->nword = 0;
}

/* ---- copies --------------------------------------------------------------------------------------------------- */
/* The words of each uniform operand, as many as the instruction takes; missing operands are 0. */
static void bulk(struct warp *w, const struct inst *in, struct issue *is)
{
    struct effect *e = begin(in, 1, is);
    e->space = SPACE_COUNT;
    e->bytes = 0;
    e->nword = 3;
    e->addr[0] = 0;
    e->value2 = w->cluster_rank;
    for (uint32_t k = 0; k < 3; k++) {
        const struct operand *o = &in->opd[k];
        for (uint32_t i = 0; i < 8; i++)
            e->data[k][i] = o->kind == OPD_UREG && i < o->width ? exec_scalar(w, o, i, is) : 0;
    }
}
static void flush(struct warp *w, const struct inst *in, struct issue *is)
{
    (void)w;
    begin(in, 1, is)->nword = 0;
}

exec_fn *EXEC_SYM(exec_async_of)(const struct inst *in)
{
    switch (in->op) {
    case OP_SYNCS:
        return syncs;
    case OP_ARRIVES:
        return arrives;
    case OP_STAS:
    case OP_REDAS:
        return store_counted;
    case OP_UCGABAR_ARV:
    case OP_UCGABAR_WAIT:
        return cluster_barrier;
    case OP_UBLKCP:
    case OP_UBLKRED:
    case OP_UBLKPF:
    case OP_UTMALDG:
    case OP_UTMASTG:
    case OP_UTMAREDG:
    case OP_UTMAPF:
    case OP_UTMACCTL:
        return bulk;
    case OP_UTMACMDFLUSH:
        return flush;
    default:
        return NULL;
    }
}
