/* Special registers, the program counter, block barriers and fences. */
#include "isa/exec.h"

/* Numbers of special registers, as the machine code has them. */
enum {
    SR_LANEID = 0,
    SR_VIRTCFG = 2,
    SR_VIRTID = 3,
    SR_TID = 32,
    SR_TID_X = 33,
    SR_TID_Y = 34,
    SR_TID_Z = 35,
    SR_CTAID_X = 37,
    SR_CTAID_Y = 38,
    SR_CTAID_Z = 39,
    SR_LWINLO = 45,
    SR_LWINHI = 46,
    SR_SWINHI = 47,
    SR_SWINLO = 48,
    SR_SWINSZ = 49,
    SR_SMEMSZ = 50,
    SR_LMEMHIOFF = 55,
    SR_EQMASK = 56,
    SR_LTMASK,
    SR_LEMASK,
    SR_GTMASK,
    SR_GEMASK,
    SR_VIRTUALSMID = 67,
    SR_FIRST_WIDE = 64,
    SR_CLOCKLO = 80,
    SR_CLOCKHI,
    SR_GLOBALTIMERLO,
    SR_GLOBALTIMERHI,
    SR_CGACTAID = 136,
    SR_ZERO = 255,
};

static void thread_index(const struct warp *w, uint32_t l, uint32_t t[3])
{
    uint32_t i = w->first_thread + l;
    const uint32_t *b = w->env->block;
    t[0] = i % b[0];
    t[1] = i / b[0] % b[1];
    t[2] = i / b[0] / b[1];
}
/* Registers that are the same in all lanes; false: a lane's own, or unknown. */
static bool warp_value(const struct warp *w, uint32_t sr, const struct issue *is, uint32_t *v)
{
    const struct launch_env *e = w->env;
    uint32_t base = arch_info(e->arch) ? arch_info(e->arch)->shared_base : 0;
    switch (sr) {
    case SR_VIRTCFG:
        *v = (e->warp_slots & 0xff) << 8;
        return true;
    case SR_VIRTID:
        *v = (w->slot & 0x7f) << 8 | w->smid << 20;
        return true;
    case SR_CTAID_X:
    case SR_CTAID_Y:
    case SR_CTAID_Z:
        *v = w->ctaid[sr - SR_CTAID_X];
        return true;
    case SR_LWINLO:
        *v = (uint32_t)e->local_window;
        return true;
    case SR_LWINHI:
        *v = (uint32_t)(e->local_window >> 32);
        return true;
    case SR_SWINLO:
        *v = (uint32_t)e->shared_window;
        return true;
    case SR_SWINHI:
        *v = (uint32_t)(e->shared_window >> 32);
        return true;
    case SR_SWINSZ:
        *v = 1u << 24;
        return true;
    case SR_LMEMHIOFF: /* the stack's lowest address: code compiled for debugging compares its pointer with it */
        *v = 0;
        return true;
    case SR_SMEMSZ:
        *v = e->shared_bytes + base;
        return true;
    case SR_VIRTUALSMID:
        *v = w->smid;
        return true;
    case SR_CLOCKLO:
        *v = (uint32_t)is->now;
        return true;
    case SR_CLOCKHI:
        *v = (uint32_t)(is->now >> 32);
        return true;
    case SR_GLOBALTIMERLO:
        *v = (uint32_t)is->globaltimer_ns;
        return true;
    case SR_GLOBALTIMERHI:
        *v = (uint32_t)(is->globaltimer_ns >> 32);
        return true;
    case SR_CGACTAID:
        *v = w->cluster_rank;
        return true;
    case SR_ZERO:
        *v = 0;
        return true;
    default:
        return false;
    }
}
static bool lane_value(const struct warp *w, uint32_t sr, uint32_t l, uint32_t *v)
{
    uint32_t t[3], bit = 1u << (l & 31);
    switch (sr) {
    case SR_LANEID:
        *v = l;
        return true;
    case SR_TID:
        thread_index(w, l, t);
        *v = t[0] | t[1] << 16 | t[2] << 26;
        return true;
    case SR_TID_X:
    case SR_TID_Y:
    case SR_TID_Z:
        thread_index(w, l, t);
        *v = t[sr - SR_TID_X];
        return true;
    case SR_EQMASK:
        *v = bit;
        return true;
    case SR_LTMASK:
        *v = bit - 1;
        return true;
    case SR_LEMASK:
        *v = bit | (bit - 1);
        return true;
    case SR_GTMASK:
        *v = ~(bit | (bit - 1));
        return true;
    case SR_GEMASK:
        *v = ~(bit - 1);
        return true;
    default:
        return false;
    }
}
static bool sreg_row(const struct warp *w, uint32_t sr, uint32_t *row, struct issue *is)
{
    uint32_t v;
    if (warp_value(w, sr, is, &v)) {
        row_fill(w, row, v);
        return true;
    }
    const uint32_t *block = w->env->block;
    if (sr == SR_TID_X && (uint64_t)block[1] * block[2] == 1 && w->first_thread + w->env->nlane <= block[0]) {
        for (uint32_t l = 0; l < w->env->nlane; l++)
            row[l] = w->first_thread + l;
        return true;
    }
    for (uint32_t l = 0; l < w->env->nlane; l++)
        if (!lane_value(w, sr, l, &row[l])) {
            exec_fault(is, "special register %u is not supported", sr);
            return false;
        }
    return true;
}
static void put_row(struct warp *w, uint32_t r, const uint32_t *row, const struct issue *is)
{
    if (r != RZ)
        EXEC_SYM(row_blend)(exec_row(w, r), row, is->exec, w->env->nlane);
}

