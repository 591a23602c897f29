/* Linking: how many registers each operand covers, which registers an instruction reads and writes, and the routine
 * that executes it. All of it follows from the shape and the modifiers. */
#include "isa/exec.h"
#include "isa/shape.h"

#include <string.h>

struct shape shape_of(enum op op)
{
    struct shape s = {0};
    bool dest = true;
    for (const char *p = op_table[op].shape; *p; p++) {
        struct slot *last = s.n ? &s.slot[s.n - 1] : NULL;
        if (*p == '|') {
            dest = false;
        } else if (*p >= 'A' && *p <= 'Z') {
            must(s.n < NOPERAND);
            s.slot[s.n++] = (struct slot){.kind = *p, .dest = dest};
            s.ndest += dest;
        } else if (*p != ' ') {
            must(last);
            if (*p == '?')
                last->optional = true;
            else if (*p == '!')
                last->absent_false = true;
            else
                last->wide = *p;
        }
    }
    return s;
}

/* Registers of a memory operand's data: SIZE of loads and stores, ATYPE of atomics. */
static uint8_t data_width(const struct inst *in)
{
    switch (in->op) {
    case OP_ATOMG:
    case OP_ATOM:
    case OP_ATOMS:
    case OP_RED:
    case OP_REDAS: {
        static const uint8_t words[] = {1, 1, 2, 2, 1, 1, 2, 1, 4, 1, 2,
                                        2, 4, 2, 4, 2, 4, 1, 2, 4, 1, 1}; /* order of ATYPE */
        uint8_t t = in->mod[MOD_ATYPE];
        return t < sizeof words ? words[t] : 1;
    }
    case OP_LDSM:
    case OP_STSM:
        return (uint8_t)(1u << (in->mod[MOD_LDSMNUM] & 3));
    default: {
        static const uint8_t words[] = {1, 1, 1, 1, 1, 2, 4, 4}; /* order of SIZE */
        uint8_t t = in->mod[MOD_SIZE];
        return t < sizeof words ? words[t] : 1;
    }
    }
}

/* Matrix fragments of one warp: registers a lane of A, B, and of C and D. (PTX ISA, matrix fragments of mma.) */
static void mma_widths(const struct inst *in, uint8_t w[4])
{
    static const struct {
        const char *shape;
        uint8_t a, b, c;
    } half[] =
        {
            {"1684", 2, 1, 4}, {"1688", 2, 1, 4}, {"16816", 4, 2, 4}, {"16832", 4, 4, 4}, {"884", 2, 2, 8},
        },
      tf32[] = {{"1684", 2, 1, 4}, {"1688", 4, 2, 4}, {"16816", 4, 4, 4}},
      integer[] =
          {
              {"8816", 1, 1, 2},  {"8832", 1, 1, 2},  {"16816", 2, 1, 4},  {"16832", 4, 2, 4},
              {"16864", 4, 2, 4}, {"88128", 1, 1, 2}, {"168128", 2, 1, 4}, {"168256", 4, 2, 4},
          },
      fp64[] = {{"", 2, 2, 4}, {"884", 2, 2, 4}, {"16x8x4", 4, 2, 8}, {"16x8x8", 8, 4, 8}, {"16x8x16", 16, 8, 8}};
    bool tf = in->op == OP_HMMA && strcmp(mod_value_name(MOD_MMATYPE, in->mod[MOD_MMATYPE]), "TF32") == 0;
    const void *table = in->op == OP_HMMA   ? (tf ? (const void *)tf32 : half)
                        : in->op == OP_DMMA ? (const void *)fp64
                                            : integer;
    size_t n = in->op == OP_HMMA   ? (tf ? ARRAY_LEN(tf32) : ARRAY_LEN(half))
               : in->op == OP_DMMA ? ARRAY_LEN(fp64)
                                   : ARRAY_LEN(integer);
    const char *shape = mod_value_name(MOD_MMASHAPE, in->mod[MOD_MMASHAPE]);
    w[0] = w[3] = 4;
    w[1] = 4;
    w[2] = 2;
    for (size_t i = 0; i < n; i++) {
        const typeof(half[0]) *row = (const typeof(half[0]) *)table + i;
        if (strcmp(row->shape, shape) != 0)
            continue;
        w[1] = row->a;
        w[2] = row->b;
        w[0] = w[3] = row->c;
    }
    bool f16 = strcmp(mod_value_name(MOD_MMADST, in->mod[MOD_MMADST]), "F16") == 0;
    if (in->op == OP_HMMA && f16 && w[0] == 4)
        w[0] = w[3] = 2; /* packed halves */
}

