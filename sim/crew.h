/* Host threads that share out the work between two barriers. Waiting threads sleep, so more threads than cores is
 * slow but never stuck. Who does which item does not matter to any result. */
#ifndef HEDDLE_SIM_CREW_H
#define HEDDLE_SIM_CREW_H

#include "base/base.h"

struct crew;
typedef void crew_fn(void *arg, uint32_t item);

struct crew *crew_new(uint32_t threads); /* the caller's own thread is one of them */
void crew_free(struct crew *c);
uint32_t crew_threads(const struct crew *c);
/* Calls fn(arg, 0..n-1), each once, and returns when all have returned. */
void crew_do(struct crew *c, uint32_t n, crew_fn *fn, void *arg);

#endif
