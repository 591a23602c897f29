/* Runs trials on the GPU of this machine and compares: trials_gpu PLAN TEMPLATE.cubin OUT [DIFFERENCES [SECONDS
 * [PROCESSES [KNOWN..]]]].
 *
 * The template kernel's code is replaced by that of kernels of trials. Several processes share the GPU; one that meets
 * a word the GPU refuses, or that hangs, has marked how far it came in host memory, notes the word and is started
 * again. KNOWN are earlier OUTs: what they found to be accepted or refused is not found out again. OUT is the plan with
 * hashes and states. DIFFERENCES gets the results of trials that differ from what this program computes: u32 number,
 * records, words, flags, then the records. TEMPLATE "-": results are computed here (a dry run). */
#include "tests/trials/trials.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
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
    X(query, "cuStreamQuery", (void *))                                                                                \
    X(error_name, "cuGetErrorName", (int, const char **))
struct device {
    bool dry;
#define X(field, symbol, args) int(*field) args;
    CUDA(X)
#undef X
    void *context, *stream;
    cu_ptr in, out, scratch, marks_there;
    volatile uint32_t *marks;
    uint8_t *cubin;
    size_t cubin_bytes, text_at, text_bytes;
};
enum {
    NOT_READY = 600,
    ILLEGAL_INSTRUCTION = 715,
    SCRATCH = SCRATCH_BYTES,
    OUT_BYTES = TRIALS_A_KERNEL * TRIAL_LANES * OUTPUT_WORDS * 4,
    WATCHDOG_S = 4,
    PROCESSES = 12
};

static void check(struct device *d, int code, const char *what)
{
    const char *name = "?";
    if (!code)
        return;
    d->error_name(code, &name);
    fprintf(stderr, "%s: %s (%d)\n", what, name, code);
    _exit(9);
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

static void device_open(struct device *d, const char *cubin, const uint32_t *inputs)
{
    struct error err = {0};
    int device;
    void *so = dlopen("libcuda.so.1", RTLD_NOW);
    if (!so || !file_read(cubin, &d->cubin, &d->cubin_bytes, &err) || !find_text(d)) {
        fprintf(stderr, "no driver, or %s is not the template\n", cubin);
        _exit(9);
    }
#define X(field, symbol, args) *(void **)&d->field = dlsym(so, symbol);
    CUDA(X)
#undef X
    size_t bytes = (size_t)FAM_COUNT * INPUT_RECORDS * INPUT_WORDS * 4;
    void *marks;
    check(d, d->init(0), "init");
    check(d, d->device_get(&device, 0), "device");
    check(d, d->retain(&d->context, device), "context");
    check(d, d->current(d->context), "context");
    check(d, d->stream_create(&d->stream, 1), "stream");
    check(d, d->alloc(&d->in, bytes), "inputs");
    check(d, d->alloc(&d->out, OUT_BYTES), "results");
    check(d, d->alloc(&d->scratch, SCRATCH), "scratch");
    check(d, d->copy_to(d->in, inputs, bytes), "inputs");
    check(d, d->host_alloc(&marks, TRIAL_LANES * 4, 2), "marks");
    check(d, d->host_pointer(&d->marks_there, marks, 0), "marks");
    d->marks = marks;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* 0: done; else the driver's error, or NOT_READY for a kernel that hangs. */
static int run_kernel(struct device *d, const struct trial *const *t, uint32_t n, uint32_t *out)
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
        _exit(9);
    }
    memcpy(d->cubin + d->text_at, code, (size_t)ninst * INST_BYTES);
    trial_constants(a.c);
    void *params[] = {&a.p[0], &a.p[1], &a.p[2], &a.p[3], a.pad};
    check(d, d->module_load(&module, d->cubin), "module");
    check(d, d->function_get(&function, module, "trials"), "function");
    check(d, d->set8(d->out, 0, OUT_BYTES), "clear");
    for (uint32_t i = 0; i < TRIAL_LANES; i++)
        d->marks[i] = 0;
    check(d, d->launch(function, trial_warps(t[0]), 1, 1, 32, 1, 1, 4096, d->stream, params, NULL), "launch");
    double begun = seconds();
    int r;
    while ((r = d->query(d->stream)) == NOT_READY && seconds() - begun < WATCHDOG_S)
        usleep(20);
    if (r)
        return r;
    check(d, d->copy_from(out, d->out, (size_t)n * trial_records(t[0]) * OUTPUT_WORDS * 4), "results");
    d->module_unload(module);
    return 0;
}

struct turn;
struct job {
    struct trials *s;
    uint32_t *inputs, *gpu, *here;
    const char *cubin, *differences;
    double until;
    struct turn *turn;
    uint8_t *pairs;
};

