/* The function unit over a row of lanes, without branches: where on a recorded curve each lane looks, what the curve
 * says there and the result are all found in vectors. As mufu() does it lane by lane, with mufu_table.h's series_at().
 */
#include "isa/mufu_place.h"

#include "isa/exec.h"
#include "isa/mufu.h"

enum { HALF = 32, LOW = (1 << MUFU_SEGMENT_BITS) - 1 };

/* What the curve says: series_guess() and its remainder, of a series whose values all keep their bits. The bits of
 * remainders that must be 0 are not looked at, even they are a megabyte. `curve`: 0, or 1 for the second one. */
static void half_values(const struct mufu_curves *c, const uint32_t *curve, const uint32_t *index, int32_t *y)
{
    const int64_t *c0 = c->c0, *c1 = c->c1;
    const int32_t *c2 = c->c2, *y0 = c->y0;
    const uint32_t *rest = c->rest, *below = c->unsure[0], *above = c->unsure[1];
    uint32_t high[HALF];
    int32_t seg[HALF];
    LANES(l) seg[l] = (int32_t)(curve[l] * MUFU_SEGMENTS + (index[l] >> MUFU_SEGMENT_BITS));
    LANES(l)
    {
        int64_t t = index[l] & LOW, v = c0[seg[l]] + (c1[seg[l]] + c2[seg[l]] * t) * t;
        high[l] = (uint32_t)((uint64_t)v >> 32); /* fixed point: 40 bits behind the point */
    }
    LANES(l)
    {
        uint32_t context = high[l] >> 2; /* the low six bits of it; below 32 a remainder is downwards */
        uint32_t down = (high[l] >> 7 & 1) - 1, unsure = (below[curve[l]] & down) | (above[curve[l]] & ~down);
        uint32_t look = unsure >> (context & 31) & 1;
        int32_t word = (int32_t)((curve[l] * MUFU_REST_WORDS + index[l] / 32) & -look);
        uint32_t more = rest[word] >> (index[l] & 31) & look;
        y[l] = y0[seg[l]] + ((int32_t)high[l] >> 8) + (int32_t)((more ^ down) - down);
    }
}

SPECIALISED void half_row(place_fn *place, const struct mufu_curves *c, const uint32_t *x, uint32_t *out)
{
    uint32_t index[HALF], odd[HALF], sign[HALF], known[HALF], result[HALF];
    int32_t scale[HALF], y[HALF];
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
    half_values(c, odd, index, y);
    LANES(l)
    {
        struct place q = {.sign = sign[l], .scale = scale[l], .known = known[l], .result = result[l]};
        out[l] = place_result(x[l], &q, y[l]);
    }
}

SPECIALISED void place_row(place_fn *place, uint32_t fn, const uint32_t *x, uint32_t *out, uint32_t nlane)
{
    const struct mufu_curves *c = mufu_curves(fn);
    for (uint32_t h = 0; h < nlane; h += HALF)
        half_row(place, c, x + h, out + h);
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
