/* Roofline, stall breakdown, sectors per request, curves. */
#include "viz/palette.h"
#include "viz/plot_axes.h"
#include "viz/viz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct level {
    const char *name;
    double bytes, bandwidth;
};

static double flops_of(const struct launch_result *r)
{
    const struct sm_counters *s = &r->sm;
    return (double)(s->fadd + s->fmul + 2 * s->ffma + s->dadd + s->dmul + 2 * s->dfma + 2 * (s->hadd + s->hmul) +
                    4 * s->hfma + s->tensor_flops);
}

static void roof(struct canvas *c, const struct axes *a, double bandwidth, double peak, struct rgb color)
{
    enum { N = 200 };
    double xy[2 * N];
    for (int i = 0; i < N; i++) {
        double x = a->x.from * pow(a->x.to / a->x.from, i / (double)(N - 1)), y = fmin(bandwidth * x, peak);
        xy[2 * i] = axes_x(a, x);
        xy[2 * i + 1] = axes_y(a, fmax(y, a->y.from));
    }
    canvas_clip(c, a->room);
    canvas_polyline(c, xy, N, color, 2);
    canvas_unclip(c);
}

/* How near the kernel comes to the lowest of its roofs. */
static void roofline_note(struct canvas *c, const struct axes *a, const struct level *levels, double flops, double rate,
                          double peak)
{
    char text[200];
    const char *name = "arithmetic";
    double roof_here = peak;
    for (int i = 0; i < 3; i++) {
        double bound = levels[i].bytes > 0 ? levels[i].bandwidth * flops / levels[i].bytes : INFINITY;
        if (bound < roof_here) {
            roof_here = bound;
            name = levels[i].name;
        }
    }
    if (rate > 0)
        snprintf(text, sizeof text, "%.4g TFLOP/s: %.0f%% of the lowest roof above it (%s, %.3g TFLOP/s)", rate / 1e12,
                 100 * rate / roof_here, name, roof_here / 1e12);
    else
        snprintf(text, sizeof text, "no floating-point arithmetic: nothing to place under these roofs");
    canvas_text(c, a->room.x + a->room.w - 10, a->room.y + a->room.h - 16, 13, PLOT_INK, ALIGN_RIGHT, false,
                a->room.w - 20, text);
}

bool plot_roofline(const struct config *cfg, const struct launch_result *r, const char *path, struct error *err)
{
    struct peaks p = config_peaks(cfg);
    double seconds = (double)r->cycles / (cfg->sm_mhz * 1e6), flops = flops_of(r), rate = flops / seconds;
    bool tensor = r->sm.tensor_flops > 0,
         fp64 = r->sm.dfma + r->sm.dadd + r->sm.dmul > r->sm.ffma + r->sm.fadd + r->sm.fmul;
    double peak = tensor ? p.tensor16 : fp64 ? p.fp64 : p.fp32;
    struct level levels[] = {
        {"L1", 32.0 * (double)(r->sm.global_ld_sectors + r->sm.global_st_sectors), p.l1},
        {"L2", 32.0 * (double)(r->mp.l2_reads + r->mp.l2_writes), p.l2},
        {"DRAM", 32.0 * (double)(r->mp.dram_reads + r->mp.dram_writes), p.dram},
    };
    struct canvas *c = plot_open(path, err);
    if (!c)
        return false;
    struct axes a = {.x = {0.01, 10000, true, false, "FLOP per byte moved at that level"},
                     .y = {peak / 1e5, peak * 2, true, false, "FLOP/s"}};
    struct sb csv = {0};
    char title[400], text[160];
    snprintf(title, sizeof title, "Roofline of %s on %s", r->kernel, cfg->name);
    axes_draw(c, &a, title);
    sb_add(&csv, "level,bytes,flop_per_byte,flop_per_s,bandwidth_bytes_per_s,peak_flop_per_s\n");
    for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
        struct rgb color = PLOT_SERIES[i];
        roof(c, &a, levels[i].bandwidth, peak, color);
        double intensity = levels[i].bytes > 0 ? flops / levels[i].bytes : NAN;
        sb_addf(&csv, "%s,%.0f,%.6g,%.6g,%.6g,%.6g\n", levels[i].name, levels[i].bytes, intensity, rate,
                levels[i].bandwidth, peak);
        snprintf(text, sizeof text, "%s  %.2f TB/s%s", levels[i].name, levels[i].bandwidth / 1e12,
                 isnan(intensity) ? "  (no traffic)" : "");
        canvas_dot(c, a.room.x + 16, a.room.y + 18 + 20 * (double)i, 5, color);
        canvas_text(c, a.room.x + 28, a.room.y + 18 + 20 * (double)i, 13, PLOT_INK, ALIGN_LEFT, false, 0, text);
        if (!isnan(intensity) && rate > 0)
            canvas_dot(c, axes_x(&a, fmin(fmax(intensity, a.x.from), a.x.to)), axes_y(&a, fmax(rate, a.y.from)),
                       10 - 3 * (double)i, color); /* equal intensities: rings */
    }
    snprintf(text, sizeof text, "peak %s %.1f TFLOP/s", tensor ? "tensor fp16" : fp64 ? "fp64" : "fp32", peak / 1e12);
    canvas_text(c, a.room.x + a.room.w - 8, axes_y(&a, peak) - 10, 12, PLOT_DIM, ALIGN_RIGHT, false, 0, text);
    roofline_note(c, &a, levels, flops, rate, peak);
    bool ok = plot_close(c, path, err) && plot_csv(path, &csv, err);
    sb_finish(&csv);
    return ok;
}

