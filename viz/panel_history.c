/* The run so far: resident and eligible warps against the theoretical limit, and how busy issue slots, L2 and DRAM
 * were. */
#include "viz/view.h"

typedef double value_fn(const struct model *m, const struct chip_sample *s);

static double resident(const struct model *m, const struct chip_sample *s)
{
    return (double)s->resident / m->info.max_warps;
}
static double eligible(const struct model *m, const struct chip_sample *s)
{
    return (double)s->eligible / m->info.max_warps;
}
static double sm_resident(const struct model *m, const struct chip_sample *s)
{
    return (double)s->sm_resident / m->info.max_warps;
}
static double sm_eligible(const struct model *m, const struct chip_sample *s)
{
    return (double)s->sm_eligible / m->info.max_warps;
}
static double issue(const struct model *m, const struct chip_sample *s)
{
    return (double)s->issue / m->info.subcores;
}
static double dram(const struct model *m, const struct chip_sample *s)
{
    return m->info.dram_peak > 0 ? (double)s->dram_bytes_per_cycle / m->info.dram_peak : 0;
}
static double l2_hit(const struct model *m, const struct chip_sample *s)
{
    (void)m;
    return s->l2_hit < 0 ? 0 : (double)s->l2_hit;
}

struct curve {
    const char *name, *explain;
    value_fn *value;
    int hue; /* of hues */
    bool filled;
};

/* By time: bins of equal width, each the mean of its samples. */
static void draw_curve(struct canvas *c, const struct model *m, struct box b, const struct curve *k)
{
    enum { POINTS = 160 };
    double xy[2 * POINTS], sum[POINTS] = {0};
    uint32_t count[POINTS] = {0}, n = 0;
    if (m->nhistory < 2)
        return;
    double t0 = (double)m->history[0].time, t1 = (double)m->history[m->nhistory - 1].time;
    uint32_t bins = m->nhistory < POINTS ? (uint32_t)m->nhistory : POINTS;
    for (uint64_t i = 0; i < m->nhistory && t1 > t0; i++) {
        double at = ((double)m->history[i].time - t0) / (t1 - t0) * (bins - 1);
        uint32_t k_ = at < 0 ? 0 : at > bins - 1 ? bins - 1 : (uint32_t)at;
        sum[k_] += k->value(m, &m->history[i]);
        count[k_]++;
    }
    for (uint32_t i = 0; i < bins; i++) {
        if (!count[i])
            continue;
        double value = sum[i] / count[i];
        xy[2 * n] = b.x + b.w * i / (bins - 1);
        xy[2 * n++ + 1] = b.y + b.h * (1 - (value > 1 ? 1 : value < 0 ? 0 : value));
    }
    if (k->filled)
        canvas_area(c, xy, n, b.y + b.h, hues[k->hue], 0.30);
    canvas_polyline(c, xy, n, hues[k->hue], k->filled ? 1.2 : 1.6);
}

static void draw_axis(struct canvas *c, struct box plot, const char *top)
{
    canvas_round(c, plot, 3, GROUND);
    canvas_line(c, plot.x, plot.y + plot.h / 2, plot.x + plot.w, plot.y + plot.h / 2, PANEL_EDGE, 0.7);
    canvas_text(c, plot.x - 5, plot.y + 5, 8.5, INK_DIM, ALIGN_RIGHT, false, 0, top);
    canvas_text(c, plot.x - 5, plot.y + plot.h - 4, 8.5, INK_DIM, ALIGN_RIGHT, false, 0, "0");
}

static void draw_keys(struct canvas *c, struct view *v, double x, double y, double w, const struct curve *k, int n)
{
    double room = w, at = x;
    for (int i = 0; i < n; i++)
        room -= canvas_text_width(c, 9, false, k[i].name) + 14;
    for (int i = 0; i < n; i++) {
        double step = canvas_text_width(c, 9, false, k[i].name) + 14 + (n > 1 ? room / (n - 1) : 0);
        canvas_round(c, (struct box){at, y - 4, 9, 8}, 2, hues[k[i].hue]);
        canvas_text(c, at + 13, y, 9, INK_DIM, ALIGN_LEFT, false, 0, k[i].name);
        view_tip(v, (struct box){at, y - 7, step, 14}, "%s", k[i].explain);
        at += step;
    }
}

static void draw_cursor(struct canvas *c, const struct view *v, const struct model *m, struct box plot)
{
    if (m->nhistory < 2)
        return;
    double t0 = (double)m->history[0].time, t1 = (double)m->history[m->nhistory - 1].time, t = (double)view_time(v, m);
    double from = t - v->cycles_shown < t0 ? t0 : t - v->cycles_shown, scale = plot.w / (t1 - t0);
    if (t1 > t0 && t >= t0)
        canvas_fill_alpha(c,
                          (struct box){plot.x + (from - t0) * scale, plot.y,
                                       (t - from) * scale > 1.5 ? (t - from) * scale : 1.5, plot.h},
                          INK, 0.13);
}

void panel_history(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    static const struct curve warps[] = {
        {"resident",
         "warps resident, mean of the SMs; dashed: the limit that registers, shared memory and slots set for this "
         "launch",
         resident, 0, true},
        {"this SM", "warps resident on the watched SM", sm_resident, 2, false},
        {"eligible", "warps able to issue, mean of the SMs; below one a scheduler, cycles go by without an issue",
         eligible, 4, true},
        {"this SM", "warps of the watched SM able to issue", sm_eligible, 1, false}};
    static const struct curve rates[] = {
        {"issue slots", "share of the chip's scheduler cycles in which an instruction issued", issue, 0, true},
        {"L2 hits", "share of the sectors asked of the L2 that it held", l2_hit, 2, false},
        {"DRAM", "bytes that DRAM moves, as a share of what its pins could", dram, 1, true}};
    char text[64];
    struct box in =
        panel_begin(c, v, b, PANEL_HISTORY, "The run so far", NULL,
                    "Warps and rates of the chip from the first cycle on; the lighter band is what the strip shows");
    double key = 15, half = (in.h - 2 * key - 8) / 2;
    struct box upper = {in.x + 24, in.y + key, in.w - 24, half},
               lower = {in.x + 24, in.y + 2 * key + half + 8, in.w - 24, half};
    draw_keys(c, v, in.x, in.y + 6, in.w, warps, 4);
    snprintf(text, sizeof text, "%u", m->info.max_warps);
    draw_axis(c, upper, text);
    double limit = upper.y + upper.h * (1 - (double)model_launch(m)->max_resident_warps / m->info.max_warps);
    canvas_clip(c, (struct box){upper.x, upper.y - 1, upper.w, upper.h + 2});
    for (int i = 0; i < 4; i++)
        draw_curve(c, m, upper, &warps[i]);
    for (double x = upper.x; x < upper.x + upper.w; x += 8)
        canvas_line(c, x, limit + 0.6, x + 4, limit + 0.6, WARN, 1.4);
    canvas_unclip(c);
    draw_keys(c, v, in.x, in.y + key + half + 14, in.w, rates, 3);
    draw_axis(c, lower, "1");
    canvas_clip(c, lower);
    for (int i = 0; i < 3; i++)
        draw_curve(c, m, lower, &rates[i]);
    canvas_unclip(c);
    draw_cursor(c, v, m, upper);
    draw_cursor(c, v, m, lower);
    view_tip(v, upper, "warps an SM over the run; dashed: at most %u can be resident in this launch",
             model_launch(m)->max_resident_warps);
    view_tip(v, lower, "how busy issue slots and DRAM were, and the L2's hit rate");
}
