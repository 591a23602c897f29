/* The rules under the report's sections: what would help, by how much at most, and when the hint does not apply.
 * Each is silent unless its figure matters. */
#include "cli/report.h"

#include <math.h>
#include <string.h>

#define RAT(id) (p->r->ratio[RATIO_##id])

static double part_of_time(const struct page *p)
{
    return p->r->cycles ? (double)p->r->overhead_cycles / (double)p->r->cycles : 0;
}

/* Share of the launch in which the busiest SM has a block: where few SMs have work, they decide. */
static double busiest_active(const struct page *p)
{
    double most = 0;
    for (uint32_t i = 0; i < p->r->nsm; i++)
        most = fmax(most, (double)p->r->sms[i].cycles_active);
    return p->r->cycles ? fmin(1, most / (double)p->r->cycles) : 0;
}

/* Share of the launch in which the data stage of the busiest SM works for shared memory; excess: for conflicts alone.
 */
static double shared_share(const struct page *p, bool excess)
{
    double most = 0;
    for (uint32_t i = 0; i < p->r->nsm; i++) {
        const struct sm_counters *c = &p->r->sms[i];
        most = fmax(most, (double)(c->shared_wavefronts - (excess ? c->shared_wavefronts_ideal : 0)));
    }
    return p->r->cycles ? most / (double)p->r->cycles : 0;
}

const char *bound_of(const struct page *p)
{
    double active = busiest_active(p);
    const struct {
        const char *name;
        double pct;
    } roofs[] = {{"DRAM", RAT(sol_dram)}, {"L2", RAT(sol_l2)}, {"L1", RAT(sol_l1) * active}, {"compute", RAT(sol_sm)}};
    size_t best = 0;
    for (size_t i = 1; i < ARRAY_LEN(roofs); i++)
        if (roofs[i].pct > roofs[best].pct)
            best = i;
    if (part_of_time(p) > 0.5)
        return "launch";
    return roofs[best].pct >= 60 ? roofs[best].name : "latency";
}

static enum stall main_stall(const struct page *p)
{
    size_t best = STALL_not_selected;
    for (size_t i = 0; i < STALL_COUNT; i++)
        if (i != STALL_selected && p->r->sm.stall[i] > p->r->sm.stall[best])
            best = i;
    return (enum stall)best;
}

void hint_speed(struct page *p)
{
    const char *bound = bound_of(p);
    if (strcmp(bound, "launch") == 0) {
        hint(p,
             "Launch-bound: %.0f %% of the time is the launch itself. More work in one kernel (larger input, fused "
             "kernels, one graph) would spread it; changes inside the kernel would not be felt.",
             100 * part_of_time(p));
    } else if (strcmp(bound, "latency") == 0) {
        hint(p,
             "Latency-bound: no unit reaches 60 %% of its peak; warps mostly wait (%s). More independent work helps: "
             "more warps, or more instructions in flight in each.",
             stall_names[main_stall(p)]);
    } else if (strcmp(bound, "compute") == 0) {
        hint(p,
             "Compute-bound: %.0f %% of what the busiest part of the SMs can do. Fewer or cheaper instructions help; "
             "faster memory would not.",
             RAT(sol_sm));
    } else if (strcmp(bound, "L1") == 0 && RAT(shared_pct) > RAT(sol_memory) / 2) {
        hint(p,
             "Bound by the data stage of shared memory: on the busiest SM it works in %.0f %% of the cycles. Fewer "
             "wavefronts help (no bank conflicts, more reuse in registers); more warps would not.",
             100 * shared_share(p, false));
    } else {
        hint(p,
             "%s-bound: %.0f %% of its peak. Moving fewer bytes (reuse, smaller types, fusion) helps; more warps would "
             "not.",
             bound,
             strcmp(bound, "DRAM") == 0 ? RAT(sol_dram)
             : strcmp(bound, "L2") == 0 ? RAT(sol_l2)
                                        : RAT(sol_memory));
    }
}

/* Fewest registers less that lift the limit; 0: they do not. */
static uint32_t registers_that_help(const struct page *p, uint32_t *warps)
{
    struct occupancy o;
    for (uint32_t regs = p->r->regs; regs-- > 16;) {
        struct error ignored = {0};
        if (occupancy_of(p->c, (uint32_t)RAT(block_size), regs, p->r->static_shared + p->r->dynamic_shared, 1, &o,
                         &ignored) &&
            o.warps > p->r->occupancy.warps) {
            *warps = o.warps;
            return regs;
        }
    }
    return 0;
}

