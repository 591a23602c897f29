/* A hardware config from YAML: `base:` inheritance, overrides, and every error with its place.
 *
 * The place of each value is kept until the checks are done, so that an impossible machine is reported at
 * the line that made it impossible, whether it stands in the file, in its base or in an override. */
#include "sim/config_table.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 8, MAX_PARAM = 512 };
struct place {
    const struct source *src; /* NULL: not set yet */
    struct srcpos at;
};
struct loader {
    struct config *c;
    struct ydoc docs[MAX_FILES]; /* a file and its bases, kept for their text */
    size_t ndoc;
    struct source *sets;
    size_t nset;
    struct place place[MAX_PARAM];
    struct error *err;
};

/* ---- one value ---------------------------------------------------------------------------------- */
static bool in_range(struct loader *l, const struct ydoc *d, const struct ynode *n, size_t param, double v)
{
    const struct param_info *p = &param_table[param];
    if (v >= p->min && v <= p->max)
        return true;
    return error_at(l->err, &d->src, n->at, "%s: %s is out of range %.12g to %.12g%s%s", p->path, n->text, p->min,
                    p->max, *p->unit ? " " : "", p->unit);
}

static bool set_integer(struct loader *l, const struct ydoc *d, const struct ynode *n, size_t param, uint64_t *v)
{
    return ynode_u64(d, n, v, l->err) && in_range(l, d, n, param, (double)*v);
}

static bool set_list(struct loader *l, const struct ydoc *d, const struct ynode *n, size_t param)
{
    const struct param_row *r = &param_rows[param];
    uint32_t *items = (uint32_t *)((char *)l->c + r->at);
    if (n->kind != Y_LIST)
        return error_at(l->err, &d->src, n->at, "%s: expected a list, as [1, 2]", param_table[param].path);
    if (n->n > NLIST)
        return error_at(l->err, &d->src, n->at, "%s: more than %d items", param_table[param].path, NLIST);
    for (size_t i = 0; i < n->n; i++) {
        uint64_t v = 0;
        if (!set_integer(l, d, n->items[i], param, &v))
            return false;
        items[i] = (uint32_t)v;
    }
    *(uint32_t *)((char *)l->c + r->at_count) = (uint32_t)n->n;
    return true;
}

static bool set_enum(struct loader *l, const struct ydoc *d, const struct ynode *n, size_t param, int *out)
{
    const struct param_row *r = &param_rows[param];
    const char *s = NULL;
    if (!ynode_str(d, n, &s, l->err))
        return false;
    for (size_t i = 0; i < r->nname; i++) {
        if (strcmp(r->names[i], s) == 0) {
            *out = (int)i;
            return true;
        }
    }
    struct sb all = {0};
    for (size_t i = 0; i < r->nname; i++)
        sb_addf(&all, "%s%s", i ? ", " : "", r->names[i]);
    error_at(l->err, &d->src, n->at, "%s: '%s' is not one of %s", param_table[param].path, s, all.text);
    sb_finish(&all);
    return false;
}

static bool set_string(struct loader *l, const struct ydoc *d, const struct ynode *n, size_t param, char *out)
{
    const char *s = NULL;
    if (!ynode_str(d, n, &s, l->err))
        return false;
    if (strlen(s) >= 64)
        return error_at(l->err, &d->src, n->at, "%s: longer than 63 characters", param_table[param].path);
    strcpy(out, s);
    return true;
}

static bool set_value(struct loader *l, const struct ydoc *d, const struct ynode *n, size_t param)
{
    char *p = (char *)l->c + param_rows[param].at;
    uint64_t u = 0;
    bool ok = false;
    switch (param_rows[param].kind) {
    case KIND_U32:
        if ((ok = set_integer(l, d, n, param, &u)))
            *(uint32_t *)p = (uint32_t)u;
        break;
    case KIND_U64:
        if ((ok = set_integer(l, d, n, param, &u)))
            *(uint64_t *)p = u;
        break;
    case KIND_F64: {
        double v = 0;
        if ((ok = ynode_f64(d, n, &v, l->err) && in_range(l, d, n, param, v)))
            *(double *)p = v;
        break;
    }
    case KIND_BOOL:
        ok = ynode_bool(d, n, (bool *)p, l->err);
        break;
    case KIND_STR:
        ok = set_string(l, d, n, param, p);
        break;
    case KIND_LIST:
        ok = set_list(l, d, n, param);
        break;
    case KIND_ENUM:
        ok = set_enum(l, d, n, param, (int *)p);
        break;
    }
    if (ok)
        l->place[param] = (struct place){&d->src, n->at};
    return ok;
}

/* ---- a file ---------------------------------------------------------------------------------------- */
static bool unknown_key(struct loader *l, const struct source *src, struct srcpos at, const char *path)
{
    const char *near = param_suggest(path);
    if (near)
        return error_at(l->err, src, at, "unknown parameter '%s'; did you mean '%s'?", path, near);
    return error_at(l->err, src, at, "unknown parameter '%s'; `heddle list params` shows all", path);
}

