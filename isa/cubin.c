/* Cubin -> program: the architecture, the kernels and their code. Facts: machine 190; e_flags hold the architecture in
 * bits 15:8 from ABI version 8 on (CUDA 13), in bits 7:0 before; sections `.text.<kernel>`. */
#include "isa/cubin.h"

#include <stdlib.h>
#include <string.h>

enum {
    EM_CUDA = 190,
    ABI_SM_IN_SECOND_BYTE = 8,
    EF_ACCELERATORS = 0x800,  /* ABI 7: an `a` target */
    COMPAT_ARCH_SPECIFIC = 9, /* .nv.compat record: 1 for an `a` target */
};

bool cubin_fail(struct cubin *c, const char *fmt, ...)
{
    char what[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return error_set(c->err, EXIT_BAD_INPUT, "%s: %s", c->elf.path, what);
}

static bool compat_specific(const struct elf *e)
{
    int i = elf_find(e, ".nv.compat");
    struct span s = i < 0 ? (struct span){0} : e->sections[i].bytes;
    for (uint64_t at = 0; at + 4 <= s.len;) {
        unsigned fmt = s.data[at], attr = s.data[at + 1];
        if (attr == COMPAT_ARCH_SPECIFIC && fmt == 2)
            return s.data[at + 2] == 1;
        at += 4 + (fmt == 4 ? span_get(s, at + 2, 2, NULL) : 0);
    }
    return false;
}

static bool read_arch(struct cubin *c)
{
    struct elf *e = &c->elf;
    if (e->machine != EM_CUDA)
        return cubin_fail(c, "an ELF file for machine %u, not NVIDIA machine code (%u)", e->machine, EM_CUDA);
    bool new_abi = e->abi >= ABI_SM_IN_SECOND_BYTE;
    unsigned sm = new_abi ? e->flags >> 8 & 0xff : e->flags & 0xff;
    if (sm == ARCH_KIR || !arch_info((enum arch)sm))
        return cubin_fail(c, "code for sm_%u; this program reads sm_75, sm_80, sm_86, sm_89, sm_90 and sm_90a", sm);
    c->p->arch = (enum arch)sm;
    c->p->arch_specific = new_abi ? compat_specific(e) : (e->flags & EF_ACCELERATORS) != 0;
    if (elf_find(e, ".nv.merc.symtab") >= 0 && elf_find(e, ".symtab") < 0)
        return cubin_fail(c, "holds only an intermediate form, not machine code");
    return true;
}

static bool find_kernels(struct cubin *c)
{
    static const char prefix[] = ".text.";
    for (uint32_t i = 0; i < c->elf.nsection; i++) {
        const struct elf_section *s = &c->elf.sections[i];
        if (strncmp(s->name, prefix, sizeof prefix - 1) != 0 || s->type == ELF_NOBITS || !s->bytes.len)
            continue;
        uint32_t n = c->p->nkernel++;
        c->p->kernels = xrealloc(c->p->kernels, c->p->nkernel, sizeof *c->p->kernels);
        c->text = xrealloc(c->text, c->p->nkernel, sizeof *c->text);
        c->p->kernels[n] = (struct kernel){.name = xstrdup(s->name + sizeof prefix - 1)};
        c->text[n] = i;
        if (s->bytes.len % INST_BYTES || s->bytes.len / INST_BYTES > UINT32_MAX / INST_BYTES)
            return cubin_fail(c, "%s is not a whole number of 16-byte instructions", s->name);
    }
    return c->p->nkernel || cubin_fail(c, "there is no code in it");
}

struct kernel *cubin_kernel_of_section(struct cubin *c, uint32_t section)
{
    for (uint32_t i = 0; i < c->p->nkernel; i++)
        if (c->text[i] == section)
            return &c->p->kernels[i];
    return NULL;
}

struct kernel *cubin_kernel_of_symbol(struct cubin *c, uint32_t symbol)
{
    struct elf_symbol s;
    if (!elf_symbol(&c->elf, symbol, &s) || s.type != ELF_SYM_FUNC)
        return NULL;
    struct kernel *k = cubin_kernel_of_section(c, s.shndx);
    return k && strcmp(k->name, s.name) == 0 ? k : NULL;
}

/* All unknown words of a kernel make one text, so that one look tells what is missing. */
struct unknown {
    struct sb text;
    uint32_t n;
};

static void note_unknown(struct unknown *u, uint32_t at, const uint64_t w[2], const char *why)
{
    enum { LISTED = 40 };
    const char *colon = strstr(why, ": "),
               *what = colon ? colon + 2 : why; /* the words and the address are given here */
    if (u->n++ < LISTED)
        sb_addf(&u->text, "\n  /*%04x*/ 0x%016llx 0x%016llx  %s", at, (unsigned long long)w[0],
                (unsigned long long)w[1], what);
}

static void refuse(struct kernel *k, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void refuse(struct kernel *k, const char *fmt, ...)
{
    char why[4000];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    k->refused = xstrdup(why);
}

static void decode_kernel(struct cubin *c, struct kernel *k, struct span code)
{
    struct unknown u = {0};
    k->n = (uint32_t)(code.len / INST_BYTES);
    k->code = xcalloc(k->n, sizeof *k->code);
    for (uint32_t i = 0; i < k->n; i++) {
        uint64_t w[2] = {span_get(code, 16 * (uint64_t)i, 8, NULL), span_get(code, 16 * (uint64_t)i + 8, 8, NULL)};
        struct error err = {0};
        if (!inst_decode(c->p->arch, w, i * INST_BYTES, &k->code[i], &err))
            note_unknown(&u, i * INST_BYTES, w, err.text);
        k->code[i].word[0] = w[0];
        k->code[i].word[1] = w[1];
    }
    if (u.n)
        refuse(k, "%u instruction%s that this program does not know (address, words):%s", u.n, u.n == 1 ? "" : "s",
               u.text.text);
    sb_finish(&u.text);
}

static bool decode_all(struct cubin *c)
{
    for (uint32_t i = 0; i < c->p->nkernel; i++)
        decode_kernel(c, &c->p->kernels[i], c->elf.sections[c->text[i]].bytes);
    return true;
}

/* A kernel that cannot run keeps its name and the reason. */
static void strip_refused(struct program *p)
{
    for (uint32_t i = 0; i < p->nkernel; i++) {
        if (!p->kernels[i].refused)
            continue;
        free(p->kernels[i].code);
        p->kernels[i].code = NULL;
        p->kernels[i].n = 0;
    }
}

/* Each kernel alone: broken code of one says nothing about another. */
static void verify_all(struct program *p)
{
    for (uint32_t i = 0; i < p->nkernel; i++) {
        struct program one = *p;
        struct error err = {0};
        one.kernels = &p->kernels[i];
        one.nkernel = 1;
        if (!p->kernels[i].refused && !program_verify(&one, &err)) {
            const char *prefix = strstr(err.text, p->kernels[i].name);
            refuse(&p->kernels[i], "%s", prefix ? prefix + strlen(p->kernels[i].name) + 2 : err.text);
        }
    }
    strip_refused(p);
}

static bool read_all(struct cubin *c, const char *path, const uint8_t *data, size_t len)
{
    bool ok = elf_open(&c->elf, path, data, len, c->err) && read_arch(c) && find_kernels(c) && cubin_info(c) &&
              cubin_banks(c) && cubin_globals(c) && cubin_symbols(c) && decode_all(c) && cubin_lines(c) &&
              cubin_join(c);
    if (ok)
        strip_refused(c->p);
    if (!ok || !program_link(c->p, c->err))
        return false;
    cubin_stack(c);
    verify_all(c->p);
    return true;
}

struct program *cubin_read(const char *path, const uint8_t *data, size_t len, struct error *err)
{
    struct cubin c = {.err = err, .p = xcalloc(1, sizeof(struct program))};
    c.p->path = xstrdup(path);
    bool ok = read_all(&c, path, data, len);
    elf_finish(&c.elf);
    free(c.text);
    if (ok)
        return c.p;
    program_free(c.p);
    return NULL;
}
