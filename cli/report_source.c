/* run --source: the whole listing of the longest launch with what each instruction did, under its lines of source. */
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>

struct text_file {
    char *text;
    const char **lines; /* of text, each ended by NUL */
    size_t n;
};

static bool split_lines(struct text_file *f, uint8_t *data, size_t len)
{
    size_t cap = 0;
    f->text = xstrndup((const char *)data, len);
    free(data);
    for (char *at = f->text; at && *at;) {
        f->lines = grow(f->lines, f->n, &cap, sizeof *f->lines);
        f->lines[f->n++] = at;
        at = strchr(at, '\n');
        if (at)
            *at++ = 0;
    }
    return true;
}

/* The file as its compiler named it, else one of that name beside the launch spec. */
static bool text_file_open(struct text_file *f, const char *path, const char *dir)
{
    struct error ignored = {0};
    uint8_t *data;
    size_t len;
    if (file_read(path, &data, &len, &ignored))
        return split_lines(f, data, len);
    const char *name = strrchr(path, '/');
    struct sb beside = {0};
    sb_addf(&beside, "%s/%s", dir && *dir ? dir : ".", name ? name + 1 : path);
    bool ok = file_read(beside.text, &data, &len, &ignored);
    sb_finish(&beside);
    return ok && split_lines(f, data, len);
}

static void text_file_close(struct text_file *f)
{
    free(f->text);
    free(f->lines);
}

static void times_ideal(uint64_t have, uint64_t ideal, char out[48])
{
    if (!have)
        strcpy(out, "");
    else if (have <= ideal || !ideal)
        snprintf(out, 48, "%llu", (unsigned long long)have);
    else
        snprintf(out, 48, "%llu (%.3gx)", (unsigned long long)have, (double)have / (double)ideal);
}

static void row(struct page *p, uint32_t pc, double all)
{
    const struct pc_counters *c = &p->r->pcs[pc];
    char executed[32], memory[48], share[16] = "", lanes[16] = "";
    struct sb text = {0};
    enum stall st = pc_main_stall(p->r, pc);
    instruction_text(p, pc, &text);
    number(executed, (double)c->executed);
    times_ideal(c->sectors ? c->sectors : c->wavefronts, c->sectors ? c->sectors_ideal : c->wavefronts_ideal, memory);
    if (c->executed && all > 0)
        snprintf(share, sizeof share, "%.1f", 100 * pc_warp_cycles(p->r, pc) / all);
    if (c->executed)
        snprintf(lanes, sizeof lanes, "%.1f", (double)c->thread_executed / (double)c->executed);
    sb_addf(p->out, "  %6x %5s %12s %5s %16s  %-19s %s\n", pc * INST_BYTES, share, executed, lanes, memory,
            st == STALL_selected ? "" : stall_names[st], text.text ? text.text : "");
    sb_finish(&text);
}

/* After the last instruction that is executed or jumped to come only the compiler's fill. */
static uint32_t useful(const struct kernel *k)
{
    uint32_t n = k->n;
    while (n > 1 && k->code[n - 1].op == OP_NOP)
        n--;
    return n;
}

void report_source(const struct simulation *s, size_t launch, bool colour, struct sb *out)
{
    struct page page = page_of(s, launch, colour, out), *p = &page;
    if (!p->r->npc)
        return;
    struct text_file *files = xcalloc(p->program->nfile + 1, sizeof *files);
    double all = 0;
    for (uint32_t i = 0; i < p->program->nfile; i++)
        text_file_open(&files[i], p->program->files[i], s->spec->dir);
    for (uint32_t i = 0; i < p->r->npc; i++)
        all += pc_warp_cycles(p->r, i);
    section(p, "Source");
    sb_addf(out, "  %6s %5s %12s %5s %16s  %-19s %s\n", "pc", "%", "executed", "lanes", "sectors or waves", "waits for",
            "instruction");
    uint32_t file = UINT32_MAX, line = 0;
    for (uint32_t i = 0; i < p->r->npc && i < useful(p->k); i++) {
        const struct inst *in = &p->k->code[i];
        if (in->line && in->file < p->program->nfile && (in->file != file || in->line != line)) {
            const struct text_file *f = &files[in->file];
            const char *name = strrchr(p->program->files[in->file], '/');
            file = in->file;
            line = in->line;
            sb_addf(out, "%s:%u%s%s\n", name ? name + 1 : p->program->files[in->file], line, line <= f->n ? ": " : "",
                    line <= f->n ? f->lines[line - 1] : "");
        }
        row(p, i, all);
    }
    for (uint32_t i = 0; i < p->program->nfile; i++)
        text_file_close(&files[i]);
    free(files);
}
