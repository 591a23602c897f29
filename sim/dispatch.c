/* What issuing an instruction does: it is executed, its unit and operand ports are taken, its dependence counters go
 * up, its results get a ready time, and the warp learns when it may go on. */
#include "sim/races.h"
#include "sim/sm_core.h"

static bool visible_counters_hold(const struct sm *s, struct slot *sl, const struct idesc *d, cycle now)
{
    if (!sl->fresh || now < slot_fresh_until(s, sl))
        return false;
    sl->fresh = 0;
    if (!slot_sb_waits(sl, d, 0))
        return false;
    slot_park(sl);
    return true;
}

/* Constant operands of fixed-latency instructions come from the level-0 constant cache; a miss holds the warp. */
APART static bool constant_holds(struct sm *s, struct slot *sl, const struct idesc *d, uint32_t pc, cycle now)
{
    if (sl->imc_pc == pc)
        return false;
    cycle r = lsu_constant(s->lsu, now, sl->subcore, d->const_bank, d->const_offset + sl->w.ureg[d->const_ureg]);
    if (r <= now)
        return false;
    sl->imc_pc = pc;
    slot_hold(sl, STALL_imc_miss, r);
    slot_park(sl);
    subcore_queue(s, sl, r, now);
    return true;
}

/* What is counted for each instruction and summed elsewhere: tally.c. */
static void count_issue(struct sm *s, struct slot *sl, uint32_t pc, lanemask active, const struct issue *is)
{
    struct sm_counters *n = &s->counters;
    struct pc_counters *p = &sl->pcs[pc];
    uint32_t lanes = lane_count(active), on = is->exec == active ? lanes : lane_count(is->exec);
    p->executed++;
    p->thread_executed += lanes;
    p->thread_pred_on += on;
    if (is->branch) {
        n->branches++;
        n->branches_uniform += !is->diverged;
        p->divergent += is->diverged;
    }
    if (is->idle)
        p->doubt[DOUBT_IDLE_LANE] += lane_count(is->idle);
}

/* A memory instruction whose lanes are all off does not reach memory, but its counters go up and down. */
static void finish_later(struct sm *s, uint32_t slot, const struct idesc *d, uint32_t pc, cycle sources, cycle result)
{
    struct slot *sl = &s->slot[slot];
    if (d->flags & D_SCHED ? d->rd_sb < NSB : d->nread > 0) {
        sb_raise(sl, d->rd_sb, d->flags & D_LONG);
        if (!(d->flags & D_SCHED))
            sources_held(sl, d, true);
        sm_event(s, sources, EV_SOURCES, slot, pc);
    }
    sb_raise(sl, d->wr_sb, d->flags & D_LONG);
    sm_event(s, result, EV_RESULT, slot, pc);
}

enum { ARV = 1 }; /* value of BARMODE in ops.def: arrives and does not wait */
static void after_bar(struct sm *s, struct slot *sl, uint32_t pc, const struct effect *e, cycle now)
{
    if (e->mask != sl->w.live)
        fault_text(s, now, sl, pc,
                   "barrier reached by part of the warp only (lanes %#llx of %#llx): the others cannot meet it",
                   (unsigned long long)e->mask, (unsigned long long)sl->w.live);
    else if (e->inst->mod[MOD_BARMODE] != ARV) {
        sl->state = SLOT_BARRIER;
        sl->bar_pc = pc;
        sl->bar_open = NEVER;
    }
}

/* MATCH.ANY compares with one value after another: as many turns as the lanes have values, each of which shows in the
 * result as a mask that begins with its first lane. */
static uint32_t match_turns(const struct warp *w, const struct inst *in, lanemask exec)
{
    uint32_t turns = 0;
    const struct operand *d = &in->opd[1];
    if (in->mod[MOD_MATCH] == 0 || d->kind != OPD_REG || d->reg == RZ)
        return 1;
    for (lanemask m = exec; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m), mask = w->reg[(size_t)d->reg * w->env->nlane + lane];
        turns += mask && lane < 32 ? (uint32_t)__builtin_ctz(mask) == lane : 0;
    }
    return turns ? turns : 1;
}

