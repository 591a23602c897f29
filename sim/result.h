/* What a launch has cost, gathered from the parts. Private to sim/. */
#ifndef HEDDLE_SIM_RESULT_H
#define HEDDLE_SIM_RESULT_H

#include "sim/engine.h"

void result_collect(struct launch_result *r, const struct engine *e, const struct launch_state *ls, bool partial);
/* Conservation (DESIGN section 4): what was asked was answered, nothing vanished. Fatal when broken: our bug. */
void result_check(const struct engine *e);

#endif
