#include "viz/session.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct session {
    struct viz_job job;
    struct player *player; /* replay instead of a job */
    struct recorder *recorder;
    struct gather gather;
    struct model *model;
    uint8_t *record; /* the watched SM's flag */
    struct error err;
    int64_t break_pc;
    cycle break_cycle;
    bool choose_sm, choose_channel; /* until something happens there */
    cycle recorded;                 /* frames so far are in the recording */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* either side changed something */
    bool started;
    /* under lock: */
    bool paused, done, quit, failed;
    bool idle; /* the simulating thread waits (paused) or has ended */
    bool restart;
    cycle target;     /* run until here, then pause; UINT64_MAX: no target */
    bool until_issue; /* pause at the next issue of `issue_warp` */
    uint32_t issue_warp;
    double speed;
    struct timespec speed_from;
    cycle speed_cycle;
    uint32_t watch, watch_channel, commands_of;
    uint64_t changes;
    bool by_clock; /* at full speed in a window, samples of the chip are as rare as pictures */
    struct timespec sampled;
};

static struct session *make(const struct viz_options *o)
{
    struct session *s = xcalloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &attr);
    pthread_condattr_destroy(&attr);
    s->target = UINT64_MAX;
    s->paused = o->start_paused;
    s->break_pc = o->break_pc;
    s->break_cycle = o->break_cycle;
    s->speed = o->speed;
    s->by_clock = !o->headless && !o->script && !o->record;
    s->choose_sm = o->sm < 0;
    s->choose_channel = o->channel < 0;
    return s;
}

struct session *session_new(const struct viz_job *job, const struct viz_options *o, struct error *err)
{
    struct session *s = make(o);
    struct machine_info info;
    s->job = *job;
    machine_info_of(job, &info);
    s->model = model_new(&info);
    s->watch = o->sm >= 0 && o->sm < info.nsm ? (uint32_t)o->sm : 0;
    s->watch_channel = s->commands_of = o->channel >= 0 && o->channel < info.nchannel ? (uint32_t)o->channel : 0;
    model_watch(s->model, s->watch);
    model_watch_channel(s->model, s->watch_channel);
    gather_init(&s->gather, job->config, 64);
    gather_stalls(&s->gather, info.npc);
    s->record = xcalloc(info.nsm, 1);
    s->record[s->watch] = 1;
    if (o->record) {
        s->recorder = recorder_new(o->record, &s->model->info, err);
        if (!s->recorder) {
            session_finish(s, NULL);
            return NULL;
        }
    }
    return s;
}

struct session *session_replay(const char *path, const struct viz_options *o, struct error *err)
{
    struct machine_info info;
    struct player *p = player_open(path, &info, err);
    if (!p)
        return NULL;
    struct session *s = make(o);
    s->player = p;
    s->model = model_new(&info);
    return s;
}

static double seconds_since(struct timespec t)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - t.tv_sec) + (double)(now.tv_nsec - t.tv_nsec) * 1e-9;
}

/* Waits on `changed` for at most `seconds`. Lock held. */
static void wait_for(struct session *s, double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double whole = (double)t.tv_nsec * 1e-9 + seconds;
    t.tv_sec += (time_t)whole;
    t.tv_nsec = (long)((whole - (double)(time_t)whole) * 1e9);
    pthread_cond_timedwait(&s->changed, &s->lock, &t);
}

/* Breakpoints are instructions of all listings, as the model counts them. */
static bool hits(const struct session *s, const struct frame *f, const struct issue_record *r)
{
    const struct machine_info *i = &s->model->info;
    uint32_t launch = r->launch + f->first_launch;
    return (uint64_t)s->break_pc / INST_BYTES == (launch < i->nlaunch ? i->launches[launch].first_pc : 0) + r->pc;
}

static bool reached_pause(struct session *s, const struct frame *f)
{
    if (f->now >= s->target)
        return true;
    if (s->break_cycle && f->now >= s->break_cycle) {
        s->break_cycle = 0;
        return true;
    }
    for (uint32_t i = 0; i < f->nissue; i++) {
        if (s->until_issue && f->issues[i].warp == s->issue_warp)
            return true;
        if (s->break_pc >= 0 && hits(s, f, &f->issues[i]))
            return true;
    }
    return false;
}

/* Sleeps while paused or ahead of the wanted speed. Lock held. False: stop this run. */
static bool hold(struct session *s, cycle now)
{
    while (s->paused && !s->quit && !s->restart) {
        s->idle = true;
        pthread_cond_broadcast(&s->changed);
        pthread_cond_wait(&s->changed, &s->lock);
    }
    s->idle = false;
    while (s->speed > 0 && s->model->rows && !s->quit && !s->restart && !s->paused && s->target == UINT64_MAX) {
        double ahead = (double)(now - s->speed_cycle) / s->speed - seconds_since(s->speed_from);
        if (ahead <= 0)
            break;
        wait_for(s, ahead < 0.1 ? ahead : 0.1);
    }
    return !s->quit && !s->restart;
}

