/* Allocations of device memory and the committed bytes. The whole space is one lazily backed host mapping, so an
 * address becomes a host pointer by one subtraction; which addresses are valid is a sorted list of allocations,
 * reached through a table of pages. */
#include "sim/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/storelog.h"

struct allocation {
    char *name;
    uint64_t first, end; /* [first, end) */
};
struct memory {
    uint8_t *bytes; /* host address of MEMORY_BASE */
    void *mapping;  /* that it lies in */
    size_t mapping_bytes;
    struct arena *arena, *rare;
    uint64_t capacity, used, mapped; /* used: next free offset; mapped: whole pages */
    uint64_t page;
    bool strict;
    struct allocation *alloc; /* in order of address */
    size_t nalloc, cap;
    uint32_t *page_first; /* first allocation that ends behind the page's begin */
    size_t page_cap;
    struct merge_table *table[NSHARD];
};

/* A gap between two allocations, so that running over the end never lands in the next one. cudaMalloc lays small ones
 * side by side at 512 bytes; here at kilobytes, so that the gap does not move those of whole kilobytes to other L2
 * slices. */
enum { GAP_BYTES = 512, SMALL_ALIGN = 1024 };

struct memory *memory_new(const struct config *c)
{
    struct memory *m = xcalloc(1, sizeof *m);
    m->page = c->page_bytes;
    m->strict = c->memcheck == MEMCHECK_STRICT;
    /* Where the host allows no mapping of the part's full size, less device memory is offered. */
    for (m->capacity = (c->memory_bytes + m->page - 1) / m->page * m->page;; m->capacity /= 2) {
        m->bytes = large_pages(m->capacity, &m->mapping_bytes, &m->mapping);
        if (m->bytes)
            break;
        must(m->capacity > m->page);
    }
    m->arena = arena_new();
    m->rare = arena_new();
    return m;
}

void memory_free(struct memory *m)
{
    if (!m)
        return;
    munmap(m->mapping, m->mapping_bytes);
    arena_free(m->arena);
    arena_free(m->rare);
    for (size_t i = 0; i < m->nalloc; i++)
        free(m->alloc[i].name);
    for (uint32_t i = 0; i < NSHARD; i++)
        merge_table_free(m->table[i]);
    free(m->alloc);
    free(m->page_first);
    free(m);
}

static void note_pages(struct memory *m, uint32_t index)
{
    const struct allocation *a = &m->alloc[index];
    size_t last = (a->end - 1 - MEMORY_BASE) / m->page;
    size_t known = m->page_cap;
    m->page_first = grow(m->page_first, last, &m->page_cap, sizeof *m->page_first);
    for (size_t p = known; p < m->page_cap; p++)
        m->page_first[p] = UINT32_MAX;
    for (size_t p = (a->first - MEMORY_BASE) / m->page; p <= last; p++)
        if (m->page_first[p] == UINT32_MAX)
            m->page_first[p] = index;
}

bool memory_alloc(struct memory *m, const char *name, uint64_t bytes, uint64_t align, uint64_t *addr, struct error *err)
{
    if (align < SMALL_ALIGN)
        align = SMALL_ALIGN;
    if (bytes > m->page / 2 && align < m->page)
        align = m->page; /* as cudaMalloc: large buffers begin on a page */
    if (align & (align - 1))
        return error_set(err, EXIT_BAD_INPUT, "buffer %s: alignment %" PRIu64 " is not a power of two", name, align);
    uint64_t size = bytes ? bytes : 1;
    uint64_t at = (m->used + align - 1) / align * align;
    if (size > m->capacity || at > m->capacity - size)
        return error_set(err, EXIT_BAD_INPUT,
                         "buffer %s: out of device memory: %" PRIu64 " bytes asked, %" PRIu64 " of %" PRIu64 " in use",
                         name, bytes, m->used, m->capacity);
    m->alloc = grow(m->alloc, m->nalloc, &m->cap, sizeof *m->alloc);
    m->alloc[m->nalloc] = (struct allocation){xstrdup(name), MEMORY_BASE + at, MEMORY_BASE + at + size};
    note_pages(m, (uint32_t)m->nalloc++);
    m->used = at + size + GAP_BYTES;
    m->mapped = (at + size + m->page - 1) / m->page * m->page;
    *addr = MEMORY_BASE + at;
    return true;
}

