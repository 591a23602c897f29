/* Divergence since Volta: (pc, mask) splits with convergence barriers and forward progress; the pre-Volta stack.
 *
 * The splits form an array in order of age. The youngest that can run does, so that the parts of an inner divergence
 * finish before the outer ones go on; a split that yields, or that has branched backwards often, lets the others run.
 * Code without convergence barriers, and the stack mode, meet at the immediate post-dominator of the branch: an entry
 * of warp.recon names the place and the lanes; stack mode never yields.
 *
 * Forward progress: waiting at a convergence barrier or a meeting is for speed, not for correctness. When all other
 * paths wait and the running one spins (it executes YIELD, or goes round a loop and nothing in its registers changes),
 * those that wait go on without it: one of them may hold what it spins on. WARPSYNC is a real wait.
 *
 * Who waits for whom at a convergence barrier: region.c. Facts: BSSY, BSYNC, BREAK and the like as documented by the
 * Volta patents and by Abaie Shoushtary et al., arXiv 2407.02944. */
#include "isa/diverge.h"
#include "isa/region.h"

/* Taken backward branches after which another path gets its turn, so that a lane spinning on another lane's lock ends.
 */
enum { SPIN_SWITCH = 32 };

/* Which side of a divergent branch runs first: the fall-through. */
static bool taken_side_first(void)
{
    return false;
}

void diverge_start(struct warp *w)
{
    w->nsplit = 1;
    w->cur = 0;
    w->spins = 0;
    w->split[0] = (struct split){.pc = 0, .mask = w->full, .state = SPLIT_READY, .recon = RECON_NONE};
    w->live = w->full;
    if (!w->regions)
        return;
    w->regions = false;
    memset(w->breg, 0, sizeof w->breg);
    memset(w->bgroup, 0, sizeof w->bgroup);
    w->nbextra = 0;
    memset(w->recon, 0, sizeof w->recon);
}

static void remove_split(struct warp *w, uint32_t i)
{
    memmove(&w->split[i], &w->split[i + 1], (w->nsplit - i - 1) * sizeof w->split[0]);
    w->nsplit--;
    if (w->cur > i)
        w->cur--;
}
static struct split *push_split(struct warp *w, struct split s)
{
    must(w->nsplit < NSPLIT); /* every split has a lane of its own */
    w->split[w->nsplit] = s;
    return &w->split[w->nsplit++];
}

/* The youngest ready split; when all that could run have yielded, they are ready again. */
static void pick_split(struct warp *w)
{
    w->spins = 0;
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = w->nsplit; i-- > 0;)
            if (w->split[i].state == SPLIT_READY) {
                w->cur = i;
                return;
            }
        for (uint32_t i = 0; i < w->nsplit; i++)
            if (w->split[i].state == SPLIT_YIELDED)
                w->split[i].state = SPLIT_READY;
    }
    w->cur = w->nsplit ? w->nsplit - 1 : 0; /* all blocked */
}

/* ---- forward progress ------------------------------------------------------------------------------------------- */
static bool others_run(const struct warp *w)
{
    for (uint32_t i = 0; i < w->nsplit; i++)
        if (i != w->cur && (w->split[i].state == SPLIT_READY || w->split[i].state == SPLIT_YIELDED))
            return true;
    return false;
}
/* Those that wait for the running split to join them go on without it. */
static void open_waits(struct warp *w)
{
    for (uint32_t i = 0; i < w->nsplit; i++) {
        struct split *s = &w->split[i];
        if (s->state == SPLIT_BSYNC) {
            region_leave(w, s->breg, s->mask);
            s->state = SPLIT_READY;
        } else if (s->state == SPLIT_RECON) {
            while (s->recon != RECON_NONE && w->recon[s->recon].pc == s->pc) {
                w->recon[s->recon].mask &= ~s->mask;
                s->recon = w->recon[s->recon].parent;
            }
            s->state = SPLIT_READY;
        }
    }
}
static uint64_t registers_hash(const struct warp *w)
{
    const struct split *s = &w->split[w->cur];
    uint32_t nlane = w->env->nlane, l;
    uint64_t h = s->pc;
    for (uint32_t r = 0; r < kernel_registers(w->env->kernel); r++)
        FOR_MASK(l, s->mask) h = (h ^ w->reg[r * nlane + l]) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t p = 0; p < NPRED; p++)
        h = (h ^ (w->pred[p] & s->mask)) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ s->mask;
}
/* The running split has come round often and no other can run. */
static void look_whether_it_spins(struct warp *w)
{
    uint64_t h = registers_hash(w);
    w->spins = 0;
    if (h != w->spin_hash) {
        w->spin_hash = h;
        return;
    }
    diverge_yield(w);
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
            remove_split(w, i);
    uint32_t pc = e->pc;
    uint8_t up = e->parent;
    e->used = 0;
    if (here) {
        bool again = up != RECON_NONE && w->recon[up].pc == pc;
        push_split(w, (struct split){.pc = pc, .mask = here, .state = again ? SPLIT_RECON : SPLIT_READY, .recon = up});
    }
    return true;
}
static void meet_all(struct warp *w)
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
    meet_all(w);
    pick_split(w);
}
static void mark_arrived(struct warp *w, struct split *s)
{
    if (s->recon != RECON_NONE && w->recon[s->recon].pc == s->pc)
        s->state = SPLIT_RECON;
}

