/* A stand-in for the CUDA driver (HEDDLE_LIBCUDA names it): device memory is the host's, a cubin's kernel runs lane by
 * lane without any timing, one warp after another, so kernels whose warps wait for one another do not run here; PTX
 * does nothing. Time passes by a constant and the warps launched. HEDDLE_FAKE_CUDA, a list of words, makes things go
 * wrong: no_device, sm_80 (what the device is), launch_error, hang, noexec (launches do nothing). Words of machine code
 * that are not well: refuse_SAT (an illegal instruction; the context is of no use afterwards), hang_SAT, stall_SAT (the
 * driver does not return), die_SAT (the process ends), each for any modifier's name. */
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/functional.h"

enum {
    OK = 0,
    BAD_VALUE = 1,
    NO_DEVICE = 100,
    BAD_IMAGE = 200,
    NO_IMAGE = 209,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL = 715,
    LAUNCH_FAILED = 719
};
struct fake_module {
    struct program *program;
}; /* NULL: PTX */
struct fake_function {
    const struct fake_module *module;
    const struct kernel *kernel;
};
struct fake_event {
    double us;
};
struct fake_graph {
    double us;
};
/* declared, so that strict warnings hold, then defined */
#define API(name, args)                                                                                                \
    __attribute__((visibility("default"))) int name args;                                                              \
    int name args

static double now_us; /* device time */
static double capture_us = -1;

static bool told(const char *word)
{
    const char *all = getenv("HEDDLE_FAKE_CUDA");
    return all && strstr(all, word);
}

API(cuInit, (unsigned flags))
{
    (void)flags;
    return told("no_device") ? NO_DEVICE : OK;
}
API(cuDriverGetVersion, (int *v))
{
    *v = 13000;
    return OK;
}
API(cuDeviceGetCount, (int *n))
{
    *n = 1;
    return OK;
}
API(cuDeviceGet, (int *d, int ordinal))
{
    *d = ordinal;
    return OK;
}
API(cuDeviceGetName, (char *name, int len, int d))
{
    (void)d;
    snprintf(name, (size_t)len, "Stand-in F200");
    return OK;
}
API(cuDeviceTotalMem_v2, (size_t * bytes, int d))
{
    (void)d;
    *bytes = told("small_memory") ? 4096 : (size_t)1 << 37;
    return OK;
}
API(cuDeviceGetPCIBusId, (char *id, int len, int d))
{
    (void)d;
    snprintf(id, (size_t)len, "0000:00:00.0");
    return OK;
}
API(cuDeviceGetAttribute, (int *v, int attribute, int d))
{
    (void)d;
    bool old = told("sm_80");
    switch (attribute) {
    case 13:
        *v = 1980000;
        break; /* SM clock, kHz */
    case 36:
        *v = 3201000;
        break; /* memory clock */
    case 75:
        *v = old ? 8 : 9;
        break;
    case 76:
        *v = 0;
        break;
    default:
        *v = 132;
    }
    return OK;
}
API(cuDevicePrimaryCtxRetain, (void **c, int d))
{
    (void)d;
    *c = &now_us;
    return OK;
}
API(cuCtxSetCurrent, (void *c))
{
    (void)c;
    return OK;
}
API(cuCtxSynchronize, (void))
{
    return OK;
}
API(cuProfilerStart, (void))
{
    return OK;
}
API(cuProfilerStop, (void))
{
    return OK;
}

/* ---- modules ---- */
static size_t elf_bytes(const uint8_t *image)
{
    uint64_t shoff;
    uint16_t size, n;
    memcpy(&shoff, image + 0x28, 8);
    memcpy(&size, image + 0x3a, 2);
    memcpy(&n, image + 0x3c, 2);
    return shoff + (size_t)size * n;
}
API(cuModuleLoadData, (struct fake_module * *m, const uint8_t *image))
{
    *m = calloc(1, sizeof **m);
    if (memcmp(image, "\177ELF", 4) != 0)
        return strstr((const char *)image, ".version") ? OK : BAD_IMAGE;
    struct error err = {0};
    (*m)->program = cubin_read("image", image, elf_bytes(image), &err);
    if (!(*m)->program)
        return BAD_IMAGE;
    return told("sm_80") && (*m)->program->arch != ARCH_SM80 ? NO_IMAGE : OK;
}
API(cuModuleUnload, (struct fake_module * m))
{
    program_free(m->program);
    free(m);
    return OK;
}
API(cuModuleGetFunction, (struct fake_function * *f, struct fake_module *m, const char *name))
{
    struct error err = {0};
    *f = calloc(1, sizeof **f); /* lives as long as the process: the driver's functions belong to the module */
    (*f)->module = m;
    if (m->program && !((*f)->kernel = program_kernel(m->program, name, &err)))
        return NOT_FOUND;
    return OK;
}
API(cuFuncSetAttribute, (struct fake_function * f, int attribute, int v))
{
    (void)f, (void)attribute, (void)v;
    return OK;
}

