/* heddle measure: the same code on a real GPU. */
#include "cli/cli.h"

#include <unistd.h>

struct measure_args {
    bool all, micro, counters, quiet;
    uint32_t device, watchdog, sequence;
    const char *out;
    struct strings sizes;
};

static void measure(const struct strings *targets, const struct measure_args *a, struct error *err)
{
    struct measure_options o = {.targets = targets->items,
                                .ntarget = targets->n,
                                .sizes = a->sizes.items,
                                .nsize = a->sizes.n,
                                .device = (int)a->device,
                                .out = a->out,
                                .micro = a->micro,
                                .counters = a->counters,
                                .quiet = a->quiet,
                                .sequence = a->sequence};
    struct measure_summary sum;
    alarm(a->watchdog); /* a hung kernel cannot be waited out: the signal ends the process and the driver the kernel */
    if (!measure_run(&o, &sum, err) || a->sequence)
        return;
    if (!a->quiet)
        printf("%zu measured, %zu failed, %zu wrong outputs\n", sum.measured, sum.failed, sum.wrong);
    if (sum.failed || sum.wrong)
        error_set(err, EXIT_FAILED, "%zu failed, %zu wrong outputs", sum.failed, sum.wrong);
}

enum exit_status verb_measure(int argc, char **argv, struct error *err)
{
    struct measure_args a = {.watchdog = 1800};
    struct opt own[] = {
        {"all", 0, OPT_FLAG, &a.all, NULL, "every workload at every size"},
        {"micro", 0, OPT_FLAG, &a.micro, NULL, "with --all: the microbenchmarks too"},
        {"size", 0, OPT_LIST, &a.sizes, "NAME", "only these named sizes"},
        {"counters", 0, OPT_FLAG, &a.counters, NULL, "cycles and counters through the profiler (ncu)"},
        {"device", 0, OPT_U32, &a.device, "N", "which GPU"},
        {"out", 'o', OPT_TEXT, &a.out, "DIR", "folder for the records; else beside the workloads"},
        {"watchdog", 0, OPT_U32, &a.watchdog, "SECONDS", "give up after so long"},
        {"sequence", 0, OPT_U32, &a.sequence, "1|2", "only launch (what the profiler is given)"},
        {"quiet", 'q', OPT_FLAG, &a.quiet, NULL, "print nothing but errors"},
    };
    const struct opt *tables[] = {own};
    const size_t counts[] = {ARRAY_LEN(own)};
    struct strings targets = {0};
    bool ok = opts_parse(tables, counts, 1, argc, argv, &targets, err);
    if (ok && (targets.n == 0) != a.all)
        ok = error_set(err, EXIT_BAD_INPUT,
                       a.all ? "--all, or names: not both" : "no workload; usage: heddle measure WORKLOAD.. | --all");
    if (ok)
        measure(&targets, &a, err);
    strings_finish(&targets);
    strings_finish(&a.sizes);
    return err->status;
}
