/* See coalescer.h. Tables of fixed size: when one is full, reads go on alone. */
#include "sim/coalescer.h"

#include <stdlib.h>
#include <string.h>

enum { NBUCKET = 1024, NREAD = 8192, NJOINED = 8192, NIL = 0xffff };
struct outstanding { /* a read under way */
    uint64_t addr;
    cycle tick; /* others may join it before */
    uint32_t source, tag;
    uint16_t next, joined, njoined;
    uint8_t sectors;
    bool spoilt;
};
struct joined {
    uint32_t source, tag;
    uint16_t next;
};
struct coalescer {
    cycle period;
    uint32_t most;
    uint16_t bucket[NBUCKET], free_read, free_joined;
    struct outstanding reads[NREAD];
    struct joined waits[NJOINED];
};

struct coalescer *coalescer_new(cycle period, uint32_t most)
{
    struct coalescer *c = xcalloc(1, sizeof *c);
    c->period = period;
    c->most = most;
    memset(c->bucket, 0xff, sizeof c->bucket);
    for (uint32_t i = 0; i < NREAD; i++)
        c->reads[i].next = (uint16_t)(i + 1 < NREAD ? i + 1 : NIL);
    for (uint32_t i = 0; i < NJOINED; i++)
        c->waits[i].next = (uint16_t)(i + 1 < NJOINED ? i + 1 : NIL);
    return c;
}

void coalescer_free(struct coalescer *c)
{
    free(c);
}

static uint16_t *bucket_of(struct coalescer *c, uint64_t addr)
{
    uint64_t line = addr >> 7;
    return &c->bucket[(line ^ line >> 9 ^ line >> 18) % NBUCKET];
}

static void remember(struct coalescer *c, const struct message *m)
{
    uint16_t i = c->free_read, *bucket = bucket_of(c, m->addr);
    if (i == NIL)
        return;
    c->free_read = c->reads[i].next;
    c->reads[i] = (struct outstanding){.addr = m->addr,
                                       .tick = (m->time / c->period + 1) * c->period,
                                       .source = m->source,
                                       .tag = m->tag,
                                       .next = *bucket,
                                       .joined = NIL,
                                       .sectors = m->sectors};
    *bucket = i;
}

static void forget(struct coalescer *c, uint16_t *link)
{
    uint16_t i = *link;
    *link = c->reads[i].next;
    c->reads[i].next = c->free_read;
    c->free_read = i;
}

bool coalescer_join(struct coalescer *c, const struct message *m)
{
    bool spoilt = false;
    for (uint16_t *link = bucket_of(c, m->addr); *link != NIL;) {
        struct outstanding *r = &c->reads[*link];
        if (r->tick <= m->time && !r->njoined) { /* its answer is its own affair */
            forget(c, link);
            continue;
        }
        uint16_t w = c->free_joined;
        link = &r->next;
        if (r->addr == m->addr && r->sectors != m->sectors && r->tick > m->time) {
            r->spoilt = true; /* until the tick nobody joins it any more, nor the one that came */
            spoilt = true;
        }
        if (r->addr != m->addr || r->sectors != m->sectors || r->tick <= m->time || r->spoilt ||
            r->njoined + 1U >= c->most || w == NIL)
            continue;
        c->free_joined = c->waits[w].next;
        c->waits[w] = (struct joined){.source = m->source, .tag = m->tag, .next = r->joined};
        r->joined = w;
        r->njoined++;
        return true;
    }
    if (!spoilt)
        remember(c, m);
    return false;
}

static void answer_joined(struct coalescer *c, uint16_t first, const struct message *reply,
                          void (*deliver)(void *arg, const struct message *m), void *arg)
{
    for (uint16_t w = first, next; w != NIL; w = next) {
        struct joined *j = &c->waits[w];
        struct message m = *reply;
        m.dest = j->source;
        m.tag = j->tag;
        m.payload = PAYLOAD_SHARED;
        next = j->next;
        j->next = c->free_joined;
        c->free_joined = w;
        deliver(arg, &m);
    }
}

void coalescer_answer(struct coalescer *c, const struct message *reply,
                      void (*deliver)(void *arg, const struct message *m), void *arg)
{
    for (uint16_t *link = bucket_of(c, reply->addr); *link != NIL; link = &c->reads[*link].next) {
        const struct outstanding *r = &c->reads[*link];
        if (r->addr != reply->addr || r->source != reply->dest || r->tag != reply->tag)
            continue;
        uint16_t joined = r->joined;
        forget(c, link);
        answer_joined(c, joined, reply, deliver, arg);
        return;
    }
}
