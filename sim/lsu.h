/* The memory side of an SM: per-sub-core memory queues, address generation, the shared LSU stage, coalescer,
 * shared memory, L1, constant caches, fences. sm.c issues into it and drains its completions; it knows no warps
 * beyond their slot number, and no scheduler.
 *
 * Values: a load's bytes are taken, and a store's put, when the access passes the L1 or shared-memory stage, in the
 * order of the LSU pipeline; a load of a sector with an unanswered atomic or strong access of this SM waits for it. */
#ifndef HEDDLE_SIM_LSU_H
#define HEDDLE_SIM_LSU_H

#include "sim/cluster.h"
#include "sim/gpcclock.h"
#include "sim/memory.h"
#include "sim/message.h"
#include "sim/sim.h"

struct lsu_fault {
    bool set;
    cycle time;
    uint32_t warp;            /* slot */
    const struct inst *inst;
    uint32_t lane;
    uint64_t addr;
    uint8_t space, bytes;
    bool misaligned;
    const char *why;          /* not NULL: no address fault, this is what is wrong */
};
enum completion_kind {
    COMPLETE_SOURCES,         /* source registers are free: lower rd_sb */
    COMPLETE_RESULT,          /* apply the effect (isa_complete), lower wr_sb, result ready */
    COMPLETE_BARRIER,         /* a BAR reached the barrier unit, in order after the warp's earlier accesses */
    COMPLETE_FENCE,           /* a fence is satisfied */
    COMPLETE_GROUP,           /* an asynchronous-copy group is done: lower its wr_sb */
};
struct completion {
    cycle time;
    uint8_t kind;
    uint8_t warp;             /* slot */
    uint32_t effect;          /* index in the effect pool */
};
struct lsu;

/* log, mem: values. out: messages to L2 (dest filled in from the address). */
/* Is the value of a load or store by this instruction taken or made at L2, past L1? */
bool lsu_strong(const struct inst *in);
struct lsu *lsu_new(const struct config *c, uint32_t smid, struct memory *mem, struct storelog *log, struct msgbox *out, struct sm_counters *counters);
void lsu_free(struct lsu *l);
/* Before a kernel's blocks start: shared-memory size in use decides the L1's share of the array. npc: instructions. */
void lsu_configure(struct lsu *l, uint32_t shared_carveout_bytes, struct pc_counters *pcs);
/* A warp's counters by instruction, from its start on: those of its kernel when several are resident. */
void lsu_warp_pcs(struct lsu *l, uint32_t warp, struct pc_counters *pcs);
/* Where the warp's block is in its cluster. */
void lsu_warp_block(struct lsu *l, uint32_t warp, const struct cluster_map *map, uint32_t launch, uint64_t block);
/* A request of another SM for shared memory of a block here; shared NULL: the block is not there. */
void lsu_serve(struct lsu *l, const struct message *m, struct payload *p, uint8_t *shared, uint32_t shared_bytes);
/* The first block of a launch of so many has come to this SM: its constants are on their way (launch.constants_cycles). */
void lsu_new_launch(struct lsu *l, uint64_t nblock, cycle now);
void lsu_invalidate_l1(struct lsu *l);
/* Address of byte 0 of a block's shared memory in the code's eyes; from the start arch_info(config.isa)->shared_base. */
void lsu_shared_base(struct lsu *l, uint32_t base);
struct races;
void lsu_watch_races(struct lsu *l, struct races *races); /* looks for races in shared memory; the caller keeps it */
/* The sub-core's memory queue has room for one more (else: mio_throttle, or lg_throttle if the head is global). */
bool lsu_can_issue(const struct lsu *l, uint32_t subcore, const struct inst *in, cycle now);
bool lsu_head_is_global(const struct lsu *l, uint32_t subcore);
/* Takes a copy of the effect. Instructions of the LSU unit without a memory effect (S2R, SHFL, MATCH, BAR..) come
 * this way too, with kind EFF_VARIABLE or their own and their latency from the config. shared / local: the warp's
 * memory, for values. pc: instruction index. */
void lsu_issue(struct lsu *l, cycle now, uint32_t subcore, uint32_t warp, uint32_t pc, const struct effect *e,
               uint8_t *shared, uint32_t shared_bytes, uint8_t *local, uint32_t local_bytes);
/* Constant caches: cycle at which the operand c[bank][offset] of a fixed-latency instruction can be used; and LDC's. */
cycle lsu_constant(struct lsu *l, cycle now, uint32_t subcore, uint32_t bank, uint32_t offset);
cycle lsu_constant_indexed(struct lsu *l, cycle now, uint32_t subcore, const struct effect *e);
/* One cycle, to be called before the sub-cores issue: a place in a queue that is freed now can be used now. Then
 * completions due by now can be popped: of every instruction SOURCES and later one other, its last. True if anything
 * moved. */
bool lsu_step(struct lsu *l, cycle now);
bool lsu_pop(struct lsu *l, cycle now, struct completion *out);
struct effect *lsu_effect(struct lsu *l, uint32_t effect);
/* The copies that an ARRIVES.LDGSTSBAR waited for are done: its lanes arrive. */
void lsu_copies_arrive(struct lsu *l, cycle now, uint32_t effect);
/* A bulk copy has ended: its bytes count at its mbarrier. */
void lsu_bulk_done(struct lsu *l, cycle now, uint32_t effect);
bool lsu_only_waits(const struct lsu *l); /* nothing is under way but tests that wait for a phase */
void lsu_effect_free(struct lsu *l, uint32_t effect); /* after the last completion that names it */
/* A message for this SM has arrived (answers). */
void lsu_receive(struct lsu *l, const struct message *m);
/* Into the host's caches (hostcache.h): what the warp's next instruction will touch, if it is for the LSU; and in
 * ANSWER_STEPS steps, each by what the one before has brought, what the answer with this tag will change. The last step
 * returns the warp that waits, as a mask. */
enum { ANSWER_STEPS = 5 };
void lsu_ask_issue(const struct lsu *l, uint32_t warp);
uint64_t lsu_ask_answer(const struct lsu *l, uint32_t tag, uint32_t step);
cycle lsu_next_event(const struct lsu *l, cycle now); /* UINT64_MAX: nothing will happen by itself */
uint64_t lsu_busy_warps(const struct lsu *l); /* those with an access, a store or a group outstanding */
uint64_t lsu_active_warps(const struct lsu *l);  /* those with an instruction that has not ended: not their stores on the way to L2 */
uint64_t lsu_writing_warps(const struct lsu *l); /* those with a store on the way */
static inline bool lsu_warp_idle(const struct lsu *l, uint32_t warp) { return !(lsu_busy_warps(l) >> warp & 1); }
bool lsu_idle(const struct lsu *l);
struct lsu_fault lsu_fault(const struct lsu *l);
struct payload_head *lsu_payload(struct lsu *l, uint32_t index); /* for the memory partition: payloads of this SM's requests */
/* Records of accesses for observers: empties them and says whether the next ones are kept; valid until then. */
void lsu_record(struct lsu *l, bool on, const struct gpc_clock *clock); /* records have the time of all */
const struct access_record *lsu_records(const struct lsu *l, size_t *n);
/* What holds a warp inside the memory system, for warp_why: text for people. */
void lsu_describe(const struct lsu *l, uint32_t warp, char *out, size_t cap);

/* Livelock detection: whether values in shared memory change from now on. */
void lsu_watch(struct lsu *l, bool on);
bool lsu_watch_changed(const struct lsu *l);

#endif
