/* Small arithmetic in launch specs: counts, grids and arguments that follow the size parameters. Everything is
 * computed in double, so a division that leaves a fraction is seen where a whole number is asked for. */
#include "workloads/spec.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NDEPTH = 64 };
struct expr {
    const struct spec *s;
    struct yat y;
    const char *p;
    int depth;
    struct error *err;
};

static bool sum(struct expr *e, double *v);

static bool fail(struct expr *e, const char *why)
{
    return yat_fail(e->y, e->err, "%s in `%s`", why, e->y.n->text);
}

static bool eat(struct expr *e, char c)
{
    while (isspace((unsigned char)*e->p))
        e->p++;
    if (*e->p != c)
        return false;
    e->p++;
    return true;
}

static bool call(struct expr *e, const char *name, size_t len, double *v)
{
    static const char *const names[] = {"ceil", "floor", "min", "max", "log2"};
    double a[2] = {0, 0};
    size_t f = 0;
    while (f < ARRAY_LEN(names) && (strlen(names[f]) != len || strncmp(names[f], name, len) != 0))
        f++;
    if (f == ARRAY_LEN(names))
        return fail(e, "unknown function (there are ceil, floor, min, max, log2)");
    size_t want = f == 2 || f == 3 ? 2 : 1;
    for (size_t i = 0; i < want; i++) {
        if (i && !eat(e, ','))
            return fail(e, "two arguments expected");
        if (!sum(e, &a[i]))
            return false;
    }
    if (!eat(e, ')'))
        return fail(e, "missing `)`");
    *v = f == 0   ? ceil(a[0])
         : f == 1 ? floor(a[0])
         : f == 2 ? fmin(a[0], a[1])
         : f == 3 ? fmax(a[0], a[1])
                  : log2(a[0]);
    return true;
}

static bool name_value(struct expr *e, double *v)
{
    const char *start = e->p;
    while (isalnum((unsigned char)*e->p) || *e->p == '_')
        e->p++;
    size_t len = (size_t)(e->p - start);
    if (eat(e, '('))
        return call(e, start, len, v);
    for (uint32_t i = 0; i < e->s->nparam; i++) {
        if (strlen(e->s->params[i].name) == len && strncmp(e->s->params[i].name, start, len) == 0) {
            *v = e->s->params[i].value;
            return true;
        }
    }
    return yat_fail(e->y, e->err, "`%.*s` is not among the spec's params", (int)len, start);
}

static bool atom(struct expr *e, double *v)
{
    *v = 0;
    if (eat(e, '('))
        return sum(e, v) && (eat(e, ')') || fail(e, "missing `)`"));
    if (eat(e, '-')) {
        if (++e->depth > NDEPTH)
            return fail(e, "too deeply nested");
        bool ok = atom(e, v);
        *v = -*v;
        return ok;
    }
    if (isalpha((unsigned char)*e->p) || *e->p == '_')
        return name_value(e, v);
    char *end = NULL;
    *v = *e->p == '+' ? 0 : strtod(e->p, &end);
    if (!end || end == e->p)
        return fail(e, *e->p ? "number expected" : "something is missing at the end");
    e->p = end;
    return true;
}

static bool power(struct expr *e, double *v)
{
    double x = 0;
    if (!atom(e, v))
        return false;
    if (!eat(e, '^'))
        return true;
    if (++e->depth > NDEPTH)
        return fail(e, "too deeply nested");
    bool ok = power(e, &x);
    e->depth--;
    *v = pow(*v, x);
    return ok;
}

static bool product(struct expr *e, double *v)
{
    double x = 0;
    if (!power(e, v))
        return false;
    for (;;) {
        char op = eat(e, '*') ? '*' : eat(e, '/') ? '/' : eat(e, '%') ? '%' : 0;
        if (!op)
            return true;
        if (!power(e, &x))
            return false;
        if (op != '*' && x == 0)
            return fail(e, "division by zero");
        *v = op == '*' ? *v * x : op == '/' ? *v / x : fmod(*v, x);
    }
}

static bool sum(struct expr *e, double *v)
{
    double x = 0;
    if (++e->depth > NDEPTH)
        return fail(e, "too deeply nested");
    if (!product(e, v))
        return false;
    for (;;) {
        char op = eat(e, '+') ? '+' : eat(e, '-') ? '-' : 0;
        if (!op)
            break;
        if (!product(e, &x))
            return false;
        *v = op == '+' ? *v + x : *v - x;
    }
    e->depth--;
    return true;
}

bool expr_eval(const struct spec *s, struct yat y, double *out, struct error *err)
{
    *out = 0;
    if (!y.n || y.n->kind != Y_SCALAR)
        return yat_fail(y, err, "a number or an expression is expected");
    struct expr e = {.s = s, .y = y, .p = y.n->text, .err = err};
    uint64_t whole;
    if (parse_u64(y.n->text, &whole)) { /* also 2^20, 64K */
        *out = (double)whole;
        return true;
    }
    if (!sum(&e, out))
        return false;
    eat(&e, ' ');
    return *e.p == 0 || fail(&e, "something is left over");
}

bool expr_u64(const struct spec *s, struct yat y, uint64_t *out, struct error *err)
{
    double v = 0;
    if (!expr_eval(s, y, &v, err))
        return false;
    if (!(v >= 0) || v != floor(v) || v > 0x1p53)
        return yat_fail(y, err, "`%s` is %.17g: a whole number that is not negative is expected", y.n->text, v);
    *out = (uint64_t)v;
    return true;
}

bool expr_u32(const struct spec *s, struct yat y, uint32_t *out, struct error *err)
{
    uint64_t v = 0;
    if (!expr_u64(s, y, &v, err))
        return false;
    if (v > UINT32_MAX)
        return yat_fail(y, err, "`%s` is %llu: too large", y.n->text, (unsigned long long)v);
    *out = (uint32_t)v;
    return true;
}
