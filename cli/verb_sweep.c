/* heddle sweep: one row for each combination of config, size and parameter values. */
#include "cli/cli.h"
#include "viz/viz.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_AXES = 16, MAX_VALUES = 64 };
struct axis {
    char *name; /* "config", "size" or a parameter's path */
    char *values[MAX_VALUES];
    size_t n;
};
struct sweep {
    struct axis axes[MAX_AXES];
    size_t naxis;
    const char *target;
    const struct common *common;
    const struct target *launch;
    json_t *rows;
    double *values; /* of each run, in order: cycles, or TFLOP/s where the spec says how much work it is */
    size_t nvalue, value_cap;
    bool has_work;
    struct sb table, csv;
    struct error *err;
};

static bool add_values(struct sweep *s, const char *name, const char *list)
{
    struct axis *a = &s->axes[s->naxis];
    if (s->naxis == MAX_AXES)
        return error_set(s->err, EXIT_BAD_INPUT, "more than %d axes", MAX_AXES);
    s->naxis++;
    a->name = xstrdup(name);
    for (const char *p = list;;) {
        size_t n = strcspn(p, ",");
        if (!n || a->n == MAX_VALUES)
            return error_set(s->err, EXIT_BAD_INPUT, "%s: '%s' is not a list of 1 to %d values, as A,B,C", name, list,
                             MAX_VALUES);
        a->values[a->n++] = xstrndup(p, n);
        if (!p[n])
            return true;
        p += n + 1;
    }
}

static bool add_axes(struct sweep *s, const char *configs, const struct strings *vary, const struct strings *sizes)
{
    if (configs && !add_values(s, "config", configs))
        return false;
    struct sb all = {0};
    for (size_t i = 0; i < sizes->n; i++)
        sb_addf(&all, "%s%s", i ? "," : "", sizes->items[i]);
    bool ok = !sizes->n || add_values(s, "size", all.text);
    sb_finish(&all);
    for (size_t i = 0; ok && i < vary->n; i++) {
        const char *eq = strchr(vary->items[i], '=');
        if (!eq || eq == vary->items[i])
            return error_set(s->err, EXIT_BAD_INPUT, "--vary %s: expected PATH=A,B,..", vary->items[i]);
        char *path = xstrndup(vary->items[i], (size_t)(eq - vary->items[i]));
        ok = add_values(s, path, eq + 1);
        free(path);
    }
    return ok;
}

static void heads(struct sweep *s)
{
    for (size_t i = 0; i < s->naxis; i++) {
        const char *dot = strrchr(s->axes[i].name, '.');
        sb_addf(&s->table, "%-16s ", dot ? dot + 1 : s->axes[i].name);
        sb_addf(&s->csv, "%s,", s->axes[i].name);
    }
    sb_addf(&s->table, "%14s %12s %8s %8s %8s %8s %9s  %s\n", "cycles", "us", "IPC", "SM %", "L2 %", "DRAM %",
            "TFLOP/s", "output");
    sb_add(&s->csv, "cycles,time_us,ipc,sm_pct,l2_pct,dram_pct,tflops,output\n");
}

static double ratio(const struct simulation *sim, enum ratio id)
{
    return sim->results[sim->spec->nlaunch - 1].ratio[id]; /* of the last launch */
}

