/* heddle check: predicted against measured. The work is done in workloads/check*.c; here stand the options. */
#include "cli/cli.h"

#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUICK_INSTRUCTIONS = 60000000 }; /* of all rows, cold and warm: what CI redoes in half a minute */

struct check_args {
    const char *gpu, *plot, *markdown;
    double max_mape, max_instructions, dram_bound;
    bool quick, micro, counters, baseline, live;
    struct strings sizes;
};

static bool have_program(const char *name)
{
    const char *path = getenv("PATH");
    char *all = xstrdup(path ? path : ""), *save = NULL;
    bool found = false;
    for (char *dir = strtok_r(all, ":", &save); dir && !found; dir = strtok_r(NULL, ":", &save)) {
        char *file = xasprintf("%s/%s", dir, name);
        found = access(file, X_OK) == 0;
        free(file);
    }
    free(all);
    return found;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void remove_folder(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void progress(void *arg, size_t done, size_t all, const char *what)
{
    (void)arg;
    fprintf(stderr, "\r\033[K%zu of %zu: %s", done, all, what);
    if (done + 1 == all)
        fprintf(stderr, "\r\033[K");
    fflush(stderr);
}

static bool write_form(const char *path, void (*form)(const struct check_result *, struct sb *),
                       const struct check_result *r, struct error *err)
{
    if (!path)
        return true;
    struct sb out = {0};
    form(r, &out);
    bool ok = write_text(path, &out, err);
    sb_finish(&out);
    return ok;
}

static bool write_all(const struct check_result *r, const struct common *c, const struct check_args *a,
                      struct error *err)
{
    struct sb out = {0};
    check_print(r, a->counters, &out);
    bool ok = c->quiet || print_out(&out, err);
    sb_finish(&out);
    return ok && write_form(c->json, check_json, r, err) && write_form(c->csv, check_csv, r, err) &&
           write_form(a->plot, check_svg, r, err) && write_form(a->markdown, check_markdown, r, err);
}

/* The bound of --max-mape, and outputs that must be right whatever the cycles are. */
static void judge(const struct check_result *r, const struct check_args *a, struct error *err)
{
    for (size_t i = 0; i < r->n; i++)
        if (!r->rows[i].right)
            error_set(err, EXIT_FAILED, "%s %s: %s", r->rows[i].name, r->rows[i].size,
                      r->rows[i].note ? r->rows[i].note : "failed");
    if (a->max_mape > 0 && isnan(r->all.mape))
        error_set(err, EXIT_FAILED, "--max-mape %g: no row is judged", a->max_mape);
    else if (a->max_mape > 0 && !(r->all.mape * 100 <= a->max_mape))
        error_set(err, EXIT_FAILED, "the mean absolute error is %.1f%%, beyond --max-mape %g", r->all.mape * 100,
                  a->max_mape);
}

/* Measures now, into a folder of its own; with the profiler if it is here. */
static bool measure_live(const struct strings *targets, const struct check_args *a, char *dir, struct error *err)
{
    struct measure_options m = {.targets = targets->items,
                                .ntarget = targets->n,
                                .sizes = a->sizes.items,
                                .nsize = a->sizes.n,
                                .micro = a->micro,
                                .cycles = have_program("ncu"),
                                .counters = have_program("ncu"),
                                .quiet = true,
                                .watchdog_s = 60,
                                .out = dir};
    struct measure_summary sum;
    if (!mkdtemp(dir))
        return error_set(err, EXIT_FAILED, "no folder for the measurements can be made at %s", dir);
    bool ok = measure_run(&m, &sum, err);
    return ok && (sum.measured || error_set(err, EXIT_FAILED, "nothing could be measured"));
}

static struct config *config_without_sets(const struct common *c, struct error *err)
{
    struct common plain = *c;
    plain.sets = (struct strings){0};
    return common_config(&plain, err);
}

static void check(const struct strings *targets, const struct common *c, const struct check_args *a, struct error *err)
{
    struct config *config = common_config(c, err), *baseline = NULL;
    struct check_result r = {0};
    char live[] = "/tmp/heddle_live_XXXXXX";
    if (a->baseline && c->sets.n == 0)
        error_set(err, EXIT_BAD_INPUT, "--baseline shows what --set PATH=VALUE changes: give one");
    if (config && a->baseline && err->status == EXIT_DONE)
        baseline = config_without_sets(c, err);
    if (err->status != EXIT_DONE || (a->live && !measure_live(targets, a, live, err))) {
        free(config);
        free(baseline);
        return;
    }
    struct check_options o = {.config = config,
                              .baseline = baseline,
                              .dram_share = a->dram_bound / 100,
                              .records = a->live ? live : NULL,
                              .gpu = a->live ? NULL : a->gpu,
                              .targets = targets->items,
                              .ntarget = targets->n,
                              .sizes = a->sizes.items,
                              .nsize = a->sizes.n,
                              .threads = c->threads,
                              .max_instructions = a->quick ? QUICK_INSTRUCTIONS : a->max_instructions,
                              .micro = a->micro,
                              .progress = !c->quiet && isatty(2) ? progress : NULL,
                              .interrupted = &interrupted};
    catch_interrupts();
    bool ok = check_run(&r, &o, err);
    struct error report = {0};
    if (r.n && !write_all(&r, c, a, &report) && ok)
        *err = report;
    else if (ok)
        judge(&r, a, err);
    check_finish(&r);
    if (a->live)
        remove_folder(live);
    free(baseline);
    free(config);
}

enum exit_status verb_check(int argc, char **argv, struct error *err)
{
    struct common c = common_defaults();
    struct check_args a = {.gpu = "h200"};
    struct opt own[] = {
        {"gpu", 0, OPT_TEXT, &a.gpu, "NAME", "whose records to compare with (measured/NAME.yaml)"},
        {"size", 0, OPT_LIST, &a.sizes, "NAME", "only rows of these sizes"},
        {"quick", 0, OPT_FLAG, &a.quick, NULL, "at most 60 million warp instructions, smallest rows first"},
        {"max-instructions", 0, OPT_ABOVE, &a.max_instructions, "N", "the same with another limit"},
        {"dram-bound", 0, OPT_F64, &a.dram_bound, "X", "only rows measured to use at least X % of DRAM's bandwidth"},
        {"micro", 0, OPT_FLAG, &a.micro, NULL, "the microbenchmarks instead of the workloads"},
        {"live", 0, OPT_FLAG, &a.live, NULL, "measure on the GPU here now instead of taking records"},
        {"baseline", 0, OPT_FLAG, &a.baseline, NULL, "also without --set: what the change does to each row"},
        {"counters", 0, OPT_FLAG, &a.counters, NULL, "every counter of every row"},
        {"plot", 0, OPT_PLOT, &a.plot, "FILE.svg", "predicted over measured, with bands of 10 and 30 %"},
        {"markdown", 0, OPT_OUT, &a.markdown, "FILE", "the tables as Markdown"},
        {"max-mape", 0, OPT_ABOVE, &a.max_mape, "X", "fail if the mean absolute error is above X %"},
    };
    struct common_opts co = common_table(&c, WITH_CONFIG | WITH_THREADS | WITH_DATA | WITH_QUIET);
    const struct opt *tables[] = {co.row, own};
    const size_t counts[] = {co.n, ARRAY_LEN(own)};
    struct strings targets = {0};
    if (opts_parse(tables, counts, 2, argc, argv, &targets, err))
        check(&targets, &c, &a, err);
    strings_finish(&targets);
    strings_finish(&a.sizes);
    common_finish(&c);
    return err->status;
}