APART static void to_lsu(struct sm *s, uint32_t slot, const struct idesc *d, const struct inst *in, uint32_t pc,
                         lanemask exec, struct effect *e, cycle now)
{
    struct slot *sl = &s->slot[slot];
    if (e->kind == EFF_NONE && d->effect == EFF_VARIABLE && exec) {
        e->kind = EFF_VARIABLE;
        e->inst = in;
        e->op = in->op;
        e->mask = exec;
        e->bytes = 4;
        e->space = SPACE_COUNT;
        if (in->op == OP_MATCH)
            e->value = match_turns(&sl->w, in, exec);
    }
    results_pending(sl, d, pc, NEVER, exec);
    if (e->kind == EFF_NONE || exec == 0) {
        finish_later(s, slot, d, pc, now + s->c->lsu_war_cycles, now + s->c->lsu_war_cycles);
        return;
    }
    sb_raise(sl, d->rd_sb, d->flags & D_LONG);
    sb_raise(sl, d->wr_sb, d->flags & D_LONG);
    if (!(d->flags & D_SCHED))
        sources_held(sl, d, true);
    if (e->kind == EFF_BARRIER)
        after_bar(s, sl, pc, e, now);
    else if (e->kind == EFF_FENCE && fence_parks(d, e->op))
        sl->state = SLOT_FENCE;
    struct block *b = &s->block[sl->block];
    lsu_issue(s->lsu, now, sl->subcore, slot, pc, e, b->shared, sl->w.env->shared_bytes, sl->w.local,
              sl->w.env->local_bytes);
    if (now + 1 < s->lsu_next)
        s->lsu_next = now + 1;
}

/* Units with their own queue or an uncertain time: the result is announced by an event. */
APART static cycle variable_latency(struct sm *s, uint32_t slot, const struct idesc *d, uint32_t pc, lanemask exec,
                                    const struct effect *e, cycle now)
{
    struct slot *sl = &s->slot[slot];
    struct subcore *sc = &s->sc[sl->subcore];
    cycle result;
    if (d->effect == EFF_CONST) {
        unit_take(s, sc, d, now);
        result = exec ? lsu_constant_indexed(s->lsu, now, sl->subcore, e) : now + d->latency;
        if (result < now + d->latency)
            result = now + d->latency;
    } else if (d->effect == EFF_TENSOR_ASYNC) {
        result = gmma_done(s, sc, sl->local, d, now);
        if (sl->w.warp_in_block % 4 == 0) { /* counted once a warpgroup */
            s->counters.shared_wavefronts += d->shared_reads;
            s->counters.shared_wavefronts_ideal += d->shared_reads;
        }
        if (d->flags & D_GROUP) {
            sb_raise(sl, SB_GROUP, false);
            sm_event(s, result, EV_GROUP, slot, pc);
        }
    } else if (d->unit == UNIT_XU) {
        result = xu_done(s, sc, d, now);
    } else if (d->of_sm) {
        result = redux_done(s, sc, d, now);
    } else {
        unit_take(s, sc, d, now);
        result = now + d->latency;
    }
    results_pending(sl, d, pc, NEVER, exec);
    finish_later(s, slot, d, pc, now + s->c->lsu_war_cycles, result);
    return result;
}

static cycle fixed_latency(struct sm *s, struct slot *sl, const struct idesc *d, uint32_t pc, lanemask exec, cycle now)
{
    struct subcore *sc = sl->sc;
    unit_take(s, sc, d, now);
    /* (measured: micro_modulo's compare. What no lane executes reads nothing) */
    if (exec && (d->ports > 1 || d->reuse || sc->reuse_valid & d->places || (d->ports && sc->backlog > now))) {
        uint32_t late = operands_read(s, sc, sl->local, d, now);
        if (late)
            sc->dispatch_free = now + 1 + late;
        if (d->unit == UNIT_FP64)
            sc->input_free[UNIT_FP64] = sc->unit_free[UNIT_FP64] += late; /* it begins when its last operand is there */
    }
    /* The second pass of a long multiplication takes the dispatch stage from all warps (measured: micro_modulo, where a
     * fourth of the H200's cycles an instruction are dispatch_stall, and imad_wide_add64 of micro_rate). */
    if (d->older && exec && sc->dispatch_free < now + 1 + s->c->wide_issue_cycles)
        sc->dispatch_free = now + 1 + s->c->wide_issue_cycles;
    results_pending(sl, d, pc, now + d->latency, exec);
    if (d->wr_sb < NSB || d->rd_sb < NSB)
        finish_later(s, (uint32_t)(sl - s->slot), d, pc, now + s->c->reg_read_window, now + d->latency);
    return now + d->latency;
}

