/* heddle asm, dis, lift: programs as text. */
#include "cli/cli.h"

#include <string.h>

struct code_options {
    const char *out, *kernel;
    bool sass, strip, ptx;
};

static bool code(const char *path, const struct code_options *o, struct error *err)
{
    struct program *p = target_program(path, err);
    struct kernel *k = p && o->kernel ? program_kernel(p, o->kernel, err) : NULL;
    struct sb out = {0};
    bool ok = p && (o->kernel ? k != NULL : program_whole(p, err));
    if (ok) {
        struct program shown = *p; /* the same, with the one kernel if one is asked for */
        if (k) {
            shown.kernels = k;
            shown.nkernel = 1;
        }
        if (o->ptx)
            ok = ptx_write(&shown, &out, err);
        else if (o->sass)
            sass_print(&shown, &out);
        else
            kir_print(&shown, o->strip, &out);
    }
    ok = ok && write_text(o->out ? o->out : "-", &out, err);
    sb_finish(&out);
    program_free(p);
    return ok;
}

static enum exit_status parse(int argc, char **argv, struct code_options *o, const char **path, struct error *err)
{
    const struct opt own[] = {
        {"output", 'o', OPT_OUT, &o->out, "FILE", "write here instead of stdout"},
        {"kernel", 'k', OPT_TEXT, &o->kernel, "NAME", "only this kernel"},
        {"sass", 0, OPT_FLAG, &o->sass, NULL, "as a machine listing"},
        {"ptx", 0, OPT_FLAG, &o->ptx, NULL, "as PTX for the vendor's assembler; for hand-written KIR"},
        {"strip-sched", 0, OPT_FLAG, &o->strip, NULL, "without scheduling fields: runs under a hardware scoreboard"}};
    const struct opt *tables[] = {own};
    const size_t counts[] = {ARRAY_LEN(own)};
    struct strings rest = {0};
    if (opts_parse(tables, counts, 1, argc, argv, &rest, err)) {
        if (rest.n == 1)
            *path = rest.items[0];
        else
            error_set(err, EXIT_BAD_INPUT, "%s; usage: heddle %s FILE [options]",
                      rest.n ? "one file at a time" : "no file", argv[0]);
    }
    strings_finish(&rest);
    return err->status;
}

enum exit_status verb_dis(int argc, char **argv, struct error *err)
{
    struct code_options o = {0};
    const char *path = NULL;
    if (parse(argc, argv, &o, &path, err) == EXIT_DONE && path)
        code(path, &o, err);
    return err->status;
}

/* Lifting is printing: what was read from machine code is KIR already. */
enum exit_status verb_lift(int argc, char **argv, struct error *err)
{
    return verb_dis(argc, argv, err);
}

enum exit_status verb_asm(int argc, char **argv, struct error *err)
{
    struct code_options o = {0};
    const char *path = NULL;
    if (parse(argc, argv, &o, &path, err) != EXIT_DONE || !path)
        return err->status;
    struct program *p = program_load(path, err);
    if (p && o.out) {
        struct sb out = {0};
        kir_print(p, o.strip, &out);
        write_text(o.out, &out, err);
        sb_finish(&out);
    } else if (p) {
        for (uint32_t i = 0; i < p->nkernel; i++) {
            const struct kernel *k = &p->kernels[i];
            printf("%s: %u instructions, %u registers, %u bytes shared, %u bytes local, %u parameters of %u bytes\n",
                   k->name, k->n, k->nreg, k->shared_bytes, k->local_bytes, k->nparam, k->param_bytes);
        }
        struct sb odd = {0};
        program_warnings(p, &odd);
        if (odd.len)
            fprintf(stderr, "%s%s", odd.text, odd.text[odd.len - 1] == '\n' ? "" : "\n");
        sb_finish(&odd);
    }
    program_free(p);
    return err->status;
}
