/* The inside of an SM: what its files share, and nobody else.
 *
 * Layout: what the cycle loop touches is per sub-core (struct subcore) and per warp slot (struct slot). A warp's next
 * instruction is examined once, when something that it waits for changes (constraint.c), and yields the cycle from
 * which it may issue: the warp then waits in the sub-core's wheel, so that the ready mask of a cycle costs one load.
 * Everything that ends at an unknown time (dependence counter, barrier, fence) parks the warp until it is examined
 * again. Times are absolute cycles.
 *
 * Files: sm.c life and run loop; sm_block.c blocks; timing.c the timing view of an instruction; constraint.c when a
 * warp may issue, and which reason its waiting is charged to; issue.c who issues; dispatch.c what issuing does;
 * hazard.c ready times of registers; fetch.c, operands.c, units.c, barrier.c; complete.c results; races.c accesses that
 * nothing orders; why.c, sm_fault.c. */
#ifndef HEDDLE_SIM_SM_CORE_H
#define HEDDLE_SIM_SM_CORE_H

#include "sim/hostcache.h"
#include "sim/sm.h"

#include <string.h>

#define NEVER UINT64_MAX

enum {
    NSUBCORE = 8,
    NSLOT = 64,
    NBLOCK = 64,
    NBAR = 16,
    NWHEEL = 64, /* cycles ahead that the wheel holds; farther ones are events */
    NSOURCE = 3, /* operand slots A, B, C of the reuse cache */
    NPORTREAD = 64, /* registers in them: DMMA.16x8x16 names 32 */
    NBANK = 8,
    NASK = 13,
    NOBODY = 64,    /* subcore.last: nobody has issued yet, or that warp is gone */
    LINE_INSTS = 8, /* instructions of a 128-byte line of the instruction caches */
};

/* Dependence counters: SB0..SB5, and the groups of warpgroup multiplies (gsb0). */
enum { SB_GROUP = 6, NCOUNTER = 7 };

/* ---- timing view of an instruction (timing.c) ------------------------------------------------ */
enum idesc_flag {
    D_SCHED = 1,  /* has scheduling fields */
    D_FIXED = 2,  /* result after a fixed latency */
    D_LSU = 4,    /* goes through the memory queue */
    D_LONG = 8,   /* its result comes from L1 or beyond: long scoreboard */
    D_CONST = 16, /* reads a constant as a fixed-latency operand */
    D_DEPBAR = 32,
    D_BRANCH = 64,
    D_GROUP = 128, /* warpgroup multiply that closes its group */
    D_ORDERS = 256, /* what was written to shared memory before it may be read after it: races.h */
    D_ORDERS_BLOCK = 512, /* by any warp of the block, not only by lanes of its own */
};
enum idesc_branch { STRAIGHT, JUMPS, MEETS, GATHERS }; /* MEETS: BSYNC; GATHERS: WARPSYNC of a mask */
struct keyrange {
    uint16_t first;
    uint8_t count, late; /* late: cycles after the others in which it is read */
};
struct idesc {
    /* what each issue reads: a line of the host's caches, and with `touches` a second one */
    _Alignas(HOST_LINE) uint16_t flags;
    uint8_t unit, effect;
    uint8_t head;  /* class by which the sub-core knows a warp that is about to issue it */
    uint8_t stall; /* cycles until the warp may issue again, yield included */
    uint8_t wr_sb, rd_sb, wait, reuse;
    uint16_t latency;  /* result, to a dependent of the same unit */
    uint16_t interval; /* unit's input taken for so long */
    uint8_t depbar_sb, depbar_max, depbar_list;
    uint8_t const_bank, const_ureg; /* const_ureg: added to the offset, often URZ */
    uint8_t nread, nwrite;
    bool single;                                  /* writes one register or predicate */
    uint8_t ports;                                /* most register reads of one bank: more than 1 may cost */
    bool special;                                 /* reads a special register: may be the timer */
    uint8_t branch;                               /* enum idesc_branch */
    bool indirect;                                /* jumps to where a register says */
    bool yield;
    bool of_sm;                                   /* all sub-cores share what executes it */
    bool passes_bar;                              /* issues though its warp has come to a barrier and waits there */
    uint8_t older;                                /* results of fixed latency must be so many cycles old to be read */
    uint8_t early, early_at;                      /* the first key of this write is ready so much before the others */
    uint8_t nportread;
    uint32_t const_offset;
    uint32_t places;       /* of the reuse cache that its reads go through, a bit each */
    uint16_t counter;      /* index of a thread counter in struct sm_counters, 0xffff: none */
    uint16_t shared_reads; /* warpgroup multiply: cycles of the shared memory's data stage, for all four warps */
    const struct inst *inst;
    uint64_t touches[NKEYWORD]; /* keys that must not be pending: read, or written otherwise than through memory */
    uint16_t result;            /* first key that it writes, if nwrite */
    uint8_t nask, ask[NASK];    /* register rows that it reads and writes, for the host's caches; the first ones */
    /* what only some need */
    struct keyrange write[10], read[16];
    uint8_t src_reg[NSOURCE], src_count[NSOURCE]; /* registers of operand slots; count 0: none */
    uint8_t nport[NBANK];                         /* register reads of each bank, without the reuse cache */
    struct portread {                             /* each of them: its bank, its place in the reuse cache, and whether */
        uint8_t reg, bank, place;                 /* it costs a read (not if it was named before) and stays there */
        bool costs, stays;
    } port[NPORTREAD];
};
struct timing { /* of one kernel on one config; shared by all SMs, never changed after sm_launch_begin */
    struct idesc *desc;
    uint32_t n;
    uint32_t nkey[4]; /* highest key used + 1 of R, UR, P, UP */
};

