#include "sim/shared.h"

#include <string.h>

#include "sim/lane.h"

enum { MAX_BANKS = 128, MAX_WORDS = 4 * NLANE };

/* Distinct words met in a phase, chained by bank. */
struct banks_use {
    uint16_t first[MAX_BANKS]; /* word + 1 */
    uint8_t count[MAX_BANKS];
    uint64_t word[MAX_WORDS];
    uint16_t next[MAX_WORDS];
    uint32_t n;
};

/* Number of different words of the bank, this one included. */
static uint32_t use_word(struct banks_use *u, uint32_t bank, uint64_t word)
{
    for (uint32_t i = u->first[bank]; i; i = u->next[i - 1])
        if (u->word[i - 1] == word)
            return u->count[bank];
    u->word[u->n] = word;
    u->next[u->n++] = u->first[bank];
    u->first[bank] = (uint16_t)u->n;
    return ++u->count[bank];
}

static uint32_t phase_wavefronts(const struct banks *b, lanemask mask, const uint64_t *addr, uint32_t bytes)
{
    struct banks_use u;
    uint32_t most = 0;
    memset(u.first, 0, b->banks * sizeof u.first[0]);
    memset(u.count, 0, b->banks);
    u.n = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t at = addr[__builtin_ctzll(mask)];
        for (uint64_t word = at / b->bank_bytes; word <= (at + bytes - 1) / b->bank_bytes; word++) {
            uint32_t n = use_word(&u, (uint32_t)(word % b->banks), word);
            most = n > most ? n : most;
        }
    }
    return most;
}

static uint32_t phase_lanes(const struct banks *b, uint32_t bytes)
{
    uint32_t lanes = b->banks * b->bank_bytes / bytes;
    return lanes > b->nlane ? b->nlane : lanes ? lanes : 1;
}

static lanemask lanes_from(uint32_t first, uint32_t n)
{
    return (n >= NLANE ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << (first % NLANE);
}

struct wavefronts shared_wavefronts_run(const struct banks *b, lanemask mask, uint32_t bytes)
{
    struct wavefronts w = {0, 0};
    uint32_t n = phase_lanes(b, bytes);
    for (uint32_t i = 0; i < b->nlane; i += n)
        w.ideal += (mask & lanes_from(i, n)) != 0;
    w.total = w.ideal;
    return w;
}

/* Every lane's neighbour at this distance is awake and reads the same address. */
static bool neighbours_share(lanemask mask, const uint64_t *addr, uint32_t distance)
{
    for (lanemask m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m), other = lane ^ distance;
        if (!(mask >> other & 1) || addr[other] != addr[lane])
            return false;
    }
    return true;
}

/* Two phases of a wide load pass as one where lanes pair up on addresses, next to one another or two apart. Equal
 * addresses in different phases are not enough, unless there is one alone: the H200 takes four wavefronts for eight
 * addresses read four times. */
static bool phases_merge(lanemask mask, const uint64_t *addr)
{
    uint64_t first = addr[__builtin_ctzll(mask)];
    bool one = true;
    for (lanemask m = mask; m && one; m &= m - 1)
        one = addr[__builtin_ctzll(m)] == first;
    return one || neighbours_share(mask, addr, 1) || neighbours_share(mask, addr, 2);
}

struct wavefronts shared_wavefronts(const struct banks *b, lanemask mask, const uint64_t *addr, uint32_t bytes)
{
    struct wavefronts w = shared_wavefronts_run(b, mask, bytes);
    uint32_t n = phase_lanes(b, bytes);
    bool pairs = b->merges && n < b->nlane;
    w.total = 0;
    for (uint32_t i = 0; i < b->nlane; i += pairs ? 2 * n : n) {
        lanemask here = mask & lanes_from(i, n), next = pairs ? mask & lanes_from(i + n, n) : 0;
        if (here && next && phases_merge(here | next, addr) && phase_wavefronts(b, here | next, addr, bytes) == 1)
            w.total++;
        else
            w.total += (here ? phase_wavefronts(b, here, addr, bytes) : 0) +
                       (next ? phase_wavefronts(b, next, addr, bytes) : 0);
    }
    w.ideal = w.ideal < w.total ? w.ideal : w.total;
    return w;
}

uint32_t shared_multiplicity(lanemask mask, const uint64_t *addr, uint32_t bytes)
{
    uint32_t most = 0;
    for (lanemask left = mask; left;) {
        uint64_t word = addr[__builtin_ctzll(left)] / bytes;
        uint32_t n = 0;
        for (lanemask m = left; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctzll(m);
            if (addr[lane] / bytes == word) {
                left &= ~(UINT64_C(1) << lane);
                n++;
            }
        }
        most = n > most ? n : most;
    }
    return most;
}

/* ---- values ---------------------------------------------------------------------------------- */
void shared_load(const uint8_t *memory, uint32_t base, struct effect *e, lanemask mask)
{
    for (lanemask m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        lane_get(e->data, lane, memory + ((uint32_t)e->addr[lane] - base), e->bytes);
    }
}

void shared_store(uint8_t *memory, uint32_t base, const struct effect *e, lanemask mask)
{
    for (lanemask m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        lane_put(memory + ((uint32_t)e->addr[lane] - base), e->data, lane, e->bytes);
    }
}
