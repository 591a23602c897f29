/* No progress, and its diagnosis. Deadlock: no part has anything left to do, yet blocks have not ended. Livelock: for a
 * long time no memory value has changed and no block started or ended, and every warp has come back to a state in which
 * it was (recur.c), or waits for another warp: then they will go round for ever. */
#include "sim/engine.h"

#include <inttypes.h>

enum {
    GIVE_UP_CYCLES = 4000000, /* longer than a program would wait for an mbarrier in vain */
    QUIET_CYCLES = 30000,     /* without a change: begin to look */
    FIRST_TURN = 8192, /* how long a loop is watched to know its instructions; longer each time it was not enough */
    LAST_TURN = 1 << 20,
    MOST_SM_LINES = 4,
    SETTLE_CYCLES = 30000, /* of going round at least: longer than a store is under way */
};

/* One line for each resident warp of the first SMs that are not idle. */
static void describe_warps(struct engine *e, struct sb *out)
{
    uint32_t shown = 0, busy = 0;
    for (uint32_t s = 0; s < e->cfg->nsm; s++) {
        if (sm_idle(e->sms[s]))
            continue;
        if (shown < MOST_SM_LINES) {
            if (!sm_describe_stuck(e->sms[s], out))
                sm_describe_loops(e->sms[s], out);
            shown++;
        }
        busy++;
    }
    if (busy > shown)
        sb_addf(out, "\n(%u more SMs hold blocks)", busy - shown);
}

static bool fail(struct engine *e, const char *what, struct error *err)
{
    uint64_t done, all, waiting = blocks_waiting(e->blocks);
    blocks_count(e->blocks, &done, &all);
    struct sb text = {0};
    sb_addf(&text, "%s at cycle %" PRIu64 ", %" PRIu64 " of %" PRIu64 " blocks done", what, e->now - e->start, done,
            all);
    if (waiting)
        sb_addf(&text,
                "; %" PRIu64
                " blocks have not started because no SM has room: if the resident ones wait for one of them, "
                "the grid is too large for such a wait",
                waiting);
    sb_add(&text, "\n");
    describe_warps(e, &text);
    error_set(err, EXIT_NO_PROGRESS, "%s", text.text);
    sb_finish(&text);
    return false;
}

bool progress_none(struct engine *e, struct error *err)
{
    return fail(e, "deadlock: no warp can go on", err);
}

/* Every warp waits, some at mbarriers: their tests answer no after a time and are made again. */
static bool all_wait(const struct engine *e)
{
    uint32_t busy = 0;
    for (uint32_t s = 0; s < e->cfg->nsm; s++) {
        if (sm_idle(e->sms[s]))
            continue;
        busy++;
        if (!sm_only_waits(e->sms[s]))
            return false;
    }
    return busy > 0;
}

/* ---- livelock ---------------------------------------------------------------------------------------- */
static bool every_warp_recurs(struct engine *e)
{
    bool all = true, any = false;
    for (uint32_t s = 0; s < e->cfg->nsm; s++) /* all of them: each remembers which of its warps have come back */
        if (!sm_idle(e->sms[s])) {
            any = true;
            all &= sm_watch_recurs(e->sms[s]);
        }
    return any && all;
}

static void for_busy(struct engine *e, void (*act)(struct sm *))
{
    for (uint32_t s = 0; s < e->cfg->nsm; s++)
        if (!sm_idle(e->sms[s]))
            act(e->sms[s]);
}

static void calm_down(struct engine *e)
{
    for (uint32_t s = 0; s < e->cfg->nsm; s++)
        sm_watch_end(e->sms[s]);
    e->spin = (struct spin){0};
}

bool progress_check(struct engine *e, struct error *err)
{
    struct spin *s = &e->spin;
    if (e->now % e->period)
        return true;
    if (e->now - e->last_change < QUIET_CYCLES) {
        if (s->step != SPIN_CALM)
            calm_down(e);
        return true;
    }
    if (e->now - e->last_change > GIVE_UP_CYCLES && all_wait(e))
        return fail(e, "deadlock: no warp can go on", err); /* code that gives up after a time has had its time */
    cycle passed = e->now - s->since;
    switch (s->step) {
    case SPIN_CALM:
        for_busy(e, sm_watch_begin);
        *s = (struct spin){SPIN_BEGUN, e->now, s->turn ? s->turn : FIRST_TURN};
        return true;
    case SPIN_BEGUN:
        if (passed < s->turn)
            return true;
        for_busy(e, sm_watch_mark);
        s->step = SPIN_MARKED;
        s->since = e->now;
        return true;
    case SPIN_MARKED:
        break;
    }
    if (passed >= SETTLE_CYCLES && every_warp_recurs(e))
        return all_wait(e) ? fail(e, "deadlock: no warp can go on", err)
                           : fail(e, "livelock: the kernel repeats the same steps, no memory value changes", err);
    if (passed >= SETTLE_CYCLES + 8 * s->turn) { /* not long enough, or no loop: look at it anew */
        s->turn = s->turn < LAST_TURN ? 4 * s->turn : LAST_TURN;
        s->step = SPIN_CALM;
    }
    return true;
}
