/* The life of an SM and its clock: messages, memory pipeline, own events, then each sub-core issues. */
#include "sim/sm_core.h"

#include <stdlib.h>

struct sm *sm_new(const struct config *c, uint32_t smid, struct memory *mem, const struct gpu_options *o)
{
    (void)o;
    struct arena *a = memory_arena(mem);
    struct sm *s = arena_zalloc(a, 1, sizeof *s);
    s->c = c;
    s->smid = smid;
    s->hub = c->nsm + c->mem_partitions;
    s->mem = mem;
    s->log = storelog_new(smid);
    s->lsu = lsu_new(c, smid, mem, s->log, &s->out, &s->counters);
    s->lsu_next = s->event_next = NEVER;
    s->ns_per_cycle = 1000.0 / c->sm_mhz;
    s->clock = &gpc_clock_full;
    s->near_lines = c->near_bytes / (LINE_INSTS * INST_BYTES);
    s->look_ahead = c->ibuf_entries - 1 < LINE_INSTS ? c->ibuf_entries - 1 : LINE_INSTS;
    icache_init(&s->l1, c->l1i_bytes, c->l1i_ways, a);
    for (uint32_t i = 0; i < c->subcores; i++) {
        icache_init(&s->sc[i].l0, c->l0i_bytes, c->l0i_ways, a);
        s->sc_next[i] = NEVER;
        s->sc[i].last = NOBODY;
    }
    blocks_prepare(s);
    if (c->hazards == HAZARDS_STALE) {
        s->stale = xcalloc(NSTALE, sizeof *s->stale);
        uint32_t *rows = xcalloc((size_t)NSTALE * NSTALE_ROW * NLANE, sizeof *rows);
        for (uint32_t i = 0; i < NSTALE; i++) {
            s->stale[i].next_free = i + 1;
            s->stale[i].rows = rows + (size_t)i * NSTALE_ROW * NLANE;
        }
    }
    return s;
}

void sm_set_peers(struct sm *s, struct sm_peers peers)
{
    s->peers = peers;
}

void sm_set_clock(struct sm *s, const struct gpc_clock *clock)
{
    s->clock = clock;
}

static void free_pcs(struct sm *s)
{
    for (size_t i = 0; i < s->nlaunch; i++)
        free(s->pcs[i]);
    s->nlaunch = 0;
}

void sm_free(struct sm *s)
{
    if (!s)
        return;
    sm_watch_end(s);
    free_pcs(s);
    free(s->pcs);
    free(s->code_id);
    free(s->kernels);
    free(s->ahead);
    blocks_finish(s);
    lsu_free(s->lsu);
    storelog_free(s->log);
    msgbox_finish(&s->in);
    msgbox_finish(&s->out);
    eventq_finish(&s->events);
    if (s->stale)
        free(s->stale[0].rows);
    free(s->stale);
    free(s->issues);
    free(s->blocks);
}

/* The instruction caches keep a kernel's lines from launch to launch: a number for each kernel seen. One that is new
 * has run before, as those that were recorded had: measured, straight code finds in level 0 and 1 what its last launch
 * left there, also when L2 was flushed in between. Every launch brings the first lines into level 1. */
static uint32_t code_id_of(struct sm *s, const struct kernel *k)
{
    for (size_t i = 0; i < s->nkernel; i++)
        if (s->kernels[i] == k)
            return (uint32_t)i;
    s->kernels = grow(s->kernels, s->nkernel, &s->kernel_cap, sizeof *s->kernels);
    s->kernels[s->nkernel] = k;
    icache_run_before(s, (uint32_t)s->nkernel, k->n);
    return (uint32_t)s->nkernel++;
}

/* The smallest size of shared memory that holds the blocks that really come to an SM: a chase by one block on the H200
 * finds 248 KB of L1, whatever number of such blocks would fit. */
static uint32_t carveout_of(const struct config *c, const struct launch_state *ls)
{
    uint64_t here = (ls->nblock + c->nsm - 1) / c->nsm, per = ls->env.shared_bytes + c->smem_reserved_bytes;
    here = here < ls->occupancy.blocks ? here : ls->occupancy.blocks;
    per = (per + c->smem_granularity_bytes - 1) / c->smem_granularity_bytes * c->smem_granularity_bytes;
    for (uint32_t i = 0; i < c->n_carveouts_kb; i++)
        if (c->carveouts_kb[i] * UINT64_C(1024) >= here * per)
            return c->carveouts_kb[i] * 1024;
    return ls->occupancy.carveout_bytes;
}

