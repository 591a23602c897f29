/* The verifier: what must hold before a program may run. Execution indexes register rows without checking, so every
 * register an instruction covers must lie below the kernel's register count. */
#include "isa/verify.h"

#include <stdlib.h>
#include <string.h>

enum { NBAR = 16, MAX_CODE = 1 << 22, MAX_SHARED_STATIC = 1 << 20 };

static bool found(struct finding *f, const struct kernel *k, uint32_t index, const char *fmt, ...) PRINTF_LIKE(4, 5);
static bool found(struct finding *f, const struct kernel *k, uint32_t index, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(f->text, sizeof f->text, fmt, args);
    va_end(args);
    f->kernel = k;
    f->index = index;
    return true;
}

static bool is_wide_access(const struct inst *in)
{
    const char *size = mod_value_name(MOD_SIZE, in->mod[MOD_SIZE]);
    enum effect_class e = op_table[in->op].effect;
    return strstr(size, "128") && (e == EFF_LOAD || e == EFF_STORE);
}

static bool check_registers(struct finding *f, const struct kernel *k, uint32_t i, const struct regref *r, unsigned n)
{
    const struct inst *in = &k->code[i];
    for (; n; n--, r++) {
        if (r->file == RF_UR && r->first + r->count > URZ)
            return found(f, k, i, "UR%u to UR%u: there are UR0 to UR62", r->first, r->first + r->count - 1);
        if (r->file != RF_R)
            continue;
        if (r->count > 1 && r->first % 2)
            return found(f, k, i, "R%u begins a group of %u registers; such a group begins at an even number", r->first,
                         r->count);
        if (r->count == 4 && r->first % 4 && is_wide_access(in))
            return found(f, k, i, "R%u begins a group of 4 registers; such a group begins at a multiple of 4",
                         r->first);
        if (r->first + (unsigned)r->count > kernel_registers(k))
            return found(f, k, i, "R%u is used, but the kernel has %u registers", r->first + r->count - 1,
                         kernel_registers(k));
    }
    return false;
}

/* CALL, RET, BRX through a register: the target slot is a displacement to be added. */
static bool is_indirect(const struct inst *in)
{
    if (in->op != OP_BRX && in->op != OP_BRXU && in->op != OP_JMX && in->op != OP_RET && in->op != OP_CALL)
        return false;
    for (unsigned i = 0; i < NOPERAND; i++)
        if (in->opd[i].kind == OPD_REG || in->opd[i].kind == OPD_UREG)
            return true;
    return false;
}

static const struct operand *find_operand(const struct inst *in, enum operand_kind kind)
{
    for (unsigned i = 0; i < NOPERAND; i++)
        if (in->opd[i].kind == kind)
            return &in->opd[i];
    return NULL;
}

static bool check_target(struct finding *f, const struct kernel *k, uint32_t i)
{
    const struct inst *in = &k->code[i];
    const struct operand *t = find_operand(in, OPD_TARGET);
    if (!t || is_indirect(in) || in->op == OP_LEPC || in->op == OP_ULEPC)
        return false;
    if (t->imm < 0 || t->imm >= (int64_t)k->n * INST_BYTES)
        return found(f, k, i, "%s leads to 0x%llx, outside the kernel (0x0 to 0x%x)", op_table[in->op].text,
                     (unsigned long long)t->imm, (k->n - 1) * INST_BYTES);
    if (t->imm % INST_BYTES)
        return found(f, k, i, "%s leads to 0x%llx, between two instructions", op_table[in->op].text,
                     (unsigned long long)t->imm);
    return false;
}

/* A convergence register is waited for or left only where something in the kernel sets it. */
static bool check_convergence(struct finding *f, const struct kernel *k)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < k->n; i++)
        for (unsigned w = 0; w < k->code[i].nwrite; w++)
            if (k->code[i].writes[w].file == RF_B && k->code[i].op != OP_BREAK)
                set |= 1u << (k->code[i].writes[w].first % NBREG);
    for (uint32_t i = 0; i < k->n; i++) {
        const struct inst *in = &k->code[i];
        const struct operand *b = in->op == OP_BSYNC || in->op == OP_BREAK ? find_operand(in, OPD_BREG) : NULL;
        if (b && !(set >> b->reg % NBREG & 1))
            return found(f, k, i, "%s waits on B%u, but no BSSY of this kernel sets it", op_table[in->op].text, b->reg);
    }
    return false;
}

static bool check_block_barrier(struct finding *f, const struct kernel *k, uint32_t i)
{
    const struct inst *in = &k->code[i];
    if (in->op != OP_BAR)
        return false;
    if (in->opd[0].kind == OPD_IMM && (in->opd[0].imm < 0 || in->opd[0].imm >= NBAR))
        return found(f, k, i, "barrier %lld: a block has barriers 0 to 15", (long long)in->opd[0].imm);
    if (in->opd[1].kind == OPD_IMM && in->opd[1].imm % 32)
        return found(f, k, i, "a barrier for %lld threads: the number must be a multiple of the warp size",
                     (long long)in->opd[1].imm);
    return false;
}

