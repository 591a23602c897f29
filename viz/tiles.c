/* The figures under the title: one sentence on what limits the watched SM, and the few numbers that a person asks
 * for first. */
#include "viz/view.h"

#include <string.h>

enum { RECENT = 1000 }; /* cycles over which figures are taken, so that they can be read */

struct verdict {
    const char *headline;
    char sentence[240];
    enum state_class state;
};

static enum state_class top_wait(const struct mix *x)
{
    enum state_class top = STATE_READY;
    for (int s = STATE_READY; s < STATE_EMPTY; s++)
        if (x->share[s] > x->share[top])
            top = (enum state_class)s;
    return top;
}

/* Channels that are busy while many others idle: addresses at a power-of-two distance meet there. 0: evenly used. */
static uint32_t crowded_channels(const struct model *m, uint32_t *n)
{
    uint32_t busy = 0, idle = 0;
    *n = m->info.nchannel < NVIEWCHANNEL ? m->info.nchannel : NVIEWCHANNEL;
    for (uint32_t i = 0; i < *n; i++) {
        double b = model_channel_busy(m, i);
        busy += b > 0.6;
        idle += b < 0.1;
    }
    return idle > *n / 4 && busy > *n / 16 ? busy : 0;
}

/* Sectors that would carry the bytes of a global access. */
static uint32_t ideal_of(const struct access_record *a)
{
    return ((uint32_t)a->bytes * (uint32_t)__builtin_popcountll(a->mask) + 31) / 32;
}

/* Of the latest global accesses that fill a good part of a warp, the one that wastes most; NULL: none. */
static const struct access_record *worst_access(const struct model *m, cycle t)
{
    enum { LATEST = 32, LANES = 8 };
    const struct access_record *worst = NULL;
    uint64_t kept = m->naccess < NACCESSES ? m->naccess : NACCESSES, seen = 0;
    for (uint64_t i = 0; i < kept && seen < LATEST; i++) {
        const struct access_record *a = &m->accesses[(m->naccess - 1 - i) % NACCESSES];
        if (a->time > t || a->space != SPACE_GLOBAL || __builtin_popcountll(a->mask) < LANES)
            continue;
        seen++;
        if (!worst || a->cost * ideal_of(worst) > worst->cost * ideal_of(a))
            worst = a;
    }
    return worst;
}

static void of_memory(const struct view *v, const struct model *m, const struct mix *x, double dram,
                      struct verdict *out)
{
    const struct access_record *a = worst_access(m, view_time(v, m));
    uint32_t all, few = crowded_channels(m, &all);
    int share = (int)(100 * x->share[STATE_MEMORY] + 0.5), busy = (int)(100 * dram + 0.5);
    if (a && a->cost >= 2 * ideal_of(a)) {
        out->headline = "Uncoalesced accesses";
        snprintf(out->sentence, sizeof out->sentence,
                 "an access moves %u sectors where %u would do; warps wait for memory %d%% of their time", a->cost,
                 ideal_of(a), share);
    } else if (dram > 0.6) {
        out->headline = "Limited by DRAM bandwidth";
        snprintf(out->sentence, sizeof out->sentence,
                 "DRAM moves %d%% of its peak; warps wait for memory %d%% of their time", busy, share);
    } else {
        out->headline = "Limited by memory latency";
        snprintf(out->sentence, sizeof out->sentence,
                 "warps wait for memory %d%% of their time, with DRAM %d%% busy: too few requests in flight", share,
                 busy);
    }
    size_t n = strlen(out->sentence);
    if (few)
        snprintf(out->sentence + n, sizeof out->sentence - n, "; %u of %u DRAM channels are crowded, others idle", few,
                 all);
}

static void of_shared(const struct model *m, const struct mix *x, cycle t, struct verdict *out)
{
    const struct access_record *a = model_last_access(m, -1, -1, t);
    uint32_t ideal = a && a->bytes > 4 ? a->bytes / 4u : 1;
    int share = (int)(100 * (x->share[STATE_SHARED] + x->share[STATE_THROTTLED]) + 0.5);
    if (a && a->space == SPACE_SHARED && a->cost > 2 * ideal) {
        out->headline = "Shared-memory bank conflicts";
        snprintf(out->sentence, sizeof out->sentence,
                 "an access takes %u wavefronts instead of %u; warps wait for it %d%% of their time", a->cost, ideal,
                 share);
    } else {
        out->headline = "Waiting for shared memory or special functions";
        snprintf(out->sentence, sizeof out->sentence, "%d%% of warps' time", share);
    }
}