static void note_difference(FILE *f, uint32_t number, const struct trial *t, const uint32_t *gpu)
{
    uint32_t records = trial_records(t) / TRIAL_BLOCKS, head[4] = {number, records, OUTPUT_USED, t->flags};
    if (!f)
        return;
    fwrite(head, 4, 4, f);
    for (uint32_t i = 0; i < records; i++)
        fwrite(gpu + (size_t)i * OUTPUT_WORDS, 4, OUTPUT_USED, f);
}

/* Order of trials: an opcode's simple words before those with many features, so that what is refused stands out. */
struct turn {
    uint32_t number, op, features;
};
static int by_turn(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (x->features != y->features)
        return x->features < y->features ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}
static struct turn *turns_of(const struct trials *s)
{
    struct turn *o = xcalloc(s->n, sizeof *o);
    for (uint32_t i = 0; i < s->n; i++) {
        struct inst in = {0};
        struct error err = {0};
        uint16_t f[MOST_FEATURES];
        inst_decode(ARCH_SM90, s->t[i].word, 0, &in, &err);
        o[i] = (struct turn){i, in.op, trial_features(&in, f)};
    }
    qsort(o, s->n, sizeof *o, by_turn);
    return o;
}

/* Trials of one kernel, of one kind, not yet done; those with suspicious pairs only in the second pass, one at a time
 * and of the fewest. Last, what is left is put down as alike to what was refused. */
static uint32_t choose(const struct job *j, uint32_t first, uint32_t end, const struct trial **t, uint32_t *number,
                       bool second)
{
    uint32_t n = 0, fewest = UINT32_MAX, length = 100; /* prologue and end */
    for (uint32_t k = first; second && k < end; k++)   /* more is known by now */
        if (j->s->t[j->turn[k].number].state == TRIAL_REFUSED)
            trial_refused(&j->s->t[j->turn[k].number], j->pairs);
    for (uint32_t k = first; k < end && n < TRIALS_A_KERNEL; k++) {
        uint32_t i = j->turn[k].number;
        const struct trial *x = &j->s->t[i];
        if (x->state != TRIAL_NEW || (!second && n && ((x->flags ^ t[0]->flags) & TF_PER_WARP)))
            continue;
        uint32_t suspects = trial_suspects(x, j->pairs);
        if (second && suspects < fewest && !trial_culprits(x, j->pairs)) {
            fewest = suspects;
            t[0] = x;
            number[0] = i;
        }
        if (!second && !suspects && (length += trial_length(x)) > KERNEL_INSTS)
            break;
        if (!second && !suspects) {
            t[n] = x;
            number[n++] = i;
        }
    }
    return second ? fewest != UINT32_MAX : n;
}

static void work(const struct job *j, uint32_t first, uint32_t end)
{
    struct device d = {.dry = strcmp(j->cubin, "-") == 0};
    const struct trial *t[TRIALS_A_KERNEL];
    uint32_t number[TRIALS_A_KERNEL], n;
    struct trial_run run = {.inputs = j->inputs};
    char *name = j->differences ? xasprintf("%s.%u", j->differences, first) : NULL;
    FILE *f = name ? fopen(name, "ab") : NULL;
    if (!d.dry)
        device_open(&d, j->cubin, j->inputs);
    while (((n = choose(j, first, end, t, number, false)) || (n = choose(j, first, end, t, number, true))) &&
           seconds() < j->until) {
        run.out = j->here;
        uint8_t here[TRIALS_A_KERNEL];
        bool all = trial_simulate(&run, t, n);
        memset(here, all, sizeof here);
        for (uint32_t i = 0; !all && i < n; i++) { /* one that is not supported here ends the kernel */
            run.out = j->here + (size_t)i * trial_records(t[i]) * OUTPUT_WORDS;
            here[i] = trial_simulate(&run, t + i, 1);
            if (!here[i])
                printf("trial %u: not simulated: %s\n", number[i], run.why);
        }
        fflush(stdout);
        int r = 0;
        if (d.dry)
            memcpy(j->gpu, j->here, OUT_BYTES);
        else
            r = run_kernel(&d, t, n, j->gpu);
        if (r) { /* the furthest that a block came */
            uint32_t at = 0;
            for (uint32_t b = 0; b < TRIAL_LANES; b++)
                at = d.marks[b] > at ? d.marks[b] : at;
            const char *why = "?";
            d.error_name(r, &why);
            printf("trial %u: %s\n", at ? number[at - 1] : number[0], r == NOT_READY ? "hung" : why);
            fflush(stdout);
            for (uint32_t i = 0; i + 1 < at; i++)
                trial_accepted(t[i], j->pairs);
            if (r == ILLEGAL_INSTRUCTION)
                trial_refused(&j->s->t[at ? number[at - 1] : number[0]], j->pairs);
            j->s->t[at ? number[at - 1] : number[0]].state = r == NOT_READY             ? TRIAL_HUNG
                                                             : r == ILLEGAL_INSTRUCTION ? TRIAL_REFUSED
                                                                                        : TRIAL_FAULTED;
            _exit(1);
        }
        for (uint32_t i = 0; i < n; i++) {
            struct trial *to = &j->s->t[number[i]];
            size_t at = (size_t)i * trial_records(to) * OUTPUT_WORDS;
            uint32_t mine[TRIAL_BLOCKS];
            trial_hashes(to, j->gpu + at, to->hash);
            trial_hashes(to, j->here + at, mine);
            if (!here[i] || memcmp(mine, to->hash, sizeof mine) != 0)
                note_difference(f, number[i], to, j->gpu + at);
            to->state = TRIAL_DONE;
            trial_accepted(to, j->pairs);
        }
        if (f)
            fflush(f);
    }
    for (uint32_t k = first; k < end && seconds() < j->until; k++) {
        struct trial *x = &j->s->t[j->turn[k].number];
        if (x->state == TRIAL_NEW)
            x->state = TRIAL_ALIKE;
    }
    if (f)
        fclose(f);
    _exit(0);
}

