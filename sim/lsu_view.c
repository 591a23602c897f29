/* What observers and people see of the memory side of an SM. */
#include <stdio.h>
#include <string.h>

#include "sim/lsu_parts.h"

void lsu_record(struct lsu *l, bool on, const struct gpc_clock *clock)
{
    l->record = on;
    l->clock = clock;
    l->nrecord = 0;
}

const struct access_record *lsu_records(const struct lsu *l, size_t *n)
{
    *n = l->nrecord;
    return l->records;
}

void lsu_note_access(struct lsu *l, cycle now, uint32_t op, uint8_t space, uint32_t cost)
{
    const struct effect *e = &l->effects[op];
    lsu_list_addresses(l, op);
    l->records = grow(l->records, l->nrecord, &l->record_cap, sizeof *l->records);
    struct access_record *r = &l->records[l->nrecord++];
    *r = (struct access_record){.time = gpc_clock_time(l->clock, now),
                                .pc = l->ops[op].pc,
                                .warp = l->ops[op].warp,
                                .space = space,
                                .bytes = e->bytes,
                                .cost = (uint8_t)(cost < 255 ? cost : 255),
                                .mask = e->mask};
    memcpy(r->addr, e->addr, l->nlane * sizeof r->addr[0]);
}

/* ---- for people --------------------------------------------------------------------------------- */
void lsu_describe(const struct lsu *l, uint32_t warp, char *out, size_t cap)
{
    const struct warp_state *w = &l->warp[warp];
    uint32_t queued = 0, copies = 0;
    for (uint32_t s = 0; s < l->cfg->subcores; s++)
        for (uint32_t i = 0; i < l->queue[s].n; i++)
            queued += l->ops[l->queue[s].op[(l->queue[s].head + i) % QUEUE_MAX]].warp == warp;
    for (uint32_t g = 0; g < GROUPS; g++)
        copies += w->group_copies[g];
    bool stuck = l->stage.op != OP_NONE && l->ops[l->stage.op].warp == warp && l->blocked;
    snprintf(out, cap,
             "%u memory instructions under way (%u queued, %u asynchronous copies), %u stores or atomics not "
             "acknowledged%s%s",
             w->ops, queued, copies, w->writes, w->fence != OP_NONE ? ", a fence waits for them" : "",
             stuck ? ", one waits for room in L1's tables" : "");
}
