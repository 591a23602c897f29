/* The check's table in its forms: terminal, Markdown, JSON, CSV. */
#include "workloads/check.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void number(struct sb *out, const char *fmt, int width, double v)
{
    char text[64];
    if (isnan(v))
        snprintf(text, sizeof text, "-");
    else
        snprintf(text, sizeof text, fmt, v);
    sb_addf(out, "%*s", width, text);
}

static void percent(struct sb *out, int width, double v)
{
    number(out, "%+.1f%%", width, v * 100);
}

static void print_row(const struct check_row *r, struct sb *out)
{
    char *name = xasprintf("%s %s", r->name, r->size);
    sb_addf(out, "%-34s %-10s", name, r->class_name);
    number(out, "%.0f", 11, r->cold.predicted);
    number(out, "%.0f", 11, r->cold.measured);
    percent(out, 8, r->cold.error);
    number(out, "%.0f", 11, r->warm.predicted);
    number(out, "%.0f", 11, r->warm.measured);
    percent(out, 8, r->warm.error);
    number(out, "%.2f", 9, r->predicted_us_cold);
    number(out, "%.2f", 9, r->us_cold);
    sb_addf(out, "%s%s\n", r->note ? "  " : "", r->note ? r->note : "");
    free(name);
}

static void print_stats(const char *name, const struct check_stats *s, struct sb *out)
{
    sb_addf(out, "%-12s %4zu", name, s->n);
    number(out, "%.1f%%", 9, s->mape * 100);
    number(out, "%.1f%%", 9, s->worst * 100);
    number(out, "%+.1f%%", 9, s->bias * 100);
    number(out, "%.4f", 10, s->pearson);
    number(out, "%.4f", 10, s->rank);
    sb_add(out, "\n");
}

static void print_classes(const struct check_result *c, struct sb *out)
{
    sb_add(out, "\njudged          n     MAPE    worst     bias   Pearson      rank\n");
    print_stats("all", &c->all, out);
    print_stats("cold", &c->cold, out);
    print_stats("warm", &c->warm, out);
    for (size_t i = 0; i < ncheck_class; i++) {
        struct check_stats s = check_stats_of(c, check_classes[i], true, true);
        if (s.n)
            print_stats(check_classes[i], &s, out);
    }
}

static double counter_error(const struct check_counter *k)
{
    return k->measured != 0 ? k->predicted / k->measured - 1 : k->predicted == 0 ? 0 : NAN;
}

static void print_counters(const struct check_result *c, struct sb *out)
{
    sb_addf(out, "\n%-34s %-56s %14s %14s %9s\n", c->micro ? "what the kernels measured" : "counters (cold)", "",
            "predicted", "measured", "error");
    for (size_t i = 0; i < c->n; i++) {
        const struct check_row *r = &c->rows[i];
        char *name = xasprintf("%s %s", r->name, r->size);
        for (uint32_t k = 0; k < r->ncounter; k++) {
            sb_addf(out, "%-34s %-56s", name, r->counters[k].name);
            number(out, "%.6g", 15, r->counters[k].predicted);
            number(out, "%.6g", 15, r->counters[k].measured);
            percent(out, 10, counter_error(&r->counters[k]));
            sb_addf(out, "%s\n", r->counters[k].judged ? "" : "  shown");
        }
        free(name);
    }
}

void check_print(const struct check_result *c, bool counters, struct sb *out)
{
    sb_addf(out, "predicted against measured on %s\n\n", c->device);
    sb_addf(out, "%-34s %-10s%11s%11s%8s%11s%11s%8s%9s%9s\n", "workload, size", "bound by", "cold", "measured", "error",
            "warm", "measured", "error", "cold us", "measured");
    for (size_t i = 0; i < c->n; i++)
        print_row(&c->rows[i], out);
    print_classes(c, out);
    if (c->skipped)
        sb_addf(out, "\n%zu rows were left out by the limit on instructions\n", c->skipped);
    if (counters || c->micro)
        print_counters(c, out);
}

/* ---- Markdown ---- */
static void cell(struct sb *out, const char *fmt, double v)
{
    sb_add(out, " | ");
    number(out, fmt, 0, v);
}

static void md_stats(const char *name, const struct check_stats *s, struct sb *out)
{
    sb_addf(out, "| %s | %zu", name, s->n);
    cell(out, "%.1f %%", s->mape * 100);
    cell(out, "%.1f %%", s->worst * 100);
    cell(out, "%+.1f %%", s->bias * 100);
    cell(out, "%.4f", s->pearson);
    cell(out, "%.4f", s->rank);
    sb_add(out, " |\n");
}

static void md_row(const struct check_row *r, struct sb *out)
{
    sb_addf(out, "| %s | %s | %s", r->name, r->size, r->class_name);
    cell(out, "%.0f", r->cold.predicted);
    cell(out, "%.0f", r->cold.measured);
    cell(out, "%+.1f %%", r->cold.error * 100);
    cell(out, "%.0f", r->warm.predicted);
    cell(out, "%.0f", r->warm.measured);
    cell(out, "%+.1f %%", r->warm.error * 100);
    sb_addf(out, " | %s |\n", r->note ? r->note : "");
}

static void md_table(const struct check_result *c, bool judged, struct sb *out)
{
    sb_add(out, "\n| workload | size | bound by | cold | measured | error | warm | measured | error | |\n"
                "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n");
    for (size_t i = 0; i < c->n; i++)
        if (c->rows[i].judged == judged)
            md_row(&c->rows[i], out);
}