/* A warpgroup's accumulators: 64 x N values over 128 lanes. */
static uint8_t gmma_accumulators(const struct inst *in)
{
    unsigned n = 8u * (in->mod[MOD_GMMAN] + 1u);
    bool f16 = strcmp(mod_value_name(MOD_MMADST, in->mod[MOD_MMADST]), "F16") == 0;
    return (uint8_t)(f16 ? n / 4 : n / 2);
}

static bool is_wide_type(uint8_t t) /* DTYPE and CTYPE */
{
    static const char *const wide[] = {"F64", "U64", "S64"};
    const char *name = mod_value_name(MOD_DTYPE, t);
    for (size_t i = 0; i < ARRAY_LEN(wide); i++)
        if (strcmp(name, wide[i]) == 0)
            return true;
    return false;
}

/* Width of slot i of a register or value kind, where the shape alone does not say it. */
static uint8_t special_width(const struct inst *in, const struct shape *s, unsigned i, uint8_t width)
{
    bool dest = s->slot[i].dest;
    uint8_t mma[4];
    switch (in->op) {
    case OP_DADD:
    case OP_DMUL:
    case OP_DFMA:
    case OP_DSETP:
        return s->slot[i].kind == 'P' ? 1 : 2;
    case OP_HMMA:
    case OP_IMMA:
    case OP_BMMA:
    case OP_DMMA:
        mma_widths(in, mma);
        return i < 4 ? mma[i] : 1;
    case OP_HGMMA:
    case OP_IGMMA:
    case OP_QGMMA:
    case OP_BGMMA:
        if (i == 0 || i == 3)
            return gmma_accumulators(in);
        if (in->opd[i].kind == OPD_GDESC)
            return 4; /* A's descriptor and B's; with A in registers the first pair is unused */
        return i == 1 && in->opd[i].kind == OPD_REG ? 4 : 1; /* A from registers; metadata of a sparse one */
    case OP_F2F:
    case OP_F2I:
    case OP_I2F:
    case OP_FRND:
        if (in->op == OP_FRND)
            return is_wide_type(in->mod[MOD_DTYPE]) ? 2 : 1;
        return is_wide_type(in->mod[dest ? MOD_DTYPE : MOD_CTYPE]) ? 2 : 1;
    case OP_ATOMG:
    case OP_ATOM:
    case OP_ATOMS:
        return s->slot[i].kind == 'R' ? data_width(in) : width; /* compare and swap words alike */
    case OP_CS2R:
        return in->mod[MOD_W32] ? 1 : 2;
    case OP_ULDC:
        return data_width(in);
    case OP_MATCH:
        return !dest && in->mod[MOD_U64] ? 2 : 1;
    case OP_UIADD3_64:
        return 2;
    case OP_UIMAD_WIDE:
        return dest || i == s->ndest + 2 ? 2 : 1;
    case OP_ULEPC:
        return 2;
    case OP_BRX:
    case OP_JMX:
    case OP_RET:
    case OP_CALL:
    case OP_BRXU:
        return 2;  /* a code address */
    case OP_SYNCS: /* state tokens and exchanged words are pairs; counts and parities single registers */
        return dest || !strcmp(mod_value_name(MOD_SYNCS, in->mod[MOD_SYNCS]), "EXCH") ? 2 : 1;
    case OP_UBLKCP:
    case OP_UBLKPF:
    case OP_UBLKRED:
    case OP_UTMACCTL:
        return i < 2 ? 2 : 1; /* an address, or shared address and mbarrier; a size */
    case OP_UTMALDG:
    case OP_UTMASTG:
    case OP_UTMAREDG:
    case OP_UTMAPF: /* shared address, mbarrier, coordinates; a map */
        return i ? 2 : (uint8_t)(in->mod[MOD_DIM] + (in->op == OP_UTMALDG ? 2 : in->op == OP_UTMAPF ? 0 : 1));
    default:
        return width;
    }
}

static uint8_t slot_width(const struct inst *in, const struct shape *s, unsigned i)
{
    uint8_t width = s->slot[i].wide == '2' ? 2 : s->slot[i].wide == '4' ? 4 : 1;
    if (s->slot[i].wide == 'n' || in->op == OP_LDSM || in->op == OP_STSM)
        width = data_width(in);
    return special_width(in, s, i, width);
}

