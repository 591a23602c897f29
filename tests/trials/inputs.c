/* The operands of trials: by hashing, so that nothing needs to be stored. */
#include "tests/trials/trials.h"

#include <math.h>
#include <string.h>

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}
struct random {
    uint32_t at;
};
static uint32_t next(struct random *r)
{
    return mix(r->at += 0x9e3779b9u);
}

static const uint32_t int_corners[] = {
    0,          1,          2,          3,          0xffffffff, 0xfffffffe, 0x7fffffff, 0x80000000,
    0x80000001, 0x7ffffffe, 0xff,       0x100,      0x7f,       0x80,       0x81,       0xffff,
    0x10000,    0x7fff,     0x8000,     0x8001,     0xffff8000, 0xffff7fff, 0xffffff80, 0xffffff7f,
    31,         32,         33,         63,         64,         0x55555555, 0xaaaaaaaa, 0x00ff00ff,
    0x80008000, 0x7fff7fff, 0x7fff8000, 0x8000ffff, 0x80808080, 0x7f7f7f7f, 0x01010101, 0xff00ff00,
};
static const uint32_t f32_corners[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001,
    0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0x7f7fffff,
    0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345, 0xffffffff, 0x7fffffff,
    0x33800000, 0xb3800001, 0x4b000000, 0x4b7fffff, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff,
    0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0xdf000001, 0x5f7fffff, 0x5f800000, 0x38800000, 0x387fc000,
    0x33000000, 0x33000001, 0x477fe000, 0x477ff000, 0x477fefff, 0x43e00000, 0x43e80000, 0x43f00000, 0x43f00001,
    0x47600000, 0x47700000, 0x477fffff, 0x3b800000, 0x3b000000, 0x3a800000, 0x37800000, 0x37000001, 0x437f0000,
    0x437f8000, 0x42fe0000, 0x42feffff, 0xc3000000, 0xc3008000, 0x46fffe00, 0x46ffff00, 0xc7000000, 0xc7000080,
    0x477fff00, 0x477fff80,
};
static const uint16_t f16_corners[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x3c00, 0xbc00, 0x3bff, 0x3c01, 0x3800,
    0xb800, 0x3e00, 0x4100, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0xfd23, 0x7fff, 0xffff, 0x6400,
    0x77ff, 0x7800, 0xf800, 0xf801, 0x57f8, 0x57fc, 0x5bf8, 0x5c00, 0xd800, 0xd804, 0x1400, 0x5f00, 0x5f40, 0x5f80,
};
static const uint16_t bf16_corners[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x0081, 0x3f80, 0xbf80, 0x3f7f, 0x3f81, 0x3f00,
    0xbf00, 0x3fc0, 0x4020, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7f81, 0xff93, 0x7fff, 0xffff, 0x4f00,
    0xcf00, 0x4eff, 0x4f80, 0x5f00, 0xdf00, 0x5f80, 0x437f, 0x4380, 0x42fe, 0x4300, 0xc300, 0xc301, 0x46ff, 0x4700,
};
static const uint64_t f64_corners[] = {
    0,
    0x8000000000000000,
    1,
    0x8000000000000001,
    0x000fffffffffffff,
    0x800fffffffffffff,
    0x0010000000000000,
    0x8010000000000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x3fefffffffffffff,
    0x3ff0000000000001,
    0x3fe0000000000000,
    0xbfe0000000000000,
    0x3ff8000000000000,
    0x4004000000000000,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0xfff8000000000000,
    0x7ff0000000000001,
    0xfff4000000012345,
    0x7fffffffffffffff,
    0xffffffffffffffff,
    0x41dfffffffc00000,
    0x41e0000000000000,
    0xc1e0000000000000,
    0xc1e0000000200000,
    0x41efffffffe00000,
    0x41f0000000000000,
    0x43dfffffffffffff,
    0x43e0000000000000,
    0xc3e0000000000000,
    0xc3e0000000000001,
    0x43efffffffffffff,
    0x43f0000000000000,
    0x47efffffe0000000,
    0x47efffffefffffff,
    0x47effffff0000000,
    0x3810000000000000,
    0x380fffffffffffff,
    0x36a0000000000000,
    0x3690000000000000,
    0x3690000000000001,
    0x40effc0000000000,
    0x40effe0000000000,
    0x3f10000000000000,
    0x3e70000000000001,
    0x406fe00000000000,
    0x406ff00000000000,
    0xc060000000000000,
    0xc060100000000000,
};

