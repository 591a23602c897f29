/* Loading a program. Addresses that only the loader knows are filled into copies of the constant banks, and into
 * immediates of the code itself. A symbol is a module variable, a function inside the kernel (its code offset), or,
 * when nothing else has the name, the base of dynamic shared memory. */
#include "sim/loader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/launch.h"

struct loaded_kernel {
    uint8_t *bank[8];
};
struct loaded {
    const struct program *program;
    uint64_t *global;   /* address of each */
    uint64_t constants; /* of bank 3 in memory; 0: nobody asked for it */
    struct loaded_kernel *kernels;
};
struct loader {
    const struct config *cfg;
    struct memory *mem;
    struct loaded *items;
    size_t n, cap;
};

struct loader *loader_new(const struct config *c, struct memory *mem)
{
    struct loader *l = xcalloc(1, sizeof *l);
    l->cfg = c;
    l->mem = mem;
    return l;
}

void loader_free(struct loader *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->n; i++) {
        struct loaded *d = &l->items[i];
        for (uint32_t k = 0; k < d->program->nkernel; k++)
            for (int b = 0; b < 8; b++)
                free(d->kernels[k].bank[b]);
        free(d->kernels);
        free(d->global);
    }
    free(l->items);
    free(l);
}

static const struct loaded *find(const struct loader *l, const struct program *p)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->items[i].program == p)
            return &l->items[i];
    return NULL;
}

static bool place_globals(struct loader *l, struct loaded *d, struct error *err)
{
    const struct program *p = d->program;
    d->global = xcalloc(p->nglobal ? p->nglobal : 1, sizeof *d->global);
    for (uint32_t i = 0; i < p->nglobal; i++) {
        const struct global *g = &p->globals[i];
        if (!memory_alloc(l->mem, g->name, g->bytes, g->align ? g->align : 1, &d->global[i], err))
            return false;
        if (g->init && !memory_write(l->mem, d->global[i], g->init, g->bytes, err))
            return false;
    }
    return true;
}

static bool global_address(const struct loaded *d, const char *name, uint64_t *at)
{
    const struct program *p = d->program;
    if (d->constants && !strcmp(name, RELOC_CONSTANTS)) {
        *at = d->constants;
        return true;
    }
    for (uint32_t i = 0; i < p->nglobal; i++)
        if (!strcmp(p->globals[i].name, name)) {
            *at = d->global[i];
            return true;
        }
    return false;
}

static uint64_t value_of(const struct loaded *d, const struct kernel *k, const struct reloc *r)
{
    uint64_t at;
    if (global_address(d, r->symbol, &at))
        return at + (uint64_t)r->addend;
    for (uint32_t i = 0; i < k->nsymbol; i++)
        if (!strcmp(k->symbols[i].name, r->symbol))
            return k->symbols[i].address + (uint64_t)r->addend;
    /* extern __shared__: dynamic shared memory follows the static part */
    return arch_info(d->program->arch)->shared_base + k->shared_bytes + (uint64_t)r->addend;
}

static bool patch_code(struct kernel *k, const struct reloc *r, uint64_t value, struct error *err)
{
    uint32_t i = r->offset / INST_BYTES;
    for (uint32_t o = 0; i < k->n && o < NOPERAND; o++)
        if (k->code[i].opd[o].kind == OPD_IMM) {
            k->code[i].opd[o].imm = (int64_t)(r->kind == RELOC_CODE_HI32 ? value >> 32 : value & UINT32_MAX);
            return true;
        }
    return error_set(err, EXIT_BAD_INPUT, "kernel %s: the relocation at 0x%x for %s meets no immediate", k->name,
                     r->offset, r->symbol);
}

enum { BANK_CONSTANTS = 3 };

/* Room for the __constant__ variables as memory, which all kernels of a program share. */
static bool place_constants(struct loader *l, struct loaded *d, struct error *err)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < d->program->nkernel; i++)
        bytes = d->program->kernels[i].bank_bytes[BANK_CONSTANTS] > bytes
                    ? d->program->kernels[i].bank_bytes[BANK_CONSTANTS]
                    : bytes;
    return d->constants || !bytes || memory_alloc(l->mem, "(constant memory)", bytes, 0, &d->constants, err);
}

static bool fill_constants(struct loader *l, const struct loaded *d, struct error *err)
{
    for (uint32_t i = 0; d->constants && i < d->program->nkernel; i++)
        if (d->kernels[i].bank[BANK_CONSTANTS])
            return memory_write(l->mem, d->constants, d->kernels[i].bank[BANK_CONSTANTS],
                                d->program->kernels[i].bank_bytes[BANK_CONSTANTS], err);
    return true;
}

