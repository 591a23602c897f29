/* Launch set-up. The words of constant bank 0 that code reads besides its parameters are those seen in compiled
 * kernels: dimensions, windows of generic addresses, stack pointer, grid number, cluster shape. */
#include "sim/launch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/lsu.h"

enum { SHARED_RESERVED = 0x400, BANK0_LEAST = 0x400 };

bool launch_accepts(const struct config *c, const struct program *p, struct error *err)
{
    if (p->arch == ARCH_KIR)
        return true;
    if (program_unscheduled(p) && (c->warp_size == 32 || !program_counts_lanes(p)))
        return true; /* a hardware scoreboard takes the place of the part's own scheduling fields */
    uint32_t want = (uint32_t)p->arch;
    if (c->warp_size != 32)
        return error_set(
            err, EXIT_BAD_INPUT,
            "%s: sm_%u machine code expects warps of 32 lanes; %s has %u (only KIR written for it runs there)", p->path,
            want, c->name, c->warp_size);
    if (!c->isa)
        return error_set(err, EXIT_BAD_INPUT, "%s: %s runs no machine code (isa: 0), only KIR; this is sm_%u", p->path,
                         c->name, want);
    uint32_t have = c->compute_major * 10 + c->compute_minor;
    if (p->arch_specific && want != have)
        return error_set(err, EXIT_BAD_INPUT,
                         "%s: built for sm_%ua, which runs on compute capability %u.%u only; %s is %u.%u", p->path,
                         want, want / 10, want % 10, c->name, c->compute_major, c->compute_minor);
    if (want / 10 != c->compute_major || want > have)
        return error_set(
            err, EXIT_BAD_INPUT,
            "%s: built for sm_%u, which %s (compute capability %u.%u) does not run: it takes sm_%u0 to sm_%u", p->path,
            want, c->name, c->compute_major, c->compute_minor, c->compute_major, have);
    return true;
}

static bool check_shape(const struct config *c, const struct launch *l, struct error *err)
{
    static const uint64_t grid_most[3] = {0x7fffffff, 65535, 65535}, block_most[3] = {1024, 1024, 64};
    static const char axis[] = "xyz";
    const char *name = l->kernel->name;
    for (int i = 0; i < 3; i++) {
        if (!l->grid[i] || l->grid[i] > grid_most[i])
            return error_set(err, EXIT_BAD_INPUT, "kernel %s: grid.%c = %u, must be 1 .. %" PRIu64, name, axis[i],
                             l->grid[i], grid_most[i]);
        if (!l->block[i] || l->block[i] > block_most[i])
            return error_set(err, EXIT_BAD_INPUT, "kernel %s: block.%c = %u, must be 1 .. %" PRIu64, name, axis[i],
                             l->block[i], block_most[i]);
    }
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (threads > c->max_threads_per_block)
        return error_set(err, EXIT_BAD_INPUT, "kernel %s: block of %" PRIu64 " threads, %s allows %u", name, threads,
                         c->name, c->max_threads_per_block);
    const uint32_t *most = l->kernel->maxntid, *exact = l->kernel->reqntid;
    if (most[0] && threads > (uint64_t)most[0] * (most[1] ? most[1] : 1) * (most[2] ? most[2] : 1))
        return error_set(err, EXIT_BAD_INPUT,
                         "kernel %s: block of %" PRIu64
                         " threads, it was compiled for at most %ux%ux%u (__launch_bounds__)",
                         name, threads, most[0], most[1], most[2]);
    for (int i = 0; i < 3; i++)
        if (exact[0] && l->block[i] != (exact[i] ? exact[i] : 1))
            return error_set(err, EXIT_BAD_INPUT, "kernel %s: block %ux%ux%u, it was compiled for exactly %ux%ux%u",
                             name, l->block[0], l->block[1], l->block[2], exact[0], exact[1], exact[2]);
    return true;
}

