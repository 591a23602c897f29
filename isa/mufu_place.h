/* Functions that are one recorded curve for a binade, or two: where on it an argument lies, and what is made of the
 * value there. Without branches: in a loop over lanes the compiler makes vectors of them. */
#ifndef HEDDLE_ISA_MUFU_PLACE_H
#define HEDDLE_ISA_MUFU_PLACE_H

#include "isa/float.h"

enum { MUFU_MANTISSA = 0x7fffff, MUFU_INF = 0x7f800000, MUFU_SIGN = (int)0x80000000 };

struct place {
    uint32_t index, sign;
    int32_t scale;  /* the curve's value is in [1/2, 1], times 2^scale */
    uint32_t odd;   /* 1: it is the second of the function's two curves */
    uint32_t known; /* 1: no curve, `result` is the result */
    uint32_t result;
};
typedef struct place place_fn(uint32_t x);

static inline struct place place_rcp(uint32_t x)
{
    uint32_t sign = x & (uint32_t)MUFU_SIGN, e = x >> 23 & 0xff;
    return (struct place){.index = x & MUFU_MANTISSA,
                          .sign = sign,
                          .scale = 127 - (int32_t)e,
                          .known = (e == 0) | (e == 255),
                          .result = sign | (e ? 0u : (uint32_t)MUFU_INF)};
}
static inline struct place place_root(uint32_t x, int32_t scale, uint32_t of_zero, uint32_t of_inf)
{
    uint32_t e = x >> 23 & 0xff, negative = x >> 31;
    return (struct place){.index = x & MUFU_MANTISSA,
                          .scale = scale,
                          .odd = (e - 127) & 1,
                          .known = (e == 0) | (e == 255) | negative,
                          .result = !e         ? of_zero
                                    : negative ? (uint32_t)F32_NAN
                                               : of_inf};
}
static inline struct place place_rsq(uint32_t x)
{
    int32_t k = (int32_t)(x >> 23 & 0xff) - 127;
    return place_root(x, -(k >> 1), (x & (uint32_t)MUFU_SIGN) | (uint32_t)MUFU_INF, 0);
}
static inline struct place place_sqrt(uint32_t x)
{
    int32_t k = (int32_t)(x >> 23 & 0xff) - 127;
    return place_root(x, (k >> 1) + 1, x & (uint32_t)MUFU_SIGN, (uint32_t)MUFU_INF);
}
/* 2^x: the fraction is cut to 23 bits; a negative argument is complemented, not negated, unless the fraction is zero.
 */
static inline struct place place_ex2(uint32_t x)
{
    uint32_t e = x >> 23 & 0xff, m = (x & MUFU_MANTISSA) | 1u << 23, negative = x >> 31;
    uint32_t fixed = e < 127 - 24 ? 0 : e >= 127 ? m << ((e - 127) & 31) : m >> ((127 - e) & 31);
    int32_t whole = (int32_t)(fixed >> 23);
    uint32_t f = fixed & MUFU_MANTISSA, flip = negative & (f != 0);
    return (struct place){.index = flip ? ~f & MUFU_MANTISSA : f,
                          .scale = 1 + (negative ? -whole - (int32_t)flip : whole),
                          .known = e >= 127 + 8,
                          .result = negative ? 0 : (uint32_t)MUFU_INF};
}
/* y: mantissa in 2^-24 units of a value in [1/2, 1], times 2^scale; flushed below, infinite above. */
static inline uint32_t place_assemble(uint32_t sign, int32_t y, int32_t scale)
{
    int32_t one = y == 1 << 24, field = 126 + one + scale;
    uint32_t value = (uint32_t)field << 23 | (one ? 0 : (uint32_t)y & MUFU_MANTISSA);
    return sign | (field <= 0 ? 0 : field >= 255 ? (uint32_t)MUFU_INF : value);
}
static inline uint32_t place_result(uint32_t x, const struct place *p, int32_t y)
{
    uint32_t v = p->known ? p->result : place_assemble(p->sign, y, p->scale);
    return f32_isnan(x) ? (uint32_t)F32_NAN : v;
}

#endif