void check_markdown(const struct check_result *c, struct sb *out)
{
    sb_addf(out,
            "Measured on %s. Cycles are those of the whole launch (`sm__cycles_elapsed.max`), the empty kernel's cost\n"
            "included; cold: L2 full of clean other lines; warm: the same launches once more.\n\n",
            c->device);
    sb_add(out, "| judged rows | values | MAPE | worst | bias | Pearson (log) | rank |\n| --- | ---: | ---: | ---: | "
                "---: | ---: | ---: |\n");
    md_stats("all", &c->all, out);
    md_stats("cold", &c->cold, out);
    md_stats("warm", &c->warm, out);
    for (size_t i = 0; i < ncheck_class; i++) {
        struct check_stats s = check_stats_of(c, check_classes[i], true, true);
        if (s.n)
            md_stats(check_classes[i], &s, out);
    }
    if (c->skipped)
        sb_addf(out, "\n%zu larger rows were left out by the limit on instructions.\n", c->skipped);
    md_table(c, true, out);
    sb_add(out, "\n## Not judged\n\nKernels under 5 us, where the cost of a launch and its jitter (some 5 %) decide, "
                "and rows that failed.\n");
    md_table(c, false, out);
}

/* ---- JSON and CSV ---- */
static void set_number(json_t *o, const char *key, double v)
{
    json_object_set_new(o, key, isfinite(v) ? json_real(v) : json_null());
}

static json_t *row_json(const struct check_row *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(r->name));
    json_object_set_new(o, "size", json_string(r->size));
    json_object_set_new(o, "class", json_string(r->class_name));
    set_number(o, "predicted_cycles", r->cold.predicted);
    set_number(o, "measured_cycles", r->cold.measured);
    set_number(o, "error", r->cold.error);
    set_number(o, "predicted_cycles_warm", r->warm.predicted);
    set_number(o, "measured_cycles_warm", r->warm.measured);
    set_number(o, "error_warm", r->warm.error);
    set_number(o, "predicted_us", r->predicted_us_cold);
    set_number(o, "measured_us", r->us_cold);
    set_number(o, "predicted_us_warm", r->predicted_us_warm);
    set_number(o, "measured_us_warm", r->us_warm);
    json_object_set_new(o, "judged", json_boolean(r->judged));
    json_object_set_new(o, "right", json_boolean(r->right));
    json_object_set_new(o, "note", r->note ? json_string(r->note) : json_null());
    return o;
}

static void stats_json(json_t *o, const struct check_stats *s)
{
    set_number(o, "mape", s->mape);
    set_number(o, "worst", s->worst);
    set_number(o, "bias", s->bias);
    set_number(o, "pearson", s->pearson);
    set_number(o, "rank", s->rank);
    json_object_set_new(o, "n", json_integer((json_int_t)s->n));
}

static void counters_json(json_t *list, const struct check_row *r)
{
    for (uint32_t k = 0; k < r->ncounter; k++) {
        json_t *o = json_object();
        json_object_set_new(o, "kernel", json_string(r->name));
        json_object_set_new(o, "size", json_string(r->size));
        json_object_set_new(o, "counter", json_string(r->counters[k].name));
        set_number(o, "predicted", r->counters[k].predicted);
        set_number(o, "measured", r->counters[k].measured);
        set_number(o, "error", counter_error(&r->counters[k]));
        json_object_set_new(o, "judged", json_boolean(r->counters[k].judged));
        json_array_append_new(list, o);
    }
}

void check_json(const struct check_result *c, struct sb *out)
{
    json_t *o = json_object(), *kernels = json_array(), *counters = json_array(), *classes = json_object();
    stats_json(o, &c->all);
    json_object_set_new(o, "device", json_string(c->device));
    for (size_t i = 0; i < ncheck_class; i++) {
        struct check_stats s = check_stats_of(c, check_classes[i], true, true);
        json_t *k = json_object();
        stats_json(k, &s);
        if (s.n)
            json_object_set(classes, check_classes[i], k);
        json_decref(k);
    }
    for (size_t i = 0; i < c->n; i++) {
        json_array_append_new(kernels, row_json(&c->rows[i]));
        counters_json(counters, &c->rows[i]);
    }
    json_object_set_new(o, "classes", classes);
    json_object_set_new(o, "kernels", kernels);
    json_object_set_new(o, "counters", counters);
    char *text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    sb_add(out, text ? text : "{}");
    sb_add(out, "\n");
    free(text);
    json_decref(o);
}

void check_csv(const struct check_result *c, struct sb *out)
{
    sb_add(out, "name,size,class,judged,predicted_cycles,measured_cycles,error,predicted_cycles_warm,measured_cycles_"
                "warm,error_warm,"
                "predicted_us,measured_us,predicted_us_warm,measured_us_warm\n");
    for (size_t i = 0; i < c->n; i++) {
        const struct check_row *r = &c->rows[i];
        const double v[] = {r->cold.predicted,    r->cold.measured, r->cold.error,        r->warm.predicted,
                            r->warm.measured,     r->warm.error,    r->predicted_us_cold, r->us_cold,
                            r->predicted_us_warm, r->us_warm};
        sb_addf(out, "%s,%s,%s,%d", r->name, r->size, r->class_name, r->judged);
        for (size_t k = 0; k < ARRAY_LEN(v); k++)
            isnan(v[k]) ? sb_add(out, ",") : sb_addf(out, ",%.9g", v[k]);
        sb_add(out, "\n");
    }
}
