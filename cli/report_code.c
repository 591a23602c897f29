/* The report's view of the code: which instructions warps spend their cycles at; and how even the work is. */
#include "cli/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HOTTEST = 10 };

double pc_warp_cycles(const struct launch_result *r, uint32_t pc)
{
    double sum = 0;
    for (size_t i = 0; i < STALL_COUNT; i++)
        sum += (double)r->pcs[pc].stall[i];
    return sum;
}

/* What warps wait for there; having issued is no waiting. */
enum stall pc_main_stall(const struct launch_result *r, uint32_t pc)
{
    size_t best = STALL_selected;
    for (size_t i = 0; i < STALL_COUNT; i++)
        if (i != STALL_selected && r->pcs[pc].stall[i] > (best == STALL_selected ? 0 : r->pcs[pc].stall[best]))
            best = i;
    return (enum stall)best;
}

void instruction_text(const struct page *p, uint32_t pc, struct sb *out)
{
    inst_print(p->arch, &p->k->code[pc], out);
}

static uint32_t hottest(const struct launch_result *r, bool *taken)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < r->npc; i++)
        if (!taken[i] && r->pcs[i].executed && (best == UINT32_MAX || pc_warp_cycles(r, i) > pc_warp_cycles(r, best)))
            best = i;
    return best;
}

static void instruction_row(struct page *p, uint32_t pc, double all)
{
    const struct pc_counters *c = &p->r->pcs[pc];
    const struct inst *in = &p->k->code[pc];
    char executed[32], what[96] = "", line[32] = "";
    struct sb text = {0};
    instruction_text(p, pc, &text);
    number(executed, (double)c->executed);
    enum stall st = pc_main_stall(p->r, pc);
    if (c->sectors > c->sectors_ideal)
        snprintf(what, sizeof what, "; sectors %.3g x ideal",
                 (double)c->sectors / (double)(c->sectors_ideal ? c->sectors_ideal : 1));
    else if (c->wavefronts > c->wavefronts_ideal)
        snprintf(what, sizeof what, "; wavefronts %.3g x ideal",
                 (double)c->wavefronts / (double)(c->wavefronts_ideal ? c->wavefronts_ideal : 1));
    if (in->line)
        snprintf(line, sizeof line, "%u", in->line);
    sb_addf(p->out, "  %5.1f %6x %5s %11s %5.1f  %-38.38s %s%s\n", all > 0 ? 100 * pc_warp_cycles(p->r, pc) / all : 0,
            pc * INST_BYTES, line, executed, c->executed ? (double)c->thread_executed / (double)c->executed : 0,
            text.text ? text.text : "", st == STALL_selected ? "-" : stall_names[st], what);
    sb_finish(&text);
}

void report_instructions(struct page *p)
{
    double all = 0;
    if (!p->r->npc)
        return;
    for (uint32_t i = 0; i < p->r->npc; i++)
        all += pc_warp_cycles(p->r, i);
    section(p, "Hottest instructions (where warps wait before they issue)");
    sb_addf(p->out, "  %5s %6s %5s %11s %5s  %-38s %s\n", "%", "pc", "line", "executed", "lanes", "instruction",
            "waits for");
    bool *taken = xcalloc(p->r->npc, sizeof *taken);
    for (int i = 0; i < HOTTEST; i++) {
        uint32_t pc = hottest(p->r, taken);
        if (pc == UINT32_MAX)
            break;
        taken[pc] = true;
        instruction_row(p, pc, all);
    }
    free(taken);
}

/* ---- distribution ------------------------------------------------------------------------------------- */
struct spread {
    double min, sum, max;
    uint32_t n;
};

static void add(struct spread *s, double v)
{
    if (!s->n || v < s->min)
        s->min = v;
    if (!s->n || v > s->max)
        s->max = v;
    s->sum += v;
    s->n++;
}

static void spread_row(struct page *p, const char *name, const struct spread *s)
{
    char lo[32], mean[32], hi[32];
    if (!s->n || s->sum == 0)
        return;
    number(lo, s->min);
    number(mean, s->sum / s->n);
    number(hi, s->max);
    sb_addf(p->out, "  %-32s %16s %16s %16s %12.2f\n", name, lo, mean, hi, s->max / (s->sum / s->n));
}

void report_distribution(struct page *p)
{
    const struct launch_result *r = p->r;
    struct spread active = {0}, inst = {0}, blocks = {0}, sectors = {0}, l2 = {0}, dram = {0};
    for (uint32_t i = 0; i < r->nsm; i++) {
        add(&active, (double)r->sms[i].cycles_active);
        add(&inst, (double)r->sms[i].inst_executed);
        add(&blocks, (double)r->sms[i].blocks_launched);
        add(&sectors, (double)(r->sms[i].global_ld_sectors + r->sms[i].global_st_sectors));
    }
    for (uint32_t i = 0; i < r->nmp; i++) {
        add(&l2, (double)(r->mps[i].l2_reads + r->mps[i].l2_writes + r->mps[i].l2_atomics + r->mps[i].l2_reds));
        add(&dram, (double)(r->mps[i].dram_reads + r->mps[i].dram_writes));
    }
    section(p, "Workload distribution");
    sb_addf(p->out, "  %-32s %16s %16s %16s %12s\n", "", "min", "mean", "max", "max/mean");
    spread_row(p, "SM: active cycles", &active);
    spread_row(p, "SM: warp instructions", &inst);
    spread_row(p, "SM: blocks", &blocks);
    spread_row(p, "SM: global sectors", &sectors);
    spread_row(p, "Memory partition: L2 sectors", &l2);
    spread_row(p, "Memory partition: DRAM sectors", &dram);
    hint_distribution(p);
}
