/* The halves of L2: in which an address is at home (addrmap.c says more), and which one an SM asks. */
#include "sim/mempart.h"

uint32_t l2_home(const struct config *c, uint64_t addr)
{
    uint64_t block = addr / c->l2_interleave_bytes / BLOCK_CHUNKS;
    return c->l2_halves > 1 ? (uint32_t)__builtin_parityll(block) : 0;
}

uint32_t half_of_sm(const struct config *c, uint32_t sm)
{
    uint32_t gpc = c->gpc_of_sm[sm];
    if (gpc < c->n_half_of_gpc)
        return c->half_of_gpc[gpc] % c->l2_halves;
    return c->l2_halves == 1 ? 0 : gpc * c->l2_halves / c->ngpc;
}

bool is_in_other_half(const struct config *c, uint32_t sm, uint64_t addr)
{
    return l2_home(c, addr) != half_of_sm(c, sm);
}
