/* What only the management library knows: the display driver's version and the clock as it is. It may be absent. */
#include "workloads/cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCK_SM = 1 }; /* of enum nvmlClockType_t */
typedef struct nvml_device *nvml_device;
struct nvml {
    void *so;
    int (*init)(void);
    int (*shutdown)(void);
    int (*driver)(char *text, unsigned len);
    int (*device)(const char *bus, nvml_device *d);
    int (*clock)(nvml_device d, int which, unsigned *mhz);
};

static bool nvml_open(struct nvml *n)
{
    const char *named = getenv("HEDDLE_LIBNVML");
    *n = (struct nvml){.so = dlopen(named && *named ? named : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (!n->so)
        return false;
    *(void **)&n->init = dlsym(n->so, "nvmlInit_v2");
    *(void **)&n->shutdown = dlsym(n->so, "nvmlShutdown");
    *(void **)&n->driver = dlsym(n->so, "nvmlSystemGetDriverVersion");
    *(void **)&n->device = dlsym(n->so, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&n->clock = dlsym(n->so, "nvmlDeviceGetClockInfo");
    if (n->init && n->shutdown && n->driver && n->device && n->clock && n->init() == 0)
        return true;
    dlclose(n->so);
    return false;
}

static void nvml_close(struct nvml *n)
{
    n->shutdown();
    dlclose(n->so);
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue .." : the first word that is a version */
static void version_of_module(char *to, size_t room)
{
    FILE *f = fopen("/proc/driver/nvidia/version", "r");
    char line[512], *save = NULL;
    if (f && fgets(line, sizeof line, f))
        for (char *word = strtok_r(line, " \t\n", &save); word; word = strtok_r(NULL, " \t\n", &save))
            if (strchr(word, '.') && strspn(word, "0123456789.") == strlen(word)) {
                snprintf(to, room, "%s", word);
                break;
            }
    if (f)
        fclose(f);
}

void cuda_driver_version(struct cuda *c)
{
    struct nvml n;
    if (nvml_open(&n)) {
        if (n.driver(c->driver, sizeof c->driver) != 0)
            c->driver[0] = 0;
        nvml_close(&n);
    }
    if (!c->driver[0])
        version_of_module(c->driver, sizeof c->driver);
}

int cuda_sm_clock_mhz(const struct cuda *c)
{
    struct nvml n;
    nvml_device d;
    unsigned mhz = 0;
    if (!nvml_open(&n))
        return 0;
    if (n.device(c->bus, &d) != 0 || n.clock(d, CLOCK_SM, &mhz) != 0)
        mhz = 0;
    nvml_close(&n);
    return (int)mhz;
}
