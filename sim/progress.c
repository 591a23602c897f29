/* No progress, and its diagnosis. Deadlock: no part has anything left to do, yet blocks have not ended. Livelock: for a
 * long time no memory value has changed and no block started or ended, and the whole machine is in a state in which
 * it was before: then it will go round for ever (a clock that is read changes a register, so the state differs). */
#include "sim/engine.h"

#include <inttypes.h>

enum {
    QUIET_CYCLES = 50000,      /* without a change: begin to look */
    LEAST_PERIOD = 65536,      /* longer than any access takes, so what recurs is not just waiting for memory */
    GIVE_UP_CYCLES = 4000000,  /* longer than a program would wait for an mbarrier in vain */
    SLEEP_PERIOD = 4000000,    /* longer than the longest nanosleep */
    LOOKS = 512,               /* states compared with the one remembered */
    MOST_SM_LINES = 4,
};

static uint64_t machine_hash(const struct engine *e)
{
    uint64_t h = 0;
    for (uint32_t s = 0; s < e->cfg->nsm; s++)
        if (!sm_idle(e->sms[s]))
            h = (h ^ sm_state_hash(e->sms[s])) * UINT64_C(0x9e3779b97f4a7c15) + s;
    return h;
}

static bool somebody_sleeps(const struct engine *e)
{
    for (uint32_t s = 0; s < e->cfg->nsm; s++)
        for (uint32_t w = 0; w < e->cfg->max_warps && !sm_idle(e->sms[s]); w++) {
            struct why y = sm_warp_why(e->sms[s], w, e->now);
            if (y.resident && y.reason == STALL_sleeping)
                return true;
        }
    return false;
}

/* One line for each resident warp of the first SMs that are not idle. */
static void describe_warps(struct engine *e, struct sb *out)
{
    uint32_t shown = 0, busy = 0;
    for (uint32_t s = 0; s < e->cfg->nsm; s++) {
        if (sm_idle(e->sms[s]))
            continue;
        if (shown < MOST_SM_LINES) {
            size_t before = out->len;
            sm_describe_stuck(e->sms[s], out);
            shown += out->len > before;
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
    sb_addf(&text, "%s at cycle %" PRIu64 ", %" PRIu64 " of %" PRIu64 " blocks done", what, e->now - e->start, done, all);
    if (waiting)
        sb_addf(&text, "; %" PRIu64 " blocks have not started because no SM has room: if the resident ones wait for one of them, "
                       "the grid is too large for such a wait", waiting);
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

bool progress_check(struct engine *e, struct error *err)
{
    struct spin *s = &e->spin;
    if (e->now % e->cfg->window_cycles)
        return true;
    if (e->now - e->last_change < QUIET_CYCLES) {
        *s = (struct spin){0};
        return true;
    }
    if (e->now - e->last_change > GIVE_UP_CYCLES && all_wait(e))
        return fail(e, "deadlock: no warp can go on", err); /* code that gives up after a time has had its time */
    if (!s->armed || s->looks == LOOKS) { /* remember a state; each time longer */
        cycle wait = s->wait ? 2 * s->wait : LEAST_PERIOD;
        *s = (struct spin){e->now, wait, machine_hash(e), 0, true};
        return true;
    }
    if (e->now - s->since < s->wait)
        return true;
    s->looks++;
    if (machine_hash(e) != s->hash)
        return true;
    if (e->now - s->since < SLEEP_PERIOD && somebody_sleeps(e)) {
        s->wait = SLEEP_PERIOD;
        s->looks = 0;
        return true;
    }
    if (all_wait(e))
        return fail(e, "deadlock: no warp can go on", err);
    return fail(e, "livelock: the kernel repeats the same steps, no memory value changes", err);
}
