/* Directives of KIR text: parameters, shared memory, constant banks, globals, names, source lines. */
#include "isa/kir.h"

#include <stdlib.h>
#include <string.h>

/* ---- data of a constant bank or a global ---------------------------------------------------- */
bool kir_end_data(struct kir *s, const struct token *t)
{
    if (s->data_to && s->data.len) {
        if (s->data.len > s->data_room)
            return kir_fail(s, t, "%zu bytes of data for %llu bytes", s->data.len, (unsigned long long)s->data_room);
        if (!*s->data_to)
            *s->data_to = xcalloc(s->data_room ? s->data_room : 1, 1);
        memcpy(*s->data_to, s->data.text, s->data.len);
    }
    sb_finish(&s->data);
    s->data_to = NULL;
    return true;
}

static bool read_data(struct kir *s, const struct token *t)
{
    unsigned bytes = tok_is(t, ".word") ? 4 : 1;
    if (!s->data_to)
        return kir_fail(s, t, "data belongs after .bank or .global");
    if (tok_is(t, ".zero")) {
        enum { MAX_DATA = 1 << 28 };
        uint64_t n = 0;
        if (!kir_u64(s, s->data_room, &n))
            return false;
        static const char zeros[4096];
        if (n > MAX_DATA || s->data.len + n > s->data_room)
            return kir_fail(s, t, "more data than the %llu bytes declared", (unsigned long long)s->data_room);
        for (; n; n -= n < sizeof zeros ? n : sizeof zeros)
            sb_addn(&s->data, zeros, n < sizeof zeros ? n : sizeof zeros);
        return true;
    }
    do {
        uint64_t v = 0;
        if (!kir_u64(s, bytes == 4 ? UINT32_MAX : 255, &v))
            return false;
        if (s->data.len + bytes > s->data_room)
            return kir_fail(s, t, "more data than the %llu bytes declared", (unsigned long long)s->data_room);
        char le[4] = {(char)v, (char)(v >> 8), (char)(v >> 16), (char)(v >> 24)};
        sb_addn(&s->data, le, bytes);
    } while (kir_eat(s, ","));
    return true;
}

static bool read_bank(struct kir *s)
{
    uint32_t bank, bytes;
    const struct token *t = kir_peek(s);
    if (!kir_u32(s, 7, &bank) || !kir_u32(s, 65536, &bytes))
        return false;
    if (bank == 0 || bytes == 0)
        return kir_fail(s, t, "constant banks 1 to 7 can hold data; bank 0 holds the parameters");
    if (s->k->bank[bank])
        return kir_fail(s, t, "constant bank %u is given twice", bank);
    s->k->bank[bank] = xcalloc(bytes, 1);
    s->k->bank_bytes[bank] = bytes;
    s->data_to = &s->k->bank[bank];
    s->data_room = bytes;
    return true;
}

static bool read_global(struct kir *s)
{
    struct global g = {.align = 4};
    if (!kir_word(s, &g.name))
        return false;
    uint32_t align = 16;
    if (!kir_u64(s, 1 << 30, &g.bytes) || (!kir_at_line_end(s) && !kir_u32(s, 4096, &align))) {
        free(g.name);
        return false;
    }
    g.align = align;
    struct program *p = s->p;
    p->globals = xrealloc(p->globals, p->nglobal + 1, sizeof *p->globals);
    p->globals[p->nglobal++] = g;
    if (align == 0 || (align & (align - 1)))
        return kir_fail(s, &s->tok[s->pos - 1], "an alignment is a power of two");
    s->data_to = &p->globals[p->nglobal - 1].init;
    s->data_room = g.bytes;
    return true;
}

static bool read_kind(struct kir *s, unsigned first, unsigned n, uint8_t *kind)
{
    static const char *const kinds[] = {"addr32", "addr64", "lo32", "hi32"};
    for (unsigned i = 0; i < ARRAY_LEN(kinds); i++)
        if (tok_is(kir_peek(s), kinds[i])) {
            *kind = (uint8_t)i;
            return (i - first < n || kir_fail(s, kir_peek(s), "%s does not go with this place", kinds[i])) && ++s->pos;
        }
    return kir_fail(s, kir_peek(s), "addr32, addr64, lo32 or hi32 is expected");
}

static bool read_addend(struct kir *s, int64_t *addend)
{
    bool minus = kir_eat(s, "-");
    uint64_t n = 0;
    if (!kir_at_line_end(s) &&
        (!minus && !kir_eat(s, "+") ? !kir_fail(s, kir_peek(s), "+ or - is expected") : !kir_u64(s, UINT64_MAX, &n)))
        return false;
    *addend = minus ? (int64_t)(0 - n) : (int64_t)n;
    return true;
}

