/* Rows of lanes: the uncommon sources and the blend under a mask. */
#include "isa/exec.h"

const uint32_t *EXEC_SYM(src_row_slow)(const struct warp *w, const struct operand *o, uint32_t word, uint32_t *tmp,
                                       enum src_kind kind, struct issue *is)
{
    if (o->kind != OPD_REG) {
        row_fill(w, tmp, modify(exec_scalar(w, o, word, is), o->flags, kind));
        return tmp;
    }
    const uint32_t *row = o->reg == RZ ? exec_zero_row : exec_row(w, o->reg + word);
    uint32_t flags = o->flags;
    HALVES(h, w) LANES(l) tmp[h + l] = modify(row[h + l], flags, kind);
    return tmp;
}

void EXEC_SYM(row_blend)(uint32_t *to, const uint32_t *from, lanemask m, uint32_t nlane)
{
    for (uint32_t h = 0; h < nlane; h += 32) {
        uint32_t bits = (uint32_t)(m >> h);
        LANES(l) to[h + l] = bits >> l & 1 ? from[h + l] : to[h + l];
    }
}
