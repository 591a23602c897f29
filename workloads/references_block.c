/* References of the lessons in which threads of a block work together: sums, softmax, transpose, products, atomics. */
#include "workloads/references.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ref_shared_stride(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *x = NULL;
    uint64_t nx = 0, rounds = ref_param(s, "rounds"), stride = ref_param(s, "stride");
    if (!ref_input(s, init, "x", ELEM_U32, &x, &nx, err))
        return false;
    if (nx < 2048)
        return error_set(err, EXIT_BAD_INPUT, "%s: x needs 2048 words", s->name);
    for (uint64_t i = 0; i < s->buffers[buffer].count; i++) {
        uint32_t at = (uint32_t)((i & 31) * stride), sum = 0;
        for (uint64_t r = 0; r < rounds; r++, at++)
            for (uint32_t k = 0; k < 8; k++)
                sum = sum * 3 + ((const uint32_t *)x)[(at + k * 32) & 2047];
        ((uint32_t *)out)[i] = sum;
    }
    return true;
}

bool ref_reduce(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *x = NULL;
    uint64_t nx = 0;
    if (!ref_input(s, init, "x", ELEM_F32, &x, &nx, err))
        return false;
    for (uint64_t b = 0; b < s->buffers[buffer].count; b++) {
        float v[256];
        for (uint64_t t = 0; t < 256; t++)
            v[t] = b * 256 + t < nx ? ((const float *)x)[b * 256 + t] : 0;
        for (int half = 128; half; half >>= 1) /* the shuffles of the last warp pair the same elements */
            for (int t = 0; t < half; t++)
                v[t] = v[t] + v[t + half];
        ((float *)out)[b] = v[0];
    }
    return true;
}

bool ref_softmax(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *data = NULL;
    uint64_t nx = 0, columns = ref_param(s, "columns");
    if (!ref_input(s, init, "x", ELEM_F32, &data, &nx, err))
        return false;
    const float *x = data;
    uint64_t rows = columns ? s->buffers[buffer].count / columns : 0;
    for (uint64_t r = 0; r < rows && (r + 1) * columns <= nx; r++) {
        const float *in = x + r * columns;
        double m = -INFINITY, sum = 0;
        for (uint64_t c = 0; c < columns; c++)
            m = fmax(m, (double)in[c]);
        for (uint64_t c = 0; c < columns; c++)
            sum += exp((double)in[c] - m);
        for (uint64_t c = 0; c < columns; c++)
            ((float *)out)[r * columns + c] = (float)(exp((double)in[c] - m) / sum);
    }
    return true;
}

/* Integer sums of `block` neighbours, wrapping as the hardware does. */
static bool block_sum(const struct spec *s, const void *const *init, uint64_t block, int32_t *sum, struct error *err)
{
    const void *x = NULL;
    uint64_t nx = 0, size = ref_param(s, "block");
    if (!ref_input(s, init, "x", ELEM_I32, &x, &nx, err))
        return false;
    uint32_t v = 0;
    for (uint64_t i = block * size; i < (block + 1) * size && i < nx; i++)
        v += ((const uint32_t *)x)[i];
    *sum = (int32_t)v;
    return true;
}

bool ref_block_sums(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    for (uint64_t b = 0; b < s->buffers[buffer].count; b++)
        if (!block_sum(s, init, b, &((int32_t *)out)[b], err))
            return false;
    return true;
}

bool ref_block_sums_seen(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    uint64_t size = ref_param(s, "block");
    int32_t sum = 0;
    for (uint64_t i = 0; i < s->buffers[buffer].count; i++) {
        if (size && i % size == 0 && !block_sum(s, init, i / size, &sum, err))
            return false;
        ((int32_t *)out)[i] = sum;
    }
    return true;
}

bool ref_count(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    (void)init;
    (void)err;
    elem_put(s->buffers[buffer].type, out, 0, spec_value(s, "n", 0));
    return true;
}

