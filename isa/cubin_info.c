/* .nv.info records: sizes and the parameter layout. A record is: format byte, attribute byte, then a value of two
 * bytes, or (format 4) a size of two bytes and so many bytes. What is not needed here is skipped: it describes, it
 * does not change what the code means. */
#include "isa/cubin.h"

#include <stdlib.h>
#include <string.h>

enum { STACK_UNKNOWN = -1 }; /* to the compiler */

enum info_attr {
    INFO_MAX_THREADS = 0x05,
    INFO_PARAM_CBANK = 0x0a,
    INFO_REQNTID = 0x10,
    INFO_FRAME_SIZE = 0x11,
    INFO_MIN_STACK_SIZE = 0x12,
    INFO_KPARAM = 0x17,
    INFO_CBANK_PARAM_SIZE = 0x19,
    INFO_MAX_STACK_SIZE = 0x23,
    INFO_REGCOUNT = 0x2f,
    INFO_CTA_PER_CLUSTER = 0x3d,
    INFO_NUM_BARRIERS = 0x4c,
    FMT_SIZED = 4,
    MAX_PARAM = 32764, /* parameter bytes a kernel may take since CUDA 12.1 */
};

struct record {
    unsigned fmt, attr, value;
    struct span body;
};

static bool next_record(struct span s, uint64_t *at, struct record *r, bool *broken)
{
    if (*at + 4 > s.len) {
        *broken = *at != s.len;
        return false;
    }
    r->body = (struct span){0};
    r->fmt = s.data[*at];
    r->attr = s.data[*at + 1];
    r->value = (unsigned)span_get(s, *at + 2, 2, NULL);
    *at += 4;
    if (r->fmt != FMT_SIZED)
        return true;
    r->body = span_part(s, *at, r->value);
    *broken = !r->body.data;
    *at += r->value;
    return !*broken;
}

static uint32_t word(const struct record *r, unsigned i)
{
    return (uint32_t)span_get(r->body, 4 * i, 4, NULL);
}

static void three(const struct record *r, uint32_t out[3])
{
    for (unsigned i = 0; i < 3; i++)
        out[i] = word(r, i);
}

static bool add_param(struct cubin *c, struct kernel *k, const struct record *r)
{
    uint32_t ordinal = (uint32_t)span_get(r->body, 4, 2, NULL), offset = (uint32_t)span_get(r->body, 6, 2, NULL);
    uint32_t bytes = word(r, 2) >> 18;
    if (r->body.len != 12 || ordinal >= 4096 || bytes == 0 || offset + bytes > MAX_PARAM)
        return cubin_fail(c, "kernel %s: broken parameter record", k->name);
    if (ordinal >= k->nparam) {
        k->params = xrealloc(k->params, ordinal + 1, sizeof *k->params);
        memset(&k->params[k->nparam], 0, (ordinal + 1 - k->nparam) * sizeof *k->params);
        k->nparam = ordinal + 1;
    }
    struct param *p = &k->params[ordinal];
    if (p->name)
        return cubin_fail(c, "kernel %s: parameter %u is described twice", k->name, ordinal);
    *p = (struct param){.name = xasprintf("p%u", ordinal), .offset = offset, .bytes = bytes};
    return true;
}

static bool kernel_record(struct cubin *c, struct kernel *k, const struct record *r)
{
    switch (r->attr) {
    case INFO_KPARAM:
        return add_param(c, k, r);
    case INFO_CBANK_PARAM_SIZE:
        k->param_bytes = r->value;
        break;
    case INFO_PARAM_CBANK:
        if ((word(r, 1) & 0xffff) != arch_info(c->p->arch)->param_base)
            return cubin_fail(c, "kernel %s: parameters start at c[0x0][0x%x], expected 0x%x", k->name,
                              word(r, 1) & 0xffff, arch_info(c->p->arch)->param_base);
        k->param_bytes = word(r, 1) >> 16;
        break;
    case INFO_MAX_THREADS:
        three(r, k->maxntid);
        break;
    case INFO_REQNTID:
        three(r, k->reqntid);
        break;
    case INFO_CTA_PER_CLUSTER:
        three(r, k->cluster);
        break;
    case INFO_NUM_BARRIERS:
        k->nbarrier = r->value & 0xff;
        break;
    default:
        break;
    }
    return true;
}

static bool kernel_records(struct cubin *c, struct kernel *k)
{
    char *name = xasprintf(".nv.info.%s", k->name);
    int section = elf_find(&c->elf, name);
    free(name);
    struct span s = section < 0 ? (struct span){0} : c->elf.sections[section].bytes;
    struct record r;
    bool broken = false;
    for (uint64_t at = 0; next_record(s, &at, &r, &broken);)
        if (!kernel_record(c, k, &r))
            return false;
    if (broken)
        return cubin_fail(c, "kernel %s: its .nv.info records are cut off", k->name);
    for (uint32_t i = 0; i < k->nparam; i++) {
        if (!k->params[i].name)
            return cubin_fail(c, "kernel %s: no record of parameter %u", k->name, i);
        if (k->params[i].offset + k->params[i].bytes > k->param_bytes)
            return cubin_fail(c, "kernel %s: parameter %u lies beyond the parameter block", k->name, i);
    }
    return true;
}

/* Records of the whole file name a function by its symbol. The stack a thread needs is MIN_STACK_SIZE (frames of the
 * callees included); FRAME_SIZE is the kernel's own frame. */
static void file_record(struct cubin *c, const struct record *r)
{
    struct kernel *k = r->body.len >= 8 ? cubin_kernel_of_symbol(c, word(r, 0)) : NULL;
    if (!k)
        return;
    if (r->attr == INFO_REGCOUNT)
        k->nreg = word(r, 1);
    bool stack = r->attr == INFO_FRAME_SIZE || r->attr == INFO_MIN_STACK_SIZE || r->attr == INFO_MAX_STACK_SIZE;
    if (stack && word(r, 1) != (uint32_t)STACK_UNKNOWN) /* (see cubin_stack.c) */
        k->local_bytes = word(r, 1) > k->local_bytes ? word(r, 1) : k->local_bytes;
}

bool cubin_info(struct cubin *c)
{
    enum { MAX_LOCAL = 512 * 1024 }; /* CUDA programming guide: local memory a thread */
    int section = elf_find(&c->elf, ".nv.info");
    struct span s = section < 0 ? (struct span){0} : c->elf.sections[section].bytes;
    struct record r;
    bool broken = false;
    for (uint64_t at = 0; next_record(s, &at, &r, &broken);)
        file_record(c, &r);
    if (broken)
        return cubin_fail(c, "its .nv.info records are cut off");
    for (uint32_t i = 0; i < c->p->nkernel; i++) {
        struct kernel *k = &c->p->kernels[i];
        if (!kernel_records(c, k))
            return false;
        if (k->nreg == 0) /* older toolkits: the top byte of the code section's sh_info */
            k->nreg = c->elf.sections[c->text[i]].info >> 24;
        if (k->nreg == 0 || k->nreg > RZ)
            return cubin_fail(c, "kernel %s: register count %u", k->name, k->nreg);
        if (k->local_bytes > MAX_LOCAL)
            return cubin_fail(c, "kernel %s: %u bytes of local memory a thread", k->name, k->local_bytes);
    }
    return true;
}
