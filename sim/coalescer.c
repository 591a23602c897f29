/* See coalescer.h. */
#include "sim/coalescer.h"

#include <stdlib.h>
#include <string.h>

enum { NBUCKET = 1024, NIL = 0xffffffff };
struct outstanding { /* a read under way */
    uint64_t addr;
    cycle tick; /* others may join it before */
    uint32_t source, tag;
    uint32_t next, joined, answer; /* answer: it has passed, but some may still join */
    uint16_t njoined;
    uint8_t sectors;
    bool spoilt;
};
struct joined {
    cycle time;
    uint32_t source, tag, next;
};
struct answer {
    struct message m;
    uint32_t next;
};
struct coalescer {
    cycle period, way;
    uint32_t most;
    uint32_t bucket[NBUCKET];
    struct outstanding *reads;
    struct joined *waits;
    struct answer *answers;
    size_t nread, read_cap, nwait, wait_cap, nanswer, answer_cap;
    uint32_t free_read, free_wait, free_answer;
    struct message *late; /* answers that go out later than that of the read they met, sorted, from `head` on */
    size_t nlate, late_cap, head;
};

struct coalescer *coalescer_new(cycle period, uint32_t most, cycle way)
{
    struct coalescer *c = xcalloc(1, sizeof *c);
    c->period = period;
    c->way = way;
    c->most = most;
    memset(c->bucket, 0xff, sizeof c->bucket);
    c->free_read = c->free_wait = c->free_answer = NIL;
    return c;
}

void coalescer_free(struct coalescer *c)
{
    if (!c)
        return;
    free(c->reads);
    free(c->waits);
    free(c->answers);
    free(c->late);
    free(c);
}

/* ---- pools ---------------------------------------------------------------------------------------------- */
static uint32_t take_read(struct coalescer *c)
{
    uint32_t i = c->free_read;
    if (i == NIL) {
        c->reads = grow(c->reads, c->nread, &c->read_cap, sizeof *c->reads);
        return (uint32_t)c->nread++;
    }
    c->free_read = c->reads[i].next;
    return i;
}

static uint32_t take_wait(struct coalescer *c)
{
    uint32_t i = c->free_wait;
    if (i == NIL) {
        c->waits = grow(c->waits, c->nwait, &c->wait_cap, sizeof *c->waits);
        return (uint32_t)c->nwait++;
    }
    c->free_wait = c->waits[i].next;
    return i;
}

static uint32_t take_answer(struct coalescer *c)
{
    uint32_t i = c->free_answer;
    if (i == NIL) {
        c->answers = grow(c->answers, c->nanswer, &c->answer_cap, sizeof *c->answers);
        return (uint32_t)c->nanswer++;
    }
    c->free_answer = c->answers[i].next;
    return i;
}

static uint32_t *bucket_of(struct coalescer *c, uint64_t addr)
{
    uint64_t line = addr >> 7;
    return &c->bucket[(line ^ line >> 9 ^ line >> 18) % NBUCKET];
}

static void remember(struct coalescer *c, const struct message *m)
{
    uint32_t i = take_read(c), *bucket = bucket_of(c, m->addr);
    c->reads[i] = (struct outstanding){.addr = m->addr,
                                       .tick = (m->time / c->period + 1) * c->period,
                                       .source = m->source,
                                       .tag = m->tag,
                                       .next = *bucket,
                                       .joined = NIL,
                                       .answer = NIL,
                                       .sectors = m->sectors};
    *bucket = i;
}

static void forget(struct coalescer *c, uint32_t *link)
{
    uint32_t i = *link, a = c->reads[i].answer;
    if (a != NIL) {
        c->answers[a].next = c->free_answer;
        c->free_answer = a;
    }
    *link = c->reads[i].next;
    c->reads[i].next = c->free_read;
    c->free_read = i;
}

/* ---- answers ------------------------------------------------------------------------------------------------ */
static bool before(const struct message *a, const struct message *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->dest != b->dest ? a->dest < b->dest : a->tag < b->tag;
}

