/* Has every warp come back to a state in which it was? What livelock detection asks of an SM.
 *
 * A warp's next steps depend on its own state and on memory. If no memory value changes and the warp is again at the
 * same instruction with the same state, it goes round for ever, however the warps' turns fall together. Of its
 * registers only those count that the loop's branches, addresses and operands of memory instructions depend on: a loop
 * that counts its turns is a loop all the same. The time of day is no state, so a loop that reads a clock is never
 * judged. */
#include "sim/sm_core.h"

#include <stdlib.h>

struct code {           /* of one launch */
    uint64_t *executed; /* counts when the watch began */
    bool *ran;          /* instructions executed since, at the mark */
    bool relevant[NKEY];
    bool has_clock;
};
struct mark {    /* of one warp */
    cycle since; /* its last issue at the mark */
    uint64_t hash;
    uint32_t pc;
    uint8_t life;
    bool back; /* it has been here again */
};
struct watch {
    size_t nlaunch;
    struct code *code;
    struct mark mark[NSLOT];
    uint64_t shared; /* the blocks' shared memory at the mark */
};

static uint64_t mix(uint64_t h, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    uint64_t w;
    for (; bytes >= sizeof w; bytes -= sizeof w, p += sizeof w) {
        memcpy(&w, p, sizeof w);
        h = (h ^ w) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    for (; bytes; bytes--, p++)
        h = (h ^ *p) * UINT64_C(0x100000001b3);
    return h;
}

/* ---- which registers matter ------------------------------------------------------------------------ */
static bool reads_time(const struct inst *in)
{
    for (uint32_t i = 0; i < NOPERAND; i++)
        if (in->opd[i].kind == OPD_SREG && (in->opd[i].imm == 1 || (in->opd[i].imm >= 80 && in->opd[i].imm <= 83)))
            return true; /* SR_CLOCK, SR_CLOCKLO .. SR_GLOBALTIMERHI of isa/sregs.def */
    return false;
}

/* The instruction does nothing but write registers of its own warp. */
static bool only_computes(const struct idesc *d)
{
    return !(d->flags & D_BRANCH) && (d->effect == EFF_NONE || d->effect == EFF_VARIABLE || d->effect == EFF_CONST);
}

static bool writes_relevant(const struct code *c, const struct idesc *d)
{
    for (uint32_t i = 0; i < d->nwrite; i++)
        for (uint32_t k = 0; k < d->write[i].count; k++)
            if (c->relevant[d->write[i].first + k])
                return true;
    return false;
}

static bool add_reads(struct code *c, const struct idesc *d)
{
    bool grew = false;
    for (uint32_t i = 0; i < d->nread; i++)
        for (uint32_t k = 0; k < d->read[i].count; k++) {
            grew |= !c->relevant[d->read[i].first + k];
            c->relevant[d->read[i].first + k] = true;
        }
    return grew;
}

static void find_relevant(const struct sm *s, size_t launch, struct code *c)
{
    const struct kernel *k = s->launches[launch]->launch.kernel;
    const struct idesc *desc = s->launches[launch]->timing->desc;
    memset(c->relevant, 0, sizeof c->relevant);
    c->has_clock = false;
    for (uint32_t pc = 0; pc < k->n; pc++) {
        c->ran[pc] = s->pcs[launch][pc].executed != c->executed[pc];
        c->has_clock |= c->ran[pc] && reads_time(&k->code[pc]);
    }
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t pc = 0; pc < k->n; pc++)
            if (c->ran[pc] && (!only_computes(&desc[pc]) || writes_relevant(c, &desc[pc])))
                grew |= add_reads(c, &desc[pc]);
    }
}

/* ---- states ------------------------------------------------------------------------------------------ */
static uint64_t registers_hash(uint64_t h, const struct warp *w, const struct code *c)
{
    uint32_t nreg = kernel_registers(w->env->kernel), nlane = w->env->nlane;
    for (uint32_t r = 0; r < nreg; r++)
        if (c->relevant[KEY_R + r])
            h = mix(h, w->reg + (size_t)r * nlane, nlane * sizeof *w->reg);
    for (uint32_t r = 0; r < NUREG; r++)
        if (c->relevant[KEY_UR + r])
            h = mix(h, &w->ureg[r], sizeof w->ureg[r]);
    for (uint32_t p = 0; p < NPRED; p++)
        if (c->relevant[KEY_P + p])
            h = mix(h, &w->pred[p], sizeof w->pred[p]);
    return mix(h, &w->upred, sizeof w->upred);
}

static uint64_t warp_hash(const struct warp *w, const struct code *c)
{
    uint64_t h = registers_hash(1, w, c);
    h = mix(h, w->breg, sizeof w->breg);
    h = mix(h, &w->live, sizeof w->live);
    for (uint32_t i = 0; i < w->nsplit; i++) {
        h = mix(h, &w->split[i].pc, sizeof w->split[i].pc);
        h = mix(h, &w->split[i].mask, sizeof w->split[i].mask);
        h = mix(h, &w->split[i].state, sizeof w->split[i].state);
    }
    if (w->local)
        h = mix(h, w->local, (size_t)w->env->local_bytes * w->env->nlane);
    h = mix(h, &w->spins, sizeof w->spins);
    return mix(h, &w->cur, sizeof w->cur);
}

