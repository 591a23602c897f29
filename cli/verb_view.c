/* heddle view: the live window, its headless twin, and recordings. */
#include "cli/watch.h"

#include <stdlib.h>
#include <string.h>

struct view_args {
    struct viz_options viz;
    const char *at_cycle, *stop, *sm, *warp, *channel, *pc;
    bool paused, full_speed;
};

/* The viewer runs the simulation from its start, again when it steps back. */
struct view_run {
    const struct config *config;
    struct spec *spec;
    struct sim_options options;
    const struct common *common;
    const char *name;
};

static bool run_once(void *arg, const struct observer *observer, struct error *err)
{
    struct view_run *v = arg;
    struct simulation s = {.config = v->config, .spec = v->spec, .gpu = v->common->sets.n ? NULL : v->common->config};
    struct sim_options o = v->options;
    o.observer = observer;
    bool ok = simulate(&s, &o, err) && report_files(&s, v->common, v->name, err);
    simulation_finish(&s);
    return ok;
}

static bool index_of(const char *option, const char *text, int64_t *to, struct error *err)
{
    uint64_t n = 0;
    *to = -1;
    if (text && (!parse_u64(text, &n) || n > UINT32_MAX))
        return error_set(err, EXIT_BAD_INPUT, "--%s: '%s' is no number", option, text);
    if (text)
        *to = (int64_t)n;
    return true;
}

/* A window shows some hundred cycles a second, so that there is something to see; a picture or a script needs no pause.
 */
static void choose_speed(struct view_args *a)
{
    enum { WATCHABLE = 500 };
    if (a->full_speed || a->viz.headless || a->viz.script)
        a->viz.speed = 0;
    else if (a->viz.speed <= 0)
        a->viz.speed = WATCHABLE;
}

static bool one_of(const char *option, const char *word, const char *choices, struct error *err)
{
    size_t n = word ? strlen(word) : 0;
    for (const char *c = choices; word && *c; c += strcspn(c, " "), c += *c == ' ')
        if (strcspn(c, " ") == n && strncmp(c, word, n) == 0)
            return true;
    return !word || error_set(err, EXIT_BAD_INPUT, "--%s: '%s' is none of: %s", option, word, choices);
}

static bool read_places(struct view_args *a, struct error *err)
{
    uint64_t v = 0;
    if (!one_of("panel", a->viz.panel, "chip history warps lanes access dram code units", err) ||
        !one_of("measure", a->viz.measure, "occupancy issue memory l1", err))
        return false;
    choose_speed(a);
    if (!index_of("sm", a->sm, &a->viz.sm, err) || !index_of("warp", a->warp, &a->viz.warp, err) ||
        !index_of("channel", a->channel, &a->viz.channel, err) || !index_of("pc", a->pc, &a->viz.select_pc, err))
        return false;
    a->viz.at_cycle = VIZ_BUSY;
    a->viz.break_pc = -1;
    a->viz.start_paused = a->paused;
    if (a->at_cycle && strcmp(a->at_cycle, "end") == 0)
        a->viz.at_cycle = UINT64_MAX;
    else if (a->at_cycle && !parse_u64(a->at_cycle, &a->viz.at_cycle))
        return error_set(err, EXIT_BAD_INPUT, "--at-cycle: '%s' is neither a cycle nor `end`", a->at_cycle);
    if (!a->stop)
        return true;
    bool pc = strncmp(a->stop, "pc:", 3) == 0;
    if (!parse_u64(a->stop + (pc ? 3 : 0), &v) || v > INT64_MAX)
        return error_set(err, EXIT_BAD_INPUT, "--break: '%s' is neither a cycle nor pc:OFFSET", a->stop);
    if (pc)
        a->viz.break_pc = (int64_t)v;
    else
        a->viz.break_cycle = v;
    return true;
}

/* Recordings are gzip files; no other target is. What is inside is checked when it is replayed. */
static bool is_recording(const char *name)
{
    uint8_t head[2] = {0, 0};
    FILE *f = fopen(name, "rb");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    if (f)
        fclose(f);
    return n == sizeof head && head[0] == 0x1f && head[1] == 0x8b;
}

