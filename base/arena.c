/* Memory that is taken piece by piece and given back all at once. It lies in large pages where the host has them: the
 * parts of a GPU are tens of megabytes that are visited in turn, more than the host's translation buffers reach in
 * small pages, and faulting those in one by one takes longer than a short kernel. */
#include "base/base.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PIECE_ALIGN = 64, LARGE_PAGE = 2 << 20, CHUNK_BYTES = 32 << 20 };

struct chunk {
    struct chunk *before;
    void *mapping;
    size_t bytes;
};
struct arena {
    struct chunk *last;
    uint8_t *at;
    size_t left;
};

struct arena *arena_new(void)
{
    return xcalloc(1, sizeof(struct arena));
}

void arena_free(struct arena *a)
{
    while (a && a->last) {
        struct chunk *c = a->last;
        a->last = c->before;
        munmap(c->mapping, c->bytes);
        free(c);
    }
    free(a);
}

void *large_pages(size_t bytes, size_t *mapped, void **mapping)
{
    *mapped = bytes + LARGE_PAGE;
    *mapping = mmap(NULL, *mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (*mapping == MAP_FAILED)
        return NULL;
    uintptr_t at = ((uintptr_t)*mapping + LARGE_PAGE - 1) & ~((uintptr_t)LARGE_PAGE - 1);
#ifdef MADV_HUGEPAGE
    madvise((void *)at, bytes, MADV_HUGEPAGE); /* a wish: it may be refused */
#endif
    return (void *)at;
}

static void add_chunk(struct arena *a, size_t bytes)
{
    struct chunk *c = xcalloc(1, sizeof *c);
    a->left = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    a->at = large_pages(a->left, &c->bytes, &c->mapping);
    if (!a->at)
        out_of_memory(bytes);
    c->before = a->last;
    a->last = c;
}

void *arena_zalloc(struct arena *a, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX - PIECE_ALIGN)
        out_of_memory(SIZE_MAX);
    bytes = (bytes + PIECE_ALIGN - 1) & ~(size_t)(PIECE_ALIGN - 1);
    if (bytes > a->left)
        add_chunk(a, bytes);
    void *p = a->at;
    a->at += bytes;
    a->left -= bytes;
    return p;
}
