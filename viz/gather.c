#include "viz/gather.h"

#include <stdlib.h>
#include <string.h>

static void unit_intervals(const struct config *c, float *out)
{
    const struct {
        enum unit unit;
        double cycles;
    } known[] = {{UNIT_ALU, c->alu_interval_cycles},
                 {UNIT_FMA, c->fma_interval_cycles},
                 {UNIT_FMAHEAVY, c->fmaheavy_interval_cycles},
                 {UNIT_FP16, c->fp16_interval_cycles},
                 {UNIT_FP64, c->fp64_interval_cycles},
                 {UNIT_XU, c->xu_interval_cycles},
                 {UNIT_UNIFORM, c->uniform_interval_cycles},
                 {UNIT_TENSOR, c->tensor_interval_cycles},
                 /* the memory queues of the sub-cores end in one stage of the SM */
                 {UNIT_LSU, (double)c->lsu_interval_cycles * c->subcores}};
    memset(out, 0, UNIT_COUNT * sizeof *out);
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        out[known[i].unit] = (float)known[i].cycles;
}

void gather_init(struct gather *g, const struct config *c, cycle interval)
{
    struct peaks p = config_peaks(c);
    *g = (struct gather){.config = c, .interval = interval};
    g->dram_peak = p.dram / (c->sm_mhz * 1e6);
    g->l2_peak = p.l2 / (c->sm_mhz * 1e6);
    g->samples = xcalloc(c->nsm, sizeof *g->samples);
    g->past = xcalloc(c->nsm, sizeof *g->past);
    g->npart = c->mem_partitions < NVIEWPART ? c->mem_partitions : NVIEWPART;
    g->parts = xcalloc(g->npart, sizeof *g->parts);
    g->part_past = xcalloc(c->mem_partitions, sizeof *g->part_past);
    g->nchannel = c->dram_channels < NVIEWCHANNEL ? c->dram_channels : NVIEWCHANNEL;
    g->channels = xcalloc(g->nchannel, sizeof *g->channels);
}

void gather_finish(struct gather *g)
{
    free(g->samples);
    free(g->past);
    free(g->parts);
    free(g->part_past);
    free(g->channels);
}

void gather_reset(struct gather *g)
{
    memset(g->past, 0, g->config->nsm * sizeof *g->past);
    g->last_stalls = 0;
    memset(g->part_past, 0, g->config->mem_partitions * sizeof *g->part_past);
    g->next_sample = g->last_sample = 0;
    g->dram_sectors = 0;
}

static uint64_t rise(uint64_t *past, uint64_t now)
{
    uint64_t d = now >= *past ? now - *past : now; /* counters start again with a launch */
    *past = now;
    return d;
}

static float share(uint64_t part, uint64_t whole)
{
    return whole ? (float)((double)part / (double)whole) : -1;
}

/* The share of warps' time that memory holds: sums over the kernel's instructions, so only now and then. Stalls are
 * counted when a warp issues again, all at once; a short interval would not show them either. */
void gather_stalls(struct gather *g, uint32_t npc)
{
    enum { SHORTEST = 1024, CYCLES_AN_INSTRUCTION = 8 };
    g->stall_interval = (cycle)npc * CYCLES_AN_INSTRUCTION > SHORTEST ? (cycle)npc * CYCLES_AN_INSTRUCTION : SHORTEST;
}

static void sample_stalls(struct gather *g, const struct gpu *gpu, cycle now)
{
    uint64_t active = 0, memory = 0;
    if (!g->stall_interval || now < g->last_stalls + g->stall_interval)
        return;
    g->last_stalls = now;
    for (uint32_t i = 0; i < g->config->nsm; i++) {
        struct sm_view v;
        gpu_sm_view(gpu, i, &v);
        if (v.counters->warps_active == g->past[i].all) { /* idle since the last look */
            g->samples[i].memory_stall = 0;
            continue;
        }
        const struct sm_counters *k = gpu_sm_counters(gpu, i);
        uint64_t a = rise(&g->past[i].all, k->warps_active);
        uint64_t m = rise(&g->past[i].memory,
                          k->stall[STALL_long_scoreboard] + k->stall[STALL_lg_throttle] + k->stall[STALL_membar]);
        m = m < a ? m : a;
        g->samples[i].memory_stall = share(m, a);
        active += a;
        memory += m;
    }
    g->memory_stall = active ? share(memory, active) : 0;
}

