/* Conversions between number formats. */
#include "isa/alu.h"
#include "isa/float.h"

enum {
    T_NONE,
    T_F16,
    T_F32,
    T_F64,
    T_BF16,
    T_U8,
    T_S8,
    T_U16,
    T_S16,
    T_U32,
    T_S32,
    T_U64,
    T_S64,
    T_E4M3,
    T_E5M2,
    T_TF32
};

static bool is_wide(uint32_t t)
{
    return t == T_F64 || t == T_U64 || t == T_S64;
}

/* A destination of one or two registers, from 64-bit values. */
static void put_values(struct warp *w, uint32_t r, const uint64_t *v, bool wide, const struct issue *is)
{
    uint32_t t[NLANE];
    for (uint32_t k = 0; k < (wide ? 2u : 1u) && r != RZ; k++) {
        uint32_t *rd = dst_row(w, r + k, t, is);
        HALVES(h, w) LANES(l) rd[h + l] = (uint32_t)(v[h + l] >> 32 * k);
        dst_put(w, r + k, t, is);
    }
}

/* ---- integer to float ----------------------------------------------------------------------------------------- */
/* The integer a lane holds, with byte or half selector. */
static inline int64_t int_of(uint32_t lo, uint32_t hi, uint32_t type, uint32_t sel)
{
    switch (type) {
    case T_U8:
        return lo >> 8 * sel & 0xff;
    case T_S8:
        return (int8_t)(lo >> 8 * sel);
    case T_U16:
        return lo >> (sel ? 16 : 0) & 0xffff;
    case T_S16:
        return (int16_t)(lo >> (sel ? 16 : 0));
    case T_U32:
        return lo;
    case T_U64:
    case T_S64:
        return (int64_t)((uint64_t)hi << 32 | lo);
    default:
        return (int32_t)lo;
    }
}
/* Rounded to odd: what is beyond 53 bits still tells a later rounding that it was there. */
static double double_odd(int64_t x, bool is_unsigned64)
{
    bool neg = x < 0 && !is_unsigned64;
    uint64_t m = neg ? 0 - (uint64_t)x : (uint64_t)x, low = m & 0x7ff;
    if (m >> 53 && low)
        m = (m - low) | 0x800;
    return neg ? -(double)m : (double)m;
}
static uint64_t float_of_int(int64_t x, bool is_unsigned64, uint32_t dst, uint32_t rnd)
{
    switch (dst) {
    case T_F64:
        return f64_bits(is_unsigned64 ? (double)(uint64_t)x : (double)x);
    case T_F16:
    case T_BF16: {
        double d = double_odd(x, is_unsigned64);
        if (rnd == ROUND_NEAREST)
            return dst == T_F16 ? f16_round(f32_round_odd(d)) : bf16_round(f32_round_odd(d));
        uint32_t sign = d < 0 ? 0x8000 : 0;
        return dst == T_F16 ? sign | narrow_float(d, 10, -14, 0x7bff, 0x7c00, rnd)
                            : sign | narrow_float(d, 7, -126, 0x7f7f, 0x7f80, rnd);
    }
    default:
        return f32_bits(is_unsigned64 ? (float)(uint64_t)x : (float)x);
    }
}
static void i2f(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t tl[NLANE], th[NLANE], src = in->mod[MOD_CTYPE], dst = in->mod[MOD_DTYPE], rnd = in->mod[MOD_RND], l;
    const struct operand *o = &in->opd[1];
    uint32_t sel = o->sel ? o->sel : in->mod[MOD_BYTESEL];
    const uint32_t *lo = src_word(w, o, 0, tl, is), *hi = is_wide(src) ? src_word(w, o, 1, th, is) : exec_zero_row;
    if (o->kind == OPD_IMM && is_wide(src)) /* an immediate is the upper word, as of a double */
        hi = lo, lo = exec_zero_row;
    uint64_t v[NLANE] = {0};
    bool directed = rnd && dst != T_F16 && dst != T_BF16;
    uint32_t saved = directed ? round_begin(rnd) : 0;
    FOR_MASK(l, is->exec)
    {
        int64_t x = int_of(lo[l], hi[l], src, sel);
        if (o->flags & OPF_ABS)
            x = x < 0 ? (int64_t)(0 - (uint64_t)x) : x;
        if (o->flags & OPF_NEG)
            x = (int64_t)(0 - (uint64_t)x);
        v[l] = float_of_int(x, src == T_U64, dst, rnd);
    }
    if (directed)
        round_end(saved);
    put_values(w, in->opd[0].reg, v, dst == T_F64, is);
}
/* The hot ones: a whole word to float, nearest. */
LANEWISE1(i2f_s32, 1, SRC_INT, f32_bits((float)(int32_t)A))
LANEWISE1(i2f_u32, 1, SRC_INT, f32_bits((float)A))
static exec_fn *i2f_of(const struct inst *in)
{
    uint32_t src = in->mod[MOD_CTYPE], dst = in->mod[MOD_DTYPE];
    if (in->mod[MOD_RND] || (dst != T_NONE && dst != T_F32) || (src != T_NONE && src != T_U32 && src != T_S32))
        return i2f;
    return src == T_U32 ? i2f_u32 : i2f_s32;
}

