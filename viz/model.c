#include "viz/model.h"

#include <stdlib.h>
#include <string.h>

struct model *model_new(const struct machine_info *info)
{
    struct model *m = xcalloc(1, sizeof *m);
    m->info = *info;
    m->issues = xcalloc(NISSUES, sizeof *m->issues);
    m->accesses = xcalloc(NACCESSES, sizeof *m->accesses);
    m->commands = xcalloc(NCOMMANDS, sizeof *m->commands);
    m->pcs = xcalloc(info->npc, sizeof *m->pcs);
    m->mean = xcalloc(info->nsm, sizeof *m->mean);
    m->mean_resident = xcalloc(info->nsm, sizeof *m->mean_resident);
    for (uint32_t i = 0; i < info->nsm; i++)
        m->mean[i].l1_hit = -1;
    m->parts_mean = xcalloc(NVIEWPART, sizeof *m->parts_mean);
    m->chip_mean = (struct chip_sample){.l2_hit = -1, .l1_hit = -1};
    m->history_every = 1;
    for (uint32_t c = 0; c < NVIEWCHANNEL; c++)
        memset(m->channels[c].open_row, 0xff, sizeof m->channels[c].open_row);
    return m;
}

void model_free(struct model *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; !m->is_copy && i < m->info.npc; i++)
        free(m->info.listing[i]);
    if (!m->is_copy) {
        free(m->info.listing);
        free(m->info.unit_of);
    }
    free(m->issues);
    free(m->accesses);
    free(m->commands);
    free(m->pcs);
    free(m->mean);
    free(m->mean_resident);
    free(m->parts_mean);
    free(m);
}

/* What a record of a launch says of its kernel, as an index of all listings. */
static uint32_t place_pc(const struct model *m, uint32_t launch, uint32_t pc)
{
    const struct launch_info *l = &m->info.launches[launch < m->info.nlaunch ? launch : 0];
    return pc < l->npc ? l->first_pc + pc : m->info.npc;
}

static void feed_issue(struct model *m, const struct issue_record *record, uint32_t first_launch)
{
    struct issue_record *r = &m->issues[m->nissue++ % NISSUES];
    *r = *record;
    m->launch = r->launch + first_launch;
    r->pc = place_pc(m, m->launch, r->pc);
    if (r->warp < NLANE) {
        m->last_issue[r->warp] = r->time;
        m->waits[r->warp] = STATE_READY;
        m->rows = r->warp >= m->rows ? r->warp + 1u : m->rows;
    }
    if (r->pc >= m->info.npc)
        return;
    struct pc_stats *p = &m->pcs[r->pc];
    p->executed++;
    p->lanes += (uint64_t)__builtin_popcountll(r->exec);
    p->waited[state_of_stall(r->reason)] += r->waited > 1 ? r->waited - 1 : 0;
    p->waited[STATE_ISSUED]++;
}

static void place_warp(const struct model *m, struct warp_view *w, uint32_t first_launch)
{
    uint32_t launch = w->launch + first_launch;
    w->pc = place_pc(m, launch, w->pc);
    for (uint32_t i = 0; i < w->nsplit && i < ARRAY_LEN(w->split); i++)
        w->split[i].pc = place_pc(m, launch, w->split[i].pc);
}

static void feed_records(struct model *m, const struct frame *f)
{
    for (uint32_t i = 0; i < f->nissue; i++)
        feed_issue(m, &f->issues[i], f->first_launch);
    for (uint32_t i = 0; i < f->nblock; i++)
        m->blocks[m->nblock++ % NBLOCKS] = f->blocks[i];
    for (uint32_t i = 0; i < f->naccess; i++) {
        struct access_record *a = &m->accesses[m->naccess++ % NACCESSES];
        *a = f->accesses[i];
        a->pc = place_pc(m, m->launch, a->pc);
    }
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
        double busy = (double)(v->bus_busy - s->bus_busy), all = (double)passed * m->info.mem_mhz / m->info.sm_mhz;
        if (passed && all > 0)
            s->busy = (float)(busy < all ? busy / all : 1);
        s->bus_busy = v->bus_busy;
    }
}

/* Moves a mean by its share towards a value; -1 on either side: none. */
static void mix(float *mean, float value, double share)
{
    if (value >= 0)
        *mean = *mean < 0 ? value : *mean + (float)(((double)value - (double)*mean) * share);
}

