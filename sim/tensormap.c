/* The 128 bytes that describe a tensor to the copy engine, as the driver's cuTensorMapEncodeTiled lays them out: found
 * by encoding maps that differ in one field on an H200 (driver 580.159.04). So maps that a real program made can be
 * read.
 *
 *   word 0          base address
 *   word 1, low     4 rank - 1; 7 element type (the driver's numbers, f32-ftz before f64); 11 interleave; 13 swizzle;
 * 15 NaN fill; 16 rounded to tf32; 17 promotion in L2 1 high, 2, 3    strides of dimensions 1.. in 16 bytes, low 32
 * bits each; their bits 32..35 in nibbles from bit 32 of word 3 4, 5, 6 low     sizes less one 6 high, 7       steps
 * less one, three bits each; boxes less one, a byte each, from bit 56 of word 6 */
#include <string.h>

#include "sim/sim.h"

enum { RANK_AT = 4, TYPE_AT = 7, INTERLEAVE_AT = 11, SWIZZLE_AT = 13, NAN_AT = 15, TF32_AT = 16, PROMOTION_AT = 17 };
/* Rounded to TF32: the code of the float that is loaded, and a bit of its own. */
static const uint8_t code_of[TENSOR_TYPES] = {
    [TMAP_U8] = 0,      [TMAP_U16] = 1,  [TMAP_U32] = 2,      [TMAP_I32] = 3, [TMAP_U64] = 4,
    [TMAP_I64] = 5,     [TMAP_F16] = 6,  [TMAP_F32] = 7,      [TMAP_F64] = 9, [TMAP_BF16] = 10,
    [TMAP_F32_FTZ] = 8, [TMAP_TF32] = 7, [TMAP_TF32_FTZ] = 8,
};
const uint8_t tensor_element_bytes[TENSOR_TYPES] = {
    [TMAP_U8] = 1,      [TMAP_U16] = 2,  [TMAP_U32] = 4,      [TMAP_I32] = 4, [TMAP_U64] = 8,
    [TMAP_I64] = 8,     [TMAP_F16] = 2,  [TMAP_F32] = 4,      [TMAP_F64] = 8, [TMAP_BF16] = 2,
    [TMAP_F32_FTZ] = 4, [TMAP_TF32] = 4, [TMAP_TF32_FTZ] = 4,
};

static uint32_t type_of(uint32_t code, bool tf32)
{
    for (uint32_t t = tf32 ? TMAP_TF32 : 0; t < TENSOR_TYPES; t++)
        if (code_of[t] == code)
            return t;
    return TENSOR_TYPES;
}

/* Fields of 32 bits in order of address. */
static uint32_t field(const uint8_t *m, uint32_t i)
{
    uint32_t v;
    memcpy(&v, m + 4 * i, 4);
    return v;
}
static void put(uint8_t *m, uint32_t i, uint32_t v)
{
    memcpy(m + 4 * i, &v, 4);
}

void tensor_map_encode(const struct tensor_map *m, uint8_t out[TENSOR_MAP_BYTES])
{
    memset(out, 0, TENSOR_MAP_BYTES);
    memcpy(out, &m->base, 8);
    bool tf32 = m->type == TMAP_TF32 || m->type == TMAP_TF32_FTZ;
    put(out, 2,
        (m->rank - 1) << RANK_AT | (uint32_t)code_of[m->type] << TYPE_AT | m->interleave << INTERLEAVE_AT |
            m->swizzle << SWIZZLE_AT | (uint32_t)m->fill_nan << NAN_AT | (uint32_t)tf32 << TF32_AT |
            m->promotion << PROMOTION_AT);
    uint32_t high = 0, steps = 0;
    for (uint32_t d = 0; d < m->rank; d++) {
        if (d) {
            put(out, 2 + d, (uint32_t)(m->stride[d] >> 4));
            high |= (uint32_t)(m->stride[d] >> 36 & 15) << 4 * (d - 1);
        }
        put(out, 8 + d, (uint32_t)(m->dim[d] - 1));
        steps |= (m->step[d] - 1) << 3 * d;
        out[55 + d] = (uint8_t)(m->box[d] - 1);
    }
    put(out, 7, high);
    put(out, 13, steps | (uint32_t)out[55] << 24);
}

const char *tensor_map_decode(const uint8_t in[TENSOR_MAP_BYTES], struct tensor_map *m)
{
    uint32_t w = field(in, 2), steps = field(in, 13), high = field(in, 7);
    *m = (struct tensor_map){.rank = (w >> RANK_AT & 7) + 1,
                             .type = type_of(w >> TYPE_AT & 15, w >> TF32_AT & 1),
                             .interleave = w >> INTERLEAVE_AT & 3,
                             .swizzle = w >> SWIZZLE_AT & 3,
                             .fill_nan = w >> NAN_AT & 1,
                             .promotion = w >> PROMOTION_AT & 3};
    memcpy(&m->base, in, 8);
    if (m->type >= TENSOR_TYPES || m->rank > TENSOR_DIMS)
        return "these 128 bytes are no tensor map";
    m->stride[0] = tensor_element_bytes[m->type];
    for (uint32_t d = 0; d < m->rank; d++) {
        if (d)
            m->stride[d] = (uint64_t)field(in, 2 + d) << 4 | (uint64_t)(high >> 4 * (d - 1) & 15) << 36;
        m->dim[d] = (uint64_t)field(in, 8 + d) + 1;
        m->step[d] = (steps >> 3 * d & 7) + 1;
        m->box[d] = in[55 + d] + 1u;
    }
    return tensor_map_check(m);
}

const char *tensor_map_check(const struct tensor_map *m)
{
    if (m->rank < 1 || m->rank > TENSOR_DIMS)
        return "a tensor map has 1 to 5 dimensions";
    if (m->type >= TENSOR_TYPES)
        return "this element type is none of a tensor map's";
    if (m->interleave)
        return "interleaved tensor maps are not supported";
    if (m->base % 16)
        return "a tensor begins at a multiple of 16 bytes";
    for (uint32_t d = 0; d < m->rank; d++) {
        if (m->dim[d] < 1 || m->dim[d] > UINT64_C(1) << 32)
            return "a tensor's dimension is 1 to 2^32";
        if (m->box[d] < 1 || m->box[d] > 256)
            return "a box has 1 to 256 elements in each dimension";
        if (m->step[d] < 1 || m->step[d] > 8)
            return "element strides are 1 to 8";
        if (d && (m->stride[d] % 16 || m->stride[d] >= UINT64_C(1) << 40))
            return "strides are multiples of 16 bytes below 2^40";
    }
    uint64_t inner = (uint64_t)m->box[0] * m->stride[0];
    if (inner % 16)
        return "the box's innermost dimension is a multiple of 16 bytes";
    if (m->swizzle && inner > 16u << m->swizzle)
        return "the box's innermost dimension does not exceed the bytes of its swizzle";
    return NULL;
}

/* What elements outside become: 16-bit words 0x7ff7 in every format that has a NaN (read off an H200). */
const uint8_t *tensor_nan(uint32_t type)
{
    static const uint8_t none[8], nan[8] = {0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f};
    switch (type) {
    case TMAP_F16:
    case TMAP_F32:
    case TMAP_F64:
    case TMAP_BF16:
    case TMAP_F32_FTZ:
    case TMAP_TF32:
    case TMAP_TF32_FTZ:
        return nan;
    default:
        return none;
    }
}
