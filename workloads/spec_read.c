/* What stands under buffers:, launch: and launches:, args:, expect: and metrics: of a launch spec. */
#include "workloads/spec.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct yat item(struct yat list, size_t i)
{
    return (struct yat){list.doc, list.n->items[i]};
}

static struct yat key_at(struct yat map, size_t i)
{
    return (struct yat){map.doc, map.n->keys[i]};
}

bool read_elem(struct yat y, enum elem *out, struct error *err)
{
    if (!yat_kind(y, Y_SCALAR, "an element type", err))
        return false;
    for (unsigned i = 0; i < ELEM_COUNT; i++) {
        if (strcmp(elem_names[i], y.n->text) == 0) {
            *out = (enum elem)i;
            return true;
        }
    }
    const char *near = nearest_name(y.n->text, elem_names, ELEM_COUNT);
    return yat_fail(y, err, "unknown type `%s`%s%s%s", y.n->text, near ? "; did you mean `" : "", near ? near : "",
                    near ? "`?" : "");
}

/* ---- buffers ---- */
static const char *const init_names[] = {"zero", "uniform", "raw",  "mod",   "fill",
                                         "iota", "poison",  "file", "chase", "signs"};

static bool init_kind(struct yat y, enum init_kind *out, struct error *err)
{
    for (size_t i = 0; i < ARRAY_LEN(init_names); i++) {
        if (strcmp(init_names[i], y.n->text) == 0) {
            *out = (enum init_kind)i;
            return true;
        }
    }
    const char *near = nearest_name(y.n->text, init_names, ARRAY_LEN(init_names));
    return yat_fail(y, err, "unknown contents `%s`%s%s%s", y.n->text, near ? "; did you mean `" : "", near ? near : "",
                    near ? "`?" : "");
}

static bool init_value(struct reader *r, struct yat v, struct spec_buffer *b)
{
    switch (b->init) {
    case INIT_UNIFORM:
        return yat_kind(v, Y_LIST, "a range [low, high]", r->err) &&
               (v.n->n == 2 || yat_fail(v, r->err, "a range has two ends")) &&
               expr_eval(r->s, item(v, 0), &b->a, r->err) && expr_eval(r->s, item(v, 1), &b->b, r->err);
    case INIT_FILE:
        if (!yat_kind(v, Y_SCALAR, "a file name", r->err))
            return false;
        b->file = path_join(r->s->dir, v.n->text);
        return true;
    case INIT_MOD:
    case INIT_CHASE:
    case INIT_SIGNS:
        return expr_eval(r->s, v, &b->a, r->err) &&
               ((b->a >= 1 && b->a <= 4294967295.0 && b->a == floor(b->a)) ||
                yat_fail(v, r->err, "a whole number from 1 to 2^32-1 is expected"));
    case INIT_FILL:
        return expr_eval(r->s, v, &b->a, r->err);
    default:
        return yat_fail(v, r->err, "these contents take no value");
    }
}

static bool read_init(struct reader *r, struct yat y, struct spec_buffer *b)
{
    if (!y.n)
        return yat_fail(y, r->err, "buffer `%s` has no init:", b->name);
    if (y.n->kind == Y_SCALAR) {
        if (!init_kind(y, &b->init, r->err))
            return false;
        bool bare = b->init == INIT_ZERO || b->init == INIT_RAW || b->init == INIT_IOTA || b->init == INIT_POISON;
        return bare || yat_fail(y, r->err, "`%s` needs a value: {%s: ...}", y.n->text, y.n->text);
    }
    if (!yat_kind(y, Y_MAP, "contents such as poison or {uniform: [0, 1]}", r->err))
        return false;
    if (y.n->n != 1)
        return yat_fail(y, r->err, "one kind of contents is expected");
    return init_kind(key_at(y, 0), &b->init, r->err) && init_value(r, item(y, 0), b);
}

static bool read_buffer(struct reader *r, struct yat key, struct yat y)
{
    static const char *const keys[] = {"type", "count", "init", "seed"};
    struct spec_buffer *b = &r->s->buffers[r->s->nbuffer++];
    b->name = xstrdup(key.n->text);
    b->at = key.n->at;
    if (!yat_kind(y, Y_MAP, "a buffer {type, count, init}", r->err) || !yat_keys(y, keys, ARRAY_LEN(keys), r->err))
        return false;
    if (!read_elem(yat_get(y, "type"), &b->type, r->err) || !expr_u64(r->s, yat_get(y, "count"), &b->count, r->err))
        return false;
    if (b->count == 0 || b->count > (UINT64_C(1) << 40))
        return yat_fail(yat_get(y, "count"), r->err, "a buffer has 1 to 2^40 elements");
    b->bytes = b->count * elem_bytes(b->type);
    struct yat seed = yat_get(y, "seed");
    if (seed.n && !expr_u32(r->s, seed, &b->seed, r->err))
        return false;
    return read_init(r, yat_get(y, "init"), b);
}

