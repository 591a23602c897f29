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

enum { SERIES_SHIFT = 40, SERIES_RAW = 1 << 16 };
struct series_segment {
    int64_t y0, c0, c1, c2;
};
struct series {
    uint32_t log2n, log2seg;
    bool cut24;      /* values keep 24 significant bits: they are floats in a fixed unit */
    bool raw;        /* the first SERIES_RAW values lie in `first` as float patterns */
    uint64_t unsure; /* bits below the cut with which some remainder is not 0: with the others nobody needs to look */
    struct series_segment *segment;
    uint64_t *differs; /* a bit for each: the remainder is not 0 but 1 towards the nearer whole number */
    int8_t *rest;      /* remainders of a series for which that does not hold; else NULL */
    uint32_t *first;
};

/* Fixed-point parabola; its fraction tells how sure the whole part is. */
static inline int64_t series_inner(const struct series_segment *s, uint32_t t)
{
    return s->c0 + s->c1 * (int64_t)t + s->c2 * (int64_t)t * (int64_t)t;
}
struct series_guess {
    int32_t whole;
    uint32_t drop, context;
};
/* What the parabola says, cut to the precision of the series, and the six bits below the cut. */
static inline struct series_guess series_guess(const struct series_segment *g, uint32_t t, bool cut24)
{
    int64_t v = series_inner(g, t), whole = g->y0 + (v >> SERIES_SHIFT);
    uint32_t drop = 0;
    if (cut24 && whole >= 1 << 24)
        drop = 63 - (uint32_t)__builtin_clzll((uint64_t)whole) - 23;
    uint64_t fraction = (uint64_t)v & (((uint64_t)1 << SERIES_SHIFT) - 1);
    uint64_t below = ((uint64_t)whole & ((1u << drop) - 1)) << SERIES_SHIFT | fraction;
    return (struct series_guess){(int32_t)(whole >> drop << drop), drop,
                                 (uint32_t)(below >> (SERIES_SHIFT + drop - 6)) & 63};
}
static inline int32_t series_nearer(uint32_t context)
{
    return context < 32 ? -1 : 1;
}
static inline int32_t series_at(const struct series *s, uint32_t i)
{
    struct series_guess g = series_guess(&s->segment[i >> s->log2seg], i & ((1u << s->log2seg) - 1), s->cut24);
    if (s->rest)
        return g.whole + s->rest[i] * (1 << g.drop);
    if (!(s->unsure >> g.context & 1))
        return g.whole;
    int32_t differs = (int32_t)(s->differs[i / 64] >> (i & 63) & 1);
    return g.whole + series_nearer(g.context) * (differs << g.drop);
}

/* The probabilities that the remainder is coded with: by the bits below the cut and the last remainder. */
struct series_model {
    uint16_t zero[64][3], sign[64], more[16][8];
};
static inline void series_model_start(struct series_model *m)
{
    uint16_t *p = &m->zero[0][0];
    for (size_t i = 0; i < sizeof *m / sizeof *p; i++)
        p[i] = 1u << (RC_BITS - 1);
}

/* Reads one series from *p; moves *p behind it. */
bool series_read(struct series *s, const uint8_t **p, const uint8_t *end);
bool series_skip(const uint8_t **p, const uint8_t *end); /* moves behind one without reading it */
void series_free(struct series *s);

#endif