/* ---- branches -------------------------------------------------------------------------------------------------- */
static void count_spin(struct warp *w, uint32_t from, uint32_t target)
{
    if (target > from || w->nsplit < 2 || w->env->divergence_stack || ++w->spins < SPIN_SWITCH)
        return;
    if (others_run(w))
        diverge_yield(w);
    else
        look_whether_it_spins(w);
}

void diverge_branch(struct warp *w, struct issue *is, lanemask taken, uint32_t from, uint32_t target)
{
    struct split *s = &w->split[w->cur];
    if (!taken)
        return;
    if (taken == s->mask) {
        s->pc = target;
        count_spin(w, from, target);
        return;
    }
    is->diverged = true;
    if (w->env->cfg)
        expect_meeting(w, is, from);
    s = &w->split[w->cur];
    struct split other = *s;
    bool taken_first = taken_side_first();
    struct split *now = push_split(w, other); /* the youngest runs first */
    s = &w->split[w->cur];
    struct split *t = taken_first ? now : s, *f = taken_first ? s : now;
    t->mask = taken;
    t->pc = target;
    f->mask &= ~taken;
    mark_arrived(w, t);
    mark_arrived(w, f);
    if (w->env->cfg)
        meet_all(w);
    pick_split(w);
}

void diverge_targets(struct warp *w, struct issue *is, lanemask taken, uint32_t from, const uint32_t target[NLANE])
{
    uint32_t first = target[first_lane(taken)], l;
    lanemask same = 0;
    FOR_MASK(l, taken) same |= (lanemask)(target[l] == first) << l;
    if (same == taken) {
        diverge_branch(w, is, taken, from, first);
        return;
    }
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
            mark_arrived(w, push_split(w, one));
        } else {
            w->split[w->cur] = one;
            mark_arrived(w, &w->split[w->cur]);
            kept = true;
        }
        rest &= ~part;
    }
    if (w->env->cfg)
        meet_all(w);
    pick_split(w);
}

/* ---- convergence barriers ---------------------------------------------------------------------------------------- */
lanemask diverge_members(const struct warp *w, uint32_t b, uint32_t lane)
{
    return region_of(w, b, lane).members;
}
void diverge_enter(struct warp *w, struct issue *is, uint32_t b, lanemask m)
{
    if (!w->env->divergence_stack)
        region_enter(w, is, b, m);
}
void diverge_save(struct warp *w, uint32_t b, lanemask m)
{
    if (!w->env->divergence_stack)
        region_save(w, b, m);
}
void diverge_restore(struct warp *w, struct issue *is, uint32_t b, lanemask value, lanemask m)
{
    if (!w->env->divergence_stack)
        region_restore(w, is, b, value, m);
}

/* The running split continues without lanes m, which get a split of their own at the same pc. */
static struct split *carve(struct warp *w, lanemask m)
{
    struct split *s = &w->split[w->cur];
    if (s->mask == m)
        return s;
    struct split part = *s;
    s->mask &= ~m;
    part.mask = m;
    return push_split(w, part);
}
/* Blocked splits of `lanes` in the given state go on; those at the same pc as one, and those that wait to run a
 * collective region together whatever their pc: the region's code and registers are the same at each place. */
