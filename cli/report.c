/* The text report: sections in the profiler's order, one table each, hints only where they matter. */
#include "cli/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RAT(id) (p->r->ratio[RATIO_##id])

static void dims(char out[48], const uint32_t d[3])
{
    if (d[2] > 1)
        snprintf(out, 48, "%u x %u x %u", d[0], d[1], d[2]);
    else if (d[1] > 1)
        snprintf(out, 48, "%u x %u", d[0], d[1]);
    else
        snprintf(out, 48, "%u", d[0]);
}

static void header(struct page *p, size_t launch)
{
    char grid[48], block[48];
    dims(grid, p->r->grid);
    dims(block, p->r->block);
    if (launch)
        sb_add(p->out, "\n");
    sb_addf(p->out, "%s%s%s  grid %s, block %s, on %s (%u SMs, %.12g MHz)%s\n", p->colour ? "\033[1m" : "",
            p->r->kernel, p->colour ? "\033[0m" : "", grid, block, p->c->name, p->c->nsm, p->c->sm_mhz,
            p->r->partial ? "  PARTIAL: stopped before the end" : "");
    if (p->s->warm)
        sb_addf(p->out, "heddle %s, after %u launch%s of the same (caches warm)\n", version_text(), p->s->warm,
                p->s->warm > 1 ? "es" : "");
    else
        sb_addf(p->out, "heddle %s, L2 filled with clean lines of other data (caches cold)\n", version_text());
}

static void speed_of_light(struct page *p)
{
    section(p, "GPU speed of light");
    cell(p, "Compute (SM)", RAT(sol_sm), "%");
    cell(p, "Elapsed cycles", (double)p->r->cycles, "cycles");
    cell(p, "Memory", RAT(sol_memory), "%");
    cell(p, "  launch overhead in them", (double)p->r->overhead_cycles, "cycles");
    cell(p, "  L1 and shared memory", RAT(sol_l1), "%");
    cell(p, "SM active cycles, mean", RAT(cycles_active_avg), "cycles");
    cell(p, "  L2", RAT(sol_l2), "%");
    cell(p, "Duration", p->r->time_us, "us");
    cell(p, "  DRAM", RAT(sol_dram), "%");
    cell(p, "DRAM throughput", RAT(dram_rate), "B/s");
    if (p->c->matrix_clock < 1 && p->r->sm.matrix_clock_downs) {
        cell(p, "SM clock, where slowest", (double)(p->r->cycles - p->r->clock_cycles) / p->r->time_us, "MHz");
        cell(p, "  what idle GPCs count more", (double)p->r->clock_cycles, "cycles");
    }
    hint_speed(p);
}

static void launch_section(struct page *p)
{
    section(p, "Launch");
    cell(p, "Threads", RAT(grid_size) * RAT(block_size), "");
    cell(p, "Registers a thread", p->r->regs, "");
    cell(p, "Blocks", RAT(grid_size), "");
    cell(p, "Static shared memory", p->r->static_shared, "bytes");
    cell(p, "Threads a block", RAT(block_size), "");
    cell(p, "Dynamic shared memory", p->r->dynamic_shared, "bytes");
    cell(p, "Waves", p->r->waves, "");
    cell(p, "Local memory a thread", p->r->local_bytes, "bytes");
}

static void occupancy_section(struct page *p)
{
    const struct occupancy *o = &p->r->occupancy;
    section(p, "Occupancy");
    cell(p, "Theoretical", RAT(occ_theoretical), "%");
    cell(p, "Blocks an SM", o->blocks, "");
    cell(p, "Achieved", RAT(occ_achieved), "%");
    cell_text(p, "Limited by", o->limiter ? o->limiter : "n/m");
    cell(p, "Warps an SM, theoretical", o->warps, "");
    char limits[64];
    snprintf(limits, sizeof limits, "%u/%u/%u/%u/%u", o->by_warps, o->by_blocks, o->by_registers, o->by_shared,
             o->by_barriers);
    cell(p, "Warps an SM, achieved", RAT(occ_warps), "");
    cell_text(p, "Limits (W/B/reg/shared/bar)", limits);
    char carve[64];
    snprintf(carve, sizeof carve, "%u / %u KiB", o->carveout_bytes / 1024, o->l1_bytes / 1024);
    cell_text(p, "Shared memory / L1", carve);
    cells_end(p);
    hint_occupancy(p);
}

