/* References of the matrix products of any element type, of attention in fp32, and of the recomputation lesson. */
#include "workloads/references.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A matrix as doubles; its rows may lie further apart than they are long. NULL: it is missing or too small. */
static double *matrix(const struct spec *s, const void *const *init, const char *name, uint64_t rows, uint64_t columns,
                      bool padded, struct error *err)
{
    int b = spec_buffer_index(s, name);
    if (b < 0) {
        error_set(err, EXIT_BAD_INPUT, "%s: the reference needs a buffer called %s", s->name, name);
        return NULL;
    }
    uint64_t apart = padded ? s->buffers[b].count / (rows ? rows : 1) : columns;
    if (apart < columns || s->buffers[b].count < rows * apart) {
        error_set(err, EXIT_BAD_INPUT, "%s: buffer %s is smaller than %llu x %llu", s->name, name,
                  (unsigned long long)rows, (unsigned long long)columns);
        return NULL;
    }
    double *m = xcalloc(rows * columns + 1, sizeof *m);
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t c = 0; c < columns; c++)
            m[r * columns + c] = elem_get(s->buffers[b].type, init[b], r * apart + c);
    return m;
}

static void multiply(const double *a, const double *b, uint64_t n, uint64_t k, double *row)
{
    memset(row, 0, n * sizeof *row);
    for (uint64_t i = 0; i < k; i++)
        for (uint64_t c = 0; c < n; c++)
            row[c] += a[i] * b[i * n + c];
}
static double dot(const double *a, const double *b, uint64_t k)
{
    double sum = 0;
    for (uint64_t i = 0; i < k; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Exponent by which an e4m3 factor enters: that of its first bit, and for the denormals that of the smallest normal. */
static int exponent_of(double x)
{
    int e = ilogb(x);
    return e < -6 ? -6 : e;
}
/* What is left of x in steps of 2^(e - 13). */
static double cut(double x, int e)
{
    return ldexp(trunc(ldexp(x, 13 - e)), e - 13);
}
/* Sums of 8-bit floats keep 13 bits (DeepSeek-V3, section 3.3.2, tells of 14; MMA-Sim, arXiv 2511.10909, of 13 below
 * the largest exponent): of 32 products and the sum so far each is cut to 13 bits below the largest exponent among
 * them, a product's being that of its factors; their sum, exact, is cut to 13 bits of its own. */
static double dot_fp8(const double *a, const double *b, uint64_t k)
{
    enum { STEP = 32, LEAST = -126 };
    double sum = 0;
    for (uint64_t i = 0; i < k; i += STEP) {
        int most = sum != 0 ? ilogb(sum) : LEAST;
        for (uint64_t j = i; j < i + STEP && j < k; j++)
            if (a[j] * b[j] != 0 && exponent_of(a[j]) + exponent_of(b[j]) > most)
                most = exponent_of(a[j]) + exponent_of(b[j]);
        sum = cut(sum, most);
        for (uint64_t j = i; j < i + STEP && j < k; j++)
            sum += cut(a[j] * b[j], most);
        sum = sum != 0 ? cut(sum, ilogb(sum)) : 0;
    }
    return sum;
}

enum how { ROWS, TURNED, TURNED_FP8 };

static bool product(const struct spec *s, const void *const *init, uint32_t buffer, enum how how, void *out,
                    struct error *err)
{
    bool turned = how != ROWS;
    uint64_t m = ref_param(s, "m"), n = ref_param(s, "n"), k = ref_param(s, "k"), count = s->buffers[buffer].count;
    m = m ? m : n;                      /* a square one says n alone */
    uint64_t apart = m ? count / m : 0; /* elements from row to row of c */
    double *a = matrix(s, init, "a", m, k, true, err);
    double *b = a ? matrix(s, init, "b", turned ? n : k, turned ? k : n, !turned, err) : NULL;
    bool ok = b && (apart >= n || error_set(err, EXIT_BAD_INPUT, "%s: c is smaller than m x n", s->name));
    double *row = xcalloc(n + 1, sizeof *row);
    for (uint64_t r = 0; ok && r < m; r++) {
        if (!turned)
            multiply(a + r * k, b, n, k, row);
        for (uint64_t c = 0; c < n; c++)
            elem_put(s->buffers[buffer].type, out, r * apart + c,
                     how == TURNED_FP8 ? dot_fp8(a + r * k, b + c * k, k)
                     : turned          ? dot(a + r * k, b + c * k, k)
                                       : row[c]);
    }
    free(row);
    free(a);
    free(b);
    return ok;
}
bool ref_gemm(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    return product(s, init, buffer, ROWS, out, err);
}
bool ref_gemm_turned(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    return product(s, init, buffer, TURNED, out, err);
}
bool ref_gemm_turned_fp8(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    return product(s, init, buffer, TURNED_FP8, out, err);
}

/* One query row: weights in p. */
static void attend(const double *q, const double *k, const double *v, uint64_t n, uint64_t d, double scale, double *p,
                   float *out)
{
    double m = -INFINITY, sum = 0, acc[64] = {0};
    for (uint64_t j = 0; j < n; j++) {
        p[j] = dot(q, k + j * d, d) * scale;
        m = fmax(m, p[j]);
    }
    for (uint64_t j = 0; j < n; j++) {
        p[j] = exp(p[j] - m);
        sum += p[j];
        for (uint64_t i = 0; i < d; i++)
            acc[i] += p[j] * v[j * d + i];
    }
    for (uint64_t i = 0; i < d; i++)
        out[i] = (float)(acc[i] / sum);
}
bool ref_attention_f32(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    uint64_t n = ref_param(s, "n"), heads = ref_param(s, "heads"), d = 64, rows = heads * n;
    if (s->buffers[buffer].count < rows * d)
        return error_set(err, EXIT_BAD_INPUT, "%s: the output needs heads * n * 64 elements", s->name);
    double *m[3] = {NULL, NULL, NULL}, *p = xcalloc(n + 1, sizeof *p);
    static const char *const names[] = {"q", "k", "v"};
    bool ok = true;
    for (size_t i = 0; ok && i < 3; i++)
        ok = (m[i] = matrix(s, init, names[i], rows, d, false, err)) != NULL;
    for (uint64_t r = 0; ok && r < rows; r++) {
        uint64_t head = r / n * n * d;
        attend(m[0] + r * d, m[1] + head, m[2] + head, n, d, spec_value(s, "scale", 0.125), p, (float *)out + r * d);
    }
    for (size_t i = 0; i < 3; i++)
        free(m[i]);
    free(p);
    return ok;
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static bool three_sigmoids(const struct spec *s, const void *const *init, uint32_t buffer, bool gradient, void *out,
                           struct error *err)
{
    const void *x = NULL, *dout = NULL;
    uint64_t n = 0, nd = 0;
    if (!ref_input(s, init, "x", ELEM_F32, &x, &n, err) ||
        (gradient && !ref_input(s, init, "dout", ELEM_F32, &dout, &nd, err)))
        return false;
    n = s->buffers[buffer].count < n ? s->buffers[buffer].count : n;
    n = gradient && nd < n ? nd : n;
    for (uint64_t i = 0; i < n; i++) {
        double a = sigmoid((double)((const float *)x)[i]), b = sigmoid(a), c = sigmoid(b);
        ((float *)out)[i] =
            (float)(gradient ? (double)((const float *)dout)[i] * c * (1 - c) * b * (1 - b) * a * (1 - a) : c);
    }
    return true;
}
bool ref_sigmoids(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    return three_sigmoids(s, init, buffer, false, out, err);
}
bool ref_sigmoids_gradient(const struct spec *s, const void *const *init, uint32_t buffer, void *out, struct error *err)
{
    return three_sigmoids(s, init, buffer, true, out, err);
}
