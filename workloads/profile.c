/* Counters through NVIDIA's command-line profiler, if it is there: it runs this program again, in which every spec
 * launches in a known order (sequence_one in measure.c), and its CSV is matched with that order. Cycles and duration
 * come from a first run in a single pass; the other counters from a second, whose replay disturbs the caches. What
 * the profiler does not know is left out; if it fails, the rest of the measurement stands. */
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
    if (n == t->ncolumn && kernel < n && cells[0][0] >= '0' &&
        cells[0][0] <= '9') { /* the row of units has no number */
        t->rows = grow(t->rows, t->n, &t->cap, sizeof *t->rows);
        struct row *r = &t->rows[t->n++];
        r->kernel = xstrdup(cells[kernel]);
        r->values = xcalloc(n, sizeof *r->values);
        for (size_t i = 0; i < n; i++)
            r->values[i] = cell_number(cells[i]);
    }
    free_cells(cells, n);
}

static bool parse_csv(struct table *t, FILE *f, struct sb *said)
{
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, f) > 0) {
        if (t->ncolumn)
            add_row(t, line);
        else if (strncmp(line, "\"ID\"", 4) == 0)
            t->columns = split_line(line, &t->ncolumn);
        else if (said->len < 4000)
            sb_add(said, line);
    }
    free(line);
    return t->n > 0;
}

/* ---- running it ---- */
static void quote(struct sb *b, const char *text)
{
    sb_add(b, " '");
    for (; *text; text++)
        *text == '\'' ? sb_add(b, "'\\''") : sb_addn(b, text, 1);
    sb_add(b, "'");
}

static void table_free(struct table *t)
{
    free_cells(t->columns, t->ncolumn);
    for (size_t i = 0; i < t->n; i++) {
        free(t->rows[i].kernel);
        free(t->rows[i].values);
    }
    free(t->rows);
    *t = (struct table){0};
}

