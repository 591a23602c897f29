/* What a config amounts to: peak rates, ridge points, totals; and what differs between two. */
#include "sim/config_table.h"

#include <string.h>

static double per_second(const struct config *c, double per_cycle)
{
    return per_cycle * c->sm_mhz * 1e6;
}

/* Lanes a cycle that a unit of all SMs takes in; 0 if the part has none of it. */
static double lanes(const struct config *c, uint32_t interval)
{
    return interval ? (double)c->nsm * c->subcores * c->warp_size / interval : 0;
}

struct peaks config_peaks(const struct config *c)
{
    struct peaks p = {0};
    /* A multiply-add counts as two operations; a packed half instruction does two a lane. One 16-bit matrix
     * instruction (16 x 8 x 16) is 2,048 multiply-adds of a warp; warpgroup products may be faster. */
    p.fp32 = per_second(c, 2 * lanes(c, c->fma_interval_cycles));
    /* where fp64 is as fast, compilers send every second packed operation there (HFMA2.MMA) */
    bool two = c->fp64_interval_cycles <= c->fp16_interval_cycles;
    p.fp16 = per_second(c, 4 * lanes(c, c->fp16_interval_cycles) + (two ? 4 * lanes(c, c->fp64_interval_cycles) : 0));
    p.fp64 = per_second(c, 2 * lanes(c, c->fp64_interval_cycles));
    double warp_level = c->tensor_interval_cycles ? 2048.0 / c->tensor_interval_cycles : 0;
    double fma = warp_level > c->gmma_fma_per_cycle ? warp_level : c->gmma_fma_per_cycle;
    p.tensor16 = per_second(c, 2 * fma * c->nsm * c->subcores);
    p.dram = c->dram_channels * c->dram_channel_bytes * c->mem_mhz * 1e6;
    double slices = c->l2_slices * c->l2_slice_bytes, ports = c->ngpc * c->gpc_reply_bytes,
           sms = c->nsm * c->sm_reply_bytes;
    double tpcs = c->ntpc * c->tpc_reply_bytes, least = slices;
    least = ports < least ? ports : least;
    least = sms < least ? sms : least;
    least = tpcs < least ? tpcs : least;
    p.l2 = per_second(c, least);
    p.l1 = per_second(c, (double)c->nsm * c->l1_bytes_per_cycle);
    p.issue = per_second(c, (double)c->nsm * c->subcores);
    return p;
}

