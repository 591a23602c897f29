/* Races in shared memory: a thread reads what another has written, and nothing has ordered the two.
 *
 * Each word remembers which lane wrote it last and when that was issued. What orders: a barrier, a fence, an atomic or
 * an mbarrier operation for a block; for the lanes of a warp also instructions that gather them (WARPSYNC, SHFL, VOTE..
 * and NOP, to which the compiler turns a __syncwarp of lanes that are together). More than what CUDA promises, so that
 * a warning is a race; not every race is seen: only reads after writes of whole words, by ordinary accesses. */
#include "sim/races.h"

#include <stdlib.h>

enum { NWARP = 64, LANE_BITS = 6, WARP_BITS = 6, TIME_SHIFT = LANE_BITS + WARP_BITS };

struct races {
    const uint8_t *memory;
    uint32_t words;
    uint64_t *writer;  /* of each word: cycle of issue, warp, lane; 0: nobody */
    cycle *last_store; /* of the block whose memory begins in a kilobyte */
    cycle block_met[NWARP], warp_met[NWARP];
};

struct races *races_new(const uint8_t *memory, uint32_t bytes)
{
    struct races *r = xcalloc(1, sizeof *r);
    r->memory = memory;
    r->words = bytes / 4;
    r->writer = xcalloc(r->words + 1, sizeof *r->writer);
    r->last_store = xcalloc(bytes / 1024 + 1, sizeof *r->last_store);
    return r;
}

void races_free(struct races *r)
{
    if (r) {
        free(r->writer);
        free(r->last_store);
    }
    free(r);
}

void races_block_met(struct races *r, uint64_t warps, cycle now)
{
    for (uint64_t m = warps; m; m &= m - 1)
        r->block_met[__builtin_ctzll(m)] = now;
}

void races_warp_met(struct races *r, uint32_t warp, cycle now)
{
    r->warp_met[warp] = now;
}

/* The mark of the word at address 0 of the block's; false: its shared memory lies elsewhere. */
static bool first_word(const struct races *r, struct race_access a, uint32_t *word)
{
    if (a.block < r->memory || a.block >= r->memory + (size_t)r->words * 4)
        return false;
    *word = (uint32_t)(a.block - r->memory) / 4 - a.base / 4;
    return true;
}

static cycle *last_store(const struct races *r, struct race_access a)
{
    return &r->last_store[(size_t)(a.block - r->memory) / 1024];
}

void races_store(struct races *r, struct race_access a, const struct effect *e, lanemask lanes)
{
    uint32_t first;
    if (!first_word(r, a, &first))
        return;
    cycle *last = last_store(r, a);
    if (*last < a.issued)
        *last = a.issued;
    uint64_t mark = a.issued << TIME_SHIFT | (uint64_t)a.warp << LANE_BITS;
    if (a.run && e->bytes == 4) {
        uint64_t *w = &r->writer[first + (uint32_t)e->addr[0] / 4];
        uint32_t n = (uint32_t)__builtin_popcountll(lanes);
        for (uint32_t lane = 0; lane < n; lane++)
            w[lane] = mark | lane;
        return;
    }
    for (lanemask m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        uint64_t *w = &r->writer[first + (uint32_t)e->addr[lane] / 4];
        if (e->bytes < 4)
            *w = 0;
        for (uint32_t k = 0; k < e->bytes / 4; k++)
            w[k] = mark | lane;
    }
}

uint32_t races_load(const struct races *r, struct race_access a, const struct effect *e, lanemask lanes)
{
    uint32_t first, n = 0;
    if (!first_word(r, a, &first))
        return 0;
    /* Stores that were issued later than `other` by another warp, or than `own` by another lane of this one, race. */
    cycle other = r->block_met[a.warp], own = r->warp_met[a.warp] > other ? r->warp_met[a.warp] : other;
    if (*last_store(r, a) <= other)
        return 0; /* the usual case: store, barrier, loads */
    for (lanemask m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        uint64_t me = (uint64_t)a.warp << LANE_BITS | lane;
        const uint64_t *w = &r->writer[first + (uint32_t)e->addr[lane] / 4];
        bool race = false;
        for (uint32_t k = 0; k < (e->bytes + 3u) / 4; k++) {
            uint64_t who = w[k] & ((1u << TIME_SHIFT) - 1);
            race |= who != me && w[k] >> TIME_SHIFT > (who >> LANE_BITS == a.warp ? own : other);
        }
        n += race;
    }
    return n;
}
