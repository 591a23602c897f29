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
    for (size_t i = 0; i < NFRESH; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s*", check_fresh[i]);
        if (c->fresh[i].n)
            print_stats(name, &c->fresh[i], out);
    }
    if (c->brief.n)
        print_stats("under 5 us", &c->brief, out);
}

static void print_counters(const struct check_result *c, struct sb *out)
{
    sb_addf(out, "\n%-34s %-56s %14s %14s %9s\n", c->micro ? "what the kernels measured" : "counters", "", "predicted",
            "measured", "error");
    for (size_t i = 0; i < c->n; i++) {
        const struct check_row *r = &c->rows[i];
        char *name = xasprintf("%s %s", r->name, r->size);
        for (uint32_t k = 0; k < r->ncounter; k++) {
            sb_addf(out, "%-34s %-56s", name, r->counters[k].name);
            number(out, "%.6g", 15, r->counters[k].predicted);
            number(out, "%.6g", 15, r->counters[k].measured);
            percent(out, 10, check_counter_error(&r->counters[k]));
            sb_addf(out, "%s\n",
                    !r->counters[k].judged          ? "  shown"
                    : c->micro || r->counters[k].ok ? ""
                                                    : "  beyond its bound");
        }
        free(name);
    }
}

static void print_rules(const struct check_result *c, struct sb *out)
{
    bool head = false;
    for (size_t i = 0; i < ncheck_rule; i++) {
        struct check_tally t = check_tally_of(c, &check_rules[i]);
        char bound[32];
        if (!t.n)
            continue;
        if (!head)
            sb_addf(out, "\n%-52s %14s %8s %8s %12s\n", "counters judged", "bound", "rows", "within", "furthest");
        head = true;
        check_bound(&check_rules[i], bound);
        sb_addf(out, "%-52s %14s %8zu %8zu", check_rules[i].name, bound, t.n, t.within);
        number(out, check_rules[i].kind == RULE_POINTS ? "%+.1f pts" : "%+.2f%%", 13, t.furthest);
        sb_addf(out, "%s%s\n", t.within < t.n ? "  " : "", t.within < t.n ? t.where : "");
    }
}

static void print_outputs(const struct check_result *c, struct sb *out)
{
    size_t n = 0, same = 0;
    for (size_t i = 0; i < c->n; i++) {
        n += c->rows[i].noutput;
        same += c->rows[i].nsame;
    }
    if (!n)
        return;
    sb_addf(out, "\noutputs: %zu of %zu have the GPU's own bytes", same, n);
    for (size_t i = 0; i < c->n; i++)
        if (c->rows[i].differs)
            sb_addf(out, "%s %s %s (%s)", same < n ? ";" : ",", c->rows[i].name, c->rows[i].size, c->rows[i].differs);
    sb_addf(out, "%s\n", same < n ? "; these are right within their bounds" : "");
}

static void print_changes(const struct check_result *c, struct sb *out)
{
    sb_addf(out, "\n%-34s %-10s%12s%12s%9s%12s%12s%9s\n", "what the change does", "bound by", "cold: base", "changed",
            "", "warm: base", "changed", "");
    for (size_t i = 0; i < c->n; i++) {
        const struct check_row *r = &c->rows[i];
        char *name = xasprintf("%s %s", r->name, r->size);
        sb_addf(out, "%-34s %-10s", name, r->class_name);
        number(out, "%.0f", 12, r->base_cold);
        number(out, "%.0f", 12, r->cold.predicted);
        percent(out, 9, r->cold.predicted / r->base_cold - 1);
        number(out, "%.0f", 12, r->base_warm);
        number(out, "%.0f", 12, r->warm.predicted);
        percent(out, 9, r->warm.predicted / r->base_warm - 1);
        sb_add(out, "\n");
        free(name);
    }
}

static void print_micro(const struct check_result *c, struct sb *out)
{
    struct check_spread s = check_metric_spread(c);
    print_counters(c, out);
    sb_addf(out,
            "\n%zu numbers: the median is %.1f%% off, nine of ten are within %.1f%%, %zu within 5%%, %zu within 10%%\n",
            s.n, s.median * 100, s.ninth * 100, s.within_5, s.within_10);
}

void check_print(const struct check_result *c, bool counters, struct sb *out)
{
    sb_addf(out, "predicted against measured on %s\n\n", c->device);
    sb_addf(out, "%-34s %-10s%11s%11s%8s%11s%11s%8s%9s%9s\n", "workload, size", "bound by", "cold", "measured", "error",
            "warm", "measured", "error", "cold us", "measured");
    for (size_t i = 0; i < c->n; i++)
        if (!c->micro || !isnan(c->rows[i].cold.measured) || c->rows[i].note)
            print_row(&c->rows[i], out);
    print_classes(c, out);
    print_outputs(c, out);
    print_rules(c, out);
    if (c->skipped)
        sb_addf(out, "\n%zu rows were left out by the limit on instructions\n", c->skipped);
    if (c->baseline)
        print_changes(c, out);
    if (c->micro)
        print_micro(c, out);
    else if (counters)
        print_counters(c, out);
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
    if (!isnan(r->base_cold)) {
        set_number(o, "baseline_cycles", r->base_cold);
        set_number(o, "baseline_cycles_warm", r->base_warm);
    }
    json_object_set_new(o, "outputs", json_integer(r->noutput));
    json_object_set_new(o, "outputs_same_bytes", json_integer(r->nsame));
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
        set_number(o, "error", check_counter_error(&r->counters[k]));
        json_object_set_new(o, "judged", json_boolean(r->counters[k].judged));
        if (r->counters[k].judged)
            json_object_set_new(o, "within", json_boolean(r->counters[k].ok));
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
    json_t *brief = json_object();
    stats_json(brief, &c->brief);
    json_object_set_new(o, "under_5_us", brief);
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