bool ref_transpose(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *x = NULL;
    uint64_t nx = 0, n = ref_param(s, "n");
    if (!ref_input(s, init, "x", ELEM_F32, &x, &nx, err))
        return false;
    if (nx < n * n || s->buffers[buffer].count < n * n)
        return error_set(err, EXIT_BAD_INPUT, "%s: the matrices need n * n elements", s->name);
    for (uint64_t r = 0; r < n; r++)
        for (uint64_t c = 0; c < n; c++)
            ((float *)out)[c * n + r] = ((const float *)x)[r * n + c];
    return true;
}

bool ref_histogram(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *x = NULL;
    uint64_t nx = 0;
    if (!ref_input(s, init, "x", ELEM_U32, &x, &nx, err))
        return false;
    if (s->buffers[buffer].count < 256)
        return error_set(err, EXIT_BAD_INPUT, "%s: 256 bins are needed", s->name);
    for (uint64_t i = 0; i < nx * 4; i++)
        ((uint32_t *)out)[((const uint8_t *)x)[i]]++;
    return true;
}

bool ref_matmul(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *a = NULL, *b = NULL;
    uint64_t na = 0, nb = 0, n = ref_param(s, "n");
    if (!ref_input(s, init, "a", ELEM_F32, &a, &na, err) || !ref_input(s, init, "b", ELEM_F32, &b, &nb, err))
        return false;
    if (na < n * n || nb < n * n || s->buffers[buffer].count < n * n)
        return error_set(err, EXIT_BAD_INPUT, "%s: the matrices need n * n elements", s->name);
    float *c = out;
    memset(c, 0, n * n * sizeof *c);
    for (uint64_t r = 0; r < n; r++)
        for (uint64_t k = 0; k < n; k++) {
            float v = ((const float *)a)[r * n + k];
            for (uint64_t i = 0; i < n; i++)
                c[r * n + i] = fmaf(v, ((const float *)b)[k * n + i], c[r * n + i]);
        }
    return true;
}

/* Halves as floats, once, so that the loops below do not convert over and over. */
static float *widen(const void *half, uint64_t n)
{
    float *f = xcalloc(n, sizeof *f);
    for (uint64_t i = 0; i < n; i++)
        f[i] = f16_to_f32(((const uint16_t *)half)[i]);
    return f;
}

bool ref_matmul_f16(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *a = NULL, *b = NULL;
    uint64_t na = 0, nb = 0, m = ref_param(s, "m"), n = ref_param(s, "n"), k = ref_param(s, "k");
    if (!ref_input(s, init, "a", ELEM_F16, &a, &na, err) || !ref_input(s, init, "b", ELEM_F16, &b, &nb, err))
        return false;
    if (na < m * k || nb < k * n || s->buffers[buffer].count < m * n)
        return error_set(err, EXIT_BAD_INPUT, "%s: the matrices are too small for m, n, k", s->name);
    float *fa = widen(a, m * k), *fb = widen(b, k * n);
    double *row = xcalloc(n, sizeof *row);
    for (uint64_t r = 0; r < m; r++) {
        memset(row, 0, n * sizeof *row);
        for (uint64_t i = 0; i < k; i++)
            for (uint64_t c = 0; c < n; c++)
                row[c] += (double)fa[r * k + i] * (double)fb[i * n + c];
        for (uint64_t c = 0; c < n; c++)
            ((uint16_t *)out)[r * n + c] = f16_from_f32((float)row[c]);
    }
    free(row);
    free(fa);
    free(fb);
    return true;
}

/* One query row of one head. */
static void attend(const float *q, const float *k, const float *v, uint64_t n, uint64_t d, double scale, double *p,
                   double *acc, uint16_t *out)
{
    double m = -INFINITY, sum = 0;
    for (uint64_t j = 0; j < n; j++) {
        double dot = 0;
        for (uint64_t i = 0; i < d; i++)
            dot += (double)q[i] * (double)k[j * d + i];
        p[j] = dot * scale;
        m = fmax(m, p[j]);
    }
    memset(acc, 0, d * sizeof *acc);
    for (uint64_t j = 0; j < n; j++) {
        double e = exp(p[j] - m);
        sum += e;
        for (uint64_t i = 0; i < d; i++)
            acc[i] += e * (double)v[j * d + i];
    }
    for (uint64_t i = 0; i < d; i++)
        out[i] = f16_from_f32((float)(acc[i] / sum));
}

