/* What looks at other lanes: shuffles, votes, matches, matrix transpose. */
#include "isa/exec.h"

/* The lane that each lane reads, and whether it lies in range. Segments of a 64-lane warp are its 32-lane halves
 * unless the clamp says more: bits 5 and up of the lane stay the lane's own. */
static void shfl(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], tc[NLANE], out[NLANE], td[NLANE], mode = in->mod[MOD_SHFL], l;
    const uint32_t *ra = src_row(w, &in->opd[2], ta, SRC_RAW, is), *rb = src_row(w, &in->opd[3], tb, SRC_INT, is);
    const uint32_t *rc = src_row(w, &in->opd[4], tc, SRC_INT, is);
    lanemask ok = 0;
    FOR_MASK(l, is->exec)
    {
        int32_t lane = (int32_t)l & 31, b = (int32_t)(rb[l] & 31), c = (int32_t)(rc[l] & 31), seg = (int32_t)(rc[l] >> 8 & 31);
        int32_t max = (lane & seg) | (c & ~seg), min = lane & seg, j;
        bool in_range;
        switch (mode) { /* IDX UP DOWN BFLY */
        case 0: j = min | (b & ~seg), in_range = j <= max; break;
        case 1: j = lane - b, in_range = j >= max; break;
        case 2: j = lane + b, in_range = j <= max; break;
        default: j = lane ^ b, in_range = j <= max; break;
        }
        uint32_t from = in_range ? (uint32_t)j | (l & 32) : l;
        if (!bit_of(is->exec, from)) /* undefined on the machine: its own value here */
            from = l;
        out[l] = ra[from];
        ok |= (lanemask)in_range << l;
    }
    uint32_t *rd = dst_row(w, in->opd[1].reg, td, is);
    FOR_MASK(l, is->exec) rd[l] = out[l];
    dst_put(w, in->opd[1].reg, td, is);
    put_pred(w, &in->opd[0], ok, is);
}

static void vote(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t td[NLANE], mode = in->mod[MOD_VOTE]; /* ALL ANY EQ */
    lanemask t = src_pred(w, &in->opd[2], true) & is->exec;
    bool r = mode == 0 ? t == is->exec : mode == 1 ? t != 0 : t == 0 || t == is->exec;
    if (in->opd[0].kind == OPD_REG) {
        uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
        HALVES(h, w) LANES(l) rd[h + l] = (uint32_t)(t >> h);
        dst_put(w, in->opd[0].reg, td, is);
    }
    put_pred(w, &in->opd[1], r ? ~(lanemask)0 : 0, is);
}

static void match(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t tl[NLANE], th[NLANE], td[NLANE], l, k;
    const struct operand *o = &in->opd[2];
    const uint32_t *lo = src_word(w, o, 0, tl, is), *hi = in->mod[MOD_U64] ? src_word(w, o, 1, th, is) : exec_zero_row;
    lanemask same[NLANE], equal = 0;
    FOR_MASK(l, is->exec)
    {
        same[l] = 0;
        FOR_MASK(k, is->exec) same[l] |= (lanemask)(lo[k] == lo[l] && hi[k] == hi[l]) << k;
    }
    bool all = in->mod[MOD_MATCH] == 0;
    equal = same[first_lane(is->exec)];
    uint32_t *rd = dst_row(w, in->opd[1].reg, td, is);
    FOR_MASK(l, is->exec) rd[l] = (uint32_t)((all ? equal == is->exec ? equal : 0 : same[l]) >> (l & 32));
    dst_put(w, in->opd[1].reg, td, is);
    put_pred(w, &in->opd[0], !all || equal == is->exec ? ~(lanemask)0 : 0, is);
}

static void elect(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t leader = first_lane(is->exec);
    put_pred(w, &in->opd[0], (lanemask)1 << leader, is);
    if (in->opd[1].kind == OPD_UREG)
        put_ureg(w, in->opd[1].reg, leader);
}

/* 8x8 matrix of halves: lane 4r+c/2 holds row r, columns c, c+1 (c even). */
static void movm(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], out[NLANE] = {0}, td[NLANE];
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_RAW, is);
    HALVES(h, w)
    {
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t i = 0; i < 2; i++) {
                uint32_t row = l / 4, col = l % 4 * 2 + i;
                uint32_t x = ra[h + col * 4 + row / 2] >> 16 * (row & 1) & 0xffff;
                out[h + l] |= x << 16 * i;
            }
    }
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    memcpy(rd, out, w->env->nlane * sizeof rd[0]);
    dst_put(w, in->opd[0].reg, td, is);
}

exec_fn *EXEC_SYM(exec_warpwide_of)(const struct inst *in)
{
    switch (in->op) {
    case OP_SHFL: return shfl;
    case OP_VOTE: return vote;
    case OP_MATCH: return match;
    case OP_ELECT: return elect;
    case OP_MOVM: return movm;
    default: return NULL;
    }
}
