/* The cluster barrier: UCGABAR_ARV and UCGABAR_WAIT.
 *
 * A block's warps arrive one by one; when all that are left have, the block tells the other blocks of its cluster, each
 * by a message. A phase is over for a block when it knows that of all. Blocks that have ended count as arrived. Nobody
 * can be more than one phase ahead, so what is known is kept for two phases. */
#include "sim/races.h"
#include "sim/sm_core.h"

static uint32_t all_of(const struct cluster_map *c)
{
    return (1u << c->blocks) - 1;
}

static void tell(struct sm *s, const struct block *b, cycle now, enum msg_kind kind)
{
    const struct cluster_map *c = &s->launches[b->launch]->map;
    uint32_t own = cluster_rank(c, b->number);
    for (uint32_t r = 0; r < c->blocks && c->sm_of_block; r++) {
        if (r == own)
            continue;
        uint64_t peer = cluster_block(c, b->number, r);
        msgbox_push(&s->out, (struct message){.time = now,
                                              .source = s->smid,
                                              .seq = s->out_seq++ | 1u << 31, /* apart from the memory pipeline's */
                                              .dest = c->sm_of_block[peer],
                                              .tag = b->launch,
                                              .payload = own << 1 | b->cluster.phase,
                                              .wire_bytes = (uint16_t)s->c->noc_header_bytes,
                                              .kind = (uint8_t)kind,
                                              .addr = peer});
    }
}

static void release(struct sm *s, struct block *b, cycle now)
{
    struct cluster_barrier *c = &b->cluster;
    races_block_met(s->races, b->slots, now);
    cycle at = now + s->c->cluster_barrier_cycles + (cycle)(s->c->cluster_warp_cycles * b->nwarp);
    c->known[c->phase] = 0;
    c->phase ^= 1;
    c->arrived = 0;
    c->told = false;
    for (uint64_t m = b->slots; m; m &= m - 1)
        s->slot[__builtin_ctzll(m)].cluster_arrived = false;
    for (uint64_t m = c->waiting; m; m &= m - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(m);
        s->slot[slot].state = SLOT_RUN;
        slot_hold(&s->slot[slot], STALL_barrier, at);
        slot_examine(s, &s->slot[slot], now);
    }
    c->waiting = 0;
}

static void look(struct sm *s, struct block *b, cycle now)
{
    struct cluster_barrier *c = &b->cluster;
    const struct cluster_map *map = &s->launches[b->launch]->map;
    if (b->live && c->arrived && c->arrived >= b->live && !c->told) {
        c->told = true;
        c->known[c->phase] |= 1u << cluster_rank(map, b->number);
        tell(s, b, now, MSG_CLUSTER_ARRIVE);
    }
    if (c->told && (c->known[c->phase] | c->gone) == all_of(map))
        release(s, b, now);
}

void cluster_arrive(struct sm *s, uint32_t slot, cycle now)
{
    struct slot *sl = &s->slot[slot];
    struct block *b = &s->block[sl->block];
    if (sl->cluster_arrived) {
        fault_text(s, now, sl, warp_pc(&sl->w) - 1,
                   "a second arrival at the cluster barrier without a wait between them");
        return;
    }
    sl->cluster_arrived = true;
    b->cluster.arrived++;
    look(s, b, now);
}

bool cluster_waits(struct sm *s, uint32_t slot)
{
    struct slot *sl = &s->slot[slot];
    if (!sl->cluster_arrived)
        return false;
    s->block[sl->block].cluster.waiting |= (uint64_t)1 << slot;
    return true;
}

/* A warp of the block has exited: the block waits no more for it; and perhaps others no more for the block. */
void cluster_exit(struct sm *s, uint32_t slot, cycle now)
{
    struct slot *sl = &s->slot[slot];
    struct block *b = &s->block[sl->block];
    if (s->launches[b->launch]->map.blocks < 2)
        return;
    if (sl->cluster_arrived)
        b->cluster.arrived--;
    sl->cluster_arrived = false;
    if (b->live == 0)
        tell(s, b, now, MSG_CLUSTER_GONE);
    else
        look(s, b, now);
}

static struct block *find_block(struct sm *s, uint32_t launch, uint64_t number)
{
    for (uint32_t i = 0; i < NBLOCK; i++)
        if (s->block[i].used && s->block[i].launch == launch && s->block[i].number == number)
            return &s->block[i];
    return NULL;
}

static void take(struct sm *s, struct block *b, const struct message *m)
{
    uint32_t rank = m->payload >> 1, phase = m->payload & 1;
    if (m->kind == MSG_CLUSTER_GONE)
        b->cluster.gone |= 1u << rank;
    else
        b->cluster.known[phase] |= 1u << rank;
    look(s, b, m->time);
}

/* What comes for a block that has not been set up yet waits for it. */
void cluster_receive(struct sm *s, const struct message *m)
{
    struct block *b = find_block(s, m->tag, m->addr);
    if (b) {
        take(s, b, m);
        return;
    }
    s->ahead = grow(s->ahead, s->nahead, &s->ahead_cap, sizeof *s->ahead);
    s->ahead[s->nahead++] = *m;
}

void cluster_block_begins(struct sm *s, struct block *b)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->nahead; i++) {
        if (s->ahead[i].tag == b->launch && s->ahead[i].addr == b->number)
            take(s, b, &s->ahead[i]);
        else
            s->ahead[kept++] = s->ahead[i];
    }
    s->nahead = kept;
}

/* ---- shared memory for others ------------------------------------------------------------------- */
void cluster_serve(struct sm *s, const struct message *m)
{
    struct payload *pay = payload_whole(s->peers.payload(s->peers.arg, m->source, m->payload));
    struct block *b = find_block(s, m->tag >> 16, m->addr);
    bool there = b && b->live;
    lsu_serve(s->lsu, m, pay, there ? b->shared : NULL, there ? s->launches[b->launch]->env.shared_bytes : 0);
}
