/* Named registers: each name stands for one register, or a group as wide as its widest use needs; registers are chosen
 * when the kernel is complete, among those that its text does not name by number. */
#include "isa/kir.h"

#include <stdlib.h>
#include <string.h>

static const char *const class_names[] = {"register", "uniform register", "predicate", "uniform predicate",
                                          "convergence barrier"};

bool kir_name_use(struct kir_attempt *a, enum name_class file, const char *name, uint32_t len, uint8_t slot,
                  uint8_t field, uint8_t add)
{
    struct kir *s = a->s;
    uint32_t i = 0;
    while (i < s->nname && (strlen(s->names[i].name) != len || memcmp(s->names[i].name, name, len) != 0))
        i++;
    if (i == s->nname) {
        s->names = xrealloc(s->names, s->nname + 1, sizeof *s->names);
        s->names[s->nname++] = (struct kir_name){.name = xstrndup(name, len), .file = file, .fixed = -1, .width = 0};
    }
    struct kir_name *n = &s->names[i];
    if (n->file != file)
        return attempt_fail(a, "%s is a %s; a %s is expected", n->name, class_names[n->file], class_names[file]);
    s->uses = grow(s->uses, s->nuse, &s->cuse, sizeof *s->uses);
    s->uses[s->nuse++] = (struct kir_use){.inst = s->k->n, .name = i, .slot = slot, .field = field, .add = add};
    return true;
}

static uint32_t use_width(const struct kir *s, const struct kir_use *u)
{
    const struct inst *in = &s->k->code[u->inst];
    if (u->slot == GUARD_SLOT)
        return 1;
    const struct operand *o = &in->opd[u->slot];
    if (u->field == USE_DESC || o->kind == OPD_BINDLESS)
        return 2;
    if (u->field == USE_UREG)
        return in->mod[MOD_E] && !(in->op == OP_LDGSTS && u->slot == 0) ? 2 : 1;
    return o->width + u->add;
}

struct files {
    uint8_t used[5][256];
    bool fixed_b;
};
static const unsigned file_size[] = {[NAME_R] = 255, [NAME_UR] = 63, [NAME_P] = 7, [NAME_UP] = 7, [NAME_B] = 16};

static void mark(struct files *f, const struct regref *r, unsigned n)
{
    static const enum name_class of[] = {
        [RF_R] = NAME_R, [RF_UR] = NAME_UR, [RF_P] = NAME_P, [RF_UP] = NAME_UP, [RF_B] = NAME_B};
    for (; n; n--, r++)
        for (unsigned i = r->first; i < r->first + (unsigned)r->count && i < 256; i++)
            f->used[of[r->file]][i] = 1;
}

static bool choose(struct kir *s, struct files *f, struct kir_name *n)
{
    unsigned width = n->width ? n->width : 1, align = 1;
    while (align < width && align < 8)
        align *= 2;
    for (unsigned first = 0; first + width <= file_size[n->file]; first += align) {
        bool free_run = true;
        for (unsigned i = 0; i < width; i++)
            free_run = free_run && !f->used[n->file][first + i];
        if (!free_run)
            continue;
        memset(&f->used[n->file][first], 1, width);
        n->fixed = (int)first;
        return true;
    }
    return error_set(s->err, EXIT_BAD_INPUT, "%s: kernel %s: no %s is left for %s", s->src->path, s->k->name,
                     class_names[n->file], n->name);
}

static void patch(struct kir *s, const struct kir_use *u)
{
    struct inst *in = &s->k->code[u->inst];
    uint8_t n = (uint8_t)(s->names[u->name].fixed + u->add);
    if (u->slot == GUARD_SLOT) {
        in->guard = n;
        return;
    }
    struct operand *o = &in->opd[u->slot];
    uint8_t *field = u->field == USE_REG ? &o->reg : u->field == USE_UREG ? &o->ureg : &o->desc;
    *field = n;
}

/* Registers named by number must be known before names are placed, so named fields stand at "unused" meanwhile. */
static void blank(struct kir *s, const struct kir_use *u)
{
    static const uint8_t unused[] = {[NAME_R] = RZ, [NAME_UR] = URZ, [NAME_P] = PT, [NAME_UP] = PT, [NAME_B] = NBREG};
    struct inst *in = &s->k->code[u->inst];
    uint8_t v = unused[s->names[u->name].file];
    if (u->slot == GUARD_SLOT)
        in->guard = v;
    else if (u->field == USE_REG)
        in->opd[u->slot].reg = v;
    else if (u->field == USE_UREG)
        in->opd[u->slot].ureg = v;
    else
        in->opd[u->slot].desc = v;
}

bool kir_names_resolve(struct kir *s)
{
    struct files *f = xcalloc(1, sizeof *f);
    bool ok = true;
    for (size_t i = 0; i < s->nuse; i++)
        blank(s, &s->uses[i]);
    for (uint32_t i = 0; i < s->k->n; i++) {
        inst_link(&s->k->code[i]);
        mark(f, s->k->code[i].reads, s->k->code[i].nread);
        mark(f, s->k->code[i].writes, s->k->code[i].nwrite);
    }
    for (uint32_t i = 0; i < s->nname; i++)
        s->names[i].width = 0;
    for (size_t i = 0; i < s->nuse; i++) {
        uint32_t w = use_width(s, &s->uses[i]);
        struct kir_name *n = &s->names[s->uses[i].name];
        n->width = w > n->width ? w : n->width;
    }
    for (uint32_t i = 0; i < s->nname; i++)
        if (s->names[i].fixed >= 0)
            for (unsigned k = 0; k < (s->names[i].width ? s->names[i].width : 1) && s->names[i].fixed + k < 256; k++)
                f->used[s->names[i].file][s->names[i].fixed + k] = 1;
    for (uint32_t i = 0; ok && i < s->nname; i++)
        if (s->names[i].fixed < 0 && s->names[i].width)
            ok = choose(s, f, &s->names[i]);
    for (size_t i = 0; ok && i < s->nuse; i++)
        patch(s, &s->uses[i]);
    free(f);
    return ok;
}
