/* Device memory: allocations and values. One flat 64-bit space.
 *
 * Values follow DESIGN section 4: a weak store is visible to its own SM at once (that SM's store log lies over
 * the committed bytes) and to the others after the next commit, at a multiple of L cycles, where all logs are merged
 * in (time, source, sequence) order. Atomics and strong accesses write the log of their memory partition. */
#ifndef HEDDLE_SIM_MEMORY_H
#define HEDDLE_SIM_MEMORY_H

#include "sim/sim.h"

/* The address space, as CUDA's driver lays it out in spirit: one region of device memory, and windows through which
 * generic addresses reach shared and local memory. Local memory has no allocation; the caches see lane l of warp
 * slot w of SM s at addresses from LOCAL_BACKING on. Windows are 16 MiB (times the cluster rank for shared). */
#define MEMORY_BASE UINT64_C(0x7f0000000000)
#define SHARED_WINDOW UINT64_C(0x7e0000000000)
#define LOCAL_WINDOW UINT64_C(0x7d0000000000)
#define LOCAL_BACKING UINT64_C(0x7c0000000000)

struct memory;
struct storelog; /* one per SM and memory partition */

struct memory *memory_new(const struct config *c);
void memory_free(struct memory *m);
/* For the state of the parts that work on this memory: it is gone with it. */
struct arena *memory_arena(const struct memory *m);
/* The same for what many kernels never touch: apart, so that its large pages then stay untouched. */
struct arena *memory_arena_rare(const struct memory *m);
bool memory_alloc(struct memory *m, const char *name, uint64_t bytes, uint64_t align, uint64_t *addr, struct error *err);
/* Host access between launches: no log. */
bool memory_write(struct memory *m, uint64_t addr, const void *data, uint64_t bytes, struct error *err);
bool memory_read(const struct memory *m, uint64_t addr, void *data, uint64_t bytes, struct error *err);
/* True if [addr, addr+bytes) may be accessed under the config's check mode. */
bool memory_valid(const struct memory *m, uint64_t addr, uint32_t bytes);
/* "16 bytes past the end of buffer x (0x.. .. 0x..)": the nearest allocation, for a fault message. */
void memory_describe(const struct memory *m, uint64_t addr, char *out, size_t cap);
uint64_t memory_host_bytes(const struct memory *m);

struct storelog *storelog_new(uint32_t source);
void storelog_free(struct storelog *l);
/* Store and load of one lane, addresses already checked; log NULL in reads: committed bytes only. Stores do not
 * change m: the bytes wait in the log. `now` must not decrease between calls on one log. */
void memory_store(struct memory *m, struct storelog *l, cycle now, uint64_t addr, const void *data, uint32_t bytes);
void memory_load(const struct memory *m, const struct storelog *l, uint64_t addr, void *data, uint32_t bytes);
/* Merges all logs into the committed bytes and empties them. shard of nshard handles its part of the addresses, so
 * host threads can share the work: every log is read by all shards; call storelog_clear afterwards. Logs stand in
 * the order of their sources. True if a byte got another value than it had. */
enum { NSHARD = 64 };
bool memory_commit(struct memory *m, struct storelog *const *logs, size_t nlog, uint32_t shard, uint32_t nshard);
bool storelog_empty(const struct storelog *l);
size_t storelog_sectors(const struct storelog *l);
void storelog_clear(struct storelog *l);

#endif
