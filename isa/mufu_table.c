/* Unpacks recorded functions. */
#include "isa/mufu_table.h"

static int64_t get_le(const uint8_t *p, uint32_t n)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < n; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return (int64_t)v;
}
/* Remainder: is it 0; its sign; how far beyond 1, unary up to 15. */
static int32_t read_rest(struct rc_in *r, struct series_model *m, uint32_t context, int32_t last)
{
    uint32_t kind = last == 0 ? 0 : last > 0 ? 1 : 2;
    if (!rc_bit(r, &m->zero[context][kind]))
        return 0;
    uint32_t neg = rc_bit(r, &m->sign[context]);
    int32_t v = 1;
    while (v < 127 && rc_bit(r, &m->more[v < 15 ? v : 15][context >> 3]))
        v++;
    return neg ? -v : v;
}

/* The head of a series: sizes, and the bytes that follow it. */
static bool read_head(struct series *s, const uint8_t *p, const uint8_t *end, uint32_t *coded, uint64_t *size)
{
    if (end - p < 8)
        return false;
    *s = (struct series){.log2n = p[0], .log2seg = p[1], .cut24 = p[2] & 1, .raw = p[2] & 2};
    *coded = (uint32_t)get_le(p + 4, 4);
    if (s->log2n > 26 || s->log2seg > s->log2n || (s->raw && s->log2n < 16))
        return false;
    *size = 8 + ((uint64_t)32 << (s->log2n - s->log2seg)) + (s->raw ? 4 * SERIES_RAW : 0) + *coded;
    return (uint64_t)(end - p) >= *size;
}
bool series_skip(const uint8_t **p, const uint8_t *end)
{
    struct series s;
    uint32_t coded;
    uint64_t size;
    if (!read_head(&s, *p, end, &coded, &size))
        return false;
    *p += size;
    return true;
}
static struct series_guess guess_at(const struct series *s, uint32_t i)
{
    return series_guess(&s->segment[i >> s->log2seg], i & ((1u << s->log2seg) - 1), s->cut24);
}
/* From remainder i on bits do not do. */
static void leave_bits(struct series *s, uint32_t i)
{
    s->rest = xcalloc((size_t)1 << s->log2n, 1);
    for (uint32_t k = 0; k < i; k++)
        if (s->differs[k / 64] >> k % 64 & 1)
            s->rest[k] = (int8_t)series_nearer(guess_at(s, k).context);
}
static void keep(struct series *s, uint32_t i, int32_t rest, uint32_t context)
{
    s->unsure |= UINT64_C(1) << context;
    if (!s->rest && rest != series_nearer(context))
        leave_bits(s, i);
    if (s->rest)
        s->rest[i] = (int8_t)rest;
    else
        s->differs[i / 64] |= UINT64_C(1) << i % 64;
}

bool series_read(struct series *s, const uint8_t **p, const uint8_t *end)
{
    uint32_t coded;
    uint64_t size;
    if (!read_head(s, *p, end, &coded, &size))
        return false;
    *p += 8;
    uint32_t nseg = 1u << (s->log2n - s->log2seg), n = 1u << s->log2n;
    s->segment = xcalloc(nseg, sizeof *s->segment);
    s->differs = xcalloc(n / 64 + 1, sizeof *s->differs);
    for (uint32_t i = 0; i < nseg; i++, *p += 32)
        s->segment[i] =
            (struct series_segment){get_le(*p, 8), get_le(*p + 8, 8), get_le(*p + 16, 8), get_le(*p + 24, 8)};
    if (s->raw) {
        s->first = xcalloc(SERIES_RAW, 4);
        for (uint32_t i = 0; i < SERIES_RAW; i++, *p += 4)
            s->first[i] = (uint32_t)get_le(*p, 4);
    }
    struct rc_in r;
    struct series_model m;
    rc_open(&r, *p, coded);
    series_model_start(&m);
    int32_t last = 0;
    for (uint32_t i = s->raw ? SERIES_RAW : 0; i < n; i++) {
        struct series_guess g = guess_at(s, i);
        last = read_rest(&r, &m, g.context, last);
        if (last)
            keep(s, i, last, g.context);
    }
    *p += coded;
    return true;
}
void series_free(struct series *s)
{
    free(s->segment);
    free(s->differs);
    free(s->rest);
    free(s->first);
    *s = (struct series){0};
}