static uint32_t int_word(struct random *r)
{
    uint32_t x = next(r), v = next(r);
    switch (x & 3) {
    case 0:
        return int_corners[v % ARRAY_LEN(int_corners)];
    case 1:
        return v >> (x >> 8 & 31);
    default:
        return v;
    }
}
static uint32_t f32_word(struct random *r)
{
    uint32_t x = next(r), v = next(r);
    switch (x & 7) {
    case 0:
    case 1:
        return f32_corners[v % ARRAY_LEN(f32_corners)];
    case 2:
        return v;
    case 3:
        return (v & 0x807fffff) | (127 - 24 + (x >> 8) % 48) << 23;
    case 4:
        return (v & 0x807ffc00) | (127 - 12 + (x >> 8) % 24) << 23; /* few bits: ties */
    case 5: {                                                       /* integers and halves */
        float f = (float)(int32_t)(v % 1024) * 0.5f - 256.0f;
        uint32_t u;
        memcpy(&u, &f, 4);
        return u;
    }
    case 6:
        return (v & 0x807fffff) | ((x >> 8 & 3) << 23); /* small */
    default:
        return (v & 0x807fffff) | (127 + (x >> 8) % 70) << 23;
    }
}
static uint32_t f16_half(struct random *r)
{
    uint32_t x = next(r), v = x >> 16;
    switch (x & 7) {
    case 0:
    case 1:
        return f16_corners[v % ARRAY_LEN(f16_corners)];
    case 2:
        return v;
    case 3:
        return (v & 0x83ff) | (x >> 3 & 1) << 10;
    default:
        return (v & 0x83ff) | (8 + (x >> 3) % 16) << 10;
    }
}
static uint32_t bf16_half(struct random *r)
{
    uint32_t x = next(r), v = x >> 16;
    switch (x & 7) {
    case 0:
    case 1:
        return bf16_corners[v % ARRAY_LEN(bf16_corners)];
    case 2:
        return v;
    case 3:
        return (v & 0x807f) | (x >> 3 & 1) << 7;
    default:
        return (v & 0x807f) | (119 + (x >> 3) % 16) << 7;
    }
}
static uint64_t f64_word(struct random *r)
{
    uint32_t x = next(r);
    uint64_t v = (uint64_t)next(r) << 32;
    v |= next(r);
    switch (x & 7) {
    case 0:
    case 1:
        return f64_corners[(v >> 32) % ARRAY_LEN(f64_corners)];
    case 2:
        return v;
    case 3:
        return (v & 0x800fffffffffffff) | (uint64_t)(1023 - 53 + (x >> 8) % 106) << 52;
    case 4:
        return (v & 0x800fffff00000000) | (uint64_t)(1023 - 12 + (x >> 8) % 24) << 52;
    case 5:
        return (v & 0x800fffffe0000000) | (uint64_t)(1023 - 150 + (x >> 8) % 300) << 52; /* floats and ties of them */
    case 6:
        return (v & 0x800fffffffffffff) | (uint64_t)(x >> 8 & 3) << 52;
    default:
        return (v & 0x800fffffffffffff) | (uint64_t)(1023 + (x >> 8) % 70) << 52;
    }
}
static uint32_t shift_count(struct random *r)
{
    static const uint32_t edge[] = {0,  1,  15,  16,  31,  32,  33,         63,         64,
                                    65, 96, 127, 128, 255, 256, 0xffffffff, 0x80000000, 0x10001};
    uint32_t x = next(r), v = next(r);
    return (x & 3) == 0 ? edge[v % ARRAY_LEN(edge)] : (x & 3) == 1 ? v : v % 72;
}
static uint32_t few(struct random *r)
{
    static const uint32_t set[] = {0, 1, 0x80000000, 0x3f800000};
    return set[next(r) & 3];
}