static bool read_reloc(struct kir *s)
{
    struct reloc r = {0};
    uint32_t where = RELOC_IN_CODE;
    if (!kir_eat(s, "code") && !kir_u32(s, 7, &where))
        return false;
    bool code = where == RELOC_IN_CODE;
    if (!kir_u32(s, UINT32_MAX, &r.offset) || !read_kind(s, code ? RELOC_CODE_LO32 : RELOC_ADDR32, 2, &r.kind))
        return false;
    if (!code && (s->k->bank_bytes[where] < 8 || r.offset > s->k->bank_bytes[where] - (r.kind == RELOC_ADDR64 ? 8 : 4)))
        return kir_fail(s, kir_peek(s), "the place lies beyond the constant bank");
    if (!kir_word(s, &r.symbol))
        return false;
    r.where = (uint8_t)where;
    s->k->relocs = xrealloc(s->k->relocs, s->k->nreloc + 1, sizeof *s->k->relocs);
    s->k->relocs[s->k->nreloc++] = r;
    return read_addend(s, &s->k->relocs[s->k->nreloc - 1].addend);
}

/* .pointer OFFSET addr64 NAME [+ N], after .global: a place in it that holds the address of a variable */
static bool read_pointer(struct kir *s, const struct token *t)
{
    struct reloc r = {0};
    struct global *g = s->p->nglobal && !s->k ? &s->p->globals[s->p->nglobal - 1] : NULL;
    if (!g)
        return kir_fail(s, t, ".pointer belongs after .global");
    if (!kir_u32(s, UINT32_MAX, &r.offset) || !read_kind(s, RELOC_ADDR32, 2, &r.kind))
        return false;
    if (g->bytes < 8 || r.offset > g->bytes - (r.kind == RELOC_ADDR64 ? 8 : 4))
        return kir_fail(s, kir_peek(s), "the place lies beyond the variable");
    if (!kir_word(s, &r.symbol))
        return false;
    g->relocs = xrealloc(g->relocs, g->nreloc + 1, sizeof *g->relocs);
    g->relocs[g->nreloc++] = r;
    return read_addend(s, &g->relocs[g->nreloc - 1].addend);
}

/* ---- kernel directives ------------------------------------------------------------------------ */
static const struct {
    const char *name;
    uint32_t bytes;
} param_types[] = {
    {"ptr", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8}, {"u32", 4}, {"s32", 4}, {"f32", 4},
    {"b32", 4}, {"b64", 8}, {"u16", 2}, {"s16", 2}, {"f16", 2}, {"u8", 1},  {"s8", 1},
};

/* .param NAME TYPE|BYTES [@OFFSET]: at its natural alignment unless the offset is given. */
static bool read_param(struct kir *s)
{
    enum { MAX_PARAM = 32764 };
    struct kernel *k = s->k;
    struct param p = {0};
    const struct token *t = kir_peek(s);
    if (!kir_word(s, &p.name))
        return false;
    k->params = xrealloc(k->params, k->nparam + 1, sizeof *k->params);
    k->params[k->nparam++] = p;
    struct param *q = &k->params[k->nparam - 1];
    must(q->name);
    for (uint32_t i = 0; i + 1 < k->nparam; i++)
        if (k->params[i].name && strcmp(k->params[i].name, q->name) == 0)
            return kir_fail(s, t, "the kernel has a parameter %s already", q->name);
    for (size_t i = 0; i < ARRAY_LEN(param_types); i++)
        if (!q->bytes && kir_eat(s, param_types[i].name))
            q->bytes = param_types[i].bytes;
    if (!q->bytes && !kir_u32(s, MAX_PARAM, &q->bytes))
        return false;
    uint32_t end = 0;
    for (uint32_t i = 0; i + 1 < k->nparam; i++)
        end = k->params[i].offset + k->params[i].bytes > end ? k->params[i].offset + k->params[i].bytes : end;
    uint32_t align = q->bytes % 8 == 0 ? 8 : q->bytes % 4 == 0 ? 4 : q->bytes % 2 == 0 ? 2 : 1;
    q->offset = (end + align - 1) / align * align;
    if (kir_eat(s, "@") && !kir_u32(s, MAX_PARAM, &q->offset))
        return false;
    if (q->bytes == 0 || q->offset + q->bytes > MAX_PARAM)
        return kir_fail(s, t, "parameter %s does not fit the %d bytes of parameters", q->name, MAX_PARAM);
    if (!s->params_given && q->offset + q->bytes > k->param_bytes)
        k->param_bytes = q->offset + q->bytes;
    return true;
}