static bool points_to_constants(const struct program *p)
{
    for (uint32_t g = 0; g < p->nglobal; g++)
        for (uint32_t r = 0; r < p->globals[g].nreloc; r++)
            if (!strcmp(p->globals[g].relocs[r].symbol, RELOC_CONSTANTS))
                return true;
    for (uint32_t k = 0; k < p->nkernel; k++)
        for (uint32_t r = 0; r < p->kernels[k].nreloc; r++)
            if (!strcmp(p->kernels[k].relocs[r].symbol, RELOC_CONSTANTS))
                return true;
    return false;
}

/* Variables that hold addresses of variables. */
static bool point_globals(struct loader *l, struct loaded *d, struct error *err)
{
    const struct program *p = d->program;
    for (uint32_t i = 0; i < p->nglobal; i++)
        for (uint32_t r = 0; r < p->globals[i].nreloc; r++) {
            const struct reloc *x = &p->globals[i].relocs[r];
            uint64_t at = 0;
            if (!global_address(d, x->symbol, &at))
                return error_set(err, EXIT_BAD_INPUT, "%s: variable %s holds the address of %s, which is not there",
                                 p->path, p->globals[i].name, x->symbol);
            at += (uint64_t)x->addend;
            if (!memory_write(l->mem, d->global[i] + x->offset, &at, x->kind == RELOC_ADDR64 ? 8 : 4, err))
                return false;
        }
    return true;
}

static bool relocate(struct loaded *d, uint32_t index, struct error *err)
{
    struct kernel *k = &d->program->kernels[index];
    struct loaded_kernel *out = &d->kernels[index];
    if (k->refused)
        return true;
    for (int b = 1; b < 8; b++)
        if (k->bank[b]) {
            out->bank[b] = xcalloc(k->bank_bytes[b] + 8, 1);
            memcpy(out->bank[b], k->bank[b], k->bank_bytes[b]);
        }
    for (uint32_t i = 0; i < k->nreloc; i++) {
        const struct reloc *r = &k->relocs[i];
        uint64_t v = value_of(d, k, r);
        uint32_t bytes = r->kind == RELOC_ADDR64 ? 8 : 4;
        if (r->where == RELOC_IN_CODE) {
            if (!patch_code(k, r, v, err))
                return false;
        } else if (r->where < 8 && out->bank[r->where] && r->offset <= k->bank_bytes[r->where] &&
                   bytes <= k->bank_bytes[r->where] - r->offset) {
            memcpy(out->bank[r->where] + r->offset, &v, bytes);
        } else {
            return error_set(err, EXIT_BAD_INPUT, "kernel %s: relocation outside constant bank %u", k->name, r->where);
        }
    }
    return true;
}

bool loader_load(struct loader *l, const struct program *p, struct error *err)
{
    if (find(l, p))
        return true;
    if (!launch_accepts(l->cfg, p, err))
        return false;
    l->items = grow(l->items, l->n, &l->cap, sizeof *l->items);
    struct loaded *d = &l->items[l->n++];
    *d = (struct loaded){.program = p};
    d->kernels = xcalloc(p->nkernel ? p->nkernel : 1, sizeof *d->kernels);
    if (!place_globals(l, d, err) || (points_to_constants(p) && !place_constants(l, d, err)) ||
        !point_globals(l, d, err))
        return false;
    for (uint32_t k = 0; k < p->nkernel; k++)
        if (!relocate(d, k, err))
            return false;
    return fill_constants(l, d, err);
}

uint64_t loader_global(const struct loader *l, const struct program *p, const char *name)
{
    const struct loaded *d = find(l, p);
    uint64_t at = 0;
    return d && global_address(d, name, &at) ? at : 0;
}

const uint8_t *const *loader_banks(const struct loader *l, const struct program *p, const struct kernel *k)
{
    const struct loaded *d = find(l, p);
    if (!d || k < p->kernels || k >= p->kernels + p->nkernel)
        return NULL;
    return (const uint8_t *const *)d->kernels[k - p->kernels].bank;
}

bool loader_constants(struct loader *l, const struct program *p, uint64_t *at, struct error *err)
{
    for (size_t i = 0; i < l->n; i++) {
        struct loaded *d = &l->items[i];
        bool new = d->program == p && !d->constants;
        if (d->program != p)
            continue;
        if (!place_constants(l, d, err) || (new && !fill_constants(l, d, err)))
            return false;
        *at = d->constants;
    }
    return true;
}
