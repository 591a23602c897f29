/* Colours that the colour-blind can tell apart (after Okabe and Ito, "Color Universal Design", 2008), on a dark
 * ground, and the few classes into which the viewer groups the profiler's stall reasons. */
#ifndef HEDDLE_VIZ_PALETTE_H
#define HEDDLE_VIZ_PALETTE_H

#include "sim/sim.h"
#include "viz/canvas.h"

enum state_class {
    STATE_ISSUED, STATE_READY, STATE_MEMORY, STATE_SHARED, STATE_DEPENDENCY, STATE_THROTTLED, STATE_BARRIER, STATE_FETCH,
    STATE_OTHER, STATE_EMPTY, STATE_COUNT
};
struct state_style {
    const char *name;
    const char *explain; /* tooltip */
    struct rgb color;
};
extern const struct state_style state_styles[STATE_COUNT];
enum state_class state_of_stall(unsigned stall);

extern const struct rgb INK, INK_DIM, GROUND, PANEL, PANEL_EDGE, ACCENT, WARN, GOOD;
/* Six hues for things that are told apart, not ranked: blocks, curves. */
extern const struct rgb hues[6];

/* 0..1 -> dark blue over teal to yellow, even in lightness (after viridis' idea). */
struct rgb heat(double v);

#endif
