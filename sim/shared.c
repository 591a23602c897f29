#include "sim/shared.h"

#include <string.h>

enum { MAX_BANKS = 128, DISTINCT = 256 };

/* Distinct words met so far in a phase: a small open hash, emptied by the round number. */
struct word_set {
    uint64_t word[DISTINCT];
    uint32_t round[DISTINCT];
    uint32_t now;
};

static bool add_word(struct word_set *s, uint64_t word)
{
    uint32_t i = (uint32_t)(word ^ word >> 5) % DISTINCT;
    while (s->round[i] == s->now) {
        if (s->word[i] == word)
            return false;
        i = (i + 1) % DISTINCT;
    }
    s->round[i] = s->now;
    s->word[i] = word;
    return true;
}

static uint32_t phase_wavefronts(struct word_set *set, uint32_t banks, uint32_t bank_bytes, lanemask mask,
                                 const uint64_t *addr, uint32_t bytes)
{
    uint8_t count[MAX_BANKS] = {0};
    uint32_t most = 0;
    set->now++;
    for (; mask; mask &= mask - 1) {
        uint64_t at = addr[__builtin_ctzll(mask)];
        for (uint64_t word = at / bank_bytes; word <= (at + bytes - 1) / bank_bytes; word++) {
            if (!add_word(set, word))
                continue;
            uint32_t n = ++count[word % banks];
            most = n > most ? n : most;
        }
    }
    return most;
}

static bool all_consecutive(uint32_t nlane, lanemask mask, const uint64_t *addr, uint32_t bytes)
{
    uint64_t full = nlane == NLANE ? ~UINT64_C(0) : (UINT64_C(1) << nlane) - 1, differ = 0;
    for (uint32_t i = 0; mask == full && i < nlane; i++)
        differ |= addr[i] ^ (addr[0] + (uint64_t)i * bytes);
    return mask == full && differ == 0;
}

static bool all_equal(uint32_t nlane, lanemask mask, const uint64_t *addr)
{
    uint64_t first = addr[__builtin_ctzll(mask)], differ = 0;
    for (uint32_t i = 0; i < nlane; i++)
        differ |= mask >> i & 1 ? addr[i] ^ first : 0;
    return differ == 0;
}

struct wavefronts shared_wavefronts(uint32_t banks, uint32_t bank_bytes, uint32_t nlane, lanemask mask,
                                    const uint64_t *addr, uint32_t bytes)
{
    uint32_t lanes = banks * bank_bytes / bytes; /* of a phase */
    lanes = lanes > nlane ? nlane : lanes ? lanes : 1;
    lanemask phase = lanes == NLANE ? ~UINT64_C(0) : (UINT64_C(1) << lanes) - 1;
    struct wavefronts w = {0, 0};
    for (uint32_t i = 0; i < nlane; i += lanes)
        w.ideal += (mask >> i & phase) != 0;
    w.total = w.ideal;
    if (!mask || all_consecutive(nlane, mask, addr, bytes) || all_equal(nlane, mask, addr))
        return w;
    struct word_set set;
    memset(set.round, 0, sizeof set.round);
    set.now = 0;
    w.total = 0;
    for (uint32_t i = 0; i < nlane; i += lanes)
        w.total += phase_wavefronts(&set, banks, bank_bytes, mask & phase << i, addr, bytes);
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
    uint32_t words = e->bytes > 4 ? e->bytes / 4U : 1, part = e->bytes < 4 ? e->bytes : 4;
    for (lanemask m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        const uint8_t *from = memory + ((uint32_t)e->addr[lane] - base);
        for (uint32_t k = 0; k < words; k++) {
            uint32_t v = 0;
            memcpy(&v, from + 4 * k, part);
            e->data[k][lane] = v;
        }
    }
}

void shared_store(uint8_t *memory, uint32_t base, const struct effect *e, lanemask mask)
{
    uint32_t words = e->bytes > 4 ? e->bytes / 4U : 1, part = e->bytes < 4 ? e->bytes : 4;
    for (lanemask m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        uint8_t *to = memory + ((uint32_t)e->addr[lane] - base);
        for (uint32_t k = 0; k < words; k++)
            memcpy(to + 4 * k, &e->data[k][lane], part);
    }
}
