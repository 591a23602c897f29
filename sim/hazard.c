/* Ready times of registers.
 *
 * A result is computed when its instruction issues, but belongs to the program only from its ready time on. Under
 * `hazards: fault`, code with scheduling fields that reads a register earlier is a broken wait or stall count and ends
 * the run; under `stale` it reads the old value, as the hardware does: new rows are kept apart until their time.
 * Code without scheduling fields is held by these times: the scoreboard.
 * Ready times are kept with the lanes they hold for: another path of a diverged warp may use the same register. */
#include "sim/sm_core.h"

/* Lanes in which the instruction will execute. */
static lanemask lanes_of(const struct slot *sl, const struct inst *in)
{
    lanemask m = warp_active(&sl->w);
    if (in->guard == PT)
        return in->guard_not ? 0 : m;
    if (in->guard_uniform)
        return ((sl->w.upred >> in->guard & 1) != in->guard_not) ? m : 0;
    lanemask p = sl->w.pred[in->guard];
    return m & (in->guard_not ? ~p : p);
}

static const char *file_name(uint32_t key, uint32_t *number)
{
    static const struct {
        const char *name;
        uint32_t first;
    } files[] = {[RF_R] = {"R", KEY_R}, [RF_UR] = {"UR", KEY_UR}, [RF_P] = {"P", KEY_P}, [RF_UP] = {"UP", KEY_UP}};
    enum regfile f = key_file(key);
    *number = key - files[f].first;
    return files[f].name;
}

SELDOM static bool hazard_found(struct sm *s, struct slot *sl, uint32_t key, const char *verb, cycle now)
{
    const struct regtime *r = &sl->reg[key];
    uint32_t pc = warp_pc(&sl->w), number, writer_pc = r->writer & ~REG_PARTIAL;
    const struct inst *in = &sl->ls->launch.kernel->code[pc];
    bool guard = key < KEY_UR && in->guard != PT && (key == (in->guard_uniform ? KEY_UP : KEY_P) + (uint32_t)in->guard);
    lanemask lanes = guard ? warp_active(&sl->w) : lanes_of(sl, in);
    if (r->writer & REG_PARTIAL && !(lanes & sl->reg_lanes[key]))
        return false;
    if (!lanes)
        return false;
    const char *file = file_name(key, &number);
    struct sb writer = {0};
    add_instruction(&writer, sl->ls, writer_pc);
    if (r->ready == NEVER)
        fault_text(s, now, sl, pc, "%s %s%u before it was written by %s: no dependence counter was waited for", verb,
                   file, number, writer.text);
    else
        fault_text(s, now, sl, pc, "%s %s%u %u cycle(s) before the result of %s is ready: stall count too small", verb,
                   file, number, (uint32_t)(r->ready - now), writer.text);
    sb_finish(&writer);
    return true;
}

bool hazard_search(struct sm *s, struct slot *sl, const struct idesc *d, cycle now)
{
    const struct regtime *reg = sl->reg;
    if (d->effect == EFF_TENSOR_ASYNC)
        return true; /* they pass accumulators on to each other inside the unit */
    for (uint32_t i = 0; i < d->nread; i++)
        for (uint32_t k = 0, key = d->read[i].first; k < d->read[i].count; k++, key++)
            if (reg[key].ready > now + d->read[i].late && hazard_found(s, sl, key, "reads", now))
                return false;
    if (d->flags & D_LSU)
        return true; /* results of the memory pipeline come in order: one load may overwrite another's */
    for (uint32_t i = 0; i < d->nwrite; i++)
        for (uint32_t k = 0, key = d->write[i].first; k < d->write[i].count; k++, key++)
            if (reg[key].ready == NEVER && hazard_found(s, sl, key, "overwrites", now))
                return false;
    return true;
}

static bool is_math(uint8_t unit)
{
    return unit != UNIT_LSU && unit != UNIT_CBU && unit != UNIT_XU && unit != UNIT_UNIFORM;
}

/* To a unit other than its own; the double unit's results (DFMA, HFMA2.MMA) are as late for all (measured: stall counts
 * 8). */
static uint32_t cross_cycles(const struct config *c, const struct idesc *writer)
{
    return writer->unit == UNIT_FP64 ? 0 : c->cross_unit_cycles;
}

/* From then on every consumer sees results that were ready by now. */
static cycle seen_by_all(const struct config *c, cycle ready)
{
    return ready + c->predicate_latency_cycles + c->uniform_vector_cycles;
}

/* Ready time as this consumer sees it: results cross to another unit later, predicates reach branches and memory
 * instructions later still. */
