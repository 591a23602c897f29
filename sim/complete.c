/* What comes back: dependence counters going down, results, and the SM's own events. */
#include "sim/sm_core.h"

void sm_event(struct sm *s, cycle when, enum event_kind kind, uint32_t slot, uint32_t arg)
{
    uint64_t life = kind == EV_START ? 0 : s->slot[slot].life;
    struct event e = {
        .time = when, .key = s->event_seq++, .value = (uint64_t)kind << 56 | life << 48 | (uint64_t)slot << 32 | arg};
    eventq_push(&s->events, e);
    if (when < s->event_next)
        s->event_next = when;
}

void sb_raise(struct slot *sl, uint8_t sb, bool is_long)
{
    if (sb >= NCOUNTER)
        return;
    uint8_t bit = (uint8_t)(1u << sb);
    if (sl->sb_count[sb] < 255)
        sl->sb_count[sb]++;
    sl->sb_busy |= bit;
    sl->fresh |= bit;
    sl->sb_long = (uint8_t)(is_long ? sl->sb_long | bit : sl->sb_long & ~bit);
}

/* It waits for what its next instruction needs, not for a barrier. */
static bool goes_on(const struct slot *sl)
{
    return sl->state == SLOT_RUN ||
           (sl->state == SLOT_BARRIER && (sl->bar_open != NEVER || sl->desc[warp_pc(&sl->w)].passes_bar));
}

static void wake(struct sm *s, uint32_t slot, enum stall reason, cycle now)
{
    struct slot *sl = &s->slot[slot];
    if (!goes_on(sl))
        return;
    slot_hold(sl, reason, now);
    if (sl->ready == NEVER)
        slot_examine(s, sl, now);
}

void sb_lower(struct sm *s, uint32_t slot, uint8_t sb, cycle now)
{
    struct slot *sl = &s->slot[slot];
    if (sb >= NCOUNTER || sl->sb_count[sb] == 0)
        return;
    uint8_t bit = (uint8_t)(1u << sb);
    if (--sl->sb_count[sb] == 0)
        sl->sb_busy &= (uint8_t)~bit;
    if (!goes_on(sl))
        return;
    const struct idesc *d = &sl->desc[warp_pc(&sl->w)];
    bool waits = (d->wait | d->depbar_list) & bit || ((d->flags & D_DEPBAR) && d->depbar_sb == sb);
    if (waits)
        wake(s, slot,
             sb == SB_GROUP      ? STALL_gmma
             : sl->sb_long & bit ? STALL_long_scoreboard
                                 : STALL_short_scoreboard,
             now);
}

void complete_result(struct sm *s, uint32_t slot, uint32_t pc, cycle now)
{
    struct slot *sl = &s->slot[slot];
    const struct idesc *d = &sl->desc[pc];
    results_arrive(sl, d, now);
    if (d->wr_sb < NSB)
        sb_lower(s, slot, d->wr_sb, now);
    if (!(d->flags & D_SCHED) && sl->ready == NEVER)
        wake(s, slot, d->flags & D_LONG ? STALL_long_scoreboard : STALL_short_scoreboard, now);
}

void complete_sources(struct sm *s, uint32_t slot, uint32_t pc, cycle now)
{
    struct slot *sl = &s->slot[slot];
    const struct idesc *d = &sl->desc[pc];
    if (d->effect == EFF_ATOMIC)
        predicates_arrive(sl, d, now);
    if (d->flags & D_SCHED) {
        sb_lower(s, slot, d->rd_sb, now);
        return;
    }
    sources_held(sl, d, false);
    if (sl->ready == NEVER)
        wake(s, slot, d->flags & D_LONG ? STALL_long_scoreboard : STALL_short_scoreboard, now);
}

static void fence_done(struct sm *s, uint32_t slot, cycle now)
{
    struct slot *sl = &s->slot[slot];
    if (sl->state != SLOT_FENCE)
        return;
    sl->state = SLOT_RUN;
    slot_hold(sl, STALL_membar, now);
    slot_examine(s, sl, now);
}

