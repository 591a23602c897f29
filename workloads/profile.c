/* Counters through NVIDIA's command-line profiler, if it is there: it runs this program again, in which every spec
 * launches in a known order (sequence_one in measure.c), and its CSV is matched with that order. Cycles and duration
 * come from a first run in a single pass; the other counters from a second, whose replay disturbs the caches. */
#include "workloads/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct row { /* one profiled kernel */
    char *kernel;
    double *values;
};
struct table { /* of one run of the profiler */
    char **columns;
    size_t ncolumn, at; /* at: next row to hand out */
    struct row *rows;
    size_t n, cap;
};
struct profile {
    struct table cycles, counters;
};

static const char cycles_list[] = "sm__cycles_elapsed.max,gpu__time_duration.sum,smsp__inst_executed.sum";

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

static size_t column(const struct table *t, const char *name)
{
    size_t i = 0;
    while (i < t->ncolumn && strcmp(t->columns[i], name) != 0)
        i++;
    return i;
}

static void add_row(struct table *t, const char *line)
{
    size_t n, kernel = column(t, "Kernel Name");
    char **cells = split_line(line, &n);
    if (n == t->ncolumn && kernel < n && cells[0][0] >= '0' && cells[0][0] <= '9') { /* the row of units has no number */
        t->rows = grow(t->rows, t->n, &t->cap, sizeof *t->rows);
        struct row *r = &t->rows[t->n++];
        r->kernel = xstrdup(cells[kernel]);
        r->values = xcalloc(n, sizeof *r->values);
        for (size_t i = 0; i < n; i++)
            r->values[i] = cell_number(cells[i]);
    }
    free_cells(cells, n);
}

static bool parse_csv(struct table *t, FILE *f, struct error *err)
{
    char *line = NULL;
    size_t cap = 0;
    struct sb said = {0};
    while (getline(&line, &cap, f) > 0) {
        if (t->ncolumn)
            add_row(t, line);
        else if (strncmp(line, "\"ID\"", 4) == 0)
            t->columns = split_line(line, &t->ncolumn);
        else if (said.len < 2000)
            sb_add(&said, line);
    }
    free(line);
    bool ok = t->n > 0 || error_set(err, EXIT_FAILED, "the profiler gave no counters:\n%s", said.text ? said.text : "");
    sb_finish(&said);
    return ok;
}

/* ---- running it ---- */
static void quote(struct sb *b, const char *text)
{
    sb_add(b, " '");
    for (; *text; text++)
        *text == '\'' ? sb_add(b, "'\\''") : sb_addn(b, text, 1);
    sb_add(b, "'");
}

static void command_of(struct sb *cmd, const struct measure_options *o, const char *self, const char *metrics)
{
    sb_add(cmd, "ncu --csv --page raw --print-units base --clock-control none --cache-control none --metrics");
    quote(cmd, metrics);
    quote(cmd, self);
    sb_add(cmd, " measure --sequence");
    sb_addf(cmd, " --device %d%s", o->device, o->micro ? " --micro" : "");
    for (size_t i = 0; i < o->nsize; i++) {
        sb_add(cmd, " --size");
        quote(cmd, o->sizes[i]);
    }
    if (o->ntarget == 0)
        sb_add(cmd, " --all");
    for (size_t i = 0; i < o->ntarget; i++)
        quote(cmd, o->targets[i]);
}

static bool run_profiler(struct table *t, const struct measure_options *o, const char *metrics, struct error *err)
{
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len <= 0)
        return error_set(err, EXIT_FAILED, "this program cannot find itself");
    self[len] = 0;
    struct sb cmd = {0};
    command_of(&cmd, o, self, metrics);
    FILE *f = popen(cmd.text, "r");
    bool ok = f && parse_csv(t, f, err);
    int status = f ? pclose(f) : -1;
    sb_finish(&cmd);
    if (!f || (!ok && status == 127 * 256))
        return error_set(err, EXIT_FAILED, "the profiler `ncu` is not here");
    return ok;
}

