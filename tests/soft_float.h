/* A second, integer-only reading of the IEEE rules, to test execution against. */
#ifndef HEDDLE_TESTS_SOFT_FLOAT_H
#define HEDDLE_TESTS_SOFT_FLOAT_H

#include "base/base.h"

struct fmt { uint32_t frac, ebits; };
static const struct fmt FMT32 = {23, 8}, FMT16 = {10, 5}, FMTBF = {7, 8};
enum { SOFT_RN, SOFT_RM, SOFT_RP, SOFT_RZ };
struct soft { enum { S_FINITE, S_INF, S_NAN } kind; bool neg; __int128 m; int e; }; /* m * 2^e, m >= 0 */

static inline uint32_t soft_bits(struct fmt f) { return 1 + f.ebits + f.frac; }
static inline int soft_bias(struct fmt f) { return (1 << (f.ebits - 1)) - 1; }
static inline struct soft soft_unpack(uint32_t x, struct fmt f)
{
    uint32_t m = x & ((1u << f.frac) - 1), e = x >> f.frac & ((1u << f.ebits) - 1);
    struct soft s = {.neg = x >> (soft_bits(f) - 1) & 1};
    if (e == (1u << f.ebits) - 1) {
        s.kind = m ? S_NAN : S_INF;
        return s;
    }
    s.m = e ? m | 1u << f.frac : m;
    s.e = (int)(e ? e : 1) - soft_bias(f) - (int)f.frac;
    return s;
}
/* NaN is all ones but the sign. */
static inline uint32_t soft_round(struct soft s, struct fmt f, int mode)
{
    uint32_t top = (1u << f.ebits) - 1, sign = (uint32_t)s.neg << (soft_bits(f) - 1);
    if (s.kind == S_NAN)
        return (1u << (soft_bits(f) - 1)) - 1;
    if (s.kind == S_INF)
        return sign | top << f.frac;
    if (!s.m)
        return sign;
    int bits = 0;
    while (s.m >> bits)
        bits++;
    int emin = 1 - soft_bias(f) - (int)f.frac, e = s.e + bits - 1 - (int)f.frac; /* exponent of the last kept bit */
    if (e < emin)
        e = emin;
    int drop = e - s.e;
    unsigned __int128 kept, rest = 0, half = 1;
    if (drop <= 0) {
        kept = (unsigned __int128)s.m << -drop;
    } else if (drop > 126) {
        kept = 0, rest = 1, half = 2;
    } else {
        kept = (unsigned __int128)s.m >> drop;
        rest = (unsigned __int128)s.m & (((unsigned __int128)1 << drop) - 1);
        half = (unsigned __int128)1 << (drop - 1);
    }
    bool up = mode == SOFT_RN ? rest > half || (rest == half && (kept & 1)) : mode == SOFT_RM ? rest && s.neg : mode == SOFT_RP ? rest && !s.neg : false;
    kept += up;
    if (kept >> (f.frac + 1))
        kept >>= 1, e++;
    uint32_t biased = kept >> f.frac ? (uint32_t)(e - emin + 1) : 0;
    if (biased >= top) {
        bool inf = mode == SOFT_RN || (mode == SOFT_RM && s.neg) || (mode == SOFT_RP && !s.neg);
        return inf ? sign | top << f.frac : sign | ((top << f.frac) - 1);
    }
    return sign | biased << f.frac | ((uint32_t)kept & ((1u << f.frac) - 1));
}
/* a * b + c exactly (what lies too far below is a sticky bit). */
static inline struct soft soft_fma(struct soft a, struct soft b, struct soft c, int mode)
{
    struct soft p = {.neg = a.neg != b.neg, .m = a.m * b.m, .e = a.e + b.e};
    if (a.kind == S_NAN || b.kind == S_NAN || c.kind == S_NAN || (a.kind == S_INF && b.kind == S_FINITE && !b.m) ||
        (b.kind == S_INF && a.kind == S_FINITE && !a.m))
        return (struct soft){.kind = S_NAN};
    if (a.kind == S_INF || b.kind == S_INF) {
        p.kind = S_INF;
        return c.kind == S_INF && c.neg != p.neg ? (struct soft){.kind = S_NAN} : p;
    }
    if (c.kind == S_INF)
        return c;
    if (!p.m && !c.m)
        return (struct soft){.neg = p.neg == c.neg ? p.neg : mode == SOFT_RM};
    if (!p.m)
        return c;
    if (!c.m)
        return p;
    struct soft *hi = p.e >= c.e ? &p : &c, *lo = hi == &p ? &c : &p;
    int d = hi->e - lo->e;
    if (d > 70) {
        hi->m <<= 70, hi->e -= 70;
        int far = hi->e - lo->e; /* lo below hi's last bit: any nonzero rest; one unit is small enough */
        lo->m = far > 60 ? 1 : (lo->m >> far) | 1;
        lo->e = hi->e;
    } else {
        hi->m <<= d, hi->e -= d;
    }
    __int128 s = (p.neg ? -p.m : p.m) + (c.neg ? -c.m : c.m);
    if (!s)
        return (struct soft){.neg = mode == SOFT_RM};
    return (struct soft){.neg = s < 0, .m = s < 0 ? -s : s, .e = p.e};
}
static inline struct soft soft_one(void) { return (struct soft){.m = 1}; }
static inline struct soft soft_zero(bool neg) { return (struct soft){.neg = neg}; }

#endif
