/* The check's tables as Markdown: docs/accuracy.md. */
#include "workloads/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void cell(struct sb *out, const char *fmt, double v)
{
    sb_add(out, " | ");
    if (isnan(v))
        sb_add(out, "-");
    else
        sb_addf(out, fmt, v);
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

static void md_outputs(const struct check_result *c, struct sb *out)
{
    size_t n = 0, same = 0;
    sb_add(out, "\n## Outputs\n\n");
    for (size_t i = 0; i < c->n; i++) {
        n += c->rows[i].noutput;
        same += c->rows[i].nsame;
    }
    sb_addf(out, "%zu of %zu judged outputs have the very bytes that the GPU gave", same, n);
    bool any = false;
    for (size_t i = 0; i < c->n; i++)
        if (c->rows[i].differs) {
            sb_addf(out, "%s %s %s (%s)",
                    any ? "," : "; right within their bounds, and not the same bytes:", c->rows[i].name,
                    c->rows[i].size, c->rows[i].differs);
            any = true;
        }
    sb_add(out, ".\n");
}

static void md_rules(const struct check_result *c, struct sb *out)
{
    sb_add(out, "\n## Counters\n\n| counter | bound | rows | within | furthest | |\n| --- | --- | ---: | ---: | "
                "---: | --- |\n");
    for (size_t i = 0; i < ncheck_rule; i++) {
        struct check_tally t = check_tally_of(c, &check_rules[i]);
        char bound[32];
        if (!t.n)
            continue;
        check_bound(&check_rules[i], bound);
        sb_addf(out, "| `%s` | %s | %zu | %zu", check_rules[i].name, bound, t.n, t.within);
        cell(out, check_rules[i].kind == RULE_POINTS ? "%+.1f points" : "%+.2f %%", t.furthest);
        sb_addf(out, " | %s |\n", t.within < t.n ? t.where : "");
    }
}

/* What a microbenchmark read off its clock: every number that a record has, beside the model's. */
static void md_micro(const struct check_result *c, struct sb *out)
{
    struct check_spread s = check_metric_spread(c);
    sb_addf(out,
            "Measured on %s. %zu numbers: the median is %.1f %% off, nine of ten are within %.1f %%, %zu within 5 %%, "
            "%zu within "
            "10 %%.\n",
            c->device, s.n, s.median * 100, s.ninth * 100, s.within_5, s.within_10);
    for (size_t i = 0; i < c->n; i++) {
        const struct check_row *r = &c->rows[i];
        if (!r->ncounter)
            continue;
        if (i == 0 || strcmp(r->name, c->rows[i - 1].name) != 0 || !c->rows[i - 1].ncounter)
            sb_addf(out,
                    "\n## %s\n\n| size | number | heddle | measured | error |\n| --- | --- | ---: | ---: | ---: |\n",
                    r->name);
        for (uint32_t k = 0; k < r->ncounter; k++) {
            sb_addf(out, "| %s | %s", r->size, r->counters[k].name);
            cell(out, "%.6g", r->counters[k].predicted);
            cell(out, "%.6g", r->counters[k].measured);
            cell(out, "%+.1f %%", check_counter_error(&r->counters[k]) * 100);
            sb_add(out, " |\n");
        }
    }
}

/* What the overrides do to each row. */
static void md_changes(const struct check_result *c, struct sb *out)
{
    sb_add(out, "\n| workload | size | bound by | cold: base | changed | | warm: base | changed | |\n"
                "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < c->n; i++) {
        const struct check_row *r = &c->rows[i];
        sb_addf(out, "| %s | %s | %s", r->name, r->size, r->class_name);
        cell(out, "%.0f", r->base_cold);
        cell(out, "%.0f", r->cold.predicted);
        cell(out, "%+.1f %%", (r->cold.predicted / r->base_cold - 1) * 100);
        cell(out, "%.0f", r->base_warm);
        cell(out, "%.0f", r->warm.predicted);
        cell(out, "%+.1f %%", (r->warm.predicted / r->base_warm - 1) * 100);
        sb_add(out, " |\n");
    }
}

void check_markdown(const struct check_result *c, struct sb *out)
{
    if (c->micro) {
        md_micro(c, out);
        return;
    }
    if (c->baseline) {
        md_changes(c, out);
        return;
    }
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
    for (size_t i = 0; i < NFRESH; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s* (recorded after the constants were settled)", check_fresh[i]);
        if (c->fresh[i].n)
            md_stats(name, &c->fresh[i], out);
    }
    md_stats("under 5 us (not judged)", &c->brief, out);
    if (c->skipped)
        sb_addf(out, "\n%zu larger rows were left out by the limit on instructions.\n", c->skipped);
    md_table(c, true, out);
    md_outputs(c, out);
    md_rules(c, out);
    sb_add(out, "\n## Not judged\n\nKernels under 5 us, where the cost of a launch and its jitter (some 5 %) decide, "
                "and rows that failed or for which other code ran.\n");
    md_table(c, false, out);
}
