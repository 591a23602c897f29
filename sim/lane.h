/* One lane's bytes to and from rows of words: word k of lane l is rows[k][l]. Sizes are constants in each case, so that
 * every copy is one or a few moves. */
#ifndef HEDDLE_SIM_LANE_H
#define HEDDLE_SIM_LANE_H

#include <string.h>

#include "isa/isa.h"

static inline void lane_get(uint32_t (*rows)[NLANE], uint32_t lane, const uint8_t *from, uint32_t bytes)
{
    uint32_t v[4] = {0};
    switch (bytes) {
    case 1: v[0] = *from; break;
    case 2: memcpy(v, from, 2); break;
    case 4: memcpy(v, from, 4); break;
    case 8:
        memcpy(v, from, 8);
        rows[1][lane] = v[1];
        break;
    default:
        memcpy(v, from, 16);
        rows[1][lane] = v[1];
        rows[2][lane] = v[2];
        rows[3][lane] = v[3];
    }
    rows[0][lane] = v[0];
}

static inline void lane_put(uint8_t *to, const uint32_t (*rows)[NLANE], uint32_t lane, uint32_t bytes)
{
    switch (bytes) {
    case 1: *to = (uint8_t)rows[0][lane]; return;
    case 2: memcpy(to, &rows[0][lane], 2); return;
    case 4: memcpy(to, &rows[0][lane], 4); return;
    default:
        for (uint32_t k = 0; k < bytes / 4; k++)
            memcpy(to + 4 * k, &rows[k][lane], 4);
    }
}

#endif
