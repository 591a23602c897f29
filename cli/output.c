/* Numbers for people, and where text goes. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *version_text(void)
{
    return HEDDLE_VERSION;
}

bool colours(void)
{
    const char *no = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && !(no && *no);
}

bool print_out(const struct sb *text, struct error *err)
{
    if (text->len && fwrite(text->text, 1, text->len, stdout) != text->len)
        return error_set(err, EXIT_FAILED, "cannot write the output");
    return true;
}

bool write_text(const char *path, const struct sb *text, struct error *err)
{
    if (strcmp(path, "-") == 0)
        return print_out(text, err);
    return file_write(path, text->text ? text->text : "", text->len, err);
}

/* Marks thousands in the digits before the point. */
static void mark_thousands(const char *plain, char out[32])
{
    size_t sign = plain[0] == '-', digits = strspn(plain + sign, "0123456789"), o = 0;
    for (size_t i = 0; plain[i] && o < 30; i++) {
        size_t at = i - sign;
        if (i > sign && at < digits && (digits - at) % 3 == 0)
            out[o++] = ',';
        if (o < 31)
            out[o++] = plain[i];
    }
    out[o] = 0;
}

void number(char out[32], double v)
{
    char plain[32];
    if (isnan(v)) {
        strcpy(out, "n/m");
        return;
    }
    if (fabs(v) >= 1e15)
        snprintf(plain, sizeof plain, "%.3e", v);
    else if (v == floor(v))
        snprintf(plain, sizeof plain, "%.0f", v);
    else if (fabs(v) >= 1000)
        snprintf(plain, sizeof plain, "%.1f", v);
    else
        snprintf(plain, sizeof plain, fabs(v) < 0.01 ? "%.2g" : "%.2f", v);
    mark_thousands(plain, out);
}

void scaled(char out[32], double v, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    size_t i = 0;
    if (isnan(v)) {
        strcpy(out, "n/m");
        return;
    }
    while (fabs(v) >= 1000 && i + 1 < ARRAY_LEN(prefixes)) {
        v /= 1000;
        i++;
    }
    snprintf(out, 32, i == 0 && v == floor(v) ? "%.0f %s%s" : "%.3g %s%s", v, prefixes[i], unit);
}

bool report_files(const struct simulation *s, const struct common *c, const char *target, struct error *err)
{
    struct sb out = {0};
    bool ok = true;
    if (c->json) {
        ok = report_json(s, target, !c->no_host, &out, err) && write_text(c->json, &out, err);
        sb_finish(&out);
    }
    if (ok && c->csv) {
        report_csv(s, &out);
        ok = write_text(c->csv, &out, err);
        sb_finish(&out);
    }
    if (ok && c->html) {
        report_html(s, target, &out);
        ok = write_text(c->html, &out, err);
        sb_finish(&out);
    }
    return ok;
}
