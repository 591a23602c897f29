/* What lies beside the code: constant banks 2, 3 and 4 with their relocations, shared memory, module variables, and the
 * names of functions inside a kernel. */
#include "isa/cubin.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BANK = 65536, MAX_SHARED = 1 << 20, MAX_GLOBAL = 1 << 30 };
enum { R_CUDA_NONE = 0, R_CUDA_32 = 1, R_CUDA_64 = 2, R_CUDA_G32 = 3, R_CUDA_G64 = 4 }; /* G: generic address */

/* Bytes of an address in data; 0: a type that this program does not know. */
static uint32_t address_bytes(uint32_t type)
{
    return type == R_CUDA_32 || type == R_CUDA_G32 ? 4 : type == R_CUDA_64 || type == R_CUDA_G64 ? 8 : 0;
}

/* The symbol that a reloc names; for a __constant__ variable it is the bank, in which the variable lies at *addend. */
static char *symbol_of(const struct cubin *c, const struct elf_symbol *s, int64_t *addend)
{
    bool constant = s->type == ELF_SYM_OBJECT && s->shndx && s->shndx < c->elf.nsection &&
                    strcmp(c->elf.sections[s->shndx].name, ".nv.constant3") == 0;
    if (constant)
        *addend += (int64_t)s->value;
    return xstrdup(constant ? RELOC_CONSTANTS : s->name);
}

static bool add_relocs(struct cubin *c, struct kernel *k, const char *section, uint8_t bank)
{
    int n = elf_relocs(&c->elf, section);
    struct elf_reloc r;
    struct elf_symbol s;
    for (uint64_t i = 0; n >= 0 && elf_reloc(&c->elf.sections[n], i, &r); i++) {
        unsigned long long at = r.offset;
        if (r.type == R_CUDA_NONE)
            continue;
        uint32_t bytes = address_bytes(r.type);
        if (!bytes)
            return cubin_fail(c, "%s+0x%llx: relocation type %u is not supported", section, at, r.type);
        if (r.offset > k->bank_bytes[bank] || k->bank_bytes[bank] - r.offset < bytes ||
            !elf_symbol(&c->elf, r.symbol, &s))
            return cubin_fail(c, "%s+0x%llx: broken relocation", section, at);
        k->relocs = xrealloc(k->relocs, k->nreloc + 1, sizeof *k->relocs);
        k->relocs[k->nreloc++] = (struct reloc){.offset = (uint32_t)r.offset,
                                                .kind = bytes == 8 ? RELOC_ADDR64 : RELOC_ADDR32,
                                                .symbol = symbol_of(c, &s, &r.addend),
                                                .where = bank};
        k->relocs[k->nreloc - 1].addend = r.addend;
    }
    return true;
}

static bool add_bank(struct cubin *c, struct kernel *k, unsigned bank, const char *section)
{
    int n = elf_find(&c->elf, section);
    if (n < 0)
        return true;
    const struct elf_section *s = &c->elf.sections[n];
    if (s->size > MAX_BANK || s->size == 0)
        return s->size == 0 ||
               cubin_fail(c, "%s has %llu bytes; a constant bank holds 65536", section, (unsigned long long)s->size);
    if (k->bank[bank])
        return cubin_fail(c, "%s: constant bank %u is given twice", section, bank);
    k->bank_bytes[bank] = (uint32_t)s->size;
    k->bank[bank] = xcalloc(s->size, 1);
    if (s->bytes.data)
        memcpy(k->bank[bank], s->bytes.data, s->size);
    return add_relocs(c, k, section, (uint8_t)bank);
}

static bool add_shared(struct cubin *c, struct kernel *k)
{
    char *name = xasprintf(".nv.shared.%s", k->name);
    int n = elf_find(&c->elf, name);
    free(name);
    uint32_t reserved = arch_info(c->p->arch)->shared_base;
    uint64_t size = n < 0 ? 0 : c->elf.sections[n].size;
    if (size > MAX_SHARED)
        return cubin_fail(c, "kernel %s: %llu bytes of shared memory", k->name, (unsigned long long)size);
    k->shared_bytes = size > reserved ? (uint32_t)size - reserved : 0;
    return true;
}

bool cubin_banks(struct cubin *c)
{
    for (uint32_t i = 0; i < c->p->nkernel; i++) {
        struct kernel *k = &c->p->kernels[i];
        bool ok = add_shared(c, k);
        for (unsigned bank = 1; ok && bank < 8; bank++) {
            char *own = xasprintf(".nv.constant%u.%s", bank, k->name), *common = xasprintf(".nv.constant%u", bank);
            ok = add_bank(c, k, bank, own) && add_bank(c, k, bank, common);
            free(own);
            free(common);
        }
        if (!ok)
            return false;
    }
    return true;
}

