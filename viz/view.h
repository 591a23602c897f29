/* What the person is looking at, and the panels that draw it. A view reads a model and never changes it. */
#ifndef HEDDLE_VIZ_VIEW_H
#define HEDDLE_VIZ_VIEW_H

#include "viz/canvas.h"
#include "viz/model.h"
#include "viz/palette.h"

enum measure { MEASURE_OCCUPANCY, MEASURE_ISSUE, MEASURE_MEMORY, MEASURE_L1_HIT, MEASURE_COUNT };
enum panel { PANEL_OVERVIEW, PANEL_HISTORY, PANEL_WARPS, PANEL_LANES, PANEL_ACCESS, PANEL_DRAM, PANEL_CODE, PANEL_UNITS, PANEL_COUNT };

/* Where warps of the watched SM spend their time: shares by state, of the strip or, when it has ended, of the run. */
struct mix {
    double share[STATE_COUNT]; /* sum: 1 where there is anything */
    double warp_cycles;
    double issue;              /* share of scheduler cycles that issue */
    double units[UNIT_COUNT];  /* share of the time in which a unit was taken */
    double lanes;              /* active an instruction, -1: none issued */
};

struct view {
    enum measure measure;
    uint32_t warp;           /* selected slot of the watched SM */
    bool warp_chosen;        /* by the person; else the first that has a warp */
    uint32_t channel;        /* selected DRAM channel */
    int64_t pc;              /* selected instruction (index), -1: none */
    int64_t breakpoint;      /* instruction (index) at which the run pauses, -1: none */
    double cycles_shown;     /* width of the strip in cycles */
    cycle back;              /* how far behind the end the strip ends: scrubbing */
    int zoomed;              /* a panel that fills the window, or -1 */
    bool help, paused, finished;
    double cycles_per_second; /* wanted speed; 0: full speed */
    char prompt[32];         /* a question being answered in the title bar */
    double mouse_x, mouse_y; /* design units; negative: no pointer */
    struct box boxes[PANEL_COUNT]; /* of the last frame drawn, for the mouse; empty: not drawn */
    struct box legend;
    char tip[320];           /* tooltip found while drawing */
    uint32_t code_scroll;
    bool code_follow;
    struct mix mix;          /* of this frame */
};

void view_init(struct view *v);
/* Size of letters that suits a window. */
double view_scale(int width_px, int height_px);
/* Draws the whole window. */
void view_draw(struct canvas *c, struct view *v, const struct model *m);
/* Cycle at the right edge of the strip, and the oldest that a picture needs. */
cycle view_time(const struct view *v, const struct model *m);
cycle view_oldest(const struct view *v, const struct model *m);

/* Each draws inside b (title included) and may set v->tip from the mouse position. */
void panel_overview(struct canvas *c, struct view *v, const struct model *m, struct box b);
void panel_history(struct canvas *c, struct view *v, const struct model *m, struct box b);
void panel_warps(struct canvas *c, struct view *v, const struct model *m, struct box b);
void panel_lanes(struct canvas *c, struct view *v, const struct model *m, struct box b);
void panel_access(struct canvas *c, struct view *v, const struct model *m, struct box b);
void panel_dram(struct canvas *c, struct view *v, const struct model *m, struct box b);
void panel_code(struct canvas *c, struct view *v, const struct model *m, struct box b);
void panel_units(struct canvas *c, struct view *v, const struct model *m, struct box b);
void view_title(struct canvas *c, struct view *v, const struct model *m, struct box b);
void view_tiles(struct canvas *c, struct view *v, const struct model *m, struct box b);
void view_legend(struct canvas *c, struct view *v, struct box b);
void view_help(struct canvas *c);
void view_tooltip(struct canvas *c, const struct view *v);

/* The room inside a panel's frame and title. */
static inline struct box panel_inside(struct box b)
{
    return (struct box){b.x + 10, b.y + 26, b.w - 20, b.h > 34 ? b.h - 34 : 0};
}
/* Frame and title; returns the room left. explain: the title's tooltip. */
struct box panel_begin(struct canvas *c, struct view *v, struct box b, enum panel p, const char *title, const char *detail, const char *explain);
bool view_hover(const struct view *v, struct box b);
/* Sets the tooltip if the pointer is in b. */
void view_tip(struct view *v, struct box b, const char *fmt, ...) PRINTF_LIKE(3, 4);
extern const char *const panel_names[PANEL_COUNT];

/* Pieces of warps' time between two cycles, newest first: what held a warp until it issued, and the issue. */
struct piece {
    uint32_t warp;
    double from, to;
    enum state_class state;
    const struct issue_record *issue; /* NULL: has not issued since */
};
typedef void piece_fn(void *arg, const struct piece *p);
void strip_walk(const struct model *m, cycle from, cycle to, bool present, piece_fn *f, void *arg);
struct mix strip_mix(const struct view *v, const struct model *m);

/* What a click at (x, y) selects: SM, warp, channel or instruction; false: nothing. *sm is set when an SM is picked. */
bool view_click(struct view *v, const struct model *m, double x, double y, uint32_t *sm);
/* Where things stand inside their panels, for drawing and for the mouse. */
struct box overview_room(struct box panel);
struct box overview_sm_box(const struct model *m, struct box room, uint32_t sm);
struct box overview_channel_box(const struct model *m, struct box panel, uint32_t channel);
struct box warps_strip(struct box panel);
double warps_row_y(const struct model *m, struct box panel, uint32_t warp, double *height);
uint32_t warps_rows(const struct model *m); /* slots that have a row */
struct rgb block_hue(const struct model *m, uint32_t first_warp); /* of the block whose warps begin at that slot */
uint32_t block_first_warp(const struct model *m, uint32_t block);
uint32_t code_row_at(const struct view *v, const struct model *m, double y); /* instruction; npc: none */

#endif
