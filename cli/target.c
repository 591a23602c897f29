/* What a person names on the command line, as a spec: a workload, a spec file, or a bare program with its launch. */
#include "cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct target target_defaults(void)
{
    return (struct target){.grid = {0}, .block = {0}, .cluster = {0}};
}

struct target_opts target_table(struct target *t)
{
    return (struct target_opts){
        {{"kernel", 'k', OPT_TEXT, &t->kernel, "NAME", "kernel of a program file that has several"},
         {"grid", 'g', OPT_DIM3, t->grid, "X,Y,Z", "blocks (program files)"},
         {"block", 'b', OPT_DIM3, t->block, "X,Y,Z", "threads of a block (program files)"},
         {"cluster", 0, OPT_DIM3, t->cluster, "X,Y,Z", "blocks of a cluster, if not the kernel's own (program files)"},
         {"shared", 's', OPT_U32, &t->shared_bytes, "BYTES", "dynamic shared memory of a block (program files)"},
         {"arg", 'a', OPT_LIST, &t->args, "ARG", "one for each kernel parameter, in order (program files)"},
         {"size", 'n', OPT_LIST, &t->sizes, "SIZE", "a named size of the workload, or n=4096"},
         {"isa", 0, OPT_TEXT, &t->isa, "NAME", "which of the workload's programs: kir, sm_90, sm_80"}},
        8};
}

void target_finish(struct target *t)
{
    strings_finish(&t->args);
    strings_finish(&t->sizes);
}

static bool ends_with(const char *s, const char *tail)
{
    size_t n = strlen(s), m = strlen(tail);
    return n > m && strcmp(s + n - m, tail) == 0;
}

bool target_is_file(const char *name)
{
    return ends_with(name, ".kir") || ends_with(name, ".cubin") || ends_with(name, ".cu");
}

/* ---- arguments of a bare program --------------------------------------------------------------------- */
struct args {
    struct sb buffers, list, outputs;
    uint32_t nbuffer;
    struct error *err;
};

static bool bad_arg(struct args *a, const char *arg, const char *why)
{
    return error_set(a->err, EXIT_BAD_INPUT, "--arg %s: %s; examples: i32:1024  buf:f32:1M  x=buf:f32:4K:uniform=-4,4",
                     arg, why);
}

static bool elem_known(const char *s)
{
    for (size_t i = 0; i < ELEM_COUNT; i++)
        if (strcmp(elem_names[i], s) == 0)
            return true;
    return false;
}

/* "zero", "iota", "uniform=a,b" .. -> the spec's init. */
static bool init_text(struct args *a, const char *arg, const char *init, struct sb *out)
{
    static const char *const plain[] = {"zero", "raw", "iota", "poison"};
    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        if (strcmp(init, plain[i]) == 0) {
            sb_add(out, init);
            return true;
        }
    }
    const char *eq = strchr(init, '=');
    if (!eq || eq == init)
        return bad_arg(a, arg, "contents are zero, raw, iota, poison, fill=V, uniform=A,B, mod=M or file=PATH");
    bool pair = strncmp(init, "uniform=", 8) == 0;
    sb_addf(out, pair ? "{%.*s: [%s]}" : "{%.*s: %s}", (int)(eq - init), init, eq + 1);
    return true;
}

/* [NAME=]buf:TYPE:COUNT[:INIT] */
static bool buffer_arg(struct args *a, const char *arg, const char *name, const char *text)
{
    char *copy = xstrdup(text), *save = NULL, own[32];
    const char *type = strtok_r(copy, ":", &save), *count = strtok_r(NULL, ":", &save),
               *init = strtok_r(NULL, "", &save);
    uint64_t n = 0;
    snprintf(own, sizeof own, "arg%u", a->nbuffer++);
    name = name ? name : own;
    struct sb i = {0};
    bool ok = false;
    if (!type || !elem_known(type)) {
        bad_arg(a, arg, "no such element type");
    } else if (!count || !parse_u64(count, &n) || !n) {
        bad_arg(a, arg, "a count of elements is needed");
    } else if (!init || init_text(a, arg, init, &i)) {
        const char *usual = strchr("fb", type[0]) ? "{uniform: [-1, 1]}" : "raw";
        sb_addf(&a->buffers, "  %s: {type: %s, count: %llu, init: %s, seed: %u}\n", name, type, (unsigned long long)n,
                init ? i.text : usual, a->nbuffer);
        sb_addf(&a->list, "%s%s", a->list.len ? ", " : "", name);
        sb_addf(&a->outputs, "  %s: recorded\n", name);
        ok = true;
    }
    sb_finish(&i);
    free(copy);
    return ok;
}

