/* How many blocks an SM holds at once: the rules of the vendor's occupancy calculator, with every number
 * from the config. Registers are given to a warp in units and warps are counted in groups of one per
 * sub-core; shared memory carries a reserved part and is rounded up to its allocation unit. */
#include "sim/sim.h"

static uint32_t round_up(uint32_t x, uint32_t unit)
{
    return (x + unit - 1) / unit * unit;
}

static bool launchable(const struct config *c, uint32_t threads, uint32_t regs, uint32_t shared, uint32_t barriers,
                       struct error *err)
{
    if (!threads || threads > c->max_threads_per_block)
        return error_set(err, EXIT_BAD_INPUT, "a block of %u threads cannot launch: %s allows 1 to %u", threads,
                         c->name, c->max_threads_per_block);
    if (regs > c->max_regs_per_thread)
        return error_set(err, EXIT_BAD_INPUT, "%u registers a thread cannot launch: %s allows %u", regs, c->name,
                         c->max_regs_per_thread);
    if (shared > c->smem_per_block_bytes)
        return error_set(err, EXIT_BAD_INPUT, "a block with %u bytes of shared memory cannot launch: %s allows %u",
                         shared, c->name, c->smem_per_block_bytes);
    if (barriers > c->max_barriers)
        return error_set(err, EXIT_BAD_INPUT, "a block with %u barriers cannot launch: %s has %u", barriers, c->name,
                         c->max_barriers);
    return true;
}

/* Blocks that the register file holds; a file is split among groups of warp_alloc_granularity warps. */
static uint32_t register_blocks(const struct config *c, uint32_t warps_per_block, uint32_t regs)
{
    uint32_t group = c->warp_alloc_granularity, warp_regs = round_up(c->warp_size * regs, c->reg_alloc_unit);
    return warp_regs ? c->registers / group / warp_regs * group / warps_per_block : c->max_blocks;
}

/* The smallest size of shared memory that holds the resident blocks; the rest of the array is L1. */
static void choose_carveout(const struct config *c, uint32_t block_bytes, struct occupancy *o)
{
    uint64_t need = (uint64_t)o->blocks * block_bytes;
    uint32_t i = 0;
    while (i + 1 < c->n_carveouts_kb && c->carveouts_kb[i] * 1024ull < need)
        i++;
    o->carveout_bytes = c->carveouts_kb[i] * 1024;
    o->l1_bytes = c->unified_bytes - o->carveout_bytes;
}

static void choose_limit(struct occupancy *o)
{
    const struct {
        const char *name;
        uint32_t blocks;
    } limits[] = {{"warps", o->by_warps},
                  {"blocks", o->by_blocks},
                  {"registers", o->by_registers},
                  {"shared memory", o->by_shared},
                  {"barriers", o->by_barriers}};
    o->blocks = UINT32_MAX;
    for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
        if (limits[i].blocks < o->blocks) {
            o->blocks = limits[i].blocks;
            o->limiter = limits[i].name;
        }
    }
}

bool occupancy_of(const struct config *c, uint32_t block_threads, uint32_t regs_per_thread, uint32_t shared_bytes,
                  uint32_t nbarrier, struct occupancy *out, struct error *err)
{
    *out = (struct occupancy){.limiter = "launch limits"};
    if (!launchable(c, block_threads, regs_per_thread, shared_bytes, nbarrier, err))
        return false;
    uint32_t warps = round_up(block_threads, c->warp_size) / c->warp_size;
    uint32_t block_bytes = round_up(shared_bytes + c->smem_reserved_bytes, c->smem_granularity_bytes);
    out->warps_per_block = warps;
    out->by_warps = c->max_warps / warps;
    out->by_blocks = c->max_blocks;
    out->by_registers = register_blocks(c, warps, regs_per_thread);
    out->by_shared = block_bytes ? c->smem_bytes / block_bytes : c->max_blocks;
    out->by_barriers = nbarrier ? c->max_barriers / nbarrier : c->max_blocks;
    choose_limit(out);
    out->warps = out->blocks * warps;
    out->fraction = (double)out->warps / c->max_warps;
    choose_carveout(c, block_bytes, out);
    if (!out->blocks)
        return error_set(
            err, EXIT_BAD_INPUT,
            "a block of %u threads with %u registers each cannot launch: %u warps of %u registers exceed the SM's %u",
            block_threads, regs_per_thread, warps, round_up(c->warp_size * regs_per_thread, c->reg_alloc_unit),
            c->registers);
    return true;
}