static void command_of(struct sb *cmd, const struct measure_options *o, const char *self, const char *metrics)
{
    sb_add(cmd, "ncu --csv --page raw --print-units base --clock-control none --cache-control none --metrics");
    quote(cmd, metrics);
    quote(cmd, self);
    sb_addf(cmd, " measure --sequence %u", o->sequence);
    sb_addf(cmd, " --device %d%s", o->device, o->micro ? " --micro" : "");
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

static bool run_profiler(struct table *t, const struct measure_options *o, const char *metrics, struct sb *said)
{
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len <= 0)
        return false;
    self[len] = 0;
    struct sb cmd = {0};
    command_of(&cmd, o, self, metrics);
    FILE *f = popen(cmd.text, "r");
    bool ok = f && parse_csv(t, f, said);
    if (f)
        pclose(f);
    sb_finish(&cmd);
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

/* Finds out on one small workload which metrics this profiler and GPU have. */
static bool known_metrics(char *list, const struct measure_options *o)
{
    const char *const target[] = {"vecadd"}, *const size[] = {"default"};
    struct measure_options probe = {
        .targets = target, .ntarget = 1, .sizes = size, .nsize = 1, .device = o->device, .sequence = 2};
    for (int tries = 0; tries < 200 && *list; tries++) {
        struct table t = {0};
        struct sb said = {0};
        bool ok = run_profiler(&t, &probe, list, &said), again = !ok && drop_unknown(list, said.text);
        if (!ok && !again)
            fprintf(stderr, "the profiler gave no counters:\n%s", said.text ? said.text : "(it is not here)\n");
        table_free(&t);
        sb_finish(&said);
        if (!again)
            return ok;
    }
    return false;
}

/* Whatever fails here leaves a table empty: times by events and outputs are recorded all the same. */
static void fill_table(struct table *t, const struct measure_options *o, unsigned sequence, char *list)
{
    struct measure_options own = *o;
    struct sb said = {0};
    own.sequence = sequence;
    if (!known_metrics(list, o))
        return;
    fprintf(stderr, "profiling: %s\n", sequence == 1 ? "cycles and time, in one pass" : "the other counters");
    if (!run_profiler(t, &own, list, &said))
        fprintf(stderr, "the profiler gave no counters:\n%s", said.text ? said.text : "");
    fprintf(stderr, "%zu kernels were profiled\n", t->n);
    sb_finish(&said);
}

struct profile *profile_run(const struct measure_options *o)
{
    struct profile *p = xcalloc(1, sizeof *p);
    char *cycles = xstrdup(cycles_list), *all = counter_list();
    fill_table(&p->cycles, o, 1, cycles);
    struct measure_options without = *o;
    without.micro = false; /* many launches, and nothing in them that counters would explain */
    fill_table(&p->counters, &without, 2, all);
    free(cycles);
    free(all);
    return p;
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

/* Rows of a spec of n launches: 4 n, flush, n, flush, n. launch i: warm rows 2n + i, 3n + i; cold 4n + 1 + i, 5n + 2 +
 * i. */
static void add_cycles(const struct table *t, uint32_t n, uint32_t i, struct sb *out)
{
    size_t warm[] = {t->at + 2 * n + i, t->at + 3 * n + i}, cold[] = {t->at + 4 * n + 1 + i, t->at + 5 * n + 2 + i};
    if (cold[1] >= t->n)
        return;
    sb_addf(out, ", cycles_warm: [%.0f, %.0f], cycles_cold: [%.0f, %.0f]", at(t, warm[0], "sm__cycles_elapsed.max"),
            at(t, warm[1], "sm__cycles_elapsed.max"), at(t, cold[0], "sm__cycles_elapsed.max"),
            at(t, cold[1], "sm__cycles_elapsed.max"));
    sb_addf(out, ", time_us_warm: %.3f, time_us_cold: %.3f", at(t, warm[1], "gpu__time_duration.sum") / 1e3,
            at(t, cold[1], "gpu__time_duration.sum") / 1e3);
}

/* Rows of a spec in the second run: flush, then n launches, cold. */
static void add_counters(const struct table *t, uint32_t i, struct sb *out)
{
    const struct row *r = &t->rows[t->at + 1 + i];
    bool first = true;
    sb_add(out, ", counters: {");
    for (size_t c = 0; c < t->ncolumn; c++) {
        if (counter_find(t->columns[c]) < 0 || isnan(r->values[c]))
            continue;
        sb_addf(out, "%s%s: %.9g", first ? "" : ", ", t->columns[c], r->values[c]);
        first = false;
    }
    sb_add(out, "}");
}

/* Without the second run the first one's count of instructions still stands. */
static void add_instructions(const struct table *t, uint32_t n, uint32_t i, struct sb *out)
{
    double v = at(t, t->at + 4 * n + 1 + i, "smsp__inst_executed.sum");
    if (!isnan(v))
        sb_addf(out, ", counters: {smsp__inst_executed.sum: %.0f}", v);
}

/* A spec that failed under the profiler left no rows: the next ones are another's and must not be taken. */
static bool is_next(const struct table *t, size_t first, const struct spec *s, uint32_t launch)
{
    size_t row = t->at + first + launch;
    const char *name = s->launches[launch].kernel_name;
    return row < t->n && (!name || strncmp(t->rows[row].kernel, name, strlen(name)) == 0);
}

void profile_add(struct profile *p, const struct spec *s, uint32_t launch, struct sb *out)
{
    if (!p)
        return;
    uint32_t n = s->nlaunch;
    bool cycles = is_next(&p->cycles, 0, s, launch), counters = is_next(&p->counters, 1, s, launch);
    if (cycles)
        add_cycles(&p->cycles, n, launch, out);
    if (counters)
        add_counters(&p->counters, launch, out);
    else if (cycles)
        add_instructions(&p->cycles, n, launch, out);
    if (launch + 1 < n)
        return;
    p->cycles.at += cycles ? 6 * n + 2 : 0;
    p->counters.at += counters ? n + 1 : 0;
}
