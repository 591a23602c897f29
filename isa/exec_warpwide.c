/* What looks at other lanes: shuffles, votes, matches, matrix transpose. */
#include "isa/exec.h"

/* The lane that each lane reads, and whether it lies in range. A 64-lane warp shuffles inside its 32-lane halves. */
SPECIALISED void shfl_half(uint32_t *out, const uint32_t *ra, const uint32_t *rb, const uint32_t *rc, uint32_t exec,
                           uint32_t *ok, uint32_t *idle, uint32_t mode)
{
    uint32_t m = 0, off = 0;
    LANES(l)
    {
        int32_t lane = (int32_t)l, b = (int32_t)(rb[l] & 31), c = (int32_t)(rc[l] & 31),
                seg = (int32_t)(rc[l] >> 8 & 31);
        int32_t max = (lane & seg) | (c & ~seg), min = lane & seg;
        int32_t j = mode == 0   ? min | (b & ~seg)
                    : mode == 1 ? lane - b
                    : mode == 2 ? lane + b
                                : lane ^ b; /* IDX UP DOWN BFLY */
        bool in_range = mode == 1 ? j >= max : j <= max;
        uint32_t from = (uint32_t)(in_range ? j : lane) & 31;
        out[l] = exec >> from & 1 ? ra[from] : 0; /* a lane that does not execute gives 0, as measured */
        m |= (uint32_t)in_range << l;
        off |= (~exec >> from & 1) << l;
    }
    *ok = m;
    *idle = off & exec;
}
static void shfl(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], tc[NLANE], out[NLANE], ok, idle;
    const uint32_t *ra = src_row(w, &in->opd[2], ta, SRC_RAW, is), *rb = src_row(w, &in->opd[3], tb, SRC_INT, is);
    const uint32_t *rc = src_row(w, &in->opd[4], tc, SRC_INT, is);
    lanemask good = 0;
    HALVES(h, w)
    {
        uint32_t exec = (uint32_t)(is->exec >> h);
        switch (in->mod[MOD_SHFL]) {
        case 0:
            shfl_half(out + h, ra + h, rb + h, rc + h, exec, &ok, &idle, 0);
            break;
        case 1:
            shfl_half(out + h, ra + h, rb + h, rc + h, exec, &ok, &idle, 1);
            break;
        case 2:
            shfl_half(out + h, ra + h, rb + h, rc + h, exec, &ok, &idle, 2);
            break;
        default:
            shfl_half(out + h, ra + h, rb + h, rc + h, exec, &ok, &idle, 3);
            break;
        }
        good |= (lanemask)ok << h;
        is->idle |= (lanemask)idle << h;
    }
    if (in->opd[1].reg != RZ)
        EXEC_SYM(row_blend)(exec_row(w, in->opd[1].reg), out, is->exec, w->env->nlane);
    put_pred(w, &in->opd[0], good, is);
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
    lanemask m = is->exec & src_pred(w, &in->opd[2], true);
    put_pred(w, &in->opd[0], m & -m, is);
    if (in->opd[1].kind == OPD_UREG && m)
        put_ureg(w, in->opd[1].reg, first_lane(m));
}

/* 8x8 matrix of halves: lane 4r+c/2 holds row r, columns c, c+1 (c even). */
static void movm(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], out[NLANE] = {0}, td[NLANE];
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_RAW, is);
    if (is->exec != w->live) /* with a lane missing nothing is written (measured) */
        return;
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
    case OP_SHFL:
        return shfl;
    case OP_VOTE:
        return vote;
    case OP_MATCH:
        return match;
    case OP_ELECT:
        return elect;
    case OP_MOVM:
        return movm;
    default:
        return NULL;
    }
}
