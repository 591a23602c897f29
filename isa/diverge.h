/* Divergence: the lanes of a warp grouped by program counter. */
#ifndef HEDDLE_ISA_DIVERGE_H
#define HEDDLE_ISA_DIVERGE_H

#include "isa/exec.h"

void diverge_start(struct warp *w);
/* Lanes of `taken` (a part of the running split) go to their target, the others of the split to the next pc. The
 * running split's pc must already be the next one; `from` is the branch. */
void diverge_branch(struct warp *w, struct issue *is, lanemask taken, uint32_t from, uint32_t target);
void diverge_targets(struct warp *w, struct issue *is, lanemask taken, uint32_t from, const uint32_t target[NLANE]);
void diverge_enter(struct warp *w, struct issue *is, uint32_t b, lanemask m); /* BSSY */
void diverge_sync(struct warp *w, uint32_t b, lanemask m);                    /* BSYNC */
void diverge_break(struct warp *w, uint32_t b, lanemask m);
void diverge_warpsync(struct warp *w, lanemask wait, lanemask m, bool collective);
void diverge_warpsync_groups(struct warp *w, const uint32_t *masks, lanemask m, bool collective); /* lanes name different masks */
void diverge_end_collective(struct warp *w, struct issue *is);
void diverge_exit(struct warp *w, lanemask m);
void diverge_yield(struct warp *w);
void diverge_save(struct warp *w, uint32_t b, lanemask m);                    /* BMOV.CLEAR */
lanemask diverge_members(const struct warp *w, uint32_t b, uint32_t lane);                      /* what BMOV reads */
void diverge_restore(struct warp *w, struct issue *is, uint32_t b, lanemask value, lanemask m); /* BMOV to a barrier */
/* After an instruction: the running split may have reached its post-dominator. */
void diverge_arrive(struct warp *w);

#endif