static uint64_t shared_hash(const struct sm *s)
{
    uint64_t h = s->smid + 1;
    for (uint32_t i = 0; i < NBLOCK; i++) {
        const struct block *b = &s->block[i];
        if (!b->used)
            continue;
        h = mix(h, &b->number, sizeof b->number);
        if (b->shared && b->nwarp)
            h = mix(h, b->shared, s->launches[b->launch]->env.shared_bytes);
    }
    return h;
}

static bool runs(const struct slot *sl)
{
    return sl->state == SLOT_RUN || sl->state == SLOT_FENCE;
}
/* It goes on only if another warp does. */
static bool waits_for_others(const struct slot *sl)
{
    return sl->state == SLOT_FREE || (sl->state == SLOT_BARRIER && sl->ready == NEVER) || sl->state == SLOT_STUCK ||
           sl->state == SLOT_DONE;
}

/* ---- the watch --------------------------------------------------------------------------------------- */
void sm_watch_end(struct sm *s)
{
    if (!s->watch)
        return;
    for (size_t i = 0; i < s->watch->nlaunch; i++) {
        free(s->watch->code[i].executed);
        free(s->watch->code[i].ran);
    }
    free(s->watch->code);
    free(s->watch);
    s->watch = NULL;
    lsu_watch(s->lsu, false);
}

void sm_watch_begin(struct sm *s)
{
    sm_watch_end(s);
    struct watch *w = s->watch = xcalloc(1, sizeof *w);
    w->nlaunch = s->nlaunch;
    w->code = xcalloc(s->nlaunch ? s->nlaunch : 1, sizeof *w->code);
    for (size_t i = 0; i < s->nlaunch; i++) {
        uint32_t n = s->launches[i]->launch.kernel->n;
        w->code[i].executed = xcalloc(n ? n : 1, sizeof *w->code[i].executed);
        w->code[i].ran = xcalloc(n ? n : 1, sizeof *w->code[i].ran);
        for (uint32_t pc = 0; pc < n; pc++)
            w->code[i].executed[pc] = s->pcs[i][pc].executed;
    }
    lsu_watch(s->lsu, true);
}

void sm_watch_mark(struct sm *s)
{
    struct watch *w = s->watch;
    if (!w)
        return; /* its blocks came later */
    for (size_t i = 0; i < w->nlaunch; i++)
        find_relevant(s, i, &w->code[i]);
    for (uint32_t i = 0; i < NSLOT; i++) {
        const struct slot *sl = &s->slot[i];
        w->mark[i] = (struct mark){.since = sl->since, .life = sl->life};
        if (!runs(sl))
            continue;
        w->mark[i].pc = warp_pc(&sl->w);
        w->mark[i].hash = warp_hash(&sl->w, &w->code[sl->launch]);
    }
    w->shared = shared_hash(s);
}

static bool came_back(const struct sm *s, const struct slot *sl, struct mark *m)
{
    if (m->back)
        return true;
    if (sl->life != m->life || sl->since <= m->since || warp_pc(&sl->w) != m->pc)
        return false;
    return m->back = warp_hash(&sl->w, &s->watch->code[sl->launch]) == m->hash;
}

/* Since the mark nothing ran that had not run before it, and no clock was read. */
static bool same_code(const struct sm *s, size_t launch)
{
    const struct code *c = &s->watch->code[launch];
    uint32_t n = s->launches[launch]->launch.kernel->n;
    for (uint32_t pc = 0; pc < n; pc++)
        if (!c->ran[pc] && s->pcs[launch][pc].executed != c->executed[pc])
            return false;
    return !c->has_clock;
}

bool sm_watch_recurs(struct sm *s)
{
    struct watch *w = s->watch;
    if (!w || s->flushing) /* blocks that have ended but for their last stores will end */
        return false;
    for (uint32_t i = 0; i < NBLOCK; i++)
        if (s->block[i].used && !s->block[i].started)
            return false; /* its warps are going to run */
    bool all = true;
    for (uint32_t i = 0; i < NSLOT; i++) {
        const struct slot *sl = &s->slot[i];
        bool still = waits_for_others(sl) && sl->since == w->mark[i].since; /* since the mark; not in passing */
        all &= still || ((w->mark[i].back || runs(sl)) && came_back(s, sl, &w->mark[i]));
    }
    if (!all)
        return false;
    for (size_t i = 0; i < w->nlaunch; i++)
        if (!same_code(s, i))
            return false;
    return !lsu_watch_changed(s->lsu) && shared_hash(s) == w->shared;
}

void sm_describe_loops(const struct sm *s, struct sb *out)
{
    enum { MOST = 4 };
    uint32_t told = 0;
    for (uint32_t i = 0; i < NSLOT; i++) {
        const struct slot *sl = &s->slot[i];
        if (!runs(sl) || told++ >= MOST)
            continue;
        const struct warp *w = &sl->w;
        sb_addf(out, "  SM %u block (%u,%u,%u) warp %u goes round, lanes 0x%llx, now at ", s->smid, w->ctaid[0],
                w->ctaid[1], w->ctaid[2], w->warp_in_block, (unsigned long long)warp_active(w));
        add_instruction(out, sl->ls, warp_pc(w));
        sb_add(out, "\n");
    }
    if (told > MOST)
        sb_addf(out, "  SM %u: and %u more warps\n", s->smid, told - MOST);
}