bool read_buffers(struct reader *r, struct yat map)
{
    if (!map.n)
        return true;
    if (!yat_kind(map, Y_MAP, "a map of buffers", r->err))
        return false;
    r->s->buffers = xcalloc(map.n->n, sizeof *r->s->buffers);
    for (size_t i = 0; i < map.n->n; i++)
        if (!read_buffer(r, key_at(map, i), item(map, i)))
            return false;
    return true;
}

/* ---- arguments ---- */
bool read_buffer_name(struct reader *r, struct yat y, uint32_t *out)
{
    if (!yat_kind(y, Y_SCALAR, "a buffer's name", r->err))
        return false;
    int b = spec_buffer_index(r->s, y.n->text);
    if (b < 0)
        return yat_fail(y, r->err, "no buffer is called `%s`", y.n->text);
    *out = (uint32_t)b;
    return true;
}

/* Signed or not, both ways of writing the same bits are taken. Expressions are doubles: what these cannot hold exactly
 * must be written as the number itself. */
static bool whole_arg(struct reader *r, enum elem t, struct yat v, double d, struct spec_arg *a)
{
    uint64_t exact;
    int bits = 8 * (int)a->bytes;
    bool minus = v.n->text[0] == '-', plain = parse_u64(v.n->text + minus, &exact);
    uint64_t most = minus ? UINT64_C(1) << (bits - 1) : UINT64_MAX >> (64 - bits);
    if (d != floor(d))
        return yat_fail(v, r->err, "%s takes a whole number, not %.17g", elem_names[t], d);
    if (plain ? exact > most : d < -ldexp(1, bits - 1) || d >= ldexp(1, bits))
        return yat_fail(v, r->err, "`%s` does not fit %s", v.n->text, elem_names[t]);
    if (!plain && fabs(d) > 0x1p53)
        return yat_fail(v, r->err, "`%s` is beyond 2^53, where expressions are inexact: write the number itself",
                        v.n->text);
    if (plain)
        exact = minus ? -exact : exact;
    else
        exact = d < 0 ? (uint64_t)(int64_t)d : (uint64_t)d;
    memcpy(a->value, &exact, a->bytes);
    return true;
}

static bool scalar_arg(struct reader *r, struct yat key, struct yat v, struct spec_arg *a)
{
    enum elem t;
    double d;
    if (strcmp(key.n->text, "ptr") == 0) {
        uint64_t u;
        a->bytes = 8;
        if (!expr_u64(r->s, v, &u, r->err))
            return false;
        memcpy(a->value, &u, 8);
        return true;
    }
    if (!read_elem(key, &t, r->err) || !expr_eval(r->s, v, &d, r->err))
        return false;
    a->bytes = elem_bytes(t);
    if (t >= ELEM_I8)
        return whole_arg(r, t, v, d, a);
    elem_put(t, a->value, 0, d);
    return true;
}

static bool read_arg(struct reader *r, struct yat y, struct spec_arg *a)
{
    static const char *const keys[] = {"buffer", "offset"};
    a->at = y.n->at;
    if (y.n->kind == Y_SCALAR) {
        a->is_buffer = true;
        a->bytes = 8;
        return read_buffer_name(r, y, &a->buffer);
    }
    if (!yat_kind(y, Y_MAP, "an argument: a buffer's name or {i32: n}", r->err))
        return false;
    if (yat_get(y, "tensormap").n)
        return read_tensor_map(r, yat_get(y, "tensormap"), a);
    if (!yat_get(y, "buffer").n)
        return y.n->n == 1 ? scalar_arg(r, key_at(y, 0), item(y, 0), a)
                           : yat_fail(y, r->err, "one type and one value are expected");
    a->is_buffer = true;
    a->bytes = 8;
    struct yat offset = yat_get(y, "offset");
    return yat_keys(y, keys, ARRAY_LEN(keys), r->err) && read_buffer_name(r, yat_get(y, "buffer"), &a->buffer) &&
           (!offset.n || expr_u64(r->s, offset, &a->offset, r->err));
}

