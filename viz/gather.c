#include "viz/gather.h"

#include <stdlib.h>
#include <string.h>

void gather_init(struct gather *g, const struct config *c, cycle interval)
{
    *g = (struct gather){.config = c, .interval = interval};
    g->samples = xcalloc(c->nsm, sizeof *g->samples);
    g->past = xcalloc(c->nsm, sizeof *g->past);
    g->nchannel = c->dram_channels < NVIEWCHANNEL ? c->dram_channels : NVIEWCHANNEL;
    g->channels = xcalloc(g->nchannel, sizeof *g->channels);
}

void gather_finish(struct gather *g)
{
    free(g->samples);
    free(g->past);
    free(g->channels);
}

void gather_reset(struct gather *g)
{
    memset(g->past, 0, g->config->nsm * sizeof *g->past);
    g->next_sample = g->last_sample = 0;
    g->l2_reads = g->l2_hits = g->dram_sectors = 0;
}

static uint64_t rise(uint64_t *past, uint64_t now)
{
    uint64_t d = now >= *past ? now - *past : now; /* counters start again with a launch */
    *past = now;
    return d;
}

static void sample_sm(struct gather *g, const struct gpu *gpu, uint32_t sm, double cycles)
{
    struct sm_view v;
    struct sm_sample *s = &g->samples[sm];
    struct past *p = &g->past[sm];
    gpu_sm_view(gpu, sm, &v);
    const struct sm_counters *k = v.counters;
    double active = (double)rise(&p->active, k->warps_active);
    uint64_t sectors = rise(&p->sectors, k->global_ld_sectors), hits = rise(&p->hits, k->global_ld_sectors_hit);
    *s = (struct sm_sample){
        .resident = (uint16_t)v.resident_warps,
        .blocks = (uint16_t)v.resident_blocks,
        .issue = (float)((double)rise(&p->issue, k->issue_active) / cycles),
        .eligible = (float)((double)rise(&p->eligible, k->warps_eligible) / cycles),
        .l1_hit = sectors ? (float)((double)hits / (double)sectors) : -1,
    };
    double memory = (double)rise(&p->memory, k->stall[STALL_long_scoreboard] + k->stall[STALL_lg_throttle] + k->stall[STALL_membar]);
    s->memory_stall = active > 0 ? (float)(memory > active ? 1 : memory / active) : 0;
}

static void sample_chip(struct gather *g, const struct gpu *gpu, cycle now, uint32_t sm, struct chip_sample *out)
{
    double cycles = now > g->last_sample ? (double)(now - g->last_sample) : 1;
    uint32_t n = g->config->nsm;
    *out = (struct chip_sample){.time = now};
    for (uint32_t i = 0; i < n; i++) {
        sample_sm(g, gpu, i, cycles);
        out->resident += (float)g->samples[i].resident / (float)n;
        out->eligible += g->samples[i].eligible / (float)n;
        out->issue += g->samples[i].issue / (float)n;
    }
    out->sm_resident = g->samples[sm].resident;
    out->sm_eligible = g->samples[sm].eligible;
    uint64_t reads = 0, hits = 0, dram = 0;
    for (uint32_t p = 0; p < g->config->mem_partitions; p++) {
        const struct mp_counters *k = gpu_partition_counters(gpu, p);
        reads += k->l2_reads;
        hits += k->l2_read_hits;
        dram += k->dram_reads + k->dram_writes;
    }
    uint64_t r = rise(&g->l2_reads, reads), h = rise(&g->l2_hits, hits);
    out->l2_hit = r ? (float)((double)h / (double)r) : -1;
    out->dram_bytes_per_cycle = (float)((double)rise(&g->dram_sectors, dram) * 32 / cycles);
    g->last_sample = now;
    g->next_sample = now + g->interval;
}

void gather_frame(struct gather *g, const struct gpu *gpu, cycle now, uint32_t sm, bool detail, struct frame *f)
{
    struct sm_view v;
    gpu_sm_view(gpu, sm, &v);
    *f = (struct frame){
        .now = now, .sm = sm, .issues = v.issues, .blocks = v.blocks, .accesses = v.accesses,
        .nissue = (uint32_t)v.nissue, .nblock = (uint32_t)v.nblock, .naccess = (uint32_t)v.naccess,
    };
    gpu_progress(gpu, &f->blocks_done, &f->blocks_total);
    if (detail || now >= g->next_sample) {
        for (uint32_t w = 0; w < g->config->max_warps; w++)
            gpu_warp_view(gpu, sm, w, now, &g->warps[w]);
        f->warps = g->warps;
        sample_chip(g, gpu, now, sm, &f->chip);
        f->sms = g->samples;
        bool all = true;
        for (uint32_t c = 0; c < g->nchannel; c++)
            all = gpu_channel_view(gpu, c, &g->channels[c]) && all;
        f->channels = all ? g->channels : NULL;
    }
}

void machine_info_of(const struct viz_job *job, struct machine_info *info)
{
    const struct config *c = job->config;
    *info = (struct machine_info){
        .nsm = c->nsm, .ngpc = c->ngpc, .subcores = c->subcores, .max_warps = c->max_warps, .warp_size = c->warp_size,
        .smem_banks = c->smem_banks, .smem_bank_bytes = c->smem_bank_bytes, .nslice = c->l2_slices, .nchannel = c->dram_channels,
        .nbank = c->dram_bank_groups * c->dram_banks, .max_resident_warps = job->max_resident_warps, .sm_mhz = c->sm_mhz, .npc = job->kernel->n,
    };
    snprintf(info->config, sizeof info->config, "%s", c->name);
    snprintf(info->kernel, sizeof info->kernel, "%.255s", job->kernel->name);
    snprintf(info->title, sizeof info->title, "%.127s", job->title ? job->title : "");
    memcpy(info->gpc_of_sm, c->gpc_of_sm, sizeof info->gpc_of_sm);
    info->listing = xcalloc(info->npc, sizeof(char *));
    for (uint32_t i = 0; i < info->npc; i++) {
        struct sb text = {0};
        inst_print(job->arch, &job->kernel->code[i], &text);
        info->listing[i] = text.text ? text.text : xstrdup("?");
    }
}
