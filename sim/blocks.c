/* The block scheduler. A grid's blocks start in order of their number, one every launch.start_cycles_per_block; those
 * that have ended are taken in turn, one every launch.cycles_per_block, and only then is their room free; the block
 * that gets it starts launch.refill_cycles later. Each block goes to the SM with the fewest blocks that has room, the
 * first of these in launch.order, so empty SMs fill breadth first and in a full machine a block goes where one has
 * ended. A grid of fewer blocks than SMs is spread over the GPCs, an SM of each TPC first. The blocks of a cluster
 * start together on one GPC. */
#include "sim/blocks.h"

#include <stdlib.h>
#include <string.h>

enum { FRACTION = 12 };
struct room { /* what blocks have taken on an SM */
    uint32_t blocks, warps, registers, shared;
};
struct blocks {
    const struct config *cfg;
    struct launch_state *const *launches;
    size_t nlaunch;
    bool *begun;
    struct room *cost;  /* of a block of each launch */
    uint32_t *resident; /* [launch][sm] */
    struct room *used;  /* of each SM */
    uint32_t order[NLIST];
    uint32_t *spread; /* [launch][sm]: the order of a launch of fewer blocks than SMs */
    cycle clock;      /* last completion handled */
    cycle since;      /* there has been a block to start, and room, since then */
    uint64_t free;    /* when the next block may leave, with 12 fractional bits */
    uint64_t interval;
    uint64_t taken; /* when the last completion was taken, with as many */
    uint64_t taken_interval;
    uint32_t seq;
    struct msgbox done;  /* completions on their way, sorted */
    uint32_t chosen[64]; /* SMs of the cluster that is being placed */
    uint64_t ndone, nall;
    bool no_room; /* nothing can start before a block ends */
};

static void fill_order(struct blocks *b)
{
    bool seen[NLIST] = {false};
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->cfg->n_launch_order; i++) {
        uint32_t s = b->cfg->launch_order[i];
        if (s < b->cfg->nsm && !seen[s]) {
            b->order[n++] = s;
            seen[s] = true;
        }
    }
    for (uint32_t s = 0; s < b->cfg->nsm; s++)
        if (!seen[s])
            b->order[n++] = s;
}

struct blocks *blocks_new(const struct config *c)
{
    struct blocks *b = xcalloc(1, sizeof *b);
    b->cfg = c;
    b->used = xcalloc(c->nsm, sizeof *b->used);
    b->interval = (uint64_t)(c->block_start_interval * (1 << FRACTION) + 0.5);
    b->taken_interval = (uint64_t)(c->block_launch_cycles * (1 << FRACTION) + 0.5);
    fill_order(b);
    return b;
}

void blocks_free(struct blocks *b)
{
    if (!b)
        return;
    free(b->begun);
    free(b->cost);
    free(b->resident);
    free(b->spread);
    free(b->used);
    msgbox_finish(&b->done);
    free(b);
}

static struct room cost_of(const struct config *c, const struct launch_state *ls)
{
    uint32_t unit = c->reg_alloc_unit;
    uint32_t per_warp = (ls->launch.kernel->nreg * c->warp_size + unit - 1) / unit * unit;
    uint32_t shared = ls->launch.kernel->shared_bytes + ls->launch.dynamic_shared_bytes + c->smem_reserved_bytes;
    uint32_t grain = c->smem_granularity_bytes;
    return (struct room){1, ls->warps_per_block, ls->warps_per_block * per_warp, (shared + grain - 1) / grain * grain};
}

/* ---- grids smaller than the machine ------------------------------------------------------------- */
struct group { /* SMs of one GPC that lie together in launch.order */
    uint32_t first, sms, tpcs, share;
};

static uint32_t groups_of(const struct blocks *b, struct group *g)
{
    const struct config *c = b->cfg;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->nsm; i++) {
        uint32_t s = b->order[i], before = i ? b->order[i - 1] : 0;
        if (!i || c->gpc_of_sm[s] != c->gpc_of_sm[before])
            g[n++] = (struct group){.first = i};
        g[n - 1].sms++;
        g[n - 1].tpcs += g[n - 1].sms == 1 || c->tpc_of_sm[s] != c->tpc_of_sm[before];
    }
    return n;
}

/* The first group takes what it can; the others get the rest one by one in turn, a block a TPC and only then a second.
 */
