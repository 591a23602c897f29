/* Command-line options from tables: --name value, --name=value, -x value; the nearest name is suggested. */
#include "cli/cli.h"

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

static bool store(const struct parser *p, const struct opt *o, const char *value)
{
    uint64_t u = 0;
    const char *expected = NULL;
    switch (o->kind) {
    case OPT_FLAG:
        *(bool *)o->to = true;
        break;
    case OPT_TEXT:
        *(const char **)o->to = value;
        break;
    case OPT_U32:
        if (!parse_u64(value, &u) || u > UINT32_MAX)
            expected = "a whole number";
        else
            *(uint32_t *)o->to = (uint32_t)u;
        break;
    case OPT_COUNT:
        if (!parse_u64(value, &u) || u > UINT32_MAX || !u)
            expected = "a whole number from 1 up";
        else
            *(uint32_t *)o->to = (uint32_t)u;
        break;
    case OPT_U64:
        if (!parse_u64(value, (uint64_t *)o->to))
            expected = "a whole number";
        break;
    case OPT_F64:
        if (!parse_f64(value, (double *)o->to))
            expected = "a number";
        break;
    case OPT_LIST:
        strings_add(o->to, value);
        break;
    case OPT_DIM3:
        if (!parse_dim3(value, o->to))
            expected = "X, X,Y or X,Y,Z";
        else if (!((uint32_t *)o->to)[0] || !((uint32_t *)o->to)[1] || !((uint32_t *)o->to)[2])
            expected = "X, X,Y or X,Y,Z of at least 1 each";
        break;
    }
    if (expected)
        return error_set(p->err, EXIT_BAD_INPUT, "--%s: '%s' is not %s", o->name, value, expected);
    return true;
}

bool opts_parse(const struct opt *const *tables, const size_t *counts, size_t ntable, int argc, char **argv,
                struct strings *rest, struct error *err)
{
    struct parser p = {tables, counts, ntable, err};
    bool ended = false;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (ended || a[0] != '-' || !a[1]) {
            strings_add(rest, a);
            continue;
        }
        if (strcmp(a, "--") == 0) {
            ended = true;
            continue;
        }
        if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0) {
            help_print(argv[0], tables, counts, ntable, err);
            return false;
        }
        bool is_long = a[1] == '-';
        size_t len = is_long ? strcspn(a + 2, "=") : 1;
        const struct opt *o = is_long ? find(&p, a + 2, len, 0) : find(&p, NULL, 0, a[1]);
        if (!o)
            return unknown(&p, a);
        const char *value = is_long ? (a[2 + len] == '=' ? a + 3 + len : NULL) : (a[2] ? a + 2 : NULL);
        if (o->kind == OPT_FLAG && value)
            return error_set(err, EXIT_BAD_INPUT, "--%s takes no value", o->name);
        if (o->kind != OPT_FLAG && !value) {
            if (i + 1 >= argc)
                return error_set(err, EXIT_BAD_INPUT, "--%s needs a value: %s", o->name, o->value);
            value = argv[++i];
        }
        if (!store(&p, o, value))
            return false;
    }
    return true;
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

struct common_opts common_table(struct common *c)
{
    return (struct common_opts){
        {{"config", 'C', OPT_TEXT, &c->config, "NAME",
          "hardware: a name of `heddle list configs` or a .yaml file (h200)"},
         {"set", 0, OPT_LIST, &c->sets, "PATH=VALUE", "override one hardware parameter; may be repeated"},
         {"threads", 'j', OPT_COUNT, &c->threads, "N", "host threads; results do not depend on it (1)"},
         {"window", 0, OPT_COUNT, &c->window, "CYCLES",
          "cycles between barriers, at most L; results do not depend on it"},
         {"warm", 0, OPT_U32, &c->warm, "N", "launches before the reported one; 0: caches filled with other lines"},
         {"max-cycles", 0, OPT_U64, &c->max_cycles, "N", "give up after so many cycles (exit status 3)"},
         {"json", 0, OPT_TEXT, &c->json, "FILE", "write everything as JSON; - is stdout"},
         {"csv", 0, OPT_TEXT, &c->csv, "FILE", "write counters in the profiler's raw CSV columns; - is stdout"},
         {"html", 0, OPT_TEXT, &c->html, "FILE", "write the report as one HTML file"},
         {"full", 0, OPT_FLAG, &c->full, NULL, "report every launch of a chain and every measured counter"},
         {"source", 0, OPT_FLAG, &c->source, NULL,
          "list every instruction of the longest launch under its source line"},
         {"quiet", 'q', OPT_FLAG, &c->quiet, NULL, "no report and no progress"},
         {"no-host", 0, OPT_FLAG, &c->no_host, NULL,
          "leave out what depends on this machine: JSON compares byte by byte"}},
        13};
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
