/* Command-line options from tables: --name value, --name=value, -x value; the nearest name is suggested. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void strings_add(struct strings *s, const char *item)
{
    s->items = grow(s->items, s->n, &s->cap, sizeof *s->items);
    s->items[s->n++] = item;
}

void strings_finish(struct strings *s)
{
    free(s->items);
    *s = (struct strings){0};
}

struct parser {
    const struct opt *const *tables;
    const size_t *counts;
    size_t ntable;
    struct error *err;
    struct strings seen; /* names of the tables */
};

static const struct opt *find(const struct parser *p, const char *name, size_t len, char letter)
{
    for (size_t t = 0; t < p->ntable; t++) {
        for (size_t i = 0; i < p->counts[t]; i++) {
            const struct opt *o = &p->tables[t][i];
            if (letter ? o->letter == letter : strlen(o->name) == len && strncmp(o->name, name, len) == 0)
                return o;
        }
    }
    return NULL;
}

static bool unknown(const struct parser *p, const char *arg)
{
    const char *names[64];
    size_t n = 0;
    for (size_t t = 0; t < p->ntable; t++)
        for (size_t i = 0; i < p->counts[t] && n < ARRAY_LEN(names); i++)
            names[n++] = p->tables[t][i].name;
    char *word = xstrndup(arg, strcspn(arg, "="));
    const char *near = strncmp(word, "--", 2) == 0 ? nearest_name(word + 2, names, n) : NULL;
    if (near)
        error_set(p->err, EXIT_BAD_INPUT, "unknown option %s; did you mean --%s?", word, near);
    else
        error_set(p->err, EXIT_BAD_INPUT, "unknown option %s", word);
    free(word);
    return false;
}

/* "x", "x,y" or "x,y,z", also with spaces or x between. */
static bool parse_dim3(const char *s, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        char part[32];
        size_t n = strcspn(s, ",x");
        uint64_t v;
        if (!n || n >= sizeof part)
            return false;
        memcpy(part, s, n);
        part[n] = 0;
        if (!parse_u64(part, &v) || v > UINT32_MAX)
            return false;
        out[i] = (uint32_t)v;
        s += n;
        if (!*s)
            return true;
        s++;
    }
    return false;
}

static bool parse_range(const char *s, uint64_t out[2])
{
    const char *colon = strchr(s, ':');
    char first[32] = "";
    out[0] = 0;
    out[1] = UINT64_MAX;
    if (!colon || colon - s >= (int)sizeof first)
        return false;
    memcpy(first, s, (size_t)(colon - s));
    return (!*first || parse_u64(first, &out[0])) && (!colon[1] || parse_u64(colon + 1, &out[1])) && out[0] < out[1];
}

static bool ends_in(const char *s, const char *tail)
{
    size_t n = strlen(s), m = strlen(tail);
    return n > m && strcmp(s + n - m, tail) == 0;
}

static bool output_file(const struct parser *p, const struct opt *o, const char *value)
{
    bool svg_alone = strcmp(o->value, "FILE.svg") == 0;
    if (o->kind == OPT_PLOT && !ends_in(value, ".svg") && (svg_alone || !ends_in(value, ".png")))
        return error_set(p->err, EXIT_BAD_INPUT, "--%s: %s: a plot's name ends in .svg%s", o->name, value,
                         svg_alone ? "" : " or .png");
    struct error why = {0};
    if (strcmp(value, "-") == 0 && o->kind != OPT_OUT)
        return error_set(p->err, EXIT_BAD_INPUT, "--%s: it cannot go to stdout; name a file", o->name);
    if (strcmp(value, "-") != 0 && !file_can_write(value, &why))
        return error_set(p->err, EXIT_BAD_INPUT, "--%s: %s", o->name, why.text);
    *(const char **)o->to = value;
    return true;
}