/* ---- warps ------------------------------------------------------------------------------------ */
enum slot_state {
    SLOT_FREE,
    SLOT_RUN,
    SLOT_BARRIER,
    SLOT_CLUSTER,
    SLOT_FENCE,
    SLOT_STUCK,
    SLOT_DRAIN,
    SLOT_DONE
};
/* When a warp's registers hold what was written last, by key. The lanes are kept apart (slot.reg_lanes): they are only
 * written when part of the warp executed. */
struct regtime {
    cycle ready;     /* NEVER: not known */
    uint32_t writer; /* its pc; REG_PARTIAL: reg_lanes says which lanes, else all */
    uint8_t readers; /* memory instructions that have not read it yet (code without scheduling fields) */
};
#define REG_PARTIAL 0x80000000u
/* Reasons to wait that can be a warp's own, but for STALL_wait, are the last ones of the table. */
enum { OWN_REASONS = STALL_short_scoreboard };
struct slot {
    /* what each issue touches, line by line of the host's caches */
    uint8_t state, block;
    uint8_t subcore, local;
    uint8_t head;             /* class of its next instruction, index of unit_mask */
    uint8_t sb_busy, sb_long; /* counters above 0; those last raised for memory beyond the SM's own */
    uint8_t sb_count[NCOUNTER];
    uint8_t fresh; /* counters that the last instruction raised, not visible before slot_fresh_until */
    uint8_t launch;
    cycle since; /* last issue, or the cycle before the first */
    cycle ready; /* when it may issue; NEVER: parked */
    cycle wait;  /* release time of STALL_wait */
    cycle hold;  /* the latest of those in `until` */
    const struct idesc *desc;
    struct regtime *reg; /* by key */
    cycle settled;       /* every result whose time is known is there from now on */
    struct pc_counters *pcs;
    struct subcore *sc;
    uint32_t held;                                        /* readers in its ready times, together */
    uint32_t nnever;                                      /* keys whose time is not known: how many, and which below */
    uint32_t line, ahead_line;                            /* instruction lines in its buffer, and the one being fetched */
    uint32_t imc_pc;                                      /* instruction whose constant has been fetched, UINT32_MAX: none */
    uint32_t snap_dispatch, snap_unit, snap_mio, snap_lg; /* blocked cycles of its sub-core when it became ready */
    bool cluster_arrived;                                 /* at the cluster barrier, in the current phase */
    bool futile;  /* since it found an mbarrier's phase not completed it has done nothing that others can see */
    uint8_t life; /* counts the warps that had the slot: events of an earlier one are void */
    cycle until[STALL_COUNT - OWN_REASONS]; /* release times of its other own constraints: slot_until */
    uint64_t never[NKEYWORD];
    _Alignas(HOST_LINE) struct warp w;
    _Alignas(HOST_LINE) cycle line_ready; /* of line and ahead_line */
    cycle ahead_ready;
    struct launch_state *ls;
    uint64_t order;       /* start order in the SM: age */
    uint32_t reg_at;      /* in the register file, in units; OWN_ROWS: its own memory */
    uint32_t stale_first; /* results kept from view, newest first; NSTALE: none */
    lanemask *reg_lanes;
    uint32_t futile_at;   /* shared address of that mbarrier */
    uint32_t nap_ns;      /* of its last NANOSLEEP */
    uint32_t exit_pc;     /* of the instruction that ended it */
    uint32_t bar_pc;      /* SLOT_BARRIER: the barrier instruction */
    cycle bar_open;       /* and from when on it lets the warp through; NEVER: not yet known */
};
struct barrier {
    uint32_t arrived; /* warps */
    uint32_t need;    /* warps; 0: every live warp of the block */
    uint64_t waiting; /* slots that wait */
    uint64_t popc;    /* lanes whose predicate was true */
    uint32_t pc;      /* of the last arrival */
    bool all;
    uint8_t red; /* MOD_BARRED value of a reduction */
};
struct cluster_barrier {
    uint8_t phase;
    bool told;         /* the other blocks know that this one has arrived */
    uint32_t arrived;  /* warps */
    uint32_t known[2]; /* by phase: ranks of blocks that have arrived */
    uint32_t gone;     /* ranks of blocks that have ended */
    uint64_t waiting;  /* slots */
};
struct block {
    bool used, started;
    bool told; /* the block scheduler knows that it ends: its warps have exited, stores may be out */
    uint32_t launch;
    uint64_t number;
    uint32_t nwarp, live, unfinished;
    uint32_t bars;     /* those at which some warp has ever arrived, a bit each: the others are zero */
    uint64_t slots;    /* mask */
    uint32_t shared_at, shared_units; /* in the SM's shared array; no units: its own memory */
    uint8_t *shared;
    uint32_t reg_pool; /* registers a thread that its warps have given back */
    struct cluster_barrier cluster;
    /* by warp of the block; what lies before is cleared when a block begins */
    uint8_t slot_of[NSLOT];
    uint16_t reg_at[NSLOT]; /* as in struct slot */
    struct barrier bar[NBAR];
};
enum { OWN_ROWS = 0xffff };

