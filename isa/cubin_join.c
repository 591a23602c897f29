/* Separately compiled code (nvcc -rdc=true) as nvlink leaves it: functions lie in sections of their own, and the code
 * holds addresses that the driver fills in when it loads the file. Here each kernel gets the functions that it can
 * reach behind its own code. A function has the same address in all kernels, since pointers to it may lie in memory
 * that they share; what lies between is NOPs. Relocation types and their fields were read off nvlink's files. */
#include "isa/cubin.h"

#include <stdlib.h>
#include <string.h>

enum {
    R_CUDA_ABS32_LO_32 = 0x38, /* bits 32..63 of an instruction: the low word of an address */
    R_CUDA_ABS32_HI_32 = 0x39, /* the high word */
    R_CUDA_ABS_CALL = 0x4b,    /* the target of CALL.ABS or JMP */
    OTHER_ENTRY = 0x10,        /* st_other of a kernel; functions have it not */
};

struct join {
    struct cubin *c;
    const struct elf_section **relocs; /* of each text section's code; NULL: none */
    bool *function;                    /* of each text section: no kernel */
    uint32_t *address;                 /* of each function, in bytes */
    bool *reached;                     /* by the kernel in hand */
};

static const struct elf_section *code_relocs(struct cubin *c, uint32_t text)
{
    int n = elf_relocs(&c->elf, c->elf.sections[c->text[text]].name);
    return n < 0 ? NULL : &c->elf.sections[n];
}

static int text_of(const struct cubin *c, const struct elf_symbol *s)
{
    for (uint32_t i = 0; i < c->p->nkernel && s->type == ELF_SYM_FUNC; i++)
        if (c->text[i] == s->shndx)
            return (int)i;
    return -1;
}

static void find_functions(struct join *j)
{
    struct elf_symbol s;
    memset(j->function, true, j->c->p->nkernel * sizeof *j->function);
    for (uint32_t i = 0; elf_symbol(&j->c->elf, i, &s); i++) {
        int t = text_of(j->c, &s);
        if (t >= 0 && (s.other & OTHER_ENTRY))
            j->function[t] = false;
    }
}

/* Functions behind the longest kernel, in the file's order. */
static void place_functions(struct join *j)
{
    uint64_t at = 0;
    const struct program *p = j->c->p;
    for (uint32_t i = 0; i < p->nkernel; i++)
        at = !j->function[i] && p->kernels[i].n > at ? p->kernels[i].n : at;
    for (uint32_t i = 0; i < p->nkernel; i++) {
        j->address[i] = j->function[i] ? (uint32_t)at * INST_BYTES : 0;
        at += j->function[i] ? p->kernels[i].n : 0;
    }
}

static void reach(struct join *j, const struct elf_symbol *s);

/* Functions that a variable's initial value points to. */
static void reach_pointers(struct join *j, const struct elf_symbol *variable)
{
    int n = elf_relocs(&j->c->elf, ".nv.global.init");
    if (n < 0 || variable->type != ELF_SYM_OBJECT || variable->shndx >= j->c->elf.nsection ||
        strcmp(j->c->elf.sections[variable->shndx].name, ".nv.global.init") != 0)
        return;
    struct elf_reloc r;
    struct elf_symbol s;
    for (uint64_t i = 0; elf_reloc(&j->c->elf.sections[n], i, &r); i++)
        if (r.offset - variable->value < variable->size && elf_symbol(&j->c->elf, r.symbol, &s) &&
            text_of(j->c, &s) >= 0)
            reach(j, &s);
}

static void reach_from(struct join *j, uint32_t text)
{
    struct elf_reloc r;
    struct elf_symbol s;
    for (uint64_t i = 0; j->relocs[text] && elf_reloc(j->relocs[text], i, &r); i++) {
        if (!elf_symbol(&j->c->elf, r.symbol, &s))
            continue;
        reach(j, &s);
        reach_pointers(j, &s);
    }
}

static void reach(struct join *j, const struct elf_symbol *s)
{
    int t = text_of(j->c, s);
    if (t < 0 || j->reached[t] || !j->function[t])
        return;
    j->reached[t] = true;
    reach_from(j, (uint32_t)t);
}

/* Addresses in the code are those of its section's start at 0, but for absolute ones. */
static void shift_targets(struct inst *in, uint32_t by)
{
    bool absolute =
        in->op == OP_JMP || in->op == OP_JMX ||
        ((in->op == OP_CALL || in->op == OP_RET) && !strcmp(mod_value_name(MOD_REL, in->mod[MOD_REL]), "ABS"));
    for (unsigned o = 0; o < NOPERAND && !absolute; o++)
        if (in->opd[o].kind == OPD_TARGET)
            in->opd[o].imm += by;
}