/* NULL: stored; else what is expected of a number. */
static const char *number_option(const struct opt *o, const char *value)
{
    uint64_t u = 0;
    double d = 0;
    switch (o->kind) {
    case OPT_U32:
        if (!parse_u64(value, &u) || u > UINT32_MAX)
            return "a whole number from 0 to 4294967295";
        *(uint32_t *)o->to = (uint32_t)u;
        return NULL;
    case OPT_COUNT:
        if (!parse_u64(value, &u) || u > UINT32_MAX || !u)
            return "a whole number from 1 to 4294967295";
        *(uint32_t *)o->to = (uint32_t)u;
        return NULL;
    case OPT_COUNT64:
        if (!parse_u64(value, &u) || !u)
            return "a whole number from 1 to 2^64 - 1";
        *(uint64_t *)o->to = u;
        return NULL;
    case OPT_F64:
        if (!parse_f64(value, &d) || !isfinite(d) || d < 0)
            return "a number from 0 up";
        break;
    default: /* OPT_ABOVE */
        if (!parse_f64(value, &d) || !isfinite(d) || d <= 0)
            return "a number above 0";
        break;
    }
    *(double *)o->to = d;
    return NULL;
}

static bool store(const struct parser *p, const struct opt *o, const char *value)
{
    const char *expected = NULL;
    if (o->kind == OPT_FLAG) { /* the only kind without a value */
        *(bool *)o->to = true;
        return true;
    }
    must(value != NULL);
    if (!*value)
        return error_set(p->err, EXIT_BAD_INPUT, "--%s needs a value: %s", o->name, o->value);
    switch (o->kind) {
    case OPT_TEXT:
        *(const char **)o->to = value;
        break;
    case OPT_OUT:
    case OPT_FILE:
    case OPT_PLOT:
        return output_file(p, o, value);
    case OPT_LIST:
        strings_add(o->to, value);
        break;
    case OPT_DIM3:
        if (!parse_dim3(value, o->to))
            expected = "X, X,Y or X,Y,Z";
        else if (!((uint32_t *)o->to)[0] || !((uint32_t *)o->to)[1] || !((uint32_t *)o->to)[2])
            expected = "X, X,Y or X,Y,Z of at least 1 each";
        break;
    case OPT_RANGE:
        if (!parse_range(value, o->to))
            expected = "a range A:B with A below B";
        break;
    default:
        expected = number_option(o, value);
    }
    if (expected)
        return error_set(p->err, EXIT_BAD_INPUT, "--%s: '%s' is not %s", o->name, value, expected);
    return true;
}

/* A value that a later one would silently replace is a mistake. */
static bool first_time(struct parser *p, const struct opt *o)
{
    if (o->kind == OPT_FLAG || o->kind == OPT_LIST)
        return true;
    for (size_t i = 0; i < p->seen.n; i++)
        if (p->seen.items[i] == o->name)
            return error_set(p->err, EXIT_BAD_INPUT, "--%s is given twice", o->name);
    strings_add(&p->seen, o->name);
    return true;
}

/* Argument i, which names an option; *i moves on to its value if that is an argument of its own. */
static bool one_option(struct parser *p, int argc, char **argv, int *i)
{
    const char *a = argv[*i];
    bool is_long = a[1] == '-';
    size_t len = is_long ? strcspn(a + 2, "=") : 1;
    const struct opt *o = is_long ? find(p, a + 2, len, 0) : find(p, NULL, 0, a[1]);
    if (!o)
        return unknown(p, a);
    const char *value = is_long ? (a[2 + len] == '=' ? a + 3 + len : NULL) : (a[2] ? a + 2 : NULL);
    if (o->kind == OPT_FLAG && value)
        return error_set(p->err, EXIT_BAD_INPUT, "--%s takes no value", o->name);
    if (o->kind != OPT_FLAG && !value) {
        if (*i + 1 >= argc)
            return error_set(p->err, EXIT_BAD_INPUT, "--%s needs a value: %s", o->name, o->value);
        value = argv[++*i];
    }
    return first_time(p, o) && store(p, o, value);
}