/* The launch's cluster, or the kernel's own; 1 block if neither says anything. */
static bool find_cluster(const struct config *c, const struct launch *l, uint32_t cl[3], bool *clustered,
                         struct error *err)
{
    const uint32_t *own = l->kernel->cluster, *asked = l->cluster;
    const char *name = l->kernel->name;
    *clustered = own[0] || asked[0];
    for (int i = 0; i < 3; i++) {
        if (own[0] && asked[0] && own[i] != asked[i])
            return error_set(err, EXIT_BAD_INPUT, "kernel %s: cluster %ux%ux%u, it was compiled for %ux%ux%u", name,
                             asked[0], asked[1], asked[2], own[0], own[1], own[2]);
        cl[i] = asked[0] ? asked[i] : own[0] ? own[i] : 1;
    }
    uint64_t n = (uint64_t)cl[0] * cl[1] * cl[2];
    if (n == 1)
        return true;
    if (c->cluster_max_blocks < 2)
        return error_set(err, EXIT_BAD_INPUT, "kernel %s: a cluster of %ux%ux%u blocks; %s has no clusters", name,
                         cl[0], cl[1], cl[2], c->name);
    if (!n || n > c->cluster_max_blocks)
        return error_set(err, EXIT_BAD_INPUT, "kernel %s: cluster of %ux%ux%u blocks, %u is the most", name, cl[0],
                         cl[1], cl[2], c->cluster_max_blocks);
    for (int i = 0; i < 3; i++)
        if (l->grid[i] % cl[i])
            return error_set(err, EXIT_BAD_INPUT, "kernel %s: grid %ux%ux%u is not a multiple of its cluster %ux%ux%u",
                             name, l->grid[0], l->grid[1], l->grid[2], cl[0], cl[1], cl[2]);
    return true;
}

static bool check_resources(const struct config *c, const struct launch *l, struct error *err)
{
    const struct kernel *k = l->kernel;
    if (k->nreg > c->max_regs_per_thread)
        return error_set(err, EXIT_BAD_INPUT, "kernel %s: %u registers a thread, %s allows %u", k->name, k->nreg,
                         c->name, c->max_regs_per_thread);
    if (k->shared_bytes > c->smem_static_bytes)
        return error_set(err, EXIT_BAD_INPUT,
                         "kernel %s: %u bytes of static shared memory, %s allows %u; dynamic shared memory can be more",
                         k->name, k->shared_bytes, c->name, c->smem_static_bytes);
    uint64_t shared = (uint64_t)k->shared_bytes + l->dynamic_shared_bytes;
    if (shared > c->smem_per_block_bytes)
        return error_set(err, EXIT_BAD_INPUT,
                         "kernel %s: %u + %u bytes of shared memory (static + dynamic), %s allows %u a block", k->name,
                         k->shared_bytes, l->dynamic_shared_bytes, c->name, c->smem_per_block_bytes);
    if (l->param_bytes < k->param_bytes || (k->param_bytes && !l->params))
        return error_set(err, EXIT_BAD_INPUT, "kernel %s: %u bytes of arguments given, it takes %u", k->name,
                         l->params ? l->param_bytes : 0, k->param_bytes);
    return true;
}

/* SMs of the largest GPC. */
static uint32_t most_of_gpc(const struct config *c)
{
    uint32_t most = 0;
    for (uint32_t g = 0; g < c->ngpc; g++) {
        uint32_t n = 0;
        for (uint32_t s = 0; s < c->nsm; s++)
            n += c->gpc_of_sm[s] == g;
        most = n > most ? n : most;
    }
    return most;
}

