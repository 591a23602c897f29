/* Which SM holds each block of a launch with clusters, and who the other blocks of a cluster are. The block scheduler
 * writes it between windows, SMs read it. */
#ifndef HEDDLE_SIM_CLUSTER_H
#define HEDDLE_SIM_CLUSTER_H

#include "base/base.h"

enum { CLUSTER_MOST = 16 };

struct cluster_map {
    uint16_t *sm_of_block; /* NULL: every block is a cluster of its own */
    uint32_t grid[3], size[3], blocks; /* blocks: of a cluster */
};

static inline uint32_t cluster_rank(const struct cluster_map *c, uint64_t block)
{
    const uint32_t *g = c->grid, *s = c->size;
    uint32_t x = (uint32_t)(block % g[0]), y = (uint32_t)(block / g[0] % g[1]), z = (uint32_t)(block / g[0] / g[1]);
    return x % s[0] + s[0] * (y % s[1] + s[1] * (z % s[2]));
}
/* The block of a rank in the same cluster. */
static inline uint64_t cluster_block(const struct cluster_map *c, uint64_t block, uint32_t rank)
{
    const uint32_t *g = c->grid, *s = c->size;
    uint64_t x = block % g[0], y = block / g[0] % g[1], z = block / g[0] / g[1];
    x += rank % s[0] - x % s[0];
    y += rank / s[0] % s[1] - y % s[1];
    z += rank / s[0] / s[1] - z % s[2];
    return (z * g[1] + y) * g[0] + x;
}

#endif
