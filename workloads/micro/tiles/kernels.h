/* The kernels of tiles.cu and their operands: the same for the program on the GPU and for the test.
 * Eight classes of awkward tiles, eight tiles of each; every element is drawn from a hash of where it stands. */
#ifndef TILES_KERNELS_H
#define TILES_KERNELS_H

#include <stdint.h>

enum { TILES_OF_CLASS = 8, TILES_CLASSES = 8, TILES = TILES_CLASSES * TILES_OF_CLASS, TILES_SHARED = 2048 };
static const char *const tiles_classes[TILES_CLASSES] = {
    "random bits", "near one another", "denormal", "large range", "cancelling", "special values", "large accumulator", "mostly zeros",
};
enum tiles_format { F16, BF16, TF32, E4M3, E5M2, INT, F32, S32, F64 };
struct tiles_kernel {
    const char *name;
    enum tiles_format a, b, c;
    uint32_t words, threads; /* results of a thread; threads of a tile */
    uint32_t na, nb, nc;     /* words of operands a tile */
};
static const struct tiles_kernel tiles_kernels[] = {
#define MMA(name, a, b, c, words) {#name, a, b, c, words, 32, 128, 64, 128},
#define F64(name, a, b, c, words) {#name, a, b, c, words, 32, 512, 256, 256},
#define WG(name, a, b, c, words) {#name, a, b, c, words, 128, TILES_SHARED, TILES_SHARED, words * 128},
#define WG_REG(name, a, b, c, words) {#name, a, b, c, words, 128, 512, TILES_SHARED, words * 128},
#include "list.h"
#undef MMA
#undef F64
#undef WG
#undef WG_REG
};
enum { TILES_KERNELS = sizeof tiles_kernels / sizeof tiles_kernels[0], TILES_MOST = 16384 }; /* words of a tile at most */

static inline uint32_t tiles_hash(uint32_t x)
{
    x = x * 2654435761u + 12345, x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}
/* One element of a format with eb exponent and mb fraction bits; e4m3 (4, 3) has no infinity. */
static inline uint64_t tiles_element(uint32_t eb, uint32_t mb, uint32_t cls, uint32_t h, uint32_t g)
{
    uint64_t one = 1, fraction = ((uint64_t)h << 32 | g * 2654435761u) >> (64 - mb), sign = (uint64_t)(g >> 31) << (eb + mb);
    uint32_t top = (1u << eb) - 1, bias = top / 2, e = g >> 8 & top, d = g >> 8, r = tiles_hash(g + 1);
    switch (cls) {
    case 0:
        e = e == top ? bias : e;
        break;
    case 1:
        e = bias - 2 + d % 4;
        break;
    case 2: /* some just normal */
        e = d % 8 == 0 ? r % 3 : 0;
        break;
    case 3:
        e = d % 4 == 0 ? top - 1 - r % 2 : d % 4 == 1 ? 1 + r % 4 : bias - bias / 2 + r % bias;
        break;
    case 5: /* among ones */
        switch (d % 32) {
        case 0: return sign | (eb == 4 ? 0x7e : (uint64_t)top << mb);                      /* infinity; e4m3: the largest */
        case 1: return r % 4 ? 0 : sign | (uint64_t)top << mb | ((one << mb) - 1);         /* NaN, seldom */
        case 2: return sign;
        case 3: return sign | (uint64_t)(top - 1) << mb | ((one << mb) - 1);
        case 4: return sign | 1;
        case 5: return sign | one << mb;
        default: return sign | (uint64_t)bias << mb | (r % 4 ? 0 : fraction);
        }
    case 6: /* small products */
        e = bias - 2 - d % (bias / 2);
        break;
    case 7: /* zeros of either sign */
        if (d % 4)
            return sign;
        e = r % (top - 1);
        break;
    default: /* 4: neighbours are made to cancel */
        e = bias - 1 + d % 2;
    }
    return sign | (uint64_t)e << mb | fraction;
}
static inline uint32_t tiles_integer(enum tiles_format f, uint32_t cls, uint32_t h, uint32_t g)
{
    if (f == S32)
        return cls == 1 ? h & 0xff : cls == 3 || cls == 6 ? (h >> 31 ? 0x80000000u + (g & 0xffff) : 0x7fffffffu - (g & 0xffff)) : cls == 7 ? 0 : h;
    if (cls == 3)
        return (h & 0x80808080u) | (h & 1 ? 0x7f7f7f7fu & ~(g & 0x01010101u) : 0);
    return cls == 1 ? h & 0x03030303u : cls == 7 && (g & 3) ? 0 : h;
}
/* A word of an operand. In class 4 neighbours along k are equal, and of opposite sign in A, so that products cancel; a few
 * differ in the last bit. Neighbours of elements a word wide differ in the lowest bit of where they stand. */
static inline uint32_t tiles_word(enum tiles_format f, uint32_t cls, uint32_t key, uint32_t where, int is_a)
{
    uint32_t at = f == TF32 && cls == 4 ? where & ~1u : f == F64 ? where & ~1u : where, h = tiles_hash(key + at), g = tiles_hash(h ^ 0x9e3779b9u), r = 0;
    if (f == INT || f == S32)
        return tiles_integer(f, cls, h, g);
    if (f == F64)
        return (uint32_t)(tiles_element(11, 52, cls, h, g) >> (where & 1 ? 32 : 0));
    if (f == F32 && (cls == 4 || cls == 6))
        return cls == 4 && (h & 1) ? 0 : (g & 0x807fffffu) | (cls == 6 ? 130 + (g >> 8) % 20 : 100 + (g >> 8) % 30) << 23;
    if (f == F32 || f == TF32) { /* the low bits of TF32 do not count, but they are there */
        r = (uint32_t)tiles_element(8, 23, cls, h, g);
        return f == TF32 && cls == 4 && is_a && (where & 1) ? r ^ 0x80000000u ^ ((h & 3) == 0 ? 1u << 13 : 0) : r;
    }
    uint32_t eb = f == E4M3 ? 4 : f == BF16 ? 8 : 5, mb = f == F16 ? 10 : f == BF16 ? 7 : f == E4M3 ? 3 : 2, width = 1 + eb + mb;
    for (uint32_t i = 0; i < 32 / width; i++) {
        uint32_t hi = h + (cls == 4 ? i / 2 : i) * 77, x = (uint32_t)tiles_element(eb, mb, cls, tiles_hash(hi), tiles_hash(hi ^ 0x5bd1e995u));
        if (cls == 4 && is_a && (i & 1))
            x ^= 1u << (width - 1) | ((hi & 3) == 0 ? 1 : 0);
        r |= x << width * i;
    }
    return r;
}
/* Operand 0 (A), 1 (B) or 2 (the accumulator) of all tiles of a kernel: TILES * n words. */
static inline void tiles_operand(const struct tiles_kernel *k, int which, uint32_t *out)
{
    enum tiles_format f = which == 0 ? k->a : which == 1 ? k->b : k->c;
    uint32_t n = which == 0 ? k->na : which == 1 ? k->nb : k->nc;
    for (uint32_t t = 0; t < TILES; t++)
        for (uint32_t i = 0; i < n; i++)
            out[t * n + i] = tiles_word(f, t / TILES_OF_CLASS, t * 65536u + (uint32_t)which * 16384u, i, which == 0);
}

#endif
