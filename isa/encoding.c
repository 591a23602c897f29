/* Parses encoding.def once into rows of items. The language is described at the top of that file.
 * A row that does not parse is our own fault, so it ends in must(). */
#include "isa/encoding.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

struct row_text {
    uint16_t op;
    const char *code;  /* hexadecimal opcode, with an x for the operand-form digit */
    const char *forms; /* "" for a plain opcode */
    const char *archs; /* "" for all */
    const char *items;
};
static const struct row_text row_texts[] = {
#define ENC(op, code, forms, archs, items) {OP_##op, code, forms, archs, items},
#include "isa/encoding.def"
#undef ENC
};

/* What follows is read as tables, a case a line. */
/* clang-format off */
unsigned arch_bit(enum arch a)
{
    switch (a) {
    case ARCH_SM75: return 0;
    case ARCH_SM80: return 1;
    case ARCH_SM86: return 2;
    case ARCH_SM89: return 3;
    default: return 4;
    }
}

static uint32_t archs_parse(const char *s)
{
    if (!*s)
        return 0x1f;
    uint32_t set = 0;
    while (*s) {
        char *end;
        unsigned long a = strtoul(s, &end, 10);
        must(end != s);
        if (*end == '+') { /* this one and the later ones */
            set |= 0x1fu << arch_bit((enum arch)a) & 0x1fu;
            end++;
        } else {
            set |= 1u << arch_bit((enum arch)a);
        }
        s = end;
        while (*s == ' ')
            s++;
    }
    return set;
}

static unsigned mod_class(const char *name, size_t len)
{
    for (unsigned m = 0; m < MOD_COUNT; m++)
        if (strlen(mod_name(m)) == len && !memcmp(mod_name(m), name, len))
            return m;
    fprintf(stderr, "encoding.def: unknown modifier class %.*s\n", (int)len, name);
    must(!"modifier class of encoding.def");
    return 0;
}

static int mod_value(unsigned m, const char *name, size_t len)
{
    if (len == 1 && *name == '-')
        return -1;
    for (unsigned v = 0; v < mod_value_count(m); v++)
        if (strlen(mod_value_name(m, v)) == len && !memcmp(mod_value_name(m, v), name, len))
            return (int)v;
    fprintf(stderr, "encoding.def: class %s has no value \"%.*s\"\n", mod_name(m), (int)len, name);
    must(!"modifier value of encoding.def");
    return -1;
}

static const char *number(const char *s, uint8_t *out)
{
    char *end;
    unsigned long v = strtoul(s, &end, 10);
    must(end != s && v < 256);
    *out = (uint8_t)v;
    return end;
}

/* "pos" or "pos:len", then optionally "+pos:len" for the upper bits. */
static const char *field(const char *s, struct enc_item *it)
{
    it->len = 1;
    s = number(s, &it->pos);
    if (*s == ':')
        s = number(s + 1, &it->len);
    if (*s == '+') {
        it->len2 = 1;
        s = number(s + 1, &it->pos2);
        if (*s == ':')
            s = number(s + 1, &it->len2);
    }
    return s;
}

static const char *mod_item(const char *s, struct enc_item *it)
{
    size_t n = strcspn(s, "@: ");
    it->mod = (uint8_t)mod_class(s, n);
    if (s[n] == ':') { /* implied value */
        const char *v = s + n + 1;
        size_t len = strcspn(v, " ~");
        it->kind = IT_MODSET;
        it->sel = (uint8_t)mod_value(it->mod, v, len);
        it->flags = v[len] == '~' ? ITF_HIDE : 0;
        return v + len + (v[len] == '~');
    }
    it->kind = IT_MOD;
    must(s[n] == '@');
    s = field(s + n + 1, it);
    if (*s == '~') {
        it->flags |= ITF_HIDE;
        s++;
    }
    unsigned count = 1u << (it->len + it->len2);
    must(count <= ITEM_MAP);
    it->map = xcalloc(count, sizeof *it->map);
    for (unsigned v = 0; v < count; v++)
        it->map[v] = v < mod_value_count(it->mod) ? (int8_t)v : -1;
    it->nmap = (uint8_t)count;
    if (*s != '=')
        return s;
    unsigned v = 0;
    do {
        s++;
        size_t len = strcspn(s, ", ");
        must(v < count);
        it->map[v++] = (int8_t)mod_value(it->mod, s, len);
        s += len;
    } while (*s == ',');
    while (v < count)
        it->map[v++] = -1;
    return s;
}

