/* What integer operations mean for one value: shared by the vector routines and the uniform datapath.
 * Sources for the semantics: Mesa NAK's hardware-tested constant folding, restated. */
#ifndef HEDDLE_ISA_ALU_H
#define HEDDLE_ISA_ALU_H

#include "isa/exec.h"

/* What an addend of a three-way add contributes: -x is (~x) + 1 without wrapping, so that -0 carries. */
SPECIALISED uint64_t alu_addend(uint32_t x, uint32_t flags)
{
    if (flags & OPF_NEG)
        return (uint64_t)~x + 1;
    return flags & OPF_NOT ? ~x : x;
}
/* Two values packed in one word, each computed by itself. */
SPECIALISED uint32_t alu_minmax16x2(uint32_t a, uint32_t b, bool min, bool is_unsigned)
{
    uint32_t flip = is_unsigned ? 0 : 0x80008000u;
    a ^= flip, b ^= flip;
    uint32_t al = a & 0xffff, bl = b & 0xffff, ah = a >> 16, bh = b >> 16;
    uint32_t lo = (al < bl) == min ? al : bl, hi = (ah < bh) == min ? ah : bh;
    return (hi << 16 | lo) ^ flip;
}
SPECIALISED uint32_t alu_add16x2(uint32_t a, uint32_t b)
{
    return ((a & 0xffff0000u) + (b & 0xffff0000u)) | ((a + b) & 0xffff);
}
SPECIALISED uint32_t alu_relu16x2(uint32_t x)
{
    return (x & 0x8000 ? 0 : x & 0xffff) | (x & 0x80000000u ? 0 : x & 0xffff0000u);
}
SPECIALISED uint32_t alu_minmax(uint32_t a, uint32_t b, bool min, uint32_t flip) /* flip: 0x80000000 if unsigned */
{
    bool less = (int32_t)(a ^ flip) < (int32_t)(b ^ flip);
    return less == min ? a : b;
}

/* Funnel shift: a is the low word of x, c the high one. wide: the type has 64 bits. */
struct alu_shift {
    bool right, is_signed, wide, wrap, high;
};
SPECIALISED struct alu_shift alu_shift_of(const struct inst *in)
{
    uint32_t t = in->mod[MOD_STYPE]; /* S64 U64 S32 U32 */
    return (struct alu_shift){.right = in->mod[MOD_DIR],
                              .is_signed = t == 0 || t == 2,
                              .wide = t < 2,
                              .wrap = in->mod[MOD_WRAP],
                              .high = in->mod[MOD_HI]};
}
SPECIALISED uint32_t alu_shf(struct alu_shift s, uint32_t a, uint32_t n, uint32_t c)
{
    uint32_t width = s.wide ? 64 : 32;
    n = s.wrap ? n & (width - 1) : n < width ? n : width;
    uint64_t x = (uint64_t)c << 32 | a, y;
    uint64_t sign = s.is_signed && (int32_t)c < 0 ? ~(uint64_t)0 : 0;
    if (s.right)
        y = n >= 64 ? sign : (x >> n) | (n ? sign << (64 - n) : 0);
    else
        y = n >= 64 ? 0 : x << n;
    return s.high ? (uint32_t)(y >> 32) : (uint32_t)y;
}

SPECIALISED uint32_t alu_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t lut)
{
    uint32_t m[8];
    for (uint32_t i = 0; i < 8; i++)
        m[i] = lut >> i & 1 ? ~0u : 0;
    uint32_t t00 = m[0] ^ ((m[0] ^ m[1]) & c), t01 = m[2] ^ ((m[2] ^ m[3]) & c);
    uint32_t t10 = m[4] ^ ((m[4] ^ m[5]) & c), t11 = m[6] ^ ((m[6] ^ m[7]) & c);
    uint32_t t0 = t00 ^ ((t00 ^ t01) & b), t1 = t10 ^ ((t10 ^ t11) & b);
    return t0 ^ ((t0 ^ t1) & a);
}
SPECIALISED lanemask alu_plop3(lanemask a, lanemask b, lanemask c, uint32_t lut)
{
    lanemask r = 0;
    for (uint32_t i = 0; i < 8; i++)
        if (lut >> i & 1)
            r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}