/* Sums over the chip, from which its ratios come. */
struct sums {
    uint64_t sectors, hits;
};

static void sample_sm(struct gather *g, const struct gpu *gpu, uint32_t sm, double cycles, struct sums *sum)
{
    struct sm_view v;
    struct sm_past *p = &g->past[sm];
    gpu_sm_view(gpu, sm, &v);
    const struct sm_counters *k = v.counters;
    struct sm_sample *s = &g->samples[sm];
    s->resident = (uint16_t)v.resident_warps;
    s->blocks = (uint16_t)v.resident_blocks;
    s->issue = s->eligible = 0;
    s->l1_hit = -1;
    if (k->warps_active == p->active && k->issue_active == p->issue) /* idle since the last look */
        return;
    p->active = k->warps_active;
    uint64_t sectors = rise(&p->sectors, k->global_ld_sectors), hits = rise(&p->hits, k->global_ld_sectors_hit);
    s->issue = (float)((double)rise(&p->issue, k->issue_active) / cycles);
    s->eligible = (float)((double)rise(&p->eligible, k->warps_eligible) / cycles);
    s->l1_hit = share(hits, sectors);
    sum->sectors += sectors;
    sum->hits += hits;
}

static void sample_parts(struct gather *g, const struct gpu *gpu, double cycles, struct chip_sample *out)
{
    uint64_t reads = 0, hits = 0, dram = 0;
    double peak = g->l2_peak / g->config->mem_partitions / 32;
    for (uint32_t p = 0; p < g->config->mem_partitions; p++) {
        const struct mp_counters *k = gpu_partition_counters(gpu, p);
        struct part_past *past = &g->part_past[p];
        uint64_t s = rise(&past->sectors, k->l2_reads + k->l2_writes + k->l2_atomics + k->l2_reds);
        uint64_t r = rise(&past->reads, k->l2_reads), h = rise(&past->hits, k->l2_read_hits);
        reads += r;
        hits += h;
        dram += k->dram_reads + k->dram_writes;
        if (p < g->npart)
            g->parts[p] = (struct part_sample){(float)((double)s / (cycles * peak)), share(h, r)};
    }
    out->l2_hit = share(hits, reads);
    out->dram_bytes_per_cycle = (float)((double)rise(&g->dram_sectors, dram) * 32 / cycles);
}

static void sample_chip(struct gather *g, const struct gpu *gpu, cycle now, uint32_t sm, struct chip_sample *out)
{
    double cycles = now > g->last_sample ? (double)(now - g->last_sample) : 1;
    uint32_t n = g->config->nsm;
    struct sums sum = {0};
    *out = (struct chip_sample){.time = now};
    for (uint32_t i = 0; i < n; i++) {
        sample_sm(g, gpu, i, cycles, &sum);
        out->resident += (float)g->samples[i].resident / (float)n;
        out->eligible += g->samples[i].eligible / (float)n;
        out->issue += g->samples[i].issue / (float)n;
    }
    sample_stalls(g, gpu, now);
    out->memory_stall = g->memory_stall;
    out->l1_hit = share(sum.hits, sum.sectors);
    out->sm_resident = g->samples[sm].resident;
    out->sm_eligible = g->samples[sm].eligible;
    sample_parts(g, gpu, cycles, out);
    g->last_sample = now;
    g->next_sample = now + g->interval;
}