/* ---- sub-cores -------------------------------------------------------------------------------- */
/* Why ready warps of a class could not issue; indices of blocked cycle sums beyond the units'. */
enum { CLASS_DISPATCH = UNIT_COUNT, CLASS_MIO, CLASS_LG, NCLASS };
/* Warps whose next instruction is a warpgroup multiply: it waits until the warp's last one has begun, not for the unit.
 * (Copies by the TMA unit go through the memory queue, so that number is free.) */
enum { CLASS_GMMA = UNIT_TMA };
struct iline {
    uint32_t key;
    uint32_t used;
    cycle ready;
    bool streamed;
};
struct icache {
    struct iline *line;
    uint32_t sets, ways, clock;
};
struct subcore {
    uint64_t ready;    /* local warps without a constraint of their own */
    uint64_t occupied; /* slots of the wheel that hold someone, bit = cycle mod NWHEEL */
    cycle scanned;     /* last time issue looked */
    uint32_t blocked;  /* classes that were blocked then, bit mask */
    uint32_t busy;     /* units whose input may be taken */
    cycle unit_free[UNIT_COUNT];
    cycle input_free[UNIT_COUNT]; /* of busy ones: when an instruction may enter the unit, or its queue */
    cycle lite_free;              /* second half of the fma pipe */
    cycle dispatch_free;
    cycle bank_free[NBANK], backlog; /* backlog: the last of them */
    uint64_t unit_mask[UNIT_COUNT];  /* local warps by unit of their next instruction */
    uint32_t blocked_cycles[NCLASS];
    uint8_t last;
    cycle greedy_until; /* `last` goes first so long: its stall count and what its unit may add; not after a yield */
    uint32_t turns; /* units that were taken at the last look, and the memory queue if full since the last issue: a bit each */
    uint32_t added, age[NSLOT];     /* local warps: the younger, the greater */
    uint64_t active;                /* two_level: the inner set */
    uint16_t reuse[NBANK * NSOURCE]; /* reuse cache, by bank and operand slot: local warp and register */
    uint32_t reuse_valid;           /* a bit for each of its entries */
    uint64_t wheel[NWHEEL];
    struct icache l0;
    cycle gmma_start[NSLOT]; /* when the matrix unit began each local warp's last warpgroup multiply */
};