APART static void exited(struct sm *s, uint32_t slot, cycle now)
{
    struct slot *sl = &s->slot[slot];
    struct block *b = &s->block[sl->block];
    subcore_remove(&s->sc[sl->subcore], sl->local);
    b->live--;
    sl->state = SLOT_DRAIN;
    barrier_exit(s, b, now + 1);
    cluster_exit(s, slot, now + 1);
    if (b->live == 0)
        block_tell(s, b, now + 1);
    s->draining |= (uint64_t)1 << slot;
    /* ends in the next cycle at the earliest, so that the cycle of its exit is its own */
    sm_event(s, now + 1 + s->c->exit_branch_cycles + s->c->exit_drain_cycles, EV_DRAIN, slot, 0);
}

static uint64_t global_time(const struct sm *s, cycle now)
{
    return (uint64_t)((double)gpc_clock_time(s->clock, now) * s->ns_per_cycle);
}

/* A coarse timer wakes sleepers: when it comes to a multiple of the power of two nanoseconds above their time, or of
 * half its step. (Measured: of 1,000 ns one after another each takes 1,024, of 200 256, of 64 and of 100 128, of 40 64,
 * of 10 and of 20 two or more times 16; 5,000 take 8,192. Of 0 ns each takes some 74 cycles, whatever the timer says.)
 */
static uint64_t sleep_ns(const struct sm *s, uint64_t ns, cycle now)
{
    uint64_t step = s->c->timer_step_ns, period = step / 2, at = global_time(s, now);
    if (step <= 1)
        return ns;
    if (!ns)
        return (uint64_t)((double)s->c->sleep_zero_cycles * s->ns_per_cycle);
    if (ns >= step)
        for (period = step; period <= ns;)
            period *= 2;
    uint64_t least = at + (uint64_t)((double)s->c->sleep_least_cycles * s->ns_per_cycle);
    return (least / period + 1) * period - at;
}

/* Own cycles. */
static cycle cycles_of(const struct sm *s, uint64_t ns, cycle now)
{
    cycle end = gpc_clock_time(s->clock, now) + (cycle)((double)ns / s->ns_per_cycle);
    return gpc_clock_own(s->clock, end) - now;
}

static cycle nap_cycles(const struct sm *s, uint64_t ns, cycle now)
{
    return cycles_of(s, sleep_ns(s, ns, now), now);
}

static void sleep_for(struct sm *s, struct slot *sl, const struct effect *e, cycle now)
{
    const struct inst *in = e->inst;
    uint64_t ns = e->value;
    cycle cycles = cycles_of(s, ns, now);
    if (!in->mod[MOD_NSYNCS] && ns < s->c->timer_step_ns && in->opd[1].kind == OPD_REG)
        ns = 0; /* less than a step of the timer in a register is none (measured, like 0 in the instruction) */
    sl->nap_ns = in->mod[MOD_NSYNCS] ? 0 : (uint32_t)ns;
    if (!in->mod[MOD_NSYNCS])
        cycles = nap_cycles(s, ns, now);
    else if (cycles > s->c->sync_sleep_cycles)
        cycles = s->c->sync_sleep_cycles; /* between two tests of an mbarrier */
    cycle wake = now + 1 + cycles;
    sl->w.wake = wake < sl->w.wake ? wake : sl->w.wake;
}

/* After a test that said no a warp has done nothing yet; these are things that others can see. */
static bool acts(const struct effect *e)
{
    switch (e->kind) {
    case EFF_NONE:
    case EFF_VARIABLE:
    case EFF_LOAD:
    case EFF_CONST:
    case EFF_SLEEP:
    case EFF_FENCE:
    case EFF_CACHE:
    case EFF_DEPBAR:
        return false;
    case EFF_MBARRIER:
        return e->op != OP_SYNCS || e->inst->opd[0].kind != OPD_PRED;
    default:
        return true;
    }
}

APART static void order(struct sm *s, uint32_t slot, const struct idesc *d, cycle now)
{
    if (d->flags & D_ORDERS_BLOCK)
        races_block_met(s->races, s->block[s->slot[slot].block].slots, now);
    else
        races_warp_met(s->races, slot, now);
}

