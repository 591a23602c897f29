/* A memory partition's DRAM side: accesses to its channels, write-backs, the dirty policy. */
#include "sim/mpcore.h"

static void wake_channel(struct mempart *p, uint32_t i)
{
    struct channel *c = &p->channels[i];
    cycle next = dram_next(c->dram);
    if (next < p->now)
        next = p->now;
    if (next < c->wake) {
        c->wake = next;
        wheel_push(&p->wheel, next, EV_DRAM, i, (uint32_t)next);
    }
}

/* Queues the transfer's next access. It lies in one part of its line. */
static void queue_access(struct mempart *p, const struct where *w, uint32_t transfer)
{
    const struct config *c = p->cfg;
    const struct transfer *t = &p->transfers[transfer];
    uint32_t part = (uint32_t)__builtin_ctz(t->sectors) / (c->l2_fetch_bytes / 32);
    uint32_t i = channel_of_part(p->own_channels, w, part);
    struct channel *ch = &p->channels[i];
    uint32_t bytes = mp_bits(t->kind == READ_REST ? t->partial : t->sectors) * 32;
    struct dram_access a = {
        .bank = w->bank_group * c->dram_banks + w->bank,
        .row = w->row,
        .column = w->column,
        .bursts = (bytes + c->dram_burst_bytes - 1) / c->dram_burst_bytes,
        .write = t->kind == WRITE_LINE,
        .tag = transfer,
    };
    if (ch->head == ch->nlate && dram_room(ch->dram, a.write)) {
        dram_push(ch->dram, p->now, &a);
        wake_channel(p, i);
        return;
    }
    ch->late = grow(ch->late, ch->nlate, &ch->cap, sizeof *ch->late);
    ch->late[ch->nlate++] = a;
}

void mp_to_dram(struct mempart *p, const struct where *w, struct transfer t)
{
    uint16_t left = t.sectors, partial = t.partial;
    uint32_t unit = p->cfg->l2_fetch_bytes / 32;
    enum transfer_kind kind = t.kind;
    for (uint16_t part = (uint16_t)((1u << unit) - 1); left; part = (uint16_t)(part << unit)) {
        t.sectors = left & part;
        t.partial = partial & part;
        t.kind = kind == READ_REST && !t.partial ? WRITE_LINE : kind;
        left &= (uint16_t)~part;
        if (t.sectors)
            queue_access(p, w, mp_new_transfer(p, t));
    }
}

static bool has_room(const struct mempart *p, uint32_t i, bool write)
{
    const struct channel *c = &p->channels[i];
    return c->head == c->nlate && dram_room(c->dram, write);
}

bool mp_dram_has_room(const struct mempart *p, const struct where *w, bool write)
{
    uint32_t parts = p->cfg->l2_line_bytes / p->cfg->l2_fetch_bytes;
    for (uint32_t k = 0; k < parts; k++)
        if (!has_room(p, channel_of_part(p->own_channels, w, k), write))
            return false;
    return true;
}

static void push_late(struct mempart *p, struct channel *c)
{
    while (c->head < c->nlate && dram_room(c->dram, c->late[c->head].write))
        dram_push(c->dram, p->now, &c->late[c->head++]);
    if (c->head == c->nlate)
        c->head = c->nlate = 0;
}

void mp_write_back(struct mempart *p, const struct l2_victim *v)
{
    if (!v->dirty)
        return;
    struct where w;
    where_is(p->cfg, v->number * p->cfg->l2_line_bytes, &w);
    p->counters.l2_writebacks += mp_bits(v->dirty);
    struct transfer t = {
        .number = v->number, .sectors = v->dirty, .partial = v->partial, .kind = v->partial ? READ_REST : WRITE_LINE};
    if (v->partial) /* the missing bytes come from DRAM before the sector can go there */
        p->counters.l2_fills += mp_bits(v->partial);
    mp_to_dram(p, &w, t);
}

void mp_clean_some(struct mempart *p, struct slice *s)
{
    struct l2_victim v;
    uint32_t line;
    while (l2_over_bound(&s->l2) && l2_clean_one(&s->l2, &line, &v)) {
        mp_write_back(p, &v);
        struct where w;
        where_is(p->cfg, v.number * p->cfg->l2_line_bytes, &w);
        if (!mp_dram_has_room(p, &w, true))
            break;
    }
}

static void dram_finished(struct mempart *p, const struct dram_done *d)
{
    struct transfer *t = &p->transfers[d->tag];
    if (d->write) {
        p->counters.dram_writes += mp_bits(t->sectors);
        mp_end_transfer(p, d->tag);
    } else if (t->kind == READ_REST) {
        p->counters.dram_reads += mp_bits(t->partial);
        struct where w;
        where_is(p->cfg, t->number * p->cfg->l2_line_bytes, &w);
        t->kind = WRITE_LINE;
        queue_access(p, &w, d->tag);
    } else {
        p->counters.dram_reads += mp_bits(t->sectors);
        wheel_push(&p->wheel, d->time + p->cfg->dram_latency_cycles, EV_FILL, d->tag, true);
    }
}

void mp_run_channel(struct mempart *p, uint32_t i, uint32_t scheduled)
{
    struct channel *c = &p->channels[i];
    if (c->wake != p->now || scheduled != (uint32_t)c->wake)
        return; /* an earlier event took its place */
    c->wake = UINT64_MAX;
    size_t n = dram_run(c->dram, p->now, p->done);
    push_late(p, c);
    for (size_t k = 0; k < n; k++)
        dram_finished(p, &p->done[k]);
    if (n)
        mp_retry_stalled(p);
    wake_channel(p, i);
}
