/* Blocks and warps of an SM: slots, registers, shared and local memory; start and end. */
#include "sim/races.h"
#include "sim/sm_core.h"

#include <stddef.h>
#include <stdlib.h>

/* ---- space: first fit in units ------------------------------------------------------------------- */
static bool take_units(uint8_t *used, uint32_t n, uint32_t want, uint32_t *at)
{
    for (uint32_t i = 0; i + want <= n;) {
        const uint8_t *begin = memchr(used + i, 0, n - i);
        if (!begin)
            return false;
        i = (uint32_t)(begin - used);
        const uint8_t *taken = i + want <= n ? memchr(begin, 1, want) : NULL;
        if (!taken && i + want <= n) {
            *at = i;
            memset(used + i, 1, want);
            return true;
        }
        i = taken ? (uint32_t)(taken - used) : n;
    }
    return false;
}

static uint32_t register_units(const struct sm *s, const struct kernel *k)
{
    uint32_t words = k->nreg * s->c->warp_size, unit = s->c->reg_alloc_unit;
    return words > unit ? (words + unit - 1) / unit : 1;
}

/* Where a warp's rows will lie in the register file, in units; OWN_ROWS: in memory of its own. */
static uint16_t registers_take(struct sm *s, const struct kernel *k)
{
    uint32_t at, want = register_units(s, k);
    must(s->reg_units <= OWN_ROWS);
    if (kernel_registers(k) > k->nreg)
        return OWN_ROWS; /* rows for all that it may have later; the block's pool keeps the account */
    /* several launches of different size can break the file into pieces: the hardware's rule says that it fits */
    return take_units(s->reg_used, s->reg_units, want, &at) ? (uint16_t)at : OWN_ROWS;
}

static void registers_place(struct sm *s, struct slot *sl, uint32_t at)
{
    const struct kernel *k = sl->ls->launch.kernel;
    sl->reg_at = at;
    if (at != OWN_ROWS) {
        sl->w.reg = s->regs + (size_t)at * s->c->reg_alloc_unit;
        return;
    }
    size_t words = (size_t)kernel_registers(k) * s->c->warp_size;
    sl->w.reg = xalloc_aligned((words ? words : 1) * sizeof(uint32_t), 64);
}

static void registers_give(struct sm *s, struct slot *sl)
{
    if (sl->reg_at != OWN_ROWS)
        memset(s->reg_used + sl->reg_at, 0, register_units(s, sl->ls->launch.kernel));
    else
        free(sl->w.reg);
    sl->w.reg = NULL;
}

static void shared_take(struct sm *s, struct block *b, uint32_t bytes)
{
    uint32_t unit = s->c->smem_granularity_bytes;
    b->shared_units = (bytes + unit - 1) / unit;
    if (b->shared_units == 0) {
        b->shared = NULL;
    } else if (take_units(s->shared_used, s->shared_units, b->shared_units, &b->shared_at)) {
        b->shared = s->shared + (size_t)b->shared_at * unit;
    } else {
        b->shared = xcalloc(b->shared_units, unit);
        b->shared_units = 0;
    }
}

/* Nothing clears shared memory between blocks; here a block finds words that say so when they are read. */
static void shared_mark(struct block *b, uint32_t bytes)
{
    uint32_t *word = (uint32_t *)(void *)b->shared;
    for (uint32_t i = 0; i < bytes / 4; i++)
        word[i] = SHARED_UNWRITTEN;
}

static void shared_give(struct sm *s, struct block *b)
{
    if (b->shared_units)
        memset(s->shared_used + b->shared_at, 0, b->shared_units);
    else
        free(b->shared);
    b->shared = NULL;
}

void blocks_prepare(struct sm *s)
{
    const struct config *c = s->c;
    struct arena *a = memory_arena(s->mem);
    s->slot = arena_zalloc(a, NSLOT, sizeof *s->slot);
    s->reglanes = xcalloc((size_t)NSLOT * NKEY, sizeof *s->reglanes); /* seldom used: in small pages */
    s->reg_units = c->registers / c->reg_alloc_unit;
    s->reg_used = arena_zalloc(a, s->reg_units ? s->reg_units : 1, 1);
    s->regs = arena_zalloc(a, c->registers, sizeof *s->regs);
    s->shared_units = c->smem_bytes / c->smem_granularity_bytes;
    s->shared_used = arena_zalloc(a, s->shared_units ? s->shared_units : 1, 1);
    s->shared = arena_zalloc(memory_arena_rare(s->mem), c->smem_bytes ? c->smem_bytes : 64, 1);
    s->races = races_new(s->shared, c->smem_bytes);
    lsu_watch_races(s->lsu, s->races);
    for (uint32_t i = 0; i < NSLOT; i++) {
        struct slot *sl = &s->slot[i];
        sl->subcore = (uint8_t)(i % c->subcores);
        sl->local = (uint8_t)(i / c->subcores);
        sl->sc = &s->sc[sl->subcore];
        if (i < c->max_warps) {
            s->slots_of[sl->subcore] |= (uint64_t)1 << i;
            s->free_slots |= (uint64_t)1 << i;
        }
    }
}