/* 64-bit address registers: generic and global accesses (modifier E) unless the register is a 32-bit index. */
static uint8_t address_width(const struct inst *in, unsigned slot)
{
    const struct operand *o = &in->opd[slot];
    if (o->flags & OPF_64)
        return 2;
    if (o->flags & OPF_U32)
        return 1;
    bool shared_side = in->op == OP_LDGSTS && slot == 0;
    return in->mod[MOD_E] && !shared_side ? 2 : 1;
}

struct sets {
    struct inst *in;
    bool writing;
};

static void add(struct sets *s, enum regfile f, unsigned first, unsigned count, unsigned zero)
{
    struct inst *in = s->in;
    struct regref r = {.file = (uint8_t)f, .first = (uint8_t)first, .count = (uint8_t)count};
    if (first == zero)
        return;
    if (s->writing && in->nwrite < ARRAY_LEN(in->writes))
        in->writes[in->nwrite++] = r;
    if (!s->writing && in->nread < ARRAY_LEN(in->reads))
        in->reads[in->nread++] = r;
}

static void add_address(struct sets *s, unsigned slot)
{
    struct operand *o = &s->in->opd[slot];
    struct sets reading = {s->in, false};
    bool global = s->in->mod[MOD_E] != 0;
    if (o->flags & OPF_HAS_REG)
        add(&reading, RF_R, o->reg, o->width, RZ);
    if (o->flags & OPF_HAS_UREG)
        add(&reading, RF_UR, o->ureg, global && !(s->in->op == OP_LDGSTS && slot == 0) ? 2 : 1, URZ);
    if (o->flags & OPF_HAS_DESC)
        add(&reading, RF_UR, o->desc, 2, URZ);
}

static void add_operand(struct sets *s, unsigned slot)
{
    struct operand *o = &s->in->opd[slot];
    switch (o->kind) {
    case OPD_REG:
        add(s, RF_R, o->reg, o->width, RZ);
        break;
    case OPD_UREG:
        add(s, RF_UR, o->reg, o->width, URZ);
        break;
    case OPD_PRED:
        add(s, RF_P, o->reg, 1, PT);
        break;
    case OPD_UPRED:
        add(s, RF_UP, o->reg, 1, PT);
        break;
    case OPD_BREG:
        add(s, RF_B, o->reg, 1, NBREG);
        break;
    case OPD_GDESC:
        add(s, RF_UR, o->reg, o->width, URZ);
        break;
    case OPD_CONST:
        if (o->flags & OPF_HAS_REG)
            add(s, RF_R, o->reg, 1, RZ);
        if (o->flags & OPF_HAS_UREG)
            add(s, RF_UR, o->ureg, 1, URZ);
        break;
    case OPD_BINDLESS:
        add(s, RF_UR, o->ureg, 2, URZ);
        break;
    case OPD_MEM:
        add_address(s, slot);
        break;
    case OPD_PR: /* all of P0..P6, or UP0..UP6 */
        add(s, op_table[s->in->op].unit == UNIT_UNIFORM ? RF_UP : RF_P, 0, PT, PT);
        break;
    default:
        break;
    }
}

void inst_link(struct inst *in)
{
    struct shape s = shape_of((enum op)in->op);
    in->nread = in->nwrite = 0;
    for (unsigned i = 0; i < s.n; i++) {
        struct operand *o = &in->opd[i];
        o->width = o->kind == OPD_NONE ? 0 : o->kind == OPD_MEM ? address_width(in, i) : slot_width(in, &s, i);
        struct sets set = {in, s.slot[i].dest};
        add_operand(&set, i);
    }
    struct sets reading = {in, false};
    if (in->op == OP_BREAK) { /* the lanes leave the register: it is read and written */
        struct sets writing = {in, true};
        add_operand(&writing, 1);
    }
    add(&reading, in->guard_uniform ? RF_UP : RF_P, in->guard, 1, PT);
    in->exec = exec_of(in);
}

static void link_one(struct kernel *k, struct inst *in)
{
    inst_link(in);
    if (in->op == OP_USETMAXREG && in->opd[1].kind == OPD_IMM && in->opd[1].imm > k->nreg_later)
        k->nreg_later = in->opd[1].imm < RZ ? (uint32_t)in->opd[1].imm : RZ;
}

bool program_link(struct program *p, struct error *err)
{
    (void)err;
    for (uint32_t k = 0; k < p->nkernel; k++)
        for (uint32_t i = 0; i < p->kernels[k].n; i++)
            link_one(&p->kernels[k], &p->kernels[k].code[i]);
    return true;
}
