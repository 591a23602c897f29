/* Values of atomics and strong accesses, in delivery order. */
#include <string.h>

#include "sim/mpcore.h"

static void lane_atomic(struct mempart *p, struct payload *pay, uint32_t lane)
{
    uint32_t words = pay->bytes > 4 ? pay->bytes / 4 : 1;
    struct atomic_words old = {0}, a = {0}, b = {0}, new;
    uint32_t x[8] = {0};
    for (uint32_t k = 0; k < 8; k++)
        x[k] = pay->data[k][lane];
    memory_load(p->mem, p->log, pay->addr[lane], &old, pay->bytes);
    memcpy(&a, x, 4 * words);
    memcpy(&b, x + words, 4 * words);
    new = isa_atomic(pay->inst, old, a, b);
    memory_store(p->mem, p->log, p->now, pay->addr[lane], &new, pay->bytes);
    uint32_t o[4];
    memcpy(o, &old, sizeof o);
    for (uint32_t k = 0; k < words && k < 4; k++)
        pay->data[k][lane] = o[k];
}

static void move_lane(struct mempart *p, struct payload *pay, uint32_t lane, bool store)
{
    uint32_t x[4] = {0};
    if (!store)
        memory_load(p->mem, p->log, pay->addr[lane], x, pay->bytes);
    for (uint32_t k = 0; k < 4; k++)
        *(store ? &x[k] : &pay->data[k][lane]) = store ? pay->data[k][lane] : x[k];
    if (store)
        memory_store(p->mem, p->log, p->now, pay->addr[lane], x, pay->bytes);
}

void mp_apply_values(struct mempart *p, const struct message *m)
{
    bool strong = m->kind == MSG_STRONG_READ || m->kind == MSG_STRONG_WRITE;
    if (m->payload == PAYLOAD_NONE || !(strong || m->kind == MSG_ATOMIC || m->kind == MSG_REDUCE))
        return;
    struct payload *pay = payload_whole(p->payload_of(p->arg, m->source, m->payload));
    for (uint64_t mask = pay->mask; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(mask);
        if (strong)
            move_lane(p, pay, lane, m->kind == MSG_STRONG_WRITE);
        else
            lane_atomic(p, pay, lane);
    }
}
