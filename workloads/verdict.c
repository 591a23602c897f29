/* Is an output right? Against its reference: bit for bit, or within a bound in absolute, relative or last-place terms.
 */
#include "workloads/spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t bits_of(enum elem t, const void *data, uint64_t i)
{
    uint64_t u = 0;
    uint32_t n = elem_bytes(t);
    memcpy(&u, (const uint8_t *)data + i * n, n);
    return u;
}

/* Floats as integers that count in units in the last place; -0 and +0 are both 0. */
static int64_t ordered(enum elem t, uint64_t u)
{
    unsigned width = elem_bytes(t) * 8;
    uint64_t sign = UINT64_C(1) << (width - 1);
    return u & sign ? -(int64_t)(u & (sign - 1)) : (int64_t)u;
}

static uint64_t distance(enum elem t, uint64_t x, uint64_t y)
{
    if (t >= ELEM_I8) {
        unsigned unused = 64 - elem_bytes(t) * 8;
        bool is_signed = t == ELEM_I8 || t == ELEM_I16 || t == ELEM_I32 || t == ELEM_I64;
        if (!is_signed)
            return x > y ? x - y : y - x;
        int64_t a = (int64_t)(x << unused) >> unused, b = (int64_t)(y << unused) >> unused;
        return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
    }
    int64_t a = ordered(t, x), b = ordered(t, y);
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static bool within(const struct spec_expect *e, bool same, double diff, double want, uint64_t ulp)
{
    if (same || e->bitwise)
        return same;
    return (e->max_abs < 0 || diff <= e->max_abs) && (e->max_rel < 0 || diff <= e->max_rel * fabs(want)) &&
           (e->max_ulp < 0 || ulp <= (uint64_t)e->max_ulp);
}

static void compare(const struct spec *s, struct spec_expect *e, const void *got, const void *want)
{
    const struct spec_buffer *b = &s->buffers[e->buffer];
    struct verdict *v = &e->verdict;
    for (uint64_t i = 0; i < b->count; i++) {
        uint64_t x = bits_of(b->type, got, i), y = bits_of(b->type, want, i);
        if (x == y)
            continue;
        double gx = elem_get(b->type, got, i), gy = elem_get(b->type, want, i);
        bool nans = isnan(gx) && isnan(gy);
        double diff = nans ? 0 : isnan(gx) || isnan(gy) ? INFINITY : fabs(gx - gy);
        uint64_t ulp = nans ? 0 : isnan(gx) || isnan(gy) ? UINT64_MAX : distance(b->type, x, y);
        v->max_abs = fmax(v->max_abs, diff);
        v->max_ulp = ulp > v->max_ulp ? ulp : v->max_ulp;
        if (!within(e, nans && !e->bitwise, diff, gy, ulp) && v->nbad++ == 0)
            snprintf(v->text, sizeof v->text, "%s[%llu] is %.9g (0x%llx), expected %.9g (0x%llx)", b->name,
                     (unsigned long long)i, gx, (unsigned long long)x, gy, (unsigned long long)y);
    }
    v->ok = v->nbad == 0;
}

static void **initial_bytes(const struct spec *s, struct error *err)
{
    void **init = xcalloc(s->nbuffer + 1, sizeof *init);
    for (uint32_t i = 0; i < s->nbuffer; i++) {
        init[i] = xcalloc(s->buffers[i].bytes, 1);
        if (spec_fill(s, i, init[i], err))
            continue;
        for (uint32_t k = 0; k <= i; k++)
            free(init[k]);
        free(init);
        return NULL;
    }
    return init;
}

static bool judge(struct spec *s, struct spec_expect *e, const void *const *init, const void *data, struct error *err)
{
    const struct reference *ref = reference_find(e->reference);
    const struct spec_buffer *b = &s->buffers[e->buffer];
    if (ref->judge) {
        e->verdict.ok = ref->judge(s, init, e->buffer, data, e->verdict.text);
        e->verdict.nbad = !e->verdict.ok;
        return true;
    }
    void *want = xcalloc(b->bytes, 1);
    memcpy(want, init[e->buffer], b->bytes);
    bool ok = ref->compute(s, init, e->buffer, want, err);
    if (ok)
        compare(s, e, data, want);
    free(want);
    return ok;
}

bool spec_check(struct spec *s, uint32_t expect, const void *data, struct error *err)
{
    struct spec_expect *e = &s->expects[expect];
    e->verdict = (struct verdict){.checked = e->reference != NULL, .ok = true};
    sha256_hex(data, s->buffers[e->buffer].bytes, e->verdict.sha256);
    if (!e->reference)
        return true;
    void **init = initial_bytes(s, err);
    if (!init)
        return false;
    bool ok = judge(s, e, (const void *const *)init, data, err);
    for (uint32_t i = 0; i < s->nbuffer; i++)
        free(init[i]);
    free(init);
    return ok;
}

double spec_metric_value(const struct spec *s, uint32_t metric, const void *data)
{
    const struct spec_metric *m = &s->metrics[metric];
    enum elem t = s->buffers[m->buffer].type;
    double v = elem_get(t, data, m->index), sum = 0;
    for (uint64_t i = 0; i < m->count; i++) {
        double x = elem_get(t, data, m->index + i);
        sum += x;
        if ((m->how == METRIC_MAX && x > v) || (m->how == METRIC_MIN && x < v))
            v = x;
    }
    if (m->how == METRIC_MEAN)
        v = sum / (double)m->count;
    return (v - m->offset) / m->divide;
}
