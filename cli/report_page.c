/* The look of the text report: headings, two-column rows, wrapped sentences. */
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>

static const char *paint(const struct page *p, const char *code)
{
    return p->colour ? code : "";
}

struct page page_of(const struct simulation *s, size_t launch, bool colour, struct sb *out)
{
    const struct spec_launch *l = &s->spec->launches[launch];
    const struct program *program = s->spec->programs[l->program];
    return (struct page){.s = s,
                         .c = s->config,
                         .r = &s->results[launch],
                         .k = l->kernel,
                         .arch = program->arch,
                         .program = program,
                         .colour = colour,
                         .out = out};
}

void section(struct page *p, const char *title)
{
    cells_end(p);
    sb_addf(p->out, "\n%s%s%s\n", paint(p, "\033[1m"), title, paint(p, "\033[0m"));
}

void cell_text(struct page *p, const char *label, const char *text)
{
    /* 2 + 28 + 18 characters, twice, with 4 between */
    sb_addf(p->out, "%s%-28s %18s", p->column ? "    " : "  ", label, text);
    if (p->column)
        sb_add(p->out, "\n");
    p->column = !p->column;
}

void cell(struct page *p, const char *label, double value, const char *unit)
{
    char n[32], text[80];
    if (value != value) { /* nothing to divide by: no branches, no loads */
        cell_text(p, label, "-");
        return;
    }
    if (strcmp(unit, "B") == 0 || strcmp(unit, "B/s") == 0 || strcmp(unit, "FLOP") == 0 ||
        strcmp(unit, "FLOP/s") == 0) {
        scaled(text, value, unit);
    } else {
        number(n, value);
        if (strcmp(unit, "%") == 0) /* percentages stand under one another */
            snprintf(n, sizeof n, "%.2f", value);
        snprintf(text, sizeof text, "%s%s%s", n, *unit ? " " : "", unit);
    }
    cell_text(p, label, text);
}

void cells_end(struct page *p)
{
    if (p->column)
        sb_add(p->out, "\n");
    p->column = 0;
}

/* Words of text, at most REPORT_WIDTH columns, later lines indented. */
static void wrap(struct page *p, const char *first, const char *rest, const char *text)
{
    size_t col = strlen(first);
    sb_add(p->out, first);
    for (const char *w = text; *w;) {
        size_t n = strcspn(w, " ");
        if (col + n > REPORT_WIDTH && col > strlen(rest)) {
            sb_addf(p->out, "\n%s", rest);
            col = strlen(rest);
        }
        sb_addn(p->out, w, n);
        col += n;
        w += n;
        if (*w == ' ') {
            w++;
            if (col + 1 + strcspn(w, " ") <= REPORT_WIDTH) {
                sb_add(p->out, " ");
                col++;
            } else {
                sb_addf(p->out, "\n%s", rest);
                col = strlen(rest);
            }
        }
    }
    sb_add(p->out, "\n");
}

static char *format(const char *fmt, va_list ap)
{
    char *text = NULL;
    must(vasprintf(&text, fmt, ap) >= 0);
    return text;
}

void sentence(struct page *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = format(fmt, ap);
    va_end(ap);
    cells_end(p);
    wrap(p, "  ", "  ", text);
    free(text);
}

void hint(struct page *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = format(fmt, ap);
    va_end(ap);
    cells_end(p);
    sb_add(p->out, paint(p, "\033[33m"));
    wrap(p, "  > ", "    ", text);
    sb_add(p->out, paint(p, "\033[0m"));
    free(text);
}
