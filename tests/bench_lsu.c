/* Host time of the memory side alone: warp instructions a second of loads that hit, of a stream that misses, stores,
 * strided loads and shared loads, on one SM with a stand-in for L2. */
#include <time.h>

#include "tests/lsu_bench.h"

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct kind {
    const char *name;
    enum op op;
    enum effect_class class;
    enum space space;
    uint32_t bytes, stride;
    bool stream;
};
static const struct kind kinds[] = {
    {"load, hit", OP_LDG, EFF_LOAD, SPACE_GLOBAL, 4, 4, false},
    {"load, stream", OP_LDG, EFF_LOAD, SPACE_GLOBAL, 4, 4, true},
    {"load 128, stream", OP_LDG, EFF_LOAD, SPACE_GLOBAL, 16, 16, true},
    {"store, stream", OP_STG, EFF_STORE, SPACE_GLOBAL, 4, 4, true},
    {"load, stride 128, hit", OP_LDG, EFF_LOAD, SPACE_GLOBAL, 4, 128, false},
    {"load, stride 128, stream", OP_LDG, EFF_LOAD, SPACE_GLOBAL, 4, 128, true},
    {"store, stride 128", OP_STG, EFF_STORE, SPACE_GLOBAL, 4, 128, true},
    {"shared load", OP_LDS, EFF_LOAD, SPACE_SHARED, 4, 4, false},
    {"shared load, 2 ways", OP_LDS, EFF_LOAD, SPACE_SHARED, 4, 8, false},
    {"shuffle", OP_SHFL, EFF_VARIABLE, SPACE_GLOBAL, 4, 0, false},
};

static void drop_done(struct bench *b)
{
    while (b->ndone) {
        struct completion c = b->done[--b->ndone];
        if (c.kind != COMPLETE_SOURCES)
            lsu_effect_free(b->lsu, c.effect);
    }
}

static void measure(const struct kind *k)
{
    struct bench *b = bench_new("h200", NULL, 0);
    struct inst in = bench_inst(k->op, false);
    uint64_t base = k->space == SPACE_SHARED ? 0x400 : b->buffer;
    struct effect e = *bench_effect(&in, k->class, k->space, k->bytes, base, k->stride);
    uint32_t n = 1000000, left = n, at = 0;
    double start = seconds();
    while (left) {
        bench_step(b);
        for (uint32_t s = 0; s < 4 && left; s++) {
            if (!lsu_can_issue(b->lsu, s, &in, b->now))
                continue;
            if (k->stream) {
                at = (at + 32 * k->stride) % (BUFFER / 2);
                for (uint32_t i = 0; i < 32; i++)
                    e.addr[i] = base + at + i * k->stride;
            }
            bench_issue(b, s, s, &e);
            left--;
        }
        if (!storelog_empty(b->log) && b->now % 100 == 0)
            storelog_clear(b->log); /* as at a commit */
        if (b->now % 64 == 0)
            msgbox_sort(&b->in); /* drops what was taken */
        cycle next = bench_next(b);
        b->now = next > b->now ? next : b->now + 1;
        drop_done(b);
    }
    double t = seconds() - start;
    printf("%-26s %6.2f M instructions/s   %5.2f cycles each\n", k->name, n / t * 1e-6, (double)b->now / n);
    bench_free(b);
}

int main(int argc, char **argv) /* a number: only that kind */
{
    for (uint32_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (argc < 2 || (uint32_t)atoi(argv[1]) == i)
            measure(&kinds[i]);
    return 0;
}
/* One partition takes everything: the stand-in for L2. */
uint32_t partition_of(const struct config *c, uint64_t line_addr)
{
    (void)c;
    (void)line_addr;
    return 0;
}
