/* Could this machine exist? And what follows from its parameters. Each refusal names one parameter. */
#include "sim/config_table.h"

#include <stdio.h>

struct verdict {
    int param;
    char *why;
    size_t cap;
};

static bool refuse(struct verdict *v, int param, const char *fmt, ...) PRINTF_LIKE(3, 4);
static bool refuse(struct verdict *v, int param, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(v->why, v->cap, fmt, ap);
    va_end(ap);
    v->param = param;
    return false;
}
#define REFUSE(field, ...) return refuse(v, PARAM_OF(field), __VA_ARGS__)

static bool is_pow2(uint64_t x)
{
    return x && !(x & (x - 1));
}

static uint32_t tpc_count(const struct config *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_gpc_tpcs; i++)
        n += c->gpc_tpcs[i];
    return n;
}

static bool gpc_list_matches(const struct config *c, struct verdict *v)
{
    uint32_t have[NGPC] = {0};
    if (!c->n_gpc_of_tpc)
        return true;
    if (c->n_gpc_of_tpc != tpc_count(c))
        REFUSE(gpc_of_tpc, "names %u TPCs, but the GPCs hold %u", c->n_gpc_of_tpc, tpc_count(c));
    for (uint32_t t = 0; t < c->n_gpc_of_tpc; t++) {
        if (c->gpc_of_tpc[t] >= c->n_gpc_tpcs)
            REFUSE(gpc_of_tpc, "TPC %u is in GPC %u, but there are only %u GPCs", t, c->gpc_of_tpc[t], c->n_gpc_tpcs);
        have[c->gpc_of_tpc[t]]++;
    }
    for (uint32_t g = 0; g < c->n_gpc_tpcs; g++)
        if (have[g] != c->gpc_tpcs[g])
            REFUSE(gpc_of_tpc, "gives GPC %u %u TPCs, tpcs_per_gpc gives it %u", g, have[g], c->gpc_tpcs[g]);
    return true;
}

static bool halves_match(const struct config *c, struct verdict *v)
{
    if (!c->n_half_of_gpc)
        return true;
    if (c->n_half_of_gpc != c->n_gpc_tpcs)
        REFUSE(half_of_gpc, "names %u GPCs of %u", c->n_half_of_gpc, c->n_gpc_tpcs);
    for (uint32_t g = 0; g < c->n_half_of_gpc; g++)
        if (c->half_of_gpc[g] >= c->l2_halves)
            REFUSE(half_of_gpc, "GPC %u asks half %u, but there are only %u", g, c->half_of_gpc[g], c->l2_halves);
    return true;
}

static bool order_is_permutation(const struct config *c, uint32_t nsm, struct verdict *v)
{
    bool seen[NLIST] = {0};
    if (!c->n_launch_order)
        return true;
    if (c->n_launch_order != nsm)
        REFUSE(launch_order, "names %u SMs, the chip has %u", c->n_launch_order, nsm);
    for (uint32_t i = 0; i < nsm; i++) {
        uint32_t sm = c->launch_order[i];
        if (sm >= nsm || seen[sm])
            REFUSE(launch_order, sm >= nsm ? "there is no SM %u" : "SM %u appears twice", sm);
        seen[sm] = true;
    }
    return true;
}

static bool topology_ok(const struct config *c, struct verdict *v)
{
    if (!c->n_gpc_tpcs || c->n_gpc_tpcs > NGPC)
        REFUSE(gpc_tpcs, "%u GPCs; 1 to %d are possible", c->n_gpc_tpcs, NGPC);
    uint64_t nsm = (uint64_t)tpc_count(c) * c->sms_per_tpc;
    if (nsm > NLIST)
        REFUSE(gpc_tpcs, "%llu SMs; at most %d are possible", (unsigned long long)nsm, NLIST);
    return gpc_list_matches(c, v) && halves_match(c, v) && order_is_permutation(c, (uint32_t)nsm, v);
}

static bool clusters_ok(const struct config *c, struct verdict *v)
{
    if (c->noc_gpc_cycles > c->noc_latency_cycles)
        REFUSE(noc_gpc_cycles, "%u cycles of a latency of %u (interconnect.latency_cycles) go by the GPC's clock",
               c->noc_gpc_cycles, c->noc_latency_cycles);
    if (c->coalesce_cycles > c->noc_latency_cycles)
        REFUSE(coalesce_cycles, "reads meet for %u cycles, longer than interconnect.latency_cycles, %u",
               c->coalesce_cycles, c->noc_latency_cycles); /* the first one's answer would have passed */
    if (c->cluster_max_blocks > 1 && c->cluster_latency_cycles > c->noc_latency_cycles)
        REFUSE(cluster_latency_cycles,
               "SMs of a cluster are %u cycles apart, no more than interconnect.latency_cycles, %u",
               c->cluster_latency_cycles, c->noc_latency_cycles);
    return true;
}

