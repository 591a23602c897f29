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
    if (len >= 4 && memcmp(data, "\x7f" "ELF", 4) == 0) {
        p = cubin_read(path, data, len, err);
    } else if (len >= 4 && memcmp(data, "\x50\xed\x55\xba", 4) == 0) {
        error_set(err, EXIT_BAD_INPUT, "%s: a fat binary; extract a cubin from it, or build with nvcc -cubin", path);
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

static void kernel_finish(struct kernel *k)
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
    free(k->name);
}

void program_free(struct program *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->nkernel; i++)
        kernel_finish(&p->kernels[i]);
    for (uint32_t i = 0; i < p->nglobal; i++) {
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

struct kernel *program_kernel(const struct program *p, const char *name, struct error *err)
{
    if (!name && p->nkernel == 1)
        return &p->kernels[0];
    const char **names = xcalloc(p->nkernel + 1, sizeof *names);
    struct kernel *found = NULL;
    for (uint32_t i = 0; i < p->nkernel; i++) {
        names[i] = p->kernels[i].name;
        if (name && strcmp(name, names[i]) == 0)
            found = &p->kernels[i];
    }
    if (!found && !name) {
        error_set(err, EXIT_BAD_INPUT, "%s holds %u kernels; say which:", p->path, p->nkernel);
        for (uint32_t i = 0; i < p->nkernel && i < 20; i++)
            error_note(err, " %s", names[i]);
    } else if (!found) {
        const char *near = nearest_name(name, names, p->nkernel);
        error_set(err, EXIT_BAD_INPUT, "%s has no kernel %s", p->path, name);
        if (near)
            error_note(err, "; did you mean %s?", near);
    }
    free(names);
    return found;
}
