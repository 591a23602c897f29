/* Inside of the memory side of an SM; private to sim/lsu*.c.
 *
 *   lsu.c         queues, the stage shared by the sub-cores, completions: the pipeline
 *   lsu_global.c  global and local accesses at the L1: coalescing, tags, misses, messages out
 *   lsu_answer.c  messages in
 *   lsu_shared.c  shared memory
 *   lsu_values.c  checks, and the bytes themselves
 *   lsu_order.c   fences, groups of asynchronous copies, cache control
 *   lsu_sync.c    mbarriers
 *   lsu_remote.c  shared memory of other blocks of the cluster
 *   lsu_view.c    what observers and people see
 *   tma*.c        the copy engine */
#ifndef HEDDLE_SIM_LSU_PARTS_H
#define HEDDLE_SIM_LSU_PARTS_H

#include "sim/coalesce.h"
#include "sim/constant.h"
#include "sim/gather.h"
#include "sim/l1.h"
#include "sim/lsu.h"
#include "sim/shared.h"
#include "sim/soon.h"

enum { NSUBCORE = 8, NWARP = 64, QUEUE_MAX = 64, GROUPS = 64 };
enum { OP_NONE = 0xffffffffu };
#define NEVER UINT64_MAX

enum op_class { CLASS_GLOBAL, CLASS_SHARED, CLASS_SHUFFLE, CLASS_SPECIAL, CLASS_BARRIER, CLASS_FENCE, CLASS_CACHE, CLASS_GROUP, CLASS_SYNC, CLASS_BULK };

/* What most accesses look like, found once: the rest then need not look at single lanes. */
enum shape { SHAPE_ANY, SHAPE_RUN, SHAPE_ONE }; /* all lanes one after another; all lanes of the mask one address */

/* One instruction, from issue to its final completion: a line of the host's caches. Its effect has the same index. */
struct lsu_op {
    _Alignas(64) cycle issue;             /* when it was issued */
    cycle ready;             /* its address is generated: it leaves the queue and may enter the shared stage */
    cycle result;            /* earliest write-back known so far */
    uint32_t pc, next;       /* next: free list */
    uint16_t front;          /* cycles from issue to the stage if nothing is in the way */
    uint16_t wavefronts;     /* that it took in the banks of shared memory and L1 */
    uint16_t conflicts;      /* wavefronts in L1's banks beyond those of lanes that do not conflict */
    uint16_t tag_cycles;     /* that its tags took beyond the first */
    uint16_t pending;        /* answers still missing, and one while it is in the stage */
    uint8_t class, subcore, warp, group;
    uint8_t rows;            /* places it takes between the queues and the stage */
    uint8_t shape;           /* enum shape */
    bool listed;             /* its effect has all lanes' addresses; else they follow one another from effect.base on */
    bool uniform;            /* address without a register of lanes */
    bool strong;             /* goes to L2 whatever L1 holds */
    bool looks;              /* takes what L1 has */
    bool fill;               /* its misses leave the data in L1 */
    bool evict_first;
    bool remote;             /* names shared memory of other blocks */
};

struct queue { /* of a sub-core */
    uint32_t op[QUEUE_MAX];
    uint32_t head, n;
    uint32_t passed;         /* of them, from the head on: have gone on to those of all sub-cores that wait for the stage */
    cycle agu_last;          /* when the last one's address is made */
    cycle stage_free;        /* the next one may enter the stage then */
    cycle atomic_until;      /* lanes of an atomic on one word pass the stage one after another until then */
    cycle data_free;         /* what came late has passed L1's banks until then */
    cycle wb_free;           /* write-back port busy until then */
};

/* The instruction that looks up tags now. Lines of one that meets a full table wait here, and with it all behind. */
struct stage {
    uint32_t op;
    uint32_t cursor;         /* next line */
    cycle accepted;
    uint32_t data_cycles, line_cycles; /* line_cycles: between two lines on the way to L2 */
    cycle beside;            /* until then lanes that conflict leave banks free, for what fills bring */
    cycle room;              /* when a line that waits on the way to L2 leaves at the earliest; 0: nothing is known */
    lanemask remote;         /* lanes that name other blocks' shared memory and have not been sent */
    struct coalesced co;
};