enum event_kind { EV_READY, EV_START, EV_RESULT, EV_SOURCES, EV_STALE, EV_DRAIN, EV_GROUP };
static inline enum event_kind event_kind_of(const struct event *e)
{
    return (enum event_kind)(e->value >> 56);
}
static inline uint32_t event_slot(const struct event *e)
{
    return (uint32_t)(e->value >> 32) & 0xffff;
}
enum { NSTALE = 1024, NSTALE_ROW = 16 };
struct stale {              /* a result that is not to be seen before its time */
    uint32_t pc, next_free; /* in use: the next one of its warp */
    cycle ready;            /* for its own unit; for others a little later, when the registers are written */
    bool seen;              /* written early, because its own unit read it */
    lanemask lanes;
    uint32_t nrow;
    uint16_t key[NSTALE_ROW];
    lanemask pred[NPRED];
    uint32_t ureg[NUREG];
    uint8_t upred;
    uint32_t *rows; /* NSTALE_ROW x NLANE */
};
struct sm {
    const struct config *c;
    uint32_t smid;
    uint32_t seen_launch; /* 1 + the launch whose block came last, 0: none since sm_prepare */
    struct sm_peers peers;
    struct message *ahead; /* for blocks of clusters that are not set up yet */
    size_t nahead, ahead_cap;
    uint32_t hub; /* endpoint that gets MSG_BLOCK_DONE */
    cycle now;
    cycle lsu_next;
    bool halted; /* a fault stopped it */
    struct memory *mem;
    struct lsu *lsu;
    struct watch *watch; /* livelock detection, while it suspects one */
    struct storelog *log;
    struct msgbox in, out;
    uint32_t out_seq;
    struct eventq events;
    cycle event_next;
    cycle sc_next[NSUBCORE]; /* nothing to do in each sub-core before; looked at in every step, so side by side */
    uint64_t event_seq;
    struct subcore sc[NSUBCORE];
    struct slot *slot;
    struct block block[NBLOCK];
    uint32_t told; /* blocks told and still there */
    struct {
        uint32_t launch;
        uint64_t number;
    } early[NBLOCK]; /* blocks that wait for their room, in order */
    uint32_t nearly;
    uint32_t resident_warps, resident_blocks;
    uint64_t free_slots, slots_of[NSUBCORE]; /* masks: those without a warp; those of each sub-core */
    uint64_t draining;                       /* slots */
    uint64_t flushing;                       /* blocks that wait for the answers to their stores */
    uint64_t started;                        /* warps started so far */
    cycle redux_free;                        /* the next reduction over lanes (REDUX) can begin */
    cycle indirect_free;                     /* the next branch by a register can be resolved */
    cycle matrix_until;                      /* matrix units have worked up to here */
    cycle counted;                           /* residency counters hold up to here */
    struct races *races;                     /* in shared memory */
    uint8_t *shared;                         /* smem_bytes, in units of the allocation granularity */
    uint8_t *shared_used;                    /* a flag for each unit */
    uint32_t *regs;                          /* the register file, rows of lanes */
    uint8_t *reg_used;                       /* a flag for each allocation unit */
    uint32_t shared_units, reg_units;
    struct regtime *regtimes; /* of all slots, regtime_keys each at most */
    uint32_t regtime_keys;
    lanemask *reglanes;
    uint8_t *local;
    size_t local_stride;
    struct icache l1;
    double ns_per_cycle; /* of the full clock */
    const struct gpc_clock *clock;
    uint32_t look_ahead; /* instructions ahead of the issuing one whose line is asked for */
    uint32_t near_lines; /* fetched lately: at hand for branches */
    struct launch_state *const *launches;
    size_t nlaunch;
    uint32_t *code_id;             /* by launch: names the kernel's lines in the instruction caches */
    const struct kernel **kernels; /* seen so far, in order: their numbers are code ids */
    size_t nkernel, kernel_cap;
    struct pc_counters **pcs; /* by launch */
    size_t pcs_cap;
    struct sm_counters counters;
    struct sm_fault fault;
    struct stale *stale;
    uint32_t stale_free;
    /* observation */
    bool record;
    struct issue_record *issues;
    struct block_record *blocks;
    size_t nissue, issue_cap, nblockrec, block_cap;
};