/* Reasons that count, largest first. */
static uint32_t sort_stalls(const struct launch_result *r, int *order)
{
    uint32_t n = 0;
    for (int i = 0; i < STALL_COUNT; i++) {
        uint32_t k = n;
        if (r->sm.stall[i] * 500 < r->sm.warps_active) /* too little to be seen */
            continue;
        for (; k > 0 && r->sm.stall[order[k - 1]] < r->sm.stall[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
        n++;
    }
    return n;
}

static void stall_bar(struct canvas *c, int stall, double y, double row, double v, double most, double total)
{
    enum { LEFT = 170, BAR = 330 };
    char text[160];
    struct rgb color = stall == STALL_selected ? PLOT_DIM : state_styles[state_of_stall((unsigned)stall)].color;
    double w = BAR * v / most;
    canvas_text(c, LEFT - 10, y + row / 2, 13, PLOT_INK, ALIGN_RIGHT, false, LEFT - 16, stall_names[stall]);
    canvas_round(c, (struct box){LEFT, y + 3, w > 2 ? w : 2, row - 6}, 2, color);
    snprintf(text, sizeof text, "%.2f  (%.0f%%)", v, 100 * v / total);
    canvas_text(c, LEFT + w + 8, y + row / 2, 12, PLOT_INK, ALIGN_LEFT, false, 0, text);
    double used = LEFT + w + 20 + canvas_text_width(c, 12, false, text),
           at = used > LEFT + BAR / 2.0 + 90 ? used : LEFT + BAR / 2.0 + 90;
    canvas_text(c, at, y + row / 2, 11, PLOT_DIM, ALIGN_LEFT, false, PLOT_WIDTH - 16 - at, stall_docs[stall]);
}

bool plot_stalls(const struct launch_result *r, const char *path, struct error *err)
{
    struct canvas *c = plot_open(path, err);
    if (!c)
        return false;
    double issued = r->sm.issue_active ? (double)r->sm.issue_active : 1, total = 0;
    int order[STALL_COUNT];
    uint32_t shown = sort_stalls(r, order);
    char text[400];
    struct sb csv = {0};
    sb_add(&csv, "reason,warp_cycles,warp_cycles_per_issue\n");
    for (int i = 0; i < STALL_COUNT; i++) {
        total += (double)r->sm.stall[i] / issued;
        sb_addf(&csv, "%s,%llu,%.6g\n", stall_names[i], (unsigned long long)r->sm.stall[i],
                (double)r->sm.stall[i] / issued);
    }
    snprintf(text, sizeof text, "What the warps of %s wait for", r->kernel);
    canvas_text(c, 20, 24, 17, PLOT_INK, ALIGN_LEFT, false, PLOT_WIDTH - 40, text);
    snprintf(text, sizeof text,
             "warp cycles per issued instruction, %.2f in all; selected: the cycle in which it issues", total);
    canvas_text(c, 20, 48, 12, PLOT_DIM, ALIGN_LEFT, false, 0, text);
    double row = fmin(34, (PLOT_HEIGHT - 84.0) / (shown ? shown : 1));
    for (uint32_t i = 0; i < shown; i++)
        stall_bar(c, order[i], 72 + i * row, row, (double)r->sm.stall[order[i]] / issued,
                  (double)r->sm.stall[order[0]] / issued, total);
    if (!shown)
        canvas_text(c, 20, 90, 14, PLOT_DIM, ALIGN_LEFT, false, 0, "no warp ran");
    bool ok = plot_close(c, path, err) && plot_csv(path, &csv, err);
    sb_finish(&csv);
    return ok;
}

bool plot_sectors(const struct launch_result *r, const struct kernel *k, const char *path, struct error *err)
{
    struct canvas *c = plot_open(path, err);
    if (!c)
        return false;
    char text[400];
    snprintf(text, sizeof text, "32-byte sectors per request of %s", r->kernel);
    canvas_text(c, 20, 24, 17, PLOT_INK, ALIGN_LEFT, false, PLOT_WIDTH - 40, text);
    canvas_text(c, 20, 46, 13, PLOT_DIM, ALIGN_LEFT, false, 0,
                "one bar an instruction; the mark is what a perfectly coalesced access would need");
    struct sb csv = {0};
    sb_add(&csv, "address,instruction,executed,sectors,sectors_ideal,sectors_per_request\n");
    uint32_t n = 0;
    double most = 1;
    for (uint32_t i = 0; i < r->npc; i++) {
        if (r->pcs[i].sectors && r->pcs[i].executed) {
            n++;
            most = fmax(most, (double)r->pcs[i].sectors / (double)r->pcs[i].executed);
        }
    }
    double row = fmin(30, (PLOT_HEIGHT - 84.0) / (n ? n : 1)), y = 70;
    for (uint32_t i = 0; i < r->npc && i < k->n; i++) {
        const struct pc_counters *p = &r->pcs[i];
        if (!p->sectors || !p->executed)
            continue;
        double per = (double)p->sectors / (double)p->executed, ideal = (double)p->sectors_ideal / (double)p->executed;
        struct sb inst = {0};
        inst_print(ARCH_SM90, &k->code[i], &inst);
        sb_addf(&csv, "%u,\"%s\",%llu,%llu,%llu,%.6g\n", i * INST_BYTES, inst.text ? inst.text : "",
                (unsigned long long)p->executed, (unsigned long long)p->sectors, (unsigned long long)p->sectors_ideal,
                per);
        double unit = (PLOT_WIDTH - 420) / most;
        snprintf(text, sizeof text, "%04x %s", i * INST_BYTES, inst.text ? inst.text : "");
        canvas_text(c, 20, y + row / 2, fmin(12, row * 0.7), PLOT_INK, ALIGN_LEFT, true, 320, text);
        canvas_fill(c, (struct box){350, y + 3, unit * per, row - 6},
                    per > ideal * 1.01 ? PLOT_SERIES[1] : PLOT_SERIES[0]);
        canvas_line(c, 350 + unit * ideal, y, 350 + unit * ideal, y + row, PLOT_INK, 2);
        snprintf(text, sizeof text, "%.1f", per);
        canvas_text(c, 356 + unit * per, y + row / 2, 12, PLOT_DIM, ALIGN_LEFT, false, 0, text);
        sb_finish(&inst);
        y += row;
    }
    if (n == 0)
        canvas_text(c, 20, 90, 14, PLOT_DIM, ALIGN_LEFT, false, 0, "the kernel makes no global access");
    bool ok = plot_close(c, path, err) && plot_csv(path, &csv, err);
    sb_finish(&csv);
    return ok;
}

/* Bounds of all points, a little wider, from 0 on a linear axis of positive data. */
static struct axis bounds(const struct plot_curve *curves, size_t n, bool y, bool log, const char *name)
{
    double lo = INFINITY, hi = -INFINITY;
    bool binary = log && !y;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < curves[i].n; k++) {
            double v = y ? curves[i].points[k].y : curves[i].points[k].x;
            if (!isfinite(v) || (log && v <= 0))
                continue;
            lo = fmin(lo, v);
            hi = fmax(hi, v);
            binary = binary && log2(v) == floor(log2(v));
        }
    }
    if (!(lo <= hi))
        lo = hi = 1;
    if (log)
        return (struct axis){lo / 1.2, hi * 1.2, true, binary, name};
    if (y && lo > 0)
        lo = 0;
    if (hi <= lo)
        hi = lo + 1;
    return (struct axis){lo, hi + (y ? 0.06 * (hi - lo) : 0), false, false, name};
}