static void compute_section(struct page *p)
{
    const struct {
        const char *name;
        double pct, inst;
    } pipes[] = {{"ALU", RAT(pipe_alu), RAT(pipe_alu_inst)},
                 {"FMA", RAT(pipe_fma), RAT(pipe_fma_inst)},
                 {"FMA heavy", RAT(pipe_fmaheavy), RAT(pipe_fmaheavy_inst)},
                 {"FP16", RAT(pipe_fp16), RAT(pipe_fp16_inst)},
                 {"FP64", RAT(pipe_fp64), RAT(pipe_fp64_inst)},
                 {"XU", RAT(pipe_xu), RAT(pipe_xu_inst)},
                 {"Uniform", RAT(pipe_uniform), RAT(pipe_uniform_inst)},
                 {"Tensor", RAT(pipe_tensor), RAT(pipe_tensor_inst)},
                 {"Branch", RAT(pipe_cbu), RAT(pipe_cbu_inst)},
                 {"LSU", RAT(pipe_lsu), RAT(pipe_lsu_inst)}};
    section(p, "Compute workload");
    cell(p, "IPC, active", RAT(ipc_active), "");
    cell(p, "Warp instructions", (double)p->r->sm.inst_executed, "");
    cell(p, "IPC, elapsed", RAT(ipc_elapsed), "");
    cell(p, "Issue slots busy", RAT(issue_util), "%");
    for (size_t i = 0; i < ARRAY_LEN(pipes); i++) {
        char label[48];
        snprintf(label, sizeof label, "%s pipe", pipes[i].name);
        if (pipes[i].inst > 0)
            cell(p, label, pipes[i].pct, "%");
    }
    cells_end(p);
    hint_compute(p);
}

struct traffic {
    const char *name;
    double requests, sectors, hit, bytes;
};

/* A figure that does not exist for a row is a dash: n/m would say that it is not modelled. */
static void number_or_dash(char out[32], double v)
{
    if (isnan(v))
        strcpy(out, "-");
    else
        number(out, v);
}

static void traffic_row(struct page *p, const struct traffic *t)
{
    char req[32], sec[32], per[32], hit[32], bytes[32];
    number_or_dash(req, t->requests);
    number_or_dash(sec, t->sectors);
    number_or_dash(per, t->requests > 0 ? t->sectors / t->requests : NAN);
    number_or_dash(hit, t->hit);
    scaled(bytes, t->bytes, "B");
    sb_addf(p->out, "  %-24s %14s %14s %14s %10s %14s\n", t->name, req, sec, per, hit, bytes);
}