bool ref_attention(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *q = NULL, *k = NULL, *v = NULL;
    uint64_t nq = 0, nk = 0, nv = 0, n = ref_param(s, "n"), heads = ref_param(s, "heads"), d = 64;
    if (!ref_input(s, init, "q", ELEM_F16, &q, &nq, err) || !ref_input(s, init, "k", ELEM_F16, &k, &nk, err) ||
        !ref_input(s, init, "v", ELEM_F16, &v, &nv, err))
        return false;
    uint64_t all = heads * n * d;
    if (nq < all || nk < all || nv < all || s->buffers[buffer].count < all)
        return error_set(err, EXIT_BAD_INPUT, "%s: q, k, v and o need heads * n * 64 elements", s->name);
    float *fq = widen(q, all), *fk = widen(k, all), *fv = widen(v, all);
    double *p = xcalloc(n, sizeof *p), *acc = xcalloc(d, sizeof *acc);
    for (uint64_t r = 0; r < heads * n; r++) {
        uint64_t head = r / n * n * d;
        attend(fq + r * d, fk + head, fv + head, n, d, spec_value(s, "scale", 0.125), p, acc, (uint16_t *)out + r * d);
    }
    void *all_arrays[] = {fq, fk, fv, p, acc};
    for (size_t i = 0; i < ARRAY_LEN(all_arrays); i++)
        free(all_arrays[i]);
    return true;
}

bool ref_chase(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    const void *next = NULL;
    uint64_t n = 0, hops = ref_param(s, "hops");
    (void)buffer;
    if (!ref_input(s, init, "next", ELEM_U32, &next, &n, err))
        return false;
    uint32_t at = 0;
    for (uint64_t k = 0; k < hops; k++)
        at = ((const uint32_t *)next)[at];
    memcpy(out, &at, 4);
    return true;
}

/* ---- more than one right answer ---- */
bool judge_permutation(const struct spec *s, const void *const *init, uint32_t buffer, const void *data, char why[256])
{
    (void)init;
    const struct spec_buffer *b = &s->buffers[buffer];
    uint64_t n = (uint64_t)spec_value(s, "n", (double)b->count);
    n = n < b->count ? n : b->count;
    uint8_t *seen = xcalloc(n + 1, 1);
    why[0] = 0;
    for (uint64_t i = 0; i < n && !why[0]; i++) {
        double v = elem_get(b->type, data, i);
        if (v < 0 || v >= (double)n || seen[(uint64_t)v]++)
            snprintf(why, 256, "%s[%llu] is %.0f: out of range, or there twice", b->name, (unsigned long long)i, v);
    }
    free(seen);
    return why[0] == 0;
}

static bool belongs(uint32_t v, uint64_t slot, uint64_t n)
{
    return v < n && v % 64 == slot % 64;
}

bool judge_racy_slots(const struct spec *s, const void *const *init, uint32_t buffer, const void *data, char why[256])
{
    (void)init;
    uint64_t n = ref_param(s, "n");
    for (uint64_t i = 0; i < s->buffers[buffer].count; i++) {
        uint32_t v = ((const uint32_t *)data)[i];
        if (!belongs(v, i, n)) {
            snprintf(why, 256, "%s[%llu] is %u, which no thread stores there", s->buffers[buffer].name,
                     (unsigned long long)i, v);
            return false;
        }
    }
    return true;
}

bool judge_racy_seen(const struct spec *s, const void *const *init, uint32_t buffer, const void *data, char why[256])
{
    (void)init;
    uint64_t n = ref_param(s, "n");
    for (uint64_t i = 0; i < s->buffers[buffer].count; i++) {
        uint32_t v = ((const uint32_t *)data)[i];
        if (v != UINT32_MAX && !belongs(v, i + 1, n)) {
            snprintf(why, 256, "%s[%llu] is %u, which was never in that slot", s->buffers[buffer].name,
                     (unsigned long long)i, v);
            return false;
        }
    }
    return true;
}