/* Operand suffixes: see encoding.def. */
static const char *suffixes(const char *s, struct enc_item *it)
{
    for (; *s && *s != ' '; ) {
        char c = *s++;
        switch (c) {
        case 'n': s = number(s, &it->neg); break;
        case 'a': s = number(s, &it->abs); break;
        case '!': s = number(s, &it->not_); break;
        case 'x': s = number(s, &it->neg); it->flags |= ITF_LOGIC_X; break;
        case '~': s = number(s, &it->neg); it->flags |= ITF_LOGIC; break;
        case 's': s = number(s, &it->sel); it->sel_len = 2; it->style = 'h'; break;
        case 'y': s = number(s, &it->sel); it->sel_len = 2; it->style = 'b'; break;
        case 'r': s = number(s, &it->reuse); break;
        case 'd': must(*s++ == '!'); it->flags |= ITF_OMIT_NOT; break;
        case '?': it->flags |= ITF_OMIT; if (*s == '!') { it->flags |= ITF_OMIT_NOT; s++; }
            if (*s == '=') {
                char *end;
                it->dflt = (uint8_t)strtoul(s + 1, &end, 16);
                s = end;
            }
            break;
        case 'v': it->flags |= ITF_INVERTED; break;
        case '$': it->flags |= ITF_SIGNED; break;
        case '<': s = number(s, &it->shift); break;
        case '%':
            it->style = (uint8_t)*s++;
            if (it->style == 'H')
                it->sel_len = 1;
            break;
        case '^': {
            size_t n = strcspn(s, " ");
            it->cond = (uint8_t)(1 + mod_class(s, n));
            s += n;
            break;
        }
        default: fprintf(stderr, "encoding.def: suffix %c\n", c); must(!"operand suffix of encoding.def");
        }
    }
    return s;
}

static void put_fixed(struct enc_row *row, unsigned pos, unsigned len, uint64_t v)
{
    word_put(row->fixed, pos, len, v);
    word_put(row->fixed_mask, pos, len, ~0ull);
}

static uint8_t reuse_of(unsigned pos) { return pos == 24 ? 0 : pos == 32 ? 1 : pos == 64 ? 2 : NO_BIT; }

/* What stands in the B or C slot of a form: 'r' register at pos, 'i', 'c', 'u', 'x' (bindless) at 32. */
static char form_slot(char form, char slot, uint8_t *pos)
{
    *pos = 32;
    switch (form) {
    case '1': *pos = slot == 'B' ? 32 : 64; return 'r';
    case '2': if (slot == 'C') return 'i'; *pos = 64; return 'r';
    case '3': if (slot == 'C') return 'c'; *pos = 64; return 'r';
    case '4': if (slot == 'B') return 'i'; *pos = 64; return 'r';
    case '5': if (slot == 'B') return 'c'; *pos = 64; return 'r';
    case '6': if (slot == 'B') return 'u'; *pos = 64; return 'r';
    case '7': if (slot == 'C') return 'u'; *pos = 64; return 'r';
    case 'x': if (slot == 'B') return 'x'; *pos = 64; return 'r';
    case 'y': if (slot == 'C') return 'x'; *pos = 64; return 'r';
    case 'p': if (slot == 'B') return 'i'; break;
    case 'q': if (slot == 'B') return 'c'; break;
    case 's': if (slot == 'B') return 'u'; break;
    case 'z': if (slot == 'B') return 'x'; break;
    default: break;
    }
    must(!"operand form of encoding.def");
    return 0;
}

/* The opcode digit of a form, and whether it sets bit 91. */
static unsigned form_digit(char form, bool *bit91)
{
    *bit91 = strchr("67xysz", form) != NULL;
    switch (form) {
    case 'p': return 2;
    case 'q': case 'y': case 'z': return 3;
    case 's': return 7;
    case 'x': return 5;
    default: return (unsigned)(form - '0');
    }
}