static bool warps_ok(const struct config *c, struct verdict *v)
{
    if (c->warp_size != 32 && c->warp_size != 64)
        REFUSE(warp_size, "a warp has 32 or 64 lanes, not %u", c->warp_size);
    if (c->warp_size == 64 && c->isa)
        REFUSE(warp_size, "machine code is 32 lanes wide; a 64-lane part runs KIR only (isa: 0)");
    if (c->max_warps % c->subcores)
        REFUSE(max_warps, "%u warps do not divide among %u sub-cores", c->max_warps, c->subcores);
    if (c->max_threads_per_block > c->max_warps * c->warp_size)
        REFUSE(max_threads_per_block, "a block of %u threads does not fit in %u warps of %u lanes",
               c->max_threads_per_block, c->max_warps, c->warp_size);
    if (c->max_threads_per_block % c->warp_size)
        REFUSE(max_threads_per_block, "%u is no multiple of the warp size %u", c->max_threads_per_block, c->warp_size);
    return true;
}

static bool registers_ok(const struct config *c, struct verdict *v)
{
    if (c->registers % (c->subcores * c->warp_size))
        REFUSE(registers, "%u registers do not divide among %u sub-cores in rows of %u lanes", c->registers,
               c->subcores, c->warp_size);
    if (c->registers < c->subcores * c->reg_alloc_unit)
        REFUSE(registers, "a sub-core's %u registers hold no allocation unit of %u", c->registers / c->subcores,
               c->reg_alloc_unit);
    if (c->reg_alloc_unit % c->warp_size)
        REFUSE(reg_alloc_unit, "%u is no multiple of the warp size %u", c->reg_alloc_unit, c->warp_size);
    if (c->warp_alloc_granularity > c->max_warps)
        REFUSE(warp_alloc_granularity, "%u warps at a time, but an SM holds only %u", c->warp_alloc_granularity,
               c->max_warps);
    return true;
}

static bool shared_ok(const struct config *c, struct verdict *v)
{
    if (!is_pow2(c->smem_banks))
        REFUSE(smem_banks, "%u is no power of two", c->smem_banks);
    if (!is_pow2(c->smem_bank_bytes))
        REFUSE(smem_bank_bytes, "%u is no power of two", c->smem_bank_bytes);
    if (c->smem_bytes > c->unified_bytes)
        REFUSE(smem_bytes, "%u bytes of shared memory in an array of %u", c->smem_bytes, c->unified_bytes);
    if (c->smem_per_block_bytes + c->smem_reserved_bytes > c->smem_bytes)
        REFUSE(smem_per_block_bytes, "%u and the %u reserved exceed the SM's %u bytes", c->smem_per_block_bytes,
               c->smem_reserved_bytes, c->smem_bytes);
    if (c->smem_static_bytes > c->smem_per_block_bytes)
        REFUSE(smem_static_bytes, "%u exceeds what a block may have, %u", c->smem_static_bytes,
               c->smem_per_block_bytes);
    if (!c->n_carveouts_kb)
        REFUSE(carveouts_kb, "at least one size is needed");
    for (uint32_t i = 0; i < c->n_carveouts_kb; i++) {
        if (i && c->carveouts_kb[i] <= c->carveouts_kb[i - 1])
            REFUSE(carveouts_kb, "%u KiB does not come after %u KiB in rising order", c->carveouts_kb[i],
                   c->carveouts_kb[i - 1]);
        if (c->carveouts_kb[i] * 1024ull > c->unified_bytes)
            REFUSE(carveouts_kb, "%u KiB does not fit in the array of %u bytes", c->carveouts_kb[i], c->unified_bytes);
    }
    if (c->carveouts_kb[c->n_carveouts_kb - 1] * 1024ull < c->smem_bytes)
        REFUSE(carveouts_kb, "the largest, %u KiB, is below the SM's %u bytes", c->carveouts_kb[c->n_carveouts_kb - 1],
               c->smem_bytes);
    return true;
}

static bool l1_ok(const struct config *c, struct verdict *v)
{
    if (!is_pow2(c->l1_line_bytes))
        REFUSE(l1_line_bytes, "%u is no power of two", c->l1_line_bytes);
    if (c->l1_line_bytes != c->l2_line_bytes)
        REFUSE(l1_line_bytes, "L1 and L2 lines differ: %u and %u bytes", c->l1_line_bytes, c->l2_line_bytes);
    uint32_t lines = c->unified_bytes / c->l1_line_bytes; /* carve-outs take ways, never sets */
    if (c->l1_ways > lines || lines % c->l1_ways)
        REFUSE(l1_ways, "%u lines of the array are no whole number of sets of %u", lines, c->l1_ways);
    if (lines > 32768)
        REFUSE(unified_bytes, "%u lines are more than the 32768 that are supported", lines);
    if (c->l1_reserved_bytes >= c->unified_bytes)
        REFUSE(l1_reserved_bytes, "nothing of %u bytes is left", c->unified_bytes);
    return true;
}

