/* YAML through libyaml's document loader, as a tree whose nodes know where they stand. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { MAX_DEPTH = 64 }; /* hostile input: bounded nesting, and aliases (which could blow up) are refused */

static struct srcpos pos_of(yaml_mark_t m)
{
    return (struct srcpos){(uint32_t)m.line + 1, (uint32_t)m.column + 1};
}

static void node_free(struct ynode *n)
{
    if (!n)
        return;
    for (size_t i = 0; i < n->n; i++) {
        node_free(n->items[i]);
        if (n->keys)
            node_free(n->keys[i]);
    }
    free(n->items);
    free(n->keys);
    free(n->text);
    free(n);
}

struct loader {
    struct ydoc *d;
    yaml_document_t *doc;
    bool *seen; /* by node id: a node met twice is an alias */
    struct error *err;
};

static struct ynode *convert(struct loader *l, int id, unsigned depth);

static bool convert_pair(struct loader *l, struct ynode *map, size_t i, yaml_node_pair_t *pair, unsigned depth)
{
    struct ynode *key = map->keys[i] = convert(l, pair->key, depth);
    map->n = i + 1;
    if (!key)
        return false;
    if (key->kind != Y_SCALAR)
        return error_at(l->err, &l->d->src, key->at, "a key must be a plain word");
    for (size_t k = 0; k < i; k++)
        if (strcmp(map->keys[k]->text, key->text) == 0)
            return error_at(l->err, &l->d->src, key->at, "'%s' is given twice (first on line %u)", key->text,
                            map->keys[k]->at.line);
    return (map->items[i] = convert(l, pair->value, depth)) != NULL;
}

static bool convert_children(struct loader *l, struct ynode *n, yaml_node_t *y, unsigned depth)
{
    if (y->type == YAML_SEQUENCE_NODE) {
        size_t count = (size_t)(y->data.sequence.items.top - y->data.sequence.items.start);
        n->kind = Y_LIST;
        n->items = xcalloc(count, sizeof *n->items);
        for (size_t i = 0; i < count; i++) {
            n->n = i + 1;
            if (!(n->items[i] = convert(l, y->data.sequence.items.start[i], depth)))
                return false;
        }
        return true;
    }
    size_t count = (size_t)(y->data.mapping.pairs.top - y->data.mapping.pairs.start);
    n->kind = Y_MAP;
    n->items = xcalloc(count, sizeof *n->items);
    n->keys = xcalloc(count, sizeof *n->keys);
    for (size_t i = 0; i < count; i++)
        if (!convert_pair(l, n, i, &y->data.mapping.pairs.start[i], depth))
            return false;
    return true;
}

static void convert_scalar(struct ynode *n, const yaml_node_t *y)
{
    n->quoted = y->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                y->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    n->text = xstrndup((const char *)y->data.scalar.value, y->data.scalar.length);
    bool null = !n->quoted && (n->text[0] == 0 || strcmp(n->text, "~") == 0 || strcmp(n->text, "null") == 0);
    n->kind = null ? Y_NULL : Y_SCALAR;
}

static struct ynode *convert(struct loader *l, int id, unsigned depth)
{
    yaml_node_t *y = yaml_document_get_node(l->doc, id);
    struct srcpos at = pos_of(y->start_mark);
    if (depth > MAX_DEPTH) {
        error_at(l->err, &l->d->src, at, "nested too deeply");
        return NULL;
    }
    if (l->seen[id]) {
        error_at(l->err, &l->d->src, at, "YAML aliases (*name) are not supported here");
        return NULL;
    }
    l->seen[id] = true;
    struct ynode *n = xcalloc(1, sizeof *n);
    n->at = at;
    if (y->type == YAML_SCALAR_NODE) {
        convert_scalar(n, y);
    } else if (!convert_children(l, n, y, depth + 1)) {
        node_free(n);
        return NULL;
    }
    return n;
}

/* The reader's time grows with the square of the open brackets: too many are refused before it sees them. (One in a
 * word or a comment counts too; nobody has that many.) */