/* A unit that is nearly full; -1: none. */
static int busiest(const struct mix *x)
{
    const double *busy = x->units;
    int top = 0;
    for (int u = 1; u < UNIT_COUNT; u++)
        top = busy[u] > busy[top] ? u : top;
    return busy[top] > 0.5 ? top : -1;
}

/* The last shared access needed more wavefronts than its bytes, and warps wait for shared memory. */
static bool conflicting(const struct view *v, const struct model *m, const struct mix *x)
{
    const struct access_record *a = model_last_access(m, -1, -1, view_time(v, m));
    uint32_t ideal = a && a->bytes > 4 ? a->bytes / 4u : 1;
    return x->share[STATE_SHARED] + x->share[STATE_THROTTLED] > 0.4 && a && a->space == SPACE_SHARED &&
           a->cost > 2 * ideal;
}

static struct verdict verdict_of(const struct view *v, const struct model *m)
{
    static const struct {
        const char *headline, *sentence;
    } plain[STATE_COUNT] = {
        [STATE_READY] = {"Bound by issue slots", "enough warps are ready; each scheduler issues one a cycle"},
        [STATE_DEPENDENCY] = {"Waiting for earlier results",
                              "instructions depend on one another; more warps or independent work would fill the gaps"},
        [STATE_THROTTLED] = {"A unit or its queue is full", "warps wait for a place in it"},
        [STATE_BARRIER] = {"Waiting at barriers", "warps wait for the others of their block"},
        [STATE_FETCH] = {"Waiting for instructions or constants",
                         "instruction fetch, the constant cache or a branch holds the warps"},
        [STATE_OTHER] = {"Asleep", "asleep, or held by something rare"},
    };
    const struct mix *x = &v->mix;
    struct chip_sample chip = model_chip(m, view_time(v, m), RECENT);
    double dram = m->info.dram_peak > 0 ? (double)chip.dram_bytes_per_cycle / m->info.dram_peak : 0;
    struct verdict out = {"No warp here yet", "", STATE_EMPTY};
    if (x->warp_cycles <= 0) {
        if (m->nissue && !v->back)
            out.headline = "No warp is left on this SM";
        snprintf(out.sentence, sizeof out.sentence, "SM %u has no block at this moment", m->sm);
        return out;
    }
    out.state = top_wait(x);
    bool conflict = conflicting(v, m, x);
    if (x->issue > 0.7 && x->share[STATE_MEMORY] < 0.8) {
        out.state = STATE_READY;
        out.headline = "Bound by issue slots";
        snprintf(out.sentence, sizeof out.sentence,
                 "schedulers issue in %.0f%% of their cycles: fewer or wider instructions would help", 100 * x->issue);
    } else if (out.state == STATE_MEMORY) {
        of_memory(v, m, x, dram, &out);
    } else if (out.state == STATE_THROTTLED && !conflict && busiest(x) >= 0) {
        int u = busiest(x);
        snprintf(out.sentence, sizeof out.sentence,
                 "unit %s is %.0f%% busy; warps wait %.0f%% of their time for a place in it or its queue",
                 unit_names[u], 100 * x->units[u], 100 * x->share[STATE_THROTTLED]);
        out.headline = u == UNIT_LSU ? "The memory pipe of the SM is full" : "An execution unit is full";
    } else if (out.state == STATE_SHARED || conflict) {
        of_shared(m, x, view_time(v, m), &out);
    } else {
        out.headline = plain[out.state].headline;
        snprintf(out.sentence, sizeof out.sentence, "%.0f%% of warps' time: %s", 100 * x->share[out.state],
                 plain[out.state].sentence);
    }
    double lanes = x->lanes;
    if (lanes >= 0 && lanes < 0.6 * m->info.warp_size && out.state != STATE_MEMORY) {
        out.headline = "Diverged warps";
        snprintf(out.sentence, sizeof out.sentence,
                 "an instruction issues for %.1f of %u lanes: the paths of a branch take turns", lanes,
                 m->info.warp_size);
        return out;
    }
    size_t n = strlen(out.sentence);
    if (lanes >= 0 && lanes < 0.8 * m->info.warp_size && n + 60 < sizeof out.sentence)
        snprintf(out.sentence + n, sizeof out.sentence - n, "; only %.1f of %u lanes are active", lanes,
                 m->info.warp_size);
    return out;
}

