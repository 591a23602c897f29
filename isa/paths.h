/* The paths of a warp, for the files that move lanes among them: diverge.c and gather.c. */
#ifndef HEDDLE_ISA_PATHS_H
#define HEDDLE_ISA_PATHS_H

#include "isa/diverge.h"

struct split *path_push(struct warp *w, struct split s); /* a new youngest one */
void path_remove(struct warp *w, uint32_t i);
/* The running path continues without lanes m, which get a path of their own at the same pc: it is returned. */
struct split *path_carve(struct warp *w, lanemask m);
void path_pick(struct warp *w); /* the running one cannot go on: another becomes it */
/* The lanes of `taken` go to `target`, the others of the running path to `rest`. */
void paths_part(struct warp *w, struct issue *is, lanemask taken, uint32_t target, uint32_t rest, bool taken_first);
/* Each lane of `taken` to its own target, when the lanes meet at a post-dominator or only part of the path branches. */
void paths_to_targets(struct warp *w, struct issue *is, lanemask taken, uint32_t from, const uint32_t target[NLANE]);
void paths_meet(struct warp *w);     /* those at their post-dominator that miss nobody go on as one */
void paths_gathered(struct warp *w); /* those at a WARPSYNC that miss nobody go on: gather.c */

#endif
