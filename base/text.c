/* String builder, number parsing, nearest names. */
#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sb_addn(struct sb *b, const char *s, size_t n)
{
    b->text = grow(b->text, b->len + n, &b->cap, 1);
    memcpy(b->text + b->len, s, n);
    b->len += n;
    b->text[b->len] = 0;
}

void sb_add(struct sb *b, const char *s)
{
    sb_addn(b, s, strlen(s));
}

void sb_addf(struct sb *b, const char *fmt, ...)
{
    char small[256];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    must(n >= 0);
    if ((size_t)n < sizeof small) {
        sb_addn(b, small, (size_t)n);
        return;
    }
    b->text = grow(b->text, b->len + (size_t)n, &b->cap, 1);
    va_start(ap, fmt);
    vsnprintf(b->text + b->len, (size_t)n + 1, fmt, ap);
    va_end(ap);
    b->len += (size_t)n;
}

void sb_finish(struct sb *b)
{
    free(b->text);
    *b = (struct sb){0};
}

/* Edit distance with adjacent swaps counted as one; words longer than 63 are compared by their start. */
static unsigned distance(const char *a, const char *b)
{
    enum { N = 64 };
    unsigned d[3][N];
    size_t la = strnlen(a, N - 1), lb = strnlen(b, N - 1);
    for (size_t j = 0; j <= lb; j++)
        d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= la; i++) {
        unsigned *row = d[i % 3], *up = d[(i + 2) % 3], *up2 = d[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= lb; j++) {
            unsigned best = up[j - 1] + (a[i - 1] != b[j - 1]);
            if (up[j] + 1 < best)
                best = up[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && up2[j - 2] + 1 < best)
                best = up2[j - 2] + 1;
            row[j] = best;
        }
    }
    return d[la % 3][lb];
}

const char *nearest_name(const char *word, const char *const *names, size_t n)
{
    const char *best = NULL;
    unsigned best_d = ((unsigned)strlen(word) + 2) / 3; /* a third of the letters may be wrong */
    for (size_t i = 0; i < n; i++) {
        unsigned d = distance(word, names[i]);
        if (d <= best_d && (!best || d < best_d)) {
            best = names[i];
            best_d = d;
        }
    }
    return best;
}

static bool multiplier(const char *s, uint64_t *m)
{
    static const struct {
        const char *suffix;
        uint64_t m;
    } suffixes[] = {{"", 1}, {"K", 1ull << 10}, {"M", 1ull << 20}, {"G", 1ull << 30}};
    for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
        if (strcmp(s, suffixes[i].suffix) == 0) {
            *m = suffixes[i].m;
            return true;
        }
    }
    return false;
}

bool parse_u64(const char *s, uint64_t *out)
{
    if (strncmp(s, "2^", 2) == 0) {
        char *end;
        unsigned long k = strtoul(s + 2, &end, 10);
        if (end == s + 2 || *end || k > 63)
            return false;
        *out = 1ull << k;
        return true;
    }
    if (*s < '0' || *s > '9')
        return false;
    bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    char *end;
    errno = 0;
    unsigned long long v = strtoull(s, &end, hex ? 16 : 10);
    uint64_t m = 1;
    if (errno || end == s || (hex ? *end != 0 : !multiplier(end, &m)))
        return false;
    return !__builtin_mul_overflow((uint64_t)v, m, out);
}

bool parse_i64(const char *s, int64_t *out)
{
    bool neg = *s == '-';
    uint64_t u;
    if (!parse_u64(s + (neg || *s == '+'), &u) || u > (uint64_t)INT64_MAX + neg)
        return false;
    *out = neg ? (int64_t)(0 - u) : (int64_t)u;
    return true;
}

bool parse_f64(const char *s, double *out)
{
    char *end;
    if (*s == 0 || *s == ' ')
        return false;
    *out = strtod(s, &end);
    return end != s && *end == 0 && isfinite(*out);
}
