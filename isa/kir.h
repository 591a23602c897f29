/* KIR text: what lexer, parser and printer share. Private to isa/.
 *
 * A file is a list of lines. `//` and `#` begin comments, and so does slash-star. A line holds a directive (.name ..), labels (name:) and at
 * most one instruction:  [@[!]P0] MNEMONIC.MOD.MOD operand, operand .. [;] [{stall 4, wr 0, wait 1|2}]
 * Mnemonics, modifiers and operand order are those of the machine listing: the parser walks the rows of
 * encoding.def, so each instruction has a machine form. */
#ifndef HEDDLE_ISA_KIR_H
#define HEDDLE_ISA_KIR_H

#include "isa/encoding.h"

enum tok_kind { TOK_END, TOK_NEWLINE, TOK_WORD, TOK_STRING, TOK_PUNCT };
struct token {
    enum tok_kind kind;
    const char *text; /* in the source, not terminated; without quotes */
    uint32_t len;
    bool joined;      /* nothing between it and the token before */
    struct srcpos at;
};
bool kir_lex(const struct source *src, struct token **out, uint32_t *n, struct error *err);
bool tok_is(const struct token *t, const char *text); /* word or punctuation */

/* Names inside one kernel. */
enum name_class { NAME_R, NAME_UR, NAME_P, NAME_UP, NAME_B };
struct kir_name {
    char *name;
    enum name_class file;
    int fixed;         /* register it stands for, -1: chosen at the kernel's end */
    uint32_t width;    /* registers, from its uses */
};
struct kir_use { /* an operand field that holds a named register */
    uint32_t inst, name;
    uint8_t slot, field, add;  /* slot GUARD_SLOT: the guard */
};
enum { USE_REG, USE_UREG, USE_DESC, GUARD_SLOT = 255 };
struct kir_label { char *name; uint32_t index; struct srcpos at; };
struct kir_jump { uint32_t inst; uint8_t slot; char *name; struct srcpos at; };
struct kir_value { char *name; int64_t value; }; /* .equ, shared arrays */

struct kir {
    const struct source *src;
    struct token *tok;
    uint32_t ntok, pos;
    struct program *p;
    struct error *err;
    struct kernel *k;      /* being read; NULL before the first .kernel */
    bool regs_given, barriers_given, params_given, own_lines;
    uint32_t line, file;   /* .loc in force */
    const struct token *guard_name; /* @%p of the instruction being read */
    struct kir_name *names;
    uint32_t nname;
    struct kir_use *uses;
    size_t nuse, cuse;
    struct kir_label *labels;
    uint32_t nlabel;
    struct kir_jump *jumps;
    uint32_t njump;
    struct kir_value *values;
    uint32_t nvalue;
    struct srcpos *where;  /* of each instruction of the kernel */
    size_t cwhere, ccode;
    struct sb data;        /* bytes of the last .bank or .global */
    uint8_t **data_to;     /* where they go at its end */
    uint64_t data_room;
};

/* An attempt to read an instruction as one row; the one that got furthest explains a failure. */
struct kir_attempt {
    struct kir *s;
    const struct enc_row *row;
    struct inst in;
    uint32_t pos;
    uint32_t best;     /* token */
    bool about_value;  /* `why` is about a value, not about its kind */
    char why[400];
};
bool kir_fail(struct kir *s, const struct token *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* kir_parse.c: reading along a line */
struct token *kir_peek(struct kir *s);
bool kir_eat(struct kir *s, const char *text);
bool kir_at_line_end(struct kir *s);
bool kir_u64(struct kir *s, uint64_t most, uint64_t *out);
bool kir_u32(struct kir *s, uint64_t most, uint32_t *out);
bool kir_word(struct kir *s, char **out); /* a name; owned by the caller */
bool kir_in_kernel(struct kir *s, const struct token *t);
bool kir_begin_kernel(struct kir *s);
bool kir_directive(struct kir *s);                    /* kir_directive.c */
bool kir_end_data(struct kir *s, const struct token *t);
bool kir_instruction(struct kir *s);                  /* kir_inst.c: from s->pos to the end of the line */
bool kir_operand(struct kir_attempt *a, const struct enc_item *it); /* kir_operand.c */
/* kir_operand.c, kir_address.c: pieces of an operand */
struct regword { /* R12.64.X4, %addr.hi, .reuse */
    const char *name;
    uint32_t len;
    const char *rest, *end; /* suffixes, from a dot on */
};
const struct token *attempt_peek(const struct kir_attempt *a);
bool attempt_eat(struct kir_attempt *a, const char *text);
bool attempt_want(struct kir_attempt *a, const char *text);
bool attempt_integer(struct kir_attempt *a, int64_t *out);
bool attempt_fits(struct kir_attempt *a, int64_t v, unsigned len, bool is_signed);
struct regword regword_split(const struct token *t);
bool regword_suffix(struct regword *w, const char *text);
/* Register of a file at the current word; suffixes are left in *w. */
bool attempt_reg(struct kir_attempt *a, enum name_class file, uint8_t slot, uint8_t field, uint8_t *out, struct regword *w);
bool attempt_no_more(struct kir_attempt *a, const struct regword *w);
bool attempt_memory(struct kir_attempt *a, const struct enc_item *it, struct operand *o);
bool attempt_constant(struct kir_attempt *a, const struct enc_item *it, struct operand *o);
bool attempt_bindless(struct kir_attempt *a, const struct enc_item *it, struct operand *o);
bool attempt_fail(struct kir_attempt *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
bool attempt_fail_value(struct kir_attempt *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
bool kir_number(const struct token *t, bool negative, int64_t *out);
bool kir_find_value(const struct kir *s, const struct token *t, int64_t *out);
/* kir_names.c */
bool kir_name_use(struct kir_attempt *a, enum name_class file, const char *name, uint32_t len, uint8_t slot, uint8_t field,
                  uint8_t add);
bool kir_names_resolve(struct kir *s);

/* Fields of a floating immediate as text and back; false: no such text. */
bool kir_float_bits(enum item_kind kind, bool bfloat, const char *text, uint32_t *bits);

#endif
