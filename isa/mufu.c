/* The function unit. Each function is one recorded curve per period of its argument; what lies around the curve (range
 * reduction, exponents, special values, one's complements where one would expect negations) was found by comparing with
 * all 2^32 results of an H200. workloads/micro/mufu holds the recorder and the packer. */
#include <pthread.h>

#include "isa/float.h"
#include "isa/mufu.h"
#include "isa/mufu_place.h"
#include "isa/mufu_table.h"

enum mufu_series {
    S_RCP,
    S_RSQ,
    S_RSQ_ODD,
    S_SQRT,
    S_SQRT_ODD,
    S_EX2,
    S_LG2,
    S_LG2_ABOVE,
    S_LG2_BELOW,
    S_SIN,
    S_TANH,
    S_RCP64H = S_TANH + 11,
    S_RSQ64H,
    S_RSQ64H_ODD,
    S_COUNT,
};
enum { MANTISSA = MUFU_MANTISSA, INF = MUFU_INF, SIGN = MUFU_SIGN };

/* The packed series, one after the other: isa/mufu.tables. */
__asm__(".section .rodata\n.balign 16\nmufu_tables_begin: .incbin \"" MUFU_TABLES
        "\"\nmufu_tables_end: .byte 0\n.previous\n");
extern const uint8_t mufu_tables_begin[], mufu_tables_end[];

static struct series series[S_COUNT]; /* unpacked on demand, then constant */
static pthread_mutex_t series_lock = PTHREAD_MUTEX_INITIALIZER;

static struct mufu_curves *curves[MUFU_COUNT]; /* likewise */

/* The series of a function that is one curve, or two, over the mantissa; of others S_COUNT. */
static enum mufu_series curve_of(uint32_t fn, bool odd)
{
    switch (fn) {
    case MUFU_EX2:
        return S_EX2;
    case MUFU_RCP:
        return S_RCP;
    case MUFU_RSQ:
        return odd ? S_RSQ_ODD : S_RSQ;
    case MUFU_SQRT:
        return odd ? S_SQRT_ODD : S_SQRT;
    default:
        return S_COUNT;
    }
}

static void lay_out_curve(struct mufu_curves *to, const struct series *s, uint32_t c)
{
    must(s->log2n == 23 && s->log2seg == MUFU_SEGMENT_BITS && !s->cut24 && !s->rest); /* as rows of lanes read them */
    for (uint32_t k = 0; k < MUFU_SEGMENTS; k++) {
        const struct series_segment *g = &s->segment[k];
        uint32_t at = c * MUFU_SEGMENTS + k;
        must(g->y0 == (int32_t)g->y0 && g->c2 == (int32_t)g->c2);
        to->c0[at] = g->c0;
        to->c1[at] = g->c1;
        to->c2[at] = (int32_t)g->c2;
        to->y0[at] = (int32_t)g->y0;
    }
    to->unsure[0][c] = (uint32_t)s->unsure;
    to->unsure[1][c] = (uint32_t)(s->unsure >> 32);
    for (uint32_t i = 0; i < MUFU_REST_WORDS; i++)
        to->rest[c * MUFU_REST_WORDS + i] = (uint32_t)(s->differs[i / 2] >> (i & 1) * 32);
}

static void lay_out_curves(uint32_t fn)
{
    uint32_t n = curve_of(fn, false) == curve_of(fn, true) ? 1 : 2;
    struct mufu_curves *to = xcalloc(1, sizeof *to);
    to->rest = xcalloc((size_t)n * MUFU_REST_WORDS, sizeof *to->rest);
    for (uint32_t c = 0; c < n; c++)
        lay_out_curve(to, &series[curve_of(fn, c)], c);
    curves[fn] = to;
}

const struct mufu_curves *mufu_curves(uint32_t fn)
{
    return curves[fn];
}

void mufu_prepare(uint32_t fn)
{
    static const struct {
        uint8_t first, n;
    } needs[MUFU_COUNT] = {
        [MUFU_COS] = {S_SIN, 1},       [MUFU_SIN] = {S_SIN, 1},       [MUFU_EX2] = {S_EX2, 1},
        [MUFU_LG2] = {S_LG2, 3},       [MUFU_RCP] = {S_RCP, 1},       [MUFU_RSQ] = {S_RSQ, 2},
        [MUFU_RCP64H] = {S_RCP64H, 1}, [MUFU_RSQ64H] = {S_RSQ64H, 2}, [MUFU_SQRT] = {S_SQRT, 2},
        [MUFU_TANH] = {S_TANH, 11},
    };
    if (fn >= MUFU_COUNT)
        return;
    pthread_mutex_lock(&series_lock);
    const uint8_t *p = mufu_tables_begin;
    for (uint32_t i = 0; i < S_COUNT; i++) {
        if (i >= needs[fn].first && i < needs[fn].first + needs[fn].n && !series[i].segment)
            must(series_read(&series[i], &p, mufu_tables_end));
        else
            must(series_skip(&p, mufu_tables_end));
    }
    if (!curves[fn] && curve_of(fn, false) != S_COUNT)
        lay_out_curves(fn);
    pthread_mutex_unlock(&series_lock);
}

