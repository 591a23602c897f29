/* The main loop: windows, the exchange between them, and the jump over stretches in which nothing happens. */
#include "sim/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/launch.h"

/* ---- wiring -------------------------------------------------------------------------------------- */
static struct payload_head *payload_of(void *arg, uint32_t source, uint32_t index)
{
    struct engine *e = arg;
    return sm_payload(e->sms[source], index);
}

void engine_init(struct engine *e, const struct config *c, const struct gpu_options *o, struct memory *mem)
{
    *e = (struct engine){.cfg = c,
                         .opt = o,
                         .mem = mem,
                         .npart = c->mem_partitions,
                         .nitem = c->nsm + c->mem_partitions,
                         .period = c->window_cycles};
    e->sms = xcalloc(c->nsm, sizeof *e->sms);
    e->parts = xcalloc(e->npart, sizeof *e->parts);
    e->sm_in = xcalloc(c->nsm, sizeof *e->sm_in);
    e->sm_out = xcalloc(c->nsm, sizeof *e->sm_out);
    e->logs = xcalloc(e->nitem, sizeof *e->logs);
    e->ran_to = xcalloc(e->nitem, sizeof *e->ran_to);
    e->next = xcalloc(e->nitem, sizeof *e->next);
    e->matrix_until = xcalloc(c->nsm, sizeof *e->matrix_until);
    e->clocks = xcalloc(c->ngpc, sizeof *e->clocks);
    for (uint32_t g = 0; g < c->ngpc; g++)
        gpc_clock_begin(&e->clocks[g], 0);
    e->wrote = xcalloc(e->nitem, sizeof *e->wrote);
    e->written = xcalloc(e->nitem, sizeof *e->written);
    e->active = xcalloc(e->nitem, sizeof *e->active);
    e->busy_gpcs = xcalloc(c->ngpc, sizeof *e->busy_gpcs);
    e->shard_changed = xcalloc(NSHARD, sizeof *e->shard_changed);
    for (uint32_t s = 0; s < c->nsm; s++) {
        e->sms[s] = sm_new(c, s, mem, o);
        sm_set_clock(e->sms[s], &e->clocks[c->gpc_of_sm[s]]);
        e->sm_in[s] = sm_inbox(e->sms[s]);
        e->sm_out[s] = sm_outbox(e->sms[s]);
        e->logs[s] = sm_log(e->sms[s]);
    }
    for (uint32_t p = 0; p < e->npart; p++) {
        e->parts[p] = mempart_new(c, p, mem, payload_of, e);
        e->logs[c->nsm + p] = mempart_log(e->parts[p]);
    }
    for (uint32_t s = 0; s < c->nsm; s++)
        sm_set_peers(e->sms[s], (struct sm_peers){payload_of, e});
    e->hub = hub_new(c, e->sm_in, e->sm_out, e->clocks);
    e->blocks = blocks_new(c);
    e->crew = crew_new(o->threads < e->nitem ? o->threads : e->nitem); /* no more threads than parts to run */
}

void engine_finish(struct engine *e)
{
    crew_free(e->crew);
    for (uint32_t s = 0; e->sms && s < e->cfg->nsm; s++)
        sm_free(e->sms[s]);
    for (uint32_t p = 0; e->parts && p < e->npart; p++)
        mempart_free(e->parts[p]);
    hub_free(e->hub);
    blocks_free(e->blocks);
    free(e->sms);
    free(e->parts);
    free(e->sm_in);
    free(e->sm_out);
    free(e->logs);
    free(e->ran_to);
    free(e->next);
    free(e->matrix_until);
    for (uint32_t g = 0; e->clocks && g < e->cfg->ngpc; g++)
        gpc_clock_finish(&e->clocks[g]);
    free(e->clocks);
    free(e->wrote);
    free(e->written);
    free(e->active);
    free(e->busy_gpcs);
    free(e->shard_changed);
}