static void deal(struct group *g, uint32_t n, uint64_t blocks)
{
    g[0].share = blocks < g[0].sms ? (uint32_t)blocks : g[0].sms;
    blocks -= g[0].share;
    for (int second = 0; second < 2; second++)
        for (bool any = true; any && blocks;) {
            any = false;
            for (uint32_t i = 1; i < n && blocks; i++)
                if (g[i].share < (second ? g[i].sms : g[i].tpcs)) {
                    g[i].share++;
                    blocks--;
                    any = true;
                }
        }
}

/* The group's working SMs in order: the first of each TPC, and of the first TPCs the second too. Returns how many. */
static uint32_t put_group(const struct blocks *b, const struct group *g, bool whole, bool *taken, uint32_t *order)
{
    uint32_t second = whole ? g->share : g->share > g->tpcs ? g->share - g->tpcs : 0, n = 0;
    for (uint32_t k = 0; k < g->sms && n < g->share; k++) {
        uint32_t s = b->order[g->first + k];
        bool is_second = k && b->cfg->tpc_of_sm[s] == b->cfg->tpc_of_sm[b->order[g->first + k - 1]];
        if (is_second && !second)
            continue;
        second -= is_second;
        taken[s] = true;
        order[n++] = s;
    }
    return n;
}

/* Measured: the SMs of launches of 8, 16 and 64 blocks (tests/data/launch_small.h200.txt). Between 64 and all it is
 * inferred. */
static void spread_over(const struct blocks *b, uint64_t blocks, uint32_t *order)
{
    struct group g[NLIST];
    bool taken[NLIST] = {false};
    uint32_t n = groups_of(b, g), out = 0;
    deal(g, n, blocks);
    for (uint32_t i = 0; i < n; i++)
        out += put_group(b, &g[i], i == 0, taken, order + out);
    for (uint32_t i = 0; i < b->cfg->nsm; i++)
        if (!taken[b->order[i]])
            order[out++] = b->order[i];
}

static const uint32_t *order_of(const struct blocks *b, size_t launch)
{
    bool small = b->cfg->n_launch_order && b->launches[launch]->nblock < b->cfg->nsm;
    return small ? b->spread + launch * b->cfg->nsm : b->order;
}

void blocks_begin(struct blocks *b, struct launch_state *const *launches, size_t n, cycle now)
{
    b->launches = launches;
    b->nlaunch = n;
    b->begun = xrealloc(b->begun, n, sizeof *b->begun);
    b->cost = xrealloc(b->cost, n, sizeof *b->cost);
    b->resident = xrealloc(b->resident, n * b->cfg->nsm, sizeof *b->resident);
    b->spread = xrealloc(b->spread, n * b->cfg->nsm, sizeof *b->spread);
    memset(b->begun, 0, n * sizeof *b->begun);
    memset(b->resident, 0, n * b->cfg->nsm * sizeof *b->resident);
    memset(b->used, 0, b->cfg->nsm * sizeof *b->used);
    b->clock = b->since = now;
    b->free = b->taken = now << FRACTION;
    b->ndone = b->nall = 0;
    b->no_room = false;
    for (size_t i = 0; i < n; i++) {
        b->cost[i] = cost_of(b->cfg, launches[i]);
        if (order_of(b, i) != b->order)
            spread_over(b, launches[i]->nblock, b->spread + i * b->cfg->nsm);
        b->nall += launches[i]->nblock;
    }
}

/* A launch can begin when those before it on its stream have ended. */
static bool may_begin(struct blocks *b, size_t i)
{
    if (b->begun[i])
        return true;
    for (size_t k = 0; k < i; k++)
        if (b->launches[k]->launch.stream == b->launches[i]->launch.stream && !b->launches[k]->finished)
            return false;
    b->begun[i] = true;
    b->launches[i]->start = b->clock;
    return true;
}

static bool fits(const struct blocks *b, size_t launch, uint32_t sm)
{
    const struct room *u = &b->used[sm], *c = &b->cost[launch];
    const struct config *cfg = b->cfg;
    return b->resident[launch * cfg->nsm + sm] < b->launches[launch]->occupancy.blocks && u->blocks < cfg->max_blocks &&
           u->warps + c->warps <= cfg->max_warps && u->registers + c->registers <= cfg->registers &&
           u->shared + c->shared <= cfg->smem_bytes;
}

static void take(struct blocks *b, size_t launch, uint32_t sm, int sign)
{
    struct room *u = &b->used[sm];
    const struct room *c = &b->cost[launch];
    uint32_t k = (uint32_t)sign;
    u->blocks += k;
    u->warps += k * c->warps;
    u->registers += k * c->registers;
    u->shared += k * c->shared;
    b->resident[launch * b->cfg->nsm + sm] += k;
}