static bool add_value(struct kir *s, const struct token *t, char *word, int64_t v)
{
    int64_t old;
    bool twice = kir_find_value(s, t, &old);
    s->values = xrealloc(s->values, s->nvalue + 1, sizeof *s->values);
    s->values[s->nvalue++] = (struct kir_value){word, v};
    return !twice || kir_fail(s, t, "%s is given twice", word);
}

/* .shared BYTES, or .shared NAME BYTES [ALIGN]: an array whose name stands for its address. */
static bool read_shared(struct kir *s)
{
    enum { MOST = 1 << 20 };
    struct kernel *k = s->k;
    const struct token *t = kir_peek(s);
    uint32_t bytes, align = 16;
    int64_t v = 0;
    if (kir_number(t, false, &v))
        return kir_u32(s, MOST, &k->shared_bytes);
    char *word = NULL;
    if (!kir_word(s, &word))
        return false;
    uint32_t base = arch_info(s->p->arch)->shared_base;
    if (!kir_u32(s, MOST, &bytes) || (!kir_at_line_end(s) && !kir_u32(s, 1024, &align)) || align == 0) {
        free(word);
        return s->err->status ? false : kir_fail(s, t, "an alignment of 0");
    }
    uint32_t at = (k->shared_bytes + align - 1) / align * align;
    if (at + bytes > MOST) {
        free(word);
        return kir_fail(s, t, "more than %d bytes of shared memory", MOST);
    }
    k->shared_bytes = at + bytes;
    return add_value(s, t, word, base + at);
}

static bool read_equ(struct kir *s)
{
    const struct token *t = kir_peek(s);
    char *word = NULL;
    if (!kir_word(s, &word))
        return false;
    bool minus = kir_eat(s, "-");
    uint64_t v = 0;
    bool ok = kir_u64(s, UINT32_MAX, &v);
    return add_value(s, t, word, minus ? -(int64_t)v : (int64_t)v) && ok;
}

/* .reg %x = R4: a name for a register of one's choice. */
static bool read_reg(struct kir *s)
{
    static const struct {
        const char *prefix;
        enum name_class file;
        unsigned last;
    } files[] = {{"UR", NAME_UR, 62}, {"UP", NAME_UP, 6}, {"R", NAME_R, 254}, {"P", NAME_P, 6}, {"B", NAME_B, 15}};
    const struct token *t = kir_peek(s);
    if (t->kind != TOK_WORD || *t->text != '%' || memchr(t->text, '.', t->len))
        return kir_fail(s, t, "a name such as %%x is expected");
    s->pos++;
    if (!kir_eat(s, "="))
        return kir_fail(s, kir_peek(s), "= and a register are expected: .reg %.*s = R4", (int)t->len, t->text);
    const struct token *r = kir_peek(s);
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        size_t n = strlen(files[i].prefix);
        char *digits = r->kind == TOK_WORD && r->len > n && memcmp(r->text, files[i].prefix, n) == 0
                           ? xstrndup(r->text + n, r->len - n)
                           : NULL;
        uint64_t v = 0;
        bool ok = digits && *digits >= '0' && *digits <= '9' && parse_u64(digits, &v) && v <= files[i].last;
        free(digits);
        if (!ok)
            continue;
        for (uint32_t k = 0; k < s->nname; k++)
            if (strlen(s->names[k].name) == t->len && memcmp(s->names[k].name, t->text, t->len) == 0)
                return kir_fail(s, t, "%s is in use already", s->names[k].name);
        s->names = xrealloc(s->names, s->nname + 1, sizeof *s->names);
        s->names[s->nname++] =
            (struct kir_name){.name = xstrndup(t->text, t->len), .file = files[i].file, .fixed = (int)v};
        s->pos++;
        return true;
    }
    return kir_fail(s, r, "a register is expected: R0 to R254, UR0 to UR62, P0 to P6, UP0 to UP6, B0 to B15");
}

static bool three(struct kir *s, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (i && kir_at_line_end(s))
            break;
        if (i)
            kir_eat(s, ",");
        const struct token *t = kir_peek(s);
        if (!kir_u32(s, 1 << 20, &out[i]))
            return false;
        if (!out[i])
            return kir_fail(s, t, "each dimension is at least 1");
    }
    return true;
}

static bool read_loc(struct kir *s)
{
    const struct token *t = kir_peek(s);
    s->own_lines = false;
    if (!kir_u32(s, UINT32_MAX, &s->file) || !kir_u32(s, 0xffffff, &s->line))
        return false;
    return s->file < s->p->nfile || s->p->nfile == 0 || kir_fail(s, t, "there is no .file %u", s->file);
}