/* Dense: the times of a slot lie together, in memory that grows with the keys that kernels use. It never shrinks, so
 * that a slot finds its own last times (registers_forget). */
void regtimes_layout(struct sm *s, uint32_t nkey)
{
    uint32_t stride = (nkey + 3) / 4 * 4;
    if (stride <= s->regtime_keys)
        return;
    s->regtimes = arena_zalloc(memory_arena(s->mem), (size_t)NSLOT * stride, sizeof *s->regtimes);
    s->regtime_keys = stride;
    for (uint32_t i = 0; i < NSLOT; i++) {
        s->slot[i].reg = s->regtimes + (size_t)i * stride;
        s->slot[i].reg_lanes = s->reglanes + (size_t)i * stride;
    }
}

void blocks_finish(struct sm *s)
{
    for (uint32_t i = 0; i < NSLOT; i++)
        if (s->slot[i].w.reg && s->slot[i].reg_at == OWN_ROWS)
            free(s->slot[i].w.reg);
    for (uint32_t i = 0; i < NBLOCK; i++)
        if (s->block[i].used && s->block[i].shared_units == 0)
            free(s->block[i].shared);
    free(s->reglanes);
    races_free(s->races);
    free(s->local);
}

/* ---- counting ------------------------------------------------------------------------------------ */
void residency_count(struct sm *s, cycle now)
{
    if (s->resident_warps && now > s->counted) {
        uint64_t n = now - s->counted;
        s->counters.cycles_active += n;
        s->counters.warps_active += n * s->resident_warps;
    }
    s->counted = now;
}

static void record_block(struct sm *s, const struct block *b, bool start, cycle now)
{
    if (!s->record)
        return;
    s->blocks = grow(s->blocks, s->nblockrec, &s->block_cap, sizeof *s->blocks);
    s->blocks[s->nblockrec++] = (struct block_record){.time = gpc_clock_time(s->clock, now),
                                                      .block = (uint32_t)b->number,
                                                      .launch = (uint16_t)b->launch,
                                                      .first_warp = b->slot_of[0],
                                                      .nwarp = (uint8_t)b->nwarp,
                                                      .start = start};
}

/* ---- start --------------------------------------------------------------------------------------- */
/* A free slot on the sub-core with the fewest warps; the lowest number among equals. */
static uint32_t free_slot(const struct sm *s, uint32_t taken[NSUBCORE])
{
    uint32_t best = NSUBCORE, slot = NSLOT;
    for (uint32_t i = 0; i < s->c->subcores; i++) {
        uint64_t here = s->free_slots & s->slots_of[i];
        if (!here)
            continue;
        uint32_t first = (uint32_t)__builtin_ctzll(here);
        if (best == NSUBCORE || taken[i] < taken[best] || (taken[i] == taken[best] && first < slot)) {
            best = i;
            slot = first;
        }
    }
    must(best < NSUBCORE);
    taken[best]++;
    return slot;
}

static uint32_t free_slots(const struct sm *s, uint32_t taken[NSUBCORE])
{
    for (uint32_t i = 0; i < s->c->subcores; i++)
        taken[i] = (uint32_t)__builtin_popcountll(s->slots_of[i] & ~s->free_slots);
    return (uint32_t)__builtin_popcountll(s->free_slots);
}

/* How many pieces of `want` units there are. */
static uint32_t pieces(const uint8_t *used, uint32_t n, uint32_t want)
{
    uint32_t run = 0, count = 0;
    for (uint32_t i = 0; i < n; i++) {
        run = used[i] ? 0 : run + 1;
        if (run == want) {
            count++;
            run = 0;
        }
    }
    return count;
}

static bool has_room(const struct sm *s, const struct launch_state *ls)
{
    uint32_t taken[NSUBCORE] = {0}, regs = register_units(s, ls->launch.kernel);
    uint32_t shared = (ls->env.shared_bytes + s->c->smem_granularity_bytes - 1) / s->c->smem_granularity_bytes;
    return s->resident_blocks < NBLOCK && free_slots(s, taken) >= ls->warps_per_block &&
           pieces(s->reg_used, s->reg_units, regs) >= ls->warps_per_block &&
           (shared == 0 || pieces(s->shared_used, s->shared_units, shared) > 0);
}

