/* What the person is looking at, and the panels that draw it. A view reads a model and never changes it. */
#ifndef HEDDLE_VIZ_VIEW_H
#define HEDDLE_VIZ_VIEW_H

#include "viz/canvas.h"
#include "viz/model.h"
#include "viz/palette.h"

enum measure { MEASURE_OCCUPANCY, MEASURE_ISSUE, MEASURE_MEMORY, MEASURE_L1_HIT, MEASURE_COUNT };
enum panel { PANEL_OVERVIEW, PANEL_HISTORY, PANEL_WARPS, PANEL_LANES, PANEL_ACCESS, PANEL_DRAM, PANEL_CODE, PANEL_COUNT };

struct view {
    enum measure measure;
    uint32_t warp;           /* selected slot of the watched SM */
    uint32_t channel;        /* selected DRAM channel */
    double cycles_shown;     /* width of the strip in cycles */
    cycle back;              /* how far behind `now` the strip ends: scrubbing */
    int zoomed;              /* a panel that fills the window, or -1 */
    bool help, paused, finished;
    double cycles_per_second; /* wanted speed; 0: full speed */
    char status[96];
    double mouse_x, mouse_y; /* design units; negative: no pointer */
    struct box boxes[PANEL_COUNT]; /* of the last frame drawn, for the mouse */
    struct box legend;
    char tip[256];           /* tooltip found while drawing */
    uint32_t code_scroll;
    bool code_follow;
};

void view_init(struct view *v);
/* Draws the whole window. */
void view_draw(struct canvas *c, struct view *v, const struct model *m);
/* Cycle at the right edge of the strip. */
cycle view_time(const struct view *v, const struct model *m);

/* Each draws inside b (title included) and may set v->tip from the mouse position. */
void panel_overview(struct canvas *c, struct view *v, const struct model *m, struct box b);
void panel_history(struct canvas *c, struct view *v, const struct model *m, struct box b);
void panel_warps(struct canvas *c, struct view *v, const struct model *m, struct box b);
void panel_lanes(struct canvas *c, struct view *v, const struct model *m, struct box b);
void panel_access(struct canvas *c, struct view *v, const struct model *m, struct box b);
void panel_dram(struct canvas *c, struct view *v, const struct model *m, struct box b);
void panel_code(struct canvas *c, struct view *v, const struct model *m, struct box b);
void view_legend(struct canvas *c, struct view *v, struct box b);
void view_help(struct canvas *c, const struct view *v);

/* The room inside a panel's frame and title. */
static inline struct box panel_inside(struct box b)
{
    return (struct box){b.x + 8, b.y + 22, b.w - 16, b.h > 28 ? b.h - 28 : 0};
}
/* Frame and title; returns the room left. */
struct box panel_begin(struct canvas *c, struct box b, const char *title, const char *detail);
bool view_hover(struct view *v, struct box b);

/* What a click at (x, y) selects: SM, warp, channel or instruction; false: nothing. *sm is set when an SM is picked. */
bool view_click(struct view *v, const struct model *m, double x, double y, uint32_t *sm);
/* Where things stand inside their panels, for drawing and for the mouse. */
struct box overview_room(struct box panel);
struct box overview_sm_box(const struct model *m, struct box room, uint32_t sm);
double warps_row_y(const struct model *m, struct box panel, uint32_t warp, double *height);
struct box dram_channel_box(const struct model *m, struct box panel, uint32_t channel);

#endif