static bool scalar_arg(struct args *a, const char *arg, const char *text)
{
    const char *colon = strchr(text, ':');
    char *type = xstrndup(text, colon ? (size_t)(colon - text) : strlen(text));
    bool ok = elem_known(type);
    double d;
    int64_t i;
    if (!ok)
        bad_arg(a, arg, "no such type");
    else if (!colon || !(parse_i64(colon + 1, &i) || parse_f64(colon + 1, &d)))
        ok = bad_arg(a, arg, "a value is needed");
    if (ok)
        sb_addf(&a->list, "%s{%s: %s}", a->list.len ? ", " : "", type, colon + 1);
    free(type);
    return ok;
}

static bool one_arg(struct args *a, const char *arg)
{
    const char *eq = strchr(arg, '='), *colon = strchr(arg, ':');
    char *name = NULL;
    const char *text = arg;
    if (eq && (!colon || eq < colon)) {
        name = xstrndup(arg, (size_t)(eq - arg));
        text = eq + 1;
        for (const char *p = name; *p; p++) {
            if (!isalnum((unsigned char)*p) && *p != '_') {
                free(name);
                return bad_arg(a, arg, "a name has letters, digits and _");
            }
        }
    }
    bool ok = strncmp(text, "buf:", 4) == 0 ? buffer_arg(a, arg, name, text + 4) : scalar_arg(a, arg, text);
    free(name);
    return ok;
}

/* ---- does it run on this part? ---------------------------------------------------------------------------- */
static bool runs_on(const struct program *p, const struct config *c, struct error *err)
{
    if (p->arch == ARCH_KIR)
        return true;
    if (program_unscheduled(p) && (c->warp_size == 32 || !program_counts_lanes(p)))
        return true;
    uint32_t code = (uint32_t)p->arch;
    const char *a = p->arch_specific ? "a" : "";
    if (c->warp_size == 64)
        return error_set(
            err, EXIT_BAD_INPUT,
            "%s: machine code is 32 lanes wide and cannot run on %s, whose waves have 64 lanes; its KIR can", p->path,
            c->name);
    if (!c->isa)
        return error_set(err, EXIT_BAD_INPUT,
                         "%s: %s runs KIR only, this is sm_%u machine code; `heddle lift` makes KIR of it", p->path,
                         c->name, code);
    if (code / 10 != c->isa / 10)
        return error_set(err, EXIT_BAD_INPUT,
                         "%s: sm_%u%s machine code does not run on %s (sm_%u): another major version", p->path, code, a,
                         c->name, c->isa);
    if (code > c->isa)
        return error_set(err, EXIT_BAD_INPUT,
                         "%s: sm_%u%s machine code does not run on %s (sm_%u): a higher minor version", p->path, code,
                         a, c->name, c->isa);
    if (p->arch_specific && code != c->isa)
        return error_set(err, EXIT_BAD_INPUT, "%s: sm_%ua machine code runs on sm_%u alone, %s is sm_%u", p->path, code,
                         code, c->name, c->isa);
    return true;
}

/* ---- a bare program as a spec ---------------------------------------------------------------------------- */
/* Quoted for YAML. */
static void quoted(struct sb *b, const char *s)
{
    sb_add(b, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            sb_add(b, "\\");
        sb_addn(b, s, 1);
    }
    sb_add(b, "\"");
}