static void memory_section(struct page *p)
{
    const struct sm_counters *s = &p->r->sm;
    const struct mp_counters *m = &p->r->mp;
    double l2_write_hit = m->l2_writes ? 100.0 * (double)m->l2_write_hits / (double)m->l2_writes : NAN;
    const struct traffic rows[] = {
        {"L1 global load", (double)s->global_ld_requests, (double)s->global_ld_sectors, RAT(l1_hit),
         32.0 * (double)s->global_ld_sectors},
        {"L1 global store", (double)s->global_st_requests, (double)s->global_st_sectors, NAN,
         32.0 * (double)s->global_st_sectors},
        {"L1 local load", NAN, (double)s->local_ld_sectors, RAT(local_hit), 32.0 * (double)s->local_ld_sectors},
        {"L1 local store", NAN, (double)s->local_st_sectors, NAN, 32.0 * (double)s->local_st_sectors},
        {"L1 atomic", (double)(s->atom_requests + s->red_requests), (double)(s->atom_sectors + s->red_sectors), NAN,
         32.0 * (double)(s->atom_sectors + s->red_sectors)},
        {"L2 read", NAN, (double)m->l2_reads, RAT(l2_read_hit), 32.0 * (double)m->l2_reads},
        {"L2 write", NAN, (double)m->l2_writes, l2_write_hit, 32.0 * (double)m->l2_writes},
        {"L2 atomic", NAN, (double)(m->l2_atomics + m->l2_reds), NAN, 32.0 * (double)(m->l2_atomics + m->l2_reds)},
        {"DRAM read", NAN, (double)m->dram_reads, NAN, RAT(dram_bytes_read)},
        {"DRAM write", NAN, (double)m->dram_writes, NAN, RAT(dram_bytes_write)}};
    section(p, "Memory workload");
    sb_addf(p->out, "  %-24s %14s %14s %14s %10s %14s\n", "", "requests", "sectors", "sectors/req.", "hit %", "bytes");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].sectors > 0)
            traffic_row(p, &rows[i]);
    if (m->dram_reads + m->dram_writes) {
        cell(p, "DRAM row hits", RAT(dram_row_hit), "%");
        cell(p, "DRAM bus busy", RAT(dram_busy), "%");
        cell(p, "DRAM activates", (double)m->dram_activates, "");
        cell(p, "DRAM refreshes", (double)m->dram_refreshes, "");
    }
    if (m->l2_dirty_end)
        cell(p, "Left dirty in L2", 32.0 * (double)m->l2_dirty_end, "B");
    cells_end(p);
    hint_memory(p);
}

static void shared_section(struct page *p)
{
    const struct sm_counters *s = &p->r->sm;
    if (!s->shared_wavefronts)
        return;
    section(p, "Shared memory");
    cell(p, "Loads", (double)s->shared_ld_inst, "");
    cell(p, "Load wavefronts", (double)s->shared_ld_wavefronts, "");
    cell(p, "Stores", (double)s->shared_st_inst, "");
    cell(p, "Store wavefronts", (double)s->shared_st_wavefronts, "");
    cell(p, "Atomics", (double)s->shared_atom_inst, "");
    cell(p, "Wavefronts", (double)s->shared_wavefronts, "");
    cell(p, "Wavefronts by ideal", RAT(shared_ways), "");
    cell(p, "Ideal wavefronts", (double)s->shared_wavefronts_ideal, "");
    cell(p, "Data stage busy", RAT(shared_pct), "%");
    cell(p, "Excess (bank conflicts)", RAT(shared_excess), "");
    cells_end(p);
    hint_shared(p);
}

static void scheduler_section(struct page *p)
{
    section(p, "Scheduler (each of a sub-core, active cycles)");
    cell(p, "Active warps", RAT(sched_active), "");
    cell(p, "No eligible warp", RAT(no_eligible), "%");
    cell(p, "Eligible warps", RAT(sched_eligible), "");
    cell(p, "Issued", RAT(issue_rate), "");
    cells_end(p);
}

static void warp_states(struct page *p)
{
    enum stall order[STALL_COUNT];
    for (size_t i = 0; i < STALL_COUNT; i++) { /* insertion sort, largest first */
        size_t k = i;
        for (; k > 0 && p->r->sm.stall[order[k - 1]] < p->r->sm.stall[i]; k--)
            order[k] = order[k - 1];
        order[k] = (enum stall)i;
    }
    section(p, "Warp states (cycles of a warp per issued instruction)");
    char total[32];
    number(total, RAT(warp_latency));
    sb_addf(p->out, "  %-20s %10s\n", "all", total);
    for (size_t i = 0; i < STALL_COUNT; i++) {
        enum stall st = order[i];
        if (!p->r->sm.stall[st])
            break;
        double share = RAT(warp_latency) > 0 ? p->r->ratio[RATIO_stall_selected + st] / RAT(warp_latency) : 0;
        char value[32];
        number(value, p->r->ratio[RATIO_stall_selected + st]);
        int bar = (int)(share * 20 + 0.5);
        sb_addf(p->out, "  %-20s %10s %6.1f %%  %-20.*s  %s\n", stall_names[st], value, 100 * share, bar,
                "####################", stall_docs[st]);
    }
    hint_stalls(p);
}

