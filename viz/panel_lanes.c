/* The selected warp: its lanes, and the paths into which a branch has split them. */
#include "viz/view.h"

static void lane_row(struct canvas *c, struct view *v, const struct model *m, struct box b, lanemask on, lanemask live,
                     struct rgb color)
{
    double w = b.w / m->info.warp_size;
    for (uint32_t l = 0; l < m->info.warp_size; l++) {
        struct box cell = {b.x + l * w, b.y, w - 1.2, b.h};
        bool is_on = on >> l & 1, alive = live >> l & 1;
        if (alive || is_on) {
            canvas_round(c, cell, 1.5, is_on ? color : PANEL_EDGE);
        } else {
            canvas_round(c, cell, 1.5, PANEL_EDGE);
            canvas_round(c, box_inset(cell, 0.8), 1, PANEL);
        }
        view_tip(v, cell, "lane %u: %s", l, is_on ? "on this path" : alive ? "not on this path" : "has ended");
    }
}

static void lane_axis(struct canvas *c, const struct model *m, struct box b)
{
    char text[16];
    for (uint32_t l = 0; l < m->info.warp_size; l += 8) {
        snprintf(text, sizeof text, "%u", l);
        canvas_text(c, b.x + (l + 0.5) * b.w / m->info.warp_size, b.y, 8.5, INK_DIM, ALIGN_CENTER, false, 0, text);
    }
}

void panel_lanes(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    char text[200], title[64];
    const struct warp_view *w = &m->warps[v->warp];
    const struct issue_record *past = v->back || !w->resident ? model_last_issue(m, v->warp, view_time(v, m)) : NULL;
    snprintf(title, sizeof title, "Warp %u: lanes", v->warp);
    snprintf(text, sizeof text, "sub-core %u", v->warp % m->info.subcores);
    struct box in = panel_begin(c, v, b, PANEL_LANES, title, text,
                                "Lanes of the selected warp. Lanes that took different branches form paths, each with "
                                "its own program counter; one path issues at a time.");
    if (!w->resident && !past) {
        canvas_text(c, in.x, in.y + 8, 10.5, INK_DIM, ALIGN_LEFT, false, in.w, "no warp in this slot");
        return;
    }
    lanemask active = past ? past->exec : w->active,
             all = m->info.warp_size == 64 ? ~0ull : (1ull << m->info.warp_size) - 1;
    lanemask live = past ? all : w->live;
    enum state_class s = past ? STATE_ISSUED : state_of_stall(w->reason);
    if (past)
        snprintf(text, sizeof text, "%d of %u lanes, last issue at cycle %llu", __builtin_popcountll(active),
                 m->info.warp_size, (unsigned long long)past->time);
    else
        snprintf(text, sizeof text, "block %u   %d of %u lanes active", w->block, __builtin_popcountll(active),
                 m->info.warp_size);
    double name = canvas_text_width(c, 10, false, state_styles[s].name);
    canvas_text(c, in.x, in.y + 6, 10, INK, ALIGN_LEFT, false, in.w - name - 24, text);
    canvas_round(c, (struct box){in.x + in.w - name - 14, in.y + 1, 10, 10}, 2, state_styles[s].color);
    canvas_text(c, in.x + in.w, in.y + 6, 10, INK, ALIGN_RIGHT, false, 0, state_styles[s].name);
    double y = in.y + 28, row = 19, lanes = in.w - 46;
    lane_axis(c, m, (struct box){in.x, in.y + 20, lanes, 0});
    uint32_t n = past || !w->nsplit ? 1 : w->nsplit > 8 ? 8 : w->nsplit, shown = 0;
    for (uint32_t i = 0; i < n && y + 12 <= in.y + in.h; i++, y += row, shown++) {
        lanemask mask = n == 1 ? active : w->split[i].mask;
        uint32_t pc = past ? past->pc : n == 1 ? w->pc : w->split[i].pc;
        bool runs = mask == active;
        lane_row(c, v, m, (struct box){in.x, y, lanes, 12}, mask, live,
                 runs ? state_styles[STATE_READY].color : state_styles[STATE_DEPENDENCY].color);
        snprintf(text, sizeof text, "%04x", model_offset(m, pc));
        canvas_text(c, in.x + in.w, y + 6, 10, runs ? INK : INK_DIM, ALIGN_RIGHT, true, 44, text);
    }
    if (shown < n) {
        snprintf(text, sizeof text, "and %u more paths: key 4", n - shown);
        canvas_text(c, in.x + in.w, in.y + 20, 9, WARN, ALIGN_RIGHT, false, 120, text);
    }
    if (n > 1 && y + 10 <= in.y + in.h)
        canvas_text(c, in.x, y + 5, 9, INK_DIM, ALIGN_LEFT, false, in.w,
                    "a row a path: yellow runs now, blue waits its turn");
    else if (y + 10 <= in.y + in.h)
        canvas_text(c, in.x, y + 5, 9, INK_DIM, ALIGN_LEFT, false, in.w,
                    "one path: yellow lanes run, hollow ones have ended");
}
