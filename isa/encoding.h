/* The machine encoding as data: rows of encoding.def, parsed once. Decoder, encoder and listing
 * walk the same items, so they cannot disagree. Private to isa/. */
#ifndef HEDDLE_ISA_ENCODING_H
#define HEDDLE_ISA_ENCODING_H

#include "isa/isa.h"

enum item_kind {
    IT_MOD,      /* modifier field: value list in map[] */
    IT_MODSET,   /* the row implies a modifier value (sel); no bits */
    IT_TEXT,     /* literal part of the mnemonic; no bits */
    IT_SKIP,     /* operand slot that this form leaves empty */
    IT_REG, IT_UREG, IT_PRED, IT_UPRED, IT_BREG, IT_SB,
    IT_INT,      /* integer immediate, hexadecimal */
    IT_F32, IT_HALF2, IT_F64, /* 32-bit float immediates, printed as numbers */
    IT_CONST,    /* c[bank][offset], bank at 54:5 */
    IT_BINDLESS, /* cx[UR][offset] */
    IT_SREG, IT_TARGET, IT_MEM, IT_GDESC, IT_PR, IT_LIST,
};
enum item_flag {
    ITF_OMIT = 1,     /* not printed, slot empty, when it has its default value (PT, RZ) */
    ITF_OMIT_NOT = 2, /* the default is !PT */
    ITF_GLUE = 4,     /* blank instead of comma before it */
    ITF_SIGNED = 8,
    ITF_LOGIC_X = 16, /* the negation bit means ~ when modifier X is set */
    ITF_LOGIC = 32,   /* the negation bit means ~ */
    ITF_HIDE = 64,    /* modifier that is not printed */
    ITF_INVERTED = 256,   /* predicate number stored as 7 - n */
    ITF_REL = 128,    /* target printed as a displacement (beside a register) */
    ITF_SINGLE = 512,     /* half swizzle that may be .F32 */
};
enum target_kind { TGT_NEAR, TGT_FAR, TGT_ABS, TGT_LEPC };
enum { NO_BIT = 0xff, ITEM_MAP = 64, ROW_ITEMS = 28, NARCH = 5 };

struct enc_item {
    uint8_t kind;
    uint16_t flags;
    uint8_t slot;             /* operand slot */
    uint8_t pos, len;         /* first field */
    uint8_t pos2, len2;       /* second part, above the first; len2 0: none */
    uint8_t neg, abs, not_;   /* bits, NO_BIT: none */
    uint8_t sel, sel_len;     /* swizzle, byte or scale field (sel_len 0: none); IT_MODSET: value */
    uint8_t reuse;            /* bit of sched.reuse, NO_BIT: none */
    uint8_t mod;              /* IT_MOD: class */
    uint8_t cond;             /* 1 + modifier class: there only when that modifier is set; 0: always */
    uint8_t shift;            /* IT_INT: scale */
    uint8_t dflt;             /* IT_INT: value that an empty slot means */
    uint8_t base, ur, wide, desc; /* IT_MEM: register, uniform register, .64 bit, descriptor bit */
    uint8_t style;            /* byte selector spelling, target kind */
    uint8_t nmap;             /* IT_MOD: values listed */
    int8_t *map;              /* IT_MOD: field value -> modifier value, -1: not allowed */
    const char *text;         /* IT_TEXT */
};
struct enc_row {
    uint16_t op;
    uint16_t code;            /* bits 11:0 */
    uint32_t archs;           /* bit per arch_bit() */
    bool uniform_guard;
    bool power_of_two;        /* the immediate at 63:32 must be one (IMAD.SHL) */
    uint64_t fixed[2], fixed_mask[2]; /* bits with one legal value, opcode included */
    uint8_t nitem;
    struct enc_item item[ROW_ITEMS];
};
struct enc_table {
    struct enc_row *row;
    uint32_t n;
    uint32_t *by_code[4096];  /* indices of rows with these low bits, in table order */
    uint16_t ncode[4096];
};
const struct enc_table *enc_table(void);
unsigned arch_bit(enum arch a);

static inline uint64_t word_get(const uint64_t w[2], unsigned pos, unsigned len)
{
    if (len == 0)
        return 0;
    uint64_t v = pos >= 64 ? w[1] >> (pos - 64) : w[0] >> pos;
    if (pos < 64 && pos + len > 64)
        v |= w[1] << (64 - pos);
    return len >= 64 ? v : v & ((1ull << len) - 1);
}
static inline void word_put(uint64_t w[2], unsigned pos, unsigned len, uint64_t v)
{
    for (unsigned i = 0; i < len; i++) {
        uint64_t bit = 1ull << ((pos + i) & 63);
        uint64_t *x = &w[(pos + i) >> 6];
        *x = (v >> i & 1) ? *x | bit : *x & ~bit;
    }
}
static inline int64_t sign_extend(uint64_t v, unsigned len)
{
    uint64_t s = 1ull << (len - 1);
    return (int64_t)((v ^ s) - s);
}

/* Factors that the listing writes as a shift; 2^16 and the sign bit stay products there. */
static inline bool enc_is_shift(uint32_t imm)
{
    return imm > 1 && !(imm & (imm - 1)) && imm != 0x10000 && imm != 0x80000000u;
}

/* Whether an item is there, given the modifiers (its condition). */
static inline bool item_present(const struct enc_item *it, const struct inst *in)
{
    return it->cond == 0 || in->mod[it->cond - 1] != 0;
}
/* An address without any register is the offset itself, not a displacement. */
static inline bool mem_absolute(const struct enc_item *it, const struct operand *o)
{
    return it->len >= 24 && !(o->flags & (OPF_HAS_REG | OPF_HAS_UREG | OPF_HAS_DESC));
}
/* Row index that encodes the instruction, -1: none. */
int enc_find_row(enum arch a, const struct inst *in, uint32_t address, uint64_t w[2]);
void print_f32(uint32_t bits, struct sb *out);
void print_f64_high(uint32_t bits, struct sb *out);
void print_half(uint16_t bits, bool bfloat, struct sb *out);

#endif
