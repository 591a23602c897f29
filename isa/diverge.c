/* Divergence since Volta: paths (pc, lanes) with convergence barriers and forward progress; the pre-Volta stack.
 *
 * What an H200 does, found with kernels in which each lane notes the places that it passes, the lanes beside it and the
 * clock (tests/data/paths.h200.txt), and with the profiler's counts of instructions and lanes over 70 kernels:
 *
 * - Of a divergent branch the side with fewer lanes runs first, of equal sides the one that falls through.
 * - An indirect branch, call or return goes to the target of its lowest lane; lanes with other targets stay and execute
 *   it again. Of the two parts the smaller runs first, of equal ones that of the lowest lane.
 * - A convergence barrier is one mask of lanes. BSSY sets it, BMOV moves it (from the lowest lane's register), BREAK
 *   takes lanes out. At BSYNC lanes outside the mask go on; the others wait until all of the mask wait or are here.
 * - When a path cannot go on, the other side of the latest divergence follows if no path was chosen since. Otherwise
 *   a place is chosen, and all lanes that are there go on together: also those that wait at that BSYNC, which then
 *   execute it once more, and go on with the others if it is complete.
 * - If no lane is ready, lanes that wait at a BSYNC are chosen, and go on whoever is missing: barriers are for speed,
 *   and those missing may have lost their barrier's mask, yield or sleep.
 *
 * - A barrier whose mask BMOV brought back, as a function does that was called, is passed at the second BSYNC of those
 *   that meet there (recursion: 528,756 instructions here, 528,642 there).
 * - When a path yields or sleeps and nobody else can go on, lanes that wait at a WARPSYNC execute it again, in vain.
 *
 * Not known: which place is chosen when several are possible; the model takes that of the youngest path.
 *
 * The paths form an array in order of age. Code without convergence barriers, and the stack mode, meet at the immediate
 * post-dominator of the branch: an entry of warp.recon names the place and the lanes; stack mode never yields. */
#include "isa/paths.h"

void diverge_start(struct warp *w)
{
    w->nsplit = 1;
    w->cur = 0;
    w->spins = 0;
    w->spin_hash = 0;
    w->split[0] = (struct split){.pc = 0, .mask = w->full, .state = SPLIT_READY, .recon = RECON_NONE};
    w->live = w->full;
    w->picks = 1;
    w->forced = w->asleep = false;
    w->start = START_ON;
    w->restored = 0;
    w->wake = UINT64_MAX;
    if (!w->regions)
        return;
    w->regions = false;
    memset(w->breg, 0, sizeof w->breg);
    memset(w->recon, 0, sizeof w->recon);
}

void path_remove(struct warp *w, uint32_t i)
{
    memmove(&w->split[i], &w->split[i + 1], (w->nsplit - i - 1) * sizeof w->split[0]);
    w->nsplit--;
    if (w->cur > i)
        w->cur--;
}
struct split *path_push(struct warp *w, struct split s)
{
    must(w->nsplit < NSPLIT); /* every split has a lane of its own */
    w->split[w->nsplit] = s;
    return &w->split[w->nsplit++];
}

