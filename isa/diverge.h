/* Divergence: the lanes of a warp grouped by program counter. */
#ifndef HEDDLE_ISA_DIVERGE_H
#define HEDDLE_ISA_DIVERGE_H

#include "isa/exec.h"

void diverge_start(struct warp *w);
/* Lanes of `taken` (a part of the running split) go to their target, the others of the split to the next pc. The
 * running split's pc must already be the next one; `from` is the branch. */
void diverge_branch(struct warp *w, struct issue *is, lanemask taken, uint32_t from, uint32_t target);
void diverge_targets(struct warp *w, struct issue *is, lanemask taken, uint32_t from, const uint32_t target[NLANE]);
lanemask diverge_members(const struct warp *w, uint32_t b);       /* the barrier's mask: what BMOV reads */
void diverge_set_members(struct warp *w, uint32_t b, lanemask m); /* BSSY; BMOV that clears */
void diverge_restore_members(struct warp *w, uint32_t b, lanemask m); /* BMOV to a barrier */
void diverge_sync(struct warp *w, uint32_t b, lanemask m);        /* BSYNC */
void diverge_break(struct warp *w, uint32_t b, lanemask m);
enum warpsync_kind {
    WARPSYNC_PLAIN,
    WARPSYNC_EXCLUSIVE,  /* the lanes of a mask go on by themselves */
    WARPSYNC_COLLECTIVE, /* they run the region that follows together, wherever they came from */
};
void diverge_warpsync(struct warp *w, lanemask wait, lanemask m, enum warpsync_kind kind);
void diverge_warpsync_groups(struct warp *w, struct issue *is, const uint32_t *masks, lanemask m,
                             enum warpsync_kind kind);
void diverge_end_collective(struct warp *w, struct issue *is);
void diverge_exit(struct warp *w, lanemask m);
void diverge_yield(struct warp *w);
void diverge_count_spin(struct warp *w, uint32_t from, uint32_t target); /* the running split branches back: spin.c */
void diverge_sleep(struct warp *w);
/* After an instruction: the running split may have reached its post-dominator. */
void diverge_arrive(struct warp *w);

#endif
