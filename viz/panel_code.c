/* The listing beside the pictures: hot-spot bars by what warps wait for, lanes active per instruction, where the
 * selected warp is. */
#include "viz/view.h"

enum { LINE = 14, HEAD = 16, BAR = 46, LANES = 24, ADDRESS = 34 };

static struct box code_room(struct box panel)
{
    struct box in = panel_inside(panel);
    return (struct box){in.x, in.y + HEAD, in.w, in.h - HEAD};
}

static uint32_t rows_of(struct box room)
{
    return room.h > LINE ? (uint32_t)(room.h / LINE) : 1;
}

uint32_t code_row_at(const struct view *v, const struct model *m, double y)
{
    struct box room = code_room(v->boxes[PANEL_CODE]);
    if (y < room.y || y >= room.y + rows_of(room) * LINE)
        return m->info.npc;
    uint32_t pc = v->code_scroll + (uint32_t)((y - room.y) / LINE);
    return pc < m->info.npc ? pc : m->info.npc;
}

static uint64_t waited(const struct pc_stats *p)
{
    uint64_t sum = 0;
    for (int s = 0; s < STATE_COUNT; s++)
        sum += p->waited[s];
    return sum;
}

static void scroll(struct view *v, const struct model *m, uint32_t here, uint32_t rows)
{
    uint32_t n = m->info.npc;
    if (v->code_follow && here < n && (here < v->code_scroll + 2 || here + 3 > v->code_scroll + rows))
        v->code_scroll = here > rows / 3 ? here - rows / 3 : 0;
    if (n > rows && v->code_scroll > n - rows)
        v->code_scroll = n - rows;
    if (n <= rows)
        v->code_scroll = 0;
}

static void draw_bar(struct canvas *c, const struct pc_stats *p, struct box b, double most)
{
    double x = b.x;
    for (int s = 0; s < STATE_COUNT; s++) {
        double w = b.w * (double)p->waited[s] / most;
        canvas_fill(c, (struct box){x, b.y, w, b.h}, state_styles[s].color);
        x += w;
    }
}

static void draw_line(struct canvas *c, struct view *v, const struct model *m, uint32_t pc, bool here, struct box row,
                      double most, double all)
{
    char text[120];
    const struct pc_stats *p = &m->pcs[pc];
    double y = row.y + LINE / 2.0, x = row.x + 6;
    if (here)
        canvas_round(c, row, 3, PANEL_EDGE);
    if (pc == v->pc)
        canvas_frame(c, row, ACCENT, 1);
    if (pc == v->breakpoint)
        canvas_dot(c, row.x + 2, y, 3.5, state_styles[STATE_MEMORY].color);
    draw_bar(c, p, (struct box){x, row.y + 3, BAR, LINE - 6}, most);
    x += BAR;
    if (p->executed) {
        double mean = (double)p->lanes / (double)p->executed;
        snprintf(text, sizeof text, "%.0f", mean);
        canvas_text(c, x + LANES - 4, y, 9, mean < m->info.warp_size - 0.5 ? WARN : INK_DIM, ALIGN_RIGHT, true, 0,
                    text);
    }
    x += LANES;
    snprintf(text, sizeof text, "%04x", model_offset(m, pc));
    canvas_text(c, x + 2, y, 9, INK_DIM, ALIGN_LEFT, true, ADDRESS, text);
    x += ADDRESS;
    canvas_text(c, x, y, 9.5,
                here          ? ACCENT
                : p->executed ? INK
                              : INK_DIM,
                ALIGN_LEFT, true, row.x + row.w - x - 4, m->info.listing[pc]);
    if (!p->executed)
        view_tip(v, row, "%s: not executed on this SM so far", m->info.listing[pc]);
    else
        view_tip(v, row,
                 "%s: issued %llu times with %.1f lanes; warps spent %.1f cycles each time, %.1f%% of their time. "
                 "Click: its accesses, b: pause here.",
                 m->info.listing[pc], (unsigned long long)p->executed, (double)p->lanes / (double)p->executed,
                 (double)waited(p) / (double)p->executed, all > 0 ? 100 * (double)waited(p) / all : 0);
}

void panel_code(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    struct box in =
        panel_begin(c, v, b, PANEL_CODE, "Code", "warp time on this SM",
                    "The machine code; bars show where the warps of the watched SM spend their time, and on what");
    struct box room = code_room(b);
    uint32_t rows = rows_of(room);
    const struct warp_view *w = &m->warps[v->warp];
    const struct issue_record *past = v->back || !w->resident ? model_last_issue(m, v->warp, view_time(v, m)) : NULL;
    uint32_t here = past ? past->pc : w->resident ? w->pc : UINT32_MAX;
    double most = 1, all = 0;
    scroll(v, m, here, rows);
    for (uint32_t i = 0; i < m->info.npc; i++) {
        double t = (double)waited(&m->pcs[i]);
        most = t > most ? t : most;
        all += t;
    }
    canvas_text(c, in.x + 2, in.y + 5, 9, INK_DIM, ALIGN_LEFT, false, 0, "time");
    canvas_text(c, in.x + 2 + BAR + LANES, in.y + 5, 9, INK_DIM, ALIGN_RIGHT, false, 0, "lanes");
    canvas_text(c, in.x + 8 + BAR + LANES, in.y + 5, 9, INK_DIM, ALIGN_LEFT, false, 0, "address");
    view_tip(v, (struct box){in.x, in.y, BAR, HEAD}, "warp cycles at each instruction, coloured by what held the warp");
    view_tip(v, (struct box){in.x + BAR, in.y, LANES + 6, HEAD},
             "lanes active each time it issued, mean; orange: fewer than all");
    for (uint32_t k = 0; k < rows && v->code_scroll + k < m->info.npc; k++) {
        uint32_t pc = v->code_scroll + k;
        draw_line(c, v, m, pc, pc == here, (struct box){in.x - 4, room.y + k * LINE, in.w + 8, LINE}, most, all);
    }
}