enum request_kind { REQ_READ, REQ_STRONG_READ, REQ_WRITE, REQ_STRONG_WRITE, REQ_ATOMIC, REQ_REDUCE, REQ_PREFETCH,
                    REQ_BULK_READ, REQ_BULK_WRITE, REQ_BULK_REDUCE, REQ_BULK_PREFETCH, REQ_BULK_REMOTE, /* of the copy engine */
                    REQ_REMOTE };                                 /* shared memory of another block */
struct request { /* a message that L2 has not answered */
    uint64_t line;
    uint32_t op;             /* who waits: strong reads, atomics */
    uint32_t miss;           /* REQ_READ */
    uint32_t payload, next;  /* next: free list, or bucket of hot lines */
    uint8_t kind, sectors, warp;
    bool fill, evict_first;
};

struct write_mask {
    struct payload_head head;
    uint32_t next_free;
};
enum { MASKS_FROM = 0x40000000 }; /* numbers of payloads that are masks begin here */

/* A test that waits for its phase: it answers when the phase completes or its time is up. In order of `until`. */
struct phase_waiter {
    uint32_t op;
    bool polls; /* looks at `until` and only then */
    cycle until;
};

enum { REACHED_NEAR = 1, REACHED_FAR = 2 }; /* halves of L2 */
struct warp_state {
    /* what each access needs: a line of the host's caches */
    _Alignas(64) struct pc_counters *pcs;
    uint8_t *shared, *local;
    uint32_t shared_bytes, local_bytes;
    uint32_t ops;            /* instructions without their final completion */
    uint32_t writes;         /* stores, atomics and strong reads that L2 has not answered */
    uint32_t fence;          /* op of a fence that waits for them */
    uint8_t reached;         /* halves in which they were, since the last fence */
    /* the rest */
    const struct cluster_map *map; /* of its launch */
    uint64_t block;
    uint32_t launch;
    cycle fence_least;       /* when it ends at the earliest */
    uint8_t group_open, group_done; /* numbers, modulo GROUPS */
    cycle group_time;               /* end of the latest copy so far */
    uint16_t group_copies[GROUPS];  /* copies of each group under way */
    uint32_t group_op[GROUPS];      /* the LDGDEPBAR that closed it */
};

struct lsu {
    /* touched every time something moves */
    cycle wake;              /* next time that step has something to do */
    cycle stage_free;        /* the shared stage takes the next instruction then */
    cycle barrier_free;      /* the next arrival at a barrier of blocks can be counted */
    double fence_free;       /* the next fence beyond the block can leave */
    double stage_rest;       /* below a cycle: what operations on mbarriers and fences still owe the stage */
    cycle data_free;         /* L1's banks are taken until then by loads whose data came late */
    uint32_t turn;           /* sub-core that was served last */
    bool blocked;            /* the stage waits for an answer, or for the way out to L2: until stage.room */
    struct stage stage;
    struct queue queue[NSUBCORE];
    uint32_t fifo;           /* places taken between the queues and the stage, queue_rows() of each that passed */
    struct soon done;       /* completions */

    const struct config *cfg;
    struct memory *mem;
    struct storelog *log;
    struct msgbox *out;
    struct sm_counters *count;
    uint32_t smid, shared_base, nlane;
    uint32_t width_cycles;   /* write-back of 32 bits a lane */

    struct lsu_op *ops;
    struct effect *effects;
    void *effect_pool;       /* what they were cut from, so that they begin on a line of the host's caches */
    uint32_t nop, free_op, fresh_op, ops_used; /* free lists end in what was never used: fresh_.. is the next of that */

    struct l1 l1;
    struct miss_table miss;
    struct request *requests;
    uint32_t nrequest, free_request, fresh_request, requests_used;
    struct payload *payloads;
    uint32_t npayload, free_payload, fresh_payload;
    struct write_mask *masks;      /* payloads of MSG_WRITE, as many; together never more than npayload are in use */
    uint32_t free_mask, fresh_mask, payloads_used;
    uint32_t reads_out, writes_out; /* sectors */
    uint32_t *hot;           /* buckets: unanswered atomics and strong accesses by line */
    uint32_t nhot_bucket, hot_used;
    uint32_t seq;            /* of messages */
    struct gather gather;    /* stores on their way to L2 */

