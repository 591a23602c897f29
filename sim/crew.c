/* Host threads. A job's items are claimed from one 64-bit ticket that names the job, its size and the next item, so
 * that a thread which wakes late can never mistake one job for another. */
#include "sim/crew.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ITEM_BITS = 24, NJOB = 4 };
#define ITEM_MASK ((UINT64_C(1) << ITEM_BITS) - 1)

struct job {
    crew_fn *fn;
    void *arg;
};
struct crew {
    _Alignas(64) atomic_uint_fast64_t ticket; /* number of the job, its size, next item */
    _Alignas(64) atomic_uint done;            /* items finished; the main thread sleeps on it */
    _Alignas(64) atomic_uint call;            /* counts jobs; idle threads sleep on it */
    atomic_uint sleepers;
    atomic_bool main_sleeps, quit;
    struct job jobs[NJOB];
    uint64_t number;
    uint32_t nthread, spin;
    pthread_t *threads;
};

static void sleep_while(atomic_uint *word, unsigned value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(atomic_uint *word, uint32_t n)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

static void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Works on the current job until nothing is left to claim. */
static void work(struct crew *c)
{
    for (;;) {
        uint64_t t = atomic_load(&c->ticket);
        uint32_t item = (uint32_t)(t & ITEM_MASK), n = (uint32_t)(t >> ITEM_BITS & ITEM_MASK);
        if (item >= n)
            return;
        if (!atomic_compare_exchange_weak(&c->ticket, &t, t + 1))
            continue;
        const struct job *j = &c->jobs[(t >> 2 * ITEM_BITS) % NJOB];
        j->fn(j->arg, item);
        if (atomic_fetch_add(&c->done, 1) + 1 == n && atomic_load(&c->main_sleeps))
            wake(&c->done, 1);
    }
}

static void *thread_main(void *arg)
{
    struct crew *c = arg;
    unsigned seen = 0;
    for (;;) {
        unsigned now = atomic_load(&c->call);
        for (uint32_t i = 0; now == seen && i < c->spin; i++) {
            pause_a_little();
            now = atomic_load(&c->call);
        }
        while (now == seen) {
            atomic_fetch_add(&c->sleepers, 1);
            sleep_while(&c->call, seen);
            atomic_fetch_sub(&c->sleepers, 1);
            now = atomic_load(&c->call);
        }
        seen = now;
        if (atomic_load(&c->quit))
            return NULL;
        work(c);
    }
}

struct crew *crew_new(uint32_t threads)
{
    struct crew *c = xalloc_aligned(sizeof *c, 64);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    c->nthread = threads ? threads : 1;
    c->spin = cores > 0 && c->nthread <= (uint32_t)cores ? 2000 : 0;
    c->threads = xcalloc(c->nthread, sizeof *c->threads);
    for (uint32_t i = 1; i < c->nthread; i++)
        if (pthread_create(&c->threads[i], NULL, thread_main, c) != 0)
            c->nthread = i; /* the system gives no more: results do not depend on their number */
    return c;
}

void crew_free(struct crew *c)
{
    if (!c)
        return;
    atomic_store(&c->quit, true);
    atomic_fetch_add(&c->call, 1);
    wake(&c->call, INT32_MAX);
    for (uint32_t i = 1; i < c->nthread; i++)
        pthread_join(c->threads[i], NULL);
    free(c->threads);
    free(c);
}

uint32_t crew_threads(const struct crew *c)
{
    return c->nthread;
}

static void wait_for_all(struct crew *c, uint32_t n)
{
    for (uint32_t i = 0; i < c->spin; i++) {
        if (atomic_load(&c->done) == n)
            return;
        pause_a_little();
    }
    atomic_store(&c->main_sleeps, true);
    for (unsigned d = atomic_load(&c->done); d != n; d = atomic_load(&c->done))
        sleep_while(&c->done, d);
    atomic_store(&c->main_sleeps, false);
}

void crew_do(struct crew *c, uint32_t n, crew_fn *fn, void *arg)
{
    if (c->nthread == 1 || n < 2) {
        for (uint32_t i = 0; i < n; i++)
            fn(arg, i);
        return;
    }
    must(n < ITEM_MASK);
    c->number = (c->number + 1) & 0xffff;
    c->jobs[c->number % NJOB] = (struct job){fn, arg};
    atomic_store(&c->done, 0);
    atomic_store(&c->ticket, c->number << 2 * ITEM_BITS | (uint64_t)n << ITEM_BITS);
    atomic_fetch_add(&c->call, 1);
    uint32_t asleep = atomic_load(&c->sleepers);
    if (asleep)
        wake(&c->call, asleep < n - 1 ? asleep : n - 1);
    work(c);
    wait_for_all(c, n);
}
