/* params.def as a table: how a parameter is found by its path, set from text and printed. */
#ifndef HEDDLE_SIM_CONFIG_TABLE_H
#define HEDDLE_SIM_CONFIG_TABLE_H

#include "sim/sim.h"

enum param_kind { KIND_U32, KIND_U64, KIND_F64, KIND_BOOL, KIND_STR, KIND_LIST, KIND_ENUM };
struct param_row {
    enum param_kind kind;
    size_t at, at_count;      /* offsets in struct config; at_count: of a list's length */
    const char *const *names; /* KIND_ENUM */
    size_t nname;
};
extern const struct param_row param_rows[]; /* parallel to param_table */

int param_find(const char *path); /* index, -1: none */
/* Index of the parameter stored in the given field of struct config. */
int param_of_field(size_t offset);
#define PARAM_OF(field) param_of_field(offsetof(struct config, field))
/* Nearest path to a wrong one, or nearest key below the same parent; NULL: nothing near. */
const char *param_suggest(const char *path);
/* Is there a parameter below this path ("sm.units")? */
bool param_is_group(const char *path);

/* A named config, or a file name: beside `beside` if that is given, else as it stands. NULL: not found. */
char *config_find(const char *name, const char *beside);
bool config_not_found(const char *name, struct error *err);

/* Checks that need the whole config. On failure *param is the one to blame. */
bool config_possible(const struct config *c, int *param, char *why, size_t cap);
void config_derive(struct config *c);

#endif