/* ---- which path runs next -------------------------------------------------------------------------------------- */
static bool waits_at(const struct split *s, uint32_t bsync)
{
    return s->state == SPLIT_BSYNC && s->pc == bsync + 1;
}
/* All that are at the running path's place go on with it. */
static void gather(struct warp *w)
{
    struct split *cur = &w->split[w->cur];
    uint32_t pc = cur->pc;
    for (uint32_t i = w->nsplit; i-- > 0;) {
        struct split *o = &w->split[i];
        bool ready = o->state == SPLIT_READY && !o->alone && o->pc == pc && o->recon == w->split[w->cur].recon;
        if (i == w->cur || !(ready || waits_at(o, pc)))
            continue;
        w->split[w->cur].mask |= o->mask;
        path_remove(w, i);
    }
}
static uint32_t youngest(const struct warp *w, enum split_state state)
{
    uint32_t i = w->nsplit;
    while (i-- > 0 && w->split[i].state != state)
        ;
    return i;
}
static bool run_ready(struct warp *w)
{
    uint32_t i = youngest(w, SPLIT_READY);
    if (i >= w->nsplit)
        return false;
    w->cur = i;
    bool follows = w->split[i].born == w->picks++; /* the other side of the latest divergence */
    if (!follows && !w->split[i].alone && w->nsplit > 1)
        gather(w);
    if (!follows)
        w->start = START_CHOSEN;
    w->split[w->cur].alone = false;
    return true;
}
/* A barrier that is complete without the running path: lanes left it (BREAK) after its others had come. */
static bool complete(const struct warp *w, uint32_t b)
{
    lanemask wait = 0, members = diverge_members(w, b);
    for (uint32_t i = 0; i < w->nsplit; i++)
        if (w->split[i].state == SPLIT_BSYNC && w->split[i].breg == b)
            wait |= w->split[i].mask;
    return members && !(members & ~wait);
}
/* Lanes that wait execute the instruction at which they do once more. */
static void retry(struct warp *w, uint32_t i)
{
    w->cur = i;
    w->split[i].state = SPLIT_READY;
    w->split[i].pc--;
    w->picks++;
    w->start = START_CHOSEN;
}
/* Nobody is ready: lanes at a BSYNC execute it again, and pass whoever is missing; first those who miss nobody. */
static bool force_barrier(struct warp *w)
{
    uint32_t i = youngest(w, SPLIT_BSYNC);
    if (i >= w->nsplit)
        return false;
    for (uint32_t k = w->nsplit; k-- > 0;)
        if (w->split[k].state == SPLIT_BSYNC && complete(w, w->split[k].breg)) {
            i = k;
            break;
        }
    retry(w, i);
    gather(w);
    w->forced = true;
    return true;
}
/* The running path gives way and nobody else can go on: lanes that wait at a WARPSYNC execute it once more, in vain. */
static bool retry_warpsync(struct warp *w)
{
    uint32_t i = youngest(w, SPLIT_WARPSYNC);
    if (i >= w->nsplit)
        return false;
    retry(w, i);
    return true;
}
static bool rouse(struct warp *w, enum split_state from)
{
    bool any = false;
    for (uint32_t i = 0; i < w->nsplit; i++)
        if (w->split[i].state == from) {
            w->split[i].state = SPLIT_READY;
            any = true;
        }
    return any;
}
/* Those that wait at a post-dominator go on without the others. */
static bool open_waits(struct warp *w)
{
    bool any = false;
    for (uint32_t i = 0; i < w->nsplit; i++) {
        struct split *s = &w->split[i];
        if (s->state != SPLIT_RECON)
            continue;
        while (s->recon != RECON_NONE && w->recon[s->recon].pc == s->pc) {
            w->recon[s->recon].mask &= ~s->mask;
            s->recon = w->recon[s->recon].parent;
        }
        s->state = SPLIT_READY;
        any = true;
    }
    return any;
}
/* Those that sleep wake together, when the first of their times is over. */
void path_pick(struct warp *w)
{
    w->spins = 0;
    if (w->now >= w->wake && rouse(w, SPLIT_ASLEEP))
        w->wake = UINT64_MAX;
    if (run_ready(w) || (!w->env->divergence_stack && force_barrier(w)))
        return;
    if (rouse(w, SPLIT_YIELDED)) {
        run_ready(w);
        w->start = START_CHOSEN;
    } else if (rouse(w, SPLIT_ASLEEP)) {
        w->asleep = true;
        w->start = START_CHOSEN;
        run_ready(w);
    } else if (!w->env->divergence_stack && open_waits(w)) {
        run_ready(w); /* those missing wait for these, at a WARPSYNC say */
    } else {
        w->cur = w->nsplit ? w->nsplit - 1 : 0; /* all blocked */
    }
}

