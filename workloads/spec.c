/* Launch specs: finding the file, its top level, `like:` (a spec that stands on another), sizes, programs. What stands
 * under buffers:, launches:, expect: and metrics: is read in spec_read.c. */
#include "workloads/spec.h"

#include <stdlib.h>
#include <string.h>

enum { NDOC = 4 };

bool yat_fail(struct yat y, struct error *err, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return error_at(err, &y.doc->src, y.n ? y.n->at : (struct srcpos){0}, "%s", text);
}

struct yat yat_get(struct yat map, const char *key)
{
    bool is_map = map.n && map.n->kind == Y_MAP;
    return (struct yat){map.doc, is_map ? ymap_get(map.n, key) : NULL};
}

bool yat_kind(struct yat y, enum ykind kind, const char *what, struct error *err)
{
    return (y.n && y.n->kind == kind) || yat_fail(y, err, "%s is expected", what);
}

bool yat_keys(struct yat map, const char *const *names, size_t n, struct error *err)
{
    for (size_t i = 0; i < map.n->n; i++) {
        const char *key = map.n->keys[i]->text;
        size_t k = 0;
        while (k < n && strcmp(names[k], key) != 0)
            k++;
        if (k < n)
            continue;
        const char *near = nearest_name(key, names, n);
        struct yat at = {map.doc, map.n->keys[i]};
        return yat_fail(at, err, "unknown key `%s`%s%s%s", key, near ? "; did you mean `" : "", near ? near : "",
                        near ? "`?" : "");
    }
    return true;
}

bool yat_text(struct yat y, char **out, struct error *err)
{
    if (!yat_kind(y, Y_SCALAR, "a word", err))
        return false;
    free(*out);
    *out = xstrdup(y.n->text);
    return true;
}

const struct source *spec_source(const struct spec *s)
{
    return &s->docs[0].src;
}

double spec_value(const struct spec *s, const char *param, double otherwise)
{
    for (uint32_t i = 0; i < s->nparam; i++)
        if (strcmp(s->params[i].name, param) == 0)
            return s->params[i].value;
    return otherwise;
}

