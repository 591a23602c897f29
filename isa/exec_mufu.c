/* The function unit over a row of lanes: where each lane looks is found in vectors, the recorded curves are asked for
 * together (one after another the lanes would wait for memory), and the results are put together in vectors. */
#include "isa/mufu_place.h"

#include "isa/exec.h"
#include "isa/mufu.h"
#include "isa/mufu_table.h"

enum { HALF = 32 };

SPECIALISED void half_row(place_fn *place, const struct series *const curve[2], const uint32_t *x, uint32_t *out)
{
    uint32_t index[HALF], odd[HALF], sign[HALF], known[HALF], result[HALF];
    int32_t scale[HALF], y[HALF];
    struct series_look look[HALF];
    LANES(l)
    {
        struct place q = place(x[l]);
        index[l] = q.index;
        odd[l] = q.odd;
        sign[l] = q.sign;
        known[l] = q.known;
        result[l] = q.result;
        scale[l] = q.scale;
    }
    for (uint32_t l = 0; l < HALF; l++)
        look[l] = series_begin(curve[odd[l]], index[l]);
    for (uint32_t l = 0; l < HALF; l++)
        y[l] = series_end(look[l]);
    LANES(l)
    {
        struct place q = {.sign = sign[l], .scale = scale[l], .known = known[l], .result = result[l]};
        out[l] = place_result(x[l], &q, y[l]);
    }
}

SPECIALISED void place_row(place_fn *place, uint32_t fn, const uint32_t *x, uint32_t *out, uint32_t nlane)
{
    const struct series *curve[2] = {mufu_curve(fn, false), mufu_curve(fn, true)};
    for (uint32_t h = 0; h < nlane; h += HALF)
        half_row(place, curve, x + h, out + h);
}

void EXEC_SYM(mufu_row)(uint32_t fn, const uint32_t *x, uint32_t *out, lanemask lanes, uint32_t nlane)
{
    uint32_t l;
    switch (fn) {
    case MUFU_EX2:
        place_row(place_ex2, fn, x, out, nlane);
        break;
    case MUFU_RCP:
        place_row(place_rcp, fn, x, out, nlane);
        break;
    case MUFU_RSQ:
        place_row(place_rsq, fn, x, out, nlane);
        break;
    case MUFU_SQRT:
        place_row(place_sqrt, fn, x, out, nlane);
        break;
    default:
        FOR_MASK(l, lanes) out[l] = mufu(fn, x[l]);
    }
}
