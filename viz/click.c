/* What a click selects. */
#include "viz/view.h"

static bool click_warp(struct view *v, const struct model *m, double y)
{
    for (uint32_t w = 0; w < warps_rows(m); w++) {
        double h, top = warps_row_y(m, v->boxes[PANEL_WARPS], w, &h);
        if (y >= top && y < top + h && w < m->info.max_warps) {
            v->warp = w;
            v->warp_chosen = v->code_follow = true;
            return true;
        }
    }
    return false;
}

static bool click_chip(struct view *v, const struct model *m, double x, double y, uint32_t *sm)
{
    struct box b = v->boxes[PANEL_OVERVIEW], room = overview_room(b);
    for (uint32_t i = 0; i < m->info.nsm; i++) {
        if (box_has(overview_sm_box(m, room, i), x, y)) {
            *sm = i;
            return true;
        }
    }
    for (uint32_t i = 0; i < m->info.nchannel && i < NVIEWCHANNEL; i++) {
        if (box_has(overview_channel_box(m, b, i), x, y)) {
            v->channel = i;
            return true;
        }
    }
    v->measure = (v->measure + 1) % MEASURE_COUNT; /* beside them: another measure */
    return true;
}

bool view_click(struct view *v, const struct model *m, double x, double y, uint32_t *sm)
{
    if (box_has(v->boxes[PANEL_OVERVIEW], x, y))
        return click_chip(v, m, x, y, sm);
    if (box_has(v->boxes[PANEL_WARPS], x, y))
        return click_warp(v, m, y);
    if (box_has(v->boxes[PANEL_CODE], x, y)) {
        uint32_t pc = code_row_at(v, m, y);
        v->pc = pc == m->info.npc || pc == v->pc ? -1 : (int64_t)pc;
        return true;
    }
    return false;
}
