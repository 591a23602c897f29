/* Runs trials on the GPU of this machine and compares: trials_gpu PLAN TEMPLATE.cubin OUT [DIFFERENCES [SECONDS
 * [PROCESSES [KNOWN..]]]].
 *
 * This process hands out batches of words and never touches the driver; each worker has its own context, which a word
 * that the GPU refuses takes with it: the worker says which word it was and is replaced. One that answers nothing in
 * time is killed, and its words are tried one at a time. OUT is the plan with hashes and states, written every few
 * seconds; given as PLAN it is gone on with. KNOWN are earlier OUTs: what they found to be accepted or refused is not
 * found out again. DIFFERENCES.<worker> get the results of trials that differ from what is computed here. TEMPLATE "-":
 * a dry run. HEDDLE_TRIALS_PATIENCE=0.1 makes all waits that much shorter. */
#include "tests/trials/gpu.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PROCESSES = 12,
    MOST_WORKERS = 48,
    BATCH_S = 25,
    START_S = 60,
    SAVE_S = 10,
    MOST_BROKEN = 40,
    SECOND_OF_AN_OP = 2
};
/* Order of trials: an opcode's simple words before those with many features, so that what is refused stands out. */
struct turn {
    uint32_t number, op, features;
};
struct slot {
    pid_t pid; /* 0: free */
    int to, from;
    bool ready, busy;
    double since; /* started, or given its batch */
    struct batch b;
    uint16_t op;
};
struct dispatch {
    struct trials s;
    struct turn *turn;
    struct features *what;         /* of each trial */
    uint8_t *taken, *solo, *pairs; /* of a trial: being run; to be run alone; of pairs of features: features.c */
    uint32_t in_flight[OP_COUNT], restarts, broken, started;
    struct slot slot[MOST_WORKERS];
    struct worker_job job;
    uint32_t processes;
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double patience(void)
{
    const char *p = getenv("HEDDLE_TRIALS_PATIENCE");
    return p ? atof(p) : 1;
}

static int by_turn(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (x->features != y->features)
        return x->features < y->features ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}
static void order(struct dispatch *d)
{
    d->turn = xcalloc(d->s.n + 1, sizeof *d->turn);
    d->what = xcalloc(d->s.n + 1, sizeof *d->what);
    for (uint32_t i = 0; i < d->s.n; i++) {
        trial_features(&d->s.t[i], &d->what[i]);
        d->turn[i] = (struct turn){i, d->what[i].op, d->what[i].n};
    }
    qsort(d->turn, d->s.n, sizeof *d->turn, by_turn);
    d->turn[d->s.n].op = OP_COUNT;
}

/* ---- what to run next -------------------------------------------------------------------------------------------- */
static bool open_trial(const struct dispatch *d, uint32_t i)
{
    return d->s.t[i].state == TRIAL_NEW && !d->taken[i];
}
/* Of an opcode's trials, those without suspicious pairs; one that must be alone is a batch of its own. */
static bool choose_many(struct dispatch *d, uint32_t first, struct batch *b)
{
    const struct trial *t[TRIALS_A_KERNEL];
    uint32_t length = 0;
    b->n = 0;
    for (uint32_t k = first; d->turn[k].op == d->turn[first].op; k++) {
        uint32_t i = d->turn[k].number;
        const struct trial *x = &d->s.t[i];
        if (!open_trial(d, i) || (d->solo[i] && b->n) || pairs_suspicion(&d->what[i], d->pairs) ||
            !trial_joins(t, b->n, x, &length))
            continue;
        t[b->n] = x;
        b->number[b->n++] = i;
        if (d->solo[i])
            break;
    }
    return b->n != 0;
}
/* The least suspicious one of all opcodes that not too many workers are at: what one finds out spares others refusals.
 */
static bool choose_one(struct dispatch *d, uint32_t at_most, struct batch *b)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t k = 0; k < d->s.n; k++) {
        uint32_t i = d->turn[k].number;
        if (d->s.t[i].state == TRIAL_REFUSED)
            pairs_blame(&d->what[i], d->pairs); /* more is known by now */
        if (!open_trial(d, i) || d->in_flight[d->turn[k].op] >= at_most)
            continue;
        uint32_t suspicion = pairs_suspicion(&d->what[i], d->pairs);
        if (suspicion < least) {
            least = suspicion;
            b->number[0] = i;
            b->n = 1;
        }
    }
    return least != UINT32_MAX;
}
static bool choose(struct dispatch *d, struct batch *b)
{
    for (uint32_t busy = 0; busy < d->processes; busy++)
        for (uint32_t k = 0; d->turn[k].op < OP_COUNT; k++) {
            bool its_first = !k || d->turn[k].op != d->turn[k - 1].op;
            if (its_first && d->in_flight[d->turn[k].op] == busy && choose_many(d, k, b))
                return true;
        }
    return choose_one(d, SECOND_OF_AN_OP, b) || choose_one(d, d->processes, b);
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */
static void start(struct dispatch *d, struct slot *w)
{
    int to[2], from[2];
    if (pipe(to) || pipe(from))
        return;
    fflush(stdout);
    *w = (struct slot){.pid = fork(), .to = to[1], .from = from[0], .since = seconds()};
    if (w->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (uint32_t i = 0; i < MOST_WORKERS; i++) /* or the others would not see the end of their pipes */
            if (&d->slot[i] != w && d->slot[i].pid > 0)
                close(d->slot[i].to), close(d->slot[i].from);
        close(to[1]), close(from[0]);
        d->job.in = to[0], d->job.out = from[1], d->job.id = d->started;
        worker(&d->job);
    }
    d->started++;
    close(to[0]), close(from[1]);
}
static void drop(struct dispatch *d, struct slot *w, bool by_force)
{
    if (by_force)
        kill(w->pid, SIGKILL);
    close(w->to), close(w->from);
    if (w->busy)
        d->in_flight[w->op]--;
    for (uint32_t i = 0; w->busy && i < w->b.n; i++)
        d->taken[w->b.number[i]] = 0;
    d->restarts += w->ready;
    d->broken += !w->ready;
    *w = (struct slot){0};
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ; /* one that hangs in the driver may end later */
}
static void give(struct dispatch *d, struct slot *w)
{
    if (!choose(d, &w->b) || !pipe_write(w->to, &w->b, sizeof w->b))
        return;
    for (uint32_t i = 0; i < w->b.n; i++)
        d->taken[w->b.number[i]] = 1;
    w->op = d->what[w->b.number[0]].op;
    w->busy = true;
    w->since = seconds();
    d->in_flight[w->op]++;
}

/* ---- what came out ----------------------------------------------------------------------------------------------- */
/* The words of a batch that failed without saying which of them it was. */
static void doubt(struct dispatch *d, const struct batch *b, enum trial_state alone)
{
    for (uint32_t i = 0; i < b->n; i++)
        d->solo[b->number[i]] = 1;
    if (b->n == 1) {
        d->s.t[b->number[0]].state = (uint8_t)alone;
        printf("trial %u: %s\n", b->number[0], alone == TRIAL_HUNG ? "hung" : "ended the process");
    }
}
static void note_failure(struct dispatch *d, const struct batch *b, const struct answer *a)
{
    bool refused = a->result == ILLEGAL_INSTRUCTION, hung = a->result == NOT_READY;
    if (a->at >= b->n) {
        doubt(d, b, refused ? TRIAL_REFUSED : hung ? TRIAL_HUNG : TRIAL_FAULTED);
        return;
    }
    for (uint32_t i = 0; i < a->at; i++)
        pairs_accepted(&d->what[b->number[i]], d->pairs);
    struct trial *t = &d->s.t[b->number[a->at]];
    if (refused) {
        t->state = TRIAL_REFUSED;
        pairs_refused(&d->what[b->number[a->at]], d->pairs);
    } else if (b->n == 1) {
        t->state = hung ? TRIAL_HUNG : TRIAL_FAULTED;
    } else { /* an access fails a little later than its word began */
        d->solo[b->number[a->at]] = 1;
        if (a->at)
            d->solo[b->number[a->at - 1]] = 1;
    }
    printf("trial %u of %u: error %u\n", b->number[a->at], b->n, a->result);
}
static void note_answer(struct dispatch *d, struct slot *w, const struct answer *a)
{
    for (uint32_t i = 0; !a->result && i < w->b.n; i++) {
        struct trial *t = &d->s.t[w->b.number[i]];
        t->state = TRIAL_DONE;
        memcpy(t->hash, a->hash[i], sizeof t->hash);
        pairs_accepted(&d->what[w->b.number[i]], d->pairs);
    }
    if (a->result)
        note_failure(d, &w->b, a);
}
static void hear(struct dispatch *d, struct slot *w)
{
    static struct answer a;
    if (!pipe_read(w->from, &a, sizeof a)) {
        if (w->busy)
            doubt(d, &w->b, TRIAL_FAULTED);
        drop(d, w, false);
        return;
    }
    if (w->busy) {
        note_answer(d, w, &a);
        d->in_flight[w->op]--;
        for (uint32_t i = 0; i < w->b.n; i++)
            d->taken[w->b.number[i]] = 0;
    }
    w->ready = true;
    w->busy = false;
    d->broken = 0;
    if (a.result)
        drop(d, w, false);
}
static uint32_t tend(struct dispatch *d)
{
    struct pollfd p[MOST_WORKERS];
    uint32_t busy = 0;
    for (uint32_t i = 0; i < d->processes; i++) {
        struct slot *w = &d->slot[i];
        if (!w->pid && d->broken < MOST_BROKEN)
            start(d, w);
        if (w->ready && !w->busy)
            give(d, w);
        p[i] = (struct pollfd){.fd = w->pid > 0 ? w->from : -1, .events = POLLIN};
        busy += w->busy || (w->pid > 0 && !w->ready);
    }
    if (poll(p, d->processes, 100) < 0)
        return busy;
    for (uint32_t i = 0; i < d->processes; i++) {
        struct slot *w = &d->slot[i];
        double waited = (seconds() - w->since) / patience();
        if (p[i].revents) {
            hear(d, w);
        } else if (w->pid > 0 && ((w->busy && waited > BATCH_S) || (!w->ready && waited > START_S))) {
            printf("worker of %s: no answer\n", w->busy ? op_table[w->op].text : "nothing yet");
            if (w->busy)
                doubt(d, &w->b, TRIAL_HUNG);
            drop(d, w, true);
        }
    }
    return busy;
}

static void learn(const struct trials *s, uint8_t *pairs)
{
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < s->n; i++) {
            struct features x;
            if (s->t[i].state != (pass ? TRIAL_REFUSED : TRIAL_DONE))
                continue;
            trial_features(&s->t[i], &x);
            if (pass)
                pairs_refused(&x, pairs);
            else
                pairs_accepted(&x, pairs);
        }
}

