/* One instruction of KIR text: its mnemonic picks the rows of the encoding table, and the row whose modifiers and
 * operands all match gives the instruction. */
#include "isa/kir.h"

#include <stdlib.h>
#include <string.h>

/* The explanation that got furthest is kept; at one place, one about a value counts more than one about its kind. */
static bool keep(struct kir_attempt *a, bool about_value, const char *fmt, va_list args)
{
    if (a->pos > a->best || (a->pos == a->best && (!a->why[0] || about_value > a->about_value))) {
        a->best = a->pos;
        a->about_value = about_value;
        vsnprintf(a->why, sizeof a->why, fmt, args);
    }
    return false;
}

bool attempt_fail(struct kir_attempt *a, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    keep(a, false, fmt, args);
    va_end(args);
    return false;
}

bool attempt_fail_value(struct kir_attempt *a, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    keep(a, true, fmt, args);
    va_end(args);
    return false;
}

/* "text" stands at p, and a dot or the end follows. */
static const char *after(const char *p, const char *end, const char *text)
{
    size_t len = strlen(text);
    if ((size_t)(end - p) < len || memcmp(p, text, len) != 0 || (p + len < end && p[len] != '.'))
        return NULL;
    return p + len;
}

/* A modifier's spelling: ".VALUE", but "x16" for the depth of a warpgroup product (64x64x16). */
static const char *after_value(const char *p, const char *end, unsigned mod, const char *value)
{
    if (!*value)
        return p;
    bool glued = mod == MOD_GMMAK;
    if (p == end || *p != (glued ? 'x' : '.'))
        return NULL;
    size_t len = strlen(value);
    bool may_glue = mod == MOD_GMMAN;
    if ((size_t)(end - p) < len + 1 || memcmp(p + 1, value, len) != 0)
        return NULL;
    p += len + 1;
    return p == end || *p == '.' || (may_glue && *p == 'x') ? p : NULL;
}

/* A conversion's usual type, which the listing leaves out, may be written all the same: I2F.F32.S32. */
static const char *usual_type(enum op op, unsigned mod)
{
    bool from_int = op == OP_I2F || op == OP_I2FP, into_int = op == OP_F2I;
    if ((!from_int && !into_int) || (mod != MOD_DTYPE && mod != MOD_CTYPE))
        return NULL;
    return from_int == (mod == MOD_DTYPE) ? "F32" : "S32";
}

/* Reads the modifiers from item i on; tries every reading, since an absent modifier leaves no trace. */
static bool match_mods(struct kir_attempt *a, unsigned i, const char *p, const char *end)
{
    const struct enc_row *r = a->row;
    while (i < r->nitem && r->item[i].kind != IT_MOD && r->item[i].kind != IT_MODSET && r->item[i].kind != IT_TEXT)
        i++;
    if (i == r->nitem)
        return p == end;
    const struct enc_item *it = &r->item[i];
    if (it->kind == IT_TEXT) {
        p = p < end && *p == '.' ? after(p + 1, end, it->text) : NULL;
        return p && match_mods(a, i + 1, p, end);
    }
    if (it->kind == IT_MODSET) {
        a->in.mod[it->mod] = it->sel;
        p = after_value(p, end, it->mod, mod_value_name(it->mod, it->sel));
        return p && match_mods(a, i + 1, p, end);
    }
    for (int empty = 0; empty < 2; empty++) { /* written values first */
        for (unsigned v = 0; v < it->nmap; v++) {
            if (it->map[v] < 0)
                continue;
            const char *name = mod_value_name(it->mod, (unsigned)it->map[v]);
            const char *q = (*name == 0) == empty ? after_value(p, end, it->mod, name) : NULL;
            if (!q)
                continue;
            a->in.mod[it->mod] = (uint8_t)it->map[v];
            if (match_mods(a, i + 1, q, end))
                return true;
        }
    }
    const char *usual = usual_type((enum op)r->op, it->mod);
    bool may_be_left_out = false;
    for (unsigned v = 0; v < it->nmap; v++)
        may_be_left_out = may_be_left_out || it->map[v] == 0;
    p = usual && may_be_left_out ? after_value(p, end, it->mod, usual) : NULL;
    a->in.mod[it->mod] = 0;
    return p && match_mods(a, i + 1, p, end);
}

static bool end_of_instruction(const struct token *t)
{
    return t->kind == TOK_NEWLINE || t->kind == TOK_END || tok_is(t, ";") || (tok_is(t, "{"));
}

/* What an attempt adds to the kernel's tables, so that it can be taken back. */
struct mark {
    uint32_t pos, njump, nname;
    size_t nuse;
    uint8_t reuse;
};