/* ---- float to integer ----------------------------------------------------------------------------------------- */
static double float_source(uint32_t lo, uint32_t hi, uint32_t type, uint32_t sel, bool ftz)
{
    double x, normal = type == T_F64 ? 0x1p-1022 : type == T_F16 ? 0x1p-14 : 0x1p-126;
    switch (type) {
    case T_F64:
        x = f64_of((uint64_t)hi << 32 | lo);
        break;
    case T_F16:
        x = (double)f16_value(sel == 3 || sel == 1 ? lo >> 16 : lo & 0xffff);
        break;
    case T_BF16:
        x = (double)bf16_value(sel == 3 || sel == 1 ? lo >> 16 : lo & 0xffff);
        break;
    default:
        x = (double)f32_of(lo);
        break;
    }
    return ftz && fabs(x) < normal ? copysign(0, x) : x; /* FTZ knows the denormals of every format */
}
static double round_integral(double x, uint32_t mode) /* MOD_IRND: nearest even, FLOOR, CEIL, TRUNC */
{
    return mode == 0 ? nearbyint(x) : mode == 1 ? floor(x) : mode == 2 ? ceil(x) : trunc(x);
}
static uint64_t int_of_float(double x, uint32_t dst)
{
    switch (dst) {
    case T_U8:
        return (uint64_t)(x <= 0 ? 0 : x >= 255 ? 255 : x);
    case T_S8:
        return (uint64_t)(int64_t)(x <= -128 ? -128 : x >= 127 ? 127 : x);
    case T_U16:
        return (uint64_t)(x <= 0 ? 0 : x >= 65535 ? 65535 : x);
    case T_S16:
        return (uint64_t)(int64_t)(x <= -32768 ? -32768 : x >= 32767 ? 32767 : x);
    case T_U32:
        return (uint64_t)(x <= 0 ? 0 : x >= 4294967295.0 ? 4294967295.0 : x);
    case T_U64:
        return x <= 0 ? 0 : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
    case T_S64:
        return (uint64_t)(x < -0x1p63 ? INT64_MIN : x >= 0x1p63 ? INT64_MAX : (int64_t)x);
    default:
        return (uint64_t)(int64_t)(x <= -2147483648.0 ? -2147483648.0 : x >= 2147483647.0 ? 2147483647.0 : x);
    }
}
static double source_signs(double x, uint32_t flags)
{
    if (flags & OPF_ABS)
        x = fabs(x);
    return flags & OPF_NEG ? -x : x;
}
/* What a NaN becomes without .NTZ: the top bit of the destination, whatever the source is. */
static uint64_t not_a_number(uint32_t dst)
{
    switch (dst) {
    case T_U8:
    case T_S8:
        return 0x80;
    case T_U16:
    case T_S16:
        return 0x8000;
    default:
        return is_wide(dst) ? (uint64_t)1 << 63 : 0x80000000u;
    }
}
static void f2i(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t tl[NLANE], th[NLANE], src = in->mod[MOD_CTYPE], dst = in->mod[MOD_DTYPE], l;
    const struct operand *o = &in->opd[1];
    const uint32_t *lo = src_word(w, o, 0, tl, is), *hi = src == T_F64 ? src_word(w, o, 1, th, is) : exec_zero_row;
    if (o->kind == OPD_IMM && src == T_F64)
        hi = lo, lo = exec_zero_row;
    uint64_t v[NLANE] = {0};
    bool wide = is_wide(dst);
    uint64_t nan = in->mod[MOD_NTZ] ? 0 : not_a_number(dst);
    FOR_MASK(l, is->exec)
    {
        double x = source_signs(float_source(lo[l], hi[l], src, o->sel, in->mod[MOD_FTZ]), o->flags);
        v[l] = x != x ? nan : int_of_float(round_integral(x, in->mod[MOD_IRND]), dst);
    }
    put_values(w, in->opd[0].reg, v, wide, is);
}