bool launch_prepare(struct launch_state *ls, const struct config *c, const struct launch *l, uint32_t index,
                    const uint8_t *const *banks, struct error *err)
{
    *ls = (struct launch_state){.launch = *l, .index = index};
    struct launch_env *e = &ls->env;
    if (!launch_accepts(c, l->program, err) || !check_shape(c, l, err) ||
        !find_cluster(c, l, e->cluster, &ls->clustered, err) || !check_resources(c, l, err))
        return false;
    const struct kernel *k = l->kernel;
    uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    if (!occupancy_of(c, threads, k->nreg, k->shared_bytes + l->dynamic_shared_bytes, k->nbarrier, &ls->occupancy, err))
        return false;
    if (!ls->occupancy.blocks)
        return error_set(err, EXIT_BAD_INPUT,
                         "kernel %s: a block of %u threads with %u registers each and %u bytes of shared memory does "
                         "not fit on an SM of %s (%s)",
                         k->name, threads, k->nreg, k->shared_bytes + l->dynamic_shared_bytes, c->name,
                         ls->occupancy.limiter);
    ls->warps_per_block = (threads + c->warp_size - 1) / c->warp_size;
    ls->nblock = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (ls->nblock > UINT32_MAX)
        return error_set(err, EXIT_BAD_INPUT, "kernel %s: %" PRIu64 " blocks, at most %u can be simulated", k->name,
                         ls->nblock, UINT32_MAX);
    e->arch = l->program->arch;
    e->kernel = k;
    memcpy(e->grid, l->grid, sizeof e->grid);
    memcpy(e->block, l->block, sizeof e->block);
    ls->map.blocks = e->cluster[0] * e->cluster[1] * e->cluster[2];
    memcpy(ls->map.grid, e->grid, sizeof e->grid);
    memcpy(ls->map.size, e->cluster, sizeof e->cluster);
    if (ls->map.blocks > 1) {
        uint32_t most = most_of_gpc(c) * ls->occupancy.blocks;
        if (ls->map.blocks > most)
            return error_set(err, EXIT_BAD_INPUT,
                             "kernel %s: a cluster of %u blocks needs as many on one GPC; %s holds %u of these",
                             k->name, ls->map.blocks, c->name, most);
        ls->map.sm_of_block = xcalloc(ls->nblock, sizeof *ls->map.sm_of_block);
    }
    for (int i = 1; i < 8; i++) {
        e->bank[i] = banks && banks[i] ? banks[i] : k->bank[i];
        e->bank_bytes[i] = k->bank_bytes[i];
    }
    e->nlane = c->warp_size;
    e->shared_window = SHARED_WINDOW;
    e->local_window = LOCAL_WINDOW;
    e->shared_bytes = k->shared_bytes + l->dynamic_shared_bytes;
    e->local_bytes = (k->local_bytes + 15) / 16 * 16;
    e->divergence_stack = c->divergence == DIVERGENCE_STACK;
    e->warp_slots = c->max_warps;
    if (c->hazards == HAZARDS_FAULT) /* else a read that comes too early shows what was there before */
        kernel_unread(k, &e->unread);
    if (!cfg_build(&ls->cfg, k, err))
        return false;
    /* Compilers' code says itself where lanes meet, also by saying nothing; what people write may leave it to us. */
    bool by_hand = !kernel_has_barriers(k) && program_unscheduled(l->program);
    e->cfg = e->divergence_stack || by_hand ? &ls->cfg : NULL;
    return true;
}

bool launch_reads(const struct kernel *k, uint32_t offset)
{
    for (uint32_t i = 0; i < k->n; i++)
        for (uint32_t o = 0; o < NOPERAND; o++) {
            const struct operand *p = &k->code[i].opd[o];
            if (p->kind == OPD_CONST && p->bank == 0 && !(p->flags & (OPF_HAS_REG | OPF_HAS_UREG)) &&
                p->imm >= offset && p->imm < offset + 8)
                return true;
        }
    return false;
}

static bool meets(const struct inst *in)
{
    const struct op_info *o = &op_table[in->op];
    switch (o->effect) {
    case EFF_LOAD:
    case EFF_STORE:
    case EFF_ASYNC_COPY:
        return lsu_strong(in);
    case EFF_ATOMIC:
        return in->op != OP_ATOMS;
    case EFF_REDUCE:
    case EFF_FENCE:
    case EFF_BULK_COPY:
    case EFF_CLUSTER:
        return true;
    default:
        return o->unit == UNIT_TENSOR;
    }
}

