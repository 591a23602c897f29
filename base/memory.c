/* Allocation that never returns NULL. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

void out_of_memory(size_t bytes)
{
    fprintf(stderr, "heddle: out of memory: %zu bytes were asked for\n", bytes);
    exit(EXIT_FAILED);
}

void *xcalloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        out_of_memory(n * size);
    return p;
}

void *xrealloc(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        out_of_memory(SIZE_MAX);
    p = realloc(p, bytes ? bytes : 1);
    if (!p)
        out_of_memory(bytes);
    return p;
}

void *xalloc_aligned(size_t bytes, size_t align)
{
    bytes = (bytes + align - 1) / align * align;
    void *p = aligned_alloc(align, bytes ? bytes : align);
    if (!p)
        out_of_memory(bytes);
    memset(p, 0, bytes ? bytes : align);
    return p;
}

char *xstrndup(const char *s, size_t n)
{
    size_t len = strnlen(s, n);
    char *p = xcalloc(len + 1, 1);
    memcpy(p, s, len);
    return p;
}

char *xstrdup(const char *s)
{
    return xstrndup(s, strlen(s));
}

char *xasprintf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *p;
    int len = vasprintf(&p, fmt, ap);
    va_end(ap);
    if (len < 0)
        out_of_memory(0);
    return p;
}

void *grow(void *p, size_t n, size_t *cap, size_t esz)
{
    if (n < *cap)
        return p;
    size_t want = *cap ? *cap : 8;
    while (want <= n)
        want *= 2;
    p = xrealloc(p, want, esz);
    *cap = want;
    return p;
}
