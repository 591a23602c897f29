/* What a click selects. */
#include "viz/view.h"

bool view_click(struct view *v, const struct model *m, double x, double y, uint32_t *sm)
{
    struct box b = v->boxes[PANEL_OVERVIEW];
    if (box_has(b, x, y)) {
        struct box room = overview_room(b);
        for (uint32_t i = 0; i < m->info.nsm; i++) {
            if (box_has(overview_sm_box(m, room, i), x, y)) {
                *sm = i;
                return true;
            }
        }
        v->measure = (v->measure + 1) % MEASURE_COUNT; /* beside the SMs: another measure */
        return true;
    }
    b = v->boxes[PANEL_WARPS];
    if (box_has(b, x, y)) {
        for (uint32_t w = 0; w < m->info.max_warps; w++) {
            double h, top = warps_row_y(m, b, w, &h);
            if (y >= top && y < top + h) {
                v->warp = w;
                v->code_follow = true;
                return true;
            }
        }
        return false;
    }
    b = v->boxes[PANEL_DRAM];
    for (uint32_t i = 0; box_has(b, x, y) && i < m->info.nchannel && i < NVIEWCHANNEL; i++) {
        if (box_has(dram_channel_box(m, b, i), x, y)) {
            v->channel = i;
            return true;
        }
    }
    return false;
}