static cycle next_window(const struct session *s, cycle now)
{
    if (s->until_issue || s->break_pc >= 0)
        return 1;
    cycle longest = UINT32_MAX;
    if (s->target != UINT64_MAX && s->target > now)
        longest = s->target - now;
    if (s->break_cycle > now && s->break_cycle - now < longest)
        longest = s->break_cycle - now;
    if (s->speed > 0 && s->model->rows) { /* about 30 pictures a second */
        cycle by_speed = (cycle)(s->speed / 30) + 1;
        longest = by_speed < longest ? by_speed : longest;
    }
    return longest;
}

/* Nobody said which SM and channel to watch: the first that have work. */
static void choose(struct session *s, const struct frame *f)
{
    const struct machine_info *i = &s->model->info;
    if (s->choose_sm && !s->player) {
        for (uint32_t k = 0; s->model->rows == 0 && k < i->nsm && f->sms[s->watch].resident == 0; k++)
            if (f->sms[k].resident)
                s->watch = k;
        s->choose_sm = s->model->rows == 0;
    }
    for (uint32_t c = 0; s->choose_channel && f->channels && c < i->nchannel && c < NVIEWCHANNEL; c++) {
        if (f->channels[c].bus_busy) {
            s->watch_channel = c;
            s->choose_channel = false;
        }
    }
}

/* One frame into the model, and the pauses that it may cause. Lock held. */
static void take(struct session *s, const struct frame *f)
{
    bool was_idle = s->model->rows == 0;
    s->changes++;
    model_feed(s->model, f);
    if (was_idle && s->model->rows) { /* the speed counts from the first warp on */
        clock_gettime(CLOCK_MONOTONIC, &s->speed_from);
        s->speed_cycle = f->now;
    }
    if (s->recorder && f->now > s->recorded) {
        recorder_frame(s->recorder, f);
        s->recorded = f->now;
    }
    if (f->sms)
        choose(s, f);
    if (reached_pause(s, f)) {
        s->paused = true;
        s->until_issue = false;
        s->target = UINT64_MAX;
    }
}

/* A sample of the chip costs as much as some ten cycles of it. */
static bool sample_now(struct session *s)
{
    enum { PICTURES_A_SECOND = 60 };
    if (!s->by_clock || s->speed > 0 || seconds_since(s->sampled) > 1.0 / PICTURES_A_SECOND)
        clock_gettime(CLOCK_MONOTONIC, &s->sampled);
    else
        return false;
    return true;
}

static cycle at_barrier(void *arg, const struct gpu *gpu, cycle now)
{
    struct session *s = arg;
    struct frame f;
    pthread_mutex_lock(&s->lock);
    enum { SLOW = 5000, NEAR = 300 }; /* cycles a second at which every picture counts; cycles before a stop */
    bool close_look = s->until_issue || s->break_pc >= 0 || (s->speed > 0 && s->speed < SLOW) ||
                      (s->target != UINT64_MAX && now + NEAR > s->target);
    if (!close_look && now >= s->gather.next_sample && !sample_now(s))
        s->gather.next_sample = now + 1;
    gather_frame(&s->gather, gpu, now, s->model->sm, s->model->channel, close_look, &f);
    take(s, &f);
    if (s->paused && !f.warps) { /* the person will look closely */
        gather_frame(&s->gather, gpu, now, s->model->sm, s->model->channel, true, &f);
        f.nissue = f.nblock = f.naccess = f.ncommand = 0;
        model_feed(s->model, &f);
    }
    bool go_on = hold(s, now);
    if (s->watch != s->model->sm) {
        s->record[s->model->sm] = 0;
        s->record[s->watch] = 1;
        model_watch(s->model, s->watch);
    }
    model_watch_channel(s->model, s->watch_channel);
    s->commands_of = s->model->channel;
    cycle window = go_on ? next_window(s, now) : 0;
    pthread_mutex_unlock(&s->lock);
    return window;
}

static void replay(struct session *s)
{
    struct frame f;
    struct error err = {0};
    for (;;) {
        pthread_mutex_lock(&s->lock);
        bool more = player_next(s->player, &f, &err);
        if (more) {
            model_watch(s->model, f.sm);
            model_watch_channel(s->model, f.channel);
            take(s, &f);
        }
        bool go_on = more && hold(s, f.now);
        pthread_mutex_unlock(&s->lock);
        if (!go_on)
            break;
    }
    if (err.status)
        s->err = err;
    if (s->restart)
        player_rewind(s->player, &s->err);
}

/* The run starts from cycle 0 again, with empty rings. Lock held. */
static void forget(struct session *s)
{
    struct machine_info info = s->model->info;
    uint32_t sm = s->model->sm, channel = s->model->channel;
    s->model->info.npc = 0;
    s->model->info.listing = NULL;
    s->model->info.unit_of = NULL;
    model_free(s->model);
    s->model = model_new(&info);
    model_watch(s->model, sm);
    model_watch_channel(s->model, channel);
    if (!s->player)
        gather_reset(&s->gather);
}