static struct mark mark_of(const struct kir_attempt *a)
{
    return (struct mark){a->pos, a->s->njump, a->s->nname, a->s->nuse, a->in.sched.reuse};
}

static void back_to(struct kir_attempt *a, struct mark m)
{
    struct kir *s = a->s;
    a->pos = m.pos;
    a->in.sched.reuse = m.reuse;
    s->nuse = m.nuse;
    while (s->njump > m.njump)
        free(s->jumps[--s->njump].name);
    while (s->nname > m.nname)
        free(s->names[--s->nname].name);
}

enum { SKIP_NONE = UINT32_MAX };
static bool match_operands(struct kir_attempt *a, unsigned i, bool first, uint32_t skip);

static bool operand_there(struct kir_attempt *a, unsigned i, bool first)
{
    const struct enc_item *it = &a->row->item[i];
    if (!first && !(it->flags & ITF_GLUE)) {
        if (!tok_is(&a->s->tok[a->pos], ","))
            return attempt_fail(a, end_of_instruction(&a->s->tok[a->pos]) ? "an operand is missing"
                                                                          : "a comma is expected");
        a->pos++;
    }
    return kir_operand(a, it) && match_operands(a, i + 1, false, SKIP_NONE);
}

static bool operand_absent(struct kir_attempt *a, unsigned i, bool first, uint32_t skip)
{
    a->in.opd[a->row->item[i].slot] = (struct operand){0};
    return match_operands(a, i + 1, first, skip);
}

/* A name met for the first time rather is the operand that must be there than one that may be left out. */
static bool is_new_name(const struct kir_attempt *a, bool first)
{
    const struct token *t = &a->s->tok[a->pos + (first ? 0 : 1)];
    if (t->kind != TOK_WORD || *t->text != '%')
        return false;
    const char *dot = memchr(t->text, '.', t->len);
    size_t len = dot ? (size_t)(dot - t->text) : t->len;
    for (uint32_t i = 0; i < a->s->nname; i++)
        if (strlen(a->s->names[i].name) == len && memcmp(a->s->names[i].name, t->text, len) == 0)
            return false;
    return true;
}

/* Reads the operands from item i on. At token `skip` an operand that may be absent is absent. */
static bool match_operands(struct kir_attempt *a, unsigned i, bool first, uint32_t skip)
{
    const struct enc_row *r = a->row;
    while (i < r->nitem && (r->item[i].kind <= IT_SKIP || !item_present(&r->item[i], &a->in)))
        i++;
    if (i == r->nitem)
        return end_of_instruction(&a->s->tok[a->pos]) || attempt_fail(a, "more operands than this form has");
    if (!(r->item[i].flags & ITF_OMIT))
        return operand_there(a, i, first);
    struct mark m = mark_of(a);
    if (a->pos == skip)
        return operand_absent(a, i, first, skip);
    bool absent_first = end_of_instruction(&a->s->tok[a->pos]) || is_new_name(a, first);
    for (int turn = 0; turn < 2; turn++) {
        bool absent = (turn == 0) == absent_first;
        if (absent ? operand_absent(a, i, first, absent_first ? a->pos : SKIP_NONE) : operand_there(a, i, first))
            return true;
        back_to(a, m);
    }
    return false;
}

static bool try_row(struct kir_attempt *a, const struct inst *guard, const char *mods, const char *end, uint32_t pos)
{
    a->in = *guard;
    a->in.op = a->row->op;
    a->in.guard_uniform = a->row->uniform_guard;
    a->pos = pos;
    if (!match_mods(a, 0, mods, end))
        return false;
    struct mark m = mark_of(a);
    a->pos = pos + 1;
    if (match_operands(a, 0, true, SKIP_NONE))
        return true;
    back_to(a, m);
    return false;
}

static bool row_for(const struct enc_row *r, enum arch a)
{
    return a == ARCH_KIR || (r->archs >> arch_bit(a) & 1);
}

static void note_modifiers(struct error *err, const char *const *names, size_t n)
{
    enum { LISTED = 40 };
    error_note(err, n ? "; its modifiers, in order:" : "; it has no modifiers");
    for (size_t i = 0, shown = 0; i < n && shown < LISTED; i++) {
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again = again || strcmp(names[k], names[i]) == 0;
        if (!again && ++shown)
            error_note(err, " .%s", names[i]);
    }
}

