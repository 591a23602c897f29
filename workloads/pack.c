/* Programs of a spec and the parameter block of each launch. */
#include "workloads/spec.h"

#include <stdlib.h>
#include <string.h>

bool spec_check_args(const struct spec *s, uint32_t launch, struct error *err)
{
    const struct spec_launch *l = &s->launches[launch];
    const struct kernel *k = l->kernel;
    for (uint32_t i = 0; i < l->narg; i++) {
        const struct spec_arg *a = &l->args[i];
        if (i >= k->nparam)
            return error_at(err, spec_source(s), a->at, "argument %u is one too many: kernel %s takes %u", i + 1,
                            k->name, k->nparam);
        if (a->bytes != k->params[i].bytes)
            return error_at(err, spec_source(s), a->at,
                            "argument %u has %u bytes, but parameter %s of kernel %s has %u", i + 1, a->bytes,
                            k->params[i].name ? k->params[i].name : "?", k->name, k->params[i].bytes);
    }
    if (l->narg < k->nparam)
        return error_at(err, spec_source(s), l->at,
                        "argument %u is missing: kernel %s takes %u (%s has %u bytes), %u given", l->narg + 1, k->name,
                        k->nparam, k->params[l->narg].name ? k->params[l->narg].name : "it", k->params[l->narg].bytes,
                        l->narg);
    return true;
}

bool spec_link(struct spec *s, struct error *err)
{
    if (!s->programs)
        s->programs = xcalloc(s->nprogram, sizeof *s->programs);
    for (uint32_t i = 0; i < s->nprogram; i++)
        if (!s->programs[i] && !(s->programs[i] = program_load(s->program_paths[i], err)))
            return false;
    for (uint32_t i = 0; i < s->nlaunch; i++) {
        struct spec_launch *l = &s->launches[i];
        l->kernel = program_kernel(s->programs[l->program], l->kernel_name, err);
        if (!l->kernel || !spec_check_args(s, i, err))
            return false;
    }
    return true;
}

/* C's rule: each argument at the next multiple of its size. */
static uint32_t natural_offset(const struct spec_launch *l, uint32_t arg)
{
    uint32_t at = 0;
    for (uint32_t i = 0;; i++) {
        uint32_t n = l->args[i].bytes, align = l->args[i].map ? 64 : n;
        at = (at + align - 1) / align * align;
        if (i == arg)
            return at;
        at += n;
    }
}

uint32_t spec_arg_offset(const struct spec *s, uint32_t launch, uint32_t arg)
{
    const struct spec_launch *l = &s->launches[launch];
    return l->kernel ? l->kernel->params[arg].offset : natural_offset(l, arg);
}

bool spec_pack(const struct spec *s, uint32_t launch, uint8_t **out, uint32_t *bytes, struct error *err)
{
    const struct spec_launch *l = &s->launches[launch];
    if (l->kernel && !spec_check_args(s, launch, err))
        return false;
    uint32_t last = l->narg ? l->narg - 1 : 0;
    *bytes = l->kernel ? l->kernel->param_bytes : l->narg ? natural_offset(l, last) + l->args[last].bytes : 0;
    *out = xcalloc(*bytes + 8U, 1);
    for (uint32_t i = 0; i < l->narg; i++) {
        const struct spec_arg *a = &l->args[i];
        uint32_t at = spec_arg_offset(s, launch, i);
        uint64_t address = a->is_buffer ? s->buffers[a->buffer].addr + a->offset : 0;
        if (at > *bytes || a->bytes > *bytes - at) {
            free(*out);
            *out = NULL;
            return error_set(err, EXIT_BAD_INPUT, "%s: parameter %u of launch %u lies outside its parameter block",
                             s->name, i + 1, launch + 1);
        }
        if (a->map) {
            struct tensor_map m = spec_tensor_map(s, a);
            tensor_map_encode(&m, *out + at);
            continue;
        }
        memcpy(*out + at, a->is_buffer ? (const void *)&address : a->value, a->bytes);
    }
    return true;
}