static inline uint32_t slot_index(const struct sm *s, uint32_t subcore, uint32_t local)
{
    return local * s->c->subcores + subcore;
}
static inline cycle slot_fresh_until(const struct sm *s, const struct slot *sl)
{
    return sl->since + s->c->sb_visible_cycles;
}
static inline uint32_t lane_count(lanemask m)
{
    return m == 0xffffffffu ? 32 : (uint32_t)__builtin_popcountll(m);
}
static inline cycle slot_until(const struct slot *sl, enum stall reason)
{
    return reason == STALL_wait ? sl->wait : sl->until[reason - OWN_REASONS];
}
/* A constraint of the warp's own, not STALL_wait, that ends at a known time. */
static inline void slot_hold(struct slot *sl, enum stall reason, cycle until)
{
    sl->until[reason - OWN_REASONS] = until;
    sl->hold = until > sl->hold ? until : sl->hold;
}

APART void sm_event(struct sm *s, cycle when, enum event_kind kind, uint32_t slot, uint32_t arg); /* complete.c */

/* A proxy fence names a dependence counter, by which the warp waits for it where it must (measured: a row of fences and proxy
 * fences takes hardly longer than the fences alone). Other fences, and code without counters, hold the warp. */
static inline bool fence_parks(const struct idesc *d, uint16_t op)
{
    return op != OP_FENCE_VIEW || !(d->flags & D_SCHED);
}

static inline bool slot_sb_waits(const struct slot *sl, const struct idesc *d, uint8_t ignore)
{
    if (sl->sb_busy & d->wait & ~ignore)
        return true;
    if (!(d->flags & D_DEPBAR))
        return false;
    return (sl->sb_count[d->depbar_sb] > d->depbar_max && !(ignore >> d->depbar_sb & 1)) ||
           (sl->sb_busy & d->depbar_list & ~ignore);
}
/* What issuing the instruction touches, into the host's caches. */
static inline void slot_ask(const struct sm *s, const struct slot *sl, const struct idesc *d)
{
    size_t nlane = sl->w.env->nlane;
    for (uint32_t i = 0; i < d->nask; i++) {
        const uint32_t *row = sl->w.reg + d->ask[i] * nlane;
        host_ask_line(row);
        host_ask_line(row + HOST_LINE / sizeof *row);
    }
    if (d->nwrite)
        host_ask_line(&sl->reg[d->result]);
    host_ask_line(&sl->pcs[d - sl->desc]);
    if (d->flags & D_LSU)
        lsu_ask_issue(s->lsu, (uint32_t)(sl - s->slot));
}
static inline void subcore_queue(struct sm *s, struct slot *sl, cycle when, cycle now)
{
    struct subcore *sc = sl->sc;
    sl->ready = when;
    if (when - now >= NWHEEL) {
        sm_event(s, when, EV_READY, (uint32_t)(sl - s->slot), 0);
        return;
    }
    sc->wheel[when % NWHEEL] |= (uint64_t)1 << sl->local;
    sc->occupied |= (uint64_t)1 << (when % NWHEEL);
    if (when < s->sc_next[sl->subcore])
        s->sc_next[sl->subcore] = when;
}
/* Its next instruction is another one: the class by which the sub-core knows it changes. */
static inline void slot_head_changed(struct slot *sl, uint8_t head)
{
    struct subcore *sc = sl->sc;
    uint64_t bit = (uint64_t)1 << sl->local;
    sc->unit_mask[sl->head] &= ~bit;
    sc->unit_mask[head] |= bit;
    sl->head = head;
}

