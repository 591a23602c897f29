/* heddle run: simulate and report. */
#include "cli/report.h"
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
        report_text(s, c, colours(), &out);
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
    return ok && report_files(s, c, target, err);
}

/* ---- --dump BUFFER=FILE: its bytes after the launches ------------------------------------------------------- */
static int dumped_buffer(const struct spec *s, const char *text, struct error *err)
{
    const char *eq = strchr(text, '=');
    char *name = xstrndup(text, eq ? (size_t)(eq - text) : strlen(text));
    int b = eq && eq[1] ? spec_buffer_index(s, name) : -1;
    if (!eq || !eq[1]) {
        error_set(err, EXIT_BAD_INPUT, "--dump %s: expected BUFFER=FILE", text);
    } else if (b < 0) {
        struct sb all = {0};
        for (uint32_t i = 0; i < s->nbuffer; i++)
            sb_addf(&all, " %s", s->buffers[i].name);
        error_set(err, EXIT_BAD_INPUT, "--dump %s: no buffer '%s'; there are:%s", text, name, all.text ? all.text : "");
        sb_finish(&all);
    }
    free(name);
    return b;
}

static bool want_dumps(struct spec *s, const struct strings *dumps, struct error *err)
{
    for (size_t i = 0; i < dumps->n; i++) {
        int b = dumped_buffer(s, dumps->items[i], err);
        struct error why = {0};
        if (b < 0)
            return false;
        if (!file_can_write(strchr(dumps->items[i], '=') + 1, &why))
            return error_set(err, EXIT_BAD_INPUT, "--dump: %s", why.text);
        s->buffers[b].wanted = true;
    }
    return true;
}

static bool write_dumps(const struct spec *s, const struct strings *dumps, struct error *err)
{
    for (size_t i = 0; i < dumps->n; i++) {
        const struct spec_buffer *b = &s->buffers[dumped_buffer(s, dumps->items[i], err)];
        if (!file_write(strchr(dumps->items[i], '=') + 1, b->out, b->bytes, err))
            return false;
    }
    return true;
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

struct run_args {
    struct common common;
    struct target target;
    struct watch_args watch;
    struct strings dumps;
    const char *values;
};

static void run_spec(struct simulation *s, const char *name, const struct run_args *a, struct error *err)
{
    const struct common *c = &a->common;
    struct watch w;
    if (!watch_begin(&w, &a->watch, s->config, s->spec, name, err)) {
        watch_end(&w, err);
        return;
    }
    struct sim_options o = {c->threads, c->window, c->warm, c->max_cycles, c->quiet, watch_observer(&w)};
    o.values_off = a->values && !strcmp(a->values, "off");
    catch_interrupts();
    bool ok = simulate(s, &o, err);
    struct error report = {0};
    if (s->left_out && !c->quiet)
        fprintf(stderr,
                "heddle: matrix products were timed and not computed (--values off): outputs are not checked\n");
    if (started(s) && !c->quiet)
        doubts_tell(s, stderr);
    bool worth = started(s) && err->status != EXIT_FAILED; /* after a fault its message alone; else what there is */
    bool written = watch_end(&w, &report) &&
                   (!worth || (write_reports(s, c, name, &report) && watch_plots(&a->watch, s, &report)));
    if (ok && written)
        written = write_dumps(s->spec, &a->dumps, &report);
    if (ok && !written)
        *err = report;
    else if (ok && !s->outputs_ok)
        blame_outputs(s, err);
}

static void run(const char *name, const struct run_args *a, struct error *err)
{
    struct config *config = common_config(&a->common, err);
    struct spec *spec = config ? target_load(name, &a->target, config, err) : NULL;
    if (spec && want_dumps(spec, &a->dumps, err)) {
        struct simulation s = {.config = config, .spec = spec, .gpu = a->common.sets.n ? NULL : a->common.config};
        run_spec(&s, name, a, err);
        simulation_finish(&s);
    }
    spec_free(spec);
    free(config);
}

enum exit_status verb_run(int argc, char **argv, struct error *err)
{
    struct run_args a = {.common = common_defaults(), .target = target_defaults()};
    struct common_opts co = common_table(&a.common, WITH_ALL);
    struct target_opts to = target_table(&a.target);
    struct watch_opts wo = watch_table(&a.watch);
    const struct opt own[] = {
        {"dump", 0, OPT_LIST, &a.dumps, "BUFFER=FILE", "write a buffer's bytes after the run"},
        {"values", 0, OPT_TEXT, &a.values, "on|off",
         "off: leave out matrix products on which no control flow depends; outputs are then not checked"}};
    const struct opt *tables[] = {to.row, co.row, wo.row, own};
    const size_t counts[] = {to.n, co.n, wo.n, ARRAY_LEN(own)};
    struct strings rest = {0};
    bool ok = opts_parse(tables, counts, ARRAY_LEN(tables), argc, argv, &rest, err);
    if (ok && rest.n != 1)
        ok = error_set(err, EXIT_BAD_INPUT, "%s; usage: heddle run TARGET [options]",
                       rest.n ? "one target at a time" : "no target");
    bool off = a.values && !strcmp(a.values, "off");
    if (ok && a.values && !off && strcmp(a.values, "on") != 0)
        ok = error_set(err, EXIT_BAD_INPUT, "--values %s: expected on or off", a.values);
    if (ok && off && a.dumps.n)
        ok = error_set(err, EXIT_BAD_INPUT, "--dump needs the values that --values off leaves out");
    if (ok)
        run(rest.items[0], &a, err);
    strings_finish(&rest);
    strings_finish(&a.dumps);
    common_finish(&a.common);
    target_finish(&a.target);
    return err->status;
}
