/* The report as one HTML file: figures, what warps wait for, every SM, the code with its costs, and the text report. No
 * network, no scripts, nothing beside the file. */
#include "cli/report.h"

#include <math.h>
#include <string.h>

static void escaped(struct sb *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '<')
            sb_add(out, "&lt;");
        else if (*s == '>')
            sb_add(out, "&gt;");
        else if (*s == '&')
            sb_add(out, "&amp;");
        else
            sb_addn(out, s, 1);
    }
}

/* ---- figures -------------------------------------------------------------------------------------------- */
static void figure(struct page *p, const char *name, double value, const char *unit, double full)
{
    char text[32] = "n/m";
    if (!isnan(value))
        number(text, value);
    sb_addf(p->out, "<div class=fig><b>%s%s</b><span>%s</span>", text, isnan(value) ? "" : unit, name);
    if (full > 0 && !isnan(value))
        sb_addf(p->out, "<i><i style=\"width:%.0f%%\"></i></i>", 100 * fmin(value / full, 1));
    sb_add(p->out, "</div>\n");
}

static double counter(const struct page *p, const char *name)
{
    int i = counter_find(name);
    return i < 0 ? NAN : counter_value(p->r, (size_t)i);
}

static void figures(struct page *p)
{
    sb_add(p->out, "<div class=figs>\n");
    figure(p, "cycles", (double)p->r->cycles, "", 0);
    figure(p, "time", p->r->time_us, " us", 0);
    figure(p, "issue slots used", counter(p, "smsp__issue_active.avg.pct_of_peak_sustained_active"), " %", 100);
    figure(p, "warps resident", counter(p, "sm__warps_active.avg.pct_of_peak_sustained_active"), " %", 100);
    figure(p, "lanes active", counter(p, "smsp__thread_inst_executed_per_inst_executed.ratio"), "", p->c->warp_size);
    figure(p, "L1 hits", counter(p, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"), " %", 100);
    figure(p, "L2 hits", counter(p, "lts__t_sector_hit_rate.pct"), " %", 100);
    figure(p, "DRAM", counter(p, "dram__throughput.avg.pct_of_peak_sustained_elapsed"), " %", 100);
    sb_addf(p->out,
            "</div>\n<p>Bound: <b>%s</b>. Grid %u x %u x %u, block %u x %u x %u, %u registers a thread, %u bytes of "
            "shared memory.</p>\n",
            bound_of(p), p->r->grid[0], p->r->grid[1], p->r->grid[2], p->r->block[0], p->r->block[1], p->r->block[2],
            p->r->regs, p->r->static_shared + p->r->dynamic_shared);
}

/* ---- what warps wait for ------------------------------------------------------------------------------------ */
/* Colours of the viewer and the plots, by the same classes. */
static const char *stall_class(enum stall s)
{
    switch (s) {
    case STALL_selected:
        return "issued";
    case STALL_not_selected:
        return "ready";
    case STALL_long_scoreboard:
    case STALL_membar:
    case STALL_drain:
        return "memory";
    case STALL_short_scoreboard:
    case STALL_gmma:
        return "shared";
    case STALL_wait:
        return "dependency";
    case STALL_dispatch_stall:
    case STALL_math_pipe_throttle:
    case STALL_mio_throttle:
    case STALL_lg_throttle:
        return "throttled";
    case STALL_barrier:
        return "barrier";
    case STALL_imc_miss:
    case STALL_branch_resolving:
    case STALL_no_instruction:
        return "fetch";
    default:
        return "other";
    }
}

static void stalls(struct page *p)
{
    double all = 0, most = 1;
    for (int i = 0; i < STALL_COUNT; i++) {
        all += (double)p->r->sm.stall[i];
        most = fmax(most, (double)p->r->sm.stall[i]);
    }
    if (all <= 0)
        return;
    sb_add(p->out, "<h3>What warps wait for</h3>\n<div class=mix>");
    for (int i = 0; i < STALL_COUNT; i++)
        if (p->r->sm.stall[i])
            sb_addf(p->out, "<i class=%s style=\"width:%.3f%%\" title=\"%s %.1f%%\"></i>", stall_class((enum stall)i),
                    100 * (double)p->r->sm.stall[i] / all, stall_names[i], 100 * (double)p->r->sm.stall[i] / all);
    sb_add(p->out, "</div>\n<table class=stalls>\n");
    for (int i = 0; i < STALL_COUNT; i++) {
        double v = (double)p->r->sm.stall[i];
        if (v < all / 500)
            continue;
        sb_addf(
            p->out,
            "<tr><td class=t>%s<td class=w><i class=%s style=\"width:%.1f%%\"></i><td>%.2f<td>%.1f %%<td class=t>%s\n",
            stall_names[i], stall_class((enum stall)i), 100 * v / most,
            p->r->sm.issue_active ? v / (double)p->r->sm.issue_active : 0, 100 * v / all, stall_docs[i]);
    }
    sb_add(p->out, "</table>\n<p class=dim>warp cycles for each issued instruction, and their share</p>\n");
}

/* Every SM as a cell, darker the longer it had work. */
static void sms(struct page *p)
{
    uint64_t most = 1;
    for (uint32_t i = 0; i < p->r->nsm; i++)
        most = p->r->sms[i].cycles_active > most ? p->r->sms[i].cycles_active : most;
    sb_add(p->out, "<h3>SMs</h3>\n<div class=sms>");
    for (uint32_t i = 0; i < p->r->nsm; i++) {
        const struct sm_counters *k = &p->r->sms[i];
        sb_addf(p->out,
                "<i style=\"opacity:%.2f\" title=\"SM %u: %llu cycles with work, %llu blocks, %llu instructions\"></i>",
                0.08 + 0.92 * (double)k->cycles_active / (double)most, i, (unsigned long long)k->cycles_active,
                (unsigned long long)k->blocks_launched, (unsigned long long)k->inst_executed);
    }
    sb_add(p->out,
           "</div>\n<p class=dim>a cell an SM, fuller the longer it had a warp; point at one for its figures</p>\n");
}

/* ---- code ------------------------------------------------------------------------------------------------------ */
static void code_row(struct page *p, uint32_t pc, double all, double most)
{
    const struct pc_counters *c = &p->r->pcs[pc];
    struct sb text = {0};
    double cost = pc_warp_cycles(p->r, pc), share = all > 0 ? 100 * cost / all : 0;
    enum stall main_stall = pc_main_stall(p->r, pc);
    instruction_text(p, pc, &text);
    sb_addf(p->out,
            "<tr%s><td>%x<td>%u<td>%llu<td>%.1f<td class=w><i class=%s style=\"width:%.1f%%\"></i><td>%.1f<td "
            "class=t>%s<td>%llu<td>%llu<td>%llu<td>%llu<td "
            "class=t>",
            c->executed ? "" : " class=dim", pc * INST_BYTES, p->k->code[pc].line, (unsigned long long)c->executed,
            c->executed ? (double)c->thread_executed / (double)c->executed : 0, stall_class(main_stall),
            most > 0 ? 100 * cost / most : 0, share, c->executed ? stall_names[main_stall] : "",
            (unsigned long long)c->sectors, (unsigned long long)c->sectors_ideal, (unsigned long long)c->wavefronts,
            (unsigned long long)c->wavefronts_ideal);
    escaped(p->out, text.text ? text.text : "");
    sb_add(p->out, "\n");
    sb_finish(&text);
}

static void code(struct page *p)
{
    double all = 0, most = 0;
    for (uint32_t i = 0; i < p->r->npc; i++) {
        all += pc_warp_cycles(p->r, i);
        most = fmax(most, pc_warp_cycles(p->r, i));
    }
    sb_add(p->out,
           "<h3>Code</h3>\n<table><tr><th>pc<th>line<th>executed<th>lanes<th class=w>warp cycles<th>%<th class=t>waits "
           "for<th>sectors<th>ideal<th>wavefronts<th>ideal<th class=t>instruction\n");
    for (uint32_t i = 0; i < p->r->npc; i++)
        code_row(p, i, all, most);
    sb_add(p->out, "</table>\n");
}

static const char style[] =
    "body{font:14px/1.45 system-ui,sans-serif;max-width:84em;margin:2em auto;padding:0 "
    "1em;color:#20242c;background:#fff}"
    "pre,td{font-family:ui-monospace,monospace}table{border-collapse:collapse;font-size:12px}"
    "td,th{padding:1px .6em;text-align:right;border-bottom:1px solid "
    "#8883}th{position:sticky;top:0;background:#fff}.t{text-align:left}"
    ".w{min-width:9em;text-align:left}.w i{display:block;height:.75em;border-radius:2px}.dim{color:#8a8f98}"
    ".figs{display:grid;grid-template-columns:repeat(auto-fit,minmax(8em,1fr));gap:.7em}.fig{background:#8881;border-"
    "radius:8px;padding:.6em .9em}"
    ".fig b{display:block;font-size:20px}.fig "
    "span{color:#8a8f98;font-size:12px}.fig>i{display:block;height:4px;border-radius:2px;background:#8883;"
    "margin-top:.4em}.fig>i>i{display:block;height:4px;border-radius:2px;background:#0072b2}"
    ".mix{display:flex;height:22px;border-radius:4px;overflow:hidden;margin:.5em 0}.mix i{display:block}"
    ".sms{display:flex;flex-wrap:wrap;gap:3px;max-width:60em}.sms "
    "i{width:16px;height:16px;border-radius:3px;background:#0072b2}"
    ".issued{background:#8a8f98}.ready{background:#e5d92f}.memory{background:#d55e00}.shared{background:#e69f00}."
    "dependency{background:#56b4e9}"
    ".throttled{background:#8f6bd1}.barrier{background:#cc79a7}.fetch{background:#0072b2}.other{background:#bbb}"
    "@media(prefers-color-scheme:dark){body{background:#12141a;color:#e8eaed}th{background:#12141a}}";

void report_html(const struct simulation *s, const char *target, struct sb *out)
{
    sb_add(out, "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport "
                "content=\"width=device-width\"><title>heddle: ");
    escaped(out, target);
    sb_addf(out, "</title>\n<style>%s</style>\n<h1>heddle: ", style);
    escaped(out, target);
    sb_add(out, " on ");
    escaped(out, s->config->name);
    sb_add(out, "</h1>\n");
    for (size_t i = 0; i < s->spec->nlaunch; i++) {
        struct page p = page_of(s, i, false, out);
        sb_add(out, "<h2>");
        escaped(out, p.r->kernel);
        sb_add(out, "</h2>\n");
        if (!p.r->nsm)
            continue;
        figures(&p);
        stalls(&p);
        sms(&p);
        code(&p);
    }
    sb_add(out, "<h2>Report</h2>\n<pre>");
    const struct common everything = {.full = true};
    struct sb text = {0};
    report_text(s, &everything, false, &text);
    escaped(out, text.text ? text.text : "");
    sb_finish(&text);
    sb_add(out, "</pre>\n</html>\n");
}