static void append(struct join *j, struct kernel *k, uint32_t text)
{
    const struct kernel *f = &j->c->p->kernels[text];
    uint32_t at = j->address[text] / INST_BYTES;
    k->code = xrealloc(k->code, at + f->n, sizeof *k->code);
    for (uint32_t i = k->n; i < at; i++)
        k->code[i] = (struct inst){.op = OP_NOP, .form = UINT16_MAX, .guard = PT};
    memcpy(&k->code[at], f->code, f->n * sizeof *f->code);
    k->n = at + f->n;
    for (uint32_t i = at; i < k->n; i++)
        shift_targets(&k->code[i], j->address[text]);
    k->nbarrier = f->nbarrier > k->nbarrier ? f->nbarrier : k->nbarrier;
    k->symbols = xrealloc(k->symbols, k->nsymbol + 1, sizeof *k->symbols);
    k->symbols[k->nsymbol++] = (struct symbol){.name = xstrdup(f->name), .address = j->address[text]};
    if (f->refused && !k->refused)
        k->refused = xasprintf("it can reach the function %s: %s", f->name, f->refused);
}

static struct operand *field_of(struct inst *in, uint32_t type)
{
    enum operand_kind want = type == R_CUDA_ABS_CALL ? OPD_TARGET : OPD_IMM;
    for (unsigned o = 0; o < NOPERAND; o++)
        if (in->opd[o].kind == want)
            return &in->opd[o];
    return NULL;
}

/* A function of the driver's (__assertfail, vprintf, malloc ..), whose code is in no file: a trap of its name behind
 * the kernel's code, that says so when it is called. */
static uint64_t driver_function(struct cubin *c, struct kernel *k, const char *name)
{
    static const uint64_t words[][2] = {{0x000000040000795c, 0x001fe20000300000},  /* BPT.TRAP 0x1 */
                                        {0x000000000000794d, 0x000fea0003800000}}; /* EXIT */
    for (uint32_t i = 0; i < k->nsymbol; i++)
        if (!strcmp(k->symbols[i].name, name))
            return k->symbols[i].address;
    uint32_t at = k->n * INST_BYTES;
    k->code = xrealloc(k->code, k->n + ARRAY_LEN(words), sizeof *k->code);
    for (size_t i = 0; i < ARRAY_LEN(words); i++, k->n++) {
        struct error none = {0};
        k->code[k->n] = (struct inst){0};
        must(inst_decode(c->p->arch, words[i], k->n * INST_BYTES, &k->code[k->n], &none));
    }
    k->symbols = xrealloc(k->symbols, k->nsymbol + 1, sizeof *k->symbols);
    k->symbols[k->nsymbol++] = (struct symbol){.name = xstrdup(name), .address = at};
    return at;
}

static bool is_driver_function(const struct cubin *c, const char *name)
{
    struct elf_symbol s;
    for (uint32_t i = 0; elf_symbol(&c->elf, i, &s); i++)
        if (s.type == ELF_SYM_FUNC && s.shndx == 0 && strcmp(s.name, name) == 0)
            return true;
    return false;
}

/* Those whose addresses constant banks hold. */
static void driver_functions(struct cubin *c)
{
    for (uint32_t i = 0; i < c->p->nkernel; i++) {
        struct kernel *k = &c->p->kernels[i];
        for (uint32_t r = 0; r < k->nreloc && !k->refused; r++)
            if (k->relocs[r].where != RELOC_IN_CODE && is_driver_function(c, k->relocs[r].symbol))
                driver_function(c, k, k->relocs[r].symbol);
    }
}

static char *cannot(const struct elf_reloc *r, const char *symbol)
{
    return xasprintf("relocation type %u of its code at 0x%llx, for %s, is not supported", r->type,
                     (unsigned long long)r->offset, symbol);
}

