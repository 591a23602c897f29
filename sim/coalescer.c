/* See coalescer.h. Tables of fixed size: when one is full, reads go on alone. */
#include "sim/coalescer.h"

#include <stdlib.h>
#include <string.h>

enum { NBUCKET = 512, NREAD = 2048, NJOINED = 4096, NIL = 0xffff };
struct outstanding { /* a read under way */
    uint64_t addr;
    uint32_t source, tag;
    uint16_t next, joined;
    uint8_t sectors;
};
struct joined {
    uint32_t source, tag;
    uint16_t next;
    uint8_t sectors;
};
struct coalescer {
    uint16_t bucket[NBUCKET], free_read, free_joined;
    struct outstanding reads[NREAD];
    struct joined waits[NJOINED];
};

struct coalescer *coalescer_new(void)
{
    struct coalescer *c = xcalloc(1, sizeof *c);
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
    c->reads[i] = (struct outstanding){
        .addr = m->addr, .source = m->source, .tag = m->tag, .next = *bucket, .joined = NIL, .sectors = m->sectors};
    *bucket = i;
}

bool coalescer_join(struct coalescer *c, const struct message *m)
{
    for (uint16_t i = *bucket_of(c, m->addr); i != NIL; i = c->reads[i].next) {
        struct outstanding *r = &c->reads[i];
        uint16_t w = c->free_joined;
        if (r->addr != m->addr || (m->sectors & ~r->sectors) || w == NIL)
            continue;
        c->free_joined = c->waits[w].next;
        c->waits[w] = (struct joined){.source = m->source, .tag = m->tag, .next = r->joined, .sectors = m->sectors};
        r->joined = w;
        return true;
    }
    remember(c, m);
    return false;
}

static void answer_joined(struct coalescer *c, uint16_t first, const struct message *reply,
                          void (*deliver)(void *arg, const struct message *m), void *arg)
{
    uint32_t header = reply->wire_bytes - 32U * (uint32_t)__builtin_popcount(reply->sectors);
    for (uint16_t w = first, next; w != NIL; w = next) {
        struct joined *j = &c->waits[w];
        struct message m = *reply;
        m.dest = j->source;
        m.tag = j->tag;
        m.sectors = j->sectors;
        m.wire_bytes = (uint16_t)(header + 32U * (uint32_t)__builtin_popcount(j->sectors));
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
        uint16_t i = *link;
        struct outstanding *r = &c->reads[i];
        if (r->addr != reply->addr || r->source != reply->dest || r->tag != reply->tag)
            continue;
        *link = r->next;
        r->next = c->free_read;
        c->free_read = i;
        answer_joined(c, r->joined, reply, deliver, arg);
        return;
    }
}