static void release(struct warp *w, lanemask lanes, enum split_state state)
{
    struct split out[NSPLIT];
    uint32_t n = 0;
    for (uint32_t i = w->nsplit; i-- > 0;) {
        struct split s = w->split[i];
        if (s.state != state || !(s.mask & lanes))
            continue;
        remove_split(w, i);
        uint32_t k = 0;
        bool collective = state == SPLIT_WARPSYNC && s.breg;
        while (k < n && !(out[k].breg == s.breg && (out[k].pc == s.pc || collective) && out[k].recon == s.recon))
            k++;
        if (k == n) {
            out[n] = s;
            out[n++].state = SPLIT_READY;
        } else {
            out[k].mask |= s.mask;
        }
    }
    while (n)
        push_split(w, out[--n]);
}
/* The lanes that wait at barrier b and are in this region. */
static lanemask waiting_in(const struct warp *w, uint32_t b, lanemask here)
{
    lanemask m = 0;
    for (uint32_t k = 0; k < w->nsplit; k++)
        if (w->split[k].state == SPLIT_BSYNC && w->split[k].breg == b)
            m |= w->split[k].mask;
    return m & here;
}
static bool try_bsync(struct warp *w, uint32_t i)
{
    uint32_t b = w->split[i].breg;
    struct region r = region_of(w, b, first_lane(w->split[i].mask));
    if (r.members & ~waiting_in(w, b, r.here))
        return false;
    lanemask go = r.members | w->split[i].mask;
    region_leave(w, b, go);
    release(w, go, SPLIT_BSYNC);
    return true;
}
static bool try_warpsync(struct warp *w, uint32_t i)
{
    lanemask wait = w->split[i].wait_mask & w->live, here = 0;
    for (uint32_t k = 0; k < w->nsplit; k++)
        if (w->split[k].state == SPLIT_WARPSYNC)
            here |= w->split[k].mask;
    if (wait & ~here)
        return false;
    release(w, wait | w->split[i].mask, SPLIT_WARPSYNC);
    return true;
}
static void release_all(struct warp *w)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < w->nsplit && !moved; i++) {
            if (w->split[i].state == SPLIT_BSYNC)
                moved = try_bsync(w, i);
            else if (w->split[i].state == SPLIT_WARPSYNC)
                moved = try_warpsync(w, i);
        }
    }
    if (w->env->cfg)
        meet_all(w);
}

void diverge_sync(struct warp *w, uint32_t b, lanemask m)
{
    if (w->env->divergence_stack)
        return;
    bool blocked = false;
    while (m) { /* usually once: lanes of one region */
        struct split *s = &w->split[w->cur];
        struct region r = region_of(w, b, first_lane(m));
        lanemask part = r.here ? m & r.here : m & -m;
        m &= ~part;
        if (!(r.members & ~part)) { /* everybody is here already */
            region_leave(w, b, part);
            continue;
        }
        s = carve(w, part);
        s->state = SPLIT_BSYNC;
        s->breg = (uint8_t)b;
        blocked = true;
    }
    if (blocked) {
        release_all(w);
        pick_split(w);
    }
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
    if (w->env->divergence_stack)
        return;
    region_leave(w, b, m);
    if (w->nsplit > 1) {
        lanemask running = w->split[w->cur].mask;
        release_all(w);
        follow(w, running);
    }
}
void diverge_warpsync(struct warp *w, lanemask wait, lanemask m, bool collective)
{
    struct split *s = &w->split[w->cur];
    if (w->env->divergence_stack || (s->mask == m && !(wait & w->live & ~m)))
        return;
    s = carve(w, m);
    s->state = SPLIT_WARPSYNC;
    s->breg = collective;
    s->wait_mask = wait;
    release_all(w);
    pick_split(w);
}

/* Tiles of a warp each wait for their own lanes and go on by themselves, also when all are here: a reduction that
 * follows is over the lanes of a tile. */
void diverge_warpsync_groups(struct warp *w, const uint32_t *masks, lanemask m, bool collective)
{
    if (w->env->divergence_stack)
        return;
    while (m) {
        uint32_t wait = masks[first_lane(m)], l;
        lanemask same = 0;
        FOR_MASK(l, m) same |= (lanemask)(masks[l] == wait) << l;
        m &= ~same;
        struct split *s = carve(w, same);
        s->state = SPLIT_WARPSYNC;
        s->breg = collective;
        s->wait_mask = wait;
    }
    release_all(w);
    pick_split(w);
}

void diverge_end_collective(struct warp *w, struct issue *is)
{
    struct split *s = &w->split[w->cur];
    diverge_targets(w, is, s->mask, s->pc - 1, w->resume);
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
        remove_split(w, w->cur);
    if (w->nsplit > 1 || !running)
        release_all(w);
    if (running)
        follow(w, running);
    else
        pick_split(w);
}
void diverge_yield(struct warp *w)
{
    w->spins = 0;
    if (w->nsplit < 2 || w->env->divergence_stack)
        return;
    if (!others_run(w))
        open_waits(w);
    w->split[w->cur].state = SPLIT_YIELDED;
    pick_split(w);
}