static void row(struct sweep *s, const size_t *at, const struct simulation *sim)
{
    double cycles = 0, us = 0;
    const char *verdict = !sim->spec->nexpect ? "-" : sim->outputs_ok ? "right" : "WRONG";
    json_t *o = json_object();
    for (uint32_t i = 0; i < sim->spec->nlaunch; i++) {
        cycles += (double)sim->results[i].cycles;
        us += sim->results[i].time_us;
    }
    for (size_t i = 0; i < s->naxis; i++) {
        sb_addf(&s->table, "%-16s ", s->axes[i].values[at[i]]);
        sb_addf(&s->csv, "%s,", s->axes[i].values[at[i]]);
        json_object_set_new(o, s->axes[i].name, json_string(s->axes[i].values[at[i]]));
    }
    double tflops = us > 0 ? sim->spec->work / us * 1e-6 : 0;
    s->has_work |= tflops > 0;
    s->values = grow(s->values, s->nvalue, &s->value_cap, sizeof *s->values);
    s->values[s->nvalue++] = s->has_work ? tflops : cycles;
    char n[32], rate[32] = "-";
    if (tflops > 0)
        snprintf(rate, sizeof rate, "%.2f", tflops);
    number(n, cycles);
    sb_addf(&s->table, "%14s %12.2f %8.2f %8.1f %8.1f %8.1f %9s  %s\n", n, us, ratio(sim, RATIO_ipc_active),
            ratio(sim, RATIO_sol_sm), ratio(sim, RATIO_sol_l2), ratio(sim, RATIO_sol_dram), rate, verdict);
    sb_addf(&s->csv, "%.0f,%.6g,%.6g,%.6g,%.6g,%.6g,%s,%s\n", cycles, us, ratio(sim, RATIO_ipc_active),
            ratio(sim, RATIO_sol_sm), ratio(sim, RATIO_sol_l2), ratio(sim, RATIO_sol_dram), rate, verdict);
    json_object_set_new(o, "cycles", json_integer((json_int_t)cycles));
    json_object_set_new(o, "time_us", json_real(us));
    if (tflops > 0)
        json_object_set_new(o, "tflops", json_real(tflops));
    json_object_set_new(o, "ok", json_boolean(!sim->judged || sim->outputs_ok));
    json_array_append_new(s->rows, o);
}

static bool one_run(struct sweep *s, const size_t *at)
{
    struct common c = *s->common;
    struct target t = *s->launch;
    struct strings sets = {0}, sizes = {0};
    struct sb texts[MAX_AXES] = {0};
    for (size_t i = 0; i < c.sets.n; i++)
        strings_add(&sets, c.sets.items[i]);
    for (size_t i = 0; i < s->naxis; i++) {
        const char *value = s->axes[i].values[at[i]];
        if (strcmp(s->axes[i].name, "config") == 0) {
            c.config = value;
        } else if (strcmp(s->axes[i].name, "size") == 0) {
            strings_add(&sizes, value);
        } else {
            sb_addf(&texts[i], "%s=%s", s->axes[i].name, value);
            strings_add(&sets, texts[i].text);
        }
    }
    c.sets = sets;
    t.sizes = sizes;
    struct config *config = common_config(&c, s->err);
    struct spec *spec = config ? target_load(s->target, &t, config, s->err) : NULL;
    bool ok = spec != NULL;
    if (ok) {
        struct simulation sim = {.config = config, .spec = spec};
        struct sim_options o = {c.threads, c.window, c.warm, c.max_cycles, c.quiet};
        if ((ok = simulate(&sim, &o, s->err)))
            row(s, at, &sim);
        simulation_finish(&sim);
    }
    spec_free(spec);
    free(config);
    strings_finish(&sets);
    strings_finish(&sizes);
    for (size_t i = 0; i < s->naxis; i++)
        sb_finish(&texts[i]);
    return ok;
}

static bool all_runs(struct sweep *s)
{
    size_t at[MAX_AXES] = {0};
    for (;;) {
        if (!one_run(s, at))
            return false;
        size_t i = s->naxis;
        while (i > 0 && ++at[i - 1] == s->axes[i - 1].n)
            at[--i] = 0;
        if (!i)
            return true;
    }
}

/* ---- the plot: cycles or TFLOP/s over the last axis, one curve for each choice of the others
 * --------------------------- */
/* "4", "n=64K" -> its number; else its place in the list. */
static double place_of(const struct axis *a, size_t i)
{
    const char *eq = strchr(a->values[i], '='), *text = eq ? eq + 1 : a->values[i];
    uint64_t u;
    double d;
    if (parse_u64(text, &u))
        return (double)u;
    return parse_f64(text, &d) ? d : (double)i + 1;
}

static char *curve_name(const struct sweep *s, size_t curve)
{
    struct sb name = {0};
    size_t rest = curve;
    for (size_t i = s->naxis - 1; i-- > 0;) { /* the last of them varies fastest */
        const struct axis *a = &s->axes[i];
        struct sb longer = {0};
        sb_addf(&longer, "%s%s%s", a->values[rest % a->n], name.len ? " " : "", name.text ? name.text : "");
        sb_finish(&name);
        name = longer;
        rest /= a->n;
    }
    return name.text ? name.text : xstrdup(s->target);
}