/* ---- one window ------------------------------------------------------------------------------------ */
static void run_sm(struct engine *e, uint32_t i)
{
    const struct gpc_clock *clock = &e->clocks[e->cfg->gpc_of_sm[i]];
    cycle to = gpc_clock_own(clock, e->window_end);
    sm_run(e->sms[i], e->ran_to[i], to);
    e->ran_to[i] = to;
    e->next[i] = gpc_clock_time(clock, sm_next_event(e->sms[i]));
    e->matrix_until[i] = sm_matrix_until(e->sms[i]);
    hub_sm_arrivals(e->hub)[i] = gpc_clock_time(clock, msgbox_next(e->sm_in[i]));
}

static void run_part(struct engine *e, uint32_t i)
{
    uint32_t p = i - e->cfg->nsm;
    struct mempart *part = e->parts[p];
    cycle to = e->window_end + e->lead;
    hub_enter_partition(e->hub, p, to, mempart_inbox(part));
    mempart_run(part, e->ran_to[i], to);
    hub_leave_partition(e->hub, p, mempart_outboxes(part));
    e->next[i] = mempart_next_event(part);
    e->ran_to[i] = to;
}

static void run_item(void *arg, uint32_t k)
{
    struct engine *e = arg;
    uint32_t i = e->active[e->first_active + k];
    if (i < e->cfg->nsm)
        run_sm(e, i);
    else
        run_part(e, i);
    e->wrote[i] = !storelog_empty(e->logs[i]);
}

/* Those of [first, end) that do something before `to`; arrivals: of first's and the following items' messages. */
static void activate(struct engine *e, uint32_t first, uint32_t end, const cycle *arrivals, cycle to)
{
    for (uint32_t i = first; i < end; i++)
        if (e->next[i] < to || arrivals[i - first] < to)
            e->active[e->nactive++] = i;
}

static void run_active(struct engine *e)
{
    crew_do(e->crew, e->nactive - e->first_active, run_item, e);
    for (uint32_t k = e->first_active; k < e->nactive && e->active[k] < e->cfg->nsm; k++)
        hub_sm_ran(e->hub, e->active[k]);
    e->first_active = e->nactive;
}

static void carry_requests(void *arg, uint32_t k)
{
    struct engine *e = arg;
    hub_requests(e->hub, e->busy_gpcs[k], e->now, e->window_end);
}

static void carry_replies(void *arg, uint32_t k)
{
    struct engine *e = arg;
    hub_replies(e->hub, e->busy_gpcs[k], e->now + e->lead, e->window_end + e->lead);
}

static void carry_both(void *arg, uint32_t k)
{
    carry_requests(arg, k);
    carry_replies(arg, k);
}

static void carry(struct engine *e, void (*work)(void *arg, uint32_t k), uint64_t gpcs)
{
    e->nbusy = 0;
    for (; gpcs; gpcs &= gpcs - 1)
        e->busy_gpcs[e->nbusy++] = (uint32_t)__builtin_ctzll(gpcs);
    crew_do(e->crew, e->nbusy, work, e);
}

/* SMs, and memory partitions as far as requests of the SMs' window lead; without a lead both at once. */
static void run_window(struct engine *e)
{
    uint32_t nsm = e->cfg->nsm;
    cycle to = e->window_end, parts_to = to + e->lead;
    e->nactive = e->first_active = 0;
    activate(e, 0, nsm, hub_sm_arrivals(e->hub), to);
    if (e->lead) {
        run_active(e);
        carry(e, carry_requests, hub_requesting(e->hub));
        hub_look(e->hub);
    }
    activate(e, nsm, e->nitem, hub_partition_arrivals(e->hub), parts_to);
    run_active(e);
    uint64_t replying = hub_replying(e->hub, parts_to);
    if (e->lead)
        carry(e, carry_replies, replying);
    else
        carry(e, carry_both, replying | hub_requesting(e->hub));
}

static uint32_t shards(const struct engine *e, size_t sectors)
{
    uint32_t n = crew_threads(e->crew);
    return sectors < 256 ? 1 : n < NSHARD ? n : NSHARD;
}

struct commit {
    struct engine *e;
    uint32_t n;
    uint32_t nshard;
};

static void commit_shard(void *arg, uint32_t k)
{
    struct commit *c = arg;
    c->e->shard_changed[k] = memory_commit(c->e->mem, c->e->written, c->n, k, c->nshard);
}