static bool read_file(struct kir *s)
{
    enum { MOST = 4096 };
    struct program *p = s->p;
    uint32_t n;
    char *path = NULL;
    const struct token *t = kir_peek(s);
    if (!kir_u32(s, MOST, &n) || !kir_word(s, &path))
        return false;
    p->files = xrealloc(p->files, p->nfile + 1, sizeof *p->files);
    p->files[p->nfile++] = path;
    return n == p->nfile - 1 || kir_fail(s, t, "files are numbered from 0 on, in order: %u is next", p->nfile - 1);
}

static bool read_arch(struct kir *s)
{
    const struct token *t = kir_peek(s);
    bool a = t->kind == TOK_WORD && t->len == 6 && t->text[5] == 'a';
    uint64_t sm = 0;
    if (s->p->nkernel)
        return kir_fail(s, t, ".arch stands before the first kernel");
    s->pos++;
    s->p->arch_specific = a;
    if (tok_is(t, "kir")) {
        s->p->arch = ARCH_KIR;
        return true;
    }
    char *word = t->kind == TOK_WORD && t->len > 3 && memcmp(t->text, "sm_", 3) == 0
                     ? xstrndup(t->text + 3, t->len - 3 - a)
                     : NULL;
    bool ok = word && parse_u64(word, &sm) && sm != ARCH_KIR && sm < 1000 && arch_info((enum arch)sm);
    free(word);
    if (!ok)
        return kir_fail(s, t, "an architecture is expected: kir, sm_75, sm_80, sm_86, sm_89, sm_90 or sm_90a");
    s->p->arch = (enum arch)sm;
    return true;
}

/* ---- which ------------------------------------------------------------------------------------- */
bool kir_directive(struct kir *s)
{
    static const char *const all[] = {".kernel",  ".arch",    ".file",   ".global", ".param",    ".param_bytes",
                                      ".regs",    ".reg",     ".shared", ".local",  ".barriers", ".reqntid",
                                      ".maxntid", ".cluster", ".bank",   ".word",   ".byte",     ".zero",
                                      ".reloc",   ".equ",     ".loc",    ".pointer"};
    const struct token *t = &s->tok[s->pos++];
    if (tok_is(t, ".word") || tok_is(t, ".byte") || tok_is(t, ".zero"))
        return read_data(s, t);
    if (!kir_end_data(s, t))
        return false;
    if (tok_is(t, ".kernel"))
        return kir_begin_kernel(s);
    if (tok_is(t, ".arch"))
        return read_arch(s);
    if (tok_is(t, ".file"))
        return read_file(s);
    if (tok_is(t, ".global"))
        return read_global(s);
    if (tok_is(t, ".pointer"))
        return read_pointer(s, t);
    char *word = xstrndup(t->text, t->len);
    const char *near = nearest_name(word, all, ARRAY_LEN(all));
    bool known = false;
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        known = known || strcmp(word, all[i]) == 0;
    free(word);
    if (!known) {
        kir_fail(s, t, "unknown directive %.*s", (int)t->len, t->text);
        if (near)
            error_note(s->err, "; did you mean %s?", near);
        return false;
    }
    if (!kir_in_kernel(s, t))
        return false;
    struct kernel *k = s->k;
    if (tok_is(t, ".param"))
        return read_param(s);
    if (tok_is(t, ".param_bytes"))
        return (s->params_given = true) && kir_u32(s, 32764, &k->param_bytes);
    if (tok_is(t, ".regs"))
        return (s->regs_given = true) && kir_u32(s, RZ, &k->nreg);
    if (tok_is(t, ".reg"))
        return read_reg(s);
    if (tok_is(t, ".shared"))
        return read_shared(s);
    if (tok_is(t, ".local"))
        return kir_u32(s, 512 * 1024, &k->local_bytes);
    if (tok_is(t, ".barriers"))
        return (s->barriers_given = true) && kir_u32(s, 16, &k->nbarrier);
    if (tok_is(t, ".reqntid"))
        return three(s, k->reqntid);
    if (tok_is(t, ".maxntid"))
        return three(s, k->maxntid);
    if (tok_is(t, ".cluster"))
        return three(s, k->cluster);
    if (tok_is(t, ".bank"))
        return read_bank(s);
    if (tok_is(t, ".reloc"))
        return read_reloc(s);
    return tok_is(t, ".equ") ? read_equ(s) : read_loc(s);
}