static void mix_chip(struct chip_sample *mean, const struct chip_sample *s, double share)
{
    mix(&mean->resident, s->resident, share);
    mix(&mean->eligible, s->eligible, share);
    mix(&mean->issue, s->issue, share);
    mix(&mean->l2_hit, s->l2_hit, share);
    mix(&mean->l1_hit, s->l1_hit, share);
    mix(&mean->dram_bytes_per_cycle, s->dram_bytes_per_cycle, share);
    mix(&mean->memory_stall, s->memory_stall, share);
    mix(&mean->sm_resident, s->sm_resident, share);
    mix(&mean->sm_eligible, s->sm_eligible, share);
}

/* Means over the cycles in which the chip had work. */
static void feed_means(struct model *m, const struct frame *f, cycle passed)
{
    if (f->chip.resident <= 0 || !passed)
        return;
    m->mean_time += (double)passed;
    double share = (double)passed / m->mean_time;
    for (uint32_t i = 0; i < m->info.nsm; i++) {
        mix(&m->mean[i].issue, f->sms[i].issue, share);
        mix(&m->mean[i].eligible, f->sms[i].eligible, share);
        mix(&m->mean[i].memory_stall, f->sms[i].memory_stall, share);
        mix(&m->mean[i].l1_hit, f->sms[i].l1_hit, share);
        m->mean_resident[i] += (f->sms[i].resident - m->mean_resident[i]) * share;
    }
    for (uint32_t p = 0; f->parts && p < m->info.npart; p++) {
        mix(&m->parts_mean[p].busy, f->parts[p].busy, share);
        mix(&m->parts_mean[p].hit, f->parts[p].hit, share);
    }
    mix_chip(&m->chip_mean, &f->chip, share);
}

/* The history keeps the whole run: when its ring is full, every second sample goes. */
static void feed_history(struct model *m, const struct chip_sample *s)
{
    if (m->nhistory && s->time < m->history[m->nhistory - 1].time + m->history_every) {
        m->history[m->nhistory - 1] = *s;
        return;
    }
    if (m->nhistory == NHISTORY) {
        for (uint32_t i = 0; i < NHISTORY / 2; i++)
            m->history[i] = m->history[2 * i + 1];
        m->nhistory = NHISTORY / 2;
        m->history_every = 2 * (s->time / NHISTORY + 1);
    }
    m->history[m->nhistory++] = *s;
}

void model_feed(struct model *m, const struct frame *f)
{
    if (f->sm == m->sm)
        feed_records(m, f);
    for (uint32_t i = 0; f->channel == m->channel && i < f->ncommand; i++)
        m->commands[m->ncommand++ % NCOMMANDS] = f->commands[i];
    if (f->warps && f->sm == m->sm) {
        memcpy(m->warps, f->warps, m->info.max_warps * sizeof *f->warps);
        for (uint32_t w = 0; w < m->info.max_warps; w++) {
            place_warp(m, &m->warps[w], f->first_launch);
            enum state_class s = state_of_stall(m->warps[w].reason);
            if (m->warps[w].resident && s > STATE_READY)
                m->waits[w] = (uint8_t)s;
        }
        for (uint32_t w = m->rows; w < m->info.max_warps; w++)
            if (m->warps[w].resident)
                m->rows = w + 1;
    }
    if (f->sms) {
        cycle since = m->nhistory ? f->now - m->history[m->nhistory - 1].time : 0;
        memcpy(m->sms, f->sms, m->info.nsm * sizeof *f->sms);
        if (f->parts)
            memcpy(m->parts, f->parts, m->info.npart * sizeof *f->parts);
        feed_means(m, f, since);
        feed_history(m, &f->chip);
    }
    if (f->channels) {
        feed_channels(m, f, f->now - m->channels_at);
        m->channels_at = f->now;
    }
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
    m->rows = 0;
    memset(m->last_issue, 0, sizeof m->last_issue);
    memset(m->waits, 0, sizeof m->waits);
    memset(m->warps, 0, sizeof m->warps);
    memset(m->pcs, 0, m->info.npc * sizeof *m->pcs);
}

void model_watch_channel(struct model *m, uint32_t channel)
{
    if (channel == m->channel || channel >= m->info.nchannel)
        return;
    m->channel = channel;
    m->ncommand = 0;
}

struct model *model_copy_new(const struct model *m)
{
    struct model *c = model_new(&m->info);
    c->is_copy = true;
    return c;
}