static void answer_late(struct coalescer *c, const struct message *m)
{
    if (c->head == c->nlate)
        c->head = c->nlate = 0;
    if (c->head > 64 && c->head > c->nlate / 2) {
        c->nlate -= c->head;
        memmove(c->late, c->late + c->head, c->nlate * sizeof *c->late);
        c->head = 0;
    }
    c->late = grow(c->late, c->nlate, &c->late_cap, sizeof *c->late);
    size_t i = c->nlate++;
    for (; i > c->head && before(m, &c->late[i - 1]); i--)
        c->late[i] = c->late[i - 1];
    c->late[i] = *m;
}

cycle coalescer_next(const struct coalescer *c)
{
    return c->head < c->nlate ? c->late[c->head].time : UINT64_MAX;
}

struct message coalescer_take(struct coalescer *c)
{
    must(c->head < c->nlate);
    return c->late[c->head++];
}

/* The answer for a read that came at `time`, no sooner than its own way there and back allows. */
static struct message shared_answer(const struct coalescer *c, const struct message *reply, uint32_t source,
                                    uint32_t tag, cycle time)
{
    struct message m = *reply;
    m.dest = source;
    m.tag = tag;
    m.payload = PAYLOAD_SHARED;
    m.time = time + c->way > m.time ? time + c->way : m.time;
    return m;
}

static void join(struct coalescer *c, struct outstanding *r, const struct message *m)
{
    r->njoined++;
    if (r->answer != NIL) {
        struct message late = shared_answer(c, &c->answers[r->answer].m, m->source, m->tag, m->time);
        answer_late(c, &late);
        return;
    }
    uint32_t w = take_wait(c);
    c->waits[w] = (struct joined){.time = m->time, .source = m->source, .tag = m->tag, .next = r->joined};
    r->joined = w;
}

bool coalescer_join(struct coalescer *c, const struct message *m)
{
    bool spoilt = false;
    for (uint32_t *link = bucket_of(c, m->addr); *link != NIL;) {
        struct outstanding *r = &c->reads[*link];
        if (r->tick <= m->time && r->joined == NIL) { /* its answer is its own affair */
            forget(c, link);
            continue;
        }
        link = &r->next;
        if (r->addr == m->addr && r->sectors != m->sectors && r->tick > m->time) {
            r->spoilt = true; /* until the tick nobody joins it any more, nor the one that came */
            spoilt = true;
        }
        if (r->addr != m->addr || r->sectors != m->sectors || r->tick <= m->time || r->spoilt ||
            r->njoined + 1U >= c->most)
            continue;
        join(c, r, m);
        return true;
    }
    if (!spoilt)
        remember(c, m);
    return false;
}

static void answer_joined(struct coalescer *c, uint32_t first, const struct message *reply,
                          void (*deliver)(void *arg, const struct message *m), void *arg)
{
    for (uint32_t w = first, next; w != NIL; w = next) {
        struct joined *j = &c->waits[w];
        struct message m = shared_answer(c, reply, j->source, j->tag, j->time);
        next = j->next;
        j->next = c->free_wait;
        c->free_wait = w;
        if (m.time > reply->time)
            answer_late(c, &m);
        else
            deliver(arg, &m);
    }
}

void coalescer_answer(struct coalescer *c, const struct message *reply,
                      void (*deliver)(void *arg, const struct message *m), void *arg)
{
    for (uint32_t *link = bucket_of(c, reply->addr); *link != NIL; link = &c->reads[*link].next) {
        struct outstanding *r = &c->reads[*link];
        if (r->addr != reply->addr || r->source != reply->dest || r->tag != reply->tag || r->answer != NIL)
            continue;
        uint32_t joined = r->joined;
        r->joined = NIL;
        if (r->tick + c->way > reply->time) { /* one that comes before the tick may not be known yet */
            uint32_t a = take_answer(c);
            c->answers[a].m = *reply;
            r->answer = a;
        } else {
            forget(c, link);
        }
        answer_joined(c, joined, reply, deliver, arg);
        return;
    }
}