static void learn(const struct trials *s, uint8_t *pairs)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->t[i].state == TRIAL_DONE)
            trial_accepted(&s->t[i], pairs);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->t[i].state == TRIAL_REFUSED)
            trial_refused(&s->t[i], pairs);
}

int main(int argc, char **argv)
{
    struct trials s = {0}, known = {0}, shared;
    struct error err = {0};
    if (argc < 4 || !trials_read(&s, argv[1], &err))
        return fprintf(stderr, "trials_gpu PLAN TEMPLATE.cubin OUT [DIFFERENCES [SECONDS [PROCESSES [KNOWN..]]]]: %s\n",
                       err.text),
               2;
    struct job j = {.s = &shared,
                    .cubin = argv[2],
                    .differences = argc > 4 ? argv[4] : NULL,
                    .until = seconds() + (argc > 5 ? atof(argv[5]) : 1e9)};
    shared = (struct trials){
        mmap(NULL, (size_t)s.n * sizeof *s.t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), s.n};
    memcpy(shared.t, s.t, (size_t)s.n * sizeof *s.t);
    j.turn = turns_of(&s);
    j.pairs = mmap(NULL, PAIRS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    learn(&s, j.pairs);
    for (int a = 7; a < argc && trials_read(&known, argv[a], &err); a++)
        learn(&known, j.pairs);
    j.inputs = xcalloc((size_t)FAM_COUNT * INPUT_RECORDS * INPUT_WORDS, 4);
    trial_inputs(j.inputs);
    j.gpu = xcalloc(1, OUT_BYTES);
    j.here = xcalloc(1, OUT_BYTES);
    uint32_t count = argc > 6 ? (uint32_t)atoi(argv[6]) : PROCESSES, restarts = 0;
    pid_t pid[64];
    uint32_t running = 0, share = (s.n + count - 1) / count;
    for (uint32_t p = 0; p < count; p++) {
        uint32_t first = p * share, end = first + share < s.n ? first + share : s.n;
        if ((pid[p] = fork()) == 0)
            work(&j, first, end);
        running++;
    }
    while (running) {
        int status;
        pid_t done = wait(&status);
        for (uint32_t p = 0; p < count; p++) {
            if (pid[p] != done)
                continue;
            running--;
            bool again = WIFEXITED(status) && WEXITSTATUS(status) == 1 && seconds() < j.until;
            if (!again && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
                fprintf(stderr, "process %u ended with status 0x%x\n", p, (unsigned)status);
            uint32_t first = p * share, end = first + share < s.n ? first + share : s.n;
            if (again && (pid[p] = fork()) == 0)
                work(&j, first, end);
            running += again;
            restarts += again;
        }
    }
    uint32_t states[8] = {0};
    for (uint32_t i = 0; i < s.n; i++)
        states[shared.t[i].state & 7]++;
    printf("%u trials: %u done, %u refused, %u hung, %u faulted, %u like refused ones, %u not tried; %u restarts\n",
           s.n, states[TRIAL_DONE], states[TRIAL_REFUSED], states[TRIAL_HUNG], states[TRIAL_FAULTED],
           states[TRIAL_ALIKE], states[TRIAL_NEW], restarts);
    return trials_write(&shared, argv[3], &err) ? 0 : (fprintf(stderr, "%s\n", err.text), 1);
}
