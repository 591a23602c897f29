/* See gather.h. Lines leave in the order in which they came, a sector a cycle, and no sooner than some cycles after
 * they were named last. */
#include "sim/gather.h"

static struct gathered *gathered_at(struct gather *g, uint32_t i)
{
    return &g->lines[(g->head + i) % GATHER_LINES];
}

/* When the first line begins to leave. One that was named last waits longer: as long as another comes. */
static cycle gathered_begins(const struct gather *g, const struct config *c)
{
    const struct gathered *first = &g->lines[g->head];
    cycle ready = first->touched + (g->newest == g->gone ? c->l1_gather_last_cycles : c->l1_gather_cycles);
    return ready > g->out_free ? ready : g->out_free;
}

static void gathered_leaves(struct gather *g, cycle begin)
{
    g->out_free = begin + (cycle)__builtin_popcount(g->lines[g->head].sectors);
    g->head = (g->head + 1) % GATHER_LINES;
    g->gone++;
    g->n--;
}

cycle gather_room(const struct gather *g, const struct config *c, cycle now, uint64_t line)
{
    if (g->n < c->l1_gather_lines || g->out_free <= now + c->l1_gather_out || gathered_begins(g, c) <= now)
        return now;
    for (uint32_t i = 0; i < g->n; i++)
        if (g->lines[(g->head + i) % GATHER_LINES].line == line)
            return now;
    return g->out_free - c->l1_gather_out;
}

uint8_t gather_store(struct gather *g, const struct config *c, cycle now, cycle end, uint64_t line, uint8_t sectors,
                     uint8_t *lost)
{
    *lost = 0;
    while (g->n && gathered_begins(g, c) <= now)
        gathered_leaves(g, gathered_begins(g, c));
    for (uint32_t i = 0; i < g->n; i++) {
        struct gathered *e = gathered_at(g, i);
        if (e->line != line)
            continue;
        uint8_t joined = e->sectors & sectors;
        *lost = e->touched > now ? e->sectors & (uint8_t)~sectors : 0;
        e->sectors |= sectors;
        e->touched = end;
        g->newest = g->gone + i;
        return joined;
    }
    if (g->n == c->l1_gather_lines)
        gathered_leaves(g, g->out_free > now ? g->out_free : now);
    *gathered_at(g, g->n) = (struct gathered){line, end, sectors};
    g->newest = g->gone + g->n++;
    return 0;
}
