/* The report as one HTML file: the text report and the code with its costs; no network, no scripts. */
#include "cli/report.h"

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

static void code_row(struct page *p, uint32_t pc, double all)
{
    const struct pc_counters *c = &p->r->pcs[pc];
    struct sb text = {0};
    double share = all > 0 ? 100 * pc_warp_cycles(p->r, pc) / all : 0;
    instruction_text(p, pc, &text);
    sb_addf(p->out,
            "<tr><td>%x<td>%u<td>%llu<td>%.1f<td><span class=bar "
            "style=\"width:%.1fem\"></span>%.1f<td>%s<td>%llu<td>%llu<td>%llu<td>%llu<td class=t>",
            pc * INST_BYTES, p->k->code[pc].line, (unsigned long long)c->executed,
            c->executed ? (double)c->thread_executed / (double)c->executed : 0, share / 10, share,
            c->executed ? stall_names[pc_main_stall(p->r, pc)] : "", (unsigned long long)c->sectors,
            (unsigned long long)c->sectors_ideal, (unsigned long long)c->wavefronts,
            (unsigned long long)c->wavefronts_ideal);
    escaped(p->out, text.text ? text.text : "");
    sb_add(p->out, "\n");
    sb_finish(&text);
}

static void code(struct page *p)
{
    double all = 0;
    for (uint32_t i = 0; i < p->r->npc; i++)
        all += pc_warp_cycles(p->r, i);
    sb_add(p->out, "<h2>");
    escaped(p->out, p->r->kernel);
    sb_add(p->out, "</h2>\n<table><tr><th>pc<th>line<th>executed<th>lanes<th>warp cycles %<th>waits "
                   "for<th>sectors<th>ideal<th>wavefronts<th>ideal<th class=t>instruction\n");
    for (uint32_t i = 0; i < p->r->npc; i++)
        code_row(p, i, all);
    sb_add(p->out, "</table>\n");
}

void report_html(const struct simulation *s, const char *target, struct sb *out)
{
    sb_add(out, "<!doctype html><meta charset=utf-8><title>heddle: ");
    escaped(out, target);
    sb_add(out, "</title>\n<style>body{font:14px/1.4 sans-serif;max-width:80em;margin:2em auto;padding:0 "
                "1em}pre,td{font-family:monospace}"
                "table{border-collapse:collapse;font-size:12px}td,th{padding:0 .6em;text-align:right;border-bottom:1px "
                "solid #ddd}.t{text-align:left}"
                ".bar{display:inline-block;height:.7em;background:#d55e00;margin-right:.4em}</style>\n<h1>heddle: ");
    escaped(out, target);
    sb_add(out, "</h1>\n<pre>");
    struct sb text = {0};
    const struct common everything = {.full = true};
    report_text(s, &everything, false, &text);
    escaped(out, text.text ? text.text : "");
    sb_finish(&text);
    sb_add(out, "</pre>\n");
    for (size_t i = 0; i < s->spec->nlaunch; i++) {
        struct page p = page_of(s, i, false, out);
        if (p.r->nsm)
            code(&p);
    }
}
