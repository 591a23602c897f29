/* One L2 slice's tags: sectored lines, least recently used, write-back with byte masks. It knows no time and no
 * messages; mempart.c decides when. A line is named by its line number, address / line bytes. */
#ifndef HEDDLE_SIM_L2_H
#define HEDDLE_SIM_L2_H

#include "sim/hostcache.h"
#include "sim/sim.h"

enum { L2_NONE = 0xffffffffu, L2_SECTORS = 16 };
struct l2_line {
    uint32_t number_low; /* l2_number */
    uint16_t number_high : 15;
    uint16_t in_fifo : 1; /* queued for the dirty policy */
    uint16_t pending;    /* sectors under way from DRAM or from the home slice */
    uint32_t waiters;    /* first request that waits for a sector, L2_NONE */
    uint16_t valid;      /* sectors all of whose bytes are here */
    uint16_t dirty;      /* sectors with bytes that DRAM does not have; not valid: only those of `written` */
};
/* What a search in a set reads lies together, in one line of the host's caches up to 21 ways: a mark of each way's line
 * number, and the ways in the order of their use. Only lines whose mark is the wanted one, and the one to be replaced, are
 * looked at themselves. */
struct l2 {
    uint32_t sets, ways, nsector;
    uint8_t *search;             /* [set][search_bytes]: a mark (uint16_t) of each way, then the ways, last used first */
    size_t search_bytes;
    struct l2_line *lines;       /* [set][way] */
    uint32_t (*written)[L2_SECTORS]; /* per line and sector: bytes written while it was not valid */
    uint64_t dirty_sectors;
    bool partly;                 /* some `written` is not zero */
    uint32_t ndirty, dirty_most; /* lines with a dirty sector; the policy's bound */
    uint32_t noutstanding;       /* sectors under way */
    uint32_t *fifo, fifo_head, fifo_n; /* lines in the order in which they became dirty */
};
struct l2_victim { /* what an allocation pushed out */
    uint64_t number;
    uint16_t dirty, partial; /* sectors to write back; of these, those that must be completed from DRAM first */
};

void l2_init(struct l2 *s, const struct config *c, struct arena *a, struct arena *rare); /* rare: see memory_arena_rare */
static inline uint64_t l2_number(const struct l2_line *l)
{
    return (uint64_t)l->number_high << 32 | l->number_low;
}
/* A search in this set comes soon. */
static inline void l2_ask(const struct l2 *s, uint32_t set)
{
    host_ask(s->search + set * s->search_bytes, s->search_bytes);
}
/* Index of the line, or L2_NONE. Does not count as a use. */
uint32_t l2_find(const struct l2 *s, uint32_t set, uint64_t number);
void l2_touch(struct l2 *s, uint32_t set, uint32_t line);
/* The line that an allocation in this set would take, or L2_NONE if every way waits for data. */
uint32_t l2_choose(const struct l2 *s, uint32_t set);
/* Takes line `line` of the set for number; what was dirty in it is told in *v. */
void l2_replace(struct l2 *s, uint32_t set, uint32_t line, uint64_t number, struct l2_victim *v);
/* Writes the bytes of a sector; returns true if the sector was clean. */
bool l2_write(struct l2 *s, uint32_t line, uint32_t sector, uint32_t bytes);
/* Data of sectors arrived. */
void l2_fill(struct l2 *s, uint32_t line, uint16_t sectors);
/* The oldest dirty line beyond the policy's bound, made clean; false if there is none. */
bool l2_clean_one(struct l2 *s, uint32_t *line, struct l2_victim *v);
bool l2_over_bound(const struct l2 *s);
uint64_t l2_dirty_sectors(const struct l2 *s);
void l2_invalidate(struct l2 *s);
void l2_fill_clean(struct l2 *s);

#endif