void hint_occupancy(struct page *p)
{
    const struct occupancy *o = &p->r->occupancy;
    uint32_t warps = 0;
    bool starved = RAT(no_eligible) > 40 && o->warps < p->c->max_warps / 2;
    if (starved && o->limiter && strcmp(o->limiter, "registers") == 0) {
        uint32_t regs = registers_that_help(p, &warps);
        if (regs)
            hint(p,
                 "Registers limit residency: at %u a thread %u warps would fit instead of %u. It matters only while "
                 "schedulers find no eligible warp (%.0f %% of cycles here); spilling costs memory traffic.",
                 regs, warps, o->warps, RAT(no_eligible));
    } else if (starved && o->limiter && strcmp(o->limiter, "shared memory") == 0) {
        hint(p,
             "Shared memory limits residency to %u blocks (%u bytes each, %u reserved by the system). A smaller tile "
             "would allow more warps.",
             o->blocks, p->r->static_shared + p->r->dynamic_shared, p->c->smem_reserved_bytes);
    }
    double waves = p->r->waves, tail = waves - floor(waves);
    if (waves < 1 && RAT(grid_size) < p->c->nsm)
        hint(p, "Only %.0f of %u SMs get a block: the grid is too small for this part.", RAT(grid_size), p->c->nsm);
    else if (waves > 1 && waves < 8 && tail > 0 && tail < 0.5)
        hint(p,
             "The last of %.0f waves is only %.0f %% full, so up to %.0f %% of the block slots idle in it. Smaller "
             "blocks, or a grid that is a multiple of %u blocks, would even it out.",
             ceil(waves), 100 * tail, 100 * (1 - tail), o->blocks * p->c->nsm);
    if (RAT(occ_achieved) < 0.7 * RAT(occ_theoretical) && waves >= 1)
        hint(p, "Achieved occupancy is well below theoretical: blocks start slower than they end, or their warps end "
                "at different times.");
}

void hint_compute(struct page *p)
{
    if (RAT(pipe_fp64) > 30 && p->r->sm.dadd + p->r->sm.dmul + p->r->sm.dfma > 0 &&
        p->c->fp64_interval_cycles > p->c->fma_interval_cycles)
        hint(p,
             "Double precision takes %.0f %% of its pipe, which issues every %u cycles. A constant without f (0.5 "
             "instead of 0.5f) makes the whole expression double.",
             RAT(pipe_fp64), p->c->fp64_interval_cycles);
    if (RAT(pipe_xu) > 60)
        hint(p,
             "The transcendental unit is %.0f %% busy: it takes one instruction in %u cycles. Polynomials on the FMA "
             "pipe or fewer conversions would unload it.",
             RAT(pipe_xu), p->c->xu_interval_cycles);
}

/* Instruction with the most sectors beyond the ideal. */
static uint32_t worst_access(const struct page *p, bool shared, double *excess, double *all)
{
    uint32_t worst = UINT32_MAX;
    *excess = *all = 0;
    double worst_excess = 0;
    for (uint32_t i = 0; i < p->r->npc; i++) {
        const struct pc_counters *c = &p->r->pcs[i];
        double have = (double)(shared ? c->wavefronts : c->sectors),
               ideal = (double)(shared ? c->wavefronts_ideal : c->sectors_ideal);
        *all += have;
        if (have > ideal)
            *excess += have - ideal;
        if (have - ideal > worst_excess) {
            worst_excess = have - ideal;
            worst = i;
        }
    }
    return worst;
}

static void place_of(const struct page *p, uint32_t pc, char out[96])
{
    const struct inst *in = &p->k->code[pc];
    if (in->line && in->file < p->program->nfile) {
        const char *name = strrchr(p->program->files[in->file], '/');
        snprintf(out, 96, "%.60s:%u, pc 0x%x", name ? name + 1 : p->program->files[in->file], in->line,
                 pc * INST_BYTES);
    } else {
        snprintf(out, 96, "pc 0x%x", pc * INST_BYTES);
    }
}

void hint_memory(struct page *p)
{
    double excess, all;
    uint32_t pc = worst_access(p, false, &excess, &all);
    if (pc != UINT32_MAX && excess > 0.1 * all) {
        const struct pc_counters *c = &p->r->pcs[pc];
        char place[96];
        place_of(p, pc, place);
        hint(p,
             "%.0f %% of the global sectors are more than the bytes need; worst at %s: %.1f sectors a request, ideal "
             "%.1f. Let neighbouring lanes touch neighbouring addresses, or go through shared memory. L1 hits soften "
             "it.",
             100 * excess / all, place, (double)c->sectors / (double)c->executed,
             (double)c->sectors_ideal / (double)c->executed);
    }
    if (p->r->sm.local_ld_sectors + p->r->sm.local_st_sectors >
        (p->r->sm.global_ld_sectors + p->r->sm.global_st_sectors) / 10)
        hint(p, "Local memory (spilled registers, arrays indexed at run time) makes much of the traffic.");
    if (p->r->mp.dram_reads + p->r->mp.dram_writes > 10000 && RAT(dram_row_hit) < 50)
        hint(p, "Only %.0f %% of the DRAM accesses find their row open: addresses jump between rows of the same banks.",
             RAT(dram_row_hit));
}