/* value * 2^-unit, exact. */
static uint32_t scaled(int32_t value, int unit)
{
    return f32_bits((float)value * f32_of((uint32_t)(127 - unit) << 23));
}
/* Fixed point with 23 fraction bits, cut to the 24 bits of a float. */
static uint32_t cut23(uint32_t v)
{
    uint32_t top = v ? 31 - (uint32_t)__builtin_clz(v) : 0;
    return scaled((int32_t)(top > 23 ? v >> (top - 23) << (top - 23) : v), 23);
}
/* Small values are kept as floats, the others in units of 2^-30 or 2^-31. */
static uint32_t curve(enum mufu_series s, uint32_t i)
{
    return i < SERIES_RAW ? series[s].first[i] & ~(uint32_t)SIGN
                          : scaled(series_at(&series[s], i), s == S_LG2_BELOW ? 31 : 30);
}
static uint32_t at_place(uint32_t fn, uint32_t x, struct place p)
{
    return place_result(x, &p, series_at(&series[curve_of(fn, p.odd)], p.index));
}
static uint32_t lg2(uint32_t x)
{
    uint32_t e = x >> 23 & 0xff, m = x & MANTISSA;
    if (!e)
        return (uint32_t)SIGN | INF;
    if (x >> 31)
        return F32_NAN;
    if (e == 255)
        return INF;
    if (e == 127)
        return curve(S_LG2_ABOVE, m);
    if (e == 126)
        return (uint32_t)SIGN | curve(S_LG2_BELOW, MANTISSA - m);
    uint32_t l = (uint32_t)series_at(&series[S_LG2], m) & MANTISSA;
    return e > 127 ? cut23(((e - 127) << 23) + l) : (uint32_t)SIGN | cut23(((127 - e) << 23) - l - 1);
}
/* Sine of x revolutions, cut to 2^-25; the quarter is mirrored by a complement. */
static uint32_t sine(uint32_t x, bool cosine)
{
    uint32_t e = x >> 23 & 0xff, m = (x & MANTISSA) | 1u << 23;
    if (e == 255)
        return F32_NAN;
    uint32_t u = !e || e < 125 - 24 || e >= 125 + 25 ? 0 : e >= 125 ? m << (e - 125) : m >> (125 - e);
    uint32_t quarter = u >> 23 & 3, i = u & MANTISSA;
    bool mirror = cosine ? !(quarter & 1) : quarter & 1;
    uint32_t sign = (cosine ? quarter == 1 || quarter == 2 : (quarter >> 1) ^ (x >> 31)) ? (uint32_t)SIGN : 0;
    return sign | curve(S_SIN, mirror ? MANTISSA - i : i);
}
static uint32_t tanh_(uint32_t x)
{
    static const uint8_t step[] = {6, 6, 6, 5, 5, 4,
                                   4, 4, 3, 2, 3}; /* input bits that do not count, for 2^-8 <= |x| < 8 */
    uint32_t e = x >> 23 & 0xff, sign = x & (uint32_t)SIGN;
    if (e < 0x77)
        return x;
    if (e > 0x81)
        return sign | 0x3f800000;
    return sign |
           scaled(series_at(&series[S_TANH + (e - 0x77)], (x & MANTISSA) >> step[e - 0x77]), e <= 0x78 ? 31 : 30);
}

/* High words of doubles. */
static uint32_t word64(uint32_t sign, int32_t y, int scale)
{
    int64_t w = 0x3fe00000 + (int64_t)y + (int64_t)scale * (1 << 20);
    return w < 0x100000 ? sign : sign | (uint32_t)w;
}
static uint32_t rcp64h(uint32_t x)
{
    uint32_t sign = x & (uint32_t)SIGN, e = x >> 20 & 0x7ff, m = x & 0xfffff;
    if (e == 0x7ff)
        return m ? 0x7fffffffu : sign;
    if (!e)
        return sign | 0x7ff00000u;
    return word64(sign, series_at(&series[S_RCP64H], m), 1023 - (int)e);
}
static uint32_t rsq64h(uint32_t x)
{
    uint32_t e = x >> 20 & 0x7ff, m = x & 0xfffff;
    if (e == 0x7ff && m)
        return 0x7fffffffu;
    if (!e)
        return (x & (uint32_t)SIGN) | 0x7ff00000u;
    if (x >> 31)
        return 0x7fffffffu;
    if (e == 0x7ff)
        return 0;
    int k = (int)e - 1023;
    return word64(0, series_at(&series[k & 1 ? S_RSQ64H_ODD : S_RSQ64H], m), k & 1 ? -((k + 1) >> 1) : -(k >> 1));
}

uint32_t mufu(uint32_t fn, uint32_t x)
{
    if (fn == MUFU_RCP64H)
        return rcp64h(x);
    if (fn == MUFU_RSQ64H)
        return rsq64h(x);
    if (f32_isnan(x))
        return F32_NAN;
    switch (fn) {
    case MUFU_COS:
        return sine(x, true);
    case MUFU_SIN:
        return sine(x, false);
    case MUFU_EX2:
        return at_place(fn, x, place_ex2(x));
    case MUFU_LG2:
        return lg2(x);
    case MUFU_RCP:
        return at_place(fn, x, place_rcp(x));
    case MUFU_RSQ:
        return at_place(fn, x, place_rsq(x));
    case MUFU_SQRT:
        return at_place(fn, x, place_sqrt(x));
    case MUFU_TANH:
        return tanh_(x);
    default:
        return F32_NAN;
    }
}

/* A narrow result is the function of the widened source, cut. */
uint32_t mufu_f16(uint32_t fn, uint32_t x)
{
    uint32_t u = mufu(fn, f32_bits(f16_value(x & 0xffff)));
    if (f32_isnan(u))
        return F16_NAN;
    if ((u & 0x7fffffffu) >= 0x47800000u) /* 65536: too large becomes infinite */
        return (u >> 16 & 0x8000) | 0x7c00;
    return (u >> 16 & 0x8000) | narrow_float((double)f32_of(u), 10, -14, 0x7bff, 0x7c00, ROUND_ZERO);
}
uint32_t mufu_bf16(uint32_t fn, uint32_t x)
{
    uint32_t u = mufu(fn, x << 16);
    return f32_isnan(u) ? (uint32_t)F16_NAN : u >> 16;
}
