/* The kernels of ops.cu and their inputs: the same for the program on the GPU and for the test. */
#ifndef OPS_KERNELS_H
#define OPS_KERNELS_H

#include <stdint.h>

enum { OPS_INPUTS = 64 + 4096, OPS_THREADS = 4096 };
struct ops_kernel { const char *name; uint32_t words; };
static const struct ops_kernel ops_kernels[] = {
    {"single_add", 8}, {"single_mul", 8}, {"single_fma", 8}, {"single_minmax", 8}, {"single_compare", 8}, {"half_pair", 16},
    {"bfloat_pair", 8}, {"narrow", 16}, {"to_int", 24}, {"doubles", 32}, {"integers", 24}, {"integers_more", 16}, {"functions", 16},
    {"cross_lane", 16}, {"matrix", 28},
};
enum { OPS_KERNELS = sizeof ops_kernels / sizeof ops_kernels[0] };

static inline void ops_inputs(uint32_t *in)
{
    static const uint32_t patterns[64] = {
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3f7fffff,
        0x3f800001, 0x40000000, 0xc0000000, 0x40490fdb, 0x3eaaaaab, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
        0x7f800001, 0xffffffff, 0x7fffffff, 0x33800000, 0xb3800001, 0x4b000000, 0x4b7fffff, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001,
        0x4f7fffff, 0x4f800000, 0x5f000000, 0x5f800000, 0xdf000001, 0x38800000, 0x387fc000, 0x33000001, 0x477fe000, 0x477ff000, 0x477fefff,
        0x3c003c00, 0x7c007c00, 0xfc007e00, 0x00010001, 0x03ff8001, 0x7bff0400, 0x3c018400, 0xbc00fbff, 0x3c007fff, 0x43e00000, 0x43e80000,
        0x0000001f, 0x00000020, 0x12345678, 0x00005410, 0x0000fb98, 0x43f00001, 0x7ff00000, 0x3ff00000, 0x40590000,
    };
    for (uint32_t i = 0; i < 64; i++)
        in[i] = patterns[i];
    for (uint32_t i = 0; i < 4096; i++) {
        uint32_t x = i * 2654435761u + 77;
        x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
        in[64 + i] = i % 8 == 7 ? x : i % 8 == 6 ? patterns[x & 63] : (x & 0x807fffff) | (100 + (x >> 7) % 56) << 23;
    }
}

#endif