static const struct allocation *find(const struct memory *m, uint64_t addr)
{
    uint64_t offset = addr - MEMORY_BASE;
    size_t page = offset / m->page;
    if (addr < MEMORY_BASE || page >= m->page_cap)
        return NULL;
    for (size_t i = m->page_first[page]; i < m->nalloc && m->alloc[i].first <= addr; i++)
        if (addr < m->alloc[i].end)
            return &m->alloc[i];
    return NULL;
}

bool memory_valid(const struct memory *m, uint64_t addr, uint32_t bytes)
{
    if (!m->strict)
        return addr >= MEMORY_BASE && addr - MEMORY_BASE < m->mapped && bytes <= m->mapped - (addr - MEMORY_BASE);
    const struct allocation *a = find(m, addr);
    return a && bytes <= a->end - addr;
}

static bool host_range(const struct memory *m, uint64_t addr, uint64_t bytes, const char *what, struct error *err)
{
    const struct allocation *a = find(m, addr);
    if (!bytes || (a && bytes <= a->end - addr))
        return true;
    char text[256];
    memory_describe(m, addr, text, sizeof text);
    return error_set(err, EXIT_BAD_INPUT, "host %s of %" PRIu64 " bytes at 0x%" PRIx64 ": %s", what, bytes, addr, text);
}

bool memory_write(struct memory *m, uint64_t addr, const void *data, uint64_t bytes, struct error *err)
{
    if (!host_range(m, addr, bytes, "write", err))
        return false;
    if (bytes)
        memcpy(m->bytes + (addr - MEMORY_BASE), data, bytes);
    return true;
}

bool memory_read(const struct memory *m, uint64_t addr, void *data, uint64_t bytes, struct error *err)
{
    if (!host_range(m, addr, bytes, "read", err))
        return false;
    if (bytes)
        memcpy(data, m->bytes + (addr - MEMORY_BASE), bytes);
    return true;
}

void memory_describe(const struct memory *m, uint64_t addr, char *out, size_t cap)
{
    const struct allocation *best = NULL;
    uint64_t best_gap = UINT64_MAX;
    for (size_t i = 0; i < m->nalloc; i++) {
        const struct allocation *a = &m->alloc[i];
        uint64_t gap = addr < a->first ? a->first - addr : addr >= a->end ? addr - a->end + 1 : 0;
        if (gap < best_gap) {
            best = a;
            best_gap = gap;
        }
    }
    if (!best)
        snprintf(out, cap, "nothing is allocated");
    else if (addr < best->first)
        snprintf(out, cap, "%" PRIu64 " bytes before buffer %s (0x%" PRIx64 " .. 0x%" PRIx64 ", %" PRIu64 " bytes)",
                 best->first - addr, best->name, best->first, best->end, best->end - best->first);
    else if (addr >= best->end)
        snprintf(out, cap,
                 "%" PRIu64 " bytes past the end of buffer %s (0x%" PRIx64 " .. 0x%" PRIx64 ", %" PRIu64 " bytes)",
                 addr - best->end, best->name, best->first, best->end, best->end - best->first);
    else
        snprintf(out, cap, "byte %" PRIu64 " of buffer %s (0x%" PRIx64 " .. 0x%" PRIx64 ", %" PRIu64 " bytes)",
                 addr - best->first, best->name, best->first, best->end, best->end - best->first);
}

struct arena *memory_arena(const struct memory *m)
{
    return m->arena;
}

struct arena *memory_arena_rare(const struct memory *m)
{
    return m->rare;
}

uint64_t memory_host_bytes(const struct memory *m)
{
    return m->used;
}

void memory_load(const struct memory *m, const struct storelog *l, uint64_t addr, void *data, uint32_t bytes)
{
    memcpy(data, m->bytes + (addr - MEMORY_BASE), bytes);
    if (l && !storelog_empty(l))
        storelog_overlay(l, addr, data, bytes);
}

void memory_store(struct memory *m, struct storelog *l, cycle now, uint64_t addr, const void *data, uint32_t bytes)
{
    (void)m;
    storelog_put(l, now, addr, data, bytes);
}

bool memory_commit(struct memory *m, struct storelog *const *logs, size_t nlog, uint32_t shard, uint32_t nshard)
{
    must(nshard <= NSHARD && shard < nshard);
    if (!m->table[shard])
        m->table[shard] = merge_table_new();
    return storelog_merge(m->table[shard], logs, nlog, shard, nshard, m->bytes);
}