/* What a warp learns from a test of an mbarrier, for the watchdog. */
static void note_test(struct slot *sl, const struct effect *e)
{
    bool test = e->op == OP_SYNCS && e->inst->opd[0].kind == OPD_PRED;
    sl->futile = test && e->value != e->mask;
    if (sl->futile)
        sl->futile_at = (uint32_t)e->addr[__builtin_ctzll(e->mask & ~e->value)];
}

static void complete_one(struct sm *s, const struct completion *c, cycle now)
{
    struct effect *e = lsu_effect(s->lsu, c->effect);
    struct slot *sl = &s->slot[c->warp];
    uint32_t pc = (uint32_t)(e->inst - sl->ls->launch.kernel->code);
    if (c->kind == COMPLETE_SOURCES) {
        complete_sources(s, c->warp, pc, now);
        return;
    }
    if (c->kind == COMPLETE_GROUP && e->op == OP_ARRIVES)
        lsu_copies_arrive(s->lsu, now, c->effect);
    if (c->kind == COMPLETE_RESULT && (e->kind == EFF_LOAD || e->kind == EFF_ATOMIC || e->kind == EFF_MBARRIER))
        isa_complete(&sl->w, e);
    if (e->kind == EFF_BULK_COPY)
        lsu_bulk_done(s->lsu, now, c->effect);
    if (e->kind == EFF_MBARRIER)
        note_test(sl, e);
    complete_result(s, c->warp, pc, now);
    if (c->kind == COMPLETE_BARRIER)
        barrier_arrive(s, c->warp, e, now);
    else if (c->kind == COMPLETE_FENCE && fence_parks(&sl->desc[pc], e->op))
        fence_done(s, c->warp, now);
    lsu_effect_free(s->lsu, c->effect);
}

void complete_all(struct sm *s, cycle now)
{
    struct completion c;
    while (!s->halted && lsu_pop(s->lsu, now, &c))
        complete_one(s, &c, now);
}

static void event_due(struct sm *s, const struct event *e)
{
    uint32_t slot = event_slot(e), arg = (uint32_t)e->value;
    enum event_kind kind = event_kind_of(e);
    if (kind == EV_START) {
        block_start(s, arg, e->time);
        return;
    }
    if (kind == EV_STALE && s->slot[slot].life != (uint8_t)(e->value >> 48)) {
        stale_drop(s, arg);
        return;
    }
    if (s->slot[slot].life != (uint8_t)(e->value >> 48))
        return;
    switch (kind) {
    case EV_READY:
        subcore_queue(s, &s->slot[slot], e->time, e->time);
        break;
    case EV_RESULT:
        complete_result(s, slot, arg, e->time);
        break;
    case EV_SOURCES:
        complete_sources(s, slot, arg, e->time);
        break;
    case EV_GROUP:
        sb_lower(s, slot, SB_GROUP, e->time);
        break;
    case EV_STALE:
        stale_apply(s, slot, arg);
        break;
    default:
        break;
    }
}

void events_due(struct sm *s, cycle now)
{
    struct event e;
    while (eventq_peek(&s->events, &e) && e.time <= now) {
        e = eventq_pop(&s->events);
        event_due(s, &e);
    }
    s->event_next = eventq_peek(&s->events, &e) ? e.time : NEVER;
}

/* Warps that have exited end when nothing of theirs is outstanding. */
void slot_drain_check(struct sm *s, cycle now)
{
    for (uint64_t m = s->draining & ~lsu_active_warps(s->lsu); m; m &= m - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(m);
        if (now > s->slot[slot].since + s->c->exit_branch_cycles + s->c->exit_drain_cycles) {
            s->draining &= ~((uint64_t)1 << slot);
            warp_end(s, slot, now);
        }
    }
    if (s->flushing)
        blocks_flushed(s, now);
}
