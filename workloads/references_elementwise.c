/* References of the lessons in which each element stands alone. */
#include "workloads/references.h"

#include <math.h>
#include <string.h>

bool ref_input(const struct spec *s, const void *const *init, const char *name, enum elem type, const void **data,
               uint64_t *count, struct error *err)
{
    int b = spec_buffer_index(s, name);
    if (b < 0)
        return error_set(err, EXIT_BAD_INPUT, "%s: the reference needs a buffer called %s", s->name, name);
    if (s->buffers[b].type != type)
        return error_set(err, EXIT_BAD_INPUT, "%s: the reference needs buffer %s to be %s", s->name, name,
                         elem_names[type]);
    *data = init[b];
    *count = s->buffers[b].count;
    return true;
}

uint64_t ref_param(const struct spec *s, const char *name)
{
    double v = spec_value(s, name, 0);
    return v > 0 ? (uint64_t)v : 0;
}

/* Elements to compute: n of the spec if it has one, never more than a buffer holds. */
static uint64_t extent(const struct spec *s, uint32_t buffer, uint64_t input)
{
    uint64_t n = (uint64_t)spec_value(s, "n", 1e18), have = s->buffers[buffer].count;
    n = n < have ? n : have;
    return n < input ? n : input;
}

bool ref_vecadd(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *x = NULL, *y = NULL;
    uint64_t nx = 0, ny = 0;
    if (!ref_input(s, init, "x", ELEM_F32, &x, &nx, err) || !ref_input(s, init, "y", ELEM_F32, &y, &ny, err))
        return false;
    uint64_t n = extent(s, buffer, nx < ny ? nx : ny);
    for (uint64_t i = 0; i < n; i++)
        ((float *)out)[i] = ((const float *)x)[i] + ((const float *)y)[i];
    return true;
}

bool ref_saxpy(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *x = NULL;
    uint64_t nx = 0;
    if (!ref_input(s, init, "x", ELEM_F32, &x, &nx, err))
        return false;
    float a = (float)spec_value(s, "a", 1), *y = out;
    for (uint64_t i = 0, n = extent(s, buffer, nx); i < n; i++)
        y[i] = fmaf(a, ((const float *)x)[i], y[i]);
    return true;
}

bool ref_relu(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *x = NULL;
    uint64_t nx = 0;
    enum elem t = s->buffers[buffer].type;
    if (!ref_input(s, init, "x", t, &x, &nx, err))
        return false;
    for (uint64_t i = 0, n = extent(s, buffer, nx); i < n; i++) {
        double v = elem_get(t, x, i);
        elem_put(t, out, i, v > 0 ? v : 0);
    }
    return true;
}

bool ref_gelu(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *x = NULL;
    uint64_t nx = 0;
    if (!ref_input(s, init, "x", ELEM_F32, &x, &nx, err))
        return false;
    for (uint64_t i = 0, n = extent(s, buffer, nx); i < n; i++) {
        double v = (double)((const float *)x)[i];
        ((float *)out)[i] = (float)(0.5 * v * (1.0 + tanh(0.79788456 * (v + 0.044715 * v * v * v))));
    }
    return true;
}

bool ref_divergence(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *x = NULL;
    uint64_t nx = 0;
    if (!ref_input(s, init, "x", ELEM_F32, &x, &nx, err))
        return false;
    for (uint64_t i = 0, n = extent(s, buffer, nx); i < n; i++) {
        float v = ((const float *)x)[i];
        ((float *)out)[i] = v > 0 ? sqrtf(v) : v * v;
    }
    return true;
}

static float long_round(float v)
{
    if (v > 0) {
        for (int k = 0; k < 64; k++)
            v = fmaf(v, 0.96875F, 0.0625F);
    } else {
        for (int k = 0; k < 32; k++)
            v = v * 0.9375F + -0.125F; /* two roundings: the build forbids contraction */
    }
    return v;
}

bool ref_divergence_long(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *x = NULL;
    uint64_t nx = 0, rounds = ref_param(s, "rounds");
    if (!ref_input(s, init, "x", ELEM_F32, &x, &nx, err))
        return false;
    for (uint64_t i = 0, n = extent(s, buffer, nx); i < n; i++) {
        float v = ((const float *)x)[i];
        for (uint64_t r = 0; r < rounds; r++)
            v = long_round(v);
        ((float *)out)[i] = v;
    }
    return true;
}

bool ref_copy(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *x = NULL;
    uint64_t nx = 0, stride = (uint64_t)spec_value(s, "stride", 1), offset = ref_param(s, "offset");
    enum elem t = s->buffers[buffer].type;
    if (!ref_input(s, init, "x", t, &x, &nx, err))
        return false;
    uint32_t size = elem_bytes(t);
    for (uint64_t i = 0, n = extent(s, buffer, UINT64_MAX); i < n; i++) {
        uint64_t from = i * stride + offset;
        if (from >= nx)
            return error_set(err, EXIT_BAD_INPUT, "%s: buffer x is too small for the copy", s->name);
        memcpy((uint8_t *)out + i * size, (const uint8_t *)x + from * size, size);
    }
    return true;
}

bool ref_ffma(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *x = NULL;
    uint64_t nx = 0, rounds = ref_param(s, "rounds");
    if (!ref_input(s, init, "x", ELEM_F32, &x, &nx, err))
        return false;
    for (uint64_t i = 0, n = extent(s, buffer, nx); i < n; i++) {
        float a = ((const float *)x)[i], sum = 0;
        for (int k = 0; k < 8; k++) {
            float v = a + (float)k;
            for (uint64_t r = 0; r < rounds * 8; r++)
                v = fmaf(v, 0.5F, a);
            sum = k ? sum + v : v;
        }
        ((float *)out)[i] = sum;
    }
    return true;
}