/* ---- memory ---- */
API(cuMemAlloc_v2, (unsigned long long *p, size_t bytes))
{
    void *at = aligned_alloc(256, (bytes + 511) / 256 * 256);
    *p = (uintptr_t)at;
    return at ? OK : 2;
}
API(cuMemFree_v2, (unsigned long long p))
{
    free((void *)(uintptr_t)p);
    return OK;
}
API(cuMemcpyHtoD_v2, (unsigned long long to, const void *from, size_t n))
{
    memcpy((void *)(uintptr_t)to, from, n);
    return OK;
}
API(cuMemcpyDtoH_v2, (void *to, unsigned long long from, size_t n))
{
    memcpy(to, (void *)(uintptr_t)from, n);
    return OK;
}
API(cuMemsetD8_v2, (unsigned long long to, unsigned char v, size_t n))
{
    memset((void *)(uintptr_t)to, v, n);
    return OK;
}
API(cuMemHostAlloc, (void **p, size_t bytes, unsigned flags))
{
    (void)flags;
    *p = calloc(1, bytes);
    return *p ? OK : 2;
}
API(cuMemHostGetDevicePointer_v2, (unsigned long long *p, void *host, unsigned flags))
{
    (void)flags;
    *p = (uintptr_t)host;
    return OK;
}
API(cuMemsetD32Async, (unsigned long long to, unsigned v, size_t n, void *s))
{
    (void)s;
    if (n != 1u << 26) /* what the flush writes nobody reads */
        for (size_t i = 0; i < n; i++)
            ((unsigned *)(uintptr_t)to)[i] = v;
    return OK;
}

/* ---- launches ---- */
static int after; /* what the stream answers from now on */

