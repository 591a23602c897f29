/* Programs in device memory: module-scope variables placed, constant banks and code relocated. Private to sim/. */
#ifndef HEDDLE_SIM_LOADER_H
#define HEDDLE_SIM_LOADER_H

#include "sim/memory.h"

struct loader;
struct loader *loader_new(const struct config *c, struct memory *mem);
void loader_free(struct loader *l);
bool loader_load(struct loader *l, const struct program *p, struct error *err);
uint64_t loader_global(const struct loader *l, const struct program *p, const char *name); /* 0: none */
/* The kernel's constant banks with addresses filled in; NULL: the program was not loaded. */
const uint8_t *const *loader_banks(const struct loader *l, const struct program *p, const struct kernel *k);

/* Where the program's __constant__ variables (bank 3) lie as memory too, for pointers to them; placed when first asked
 * for. 0: it has none. False: no room. */
bool loader_constants(struct loader *l, const struct program *p, uint64_t *at, struct error *err);

#endif