void sm_prepare(struct sm *s, struct launch_state *const *launches, size_t n)
{
    sm_watch_end(s);
    free_pcs(s);
    s->nahead = 0;
    s->launches = launches;
    s->pcs = xrealloc(s->pcs, n ? n : 1, sizeof *s->pcs);
    s->code_id = xrealloc(s->code_id, n ? n : 1, sizeof *s->code_id);
    size_t local = 0;
    uint32_t carveout = 0, nkey = 0;
    for (size_t i = 0; i < n; i++) {
        const struct launch_state *ls = launches[i];
        size_t bytes = (size_t)ls->env.local_bytes * ls->env.nlane;
        uint32_t npc = ls->launch.kernel->n;
        for (uint32_t f = 0; f < ARRAY_LEN(ls->timing->nkey); f++)
            nkey = ls->timing->nkey[f] > nkey ? ls->timing->nkey[f] : nkey;
        s->code_id[i] = code_id_of(s, ls->launch.kernel);
        icache_launch(s, s->code_id[i], ls->launch.kernel->n);
        s->pcs[i] = xalloc_aligned((npc ? npc : 1) * sizeof **s->pcs, HOST_LINE);
        local = bytes > local ? bytes : local;
        uint32_t bytes_used = carveout_of(s->c, ls);
        carveout = bytes_used > carveout ? bytes_used : carveout;
    }
    s->nlaunch = n;
    s->seen_launch = 0;
    regtimes_layout(s, nkey);
    if (local > s->local_stride) {
        free(s->local);
        s->local_stride = (local + 63) & ~(size_t)63;
        s->local = xcalloc(s->c->max_warps, s->local_stride);
    }
    memset(&s->counters, 0, sizeof s->counters);
    if (n) {
        lsu_configure(s->lsu, carveout, s->pcs[0]);
        lsu_shared_base(s->lsu, arch_info(launches[0]->env.arch)->shared_base);
    }
}

/* ---- one cycle -------------------------------------------------------------------------------------- */
static void receive(struct sm *s, const struct message *m, cycle now)
{
    if (m->kind == MSG_BLOCK_LAUNCH) {
        block_arrive(s, m->tag, m->addr, now);
        return;
    }
    if (m->kind == MSG_CLUSTER_ARRIVE || m->kind == MSG_CLUSTER_GONE) {
        cluster_receive(s, m);
        return;
    }
    if (m->kind == MSG_REMOTE_SHARED)
        cluster_serve(s, m);
    else
        lsu_receive(s->lsu, m);
    s->lsu_next = now;
}

static void step_lsu(struct sm *s, cycle now)
{
    lsu_step(s->lsu, now);
    complete_all(s, now);
    cycle next = lsu_next_event(s->lsu, now);
    s->lsu_next = next > now ? next : now + 1;
    struct lsu_fault f = lsu_fault(s->lsu);
    if (f.set && !s->halted)
        fault_from_lsu(s, now);
    for (uint32_t i = 0; i < s->c->subcores; i++)
        if (s->sc[i].blocked & (1u << CLASS_MIO | 1u << CLASS_LG))
            s->sc_next[i] = now; /* there may be room in its queue */
}

static void step(struct sm *s, cycle now)
{
    struct message *m;
    while ((m = msgbox_peek(&s->in, now)) != NULL) {
        s->in.head++;
        receive(s, m, now);
    }
    bool back = s->lsu_next <= now || s->event_next <= now;
    if (s->lsu_next <= now)
        step_lsu(s, now);
    if (s->event_next <= now)
        events_due(s, now);
    if (back && (s->draining || s->flushing))
        slot_drain_check(s, now);
    for (uint32_t i = 0; i < s->c->subcores && !s->halted; i++)
        if (s->sc_next[i] <= now)
            subcore_step(s, i, now);
}

static cycle earlier(cycle a, cycle b)
{
    return a < b ? a : b;
}

cycle sm_next_event(const struct sm *s)
{
    cycle t = earlier(msgbox_next(&s->in), earlier(s->lsu_next, s->event_next));
    for (uint32_t i = 0; i < s->c->subcores; i++)
        t = earlier(t, s->sc_next[i]);
    return t;
}

void sm_run(struct sm *s, cycle from, cycle to)
{
    if (sm_next_event(s) < to)
        window_ask(s, to);
    for (cycle now = from; !s->halted;) {
        cycle next = sm_next_event(s);
        now = next > now ? next : now;
        if (now >= to)
            break;
        s->now = now;
        step(s, now++);
    }
    s->now = to;
    residency_count(s, to);
}

/* ---- what others see --------------------------------------------------------------------------------- */
struct msgbox *sm_inbox(struct sm *s)
{
    return &s->in;
}
struct msgbox *sm_outbox(struct sm *s)
{
    return &s->out;
}
struct storelog *sm_log(struct sm *s)
{
    return s->log;
}
struct payload_head *sm_payload(struct sm *s, uint32_t index)
{
    return lsu_payload(s->lsu, index);
}
const struct sm_fault *sm_fault(const struct sm *s)
{
    return &s->fault;
}
struct lsu *sm_lsu(struct sm *s)
{
    return s->lsu;
}

bool sm_idle(const struct sm *s)
{
    return s->resident_blocks == 0 && lsu_idle(s->lsu) && s->event_next == NEVER;
}

void sm_record(struct sm *s, bool on, bool accesses)
{
    lsu_record(s->lsu, accesses, s->clock);
    s->record = on;
    s->nissue = s->nblockrec = 0;
}

void sm_view_get(const struct sm *s, struct sm_view *v)
{
    v->issues = s->issues;
    v->nissue = s->nissue;
    v->blocks = s->blocks;
    v->nblock = s->nblockrec;
    v->accesses = lsu_records(s->lsu, &v->naccess);
    v->counters = &s->counters;
    v->resident_warps = s->resident_warps;
    v->resident_blocks = s->resident_blocks;
}
