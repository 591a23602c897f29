/* Atomics in shared memory: values, lane after lane in lane order. */
#include <string.h>

#include "sim/shared.h"

enum { CAST_SPIN = 12 }; /* of AOP in ops.def */

static struct atomic_words words_of(const struct effect *e, uint32_t lane, uint32_t first)
{
    struct atomic_words w = {e->data[first][lane], 0};
    if (e->bytes >= 8)
        w.lo |= (uint64_t)e->data[first + 1][lane] << 32;
    if (e->bytes == 16)
        w.hi = e->data[first + 2][lane] | (uint64_t)e->data[first + 3][lane] << 32;
    return w;
}

static void put_words(struct effect *e, uint32_t lane, uint32_t first, struct atomic_words w)
{
    e->data[first][lane] = (uint32_t)w.lo;
    if (e->bytes >= 8)
        e->data[first + 1][lane] = (uint32_t)(w.lo >> 32);
    if (e->bytes == 16) {
        e->data[first + 2][lane] = (uint32_t)w.hi;
        e->data[first + 3][lane] = (uint32_t)(w.hi >> 32);
    }
}

static struct atomic_words load_words(const uint8_t *at, uint32_t bytes)
{
    struct atomic_words w = {0, 0};
    memcpy(&w.lo, at, bytes < 8 ? bytes : 8);
    if (bytes == 16)
        memcpy(&w.hi, at + 8, 8);
    return w;
}

void shared_atomic(uint8_t *memory, uint32_t base, struct effect *e, lanemask mask)
{
    uint32_t operand_words = e->bytes > 4 ? e->bytes / 4U : 1;
    bool spins = e->inst->mod[MOD_AOP] == CAST_SPIN;
    for (lanemask m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        uint8_t *at = memory + ((uint32_t)e->addr[lane] - base);
        struct atomic_words old = load_words(at, e->bytes);
        struct atomic_words a = words_of(e, lane, 0);
        bool compares = 2 * operand_words <= e->nword;
        struct atomic_words b = compares ? words_of(e, lane, operand_words) : (struct atomic_words){0, 0};
        if (spins && e->value2 >> lane & 1) { /* did not swap: what it found seems another value */
            put_words(e, lane, 0, (struct atomic_words){~a.lo, ~a.hi});
            put_words(e, lane, operand_words, a);
            continue;
        }
        struct atomic_words new = isa_atomic(e->inst, old, a, b);
        memcpy(at, &new.lo, e->bytes < 8 ? e->bytes : 8);
        if (e->bytes == 16)
            memcpy(at + 8, &new.hi, 8);
        put_words(e, lane, 0, old);
        if (compares) /* so that whoever asks whether it swapped can tell */
            put_words(e, lane, operand_words, a);
    }
}
