/* Operand reads of fixed-latency instructions: register banks with one read port each, a read window, and the reuse
 * cache (HU25, section 5.3).
 *
 * An instruction's reads must fit into its read window; if the ports of a bank are taken too far ahead it holds the
 * stage before them, and nothing else of the sub-core can be dispatched behind it. Back to back, instructions with two
 * (three) sources in one bank so cost one (two) cycles more each, and single ones hide in the window.
 * The reuse cache has, for each bank and operand slot, one register of one warp: put there by the reuse bit, gone with
 * the next read of the same bank and slot. */
#include "sim/sm_core.h"

static void reads_after_reuse(struct subcore *sc, uint8_t local, const struct idesc *d, uint8_t need[NBANK])
{
    memset(need, 0, NBANK);
    uint32_t valid = sc->reuse_valid;
    for (uint32_t i = 0; i < d->nportread; i++) {
        const struct portread *r = &d->port[i];
        uint16_t tag = (uint16_t)(local << 8 | r->reg);
        bool held = valid >> r->place & 1 && sc->reuse[r->place] == tag;
        need[r->bank] = (uint8_t)(need[r->bank] + (r->costs && !held));
        sc->reuse[r->place] = tag;
        valid = (valid & ~(1u << r->place)) | (uint32_t)r->stays << r->place;
    }
    sc->reuse_valid = valid;
}

/* The cycles by which the reads are late, which the dispatch stage is held. */
uint32_t operands_read(struct sm *s, struct subcore *sc, uint8_t local, const struct idesc *d, cycle now)
{
    if (!d->ports)
        return 0;
    const uint8_t *need = d->nport;
    uint8_t fewer[NBANK];
    if (s->c->reuse_cache && (d->reuse || sc->reuse_valid & d->places)) {
        reads_after_reuse(sc, local, d, fewer);
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