static void row(struct sb *out, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void row(struct sb *out, const char *name, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    sb_addf(out, "  %-34s %s\n", name, text);
}

static void explain_chip(const struct config *c, struct sb *out)
{
    sb_addf(out, "%s, %s", c->name, c->isa ? "" : "KIR only");
    if (c->isa)
        sb_addf(out, "sm_%u", c->isa);
    sb_add(out, "\n\nChip\n");
    row(out, "SMs, TPCs, GPCs", "%u, %u, %u", c->nsm, c->ntpc, c->ngpc);
    row(out, "SM clock, memory clock", "%.12g MHz, %.12g MHz", c->sm_mhz, c->mem_mhz);
    row(out, "cycle", "%.3f ns", 1e3 / c->sm_mhz);
    row(out, "window L", "%u cycles", c->window_cycles);
    row(out, "lanes of a warp", "%u", c->warp_size);
    row(out, "most warps, threads, blocks", "%u, %u, %u an SM; %u, %u, %u in all", c->max_warps,
        c->max_warps * c->warp_size, c->max_blocks, c->max_warps * c->nsm, c->max_warps * c->warp_size * c->nsm,
        c->max_blocks * c->nsm);
    row(out, "registers", "%u KiB an SM; %.1f MiB in all", c->registers / 256, c->registers * 4.0 * c->nsm / 1048576);
}

static void explain_memory(const struct config *c, const struct peaks *p, struct sb *out)
{
    double l2 = (double)c->l2_slices * c->l2_sets * c->l2_ways * c->l2_line_bytes;
    sb_add(out, "\nMemory\n");
    row(out, "shared memory", "%.12g KiB an SM, %.12g KiB a block", c->smem_bytes / 1024.0,
        c->smem_per_block_bytes / 1024.0);
    row(out, "L1", "%.12g to %.12g KiB an SM",
        (c->unified_bytes - c->carveouts_kb[c->n_carveouts_kb - 1] * 1024.0) / 1024,
        (c->unified_bytes - c->carveouts_kb[0] * 1024.0) / 1024);
    row(out, "L2", "%.4g MiB: %u slices of %.4g KiB in %u memory partitions", l2 / 1048576, c->l2_slices,
        l2 / c->l2_slices / 1024, c->mem_partitions);
    row(out, "device memory", "%.4g GiB in %u channels", (double)c->memory_bytes / 1073741824, c->dram_channels);
    row(out, "shared memory and L1 bandwidth", "%.4g TB/s (%u bytes a cycle and SM)", p->l1 / 1e12,
        c->l1_bytes_per_cycle);
    row(out, "L2 read bandwidth", "%.4g TB/s (%.4g bytes a cycle)", p->l2 / 1e12, p->l2 / per_second(c, 1));
    row(out, "DRAM bandwidth", "%.4g GB/s (%.4g bytes a cycle)", p->dram / 1e9, p->dram / per_second(c, 1));
    uint32_t hit = c->l1_latency_cycles + 2 * c->noc_latency_cycles + c->l2_latency_cycles;
    double own = (c->dram_tRCDRD_ns + c->dram_tCL_ns) * c->sm_mhz / 1e3 +
                 c->dram_burst_bytes / c->dram_channel_bytes * c->sm_mhz / c->mem_mhz;
    row(out, "load latency", "shared %u, L1 %u, L2 %u, DRAM about %.0f cycles", c->smem_latency_cycles,
        c->l1_latency_cycles, hit, hit + c->dram_latency_cycles + own);
    row(out, "bytes in flight to fill DRAM", "%.4g KiB an SM (bandwidth x latency)",
        p->dram / per_second(c, 1) * (hit + c->dram_latency_cycles + own) / c->nsm / 1024);
}

static void explain_rates(const struct config *c, const struct peaks *p, struct sb *out)
{
    const struct {
        const char *name;
        double flops;
    } rates[] = {{"fp32", p->fp32}, {"fp16, packed", p->fp16}, {"fp64", p->fp64}, {"fp16 matrix", p->tensor16}};
    sb_add(
        out,
        "\nPeak rates                                  TFLOP/s    a cycle and SM   ridge point FLOP/byte: DRAM, L2\n");
    for (size_t i = 0; i < ARRAY_LEN(rates); i++)
        sb_addf(out, "  %-34s %14.4g %17.6g %22.4g, %.4g\n", rates[i].name, rates[i].flops / 1e12,
                rates[i].flops / per_second(c, 1) / c->nsm, rates[i].flops / p->dram, rates[i].flops / p->l2);
    row(out, "warp instructions", "%.4g T/s (%u a cycle and SM)", p->issue / 1e12, c->subcores);
}

void config_explain(const struct config *c, struct sb *out)
{
    struct peaks p = config_peaks(c);
    explain_chip(c, out);
    explain_memory(c, &p, out);
    explain_rates(c, &p, out);
    sb_add(out, "\nParameters\n");
    for (size_t i = 0; i < param_count; i++) {
        struct sb v = {0};
        config_value(c, i, &v);
        if (v.len > 60)
            strcpy(v.text + 56, " ..]");
        sb_addf(out, "  %-38s %s%s%s\n", param_table[i].path, v.text, *param_table[i].unit ? " " : "",
                param_table[i].unit);
        sb_finish(&v);
    }
}

void config_diff(const struct config *a, const struct config *b, struct sb *out)
{
    for (size_t i = 0; i < param_count; i++) {
        struct sb va = {0}, vb = {0};
        config_value(a, i, &va);
        config_value(b, i, &vb);
        if (strcmp(va.text ? va.text : "", vb.text ? vb.text : "") != 0)
            sb_addf(out, "%-38s %s -> %s%s%s\n", param_table[i].path, va.text, vb.text, *param_table[i].unit ? " " : "",
                    param_table[i].unit);
        sb_finish(&va);
        sb_finish(&vb);
    }
}
