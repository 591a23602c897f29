/* Private to workloads/: NVIDIA's command-line profiler over this program, as a table. */
#ifndef HEDDLE_WORKLOADS_NCU_H
#define HEDDLE_WORKLOADS_NCU_H

#include "workloads/measure.h"

struct ncu_row { /* one profiled kernel */
    char *kernel;
    double *values;
};
struct ncu_spec { /* whose rows they are: the child says so as it goes */
    char *name, *size;
    size_t first, n;
    double seconds;
};
struct ncu_table { /* of one run of the profiler */
    char **columns;
    size_t ncolumn;
    struct ncu_row *rows;
    size_t n, cap;
    struct ncu_spec *specs;
    size_t nspec, spec_cap;
};
/* Runs the profiler over what o names, with these metrics (separated by commas); those that it does not know are taken
 * off the list. Whatever fails leaves the table empty and says so: the rest of the measurement stands. */
void ncu_run(struct ncu_table *t, const struct measure_options *o, char *metrics);
void ncu_free(struct ncu_table *t);
size_t ncu_column(const struct ncu_table *t, const char *name); /* ncolumn: it has none */
const struct ncu_spec *ncu_find(const struct ncu_table *t, const char *name, const char *size);
/* What the child prints when a spec's launches are done. */
void ncu_mark(const char *name, const char *size, size_t nrow);

#endif
