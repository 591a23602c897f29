/* Store logs. A log keeps one entry for each sector written since the last commit: the bytes, which of them were
 * written, and when each was written last. Within a log a later store replaces an earlier one; between logs the
 * merge lets the byte with the greatest (time, source) win, which is the order of all stores. Times are kept in
 * 16 bits: all stores of a log lie within one commit interval, which is far shorter than 32768 cycles. */
#include "sim/storelog.h"
#include "sim/hostcache.h"

#include <stdlib.h>
#include <string.h>

enum { SECTOR = 32, FIRST_SLOTS = 1024, ASKED_AHEAD = 8 };
#define ONE_TIME UINT32_MAX
struct entry {
    uint32_t mask;
    uint32_t times; /* index of the bytes' own times; ONE_TIME: all were written at `when`, as nearly always */
    uint16_t when;
    uint8_t data[SECTOR];
};
struct byte_times {
    uint16_t when[SECTOR];
};
struct slot { /* generation: entries of earlier commits are void without clearing the table */
    uint32_t gen, index;
};
struct storelog {
    uint32_t source;
    uint32_t gen;
    uint32_t nslot; /* power of two, at least twice the entries */
    struct slot *slots;
    uint64_t *sector; /* addr / 32 of each entry */
    struct entry *entries;
    size_t n, cap;
    struct byte_times *times;
    size_t ntimes, times_cap;
    uint64_t last_sector; /* of the latest store: lanes come in address order */
    uint32_t last;
};

/* Four sectors that follow one another lie side by side in a table: mostly they are written together. */
static uint64_t hash_sector(uint64_t s)
{
    uint64_t h = (s >> 2) * UINT64_C(0x9e3779b97f4a7c15);
    return ((h ^ h >> 29) & ~UINT64_C(3)) | (s & 3);
}

struct storelog *storelog_new(uint32_t source)
{
    struct storelog *l = xcalloc(1, sizeof *l);
    l->source = source;
    l->gen = 1;
    l->nslot = FIRST_SLOTS;
    l->slots = xcalloc(l->nslot, sizeof *l->slots);
    l->last_sector = UINT64_MAX;
    return l;
}

void storelog_free(struct storelog *l)
{
    if (!l)
        return;
    free(l->slots);
    free(l->sector);
    free(l->entries);
    free(l->times);
    free(l);
}

bool storelog_empty(const struct storelog *l)
{
    return l->n == 0;
}

size_t storelog_sectors(const struct storelog *l)
{
    return l->n;
}

void storelog_clear(struct storelog *l)
{
    l->n = l->ntimes = 0;
    l->last_sector = UINT64_MAX;
    if (++l->gen == 0) {
        memset(l->slots, 0, l->nslot * sizeof *l->slots);
        l->gen = 1;
    }
}

static struct slot *find_slot(const struct storelog *l, uint64_t sector)
{
    uint64_t i = hash_sector(sector) & (l->nslot - 1);
    while (l->slots[i].gen == l->gen && l->sector[l->slots[i].index] != sector)
        i = (i + 1) & (l->nslot - 1);
    return &l->slots[i];
}

static void enlarge(struct storelog *l)
{
    free(l->slots);
    l->nslot *= 2;
    l->slots = xcalloc(l->nslot, sizeof *l->slots);
    for (size_t i = 0; i < l->n; i++)
        *find_slot(l, l->sector[i]) = (struct slot){l->gen, (uint32_t)i};
}

static struct entry *entry_of(struct storelog *l, uint64_t sector)
{
    if (l->last_sector == sector)
        return &l->entries[l->last];
    struct slot *s = find_slot(l, sector);
    if (s->gen != l->gen) {
        if (l->n == l->cap) {
            l->cap = l->cap ? 2 * l->cap : 64;
            l->sector = xrealloc(l->sector, l->cap, sizeof *l->sector);
            l->entries = xrealloc(l->entries, l->cap, sizeof *l->entries);
        }
        *s = (struct slot){l->gen, (uint32_t)l->n};
        l->sector[l->n] = sector;
        l->entries[l->n].mask = 0;
        l->entries[l->n].times = ONE_TIME;
        l->last = (uint32_t)l->n++;
        if (2 * l->n > l->nslot)
            enlarge(l);
    } else {
        l->last = s->index;
    }
    l->last_sector = sector;
    return &l->entries[l->last];
}