/* At the end of a period only, whatever the window length, so that who sees a store when does not depend on it. */
static void commit_values(struct engine *e)
{
    if (e->window_end % e->period)
        return;
    size_t sectors = 0;
    struct commit c = {.e = e};
    for (uint32_t i = 0; i < e->nitem; i++)
        if (e->wrote[i]) {
            e->wrote[i] = false;
            e->written[c.n++] = e->logs[i];
            sectors += storelog_sectors(e->logs[i]);
        }
    if (!c.n)
        return;
    c.nshard = shards(e, sectors);
    crew_do(e->crew, c.nshard, commit_shard, &c);
    for (uint32_t k = 0; k < c.nshard; k++)
        if (e->shard_changed[k])
            e->last_change = e->window_end;
    for (uint32_t i = 0; i < c.n; i++)
        storelog_clear(e->written[i]);
}

/* ---- between windows --------------------------------------------------------------------------------- */
static bool find_fault(struct engine *e, struct error *err)
{
    const struct sm_fault *first = NULL;
    for (uint32_t k = 0; k < e->nactive; k++) {
        if (e->active[k] >= e->cfg->nsm)
            continue;
        const struct sm_fault *f = sm_fault(e->sms[e->active[k]]);
        if (f->set && (!first || f->time < first->time)) /* active is in order of SM */
            first = f;
    }
    return first && !error_set(err, first->status, "%s", first->text);
}

static bool logs_empty(const struct engine *e)
{
    return !memchr(e->wrote, true, e->nitem);
}

static cycle least(const cycle *t, uint32_t n, cycle least_so_far)
{
    for (uint32_t i = 0; i < n; i++)
        least_so_far = t[i] < least_so_far ? t[i] : least_so_far;
    return least_so_far;
}

static cycle earlier(cycle a, cycle b)
{
    return a < b ? a : b;
}

/* When anything happens, by the SMs' time: a part acts, a message arrives, or one enters the interconnect (an SM may
 * send ahead). What happens beyond it is the lead further on. */
static cycle next_event(struct engine *e)
{
    uint32_t nsm = e->cfg->nsm;
    hub_look(e->hub);
    cycle sms = least(hub_sm_arrivals(e->hub), nsm, least(e->next, nsm, hub_sent_ahead(e->hub)));
    cycle beyond = earlier(blocks_next(e->blocks), hub_late_answer(e->hub));
    beyond = least(hub_partition_arrivals(e->hub), e->npart, least(e->next + nsm, e->npart, beyond));
    return beyond == UINT64_MAX ? sms : earlier(sms, beyond > e->lead ? beyond - e->lead : 0);
}

/* The next window begins at the last begin of a period before anything happens, be it that a clock changes. */
static void jump(struct engine *e, cycle next)
{
    if (next == UINT64_MAX || next < e->now + e->period || !logs_empty(e))
        return;
    cycle to = next / e->period * e->period, change = clocks_next_change(e);
    to = change < to ? change : to;
    if (to > e->now) {
        e->now = to;
        clocks_step(e);
    }
}

static cycle end_of_window(const struct engine *e)
{
    cycle want = e->period;
    if (e->opt->window_cycles && e->opt->window_cycles < want)
        want = e->opt->window_cycles;
    if (e->longest && e->longest < want)
        want = e->longest;
    if (e->clusters && e->cfg->cluster_latency_cycles < want)
        want = e->cfg->cluster_latency_cycles; /* SMs of a cluster reach each other sooner */
    cycle boundary = (e->now / e->period + 1) * e->period;
    return e->now + want < boundary ? e->now + want : boundary;
}

/* Which SMs and which DRAM channel keep records of the next window; the observer may have changed its mind. */
static void arm_records(struct engine *e)
{
    for (uint32_t s = 0; s < e->cfg->nsm; s++) {
        bool on = e->observer && e->observer->record && e->observer->record[s];
        sm_record(e->sms[s], on, on && e->observer->accesses);
    }
    if (e->recording)
        mempart_record(e->recording, e->recorded_channel, false);
    const uint32_t *want = e->observer ? e->observer->commands : NULL;
    uint32_t each = e->cfg->dram_channels / e->cfg->mem_partitions;
    e->recording = want && *want < e->cfg->dram_channels ? e->parts[*want / each] : NULL;
    if (e->recording)
        mempart_record(e->recording, e->recorded_channel = *want % each, true);
}

