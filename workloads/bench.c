/* A spec on a real GPU: memory, modules, launches, timing by events and graphs. */
#include "workloads/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FLUSH_BYTES = 256 << 20,
    ATTR_DYNAMIC_SHARED = 8,
    ATTR_LARGE_CLUSTER = 14,
    LAUNCH_COOPERATIVE = 2,
    LAUNCH_CLUSTER = 4,
    CAPTURE_RELAXED = 2
};
/* What a graph holds, so that its replay lasts a few milliseconds: copies of the launches, and how often it is
 * replayed. */
enum { GRAPH_MAX_COPIES = 20, GRAPH_MAX_REPLAYS = 21, GRAPH_MIN_REPLAYS = 5 };
static const double graph_us = 2000, replays_us = 100000;

/* flush reads n 16-byte words, grid-stride; stores only if they do not hold what was written, so nothing is made dirty.
 * empty does nothing: what a launch costs by itself. */
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
    "add.u32 %r1, %r1, %r4;\nbra loop;\ndone:\nret;\n}\n"
    ".visible .entry empty()\n{\nret;\n}\n";

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
        const char *name = l->kernel ? l->kernel->name : l->kernel_name ? l->kernel_name : "";
        if (!cuda_ok(b->cu, b->cu->function_get(&b->functions[i], b->modules[l->program], name), name, err))
            return false;
        if (l->cluster[0] * l->cluster[1] * l->cluster[2] > 8 &&
            !cuda_ok(b->cu, b->cu->function_set(b->functions[i], ATTR_LARGE_CLUSTER, 1), name, err))
            return false;
        if (l->shared_bytes && /* the default limit of 48 KB holds for static and dynamic together */
            !cuda_ok(b->cu, b->cu->function_set(b->functions[i], ATTR_DYNAMIC_SHARED, (int)l->shared_bytes), name, err))
            return false;
    }
    return true;
}

/* Tensor maps are the driver's own; what spec_pack wrote is the simulator's copy of their layout. */
static bool encode_maps(struct bench *b, uint32_t launch, struct error *err)
{
    const struct spec_launch *l = &b->s->launches[launch];
    for (uint32_t i = 0; i < l->narg; i++) {
        if (!l->args[i].map)
            continue;
        struct tensor_map m = spec_tensor_map(b->s, &l->args[i]);
        unsigned long long dims[TENSOR_DIMS], strides[TENSOR_DIMS];
        uint64_t encoded[TENSOR_MAP_BYTES / 8 + 8], *aligned = encoded;
        while ((uintptr_t)aligned % 64)
            aligned++;
        for (uint32_t d = 0; d < m.rank; d++) {
            dims[d] = m.dim[d];
            strides[d] = m.stride[d];
        }
        if (!b->cu->map_encode)
            return error_set(err, EXIT_FAILED, "the NVIDIA driver here is too old: it has no tensor maps");
        int code = b->cu->map_encode(aligned, (int)m.type, m.rank, (void *)(uintptr_t)m.base, dims, strides + 1, m.box,
                                     m.step, (int)m.interleave, (int)m.swizzle, (int)m.promotion, m.fill_nan);
        if (!cuda_ok(b->cu, code, "a tensor map", err))
            return false;
        memcpy(b->params[launch] + spec_arg_offset(b->s, launch, i), aligned, TENSOR_MAP_BYTES);
    }
    return true;
}

/* The kernel's own layout says where tensor maps, which are aligned, lie among its parameters. */
static bool has_maps(const struct spec *s)
{
    for (uint32_t i = 0; i < s->nlaunch; i++)
        for (uint32_t k = 0; k < s->launches[i].narg; k++)
            if (s->launches[i].args[k].map)
                return true;
    return false;
}

static bool make_memory(struct bench *b, struct error *err)
{
    struct spec *s = b->s;
    if (has_maps(s) && !spec_link(s, err))
        return false;
    for (uint32_t i = 0; i < s->nbuffer; i++) {
        if (!cuda_ok(b->cu, b->cu->mem_alloc(&b->memory[i], s->buffers[i].bytes), s->buffers[i].name, err))
            return false;
        s->buffers[i].addr = b->memory[i];
    }
    for (uint32_t i = 0; i < s->nlaunch; i++)
        if (!spec_pack(s, i, &b->params[i], &b->param_bytes[i], err) || !encode_maps(b, i, err))
            return false;
    return cuda_ok(b->cu, b->cu->mem_alloc(&b->flush_memory, FLUSH_BYTES), "memory to flush L2 with", err) &&
           cuda_ok(b->cu, b->cu->module_load(&b->flush_module, flush_ptx), "the kernel that flushes L2", err) &&
           cuda_ok(b->cu, b->cu->function_get(&b->flush, b->flush_module, "flush"), "the kernel that flushes L2",
                   err) &&
           cuda_ok(b->cu, b->cu->function_get(&b->empty, b->flush_module, "empty"), "the empty kernel", err);
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

static void give_back(struct bench *b)
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
}

