/* Chooses the routine of an instruction: the family that knows the opcode, at the level this host has. */
#include "isa/exec.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

const uint32_t exec_zero_row[NLANE];

void exec_fault(struct issue *is, const char *fmt, ...)
{
    if (is->fault)
        return;
    is->fault = true;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(is->why, sizeof is->why, fmt, ap);
    va_end(ap);
}

static void exec_unsupported(struct warp *w, const struct inst *in, struct issue *is)
{
    (void)w;
    exec_fault(is, "%s is not supported", in->op < OP_COUNT ? op_table[in->op].text : "this opcode");
}

typedef exec_fn *family_fn(const struct inst *in);
#define X(name) exec_##name##_of_base,
static family_fn *const families_base[] = {EXEC_FAMILIES(X)};
#undef X
#ifdef EXEC_X86
#define X(name) exec_##name##_of_v3,
static family_fn *const families_v3[] = {EXEC_FAMILIES(X)};
#undef X
#define X(name) exec_##name##_of_v4,
static family_fn *const families_v4[] = {EXEC_FAMILIES(X)};
#undef X
#endif

static family_fn *const *level_families(enum exec_level level)
{
    if (level == EXEC_LEVEL_BASE)
        return families_base;
#ifdef EXEC_X86
    unsigned a, b, c1 = 0, c81 = 0, d; /* f16c and lzcnt: clang 14's __builtin_cpu_supports does not know them */
    __get_cpuid(1, &a, &b, &c1, &d);
    __get_cpuid(0x80000001, &a, &b, &c81, &d);
    __builtin_cpu_init();
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
              (c1 & bit_F16C) && (c81 & bit_LZCNT);
    if (level == EXEC_LEVEL_V3)
        return v3 ? families_v3 : NULL;
    if (v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        return families_v4;
#endif
    return NULL;
}

exec_fn *exec_of_level(const struct inst *in, enum exec_level level)
{
    family_fn *const *f = level_families(level);
    if (!f)
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(families_base); i++) {
        exec_fn *fn = f[i](in);
        if (fn)
            return fn;
    }
    return exec_unsupported;
}

exec_fn *exec_of(const struct inst *in)
{
    exec_fn *fn = exec_of_level(in, EXEC_LEVEL_V4);
    if (!fn)
        fn = exec_of_level(in, EXEC_LEVEL_V3);
    return fn ? fn : exec_of_level(in, EXEC_LEVEL_BASE);
}
