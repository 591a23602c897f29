/* What of an SM the host's caches are asked for ahead of its use (hostcache.h): a window touches a few hundred lines
 * that the other SMs have driven out, one after another if nobody asks for them together. */
#include "sim/sm_core.h"

#include <stddef.h>

static uint64_t answered(const struct sm *s, cycle to)
{
    uint64_t warps = 0;
    for (uint32_t step = 0; step < ANSWER_STEPS; step++)
        for (size_t i = s->in.head; i < s->in.n && s->in.m[i].time < to; i++)
            warps |= lsu_ask_answer(s->lsu, s->in.m[i].tag, step);
    return warps;
}

static uint64_t with_events(const struct sm *s, cycle to)
{
    uint64_t warps = 0;
    for (size_t i = 0; i < s->events.n; i++)
        if (s->events.heap[i].time < to && event_kind_of(&s->events.heap[i]) != EV_START)
            warps |= UINT64_C(1) << event_slot(&s->events.heap[i]) % NSLOT;
    return warps;
}

static uint64_t queued(const struct sm *s)
{
    uint64_t warps = 0;
    for (uint32_t i = 0; i < s->c->subcores; i++) {
        const struct subcore *sc = &s->sc[i];
        uint64_t soon = sc->ready;
        for (uint64_t m = sc->occupied; m; m &= m - 1)
            soon |= sc->wheel[__builtin_ctzll(m)];
        for (uint64_t m = soon; m; m &= m - 1)
            warps |= UINT64_C(1) << slot_index(s, i, (uint32_t)__builtin_ctzll(m));
    }
    return warps;
}

/* What the warps that can go on in this window will touch first; the others may wait all of it. */
void window_ask(const struct sm *s, cycle to)
{
    uint64_t warps = answered(s, to) | with_events(s, to) | queued(s);
    for (uint64_t m = warps; m; m &= m - 1)
        host_ask(&s->slot[__builtin_ctzll(m)], offsetof(struct slot, w.split[1]));
    for (uint64_t m = warps; m; m &= m - 1) {
        const struct slot *sl = &s->slot[__builtin_ctzll(m)];
        if (sl->state == SLOT_RUN)
            slot_ask(s, sl, &sl->desc[warp_pc(&sl->w)]);
    }
}