/* The running path yields or sleeps. */
static void give_way(struct warp *w, enum split_state as)
{
    w->split[w->cur].state = as;
    bool others = youngest(w, SPLIT_READY) < w->nsplit || youngest(w, SPLIT_BSYNC) < w->nsplit;
    if (others || !retry_warpsync(w))
        path_pick(w);
    w->start = START_CHOSEN;
}

/* ---- forward progress ------------------------------------------------------------------------------------------- */
static bool others_run(const struct warp *w)
{
    for (uint32_t i = 0; i < w->nsplit; i++)
        if (i != w->cur && (w->split[i].state == SPLIT_READY || w->split[i].state == SPLIT_YIELDED))
            return true;
    return false;
}
/* ---- post-dominators ------------------------------------------------------------------------------------------- */
/* Before the split diverges at instruction `from`: note where its lanes meet again. */
static void expect_meeting(struct warp *w, struct issue *is, uint32_t from)
{
    const struct cfg *g = w->env->cfg;
    struct split *s = &w->split[w->cur];
    int32_t ip = g->blocks[g->block_of[from]].ipdom;
    if (ip < 0)
        return;
    uint32_t pc = g->blocks[ip].first;
    if (s->recon != RECON_NONE && w->recon[s->recon].pc == pc)
        return; /* another turn of the same loop */
    for (uint32_t i = 0; i < NSPLIT; i++)
        if (!w->recon[i].used || !(w->recon[i].mask & w->live)) {
            w->regions = true;
            w->recon[i] = (struct recon){.pc = pc, .used = 1, .parent = s->recon, .mask = s->mask};
            s->recon = (uint8_t)i;
            return;
        }
    exec_fault(is, "divergence is nested deeper than %d", NSPLIT);
}
/* Lanes that have arrived at meeting r; if all have, they go on as one split. */
static bool try_meet(struct warp *w, uint32_t r)
{
    struct recon *e = &w->recon[r];
    lanemask here = 0;
    for (uint32_t i = 0; i < w->nsplit; i++)
        if (w->split[i].state == SPLIT_RECON && w->split[i].recon == r)
            here |= w->split[i].mask;
    if (e->mask & w->live & ~here)
        return false;
    for (uint32_t i = w->nsplit; i-- > 0;)
        if (w->split[i].state == SPLIT_RECON && w->split[i].recon == r)
            path_remove(w, i);
    uint32_t pc = e->pc;
    uint8_t up = e->parent;
    e->used = 0;
    if (here) {
        bool again = up != RECON_NONE && w->recon[up].pc == pc;
        path_push(w, (struct split){.pc = pc, .mask = here, .state = again ? SPLIT_RECON : SPLIT_READY, .recon = up});
    }
    return true;
}
void paths_meet(struct warp *w)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < w->nsplit && !moved; i++)
            if (w->split[i].state == SPLIT_RECON)
                moved = try_meet(w, w->split[i].recon);
    }
}
void diverge_arrive(struct warp *w)
{
    struct split *s = &w->split[w->cur];
    if (s->state != SPLIT_READY || s->recon == RECON_NONE || w->recon[s->recon].pc != s->pc)
        return;
    s->state = SPLIT_RECON;
    paths_meet(w);
    path_pick(w);
}
static void mark_arrived(struct warp *w, struct split *s)
{
    if (s->recon != RECON_NONE && w->recon[s->recon].pc == s->pc)
        s->state = SPLIT_RECON;
}

