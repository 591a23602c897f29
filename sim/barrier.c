/* Block barriers: BAR.SYNC, BAR.ARV, BAR.RED with an id and, if given, a number of threads.
 *
 * Arrivals come through the memory pipeline, behind the warp's earlier accesses and spaced by it. A barrier without a
 * count waits for every warp of the block that has not exited. When the last one has arrived the waiting warps are
 * released barrier.latency_cycles later, and a reduction's result is there for B2R.
 * BAR.SYNC.DEFER_BLOCKING does what it is called: the warp goes on with instructions of fixed latency and is held by
 * its first access, branch or other instruction of variable latency. (Measured: the clock read behind a barrier is that
 * of the arrival, and a warp that comes early has done up to 512 FFMA, but no MUFU or SHFL, by the time the last one
 * arrives; nvcc's stall count is 6 before such an instruction, 1 before others.) */
#include "sim/races.h"
#include "sim/sm_core.h"

enum { ARV = 1, RED = 2 };  /* values of BARMODE in ops.def */
enum { POPC = 1, AND = 2 }; /* values of BARRED */

static void release(struct sm *s, const struct block *b, struct barrier *bar, cycle now)
{
    if (!bar->need && b->live < b->nwarp && bar->waiting)
        s->slot[__builtin_ctzll(bar->waiting)].pcs[bar->pc].doubt[DOUBT_LEFT_BARRIER]++;
    races_block_met(s->races, b->slots, now);
    cycle at = now + s->c->barrier_latency_cycles;
    for (uint64_t m = bar->waiting; m; m &= m - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(m);
        struct slot *sl = &s->slot[slot];
        if (bar->red)
            sl->w.barrier_result = bar->red == POPC                                ? (uint32_t)bar->popc
                                   : (bar->red == AND ? bar->all : bar->popc != 0) ? ~0u
                                                                                   : 0;
        sl->bar_open = at;
        if (sl->ready == NEVER) /* else it has not yet come to an instruction that waits */
            slot_examine(s, &s->slot[slot], now);
    }
    *bar = (struct barrier){0};
}

static bool complete(const struct block *b, const struct barrier *bar)
{
    return bar->arrived > 0 && bar->arrived >= (bar->need ? bar->need : b->live);
}

static void add_predicates(struct barrier *bar, const struct effect *e)
{
    if (bar->popc == 0 && bar->arrived == 0)
        bar->all = true;
    for (uint64_t m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        bool p = e->data[0][lane] & 1;
        bar->popc += p;
        bar->all &= p;
    }
}

void barrier_arrive(struct sm *s, uint32_t slot, const struct effect *e, cycle now)
{
    struct slot *sl = &s->slot[slot];
    struct block *b = &s->block[sl->block];
    uint32_t pc = (uint32_t)(e->inst - sl->ls->launch.kernel->code), nlane = sl->w.env->nlane;
    if (e->value >= NBAR) {
        fault_text(s, now, sl, pc, "barrier %llu does not exist: a block has %d", (unsigned long long)e->value, NBAR);
        return;
    }
    struct barrier *bar = &b->bar[e->value];
    uint32_t need = (uint32_t)((e->value2 + nlane - 1) / nlane);
    if (need > b->nwarp) {
        fault_text(s, now, sl, pc, "barrier %u waits for %llu threads, the block has %u warps", (uint32_t)e->value,
                   (unsigned long long)e->value2, b->nwarp);
        return;
    }
    if (bar->arrived && bar->need != need) {
        fault_text(s, now, sl, pc, "barrier %u: this warp counts %u warps, an earlier one %u (0: all)",
                   (uint32_t)e->value, need, bar->need);
        return;
    }
    uint8_t mode = e->inst->mod[MOD_BARMODE];
    if (mode == RED) {
        add_predicates(bar, e);
        bar->red = e->inst->mod[MOD_BARRED];
    }
    bar->need = need;
    bar->pc = pc;
    bar->arrived++;
    b->bars |= 1u << e->value;
    if (mode != ARV)
        bar->waiting |= (uint64_t)1 << slot;
    if (complete(b, bar))
        release(s, b, bar, now);
}

void barrier_exit(struct sm *s, struct block *b, cycle now)
{
    for (uint32_t m = b->bars; m; m &= m - 1) {
        struct barrier *bar = &b->bar[__builtin_ctz(m)];
        if (bar->need == 0 && complete(b, bar))
            release(s, b, bar, now);
    }
}