/* A, B or C operand: style letters, then ":t" with the immediate's type. */
static const char *form_item(const char *s, char form, bool uniform, struct enc_item *it)
{
    char slot = *s++;
    uint8_t pos = 24;
    char what = slot == 'A' ? 'r' : form_slot(form, slot, &pos);
    bool half = false, swizzle = false, crossed = false, neg = false, abs = false;
    uint8_t flags = 0;
    for (; *s && strchr("nax~hHwS", *s); s++) {
        half = half || *s == 'h' || *s == 'H' || *s == 'w';
        crossed = crossed || *s == 'w';
        swizzle = swizzle || *s == 'h';
        neg = neg || (*s != 'a' && *s != 'S');
        abs = abs || *s == 'a' || half;
        flags |= *s == 'x' ? ITF_LOGIC_X : *s == '~' ? ITF_LOGIC : *s == 'S' ? ITF_SINGLE : 0;
    }
    char type = 'u';
    if (*s == ':') {
        type = s[1];
        s += 2;
    }
    it->pos = pos;
    it->len = uniform ? 6 : 8;
    if (what == 'i') {
        it->len = 32;
        it->kind = type == 'f' ? IT_F32 : type == 'h' ? IT_HALF2 : type == 'd' ? IT_F64 : IT_INT;
        if (type == 's')
            it->flags |= ITF_SIGNED;
        s = suffixes(s, it);
        it->sel_len = 0;
        if (type == 'e') {
            it->len = 16;
            it->style = 'e';
        }
        return s;
    }
    if (what == 'r') {
        it->kind = uniform ? IT_UREG : IT_REG;
        it->reuse = uniform ? NO_BIT : (uint8_t)(slot - 'A');
    } else if (what == 'u') {
        it->kind = IT_UREG;
        it->len = 6;
    } else {
        it->kind = what == 'c' ? IT_CONST : IT_BINDLESS;
        it->ur = 32;
        it->pos = 38;
        it->len = 16;
    }
    it->flags |= flags;
    bool c_half = half && pos == 64;
    if (neg)
        it->neg = pos == 24 ? 72 : pos == 32 ? 63 : c_half ? 84 : 75;
    if (abs)
        it->abs = pos == 24 ? 73 : pos == 32 ? 62 : c_half ? 83 : 74;
    if (swizzle) {
        it->sel = pos == 24 ? 74 : pos == 32 ? 60 : 81;
        it->sel_len = 2;
        it->style = 'h';
    } else if (crossed) {
        it->style = 'w'; /* the row has the bit */
        it->sel_len = 0;
    }
    return suffixes(s, it);
}

static const char *mem_item(const char *s, struct enc_item *it)
{
    it->kind = IT_MEM;
    it->pos = 40;
    it->len = 0;
    if (isdigit((unsigned char)*s))
        s = number(s, &it->base);
    while (*s == ',') {
        char c = s[1];
        s += 2;
        switch (c) {
        case 'o': s = field(s, it); break;
        case 'u': s = number(s, &it->ur); break;
        case 'w': s = number(s, &it->wide); break;
        case 'W': case 'Z': case 'S': it->style = (uint8_t)c; break;
        case 'd': s = number(s, &it->desc); break;
        case 'x': s = number(s, &it->sel); it->sel_len = 2; break;
        default: must(!"memory operand of encoding.def");
        }
    }
    it->reuse = it->base == 24 ? 0 : NO_BIT;
    return suffixes(s, it);
}

static const char *plain_operand(const char *s, struct enc_item *it)
{
    char c = *s++;
    static const struct { char letter; uint8_t kind, len; } kinds[] = {
        {'R', IT_REG, 8}, {'U', IT_UREG, 6}, {'P', IT_PRED, 3}, {'Q', IT_UPRED, 3}, {'K', IT_BREG, 4},
        {'D', IT_SB, 3}, {'S', IT_SREG, 8}, {'G', IT_GDESC, 6},
    };
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (kinds[i].letter != c)
            continue;
        it->kind = kinds[i].kind;
        s = number(s, &it->pos);
        it->len = kinds[i].len;
        if (c == 'R')
            it->reuse = reuse_of(it->pos);
        return suffixes(s, it);
    }
    switch (c) {
    case 'I': it->kind = IT_INT; return suffixes(field(s, it), it);
    case 'F': it->kind = IT_F32; it->pos = 32; it->len = 32; return suffixes(s, it);
    case 'L': it->kind = IT_LIST; return suffixes(field(s, it), it);
    case 'Z': it->kind = IT_CONST; it->pos = 38; it->len = 16;
        if (*s == 'r') { /* indexed by R24 */
            it->base = 24;
            s++;
        } else if (*s == 'u') { /* indexed by UR24 */
            it->ur = 24;
            s++;
        }
        return suffixes(s, it);
    case 'Y':
        it->kind = IT_BINDLESS;
        it->pos = 38;
        it->len = 16;
        it->ur = *s == 'u' ? 24 : 32; /* the uniform datapath has it in the first slot */
        return suffixes(s + (*s == 'u'), it);
    case 'X': it->kind = IT_PR; return suffixes(s, it);
    case 'T':
        it->kind = IT_TARGET;
        it->style = (uint8_t)(*s == 'n' ? TGT_NEAR : *s == 'f' ? TGT_FAR : *s == 'l' ? TGT_LEPC : TGT_ABS);
        if (s[1] == 'r') {
            it->flags |= ITF_REL;
            s++;
        }
        return suffixes(s + 1, it);
    default: fprintf(stderr, "encoding.def: operand %s\n", s - 1); must(!"operand of encoding.def"); return s;
    }
}