static bool plot(const struct sweep *s, const char *path)
{
    const struct axis *x = &s->axes[s->naxis - 1];
    size_t ncurve = s->nvalue / x->n;
    struct plot_curve *curves = xcalloc(ncurve + 1, sizeof *curves);
    struct plot_point *points = xcalloc(s->nvalue + 1, sizeof *points);
    for (size_t i = 0; i < ncurve * x->n; i++)
        points[i] = (struct plot_point){place_of(x, i % x->n), s->values[i]};
    for (size_t i = 0; i < ncurve; i++)
        curves[i] = (struct plot_curve){curve_name(s, i), points + i * x->n, x->n};
    double first = place_of(x, 0), last = place_of(x, x->n - 1);
    bool log_x = first > 0 && last / first >= 8;
    char name[64]; /* of the size parameter, where sizes set one: "stride=2" */
    snprintf(name, sizeof name, "%s", x->name);
    size_t word = strcspn(x->values[0], "=");
    if (strcmp(x->name, "size") == 0 && x->values[0][word] && word < sizeof name)
        snprintf(name, sizeof name, "%.*s", (int)word, x->values[0]);
    bool ok = plot_curves(s->target, name, s->has_work ? "TFLOP/s" : "cycles", log_x && !s->has_work,
                          log_x && !s->has_work, curves, ncurve, path, s->err);
    for (size_t i = 0; i < ncurve; i++)
        free((char *)curves[i].name);
    free(curves);
    free(points);
    return ok;
}

static bool output(struct sweep *s)
{
    const struct common *c = s->common;
    if (!s->nvalue)
        return true;
    bool ok = c->quiet || print_out(&s->table, s->err);
    if (ok && c->csv)
        ok = write_text(c->csv, &s->csv, s->err);
    if (ok && c->json) {
        char *text = json_dumps(s->rows, JSON_INDENT(1));
        struct sb b = {0};
        sb_addf(&b, "%s\n", text ? text : "[]");
        ok = write_text(c->json, &b, s->err);
        sb_finish(&b);
        free(text);
    }
    return ok;
}

enum exit_status verb_sweep(int argc, char **argv, struct error *err)
{
    struct common c = common_defaults();
    struct target t = target_defaults();
    const char *configs = NULL, *picture = NULL;
    struct strings vary = {0}, rest = {0};
    struct common_opts co = common_table(&c, WITH_ALL & ~(unsigned)(WITH_HTML | WITH_REPORT));
    struct target_opts to = target_table(&t);
    const struct opt own[] = {
        {"configs", 0, OPT_TEXT, &configs, "A,B,..", "one run for each config"},
        {"vary", 0, OPT_LIST, &vary, "PATH=A,B,..", "one run for each value of a hardware parameter; may be repeated"},
        {"plot", 0, OPT_PLOT, &picture, "FILE",
         "cycles over the last axis (TFLOP/s where the spec says work:), .svg or .png"}};
    const struct opt *tables[] = {co.row, to.row, own};
    const size_t counts[] = {co.n, to.n, ARRAY_LEN(own)};
    struct sweep s = {.common = &c, .launch = &t, .rows = json_array(), .err = err};
    bool ok = opts_parse(tables, counts, 3, argc, argv, &rest, err);
    if (ok && rest.n != 1)
        ok = error_set(err, EXIT_BAD_INPUT,
                       "%s; usage: heddle sweep TARGET [--size A --size B] [--configs A,B] [--vary PATH=A,B]",
                       rest.n ? "one target at a time" : "no target");
    ok = ok && add_axes(&s, configs, &vary, &t.sizes);
    if (ok && picture && !s.naxis)
        ok = error_set(err, EXIT_BAD_INPUT, "--plot needs something to plot over: several --size, --configs or --vary");
    if (ok) {
        s.target = rest.items[0];
        catch_interrupts();
        heads(&s);
        bool done = all_runs(&s);
        struct error second = {0};
        s.err = done ? err : &second; /* what was finished is printed, also when a run failed */
        if (output(&s) && done && picture)
            plot(&s, picture);
    }
    for (size_t i = 0; i < s.naxis; i++) {
        free(s.axes[i].name);
        for (size_t k = 0; k < s.axes[i].n; k++)
            free(s.axes[i].values[k]);
    }
    json_decref(s.rows);
    free(s.values);
    sb_finish(&s.table);
    sb_finish(&s.csv);
    strings_finish(&vary);
    strings_finish(&rest);
    common_finish(&c);
    target_finish(&t);
    return err->status;
}
