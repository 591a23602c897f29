/* Line table: a reader of DWARF line programs (versions 2 and 3 as ptxas writes them; 4 differs by one header byte).
 * Fills inst.line and inst.file. A table that cannot be read is left out: it changes no result. */
#include "isa/cubin.h"

#include <stdlib.h>
#include <string.h>

enum { LNS_COPY = 1, LNS_ADVANCE_PC, LNS_ADVANCE_LINE, LNS_SET_FILE, LNS_FIXED_ADVANCE = 9 };
enum { LNE_END_SEQUENCE = 1, LNE_SET_ADDRESS = 2 };
enum { MAX_FILES = 4096 };

struct lines {
    struct cubin *c;
    struct span s; /* .debug_line */
    const struct elf_section *relocs;
    uint64_t at, end; /* reading position and end of the unit */
    bool ok;
    /* header */
    unsigned min_inst, line_range, opcode_base;
    int line_base;
    uint8_t operands[256]; /* of each standard opcode */
    uint16_t *files;       /* unit's file number -> index in program.files */
    uint32_t nfile;
    /* state machine: the row in force since `from` */
    struct kernel *kernel;
    uint64_t address, from;
    int64_t line, from_line;
    uint64_t file, from_file;
    bool have_row;
};

static uint64_t get(struct lines *l, unsigned bytes)
{
    uint64_t v = l->at + bytes <= l->end ? span_get(l->s, l->at, bytes, &l->ok) : 0;
    l->ok = l->ok && l->at + bytes <= l->end;
    l->at += bytes;
    return v;
}

static uint64_t uleb(struct lines *l)
{
    uint64_t v = 0;
    for (unsigned shift = 0; l->ok; shift += 7) {
        uint64_t b = get(l, 1);
        if (shift < 64)
            v |= (b & 0x7f) << shift;
        if (!(b & 0x80))
            break;
    }
    return v;
}

static int64_t sleb(struct lines *l)
{
    uint64_t v = 0;
    for (unsigned shift = 0; l->ok;) {
        uint64_t b = get(l, 1);
        if (shift < 64)
            v |= (b & 0x7f) << shift;
        shift += 7;
        if (b & 0x80)
            continue;
        if (shift < 64 && (b & 0x40))
            v |= ~UINT64_C(0) << shift;
        break;
    }
    return (int64_t)v;
}

static const char *string(struct lines *l)
{
    const char *t = l->at < l->end ? span_string(span_part(l->s, 0, l->end), l->at) : NULL;
    l->ok = l->ok && t;
    l->at += t ? strlen(t) + 1 : 1;
    return t ? t : "";
}

static uint16_t program_file(struct program *p, const char *dir, const char *name)
{
    char *path = dir && *dir && *name != '/' ? xasprintf("%s/%s", dir, name) : xstrdup(name);
    for (uint32_t i = 0; i < p->nfile; i++) {
        if (strcmp(p->files[i], path) == 0) {
            free(path);
            return (uint16_t)i;
        }
    }
    if (p->nfile >= MAX_FILES) {
        free(path);
        return 0;
    }
    p->files = xrealloc(p->files, p->nfile + 1, sizeof *p->files);
    p->files[p->nfile] = path;
    return (uint16_t)p->nfile++;
}

static void read_files(struct lines *l)
{
    const char *dirs[256] = {""};
    unsigned ndir = 1;
    for (const char *d; *(d = string(l)) && l->ok;)
        if (ndir < ARRAY_LEN(dirs))
            dirs[ndir++] = d;
    l->files = xcalloc(MAX_FILES, sizeof *l->files);
    l->nfile = 1;
    for (const char *f; *(f = string(l)) && l->ok;) {
        uint64_t dir = uleb(l);
        uleb(l); /* time */
        uleb(l); /* size */
        if (l->ok && l->nfile < MAX_FILES)
            l->files[l->nfile++] = program_file(l->c->p, dir < ndir ? dirs[dir] : "", f);
    }
}

static void read_unit_header(struct lines *l)
{
    uint64_t length = get(l, 4);
    l->ok = l->ok && length < 0xfffffff0 && length <= l->s.len - l->at;
    if (!l->ok)
        return;
    l->end = l->at + length;
    unsigned version = (unsigned)get(l, 2);
    uint64_t header = get(l, 4);
    uint64_t start = l->at + header;
    l->min_inst = (unsigned)get(l, 1);
    if (version >= 4)
        get(l, 1);
    get(l, 1); /* default_is_stmt */
    l->line_base = (int8_t)get(l, 1);
    l->line_range = (unsigned)get(l, 1);
    l->opcode_base = (unsigned)get(l, 1);
    for (unsigned i = 1; i < l->opcode_base; i++)
        l->operands[i] = (uint8_t)get(l, 1);
    l->ok = l->ok && version >= 2 && version <= 4 && l->line_range && l->opcode_base && start <= l->end;
    if (l->ok)
        read_files(l);
    l->at = start;
}