bool plot_curves(const char *title, const char *x_name, const char *y_name, bool log_x, bool log_y,
                 const struct plot_curve *curves, size_t n, const char *path, struct error *err)
{
    struct canvas *c = plot_open(path, err);
    if (!c)
        return false;
    struct axes a = {.x = bounds(curves, n, false, log_x, x_name), .y = bounds(curves, n, true, log_y, y_name)};
    axes_draw(c, &a, title);
    struct sb csv = {0};
    sb_add(&csv, "series,x,y\n");
    for (size_t i = 0; i < n; i++) {
        struct rgb color = PLOT_SERIES[i % ARRAY_LEN(PLOT_SERIES)];
        double *xy = xcalloc(2 * curves[i].n, sizeof *xy);
        for (size_t k = 0; k < curves[i].n; k++) {
            xy[2 * k] = axes_x(&a, curves[i].points[k].x);
            xy[2 * k + 1] = axes_y(&a, curves[i].points[k].y);
            sb_addf(&csv, "%s,%.10g,%.10g\n", curves[i].name, curves[i].points[k].x, curves[i].points[k].y);
        }
        canvas_polyline(c, xy, curves[i].n, color, 2);
        for (size_t k = 0; k < curves[i].n && curves[i].n <= 120; k++)
            canvas_dot(c, xy[2 * k], xy[2 * k + 1], 3, color);
        canvas_dot(c, a.room.x + 16, a.room.y + 18 + 20 * (double)i, 5, color);
        canvas_text(c, a.room.x + 28, a.room.y + 18 + 20 * (double)i, 13, PLOT_INK, ALIGN_LEFT, false, 300,
                    curves[i].name);
        free(xy);
    }
    bool ok = plot_close(c, path, err) && plot_csv(path, &csv, err);
    sb_finish(&csv);
    return ok;
}
