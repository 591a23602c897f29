/* Convergence regions. BSSY puts the lanes that execute it into a region of their own; two arms of an outer branch may
 * use one barrier register at the same time, so a register has several regions, each with other lanes. A function that
 * is called inside a region saves the register (BMOV.CLEAR) and restores it before it returns: in between, its lanes
 * may be in regions of deeper calls, but the region they left still waits for them. The newest region of a register is
 * in warp.bgroup (members) and warp.breg (here), older ones in warp.bextra. */
#include "isa/region.h"

struct region region_of(const struct warp *w, uint32_t b, uint32_t lane)
{
    if (bit_of(w->breg[b], lane))
        return (struct region){w->bgroup[b] & w->live, w->breg[b] & w->live};
    for (uint32_t i = 0; i < w->nbextra; i++) {
        const struct bgroup *g = &w->bextra[i];
        if (g->breg == b && bit_of(g->here, lane))
            return (struct region){g->mask & w->live, g->here & w->live};
    }
    return (struct region){0, 0};
}

/* Takes lanes out of the regions that they are in now. */
static void take_out(struct warp *w, uint32_t b, lanemask m, bool members)
{
    lanemask here = w->breg[b] & m;
    w->breg[b] &= ~m;
    if (members)
        w->bgroup[b] &= ~here;
    for (uint32_t i = w->nbextra; i-- > 0;) {
        struct bgroup *g = &w->bextra[i];
        if (g->breg == b && members)
            g->mask &= ~(g->here & m);
        if (g->breg == b)
            g->here &= ~m;
        if (!(g->here & w->live)) /* nobody's: who has saved it has its mask */
            *g = w->bextra[--w->nbextra];
    }
}

/* The newest region of b makes room for another one. */
static bool set_aside(struct warp *w, struct issue *is, uint32_t b)
{
    if (!(w->breg[b] & w->live))
        return true;
    if (w->nbextra == NBEXTRA) {
        exec_fault(is, "more than %d convergence regions are open at once", NBEXTRA);
        return false;
    }
    w->bextra[w->nbextra++] = (struct bgroup){.breg = (uint8_t)b, .mask = w->bgroup[b], .here = w->breg[b]};
    return true;
}

void region_enter(struct warp *w, struct issue *is, uint32_t b, lanemask m)
{
    if (w->breg[b] || w->nbextra) {
        take_out(w, b, m, true);
        if (!set_aside(w, is, b))
            return;
    }
    w->regions = true;
    w->bgroup[b] = w->breg[b] = m;
}

void region_leave(struct warp *w, uint32_t b, lanemask m)
{
    take_out(w, b, m, true);
}

void region_save(struct warp *w, uint32_t b, lanemask m)
{
    take_out(w, b, m, false);
}

/* Lanes that come back one after the other find the region that the first of them made again. */
void region_restore(struct warp *w, struct issue *is, uint32_t b, lanemask value, lanemask m)
{
    take_out(w, b, m, true);
    value &= w->live;
    if (!value)
        return;
    if (w->breg[b] && (w->bgroup[b] & w->live) == value) {
        w->breg[b] |= m;
        return;
    }
    for (uint32_t i = 0; i < w->nbextra; i++) {
        struct bgroup *g = &w->bextra[i];
        if (g->breg == b && (g->mask & w->live) == value) {
            g->here |= m;
            return;
        }
    }
    if (set_aside(w, is, b)) {
        w->regions = true;
        w->bgroup[b] = value;
        w->breg[b] = m;
    }
}
