#include "viz/plot_axes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct rgb PLOT_INK = {0x20, 0x24, 0x2c}, PLOT_DIM = {0x66, 0x6d, 0x78}, PLOT_GRID = {0xdd, 0xe0, 0xe5},
                 PLOT_PAPER = {0xff, 0xff, 0xff};
const struct rgb PLOT_SERIES[6] = {{0x00, 0x72, 0xb2}, {0xd5, 0x5e, 0x00}, {0x00, 0x9e, 0x73},
                                   {0xcc, 0x79, 0xa7}, {0xe6, 0x9f, 0x00}, {0x56, 0xb4, 0xe9}};

static bool is_svg(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".svg") == 0;
}

struct canvas *plot_open(const char *path, struct error *err)
{
    size_t n = strlen(path);
    if (!is_svg(path) && !(n > 4 && strcmp(path + n - 4, ".png") == 0)) {
        error_set(err, EXIT_BAD_INPUT, "%s: a plot's name ends in .svg or .png", path);
        return NULL;
    }
    struct canvas *c =
        is_svg(path) ? canvas_new_svg(PLOT_WIDTH, PLOT_HEIGHT) : canvas_new(2 * PLOT_WIDTH, 2 * PLOT_HEIGHT, 2);
    canvas_clear(c, PLOT_PAPER);
    return c;
}

bool plot_close(struct canvas *c, const char *path, struct error *err)
{
    bool ok = is_svg(path) ? canvas_write_svg(c, path, err) : canvas_write_png(c, path, err);
    canvas_free(c);
    return ok;
}

static double place(const struct axis *a, double v)
{
    if (a->log)
        return v > 0 ? log(v / a->from) / log(a->to / a->from) : 0;
    return (v - a->from) / (a->to - a->from);
}

double axes_x(const struct axes *a, double v)
{
    return a->room.x + a->room.w * place(&a->x, v);
}

double axes_y(const struct axes *a, double v)
{
    return a->room.y + a->room.h * (1 - place(&a->y, v));
}

static void number(double v, char *out, size_t cap)
{
    static const struct {
        double unit;
        const char *suffix;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, NULL}};
    for (size_t i = 0; i + 1 < ARRAY_LEN(units); i++) {
        if (fabs(v) >= units[i].unit * 0.9999) {
            snprintf(out, cap, "%.4g%s", v / units[i].unit, units[i].suffix);
            return;
        }
    }
    if (fabs(v) >= 1e4)
        snprintf(out, cap, "%.4gk", v / 1e3);
    else
        snprintf(out, cap, "%.4g", v);
}

static void tick(struct canvas *c, const struct axes *a, bool is_x, double v, bool label)
{
    char text[32];
    number(v, text, sizeof text);
    const struct box r = a->room;
    if (is_x) {
        double x = axes_x(a, v);
        canvas_line(c, x, r.y, x, r.y + r.h, PLOT_GRID, label ? 1 : 0.5);
        if (label)
            canvas_text(c, x, r.y + r.h + 14, 12, PLOT_DIM, ALIGN_CENTER, false, 0, text);
    } else {
        double y = axes_y(a, v);
        canvas_line(c, r.x, y, r.x + r.w, y, PLOT_GRID, label ? 1 : 0.5);
        if (label)
            canvas_text(c, r.x - 8, y, 12, PLOT_DIM, ALIGN_RIGHT, false, 0, text);
    }
}

static void ticks(struct canvas *c, const struct axes *a, bool is_x)
{
    const struct axis *k = is_x ? &a->x : &a->y;
    if (k->log && k->binary) {
        int every = log2(k->to / k->from) > 14 ? 2 : 1, at = 0;
        for (double d = exp2(ceil(log2(k->from * 0.9999))); d <= k->to * 1.0001; d *= 2, at++)
            tick(c, a, is_x, d, at % every == 0);
        return;
    }
    if (k->log) {
        for (double d = pow(10, floor(log10(k->from))); d <= k->to * 1.0001; d *= 10)
            for (int i = 1; i < 10; i++)
                if (d * i >= k->from * 0.9999 && d * i <= k->to * 1.0001)
                    tick(c, a, is_x, d * i, i == 1 || (k->to / k->from < 100 && (i == 2 || i == 5)));
        return;
    }
    double span = k->to - k->from, step = pow(10, floor(log10(span / 4)));
    step *= span / step > 20 ? 5 : span / step > 10 ? 2 : 1;
    for (double v = ceil(k->from / step) * step; v <= k->to + step * 1e-6; v += step)
        tick(c, a, is_x, fabs(v) < step * 1e-6 ? 0 : v, true);
}

void axes_draw(struct canvas *c, struct axes *a, const char *title)
{
    a->room = (struct box){88, 54, PLOT_WIDTH - 88 - 36, PLOT_HEIGHT - 54 - 62};
    canvas_text(c, 20, 24, 17, PLOT_INK, ALIGN_LEFT, false, PLOT_WIDTH - 40, title);
    ticks(c, a, true);
    ticks(c, a, false);
    canvas_frame(c, a->room, PLOT_DIM, 1);
    canvas_text(c, a->room.x + a->room.w / 2, PLOT_HEIGHT - 20, 13, PLOT_INK, ALIGN_CENTER, false, 0, a->x.name);
    canvas_text_up(c, 22, a->room.y + a->room.h / 2, 13, PLOT_INK, a->y.name);
}

bool plot_csv(const char *path, const struct sb *text, struct error *err)
{
    const char *dot = strrchr(path, '.');
    char *csv = xasprintf("%.*s.csv", (int)(dot - path), path);
    bool ok = file_write(csv, text->text, text->len, err);
    free(csv);
    return ok;
}
