/* WARPSYNC: lanes of a warp that wait for one another by name, wherever they are. */
#include "isa/paths.h"

/* All that a WARPSYNC names have come to it one after another: together they execute it again. */
static bool meets(struct warp *w, const struct split *s)
{
    bool all = s->breg == WARPSYNC_PLAIN && !(s->wait_mask & w->live & ~s->mask);
    if (all)
        w->start = START_CHOSEN;
    return all;
}
/* Splits that wait for one another at WARPSYNC go on; those at the same pc as one, and those that wait to run a
 * collective region together whatever their pc: the region's code and registers are the same at each place. */
static void release(struct warp *w, lanemask lanes)
{
    struct split out[NSPLIT];
    bool joined[NSPLIT];
    uint32_t n = 0;
    for (uint32_t i = w->nsplit; i-- > 0;) {
        struct split s = w->split[i];
        if (s.state != SPLIT_WARPSYNC || !(s.mask & lanes))
            continue;
        path_remove(w, i);
        uint32_t k = 0;
        bool collective = s.breg == WARPSYNC_COLLECTIVE;
        while (k < n && !(out[k].breg == s.breg && (out[k].pc == s.pc || collective) && out[k].recon == s.recon))
            k++;
        joined[k] = k < n;
        if (k == n) {
            out[n] = s;
            out[n].alone = s.breg != WARPSYNC_PLAIN;
            out[n++].state = SPLIT_READY;
        } else {
            out[k].mask |= s.mask;
        }
    }
    while (n) {
        struct split *s = &out[--n];
        s->pc -= joined[n] && meets(w, s);
        path_push(w, *s);
    }
}
static bool try_warpsync(struct warp *w, uint32_t i)
{
    lanemask wait = w->split[i].wait_mask & w->live, here = 0;
    for (uint32_t k = 0; k < w->nsplit; k++)
        if (w->split[k].state == SPLIT_WARPSYNC)
            here |= w->split[k].mask;
    if (wait & ~here)
        return false;
    release(w, wait | w->split[i].mask);
    return true;
}
void paths_gathered(struct warp *w)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < w->nsplit && !moved; i++)
            if (w->split[i].state == SPLIT_WARPSYNC)
                moved = try_warpsync(w, i);
    }
    if (w->env->cfg)
        paths_meet(w);
}

void diverge_warpsync(struct warp *w, lanemask wait, lanemask m, enum warpsync_kind kind)
{
    struct split *s = &w->split[w->cur];
    if (w->env->divergence_stack)
        return;
    if (s->mask == m && !(wait & w->live & ~m)) {
        if (w->nsplit > 1 && kind == WARPSYNC_PLAIN)
            w->start = START_AGAIN;
        return;
    }
    s = path_carve(w, m);
    s->state = SPLIT_WARPSYNC;
    s->breg = (uint8_t)kind;
    s->wait_mask = wait;
    paths_gathered(w);
    path_pick(w);
}

/* Lanes that name different masks wait each for their own. EXCLUSIVE and COLLECTIVE let one mask after the other pass,
 * that of the lowest lane first; the rest executes the instruction again (measured: n executions for n masks, by the
 * profiler's counts for tiles and labelled partitions). */
void diverge_warpsync_groups(struct warp *w, struct issue *is, const uint32_t *masks, lanemask m,
                             enum warpsync_kind kind)
{
    if (w->env->divergence_stack)
        return;
    uint32_t pc = w->split[w->cur].pc, l;
    lanemask wait = masks[first_lane(m)], same = 0;
    FOR_MASK(l, m) same |= (lanemask)(masks[l] == wait) << l;
    if (kind != WARPSYNC_PLAIN && !(wait & w->live & ~same)) {
        if (w->split[w->cur].mask != same)
            paths_part(w, is, same, pc, pc - 1, true);
        return;
    }
    for (lanemask rest = m; rest; rest &= ~same) {
        wait = masks[first_lane(rest)], same = 0;
        FOR_MASK(l, rest) same |= (lanemask)(masks[l] == wait) << l;
        struct split *s = path_carve(w, same);
        s->state = SPLIT_WARPSYNC;
        s->breg = (uint8_t)kind;
        s->wait_mask = wait;
    }
    paths_gathered(w);
    path_pick(w);
}

void diverge_end_collective(struct warp *w, struct issue *is)
{
    struct split *s = &w->split[w->cur];
    uint32_t from = s->pc - 1, first = w->resume[first_lane(s->mask)], l;
    lanemask same = 0;
    FOR_MASK(l, s->mask) same |= (lanemask)(w->resume[l] == first) << l;
    if (same == s->mask)
        s->pc = first;
    else
        paths_to_targets(w, is, s->mask, from, w->resume);
}