void bench_finish(struct bench *b)
{
    if (!b->cu->hung) /* each of these calls would wait for the kernel */
        give_back(b);
    for (uint32_t i = 0; i < b->s->nlaunch; i++)
        free(b->params[i]);
    void *arrays[] = {b->modules, b->functions, b->params, b->param_bytes, b->memory};
    for (size_t i = 0; i < ARRAY_LEN(arrays); i++)
        free(arrays[i]);
}

static bool reset_buffer(struct bench *b, uint32_t i, struct error *err)
{
    const struct spec_buffer *x = &b->s->buffers[i];
    if ((x->init == INIT_ZERO || x->init == INIT_POISON) && x->bytes % 4 == 0)
        return cuda_ok(b->cu,
                       b->cu->set32(b->memory[i], x->init == INIT_ZERO ? 0 : 0xffffffffu, x->bytes / 4, b->cu->stream),
                       x->name, err);
    void *bytes = xcalloc(x->bytes, 1);
    bool ok =
        spec_fill(b->s, i, bytes, err) && cuda_ok(b->cu, b->cu->copy_to(b->memory[i], bytes, x->bytes), x->name, err);
    free(bytes);
    return ok;
}

bool bench_reset(struct bench *b, struct error *err)
{
    for (uint32_t i = 0; i < b->s->nbuffer; i++)
        if (!reset_buffer(b, i, err))
            return false;
    /* A copy from pageable memory may return before its last part has landed, and our stream does not wait for the
     * default one: without this, late initial bytes were seen over a kernel's output. */
    return cuda_ok(b->cu, b->cu->synchronize(), b->s->name, err);
}

static bool launch_with_attributes(struct bench *b, uint32_t launch, void **extra, struct error *err)
{
    const struct spec_launch *l = &b->s->launches[launch];
    struct cu_launch_attribute a[2];
    struct cu_launch_config c = {.shared = l->shared_bytes, .stream = b->cu->stream, .attributes = a};
    if (l->cluster[0])
        a[c.nattribute++] =
            (struct cu_launch_attribute){.id = LAUNCH_CLUSTER, .value = {l->cluster[0], l->cluster[1], l->cluster[2]}};
    if (l->cooperative)
        a[c.nattribute++] = (struct cu_launch_attribute){.id = LAUNCH_COOPERATIVE, .value = {1}};
    memcpy(c.grid, l->grid, sizeof c.grid);
    memcpy(c.block, l->block, sizeof c.block);
    if (!b->cu->launch_with)
        return error_set(err, EXIT_FAILED, "the NVIDIA driver here is too old: it has no clusters");
    return cuda_ok(b->cu, b->cu->launch_with(&c, b->functions[launch], NULL, extra),
                   l->kernel_name ? l->kernel_name : "launch", err);
}

bool bench_launch(struct bench *b, uint32_t launch, struct error *err)
{
    const struct spec_launch *l = &b->s->launches[launch];
    size_t bytes = b->param_bytes[launch];
    /* Parameters as one block: 1 = its address follows, 2 = its size follows, 0 = end. */
    void *extra[] = {(void *)1, b->params[launch], (void *)2, &bytes, NULL};
    if (l->cluster[0] || l->cooperative)
        return launch_with_attributes(b, launch, bytes ? extra : NULL, err);
    int code = b->cu->launch(b->functions[launch], l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                             l->block[2], l->shared_bytes, b->cu->stream, NULL, bytes ? extra : NULL);
    return cuda_ok(b->cu, code, l->kernel_name ? l->kernel_name : "launch", err);
}

