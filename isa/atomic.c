/* One lane's atomic: new value from the old one and the operands. */
#include "isa/float.h"

static uint32_t add_f16x2(uint32_t x, uint32_t y, bool bf16)
{
    uint32_t r = 0;
    for (uint32_t i = 0; i < 32; i += 16) {
        uint32_t a = x >> i & 0xffff, b = y >> i & 0xffff;
        r |= (bf16 ? bf16_round(f32_round_odd((double)bf16_value(a) + (double)bf16_value(b)))
                   : f16_round(f16_value(a) + f16_value(b)))
             << i;
    }
    return r;
}
static uint32_t minmax_f16x2(uint32_t x, uint32_t y, bool min, bool bf16)
{
    uint32_t r = 0;
    for (uint32_t i = 0; i < 32; i += 16) {
        uint32_t a = x >> i & 0xffff, b = y >> i & 0xffff;
        uint32_t fa = f32_bits(bf16 ? bf16_value(a) : f16_value(a)), fb = f32_bits(bf16 ? bf16_value(b) : f16_value(b));
        uint32_t m = f32_minmax(fa, fb, min, false);
        r |= (m == F32_NAN ? (uint32_t)F16_NAN : m == fa ? a : b) << i;
    }
    return r;
}
static uint64_t integer_op(uint32_t op, uint64_t old, uint64_t a, uint32_t bits, bool is_signed)
{
    uint64_t top = (uint64_t)1 << (bits - 1), flip = is_signed ? top : 0;
    switch (op) { /* ADD MIN MAX INC DEC AND OR XOR EXCH SAFEADD */
    case 0:
    case 9:
    case 11:
        return old + a;
    case 1:
        return (old ^ flip) < (a ^ flip) ? old : a;
    case 2:
        return (old ^ flip) > (a ^ flip) ? old : a;
    case 3:
        return old >= a ? 0 : old + 1;
    case 4:
        return old == 0 || old > a ? a : old - 1;
    case 5:
        return old & a;
    case 6:
        return old | a;
    case 7:
        return old ^ a;
    default:
        return a;
    }
}

static uint32_t add_f32(uint32_t x, uint32_t y, bool ftz)
{
    return f32_finish(f32_of(ftz ? f32_flush(x) : x) + f32_of(ftz ? f32_flush(y) : y), ftz, false);
}
/* Each word of a vector by itself. Types: F16x4, F16x8, BF16x4, BF16x8, F32x2.FTZ, F32x4.FTZ, F32, F32x2, F32x4, F16,
 * BF16. */
static uint32_t vector_word(uint32_t type, uint32_t op, uint32_t x, uint32_t y)
{
    bool bf16 = type == 13 || type == 14 || type == 21;
    if (type >= 15 && type <= 19)
        return add_f32(x, y, type <= 16);
    return op == 1 || op == 2 ? minmax_f16x2(x, y, op == 1, bf16) : add_f16x2(x, y, bf16);
}
static struct atomic_words vector_op(uint32_t type, uint32_t op, struct atomic_words old, struct atomic_words a)
{
    uint32_t x[4], y[4];
    struct atomic_words r;
    memcpy(x, &old, sizeof x);
    memcpy(y, &a, sizeof y);
    for (uint32_t i = 0; i < 4; i++)
        x[i] = vector_word(type, op, x[i], y[i]);
    memcpy(&r, x, sizeof r);
    return r;
}

struct atomic_words isa_atomic(const struct inst *in, struct atomic_words old, struct atomic_words a,
                               struct atomic_words b)
{
    uint32_t op = in->mod[MOD_AOP], type = in->mod[MOD_ATYPE];
    if (op == 10 || op == 12) /* compare, then the new words */
        return old.lo == a.lo && old.hi == a.hi ? b : old;
    if (op == 8)
        return a;
    struct atomic_words r = {0, 0};
    bool min = op == 1;
    if (type >= 11)
        return vector_op(type, op, old, a);
    switch (type) { /* "", S32, 64, S64, F32.FTZ.RN, F16x2.RN, F64.RN, BF16x2.RN, 128, 32, U64 */
    case 4: {
        uint32_t x = f32_flush((uint32_t)old.lo), y = f32_flush((uint32_t)a.lo);
        r.lo = op == 1 || op == 2 ? f32_minmax(x, y, min, false) : f32_finish(f32_of(x) + f32_of(y), true, false);
        return r;
    }
    case 17: /* F32.RN: bulk reductions */
        r.lo = op == 1 || op == 2 ? f32_minmax((uint32_t)old.lo, (uint32_t)a.lo, min, false)
                                  : f32_finish(f32_of((uint32_t)old.lo) + f32_of((uint32_t)a.lo), false, false);
        return r;
    case 5:
    case 7:
        r.lo = op == 1 || op == 2 ? minmax_f16x2((uint32_t)old.lo, (uint32_t)a.lo, min, type == 7)
                                  : add_f16x2((uint32_t)old.lo, (uint32_t)a.lo, type == 7);
        return r;
    case 6: {
        double x = f64_of(old.lo), y = f64_of(a.lo), s = x + y;
        r.lo = y != y ? a.lo : x != x ? old.lo : s != s ? (uint64_t)0xfff8 << 48 : f64_bits(s); /* a NaN as it is */
        return r;
    }
    case 2:
    case 3:
    case 10:
        r.lo = integer_op(op, old.lo, a.lo, 64, type == 3);
        return r;
    default:
        r.lo = (uint32_t)integer_op(op, (uint32_t)old.lo, (uint32_t)a.lo, 32, type == 1);
        return r;
    }
}
