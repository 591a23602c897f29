/* Rings filled from frames. */
#include "viz/model.h"

#include <stdlib.h>
#include <string.h>

struct model *model_new(const struct machine_info *info)
{
    struct model *m = xcalloc(1, sizeof *m);
    m->info = *info;
    m->issues = xcalloc(NISSUES, sizeof *m->issues);
    m->accesses = xcalloc(NACCESSES, sizeof *m->accesses);
    m->pc_executed = xcalloc(info->npc, sizeof(uint64_t));
    m->pc_waited = xcalloc(info->npc, sizeof(uint64_t));
    m->pc_lanes = xcalloc(info->npc, sizeof(uint64_t));
    for (uint32_t c = 0; c < NVIEWCHANNEL; c++)
        memset(m->channels[c].open_row, 0xff, sizeof m->channels[c].open_row);
    return m;
}

void model_free(struct model *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->info.npc; i++)
        free(m->info.listing[i]);
    free(m->info.listing);
    free(m->issues);
    free(m->accesses);
    free(m->pc_executed);
    free(m->pc_waited);
    free(m->pc_lanes);
    free(m);
}

static void feed_records(struct model *m, const struct frame *f)
{
    for (uint32_t i = 0; i < f->nissue; i++) {
        const struct issue_record *r = &f->issues[i];
        m->issues[m->nissue++ % NISSUES] = *r;
        if (r->pc < m->info.npc) {
            m->pc_executed[r->pc]++;
            m->pc_waited[r->pc] += r->waited;
            m->pc_lanes[r->pc] += (uint64_t)__builtin_popcountll(r->exec);
        }
    }
    for (uint32_t i = 0; i < f->nblock; i++)
        m->blocks[m->nblock++ % NBLOCKS] = f->blocks[i];
    for (uint32_t i = 0; i < f->naccess; i++)
        m->accesses[m->naccess++ % NACCESSES] = f->accesses[i];
}

static void feed_channels(struct model *m, const struct frame *f, cycle passed)
{
    uint32_t n = m->info.nchannel < NVIEWCHANNEL ? m->info.nchannel : NVIEWCHANNEL;
    for (uint32_t c = 0; c < n; c++) {
        struct channel_state *s = &m->channels[c];
        const struct channel_view *v = &f->channels[c];
        for (uint32_t b = 0; b < v->nbank && b < NVIEWBANK; b++) {
            s->open_row[b] = v->banks[b].open_row;
            if (v->banks[b].activates != s->activates[b])
                s->activated[b] = f->now;
            s->activates[b] = v->banks[b].activates;
        }
        s->hits = v->row_hits;
        s->misses = v->row_misses;
        s->conflicts = v->row_conflicts;
        if (passed)
            s->busy = (float)(v->bus_busy - s->bus_busy) / (float)passed;
        s->bus_busy = v->bus_busy;
    }
}

void model_feed(struct model *m, const struct frame *f)
{
    cycle passed = f->now - m->now;
    if (f->sm == m->sm)
        feed_records(m, f);
    if (f->warps && f->sm == m->sm)
        memcpy(m->warps, f->warps, m->info.max_warps * sizeof *f->warps);
    if (f->sms) {
        memcpy(m->sms, f->sms, m->info.nsm * sizeof *f->sms);
        m->history[m->nhistory++ % NHISTORY] = f->chip;
    }
    if (f->channels)
        feed_channels(m, f, passed);
    m->blocks_done = f->blocks_done;
    m->blocks_total = f->blocks_total;
    m->now = f->now;
}

void model_watch(struct model *m, uint32_t sm)
{
    if (sm == m->sm || sm >= m->info.nsm)
        return;
    m->sm = sm;
    m->nissue = m->nblock = m->naccess = 0;
    memset(m->warps, 0, sizeof m->warps);
    memset(m->pc_executed, 0, m->info.npc * sizeof(uint64_t));
    memset(m->pc_waited, 0, m->info.npc * sizeof(uint64_t));
    memset(m->pc_lanes, 0, m->info.npc * sizeof(uint64_t));
}

cycle model_oldest(const struct model *m)
{
    if (m->nissue <= NISSUES)
        return 0;
    return m->issues[m->nissue % NISSUES].time;
}

const struct issue_record *model_last_issue(const struct model *m, uint32_t warp, cycle t)
{
    uint64_t kept = m->nissue < NISSUES ? m->nissue : NISSUES;
    for (uint64_t i = 0; i < kept; i++) {
        const struct issue_record *r = &m->issues[(m->nissue - 1 - i) % NISSUES];
        if (r->time <= t && r->warp == warp)
            return r;
    }
    return NULL;
}

const struct access_record *model_last_access(const struct model *m, int warp, cycle t)
{
    uint64_t kept = m->naccess < NACCESSES ? m->naccess : NACCESSES;
    for (uint64_t i = 0; i < kept; i++) {
        const struct access_record *r = &m->accesses[(m->naccess - 1 - i) % NACCESSES];
        if (r->time <= t && (warp < 0 || r->warp == warp))
            return r;
    }
    return NULL;
}