/* ---- branches -------------------------------------------------------------------------------------------------- */
static uint32_t count(lanemask m)
{
    return (uint32_t)__builtin_popcountll(m);
}
/* The lanes of `taken` go to `target`, the others of the running path to `rest`. */
void paths_part(struct warp *w, struct issue *is, lanemask taken, uint32_t target, uint32_t rest, bool taken_first)
{
    uint32_t from = w->split[w->cur].pc - 1;
    is->diverged = true;
    if (w->env->cfg)
        expect_meeting(w, is, from);
    w->split[w->cur].born = w->picks;
    struct split copy = w->split[w->cur];
    struct split *now = path_push(w, copy), *later = &w->split[w->cur]; /* the youngest runs first */
    struct split *t = taken_first ? now : later, *f = taken_first ? later : now;
    t->mask = taken;
    t->pc = target;
    f->mask &= ~taken;
    f->pc = rest;
    mark_arrived(w, t);
    mark_arrived(w, f);
    w->cur = w->nsplit - 1;
    if (w->env->cfg)
        paths_meet(w);
    if (w->cur >= w->nsplit || w->split[w->cur].state != SPLIT_READY)
        path_pick(w);
    w->spins = 0;
    w->spin_hash = 0;
}

void diverge_branch(struct warp *w, struct issue *is, lanemask taken, uint32_t from, uint32_t target)
{
    struct split *s = &w->split[w->cur];
    if (!taken)
        return;
    if (taken == s->mask) {
        s->pc = target;
        diverge_count_spin(w, from, target);
        return;
    }
    bool fewer = 2 * count(taken) < count(s->mask) && !w->env->divergence_stack;
    paths_part(w, is, taken, target, s->pc, fewer);
}

void paths_to_targets(struct warp *w, struct issue *is, lanemask taken, uint32_t from, const uint32_t target[NLANE])
{
    uint32_t l;
    is->diverged = true;
    if (w->env->cfg)
        expect_meeting(w, is, from);
    struct split base = w->split[w->cur];
    lanemask rest = taken;
    bool kept = base.mask != taken; /* lanes that do not branch stay in the running split */
    w->split[w->cur].mask &= ~taken;
    while (rest) {
        uint32_t pc = target[first_lane(rest)];
        lanemask part = 0;
        FOR_MASK(l, rest) part |= (lanemask)(target[l] == pc) << l;
        struct split one = base;
        one.mask = part;
        one.pc = pc;
        if (kept) {
            mark_arrived(w, path_push(w, one));
        } else {
            w->split[w->cur] = one;
            mark_arrived(w, &w->split[w->cur]);
            kept = true;
        }
        rest &= ~part;
    }
    if (w->env->cfg)
        paths_meet(w);
    path_pick(w);
}
void diverge_targets(struct warp *w, struct issue *is, lanemask taken, uint32_t from, const uint32_t target[NLANE])
{
    uint32_t first = target[first_lane(taken)], l;
    lanemask same = 0;
    FOR_MASK(l, taken) same |= (lanemask)(target[l] == first) << l;
    lanemask all = w->split[w->cur].mask;
    if (same == taken)
        diverge_branch(w, is, taken, from, first);
    else if (w->env->cfg || taken != all)
        paths_to_targets(w, is, taken, from, target);
    else
        paths_part(w, is, same, first, from, 2 * count(same) <= count(all));
}

/* ---- convergence barriers ---------------------------------------------------------------------------------------- */
lanemask diverge_members(const struct warp *w, uint32_t b)
{
    return w->breg[b] & w->live;
}
void diverge_set_members(struct warp *w, uint32_t b, lanemask m)
{
    if (w->env->divergence_stack)
        return;
    w->regions = true;
    w->breg[b] = m;
    w->restored &= (uint16_t) ~(1u << b);
}
void diverge_restore_members(struct warp *w, uint32_t b, lanemask m)
{
    diverge_set_members(w, b, m);
    if (!w->env->divergence_stack)
        w->restored |= (uint16_t)(1u << b);
}