/* The first instruction with the modifier that HEDDLE_FAKE_CUDA names after what. */
static uint32_t unwell(const struct kernel *k, const char *what)
{
    const char *all = getenv("HEDDLE_FAKE_CUDA"), *at = all ? strstr(all, what) : NULL;
    for (uint32_t i = 0; at && i < k->n; i++)
        for (unsigned m = 0; m < MOD_COUNT; m++) {
            const char *name = k->code[i].mod[m] ? mod_value_name((enum mod)m, k->code[i].mod[m]) : "";
            size_t len = strcspn(at + strlen(what), " ");
            if (strlen(name) == len && strncmp(at + strlen(what), name, len) == 0)
                return i;
        }
    return k->n;
}
/* The kernel as far as the first such word: nothing after it runs. */
static uint32_t sound(const struct kernel *k)
{
    uint32_t refused = unwell(k, "refuse_"), hung = unwell(k, "hang_"), n = refused < hung ? refused : hung;
    if (unwell(k, "die_") < n)
        _exit(3);
    if (unwell(k, "stall_") < n)
        for (;;)
            sleep(1);
    if (n < k->n)
        after = n == refused ? ILLEGAL : NOT_READY;
    return n;
}
static void place_params(const struct kernel *k, uint8_t *bank0, void **params, void **extra)
{
    if (extra)
        memcpy(bank0, extra[1], *(size_t *)extra[3]);
    for (uint32_t i = 0; params && i < k->nparam; i++)
        memcpy(bank0 + k->params[i].offset, params[i], k->params[i].bytes);
}
static int execute(const struct fake_function *f, const unsigned grid[3], unsigned threads, void **params, void **extra)
{
    struct kernel k = *f->kernel;
    struct func *x = calloc(1, sizeof *x);
    struct inst *code = malloc((k.n + 1) * sizeof *code);
    enum arch arch = f->module->program->arch;
    uint32_t n = sound(&k);
    memcpy(code, k.code, k.n * sizeof *code);
    if (n < k.n)
        code[n] = k.code[k.n - 1];
    for (uint32_t i = 0; n < k.n && i < k.n; i++)
        if (k.code[i].op == OP_EXIT)
            code[n] = k.code[i];
    k.code = code;
    x->nmem = 1;
    x->mem[0] = (struct func_memory){16, (uint8_t *)16, UINT64_MAX - 16}; /* addresses are the host's */
    place_params(&k, x->bank0 + arch_info(arch)->param_base, params, extra);
    bool ok = func_run(x, &k, arch, grid[0] * grid[1] * grid[2], threads);
    if (!ok)
        fprintf(stderr, "stand-in: %s: %s\n", k.name, x->why);
    free(code);
    free(x);
    return ok ? OK : LAUNCH_FAILED;
}
API(cuLaunchKernel, (struct fake_function * f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                     unsigned bz, unsigned shared, void *s, void **params, void **extra))
{
    (void)shared, (void)s;
    double us = 2 + 1e-3 * gx * gy * gz * ((bx * by * bz + 31) / 32);
    if (told("launch_error"))
        return LAUNCH_FAILED;
    if (capture_us >= 0) {
        capture_us += us;
        return OK;
    }
    now_us += us;
    unsigned grid[3] = {gx, gy, gz};
    return f->kernel && !told("noexec") ? execute(f, grid, bx * by * bz, params, extra) : OK;
}
API(cuStreamCreate, (void **s, unsigned flags))
{
    (void)flags;
    *s = &now_us;
    return OK;
}
API(cuStreamQuery, (void *s))
{
    (void)s;
    return told("hang") && !told("hang_") ? NOT_READY : after;
}
API(cuEventCreate, (struct fake_event * *e, unsigned flags))
{
    (void)flags;
    *e = calloc(1, sizeof **e);
    return OK;
}
API(cuEventRecord, (struct fake_event * e, void *s))
{
    (void)s;
    e->us = now_us;
    return OK;
}
API(cuEventElapsedTime, (float *ms, const struct fake_event *from, const struct fake_event *to))
{
    *ms = (float)((to->us - from->us) * 1e-3);
    return OK;
}
API(cuStreamBeginCapture_v2, (void *s, int mode))
{
    (void)s, (void)mode;
    capture_us = 0;
    return OK;
}
API(cuStreamEndCapture, (void *s, struct fake_graph **g))
{
    (void)s;
    *g = calloc(1, sizeof **g);
    (*g)->us = capture_us;
    capture_us = -1;
    return OK;
}
API(cuGraphInstantiateWithFlags, (struct fake_graph * *e, const struct fake_graph *g, unsigned long long flags))
{
    (void)flags;
    *e = calloc(1, sizeof **e);
    **e = *g;
    return OK;
}
API(cuGraphLaunch, (const struct fake_graph *e, void *s))
{
    (void)s;
    now_us += e->us;
    return OK;
}
API(cuGraphDestroy, (struct fake_graph * g))
{
    free(g);
    return OK;
}
API(cuGraphExecDestroy, (struct fake_graph * e))
{
    free(e);
    return OK;
}
API(cuGetErrorString, (int code, const char **text))
{
    *text = code == LAUNCH_FAILED ? "unspecified launch failure"
            : code == BAD_IMAGE   ? "device kernel image is invalid"
                                  : "an error of the stand-in";
    return OK;
}

/* ---- the management library ---- */
API(nvmlInit_v2, (void))
{
    return OK;
}
API(nvmlShutdown, (void))
{
    return OK;
}
API(nvmlSystemGetDriverVersion, (char *text, unsigned len))
{
    snprintf(text, len, "580.00.01");
    return OK;
}
API(nvmlDeviceGetHandleByPciBusId_v2, (const char *bus, void **d))
{
    (void)bus;
    *d = &now_us;
    return OK;
}
API(nvmlDeviceGetClockInfo, (void *d, int which, unsigned *mhz))
{
    (void)d, (void)which;
    *mhz = 1980;
    return OK;
}
