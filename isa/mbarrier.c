/* The state of an mbarrier and what arrivals do to it. Bits: 63 phase; 43..62 2^20 less the pending arrivals, so that
 * the last one carries into the phase; 21..41 the bytes still expected, negated, in two's complement; 1..20 2^20 less
 * the arrivals of a phase. What initialises one writes the same word twice: 2^20 - n shifted left by 1 and by 43. */
#include "isa/isa.h"

enum { COUNT_BITS = 20, TX_BITS = 21, EXPECTED_AT = 1, TX_AT = 21, PENDING_AT = 43 };
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define TX_MASK    ((UINT64_C(1) << TX_BITS) - 1)
enum { TX_MOST = (1 << COUNT_BITS) - 1 }; /* PTX: the valid range of the tx-count */

static uint32_t count_at(uint64_t word, uint32_t at)
{
    return (uint32_t)((UINT64_C(1) << COUNT_BITS) - (word >> at & COUNT_MASK));
}
uint32_t mbarrier_pending(uint64_t word)
{
    return count_at(word, PENDING_AT);
}
uint32_t mbarrier_expected(uint64_t word)
{
    return count_at(word, EXPECTED_AT);
}
int32_t mbarrier_tx(uint64_t word)
{
    uint32_t tx = (uint32_t)(word >> TX_AT & TX_MASK);
    return tx >> (TX_BITS - 1) ? (1 << TX_BITS) - (int32_t)tx : -(int32_t)tx;
}
uint64_t mbarrier_word(uint32_t expected, uint32_t pending, int32_t tx, bool phase)
{
    uint64_t all = UINT64_C(1) << COUNT_BITS;
    return (uint64_t)phase << 63 | ((all - pending) & COUNT_MASK) << PENDING_AT |
           ((uint64_t)(int64_t)-tx & TX_MASK) << TX_AT | ((all - expected) & COUNT_MASK) << EXPECTED_AT;
}

/* Pending arrivals of 0 read as 2^20: a phase that waits for bytes only. */
static uint32_t pending_of(uint64_t word)
{
    uint32_t n = mbarrier_pending(word);
    return n == 1u << COUNT_BITS ? 0 : n;
}

enum mbarrier_outcome mbarrier_apply(uint64_t *word, struct mbarrier_step s)
{
    uint32_t pending = pending_of(*word), expected = mbarrier_expected(*word) & (uint32_t)COUNT_MASK;
    int64_t tx = (int64_t)mbarrier_tx(*word) + s.tx;
    if (s.arrivals > pending || (s.leaves && s.arrivals > expected))
        return MBARRIER_TOO_MANY;
    if (tx > TX_MOST || tx < -TX_MOST)
        return MBARRIER_TX_RANGE;
    pending -= s.arrivals;
    expected -= s.leaves ? s.arrivals : 0;
    bool done = pending == 0 && tx == 0, phase = mbarrier_phase(*word);
    *word = mbarrier_word(expected, done ? expected : pending, (int32_t)tx, done ? !phase : phase);
    return done ? MBARRIER_COMPLETES : MBARRIER_PENDING;
}

struct mbarrier_step mbarrier_step_of(const struct inst *in, uint32_t operand)
{
    /* values of ART in ops.def: arrivals and bytes are 0, 1 or the register's (X: landed) */
    enum { A1T0 = 1, A1TR = 2, A0TR = 3, ART0 = 4, A0T1 = 6, A0TX = 7 };
    enum { ARVCNT = 1 };
    if (in->op == OP_ARRIVES)
        return in->mod[MOD_ARVCNT] == ARVCNT ? (struct mbarrier_step){.arrivals = 1} : (struct mbarrier_step){.tx = -1};
    struct mbarrier_step s = {.leaves = in->mod[MOD_OPTOUT] != 0};
    switch (in->mod[MOD_ART]) {
    case A1T0:
        s.arrivals = 1;
        break;
    case A0T1:
        s.tx = 1;
        break;
    case A0TR:
        s.tx = (int32_t)operand;
        break;
    case A0TX:
        s.tx = -(int32_t)operand;
        break;
    case ART0:
        s.arrivals = operand;
        break;
    case A1TR:
    default:
        s.arrivals = 1;
        s.tx = (int32_t)operand;
        break;
    }
    return s;
}