    struct tma *tma;
    struct phase_waiter *waiters;
    uint32_t nwaiter;
    struct races *races;     /* NULL: races are not looked for */
    bool watched, changed;   /* livelock detection: a value in shared memory has changed since it began to watch */
    bool record;
    const struct gpc_clock *clock; /* of records */
    struct access_record *records;
    size_t nrecord, record_cap;
    uint64_t has_ops, has_writes; /* warps with ops, with writes */
    struct warp_state warp[NWARP];
    struct constant_caches constants;
    struct lsu_fault fault;
};

static inline const struct warp_state *lsu_warp_of(const struct lsu *l, uint32_t op) { return &l->warp[l->ops[op].warp]; }

/* lsu.c */
void lsu_complete(struct lsu *l, cycle time, enum completion_kind kind, uint32_t op);
/* The result's registers are written through the sub-core's port; at the earliest at `time`. */
void lsu_write_back(struct lsu *l, cycle time, uint32_t op);
void lsu_set_fault(struct lsu *l, cycle now, uint32_t op, uint32_t lane, uint8_t space, bool misaligned, const char *why);
/* Cycles from the shared stage to the result for a latency counted from issue. */
cycle lsu_after_stage(const struct lsu *l, const struct lsu_op *o, uint32_t latency_from_issue);
/* A store's data registers are free, and as far as the warp sees it is done. */
void lsu_finish_store(struct lsu *l, cycle now, uint32_t op);

/* An access passed its stage at a cost of wavefronts or sectors. */
void lsu_note_access(struct lsu *l, cycle now, uint32_t op, uint8_t space, uint32_t cost);

/* lsu_global.c: begin returns false on a fault; continue returns true when the last line has passed. */
bool lsu_global_begin(struct lsu *l, cycle now, uint32_t op);
bool lsu_global_continue(struct lsu *l, cycle now);
void lsu_send(struct lsu *l, cycle now, uint32_t request, enum msg_kind kind, uint32_t data_sectors);
static inline bool lsu_has_payload(const struct lsu *l) { return l->payloads_used < l->npayload; }
uint32_t lsu_take_payload(struct lsu *l); /* there must be one */
/* The same, for MSG_WRITE. joined: as in struct payload_head. */
uint32_t lsu_take_mask(struct lsu *l, const uint32_t byte_mask[LINE_SECTORS], uint8_t joined);
uint32_t lsu_take_request(struct lsu *l, enum request_kind kind, uint32_t op, uint64_t line, uint8_t sectors);
void lsu_free_request(struct lsu *l, uint32_t request);
/* All that a load waited for is there: when have lanes that conflict passed L1's banks? */
cycle lsu_pass_late(struct lsu *l, cycle now, uint32_t op);

/* lsu_shared.c: cycles that the data stage is taken; 0: fault. */
uint32_t lsu_shared_pass(struct lsu *l, cycle now, uint32_t op, lanemask lanes);
/* Among how many a sub-core shares the stage: itself, and others with an atomic on one word under way. */
uint32_t lsu_turns(const struct lsu *l, uint32_t subcore, cycle now);

/* lsu_values.c. The lanes' addresses are listed, or lsu_list_addresses (lsu_queue.c) makes them. */
void lsu_list_addresses(struct lsu *l, uint32_t op);
bool lsu_check(struct lsu *l, cycle now, uint32_t op);
bool lsu_check_shared(struct lsu *l, cycle now, uint32_t op, lanemask lanes);
void lsu_load_values(struct lsu *l, uint32_t op);
void lsu_store_values(struct lsu *l, cycle now, uint32_t op);
void lsu_land_copy(struct lsu *l, uint32_t op);
lanemask lsu_lanes_in(const struct effect *e, enum space space);