/* No row took the modifiers: name the one that no row knows. */
static bool fail_modifier(struct kir *s, const struct token *t, enum op op, const char *mods)
{
    const struct enc_table *e = enc_table();
    const char *names[512];
    size_t n = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        for (unsigned k = 0; e->row[i].op == op && row_for(&e->row[i], s->p->arch) && k < e->row[i].nitem; k++) {
            const struct enc_item *it = &e->row[i].item[k];
            if (it->kind == IT_TEXT && n < ARRAY_LEN(names))
                names[n++] = it->text;
            for (unsigned v = 0; (it->kind == IT_MOD || it->kind == IT_MODSET) && v < mod_value_count(it->mod); v++)
                if (n < ARRAY_LEN(names) && *mod_value_name(it->mod, v))
                    names[n++] = mod_value_name(it->mod, v);
        }
    }
    const char *end = t->text + t->len;
    for (const char *p = mods; p < end;) {
        const char *stop = memchr(p + 1, '.', (size_t)(end - p - 1));
        stop = stop ? stop : end;
        bool known = false;
        for (size_t i = 0; i < n; i++) /* a value may hold dots */
            known = known || strncmp(names[i], p + 1, (size_t)(stop - p - 1)) == 0 || strstr(names[i], ".");
        if (!known || stop == end) {
            char *word = xstrndup(p + 1, (size_t)(stop - p - 1));
            const char *near = nearest_name(word, names, n);
            kir_fail(s, t, known ? "%s does not take these modifiers together, or lacks one" : "%s has no modifier .%s",
                     op_table[op].text, word);
            if (!known && near)
                error_note(s->err, "; did you mean .%s?", near);
            else
                note_modifiers(s->err, names, n);
            free(word);
            return false;
        }
        p = stop;
    }
    return kir_fail(s, t, "%s needs a modifier here; `heddle list ops` shows its forms", op_table[op].text);
}

static bool fail_mnemonic(struct kir *s, const struct token *t)
{
    const char *names[OP_COUNT];
    for (unsigned i = 0; i < OP_COUNT; i++)
        names[i] = op_table[i].text;
    char *word = xstrndup(t->text, t->len), *dot = strchr(word, '.');
    if (dot)
        *dot = 0;
    const char *near = nearest_name(word, names, OP_COUNT);
    kir_fail(s, t, "unknown instruction %s", word);
    if (near)
        error_note(s->err, "; did you mean %s?", near);
    free(word);
    return false;
}

static bool find_form(struct kir *s, const struct inst *guard, struct kir_attempt *a)
{
    const struct token *t = &s->tok[s->pos];
    const struct enc_table *e = enc_table();
    const char *end = t->text + t->len;
    int op_known = -1;
    const char *mods_known = NULL;
    a->s = s;
    a->best = s->pos;
    for (uint32_t i = 0; i < e->n; i++) {
        a->row = &e->row[i];
        if (*op_table[a->row->op].text != *t->text) /* most rows: no need to look further */
            continue;
        const char *mods = after(t->text, end, op_table[a->row->op].text);
        if (!mods || !row_for(a->row, s->p->arch))
            continue;
        if (op_known < 0 || mods > mods_known) {
            op_known = a->row->op;
            mods_known = mods;
        }
        if (try_row(a, guard, mods, end, s->pos)) {
            a->in.form = (uint16_t)i;
            return true;
        }
    }
    if (op_known < 0)
        return fail_mnemonic(s, t);
    if (!a->why[0])
        return fail_modifier(s, t, (enum op)op_known, mods_known);
    return kir_fail(s, &s->tok[a->best], "%s", a->why);
}

static bool read_guard(struct kir *s, struct inst *in)
{
    in->guard = PT;
    s->guard_name = NULL;
    if (!tok_is(&s->tok[s->pos], "@"))
        return true;
    s->pos++;
    if (tok_is(&s->tok[s->pos], "!")) {
        in->guard_not = true;
        s->pos++;
    }
    const struct token *t = &s->tok[s->pos];
    if (t->kind != TOK_WORD)
        return kir_fail(s, t, "a predicate is expected after @");
    const char *digits = t->text + (*t->text == 'U');
    uint32_t len = t->len - (uint32_t)(digits - t->text);
    if (*t->text == '%') {
        s->guard_name = t; /* which file it is in depends on the instruction */
    } else if (len == 2 && digits[0] == 'P' && (digits[1] == 'T' || (digits[1] >= '0' && digits[1] <= '6'))) {
        in->guard = digits[1] == 'T' ? PT : (uint8_t)(digits[1] - '0');
        in->guard_uniform = *t->text == 'U';
    } else {
        return kir_fail(s, t, "a predicate is expected after @: P0 to P6, PT or a name such as %%p");
    }
    s->pos++;
    return true;
}

static bool small(struct kir *s, unsigned most, uint8_t *out)
{
    int64_t v;
    const struct token *t = &s->tok[s->pos];
    if (!kir_number(t, false, &v) || v < 0 || v > (int64_t)most)
        return kir_fail(s, t, "a number from 0 to %u is expected", most);
    s->pos++;
    *out = (uint8_t)v;
    return true;
}

