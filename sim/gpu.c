/* The public face of a GPU: memory, programs, launches. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine.h"
#include "sim/launch.h"
#include "sim/loader.h"
#include "sim/result.h"

struct code_use {
    const struct kernel *kernel;
    uint64_t taken_in; /* by L2 until then */
};
struct gpu {
    struct config cfg;
    struct gpu_options opt;
    struct memory *mem;
    struct engine engine;
    struct loader *loader;
    struct observer observer;
    uint64_t grids;        /* launches so far */
    uint32_t first;        /* of those that run together: its place in gpu_run */
    uint64_t cooperative;  /* workspace for grid barriers, once some kernel asked for it */
    uint64_t params;       /* device copy of constant banks, the same */
    struct code_use *uses; /* when kernels ran last */
    size_t nuse, use_cap;
    uint64_t taken_in; /* sectors that L2 has taken in so far */
    bool left_out;     /* some values were not computed: values_off */
    bool broken;       /* a fault or an interruption left work in flight */
};
enum { COOPERATIVE_BYTES = 4096, PARAMS_BYTES = 65536, MOST_LAUNCHES = 64 };

struct gpu *gpu_new(const struct config *c, const struct gpu_options *o, struct error *err)
{
    if (!config_check(c, err))
        return NULL;
    struct gpu *g = xcalloc(1, sizeof *g);
    g->cfg = *c;
    if (o)
        g->opt = *o;
    g->mem = memory_new(&g->cfg);
    g->loader = loader_new(&g->cfg, g->mem);
    engine_init(&g->engine, &g->cfg, &g->opt, g->mem);
    g->engine.gpu = g;
    return g;
}

void gpu_free(struct gpu *g)
{
    if (!g)
        return;
    engine_finish(&g->engine);
    loader_free(g->loader);
    memory_free(g->mem);
    free(g->uses);
    free(g);
}

bool gpu_alloc(struct gpu *g, const char *name, uint64_t bytes, uint64_t *addr, struct error *err)
{
    return memory_alloc(g->mem, name, bytes, 0, addr, err);
}

bool gpu_write(struct gpu *g, uint64_t addr, const void *data, uint64_t bytes, struct error *err)
{
    return memory_write(g->mem, addr, data, bytes, err);
}

bool gpu_read(struct gpu *g, uint64_t addr, void *data, uint64_t bytes, struct error *err)
{
    return memory_read(g->mem, addr, data, bytes, err);
}

bool gpu_load(struct gpu *g, const struct program *p, struct error *err)
{
    return loader_load(g->loader, p, err);
}

uint64_t gpu_global(const struct gpu *g, const struct program *p, const char *name)
{
    return loader_global(g->loader, p, name);
}

/* ---- launches ------------------------------------------------------------------------------------- */
static bool workspace(struct gpu *g, const char *name, uint64_t bytes, uint64_t *addr, struct error *err)
{
    if (!*addr && !memory_alloc(g->mem, name, bytes, 0, addr, err))
        return false;
    uint8_t *zero = xcalloc(bytes, 1);
    bool ok = memory_write(g->mem, *addr, zero, bytes, err);
    free(zero);
    return ok;
}

static bool fill_bank(struct gpu *g, struct launch_state *ls, struct error *err)
{
    const struct kernel *k = ls->launch.kernel;
    struct driver_words d = {.grid_id = ++g->grids};
    bool sm90 = ls->env.arch == ARCH_SM90, kir = ls->env.arch == ARCH_KIR;
    if (!kir && launch_reads(k, launch_cooperative_offset(ls->env.arch))) {
        if (!workspace(g, "(grid barrier)", COOPERATIVE_BYTES, &g->cooperative, err))
            return false;
        d.cooperative = g->cooperative;
    }
    if (!kir && launch_reads(k, launch_constants_offset(ls->env.arch)) &&
        !loader_constants(g->loader, ls->launch.program, &d.constants, err))
        return false;
    bool aliased = sm90 && launch_reads(k, 0x198);
    if (aliased) {
        if (!workspace(g, "(parameters)", (uint64_t)PARAMS_BYTES * MOST_LAUNCHES, &g->params, err))
            return false;
        /* as far from a multiple of 64 as the parameters are in the bank: tensor maps among them must be aligned */
        d.params =
            g->params + (uint64_t)PARAMS_BYTES * (ls->index % MOST_LAUNCHES) + arch_info(ls->env.arch)->param_base;
    }
    launch_fill_bank(ls, &g->cfg, &d);
    if (!aliased)
        return true;
    /* The alias points at the parameters themselves. */
    uint32_t base = arch_info(ls->env.arch)->param_base;
    return memory_write(g->mem, d.params, ls->env.bank[0] + base, ls->env.bank_bytes[0] - base, err);
}

/* Matrix products whose values decide nothing. */
static void leave_out(struct gpu *g, struct launch_state *ls)
{
    const struct kernel *k = ls->launch.kernel;
    ls->skip = xcalloc(k->n ? k->n : 1, 1);
    if (kernel_skips(k, &ls->cfg, g->left_out, ls->skip)) {
        ls->env.skip = ls->skip;
        g->left_out = true;
    }
}

bool gpu_values_left_out(const struct gpu *g)
{
    return g->left_out;
}

static bool prepare(struct gpu *g, struct launch_state *ls, const struct launch *l, uint32_t index, struct error *err)
{
    const uint8_t *const *banks = loader_banks(g->loader, l->program, l->kernel);
    if (!banks)
        return error_set(err, EXIT_BAD_INPUT, "kernel %s: its program was not loaded", l->kernel->name);
    if (!launch_prepare(ls, &g->cfg, l, index, banks, err))
        return false;
    if (g->opt.values_off)
        leave_out(g, ls);
    return fill_bank(g, ls, err) && sm_launch_begin(&g->cfg, ls, err);
}