static cycle seen_by(const struct config *c, const struct slot *sl, uint32_t key, const struct idesc *d)
{
    cycle ready = sl->reg[key].ready;
    if (ready == NEVER || seen_by_all(c, ready) <= sl->since)
        return ready; /* for all who read it */
    const struct idesc *w = &sl->desc[sl->reg[key].writer & ~REG_PARTIAL];
    if (!(w->flags & D_FIXED))
        return ready;
    if (key_file(key) == RF_P && !is_math(d->unit))
        return ready - w->latency + c->predicate_latency_cycles;
    if (key_file(key) == RF_UR && d->unit != UNIT_UNIFORM)
        return ready - w->latency + c->uniform_vector_cycles;
    uint32_t later = w->unit == d->unit ? 0 : cross_cycles(c, w);
    return ready + (d->older > later ? d->older : later);
}

cycle scoreboard_ready(const struct slot *sl, const struct sm *s, const struct idesc *d)
{
    cycle t = 0;
    for (uint32_t i = 0; i < d->nread; i++)
        for (uint32_t k = 0, key = d->read[i].first; k < d->read[i].count; k++, key++) {
            cycle r = seen_by(s->c, sl, key, d);
            if (r > t)
                t = r;
        }
    if (t == NEVER)
        return NEVER; /* before anything is added to it */
    for (uint32_t i = 0; i < d->nwrite; i++)
        for (uint32_t k = 0, key = d->write[i].first; k < d->write[i].count; k++, key++) {
            cycle r = sl->reg[key].ready;
            if (r == NEVER || sl->reg[key].readers)
                return NEVER;
            if (r > t + d->latency)
                t = r - d->latency;
        }
    return t;
}

/* The times that the slot's last warp left say nothing any more once they are past. So they stay, and the new warp need
 * not touch what it may never use. */
void registers_forget(struct slot *sl, const struct sm *s, cycle now)
{
    if (sl->nnever || sl->held || seen_by_all(s->c, sl->settled) >= now) {
        memset(sl->reg, 0, s->regtime_keys * sizeof *sl->reg);
        memset(sl->never, 0, sizeof sl->never);
    }
    sl->settled = 0;
    sl->nnever = 0;
    sl->held = 0;
}

void results_pending_all(struct slot *sl, const struct idesc *d, uint32_t pc, cycle ready, lanemask lanes)
{
    for (uint32_t i = 0; i < d->nwrite; i++)
        for (uint32_t k = 0, key = d->write[i].first; k < d->write[i].count; k++, key++) {
            struct regtime *r = &sl->reg[key];
            bool uniform = key >= KEY_UP && key < KEY_R;
            bool more = r->ready == NEVER && ready == NEVER; /* another part of the warp waits for it too */
            if (uniform || lanes == sl->w.full || (more && !(r->writer & REG_PARTIAL))) {
                r->writer = pc;
            } else {
                sl->reg_lanes[key] = more ? sl->reg_lanes[key] | lanes : lanes;
                r->writer = pc | REG_PARTIAL;
            }
            r->ready = ready - (i == d->early_at && k == 0 && ready != NEVER ? d->early : 0);
            if (ready == NEVER)
                key_unknown(sl, key);
            else
                key_known(sl, key);
        }
    if (ready != NEVER && ready > sl->settled)
        sl->settled = ready;
}

static void arrive(struct slot *sl, uint32_t key, cycle now)
{
    if (sl->reg[key].ready != NEVER)
        return;
    sl->reg[key].ready = now;
    key_known(sl, key);
}

void results_arrive(struct slot *sl, const struct idesc *d, cycle now)
{
    sl->settled = now > sl->settled ? now : sl->settled;
    for (uint32_t i = 0; i < d->nwrite; i++)
        for (uint32_t k = 0, key = d->write[i].first; k < d->write[i].count; k++, key++)
            arrive(sl, key, now);
}

/* A generic atomic says with its predicate, when it has read its address, whether the hardware will do it. */
void predicates_arrive(struct slot *sl, const struct idesc *d, cycle now)
{
    for (uint32_t i = 0; i < d->nwrite; i++)
        if (key_file(d->write[i].first) == RF_P)
            arrive(sl, d->write[i].first, now);
}

void sources_held(struct slot *sl, const struct idesc *d, bool held)
{
    for (uint32_t i = 0; i < d->nread; i++)
        for (uint32_t k = 0, key = d->read[i].first; k < d->read[i].count; k++, key++) {
            int change = held ? 1 : sl->reg[key].readers ? -1 : 0;
            sl->reg[key].readers = (uint8_t)(sl->reg[key].readers + change);
            sl->held = (uint32_t)((int)sl->held + change);
        }
}

