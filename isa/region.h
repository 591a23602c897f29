/* Convergence regions: which lanes will meet again at a barrier register. Private to isa/. */
#ifndef HEDDLE_ISA_REGION_H
#define HEDDLE_ISA_REGION_H

#include "isa/exec.h"

struct region { /* of one lane */
    lanemask members; /* living lanes that will meet */
    lanemask here;    /* those of them whose barrier register holds this region now */
};
struct region region_of(const struct warp *w, uint32_t b, uint32_t lane); /* nobody in it: the lane is in none */
void region_enter(struct warp *w, struct issue *is, uint32_t b, lanemask m); /* BSSY */
void region_leave(struct warp *w, uint32_t b, lanemask m);                   /* BREAK, BSYNC: the others meet without m */
void region_save(struct warp *w, uint32_t b, lanemask m);                    /* BMOV.CLEAR: the others still wait for m */
void region_restore(struct warp *w, struct issue *is, uint32_t b, lanemask value, lanemask m); /* BMOV of a saved mask */

#endif