/* Variables lie in .nv.global (zero) and .nv.global.init; each symbol becomes one, so that a fault can name it. */
static bool add_global(struct cubin *c, const struct elf_symbol *s, const struct elf_section *at)
{
    struct program *p = c->p;
    if (s->value > at->size || at->size - s->value < s->size || s->size > MAX_GLOBAL)
        return cubin_fail(c, "variable %s lies beyond its section", s->name);
    struct global g = {.name = xstrdup(s->name), .bytes = s->size};
    uint64_t align = at->align && at->align <= 4096 ? at->align : 16;
    while (align > 1 && s->value % align)
        align /= 2;
    g.align = (uint32_t)align;
    if (at->bytes.data && s->size) {
        g.init = xcalloc(s->size, 1);
        memcpy(g.init, at->bytes.data + s->value, s->size);
    }
    p->globals = xrealloc(p->globals, p->nglobal + 1, sizeof *p->globals);
    p->globals[p->nglobal++] = g;
    return true;
}

/* The variable that byte `at` of .nv.global.init belongs to; *start: where it begins there. */
static struct global *variable_at(struct cubin *c, int section, uint64_t at, uint64_t *start)
{
    struct elf_symbol s;
    for (uint32_t i = 0; elf_symbol(&c->elf, i, &s); i++) {
        if (s.type != ELF_SYM_OBJECT || (int)s.shndx != section || at < s.value || at - s.value >= s.size)
            continue;
        for (uint32_t g = 0; g < c->p->nglobal; g++)
            if (!strcmp(c->p->globals[g].name, s.name)) {
                *start = s.value;
                return &c->p->globals[g];
            }
    }
    return NULL;
}

/* Variables whose initial value is an address, of another variable or of a function. */
static bool add_pointers(struct cubin *c)
{
    int n = elf_relocs(&c->elf, ".nv.global.init"), init = elf_find(&c->elf, ".nv.global.init");
    struct elf_reloc r;
    struct elf_symbol s;
    for (uint64_t i = 0; n >= 0 && elf_reloc(&c->elf.sections[n], i, &r); i++) {
        uint64_t start = 0;
        struct global *g = variable_at(c, init, r.offset, &start);
        uint32_t bytes = address_bytes(r.type);
        if (r.type == R_CUDA_NONE || c->elf.type == ELF_TYPE_REL) /* (an object that must still be linked) */
            continue;
        if (!g || !g->init || !elf_symbol(&c->elf, r.symbol, &s) || !bytes || g->bytes - (r.offset - start) < bytes)
            return cubin_fail(c,
                              "the initial value of a module variable has an address (relocation type %u) that is not "
                              "supported",
                              r.type);
        g->relocs = xrealloc(g->relocs, g->nreloc + 1, sizeof *g->relocs);
        g->relocs[g->nreloc++] = (struct reloc){.offset = (uint32_t)(r.offset - start),
                                                .kind = bytes == 8 ? RELOC_ADDR64 : RELOC_ADDR32,
                                                .symbol = symbol_of(c, &s, &r.addend)};
        g->relocs[g->nreloc - 1].addend = r.addend;
    }
    return true;
}

bool cubin_globals(struct cubin *c)
{
    int zero = elf_find(&c->elf, ".nv.global"), init = elf_find(&c->elf, ".nv.global.init");
    struct elf_symbol s;
    for (uint32_t i = 0; elf_symbol(&c->elf, i, &s); i++) {
        if (s.type != ELF_SYM_OBJECT || s.shndx == 0 || !*s.name)
            continue;
        if (((int)s.shndx == zero || (int)s.shndx == init) && !add_global(c, &s, &c->elf.sections[s.shndx]))
            return false;
    }
    return add_pointers(c);
}

bool cubin_symbols(struct cubin *c)
{
    struct elf_symbol s;
    for (uint32_t i = 0; elf_symbol(&c->elf, i, &s); i++) {
        struct kernel *k = s.type == ELF_SYM_FUNC ? cubin_kernel_of_section(c, s.shndx) : NULL;
        if (!k || strcmp(k->name, s.name) == 0 || !*s.name)
            continue;
        if (s.value % INST_BYTES || s.value >= c->elf.sections[s.shndx].size)
            return cubin_fail(c, "function %s lies beyond the code of %s", s.name, k->name);
        k->symbols = xrealloc(k->symbols, k->nsymbol + 1, sizeof *k->symbols);
        k->symbols[k->nsymbol++] = (struct symbol){.name = xstrdup(s.name), .address = (uint32_t)s.value};
    }
    return true;
}