APART static void record_issue(struct sm *s, const struct slot *sl, uint32_t pc, lanemask exec, uint32_t waited,
                               uint8_t reason, cycle now)
{
    s->issues = grow(s->issues, s->nissue, &s->issue_cap, sizeof *s->issues);
    s->issues[s->nissue++] = (struct issue_record){.time = gpc_clock_time(s->clock, now),
                                                   .pc = pc,
                                                   .waited = waited,
                                                   .exec = exec,
                                                   .launch = sl->launch,
                                                   .warp = (uint8_t)(sl - s->slot),
                                                   .reason = reason};
}

/* Barriers of clusters, sleep, and what has no result to wait for. */
APART static cycle other_effects(struct sm *s, struct slot *sl, const struct idesc *d, uint32_t pc, lanemask exec,
                                 const struct effect *e, cycle now)
{
    uint32_t slot = (uint32_t)(sl - s->slot);
    unit_take(s, sl->sc, d, now);
    if (d->effect == EFF_CLUSTER && exec && d->inst->op == OP_UCGABAR_ARV)
        cluster_arrive(s, slot, now);
    else if (d->effect == EFF_CLUSTER && exec && cluster_waits(s, slot))
        sl->state = SLOT_CLUSTER;
    if (d->effect == EFF_SLEEP && exec)
        sleep_for(s, sl, e, now);
    if (d->wr_sb < NSB || d->rd_sb < NSB)
        finish_later(s, slot, d, pc, now + d->latency, now + d->latency);
    return now + d->latency;
}

/* Returns when a result that does not come through the LSU is ready. */
static cycle effects(struct sm *s, struct slot *sl, const struct idesc *d, uint32_t pc, lanemask exec, struct effect *e,
                     cycle now)
{
    if (d->flags & D_FIXED)
        return fixed_latency(s, sl, d, pc, exec, now);
    uint32_t slot = (uint32_t)(sl - s->slot);
    if (d->flags & D_LSU) {
        to_lsu(s, slot, d, d->inst, pc, exec, e, now);
        return now;
    }
    if (d->effect == EFF_VARIABLE || d->effect == EFF_CONST || d->effect == EFF_TENSOR_ASYNC)
        return variable_latency(s, slot, d, pc, exec, e, now);
    return other_effects(s, sl, d, pc, exec, e, now);
}

/* What a branch costs beyond its stall count and a redirected fetch: the profiler's branch_resolving. */
APART static void resolve_branch(const struct sm *s, struct slot *sl, const struct idesc *d, bool redirected,
                                 bool apart, cycle now)
{
    cycle untaken = now + s->c->untaken_cycles, taken = slot_until(sl, STALL_branch_resolving);
    if (d->branch == JUMPS && !redirected)
        slot_hold(sl, STALL_branch_resolving, untaken);
    else if (d->branch >= MEETS && (apart || sl->w.nsplit > 1))
        slot_hold(sl, STALL_branch_resolving, (redirected ? taken : untaken) + s->c->rejoin_cycles);
    else if (d->branch == MEETS) /* lanes that were never apart meet as slowly */
        slot_hold(sl, STALL_branch_resolving, now + s->c->cbu_latency_cycles + s->c->rejoin_cycles);
}

/* By how many cycles the running path's next instruction is later, because of what it was chosen from. */
static uint32_t path_start_cycles(const struct config *c, const struct warp *w)
{
    return w->start == START_CHOSEN ? c->choose_path_cycles : w->start == START_AGAIN ? c->path_again_cycles : 0;
}

/* By how many cycles a target is known later than a direct branch's. Addresses in registers go through a unit that all
 * sub-cores share. */
APART static uint32_t target_late(struct sm *s, const struct slot *sl, bool indirect, cycle now)
{
    uint32_t late = path_start_cycles(s->c, &sl->w);
    if (!indirect)
        return late;
    cycle begins = s->indirect_free > now ? s->indirect_free : now;
    s->indirect_free = begins + s->c->indirect_interval_cycles;
    return late + (uint32_t)(begins - now) + s->c->indirect_cycles;
}

/* No path of it is awake. Returns when it is known which of them goes on. */
APART static cycle all_asleep(struct sm *s, struct slot *sl, const struct idesc *d, cycle now)
{
    cycle again = d->effect == EFF_SLEEP ? 0 : now + 1 + nap_cycles(s, sl->nap_ns, now);
    again = again > sl->w.wake ? again : sl->w.wake;
    slot_hold(sl, STALL_sleeping, again);
    sl->w.wake = UINT64_MAX;
    sl->w.asleep = false;
    /* without the timer, who goes on is chosen after it (measured: micro_flow) */
    return sl->w.nsplit > 1 && !sl->nap_ns ? again : now;
}

