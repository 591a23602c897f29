/* Axes, ticks and titles that the plots share. */
#ifndef HEDDLE_VIZ_PLOT_AXES_H
#define HEDDLE_VIZ_PLOT_AXES_H

#include "viz/canvas.h"

struct axis {
    double from, to;
    bool log, binary; /* binary: ticks at powers of two */
    const char *name;
};
struct axes {
    struct axis x, y;
    struct box room;
};
enum { PLOT_WIDTH = 860, PLOT_HEIGHT = 540 };
extern const struct rgb PLOT_INK, PLOT_DIM, PLOT_GRID, PLOT_PAPER, PLOT_SERIES[6];

/* SVG by the name's end, else PNG at twice the size. */
struct canvas *plot_open(const char *path, struct error *err);
bool plot_close(struct canvas *c, const char *path, struct error *err);
void axes_draw(struct canvas *c, struct axes *a, const char *title);
double axes_x(const struct axes *a, double v);
double axes_y(const struct axes *a, double v);
/* The data beside the picture: path with .csv for its extension. */
bool plot_csv(const char *path, const struct sb *text, struct error *err);

#endif
