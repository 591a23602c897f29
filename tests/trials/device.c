/* A GPU through the CUDA driver: the template kernel's code is replaced by that of a kernel of trials. */
#include "tests/trials/gpu.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long cu_ptr;
#define CUDA(X)                                                                                                        \
    X(init, "cuInit", (unsigned))                                                                                      \
    X(device_get, "cuDeviceGet", (int *, int))                                                                         \
    X(retain, "cuDevicePrimaryCtxRetain", (void **, int))                                                              \
    X(current, "cuCtxSetCurrent", (void *))                                                                            \
    X(module_load, "cuModuleLoadData", (void **, const void *))                                                        \
    X(module_unload, "cuModuleUnload", (void *))                                                                       \
    X(function_get, "cuModuleGetFunction", (void **, void *, const char *))                                            \
    X(alloc, "cuMemAlloc_v2", (cu_ptr *, size_t))                                                                      \
    X(copy_to, "cuMemcpyHtoD_v2", (cu_ptr, const void *, size_t))                                                      \
    X(copy_from, "cuMemcpyDtoH_v2", (void *, cu_ptr, size_t))                                                          \
    X(set8, "cuMemsetD8_v2", (cu_ptr, unsigned char, size_t))                                                          \
    X(host_alloc, "cuMemHostAlloc", (void **, size_t, unsigned))                                                       \
    X(host_pointer, "cuMemHostGetDevicePointer_v2", (cu_ptr *, void *, unsigned))                                      \
    X(launch, "cuLaunchKernel",                                                                                        \
      (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))        \
    X(stream_create, "cuStreamCreate", (void **, unsigned))                                                            \
    X(query, "cuStreamQuery", (void *))
struct device {
#define X(field, symbol, args) int(*field) args;
    CUDA(X)
#undef X
    void *context, *stream;
    cu_ptr in, out, scratch, marks_there;
    volatile uint32_t *marks;
    uint8_t *cubin;
    size_t cubin_bytes, text_at, text_bytes;
};
enum { WATCHDOG_S = 4, WORKER_BROKEN = 9 };

static void check(int code, const char *what)
{
    if (!code)
        return;
    fprintf(stderr, "%s: error %d of the driver\n", what, code);
    _exit(WORKER_BROKEN);
}

/* The code of kernel `trials` in an ELF file. */
static bool find_text(struct device *d)
{
    const uint8_t *f = d->cubin;
    uint64_t sections, names_at, at, size;
    uint16_t entry, n, names;
    memcpy(&sections, f + 40, 8);
    memcpy(&entry, f + 58, 2);
    memcpy(&n, f + 60, 2);
    memcpy(&names, f + 62, 2);
    memcpy(&names_at, f + sections + (size_t)names * entry + 24, 8);
    for (uint16_t i = 0; i < n; i++) {
        const uint8_t *h = f + sections + (size_t)i * entry;
        uint32_t name;
        memcpy(&name, h, 4);
        memcpy(&at, h + 24, 8);
        memcpy(&size, h + 32, 8);
        if (strcmp((const char *)f + names_at + name, ".text.trials") == 0) {
            d->text_at = at;
            d->text_bytes = size;
            return size >= (uint64_t)KERNEL_INSTS * INST_BYTES;
        }
    }
    return false;
}

struct device *device_open(const char *cubin, const uint32_t *inputs)
{
    struct device *d = xcalloc(1, sizeof *d);
    struct error err = {0};
    int device;
    const char *other = getenv("HEDDLE_LIBCUDA");
    void *so = dlopen(other ? other : "libcuda.so.1", RTLD_NOW), *marks;
    if (!so || !file_read(cubin, &d->cubin, &d->cubin_bytes, &err) || !find_text(d)) {
        fprintf(stderr, "no driver, or %s is not the template\n", cubin);
        _exit(WORKER_BROKEN);
    }
#define X(field, symbol, args) *(void **)&d->field = dlsym(so, symbol);
    CUDA(X)
#undef X
    size_t bytes = (size_t)FAM_COUNT * INPUT_RECORDS * INPUT_WORDS * 4;
    check(d->init(0), "init");
    check(d->device_get(&device, 0), "device");
    check(d->retain(&d->context, device), "context");
    check(d->current(d->context), "context");
    check(d->stream_create(&d->stream, 1), "stream");
    check(d->alloc(&d->in, bytes), "inputs");
    check(d->alloc(&d->out, OUT_BYTES), "results");
    check(d->alloc(&d->scratch, SCRATCH_BYTES), "scratch");
    check(d->copy_to(d->in, inputs, bytes), "inputs");
    check(d->host_alloc(&marks, TRIAL_LANES * 4, 2), "marks");
    check(d->host_pointer(&d->marks_there, marks, 0), "marks");
    d->marks = marks;
    return d;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int device_run(struct device *d, const struct trial *const *t, uint32_t n, uint32_t *out, uint32_t *at)
{
    static uint64_t code[KERNEL_INSTS][2];
    struct error err = {0};
    struct {
        cu_ptr p[4];
        uint32_t pad[8], c[CONST_WORDS];
    } a = {.p = {d->in, d->out, d->marks_there, d->scratch}};
    uint32_t ninst;
    void *module, *function;
    if (!trial_kernel(t, n, code, &ninst, &err)) {
        fprintf(stderr, "%s\n", err.text);
        _exit(WORKER_BROKEN);
    }
    memcpy(d->cubin + d->text_at, code, (size_t)ninst * INST_BYTES);
    trial_constants(a.c);
    void *params[] = {&a.p[0], &a.p[1], &a.p[2], &a.p[3], a.pad};
    check(d->module_load(&module, d->cubin), "module");
    check(d->function_get(&function, module, "trials"), "function");
    check(d->set8(d->out, 0, (size_t)n * trial_records(t[0]) * OUTPUT_WORDS * 4), "clear");
    for (uint32_t i = 0; i < TRIAL_LANES; i++)
        d->marks[i] = 0;
    check(d->launch(function, trial_warps(t[0]), 1, 1, 32, 1, 1, 4096, d->stream, params, NULL), "launch");
    const char *patience = getenv("HEDDLE_TRIALS_PATIENCE");
    double begun = seconds(), limit = WATCHDOG_S * (patience ? atof(patience) : 1);
    int r;
    while ((r = d->query(d->stream)) == NOT_READY && seconds() - begun < limit)
        usleep(20);
    *at = 0;
    for (uint32_t b = 0; r && b < TRIAL_LANES; b++)
        *at = d->marks[b] > *at ? d->marks[b] : *at;
    if (r)
        return r;
    check(d->copy_from(out, d->out, (size_t)n * trial_records(t[0]) * OUTPUT_WORDS * 4), "results");
    d->module_unload(module);
    return 0;
}
