#include "sim/shared.h"

#include <string.h>

#include "sim/lane.h"

enum { MAX_BANKS = 128, MAX_WORDS = 4 * NLANE };

/* Distinct words met in a phase, chained by bank. */
struct banks_use {
    uint16_t first[MAX_BANKS];  /* word + 1 */
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

static uint32_t phase_wavefronts(uint32_t banks, uint32_t bank_bytes, lanemask mask, const uint64_t *addr, uint32_t bytes)
{
    struct banks_use u;
    uint32_t most = 0;
    memset(u.first, 0, banks * sizeof u.first[0]);
    memset(u.count, 0, banks);
    u.n = 0;
    for (; mask; mask &= mask - 1) {
        uint32_t at = (uint32_t)addr[__builtin_ctzll(mask)]; /* shared addresses have 32 bits */
        for (uint32_t word = at / bank_bytes; word <= (at + bytes - 1) / bank_bytes; word++) {
            uint32_t n = use_word(&u, word % banks, word);
            most = n > most ? n : most;
        }
    }
    return most;
}

struct phases {
    uint32_t lanes; /* of a phase */
    lanemask mask;
};

static struct phases phases_of(uint32_t banks, uint32_t bank_bytes, uint32_t nlane, uint32_t bytes)
{
    uint32_t lanes = banks * bank_bytes / bytes;
    lanes = lanes > nlane ? nlane : lanes ? lanes : 1;
    return (struct phases){lanes, lanes == NLANE ? ~UINT64_C(0) : (UINT64_C(1) << lanes) - 1};
}

struct wavefronts shared_wavefronts_ideal(uint32_t banks, uint32_t bank_bytes, uint32_t nlane, lanemask mask, uint32_t bytes)
{
    struct phases p = phases_of(banks, bank_bytes, nlane, bytes);
    struct wavefronts w = {0, 0};
    for (uint32_t i = 0; i < nlane; i += p.lanes)
        w.ideal += (mask >> i & p.mask) != 0;
    w.total = w.ideal;
    return w;
}

struct wavefronts shared_wavefronts(uint32_t banks, uint32_t bank_bytes, uint32_t nlane, lanemask mask,
                                    const uint64_t *addr, uint32_t bytes)
{
    struct phases p = phases_of(banks, bank_bytes, nlane, bytes);
    struct wavefronts w = shared_wavefronts_ideal(banks, bank_bytes, nlane, mask, bytes);
    w.total = 0;
    for (uint32_t i = 0; i < nlane; i += p.lanes)
        w.total += phase_wavefronts(banks, bank_bytes, mask & p.mask << i, addr, bytes);
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
