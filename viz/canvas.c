/* The primitives, on cairo: text, antialiasing, PNG and SVG from one well-kept library. */
#include "viz/canvas.h"

#include <cairo-svg.h>
#include <cairo.h>
#include <stdlib.h>
#include <string.h>

struct canvas {
    cairo_surface_t *surface;
    cairo_t *cr;
    double w, h, scale;
    struct sb *svg; /* what a drawing is written to; NULL: pixels */
};

static struct canvas *make(cairo_surface_t *surface, double w, double h, double scale)
{
    struct canvas *c = xcalloc(1, sizeof *c);
    *c = (struct canvas){surface, cairo_create(surface), w / scale, h / scale, scale, NULL};
    cairo_scale(c->cr, scale, scale);
    return c;
}

struct canvas *canvas_new(int width_px, int height_px, double scale)
{
    return make(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width_px, height_px), width_px, height_px, scale);
}

static cairo_status_t collect(void *closure, const unsigned char *data, unsigned length)
{
    sb_addn(closure, (const char *)data, length);
    return CAIRO_STATUS_SUCCESS;
}

struct canvas *canvas_new_svg(double width, double height)
{
    struct sb *svg = xcalloc(1, sizeof *svg);
    struct canvas *c = make(cairo_svg_surface_create_for_stream(collect, svg, width, height), width, height, 1);
    c->svg = svg;
    return c;
}

bool canvas_write_svg(struct canvas *c, const char *path, struct error *err)
{
    cairo_surface_finish(c->surface);
    if (cairo_surface_status(c->surface) != CAIRO_STATUS_SUCCESS)
        return error_set(err, EXIT_FAILED, "%s: the drawing cannot be encoded", path);
    return file_write(path, c->svg->text, c->svg->len, err);
}

void canvas_free(struct canvas *c)
{
    if (!c)
        return;
    cairo_destroy(c->cr);
    cairo_surface_finish(c->surface);
    cairo_surface_destroy(c->surface);
    if (c->svg)
        sb_finish(c->svg);
    free(c->svg);
    free(c);
}

double canvas_width(const struct canvas *c)
{
    return c->w;
}

double canvas_height(const struct canvas *c)
{
    return c->h;
}

double canvas_scale(const struct canvas *c)
{
    return c->scale;
}

const uint8_t *canvas_pixels(struct canvas *c, int *width, int *height, int *stride)
{
    cairo_surface_flush(c->surface);
    *width = cairo_image_surface_get_width(c->surface);
    *height = cairo_image_surface_get_height(c->surface);
    *stride = cairo_image_surface_get_stride(c->surface);
    return cairo_image_surface_get_data(c->surface);
}

bool canvas_write_png(struct canvas *c, const char *path, struct error *err)
{
    struct sb png = {0};
    bool ok = cairo_surface_write_to_png_stream(c->surface, collect, &png) == CAIRO_STATUS_SUCCESS;
    ok = ok ? file_write(path, png.text, png.len, err)
            : error_set(err, EXIT_FAILED, "%s: the picture cannot be encoded", path);
    sb_finish(&png);
    return ok;
}

struct canvas *canvas_read_png(const char *path, struct error *err)
{
    cairo_surface_t *s = cairo_image_surface_create_from_png(path);
    if (cairo_surface_status(s) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(s);
        error_set(err, EXIT_BAD_INPUT, "%s: is no PNG picture", path);
        return NULL;
    }
    return make(s, cairo_image_surface_get_width(s), cairo_image_surface_get_height(s), 1);
}

struct canvas *canvas_shrink(struct canvas *c, int by)
{
    int w, h, stride, out_w, out_h, out_stride;
    const uint8_t *in = canvas_pixels(c, &w, &h, &stride);
    struct canvas *small = canvas_new(w / by, h / by, 1);
    uint8_t *to = cairo_image_surface_get_data(small->surface);
    canvas_pixels(small, &out_w, &out_h, &out_stride);
    for (int y = 0; y < out_h; y++) {
        for (int x = 0; x < out_w * 4; x++) { /* bytes of a row: four a pixel */
            int sum = 0;
            for (int k = 0; k < by * by; k++)
                sum += in[(y * by + k / by) * stride + (x / 4 * by + k % by) * 4 + x % 4];
            to[y * out_stride + x] = (uint8_t)(sum / (by * by));
        }
    }
    cairo_surface_mark_dirty(small->surface);
    return small;
}

