/* heddle measure: the same code on a real GPU. */
#include "cli/cli.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const double agreeing_share = 0.9; /* of all numbers: a spread of five runs does not hold every sixth one */

struct measure_args {
    bool all, micro, cycles, counters, compare, quiet;
    uint32_t device, watchdog, sequence;
    const char *out, *outputs;
    struct strings sizes;
};

/* Ending the process ends the kernel; the driver's own way out would wait for it. */
static void leave_hung(const struct error *err)
{
    fflush(stdout);
    fprintf(stderr, "heddle: %s\n", err->text);
    _exit(err->status);
}

static void tell(const struct measure_summary *sum)
{
    printf("%zu measured, %zu failed, %zu wrong outputs\n", sum->measured, sum->failed, sum->wrong);
    printf("seconds:");
    for (int i = 0; i < MEASURE_PHASES; i++)
        if (sum->seconds[i] >= 0.05)
            printf(" %s %.1f;", measure_phase_names[i], sum->seconds[i]);
    printf("\n");
    fflush(stdout);
}

/* One archive of the folder of records, beside it. */
static bool pack(const char *dir, bool quiet, struct error *err)
{
    char *archive = xasprintf("%s.tar.gz", dir);
    char *const argv[] = {"tar", "-czf", archive, "-C", (char *)dir, ".", NULL};
    pid_t child = fork();
    int status = 1;
    if (child == 0) {
        execvp(argv[0], argv);
        _exit(127);
    }
    bool ok = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    if (!ok)
        error_set(err, EXIT_FAILED, "%s cannot be packed (by tar); the records are in %s", archive, dir);
    else if (!quiet)
        printf("packed as %s\n", archive);
    free(archive);
    return ok;
}

static void measure(const struct strings *targets, const struct measure_args *a, struct error *err)
{
    struct measure_options o = {.targets = targets->items,
                                .ntarget = targets->n,
                                .sizes = a->sizes.items,
                                .nsize = a->sizes.n,
                                .device = (int)a->device,
                                .out = a->out,
                                .outputs = a->outputs,
                                .micro = a->micro,
                                .cycles = a->cycles,
                                .counters = a->counters,
                                .quiet = a->quiet,
                                .watchdog_s = a->watchdog,
                                .sequence = a->sequence};
    struct measure_summary sum;
    bool ok = measure_run(&o, &sum, err);
    if (sum.hung)
        leave_hung(err);
    if (a->sequence)
        return;
    if (!a->quiet && (ok || sum.measured))
        tell(&sum);
    if (ok && a->out && a->all)
        ok = pack(a->out, a->quiet, err);
    if (ok && (sum.failed || sum.wrong))
        error_set(err, EXIT_FAILED, "%zu failed, %zu wrong outputs", sum.failed, sum.wrong);
}

static void compare(const struct strings *dirs, struct error *err)
{
    struct measured_set a = {0}, b = {0};
    struct sb out = {0};
    double share;
    if (dirs->n != 2) {
        error_set(err, EXIT_BAD_INPUT,
                  "--compare wants two folders of records; usage: heddle measure --compare DIR DIR");
        return;
    }
    bool ok = measured_load(&a, dirs->items[0], NULL, err) && measured_load(&b, dirs->items[1], NULL, err) &&
              measured_compare(&a, &b, &out, &share, err) && print_out(&out, err);
    if (ok && share < agreeing_share)
        error_set(err, EXIT_FAILED, "%.1f %% of the numbers agree inside their spread, fewer than %.0f %%", share * 100,
                  agreeing_share * 100);
    sb_finish(&out);
    measured_finish(&a);
    measured_finish(&b);
}

enum exit_status verb_measure(int argc, char **argv, struct error *err)
{
    struct measure_args a = {.watchdog = 60};
    struct opt own[] = {
        {"all", 0, OPT_FLAG, &a.all, NULL, "every workload at every size"},
        {"micro", 0, OPT_FLAG, &a.micro, NULL, "with --all: the microbenchmarks too"},
        {"size", 0, OPT_LIST, &a.sizes, "NAME", "only these named sizes"},
        {"cycles", 0, OPT_FLAG, &a.cycles, NULL, "cycles and time through the profiler (ncu)"},
        {"counters", 0, OPT_FLAG, &a.counters, NULL, "these and the other counters"},
        {"compare", 0, OPT_FLAG, &a.compare, NULL, "two folders of records: do they agree inside their spread?"},
        {"device", 0, OPT_U32, &a.device, "N", "which GPU"},
        {"out", 'o', OPT_TEXT, &a.out, "DIR", "folder for the records; else beside the workloads"},
        {"outputs", 0, OPT_TEXT, &a.outputs, "DIR", "folder for the bytes of outputs, as NAME.SIZE.BUFFER"},
        {"watchdog", 0, OPT_COUNT, &a.watchdog, "SECONDS", "give up a kernel that runs longer"},
        {"sequence", 0, OPT_U32, &a.sequence, "1|2", "only launch (what the profiler is given)"},
        {"quiet", 'q', OPT_FLAG, &a.quiet, NULL, "print nothing but errors"},
    };
    const struct opt *tables[] = {own};
    const size_t counts[] = {ARRAY_LEN(own)};
    struct strings targets = {0};
    bool ok = opts_parse(tables, counts, 1, argc, argv, &targets, err);
    if (ok && a.compare) {
        compare(&targets, err);
        ok = false;
    }
    if (ok && a.sequence > 2)
        ok = error_set(err, EXIT_BAD_INPUT, "--sequence: '%u' is not 1 or 2", a.sequence);
    if (ok && (targets.n == 0) != a.all)
        ok = error_set(err, EXIT_BAD_INPUT,
                       a.all ? "--all, or names: not both" : "no workload; usage: heddle measure WORKLOAD.. | --all");
    if (ok)
        measure(&targets, &a, err);
    strings_finish(&targets);
    strings_finish(&a.sizes);
    return err->status;
}