static const char *item(const char *s, char form, bool uniform, struct enc_row *row, unsigned *slot)
{
    struct enc_item it = {.neg = NO_BIT, .abs = NO_BIT, .not_ = NO_BIT, .reuse = NO_BIT, .base = NO_BIT,
                          .ur = NO_BIT, .wide = NO_BIT, .desc = NO_BIT};
    if (*s == '#') {
        s = field(s + 1, &it);
        must(*s == '=');
        char *end;
        put_fixed(row, it.pos, it.len, strtoull(s + 1, &end, 16));
        return end;
    }
    if (*s == '.') {
        s = mod_item(s + 1, &it);
    } else if (*s == '\'' || *s == '"') {
        it.flags = *s == '"' ? ITF_GLUE : 0;
        size_t n = strcspn(s + 1, " ");
        it.kind = IT_TEXT;
        it.text = xstrndup(s + 1, n);
        s += 1 + n;
    } else {
        if (*s == '&') {
            it.flags |= ITF_GLUE;
            s++;
        }
        if (isdigit((unsigned char)s[0]) && s[1] == '=') {
            *slot = (unsigned)(s[0] - '0');
            s += 2;
        }
        it.slot = (uint8_t)(*slot)++;
        if (*s == '_') {
            it.kind = IT_SKIP;
            s++;
        } else if (*s == 'A' || *s == 'B' || *s == 'C') {
            s = form_item(s, form, uniform, &it);
        } else if (*s == 'M') {
            s = mem_item(s + 1, &it);
        } else {
            s = plain_operand(s, &it);
        }
    }
    must(row->nitem < ROW_ITEMS);
    row->item[row->nitem++] = it;
    return s;
}

static void claim(uint64_t m[2], unsigned pos, unsigned len) { word_put(m, pos, len, ~0ull); }

enum { SPARSE_METADATA = 40 };

static void claim_item(const struct enc_item *it, uint64_t m[2])
{
    claim(m, it->pos, it->len);
    claim(m, it->pos2, it->len2);
    if (it->neg != NO_BIT)
        claim(m, it->neg, 1);
    if (it->abs != NO_BIT)
        claim(m, it->abs, 1);
    if (it->not_ != NO_BIT)
        claim(m, it->not_, 1);
    claim(m, it->sel, it->sel_len);
    if (it->kind == IT_REG && it->pos == SPARSE_METADATA)
        claim(m, 125, 1); /* its reuse bit, which is not listed */
    if (it->kind == IT_CONST)
        claim(m, 54, 5);
    if (it->kind == IT_CONST && it->base == 24)
        claim(m, 24, 8);
    if (it->kind == IT_CONST && it->ur == 24)
        claim(m, 24, 6);
    if (it->kind == IT_BINDLESS)
        claim(m, it->ur, 6);
    if (it->kind == IT_MEM) {
        claim(m, it->base, it->base == NO_BIT ? 0 : 8);
        claim(m, it->ur, it->ur == NO_BIT ? 0 : 6);
        claim(m, it->wide, it->wide == NO_BIT ? 0 : 1);
        claim(m, it->desc, it->desc == NO_BIT ? 0 : 1);
    }
    if (it->kind == IT_TARGET && it->style == TGT_LEPC)
        claim(m, 24, 58);
    else if (it->kind == IT_TARGET && it->style != TGT_NEAR)
        claim(m, 34, 48);
    if (it->kind == IT_TARGET && it->style == TGT_NEAR)
        claim(m, 34, 30);
}

/* Bits that no item claims must be what the row says, or 0. */
static void close_row(struct enc_row *row, enum arch newest)
{
    uint64_t m[2] = {0, 0};
    claim(m, 12, 4);
    claim(m, 105, 20);
    for (unsigned i = 0; i < row->nitem; i++) {
        claim_item(&row->item[i], m);
        if (row->item[i].kind == IT_TARGET && row->item[i].style != TGT_NEAR &&
            row->item[i].style != TGT_LEPC && newest == ARCH_SM90)
            claim(m, 16, 8);
    }
    for (int k = 0; k < 2; k++)
        row->fixed_mask[k] |= ~m[k];
}

