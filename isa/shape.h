/* The operand slots of an opcode, from its shape in ops.def. Private to isa/. */
#ifndef HEDDLE_ISA_SHAPE_H
#define HEDDLE_ISA_SHAPE_H

#include "isa/isa.h"

struct slot {
    char kind;        /* letter of ops.def: R U P Q V W M I C S B D T G X L; 0: past the last */
    char wide;        /* '2', '4', 'n' or 0 */
    bool optional, dest, absent_false;
};
struct shape {
    struct slot slot[NOPERAND];
    unsigned n, ndest;
};
struct shape shape_of(enum op op);

#endif