static void s2r(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t row[NLANE];
    if (sreg_row(w, (uint32_t)in->opd[1].imm, row, is))
        put_row(w, in->opd[0].reg, row, is);
}
/* CS2R reads a pair unless it is .32: a register and the one after it, or zero. */
static void cs2r(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t row[NLANE], sr = (uint32_t)in->opd[1].imm, d = in->opd[0].reg;
    if (sr < SR_FIRST_WIDE) /* what a lane or a block is, it does not read: 0 (measured) */
        row_fill(w, row, 0);
    else if (!sreg_row(w, sr, row, is))
        return;
    put_row(w, d, row, is);
    if (in->mod[MOD_W32] || d == RZ)
        return;
    if (sr == SR_CLOCKLO || sr == SR_GLOBALTIMERLO)
        sreg_row(w, sr + 1, row, is);
    else
        row_fill(w, row, 0);
    put_row(w, d + 1u, row, is);
}
static void s2ur(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t row[NLANE];
    uint32_t sr = (uint32_t)in->opd[1].imm;
    if (sr >= SR_EQMASK && sr <= SR_GEMASK) /* the masks are of a lane: 0 (measured) */
        put_ureg(w, in->opd[0].reg, 0);
    else if (sreg_row(w, sr, row, is))
        put_ureg(w, in->opd[0].reg, row[first_lane(is->exec)]);
}
static void lepc(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t row[NLANE];
    uint64_t pc =
        in->opd[1].kind == OPD_NONE ? (uint64_t)(w->split[w->cur].pc - 1) * INST_BYTES : (uint64_t)in->opd[1].imm;
    row_fill(w, row, (uint32_t)pc);
    put_row(w, in->opd[0].reg, row, is);
    row_fill(w, row, (uint32_t)(pc >> 32));
    if (in->opd[0].reg != RZ)
        put_row(w, in->opd[0].reg + 1u, row, is);
}
static void b2r(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t row[NLANE];
    row_fill(w, row, w->barrier_result);
    put_row(w, in->opd[0].reg, row, is);
    put_pred(w, &in->opd[1], w->barrier_result ? ~(lanemask)0 : 0, is);
}

/* ---- barriers and fences: the machine does them ------------------------------------------------------------------ */
static struct effect *effect_start(const struct inst *in, struct issue *is)
{
    struct effect *e = is->effect;
    e->kind = (uint8_t)op_table[in->op].effect;
    e->op = in->op;
    e->inst = in;
    e->mask = is->exec;
    e->space = SPACE_GLOBAL;
    e->bytes = e->nword = 0;
    e->value = e->value2 = 0;
    return e;
}
static void bar(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t tmp[NLANE], first = first_lane(is->exec);
    struct effect *e = effect_start(in, is);
    lanemask p = src_pred(w, &in->opd[2], true);
    e->value = in->opd[0].kind == OPD_NONE ? 0 : src_row(w, &in->opd[0], tmp, SRC_INT, is)[first];
    e->value2 = in->opd[1].kind == OPD_NONE ? 0 : src_row(w, &in->opd[1], tmp, SRC_INT, is)[first];
    for (uint32_t l = 0; l < w->env->nlane; l++)
        e->data[0][l] = bit_of(p, l);
    e->nword = 1;
    if (e->value >= 16)
        exec_fault(is, "barrier %llu does not exist (0 to 15)", (unsigned long long)e->value);
}
static void fence(struct warp *w, const struct inst *in, struct issue *is)
{
    (void)w;
    effect_start(in, is);
}
static void depbar(struct warp *w, const struct inst *in, struct issue *is)
{
    struct effect *e = effect_start(in, is);
    (void)w;
    e->value = in->opd[0].reg;
    e->value2 = (uint64_t)in->opd[1].imm;
}

exec_fn *EXEC_SYM(exec_special_of)(const struct inst *in)
{
    switch (in->op) {
    case OP_S2R:
        return s2r;
    case OP_CS2R:
        return cs2r;
    case OP_S2UR:
        return s2ur;
    case OP_LEPC:
        return lepc;
    case OP_B2R:
        return b2r;
    case OP_BAR:
        return bar;
    case OP_DEPBAR:
    case OP_WARPGROUP_DEPBAR:
        return depbar;
    case OP_MEMBAR:
    case OP_ERRBAR:
    case OP_CGAERRBAR:
    case OP_FENCE_VIEW:
    case OP_LDGDEPBAR:
    case OP_ACQBULK:
    case OP_PREEXIT:
    case OP_WARPGROUP_ARRIVE:
    case OP_WARPGROUPSET:
        return fence;
    default:
        return NULL;
    }
}