static void color_of(struct canvas *c, struct rgb k, double alpha)
{
    cairo_set_source_rgba(c->cr, k.r / 255.0, k.g / 255.0, k.b / 255.0, alpha);
}

void canvas_clear(struct canvas *c, struct rgb color)
{
    color_of(c, color, 1);
    cairo_paint(c->cr);
}

void canvas_fill_alpha(struct canvas *c, struct box b, struct rgb color, double alpha)
{
    if (b.w <= 0 || b.h <= 0)
        return;
    color_of(c, color, alpha);
    cairo_rectangle(c->cr, b.x, b.y, b.w, b.h);
    cairo_fill(c->cr);
}

void canvas_fill(struct canvas *c, struct box b, struct rgb color)
{
    canvas_fill_alpha(c, b, color, 1);
}

void canvas_round(struct canvas *c, struct box b, double radius, struct rgb color)
{
    const double quarter = 1.5707963267948966;
    double r = radius < b.w / 2 ? radius : b.w / 2;
    r = r < b.h / 2 ? r : b.h / 2;
    if (b.w <= 0 || b.h <= 0)
        return;
    color_of(c, color, 1);
    cairo_new_sub_path(c->cr);
    cairo_arc(c->cr, b.x + b.w - r, b.y + r, r, -quarter, 0);
    cairo_arc(c->cr, b.x + b.w - r, b.y + b.h - r, r, 0, quarter);
    cairo_arc(c->cr, b.x + r, b.y + b.h - r, r, quarter, 2 * quarter);
    cairo_arc(c->cr, b.x + r, b.y + r, r, 2 * quarter, 3 * quarter);
    cairo_close_path(c->cr);
    cairo_fill(c->cr);
}

void canvas_frame(struct canvas *c, struct box b, struct rgb color, double width)
{
    color_of(c, color, 1);
    cairo_set_line_width(c->cr, width);
    cairo_rectangle(c->cr, b.x + width / 2, b.y + width / 2, b.w - width, b.h - width);
    cairo_stroke(c->cr);
}

void canvas_hatch(struct canvas *c, struct box b, struct rgb color)
{
    canvas_clip(c, b);
    for (double d = 0; d < b.w + b.h; d += 4)
        canvas_line(c, b.x + d, b.y, b.x + d - b.h, b.y + b.h, color, 0.8);
    canvas_unclip(c);
}

void canvas_line(struct canvas *c, double x0, double y0, double x1, double y1, struct rgb color, double width)
{
    color_of(c, color, 1);
    cairo_set_line_width(c->cr, width);
    cairo_move_to(c->cr, x0, y0);
    cairo_line_to(c->cr, x1, y1);
    cairo_stroke(c->cr);
}

void canvas_polyline(struct canvas *c, const double *xy, size_t n, struct rgb color, double width)
{
    if (n < 2)
        return;
    color_of(c, color, 1);
    cairo_set_line_width(c->cr, width);
    cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_move_to(c->cr, xy[0], xy[1]);
    for (size_t i = 1; i < n; i++)
        cairo_line_to(c->cr, xy[2 * i], xy[2 * i + 1]);
    cairo_stroke(c->cr);
}

void canvas_area(struct canvas *c, const double *xy, size_t n, double base, struct rgb color, double alpha)
{
    if (n < 2)
        return;
    color_of(c, color, alpha);
    cairo_move_to(c->cr, xy[0], base);
    for (size_t i = 0; i < n; i++)
        cairo_line_to(c->cr, xy[2 * i], xy[2 * i + 1]);
    cairo_line_to(c->cr, xy[2 * n - 2], base);
    cairo_close_path(c->cr);
    cairo_fill(c->cr);
}