static void run(struct dispatch *d, const char *out, double until)
{
    double saved = seconds();
    struct error err = {0};
    while (seconds() < until && tend(d)) {
        if (seconds() - saved < SAVE_S)
            continue;
        saved = seconds();
        trials_write(&d->s, out, &err);
    }
    for (uint32_t i = 0; i < d->processes; i++)
        if (d->slot[i].pid > 0)
            kill(d->slot[i].pid, d->slot[i].busy ? SIGKILL : SIGTERM);
    for (uint32_t i = 0; i < d->s.n; i++)
        if (d->s.t[i].state == TRIAL_NEW && pairs_convict(&d->what[i], d->pairs))
            d->s.t[i].state = TRIAL_ALIKE;
}

int main(int argc, char **argv)
{
    struct trials known = {0};
    struct error err = {0};
    struct dispatch *d = xcalloc(1, sizeof *d);
    if (argc < 4 || !trials_read(&d->s, argv[1], &err))
        return fprintf(stderr, "trials_gpu PLAN TEMPLATE.cubin OUT [DIFFERENCES [SECONDS [PROCESSES [KNOWN..]]]]: %s\n",
                       err.text),
               2;
    signal(SIGPIPE, SIG_IGN);
    d->processes = argc > 6 ? (uint32_t)atoi(argv[6]) : PROCESSES;
    must(d->processes && d->processes <= MOST_WORKERS);
    order(d);
    d->taken = xcalloc(d->s.n + 1, 1);
    d->solo = xcalloc(d->s.n + 1, 1);
    d->pairs = xcalloc(PAIRS, 1);
    learn(&d->s, d->pairs);
    for (int a = 7; a < argc && trials_read(&known, argv[a], &err); a++)
        learn(&known, d->pairs);
    d->job = (struct worker_job){.s = &d->s, .differences = argc > 4 ? argv[4] : NULL};
    d->job.cubin = strcmp(argv[2], "-") ? argv[2] : NULL;
    d->job.inputs = xcalloc((size_t)FAM_COUNT * INPUT_RECORDS * INPUT_WORDS, 4);
    trial_inputs(d->job.inputs);
    run(d, argv[3], seconds() + (argc > 5 ? atof(argv[5]) : 1e9));
    uint32_t states[8] = {0};
    for (uint32_t i = 0; i < d->s.n; i++)
        states[d->s.t[i].state & 7]++;
    printf("%u trials: %u done, %u refused, %u hung, %u faulted, %u like refused ones, %u not tried; %u restarts\n",
           d->s.n, states[TRIAL_DONE], states[TRIAL_REFUSED], states[TRIAL_HUNG], states[TRIAL_FAULTED],
           states[TRIAL_ALIKE], states[TRIAL_NEW], d->restarts);
    return trials_write(&d->s, argv[3], &err) ? 0 : (fprintf(stderr, "%s\n", err.text), 1);
}