static void draw_verdict(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    struct verdict k = verdict_of(v, m);
    canvas_round(c, b, 6, PANEL);
    canvas_round(c, (struct box){b.x, b.y, 5, b.h}, 2.5, state_styles[k.state].color);
    canvas_text_bold(c, b.x + 15, b.y + 13, 13, INK, ALIGN_LEFT, b.w - 24, k.headline);
    canvas_lines(c, b.x + 15, b.y + 29, 9.5, 13, 2, INK_DIM, b.w - 24, k.sentence);
    view_tip(v, b, "What holds the warps of SM %u, %s: %s", m->sm,
             m->finished && !v->back ? "over the whole run" : "in the cycles shown", k.sentence);
}

/* A figure with its name and, if it has one, a bar to its full scale (fill < 0: none). */
static void tile(struct canvas *c, struct view *v, struct box b, const char *value, const char *name, double fill,
                 const char *explain)
{
    canvas_round(c, b, 6, PANEL);
    canvas_text_bold(c, b.x + 10, b.y + 15, 15, INK, ALIGN_LEFT, b.w - 16, value);
    canvas_text(c, b.x + 10, b.y + 32, 9.5, INK_DIM, ALIGN_LEFT, false, b.w - 16, name);
    if (fill >= 0) {
        struct box bar = {b.x + 10, b.y + b.h - 8, b.w - 20, 3};
        canvas_round(c, bar, 1.5, PANEL_EDGE);
        canvas_round(c, (struct box){bar.x, bar.y, bar.w * (fill > 1 ? 1 : fill), bar.h}, 1.5, ACCENT);
    }
    view_tip(v, b, "%s", explain);
}

static const char *percent(double x, char *out, size_t cap)
{
    if (x < 0)
        snprintf(out, cap, "\xe2\x80\x93");
    else
        snprintf(out, cap, "%.0f%%", 100 * x);
    return out;
}

void view_tiles(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    enum { TILES = 6 };
    struct chip_sample chip = model_chip(m, view_time(v, m), RECENT), *s = &chip;
    double gap = 6, head = b.w * 0.34, w = (b.w - head - gap * TILES) / TILES;
    char text[64];
    struct box t = {b.x + head + gap, b.y, w, b.h};
    draw_verdict(c, v, m, (struct box){b.x, b.y, head, b.h});
    double issue = (double)s->issue / m->info.subcores,
           dram = m->info.dram_peak > 0 ? (double)s->dram_bytes_per_cycle / m->info.dram_peak : -1;
    tile(c, v, t, percent(issue, text, sizeof text), "issue slots", issue,
         "Share of scheduler cycles of the chip in which an instruction issued. 100%: the kernel is bound by its "
         "number of instructions.");
    t.x += w + gap;
    snprintf(text, sizeof text, s->resident > 0 && s->resident < 1 ? "%.2f / %u" : "%.1f / %u", (double)s->resident,
             model_launch(m)->max_resident_warps);
    tile(c, v, t, text, "warps an SM", (double)s->resident / model_launch(m)->max_resident_warps,
         "Warps resident on an SM, mean of the chip, and how many its registers, shared memory and slots allow for "
         "this launch.");
    t.x += w + gap;
    double lanes = v->mix.lanes;
    if (lanes >= 0)
        snprintf(text, sizeof text, "%.1f / %u", lanes, m->info.warp_size);
    else
        percent(-1, text, sizeof text);
    tile(c, v, t, text, "lanes active", lanes >= 0 ? lanes / m->info.warp_size : 0,
         "Lanes active an instruction, on the watched SM in the cycles shown. Fewer than all: warps whose lanes went "
         "different ways issue one way after the other.");
    t.x += w + gap;
    tile(c, v, t, percent((double)s->l1_hit, text, sizeof text), "L1 hits", s->l1_hit < 0 ? 0 : (double)s->l1_hit,
         "Share of the 32-byte sectors of global loads that the SM's own cache held.");
    t.x += w + gap;
    tile(c, v, t, percent((double)s->l2_hit, text, sizeof text), "L2 hits", s->l2_hit < 0 ? 0 : (double)s->l2_hit,
         "Share of the sectors asked of the second-level cache that it held; the rest comes from DRAM.");
    t.x += w + gap;
    tile(c, v, t, percent(dram, text, sizeof text), "DRAM rate", dram,
         "Bytes that DRAM moves, as a share of what its pins could.");
}
