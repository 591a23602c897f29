/* What ends a run inside an SM, told so that the reader finds the line. */
#include "sim/sm_core.h"

#include <stdlib.h>

void add_instruction(struct sb *b, const struct launch_state *ls, uint32_t pc)
{
    const struct program *p = ls->launch.program;
    const struct inst *in = &ls->launch.kernel->code[pc];
    sb_addf(b, "pc 0x%x ", pc * INST_BYTES);
    if (in->line && p && in->file < p->nfile)
        sb_addf(b, "(%s:%u) ", p->files[in->file], in->line);
    sb_add(b, "`");
    inst_print(ls->env.arch, in, b);
    sb_add(b, "`");
}

static void add_where(struct sb *b, const struct sm *s, const struct slot *sl, uint32_t pc)
{
    const struct warp *w = &sl->w;
    sb_addf(b, "\n  kernel %s, ", sl->ls->launch.kernel->name);
    add_instruction(b, sl->ls, pc);
    sb_addf(b, "\n  block (%u,%u,%u), warp %u (threads %u..%u), SM %u, slot %u", w->ctaid[0], w->ctaid[1], w->ctaid[2],
            w->warp_in_block, w->first_thread, w->first_thread + lane_count(w->full) - 1, s->smid,
            (uint32_t)(sl - s->slot));
}

static void set_fault(struct sm *s, cycle now, struct sb *b)
{
    s->fault.set = true;
    s->fault.time = now;
    s->fault.status = EXIT_FAILED;
    snprintf(s->fault.text, sizeof s->fault.text, "%s", b->text);
    s->halted = true;
    sb_finish(b);
}

/* The first fault is kept. */
void fault_text(struct sm *s, cycle now, const struct slot *sl, uint32_t pc, const char *fmt, ...)
{
    if (s->halted)
        return;
    struct sb b = {0};
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    sb_add(&b, text);
    add_where(&b, s, sl, pc);
    sb_addf(&b, "\n  cycle %llu", (unsigned long long)now);
    set_fault(s, now, &b);
}

static void add_thread(struct sb *b, const struct slot *sl, uint32_t lane)
{
    const uint32_t *n = sl->w.env->block;
    uint32_t t = sl->w.first_thread + lane;
    sb_addf(b, ", thread (%u,%u,%u)", t % n[0], t / n[0] % n[1], t / n[0] / n[1]);
}

void fault_from_lsu(struct sm *s, cycle now)
{
    static const char *const spaces[] = {"global", "shared", "local", "constant", "generic", "cluster"};
    struct lsu_fault f = lsu_fault(s->lsu);
    const struct slot *sl = &s->slot[f.warp];
    struct sb b = {0};
    char near[256] = "";
    const char *space = f.space < ARRAY_LEN(spaces) ? spaces[f.space] : "memory";
    if (f.why)
        sb_add(&b, f.why);
    else if (f.misaligned)
        sb_addf(&b, "misaligned %u-byte %s access at 0x%llx", f.bytes, space, (unsigned long long)f.addr);
    else
        sb_addf(&b, "%u-byte %s access out of bounds at 0x%llx", f.bytes, space, (unsigned long long)f.addr);
    if (f.why)
        near[0] = 0;
    else if (f.space == SPACE_GLOBAL || f.space == SPACE_GENERIC)
        memory_describe(s->mem, f.addr, near, sizeof near);
    else if (f.space == SPACE_SHARED)
        snprintf(near, sizeof near, "the block has %u bytes of shared memory", sl->w.env->shared_bytes);
    else if (f.space == SPACE_LOCAL)
        snprintf(near, sizeof near, "a thread has %u bytes of local memory", sl->w.env->local_bytes);
    if (near[0])
        sb_addf(&b, ": %s", near);
    add_where(&b, s, sl, (uint32_t)(f.inst - sl->ls->launch.kernel->code));
    add_thread(&b, sl, f.lane);
    sb_addf(&b, "\n  cycle %llu", (unsigned long long)now);
    set_fault(s, now, &b);
}