void canvas_dot(struct canvas *c, double x, double y, double radius, struct rgb color)
{
    color_of(c, color, 1);
    cairo_arc(c->cr, x, y, radius, 0, 6.283185307179586);
    cairo_fill(c->cr);
}

void canvas_clip(struct canvas *c, struct box b)
{
    cairo_save(c->cr);
    cairo_rectangle(c->cr, b.x, b.y, b.w, b.h);
    cairo_clip(c->cr);
}

void canvas_unclip(struct canvas *c)
{
    cairo_restore(c->cr);
}

static void font(struct canvas *c, double size, bool mono, bool bold)
{
    cairo_select_font_face(c->cr, mono ? "DejaVu Sans Mono" : "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(c->cr, size);
}

static double width_of(struct canvas *c, const char *text)
{
    cairo_text_extents_t e;
    cairo_text_extents(c->cr, text, &e);
    return e.x_advance;
}

double canvas_text_width(struct canvas *c, double size, bool mono, const char *text)
{
    font(c, size, mono, false);
    return width_of(c, text);
}

/* In the font that is set. */
static void draw_text(struct canvas *c, double x, double y, double size, struct rgb color, enum align a,
                      double max_width, const char *text)
{
    char cut[512];
    double w = width_of(c, text);
    if (max_width > 0 && w > max_width) {
        size_t n = strnlen(text, sizeof cut - 4);
        memcpy(cut, text, n);
        do {
            while (n > 0 && ((uint8_t)cut[n - 1] & 0xc0) == 0x80) /* not inside a UTF-8 character */
                n--;
            n -= n > 0;
            memcpy(cut + n, "\xe2\x80\xa6", 4);
            w = width_of(c, cut);
        } while (w > max_width && n > 0);
        if (n == 0)
            return;
        text = cut;
    }
    color_of(c, color, 1);
    double left = a == ALIGN_LEFT ? x : a == ALIGN_CENTER ? x - w / 2 : x - w;
    cairo_move_to(c->cr, left, y + size * 0.36);
    cairo_show_text(c->cr, text);
}

void canvas_text(struct canvas *c, double x, double y, double size, struct rgb color, enum align a, bool mono,
                 double max_width, const char *text)
{
    font(c, size, mono, false);
    draw_text(c, x, y, size, color, a, max_width, text);
}

void canvas_text_bold(struct canvas *c, double x, double y, double size, struct rgb color, enum align a,
                      double max_width, const char *text)
{
    font(c, size, false, true);
    draw_text(c, x, y, size, color, a, max_width, text);
}

int canvas_lines(struct canvas *c, double x, double y, double size, double step, int most, struct rgb color,
                 double width, const char *text)
{
    char line[512];
    int n = 0;
    font(c, size, false, false);
    for (; *text && n < most; n++) {
        size_t len = 0, good = 0;
        while (text[len] && len < sizeof line - 1) {
            do {
                line[len] = text[len];
                line[++len] = 0;
            } while (text[len] && text[len] != ' ' && len < sizeof line - 1);
            if (good && width_of(c, line) > width)
                break;
            good = len;
        }
        bool last = n + 1 == most;
        snprintf(line, sizeof line, "%.*s", last ? (int)strnlen(text, sizeof line - 1) : (int)good, text);
        draw_text(c, x, y + n * step, size, color, ALIGN_LEFT, width, line);
        text += last ? strlen(text) : good;
        while (*text == ' ')
            text++;
    }
    return n;
}

void canvas_text_up(struct canvas *c, double x, double y, double size, struct rgb color, const char *text)
{
    cairo_save(c->cr);
    cairo_translate(c->cr, x, y);
    cairo_rotate(c->cr, -1.5707963267948966);
    canvas_text(c, 0, 0, size, color, ALIGN_CENTER, false, 0, text);
    cairo_restore(c->cr);
}
