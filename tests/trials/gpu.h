/* The parts of trials_gpu: a dispatcher (gpu.c) that never touches the driver, and workers (worker.c), each a process
 * with its own context (device.c), which it tells what to run through pipes. */
#ifndef HEDDLE_TRIALS_GPU_H
#define HEDDLE_TRIALS_GPU_H

#include "tests/trials/trials.h"

enum {
    NOT_READY = 600,           /* the driver's codes */
    ILLEGAL_INSTRUCTION = 715,
    DRY = 1,                   /* results are computed here */
    NO_MARK = UINT32_MAX,
    OUT_BYTES = TRIALS_A_KERNEL * TRIAL_LANES * OUTPUT_WORDS * 4
};
/* What a worker is to run: trials of one kernel, by number. */
struct batch {
    uint32_t n, number[TRIALS_A_KERNEL];
};
/* What became of it. */
struct answer {
    uint32_t result;   /* 0; else the driver's error, NOT_READY for a kernel that hangs */
    uint32_t at;       /* with an error: which trial of the batch was begun last */
    uint8_t differs[TRIALS_A_KERNEL];
    uint32_t hash[TRIALS_A_KERNEL][TRIAL_BLOCKS];
};

struct device;
/* Ends the process if there is no driver, or no such cubin. */
struct device *device_open(const char *cubin, const uint32_t *inputs);
/* Runs a kernel of trials: 0 and its results in out (OUT_BYTES), or the driver's error and the number that each of
 * TRIAL_LANES blocks had marked, the largest of them in *at (0: none had begun). After an error the process is of no use. */
int device_run(struct device *d, const struct trial *const *t, uint32_t n, uint32_t *out, uint32_t *at);

struct worker_job {
    const struct trials *s;
    uint32_t *inputs;
    const char *cubin;       /* NULL: a dry run */
    const char *differences; /* prefix of files; NULL: none kept */
    uint32_t id;
    int in, out;             /* batches, answers */
};
_Noreturn void worker(const struct worker_job *j);

/* Whole records through a pipe; false at its end. */
bool pipe_read(int fd, void *to, size_t bytes);
bool pipe_write(int fd, const void *from, size_t bytes);

#endif