bool bench_all(struct bench *b, struct error *err)
{
    for (uint32_t i = 0; i < b->s->nlaunch; i++)
        if (!bench_launch(b, i, err))
            return false;
    return cuda_wait(b->cu, b->s->name, err);
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
    for (uint32_t i = 0; i < b->s->nexpect; i++)
        if (!read_back(b, b->s->expects[i].buffer, err))
            return false;
    return true;
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Of n times in ms: the median, and between which two the middle eight tenths lie. */
static struct bench_times times_of(float *ms, uint32_t n)
{
    qsort(ms, n, sizeof *ms, by_value);
    uint32_t tail = n / 10;
    return (struct bench_times){(double)ms[tail] * 1e3, (double)ms[n / 2] * 1e3, (double)ms[n - 1 - tail] * 1e3};
}

static bool between_events(struct bench *b, bool (*what)(struct bench *, uint32_t, struct error *), uint32_t arg,
                           float *ms, struct error *err)
{
    return cuda_ok(b->cu, b->cu->event_record(b->from, b->cu->stream), "timing", err) && what(b, arg, err) &&
           cuda_ok(b->cu, b->cu->event_record(b->to, b->cu->stream), "timing", err) &&
           cuda_wait(b->cu, b->s->name, err) && cuda_ok(b->cu, b->cu->event_time(ms, b->from, b->to), "timing", err);
}

bool bench_time(struct bench *b, bool cold, struct bench_times *us, struct error *err)
{
    uint32_t n = b->s->nlaunch;
    float *ms = xcalloc((size_t)n * NREPEAT, sizeof *ms);
    bool ok = cold || bench_all(b, err);
    for (int r = 0; ok && r < NREPEAT; r++) {
        ok = !cold || bench_flush(b, err);
        for (uint32_t i = 0; ok && i < n; i++)
            ok = between_events(b, bench_launch, i, &ms[i * NREPEAT + (uint32_t)r], err);
    }
    for (uint32_t i = 0; ok && i < n; i++)
        us[i] = times_of(ms + i * NREPEAT, NREPEAT);
    free(ms);
    return ok;
}

static bool launch_empty(struct bench *b, uint32_t unused, struct error *err)
{
    (void)unused;
    return cuda_ok(b->cu, b->cu->launch(b->empty, 1, 1, 1, 32, 1, 1, 0, b->cu->stream, NULL, NULL), "the empty kernel",
                   err);
}

static bool launch_chain(struct bench *b, uint32_t unused, struct error *err)
{
    (void)unused;
    for (uint32_t i = 0; i < b->s->nlaunch; i++)
        if (!bench_launch(b, i, err))
            return false;
    return true;
}

static bool capture(struct bench *b, bool (*what)(struct bench *, uint32_t, struct error *), uint32_t copies,
                    cu_graph *g, struct error *err)
{
    if (!cuda_ok(b->cu, b->cu->capture_begin(b->cu->stream, CAPTURE_RELAXED), "capturing a graph", err))
        return false;
    bool ok = true;
    for (uint32_t r = 0; ok && r < copies; r++)
        ok = what(b, 0, err);
    return cuda_ok(b->cu, b->cu->capture_end(b->cu->stream, g), "capturing a graph", err) && ok;
}

static bool replay(struct bench *b, uint32_t unused, struct error *err)
{
    (void)unused;
    return cuda_ok(b->cu, b->cu->graph_launch(b->graph, b->cu->stream), "replaying a graph", err);
}

static bool time_graph(struct bench *b, bool (*what)(struct bench *, uint32_t, struct error *), double expected_us,
                       struct bench_times *us, struct error *err)
{
    cu_graph g;
    float ms[GRAPH_MAX_REPLAYS];
    uint32_t copies = (uint32_t)fmax(1, fmin(GRAPH_MAX_COPIES, graph_us / expected_us));
    uint32_t n = (uint32_t)fmax(GRAPH_MIN_REPLAYS, fmin(GRAPH_MAX_REPLAYS, replays_us / (expected_us * copies)));
    if (!capture(b, what, copies, &g, err) ||
        !cuda_ok(b->cu, b->cu->graph_make(&b->graph, g, 0), "making a graph", err))
        return false;
    bool ok = true;
    for (uint32_t r = 0; ok && r < n; r++)
        ok = between_events(b, replay, 0, &ms[r], err);
    b->cu->graph_exec_free(b->graph);
    b->cu->graph_free(g);
    if (!ok)
        return false;
    *us = times_of(ms, n);
    us->low /= copies;
    us->median /= copies;
    us->high /= copies;
    return true;
}

/* A cooperative launch is an invalid argument in a capture of many (driver 580): such specs have no time of this kind.
 */
bool bench_graph(struct bench *b, double expected_us, struct bench_times *us, struct error *err)
{
    for (uint32_t i = 0; i < b->s->nlaunch; i++)
        if (b->s->launches[i].cooperative) {
            *us = (struct bench_times){NAN, NAN, NAN};
            return true;
        }
    return time_graph(b, launch_chain, expected_us, us, err);
}

static bool time_empty(struct bench *b, bool cold, struct bench_times *us, struct error *err)
{
    float ms[NREPEAT];
    for (int r = 0; r < NREPEAT; r++)
        if ((cold && !bench_flush(b, err)) || !between_events(b, launch_empty, 0, &ms[r], err))
            return false;
    *us = times_of(ms, NREPEAT);
    return true;
}

bool bench_empty(struct bench *b, struct bench_empty *e, struct error *err)
{
    return time_empty(b, false, &e->warm, err) && time_empty(b, true, &e->cold, err) &&
           time_graph(b, launch_empty, 1, &e->graph, err);
}