/* The hot ones: float to a whole word, NaN to 0. The bounds are floats, so nothing is lost before the clamp. */
SPECIALISED uint32_t f32_to_int(uint32_t u, bool is_unsigned, uint32_t mode)
{
    float f = f32_of(u);
    float r = mode == 3 ? truncf(f) : mode == 1 ? floorf(f) : mode == 2 ? ceilf(f) : rintf(f);
    bool nan = f != f;
    if (is_unsigned) {
        bool high = r >= 0x1p31f, over = r >= 0x1p32f, neg = !(r > 0);
        int32_t i = (int32_t)(neg || over ? 0 : high ? r - 0x1p31f : r);
        return over ? ~0u : (uint32_t)i + (high ? 0x80000000u : 0);
    }
    bool over = r >= 0x1p31f, under = r < -0x1p31f;
    int32_t i = (int32_t)(over || under || nan ? 0 : r);
    return over ? 0x7fffffffu : under ? 0x80000000u : (uint32_t)i;
}
LANEWISE1(f2i_s32_near, 1, SRC_F32, f32_to_int(A, false, 0))
LANEWISE1(f2i_s32_floor, 1, SRC_F32, f32_to_int(A, false, 1))
LANEWISE1(f2i_s32_ceil, 1, SRC_F32, f32_to_int(A, false, 2))
LANEWISE1(f2i_s32_trunc, 1, SRC_F32, f32_to_int(A, false, 3))
LANEWISE1(f2i_u32_trunc, 1, SRC_F32, f32_to_int(A, true, 3))
static exec_fn *
f2i_of(const struct inst *in) /* with .NTZ; a denormal flushed or not: the same integer but for FLOOR and CEIL */
{
    static exec_fn *const to_s32[] = {f2i_s32_near, f2i_s32_floor, f2i_s32_ceil, f2i_s32_trunc};
    uint32_t src = in->mod[MOD_CTYPE], dst = in->mod[MOD_DTYPE], mode = in->mod[MOD_IRND] & 3;
    if (!in->mod[MOD_NTZ] || (src != T_NONE && src != T_F32) || (in->mod[MOD_FTZ] && (mode == 1 || mode == 2)))
        return f2i;
    if (dst == T_U32)
        return mode == 3 ? f2i_u32_trunc : f2i;
    return dst == T_NONE || dst == T_S32 ? to_s32[mode] : f2i;
}

/* ---- float to float ------------------------------------------------------------------------------------------- */
/* A denormal that FTZ flushes is one after rounding. */
static uint64_t float_result(double x, uint32_t dst, uint32_t rnd, bool ftz, bool sat)
{
    if (sat)
        x = x != x || x <= 0 ? 0 : x > 1 ? 1 : x;
    uint32_t sign = signbit(x) ? 0x8000 : 0, narrow;
    switch (dst) {
    case T_F64:
        return f64_bits(x);
    case T_F16:
        if (x != x)
            return F16_NAN;
        narrow = rnd ? sign | narrow_float(x, 10, -14, 0x7bff, 0x7c00, rnd) : f16_round(f32_round_odd(x));
        return ftz && !(narrow & 0x7c00) ? sign : narrow;
    case T_BF16:
        if (x != x)
            return F16_NAN;
        narrow = rnd ? sign | narrow_float(x, 7, -126, 0x7f7f, 0x7f80, rnd) : bf16_round(f32_round_odd(x));
        return ftz && !(narrow & 0x7f80) ? sign : narrow;
    default:
        narrow = f32_bits((float)x); /* the host keeps sign and payload of a NaN and quiets it, as the GPU does */
        return f32_flush_if(narrow, ftz);
    }
}
/* Of a double: sign and the top of the payload, quiet. (Measured.) */
static uint32_t narrow_nan(uint64_t u, uint32_t mantissa)
{
    uint32_t top = (uint32_t)((u & 0xfffffffffffff) >> (52 - mantissa)), ones = mantissa == 10 ? 0x7c00 : 0x7f80;
    return (uint32_t)(u >> 63) << 15 | ones | 1u << (mantissa - 1) | top;
}
static void f2f(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t tl[NLANE], th[NLANE], src = in->mod[MOD_CTYPE], dst = in->mod[MOD_DTYPE], rnd = in->mod[MOD_RND], l;
    const struct operand *o = &in->opd[1];
    uint64_t v[NLANE] = {0};
    bool integral = in->op == OP_FRND, ftz = in->mod[MOD_FTZ];
    if (integral)
        src = dst = src > dst ? src : dst;
    const uint32_t *lo = src_word(w, o, 0, tl, is), *hi = src == T_F64 ? src_word(w, o, 1, th, is) : exec_zero_row;
    if (o->kind == OPD_IMM && src == T_F64) /* an immediate is the high word */
        hi = lo, lo = exec_zero_row;
    bool directed = rnd && !integral && dst != T_F16 && dst != T_BF16;
    uint32_t saved = directed ? round_begin(rnd) : 0;
    FOR_MASK(l, is->exec)
    {
        double x = float_source(lo[l], hi[l], src, o->sel, ftz);
        x = x != x ? x : source_signs(x, o->flags); /* a NaN keeps its sign */
        if (integral)
            x = round_integral(x, in->mod[MOD_IRND]);
        v[l] = float_result(x, dst, integral ? 0 : rnd, ftz, in->mod[MOD_SAT]);
        if (x != x && src == T_F64 && (dst == T_F16 || dst == T_BF16))
            v[l] = narrow_nan(f64_bits(x), dst == T_F16 ? 10 : 7);
        if (x != x && (dst == T_NONE || dst == T_F32) && (src == T_F16 || src == T_BF16 || integral))
            v[l] = F32_NAN;
    }
    if (directed)
        round_end(saved);
    put_values(w, in->opd[0].reg, v, dst == T_F64, is);
}

