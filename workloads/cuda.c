/* The CUDA driver by dlopen. */
#include "workloads/cuda.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of the driver API's enum CUdevice_attribute. */
enum { ATTR_SM_KHZ = 13, ATTR_SM_COUNT = 16, ATTR_MEM_KHZ = 36, ATTR_L2_BYTES = 38, ATTR_MAJOR = 75, ATTR_MINOR = 76 };

bool cuda_ok(const struct cuda *c, int code, const char *what, struct error *err)
{
    const char *text = NULL;
    if (code == 0)
        return true;
    if (c->error_text)
        c->error_text(code, &text);
    return error_set(err, EXIT_FAILED, "%s: %s (CUDA error %d)", what, text ? text : "unknown error", code);
}

static bool find_symbols(struct cuda *c, struct error *err)
{
#define X(field, symbol, args)                                                                                         \
    *(void **)&c->field = dlsym(c->library, symbol);                                                                   \
    if (!c->field)                                                                                                     \
        return error_set(err, EXIT_FAILED, "the NVIDIA driver here is too old: it lacks %s", symbol);
    HEDDLE_CUDA(X)
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
           cuda_ok(c, c->driver_version(&c->driver), "asking the driver", err);
}

bool cuda_open(struct cuda *c, int ordinal, struct error *err)
{
    int n = 0;
    memset(c, 0, sizeof *c);
    const char *named = getenv("HEDDLE_LIBCUDA"); /* for tests, and drivers in unusual places */
    c->library = dlopen(named && *named ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!c->library)
        return error_set(err, EXIT_FAILED,
                         "no NVIDIA driver here (libcuda.so.1 cannot be loaded); `heddle check` compares with recorded "
                         "runs instead");
    if (!find_symbols(c, err) || !cuda_ok(c, c->init(0), "starting the NVIDIA driver", err) ||
        !cuda_ok(c, c->device_count(&n), "counting GPUs", err))
        return false;
    if (ordinal >= n)
        return error_set(err, EXIT_FAILED, "GPU %d was asked for, %d found", ordinal, n);
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
