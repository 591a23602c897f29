#include "sim/l1.h"
#include "sim/hostcache.h"

#include <string.h>

/* Both halves of a product, so that runs of lines spread as if by chance: one multiplication alone deals neighbours out
 * more evenly than hardware does. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 32;
}

static uint32_t bucket_of(const struct l1 *c, uint64_t line)
{
    return (uint32_t)mix(line / c->line_bytes) & (c->nbucket - 1);
}

/* The measured capacity curve (flat to 192 KB, then a slope, not a step) is that of sets chosen by a hash. */
static uint32_t set_of(const struct l1 *c, uint64_t line)
{
    uint64_t n = line / c->line_bytes;
    return (uint32_t)((c->hashed ? mix(n) >> 17 : n) % c->nset);
}

void l1_init(struct l1 *c, const struct config *cfg, struct arena *a)
{
    memset(c, 0, sizeof *c);
    uint32_t lines = cfg->unified_bytes / cfg->l1_line_bytes;
    c->line_bytes = cfg->l1_line_bytes;
    c->hashed = cfg->l1_hashed;
    c->ways_max = cfg->l1_ways < lines ? cfg->l1_ways : lines;
    c->nset = lines / c->ways_max;
    must((uint64_t)c->nset * c->ways_max < UINT16_MAX);
    c->nodes = arena_zalloc(a, (size_t)c->nset * c->ways_max, sizeof *c->nodes);
    c->sets = arena_zalloc(a, c->nset, sizeof *c->sets);
    for (c->nbucket = 16; c->nbucket < 2 * lines; c->nbucket *= 2)
        ;
    c->bucket = arena_zalloc(a, c->nbucket, sizeof *c->bucket);
}

void l1_resize(struct l1 *c, const struct config *cfg, uint32_t bytes)
{
    uint32_t usable = bytes > cfg->l1_reserved_bytes ? bytes - cfg->l1_reserved_bytes : 0;
    uint32_t ways = usable / c->line_bytes / c->nset;
    c->ways = ways < c->ways_max ? ways : c->ways_max;
    c->resident = 1; /* so that drop_all clears */
    l1_drop_all(c);
}

void l1_drop_all(struct l1 *c)
{
    if (!c->resident)
        return;
    memset(c->bucket, 0, c->nbucket * sizeof *c->bucket);
    memset(c->sets, 0, c->nset * sizeof *c->sets);
    c->resident = 0;
}

/* ---- recency lists --------------------------------------------------------------------------- */
static void unlink_node(struct l1 *c, struct l1_set *s, uint32_t id)
{
    struct l1_node *n = &c->nodes[id - 1];
    if (n->newer)
        c->nodes[n->newer - 1].older = n->older;
    else
        s->newest = n->older;
    if (n->older)
        c->nodes[n->older - 1].newer = n->newer;
    else
        s->oldest = n->newer;
}

static void link_newest(struct l1 *c, struct l1_set *s, uint32_t id)
{
    struct l1_node *n = &c->nodes[id - 1];
    n->newer = 0;
    n->older = s->newest;
    if (s->newest)
        c->nodes[s->newest - 1].newer = (uint16_t)id;
    s->newest = (uint16_t)id;
    if (!s->oldest)
        s->oldest = (uint16_t)id;
}

static void link_oldest(struct l1 *c, struct l1_set *s, uint32_t id)
{
    struct l1_node *n = &c->nodes[id - 1];
    n->older = 0;
    n->newer = s->oldest;
    if (s->oldest)
        c->nodes[s->oldest - 1].older = (uint16_t)id;
    s->oldest = (uint16_t)id;
    if (!s->newest)
        s->newest = (uint16_t)id;
}

void l1_ask(const struct l1 *c, uint64_t line)
{
    host_ask(&c->bucket[bucket_of(c, line)], sizeof *c->bucket);
    host_ask(&c->sets[set_of(c, line)], sizeof *c->sets);
}

static uint32_t find(const struct l1 *c, uint64_t line)
{
    uint32_t id = c->bucket[bucket_of(c, line)];
    while (id && c->nodes[id - 1].line != line)
        id = c->nodes[id - 1].chain;
    return id;
}

static void unchain(struct l1 *c, uint32_t id)
{
    uint16_t *p = &c->bucket[bucket_of(c, c->nodes[id - 1].line)];
    while (*p != id)
        p = &c->nodes[*p - 1].chain;
    *p = c->nodes[id - 1].chain;
}

/* ---- the cache ------------------------------------------------------------------------------- */
uint8_t l1_lookup(struct l1 *c, uint64_t line)
{
    uint32_t id = find(c, line);
    if (!id)
        return 0;
    struct l1_set *s = &c->sets[(id - 1) / c->ways_max];
    if (s->newest != id) {
        unlink_node(c, s, id);
        link_newest(c, s, id);
    }
    return c->nodes[id - 1].valid;
}

/* A node of the set: a free one, or the oldest, whose line leaves. */
static uint32_t take_node(struct l1 *c, uint32_t set)
{
    struct l1_set *s = &c->sets[set];
    if (s->free) {
        uint32_t id = s->free;
        s->free = c->nodes[id - 1].chain;
        return id;
    }
    if (s->used < c->ways)
        return set * c->ways_max + ++s->used;
    uint32_t id = s->oldest;
    unchain(c, id);
    unlink_node(c, s, id);
    c->resident--;
    return id;
}

void l1_fill(struct l1 *c, uint64_t line, uint8_t sectors, enum l1_insert where)
{
    if (!c->ways)
        return;
    uint32_t id = find(c, line);
    if (!id) {
        uint32_t set = set_of(c, line);
        id = take_node(c, set);
        struct l1_node *n = &c->nodes[id - 1];
        uint16_t *b = &c->bucket[bucket_of(c, line)];
        *n = (struct l1_node){.line = line, .chain = *b};
        *b = (uint16_t)id;
        c->resident++;
        if (where == L1_NEWEST)
            link_newest(c, &c->sets[set], id);
        else
            link_oldest(c, &c->sets[set], id);
    }
    c->nodes[id - 1].valid |= sectors;
}

void l1_drop(struct l1 *c, uint64_t line, uint8_t sectors)
{
    uint32_t id = find(c, line);
    if (!id)
        return;
    struct l1_node *n = &c->nodes[id - 1];
    n->valid &= (uint8_t)~sectors;
    if (n->valid)
        return;
    struct l1_set *s = &c->sets[(id - 1) / c->ways_max];
    unchain(c, id);
    unlink_node(c, s, id);
    n->chain = s->free;
    s->free = (uint16_t)id;
    c->resident--;
}