SPECIALISED uint32_t alu_prmt(uint32_t a, uint32_t sel, uint32_t c, uint32_t mode)
{
    uint64_t pool = (uint64_t)c << 32 | a;
    uint32_t s = sel & 3, r = 0;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t i, sign = 0;
        switch (mode) { /* "", F4E, B4E, RC8, ECL, ECR, RC16 */
        case 0:
            i = sel >> 4 * k & 7;
            sign = sel >> (4 * k + 3) & 1;
            break;
        case 1:
            i = (s + k) & 7;
            break;
        case 2:
            i = (s - k) & 7;
            break;
        case 3:
            i = s;
            break;
        case 4:
            i = k > s ? k : s;
            break;
        case 5:
            i = k < s ? k : s;
            break;
        default:
            i = (s & 1) * 2 + (k & 1);
            break;
        }
        uint32_t byte = (uint32_t)(pool >> 8 * i) & 0xff;
        if (sign)
            byte = byte & 0x80 ? 0xff : 0;
        r |= byte << 8 * k;
    }
    return r;
}

SPECIALISED uint32_t alu_sgxt(uint32_t a, uint32_t n, bool is_unsigned, bool wrap)
{
    n = wrap ? n & 31 : n;
    if (n >= 32)
        return a;
    if (!n)
        return 0;
    uint32_t up = a << (32 - n);
    return is_unsigned ? up >> (32 - n) : (uint32_t)((int32_t)up >> (32 - n));
}
SPECIALISED uint32_t alu_bmsk(uint32_t pos, uint32_t width, bool wrap)
{
    uint32_t p = wrap ? pos & 31 : pos < 32 ? pos : 32;
    uint32_t n = wrap ? width & 31 : width < 32 - p ? width : 32 - p;
    return (uint32_t)((((uint64_t)1 << n) - 1) << p);
}
SPECIALISED uint32_t alu_brev(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}
SPECIALISED uint32_t alu_popc(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return x * 0x01010101u >> 24;
}
SPECIALISED uint32_t alu_flo(uint32_t x, bool is_unsigned, bool sh)
{
    if (!is_unsigned && (int32_t)x < 0)
        x = ~x;
    if (!x)
        return ~0u;
    uint32_t top = 31 - (uint32_t)__builtin_clz(x);
    return sh ? 31 - top : top;
}

/* LEA: the negations act on the shifted value and on b; with X they are complements. Returns the 33-bit sum of each
 * addend as the hardware adds it. */
struct alu_lea {
    uint32_t shift, fa, fb;
    bool hi, sx32, x;
};
SPECIALISED struct alu_lea alu_lea_of(const struct inst *in, const struct operand *a, const struct operand *b,
                                      const struct operand *sh)
{
    return (struct alu_lea){.shift = (uint32_t)sh->imm & 31,
                            .fa = a->flags,
                            .fb = b->flags,
                            .hi = in->mod[MOD_HI],
                            .sx32 = in->mod[MOD_SX32],
                            .x = in->mod[MOD_X]};
}
SPECIALISED uint64_t alu_lea(struct alu_lea e, uint32_t a, uint32_t b, uint32_t c, uint32_t carry)
{
    uint32_t high = e.sx32 ? (uint32_t)((int32_t)a >> 31) : c;
    uint64_t x = (uint64_t)(e.hi ? high : 0) << 32 | a;
    uint32_t s = e.hi ? (uint32_t)(x << e.shift >> 32) : a << e.shift;
    uint32_t neg = e.x ? OPF_NOT : OPF_NEG; /* a complement and a negation share one bit of the word */
    uint32_t fa = e.fa & (OPF_NEG | OPF_NOT) ? neg : 0, fb = e.fb & (OPF_NEG | OPF_NOT) ? neg : 0;
    return alu_addend(s, fa) + alu_addend(b, fb) + (e.x ? carry : 0);
}

SPECIALISED bool alu_compare(uint32_t cmp, bool lt, bool eq) /* F LT EQ LE GT NE GE T */
{
    return (cmp & 1 && lt) || (cmp & 2 && eq) || (cmp & 4 && !lt && !eq);
}

/* Integer multiply-add. negated: the product is subtracted. */
SPECIALISED uint64_t alu_product(uint32_t a, uint32_t b, bool is_unsigned)
{
    return is_unsigned ? (uint64_t)a * b : (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
}

SPECIALISED int64_t alu_clamp(int64_t x, int64_t lo, int64_t hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

#endif
