/* Reading a cubin: what its files share. Private to isa/. */
#ifndef HEDDLE_ISA_CUBIN_H
#define HEDDLE_ISA_CUBIN_H

#include "isa/elf.h"

struct cubin {
    struct elf elf;
    struct program *p;
    uint32_t *text;        /* section of each kernel's code */
    struct error *err;
};
bool cubin_fail(struct cubin *c, const char *fmt, ...) PRINTF_LIKE(2, 3);
bool cubin_info(struct cubin *c);                     /* .nv.info records of every kernel */
bool cubin_banks(struct cubin *c);                    /* constant banks and their relocations, shared sizes */
bool cubin_globals(struct cubin *c);
bool cubin_symbols(struct cubin *c);
bool cubin_lines(struct cubin *c);                    /* .debug_line, if there */
bool cubin_join(struct cubin *c);                     /* separately compiled functions behind the kernels; addresses */
void cubin_stack(struct cubin *c);                    /* what calls need, where the records do not say it */
struct kernel *cubin_kernel_of_section(struct cubin *c, uint32_t section);
struct kernel *cubin_kernel_of_symbol(struct cubin *c, uint32_t symbol);

#endif