/* ---- packed narrowing ------------------------------------------------------------------------------------------- */
static uint32_t fp8_of(float f, uint32_t type, bool satfinite, uint32_t rnd)
{
    uint32_t sign = f32_bits(f) >> 24 & 0x80, max = type == T_E4M3 ? 0x7e : 0x7b, inf = type == T_E4M3 ? 0x7f : 0x7c;
    if (f != f)
        return 0x7f;
    uint32_t r =
        type == T_E4M3 ? narrow_float((double)f, 3, -6, max, inf, rnd) : narrow_float((double)f, 2, -14, max, inf, rnd);
    if (type == T_E4M3 && r == inf && !satfinite) /* there is no infinity: NaN, which has no sign (measured) */
        return inf;
    return sign | (satfinite && r > max ? max : r);
}
static float fp8_value(uint32_t b, uint32_t type)
{
    if (type == T_E5M2)
        return f16_value((b & 0xff) << 8);
    uint32_t em = b & 0x7f;
    float v = em == 0x7f ? NAN : em < 8 ? (float)em * 0x1p-9f : f32_of((em << 20) + ((127u - 7) << 23));
    return b & 0x80 ? -v : v;
}
static uint32_t pack_one(float f, uint32_t type, uint32_t rnd, bool relu, bool satfinite)
{
    if (relu && !(f > 0) && f == f)
        f = 0;
    if (type == T_E4M3 || type == T_E5M2)
        return fp8_of(f, type, satfinite, rnd);
    uint32_t sign = f32_bits(f) >> 16 & 0x8000, max = type == T_BF16 ? 0x7f7f : 0x7bff, r;
    if (f != f)
        r = F16_NAN;
    else if (!rnd)
        r = type == T_BF16 ? bf16_round(f) : f16_round(f);
    else
        r = sign | (type == T_BF16 ? narrow_float((double)f, 7, -126, 0x7f7f, 0x7f80, rnd)
                                   : narrow_float((double)f, 10, -14, 0x7bff, 0x7c00, rnd));
    return satfinite && f == f && (r & 0x7fff) > max ? sign | max : r;
}
/* cvt.rn.tf32: ten bits of mantissa in the upper bits of a word. The NaN is that of the other packed formats, all ones
 * (inferred). */