static bool wait_list(struct kir *s, uint8_t *mask)
{
    uint8_t b = 0;
    do {
        if (!small(s, NSB - 1, &b))
            return false;
        *mask |= (uint8_t)(1u << b);
    } while (tok_is(&s->tok[s->pos], "|") && ++s->pos);
    return true;
}

static bool reuse_list(struct kir *s, uint8_t *mask)
{
    do {
        const struct token *t = &s->tok[s->pos];
        if (t->kind != TOK_WORD || t->len != 1 || *t->text < 'A' || *t->text > 'D')
            return kir_fail(s, t, "a source slot A, B, C or D is expected");
        *mask |= (uint8_t)(1u << (*t->text - 'A'));
        s->pos++;
    } while (tok_is(&s->tok[s->pos], "|") && ++s->pos);
    return true;
}

static bool sched_field(struct kir *s, struct sched *f)
{
    static const char *const fields[] = {"stall", "yield", "wr", "rd", "wait", "reuse"};
    const struct token *t = &s->tok[s->pos++];
    if (tok_is(t, "yield"))
        return f->yield = true;
    if (tok_is(t, "stall"))
        return small(s, 15, &f->stall);
    if (tok_is(t, "wr"))
        return small(s, NSB - 1, &f->wr_sb);
    if (tok_is(t, "rd"))
        return small(s, NSB - 1, &f->rd_sb);
    if (tok_is(t, "wait"))
        return wait_list(s, &f->wait);
    if (tok_is(t, "reuse"))
        return reuse_list(s, &f->reuse);
    char *word = xstrndup(t->text, t->len);
    const char *near = nearest_name(word, fields, ARRAY_LEN(fields));
    free(word);
    kir_fail(s, t, "a scheduling field is expected: stall, yield, wr, rd, wait, reuse");
    if (near)
        error_note(s->err, "; did you mean %s?", near);
    return false;
}

/* {stall 4, yield, wr 0, rd 1, wait 0|2, reuse A|C}: the control bits of machine code. */
static bool read_sched(struct kir *s, struct sched *f)
{
    if (!tok_is(&s->tok[s->pos], "{"))
        return true;
    uint8_t reuse = f->reuse;
    *f = (struct sched){.present = true, .wr_sb = SB_NONE, .rd_sb = SB_NONE, .reuse = reuse};
    s->pos++;
    while (!tok_is(&s->tok[s->pos], "}")) {
        if (!sched_field(s, f))
            return false;
        if (tok_is(&s->tok[s->pos], ","))
            s->pos++;
        else if (!tok_is(&s->tok[s->pos], "}"))
            return kir_fail(s, &s->tok[s->pos], "a comma or } is expected");
    }
    s->pos++;
    return true;
}

bool kir_instruction(struct kir *s)
{
    struct inst guard = {0};
    struct kir_attempt a = {0};
    const struct token *start = &s->tok[s->pos];
    if (!s->k)
        return kir_fail(s, start, "an instruction before the first .kernel");
    if (!read_guard(s, &guard))
        return false;
    const struct token *t = &s->tok[s->pos];
    if (t->kind != TOK_WORD)
        return kir_fail(s, t, "an instruction is expected");
    if (!find_form(s, &guard, &a))
        return false;
    must(a.row);
    s->pos = a.pos;
    if (tok_is(&s->tok[s->pos], ";"))
        s->pos++;
    if (!read_sched(s, &a.in.sched))
        return false;
    a.why[0] = 0;
    if (s->guard_name && !kir_name_use(&a, a.row->uniform_guard ? NAME_UP : NAME_P, s->guard_name->text,
                                       s->guard_name->len, GUARD_SLOT, USE_REG, 0))
        return kir_fail(s, s->guard_name, "%s", a.why);
    if (guard.guard_uniform != a.row->uniform_guard && guard.guard != PT)
        return kir_fail(s, start,
                        a.row->uniform_guard ? "%s is guarded by a uniform predicate (UP0..)"
                                             : "%s is guarded by a predicate (P0..)",
                        op_table[a.in.op].text);
    if (!a.in.sched.present)
        a.in.sched.reuse = 0;
    a.in.line = s->own_lines ? start->at.line : s->line;
    a.in.file = (uint16_t)(s->own_lines ? 0 : s->file);
    s->k->code = grow(s->k->code, s->k->n, &s->ccode, sizeof *s->k->code);
    s->where = grow(s->where, s->k->n, &s->cwhere, sizeof *s->where);
    s->where[s->k->n] = t->at;
    s->k->code[s->k->n++] = a.in;
    return true;
}
