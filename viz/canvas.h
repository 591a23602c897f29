/* Drawing: a dozen primitives on an image in memory. The window shows that image and --screenshot writes it, so
 * both are the same picture. Units are pixels of a 96-dpi design multiplied by `scale`; the origin is top left. */
#ifndef HEDDLE_VIZ_CANVAS_H
#define HEDDLE_VIZ_CANVAS_H

#include "base/base.h"

struct canvas;
struct rgb {
    uint8_t r, g, b;
};
struct box {
    double x, y, w, h;
};
enum align { ALIGN_LEFT, ALIGN_CENTER, ALIGN_RIGHT };

struct canvas *canvas_new(int width_px, int height_px, double scale);
void canvas_free(struct canvas *c);
double canvas_width(const struct canvas *c);  /* in design units */
double canvas_height(const struct canvas *c);
double canvas_scale(const struct canvas *c);
const uint8_t *canvas_pixels(struct canvas *c, int *width, int *height, int *stride); /* BGRX, native order */
struct canvas *canvas_read_png(const char *path, struct error *err); /* an image to look at; scale 1 */
/* The same picture at 1/by of the size, each pixel the mean of by x by. */
struct canvas *canvas_shrink(struct canvas *c, int by);
bool canvas_write_png(struct canvas *c, const char *path, struct error *err);
/* The same primitives as an SVG drawing instead of an image. */
struct canvas *canvas_new_svg(double width, double height);
bool canvas_write_svg(struct canvas *c, const char *path, struct error *err); /* ends the drawing; of canvas_new_svg */

void canvas_clear(struct canvas *c, struct rgb color);
void canvas_fill(struct canvas *c, struct box b, struct rgb color);
void canvas_fill_alpha(struct canvas *c, struct box b, struct rgb color, double alpha);
void canvas_round(struct canvas *c, struct box b, double radius, struct rgb color); /* filled, with round corners */
void canvas_frame(struct canvas *c, struct box b, struct rgb color, double width);
void canvas_hatch(struct canvas *c, struct box b, struct rgb color); /* diagonal strokes: a second cue beside colour */
void canvas_line(struct canvas *c, double x0, double y0, double x1, double y1, struct rgb color, double width);
void canvas_polyline(struct canvas *c, const double *xy, size_t n, struct rgb color, double width);
/* The area between a curve and a base line. */
void canvas_area(struct canvas *c, const double *xy, size_t n, double base, struct rgb color, double alpha);
void canvas_dot(struct canvas *c, double x, double y, double radius, struct rgb color);
void canvas_clip(struct canvas *c, struct box b);
void canvas_unclip(struct canvas *c);
/* One line of text whose middle is at y, shortened with an ellipsis to max_width (0: no limit). mono: fixed pitch. */
void canvas_text(struct canvas *c, double x, double y, double size, struct rgb color, enum align a, bool mono,
                 double max_width, const char *text);
void canvas_text_bold(struct canvas *c, double x, double y, double size, struct rgb color, enum align a, double max_width, const char *text);
/* Wrapped at spaces into at most `most` lines, `step` apart, the last one shortened; returns their number. */
int canvas_lines(struct canvas *c, double x, double y, double size, double step, int most, struct rgb color, double width, const char *text);
double canvas_text_width(struct canvas *c, double size, bool mono, const char *text);
void canvas_text_up(struct canvas *c, double x, double y, double size, struct rgb color, const char *text); /* rotated a quarter */

static inline struct box box_inset(struct box b, double d)
{
    return (struct box){b.x + d, b.y + d, b.w > 2 * d ? b.w - 2 * d : 0, b.h > 2 * d ? b.h - 2 * d : 0}; /* d < 0: larger */
}
static inline bool box_has(struct box b, double x, double y)
{
    return x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + b.h;
}

#endif