static bool stopped(struct engine *e, struct error *err)
{
    if (e->observer && e->observer->barrier) {
        e->longest = e->observer->barrier(e->observer->arg, e->gpu, e->now);
        arm_records(e);
        if (!e->longest)
            return !error_set(err, EXIT_INTERRUPTED, "stopped by the viewer at cycle %" PRIu64, e->now - e->start);
    }
    if (e->opt->interrupted && *e->opt->interrupted)
        return !error_set(err, EXIT_INTERRUPTED, "interrupted at cycle %" PRIu64, e->now - e->start);
    if (e->opt->max_cycles && e->now - e->start > e->opt->max_cycles)
        return !error_set(err, EXIT_NO_PROGRESS, "not finished after %" PRIu64 " cycles (the limit given)",
                          e->opt->max_cycles);
    return false;
}

static cycle round_up(cycle t, cycle unit)
{
    return (t + unit - 1) / unit * unit;
}

/* Time goes on from where the furthest part stands. */
static void set_lead(struct engine *e, struct launch_state *const *launches, size_t n)
{
    bool meet = false;
    for (size_t i = 0; i < n; i++)
        meet |= launch_meets(launches[i]);
    cycle stands = round_up(e->now, e->period) + e->lead;
    e->lead = meet ? 0 : e->cfg->window_cycles;
    e->period = e->cfg->window_cycles + e->lead;
    e->now = round_up(stands, e->period);
}

static void begin(struct engine *e, struct launch_state *const *launches, size_t n)
{
    set_lead(e, launches, n);
    e->start = e->last_change = e->now;
    e->spin = (struct spin){0};
    e->blocks_seen = 0;
    e->clusters = false;
    for (size_t i = 0; i < n; i++)
        e->clusters |= launches[i]->map.blocks > 1;
    clocks_begin(e);
    for (uint32_t s = 0; s < e->cfg->nsm; s++)
        sm_prepare(e->sms[s], launches, n);
    arm_records(e);
    for (uint32_t p = 0; p < e->npart; p++)
        mempart_begin_launch(e->parts[p]);
    for (uint32_t i = 0; i < e->nitem; i++) {
        e->ran_to[i] = i < e->cfg->nsm ? e->now : e->now + e->lead;
        e->next[i] = i < e->cfg->nsm ? sm_next_event(e->sms[i]) : mempart_next_event(e->parts[i - e->cfg->nsm]);
    }
    blocks_begin(e->blocks, launches, n, e->now);
    blocks_step(e->blocks, e->hub, e->now + (e->lead ? e->lead : 1));
}

static void report_progress(struct engine *e)
{
    uint64_t done, all;
    blocks_count(e->blocks, &done, &all);
    if (e->opt->progress)
        e->opt->progress(e->opt->progress_arg, e->now - e->start, done, all);
    if (done != e->blocks_seen)
        e->last_change = e->now;
    e->blocks_seen = done;
}

bool engine_run(struct engine *e, struct launch_state *const *launches, size_t n, struct error *err)
{
    begin(e, launches, n);
    for (;;) {
        clocks_step(e);
        cycle next = next_event(e);
        if (next == UINT64_MAX && logs_empty(e)) {
            if (blocks_finished(e->blocks))
                break;
            return progress_none(e, err);
        }
        jump(e, next);
        e->window_end = end_of_window(e);
        run_window(e);                                           /* parts, on all threads, and what they send */
        commit_values(e);                                        /* stores become visible to everybody */
        blocks_step(e->blocks, e->hub, e->window_end + e->lead); /* completions in, blocks out */
        e->now = e->window_end;
        report_progress(e);
        if (find_fault(e, err) || stopped(e, err) || !progress_check(e, err))
            return false;
    }
    for (uint32_t p = 0; p < e->npart; p++)
        mempart_end_launch(e->parts[p]);
    return true;
}
