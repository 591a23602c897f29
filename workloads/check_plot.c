/* The check as a picture: predicted over measured cycles, both axes logarithmic, with bands of 10 and 30 %. SVG is
 * text, so no drawing library is needed. */
#include "workloads/check.h"

#include <math.h>
#include <string.h>

enum { SIZE = 640, LEFT = 70, TOP = 40, PLOT = 520 };

struct axes {
    double low, high; /* log10 of cycles, the same on both axes */
};

static const char *const colours[] = {"#888888", "#1f77b4", "#d62728", "#2ca02c",
                                      "#9467bd", "#ff7f0e", "#17becf", "#8c564b"};

static double px(const struct axes *a, double log_v)
{
    return LEFT + (log_v - a->low) / (a->high - a->low) * PLOT;
}

static double py(const struct axes *a, double log_v)
{
    return TOP + PLOT - (log_v - a->low) / (a->high - a->low) * PLOT;
}

static void include(struct axes *a, const struct check_pair *p)
{
    if (isnan(p->error) || p->predicted <= 0)
        return;
    a->low = fmin(a->low, fmin(log10(p->predicted), log10(p->measured)));
    a->high = fmax(a->high, fmax(log10(p->predicted), log10(p->measured)));
}

static struct axes axes_of(const struct check_result *c)
{
    struct axes a = {1e9, -1e9};
    for (size_t i = 0; i < c->n; i++) {
        include(&a, &c->rows[i].cold);
        include(&a, &c->rows[i].warm);
    }
    if (a.low > a.high)
        return (struct axes){3, 6};
    return (struct axes){floor(a.low * 2) / 2, ceil(a.high * 2) / 2 + (ceil(a.high * 2) <= floor(a.low * 2))};
}

static void band(const struct axes *a, double share, const char *colour, struct sb *out)
{
    double up = log10(1 + share), down = log10(1 - share);
    sb_addf(out, "<polygon fill=\"%s\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f\" clip-path=\"url(#plot)\"/>\n",
            colour, px(a, a->low), py(a, a->low + up), px(a, a->high), py(a, a->high + up), px(a, a->high),
            py(a, a->high + down), px(a, a->low), py(a, a->low + down));
}

static void grid(const struct axes *a, struct sb *out)
{
    for (double v = ceil(a->low); v <= a->high; v++) {
        sb_addf(out, "<path d=\"M%.1f %dV%d M%d %.1fH%d\" stroke=\"#ddd\"/>\n", px(a, v), TOP, TOP + PLOT, LEFT,
                py(a, v), LEFT + PLOT);
        sb_addf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">1e%.0f</text>", px(a, v), TOP + PLOT + 18, v);
        sb_addf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">1e%.0f</text>\n", LEFT - 8, py(a, v) + 4, v);
    }
    sb_addf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#444\"/>\n", LEFT, TOP,
            PLOT, PLOT);
    sb_addf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">measured cycles</text>\n", LEFT + PLOT / 2,
            TOP + PLOT + 40);
    sb_addf(out, "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">predicted cycles</text>\n",
            TOP + PLOT / 2);
}

static void point(const struct axes *a, const struct check_row *r, const struct check_pair *p, bool cold,
                  struct sb *out)
{
    if (isnan(p->error) || p->predicted <= 0)
        return;
    size_t k = 0;
    while (k + 1 < ncheck_class && strcmp(check_classes[k], r->class_name) != 0)
        k++;
    sb_addf(out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" stroke=\"%s\" fill=\"%s\"%s><title>%s %s %s: %.0f predicted, "
            "%.0f measured (%+.1f%%)</title></circle>\n",
            px(a, log10(p->measured)), py(a, log10(p->predicted)), colours[k], cold ? colours[k] : "none",
            r->judged ? "" : " opacity=\"0.35\"", r->name, r->size, cold ? "cold" : "warm", p->predicted, p->measured,
            p->error * 100);
}

static void legend(struct sb *out)
{
    for (size_t i = 0; i + 1 < ncheck_class; i++) {
        int y = TOP + 16 + 16 * (int)i;
        sb_addf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"3.5\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
                LEFT + 14, y - 4, colours[i], LEFT + 24, y, check_classes[i]);
    }
}

void check_svg(const struct check_result *c, struct sb *out)
{
    struct axes a = axes_of(c);
    sb_addf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n",
            SIZE, SIZE);
    sb_addf(out,
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/><clipPath id=\"plot\"><rect x=\"%d\" y=\"%d\" "
            "width=\"%d\" height=\"%d\"/></clipPath>\n",
            SIZE, SIZE, LEFT, TOP, PLOT, PLOT);
    band(&a, 0.3, "#f3f0e4", out);
    band(&a, 0.1, "#e0ecd8", out);
    grid(&a, out);
    sb_addf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#444\"/>\n", px(&a, a.low), py(&a, a.low), px(&a, a.high),
            py(&a, a.high));
    for (size_t i = 0; i < c->n; i++) {
        point(&a, &c->rows[i], &c->rows[i].cold, true, out);
        point(&a, &c->rows[i], &c->rows[i].warm, false, out);
    }
    legend(out);
    sb_addf(
        out,
        "<text x=\"%d\" y=\"24\">%s: MAPE %.1f%%, worst %.1f%% of %zu judged (full: cold, open: warm)</text>\n</svg>\n",
        LEFT, c->device, c->all.mape * 100, c->all.worst * 100, c->all.n);
}