/* A function's address is known now, a variable's when it is loaded. */
static void apply(struct join *j, struct kernel *k, uint32_t base, const struct elf_reloc *r)
{
    struct elf_symbol s;
    uint64_t at = base + r->offset, value = 0;
    bool word = r->type == R_CUDA_ABS32_LO_32 || r->type == R_CUDA_ABS32_HI_32;
    if (!elf_symbol(&j->c->elf, r->symbol, &s) || at / INST_BYTES >= k->n || (!word && r->type != R_CUDA_ABS_CALL)) {
        k->refused = cannot(r, s.name);
        return;
    }
    int t = text_of(j->c, &s);
    if (t < 0 && word && s.shndx) {
        k->relocs = xrealloc(k->relocs, k->nreloc + 1, sizeof *k->relocs);
        k->relocs[k->nreloc++] =
            (struct reloc){.offset = (uint32_t)at,
                           .kind = r->type == R_CUDA_ABS32_HI_32 ? RELOC_CODE_HI32 : RELOC_CODE_LO32,
                           .symbol = xstrdup(s.name),
                           .addend = r->addend,
                           .where = RELOC_IN_CODE};
        return;
    }
    bool driver = t < 0 && s.type == ELF_SYM_FUNC && s.shndx == 0;
    if (driver)
        value = driver_function(j->c, k, s.name) + (uint64_t)r->addend;
    else if (t >= 0)
        value = j->address[t] + s.value + (uint64_t)r->addend;
    struct operand *o = field_of(&k->code[at / INST_BYTES], r->type);
    if ((t < 0 && !driver) || !o || (t >= 0 && !j->function[t] && &j->c->p->kernels[t] != k)) {
        k->refused = cannot(r, s.name);
        return;
    }
    o->imm = (int64_t)(r->type == R_CUDA_ABS32_HI_32 ? value >> 32 : word ? (uint32_t)value : value);
}

static void apply_all(struct join *j, struct kernel *k, uint32_t text)
{
    struct elf_reloc r;
    for (uint64_t i = 0; !k->refused && j->relocs[text] && elf_reloc(j->relocs[text], i, &r); i++)
        if (r.type)
            apply(j, k, j->address[text], &r);
}

static void join_kernel(struct join *j, uint32_t text)
{
    struct kernel *k = &j->c->p->kernels[text];
    uint32_t n = j->c->p->nkernel;
    memset(j->reached, 0, n * sizeof *j->reached);
    reach_from(j, text);
    if (!k->refused && j->relocs[text] && j->c->elf.type == ELF_TYPE_REL)
        k->refused =
            xstrdup("its code still needs linking: this is a relocatable object (nvcc -rdc=true); link it with "
                    "nvlink -arch=sm_NN, or build it with nvcc -cubin alone");
    for (uint32_t i = 0; i < n && !k->refused; i++)
        if (j->reached[i])
            append(j, k, i);
    apply_all(j, k, text);
    for (uint32_t i = 0; i < n; i++)
        if (j->reached[i])
            apply_all(j, k, i);
}

/* Where pointers of variables lead to functions, these have their addresses in the loaded code. */
static bool point_variables(struct join *j)
{
    struct program *p = j->c->p;
    for (uint32_t g = 0; g < p->nglobal; g++)
        for (uint32_t i = 0; i < p->globals[g].nreloc; i++) {
            struct reloc *r = &p->globals[g].relocs[i];
            for (uint32_t t = 0; t < p->nkernel; t++) {
                if (!j->function[t] || strcmp(p->kernels[t].name, r->symbol) != 0)
                    continue;
                uint64_t v = j->address[t] + (uint64_t)r->addend;
                memcpy(p->globals[g].init + r->offset, &v, r->kind == RELOC_ADDR64 ? 8 : 4);
                free(r->symbol);
                *r = p->globals[g].relocs[--p->globals[g].nreloc];
                i--;
                break;
            }
        }
    return true;
}

static void drop_functions(struct join *j)
{
    struct program *p = j->c->p;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->nkernel; i++) {
        if (j->function[i]) {
            kernel_finish(&p->kernels[i]);
        } else {
            j->c->text[kept] = j->c->text[i];
            p->kernels[kept++] = p->kernels[i];
        }
    }
    p->nkernel = kept;
}

bool cubin_join(struct cubin *c)
{
    uint32_t n = c->p->nkernel;
    bool any = false;
    struct join j = {.c = c,
                     .relocs = xcalloc(n, sizeof *j.relocs),
                     .function = xcalloc(n, sizeof *j.function),
                     .address = xcalloc(n, sizeof *j.address),
                     .reached = xcalloc(n, sizeof *j.reached)};
    for (uint32_t i = 0; i < n; i++)
        any |= (j.relocs[i] = code_relocs(c, i)) != NULL;
    if (any) {
        find_functions(&j);
        place_functions(&j);
        for (uint32_t i = 0; i < n; i++)
            if (!j.function[i])
                join_kernel(&j, i);
        point_variables(&j);
        drop_functions(&j);
    }
    driver_functions(c);
    free(j.relocs);
    free(j.function);
    free(j.address);
    free(j.reached);
    return c->p->nkernel || cubin_fail(c, "there is no kernel in it, only functions");
}