static void view(const char *name, const struct common *c, const struct target *t, const struct view_args *a,
                 struct error *err)
{
    if (is_recording(name)) {
        viz_replay(name, &a->viz, err);
        return;
    }
    if (!a->viz.headless && !viz_has_window()) {
        error_set(err, EXIT_BAD_INPUT,
                  "this heddle was built without SDL2: no window; --headless --screenshot FILE draws without one");
        return;
    }
    struct config *config = common_config(c, err);
    struct spec *spec = config ? target_load(name, t, config, err) : NULL;
    if (spec) {
        struct view_run v = {config, spec, {c->threads, c->window, c->warm, c->max_cycles, true, NULL}, c, name};
        struct viz_job job = watch_job(config, spec, name);
        job.run = run_once;
        job.arg = &v;
        viz_view(&job, &a->viz, err);
        free(job.launches);
    }
    spec_free(spec);
    free(config);
}

enum { MAX_SCALE = 16 };

enum exit_status verb_view(int argc, char **argv, struct error *err)
{
    struct common c = common_defaults();
    struct target t = target_defaults();
    struct view_args a = {0};
    uint32_t width = 0, height = 0;
    struct common_opts co = common_table(&c, WITH_ALL & ~(unsigned)(WITH_REPORT | WITH_QUIET));
    struct target_opts to = target_table(&t);
    const struct opt own[] = {
        {"headless", 0, OPT_FLAG, &a.viz.headless, NULL, "draw without a window"},
        {"screenshot", 0, OPT_FILE, &a.viz.screenshot, "FILE", "PNG of the frame"},
        {"at-cycle", 0, OPT_TEXT, &a.at_cycle, "N", "cycle of the screenshot, or `end` (a busy moment)"},
        {"width", 0, OPT_COUNT, &width, "PIXELS", "of the frame (1280)"},
        {"height", 0, OPT_COUNT, &height, "PIXELS", "of the frame (800)"},
        {"scale", 0, OPT_F64, &a.viz.scale, "X", "size of letters; 0: by the frame"},
        {"sm", 0, OPT_TEXT, &a.sm, "N", "SM to watch (the first with a block)"},
        {"warp", 0, OPT_TEXT, &a.warp, "N", "warp slot to watch (the first with a warp)"},
        {"channel", 0, OPT_TEXT, &a.channel, "N", "DRAM channel to watch (the first in use)"},
        {"pc", 0, OPT_TEXT, &a.pc, "OFFSET", "instruction whose accesses are shown"},
        {"measure", 0, OPT_TEXT, &a.viz.measure, "NAME", "colour of the SMs: occupancy, issue, memory, l1"},
        {"panel", 0, OPT_TEXT, &a.viz.panel, "NAME",
         "panel that fills the window: chip, history, warps, lanes, access, dram, code, units"},
        {"record", 0, OPT_FILE, &a.viz.record, "FILE", "record; `heddle view FILE` replays"},
        {"script", 0, OPT_TEXT, &a.viz.script, "FILE", "input lines, for tests"},
        {"break", 0, OPT_TEXT, &a.stop, "WHERE", "pause at a cycle, or at pc:OFFSET"},
        {"cycles-shown", 0, OPT_ABOVE, &a.viz.cycles_shown, "N", "width of the warps' strip (256)"},
        {"speed", 0, OPT_ABOVE, &a.viz.speed, "N", "cycles a second in the window (500)"},
        {"full-speed", 0, OPT_FLAG, &a.full_speed, NULL, "as fast as it can"},
        {"paused", 0, OPT_FLAG, &a.paused, NULL, "start paused"}};
    const struct opt *tables[] = {co.row, to.row, own};
    const size_t counts[] = {co.n, to.n, ARRAY_LEN(own)};
    struct strings rest = {0};
    bool ok = opts_parse(tables, counts, 3, argc, argv, &rest, err) && read_places(&a, err);
    if (ok && (width > 16384 || height > 16384))
        ok = error_set(err, EXIT_BAD_INPUT, "a frame has at most 16384 x 16384 pixels");
    if (ok && a.viz.scale > MAX_SCALE)
        ok = error_set(err, EXIT_BAD_INPUT, "--scale: letters are at most %d times as large", MAX_SCALE);
    a.viz.width = (int)width;
    a.viz.height = (int)height;
    if (ok && rest.n != 1)
        ok = error_set(err, EXIT_BAD_INPUT, "%s; usage: heddle view TARGET|RECORDING [options]",
                       rest.n ? "one target at a time" : "no target");
    if (ok)
        view(rest.items[0], &c, &t, &a, err);
    strings_finish(&rest);
    common_finish(&c);
    target_finish(&t);
    return err->status;
}
