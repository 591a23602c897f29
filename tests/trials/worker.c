/* A process of trials_gpu: runs the batches it is given, here and on the GPU, and says what came out. */
#include "tests/trials/gpu.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool pipe_read(int fd, void *to, size_t bytes)
{
    for (uint8_t *p = to; bytes;) {
        ssize_t got = read(fd, p, bytes);
        if (got <= 0)
            return false;
        p += got, bytes -= (size_t)got;
    }
    return true;
}
bool pipe_write(int fd, const void *from, size_t bytes)
{
    for (const uint8_t *p = from; bytes;) {
        ssize_t put = write(fd, p, bytes);
        if (put <= 0)
            return false;
        p += put, bytes -= (size_t)put;
    }
    return true;
}

/* u32 number, records, words, flags, then the records of the first block. */
static void note_difference(FILE *f, uint32_t number, const struct trial *t, const uint32_t *gpu)
{
    uint32_t records = trial_records(t) / TRIAL_BLOCKS, head[4] = {number, records, OUTPUT_USED, t->flags};
    if (!f)
        return;
    fwrite(head, 4, 4, f);
    for (uint32_t i = 0; i < records; i++)
        fwrite(gpu + (size_t)i * OUTPUT_WORDS, 4, OUTPUT_USED, f);
    fflush(f);
}

static void run_here(const struct worker_job *j, const struct trial *const *t, const struct batch *b, uint32_t *here,
                     bool *simulated)
{
    struct trial_run run = {.inputs = j->inputs, .out = here};
    memset(here, 0, OUT_BYTES);
    bool all = trial_simulate(&run, t, b->n);
    for (uint32_t i = 0; i < b->n; i++) {
        simulated[i] = all;
        if (all)
            continue;
        run.out = here + (size_t)i * trial_records(t[i]) * OUTPUT_WORDS; /* one that is not supported ends the kernel */
        memset(run.out, 0, (size_t)trial_records(t[i]) * OUTPUT_WORDS * 4);
        simulated[i] = trial_simulate(&run, t + i, 1);
        if (!simulated[i])
            printf("trial %u: not simulated: %s\n", b->number[i], run.why);
    }
    fflush(stdout);
}

_Noreturn void worker(const struct worker_job *j)
{
    struct device *d = j->cubin ? device_open(j->cubin, j->inputs) : NULL;
    char *name = j->differences ? xasprintf("%s.%u", j->differences, j->id) : NULL;
    FILE *f = name ? fopen(name, "ab") : NULL;
    uint32_t *gpu = xcalloc(1, OUT_BYTES), *here = xcalloc(1, OUT_BYTES);
    struct batch b;
    static const struct answer ready;
    if (!pipe_write(j->out, &ready, sizeof ready))
        _exit(0);
    while (pipe_read(j->in, &b, sizeof b)) {
        const struct trial *t[TRIALS_A_KERNEL];
        bool simulated[TRIALS_A_KERNEL];
        struct answer a = {.at = NO_MARK};
        for (uint32_t i = 0; i < b.n; i++)
            t[i] = &j->s->t[b.number[i]];
        run_here(j, t, &b, here, simulated);
        if (d) {
            uint32_t at;
            a.result = (uint32_t)device_run(d, t, b.n, gpu, &at);
            a.at = at ? at - 1 : NO_MARK;
        } else {
            memcpy(gpu, here, OUT_BYTES);
        }
        for (uint32_t i = 0; !a.result && i < b.n; i++) {
            size_t at = (size_t)i * trial_records(t[i]) * OUTPUT_WORDS;
            uint32_t mine[TRIAL_BLOCKS];
            trial_hashes(t[i], gpu + at, a.hash[i]);
            trial_hashes(t[i], here + at, mine);
            a.differs[i] = !simulated[i] || memcmp(mine, a.hash[i], sizeof mine) != 0;
            if (a.differs[i])
                note_difference(f, b.number[i], t[i], gpu + at);
        }
        if (!pipe_write(j->out, &a, sizeof a) || a.result)
            break;
    }
    if (f)
        fclose(f);
    _exit(0);
}