static uint32_t tf32_of(float f, uint32_t rnd, bool relu)
{
    uint32_t u = f32_bits(f), low = 0x1fff;
    if (f != f)
        return 0x7fffffffu & ~low;
    if (relu && u >> 31)
        return 0;
    return (rnd == ROUND_ZERO ? u : u + 0xfff + (u >> 13 & 1)) & ~low;
}
static void f2fp(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], tc[NLANE], td[NLANE], type = in->mod[MOD_DTYPE], pack = in->mod[MOD_PACK], l;
    uint32_t from = in->mod[MOD_CTYPE], rnd = in->mod[MOD_RND];
    const struct operand *o = in->opd;
    bool unpack = from == T_E4M3 || from == T_E5M2, fp8 = type == T_E4M3 || type == T_E5M2;
    const uint32_t *ra = src_row(w, &o[1], ta, SRC_F32, is),
                   *rb = src_row(w, &o[2], tb, unpack ? SRC_RAW : SRC_F32, is);
    const uint32_t *rc = o[3].kind == OPD_NONE ? exec_zero_row : src_row(w, &o[3], tc, SRC_RAW, is);
    uint32_t *rd = dst_row(w, o[0].reg, td, is);
    FOR_MASK(l, is->exec)
    {
        uint32_t hi, lo;
        if (unpack) {                                      /* two bytes of b widened to two halves */
            uint32_t two = o[2].sel ? rb[l] >> 16 : rb[l]; /* printed as .B1: the upper pair */
            lo = pack_one(fp8_value(two & 0xff, from), type, 0, in->mod[MOD_RELU], false);
            hi = pack_one(fp8_value(two >> 8 & 0xff, from), type, 0, in->mod[MOD_RELU], false);
            rd[l] = hi << 16 | lo;
            continue;
        }
        float fa = f32_of(ra[l]), fb = f32_of(rb[l]);
        if (type == T_TF32) {
            rd[l] = tf32_of(fb, rnd, in->mod[MOD_RELU]);
            continue;
        }
        if (from == T_F16 && fp8) { /* a packed half pair in b */
            fa = f16_value(rb[l] >> 16);
            fb = f16_value(rb[l] & 0xffff);
        }
        hi = pack_one(fa, type, rnd, in->mod[MOD_RELU], in->mod[MOD_SATFINITE]);
        lo = pack_one(fb, type, rnd, in->mod[MOD_RELU], in->mod[MOD_SATFINITE]);
        uint32_t above = (o[3].sel ? rc[l] >> 16 : rc[l]) << 16; /* MERGE_C: half of c above what is converted */
        if (fp8)
            rd[l] = (pack == 2 || pack == 6 ? above : 0) | hi << 8 | lo;
        else
            rd[l] = pack == 5 ? above | lo : hi << 16 | lo;
    }
    dst_put(w, o[0].reg, td, is);
}
/* F2IP: two floats to bytes, a above b, over the low half of c. A NaN becomes 0x80, or 0 with NTZ. */
static uint32_t byte_of(float f, const struct inst *in)
{
    uint32_t type = in->mod[MOD_DTYPE] == T_S8 ? T_S8 : T_U8;
    if (in->mod[MOD_RELU] && !(f > 0))
        return 0;
    if (f != f)
        return in->mod[MOD_NTZ] ? 0 : 0x80;
    return (uint32_t)int_of_float(round_integral((double)f, in->mod[MOD_IRND]), type) & 0xff;
}
static void f2ip(struct warp *w, const struct inst *in, struct issue *is)
{
    uint32_t ta[NLANE], tb[NLANE], tc[NLANE], td[NLANE], l;
    const uint32_t *ra = src_row(w, &in->opd[1], ta, SRC_F32, is), *rb = src_row(w, &in->opd[2], tb, SRC_F32, is);
    const uint32_t *rc = in->opd[3].kind == OPD_NONE ? exec_zero_row : src_row(w, &in->opd[3], tc, SRC_RAW, is);
    uint32_t *rd = dst_row(w, in->opd[0].reg, td, is);
    FOR_MASK(l, is->exec) rd[l] = rc[l] << 16 | byte_of(f32_of(ra[l]), in) << 8 | byte_of(f32_of(rb[l]), in);
    dst_put(w, in->opd[0].reg, td, is);
}
LANEWISE2(f2fp_f16, 1, 2, SRC_F32, f16_round(f32_of(A)) << 16 | f16_round(f32_of(B)))
LANEWISE2(f2fp_bf16, 1, 2, SRC_F32, bf16_round(f32_of(A)) << 16 | bf16_round(f32_of(B)))
static exec_fn *f2fp_of(const struct inst *in)
{
    bool plain = !in->mod[MOD_RND] && !in->mod[MOD_RELU] && !in->mod[MOD_SATFINITE] && in->mod[MOD_PACK] <= 1 &&
                 (in->mod[MOD_CTYPE] == T_F32 || in->mod[MOD_CTYPE] == T_NONE);
    if (plain && (in->mod[MOD_DTYPE] == T_F16 || in->mod[MOD_DTYPE] == T_NONE))
        return f2fp_f16;
    return plain && in->mod[MOD_DTYPE] == T_BF16 ? f2fp_bf16 : f2fp;
}

exec_fn *EXEC_SYM(exec_convert_of)(const struct inst *in)
{
    switch (in->op) {
    case OP_I2F:
    case OP_I2FP:
        return i2f_of(in);
    case OP_F2I:
        return f2i_of(in);
    case OP_F2F:
    case OP_FRND:
        return f2f;
    case OP_F2FP:
        return f2fp_of(in);
    case OP_F2IP:
        return f2ip;
    default:
        return NULL;
    }
}