/* ---- code in L2 -------------------------------------------------------------------------------------- */
static uint64_t l2_sectors(const struct config *c)
{
    return (uint64_t)c->l2_slices * c->l2_sets * c->l2_ways * (c->l2_line_bytes / 32);
}

/* Does the launch have to fetch its code from DRAM? The code came to L2 when the kernel ran last, and is gone once L2
 * has taken in as much as it holds. (Instructions are fetched by the SM's own rules; this is what a launch takes
 * longer.) */
static bool code_is_cold(struct gpu *g, const struct kernel *k)
{
    if ((uint64_t)k->n * INST_BYTES <= g->cfg.cold_code_bytes)
        return false;
    for (size_t i = 0; i < g->nuse; i++)
        if (g->uses[i].kernel == k) {
            bool cold = g->taken_in - g->uses[i].taken_in >= l2_sectors(&g->cfg);
            g->uses[i].taken_in = g->taken_in;
            return cold;
        }
    g->uses = grow(g->uses, g->nuse, &g->use_cap, sizeof *g->uses);
    g->uses[g->nuse++] = (struct code_use){k, g->taken_in};
    return true;
}

/* Launches that may overlap. Counters of the parts are common to them; times and instructions are each one's own. */
static bool run_together(struct gpu *g, const struct launch *launches, size_t n, struct launch_result *results,
                         struct error *err)
{
    struct launch_state *states = xcalloc(n, sizeof *states);
    struct launch_state **list = xcalloc(n, sizeof *list);
    bool ok = true, ran = false;
    for (size_t i = 0; i < n && ok; i++) {
        list[i] = &states[i];
        ok = prepare(g, &states[i], &launches[i], (uint32_t)i, err);
        states[i].cold_code = ok && code_is_cold(g, launches[i].kernel);
    }
    if (ok) {
        ran = true;
        ok = engine_run(&g->engine, list, n, err);
        if (ok)
            result_check(&g->engine);
        else
            g->broken = true;
        for (size_t i = 0; i < n; i++) {
            result_collect(&results[i], &g->engine, &states[i], !ok);
            g->taken_in += i ? 0 : results[i].mp.l2_fills + results[i].mp.l2_dirtied; /* counted in common */
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (ran)
            sm_launch_end(&states[i]);
        launch_finish(&states[i]);
    }
    free(list);
    free(states);
    return ok;
}

bool gpu_run(struct gpu *g, const struct launch *launches, size_t n, struct launch_result *results, struct error *err)
{
    memset(results, 0, n * sizeof *results);
    if (g->broken)
        return error_set(err, EXIT_FAILED,
                         "the GPU stopped in an earlier launch; nothing can be launched on it any more");
    bool one_stream = true;
    for (size_t i = 1; i < n; i++)
        one_stream &= launches[i].stream == launches[0].stream;
    g->first = 0;
    if (!one_stream)
        return run_together(g, launches, n, results, err);
    for (size_t i = 0; i < n; i++) {
        g->first = (uint32_t)i;
        if (!run_together(g, &launches[i], 1, &results[i], err))
            return false;
    }
    return true;
}

/* ---- caches ----------------------------------------------------------------------------------------- */
void gpu_flush_l2_clean(struct gpu *g)
{
    g->taken_in += l2_sectors(&g->cfg);
    for (uint32_t p = 0; p < g->engine.npart; p++)
        mempart_fill_clean(g->engine.parts[p]);
}

void gpu_invalidate_l2(struct gpu *g)
{
    g->taken_in += l2_sectors(&g->cfg);
    for (uint32_t p = 0; p < g->engine.npart; p++)
        mempart_invalidate(g->engine.parts[p]);
}

uint64_t gpu_host_bytes(const struct gpu *g)
{
    return memory_host_bytes(g->mem);
}

/* ---- observation -------------------------------------------------------------------------------------- */
void gpu_observe(struct gpu *g, const struct observer *o)
{
    g->observer = o ? *o : (struct observer){0};
    g->engine.observer = o ? &g->observer : NULL;
    g->engine.longest = 0;
}

void gpu_sm_view(const struct gpu *g, uint32_t sm, struct sm_view *out)
{
    *out = (struct sm_view){0};
    sm_view_get(g->engine.sms[sm], out);
}

const struct sm_counters *gpu_sm_counters(const struct gpu *g, uint32_t sm)
{
    return sm_counters(g->engine.sms[sm]);
}

void gpu_warp_view(const struct gpu *g, uint32_t sm, uint32_t warp, cycle now, struct warp_view *out)
{
    *out = (struct warp_view){0};
    const struct engine *e = &g->engine;
    sm_warp_view_get(e->sms[sm], warp, gpc_clock_own(&e->clocks[g->cfg.gpc_of_sm[sm]], now), out);
}

const struct mp_counters *gpu_partition_counters(const struct gpu *g, uint32_t partition)
{
    return mempart_counters(g->engine.parts[partition]);
}

bool gpu_channel_view(const struct gpu *g, uint32_t channel, struct channel_view *out)
{
    uint32_t each = g->cfg.dram_channels / g->cfg.mem_partitions;
    return channel < g->cfg.dram_channels && mempart_channel_view(g->engine.parts[channel / each], channel % each, out);
}

uint32_t gpu_first_launch(const struct gpu *g)
{
    return g->first;
}

void gpu_progress(const struct gpu *g, uint64_t *blocks_done, uint64_t *blocks)
{
    blocks_count(g->engine.blocks, blocks_done, blocks);
}