static void divergence_section(struct page *p)
{
    section(p, "Divergence");
    cell(p, "Active lanes", RAT(lanes), "");
    cell(p, "Branches", (double)p->r->sm.branches, "");
    cell(p, "Lanes with true guard", RAT(lanes_on), "");
    cell(p, "Branch efficiency", RAT(branch_eff), "%");
    cells_end(p);
    hint_divergence(p);
}

static void roofline(struct page *p)
{
    struct peaks peaks = config_peaks(p->c);
    const struct {
        const char *name;
        double flop, peak;
    } types[] = {{"fp32", RAT(flop_fp32), peaks.fp32},
                 {"fp64", RAT(flop_fp64), peaks.fp64},
                 {"fp16", RAT(flop_fp16), peaks.fp16},
                 {"matrix", (double)p->r->sm.tensor_flops, peaks.tensor16}};
    if (!(RAT(flop_all) > 0))
        return;
    section(p, "Roofline");
    sb_addf(p->out, "  %-8s %14s %18s %22s %16s\n", "", "achieved", "of its peak", "FLOP / DRAM byte", "ridge point");
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        char rate[32], at[32], ridge[32];
        if (!(types[i].flop > 0))
            continue;
        double per_second = types[i].flop / (p->r->time_us * 1e-6);
        scaled(rate, per_second, "FLOP/s");
        number(at, RAT(dram_bytes) > 0 ? types[i].flop / RAT(dram_bytes) : NAN);
        number(ridge, types[i].peak / peaks.dram);
        sb_addf(p->out, "  %-8s %14s %16.2f %% %22s %16s\n", types[i].name, rate,
                types[i].peak > 0 ? 100 * per_second / types[i].peak : NAN, at, ridge);
    }
    if (RAT(dram_bytes) > 0 && RAT(flop_fp32) > 0) {
        double at = RAT(flop_fp32) / RAT(dram_bytes), ridge = peaks.fp32 / peaks.dram;
        sentence(p,
                 at < ridge
                     ? "Left of the ridge: DRAM bandwidth, not arithmetic, is the roof (%.3g of %.3g FLOP a byte)."
                     : "Right of the ridge: arithmetic, not DRAM bandwidth, is the roof (%.3g of %.3g FLOP a byte).",
                 at, ridge);
    }
}

static void outputs(const struct simulation *s, struct sb *out)
{
    if (!s->judged || !s->spec->nexpect)
        return;
    sb_add(out, "\nOutputs\n");
    for (uint32_t i = 0; i < s->spec->nexpect; i++) {
        const struct spec_expect *e = &s->spec->expects[i];
        const char *name = s->spec->buffers[e->buffer].name;
        if (!e->verdict.checked)
            sb_addf(out, "  %-12s sha256 %.16s.. (nothing to compare with)\n", name, e->verdict.sha256);
        else if (e->verdict.ok)
            sb_addf(out, "  %-12s right: equals the reference%s; at most %.3g apart, %llu ulp\n", name,
                    e->bitwise ? " bit for bit" : " within its bound", e->verdict.max_abs,
                    (unsigned long long)e->verdict.max_ulp);
        else
            sb_addf(out, "  %-12s WRONG: %s\n", name, e->verdict.text);
    }
}

