/* Private to workloads/: the CUDA driver, found at run time, so that heddle builds and runs without any of it. Only the
 * calls that `heddle measure` needs; types are the driver API's own, written out here. */
#ifndef HEDDLE_WORKLOADS_CUDA_H
#define HEDDLE_WORKLOADS_CUDA_H

#include "base/base.h"

typedef struct CUctx *cu_context;
typedef struct CUmod *cu_module;
typedef struct CUfunc *cu_function;
typedef struct CUstr *cu_stream;
typedef struct CUev *cu_event;
typedef struct CUgr *cu_graph;
typedef struct CUgrExec *cu_graph_exec;
typedef unsigned long long cu_ptr;

struct cu_launch_attribute { /* CUlaunchAttribute */
    int id;
    char pad[4];
    unsigned value[16];
};
struct cu_launch_config { /* CUlaunchConfig */
    unsigned grid[3], block[3], shared;
    cu_stream stream;
    const struct cu_launch_attribute *attributes;
    unsigned nattribute;
};

/* Younger than the oldest driver that will do; NULL there. */
#define HEDDLE_CUDA_LATER(X)                                                                       \
    X(launch_with, "cuLaunchKernelEx", (const struct cu_launch_config *c, cu_function f, void **params, void **extra)) \
    X(map_encode, "cuTensorMapEncodeTiled", (void *map, int type, unsigned rank, void *base, const unsigned long long *dims, \
                                             const unsigned long long *strides, const unsigned *box, const unsigned *steps, \
                                             int interleave, int swizzle, int promotion, int fill))

/* name in the library, result of the call is always the driver's error code */
#define HEDDLE_CUDA(X)                                                                             \
    X(init, "cuInit", (unsigned flags))                                                            \
    X(driver_version, "cuDriverGetVersion", (int *version))                                        \
    X(device_count, "cuDeviceGetCount", (int *n))                                                  \
    X(device_get, "cuDeviceGet", (int *device, int ordinal))                                       \
    X(device_name, "cuDeviceGetName", (char *name, int len, int device))                           \
    X(device_bus, "cuDeviceGetPCIBusId", (char *id, int len, int device))                          \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))           \
    X(device_bytes, "cuDeviceTotalMem_v2", (size_t *bytes, int device))                            \
    X(context_retain, "cuDevicePrimaryCtxRetain", (cu_context *c, int device))                     \
    X(context_current, "cuCtxSetCurrent", (cu_context c))                                          \
    X(synchronize, "cuCtxSynchronize", (void))                                                     \
    X(module_load, "cuModuleLoadData", (cu_module *m, const void *image))                          \
    X(module_unload, "cuModuleUnload", (cu_module m))                                              \
    X(function_get, "cuModuleGetFunction", (cu_function *f, cu_module m, const char *name))        \
    X(function_set, "cuFuncSetAttribute", (cu_function f, int attribute, int value))               \
    X(mem_alloc, "cuMemAlloc_v2", (cu_ptr *p, size_t bytes))                                       \
    X(mem_free, "cuMemFree_v2", (cu_ptr p))                                                        \
    X(copy_to, "cuMemcpyHtoD_v2", (cu_ptr to, const void *from, size_t bytes))                     \
    X(copy_from, "cuMemcpyDtoH_v2", (void *to, cu_ptr from, size_t bytes))                         \
    X(set32, "cuMemsetD32Async", (cu_ptr to, unsigned value, size_t n, cu_stream s))               \
    X(launch, "cuLaunchKernel", (cu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, \
                                 unsigned shared, cu_stream s, void **params, void **extra))       \
    X(stream_create, "cuStreamCreate", (cu_stream *s, unsigned flags))                             \
    X(stream_query, "cuStreamQuery", (cu_stream s))                                                \
    X(profiler_start, "cuProfilerStart", (void))                                                   \
    X(profiler_stop, "cuProfilerStop", (void))                                                     \
    X(event_create, "cuEventCreate", (cu_event *e, unsigned flags))                                \
    X(event_record, "cuEventRecord", (cu_event e, cu_stream s))                                    \
    X(event_time, "cuEventElapsedTime", (float *ms, cu_event from, cu_event to))                   \
    X(capture_begin, "cuStreamBeginCapture_v2", (cu_stream s, int mode))                           \
    X(capture_end, "cuStreamEndCapture", (cu_stream s, cu_graph *g))                               \
    X(graph_make, "cuGraphInstantiateWithFlags", (cu_graph_exec *e, cu_graph g, unsigned long long flags)) \
    X(graph_launch, "cuGraphLaunch", (cu_graph_exec e, cu_stream s))                               \
    X(graph_free, "cuGraphDestroy", (cu_graph g))                                                  \
    X(graph_exec_free, "cuGraphExecDestroy", (cu_graph_exec e))                                    \
    X(error_text, "cuGetErrorString", (int code, const char **text))

struct cuda {
    void *library;
    int device, api;        /* api: 13000 for CUDA 13.0 */
    char driver[64];        /* version of the display driver: 580.159.04; "" where it cannot be found out */
    char name[128], bus[32];
    int major, minor, sm_count, sm_khz, mem_khz, l2_bytes;
    unsigned watchdog_s;    /* a launch that takes longer is given up; 0: never */
    bool hung;              /* that happened: the context answers no more */
    cu_context context;
    cu_stream stream;
#define X(field, symbol, args) int(*field) args;
    HEDDLE_CUDA(X)
    HEDDLE_CUDA_LATER(X)
#undef X
};
bool cuda_open(struct cuda *c, int ordinal, struct error *err); /* no driver, no device: a clear message */
void cuda_close(struct cuda *c);
/* Waits for the stream's work. A kernel that outlasts the watchdog is an error of status EXIT_NO_PROGRESS. */
bool cuda_wait(struct cuda *c, const char *what, struct error *err);
void cuda_driver_version(struct cuda *c);
int cuda_sm_clock_mhz(const struct cuda *c); /* as it is at present; 0: unknown */
/* True for code 0; else err says what failed and why. */
bool cuda_ok(const struct cuda *c, int code, const char *what, struct error *err);

#endif