static void expand(const struct row_text *t, char form, uint32_t archs, struct enc_row *row)
{
    *row = (struct enc_row){.op = t->op, .archs = archs};
    char code[8];
    snprintf(code, sizeof code, "%s", t->code);
    bool bit91 = false;
    if (form) {
        must(code[0] == 'x');
        row->code = (uint16_t)((form_digit(form, &bit91) << 9) + strtoul(code + 1, NULL, 16));
    } else {
        row->code = (uint16_t)(strtoul(code, NULL, 16) & 0xfff);
        bit91 = strtoul(code, NULL, 16) >> 12 & 1;
    }
    put_fixed(row, 0, 12, row->code);
    bool uniform = false;
    unsigned slot = 0;
    for (const char *s = t->items; *s; ) {
        if (*s == ' ') {
            s++;
        } else if (isdigit((unsigned char)s[0]) && isdigit((unsigned char)s[1]) && s[2] == ':') {
            bool older = archs & ((1u << arch_bit((enum arch)strtoul(s, NULL, 10))) - 1);
            s += older ? strcspn(s, " ") : 3;
        } else if (!strncmp(s, "@U", 2)) {
            row->uniform_guard = true;
            s += 2;
        } else if (!strncmp(s, "UDP", 3)) { /* uniform datapath: A, B, C are uniform registers, bit 91 set */
            uniform = row->uniform_guard = bit91 = true;
            s += 3;
        } else if (!strncmp(s, "POW2", 4)) {
            row->power_of_two = true;
            s += 4;
        } else {
            s = item(s, form, uniform, row, &slot);
        }
    }
    for (unsigned i = 0; strpbrk(t->forms, "pqsz") && i < row->nitem; i++)
        if (row->item[i].kind == IT_REG && row->item[i].reuse == 1)
            row->item[i].reuse = 2; /* the second source of these sits in the third slot of the reuse cache */
    put_fixed(row, 91, 1, bit91 ? 1 : 0);
    close_row(row, archs == 1u << arch_bit(ARCH_SM90) ? ARCH_SM90 : ARCH_SM89);
}

/* Whether the architectures of a row need rows of their own: gated items ("80:.NAN@81"), and far
 * branches, whose displacement is longer on sm_90. */
static bool differs_by_arch(const char *items)
{
    if (strstr(items, "Tf") || strstr(items, "Ta"))
        return true;
    const char *gate = strchr(items, ':');
    for (; gate; gate = strchr(gate + 1, ':'))
        if (gate[1] == '.')
            return true;
    return false;
}

static struct enc_table table;
static once_flag table_once = ONCE_FLAG_INIT;

static void add_rows(const struct row_text *t, uint32_t archs, size_t *cap)
{
    for (const char *f = t->forms; ; f++) {
        table.row = grow(table.row, table.n, cap, sizeof *table.row);
        expand(t, *f, archs, &table.row[table.n++]);
        if (!*f || !f[1])
            break;
    }
}

static void table_build(void)
{
    size_t cap = 0;
    for (size_t i = 0; i < ARRAY_LEN(row_texts); i++) {
        const struct row_text *t = &row_texts[i];
        uint32_t archs = archs_parse(t->archs);
        if (!differs_by_arch(t->items))
            add_rows(t, archs, &cap);
        for (unsigned a = 0; a < NARCH && differs_by_arch(t->items); a++)
            if (archs >> a & 1)
                add_rows(t, 1u << a, &cap);
    }
    for (uint32_t i = 0; i < table.n; i++)
        table.ncode[table.row[i].code]++;
    for (unsigned c = 0; c < ARRAY_LEN(table.ncode); c++) {
        table.by_code[c] = table.ncode[c] ? xcalloc(table.ncode[c], sizeof(uint32_t)) : NULL;
        table.ncode[c] = 0;
    }
    for (uint32_t i = 0; i < table.n; i++) {
        unsigned c = table.row[i].code;
        table.by_code[c][table.ncode[c]++] = i;
    }
}

const struct enc_table *enc_table(void)
{
    call_once(&table_once, table_build);
    return &table;
}

char *op_archs(enum op op)
{
    static const enum arch archs[NARCH] = {ARCH_SM75, ARCH_SM80, ARCH_SM86, ARCH_SM89, ARCH_SM90};
    const struct enc_table *t = enc_table();
    uint32_t set = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->row[i].op == op)
            set |= t->row[i].archs;
    struct sb text = {0};
    sb_add(&text, "");
    for (unsigned a = 0; a < NARCH; a++)
        if (set >> arch_bit(archs[a]) & 1)
            sb_addf(&text, "%s%d", text.len ? " " : "", (int)archs[a]);
    return text.text ? text.text : xstrdup("");
}
