/* ELF64 little endian, read with every offset checked: the file may be hostile. Private to isa/. */
#ifndef HEDDLE_ISA_ELF_H
#define HEDDLE_ISA_ELF_H

#include "isa/isa.h"

struct span { /* bytes of the file; data NULL: no bytes there (NOBITS, or absent) */
    const uint8_t *data;
    uint64_t len;
};
struct elf_section {
    const char *name; /* points into the file, or "" */
    uint32_t type, link, info;
    uint64_t size, align; /* size also of a section without bytes */
    struct span bytes;
};
struct elf_symbol {
    const char *name;
    uint8_t type, bind, other;
    uint16_t shndx;
    uint64_t value, size;
};
struct elf_reloc {
    uint64_t offset;
    uint32_t type, symbol;
    int64_t addend;
};
struct elf {
    const char *path;
    struct span file;
    uint16_t machine, type;
    uint8_t osabi, abi;
    uint32_t flags;
    struct elf_section *sections;
    uint32_t nsection;
    struct span symtab;
    uint32_t strtab; /* section of symbol names */
    uint32_t nsymbol;
};
enum { ELF_SYM_OBJECT = 1, ELF_SYM_FUNC = 2, ELF_SYM_SECTION = 3, ELF_NOBITS = 8, ELF_RELA = 4, ELF_REL = 9, ELF_TYPE_REL = 1 };

bool elf_open(struct elf *e, const char *path, const uint8_t *data, size_t len, struct error *err);
void elf_finish(struct elf *e);
int elf_find(const struct elf *e, const char *name); /* section number, -1: none */
int elf_relocs(const struct elf *e, const char *section); /* section of its relocations, -1: none, or empty */
bool elf_symbol(const struct elf *e, uint32_t i, struct elf_symbol *out);
/* Entry i of a REL or RELA section; false at its end. */
bool elf_reloc(const struct elf_section *s, uint64_t i, struct elf_reloc *out);

/* Little-endian numbers at an offset; 0 beyond the end, which *ok (may be NULL) tells. */
uint64_t span_get(struct span s, uint64_t at, unsigned bytes, bool *ok);
struct span span_part(struct span s, uint64_t at, uint64_t len); /* empty if it does not fit */
const char *span_string(struct span s, uint64_t at);            /* NUL-terminated inside s, or NULL */

#endif