/* Numbers that a microbenchmark wrote into its output buffers. */
static void metrics(const struct simulation *s, struct sb *out)
{
    if (!s->judged || !s->spec->nmetric)
        return;
    sb_add(out, "\nMeasured by the kernel\n");
    for (uint32_t i = 0; i < s->spec->nmetric; i++) {
        const struct spec_metric *m = &s->spec->metrics[i];
        sb_addf(out, "  %-28s", m->name);
        for (uint64_t k = 0; k < (m->how == METRIC_LIST ? m->count : 1); k++) {
            char n[32];
            number(n, metric_item(s, i, k));
            sb_addf(out, " %s", n);
            if (k % 12 == 11)
                sb_addf(out, "\n  %-28s", "");
        }
        sb_addf(out, "%s%s\n", m->unit ? " " : "", m->unit ? m->unit : "");
    }
}

void report_summary(const struct simulation *s, size_t launch, struct sb *out)
{
    struct page page = page_of(s, launch, false, out), *p = &page;
    char cycles[32];
    number(cycles, (double)p->r->cycles);
    sb_addf(out, "%s on %s: %s cycles, %.2f us, IPC %.2f, %.0f %% of DRAM, %.0f %% of L2, %s-bound%s", p->r->kernel,
            p->c->name, cycles, p->r->time_us, isnan(RAT(ipc_active)) ? 0 : RAT(ipc_active), RAT(sol_dram), RAT(sol_l2),
            bound_of(p), p->r->partial ? " (partial)" : "");
}

/* What a chain of kernels takes together. */
static void report_total(const struct simulation *s, struct sb *out)
{
    double cycles = 0, us = 0, bytes = 0;
    char n[32], moved[32];
    for (uint32_t i = 0; i < s->spec->nlaunch; i++) {
        cycles += (double)s->results[i].cycles;
        us += s->results[i].time_us;
        bytes += s->results[i].ratio[RATIO_dram_bytes];
    }
    if (s->spec->nlaunch < 2)
        return;
    number(n, cycles);
    scaled(moved, bytes, "B");
    sb_addf(out, "sum of %u launches: %s cycles, %.2f us, %s of DRAM traffic\n", s->spec->nlaunch, n, us, moved);
}

static void one_launch(const struct simulation *s, size_t i, bool colour, struct sb *out)
{
    struct page page = page_of(s, i, colour, out), *p = &page;
    header(p, i);
    speed_of_light(p);
    launch_section(p);
    occupancy_section(p);
    compute_section(p);
    memory_section(p);
    shared_section(p);
    scheduler_section(p);
    warp_states(p);
    divergence_section(p);
    roofline(p);
    report_instructions(p);
    report_distribution(p);
}

/* Of many launches only the longest is shown in full, unless all are wanted. */
enum { MANY = 4 };
size_t report_longest(const struct simulation *s)
{
    size_t best = 0;
    for (size_t i = 1; i < s->spec->nlaunch; i++)
        if (s->results[i].cycles > s->results[best].cycles)
            best = i;
    return best;
}

void report_text(const struct simulation *s, const struct common *c, bool colour, struct sb *out)
{
    bool many = s->spec->nlaunch > MANY && !c->full;
    for (size_t i = 0; i < s->spec->nlaunch; i++)
        if (s->results[i].nsm && (!many || i == report_longest(s)))
            one_launch(s, i, colour, out);
    metrics(s, out);
    report_measured(s, colour, c->full, out);
    if (c->source)
        report_source(s, report_longest(s), colour, out);
    outputs(s, out);
    sb_add(out, "\n");
    for (size_t i = 0; i < s->spec->nlaunch; i++) {
        if (s->results[i].nsm) {
            report_summary(s, i, out);
            sb_add(out, "\n");
        }
    }
    report_total(s, out);
    if (many)
        sb_addf(out, "Shown above: the longest of %u launches; --full shows every one.\n", s->spec->nlaunch);
}