void window_ask(const struct sm *s, cycle to); /* sm_ask.c */
/* constraint.c */
void slot_examine(struct sm *s, struct slot *sl, cycle now); /* finds when its head may issue, and queues it */
void slot_park(struct slot *sl);
enum stall slot_account(struct sm *s, struct slot *sl, cycle now); /* splits the time since its last issue */
cycle subcore_wheel_next(const struct subcore *sc, cycle now);
/* issue.c */
void subcore_step(struct sm *s, uint32_t subcore, cycle now);
void subcore_add(struct subcore *sc, uint8_t local);
void subcore_remove(struct subcore *sc, uint8_t local);
/* dispatch.c */
enum issue_outcome { ISSUED, REFUSED_WARP, REFUSED_LSU };
enum issue_outcome slot_issue(struct sm *s, struct slot *sl, cycle now);
/* hazard.c */
bool hazard_search(struct sm *s, struct slot *sl, const struct idesc *d, cycle now); /* false: a fault was set */
static inline bool hazard_free(struct sm *s, struct slot *sl, const struct idesc *d, cycle now)
{
    uint64_t waits = 0;
    for (uint32_t i = 0; sl->nnever && i < NKEYWORD; i++)
        waits |= sl->never[i] & d->touches[i];
    return (!waits && now >= sl->settled) || hazard_search(s, sl, d, now);
}
static inline void key_known(struct slot *sl, uint32_t key)
{
    uint64_t bit = UINT64_C(1) << key % 64;
    if (sl->nnever && sl->never[key / 64] & bit) {
        sl->never[key / 64] &= ~bit;
        sl->nnever--;
    }
}
static inline void key_unknown(struct slot *sl, uint32_t key)
{
    uint64_t bit = UINT64_C(1) << key % 64;
    sl->nnever += !(sl->never[key / 64] & bit);
    sl->never[key / 64] |= bit;
}
void results_pending_all(struct slot *sl, const struct idesc *d, uint32_t pc, cycle ready, lanemask lanes);
/* The instruction's results will be there at `ready`. */
static inline void results_pending(struct slot *sl, const struct idesc *d, uint32_t pc, cycle ready, lanemask lanes)
{
    if (d->nwrite == 0)
        return;
    if (!d->single || lanes != sl->w.full) {
        results_pending_all(sl, d, pc, ready, lanes);
        return;
    }
    uint32_t key = d->result; /* the usual case: one register, all lanes */
    struct regtime *r = &sl->reg[key];
    r->ready = ready;
    r->writer = pc;
    if (ready == NEVER) {
        key_unknown(sl, key);
        return;
    }
    key_known(sl, key);
    sl->settled = ready > sl->settled ? ready : sl->settled;
}
static inline enum regfile key_file(uint32_t key)
{
    return key < KEY_UP ? RF_P : key < KEY_UR ? RF_UP : key < KEY_R ? RF_UR : RF_R;
}
cycle scoreboard_ready(const struct slot *sl, const struct sm *s, const struct idesc *d); /* NEVER: pending */
void registers_forget(struct slot *sl, const struct sm *s, cycle now); /* a new warp: everything is there */
void results_arrive(struct slot *sl, const struct idesc *d, cycle now);
void predicates_arrive(struct slot *sl, const struct idesc *d, cycle now);
void sources_held(struct slot *sl, const struct idesc *d, bool held);
SELDOM struct stale *stale_take(struct sm *s);
SELDOM void stale_save(struct slot *sl, const struct idesc *d, struct stale *st);
SELDOM void stale_hold(struct sm *s, struct slot *sl, struct stale *st, uint32_t pc, cycle when, lanemask lanes);
SELDOM void stale_drop(struct sm *s, uint32_t index);
SELDOM void stale_apply(struct sm *s, uint32_t slot, uint32_t index);
SELDOM void stale_forward(struct sm *s, struct slot *sl, const struct idesc *d,
                   cycle now); /* what the unit sees before others */
