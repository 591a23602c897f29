/* KIR text -> program: lines, labels, beginning and end of a kernel. */
#include "isa/kir.h"
#include "isa/verify.h"

#include <stdlib.h>
#include <string.h>

bool kir_fail(struct kir *s, const struct token *at, const char *fmt, ...)
{
    char what[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return error_at(s->err, s->src, at->at, "%s", what);
}

struct token *kir_peek(struct kir *s)
{
    return &s->tok[s->pos];
}
bool kir_eat(struct kir *s, const char *text)
{
    if (!tok_is(kir_peek(s), text))
        return false;
    s->pos++;
    return true;
}
bool kir_at_line_end(struct kir *s)
{
    return kir_peek(s)->kind == TOK_NEWLINE || kir_peek(s)->kind == TOK_END;
}

bool kir_u64(struct kir *s, uint64_t most, uint64_t *out)
{
    int64_t v = 0;
    const struct token *t = kir_peek(s);
    if (!kir_find_value(s, t, &v) && !kir_number(t, false, &v))
        return kir_fail(s, t, "a number is expected");
    if ((uint64_t)v > most)
        return kir_fail(s, t, "%llu is too large: at most %llu", (unsigned long long)v, (unsigned long long)most);
    *out = (uint64_t)v;
    s->pos++;
    return true;
}
bool kir_u32(struct kir *s, uint64_t most, uint32_t *out)
{
    uint64_t v = 0;
    bool ok = kir_u64(s, most, &v);
    *out = ok ? (uint32_t)v : 0;
    return ok;
}

bool kir_word(struct kir *s, char **out)
{
    const struct token *t = kir_peek(s);
    if ((t->kind != TOK_WORD && t->kind != TOK_STRING) || t->len == 0)
        return kir_fail(s, t, "a name is expected");
    *out = xstrndup(t->text, t->len);
    s->pos++;
    return true;
}

bool kir_in_kernel(struct kir *s, const struct token *t)
{
    return s->k || kir_fail(s, t, "%.*s belongs inside a kernel; begin one with .kernel NAME", (int)t->len, t->text);
}

/* ---- begin and end of a kernel ------------------------------------------------------------------ */
static void forget(struct kir *s)
{
    for (uint32_t i = 0; i < s->nname; i++)
        free(s->names[i].name);
    for (uint32_t i = 0; i < s->nlabel; i++)
        free(s->labels[i].name);
    for (uint32_t i = 0; i < s->njump; i++)
        free(s->jumps[i].name);
    for (uint32_t i = 0; i < s->nvalue; i++)
        free(s->values[i].name);
    s->nname = s->nlabel = s->njump = s->nvalue = 0;
    s->nuse = 0;
}

static bool resolve_jumps(struct kir *s)
{
    struct kernel *k = s->k;
    for (uint32_t i = 0; i < s->njump; i++) {
        const struct kir_jump *j = &s->jumps[i];
        const char **names = xcalloc(s->nlabel + 1, sizeof *names);
        uint32_t l = 0;
        for (uint32_t n = 0; n < s->nlabel; n++)
            names[n] = s->labels[n].name;
        while (l < s->nlabel && strcmp(names[l], j->name) != 0)
            l++;
        const char *near = l == s->nlabel ? nearest_name(j->name, names, s->nlabel) : NULL;
        free(names);
        if (l == s->nlabel) {
            error_at(s->err, s->src, j->at, "there is no label %s in kernel %s", j->name, k->name);
            if (near)
                error_note(s->err, "; did you mean %s?", near);
            return false;
        }
        struct operand *o = &k->code[j->inst].opd[j->slot];
        int64_t to = (int64_t)s->labels[l].index * INST_BYTES;
        o->imm = o->kind == OPD_IMM ? to - ((int64_t)j->inst + 1) * INST_BYTES : to;
    }
    return true;
}

static void default_counts(struct kir *s)
{
    struct kernel *k = s->k;
    uint32_t nreg = 1, nbar = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        const struct inst *in = &k->code[i];
        for (unsigned r = 0; r < in->nread + in->nwrite; r++) {
            const struct regref *f = r < in->nread ? &in->reads[r] : &in->writes[r - in->nread];
            if (f->file == RF_R && (uint32_t)f->first + f->count > nreg)
                nreg = (uint32_t)f->first + f->count;
        }
        if (in->op == OP_BAR) {
            uint32_t b = in->opd[0].kind == OPD_IMM && in->opd[0].imm < 16 ? (uint32_t)in->opd[0].imm + 1 : 16;
            nbar = b > nbar ? b : nbar;
        }
    }
    k->nreg = s->regs_given ? k->nreg : nreg;
    k->nbarrier = s->barriers_given ? k->nbarrier : nbar;
}