int spec_buffer_index(const struct spec *s, const char *name)
{
    for (uint32_t i = 0; i < s->nbuffer; i++)
        if (strcmp(s->buffers[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* The top-level value: the spec's own, else that of the spec it is like. */
static struct yat top(const struct spec *s, const char *key)
{
    for (uint32_t i = 0; i < s->ndoc; i++) {
        struct yat y = yat_get((struct yat){&s->docs[i], s->docs[i].root}, key);
        if (y.n)
            return y;
    }
    return (struct yat){&s->docs[0], NULL};
}

/* ---- params and sizes ---- */
static bool param_set(struct spec *s, const char *name, double value)
{
    for (uint32_t i = 0; i < s->nparam; i++) {
        if (strcmp(s->params[i].name, name) == 0) {
            s->params[i].value = value;
            return true;
        }
    }
    return false;
}

static bool add_params(struct reader *r, struct yat map)
{
    struct spec *s = r->s;
    if (!map.n)
        return true;
    if (!yat_kind(map, Y_MAP, "a map of names and numbers", r->err))
        return false;
    s->params = xrealloc(s->params, s->nparam + map.n->n + 1, sizeof *s->params);
    for (size_t i = 0; i < map.n->n; i++) {
        double v;
        if (!expr_eval(s, (struct yat){map.doc, map.n->items[i]}, &v, r->err))
            return false;
        if (!param_set(s, map.n->keys[i]->text, v))
            s->params[s->nparam++] = (struct spec_param){xstrdup(map.n->keys[i]->text), v};
    }
    return true;
}

static bool read_size(struct reader *r, struct yat key, struct yat map)
{
    struct spec *s = r->s;
    if (!yat_kind(map, Y_MAP, "a map of params", r->err))
        return false;
    s->sizes = xrealloc(s->sizes, s->nsize + 1, sizeof *s->sizes);
    struct spec_size *z = &s->sizes[s->nsize++];
    *z = (struct spec_size){.name = xstrdup(key.n->text), .set = xcalloc(map.n->n, sizeof *z->set)};
    for (size_t i = 0; i < map.n->n; i++) {
        double v;
        struct yat k = {map.doc, map.n->keys[i]};
        if (!expr_eval(s, (struct yat){map.doc, map.n->items[i]}, &v, r->err))
            return false;
        if (spec_value(s, k.n->text, 0) == 0 && spec_value(s, k.n->text, 1) == 1)
            return yat_fail(k, r->err, "`%s` is not among the spec's params", k.n->text);
        z->set[z->n++] = (struct spec_param){xstrdup(k.n->text), v};
    }
    return true;
}

static bool read_sizes(struct reader *r, struct yat map)
{
    if (!map.n)
        return true;
    if (!yat_kind(map, Y_MAP, "a map of named sizes", r->err))
        return false;
    for (size_t i = 0; i < map.n->n; i++)
        if (!read_size(r, (struct yat){map.doc, map.n->keys[i]}, (struct yat){map.doc, map.n->items[i]}))
            return false;
    return true;
}

static bool choose_named(struct reader *r, const char *name)
{
    struct spec *s = r->s;
    for (uint32_t i = 0; i < s->nsize; i++) {
        if (strcmp(s->sizes[i].name, name) != 0)
            continue;
        for (uint32_t k = 0; k < s->sizes[i].n; k++)
            param_set(s, s->sizes[i].set[k].name, s->sizes[i].set[k].value);
        return true;
    }
    error_set(r->err, EXIT_BAD_INPUT, "%s: no size is named `%s`; there are:", s->name, name);
    for (uint32_t i = 0; i < s->nsize; i++)
        error_note(r->err, " %s", s->sizes[i].name);
    error_note(r->err, " default, or PARAM=NUMBER");
    return false;
}

static bool choose_size(struct reader *r, const char *text)
{
    struct spec *s = r->s;
    const char *eq = strchr(text, '=');
    if (!eq) {
        if (strcmp(text, "default") != 0 && !choose_named(r, text))
            return false;
    } else {
        char *name = xstrndup(text, (size_t)(eq - text));
        uint64_t whole = 0;
        double v = 0;
        bool number = parse_u64(eq + 1, &whole);
        if (number)
            v = (double)whole;
        bool ok = (number || parse_f64(eq + 1, &v)) && param_set(s, name, v);
        if (!ok) {
            error_set(r->err, EXIT_BAD_INPUT, "%s: `%s` sets no size parameter; there are:", s->name, text);
            for (uint32_t i = 0; i < s->nparam; i++)
                error_note(r->err, " %s=%.17g", s->params[i].name, s->params[i].value);
        }
        free(name);
        if (!ok)
            return false;
    }
    free(s->size);
    s->size = xstrdup(text);
    return true;
}

bool read_params(struct reader *r)
{
    struct spec *s = r->s;
    s->size = xstrdup("default");
    for (uint32_t i = s->ndoc; i-- > 0;) /* the spec's own values last */
        if (!add_params(r, yat_get((struct yat){&s->docs[i], s->docs[i].root}, "params")))
            return false;
    if (!read_sizes(r, top(s, "sizes")))
        return false;
    for (size_t i = 0; i < r->o->nsize; i++)
        if (!choose_size(r, r->o->sizes[i]))
            return false;
    return true;
}

/* ---- the file and what it stands on ---- */
static const char *const top_keys[] = {"title", "class",  "like",    "params", "sizes",    "program",
                                       "isa",   "source", "kernel",  "launch", "launches", "buffers",
                                       "args",  "expect", "metrics", "work"};

static bool read_like(struct reader *r)
{
    struct spec *s = r->s;
    for (;;) {
        struct yat root = {&s->docs[s->ndoc - 1], s->docs[s->ndoc - 1].root};
        if (!yat_kind(root, Y_MAP, "a launch spec (a map)", r->err) ||
            !yat_keys(root, top_keys, ARRAY_LEN(top_keys), r->err))
            return false;
        struct yat like = yat_get(root, "like");
        if (!like.n)
            return true;
        if (!yat_kind(like, Y_SCALAR, "a file name", r->err))
            return false;
        if (s->ndoc == NDOC)
            return yat_fail(like, r->err, "specs stand on each other too deeply");
        char *path = path_join(s->dir, like.n->text);
        bool ok = ydoc_read(&s->docs[s->ndoc], path, r->err);
        free(path);
        if (!ok)
            return false;
        s->ndoc++;
    }
}

static bool read_words(struct reader *r)
{
    struct spec *s = r->s;
    struct yat title = top(s, "title"), class = top(s, "class"), source = top(s, "source");
    if (title.n && !yat_text(title, &s->title, r->err))
        return false;
    if (class.n && !yat_text(class, &s->class_name, r->err))
        return false;
    if (source.n) {
        if (!yat_kind(source, Y_SCALAR, "a file name", r->err))
            return false;
        s->source = path_join(s->dir, source.n->text);
    }
    return true;
}

static bool read_all(struct reader *r)
{
    struct spec *s = r->s;
    if (!read_like(r) || !read_words(r) || !read_params(r))
        return false;
    struct yat work = top(s, "work");
    if (work.n && !expr_eval(s, work, &s->work, r->err))
        return false;
    if (!read_buffers(r, top(s, "buffers")))
        return false;
    /* `launches:` of the spec itself hides `launch:` of the one below, and the other way round. */
    return read_launches(r, (struct yat){&s->docs[0], s->docs[0].root}) && read_expects(r, top(s, "expect")) &&
           read_metrics(r, top(s, "metrics"));
}

static char *stem(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    return xstrndup(base, dot ? (size_t)(dot - base) : strlen(base));
}

/* dir/spec.yaml is called dir, dir/other.yaml dir_other. */
static char *name_of(const char *path)
{
    char *file = stem(path), *dir = path_dir(path), *folder = stem(dir), *name;
    if (strcmp(file, "spec") == 0)
        name = xstrdup(folder);
    else
        name = xasprintf("%s_%s", folder, file);
    free(file);
    free(dir);
    free(folder);
    return name;
}

static struct spec *finish(struct spec *s, bool ok, const struct spec_options *o, struct error *err)
{
    static const struct spec_options none;
    struct reader r = {s, o ? o : &none, err};
    if (ok && read_all(&r))
        return s;
    spec_free(s);
    return NULL;
}

static struct spec *begin(const char *path)
{
    struct spec *s = xcalloc(1, sizeof *s);
    s->path = xstrdup(path);
    s->docs = xcalloc(NDOC, sizeof *s->docs);
    return s;
}

struct spec *spec_parse(const char *path, const char *dir, const char *text, const struct spec_options *o,
                        struct error *err)
{
    struct spec *s = begin(path);
    s->name = stem(path);
    s->dir = xstrdup(dir);
    bool ok = ydoc_parse(&s->docs[0], path, text, err);
    s->ndoc = ok;
    return finish(s, ok, o, err);
}

static struct spec *load_file(const char *path, char *name, const struct spec_options *o, struct error *err)
{
    struct spec *s = begin(path);
    s->name = name;
    s->dir = path_dir(path);
    bool ok = ydoc_read(&s->docs[0], path, err);
    s->ndoc = ok;
    return finish(s, ok, o, err);
}

struct spec *spec_load(const char *target, const struct spec_options *o, struct error *err)
{
    size_t len = strlen(target), n;
    if (len > 5 && strcmp(target + len - 5, ".yaml") == 0)
        return load_file(target, name_of(target), o, err);
    struct spec_entry *list = spec_list(&n, err);
    if (!list)
        return NULL;
    struct spec *s = NULL;
    const char **names = xcalloc(n + 1, sizeof *names);
    size_t i = 0;
    for (; i < n; i++)
        names[i] = list[i].name;
    for (i = 0; i < n && strcmp(names[i], target) != 0; i++)
        ;
    if (i < n) {
        s = load_file(list[i].path, xstrdup(target), o, err);
    } else {
        const char *near = nearest_name(target, names, n);
        error_set(err, EXIT_BAD_INPUT, "no workload is called `%s`%s%s%s (heddle list workloads shows them)", target,
                  near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
    }
    free(names);
    spec_list_free(list, n);
    return s;
}

static void free_launch(struct spec_launch *l)
{
    free(l->kernel_name);
    free(l->program_path);
    for (uint32_t i = 0; i < l->narg; i++)
        free(l->args[i].map);
    free(l->args);
    free(l->params);
}

void spec_free(struct spec *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->nparam; i++)
        free(s->params[i].name);
    for (uint32_t i = 0; i < s->nsize; i++) {
        for (uint32_t k = 0; k < s->sizes[i].n; k++)
            free(s->sizes[i].set[k].name);
        free(s->sizes[i].set);
        free(s->sizes[i].name);
    }
    for (uint32_t i = 0; i < s->nbuffer; i++) {
        free(s->buffers[i].name);
        free(s->buffers[i].file);
        free(s->buffers[i].out);
    }
    for (uint32_t i = 0; i < s->nlaunch; i++)
        free_launch(&s->launches[i]);
    for (uint32_t i = 0; i < s->nexpect; i++)
        free(s->expects[i].reference);
    for (uint32_t i = 0; i < s->nmetric; i++) {
        free(s->metrics[i].name);
        free(s->metrics[i].unit);
    }
    for (uint32_t i = 0; i < s->nprogram; i++) {
        free(s->program_paths[i]);
        if (s->programs && s->programs[i])
            program_free(s->programs[i]);
    }
    for (uint32_t i = 0; i < s->ndoc; i++)
        ydoc_finish(&s->docs[i]);
    void *arrays[] = {s->params,        s->sizes,    s->buffers,    s->launches, s->expects, s->metrics,
                      s->program_paths, s->programs, s->sim,        s->docs,     s->name,    s->title,
                      s->path,          s->dir,      s->class_name, s->size,     s->source};
    for (size_t i = 0; i < ARRAY_LEN(arrays); i++)
        free(arrays[i]);
    free(s);
}