/* complete.c */
void sb_raise(struct slot *sl, uint8_t sb, bool is_long);
void sb_lower(struct sm *s, uint32_t slot, uint8_t sb, cycle now);
void complete_all(struct sm *s, cycle now); /* pops the LSU's completions */
void complete_result(struct sm *s, uint32_t slot, uint32_t pc, cycle now);
void complete_sources(struct sm *s, uint32_t slot, uint32_t pc, cycle now);
void events_due(struct sm *s, cycle now);
void slot_drain_check(struct sm *s, cycle now);
/* fetch.c */
void icache_init(struct icache *ic, uint32_t bytes, uint32_t ways, struct arena *a);
void icache_run_before(struct sm *s, uint32_t code_id, uint32_t ninst); /* what an earlier launch of it left */
void icache_launch(struct sm *s, uint32_t code_id, uint32_t ninst);     /* its first lines come into the level-1 cache */
void fetch_start(struct sm *s, struct slot *sl, uint32_t pc, cycle now);
/* After an issue: when the instruction at next can issue. Sets the release times that it causes. A redirected fetch
 * begins `late` cycles later than that of a direct branch. */
void fetch_follow(struct sm *s, struct slot *sl, uint32_t next, bool redirect, uint32_t late, cycle now);
/* Straight on inside lines that the warp has: nothing to do. */
static inline bool fetch_goes_on(const struct sm *s, const struct slot *sl, uint32_t next)
{
    return next / LINE_INSTS == sl->line && (next + s->look_ahead) / LINE_INSTS == sl->ahead_line;
}
/* units.c */
cycle gmma_done(struct sm *s, struct subcore *sc, uint32_t local, const struct idesc *d,
                cycle now);                            /* takes the matrix unit */
uint64_t units_blocked(struct subcore *sc, cycle now); /* local warps whose unit is taken */
cycle units_next_free(const struct subcore *sc, cycle now);
void unit_take(struct sm *s, struct subcore *sc, const struct idesc *d, cycle now);
cycle xu_done(const struct sm *s, struct subcore *sc, const struct idesc *d, cycle now);
cycle redux_done(struct sm *s, struct subcore *sc, const struct idesc *d, cycle now);
/* operands.c */
uint32_t operands_read(struct sm *s, struct subcore *sc, uint8_t local, const struct idesc *d, cycle now);
/* barrier.c */
void barrier_arrive(struct sm *s, uint32_t slot, const struct effect *e, cycle now);
void barrier_exit(struct sm *s, struct block *b, cycle now); /* a warp of the block has exited */
/* tally.c */
void counters_sum(struct sm *s); /* what follows from the instructions' counters */
/* cluster.c */
void cluster_arrive(struct sm *s, uint32_t slot, cycle now);
bool cluster_waits(struct sm *s, uint32_t slot); /* false: it can go on */
void cluster_exit(struct sm *s, uint32_t slot, cycle now);
void cluster_receive(struct sm *s, const struct message *m);
void cluster_block_begins(struct sm *s, struct block *b);
void cluster_serve(struct sm *s, const struct message *m);
/* sm_block.c */
void regtimes_layout(struct sm *s, uint32_t nkey); /* before a launch, whose warps use so many */
void blocks_prepare(struct sm *s);
void blocks_finish(struct sm *s);
void block_arrive(struct sm *s, uint32_t launch, uint64_t number, cycle now);
void block_tell(struct sm *s, struct block *b, cycle now); /* all its warps have exited */
void block_start(struct sm *s, uint32_t block, cycle now);
void warp_end(struct sm *s, uint32_t slot, cycle now); /* exited, and its accesses have left */
void blocks_flushed(struct sm *s, cycle now);
void residency_count(struct sm *s, cycle now);
/* sm_fault.c */
SELDOM void fault_text(struct sm *s, cycle now, const struct slot *sl, uint32_t pc, const char *fmt, ...) PRINTF_LIKE(5, 6);
SELDOM void fault_from_lsu(struct sm *s, cycle now);
void add_instruction(struct sb *b, const struct launch_state *ls, uint32_t pc); /* "pc 0x40 (gelu.cu:12) `FADD ..`" */

#endif
