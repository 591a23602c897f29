/* Fits parabolas to recorded integers and packs the remainder: the writing side of isa/mufu_table.h. */
#ifndef PACK_SERIES_H
#define PACK_SERIES_H

#include <math.h>
#include <stdio.h>

#include "isa/mufu_table.h"

struct rc_out { uint8_t *p; size_t n, cap; uint64_t low; uint32_t range; uint8_t cache; uint64_t held; };
static void rc_byte(struct rc_out *r, uint8_t b)
{
    if (r->n == r->cap)
        r->p = realloc(r->p, r->cap = r->cap ? 2 * r->cap : 1 << 20);
    r->p[r->n++] = b;
}
static void rc_shift_low(struct rc_out *r)
{
    if ((uint32_t)r->low < 0xff000000u || r->low >> 32) {
        uint8_t carry = (uint8_t)(r->low >> 32);
        for (; r->held; r->held--) {
            rc_byte(r, (uint8_t)(r->cache + carry));
            r->cache = 0xff;
        }
        r->cache = (uint8_t)(r->low >> 24);
    }
    r->held++;
    r->low = (uint32_t)r->low << 8;
}
static void rc_put(struct rc_out *r, uint16_t *prob, uint32_t bit)
{
    uint32_t bound = (r->range >> RC_BITS) * *prob;
    if (!bit) {
        r->range = bound;
        *prob = (uint16_t)(*prob + (((1u << RC_BITS) - *prob) >> RC_SHIFT));
    } else {
        r->low += bound;
        r->range -= bound;
        *prob = (uint16_t)(*prob - (*prob >> RC_SHIFT));
    }
    while (r->range < 1u << 24) {
        r->range <<= 8;
        rc_shift_low(r);
    }
}

/* Least squares over one segment, in t / length to stay well conditioned; the target lies half a unit of the last kept
 * bit above y, since results are cut. */
static struct series_segment fit_segment(const int32_t *y, uint32_t n, bool cut24)
{
    long double s[5] = {0}, b[3] = {0};
    for (uint32_t i = 0; i < n; i++) {
        int drop = cut24 && y[i] >= 1 << 24 ? 31 - __builtin_clz((uint32_t)y[i]) - 23 : 0;
        long double t = (long double)i / n, v = (long double)(y[i] - y[0]) + ldexpl(0.5L, drop), p = 1;
        for (int k = 0; k < 5; k++, p *= t) {
            s[k] += p;
            if (k < 3)
                b[k] += p * v;
        }
    }
    long double m[3][4];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            m[r][c] = s[r + c];
        m[r][3] = b[r];
    }
    for (int k = 0; k < 3; k++)
        for (int r = 0; r < 3; r++)
            if (r != k) {
                long double f = m[r][k] / m[k][k];
                for (int c = 0; c < 4; c++)
                    m[r][c] -= f * m[k][c];
            }
    long double scale = ldexpl(1, SERIES_SHIFT);
    return (struct series_segment){y[0], llroundl(m[0][3] / m[0][0] * scale), llroundl(m[1][3] / m[1][1] / n * scale),
                                   llroundl(m[2][3] / m[2][2] / n / n * scale)};
}
static void put_le(FILE *f, uint64_t v, int n)
{
    for (int i = 0; i < n; i++)
        fputc((int)(v >> 8 * i & 0xff), f);
}
/* first: float patterns of the first values, or NULL. Ends the program if a remainder is too large. */
static void pack_series(FILE *f, const char *name, const int32_t *y, uint32_t log2n, uint32_t log2seg, bool cut24, const uint32_t *first)
{
    uint32_t n = 1u << log2n, nseg = n >> log2seg, nonzero = 0;
    struct series_segment *g = xcalloc(nseg, sizeof *g);
    struct rc_out r = {.range = 0xffffffffu, .held = 1};
    struct series_model m;
    int32_t last = 0, most = 0;
    series_model_start(&m);
    for (uint32_t i = 0; i < nseg; i++)
        if (!first || (i + 1) << log2seg > SERIES_RAW)
            g[i] = fit_segment(y + ((size_t)i << log2seg), 1u << log2seg, cut24);
    for (uint32_t i = first ? SERIES_RAW : 0; i < n; i++) {
        struct series_guess e = series_guess(&g[i >> log2seg], i & ((1u << log2seg) - 1), cut24);
        int32_t d = y[i] - e.whole, v = d / (1 << e.drop);
        uint32_t kind = last == 0 ? 0 : last > 0 ? 1 : 2;
        if (v * (1 << e.drop) != d || abs(v) > 127) {
            fprintf(stderr, "%s: value %u is %d, guessed %d (unit %d)\n", name, i, y[i], e.whole, 1 << e.drop);
            exit(1);
        }
        nonzero += v != 0;
        most = abs(v) > most ? abs(v) : most;
        rc_put(&r, &m.zero[e.context][kind], v != 0);
        if (v) {
            rc_put(&r, &m.sign[e.context], v < 0);
            for (int32_t k = 1; k < 127; k++) {
                rc_put(&r, &m.more[k < 15 ? k : 15][e.context >> 3], k < abs(v));
                if (k >= abs(v))
                    break;
            }
        }
        last = v;
    }
    for (int i = 0; i < 5; i++)
        rc_shift_low(&r);
    fputc((int)log2n, f);
    fputc((int)log2seg, f);
    put_le(f, (cut24 ? 1u : 0) | (first ? 2u : 0), 2);
    put_le(f, r.n - 1, 4); /* the first byte is always 0 */
    for (uint32_t i = 0; i < nseg; i++) {
        put_le(f, (uint64_t)g[i].y0, 8);
        put_le(f, (uint64_t)g[i].c0, 8);
        put_le(f, (uint64_t)g[i].c1, 8);
        put_le(f, (uint64_t)g[i].c2, 8);
    }
    for (uint32_t i = 0; first && i < SERIES_RAW; i++)
        put_le(f, first[i], 4);
    fwrite(r.p + 1, 1, r.n - 1, f);
    fprintf(stderr, "%-10s 2^%u values, %u segments: %.2f %% remainders, at most %d, %zu bytes\n", name, log2n, nseg, 100.0 * nonzero / n, most, r.n - 1);
    free(r.p);
    free(g);
}

#endif
