/* Errors that travel up to the verb which prints them once, and must() for our own faults. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static void append(struct error *err, const char *fmt, va_list ap)
{
    size_t len = strlen(err->text);
    if (len + 1 < sizeof err->text)
        vsnprintf(err->text + len, sizeof err->text - len, fmt, ap);
}

bool error_set(struct error *err, enum exit_status status, const char *fmt, ...)
{
    if (!err || err->status != EXIT_DONE)
        return false;
    err->status = status;
    err->text[0] = 0;
    va_list ap;
    va_start(ap, fmt);
    append(err, fmt, ap);
    va_end(ap);
    return false;
}

void error_note(struct error *err, const char *fmt, ...)
{
    if (!err)
        return;
    va_list ap;
    va_start(ap, fmt);
    append(err, fmt, ap);
    va_end(ap);
}

/* Start of line `line` (1-based) in s, or NULL. */
static const char *line_start(const struct source *s, uint32_t line)
{
    const char *p = s->text;
    while (p && --line > 0) {
        p = strchr(p, '\n');
        if (p)
            p++;
    }
    return p;
}

bool error_at(struct error *err, const struct source *s, struct srcpos at, const char *fmt, ...)
{
    if (!err || err->status != EXIT_DONE)
        return false;
    err->status = EXIT_BAD_INPUT;
    err->text[0] = 0;
    error_note(err, "%s", s->path ? s->path : "<input>");
    if (at.line)
        error_note(err, ":%u:%u", at.line, at.col ? at.col : 1);
    error_note(err, ": ");
    va_list ap;
    va_start(ap, fmt);
    append(err, fmt, ap);
    va_end(ap);

    const char *line = at.line && s->text ? line_start(s, at.line) : NULL;
    if (!line)
        return false;
    int width = (int)strcspn(line, "\n\r");
    if (width > 200)
        width = 200;
    error_note(err, "\n  %.*s", width, line);
    if (at.col && (int)at.col <= width + 1) {
        error_note(err, "\n  ");
        for (uint32_t i = 1; i < at.col; i++) /* tabs keep the caret under its column */
            error_note(err, "%c", line[i - 1] == '\t' ? '\t' : ' ');
        error_note(err, "^");
    }
    return false;
}

_Noreturn void must_fail(const char *cond, const char *file, int line)
{
    fprintf(stderr, "heddle: internal error: %s does not hold (%s:%d); please report this\n", cond, file, line);
    abort();
}
