/* heddle run: simulate and report. */
#include "cli/watch.h"

#include <stdlib.h>
#include <string.h>

static bool started(const struct simulation *s)
{
    for (uint32_t i = 0; s->results && i < s->spec->nlaunch; i++)
        if (s->results[i].nsm)
            return true;
    return false;
}

static bool write_reports(const struct simulation *s, const struct common *c, const char *target, struct error *err)
{
    struct sb out = {0};
    bool stdout_taken = (c->json && strcmp(c->json, "-") == 0) || (c->csv && strcmp(c->csv, "-") == 0), ok = true;
    if (!c->quiet && !stdout_taken) {
        report_text(s, colours(), c->full, &out);
        if (!c->no_host && s->host_seconds > 0) {
            char rate[32], bytes[32];
            double inst = 0;
            for (uint32_t i = 0; i < s->spec->nlaunch; i++)
                inst += (double)s->results[i].sm.inst_executed;
            scaled(rate, inst / s->host_seconds, "");
            scaled(bytes, (double)s->host_bytes, "B");
            sb_addf(&out, "Simulated in %.2f s: %s warp instructions a second, %s of memory.\n", s->host_seconds, rate,
                    bytes);
        }
        ok = print_out(&out, err);
        sb_finish(&out);
    }
    if (ok && c->json) {
        ok = report_json(s, target, !c->no_host, &out, err) && write_text(c->json, &out, err);
        sb_finish(&out);
    }
    if (ok && c->csv) {
        report_csv(s, &out);
        ok = write_text(c->csv, &out, err);
        sb_finish(&out);
    }
    if (ok && c->html) {
        report_html(s, target, &out);
        ok = write_text(c->html, &out, err);
        sb_finish(&out);
    }
    return ok;
}

/* A wrong output is an error only after the report was printed. */
static void blame_outputs(const struct simulation *s, struct error *err)
{
    for (uint32_t i = 0; i < s->spec->nexpect; i++) {
        const struct spec_expect *e = &s->spec->expects[i];
        if (e->verdict.checked && !e->verdict.ok)
            error_set(err, EXIT_FAILED, "output %s is wrong: %s", s->spec->buffers[e->buffer].name, e->verdict.text);
    }
}

static void run_spec(struct simulation *s, const char *name, const struct common *c, const struct watch_args *a,
                     struct error *err)
{
    struct watch w;
    if (!watch_begin(&w, a, s->config, s->spec, name, err)) {
        watch_end(&w, err);
        return;
    }
    struct sim_options o = {c->threads, c->window, c->warm, c->max_cycles, c->quiet, watch_observer(&w)};
    catch_interrupts();
    bool ok = simulate(s, &o, err);
    struct error report = {0};
    bool written =
        watch_end(&w, &report) && (!started(s) || (write_reports(s, c, name, &report) && watch_plots(a, s, &report)));
    if (ok && !written)
        *err = report;
    else if (ok && !s->outputs_ok)
        blame_outputs(s, err);
}

static void run(const char *name, const struct common *c, const struct target *t, const struct watch_args *a,
                struct error *err)
{
    struct config *config = common_config(c, err);
    struct spec *spec = config ? target_load(name, t, config, err) : NULL;
    if (spec) {
        struct simulation s = {.config = config, .spec = spec, .gpu = c->sets.n ? NULL : c->config};
        run_spec(&s, name, c, a, err);
        simulation_finish(&s);
    }
    spec_free(spec);
    free(config);
}

enum exit_status verb_run(int argc, char **argv, struct error *err)
{
    struct common c = common_defaults();
    struct target t = target_defaults();
    struct common_opts co = common_table(&c);
    struct target_opts to = target_table(&t);
    struct watch_args a = {0};
    struct watch_opts wo = watch_table(&a);
    const struct opt *tables[] = {co.row, to.row, wo.row};
    const size_t counts[] = {co.n, to.n, wo.n};
    struct strings rest = {0};
    bool ok = opts_parse(tables, counts, 3, argc, argv, &rest, err);
    if (ok && rest.n != 1)
        ok = error_set(err, EXIT_BAD_INPUT, "%s; usage: heddle run TARGET [options]",
                       rest.n ? "one target at a time" : "no target");
    if (ok)
        run(rest.items[0], &c, &t, &a, err);
    strings_finish(&rest);
    common_finish(&c);
    target_finish(&t);
    return err->status;
}