static bool l2_ok(const struct config *c, struct verdict *v)
{
    if (c->l2_slices % c->mem_partitions)
        REFUSE(l2_slices, "%u slices do not divide among %u memory partitions", c->l2_slices, c->mem_partitions);
    if (c->l2_slices / c->mem_partitions % c->l2_halves)
        REFUSE(l2_slices, "the %u slices of a memory partition do not divide among %u L2 halves",
               c->l2_slices / c->mem_partitions, c->l2_halves);
    if (!is_pow2(c->l2_line_bytes) || c->l2_line_bytes > 256)
        REFUSE(l2_line_bytes, "a line has 32, 64, 128 or 256 bytes, not %u", c->l2_line_bytes);
    if (c->l2_fetch_bytes % 32 || c->l2_fetch_bytes > c->l2_line_bytes)
        REFUSE(l2_fetch_bytes, "%u is no whole number of sectors of a %u-byte line", c->l2_fetch_bytes,
               c->l2_line_bytes);
    return true;
}

static bool dram_ok(const struct config *c, struct verdict *v)
{
    if (c->dram_channels % c->mem_partitions)
        REFUSE(dram_channels, "%u channels do not divide among %u memory partitions", c->dram_channels,
               c->mem_partitions);
    if (c->dram_burst_bytes % 32 && 32 % c->dram_burst_bytes)
        REFUSE(dram_burst_bytes, "%u bytes are neither a part nor a multiple of a 32-byte sector", c->dram_burst_bytes);
    if (c->dram_row_bytes % c->dram_burst_bytes || c->dram_row_bytes % 32)
        REFUSE(dram_row_bytes, "%u is no whole number of bursts of %u bytes", c->dram_row_bytes, c->dram_burst_bytes);
    if (c->dram_tRAS_ns + c->dram_tRP_ns > c->dram_tRC_ns + 1)
        REFUSE(dram_tRC_ns, "%g ns is shorter than tRAS + tRP, %g ns", c->dram_tRC_ns,
               c->dram_tRAS_ns + c->dram_tRP_ns);
    if (c->dram_tCCDS_ns > c->dram_tCCDL_ns)
        REFUSE(dram_tCCDL_ns, "%g ns is shorter than tCCDS, %g ns", c->dram_tCCDL_ns, c->dram_tCCDS_ns);
    return true;
}

bool config_possible(const struct config *c, int *param, char *why, size_t cap)
{
    struct verdict v = {0, why, cap};
    bool ok = topology_ok(c, &v) && clusters_ok(c, &v) && warps_ok(c, &v) && registers_ok(c, &v) && shared_ok(c, &v) &&
              l1_ok(c, &v) && l2_ok(c, &v) && dram_ok(c, &v);
    *param = v.param;
    return ok;
}

bool config_check(const struct config *c, struct error *err)
{
    int param = 0;
    char why[512];
    if (config_possible(c, &param, why, sizeof why))
        return true;
    return error_set(err, EXIT_BAD_INPUT, "config %s: %s: %s", c->name, param_table[param].path, why);
}

/* TPC t in number order is dealt to the GPCs in turn, those that are full left out, unless listed. */
static void place_tpcs(struct config *c)
{
    uint32_t have[NGPC] = {0}, gpc = 0;
    for (uint32_t t = 0; t < c->ntpc; t++) {
        if (c->n_gpc_of_tpc) {
            gpc = c->gpc_of_tpc[t];
        } else {
            while (have[gpc % c->ngpc] >= c->gpc_tpcs[gpc % c->ngpc])
                gpc++;
            gpc %= c->ngpc;
        }
        have[gpc]++;
        for (uint32_t s = 0; s < c->sms_per_tpc; s++) {
            c->tpc_of_sm[t * c->sms_per_tpc + s] = t;
            c->gpc_of_sm[t * c->sms_per_tpc + s] = gpc;
        }
        gpc += !c->n_gpc_of_tpc;
    }
}

void config_derive(struct config *c)
{
    c->ngpc = c->n_gpc_tpcs;
    c->ntpc = tpc_count(c);
    c->nsm = c->ntpc * c->sms_per_tpc;
    place_tpcs(c);
    /* L: no message arrives sooner than this after it was sent, so partitions may run that far apart. */
    c->window_cycles = c->noc_latency_cycles;
}
