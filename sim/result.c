/* Sums over the parts, and the laws they must keep. */
#include "sim/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void collect_instructions(struct launch_result *r, const struct engine *e, const struct launch_state *ls)
{
    r->npc = ls->launch.kernel->n;
    r->pcs = xalloc_aligned((r->npc ? r->npc : 1) * sizeof *r->pcs, HOST_LINE);
    for (uint32_t s = 0; s < e->cfg->nsm; s++) {
        uint32_t n = 0;
        const struct pc_counters *p = sm_pcs(e->sms[s], ls->index, &n);
        pc_counters_add(r->pcs, p, n < r->npc ? n : r->npc);
    }
}

void result_collect(struct launch_result *r, const struct engine *e, const struct launch_state *ls, bool partial)
{
    const struct config *c = e->cfg;
    const struct kernel *k = ls->launch.kernel;
    *r = (struct launch_result){.nsm = c->nsm, .nmp = e->npart, .partial = partial, .occupancy = ls->occupancy};
    snprintf(r->kernel, sizeof r->kernel, "%s", k->name);
    r->sms = xcalloc(c->nsm, sizeof *r->sms);
    r->mps = xcalloc(e->npart, sizeof *r->mps);
    for (uint32_t s = 0; s < c->nsm; s++) {
        r->sms[s] = *sm_counters(e->sms[s]);
        sm_counters_add(&r->sm, &r->sms[s]);
    }
    for (uint32_t p = 0; p < e->npart; p++) {
        r->mps[p] = *mempart_counters(e->parts[p]);
        mp_counters_add(&r->mp, &r->mps[p]);
    }
    collect_instructions(r, e, ls);
    for (uint32_t i = 0; i < r->npc; i++) /* known from the instructions, so the cycle loop need not count them */
        r->sm.tensor_flops += r->pcs[i].executed * sm_matrix_flops(&k->code[i]);
    cycle end = ls->finished ? ls->end : e->now;
    cycle run = end > ls->start ? end - ls->start : 0;
    r->overhead_cycles = c->launch_overhead_cycles + (ls->cold_code ? c->cold_code_cycles : 0);
    cycle least, most = clocks_counted(e, end - run, end, &least);
    r->clock_cycles = most - least;
    r->cycles = r->overhead_cycles + most;
    r->time_us = (double)(r->overhead_cycles + run) / c->sm_mhz;
    memcpy(r->grid, ls->launch.grid, sizeof r->grid);
    memcpy(r->block, ls->launch.block, sizeof r->block);
    r->regs = k->nreg;
    r->static_shared = k->shared_bytes;
    r->dynamic_shared = ls->launch.dynamic_shared_bytes;
    r->local_bytes = k->local_bytes;
    if (ls->occupancy.blocks)
        r->waves = (double)ls->nblock / ((double)ls->occupancy.blocks * c->nsm);
    launch_result_ratios(c, r);
}

void result_check(const struct engine *e)
{
    struct sm_counters s = {0};
    struct mp_counters m = {0};
    for (uint32_t i = 0; i < e->cfg->nsm; i++)
        sm_counters_add(&s, sm_counters(e->sms[i]));
    for (uint32_t i = 0; i < e->npart; i++)
        mp_counters_add(&m, mempart_counters(e->parts[i]));
    must(s.requests_sent == m.part_requests + s.coalesced_reads);
    must(m.part_requests == m.part_replies);
    must(m.part_replies + s.coalesced_reads == s.replies_received);
    must(s.l1_read_misses_unmerged == m.l2_reads + s.coalesced_sectors);
    must(s.l1_write_sent == m.l2_writes);
    must(m.l2_fills == m.dram_reads);
    must(m.l2_writebacks == m.dram_writes);
    must(m.l2_dirtied + m.l2_dirty_start == m.l2_writebacks + m.l2_dirty_end);
}