/* The running split continues without lanes m, which get a split of their own at the same pc. */
struct split *path_carve(struct warp *w, lanemask m)
{
    struct split *s = &w->split[w->cur];
    if (s->mask == m)
        return s;
    struct split part = *s;
    s->mask &= ~m;
    part.mask = m;
    return path_push(w, part);
}
/* Lanes that wait at this barrier; those of them that wait at the place of the running path's BSYNC. */
static lanemask waiting(const struct warp *w, uint32_t b, uint32_t bsync, lanemask *here)
{
    lanemask m = 0;
    *here = 0;
    for (uint32_t i = 0; i < w->nsplit; i++) {
        const struct split *s = &w->split[i];
        if (s->state == SPLIT_BSYNC && s->breg == b)
            m |= s->mask;
        if (s->breg == b && waits_at(s, bsync))
            *here |= s->mask;
    }
    return m;
}
/* These lanes wait no longer: the running path takes those that are beside it along, others are ready where they are.
 */
static void end_wait(struct warp *w, uint32_t bsync, lanemask lanes)
{
    lanemask running = w->split[w->cur].mask;
    for (uint32_t i = w->nsplit; i-- > 0;) {
        struct split *s = &w->split[i];
        lanemask go = s->mask & lanes;
        if (s->state != SPLIT_BSYNC || !go)
            continue;
        bool beside = waits_at(s, bsync);
        struct split part = *s;
        part.mask = go;
        part.state = SPLIT_READY;
        s->mask &= ~go;
        if (!s->mask)
            path_remove(w, i);
        if (beside)
            w->split[w->cur].mask |= go;
        else
            path_push(w, part);
    }
    must(w->split[w->cur].mask & running);
}
/* A barrier whose mask was saved and brought back (by a function that was called) is passed at the second attempt. */
static void execute_again(struct warp *w, uint32_t b, uint32_t bsync)
{
    w->restored &= (uint16_t) ~(1u << b);
    w->split[w->cur].pc = bsync;
    w->start = START_AGAIN;
}
void diverge_sync(struct warp *w, uint32_t b, lanemask m)
{
    if (w->env->divergence_stack)
        return;
    uint32_t bsync = w->split[w->cur].pc - 1;
    lanemask members = diverge_members(w, b), here, wait = waiting(w, b, bsync, &here);
    bool forced = w->forced;
    w->forced = false;
    if (!(members & ~(m | wait))) {
        if (members & wait)
            end_wait(w, bsync, members & wait);
        if (w->restored >> b & 1 && m & members)
            execute_again(w, b, bsync);
        return;
    }
    if (forced || !(m & members))
        return;
    struct split *s = path_carve(w, m & members);
    s->state = SPLIT_BSYNC;
    s->breg = (uint8_t)b;
    if (w->split[w->cur].state != SPLIT_READY)
        path_pick(w);
}
/* Keeps running the split that holds these lanes. */
static void follow(struct warp *w, lanemask running)
{
    for (uint32_t i = 0; i < w->nsplit; i++)
        if (w->split[i].mask & running)
            w->cur = i;
}
void diverge_break(struct warp *w, uint32_t b, lanemask m)
{
    w->breg[b] &= ~m;
}
/* ---- end, yield ----------------------------------------------------------------------------------------------------
 */
void diverge_exit(struct warp *w, lanemask m)
{
    struct split *s = &w->split[w->cur];
    w->live &= ~m;
    s->mask &= ~m;
    lanemask running = s->mask;
    if (!running)
        path_remove(w, w->cur);
    if (w->nsplit > 1 || !running)
        paths_gathered(w);
    if (running)
        follow(w, running);
    else
        path_pick(w);
}
void diverge_yield(struct warp *w)
{
    w->spins = 0;
    if (w->nsplit < 2 || w->env->divergence_stack)
        return;
    if (!others_run(w))
        open_waits(w);
    give_way(w, SPLIT_YIELDED);
}
/* The path sleeps, the warp only if no other path can run. */
void diverge_sleep(struct warp *w)
{
    w->spins = 0;
    if (w->nsplit < 2 || w->env->divergence_stack) {
        w->asleep = true;
        return;
    }
    if (!others_run(w))
        open_waits(w);
    give_way(w, SPLIT_ASLEEP);
}
