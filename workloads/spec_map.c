/* A tensor map as an argument: which part of a buffer is a tensor, and which box of it a copy moves. Sizes come
 * innermost first, as the driver takes them; strides are bytes, of every dimension but the innermost. */
#include "workloads/spec.h"

#include <stdlib.h>
#include <string.h>

/* Types of the driver by element type; F32 stays F32 unless `type:` says otherwise. */
static int map_type(enum elem t)
{
    switch (t) {
    case ELEM_U8:
    case ELEM_I8:
        return TMAP_U8;
    case ELEM_U16:
    case ELEM_I16:
        return TMAP_U16;
    case ELEM_U32:
        return TMAP_U32;
    case ELEM_I32:
        return TMAP_I32;
    case ELEM_U64:
        return TMAP_U64;
    case ELEM_I64:
        return TMAP_I64;
    case ELEM_F16:
        return TMAP_F16;
    case ELEM_F32:
        return TMAP_F32;
    case ELEM_F64:
        return TMAP_F64;
    case ELEM_BF16:
        return TMAP_BF16;
    default:
        return elem_bytes(t) == 1 ? TMAP_U8 : -1; /* 8-bit floats are bytes */
    }
}

static bool read_type(struct reader *r, struct yat y, enum elem of_buffer, uint32_t *type)
{
    static const char *const more[] = {"f32_ftz", "tf32", "tf32_ftz"};
    static const enum tensor_map_type types[] = {TMAP_F32_FTZ, TMAP_TF32, TMAP_TF32_FTZ};
    enum elem t = of_buffer;
    for (uint32_t i = 0; y.n && y.n->kind == Y_SCALAR && i < ARRAY_LEN(more); i++)
        if (!strcmp(y.n->text, more[i])) {
            *type = types[i];
            return true;
        }
    if (y.n && !read_elem(y, &t, r->err))
        return false;
    int found = map_type(t);
    *type = (uint32_t)found;
    return found >= 0 || yat_fail(y, r->err, "tensor maps have no such element type");
}

/* `n` numbers, or any number up to five (n 0). */
static bool read_list(struct reader *r, struct yat map, const char *key, uint32_t n, uint64_t *out, uint32_t *count)
{
    struct yat y = yat_get(map, key);
    if (!yat_kind(y, Y_LIST, "a list of numbers, innermost first", r->err))
        return false;
    if (n ? y.n->n != n : y.n->n < 1 || y.n->n > TENSOR_DIMS)
        return n ? yat_fail(y, r->err, "%s: %u numbers are expected", key, n)
                 : yat_fail(y, r->err, "%s: one to five numbers are expected", key);
    for (size_t i = 0; i < y.n->n; i++)
        if (!expr_u64(r->s, (struct yat){y.doc, y.n->items[i]}, &out[i], r->err))
            return false;
    *count = (uint32_t)y.n->n;
    return true;
}

static bool read_shape(struct reader *r, struct yat y, struct tensor_map *m)
{
    uint64_t v[TENSOR_DIMS] = {0};
    uint32_t n;
    if (!read_list(r, y, "dims", 0, m->dim, &m->rank) || !read_list(r, y, "box", m->rank, v, &n))
        return false;
    m->stride[0] = tensor_element_bytes[m->type];
    for (uint32_t d = 0; d < m->rank; d++) {
        m->box[d] = v[d] > UINT32_MAX ? UINT32_MAX : (uint32_t)v[d];
        m->step[d] = 1;
        m->stride[d] = d ? m->stride[d - 1] * m->dim[d - 1] : m->stride[0];
    }
    if (yat_get(y, "strides").n && m->rank > 1 && !read_list(r, y, "strides", m->rank - 1, m->stride + 1, &n))
        return false;
    if (!yat_get(y, "element_strides").n)
        return true;
    if (!read_list(r, y, "element_strides", m->rank, v, &n))
        return false;
    for (uint32_t d = 0; d < m->rank; d++)
        m->step[d] = v[d] > UINT32_MAX ? UINT32_MAX : (uint32_t)v[d];
    return true;
}

static bool read_modes(struct reader *r, struct yat y, struct tensor_map *m)
{
    struct yat swizzle = yat_get(y, "swizzle"), fill = yat_get(y, "fill"), promotion = yat_get(y, "l2_promotion");
    uint32_t bytes = 0;
    if (swizzle.n && !expr_u32(r->s, swizzle, &bytes, r->err))
        return false;
    if (bytes != 0 && bytes != 32 && bytes != 64 && bytes != 128)
        return yat_fail(swizzle, r->err, "swizzle: 0, 32, 64 or 128 bytes");
    m->swizzle = bytes / 32 == 4 ? 3 : bytes / 32;
    if (promotion.n && !expr_u32(r->s, promotion, &bytes, r->err))
        return false;
    m->promotion = !promotion.n || !bytes ? 0 : bytes == 64 ? 1 : bytes == 128 ? 2 : bytes == 256 ? 3 : 4;
    if (m->promotion > 3)
        return yat_fail(promotion, r->err, "l2_promotion: 0, 64, 128 or 256 bytes");
    if (!fill.n)
        return true;
    if (!yat_kind(fill, Y_SCALAR, "zero or nan", r->err))
        return false;
    m->fill_nan = !strcmp(fill.n->text, "nan");
    return m->fill_nan || !strcmp(fill.n->text, "zero") || yat_fail(fill, r->err, "fill: zero or nan");
}

bool read_tensor_map(struct reader *r, struct yat y, struct spec_arg *a)
{
    static const char *const keys[] = {"buffer", "offset",          "type",    "dims", "strides",
                                       "box",    "element_strides", "swizzle", "fill", "l2_promotion"};
    if (!yat_kind(y, Y_MAP, "a tensor map {buffer, dims, box}", r->err) || !yat_keys(y, keys, ARRAY_LEN(keys), r->err))
        return false;
    if (!yat_get(y, "buffer").n)
        return yat_fail(y, r->err, "buffer: is missing");
    struct yat offset = yat_get(y, "offset");
    struct tensor_map *m = a->map = xcalloc(1, sizeof *m);
    a->bytes = TENSOR_MAP_BYTES;
    if (!read_buffer_name(r, yat_get(y, "buffer"), &a->buffer) ||
        (offset.n && !expr_u64(r->s, offset, &a->offset, r->err)) ||
        !read_type(r, yat_get(y, "type"), r->s->buffers[a->buffer].type, &m->type) || !read_shape(r, y, m) ||
        !read_modes(r, y, m))
        return false;
    const char *why = tensor_map_check(m);
    return !why || yat_fail(y, r->err, "%s", why);
}

struct tensor_map spec_tensor_map(const struct spec *s, const struct spec_arg *a)
{
    struct tensor_map m = *a->map;
    m.base = s->buffers[a->buffer].addr + a->offset;
    return m;
}
