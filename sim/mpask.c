/* What a run of a partition touches first, asked for at its begin (hostcache.h). Since its last run all SMs have had
 * their turn, and nothing of its state is left in the host's near caches. */
#include "sim/mpcore.h"

/* What arrives is placed at once: while one place is worked out, the host fetches the sets that those before look in.
 */
static void place_arrivals(struct mempart *p, cycle to)
{
    const struct msgbox *in = &p->in;
    for (size_t i = in->head, n = 0; i < in->n && in->m[i].time < to; i++, n++) {
        p->places = grow(p->places, n, &p->place_cap, sizeof *p->places);
        struct where *w = &p->places[n];
        where_is(p->cfg, in->m[i].addr, w);
        l2_ask(&p->slices[mp_slice_for(p, &in->m[i], w)].l2, w->set);
    }
}

static void ask_event(void *arg, const struct wheel_event *e)
{
    struct mempart *p = arg;
    if (e->kind == EV_REPLY)
        host_ask(&p->requests[e->index], sizeof *p->requests);
    if (e->kind != EV_FILL)
        return;
    host_ask(&p->transfers[e->index], sizeof *p->transfers);
    p->fills = grow(p->fills, p->nfill, &p->fill_cap, sizeof *p->fills);
    p->fills[p->nfill++] = e->index;
}

/* Answers; data of lines, and who waits for them: each is told by the one before. */
static void ask_for_events(struct mempart *p, cycle to)
{
    p->nfill = 0;
    wheel_look(&p->wheel, to, ask_event, p);
    for (size_t i = 0; i < p->nfill; i++) {
        const struct transfer *t = &p->transfers[p->fills[i]];
        host_ask(&p->slices[t->slice].l2.lines[t->line], sizeof(struct l2_line));
    }
    for (size_t i = 0; i < p->nfill; i++) {
        const struct transfer *t = &p->transfers[p->fills[i]];
        uint32_t r = p->slices[t->slice].l2.lines[t->line].waiters;
        if (r != L2_NONE)
            host_ask(&p->requests[r], sizeof *p->requests);
    }
}

void mp_ask(struct mempart *p, cycle to)
{
    ask_for_events(p, to);
    place_arrivals(p, to);
}