/* ---- stale values ------------------------------------------------------------------------------- */
struct stale *stale_take(struct sm *s)
{
    if (s->stale_free == NSTALE)
        return NULL;
    struct stale *st = &s->stale[s->stale_free];
    s->stale_free = st->next_free;
    return st;
}

/* Copies what the instruction will write: before issue the old rows, at issue they change places with the new ones. */
void stale_save(struct slot *sl, const struct idesc *d, struct stale *st)
{
    uint32_t nlane = sl->w.env->nlane;
    st->nrow = 0;
    for (uint32_t i = 0; i < d->nwrite; i++)
        for (uint32_t k = 0, key = d->write[i].first; k < d->write[i].count && key >= KEY_R; k++, key++)
            if (st->nrow < NSTALE_ROW && key - KEY_R < kernel_registers(sl->ls->launch.kernel)) {
                st->key[st->nrow] = (uint16_t)key;
                memcpy(st->rows + (size_t)st->nrow * NLANE, sl->w.reg + (size_t)(key - KEY_R) * nlane,
                       nlane * sizeof(uint32_t));
                st->nrow++;
            }
    memcpy(st->pred, sl->w.pred, sizeof st->pred);
    memcpy(st->ureg, sl->w.ureg, sizeof st->ureg);
    st->upred = sl->w.upred;
}

static void swap32(uint32_t *a, uint32_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

void stale_hold(struct sm *s, struct slot *sl, struct stale *st, uint32_t pc, cycle when, lanemask lanes)
{
    uint32_t nlane = sl->w.env->nlane;
    for (uint32_t i = 0; i < st->nrow; i++)
        swap32(st->rows + (size_t)i * NLANE, sl->w.reg + (size_t)(st->key[i] - KEY_R) * nlane, nlane);
    for (uint32_t p = 0; p < PT; p++) {
        lanemask t = st->pred[p];
        st->pred[p] = sl->w.pred[p];
        sl->w.pred[p] = t;
    }
    swap32(st->ureg, sl->w.ureg, NUREG);
    uint8_t u = st->upred;
    st->upred = sl->w.upred;
    sl->w.upred = u;
    st->pc = pc;
    st->lanes = lanes;
    st->ready = when;
    st->seen = false;
    st->next_free = sl->stale_first;
    sl->stale_first = (uint32_t)(st - s->stale);
    uint32_t slot = (uint32_t)(sl - s->slot);
    sm_event(s, when + cross_cycles(s->c, &sl->desc[pc]), EV_STALE, slot, (uint32_t)(st - s->stale));
}

void stale_drop(struct sm *s, uint32_t index)
{
    s->stale[index].next_free = s->stale_free;
    s->stale_free = index;
}

static void write_back(struct slot *sl, const struct stale *st)
{
    const struct idesc *d = &sl->desc[st->pc];
    uint32_t nlane = sl->w.env->nlane, row = 0;
    for (uint32_t i = 0; i < d->nwrite; i++)
        for (uint32_t k = 0, key = d->write[i].first; k < d->write[i].count; k++, key++) {
            if (key >= KEY_R && row < st->nrow) {
                uint32_t *to = sl->w.reg + (size_t)(key - KEY_R) * nlane, *from = st->rows + (size_t)row++ * NLANE;
                for (uint32_t l = 0; l < nlane; l++)
                    if (st->lanes >> l & 1)
                        to[l] = from[l];
            } else if (key_file(key) == RF_UP) {
                uint8_t bit = (uint8_t)(1u << (key - KEY_UP));
                sl->w.upred = (uint8_t)((sl->w.upred & ~bit) | (st->upred & bit));
            } else if (key_file(key) == RF_P) {
                lanemask *p = &sl->w.pred[key - KEY_P];
                *p = (*p & ~st->lanes) | (st->pred[key - KEY_P] & st->lanes);
            } else if (key_file(key) == RF_UR) {
                sl->w.ureg[key - KEY_UR] = st->ureg[key - KEY_UR];
            }
        }
}

void stale_apply(struct sm *s, uint32_t slot, uint32_t index)
{
    struct slot *sl = &s->slot[slot];
    uint32_t *link = &sl->stale_first;
    while (*link != NSTALE && *link != index)
        link = &s->stale[*link].next_free;
    if (*link == index)
        *link = s->stale[index].next_free;
    if (!s->stale[index].seen)
        write_back(sl, &s->stale[index]);
    stale_drop(s, index);
}

void stale_forward(struct sm *s, struct slot *sl, const struct idesc *d, cycle now)
{
    for (uint32_t i = sl->stale_first; i != NSTALE; i = s->stale[i].next_free) {
        struct stale *st = &s->stale[i];
        if (!st->seen && st->ready <= now && sl->desc[st->pc].unit == d->unit) {
            write_back(sl, st);
            st->seen = true;
        }
    }
}
