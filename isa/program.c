/* The program container: load by content, free, find a kernel. */
#include "isa/isa.h"

#include <stdlib.h>
#include <string.h>

struct program *program_load(const char *path, struct error *err)
{
    uint8_t *data;
    size_t len;
    if (!file_read(path, &data, &len, err))
        return NULL;
    struct program *p = NULL;
    if (len >= 4 && memcmp(data,
                           "\x7f"
                           "ELF",
                           4) == 0) {
        p = cubin_read(path, data, len, err);
    } else if (len >= 4 && memcmp(data, "\x50\xed\x55\xba", 4) == 0) {
        error_set(err, EXIT_BAD_INPUT, "%s: a fat binary; extract a cubin from it, or build with nvcc -cubin", path);
    } else if (strlen(path) > 6 && strcmp(path + strlen(path) - 6, ".cubin") == 0) {
        error_set(err, EXIT_BAD_INPUT, "%s: not a cubin: it does not begin as an ELF file does", path);
    } else if (memchr(data, 0, len)) {
        error_set(err, EXIT_BAD_INPUT, "%s: neither a cubin nor KIR text", path);
    } else {
        char *text = xstrndup((const char *)data, len);
        p = kir_assemble(path, text, err);
        free(text);
    }
    free(data);
    return p;
}

void kernel_finish(struct kernel *k)
{
    for (uint32_t i = 0; i < k->nparam; i++)
        free(k->params[i].name);
    for (uint32_t i = 0; i < k->nreloc; i++)
        free(k->relocs[i].symbol);
    for (uint32_t i = 0; i < k->nsymbol; i++)
        free(k->symbols[i].name);
    for (unsigned b = 0; b < ARRAY_LEN(k->bank); b++)
        free(k->bank[b]);
    free(k->params);
    free(k->relocs);
    free(k->symbols);
    free(k->code);
    free(k->refused);
    free(k->name);
}

void program_free(struct program *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->nkernel; i++)
        kernel_finish(&p->kernels[i]);
    for (uint32_t i = 0; i < p->nglobal; i++) {
        for (uint32_t r = 0; r < p->globals[i].nreloc; r++)
            free(p->globals[i].relocs[r].symbol);
        free(p->globals[i].relocs);
        free(p->globals[i].name);
        free(p->globals[i].init);
    }
    for (uint32_t i = 0; i < p->nfile; i++)
        free(p->files[i]);
    free(p->kernels);
    free(p->globals);
    free(p->files);
    free(p->path);
    free(p);
}

/*
 * The function's own name in a mangled C++ name (Itanium C++ ABI, section 5.1: _Z, or _ZN for a nested one, then
 * each part with its length): "gelu" of _Z4geluPfi, "add" of _ZN3lib3addIfEEvPT_. Its length; 0 for other names.
 */
static size_t own_name(const char *mangled, const char **own)
{
    if (strncmp(mangled, "_Z", 2) != 0)
        return 0;
    const char *p = mangled + 2 + (mangled[2] == 'N');
    p += *p == 'L'; /* of internal linkage */
    size_t len = 0;
    while (*p >= '0' && *p <= '9') {
        char *end;
        len = strtoul(p, &end, 10);
        if (!len || strlen(end) < len)
            return 0;
        *own = end;
        p = end + len;
        if (mangled[2] != 'N')
            break;
    }
    return len;
}

static bool has_own_name(const struct kernel *k, const char *name)
{
    const char *own;
    size_t len = own_name(k->name, &own);
    return len && len == strlen(name) && memcmp(own, name, len) == 0;
}

static struct kernel *which_kernel(const struct program *p, const char *name, uint32_t named, struct error *err)
{
    if (name)
        error_set(err, EXIT_BAD_INPUT, "%s holds %u kernels called %s; say which:", p->path, named, name);
    else
        error_set(err, EXIT_BAD_INPUT, "%s holds %u kernels; say which:", p->path, named);
    for (uint32_t i = 0, shown = 0; i < p->nkernel && shown < 20; i++) {
        if (!name || has_own_name(&p->kernels[i], name)) {
            error_note(err, " %s", p->kernels[i].name);
            shown++;
        }
    }
    return NULL;
}

static struct kernel *runnable(const struct program *p, struct kernel *k, struct error *err)
{
    if (!k || !k->refused)
        return k;
    error_set(err, EXIT_BAD_INPUT, "%s: kernel %s: %.3500s", p->path, k->name, k->refused);
    return NULL;
}

bool program_whole(const struct program *p, struct error *err)
{
    bool whole = true;
    for (uint32_t i = 0; i < p->nkernel; i++) {
        const struct kernel *k = &p->kernels[i];
        if (k->refused && whole)
            error_set(err, EXIT_BAD_INPUT, "%s: kernel %s: %.3500s", p->path, k->name, k->refused);
        else if (k->refused)
            error_note(err, "\n%s: kernel %s: %.3500s", p->path, k->name, k->refused);
        whole = whole && !k->refused;
    }
    return whole;
}

struct kernel *program_kernel(const struct program *p, const char *name, struct error *err)
{
    if (!name)
        return p->nkernel == 1 ? runnable(p, &p->kernels[0], err) : which_kernel(p, name, p->nkernel, err);
    const char **names = xcalloc(p->nkernel + 1, sizeof *names);
    struct kernel *found = NULL;
    uint32_t named = 0;
    for (uint32_t i = 0; i < p->nkernel; i++) {
        names[i] = p->kernels[i].name;
        if (strcmp(name, names[i]) == 0) {
            found = &p->kernels[i];
            named = 1;
            break;
        }
        if (has_own_name(&p->kernels[i], name)) {
            found = &p->kernels[i];
            named++;
        }
    }
    if (named > 1) {
        found = which_kernel(p, name, named, err);
    } else if (!found) {
        const char *near = nearest_name(name, names, p->nkernel);
        error_set(err, EXIT_BAD_INPUT, "%s has no kernel %s", p->path, name);
        if (near)
            error_note(err, "; did you mean %s?", near);
        else
            for (uint32_t i = 0; i < p->nkernel && i < 20; i++)
                error_note(err, "%s%s", i ? " " : "; it has ", names[i]);
    }
    free(names);
    return runnable(p, found, err);
}