/* lsu_order.c */
uint32_t lsu_fence(struct lsu *l, cycle now, uint32_t op); /* cycles that the stage is taken */
void lsu_write_answered(struct lsu *l, cycle now, uint32_t warp, bool remote);
void lsu_group_closes(struct lsu *l, cycle now, uint32_t op); /* at issue */
void lsu_group_close(struct lsu *l, cycle now, uint32_t op);  /* at the stage */
void lsu_copy_begins(struct lsu *l, uint32_t op);
void lsu_copy_done(struct lsu *l, cycle now, uint32_t op);
void lsu_cache_control(struct lsu *l, cycle now, uint32_t op);

/* lsu_remote.c */
bool lsu_check_cluster(struct lsu *l, cycle now, uint32_t op, lanemask lanes);
bool lsu_remote_pass(struct lsu *l, cycle now, uint32_t op, lanemask *left);
bool lsu_remote_room(const struct lsu *l);
void lsu_send_remote(struct lsu *l, cycle at, uint32_t request, uint32_t warp, uint32_t rank, uint32_t data_bytes);
bool lsu_remote_fails(struct lsu *l, const struct message *m, uint32_t op);
bool lsu_sync_local(struct lsu *l, cycle now, uint32_t op, lanemask lanes); /* arrivals at mbarriers of the own block */

/* tma.c */
void tma_finish(struct lsu *l);
void tma_launch(struct lsu *l);
bool tma_has_room(const struct lsu *l);
void tma_command(struct lsu *l, cycle now, uint32_t op);
void tma_group(struct lsu *l, cycle now, uint32_t op); /* closes a group of the warp's stores */
void tma_step(struct lsu *l, cycle now);
cycle tma_next(const struct lsu *l);
uint32_t tma_op(const struct lsu *l, uint32_t request); /* the instruction behind a request of the engine */
void tma_answer(struct lsu *l, cycle now, uint32_t request, bool read);

/* lsu_queue.c */
uint32_t lsu_waiting(const struct lsu *l, const struct queue *q, cycle now); /* whose address is not made yet */
uint32_t lsu_store_data(const struct lsu *l, const struct lsu_op *o, uint32_t bytes); /* cycles to read a store's data */
void lsu_queue_leaves(struct lsu *l, cycle now, struct queue *q); /* the head of the queue enters the stage */
bool lsu_by_register(const struct inst *in); /* a shuffle whose lane stands in a register */

/* lsu_sync.c */
uint32_t lsu_sync_pass(struct lsu *l, cycle now, uint32_t op); /* cycles that the stage is taken */
/* Whole cycles that an operation takes the stage; what is left is carried to the next one. */
uint32_t lsu_whole_cycles(struct lsu *l, double cycles);
void lsu_sync_expire(struct lsu *l, cycle now);                /* waiters whose time is up */
/* Applies a step to the mbarrier at `at`; false: too much of it, and why. */
bool lsu_mbarrier_step(struct lsu *l, cycle now, uint8_t *at, struct mbarrier_step s, const char **why);

static inline uint32_t extra_width(const struct lsu *l, uint32_t bytes)
{
    uint32_t cycles = bytes * l->nlane / l->cfg->writeback_bytes;
    return bytes > 4 && cycles > l->width_cycles ? cycles - l->width_cycles : 0;
}

/* What an atomic's part in one line takes on the way to L2, in sectors of data and as many cycles: one for each of its
 * sectors and one for what is to be done there, but one in all where a single lane names the line; two operands are
 * sent one after the other (measured: micro_rounds, and the profiler's lts__xbar2lts_cycles_active: 5 for 4 sectors, 10
 * for compare-and-swap). */
static inline uint32_t lsu_atomic_parts(const struct lsu *l, const struct effect *e, const struct line_access *a)
{
    bool one = !(a->lanes & (a->lanes - 1));
    uint32_t operands = e->nword * 4U > e->bytes ? e->nword * 4U / e->bytes : 1;
    return operands * (one ? 1 : sector_count(a->sectors) * l->cfg->l1_atomic_sector_cycles + 1);
}

#endif
