/* Operand reads of fixed-latency instructions: register banks with one read port each, a read window, and the reuse
 * cache (HU25, section 5.3).
 *
 * An instruction's reads must fit into its read window; if the ports of a bank are taken too far ahead it holds the
 * stage before them, and nothing else of the sub-core can be dispatched behind it. Back to back, instructions with two
 * (three) sources in one bank so cost one (two) cycles more each, and single ones hide in the window.
 * The reuse cache has, for each bank and operand slot, one register of one warp: put there by the reuse bit, gone with
 * the next read of the same bank and slot. */
#include "sim/sm_core.h"

static void reads_after_reuse(const struct sm *s, struct subcore *sc, uint8_t local, const struct idesc *d,
                              uint8_t need[NBANK])
{
    uint32_t nbank = s->c->reg_banks;
    memset(need, 0, NBANK);
    for (uint32_t k = 0; k < NSOURCE; k++)
        for (uint32_t i = 0; i < d->src_count[k]; i++) {
            uint8_t reg = (uint8_t)(d->src_reg[k] + i);
            uint32_t b = nbank == 2 ? reg & 1u : reg % nbank, bit = 1u << (b * NSOURCE + k);
            uint16_t tag = (uint16_t)(local << 8 | reg);
            bool held = (sc->reuse_valid & bit && sc->reuse[b][k] == tag) || named_before(d, k, reg);
            need[b] = (uint8_t)(need[b] + !held);
            sc->reuse[b][k] = tag;
            sc->reuse_valid = d->reuse >> k & 1 ? sc->reuse_valid | bit : sc->reuse_valid & ~bit;
        }
}

/* The cycles by which the reads are late, which the dispatch stage is held. */
uint32_t operands_read(struct sm *s, struct subcore *sc, uint8_t local, const struct idesc *d, cycle now)
{
    if (!d->ports)
        return 0;
    const uint8_t *need = d->nport;
    uint8_t fewer[NBANK];
    if (s->c->reuse_cache && (d->reuse || sc->reuse_valid & d->places)) {
        reads_after_reuse(s, sc, local, d, fewer);
        need = fewer;
    }
    /* 64-bit operands leave no slack (measured: a DFMA that reads all three anew takes 3 cycles, also a single one) */
    cycle window = now + (d->unit == UNIT_FP64 ? d->interval : s->c->reg_read_window), late = 0;
    for (uint32_t b = 0; b < s->c->reg_banks; b++) {
        if (!need[b])
            continue;
        cycle end = (sc->bank_free[b] > now ? sc->bank_free[b] : now) + need[b];
        if (end > window && end - window > late)
            late = end - window;
        sc->bank_free[b] = end;
        if (end > sc->backlog)
            sc->backlog = end;
    }
    return (uint32_t)late;
}
