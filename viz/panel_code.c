/* The listing beside the pictures: hot-spot bars, lanes active per instruction, where the selected warp is. */
#include "viz/view.h"

enum { LINE = 14 };

void panel_code(struct canvas *c, struct view *v, const struct model *m, struct box b)
{
    char text[96];
    struct box in = panel_begin(c, b, "Code", "bar: warp time on the watched SM");
    uint32_t rows = (uint32_t)(in.h - 14) / LINE, n = m->info.npc;
    const struct warp_view *w = &m->warps[v->warp];
    const struct issue_record *past = v->back ? model_last_issue(m, v->warp, view_time(v, m)) : NULL;
    uint32_t here = past ? past->pc : w->resident ? w->pc : UINT32_MAX;
    if (v->code_follow && here != UINT32_MAX && (here < v->code_scroll + 2 || here + 3 > v->code_scroll + rows))
        v->code_scroll = here > rows / 3 ? here - rows / 3 : 0;
    if (n > rows && v->code_scroll > n - rows)
        v->code_scroll = n - rows;
    if (n <= rows)
        v->code_scroll = 0;
    uint64_t most = 1;
    for (uint32_t i = 0; i < n; i++)
        if (m->pc_waited[i] > most)
            most = m->pc_waited[i];
    double bar = 26, lanes = 22, text_x = in.x + bar + lanes + 34;
    canvas_text(c, in.x + bar + lanes, in.y + 5, 9, INK_DIM, ALIGN_RIGHT, false, 0, "lanes");
    for (uint32_t k = 0; k < rows && v->code_scroll + k < n; k++) {
        uint32_t pc = v->code_scroll + k;
        double y = in.y + 14 + k * LINE;
        struct box row = {in.x - 4, y, in.w + 8, LINE};
        if (pc == here)
            canvas_fill(c, row, PANEL_EDGE);
        double share = (double)m->pc_waited[pc] / (double)most;
        if (share > 0)
            canvas_fill(c, (struct box){in.x + bar * (1 - share), y + 3, bar * share, LINE - 6}, heat(0.3 + 0.7 * share));
        if (m->pc_executed[pc]) {
            double mean = (double)m->pc_lanes[pc] / (double)m->pc_executed[pc];
            snprintf(text, sizeof text, "%.0f", mean);
            canvas_text(c, in.x + bar + lanes - 2, y + LINE / 2.0, 9, mean < m->info.warp_size - 0.5 ? WARN : INK_DIM, ALIGN_RIGHT, true, 0, text);
        }
        snprintf(text, sizeof text, "%04x", pc * INST_BYTES);
        canvas_text(c, in.x + bar + lanes + 4, y + LINE / 2.0, 9, INK_DIM, ALIGN_LEFT, true, 0, text);
        canvas_text(c, text_x, y + LINE / 2.0, 9.5, pc == here ? ACCENT : INK, ALIGN_LEFT, true, in.x + in.w - text_x, m->info.listing[pc]);
        if (view_hover(v, row) && m->pc_executed[pc])
            snprintf(v->tip, sizeof v->tip, "%s: issued %llu times, warps waited %.1f cycles before each on average", m->info.listing[pc],
                     (unsigned long long)m->pc_executed[pc], (double)m->pc_waited[pc] / (double)m->pc_executed[pc]);
    }
}