static bool spec_text(const char *program, const struct target *t, const char *kernel, struct sb *out,
                      struct error *err)
{
    struct args a = {.err = err};
    bool ok = true;
    for (size_t i = 0; ok && i < t->args.n; i++)
        ok = one_arg(&a, t->args.items[i]);
    if (ok) {
        sb_add(out, "kernel: ");
        quoted(out, kernel);
        sb_add(out, "\nprogram: ");
        quoted(out, program);
        if (t->cluster[0])
            sb_addf(out, "\nlaunch: {cluster: [%u, %u, %u], ", t->cluster[0], t->cluster[1], t->cluster[2]);
        else
            sb_add(out, "\nlaunch: {");
        sb_addf(out, "grid: [%u, %u, %u], block: [%u, %u, %u], shared_bytes: %u}\n", t->grid[0], t->grid[1], t->grid[2],
                t->block[0], t->block[1], t->block[2], t->shared_bytes);
        if (a.buffers.len)
            sb_addf(out, "buffers:\n%s", a.buffers.text);
        sb_addf(out, "args: [%s]\n", a.list.text ? a.list.text : "");
        if (a.outputs.len)
            sb_addf(out, "expect:\n%s", a.outputs.text);
    }
    sb_finish(&a.buffers);
    sb_finish(&a.list);
    sb_finish(&a.outputs);
    return ok;
}

/* Without a launch there is nothing to run; that the file is none of ours, or which kernels it has, is said first. */
static void ask_for_launch(const char *name, const struct target *t, struct error *err)
{
    enum { NAMED = 8 };
    struct program *p = ends_with(name, ".cu") ? NULL : program_load(name, err);
    if (!p && !ends_with(name, ".cu"))
        return;
    error_set(err, EXIT_BAD_INPUT, "%s: a program file needs --grid and --block", name);
    for (uint32_t i = 0; p && !t->kernel && i < p->nkernel && i <= NAMED; i++)
        error_note(err, i == NAMED ? " .." : i ? ", %s" : "; its kernels: %s", p->kernels[i].name);
    program_free(p);
}

static struct spec *file_spec(const char *name, const struct target *t, const struct spec_options *o,
                              const struct config *c, struct error *err)
{
    if (!t->grid[0] || !t->block[0]) {
        ask_for_launch(name, t, err);
        return NULL;
    }
    char *cubin = NULL;
    if (ends_with(name, ".cu") && !(cubin = nvcc_compile(name, c->isa ? c->isa : 90, err)))
        return NULL;
    struct spec *s = NULL;
    struct program *p = program_load(cubin ? cubin : name, err);
    struct kernel *k = p && runs_on(p, c, err) ? program_kernel(p, t->kernel, err) : NULL;
    struct sb text = {0};
    if (k && spec_text(cubin ? cubin : name, t, k->name, &text, err))
        s = spec_parse("<command line>", ".", text.text, o, err);
    if (s && !spec_link(s, err)) {
        spec_free(s);
        s = NULL;
    }
    sb_finish(&text);
    program_free(p);
    if (cubin)
        remove(cubin);
    free(cubin);
    return s;
}

struct spec *target_load(const char *name, const struct target *t, const struct config *c, struct error *err)
{
    /* A part that runs KIR only still chooses by its compute capability, so that it gets a lesson's KIR. */
    uint32_t code = c->isa ? c->isa : c->compute_major * 10 + c->compute_minor;
    struct spec_options o = {
        .sizes = t->sizes.items, .nsize = t->sizes.n, .arch = (enum arch)code, .any_arch = !c->isa, .isa = t->isa};
    bool file = target_is_file(name);
    if (!file && (t->grid[0] || t->block[0] || t->cluster[0] || t->shared_bytes || t->args.n || t->kernel)) {
        error_set(err, EXIT_BAD_INPUT,
                  "%s: --kernel, --grid, --block, --cluster, --shared and --arg belong to program files; this has its "
                  "own launch",
                  name);
        return NULL;
    }
    struct spec *s = file ? file_spec(name, t, &o, c, err) : spec_load(name, &o, err);
    bool ok = s && spec_link(s, err);
    for (uint32_t i = 0; ok && i < s->nprogram; i++) {
        if (!c->isa && !file) /* a lesson's machine code, on a part that has none of its own: under the scoreboard */
            program_strip(s->programs[i]);
        ok = runs_on(s->programs[i], c, err);
    }
    if (ok)
        return s;
    spec_free(s);
    return NULL;
}

struct program *target_program(const char *path, struct error *err)
{
    if (!ends_with(path, ".cu"))
        return program_load(path, err);
    char *cubin = nvcc_compile(path, 90, err);
    struct program *p = cubin ? program_load(cubin, err) : NULL;
    if (cubin)
        remove(cubin);
    free(cubin);
    return p;
}
