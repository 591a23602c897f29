/* The PTX writer: what its files share. Private to isa/. */
#ifndef HEDDLE_ISA_PTX_H
#define HEDDLE_ISA_PTX_H

#include "isa/isa.h"

struct ptx {
    const struct program *p;
    const struct kernel *k;
    const struct inst *in;
    struct sb body;
    unsigned ntemp, nwide, npred; /* %t, %d, %q in use */
    bool dynamic_shared, uses_shared;
    char pool[32][48]; /* operand texts of the instruction being written */
    unsigned npool;
    struct error *err;
};

/* A line under the instruction's guard. */
void ptx_line(struct ptx *x, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Why the instruction has no PTX form; returns false. */
bool ptx_refuse(struct ptx *x, const char *fmt, ...) PRINTF_LIKE(2, 3);
const char *ptx_temp(struct ptx *x, char kind); /* a fresh %t (32 bits), %d (64 bits), %q (predicate) */
const char *ptx_text(struct ptx *x, const char *fmt, ...) PRINTF_LIKE(2, 3);

enum ptx_kind { PTX_INT, PTX_F32, PTX_HALF, PTX_RAW };
/* Sources, with their negation and the like done. NULL: refused. */
const char *ptx_src(struct ptx *x, unsigned slot, enum ptx_kind kind);
const char *ptx_src64(struct ptx *x, unsigned slot, bool fp);
const char *ptx_pred(struct ptx *x, unsigned slot, bool absent); /* with ! */
const char *ptx_reg(struct ptx *x, unsigned n);                  /* %r5, or 0 */
/* Destinations: RZ and PT go to a sink. */
const char *ptx_dst(struct ptx *x, unsigned slot);
const char *ptx_dst_pred(struct ptx *x, unsigned slot);
void ptx_put64(struct ptx *x, unsigned slot, const char *wide);
const char *ptx_mod(const struct ptx *x, enum mod m); /* name of the modifier's value */

bool ptx_arith(struct ptx *x);  /* ptx_arith.c: integers, predicates, moves */
bool ptx_float(struct ptx *x);  /* ptx_float.c */
bool ptx_memory(struct ptx *x); /* ptx_memory.c: memory, warp-wide, barriers */
bool ptx_unknown(struct ptx *x);
extern const char *const ptx_bool[3]; /* and, or, xor */

#endif
