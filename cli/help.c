/* The verbs and what `heddle help` says about them. */
#include "cli/cli.h"

#include <string.h>

#define TARGET_HELP                                                                                                    \
    "TARGET is a workload's name (`heddle list workloads`), a launch spec (.yaml), or a .kir, .cubin or .cu file\n"    \
    "with --kernel, --grid, --block and one --arg for each parameter:\n"                                               \
    "  --arg f32:1.5              a scalar: f64 f32 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64\n"                          \
    "  --arg buf:f32:1M           a buffer of 2^20 elements, uniform in [-1, 1] (integers: raw)\n"                     \
    "  --arg x=buf:i32:4K:iota    named x; or zero, raw, poison, fill=V, uniform=A,B, mod=M, file=PATH\n"

const struct verb verbs[] = {
    {"run", "simulate; print the report", "TARGET [options]", TARGET_HELP, verb_run},
    {"explain", "why is it slow, and what would help", "TARGET [options]", TARGET_HELP, verb_explain},
    {"sweep", "many runs: sizes x configs x parameters",
     "TARGET [--vary PATH=A,B,..] [--configs A,B] [--size ..] [options]", TARGET_HELP, verb_sweep},
    {"view", "simulate with the live window, or replay a recording", "TARGET|RECORDING [options]", TARGET_HELP,
     verb_view},
    {"check", "predicted against measured, a table", "[WORKLOAD..] [options]",
     "Redoes what was recorded on a real GPU (measured/NAME.yaml beside each workload) and compares cycles and "
     "counters.\n",
     verb_check},
    {"measure", "run the same code on a real GPU", "WORKLOAD.. | --all [options]",
     "Loads the NVIDIA driver at run time, creates the same buffers, launches the same code, compares outputs with "
     "the\n"
     "reference and times it: by events, in a graph, warm and with clean other lines in L2.\n",
     verb_measure},
    {"diff", "compare two JSON reports", "A.json B.json", NULL, verb_diff},
    {"list", "what there is", "workloads|configs|ops|mods|counters|stalls|params|units [--markdown]", NULL, verb_list},
    {"config", "explain, compare or check a hardware config", "explain NAME | diff A B | check NAME..", NULL,
     verb_config},
    {"occupancy", "the occupancy calculator", "--threads N [--regs N] [--shared BYTES] [--config NAME]", NULL,
     verb_occupancy},
    {"asm", "assemble a .kir file and check it", "FILE.kir [-o FILE.kir]", NULL, verb_asm},
    {"dis", "print a program as KIR, or as a machine listing", "FILE [--sass] [--kernel NAME]", NULL, verb_dis},
    {"lift", "machine code to a self-contained .kir", "FILE.cubin [-o FILE.kir] [--strip-sched] [--ptx]", NULL,
     verb_lift},
    {"help", "what a verb does", "[VERB]", NULL, verb_help},
};
const size_t nverb = ARRAY_LEN(verbs);

static void overview(struct sb *out)
{
    sb_addf(out, "heddle %s: a cycle-level GPU simulator that runs real machine code\n\n", version_text());
    for (size_t i = 0; i < nverb; i++)
        sb_addf(out, "  heddle %-10s %s\n", verbs[i].name, verbs[i].summary);
    sb_add(
        out,
        "\n`heddle help VERB` tells more. Start with: heddle list workloads; heddle run vecadd\n"
        "Exit status: 0 done; 1 failed (wrong result, fault); 2 bad usage or input; 3 no progress; 130 interrupted.\n");
}

static const struct verb *find(const char *name)
{
    for (size_t i = 0; i < nverb; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

void help_print(const char *verb, const struct opt *const *tables, const size_t *counts, size_t ntable,
                struct error *err)
{
    const struct verb *v = find(verb);
    struct sb out = {0};
    if (v) {
        sb_addf(&out, "heddle %s %s\n\n%s\n", v->name, v->usage, v->summary);
        if (v->help)
            sb_addf(&out, "\n%s", v->help);
    }
    for (size_t i = 0; i < ntable; i++) {
        sb_add(&out, i ? "\n" : "\nOptions:\n");
        opts_help(tables[i], counts[i], &out);
    }
    print_out(&out, err);
    sb_finish(&out);
}

/* A verb knows its options; so it is asked. */
enum exit_status verb_help(int argc, char **argv, struct error *err)
{
    if (argc >= 2 && strcmp(argv[1], "help") != 0) {
        const struct verb *v = find(argv[1]);
        char *ask[] = {argv[1], "--help", NULL};
        if (!v)
            error_set(err, EXIT_BAD_INPUT, "no verb '%s'; `heddle help` lists them", argv[1]);
        return v ? v->run(2, ask, err) : err->status;
    }
    struct sb out = {0};
    overview(&out);
    print_out(&out, err);
    sb_finish(&out);
    return err->status;
}