void gather_frame(struct gather *g, const struct gpu *gpu, cycle now, uint32_t sm, uint32_t channel, bool detail,
                  struct frame *f)
{
    struct sm_view v;
    struct channel_view c;
    gpu_sm_view(gpu, sm, &v);
    *f = (struct frame){
        .now = now,
        .sm = sm,
        .channel = channel,
        .first_launch = gpu_first_launch(gpu),
        .issues = v.issues,
        .blocks = v.blocks,
        .accesses = v.accesses,
        .nissue = (uint32_t)v.nissue,
        .nblock = (uint32_t)v.nblock,
        .naccess = (uint32_t)v.naccess,
    };
    if (gpu_channel_view(gpu, channel, &c)) {
        f->commands = c.commands;
        f->ncommand = c.ncommand;
    }
    gpu_progress(gpu, &f->blocks_done, &f->blocks_total);
    if (!detail && now < g->next_sample)
        return;
    for (uint32_t w = 0; w < g->config->max_warps; w++)
        gpu_warp_view(gpu, sm, w, now, &g->warps[w]);
    f->warps = g->warps;
    sample_chip(g, gpu, now, sm, &f->chip);
    f->sms = g->samples;
    f->parts = g->parts;
    bool all = true;
    for (uint32_t i = 0; i < g->nchannel; i++)
        all = gpu_channel_view(gpu, i, &g->channels[i]) && all;
    f->channels = all ? g->channels : NULL;
}

/* Kernels one after the other; one that is launched again is listed once. */
static void list_launch(const struct viz_job *job, uint32_t i, struct machine_info *info)
{
    const struct viz_launch *l = &job->launches[i];
    const struct occupancy *o = &l->occupancy;
    struct launch_info *to = &info->launches[i];
    *to = (struct launch_info){.max_resident_warps = o->warps ? o->warps : info->max_warps,
                               .max_blocks = o->blocks,
                               .npc = l->kernel->n,
                               .warps_per_block = o->warps_per_block,
                               .regs = l->kernel->nreg,
                               .shared_bytes = l->kernel->shared_bytes};
    snprintf(to->limiter, sizeof to->limiter, "%.31s", o->limiter ? o->limiter : "");
    snprintf(to->kernel, sizeof to->kernel, "%.127s", l->kernel->name);
    for (uint32_t k = 0; k < i; k++) {
        if (job->launches[k].kernel == l->kernel) {
            to->first_pc = info->launches[k].first_pc;
            return;
        }
    }
    to->first_pc = info->npc;
    info->npc += l->kernel->n;
    info->listing = xrealloc(info->listing, info->npc, sizeof *info->listing);
    info->unit_of = xrealloc(info->unit_of, info->npc, 1);
    for (uint32_t k = 0; k < l->kernel->n; k++) {
        struct sb text = {0};
        inst_print(l->arch, &l->kernel->code[k], &text);
        info->unit_of[to->first_pc + k] = (uint8_t)op_table[l->kernel->code[k].op].unit;
        info->listing[to->first_pc + k] = text.text ? text.text : xstrdup("?");
    }
}

void machine_info_of(const struct viz_job *job, struct machine_info *info)
{
    const struct config *c = job->config;
    struct peaks p = config_peaks(c);
    *info = (struct machine_info){
        .nsm = c->nsm,
        .ngpc = c->ngpc,
        .subcores = c->subcores,
        .max_warps = c->max_warps,
        .warp_size = c->warp_size,
        .smem_banks = c->smem_banks,
        .smem_bank_bytes = c->smem_bank_bytes,
        .nslice = c->l2_slices,
        .npart = c->mem_partitions < NVIEWPART ? c->mem_partitions : NVIEWPART,
        .nchannel = c->dram_channels,
        .nbank = c->dram_bank_groups * c->dram_banks,
        .bank_groups = c->dram_bank_groups,
        .sm_mhz = c->sm_mhz,
        .mem_mhz = c->mem_mhz,
        .dram_peak = p.dram / (c->sm_mhz * 1e6),
        .l2_peak = p.l2 / (c->sm_mhz * 1e6),
    };
    unit_intervals(c, info->unit_interval);
    snprintf(info->config, sizeof info->config, "%s", c->name);
    snprintf(info->title, sizeof info->title, "%.127s", job->title ? job->title : "");
    memcpy(info->gpc_of_sm, c->gpc_of_sm, sizeof info->gpc_of_sm);
    for (; info->nlaunch < job->nlaunch && info->nlaunch < NVIEWLAUNCH; info->nlaunch++)
        list_launch(job, info->nlaunch, info);
}
