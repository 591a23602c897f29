/* A spec on a real GPU: memory, modules, launches, timing by events and graphs. */
#include "workloads/measure.h"

#include <stdlib.h>
#include <string.h>

enum { FLUSH_BYTES = 256 << 20, NGRAPH = 20, ATTR_DYNAMIC_SHARED = 8, CAPTURE_RELAXED = 2 };

/* Reads n 16-byte words, grid-stride; stores only if they do not hold what was written, so nothing is made dirty. */
static const char flush_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry flush(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .u64 %d<4>;\n.reg .u32 %r<12>;\n.reg .pred %q<3>;\n"
    "ld.param.u64 %d0, [p];\nld.param.u32 %r0, [n];\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r1, %r1, %r2, %r3;\n"
    "mov.u32 %r4, %nctaid.x;\nmul.lo.u32 %r4, %r4, %r2;\n"
    "loop:\nsetp.ge.u32 %q0, %r1, %r0;\n@%q0 bra done;\n"
    "mad.wide.u32 %d1, %r1, 16, %d0;\nld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%d1];\n"
    "or.b32 %r5, %r5, %r6;\nor.b32 %r7, %r7, %r8;\nor.b32 %r5, %r5, %r7;\n"
    "setp.ne.u32 %q1, %r5, 0;\n@%q1 st.global.u32 [%d1], %r5;\n"
    "add.u32 %r1, %r1, %r4;\nbra loop;\ndone:\nret;\n}\n";

bool spec_is_kir(const struct spec *s, uint32_t program)
{
    const char *path = s->program_paths[program];
    size_t len = strlen(path);
    return len > 4 && strcmp(path + len - 4, ".kir") == 0;
}

/* What the driver loads: a cubin as it is; hand-written KIR as PTX, from which the driver makes other machine code. */
static bool image_of(struct bench *b, uint32_t program, uint8_t **data, struct error *err)
{
    struct spec *s = b->s;
    size_t len;
    if (!spec_is_kir(s, program))
        return file_read(s->program_paths[program], data, &len, err);
    struct sb ptx = {0};
    bool ok = spec_link(s, err) && ptx_write(s->programs[program], &ptx, err);
    *data = (uint8_t *)ptx.text;
    if (!ok)
        sb_finish(&ptx);
    return ok;
}

static bool load_modules(struct bench *b, struct error *err)
{
    struct spec *s = b->s;
    for (uint32_t i = 0; i < s->nprogram; i++) {
        uint8_t *data;
        if (!image_of(b, i, &data, err))
            return false;
        bool ok = cuda_ok(b->cu, b->cu->module_load(&b->modules[i], data), s->program_paths[i], err);
        free(data);
        if (!ok)
            return false;
    }
    for (uint32_t i = 0; i < s->nlaunch; i++) {
        struct spec_launch *l = &s->launches[i];
        const char *name = l->kernel_name ? l->kernel_name : l->kernel ? l->kernel->name : "";
        if (!cuda_ok(b->cu, b->cu->function_get(&b->functions[i], b->modules[l->program], name), name, err))
            return false;
        if (l->shared_bytes > 48 * 1024 &&
            !cuda_ok(b->cu, b->cu->function_set(b->functions[i], ATTR_DYNAMIC_SHARED, (int)l->shared_bytes), name, err))
            return false;
    }
    return true;
}

static bool make_memory(struct bench *b, struct error *err)
{
    struct spec *s = b->s;
    for (uint32_t i = 0; i < s->nbuffer; i++) {
        if (!cuda_ok(b->cu, b->cu->mem_alloc(&b->memory[i], s->buffers[i].bytes), s->buffers[i].name, err))
            return false;
        s->buffers[i].addr = b->memory[i];
    }
    for (uint32_t i = 0; i < s->nlaunch; i++)
        if (!spec_pack(s, i, &b->params[i], &b->param_bytes[i], err))
            return false;
    return cuda_ok(b->cu, b->cu->mem_alloc(&b->flush_memory, FLUSH_BYTES), "memory to flush L2 with", err) &&
           cuda_ok(b->cu, b->cu->module_load(&b->flush_module, flush_ptx), "the kernel that flushes L2", err) &&
           cuda_ok(b->cu, b->cu->function_get(&b->flush, b->flush_module, "flush"), "the kernel that flushes L2", err);
}

bool bench_start(struct bench *b, struct cuda *cu, struct spec *s, struct error *err)
{
    *b = (struct bench){.cu = cu, .s = s};
    b->modules = xcalloc(s->nprogram + 1, sizeof *b->modules);
    b->functions = xcalloc(s->nlaunch + 1, sizeof *b->functions);
    b->params = xcalloc(s->nlaunch + 1, sizeof *b->params);
    b->param_bytes = xcalloc(s->nlaunch + 1, sizeof *b->param_bytes);
    b->memory = xcalloc(s->nbuffer + 1, sizeof *b->memory);
    return cuda_ok(cu, cu->event_create(&b->from, 0), "making an event", err) &&
           cuda_ok(cu, cu->event_create(&b->to, 0), "making an event", err) && load_modules(b, err) &&
           make_memory(b, err) && bench_reset(b, err);
}

void bench_finish(struct bench *b)
{
    for (uint32_t i = 0; i < b->s->nbuffer; i++)
        if (b->memory[i])
            b->cu->mem_free(b->memory[i]);
    if (b->flush_memory)
        b->cu->mem_free(b->flush_memory);
    for (uint32_t i = 0; i < b->s->nprogram; i++)
        if (b->modules[i])
            b->cu->module_unload(b->modules[i]);
    if (b->flush_module)
        b->cu->module_unload(b->flush_module);
    for (uint32_t i = 0; i < b->s->nlaunch; i++)
        free(b->params[i]);
    void *arrays[] = {b->modules, b->functions, b->params, b->param_bytes, b->memory};
    for (size_t i = 0; i < ARRAY_LEN(arrays); i++)
        free(arrays[i]);
}

bool bench_reset(struct bench *b, struct error *err)
{
    for (uint32_t i = 0; i < b->s->nbuffer; i++) {
        void *bytes = xcalloc(b->s->buffers[i].bytes, 1);
        bool ok =
            spec_fill(b->s, i, bytes, err) &&
            cuda_ok(b->cu, b->cu->copy_to(b->memory[i], bytes, b->s->buffers[i].bytes), b->s->buffers[i].name, err);
        free(bytes);
        if (!ok)
            return false;
    }
    /* A copy from pageable memory may return before its last part has landed, and our stream does not wait for the
     * default one: without this, late initial bytes were seen over a kernel's output. */
    return cuda_ok(b->cu, b->cu->synchronize(), b->s->name, err);
}

bool bench_launch(struct bench *b, uint32_t launch, struct error *err)
{
    const struct spec_launch *l = &b->s->launches[launch];
    size_t bytes = b->param_bytes[launch];
    /* Parameters as one block: 1 = its address follows, 2 = its size follows, 0 = end. */
    void *extra[] = {(void *)1, b->params[launch], (void *)2, &bytes, NULL};
    int code = b->cu->launch(b->functions[launch], l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                             l->block[2], l->shared_bytes, b->cu->stream, NULL, bytes ? extra : NULL);
    return cuda_ok(b->cu, code, l->kernel_name ? l->kernel_name : "launch", err);
}

bool bench_all(struct bench *b, struct error *err)
{
    for (uint32_t i = 0; i < b->s->nlaunch; i++)
        if (!bench_launch(b, i, err))
            return false;
    return cuda_ok(b->cu, b->cu->stream_wait(b->cu->stream), b->s->name, err);
}

bool bench_flush(struct bench *b, struct error *err)
{
    struct {
        cu_ptr p;
        unsigned n;
    } params = {b->flush_memory, FLUSH_BYTES / 16};
    size_t bytes = 12;
    void *extra[] = {(void *)1, &params, (void *)2, &bytes, NULL};
    return cuda_ok(b->cu, b->cu->set32(b->flush_memory, 0, FLUSH_BYTES / 4, b->cu->stream), "flushing L2", err) &&
           cuda_ok(b->cu, b->cu->launch(b->flush, 1056, 1, 1, 256, 1, 1, 0, b->cu->stream, NULL, extra), "flushing L2",
                   err);
}

static bool read_back(struct bench *b, uint32_t buffer, struct error *err)
{
    struct spec_buffer *x = &b->s->buffers[buffer];
    if (!x->out)
        x->out = xcalloc(x->bytes, 1);
    return cuda_ok(b->cu, b->cu->copy_from(x->out, b->memory[buffer], x->bytes), x->name, err);
}

bool bench_collect(struct bench *b, struct error *err)
{
    for (uint32_t i = 0; i < b->s->nmetric; i++)
        if (!read_back(b, b->s->metrics[i].buffer, err))
            return false;
    for (uint32_t i = 0; i < b->s->nexpect; i++) {
        uint32_t x = b->s->expects[i].buffer;
        if (!read_back(b, x, err) || !spec_check(b->s, i, b->s->buffers[x].out, err))
            return false;
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static bool time_once(struct bench *b, uint32_t launch, float *ms, struct error *err)
{
    return cuda_ok(b->cu, b->cu->event_record(b->from, b->cu->stream), "timing", err) && bench_launch(b, launch, err) &&
           cuda_ok(b->cu, b->cu->event_record(b->to, b->cu->stream), "timing", err) &&
           cuda_ok(b->cu, b->cu->event_wait(b->to), "timing", err) &&
           cuda_ok(b->cu, b->cu->event_time(ms, b->from, b->to), "timing", err);
}

bool bench_time(struct bench *b, bool cold, double *us, double *spread, struct error *err)
{
    uint32_t n = b->s->nlaunch;
    float *ms = xcalloc((size_t)n * NREPEAT, sizeof *ms);
    bool ok = cold || bench_all(b, err);
    for (int r = 0; ok && r < NREPEAT; r++) {
        ok = !cold || bench_flush(b, err);
        for (uint32_t i = 0; ok && i < n; i++)
            ok = time_once(b, i, &ms[i * NREPEAT + (uint32_t)r], err);
    }
    for (uint32_t i = 0; ok && i < n; i++) {
        float *v = ms + i * NREPEAT;
        qsort(v, NREPEAT, sizeof *v, by_value);
        us[i] = (double)v[NREPEAT / 2] * 1e3;
        spread[i] = (double)(v[NREPEAT - 1] - v[0]) / (double)v[NREPEAT / 2];
    }
    free(ms);
    return ok;
}

static bool capture(struct bench *b, cu_graph *g, struct error *err)
{
    if (!cuda_ok(b->cu, b->cu->capture_begin(b->cu->stream, CAPTURE_RELAXED), "capturing a graph", err))
        return false;
    bool ok = true;
    for (int r = 0; ok && r < NGRAPH; r++)
        for (uint32_t i = 0; ok && i < b->s->nlaunch; i++)
            ok = bench_launch(b, i, err);
    return cuda_ok(b->cu, b->cu->capture_end(b->cu->stream, g), "capturing a graph", err) && ok;
}

bool bench_graph(struct bench *b, double *us, struct error *err)
{
    cu_graph g;
    cu_graph_exec e;
    float ms[NREPEAT];
    if (!capture(b, &g, err) || !cuda_ok(b->cu, b->cu->graph_make(&e, g, 0), "making a graph", err))
        return false;
    bool ok = true;
    for (int r = 0; ok && r < NREPEAT; r++)
        ok = cuda_ok(b->cu, b->cu->event_record(b->from, b->cu->stream), "timing", err) &&
             cuda_ok(b->cu, b->cu->graph_launch(e, b->cu->stream), "replaying a graph", err) &&
             cuda_ok(b->cu, b->cu->event_record(b->to, b->cu->stream), "timing", err) &&
             cuda_ok(b->cu, b->cu->event_wait(b->to), "timing", err) &&
             cuda_ok(b->cu, b->cu->event_time(&ms[r], b->from, b->to), "timing", err);
    b->cu->graph_exec_free(e);
    b->cu->graph_free(g);
    if (!ok)
        return false;
    qsort(ms, NREPEAT, sizeof *ms, by_value);
    *us = (double)ms[NREPEAT / 2] * 1e3 / NGRAPH;
    return true;
}