static bool read_args(struct reader *r, struct yat list, struct spec_launch *l)
{
    if (!list.n)
        return true;
    if (!yat_kind(list, Y_LIST, "a list of arguments", r->err))
        return false;
    l->args = xcalloc(list.n->n, sizeof *l->args);
    l->narg = (uint32_t)list.n->n;
    for (uint32_t i = 0; i < l->narg; i++)
        if (!read_arg(r, item(list, i), &l->args[i]))
            return false;
    return true;
}

/* ---- launches ---- */
static bool read_dim(struct reader *r, struct yat y, const char *what, uint32_t out[3])
{
    if (!y.n)
        return yat_fail(y, r->err, "%s is missing", what);
    out[0] = out[1] = out[2] = 1;
    if (y.n->kind == Y_SCALAR) {
        if (!expr_u32(r->s, y, &out[0], r->err))
            return false;
    } else {
        if (!yat_kind(y, Y_LIST, "one to three numbers", r->err))
            return false;
        if (y.n->n < 1 || y.n->n > 3)
            return yat_fail(y, r->err, "one to three numbers are expected");
        for (size_t i = 0; i < y.n->n; i++)
            if (!expr_u32(r->s, item(y, i), &out[i], r->err))
                return false;
    }
    for (int i = 0; i < 3; i++)
        if (out[i] == 0)
            return yat_fail(y, r->err, "%s has a zero", what);
    return true;
}

/* A row of isa: whose name is sm_NN (or kir). Exact, else the highest of the same major below it. */
static struct yat choose_isa(struct reader *r, struct yat map)
{
    unsigned want = r->o->arch ? (unsigned)r->o->arch : 90, best = 0;
    unsigned oldest = UINT_MAX;
    struct yat found = {map.doc, NULL}, any = found;
    if (r->o->isa)
        return yat_get(map, r->o->isa);
    for (size_t i = 0; i < map.n->n; i++) {
        uint64_t have = 0;
        const char *key = map.n->keys[i]->text;
        if (strncmp(key, "sm_", 3) != 0 || !parse_u64(key + 3, &have))
            continue;
        if (have / 10 == want / 10 && have <= want && have > best) {
            best = (unsigned)have;
            found.n = map.n->items[i];
        }
        if (have < oldest) {
            oldest = (unsigned)have;
            any.n = map.n->items[i];
        }
    }
    return found.n || !r->o->any_arch ? found : any;
}

static bool no_program(struct reader *r, struct yat isa)
{
    struct sb have = {0};
    char want[16];
    snprintf(want, sizeof want, "sm_%u", r->o->arch ? (unsigned)r->o->arch : 90U);
    for (size_t i = 0; i < isa.n->n; i++)
        sb_addf(&have, "%s%s", i ? ", " : "", isa.n->keys[i]->text);
    yat_fail(isa, r->err, "no program here for %s; there are: %s", r->o->isa ? r->o->isa : want,
             have.text ? have.text : "none");
    sb_finish(&have);
    return false;
}

static bool read_program(struct reader *r, struct yat scope, struct spec_launch *l)
{
    struct yat isa = yat_get(scope, "isa"), y = yat_get(scope, "program");
    for (uint32_t i = 0; i < r->s->ndoc && !isa.n && !y.n; i++) {
        struct yat root = {&r->s->docs[i], r->s->docs[i].root};
        isa = yat_get(root, "isa");
        y = yat_get(root, "program");
    }
    if (isa.n) {
        if (!yat_kind(isa, Y_MAP, "a map such as {sm_90: file.cubin}", r->err))
            return false;
        y = choose_isa(r, isa);
        if (!y.n)
            return no_program(r, isa);
    }
    if (!y.n)
        return yat_fail(scope, r->err, "program: or isa: is missing");
    if (!yat_kind(y, Y_SCALAR, "a file name", r->err))
        return false;
    l->program_path = path_join(r->s->dir, y.n->text);
    l->program = spec_add_program(r->s, l->program_path);
    return true;
}

uint32_t spec_add_program(struct spec *s, const char *path)
{
    for (uint32_t i = 0; i < s->nprogram; i++)
        if (strcmp(s->program_paths[i], path) == 0)
            return i;
    s->program_paths = xrealloc(s->program_paths, s->nprogram + 1, sizeof *s->program_paths);
    s->program_paths[s->nprogram] = xstrdup(path);
    return s->nprogram++;
}