/* Profiler metrics among our counters: those whose name is not heddle's own. */
static char *counter_list(void)
{
    struct sb list = {0};
    for (size_t i = 0; i < counter_count; i++) {
        const char *name = counter_table[i].name;
        if (strncmp(name, "heddle__", 8) != 0)
            sb_addf(&list, "%s%s", list.len ? "," : "", name);
    }
    return list.text;
}

struct profile *profile_run(const struct measure_options *o, struct error *err)
{
    struct profile *p = xcalloc(1, sizeof *p);
    char *all = counter_list();
    bool ok = run_profiler(&p->cycles, o, cycles_list, err) && run_profiler(&p->counters, o, all, err);
    free(all);
    if (ok)
        return p;
    profile_free(p);
    return NULL;
}

static void table_free(struct table *t)
{
    free_cells(t->columns, t->ncolumn);
    for (size_t i = 0; i < t->n; i++) {
        free(t->rows[i].kernel);
        free(t->rows[i].values);
    }
    free(t->rows);
}

void profile_free(struct profile *p)
{
    if (!p)
        return;
    table_free(&p->cycles);
    table_free(&p->counters);
    free(p);
}

/* ---- handing out ---- */
static double at(const struct table *t, size_t row, const char *name)
{
    size_t c = column(t, name);
    return row < t->n && c < t->ncolumn ? t->rows[row].values[c] : NAN;
}

/* Rows of a spec of n launches: 4 n, flush, n, flush, n. launch i: warm rows 2n + i, 3n + i; cold 4n + 1 + i, 5n + 2 + i. */
static void add_cycles(const struct table *t, uint32_t n, uint32_t i, struct sb *out)
{
    size_t warm[] = {t->at + 2 * n + i, t->at + 3 * n + i}, cold[] = {t->at + 4 * n + 1 + i, t->at + 5 * n + 2 + i};
    if (cold[1] >= t->n)
        return;
    sb_addf(out, ", cycles_warm: [%.0f, %.0f], cycles_cold: [%.0f, %.0f]", at(t, warm[0], "sm__cycles_elapsed.max"),
            at(t, warm[1], "sm__cycles_elapsed.max"), at(t, cold[0], "sm__cycles_elapsed.max"), at(t, cold[1], "sm__cycles_elapsed.max"));
    sb_addf(out, ", time_us_warm: %.3f, time_us_cold: %.3f", at(t, warm[1], "gpu__time_duration.sum") / 1e3,
            at(t, cold[1], "gpu__time_duration.sum") / 1e3);
}

static void add_counters(const struct table *t, uint32_t n, uint32_t i, struct sb *out)
{
    size_t row = t->at + 4 * n + 1 + i;
    bool first = true;
    if (row >= t->n)
        return;
    sb_add(out, ", counters: {");
    for (size_t c = 0; c < t->ncolumn; c++) {
        double v = t->rows[row].values[c];
        if (counter_find(t->columns[c]) < 0 || isnan(v))
            continue;
        sb_addf(out, "%s%s: %.9g", first ? "" : ", ", t->columns[c], v);
        first = false;
    }
    sb_add(out, "}");
}

/* A spec that failed under the profiler left no rows: the next ones are another's and must not be taken. */
static bool is_next(const struct table *t, const struct spec *s, uint32_t launch)
{
    size_t row = t->at + launch;
    const char *name = s->launches[launch].kernel_name;
    return row < t->n && (!name || strncmp(t->rows[row].kernel, name, strlen(name)) == 0);
}

void profile_add(struct profile *p, const struct spec *s, uint32_t launch, struct sb *out)
{
    if (!p || !is_next(&p->cycles, s, launch) || !is_next(&p->counters, s, launch))
        return;
    add_cycles(&p->cycles, s->nlaunch, launch, out);
    add_counters(&p->counters, s->nlaunch, launch, out);
    if (launch + 1 == s->nlaunch) {
        p->cycles.at += 6 * s->nlaunch + 2;
        p->counters.at += 6 * s->nlaunch + 2;
    }
}