#define COPY_RING(to, from, ring, n, cap, first)                                                                       \
    do {                                                                                                               \
        for (uint64_t i_ = (first); i_ < (from)->n; i_++)                                                              \
            (to)->ring[i_ % (cap)] = (from)->ring[i_ % (cap)];                                                         \
        (to)->n = (from)->n;                                                                                           \
    } while (0)

static uint64_t last_of(uint64_t n, uint64_t most)
{
    return n > most ? n - most : 0;
}

void model_copy(struct model *to, const struct model *m, cycle from)
{
    enum { ACCESSES = 128, COMMANDS = 2048, MOST = NISSUES / 2 };
    uint64_t first = m->nissue, oldest = last_of(m->nissue, MOST);
    while (first > oldest && m->issues[(first - 1) % NISSUES].time >= from)
        first--;
    memcpy(to, m, offsetof(struct model, history));
    memcpy(to->history, m->history, m->nhistory * sizeof *m->history);
    to->nhistory = m->nhistory;
    COPY_RING(to, m, issues, nissue, NISSUES, first);
    memcpy(to->last_issue, m->last_issue, sizeof m->last_issue);
    COPY_RING(to, m, blocks, nblock, NBLOCKS, last_of(m->nblock, 256));
    COPY_RING(to, m, accesses, naccess, NACCESSES, last_of(m->naccess, ACCESSES));
    COPY_RING(to, m, commands, ncommand, NCOMMANDS, last_of(m->ncommand, COMMANDS));
    memcpy(to->warps, m->warps, sizeof m->warps);
    memcpy(to->waits, m->waits, sizeof m->waits);
    to->rows = m->rows;
    uint32_t n = m->info.nchannel < NVIEWCHANNEL ? m->info.nchannel : NVIEWCHANNEL;
    memcpy(to->channels, m->channels, n * sizeof m->channels[0]);
    memcpy(to->pcs, m->pcs, m->info.npc * sizeof *m->pcs);
    memcpy(to->mean, m->mean, m->info.nsm * sizeof *m->mean);
    memcpy(to->mean_resident, m->mean_resident, m->info.nsm * sizeof *m->mean_resident);
    memcpy(to->parts_mean, m->parts_mean, m->info.npart * sizeof *m->parts_mean);
    to->mean_time = m->mean_time;
    to->chip_mean = m->chip_mean;
    to->finished = m->finished;
}

const struct launch_info *model_launch(const struct model *m)
{
    return &m->info.launches[m->launch < m->info.nlaunch ? m->launch : 0];
}

uint32_t model_offset(const struct model *m, uint32_t pc)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < m->info.nlaunch; i++)
        if (m->info.launches[i].first_pc <= pc && m->info.launches[i].first_pc > first)
            first = m->info.launches[i].first_pc;
    return (pc - first) * INST_BYTES;
}

cycle model_end(const struct model *m)
{
    if (!m->finished || !m->nissue)
        return m->now;
    cycle last = m->issues[(m->nissue - 1) % NISSUES].time + 2;
    return last < m->now ? last : m->now;
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

const struct access_record *model_last_access(const struct model *m, int warp, int64_t pc, cycle t)
{
    uint64_t kept = m->naccess < NACCESSES ? m->naccess : NACCESSES;
    for (uint64_t i = 0; i < kept; i++) {
        const struct access_record *r = &m->accesses[(m->naccess - 1 - i) % NACCESSES];
        if (r->time <= t && (warp < 0 || r->warp == warp) && (pc < 0 || r->pc == pc))
            return r;
    }
    return NULL;
}

struct chip_sample model_chip(const struct model *m, cycle t, double span)
{
    struct chip_sample sum = {.l2_hit = -1, .l1_hit = -1};
    uint64_t n = 0, i = m->nhistory;
    if (m->finished && t >= model_end(m))
        return m->chip_mean;
    while (i > 0 && m->history[i - 1].time > t)
        i--;
    for (; i > 0 && (n == 0 || (double)m->history[i - 1].time + span > (double)t); i--)
        mix_chip(&sum, &m->history[i - 1], 1.0 / (double)++n);
    return sum;
}

double model_channel_busy(const struct model *m, uint32_t channel)
{
    const struct channel_state *s = &m->channels[channel % NVIEWCHANNEL];
    double all = m->mean_time * m->info.mem_mhz / m->info.sm_mhz;
    if (!m->finished)
        return (double)s->busy;
    return all > 0 && (double)s->bus_busy < all ? (double)s->bus_busy / all : all > 0;
}
