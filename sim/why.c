/* What holds a warp: asked by the report, the viewer and the watchdog. */
#include "sim/sm_core.h"

static const uint8_t timed[] = {
    STALL_wait,           STALL_short_scoreboard, STALL_long_scoreboard, STALL_imc_miss, STALL_branch_resolving,
    STALL_no_instruction, STALL_barrier,          STALL_membar,          STALL_sleeping, STALL_gmma,
    STALL_misc,
};

static enum stall counter_reason(const struct slot *sl)
{
    const struct idesc *d = &sl->desc[warp_pc(&sl->w)];
    uint8_t waited = d->wait | d->depbar_list;
    if (d->flags & D_DEPBAR)
        waited |= (uint8_t)(1u << d->depbar_sb);
    return sl->sb_busy & waited & ~sl->sb_long ? STALL_short_scoreboard : STALL_long_scoreboard;
}

/* Without scheduling fields: the writer of the first register that is not there. */
static enum stall register_reason(const struct slot *sl)
{
    const struct idesc *d = &sl->desc[warp_pc(&sl->w)];
    for (uint32_t i = 0; i < d->nread; i++)
        for (uint32_t k = 0; k < d->read[i].count; k++) {
            uint32_t key = d->read[i].first + k;
            if (sl->reg[key].ready == NEVER)
                return sl->desc[sl->reg[key].writer & ~REG_PARTIAL].flags & D_LONG ? STALL_long_scoreboard
                                                                                   : STALL_short_scoreboard;
        }
    return STALL_long_scoreboard;
}

static enum stall shared_reason(const struct sm *s, const struct slot *sl)
{
    const struct subcore *sc = &s->sc[sl->subcore];
    if (sc->blocked & 1u << CLASS_DISPATCH)
        return STALL_dispatch_stall;
    if (sl->head == UNIT_LSU && sc->blocked & (1u << CLASS_MIO | 1u << CLASS_LG))
        return sc->blocked & 1u << CLASS_LG ? STALL_lg_throttle : STALL_mio_throttle;
    if (sc->blocked & 1u << sl->head)
        return sl->head == UNIT_XU ? STALL_mio_throttle : STALL_math_pipe_throttle;
    return sc->ready >> sl->local & 1 ? STALL_not_selected : STALL_selected;
}

static enum stall running_reason(const struct sm *s, const struct slot *sl, cycle now)
{
    for (size_t i = 0; i < sizeof timed; i++)
        if (slot_until(sl, timed[i]) > now)
            return (enum stall)timed[i];
    if (sl->ready != NEVER)
        return shared_reason(s, sl);
    return sl->desc[warp_pc(&sl->w)].flags & D_SCHED ? counter_reason(sl) : register_reason(sl);
}

struct why sm_warp_why(const struct sm *s, uint32_t warp, cycle now)
{
    const struct slot *sl = &s->slot[warp];
    struct why y = {.reason = STALL_misc};
    if (sl->state == SLOT_FREE || sl->state == SLOT_DONE)
        return y;
    y.resident = true;
    y.pc = sl->state == SLOT_DRAIN ? sl->exit_pc : warp_pc(&sl->w);
    y.active = sl->state == SLOT_DRAIN ? 0 : warp_active(&sl->w);
    switch ((enum slot_state)sl->state) {
    case SLOT_BARRIER: /* it may still have something to do */
        y.reason = sl->ready == NEVER ? STALL_barrier : running_reason(s, sl, now);
        break;
    case SLOT_CLUSTER:
        y.reason = STALL_barrier;
        break;
    case SLOT_FENCE:
        y.reason = STALL_membar;
        break;
    case SLOT_DRAIN:
        y.reason = STALL_drain;
        break;
    case SLOT_RUN:
        y.reason = running_reason(s, sl, now);
        break;
    default:
        break;
    }
    return y;
}

void sm_warp_view_get(const struct sm *s, uint32_t warp, cycle now, struct warp_view *v)
{
    const struct slot *sl = &s->slot[warp];
    struct why y = sm_warp_why(s, warp, now);
    *v = (struct warp_view){.resident = y.resident, .reason = (uint8_t)y.reason, .pc = y.pc, .active = y.active};
    if (!y.resident)
        return;
    v->block = (uint32_t)s->block[sl->block].number;
    v->launch = sl->launch;
    v->live = sl->w.live;
    v->nsplit = sl->w.nsplit;
    for (uint32_t i = 0; i < sl->w.nsplit && i < ARRAY_LEN(v->split); i++) {
        v->split[i].pc = sl->w.split[i].pc;
        v->split[i].mask = sl->w.split[i].mask;
    }
}

