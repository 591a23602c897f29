/* ELF64 reader: header, sections, symbols, relocations; nothing of it is trusted. */
#include "isa/elf.h"

#include <stdlib.h>
#include <string.h>

uint64_t span_get(struct span s, uint64_t at, unsigned bytes, bool *ok)
{
    if (!s.data || at > s.len || s.len - at < bytes) {
        if (ok)
            *ok = false;
        return 0;
    }
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)s.data[at + i] << (8 * i);
    return v;
}

struct span span_part(struct span s, uint64_t at, uint64_t len)
{
    if (!s.data || at > s.len || s.len - at < len)
        return (struct span){0};
    return (struct span){s.data + at, len};
}

const char *span_string(struct span s, uint64_t at)
{
    if (!s.data || at >= s.len || !memchr(s.data + at, 0, s.len - at))
        return NULL;
    return (const char *)s.data + at;
}

static bool bad(struct elf *e, struct error *err, const char *what)
{
    return error_set(err, EXIT_BAD_INPUT, "%s: not a readable cubin: %s", e->path, what);
}

static bool read_header(struct elf *e, struct error *err, uint64_t *shoff, uint32_t *names)
{
    static const uint8_t magic[4] = {0x7f, 'E', 'L', 'F'};
    if (e->file.len < 64 || memcmp(e->file.data, magic, 4) != 0)
        return bad(e, err, "no ELF header");
    if (e->file.data[4] != 2 || e->file.data[5] != 1)
        return bad(e, err, "not 64-bit little endian");
    e->osabi = e->file.data[7];
    e->abi = e->file.data[8];
    e->type = (uint16_t)span_get(e->file, 16, 2, NULL);
    e->machine = (uint16_t)span_get(e->file, 18, 2, NULL);
    e->flags = (uint32_t)span_get(e->file, 48, 4, NULL);
    *shoff = span_get(e->file, 40, 8, NULL);
    e->nsection = (uint32_t)span_get(e->file, 60, 2, NULL);
    *names = (uint32_t)span_get(e->file, 62, 2, NULL);
    if (span_get(e->file, 58, 2, NULL) != 64 || e->nsection == 0)
        return bad(e, err, "no section table");
    if (!span_part(e->file, *shoff, 64 * (uint64_t)e->nsection).data)
        return bad(e, err, "the section table lies beyond the end of the file");
    return true;
}

static bool read_sections(struct elf *e, uint64_t shoff, uint32_t names, struct error *err)
{
    e->sections = xcalloc(e->nsection, sizeof *e->sections);
    uint64_t *name = xcalloc(e->nsection, sizeof *name);
    bool fits = true;
    for (uint32_t i = 0; i < e->nsection; i++) {
        struct elf_section *s = &e->sections[i];
        uint64_t at = shoff + 64 * (uint64_t)i;
        name[i] = span_get(e->file, at, 4, NULL);
        s->type = (uint32_t)span_get(e->file, at + 4, 4, NULL);
        s->size = span_get(e->file, at + 32, 8, NULL);
        s->link = (uint32_t)span_get(e->file, at + 40, 4, NULL);
        s->info = (uint32_t)span_get(e->file, at + 44, 4, NULL);
        s->align = span_get(e->file, at + 48, 8, NULL);
        if (s->type == ELF_NOBITS || s->type == 0)
            continue;
        s->bytes = span_part(e->file, span_get(e->file, at + 24, 8, NULL), s->size);
        fits = fits && s->bytes.data;
    }
    struct span text = names < e->nsection ? e->sections[names].bytes : (struct span){0};
    for (uint32_t i = 0; i < e->nsection; i++) {
        const char *n = span_string(text, name[i]);
        e->sections[i].name = n ? n : "";
    }
    free(name);
    return fits || bad(e, err, "a section lies beyond the end of the file");
}

bool elf_open(struct elf *e, const char *path, const uint8_t *data, size_t len, struct error *err)
{
    *e = (struct elf){.path = path, .file = {data, len}};
    uint64_t shoff = 0;
    uint32_t names = 0;
    if (!read_header(e, err, &shoff, &names) || !read_sections(e, shoff, names, err))
        return false;
    int sym = elf_find(e, ".symtab");
    if (sym < 0)
        return bad(e, err, "no symbol table");
    e->symtab = e->sections[sym].bytes;
    e->strtab = e->sections[sym].link;
    e->nsymbol = (uint32_t)(e->symtab.len / 24);
    return true;
}

void elf_finish(struct elf *e)
{
    free(e->sections);
    e->sections = NULL;
}

int elf_find(const struct elf *e, const char *name)
{
    for (uint32_t i = 0; i < e->nsection; i++)
        if (strcmp(e->sections[i].name, name) == 0)
            return (int)i;
    return -1;
}

int elf_relocs(const struct elf *e, const char *section)
{
    int n = -1;
    for (int rela = 0; rela < 2 && n < 0; rela++) {
        char *name = xasprintf("%s%s", rela ? ".rela" : ".rel", section);
        n = elf_find(e, name);
        free(name);
    }
    return n >= 0 && e->sections[n].bytes.len ? n : -1;
}

bool elf_symbol(const struct elf *e, uint32_t i, struct elf_symbol *out)
{
    if (i >= e->nsymbol || e->strtab >= e->nsection)
        return false;
    uint64_t at = 24 * (uint64_t)i;
    const char *name = span_string(e->sections[e->strtab].bytes, span_get(e->symtab, at, 4, NULL));
    uint8_t info = (uint8_t)span_get(e->symtab, at + 4, 1, NULL);
    *out = (struct elf_symbol){
        .name = name ? name : "",
        .type = info & 15,
        .bind = info >> 4,
        .other = (uint8_t)span_get(e->symtab, at + 5, 1, NULL),
        .shndx = (uint16_t)span_get(e->symtab, at + 6, 2, NULL),
        .value = span_get(e->symtab, at + 8, 8, NULL),
        .size = span_get(e->symtab, at + 16, 8, NULL),
    };
    return true;
}

bool elf_reloc(const struct elf_section *s, uint64_t i, struct elf_reloc *out)
{
    unsigned size = s->type == ELF_RELA ? 24 : 16;
    bool ok = s->type == ELF_RELA || s->type == ELF_REL;
    if (!ok || i >= s->bytes.len / size)
        return false;
    out->offset = span_get(s->bytes, i * size, 8, &ok);
    out->type = (uint32_t)span_get(s->bytes, i * size + 8, 4, &ok);
    out->symbol = (uint32_t)span_get(s->bytes, i * size + 12, 4, &ok);
    out->addend = size == 24 ? (int64_t)span_get(s->bytes, i * size + 16, 8, &ok) : 0;
    return ok;
}