static bool read_map(struct loader *l, const struct ydoc *d, const struct ynode *map, const char *prefix)
{
    for (size_t i = 0; i < map->n; i++) {
        const char *key = map->keys[i]->text;
        if (!*prefix && strcmp(key, "base") == 0)
            continue;
        char path[256];
        if (snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", key) >= (int)sizeof path)
            return error_at(l->err, &d->src, map->keys[i]->at, "key too long");
        int param = param_find(path);
        const struct ynode *v = map->items[i];
        if (param >= 0) {
            if (!set_value(l, d, v, (size_t)param))
                return false;
        } else if (!param_is_group(path)) {
            return unknown_key(l, &d->src, map->keys[i]->at, path);
        } else if (v->kind != Y_MAP) {
            return error_at(l->err, &d->src, v->at, "%s: expected a map of parameters", path);
        } else if (!read_map(l, d, v, path)) {
            return false;
        }
    }
    return true;
}

static bool read_file(struct loader *l, const char *path);

static bool read_base(struct loader *l, const struct ydoc *d, const struct ynode *base)
{
    const char *name = NULL;
    if (!ynode_str(d, base, &name, l->err))
        return false;
    if (l->ndoc == MAX_FILES)
        return error_at(l->err, &d->src, base->at, "more than %d files inherit from one another: a circle?", MAX_FILES);
    char *path = config_find(name, d->src.path);
    if (!path || !file_exists(path)) {
        free(path);
        return error_at(l->err, &d->src, base->at, "base '%s' not found", name);
    }
    bool ok = read_file(l, path);
    free(path);
    return ok;
}

static bool read_file(struct loader *l, const char *path)
{
    struct ydoc *d = &l->docs[l->ndoc];
    if (!ydoc_read(d, path, l->err))
        return false;
    l->ndoc++;
    if (d->root->kind != Y_MAP)
        return error_at(l->err, &d->src, d->root->at, "expected a map of parameters");
    struct ynode *base = ymap_get(d->root, "base");
    return (!base || read_base(l, d, base)) && read_map(l, d, d->root, "");
}

/* ---- overrides: "path=value", the value as YAML would have it ------------------------------------------ */
static bool apply_set(struct loader *l, const char *text)
{
    struct source *src = &l->sets[l->nset++];
    source_from_text(src, "--set", text);
    const char *eq = strchr(text, '=');
    if (!eq || eq == text)
        return error_at(l->err, src, (struct srcpos){1, 1}, "expected path=value");
    char *path = xstrndup(text, (size_t)(eq - text));
    int param = param_find(path);
    struct ydoc d = {0};
    struct error inner = {0};
    bool ok;
    if (param < 0) {
        ok = unknown_key(l, src, (struct srcpos){1, 1}, path);
    } else if (!ydoc_parse(&d, "--set", eq + 1, &inner)) {
        ok = error_at(l->err, src, (struct srcpos){1, (uint32_t)(eq - text) + 2}, "%s: no readable value after '='",
                      path);
    } else {
        /* Positions of the value are those in the whole override. */
        d.root->at = (struct srcpos){1, (uint32_t)(eq - text) + 2};
        for (size_t i = 0; d.root->kind == Y_LIST && i < d.root->n; i++)
            d.root->items[i]->at.col += (uint32_t)(eq - text) + 1;
        struct source tmp = d.src;
        d.src = *src;
        ok = set_value(l, &d, d.root, (size_t)param);
        d.src = tmp;
        if (ok)
            l->place[param].src = src;
    }
    ydoc_finish(&d);
    free(path);
    return ok;
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */
/* Where a missing value should stand: the innermost group of its path that the file has. */
static struct srcpos place_for(const struct ydoc *d, const char *path)
{
    const struct ynode *n = d->root;
    struct srcpos at = n->at;
    char word[128];
    for (const char *dot; (dot = strchr(path, '.')); path = dot + 1) {
        snprintf(word, sizeof word, "%.*s", (int)(dot - path), path);
        n = ymap_get(n, word);
        if (!n)
            break;
        at = n->at;
    }
    return at;
}

static bool nothing_missing(struct loader *l)
{
    size_t missing = 0, first = 0;
    for (size_t i = param_count; i-- > 0;) {
        if (!l->place[i].src) {
            missing++;
            first = i;
        }
    }
    if (!missing)
        return true;
    const struct param_info *p = &param_table[first];
    char more[64] = "";
    if (missing > 1)
        snprintf(more, sizeof more, " (and %zu more; `base: NAME` inherits)", missing - 1);
    return error_at(l->err, &l->docs[0].src, place_for(&l->docs[0], p->path), "'%s' is missing: %s%s", p->path, p->doc,
                    more);
}

static bool possible(struct loader *l)
{
    int param = 0;
    char why[512];
    if (config_possible(l->c, &param, why, sizeof why))
        return true;
    const struct place *p = &l->place[param];
    return error_at(l->err, p->src, p->at, "%s: %s", param_table[param].path, why);
}

bool config_load(struct config *c, const char *name, const char *const *sets, size_t nset, struct error *err)
{
    must(param_count <= MAX_PARAM);
    char *path = config_find(name, NULL);
    if (!path)
        return config_not_found(name, err);
    struct loader *l = xcalloc(1, sizeof *l);
    *l = (struct loader){.c = c, .sets = xcalloc(nset + 1, sizeof *l->sets), .err = err};
    *c = (struct config){0};
    bool ok = read_file(l, path);
    for (size_t i = 0; ok && i < nset; i++)
        ok = apply_set(l, sets[i]);
    ok = ok && nothing_missing(l) && possible(l);
    if (ok)
        config_derive(c);
    for (size_t i = 0; i < l->ndoc; i++)
        ydoc_finish(&l->docs[i]);
    for (size_t i = 0; i < l->nset; i++)
        source_finish(&l->sets[i]);
    free(l->sets);
    free(l);
    free(path);
    return ok;
}