static uint16_t time_of(const struct storelog *l, const struct entry *e, uint32_t i)
{
    return e->times == ONE_TIME ? e->when : l->times[e->times].when[i];
}

/* Bytes [at, at + n) are written now. */
static void note_times(struct storelog *l, struct entry *e, uint32_t at, uint32_t n, uint16_t now)
{
    if (!e->mask)
        e->when = now;
    if (e->times == ONE_TIME && e->when == now)
        return;
    if (e->times == ONE_TIME) {
        l->times = grow(l->times, l->ntimes, &l->times_cap, sizeof *l->times);
        e->times = (uint32_t)l->ntimes++;
        for (uint32_t i = 0; i < SECTOR; i++)
            l->times[e->times].when[i] = e->when;
    }
    for (uint32_t i = 0; i < n; i++)
        l->times[e->times].when[at + i] = now;
}

void storelog_put(struct storelog *l, cycle now, uint64_t addr, const void *data, uint32_t bytes)
{
    const uint8_t *from = data;
    while (bytes) {
        uint32_t at = addr % SECTOR, n = SECTOR - at < bytes ? SECTOR - at : bytes;
        struct entry *e = entry_of(l, addr / SECTOR);
        note_times(l, e, at, n, (uint16_t)now);
        e->mask |= (uint32_t)((UINT64_C(1) << n) - 1) << at;
        memcpy(e->data + at, from, n);
        addr += n;
        from += n;
        bytes -= n;
    }
}

void storelog_overlay(const struct storelog *l, uint64_t addr, void *data, uint32_t bytes)
{
    uint8_t *to = data;
    while (bytes) {
        uint32_t at = addr % SECTOR, n = SECTOR - at < bytes ? SECTOR - at : bytes;
        const struct slot *s = find_slot(l, addr / SECTOR);
        if (s->gen == l->gen) {
            const struct entry *e = &l->entries[s->index];
            for (uint32_t i = 0; i < n; i++)
                if (e->mask >> (at + i) & 1)
                    to[i] = e->data[at + i];
        }
        addr += n;
        to += n;
        bytes -= n;
    }
}

/* ---- merge ---------------------------------------------------------------------------------- */
struct merge_slot {
    uint64_t sector;
    uint32_t gen;
    uint32_t log, entry; /* the first to write the sector */
    uint32_t contest;    /* index, ONE_LOG: no other has */
};
#define ONE_LOG UINT32_MAX
struct contest { /* a sector that several logs wrote: the winners so far */
    uint32_t mask;
    struct byte_times times;
};
struct merge_table {
    uint32_t gen, nslot;
    struct merge_slot *slots;
    struct contest *contests;
    size_t ncontest, contest_cap;
    struct storelog *const *logs;
};

struct merge_table *merge_table_new(void)
{
    struct merge_table *t = xcalloc(1, sizeof *t);
    t->nslot = FIRST_SLOTS;
    t->slots = xcalloc(t->nslot, sizeof *t->slots);
    return t;
}

void merge_table_free(struct merge_table *t)
{
    if (!t)
        return;
    free(t->slots);
    free(t->contests);
    free(t);
}

static struct merge_slot *merge_find(const struct merge_table *t, uint64_t sector)
{
    uint64_t i = hash_sector(sector) & (t->nslot - 1);
    while (t->slots[i].gen == t->gen && t->slots[i].sector != sector)
        i = (i + 1) & (t->nslot - 1);
    return &t->slots[i];
}