static bool better(const struct blocks *b, uint32_t best, uint32_t s)
{
    return best == UINT32_MAX || b->used[s].blocks < b->used[best].blocks;
}

/* Fewest blocks first, then launch order. UINT32_MAX if no SM has room. */
static uint32_t pick_sm(const struct blocks *b, size_t launch)
{
    const uint32_t *order = order_of(b, launch);
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < b->cfg->nsm; i++) {
        uint32_t s = order[i];
        if (better(b, best, s) && fits(b, launch, s)) {
            best = s;
            if (!b->used[s].blocks)
                break;
        }
    }
    return best;
}

/* The same inside a GPC, in order of SM number: so clusters begin with the two SMs of a TPC, as on the H200. */
static uint32_t pick_sm_of(const struct blocks *b, size_t launch, uint32_t gpc)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t s = 0; s < b->cfg->nsm; s++)
        if (b->cfg->gpc_of_sm[s] == gpc && better(b, best, s) && fits(b, launch, s))
            best = s;
    return best;
}

static uint32_t cluster_blocks(const struct launch_state *ls)
{
    const uint32_t *c = ls->env.cluster;
    return c[0] && c[1] && c[2] ? c[0] * c[1] * c[2] : 1;
}

/* Chooses SMs for n blocks of one GPC and takes their room; gives it back if they do not fit. */
static bool take_in_gpc(struct blocks *b, size_t launch, uint32_t gpc, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = pick_sm_of(b, launch, gpc);
        if (s == UINT32_MAX) {
            while (i-- > 0)
                take(b, launch, b->chosen[i], -1);
            return false;
        }
        b->chosen[i] = s;
        take(b, launch, s, 1);
    }
    return true;
}

static uint32_t gpc_blocks(const struct blocks *b, uint32_t gpc)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < b->cfg->nsm; s++)
        n += b->cfg->gpc_of_sm[s] == gpc ? b->used[s].blocks : 0;
    return n;
}

/* Clusters go round the GPCs: to the one with the fewest blocks that has room. */
static bool take_cluster(struct blocks *b, size_t launch, uint32_t n)
{
    uint64_t tried = 0;
    for (uint32_t i = 0; i < b->cfg->ngpc; i++) {
        uint32_t best = UINT32_MAX, least = UINT32_MAX;
        for (uint32_t g = 0; g < b->cfg->ngpc; g++) {
            uint32_t blocks = tried >> g & 1 ? UINT32_MAX : gpc_blocks(b, g);
            if (blocks < least) {
                least = blocks;
                best = g;
            }
        }
        if (best != UINT32_MAX && take_in_gpc(b, launch, best, n))
            return true;
        tried |= best < 64 ? UINT64_C(1) << best : 0;
    }
    return false;
}

static bool take_room(struct blocks *b, size_t launch, uint32_t n)
{
    if (n > 1)
        return take_cluster(b, launch, n);
    uint32_t s = pick_sm(b, launch);
    if (s == UINT32_MAX)
        return false;
    b->chosen[0] = s;
    take(b, launch, s, 1);
    return true;
}

/* Linear number of block i of the launch's k-th cluster. */
static uint64_t block_of_cluster(const struct launch_state *ls, uint64_t k, uint32_t i)
{
    const uint32_t *c = ls->env.cluster, *g = ls->launch.grid;
    if (cluster_blocks(ls) == 1)
        return k;
    uint64_t nx = g[0] / c[0], ny = g[1] / c[1];
    uint64_t x = k % nx * c[0] + i % c[0], y = k / nx % ny * c[1] + i / c[0] % c[1],
             z = k / (nx * ny) * c[2] + i / (c[0] * c[1]);
    return (z * g[1] + y) * g[0] + x;
}

/* Beyond the blocks that fit at once, one starts where another has ended, and later than its room is free. */
static bool takes_place(const struct blocks *b, size_t launch, uint64_t block)
{
    const struct launch_state *ls = b->launches[launch];
    return block >= (uint64_t)ls->occupancy.blocks * b->cfg->nsm;
}

static void dispatch(struct blocks *b, struct hub *h, size_t launch, cycle at, uint32_t n)
{
    struct launch_state *ls = b->launches[launch];
    for (uint32_t i = 0; i < n; i++) {
        uint64_t block = block_of_cluster(ls, ls->next_block / n, i);
        if (ls->map.sm_of_block)
            ls->map.sm_of_block[block] = (uint16_t)b->chosen[i];
        struct message m = {
            .time = at + b->cfg->window_cycles + (takes_place(b, launch, block) ? b->cfg->block_refill : 0),
            .source = b->cfg->nsm + b->cfg->mem_partitions,
            .seq = b->seq++,
            .dest = b->chosen[i],
            .tag = ls->index,
            .payload = PAYLOAD_NONE,
            .kind = MSG_BLOCK_LAUNCH,
            .addr = block,
        };
        hub_deliver(h, m);
    }
    ls->next_block += n;
}

