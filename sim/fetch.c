/* Instruction supply of a sub-core: level-0 cache, the SM's level-1, memory behind it, and a stream prefetcher.
 *
 * The instruction buffer runs buffer_entries ahead of the issuing warp and takes an instruction a cycle, which is what
 * a sub-core issues, so in straight code only line crossings matter: the line that holds the instruction
 * buffer_entries - 1 ahead is asked for when the warp comes to that point, and is waited for when it gets there. After
 * a taken branch the buffer is empty: the target is known cbu.latency_cycles and fetch.redirect_cycles later, and its
 * instruction issues fetch.stages after that, later if the sub-core has not fetched the target's line lately: what is
 * nearer than the level-0 cache holds a few KB (measured: micro_branch, and loops of 4 and 8 KB). Modelled so, fetching
 * costs work only at line crossings and branches. Not modelled: two warps of a sub-core that refill in the same cycle
 * share the fetch port. */
#include "sim/sm_core.h"

/* SAME: warps that follow one another through the same lines count as one. BEHIND: lines behind a branch's target that
 * come with it. */
enum { LINE_BYTES = LINE_INSTS * INST_BYTES, SAME = 8, BEHIND = 2 };

void icache_init(struct icache *ic, uint32_t bytes, uint32_t ways, struct arena *a)
{
    uint32_t lines = bytes / LINE_BYTES ? bytes / LINE_BYTES : 1;
    ic->ways = lines < ways ? lines : ways;
    ic->sets = lines / ic->ways;
    ic->line = arena_zalloc(a, (size_t)ic->sets * ic->ways, sizeof *ic->line);
}

static struct iline *find(struct icache *ic, uint32_t key)
{
    struct iline *l = ic->line + (size_t)(key % ic->sets) * ic->ways;
    for (uint32_t i = 0; i < ic->ways; i++)
        if (l[i].key == key) {
            ic->clock += ic->clock - l[i].used >= SAME;
            l[i].used = ic->clock;
            return &l[i];
        }
    return NULL;
}

/* A branch's target is at hand if the sub-core fetched it lately. */
static bool is_near(struct icache *ic, uint32_t key, uint32_t lines)
{
    const struct iline *l = ic->line + (size_t)(key % ic->sets) * ic->ways;
    for (uint32_t i = 0; i < ic->ways; i++)
        if (l[i].key == key) {
            uint32_t age = ic->clock - l[i].used;
            ic->clock += age >= SAME ? BEHIND : 0;
            return age <= lines;
        }
    ic->clock += BEHIND;
    return false;
}

static struct iline *replace(struct icache *ic, uint32_t key)
{
    struct iline *l = ic->line + (size_t)(key % ic->sets) * ic->ways, *old = l;
    for (uint32_t i = 1; i < ic->ways; i++)
        if (l[i].used < old->used)
            old = &l[i];
    *old = (struct iline){.key = key, .used = ++ic->clock};
    return old;
}

static uint32_t icache_key(uint32_t code_id, uint32_t line)
{
    return (code_id + 1) << 20 | (line & 0xfffff);
}

/* What a pass through all the code leaves: its last lines. */
static void pass_through(struct icache *ic, uint32_t code_id, uint32_t lines)
{
    uint32_t room = ic->sets * ic->ways;
    for (uint32_t i = lines > room ? lines - room : 0; i < lines; i++)
        replace(ic, icache_key(code_id, i));
}

void icache_run_before(struct sm *s, uint32_t code_id, uint32_t ninst)
{
    uint32_t lines = (ninst + LINE_INSTS - 1) / LINE_INSTS;
    pass_through(&s->l1, code_id, lines);
    for (uint32_t i = 0; i < s->c->subcores; i++)
        pass_through(&s->sc[i].l0, code_id, lines);
}

