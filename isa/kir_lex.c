/* KIR text -> tokens. */
#include "isa/kir.h"

#include <ctype.h>
#include <string.h>

bool tok_is(const struct token *t, const char *text)
{
    return (t->kind == TOK_WORD || t->kind == TOK_PUNCT) && strlen(text) == t->len &&
           memcmp(t->text, text, t->len) == 0;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '%';
}

struct lexer {
    const struct source *src;
    const char *p;
    struct srcpos at;
    struct token *tok;
    size_t n, cap;
    bool joined;
};

static void step(struct lexer *l)
{
    if (*l->p == '\n') {
        l->at.line++;
        l->at.col = 0;
    }
    l->at.col++;
    l->p++;
    l->joined = false;
}

static void push(struct lexer *l, enum tok_kind kind, const char *text, size_t len, struct srcpos at, bool joined)
{
    l->tok = grow(l->tok, l->n, &l->cap, sizeof *l->tok);
    l->tok[l->n++] = (struct token){.kind = kind, .text = text, .len = (uint32_t)len, .joined = joined, .at = at};
}

/* Blanks and comments. False: a comment that never ends. */
static bool skip(struct lexer *l)
{
    for (;;) {
        if (*l->p == '#' || (l->p[0] == '/' && l->p[1] == '/')) {
            while (*l->p && *l->p != '\n')
                step(l);
        } else if (l->p[0] == '/' && l->p[1] == '*') {
            step(l);
            step(l);
            while (*l->p && !(l->p[0] == '*' && l->p[1] == '/'))
                step(l);
            if (!*l->p)
                return false;
            step(l);
            step(l);
        } else if (*l->p && *l->p != '\n' && isspace((unsigned char)*l->p)) {
            step(l);
        } else {
            return true;
        }
    }
}

/* A number's exponent sign belongs to it: 1.5e-07. */
static bool exponent_sign(const char *start, const char *p)
{
    bool number = isdigit((unsigned char)*start) && !(start[0] == '0' && (start[1] | 32) == 'x');
    return number && (*p == '+' || *p == '-') && p > start && (p[-1] | 32) == 'e' && isdigit((unsigned char)p[1]);
}

static void word(struct lexer *l)
{
    const char *start = l->p;
    struct srcpos at = l->at;
    bool joined = l->joined;
    while (in_word(*l->p) || exponent_sign(start, l->p))
        step(l);
    push(l, TOK_WORD, start, (size_t)(l->p - start), at, joined);
}

static bool quoted(struct lexer *l)
{
    struct srcpos at = l->at;
    step(l);
    const char *start = l->p;
    while (*l->p && *l->p != '"' && *l->p != '\n')
        step(l);
    if (*l->p != '"')
        return false;
    push(l, TOK_STRING, start, (size_t)(l->p - start), at, false);
    step(l);
    return true;
}

bool kir_lex(const struct source *src, struct token **out, uint32_t *n, struct error *err)
{
    struct lexer l = {.src = src, .p = src->text, .at = {1, 1}};
    bool ok = true;
    while (ok) {
        struct srcpos at = l.at;
        if (!skip(&l)) {
            ok = error_at(err, src, at, "a comment that does not end");
            break;
        }
        at = l.at;
        bool joined = l.joined;
        if (!*l.p) {
            push(&l, TOK_NEWLINE, l.p, 0, at, false);
            push(&l, TOK_END, l.p, 0, at, false);
            break;
        }
        if (*l.p == '\n') {
            push(&l, TOK_NEWLINE, l.p, 1, at, false);
            step(&l);
        } else if (in_word(*l.p)) {
            word(&l);
        } else if (*l.p == '"') {
            ok = quoted(&l) || error_at(err, src, at, "a quoted name that does not end");
        } else if (isprint((unsigned char)*l.p)) {
            push(&l, TOK_PUNCT, l.p, 1, at, joined);
            step(&l);
        } else {
            ok = error_at(err, src, at, "byte 0x%02x is not text", (unsigned char)*l.p);
        }
        l.joined = true;
    }
    *out = l.tok;
    *n = (uint32_t)l.n;
    return ok;
}