static void *simulate(void *arg)
{
    struct session *s = arg;
    bool again;
    do {
        pthread_mutex_lock(&s->lock);
        s->restart = false;
        s->done = false;
        pthread_mutex_unlock(&s->lock);
        struct error err = {0};
        if (s->player) {
            replay(s);
        } else {
            struct observer o = {
                .arg = s, .barrier = at_barrier, .record = s->record, .accesses = true, .commands = &s->commands_of};
            s->job.run(s->job.arg, &o, &err);
        }
        pthread_mutex_lock(&s->lock);
        bool stopped = s->quit || s->restart;
        if (err.status && !stopped) /* stopping it ourselves is no failure */
            s->err = err;
        s->done = s->model->finished = !stopped;
        s->changes++;
        s->idle = s->idle || !stopped; /* one that starts again is on its way */
        pthread_cond_broadcast(&s->changed);
        while (!s->restart && !s->quit) /* ended: a step back may still start it again */
            pthread_cond_wait(&s->changed, &s->lock);
        again = s->restart && !s->quit;
        if (again)
            forget(s);
        pthread_mutex_unlock(&s->lock);
    } while (again);
    return NULL;
}

void session_start(struct session *s)
{
    clock_gettime(CLOCK_MONOTONIC, &s->speed_from);
    s->started = true;
    must(pthread_create(&s->thread, NULL, simulate, s) == 0);
}

bool session_finish(struct session *s, struct error *err)
{
    if (s->started) {
        pthread_mutex_lock(&s->lock);
        s->quit = true;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
    }
    bool ok = s->err.status == EXIT_DONE;
    if (!ok && err)
        *err = s->err;
    if (s->recorder)
        ok = recorder_finish(s->recorder, err) && ok;
    if (!s->player)
        gather_finish(&s->gather);
    player_close(s->player);
    model_free(s->model);
    free(s->record);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return ok;
}

struct model *session_lock(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    return s->model;
}

void session_unlock(struct session *s)
{
    pthread_mutex_unlock(&s->lock);
}

uint64_t session_changes(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    uint64_t n = s->changes;
    pthread_mutex_unlock(&s->lock);
    return n;
}

bool session_paused(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    bool p = s->paused;
    pthread_mutex_unlock(&s->lock);
    return p;
}

bool session_done(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    bool d = s->done;
    pthread_mutex_unlock(&s->lock);
    return d;
}

static void tell(struct session *s)
{
    s->changes++;
    clock_gettime(CLOCK_MONOTONIC, &s->speed_from);
    s->speed_cycle = s->model->now;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void session_pause(struct session *s, bool pause)
{
    pthread_mutex_lock(&s->lock);
    s->paused = pause;
    s->idle = s->idle && pause;
    if (!pause) {
        s->target = UINT64_MAX;
        s->until_issue = false;
    }
    tell(s);
}

void session_run_to(struct session *s, cycle when)
{
    pthread_mutex_lock(&s->lock);
    s->target = when;
    s->paused = s->idle = false;
    tell(s);
}

void session_step(struct session *s, cycle cycles)
{
    pthread_mutex_lock(&s->lock);
    s->target = s->model->now + cycles;
    s->paused = s->idle = false;
    tell(s);
}

void session_step_issue(struct session *s, uint32_t warp)
{
    pthread_mutex_lock(&s->lock);
    s->until_issue = true;
    s->issue_warp = warp;
    s->paused = s->idle = false;
    tell(s);
}

void session_back(struct session *s, cycle cycles)
{
    pthread_mutex_lock(&s->lock);
    s->target = s->model->now > cycles ? s->model->now - cycles : 1;
    s->restart = true;
    s->paused = s->idle = false;
    tell(s);
}

void session_goto(struct session *s, cycle when)
{
    pthread_mutex_lock(&s->lock);
    s->target = when ? when : 1;
    s->restart = s->done || when <= s->model->now;
    s->paused = s->idle = false;
    tell(s);
}

void session_break(struct session *s, int64_t pc)
{
    pthread_mutex_lock(&s->lock);
    s->break_pc = s->break_pc == pc ? -1 : pc;
    tell(s);
}

int64_t session_breakpoint(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    int64_t pc = s->break_pc;
    pthread_mutex_unlock(&s->lock);
    return pc;
}

void session_watch_channel(struct session *s, uint32_t channel)
{
    pthread_mutex_lock(&s->lock);
    if (!s->player && channel < s->model->info.nchannel) {
        s->watch_channel = channel;
        s->choose_channel = false;
    }
    tell(s);
}

void session_speed(struct session *s, double cycles_per_second)
{
    pthread_mutex_lock(&s->lock);
    s->speed = cycles_per_second;
    tell(s);
}

void session_watch(struct session *s, uint32_t sm)
{
    pthread_mutex_lock(&s->lock);
    if (!s->player && sm < s->model->info.nsm)
        s->watch = sm;
    s->choose_sm = false;
    tell(s);
}

bool session_wait(struct session *s, int ms)
{
    struct timespec from;
    clock_gettime(CLOCK_MONOTONIC, &from);
    pthread_mutex_lock(&s->lock);
    while (!s->idle && seconds_since(from) < ms / 1000.0)
        wait_for(s, 0.05);
    bool idle = s->idle;
    pthread_mutex_unlock(&s->lock);
    return idle;
}