/* ---- no progress --------------------------------------------------------------------------------- */
static void add_mbarrier(struct sb *out, const struct sm *s, const struct slot *sl)
{
    uint32_t at = sl->futile_at - arch_info(sl->w.env->arch)->shared_base;
    uint64_t word;
    memcpy(&word, s->block[sl->block].shared + at, sizeof word);
    uint32_t pending = mbarrier_pending(word), of = mbarrier_expected(word);
    sb_addf(out, "waits for the mbarrier at shared address 0x%x: ", sl->futile_at);
    if (mbarrier_tx(word))
        sb_addf(out, "%d bytes and ", mbarrier_tx(word));
    sb_addf(out, "%u of %u arrivals are missing in phase %u; it is at ", pending > of ? 0 : pending, of,
            mbarrier_phase(word));
}

static void add_stuck_warp(struct sb *out, const struct sm *s, const struct slot *sl)
{
    const struct warp *w = &sl->w;
    sb_addf(out, "  SM %u block (%u,%u,%u) warp %u: ", s->smid, w->ctaid[0], w->ctaid[1], w->ctaid[2],
            w->warp_in_block);
    if (sl->state == SLOT_STUCK) {
        sb_add(out, "its lanes wait for each other:");
        for (uint32_t i = 0; i < w->nsplit; i++) {
            sb_addf(out, "\n    lanes 0x%llx at ", (unsigned long long)w->split[i].mask);
            add_instruction(out, sl->ls, w->split[i].pc);
        }
        sb_add(out, "\n");
        return;
    }
    uint32_t pc = warp_pc(w);
    if (sl->futile) {
        add_mbarrier(out, s, sl);
        add_instruction(out, sl->ls, pc);
        sb_add(out, "\n");
        return;
    }
    if (sl->state == SLOT_BARRIER || sl->state == SLOT_CLUSTER)
        pc = sl->state == SLOT_BARRIER ? sl->bar_pc : pc ? pc - 1 : 0;
    sb_add(out, sl->state == SLOT_CLUSTER   ? "waits at the cluster barrier of "
                : sl->state == SLOT_BARRIER ? "waits at the barrier of "
                                            : "waits for a dependence counter that nobody lowers, at ");
    add_instruction(out, sl->ls, pc);
    sb_add(out, "\n");
}

static void add_barriers(struct sb *out, const struct sm *s, const struct block *b)
{
    for (uint32_t i = 0; i < NBAR; i++)
        if (b->bar[i].arrived) {
            const struct warp *w = &s->slot[b->slot_of[0]].w;
            sb_addf(out, "  SM %u block (%u,%u,%u): barrier %u has %u of %u warps", s->smid, w->ctaid[0], w->ctaid[1],
                    w->ctaid[2], i, b->bar[i].arrived, b->bar[i].need ? b->bar[i].need : b->live);
            sb_addf(out, ", %u warp(s) of the block have exited\n", b->nwarp - b->live);
        }
}

/* Nothing that this warp can still do by itself changes anything that others see. */
static bool slot_held(const struct slot *sl)
{
    if (sl->state == SLOT_CLUSTER || sl->state == SLOT_STUCK)
        return true;
    return (sl->state == SLOT_RUN || sl->state == SLOT_BARRIER) && (sl->ready == NEVER || sl->futile);
}

bool sm_only_waits(const struct sm *s)
{
    for (uint32_t i = 0; i < NSLOT; i++) {
        const struct slot *sl = &s->slot[i];
        if (sl->state != SLOT_FREE && sl->state != SLOT_DONE && !slot_held(sl))
            return false;
    }
    return s->event_next == NEVER && lsu_only_waits(s->lsu) && s->in.head == s->in.n;
}

bool sm_describe_stuck(struct sm *s, struct sb *out)
{
    if (!s->resident_warps || !sm_only_waits(s))
        return false;
    uint32_t told = 0;
    for (uint32_t i = 0; i < NBLOCK; i++)
        if (s->block[i].used)
            add_barriers(out, s, &s->block[i]);
    for (uint32_t i = 0; i < NSLOT; i++)
        if (s->slot[i].state == SLOT_BARRIER || s->slot[i].state == SLOT_CLUSTER || s->slot[i].state == SLOT_STUCK ||
            s->slot[i].state == SLOT_RUN)
            if (told++ < 8)
                add_stuck_warp(out, s, &s->slot[i]);
    if (told > 8)
        sb_addf(out, "  SM %u: and %u more warps\n", s->smid, told - 8);
    return true;
}