/* A block of the launch, without what the last one here left. */
static void block_begin(struct block *b, uint32_t launch, uint32_t warps, uint64_t number)
{
    for (uint32_t m = b->bars; m; m &= m - 1)
        b->bar[__builtin_ctz(m)] = (struct barrier){0};
    memset(b, 0, offsetof(struct block, slot_of));
    b->used = true;
    b->launch = launch;
    b->number = number;
    b->nwarp = b->live = b->unfinished = warps;
}

static void take_slot(struct sm *s, struct block *b, uint32_t k, uint32_t slot)
{
    b->slot_of[k] = (uint8_t)slot;
    b->slots |= (uint64_t)1 << slot;
    s->free_slots &= ~((uint64_t)1 << slot);
    b->reg_at[k] = registers_take(s, s->launches[b->launch]->launch.kernel);
}

/* Takes slots, registers and shared memory; the first instruction can issue block_start_cycles later. Until then the
 * slots themselves are left alone. */
static void block_launch(struct sm *s, uint32_t launch, uint64_t number, cycle now)
{
    struct launch_state *ls = s->launches[launch];
    uint32_t i = 0, taken[NSUBCORE] = {0};
    while (i < NBLOCK && s->block[i].used)
        i++;
    must(i < NBLOCK &&
         free_slots(s, taken) >= ls->warps_per_block); /* the block scheduler keeps account of what fits */
    struct block *b = &s->block[i];
    if (s->seen_launch != launch + 1) {
        s->seen_launch = launch + 1;
        lsu_new_launch(s->lsu, ls->nblock, now);
    }
    block_begin(b, launch, ls->warps_per_block, number);
    shared_take(s, b, ls->env.shared_bytes);
    shared_mark(b, ls->env.shared_bytes);
    for (uint32_t k = 0; k < b->nwarp; k++)
        take_slot(s, b, k, free_slot(s, taken));
    cluster_block_begins(s, b);
    s->resident_blocks++;
    s->counters.blocks_launched++;
    sm_event(s, now + s->c->block_start_cycles, EV_START, 0, i);
}

/* A block whose predecessor still drains waits for it; so does who comes behind it. */
void block_arrive(struct sm *s, uint32_t launch, uint64_t number, cycle now)
{
    if (s->nearly || (s->told && !has_room(s, s->launches[launch]))) {
        must(s->nearly < NBLOCK);
        s->early[s->nearly].launch = launch;
        s->early[s->nearly++].number = number;
        return;
    }
    block_launch(s, launch, number, now);
}

static void launch_early(struct sm *s, cycle now)
{
    uint32_t n = 0;
    while (n < s->nearly && (!s->told || has_room(s, s->launches[s->early[n].launch]))) {
        block_launch(s, s->early[n].launch, s->early[n].number, now + 1); /* this cycle's events are over */
        n++;
    }
    memmove(s->early, s->early + n, (s->nearly - n) * sizeof s->early[0]);
    s->nearly -= n;
}

/* Who the warp is: the k-th of its block. */
static void place_warp(struct sm *s, struct block *b, uint32_t k)
{
    uint32_t slot = b->slot_of[k];
    struct slot *sl = &s->slot[slot];
    struct launch_state *ls = s->launches[b->launch];
    const struct launch_env *env = &ls->env;
    uint64_t threads = (uint64_t)env->block[0] * env->block[1] * env->block[2], first = (uint64_t)k * env->nlane;
    uint64_t lanes = threads - first < env->nlane ? threads - first : env->nlane;
    sl->block = (uint8_t)(b - s->block);
    sl->launch = (uint8_t)b->launch;
    sl->ls = ls;
    sl->desc = ls->timing->desc;
    sl->pcs = s->pcs[b->launch];
    struct warp *w = &sl->w;
    w->env = env;
    w->full = lanes == 64 ? ~(lanemask)0 : ((lanemask)1 << lanes) - 1;
    w->live = w->full;
    w->ctaid[0] = (uint32_t)(b->number % env->grid[0]);
    w->ctaid[1] = (uint32_t)(b->number / env->grid[0] % env->grid[1]);
    w->ctaid[2] = (uint32_t)(b->number / env->grid[0] / env->grid[1]);
    w->warp_in_block = k;
    w->first_thread = (uint32_t)first;
    w->cluster_rank = 0;
    if (env->cluster[0])
        w->cluster_rank =
            w->ctaid[0] % env->cluster[0] +
            env->cluster[0] * (w->ctaid[1] % env->cluster[1] + env->cluster[1] * (w->ctaid[2] % env->cluster[2]));
    w->shared = b->shared;
    w->reg_pool = &b->reg_pool;
    w->local = s->local ? s->local + slot * s->local_stride : NULL;
    w->slot = slot;
    w->smid = s->smid;
    registers_place(s, sl, b->reg_at[k]);
}

