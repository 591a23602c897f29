/* Beside the prediction: what the real GPU did, where a record of the same workload and size is kept. */
#include "cli/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct measured *record_of(const struct measured_set *m, const struct spec *s)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->records[i].name, s->name) == 0 && strcmp(m->records[i].size, s->size ? s->size : "default") == 0)
            return m->records[i].nlaunch == s->nlaunch ? &m->records[i] : NULL;
    return NULL;
}

static void row(struct sb *out, const char *name, double predicted, double measured)
{
    char p[32], m[32], e[32] = "";
    number(p, predicted);
    number(m, measured);
    if (isnan(measured) || isnan(predicted))
        return;
    if (measured != 0)
        snprintf(e, sizeof e, "%+.1f %%", 100 * (predicted / measured - 1));
    sb_addf(out, "  %-58s %12s %12s %10s\n", name, p, m, e);
}

/* Every recorded counter, or those alone that the code causes. */
static void launch(const struct simulation *s, const struct measured *m, uint32_t i, bool full, struct sb *out)
{
    const struct launch_result *r = &s->results[i];
    const struct measured_launch *l = &m->launches[i];
    char name[300];
    double cycles = s->warm ? l->cycles_warm : l->cycles_cold, spread = s->warm ? l->spread_warm : l->spread_cold;
    snprintf(name, sizeof name, "%.40s: cycles", r->kernel);
    row(out, name, (double)r->cycles, cycles);
    for (uint32_t k = 0; !s->warm && k < l->ncounter; k++) {
        int c = counter_find(l->counters[k].name);
        if (c >= 0 && (full || check_judges(l->counters[k].name)))
            row(out, l->counters[k].name, counter_value(r, (size_t)c), l->counters[k].value);
    }
    if (spread > 0.02)
        sb_addf(out, "  (repeated measurements of it differ by %.1f %%)\n", 100 * spread);
}

void report_measured(const struct simulation *s, bool colour, bool full, struct sb *out)
{
    struct measured_set set = {0};
    struct error ignored = {0}; /* no records: nothing to say */
    if (!s->gpu || !measured_load(&set, NULL, s->gpu, &ignored))
        return;
    const struct measured *m = record_of(&set, s->spec);
    bool complete = m != NULL;
    for (uint32_t i = 0; complete && i < s->spec->nlaunch; i++)
        complete = s->results[i].nsm && !s->results[i].partial;
    if (complete) {
        sb_addf(out, "\n%sPredicted against measured%s (%s; caches %s)\n", colour ? "\033[1m" : "",
                colour ? "\033[0m" : "", set.device ? set.device : s->gpu, s->warm ? "warm" : "cold");
        sb_addf(out, "  %-58s %12s %12s %10s\n", "", "predicted", "measured", "error");
        for (uint32_t i = 0; i < m->nlaunch; i++)
            launch(s, m, i, full, out);
        if (!full && !s->warm)
            sb_add(out, "  (--full compares every counter that was recorded)\n");
        if (m->differs)
            sb_add(out, "  The real GPU ran other machine code for the same kernel.\n");
    }
    measured_finish(&set);
}