/* The row in force covers the instructions up to the current address. */
static void close_row(struct lines *l)
{
    if (!l->have_row || !l->kernel || l->from_file >= l->nfile || l->from_line < 0 || l->from_line > 0xffffff)
        return;
    for (uint64_t i = (l->from + INST_BYTES - 1) / INST_BYTES; i < l->kernel->n && i * INST_BYTES < l->address; i++) {
        l->kernel->code[i].line = (uint32_t)l->from_line;
        l->kernel->code[i].file = l->from_line ? l->files[l->from_file] : 0;
    }
}

static void emit_row(struct lines *l)
{
    close_row(l);
    l->from = l->address;
    l->from_line = l->line;
    l->from_file = l->file;
    l->have_row = true;
}

static void reset(struct lines *l)
{
    l->kernel = NULL;
    l->address = 0;
    l->line = 1;
    l->file = 1;
    l->have_row = false;
}

/* The operand of set_address is relocated against the kernel's symbol. */
static void set_address(struct lines *l, unsigned bytes)
{
    uint64_t where = l->at;
    uint64_t value = get(l, bytes);
    struct elf_reloc r;
    struct elf_symbol s;
    close_row(l);
    l->have_row = false;
    for (uint64_t i = 0; l->relocs && elf_reloc(l->relocs, i, &r); i++) {
        if (r.offset != where || !elf_symbol(&l->c->elf, r.symbol, &s))
            continue;
        l->kernel = cubin_kernel_of_section(l->c, s.shndx);
        l->address = value + s.value + (uint64_t)r.addend;
        return;
    }
    l->kernel = NULL;
}

static void extended(struct lines *l)
{
    uint64_t length = uleb(l), start = l->at;
    if (!l->ok || length == 0 || length > l->end - l->at) {
        l->ok = false;
        return;
    }
    unsigned op = (unsigned)get(l, 1);
    if (op == LNE_END_SEQUENCE) {
        close_row(l);
        reset(l);
    } else if (op == LNE_SET_ADDRESS && (length == 9 || length == 5)) {
        set_address(l, (unsigned)length - 1);
    }
    l->at = start + length; /* others, such as the notes of inlined calls, are not needed */
}

static void standard(struct lines *l, unsigned op)
{
    switch (op) {
    case LNS_COPY:
        emit_row(l);
        break;
    case LNS_ADVANCE_PC:
        l->address += uleb(l) * l->min_inst;
        break;
    case LNS_ADVANCE_LINE:
        l->line = (int64_t)((uint64_t)l->line + (uint64_t)sleb(l));
        break;
    case LNS_SET_FILE:
        l->file = uleb(l);
        break;
    case LNS_FIXED_ADVANCE:
        l->address += get(l, 2);
        break;
    case 8:
        l->address += (255 - l->opcode_base) / l->line_range * l->min_inst;
        break;
    default:
        for (unsigned i = 0; i < l->operands[op]; i++)
            uleb(l);
    }
}

static void run_unit(struct lines *l)
{
    reset(l);
    while (l->ok && l->at < l->end) {
        unsigned op = (unsigned)get(l, 1);
        if (op == 0) {
            extended(l);
        } else if (op < l->opcode_base) {
            standard(l, op);
        } else {
            unsigned v = op - l->opcode_base;
            l->address += v / l->line_range * l->min_inst;
            l->line += l->line_base + (int)(v % l->line_range);
            emit_row(l);
        }
    }
}

bool cubin_lines(struct cubin *c)
{
    int n = elf_find(&c->elf, ".debug_line");
    if (n < 0)
        return true;
    int rel = elf_find(&c->elf, ".rela.debug_line");
    rel = rel < 0 ? elf_find(&c->elf, ".rel.debug_line") : rel;
    struct lines l = {
        .c = c, .s = c->elf.sections[n].bytes, .relocs = rel < 0 ? NULL : &c->elf.sections[rel], .ok = true};
    while (l.ok && l.at + 4 < l.s.len) {
        l.end = l.s.len;
        read_unit_header(&l);
        if (l.ok)
            run_unit(&l);
        free(l.files);
        l.files = NULL;
        l.at = l.end;
    }
    return true;
}