static void one_word(enum family f, uint32_t quad, struct random *r, uint32_t *w)
{
    switch (f) {
    case FAM_F32:
        *w = f32_word(r);
        break;
    case FAM_F16:
        *w = f16_half(r);
        *w |= f16_half(r) << 16;
        break;
    case FAM_BF16:
        *w = bf16_half(r);
        *w |= bf16_half(r) << 16;
        break;
    case FAM_SHIFT:
        *w = quad == 1 ? shift_count(r) : int_word(r);
        break;
    case FAM_LANE:
        *w = quad == 1 ? next(r) & 0x3f : quad == 2 ? next(r) & 0x1f1f : int_word(r);
        break;
    case FAM_FEW:
        *w = few(r);
        break;
    case FAM_INDEX:
        *w = quad == 0 ? next(r) % 24 * 8 : int_word(r);
        break;
    default:
        *w = int_word(r);
    }
}

/* Operands that nearly cancel, which independent ones hardly ever do. */
static void relate(enum family f, struct random *r, uint32_t *w)
{
    uint32_t x = next(r);
    if (x & 7)
        return;
    if (f == FAM_F32) {
        float a, b, p;
        memcpy(&a, w, 4);
        memcpy(&b, w + 4, 4);
        p = -(a * b);
        if (x & 8) {
            w[4] = w[0] ^ 0x80000000u ^ (x >> 8 & 3);
        } else if (p == p) {
            memcpy(w + 8, &p, 4);
            w[8] ^= x >> 8 & 1;
        }
    } else if (f == FAM_F64) {
        double a, b, p;
        memcpy(&a, w, 8);
        memcpy(&b, w + 4, 8);
        p = -(a * b);
        if (x & 8) {
            w[4] = w[0] ^ (x >> 8 & 3);
            w[5] = w[1] ^ 0x80000000u;
        } else if (p == p) {
            memcpy(w + 8, &p, 8);
        }
    } else {
        for (uint32_t i = 0; i < 4; i++)
            w[4 + i] = w[i];
    }
}

void trial_inputs(uint32_t *table)
{
    for (uint32_t f = 0; f < FAM_COUNT; f++)
        for (uint32_t i = 0; i < INPUT_RECORDS; i++) {
            uint32_t *w = table + ((size_t)f * INPUT_RECORDS + i) * INPUT_WORDS;
            struct random r = {mix(f * 77777 + i * 16 + 1)};
            for (uint32_t k = 0; k < 12; k++)
                one_word((enum family)f, k / 4, &r, w + k);
            for (uint32_t k = 0; f == FAM_F64 && k < 12; k += 2) {
                uint64_t d = f64_word(&r);
                w[k] = (uint32_t)d;
                w[k + 1] = (uint32_t)(d >> 32);
            }
            relate((enum family)f, &r, w);
            for (uint32_t k = 12; k < INPUT_WORDS; k++)
                w[k] = next(&r);
        }
}

void trial_constants(uint32_t words[CONST_WORDS])
{
    struct random r = {4711};
    for (uint32_t i = 0; i < CONST_WORDS; i++) {
        uint32_t x = i / 8;
        words[i] = x < 2    ? int_word(&r)
                   : x < 4  ? f32_word(&r)
                   : x == 4 ? f16_half(&r) * 0x10001u
                   : x == 5 ? bf16_half(&r) * 0x10001u
                            : 0;
        if (x >= 6 && i % 2 == 0) {
            uint64_t d = f64_word(&r);
            words[i] = (uint32_t)d;
        } else if (x >= 6) {
            words[i] = (uint32_t)(f64_word(&r) >> 32);
        }
    }
}