static bool brackets_fit(const struct ydoc *d, struct error *err)
{
    struct srcpos at = {1, 1};
    unsigned depth = 0;
    for (size_t i = 0; i < d->src.len; i++) {
        char c = d->src.text[i];
        depth += c == '[' || c == '{';
        depth -= depth && (c == ']' || c == '}');
        if (depth > MAX_DEPTH)
            return error_at(err, &d->src, at, "nested too deeply");
        at.col++;
        if (c == '\n')
            at = (struct srcpos){at.line + 1, 1};
    }
    return true;
}

static bool parse(struct ydoc *d, struct error *err)
{
    if (!brackets_fit(d, err))
        return false;
    yaml_parser_t parser;
    yaml_document_t doc;
    must(yaml_parser_initialize(&parser));
    yaml_parser_set_input_string(&parser, (const unsigned char *)d->src.text, d->src.len);
    if (!yaml_parser_load(&parser, &doc)) {
        error_at(err, &d->src, pos_of(parser.problem_mark), "not valid YAML: %s",
                 parser.problem ? parser.problem : "unreadable");
        yaml_parser_delete(&parser);
        return false;
    }
    yaml_node_t *root = yaml_document_get_root_node(&doc);
    if (root) {
        size_t count = (size_t)(doc.nodes.top - doc.nodes.start);
        struct loader l = {d, &doc, xcalloc(count + 1, sizeof(bool)), err};
        d->root = convert(&l, 1, 0);
        free(l.seen);
    } else {
        error_at(err, &d->src, (struct srcpos){1, 1}, "the file is empty");
    }
    yaml_document_delete(&doc);
    yaml_parser_delete(&parser);
    return d->root != NULL;
}

bool ydoc_read(struct ydoc *d, const char *path, struct error *err)
{
    *d = (struct ydoc){0};
    if (!source_read(&d->src, path, err))
        return false;
    if (parse(d, err))
        return true;
    ydoc_finish(d);
    return false;
}

bool ydoc_parse(struct ydoc *d, const char *path, const char *text, struct error *err)
{
    *d = (struct ydoc){0};
    source_from_text(&d->src, path, text);
    if (parse(d, err))
        return true;
    ydoc_finish(d);
    return false;
}

void ydoc_finish(struct ydoc *d)
{
    node_free(d->root);
    source_finish(&d->src);
    d->root = NULL;
}

struct ynode *ymap_get(const struct ynode *map, const char *key)
{
    if (!map || map->kind != Y_MAP)
        return NULL;
    for (size_t i = 0; i < map->n; i++)
        if (strcmp(map->keys[i]->text, key) == 0)
            return map->items[i];
    return NULL;
}

static bool expect(const struct ydoc *d, const struct ynode *n, bool ok, const char *what, struct error *err)
{
    if (ok)
        return true;
    static const char *const kinds[] = {"nothing", "a word", "a list", "a map"};
    if (n->kind == Y_SCALAR)
        return error_at(err, &d->src, n->at, "'%s' is not %s", n->text, what);
    return error_at(err, &d->src, n->at, "expected %s, found %s", what, kinds[n->kind]);
}

bool ynode_u64(const struct ydoc *d, const struct ynode *n, uint64_t *out, struct error *err)
{
    return expect(d, n, n->kind == Y_SCALAR && parse_u64(n->text, out), "a whole number", err);
}

bool ynode_i64(const struct ydoc *d, const struct ynode *n, int64_t *out, struct error *err)
{
    return expect(d, n, n->kind == Y_SCALAR && parse_i64(n->text, out), "a whole number", err);
}

bool ynode_f64(const struct ydoc *d, const struct ynode *n, double *out, struct error *err)
{
    return expect(d, n, n->kind == Y_SCALAR && parse_f64(n->text, out), "a number", err);
}

bool ynode_bool(const struct ydoc *d, const struct ynode *n, bool *out, struct error *err)
{
    bool yes = n->kind == Y_SCALAR &&
               (strcmp(n->text, "true") == 0 || strcmp(n->text, "yes") == 0 || strcmp(n->text, "on") == 0);
    bool no = n->kind == Y_SCALAR &&
              (strcmp(n->text, "false") == 0 || strcmp(n->text, "no") == 0 || strcmp(n->text, "off") == 0);
    *out = yes;
    return expect(d, n, yes || no, "true or false", err);
}

bool ynode_str(const struct ydoc *d, const struct ynode *n, const char **out, struct error *err)
{
    *out = n->text;
    return expect(d, n, n->kind == Y_SCALAR, "a word", err);
}
