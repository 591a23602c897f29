/* The inside of a store log: bytes by 32-byte sector, each with the time of its last write. Private to sim/. */
#ifndef HEDDLE_SIM_STORELOG_H
#define HEDDLE_SIM_STORELOG_H

#include "sim/memory.h"

void storelog_put(struct storelog *l, cycle now, uint64_t addr, const void *data, uint32_t bytes);
/* Lays the log's bytes of [addr, addr+bytes) over data. */
void storelog_overlay(const struct storelog *l, uint64_t addr, void *data, uint32_t bytes);

struct merge_table; /* sectors seen in this merge; one per shard */
struct merge_table *merge_table_new(void);
void merge_table_free(struct merge_table *t);
/* base: host address of MEMORY_BASE. */
bool storelog_merge(struct merge_table *t, struct storelog *const *logs, size_t nlog, uint32_t shard, uint32_t nshard, uint8_t *base);

#endif