static bool read_geometry(struct reader *r, struct yat y, struct spec_launch *l)
{
    struct yat shared = yat_get(y, "shared_bytes"), stream = yat_get(y, "stream"), cluster = yat_get(y, "cluster");
    struct yat cooperative = yat_get(y, "cooperative");
    return read_dim(r, yat_get(y, "grid"), "grid", l->grid) && read_dim(r, yat_get(y, "block"), "block", l->block) &&
           (!cluster.n || read_dim(r, cluster, "cluster", l->cluster)) &&
           (!shared.n || expr_u32(r->s, shared, &l->shared_bytes, r->err)) &&
           (!stream.n || expr_u32(r->s, stream, &l->stream, r->err)) &&
           (!cooperative.n || expr_u32(r->s, cooperative, &l->cooperative, r->err));
}

static struct spec_launch *add_launch(struct reader *r, struct yat at)
{
    struct spec *s = r->s;
    s->launches = xrealloc(s->launches, s->nlaunch + 1, sizeof *s->launches);
    struct spec_launch *l = &s->launches[s->nlaunch++];
    *l = (struct spec_launch){.at = at.n->at};
    return l;
}

static struct yat inherited(struct reader *r, const char *key)
{
    struct yat y = {&r->s->docs[0], NULL};
    for (uint32_t i = 0; i < r->s->ndoc && !y.n; i++)
        y = yat_get((struct yat){&r->s->docs[i], r->s->docs[i].root}, key);
    return y;
}

static bool read_single(struct reader *r, struct yat launch)
{
    static const char *const keys[] = {"grid", "block", "cluster", "shared_bytes", "stream", "cooperative"};
    struct yat kernel = inherited(r, "kernel"), root = {&r->s->docs[0], r->s->docs[0].root};
    if (!yat_kind(launch, Y_MAP, "launch: {grid, block}", r->err) || !yat_keys(launch, keys, ARRAY_LEN(keys), r->err))
        return false;
    struct spec_launch *l = add_launch(r, launch);
    return (!kernel.n || yat_text(kernel, &l->kernel_name, r->err)) && read_geometry(r, launch, l) &&
           read_program(r, root, l) && read_args(r, inherited(r, "args"), l);
}

static bool read_chain(struct reader *r, struct yat list)
{
    static const char *const keys[] = {"kernel",  "program",      "isa",    "grid", "block",
                                       "cluster", "shared_bytes", "stream", "args", "cooperative"};
    if (!yat_kind(list, Y_LIST, "a list of launches", r->err))
        return false;
    if (list.n->n == 0)
        return yat_fail(list, r->err, "no launch is given");
    for (size_t i = 0; i < list.n->n; i++) {
        struct yat y = item(list, i), kernel = yat_get(y, "kernel");
        if (!yat_kind(y, Y_MAP, "a launch {kernel, grid, block, args}", r->err) ||
            !yat_keys(y, keys, ARRAY_LEN(keys), r->err))
            return false;
        struct spec_launch *l = add_launch(r, y);
        if ((kernel.n && !yat_text(kernel, &l->kernel_name, r->err)) || !read_geometry(r, y, l) ||
            !read_program(r, y, l) || !read_args(r, yat_get(y, "args"), l))
            return false;
    }
    return true;
}

bool read_launches(struct reader *r, struct yat root)
{
    for (uint32_t i = 0; i < r->s->ndoc; i++) { /* the nearest document that has either */
        struct yat top = {&r->s->docs[i], r->s->docs[i].root}, one = yat_get(top, "launch"),
                   chain = yat_get(top, "launches");
        if (one.n && chain.n)
            return yat_fail(chain, r->err, "both launch: and launches: are given");
        if (one.n)
            return read_single(r, one);
        if (chain.n)
            return read_chain(r, chain);
    }
    return yat_fail(root, r->err, "launch: or launches: is missing");
}

/* ---- expect ---- */
static bool read_bound(struct reader *r, struct yat map, const char *key, double *out)
{
    struct yat y = yat_get(map, key);
    *out = -1;
    if (!y.n)
        return true;
    return expr_eval(r->s, y, out, r->err) && (*out >= 0 || yat_fail(y, r->err, "a bound is not negative"));
}

