/* Name tables made from ops.def and arch.def: opcodes, units, effects, modifiers, special registers. */
#include "isa/isa.h"

const struct op_info op_table[OP_COUNT] = {
#define OP(id, text, unit, effect, shape, doc) {#id, text, shape, doc, UNIT_##unit, EFF_##effect},
#include "isa/ops.def"
};

const char *const unit_names[UNIT_COUNT] = {
#define X(id, text, doc) text,
    HEDDLE_UNITS(X)
#undef X
};

const char *const effect_names[EFF_COUNT] = {
#define X(id, doc) #id,
    HEDDLE_EFFECTS(X)
#undef X
};

/* Each class has its own array of value names, then a table of the arrays. */
#define MOD(id, ...) static const char *const mod_values_##id[] = {__VA_ARGS__};
#include "isa/ops.def"

struct mod_info {
    const char *name;
    const char *const *values;
    unsigned count;
};
static const struct mod_info mod_table[MOD_COUNT] = {
#define MOD(id, ...) {#id, mod_values_##id, ARRAY_LEN(mod_values_##id)},
#include "isa/ops.def"
};

const char *mod_name(enum mod m)
{
    return mod_table[m].name;
}

const char *mod_value_name(enum mod m, unsigned v)
{
    must(v < mod_table[m].count);
    return mod_table[m].values[v];
}

unsigned mod_value_count(enum mod m)
{
    return mod_table[m].count;
}

static const struct arch_info arch_table[] = {
#define ARCH(id, param_base, shared_base, desc_offset) {ARCH_##id, param_base, shared_base, desc_offset},
#include "isa/arch.def"
};

const struct arch_info *arch_info(enum arch a)
{
    for (size_t i = 0; i < ARRAY_LEN(arch_table); i++)
        if (arch_table[i].arch == a)
            return &arch_table[i];
    return NULL;
}

const char *sreg_name(unsigned n)
{
    static const char *const named[256] = {
#define SREG(n, text) [n] = text,
#include "isa/sregs.def"
    };
    return n < ARRAY_LEN(named) ? named[n] : NULL;
}
