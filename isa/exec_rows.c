/* Rows of lanes: the uncommon sources and the blend under a mask. */
#include "isa/exec.h"

APART static const uint32_t *scalar_row(const struct warp *w, const struct operand *o, uint32_t word, uint32_t *tmp,
                                        enum src_kind kind, struct issue *is)
{
    row_fill(w, tmp, modify(exec_scalar(w, o, word, is), o->flags, kind));
    return tmp;
}

/* modify() over a row, with the modifiers as masks, so that the lanes need no branches. */
APART static const uint32_t *modified_floats(const struct warp *w, const uint32_t *row, uint32_t flags, uint32_t *tmp,
                                             uint32_t sign)
{
    uint32_t keep = flags & OPF_ABS ? ~sign : ~0u, flip = flags & OPF_NEG ? sign : 0;
    HALVES(h, w) LANES(l) tmp[h + l] = (row[h + l] & keep) ^ flip;
    return tmp;
}
APART static const uint32_t *modified_ints(const struct warp *w, const uint32_t *row, uint32_t flags, uint32_t *tmp)
{
    uint32_t absolute = flags & OPF_ABS ? ~0u : 0, inverted = flags & OPF_NOT ? ~0u : 0;
    uint32_t negated = flags & OPF_NEG ? ~0u : 0;
    HALVES(h, w) LANES(l)
    {
        uint32_t x = row[h + l], below = (0u - (x >> 31)) & absolute;
        x = (x ^ below) - below;
        tmp[h + l] = (x ^ inverted ^ negated) - negated;
    }
    return tmp;
}

const uint32_t *EXEC_SYM(src_row_slow)(const struct warp *w, const struct operand *o, uint32_t word, uint32_t *tmp,
                                       enum src_kind kind, struct issue *is)
{
    if (o->kind != OPD_REG)
        return scalar_row(w, o, word, tmp, kind, is);
    const uint32_t *row = o->reg == RZ ? exec_zero_row : exec_row(w, o->reg + word);
    if (kind == SRC_INT)
        return modified_ints(w, row, o->flags, tmp);
    return modified_floats(w, row, o->flags, tmp, kind == SRC_F32 ? 0x80000000u : kind == SRC_F16 ? 0x80008000u : 0);
}

void EXEC_SYM(row_blend)(uint32_t *to, const uint32_t *from, lanemask m, uint32_t nlane)
{
    for (uint32_t h = 0; h < nlane; h += 32) {
        uint32_t bits = (uint32_t)(m >> h);
        LANES(l) to[h + l] = bits >> l & 1 ? from[h + l] : to[h + l];
    }
}