static bool read_expect(struct reader *r, struct yat key, struct yat y)
{
    static const char *const keys[] = {"reference", "max_abs", "max_rel", "max_ulp", "bitwise"};
    struct spec_expect *e = &r->s->expects[r->s->nexpect++];
    double ulp;
    e->at = key.n->at;
    e->max_abs = e->max_rel = -1;
    e->max_ulp = -1;
    if (!read_buffer_name(r, key, &e->buffer))
        return false;
    e->measured = y.n->kind == Y_SCALAR && strcmp(y.n->text, "measured") == 0;
    if (e->measured || (y.n->kind == Y_SCALAR && strcmp(y.n->text, "recorded") == 0))
        return true; /* an output without a judge here */
    if (!yat_kind(y, Y_MAP, "{reference: name, bound}, `measured` or `recorded`", r->err) ||
        !yat_keys(y, keys, ARRAY_LEN(keys), r->err))
        return false;
    struct yat ref = yat_get(y, "reference"), bit = yat_get(y, "bitwise");
    if (!ref.n)
        return yat_fail(y, r->err, "reference: is missing");
    if (!yat_text(ref, &e->reference, r->err))
        return false;
    if (!reference_find(e->reference))
        return yat_fail(ref, r->err, "no reference is called `%s`", e->reference);
    if (!read_bound(r, y, "max_abs", &e->max_abs) || !read_bound(r, y, "max_rel", &e->max_rel) ||
        !read_bound(r, y, "max_ulp", &ulp))
        return false;
    e->max_ulp = ulp < 0 ? -1 : (int64_t)ulp;
    if (bit.n && !ynode_bool(bit.doc, bit.n, &e->bitwise, r->err))
        return false;
    bool bound = e->max_abs >= 0 || e->max_rel >= 0 || e->max_ulp >= 0;
    if (e->bitwise && bound)
        return yat_fail(y, r->err, "bitwise and a bound are both given");
    e->bitwise = !bound;
    return true;
}

bool read_expects(struct reader *r, struct yat map)
{
    if (!map.n)
        return true;
    if (!yat_kind(map, Y_MAP, "a map of buffers", r->err))
        return false;
    r->s->expects = xcalloc(map.n->n + 1, sizeof *r->s->expects);
    for (size_t i = 0; i < map.n->n; i++)
        if (!read_expect(r, key_at(map, i), item(map, i)))
            return false;
    return true;
}

/* ---- metrics ---- */
static bool metric_how(struct reader *r, struct yat y, struct spec_metric *m)
{
    static const char *const names[] = {"first", "max", "min", "mean", "list"};
    if (!y.n)
        return true;
    if (!yat_kind(y, Y_SCALAR, "first, max, min, mean or list", r->err))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(names[i], y.n->text) == 0) {
            m->how = (int)i;
            return true;
        }
    }
    return yat_fail(y, r->err, "first, max, min, mean or list is expected");
}

static bool read_metric(struct reader *r, struct yat key, struct yat y)
{
    static const char *const keys[] = {"buffer", "index", "count", "how", "divide", "subtract", "unit"};
    struct spec_metric *m = &r->s->metrics[r->s->nmetric++];
    *m = (struct spec_metric){.name = xstrdup(key.n->text), .count = 1, .divide = 1};
    if (!yat_kind(y, Y_MAP, "a metric {buffer, index}", r->err) || !yat_keys(y, keys, ARRAY_LEN(keys), r->err))
        return false;
    struct yat unit = yat_get(y, "unit"), index = yat_get(y, "index"), count = yat_get(y, "count");
    struct yat divide = yat_get(y, "divide"), subtract = yat_get(y, "subtract");
    if (!read_buffer_name(r, yat_get(y, "buffer"), &m->buffer) || !metric_how(r, yat_get(y, "how"), m))
        return false;
    if ((index.n && !expr_u64(r->s, index, &m->index, r->err)) ||
        (count.n && !expr_u64(r->s, count, &m->count, r->err)) ||
        (divide.n && !expr_eval(r->s, divide, &m->divide, r->err)) ||
        (subtract.n && !expr_eval(r->s, subtract, &m->offset, r->err)) || (unit.n && !yat_text(unit, &m->unit, r->err)))
        return false;
    uint64_t have = r->s->buffers[m->buffer].count;
    if (m->count == 0 || m->index >= have || m->count > have - m->index)
        return yat_fail(y, r->err, "the buffer has %llu elements", (unsigned long long)have);
    return m->divide != 0 || yat_fail(divide, r->err, "division by zero");
}

bool read_metrics(struct reader *r, struct yat map)
{
    if (!map.n)
        return true;
    if (!yat_kind(map, Y_MAP, "a map of metrics", r->err))
        return false;
    r->s->metrics = xcalloc(map.n->n + 1, sizeof *r->s->metrics);
    for (size_t i = 0; i < map.n->n; i++)
        if (!read_metric(r, key_at(map, i), item(map, i)))
            return false;
    return true;
}