bool opts_parse(const struct opt *const *tables, const size_t *counts, size_t ntable, int argc, char **argv,
                struct strings *rest, struct error *err)
{
    struct parser p = {tables, counts, ntable, err, {0}};
    bool ended = false, ok = true;
    for (int i = 1; i < argc && ok; i++) {
        const char *a = argv[i];
        if (ended || a[0] != '-' || !a[1]) {
            strings_add(rest, a);
        } else if (strcmp(a, "--") == 0) {
            ended = true;
        } else if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0) {
            help_print(argv[0], tables, counts, ntable, err);
            ok = false;
        } else {
            ok = one_option(&p, argc, argv, &i);
        }
    }
    strings_finish(&p.seen);
    return ok;
}

void opts_help(const struct opt *table, size_t n, struct sb *out)
{
    for (size_t i = 0; i < n; i++) {
        char left[64], letter[8] = "    ";
        if (table[i].letter)
            snprintf(letter, sizeof letter, "-%c, ", table[i].letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, table[i].name, table[i].value ? " " : "",
                 table[i].value ? table[i].value : "");
        sb_addf(out, "  %-30s %s\n", left, table[i].doc);
    }
}

/* ---- options of several verbs ------------------------------------------------------------------------ */
struct common common_defaults(void)
{
    return (struct common){.config = "h200", .threads = 1};
}

struct common_opts common_table(struct common *c, unsigned with)
{
    const struct {
        unsigned of;
        struct opt row;
    } all[] = {
        {WITH_CONFIG,
         {"config", 'C', OPT_TEXT, &c->config, "NAME",
          "hardware: a name of `heddle list configs` or a .yaml file (h200)"}},
        {WITH_CONFIG, {"set", 0, OPT_LIST, &c->sets, "PATH=VALUE", "override one hardware parameter; may be repeated"}},
        {WITH_THREADS, {"threads", 'j', OPT_COUNT, &c->threads, "N", "host threads; results do not depend on it (1)"}},
        {WITH_RUN,
         {"window", 0, OPT_COUNT, &c->window, "CYCLES",
          "cycles between barriers, at most L; results do not depend on it"}},
        {WITH_RUN,
         {"warm", 0, OPT_U32, &c->warm, "N", "launches before the reported one; 0: caches filled with other lines"}},
        {WITH_RUN, {"max-cycles", 0, OPT_COUNT64, &c->max_cycles, "N", "give up after so many cycles (exit status 3)"}},
        {WITH_DATA, {"json", 0, OPT_OUT, &c->json, "FILE", "write everything as JSON; - is stdout"}},
        {WITH_DATA,
         {"csv", 0, OPT_OUT, &c->csv, "FILE", "write counters in the profiler's raw CSV columns; - is stdout"}},
        {WITH_HTML, {"html", 0, OPT_OUT, &c->html, "FILE", "write the report as one HTML file"}},
        {WITH_REPORT,
         {"full", 0, OPT_FLAG, &c->full, NULL, "report every launch of a chain and every measured counter"}},
        {WITH_REPORT,
         {"source", 0, OPT_FLAG, &c->source, NULL,
          "list every instruction of the longest launch under its source line"}},
        {WITH_QUIET, {"quiet", 'q', OPT_FLAG, &c->quiet, NULL, "no report and no progress"}},
        {WITH_HTML,
         {"no-host", 0, OPT_FLAG, &c->no_host, NULL,
          "leave out what depends on this machine: JSON compares byte by byte"}}};
    struct common_opts out = {.n = 0};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (with & all[i].of)
            out.row[out.n++] = all[i].row;
    return out;
}

void common_finish(struct common *c)
{
    strings_finish(&c->sets);
}

struct config *common_config(const struct common *c, struct error *err)
{
    struct config *config = xcalloc(1, sizeof *config);
    if (config_load(config, c->config, c->sets.items, c->sets.n, err))
        return config;
    free(config);
    return NULL;
}
