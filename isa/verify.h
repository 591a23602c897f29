/* What the verifier found, for whoever can show where. Private to isa/. */
#ifndef HEDDLE_ISA_VERIFY_H
#define HEDDLE_ISA_VERIFY_H

#include "isa/isa.h"

struct finding {
    const struct kernel *kernel; /* NULL: nothing found */
    uint32_t index;              /* instruction; kernel->n: the kernel as a whole */
    char text[300];
};
/* First mistake of a linked program; false: none. */
bool verify_find(const struct program *p, struct finding *f);

#endif