static bool end_kernel(struct kir *s)
{
    struct kernel *k = s->k;
    if (!k)
        return true;
    if (!resolve_jumps(s) || !kir_names_resolve(s))
        return false;
    struct program one = {.path = s->p->path, .arch = s->p->arch, .kernels = k, .nkernel = 1};
    if (!program_link(&one, s->err))
        return false;
    default_counts(s);
    for (uint32_t i = 0; i < s->nlabel; i++) { /* names that begin with a dot are local to the text */
        if (s->labels[i].name[0] == '.')
            continue;
        k->symbols = xrealloc(k->symbols, k->nsymbol + 1, sizeof *k->symbols);
        k->symbols[k->nsymbol++] = (struct symbol){xstrdup(s->labels[i].name), s->labels[i].index * INST_BYTES};
    }
    struct finding f;
    if (verify_find(&one, &f)) {
        struct srcpos none = {0};
        return error_at(s->err, s->src, f.index < k->n ? s->where[f.index] : none, "kernel %s: %s", k->name, f.text);
    }
    forget(s);
    s->k = NULL;
    return true;
}

bool kir_begin_kernel(struct kir *s)
{
    struct program *p = s->p;
    const struct token *t = kir_peek(s);
    char *word = NULL;
    if (!end_kernel(s) || !kir_word(s, &word) || !word)
        return false;
    p->kernels = xrealloc(p->kernels, p->nkernel + 1, sizeof *p->kernels);
    p->kernels[p->nkernel++] = (struct kernel){.name = word};
    s->k = &p->kernels[p->nkernel - 1];
    s->ccode = 0;
    s->regs_given = s->barriers_given = s->params_given = false;
    s->own_lines = p->nfile == 0;
    s->line = s->file = 0;
    for (uint32_t i = 0; i + 1 < p->nkernel; i++)
        if (strcmp(p->kernels[i].name, word) == 0)
            return kir_fail(s, t, "there are two kernels named %s", word);
    return true;
}

/* ---- lines ---------------------------------------------------------------------------------------- */
static bool label(struct kir *s)
{
    const struct token *t = kir_peek(s);
    if (!kir_in_kernel(s, t))
        return false;
    for (uint32_t i = 0; i < s->nlabel; i++)
        if (strlen(s->labels[i].name) == t->len && memcmp(s->labels[i].name, t->text, t->len) == 0)
            return kir_fail(s, t, "label %s is set twice", s->labels[i].name);
    s->labels = xrealloc(s->labels, s->nlabel + 1, sizeof *s->labels);
    s->labels[s->nlabel++] = (struct kir_label){xstrndup(t->text, t->len), s->k->n, t->at};
    s->pos += 2;
    return true;
}

static bool line(struct kir *s)
{
    while ((kir_peek(s)->kind == TOK_WORD || kir_peek(s)->kind == TOK_STRING) && tok_is(kir_peek(s) + 1, ":"))
        if (!label(s))
            return false;
    if (kir_at_line_end(s))
        return true;
    bool dot = kir_peek(s)->kind == TOK_WORD && *kir_peek(s)->text == '.';
    if (!dot && !kir_end_data(s, kir_peek(s)))
        return false;
    if (!(dot ? kir_directive(s) : kir_instruction(s)))
        return false;
    return kir_at_line_end(s) || kir_fail(s, kir_peek(s), "the line should end here");
}

static bool assemble(struct kir *s)
{
    while (kir_peek(s)->kind != TOK_END) {
        if (!line(s))
            return false;
        if (kir_peek(s)->kind == TOK_NEWLINE)
            s->pos++;
    }
    if (!kir_end_data(s, kir_peek(s)) || !end_kernel(s))
        return false;
    if (s->p->nkernel == 0)
        return kir_fail(s, kir_peek(s), "there is no kernel in it; begin one with .kernel NAME");
    if (s->p->nfile == 0) { /* the text is its own source */
        s->p->files = xcalloc(1, sizeof *s->p->files);
        s->p->files[s->p->nfile++] = xstrdup(s->src->path);
    }
    return true;
}

struct program *kir_assemble(const char *path, const char *text, struct error *err)
{
    struct source src;
    source_from_text(&src, path, text);
    struct kir s = {.src = &src, .err = err, .p = xcalloc(1, sizeof(struct program))};
    s.p->path = xstrdup(path);
    bool ok = kir_lex(&src, &s.tok, &s.ntok, err) && assemble(&s);
    forget(&s);
    free(s.tok);
    free(s.names);
    free(s.uses);
    free(s.labels);
    free(s.jumps);
    free(s.values);
    free(s.where);
    sb_finish(&s.data);
    source_finish(&src);
    if (ok)
        return s.p;
    program_free(s.p);
    return NULL;
}
