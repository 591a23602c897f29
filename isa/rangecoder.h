/* Adaptive binary range coder, as in LZMA: packs the tables of the function unit. */
#ifndef HEDDLE_ISA_RANGECODER_H
#define HEDDLE_ISA_RANGECODER_H

#include "base/base.h"

enum { RC_BITS = 12, RC_SHIFT = 5 };
struct rc_in {
    const uint8_t *p, *end;
    uint32_t range, code;
};
static inline void rc_open(struct rc_in *r, const uint8_t *p, size_t n)
{
    *r = (struct rc_in){p, p + n, 0xffffffffu, 0};
    for (int i = 0; i < 4; i++)
        r->code = r->code << 8 | (r->p < r->end ? *r->p++ : 0);
}
static inline uint32_t rc_bit(struct rc_in *r, uint16_t *prob)
{
    uint32_t bound = (r->range >> RC_BITS) * *prob, bit;
    if (r->code < bound) {
        r->range = bound;
        *prob = (uint16_t)(*prob + (((1u << RC_BITS) - *prob) >> RC_SHIFT));
        bit = 0;
    } else {
        r->range -= bound;
        r->code -= bound;
        *prob = (uint16_t)(*prob - (*prob >> RC_SHIFT));
        bit = 1;
    }
    while (r->range < 1u << 24) {
        r->range <<= 8;
        r->code = r->code << 8 | (r->p < r->end ? *r->p++ : 0);
    }
    return bit;
}

#endif