static void merge_begin(struct merge_table *t, size_t entries)
{
    t->ncontest = 0;
    if (2 * entries > t->nslot) {
        while (2 * entries > t->nslot)
            t->nslot *= 2;
        free(t->slots);
        t->slots = xcalloc(t->nslot, sizeof *t->slots);
        t->gen = 0;
    }
    if (++t->gen == 0) {
        memset(t->slots, 0, t->nslot * sizeof *t->slots);
        t->gen = 1;
    }
}

static bool apply_whole(const struct entry *e, uint8_t *to)
{
    if (e->mask == UINT32_MAX) {
        bool changed = memcmp(to, e->data, SECTOR) != 0;
        memcpy(to, e->data, SECTOR);
        return changed;
    }
    bool changed = false;
    for (uint32_t i = 0; i < SECTOR; i++)
        if (e->mask >> i & 1) {
            changed |= to[i] != e->data[i];
            to[i] = e->data[i];
        }
    return changed;
}

static struct contest *contest_of(struct merge_table *t, struct merge_slot *s)
{
    if (s->contest != ONE_LOG)
        return &t->contests[s->contest];
    const struct storelog *l = t->logs[s->log];
    const struct entry *first = &l->entries[s->entry];
    t->contests = grow(t->contests, t->ncontest, &t->contest_cap, sizeof *t->contests);
    struct contest *c = &t->contests[s->contest = (uint32_t)t->ncontest++];
    c->mask = first->mask;
    for (uint32_t i = 0; i < SECTOR; i++)
        c->times.when[i] = time_of(l, first, i);
    return c;
}

/* Another log has written the sector before: byte by byte, later wins, equal times go to the greater source. */
static bool apply_over(const struct storelog *l, const struct entry *e, struct contest *c, uint8_t *to)
{
    bool changed = false;
    for (uint32_t i = 0; i < SECTOR; i++) {
        bool had = c->mask >> i & 1;
        uint16_t when = time_of(l, e, i);
        if (!(e->mask >> i & 1) || (had && (int16_t)(when - c->times.when[i]) < 0))
            continue;
        changed |= to[i] != e->data[i];
        to[i] = e->data[i];
        c->times.when[i] = when;
        c->mask |= UINT32_C(1) << i;
    }
    return changed;
}

static uint8_t *host_of(uint8_t *base, uint64_t sector)
{
    return base + (sector * SECTOR - MEMORY_BASE);
}

static bool merge_one(struct merge_table *t, uint32_t log, uint32_t entry, uint8_t *base)
{
    const struct storelog *l = t->logs[log];
    const struct entry *e = &l->entries[entry];
    uint64_t sector = l->sector[entry];
    struct merge_slot *s = merge_find(t, sector);
    if (s->gen == t->gen)
        return apply_over(l, e, contest_of(t, s), host_of(base, sector));
    *s = (struct merge_slot){sector, t->gen, log, entry, ONE_LOG};
    return apply_whole(e, host_of(base, sector));
}

bool storelog_merge(struct merge_table *t, struct storelog *const *logs, size_t nlog, uint32_t shard, uint32_t nshard,
                    uint8_t *base)
{
    size_t entries = 0;
    for (size_t i = 0; i < nlog; i++)
        entries += logs[i]->n;
    if (!entries)
        return false;
    merge_begin(t, entries);
    t->logs = logs;
    bool changed = false;
    for (size_t i = 0; i < nlog; i++) {
        struct storelog *l = logs[i];
        must(i == 0 || logs[i - 1]->source < l->source);
        for (size_t k = 0; k < l->n; k++) {
            if (k + ASKED_AHEAD < l->n)
                host_ask(host_of(base, l->sector[k + ASKED_AHEAD]), SECTOR);
            if (nshard == 1 || (hash_sector(l->sector[k]) >> 40) % nshard == shard)
                changed |= merge_one(t, (uint32_t)i, (uint32_t)k, base);
        }
    }
    return changed;
}
