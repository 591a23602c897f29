/* The CUDA driver by dlopen. */
#include "workloads/cuda.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Numbers of the driver API's enum CUdevice_attribute. */
enum { ATTR_SM_KHZ = 13, ATTR_SM_COUNT = 16, ATTR_MEM_KHZ = 36, ATTR_L2_BYTES = 38, ATTR_MAJOR = 75, ATTR_MINOR = 76 };
enum { NO_DEVICE = 100, NO_IMAGE = 209, NOT_READY = 600 }; /* of enum CUresult */

bool cuda_ok(const struct cuda *c, int code, const char *what, struct error *err)
{
    const char *text = NULL;
    if (code == 0)
        return true;
    if (c->error_text)
        c->error_text(code, &text);
    if (code == NO_IMAGE)
        return error_set(err, EXIT_BAD_INPUT, "%s: it holds no code for this GPU (%s, compute capability %d.%d)", what,
                         c->name, c->major, c->minor);
    return error_set(err, EXIT_FAILED, "%s: %s (CUDA error %d)", what, text ? text : "unknown error", code);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool cuda_wait(struct cuda *c, const char *what, struct error *err)
{
    double begun = seconds();
    for (unsigned polls = 0;; polls++) {
        int code = c->stream_query(c->stream);
        if (code != NOT_READY)
            return cuda_ok(c, code, what, err);
        if (c->watchdog_s && seconds() - begun > c->watchdog_s) {
            c->hung = true;
            return error_set(err, EXIT_NO_PROGRESS,
                             "%s did not end on the GPU within %u s: given up (`heddle run` says who waits for what; "
                             "--watchdog SECONDS waits longer)",
                             what, c->watchdog_s);
        }
        if (polls > 1000) /* what is short is not slept through */
            usleep(100);
    }
}

static bool find_symbols(struct cuda *c, struct error *err)
{
#define X(field, symbol, args)                                                                                         \
    *(void **)&c->field = dlsym(c->library, symbol);                                                                   \
    if (!c->field)                                                                                                     \
        return error_set(err, EXIT_FAILED, "the NVIDIA driver here is too old: it lacks %s", symbol);
    HEDDLE_CUDA(X)
#undef X
#define X(field, symbol, args) *(void **)&c->field = dlsym(c->library, symbol);
    HEDDLE_CUDA_LATER(X)
#undef X
    return true;
}

static bool describe(struct cuda *c, struct error *err)
{
    const int attributes[] = {ATTR_MAJOR, ATTR_MINOR, ATTR_SM_COUNT, ATTR_SM_KHZ, ATTR_MEM_KHZ, ATTR_L2_BYTES};
    int *const to[] = {&c->major, &c->minor, &c->sm_count, &c->sm_khz, &c->mem_khz, &c->l2_bytes};
    for (size_t i = 0; i < ARRAY_LEN(to); i++)
        if (!cuda_ok(c, c->device_attribute(to[i], attributes[i], c->device), "asking the device", err))
            return false;
    return cuda_ok(c, c->device_name(c->name, sizeof c->name, c->device), "asking the device", err) &&
           cuda_ok(c, c->device_bus(c->bus, sizeof c->bus, c->device), "asking the device", err) &&
           cuda_ok(c, c->driver_version(&c->api), "asking the driver", err);
}

bool cuda_open(struct cuda *c, int ordinal, struct error *err)
{
    int n = 0;
    unsigned watchdog_s = c->watchdog_s;
    memset(c, 0, sizeof *c);
    c->watchdog_s = watchdog_s;
    const char *named = getenv("HEDDLE_LIBCUDA"); /* for tests, and drivers in unusual places */
    c->library = dlopen(named && *named ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!c->library)
        return error_set(err, EXIT_FAILED,
                         "no NVIDIA driver here (libcuda.so.1 cannot be loaded); `heddle check` compares with recorded "
                         "runs instead");
    if (!find_symbols(c, err))
        return false;
    int code = c->init(0);
    if (code != NO_DEVICE && (!cuda_ok(c, code, "starting the NVIDIA driver", err) ||
                              !cuda_ok(c, c->device_count(&n), "counting GPUs", err)))
        return false;
    if (n == 0)
        return error_set(err, EXIT_FAILED,
                         "the NVIDIA driver is here, but no GPU; `heddle check` compares with recorded "
                         "runs instead");
    if (ordinal >= n)
        return error_set(err, EXIT_BAD_INPUT, "GPU %d was asked for, %d found", ordinal, n);
    cuda_driver_version(c);
    return cuda_ok(c, c->device_get(&c->device, ordinal), "opening the GPU", err) && describe(c, err) &&
           cuda_ok(c, c->context_retain(&c->context, c->device), "opening the GPU", err) &&
           cuda_ok(c, c->context_current(c->context), "opening the GPU", err) &&
           cuda_ok(c, c->stream_create(&c->stream, 1), "making a stream", err);
}

void cuda_close(struct cuda *c)
{
    if (c->library)
        dlclose(c->library);
    c->library = NULL;
}
