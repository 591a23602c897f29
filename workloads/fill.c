/* Initial bytes of buffers. Defined once, so that simulator, CPU reference and GPU runner hold the same:
 * element i of a buffer with seed s draws u = hash32(i * 2654435761 + s). */
#include "workloads/spec.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t draw(const struct spec_buffer *b, uint64_t i)
{
    return hash32((uint32_t)i * 2654435761U + b->seed);
}

static double uniform(double a, double b, uint32_t u)
{
    return a + (b - a) * ((double)(u >> 8) / 16777216.0);
}

static void put_word(const struct spec_buffer *b, void *out, uint64_t i, uint64_t u)
{
    uint32_t n = elem_bytes(b->type);
    memcpy((uint8_t *)out + i * n, &u, n);
}

/* One cycle through all slots: a full-period congruence needs 421 - 1 = 420 to hold every prime factor of the number
 * of slots (and 4 where that holds 4). */
static bool fill_chase(const struct spec *s, const struct spec_buffer *b, void *out, struct error *err)
{
    uint64_t stride = (uint64_t)b->a, slots = b->count / stride, rest = slots;
    static const uint32_t primes[] = {2, 3, 5, 7};
    for (size_t k = 0; k < ARRAY_LEN(primes); k++)
        while (rest > 1 && rest % primes[k] == 0)
            rest /= primes[k];
    if (rest != 1 || slots > UINT32_MAX)
        return error_at(err, spec_source(s), b->at,
                        "a chase needs a number of slots (count / %llu = %llu) made of the factors 2, 3, 5, 7",
                        (unsigned long long)stride, (unsigned long long)slots);
    memset(out, 0, b->bytes);
    for (uint64_t i = 0; i < slots; i++)
        elem_put(b->type, out, i * stride, (double)((421 * i + 1000003) % slots * stride));
    return true;
}

static bool fill_file(const struct spec *s, const struct spec_buffer *b, void *out, struct error *err)
{
    uint8_t *data;
    size_t len;
    if (!file_read(b->file, &data, &len, err))
        return false;
    bool fits = len == b->bytes;
    if (fits)
        memcpy(out, data, len);
    free(data);
    return fits || error_at(err, spec_source(s), b->at, "%s has %zu bytes, the buffer %llu", b->file, len,
                            (unsigned long long)b->bytes);
}

static void fill_element(const struct spec_buffer *b, void *out, uint64_t i)
{
    switch (b->init) {
    case INIT_UNIFORM:
        elem_put(b->type, out, i, uniform(b->a, b->b, draw(b, i)));
        break;
    case INIT_SIGNS: {
        double v = uniform(0.5, 4, draw(b, i));
        elem_put(b->type, out, i, i / (uint64_t)b->a % 2 == 0 ? v : -v);
        break;
    }
    case INIT_RAW:
        put_word(b, out, i, draw(b, i));
        break;
    case INIT_MOD:
        elem_put(b->type, out, i, draw(b, i) % (uint32_t)b->a);
        break;
    case INIT_FILL:
        elem_put(b->type, out, i, b->a);
        break;
    default: /* INIT_IOTA */
        elem_put(b->type, out, i, (double)i);
    }
}

struct span { /* elements that one host thread fills */
    const struct spec_buffer *b;
    void *out;
    uint64_t from, to;
};

static void *fill_span(void *arg)
{
    const struct span *s = arg;
    for (uint64_t i = s->from; i < s->to; i++)
        fill_element(s->b, s->out, i);
    return NULL;
}

/* Elements do not depend on one another, so large buffers are shared among the host's cores. */
static void fill_elements(const struct spec_buffer *b, void *out)
{
    enum { MOST = 16, SPAN = 1 << 20 };
    pthread_t threads[MOST];
    struct span spans[MOST];
    bool started[MOST] = {false};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t n = b->count / SPAN + 1;
    if (n > (uint64_t)cores)
        n = cores > 0 ? (uint64_t)cores : 1;
    if (n > MOST)
        n = MOST;
    for (uint64_t i = 0; i < n; i++) {
        spans[i] = (struct span){b, out, b->count * i / n, b->count * (i + 1) / n};
        started[i] = i + 1 < n && pthread_create(&threads[i], NULL, fill_span, &spans[i]) == 0;
    }
    for (uint64_t i = n; i-- > 0;) {
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            fill_span(&spans[i]);
    }
}

bool spec_fill(const struct spec *s, uint32_t buffer, void *out, struct error *err)
{
    const struct spec_buffer *b = &s->buffers[buffer];
    switch (b->init) {
    case INIT_ZERO:
        memset(out, 0, b->bytes);
        return true;
    case INIT_POISON:
        memset(out, 0xFF, b->bytes);
        return true;
    case INIT_FILE:
        return fill_file(s, b, out, err);
    case INIT_CHASE:
        return fill_chase(s, b, out, err);
    default:
        fill_elements(b, out);
        return true;
    }
}