static bool always(const struct inst *in)
{
    if (in->guard != PT || in->guard_not)
        return false;
    for (unsigned i = 0; i < NOPERAND; i++) {
        const struct operand *o = &in->opd[i];
        if ((o->kind == OPD_PRED || o->kind == OPD_UPRED) && (o->reg != PT || (o->flags & OPF_NOT)))
            return false;
    }
    return true;
}

/* Where control can go after instruction i: falls on, and branch targets. */
static bool falls_on(const struct inst *in)
{
    bool leaves = in->op == OP_EXIT || in->op == OP_KILL || in->op == OP_BRA || in->op == OP_JMP || in->op == OP_BRX ||
                  in->op == OP_BRXU || in->op == OP_JMX || in->op == OP_RET || in->op == OP_RTT;
    return !(leaves && always(in));
}

/* Marks what can be reached from the entry, the functions in the kernel, and every target. */
static uint8_t *reach(const struct kernel *k)
{
    uint8_t *seen = xcalloc(k->n, 1);
    uint32_t *stack = xcalloc(2 * (size_t)k->n + k->nsymbol + 1, sizeof *stack), top = 0;
    stack[top++] = 0;
    for (uint32_t i = 0; i < k->nsymbol; i++)
        stack[top++] = k->symbols[i].address / INST_BYTES;
    while (top) {
        uint32_t i = stack[--top];
        if (i >= k->n || seen[i])
            continue;
        seen[i] = 1;
        const struct inst *in = &k->code[i];
        const struct operand *t = find_operand(in, OPD_TARGET);
        if (t && !is_indirect(in) && t->imm >= 0)
            stack[top++] = (uint32_t)(t->imm / INST_BYTES);
        if (falls_on(in))
            stack[top++] = i + 1;
    }
    free(stack);
    return seen;
}

static bool check_end(struct finding *f, const struct kernel *k)
{
    uint8_t *seen = reach(k);
    bool bad = seen[k->n - 1] && falls_on(&k->code[k->n - 1]);
    free(seen);
    return bad && found(f, k, k->n - 1, "the code can run past the end of the kernel; end it with EXIT");
}

static bool check_kernel(struct finding *f, const struct kernel *k)
{
    if (k->n == 0)
        return found(f, k, 0, "the kernel has no instructions");
    if (k->n > MAX_CODE)
        return found(f, k, k->n, "%u instructions are more than this program takes", k->n);
    if (k->nreg == 0 || k->nreg > RZ)
        return found(f, k, k->n, "%u registers: a thread has 1 to 255", k->nreg);
    for (uint32_t i = 0; i < k->n; i++) {
        const struct inst *in = &k->code[i];
        if (check_registers(f, k, i, in->reads, in->nread) || check_registers(f, k, i, in->writes, in->nwrite) ||
            check_target(f, k, i) || check_block_barrier(f, k, i))
            return true;
    }
    return check_convergence(f, k) || check_end(f, k);
}

bool verify_find(const struct program *p, struct finding *f)
{
    f->kernel = NULL;
    for (uint32_t i = 0; i < p->nkernel; i++)
        if (check_kernel(f, &p->kernels[i]))
            return true;
    return false;
}

bool program_verify(const struct program *p, struct error *err)
{
    struct finding f;
    if (!verify_find(p, &f))
        return true;
    error_set(err, EXIT_BAD_INPUT, "%s: kernel %s", p->path, f.kernel->name);
    if (f.index < f.kernel->n)
        error_note(err, ", 0x%x", f.index * INST_BYTES);
    error_note(err, ": %s", f.text);
    return false;
}

static bool is_padding(const struct kernel *k, uint32_t i)
{
    const struct inst *in = &k->code[i];
    const struct operand *t = find_operand(in, OPD_TARGET);
    return in->op == OP_NOP || (in->op == OP_BRA && t && t->imm == (int64_t)i * INST_BYTES);
}

void program_warnings(const struct program *p, struct sb *out)
{
    for (uint32_t n = 0; n < p->nkernel; n++) {
        const struct kernel *k = &p->kernels[n];
        bool indirect = k->n == 0;
        for (uint32_t i = 0; i < k->n; i++)
            indirect = indirect || (is_indirect(&k->code[i]) && k->code[i].op != OP_RET);
        uint8_t *seen = indirect ? NULL : reach(k);
        for (uint32_t i = 0; seen && i < k->n; i++)
            if (!seen[i] && (i == 0 || seen[i - 1]) && !is_padding(k, i))
                sb_addf(out, "%s: kernel %s: no way leads to 0x%x\n", p->path, k->name, i * INST_BYTES);
        free(seen);
    }
}