void hint_shared(struct page *p)
{
    double excess, all;
    uint32_t pc = worst_access(p, true, &excess, &all);
    if (pc == UINT32_MAX || RAT(shared_excess) < 0.1 * (double)p->r->sm.shared_wavefronts)
        return;
    const struct pc_counters *c = &p->r->pcs[pc];
    char place[96];
    place_of(p, pc, place);
    hint(p,
         "Bank conflicts: %.0f %% of the wavefronts are excess; worst at %s: %.1f wavefronts a request, ideal %.1f. "
         "Padding a row by one word or a swizzle spreads the lanes over the banks. At most %.0f %% of the time is at "
         "stake: so long is the data stage of the busiest SM busy with them.",
         100 * RAT(shared_excess) / (double)p->r->sm.shared_wavefronts, place,
         (double)c->wavefronts / (double)c->executed, (double)c->wavefronts_ideal / (double)c->executed,
         100 * shared_share(p, true));
}

static const char *advice(enum stall s)
{
    switch (s) {
    case STALL_long_scoreboard:
        return "loads from L2 or DRAM: more of them in flight (unrolling, asynchronous copies, more warps), or data "
               "kept nearer";
    case STALL_short_scoreboard:
        return "shared memory or transcendentals: fewer bank conflicts, wider accesses, more independent work between "
               "load and use";
    case STALL_mio_throttle:
        return "the memory input-output queue is full: fewer, wider shared-memory instructions";
    case STALL_lg_throttle:
        return "the queue for global and local memory is full: fewer, wider accesses (128 bits a lane)";
    case STALL_math_pipe_throttle:
        return "one execution unit is full: move work to another or do less of it";
    case STALL_wait:
        return "fixed latencies between dependent instructions: independent chains side by side";
    case STALL_barrier:
        return "warps arrive at the block barrier at different times: smaller blocks, evener work, fewer barriers";
    case STALL_branch_resolving:
        return "branches: unroll short loops, predicate short bodies";
    case STALL_no_instruction:
        return "instruction cache misses or jumps: shorter code, less unrolling";
    case STALL_imc_miss:
        return "constant cache misses: indexed constants belong in shared or global memory";
    case STALL_membar:
        return "memory fences: a narrower scope, or fewer of them";
    case STALL_not_selected:
        return "warps are ready and wait their turn: the schedulers are full, which is no fault";
    case STALL_drain:
        return "stores at the end of a warp: fewer bytes or evener stores";
    case STALL_gmma:
        return "the matrix unit: it works, unless its tiles are small";
    default:
        return "see docs/counters.md";
    }
}

void hint_stalls(struct page *p)
{
    enum stall s = main_stall(p);
    double share = RAT(warp_latency) > 0 ? p->r->ratio[RATIO_stall_selected + s] / RAT(warp_latency) : 0;
    if (share < 0.3 || RAT(no_eligible) < 20)
        return;
    const char *bound = bound_of(p);
    bool full = (strcmp(bound, "DRAM") == 0 || strcmp(bound, "L2") == 0) &&
                (s == STALL_long_scoreboard || s == STALL_lg_throttle || s == STALL_drain);
    if (full)
        hint(p,
             "%.0f %% of the warp cycles are %s: the %s bandwidth above is why, so shortening this wait alone would "
             "not help.",
             100 * share, stall_names[s], bound);
    else
        hint(p,
             "%.0f %% of the warp cycles are %s (%s). It matters because schedulers have no eligible warp in %.0f %% "
             "of the cycles.",
             100 * share, stall_names[s], advice(s), RAT(no_eligible));
}

void hint_divergence(struct page *p)
{
    double lanes = RAT(lanes), full = p->c->warp_size;
    double partial_block = fmod(RAT(block_size), full) / full; /* a last warp that is never full is no divergence */
    if (lanes < 0.75 * full && RAT(branch_eff) < 99)
        hint(p,
             "On average %.1f of %.0f lanes are active: branches split warps. Group elements so that whole warps take "
             "one way; sorting by condition or one warp per task does it.",
             lanes, full);
    else if (lanes < 0.75 * full && partial_block > 0)
        hint(p, "On average %.1f of %.0f lanes are active: blocks of %.0f threads leave the last warp partly empty.",
             lanes, full, RAT(block_size));
    else if (RAT(lanes_on) < 0.75 * lanes)
        hint(p,
             "%.1f lanes are active but only %.1f have a true guard: the compiler predicated a branch, so lanes idle "
             "without a split.",
             lanes, RAT(lanes_on));
}

void hint_distribution(struct page *p)
{
    double max = 0, sum = 0;
    for (uint32_t i = 0; i < p->r->nsm; i++) {
        double v = (double)p->r->sms[i].cycles_active;
        sum += v;
        max = v > max ? v : max;
    }
    double mean = p->r->nsm ? sum / p->r->nsm : 0;
    if (mean > 0 && max > 1.25 * mean && RAT(grid_size) >= p->c->nsm)
        hint(p,
             "The busiest SM works %.2f times as long as the mean one: blocks are uneven, or the last wave is short. "
             "At most %.0f %% could be won by even work.",
             max / mean, 100 * (1 - mean / max));
}