/* Where the warp goes from here. */
static void go_on(struct sm *s, struct slot *sl, const struct idesc *d, uint32_t pc, bool apart, bool jumped, cycle now)
{
    sl->since = now;
    sl->sc->greedy_until = d->yield ? 0 : now + d->stall + 1;
    sl->wait = now + d->stall;
    sl->imc_pc = UINT32_MAX;
    sl->ready = NEVER;
    if (warp_done(&sl->w)) {
        sl->exit_pc = pc;
        exited(s, (uint32_t)(sl - s->slot), now);
        return;
    }
    if (warp_blocked(&sl->w)) {
        sl->state = SLOT_STUCK;
        return;
    }
    cycle awake = sl->w.asleep ? all_asleep(s, sl, d, now) : now;
    uint32_t next = warp_pc(&sl->w);
    bool redirected = next != pc + 1 || jumped || sl->w.start != START_ON; /* also to the next instruction */
    if (redirected || !fetch_goes_on(s, sl, next))
        fetch_follow(s, sl, next, redirected, target_late(s, sl, jumped, now), awake);
    if (d->branch)
        resolve_branch(s, sl, d, redirected, apart, now);
    sl->w.start = START_ON;
    const struct idesc *following = &sl->desc[next];
    if (following->head != sl->head)
        slot_head_changed(sl, following->head);
    slot_examine(s, sl, now + 1);
}

/* Results that `hazards: stale` keeps from view; those of the LSU come late by themselves, shuffles and the like are
 * left out. */
static bool held_back(const struct idesc *d)
{
    return (d->flags & D_SCHED) && d->nwrite && !(d->flags & (D_LSU | D_BRANCH)) &&
           (d->flags & D_FIXED || d->effect == EFF_VARIABLE);
}

enum issue_outcome slot_issue(struct sm *s, struct slot *sl, cycle now)
{
    struct subcore *sc = sl->sc;
    uint32_t pc = warp_pc(&sl->w);
    const struct idesc *d = &sl->desc[pc];
    if (visible_counters_hold(s, sl, d, now))
        return REFUSED_WARP;
    if ((d->flags & D_LSU) && !lsu_can_issue(s->lsu, sl->subcore, d->inst, now))
        return REFUSED_LSU;
    if ((d->flags & D_CONST) && constant_holds(s, sl, d, pc, now))
        return REFUSED_WARP;
    if (d->flags & D_SCHED && s->c->hazards == HAZARDS_FAULT && !hazard_free(s, sl, d, now))
        return REFUSED_WARP;
    uint64_t waited = now - sl->since - 1;
    enum stall reason = waited ? slot_account(s, sl, now) : STALL_selected;
    sc->ready &= ~((uint64_t)1 << sl->local);
    sl->fresh = 0;
    lanemask active = warp_active(&sl->w);
    if (s->stale)
        stale_forward(s, sl, d, now);
    struct stale *st = s->stale && held_back(d) ? stale_take(s) : NULL;
    if (st)
        stale_save(sl, d, st);
    struct effect effect; /* here and not in the SM or the LSU: these lines stay in the host's caches */
    struct issue is;      /* its text is filled by a fault only */
    is.now = now;
    is.idle = 0;
    is.fault = is.branch = is.diverged = false;
    is.globaltimer_ns = d->special ? global_time(s, now) / s->c->timer_step_ns * s->c->timer_step_ns : 0;
    is.effect = &effect;
    is.effect->kind = EFF_NONE;
    is.effect->mask = 0;
    bool apart = sl->w.nsplit > 1;
    warp_issue(&sl->w, &is);
    if (d->flags & D_ORDERS)
        order(s, (uint32_t)(sl - s->slot), d, now);
    if (is.fault) {
        fault_text(s, now, sl, pc, "%s", is.why);
        return ISSUED;
    }
    if (s->record)
        record_issue(s, sl, pc, is.exec, (uint32_t)waited, (uint8_t)reason, now);
    count_issue(s, sl, pc, active, &is);
    if (sl->futile && acts(is.effect))
        sl->futile = false;
    cycle ready = effects(s, sl, d, pc, is.exec, is.effect, now);
    if (st)
        stale_hold(s, sl, st, pc, ready, is.exec);
    if (!s->halted)
        go_on(s, sl, d, pc, apart, d->indirect && is.exec, now);
    return ISSUED;
}
