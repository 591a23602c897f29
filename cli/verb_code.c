/* heddle asm, dis, lift: programs as text. */
#include "cli/cli.h"

#include <string.h>

struct code_options {
    const char *out, *kernel;
    bool sass, strip, ptx;
};

/* One kernel as the vendor's disassembler would list it: address, instruction. */
static void listing(const struct program *p, const struct kernel *k, struct sb *out)
{
    sb_addf(out, ".text.%s:\n", k->name);
    for (uint32_t i = 0; i < k->n; i++) {
        sb_addf(out, "        /*%04x*/ ", i * INST_BYTES);
        inst_print(p->arch, &k->code[i], out);
        sb_add(out, " ;\n");
    }
}

static bool print_sass(struct program *p, const struct code_options *o, struct sb *out, struct error *err)
{
    if (o->kernel) {
        const struct kernel *k = program_kernel(p, o->kernel, err);
        if (k)
            listing(p, k, out);
        return k != NULL;
    }
    for (uint32_t i = 0; i < p->nkernel; i++)
        listing(p, &p->kernels[i], out);
    return true;
}

static bool code(const char *path, const struct code_options *o, struct error *err)
{
    struct program *p = target_program(path, err);
    struct sb out = {0};
    bool ok = p != NULL;
    if (ok && o->ptx)
        ok = ptx_write(p, &out, err);
    else if (ok && o->sass)
        ok = print_sass(p, o, &out, err);
    else if (ok)
        kir_print(p, o->strip, &out);
    ok = ok && write_text(o->out ? o->out : "-", &out, err);
    sb_finish(&out);
    program_free(p);
    return ok;
}

static enum exit_status parse(int argc, char **argv, struct code_options *o, const char **path, struct error *err)
{
    const struct opt own[] = {
        {"output", 'o', OPT_TEXT, &o->out, "FILE", "write here instead of stdout"},
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
    if (parse(argc, argv, &o, &path, err) == EXIT_DONE)
        code(path, &o, err);
    return err->status;
}

enum exit_status verb_lift(int argc, char **argv, struct error *err)
{
    struct code_options o = {0};
    const char *path = NULL;
    if (parse(argc, argv, &o, &path, err) != EXIT_DONE)
        return err->status;
    code(path, &o, err);
    return err->status;
}

enum exit_status verb_asm(int argc, char **argv, struct error *err)
{
    struct code_options o = {0};
    const char *path = NULL;
    if (parse(argc, argv, &o, &path, err) != EXIT_DONE)
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
    }
    program_free(p);
    return err->status;
}