/* The next launch with a block to start and room for it, its SMs taken; nlaunch if none. */
static size_t find_work(struct blocks *b, uint32_t *n)
{
    for (size_t i = 0; i < b->nlaunch && !b->no_room; i++) {
        struct launch_state *ls = b->launches[i];
        if (ls->next_block >= ls->nblock || !may_begin(b, i))
            continue;
        *n = cluster_blocks(ls);
        if (take_room(b, i, *n))
            return i;
    }
    b->no_room = true;
    return b->nlaunch;
}

static cycle whole(uint64_t time)
{
    return (time + (1 << FRACTION) - 1) >> FRACTION;
}

static cycle port_free(const struct blocks *b)
{
    return whole(b->free);
}

/* When the next completion will have been taken, with its fraction; UINT64_MAX: none is known */
static uint64_t next_taken(const struct blocks *b)
{
    cycle next = msgbox_next(&b->done);
    if (next == UINT64_MAX)
        return UINT64_MAX;
    uint64_t came = next << FRACTION;
    return (came > b->taken ? came : b->taken) + b->taken_interval;
}

static cycle next_completion(const struct blocks *b)
{
    uint64_t t = next_taken(b);
    return t == UINT64_MAX ? t : whole(t);
}

static void complete(struct blocks *b)
{
    b->taken = next_taken(b);
    cycle now = whole(b->taken);
    const struct message *m = &b->done.m[b->done.head++];
    struct launch_state *ls = b->launches[m->tag];
    take(b, m->tag, m->source, -1);
    ls->blocks_done++;
    b->ndone++;
    cycle hidden = m->wire_bytes < b->cfg->launch_drain_cycles ? m->wire_bytes : b->cfg->launch_drain_cycles;
    cycle end = now - b->cfg->window_cycles - hidden; /* on its SM, as far as the launch's length shows it */
    ls->end = end > ls->end ? end : ls->end;
    b->clock = now;
    if (now > port_free(b)) /* the port could have sent a block before, but there was no room */
        b->since = now;
    b->no_room = false;
    if (ls->blocks_done == ls->nblock) {
        ls->finished = true;
        if (ls->end < ls->start)
            ls->end = ls->start;
    }
}

static void collect(struct blocks *b, struct hub *h)
{
    for (uint32_t g = 0; g < b->cfg->ngpc; g++) {
        struct msgbox *box = hub_completions(h, g);
        for (size_t i = 0; i < box->n; i++)
            msgbox_push(&b->done, box->m[i]);
        box->n = box->head = 0;
    }
    msgbox_sort(&b->done);
}

static cycle ready_at(const struct blocks *b)
{
    cycle port = port_free(b);
    return port > b->since ? port : b->since; /* completions up to then have been taken */
}

void blocks_step(struct blocks *b, struct hub *h, cycle to)
{
    collect(b, h);
    for (;;) {
        cycle next_done = next_completion(b);
        cycle at = ready_at(b);
        uint32_t n;
        if (at < to && at < next_done) {
            size_t launch = find_work(b, &n);
            if (launch < b->nlaunch) {
                dispatch(b, h, launch, at, n);
                uint64_t from = b->since << FRACTION;
                b->free = (b->free > from ? b->free : from) + n * b->interval;
                continue;
            }
        }
        if (next_done >= to)
            break;
        complete(b);
    }
}

cycle blocks_next(const struct blocks *b)
{
    struct blocks *probe = (struct blocks *)b; /* takes room and gives it back */
    cycle next = next_completion(b);
    uint32_t n = 0;
    size_t launch = find_work(probe, &n);
    if (launch == b->nlaunch)
        return next;
    for (uint32_t i = 0; i < n; i++)
        take(probe, launch, b->chosen[i], -1);
    return ready_at(b) < next ? ready_at(b) : next;
}

bool blocks_finished(const struct blocks *b)
{
    return b->ndone == b->nall;
}

uint64_t blocks_waiting(const struct blocks *b)
{
    uint64_t n = 0;
    for (size_t i = 0; i < b->nlaunch; i++)
        if (b->begun[i])
            n += b->launches[i]->nblock - b->launches[i]->next_block;
    return n;
}

void blocks_count(const struct blocks *b, uint64_t *done, uint64_t *all)
{
    *done = b->ndone;
    *all = b->nall;
}
