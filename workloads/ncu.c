/* NVIDIA's command-line profiler, if it is there: it runs this program again and prints a CSV table at its end. The
 * child tells after each spec how many of its launches were profiled, so rows are found again whatever failed. */
#include "workloads/ncu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char mark[] = "heddle profiled ";

void ncu_mark(const char *name, const char *size, size_t nrow)
{
    printf("\n%s%s %s %zu\n", mark, name, size, nrow);
    fflush(stdout);
}

/* ---- CSV: quoted cells, thousands marked with commas ---- */
static char **split_line(const char *line, size_t *n)
{
    char **cells = NULL;
    size_t cap = 0;
    *n = 0;
    for (const char *p = line; *p && *p != '\n';) {
        struct sb cell = {0};
        sb_add(&cell, "");
        if (*p == '"') {
            for (p++; *p && *p != '"' && *p != '\n'; p++)
                sb_addn(&cell, p, 1);
            p += *p == '"';
        } else {
            size_t len = strcspn(p, ",\n");
            sb_addn(&cell, p, len);
            p += len;
        }
        cells = grow(cells, *n, &cap, sizeof *cells);
        cells[(*n)++] = cell.text ? cell.text : xstrdup("");
        p += *p == ',';
    }
    return cells;
}

static void free_cells(char **cells, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(cells[i]);
    free(cells);
}

static double cell_number(const char *text)
{
    char plain[64];
    size_t n = 0;
    double v;
    for (; *text && n + 1 < sizeof plain; text++)
        if (*text != ',')
            plain[n++] = *text;
    plain[n] = 0;
    return parse_f64(plain, &v) ? v : NAN;
}

size_t ncu_column(const struct ncu_table *t, const char *name)
{
    size_t i = 0;
    while (i < t->ncolumn && strcmp(t->columns[i], name) != 0)
        i++;
    return i;
}

static void add_row(struct ncu_table *t, const char *line)
{
    size_t n, kernel = ncu_column(t, "Kernel Name");
    char **cells = split_line(line, &n);
    /* the row of units has no number */
    if (n == t->ncolumn && kernel < n && cells[0][0] >= '0' && cells[0][0] <= '9') {
        t->rows = grow(t->rows, t->n, &t->cap, sizeof *t->rows);
        struct ncu_row *r = &t->rows[t->n++];
        r->kernel = xstrdup(cells[kernel]);
        r->values = xcalloc(n, sizeof *r->values);
        for (size_t i = 0; i < n; i++)
            r->values[i] = cell_number(cells[i]);
    }
    free_cells(cells, n);
}

static bool add_spec(struct ncu_table *t, const char *line, double *since)
{
    char name[128], size[128];
    size_t n;
    if (strncmp(line, mark, sizeof mark - 1) != 0 ||
        sscanf(line + sizeof mark - 1, "%127s %127s %zu", name, size, &n) != 3)
        return false;
    if (ncu_find(t, name, size)) /* the program runs again */
        return true;
    size_t first = t->nspec ? t->specs[t->nspec - 1].first + t->specs[t->nspec - 1].n : 0;
    double now = seconds_now();
    t->specs = grow(t->specs, t->nspec, &t->spec_cap, sizeof *t->specs);
    t->specs[t->nspec++] = (struct ncu_spec){xstrdup(name), xstrdup(size), first, n, now - *since};
    *since = now;
    return true;
}

static void read_output(struct ncu_table *t, FILE *f, struct sb *said)
{
    char *line = NULL;
    size_t cap = 0;
    double since = seconds_now();
    while (getline(&line, &cap, f) > 0) {
        if (t->ncolumn)
            add_row(t, line);
        else if (strncmp(line, "\"ID\"", 4) == 0)
            t->columns = split_line(line, &t->ncolumn);
        else if (!add_spec(t, line, &since) && said->len < 4000)
            sb_add(said, line);
    }
    free(line);
}

/* ---- running it ---- */
static void quote(struct sb *b, const char *text)
{
    sb_add(b, " '");
    for (; *text; text++)
        *text == '\'' ? sb_add(b, "'\\''") : sb_addn(b, text, 1);
    sb_add(b, "'");
}

