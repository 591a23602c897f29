/* One simulation from a linked spec: memory, warm-up launches, the reported ones, judgement; and progress. */
#include "cli/cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

volatile int interrupted;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    if (interrupted)
        _exit(EXIT_INTERRUPTED); /* asked twice: at once */
    interrupted = 1;
}

void catch_interrupts(void)
{
    struct sigaction a = {.sa_handler = on_interrupt};
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
}

static double clock_now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds_now(void)
{
    return clock_now(CLOCK_MONOTONIC);
}

static double cpu_now(void) /* of this thread */
{
    return clock_now(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t peak_bytes(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (uint64_t)u.ru_maxrss * 1024;
}

/* ---- progress: one line on a terminal, redrawn a few times a second --------------------------------------- */
struct progress {
    double start, last;
    bool drawn;
};

static void draw(void *arg, cycle now, uint64_t done, uint64_t blocks)
{
    struct progress *p = arg;
    double t = seconds_now();
    if (t - p->last < 0.2 || t - p->start < 0.5)
        return;
    p->last = t;
    p->drawn = true;
    char cycles[32], bytes[32], left[32] = "";
    number(cycles, (double)now);
    scaled(bytes, (double)peak_bytes(), "B");
    if (done && blocks)
        snprintf(left, sizeof left, ", about %.0f s left", (t - p->start) * ((double)blocks / (double)done - 1));
    fprintf(stderr, "\r\033[Kcycle %s, blocks %llu of %llu (%.0f %%), %.3g kcycles/s, %s%s", cycles,
            (unsigned long long)done, (unsigned long long)blocks, blocks ? 100.0 * (double)done / (double)blocks : 0,
            (double)now / (t - p->start) / 1e3, bytes, left);
    fflush(stderr);
}

static void erase(const struct progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
}

/* ---- the run ------------------------------------------------------------------------------------------------- */
static bool warm_up(struct simulation *s, struct gpu *g, uint32_t n, struct error *err)
{
    struct spec *spec = s->spec;
    if (!n)
        gpu_flush_l2_clean(g);
    for (uint32_t i = 0; i < n; i++) {
        bool ok = gpu_run(g, spec->sim, spec->nlaunch, s->results, err);
        for (uint32_t k = 0; ok && k < spec->nlaunch; k++)
            launch_result_finish(&s->results[k]);
        if (!ok)
            return false;
        memset(s->results, 0, spec->nlaunch * sizeof *s->results);
        if (!spec_rewrite(spec, g, err))
            return false;
    }
    return true;
}

static bool judge(struct simulation *s, struct gpu *g, struct error *err)
{
    s->left_out = gpu_values_left_out(g);
    if (s->left_out)
        return s->outputs_ok = true; /* nothing to check */
    if (!spec_collect(s->spec, g, err))
        return false;
    s->judged = s->outputs_ok = true;
    for (uint32_t i = 0; i < s->spec->nexpect; i++) {
        const struct spec_expect *e = &s->spec->expects[i];
        s->outputs_ok = s->outputs_ok && (!e->verdict.checked || e->verdict.ok);
    }
    return true;
}

bool simulate(struct simulation *s, const struct sim_options *o, struct error *err)
{
    struct spec *spec = s->spec;
    struct progress p = {.start = seconds_now()};
    s->warm = o->warm;
    struct gpu_options options = {.threads = o->threads ? o->threads : 1,
                                  .window_cycles = o->window,
                                  .max_cycles = o->max_cycles,
                                  .values_off = o->values_off,
                                  .interrupted = &interrupted};
    if (!o->quiet && isatty(STDERR_FILENO)) {
        options.progress = draw;
        options.progress_arg = &p;
    }
    struct gpu *g = gpu_new(s->config, &options, err);
    if (!g)
        return false;
    s->results = xcalloc(spec->nlaunch, sizeof *s->results);
    bool ok = spec_place(spec, g, err) && warm_up(s, g, o->warm, err);
    if (ok) {
        p.start = seconds_now();
        gpu_observe(g, o->observer);
        double cpu = cpu_now();
        ok = gpu_run(g, spec->sim, spec->nlaunch, s->results, err);
        s->host_seconds = seconds_now() - p.start;
        s->cpu_seconds = cpu_now() - cpu;
    }
    erase(&p);
    ok = ok && judge(s, g, err);
    s->host_bytes = peak_bytes();
    gpu_free(g);
    return ok;
}

void simulation_finish(struct simulation *s)
{
    for (uint32_t i = 0; s->results && i < s->spec->nlaunch; i++)
        launch_result_finish(&s->results[i]);
    free(s->results);
    s->results = NULL;
}
