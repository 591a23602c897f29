/* What the SM is made of: execution units and how busy they are, and the blocks that live on it. */
#include "viz/view.h"

/* Blocks beside one another on the SM differ in colour. */
struct rgb block_hue(const struct model *m, uint32_t first_warp)
{
    uint32_t per = model_launch(m)->warps_per_block ? model_launch(m)->warps_per_block : 1;
    return hues[first_warp / per % ARRAY_LEN(hues)];
}

uint32_t block_first_warp(const struct model *m, uint32_t block)
{
    for (uint32_t w = 0; w < m->info.max_warps; w++)
        if (m->warps[w].resident && m->warps[w].block == block)
            return w;
    return 0;
}

/* Units that are modelled or used, busiest meaning first in the order of the table. */
static double draw_units(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    static const char *const meaning[UNIT_COUNT] = {
#define X(id, text, doc) [UNIT_##id] = doc,
        HEDDLE_UNITS(X)
#undef X
    };
    double y = b.y, row = 15;
    double issue = v->mix.issue;
    for (int u = -1; u < UNIT_COUNT && y + row <= b.y + b.h; u++) {
        double busy = u < 0 ? issue : v->mix.units[u];
        const char *name = u < 0 ? "issue" : unit_names[u];
        if (u >= 0 && m->info.unit_interval[u] <= 0)
            continue;
        char text[24];
        struct box bar = {b.x + 56, y + 3, b.w - 56 - 34, 9}, line = {b.x, y, b.w, row};
        canvas_text(c, b.x, y + row / 2, 10, u < 0 ? INK : INK_DIM, ALIGN_LEFT, false, 54, name);
        canvas_round(c, bar, 2, PANEL_EDGE);
        canvas_round(c, (struct box){bar.x, bar.y, bar.w * busy, bar.h}, 2, u < 0 ? INK : heat(0.35 + 0.65 * busy));
        snprintf(text, sizeof text, "%.0f%%", 100 * busy);
        canvas_text(c, b.x + b.w, y + row / 2, 9.5, busy > 0.005 ? INK : INK_DIM, ALIGN_RIGHT, false, 32, text);
        if (u < 0)
            view_tip(v, line, "issue: share of this SM's scheduler cycles in which an instruction issued");
        else
            view_tip(v, line, "%s: %s. Share of the time in which it was taken.", name, meaning[u]);
        y += row;
    }
    return y;
}

static uint32_t blocks_of(const struct model *m, uint32_t *block, uint32_t *warps, uint32_t most)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < m->info.max_warps; w++) {
        const struct warp_view *v = &m->warps[w];
        uint32_t i = 0;
        if (!v->resident)
            continue;
        while (i < n && block[i] != v->block)
            i++;
        if (i == n && n < most) {
            block[n] = v->block;
            warps[n++] = 0;
        }
        if (i < n)
            warps[i]++;
    }
    return n;
}

static void draw_blocks(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    uint32_t block[NLANE], warps[NLANE], n = blocks_of(m, block, warps, NLANE), limit = model_launch(m)->max_blocks;
    char text[96];
    limit = limit < n ? n : limit;
    snprintf(text, sizeof text, "%u of %u blocks", n, limit);
    canvas_text_bold(c, b.x, b.y + 7, 10, INK, ALIGN_LEFT, b.w, text);
    if (model_launch(m)->limiter[0] && b.w > 150) {
        double w = canvas_text_width(c, 10, false, text) * 1.15 + 8;
        snprintf(text, sizeof text, "limit: %s", model_launch(m)->limiter);
        canvas_text(c, b.x + b.w, b.y + 7, 9.5, INK_DIM, ALIGN_RIGHT, false, b.w - w, text);
    }
    view_tip(v, (struct box){b.x, b.y, b.w, 15},
             "Blocks resident on this SM, and how many of this launch could be: %u warps a block, %u registers a "
             "thread, %u bytes of static shared memory",
             model_launch(m)->warps_per_block, model_launch(m)->regs, model_launch(m)->shared_bytes);
    if (!limit || b.h < 34)
        return;
    uint32_t columns = limit <= 4 ? limit : limit <= 8 ? 4 : 8, rows = (limit + columns - 1) / columns;
    double cw = b.w / columns, ch = (b.h - 18) / rows;
    ch = ch > 26 ? 26 : ch;
    for (uint32_t i = 0; i < limit; i++) {
        uint32_t row = i / columns;
        struct box cell = {b.x + i % columns * cw, b.y + 18 + row * ch, cw - 3, ch - 3};
        if (i >= n) {
            canvas_round(c, cell, 3, PANEL_EDGE);
            canvas_round(c, box_inset(cell, 1), 2.5, PANEL);
            view_tip(v, cell, "room for another block");
            continue;
        }
        canvas_round(c, cell, 3, block_hue(m, block_first_warp(m, block[i])));
        snprintf(text, sizeof text, "%u", block[i]);
        if (cell.h > 9)
            canvas_text(c, cell.x + cell.w / 2, cell.y + cell.h / 2, cell.h > 14 ? 10 : 8, GROUND, ALIGN_CENTER, false,
                        cell.w - 2, text);
        view_tip(v, cell, "block %u: %u of its %u warps still run", block[i], warps[i],
                 model_launch(m)->warps_per_block);
    }
}

void panel_units(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    char title[64];
    snprintf(title, sizeof title, "SM %u: units", m->sm);
    struct box in =
        panel_begin(c, v, b, PANEL_UNITS, title, NULL,
                    "Execution units of the watched SM and how busy they are; below, the blocks that live on it");
    double shown = 1, row = 15;
    for (int u = 0; u < UNIT_COUNT; u++)
        shown += m->info.unit_interval[u] > 0;
    double units = shown * row < in.h * 0.7 ? shown * row : in.h * 0.7;
    double y = draw_units(c, v, m, (struct box){in.x, in.y, in.w, units});
    draw_blocks(c, v, m, (struct box){in.x, y + 6, in.w, in.y + in.h - y - 6});
}