void ncu_free(struct ncu_table *t)
{
    free_cells(t->columns, t->ncolumn);
    for (size_t i = 0; i < t->n; i++) {
        free(t->rows[i].kernel);
        free(t->rows[i].values);
    }
    for (size_t i = 0; i < t->nspec; i++) {
        free(t->specs[i].name);
        free(t->specs[i].size);
    }
    free(t->specs);
    free(t->rows);
    *t = (struct ncu_table){0};
}

static void command_of(struct sb *cmd, const struct measure_options *o, const char *self, const char *metrics)
{
    sb_add(cmd,
           "ncu --csv --page raw --print-units base --clock-control none --cache-control none --profile-from-start off "
           "--metrics");
    quote(cmd, metrics);
    if (o->whole_program) /* each pass meets the caches as the program left them, not as the pass before did */
        sb_add(cmd, " --replay-mode application");
    quote(cmd, self);
    sb_addf(cmd, " measure --sequence %u --device %d --watchdog %u%s", o->sequence, o->device, o->watchdog_s,
            o->micro ? " --micro" : "");
    for (size_t i = 0; i < o->nsize; i++) {
        sb_add(cmd, " --size");
        quote(cmd, o->sizes[i]);
    }
    if (o->ntarget == 0)
        sb_add(cmd, " --all");
    for (size_t i = 0; i < o->ntarget; i++)
        quote(cmd, o->targets[i]);
    sb_add(cmd, " 2>&1");
}

static bool run_once(struct ncu_table *t, const struct measure_options *o, const char *metrics, struct sb *said)
{
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len <= 0)
        return false;
    self[len] = 0;
    struct sb cmd = {0};
    command_of(&cmd, o, self, metrics);
    fflush(stdout);
    FILE *f = popen(cmd.text, "r");
    if (f) {
        read_output(t, f, said);
        pclose(f);
    }
    sb_finish(&cmd);
    return t->n > 0;
}

/* The metric that the profiler did not find, out of what it said: `regex:^NAME(\.(sum|..))?$` or the name itself. Takes
 * it off the list; false: nothing of the kind was said. */
static bool drop_unknown(char *list, const char *said)
{
    const char *p = said ? strstr(said, "Failed to find metric") : NULL;
    if (!p)
        return false;
    p += strlen("Failed to find metric");
    p += strspn(p, " :\"'");
    if (strncmp(p, "regex:", 6) == 0)
        p += 6;
    p += strspn(p, "^");
    size_t len = 0;
    while (p[len] == '_' || (p[len] >= '0' && p[len] <= '9') || (p[len] >= 'a' && p[len] <= 'z') ||
           (p[len] >= 'A' && p[len] <= 'Z'))
        len++;
    for (char *at = list; len && *at;) { /* every entry that begins with the name */
        size_t entry = strcspn(at, ",");
        bool same = strncmp(at, p, len) == 0 && (entry == len || at[len] == '.');
        if (same) {
            fprintf(stderr, "the profiler does not know %.*s: left out\n", (int)entry, at);
            memmove(at, at + entry + (at[entry] == ','), strlen(at + entry + (at[entry] == ',')) + 1);
            size_t left = strlen(list);
            if (left && list[left - 1] == ',')
                list[left - 1] = 0;
            return true;
        }
        at += entry + (at[entry] == ',');
    }
    return false;
}

void ncu_run(struct ncu_table *t, const struct measure_options *o, char *metrics)
{
    for (;;) {
        struct sb said = {0};
        bool ok = run_once(t, o, metrics, &said), again = !ok && drop_unknown(metrics, said.text) && *metrics;
        if (!ok && !again)
            fprintf(stderr, "the profiler gave no counters:\n%s", said.text ? said.text : "(ncu is not here)\n");
        if (!ok)
            ncu_free(t);
        sb_finish(&said);
        if (!again)
            return;
    }
}

const struct ncu_spec *ncu_find(const struct ncu_table *t, const char *name, const char *size)
{
    for (size_t i = 0; i < t->nspec; i++)
        if (strcmp(t->specs[i].name, name) == 0 && strcmp(t->specs[i].size, size) == 0)
            return &t->specs[i];
    return NULL;
}
