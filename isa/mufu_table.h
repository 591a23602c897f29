/* Recorded functions: integers y(0..n-1), exact, as a parabola for each segment plus a packed remainder.
 *
 * The function unit interpolates with parabolas over segments, in arithmetic that is not published; the fit here is our
 * own, and the remainder (mostly 0, else 1 or -1) makes up for what it does not know. workloads/micro/mufu records the
 * values on a real GPU and packs them. */
#ifndef HEDDLE_ISA_MUFU_TABLE_H
#define HEDDLE_ISA_MUFU_TABLE_H

#include <stdlib.h>
#include <string.h>

#include "isa/rangecoder.h"

enum { SERIES_SHIFT = 40 };
struct series_segment { int64_t y0, c0, c1, c2; };
struct series {
    uint32_t log2n, log2seg;
    struct series_segment *segment;
    int8_t *rest;
};

/* Fixed-point parabola; its fraction tells how sure the whole part is. */
static inline int64_t series_inner(const struct series_segment *s, uint32_t t)
{
    return s->c0 + s->c1 * (int64_t)t + s->c2 * (int64_t)t * (int64_t)t;
}
static inline int32_t series_at(const struct series *s, uint32_t i)
{
    const struct series_segment *g = &s->segment[i >> s->log2seg];
    int64_t v = series_inner(g, i & ((1u << s->log2seg) - 1));
    return (int32_t)(g->y0 + (v >> SERIES_SHIFT)) + s->rest[i];
}

/* The probabilities that the remainder is coded with: by the fraction of the prediction and the last remainder. */
struct series_model { uint16_t zero[64][3], sign[64], more[16][8]; };
static inline void series_model_start(struct series_model *m)
{
    uint16_t *p = &m->zero[0][0];
    for (size_t i = 0; i < sizeof *m / sizeof *p; i++)
        p[i] = 1u << (RC_BITS - 1);
}
static inline uint32_t series_context(int64_t inner) { return (uint32_t)(inner >> (SERIES_SHIFT - 6)) & 63; }

/* Reads one series from *p; moves *p behind it. */
bool series_read(struct series *s, const uint8_t **p, const uint8_t *end);
void series_free(struct series *s);

#endif