static void start_warp(struct sm *s, uint32_t slot, cycle now)
{
    struct slot *sl = &s->slot[slot];
    warp_start(&sl->w);
    if (sl->hold >= now) /* else all that the slot's last warp left there is past */
        memset(sl->until, 0, sizeof sl->until);
    sl->wait = sl->hold = 0;
    memset(sl->sb_count, 0, sizeof sl->sb_count);
    registers_forget(sl, s, now);
    sl->sb_busy = sl->sb_long = sl->fresh = 0;
    sl->futile = sl->cluster_arrived = false;
    sl->imc_pc = UINT32_MAX;
    sl->stale_first = NSTALE;
    sl->since = now - 1;
    sl->ready = NEVER;
    sl->life++;
    sl->order = s->started++;
    sl->state = SLOT_RUN;
    lsu_warp_pcs(s->lsu, slot, sl->pcs);
    races_block_met(s->races, UINT64_C(1) << slot, now);
    lsu_warp_block(s->lsu, slot, &sl->ls->map, sl->launch, s->block[sl->block].number);
    subcore_add(&s->sc[sl->subcore], sl->local);
    s->counters.warps_launched++;
    slot_head_changed(sl, sl->desc[warp_pc(&sl->w)].head);
    fetch_start(s, sl, warp_pc(&sl->w), now + s->c->fetch_start_cycles);
    slot_examine(s, sl, now);
}

void block_start(struct sm *s, uint32_t block, cycle now)
{
    struct block *b = &s->block[block];
    residency_count(s, now);
    s->resident_warps += b->nwarp;
    b->started = true;
    record_block(s, b, true, now);
    for (uint32_t k = 0; k < b->nwarp; k++) {
        place_warp(s, b, k);
        start_warp(s, b->slot_of[k], now);
    }
}

/* ---- end ----------------------------------------------------------------------------------------- */
/* drained: cycles since its last instruction. */
static void send_done(struct sm *s, const struct block *b, cycle drained, cycle now)
{
    struct message m = {.time = now,
                        .source = s->smid,
                        .seq = s->out_seq++,
                        .dest = s->hub,
                        .tag = b->launch,
                        .payload = PAYLOAD_NONE,
                        .wire_bytes = (uint16_t)(drained < UINT16_MAX ? drained : UINT16_MAX),
                        .kind = MSG_BLOCK_DONE,
                        .addr = b->number};
    msgbox_push(&s->out, m);
}

/* The next block is on its way while the last one's stores drain. Blocks that have no successor are done when they are:
 * the launch ends with them. */
void block_tell(struct sm *s, struct block *b, cycle now)
{
    const struct launch_state *ls = s->launches[b->launch];
    uint64_t resident = (uint64_t)ls->occupancy.blocks * s->c->nsm;
    if (b->number + resident >= ls->nblock)
        return;
    b->told = true;
    s->told++;
    send_done(s, b, 0, now);
}

/* Stores of its warps that L2 has not answered. */
static bool block_writes(const struct sm *s, const struct block *b)
{
    return (lsu_writing_warps(s->lsu) & b->slots) != 0;
}

static void block_end(struct sm *s, struct block *b, cycle now)
{
    cycle last = 0; /* exit of its last warp */
    for (uint32_t k = 0; k < b->nwarp; k++) {
        struct slot *sl = &s->slot[b->slot_of[k]];
        last = sl->since > last ? sl->since : last;
        registers_give(s, sl);
        sl->state = SLOT_FREE;
        s->free_slots |= (uint64_t)1 << b->slot_of[k];
    }
    shared_give(s, b);
    record_block(s, b, false, now);
    if (b->told)
        s->told--;
    else
        send_done(s, b, now - last - 1, now);
    b->used = false;
    s->resident_blocks--;
    if (s->nearly)
        launch_early(s, now);
}

void warp_end(struct sm *s, uint32_t slot, cycle now)
{
    struct slot *sl = &s->slot[slot];
    struct block *b = &s->block[sl->block];
    uint64_t after = now - sl->since - 1, branch = after < s->c->exit_branch_cycles ? after : s->c->exit_branch_cycles;
    sl->pcs[sl->exit_pc].stall[STALL_branch_resolving] += branch;
    sl->pcs[sl->exit_pc].stall[STALL_drain] += after - branch;
    residency_count(s, now);
    s->resident_warps--;
    sl->state = SLOT_DONE;
    sl->life++;
    if (--b->unfinished == 0) {
        if (b->told || !block_writes(s, b))
            block_end(s, b, now);
        else
            s->flushing |= (uint64_t)1 << (b - s->block);
    }
}

/* Blocks whose warps have ended, and whose last stores have been answered now. */
void blocks_flushed(struct sm *s, cycle now)
{
    for (uint64_t m = s->flushing; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m);
        if (!block_writes(s, &s->block[i])) {
            s->flushing &= ~((uint64_t)1 << i);
            block_end(s, &s->block[i], now);
        }
    }
}