bool launch_meets(const struct launch_state *ls)
{
    const struct kernel *k = ls->launch.kernel;
    bool any = ls->map.blocks > 1;
    for (uint32_t i = 0; i < k->n && !any; i++)
        any = meets(&k->code[i]);
    return any;
}

uint32_t launch_cooperative_offset(enum arch a)
{
    return a == ARCH_SM90 ? 0x44 : 0x8c;
}

static void put32(uint8_t *bank, uint32_t at, uint32_t v)
{
    memcpy(bank + at, &v, 4);
}

static void put64(uint8_t *bank, uint32_t at, uint64_t v)
{
    memcpy(bank + at, &v, 8);
}

static void fill_cluster(uint8_t *b, const struct launch_state *ls)
{
    const uint32_t *c = ls->env.cluster, *g = ls->launch.grid;
    put32(b, 0x13c, SHARED_RESERVED + ls->launch.dynamic_shared_bytes);
    put32(b, 0x140, ls->clustered);
    for (uint32_t i = 0; i < 3; i++) {
        float inverse = 1.0f / (float)c[i];
        uint32_t bits;
        memcpy(&bits, &inverse, 4);
        put32(b, 0x144 + 4 * i, c[i]);
        put32(b, 0x150 + 4 * i, bits);
        put32(b, 0x15c + 4 * i, g[i] / c[i]);
    }
    put32(b, 0x16c, 1u << 24);
    put32(b, 0x188, c[0] * c[1] * c[2]);
}

uint32_t launch_constants_offset(enum arch a)
{
    return a == ARCH_SM90 ? 0xd0 : 0x50; /* read off nvcc's code for a pointer to a __constant__ array */
}

void launch_fill_bank(struct launch_state *ls, const struct config *c, const struct driver_words *d)
{
    const struct launch *l = &ls->launch;
    struct launch_env *e = &ls->env;
    uint32_t base = arch_info(e->arch)->param_base;
    uint32_t bytes = base + l->kernel->param_bytes;
    if (bytes < BANK0_LEAST)
        bytes = BANK0_LEAST;
    uint8_t *b = xcalloc((bytes + 15) / 16 * 16, 1);
    for (uint32_t i = 0; i < 3; i++) {
        put32(b, 4 * i, l->block[i]);
        put32(b, 0xc + 4 * i, l->grid[i]);
    }
    put64(b, 0x18, e->shared_window);
    put64(b, 0x20, e->local_window);
    put32(b, 0x28, e->local_bytes); /* the stack grows down from here */
    put32(b, 0x2c, l->dynamic_shared_bytes);
    put64(b, 0x30, d->grid_id);
    put32(b, 0x10c, c->nsm);
    if (e->arch != ARCH_KIR)
        put64(b, launch_constants_offset(e->arch), d->constants);
    if (e->arch != ARCH_SM75)
        put32(b, 0x114, SHARED_RESERVED);
    if (e->arch == ARCH_SM90) {
        put32(b, 0x44, (uint32_t)(d->cooperative >> 32));
        put32(b, 0x48, (uint32_t)d->cooperative);
        fill_cluster(b, ls);
        put64(b, 0x198, d->params);
    } else if (e->arch != ARCH_KIR) {
        put32(b, 0x8c, (uint32_t)(d->cooperative >> 32)); /* the high word first here too */
        put32(b, 0x90, (uint32_t)d->cooperative);
    }
    if (l->kernel->param_bytes)
        memcpy(b + base, l->params, l->kernel->param_bytes);
    e->bank[0] = b;
    e->bank_bytes[0] = bytes;
}

void launch_finish(struct launch_state *ls)
{
    free((void *)ls->env.bank[0]);
    free(ls->skip);
    free(ls->map.sm_of_block);
    cfg_finish(&ls->cfg);
}
