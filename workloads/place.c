/* A spec on a simulated GPU: memory, contents, struct launch; and the way back. */
#include "workloads/spec.h"

#include <stdlib.h>
#include <string.h>

static bool write_buffer(const struct spec *s, uint32_t i, struct gpu *g, struct error *err)
{
    void *bytes = xcalloc(s->buffers[i].bytes, 1);
    bool ok = spec_fill(s, i, bytes, err) && gpu_write(g, s->buffers[i].addr, bytes, s->buffers[i].bytes, err);
    free(bytes);
    return ok;
}

bool spec_rewrite(const struct spec *s, struct gpu *g, struct error *err)
{
    for (uint32_t i = 0; i < s->nbuffer; i++)
        if (!write_buffer(s, i, g, err))
            return false;
    return true;
}

static bool place_launch(struct spec *s, uint32_t i, struct error *err)
{
    struct spec_launch *l = &s->launches[i];
    free(l->params);
    l->params = NULL;
    if (!spec_pack(s, i, &l->params, &l->param_bytes, err))
        return false;
    s->sim[i] = (struct launch){.program = s->programs[l->program],
                                .kernel = l->kernel,
                                .dynamic_shared_bytes = l->shared_bytes,
                                .params = l->params,
                                .param_bytes = l->param_bytes,
                                .stream = l->stream};
    memcpy(s->sim[i].grid, l->grid, sizeof l->grid);
    memcpy(s->sim[i].block, l->block, sizeof l->block);
    memcpy(s->sim[i].cluster, l->cluster, sizeof l->cluster);
    return true;
}

bool spec_place(struct spec *s, struct gpu *g, struct error *err)
{
    if (!spec_link(s, err))
        return false;
    for (uint32_t i = 0; i < s->nprogram; i++)
        if (!gpu_load(g, s->programs[i], err))
            return false;
    for (uint32_t i = 0; i < s->nbuffer; i++)
        if (!gpu_alloc(g, s->buffers[i].name, s->buffers[i].bytes, &s->buffers[i].addr, err))
            return false;
    free(s->sim);
    s->sim = xcalloc(s->nlaunch, sizeof *s->sim);
    for (uint32_t i = 0; i < s->nlaunch; i++)
        if (!place_launch(s, i, err))
            return false;
    return spec_rewrite(s, g, err);
}

static bool read_back(struct spec *s, uint32_t i, struct gpu *g, struct error *err)
{
    struct spec_buffer *b = &s->buffers[i];
    if (!b->out)
        b->out = xcalloc(b->bytes, 1);
    return gpu_read(g, b->addr, b->out, b->bytes, err);
}

bool spec_collect(struct spec *s, struct gpu *g, struct error *err)
{
    for (uint32_t i = 0; i < s->nbuffer; i++)
        if (s->buffers[i].wanted && !read_back(s, i, g, err))
            return false;
    for (uint32_t i = 0; i < s->nmetric; i++)
        if (!read_back(s, s->metrics[i].buffer, g, err))
            return false;
    for (uint32_t i = 0; i < s->nexpect; i++) {
        uint32_t b = s->expects[i].buffer;
        if (!read_back(s, b, g, err) || !spec_check(s, i, s->buffers[b].out, err))
            return false;
    }
    return true;
}