void icache_launch(struct sm *s, uint32_t code_id, uint32_t ninst)
{
    uint32_t lines = (ninst + LINE_INSTS - 1) / LINE_INSTS, first = s->c->icache_launch_bytes / LINE_BYTES;
    for (uint32_t i = 0; i < lines && i < first; i++)
        if (!find(&s->l1, icache_key(code_id, i)))
            replace(&s->l1, icache_key(code_id, i));
}

static cycle fill_l0(struct sm *s, struct subcore *sc, uint32_t key, cycle now)
{
    const struct config *c = s->c;
    struct iline *l1 = find(&s->l1, key);
    if (!l1) {
        uint32_t beyond = c->l1i_miss_cycles > c->l0i_miss_cycles ? c->l1i_miss_cycles - c->l0i_miss_cycles : 0;
        l1 = replace(&s->l1, key);
        l1->ready = now + beyond;
    }
    struct iline *l0 = replace(&sc->l0, key);
    l0->ready = (l1->ready > now ? l1->ready : now) + c->l0i_miss_cycles;
    return l0->ready;
}

/* Cycle at which the line is in the level-0 cache. A miss also starts the stream behind it, a hit keeps it going. */
static cycle line_at(struct sm *s, struct subcore *sc, const struct slot *sl, uint32_t line, cycle now)
{
    const struct timing *t = sl->ls->timing;
    uint32_t last = t->n ? (t->n - 1) / LINE_INSTS : 0;
    uint32_t depth = s->c->iprefetch_lines;
    uint32_t key = icache_key(s->code_id[sl->launch], line);
    struct iline *l = find(&sc->l0, key);
    if (l && l->streamed)
        return l->ready;
    cycle ready = l ? l->ready : fill_l0(s, sc, key, now);
    if (l)
        l->streamed = true; /* what it brings in stays as long as itself, nearly */
    if (depth == 0 || (l && (line + depth > last || find(&sc->l0, key + depth))))
        return ready;
    for (uint32_t k = 1; k <= depth && line + k <= last; k++)
        if (!find(&sc->l0, key + k))
            fill_l0(s, sc, key + k, now + (cycle)k * s->c->iline_interval_cycles);
    return ready;
}

void fetch_start(struct sm *s, struct slot *sl, uint32_t pc, cycle now)
{
    struct subcore *sc = &s->sc[sl->subcore];
    sl->line = sl->ahead_line = pc / LINE_INSTS;
    sl->line_ready = sl->ahead_ready = line_at(s, sc, sl, sl->line, now);
    slot_hold(sl, STALL_no_instruction, (sl->line_ready > now ? sl->line_ready : now) + s->c->fetch_stages);
}

static void look_ahead(struct sm *s, struct slot *sl, uint32_t next, cycle now)
{
    uint32_t line = (next + s->look_ahead) / LINE_INSTS;
    if (line == sl->ahead_line || line * LINE_INSTS >= sl->ls->timing->n)
        return;
    sl->ahead_line = line;
    sl->ahead_ready = line_at(s, &s->sc[sl->subcore], sl, line, now);
}

void fetch_follow(struct sm *s, struct slot *sl, uint32_t next, bool redirect, uint32_t late, cycle now)
{
    if (redirect) {
        cycle known = now + s->c->cbu_latency_cycles + s->c->redirect_cycles + late;
        if (!is_near(&s->sc[sl->subcore].l0, icache_key(s->code_id[sl->launch], next / LINE_INSTS), s->near_lines))
            known += s->c->far_target_cycles;
        fetch_start(s, sl, next, known);
        slot_hold(sl, STALL_branch_resolving, known);
        return;
    }
    look_ahead(s, sl, next, now);
    uint32_t line = next / LINE_INSTS;
    if (line == sl->line)
        return;
    if (line != sl->ahead_line) {
        sl->ahead_line = line;
        sl->ahead_ready = line_at(s, &s->sc[sl->subcore], sl, line, now);
    }
    sl->line = line;
    sl->line_ready = sl->ahead_ready;
    if (sl->line_ready > now)
        slot_hold(sl, STALL_no_instruction, sl->line_ready + s->c->fetch_stages);
}
