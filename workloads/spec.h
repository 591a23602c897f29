/* Private to workloads/: reading a launch spec. A node knows its document, since a spec may stand on another (`like:`). */
#ifndef HEDDLE_WORKLOADS_SPEC_H
#define HEDDLE_WORKLOADS_SPEC_H

#include "workloads/workloads.h"

struct yat {
    const struct ydoc *doc;
    const struct ynode *n; /* NULL: absent */
};
struct reader { /* a spec while it is being read */
    struct spec *s;
    const struct spec_options *o;
    struct error *err;
};

bool yat_fail(struct yat y, struct error *err, const char *fmt, ...) PRINTF_LIKE(3, 4);
struct yat yat_get(struct yat map, const char *key);
bool yat_kind(struct yat y, enum ykind kind, const char *what, struct error *err);
/* Every key of the map must be one of names; suggests the nearest. */
bool yat_keys(struct yat map, const char *const *names, size_t n, struct error *err);
bool yat_text(struct yat y, char **out, struct error *err); /* replaces *out */

/* Arithmetic over the spec's size parameters: + - * / % ^, parentheses, ceil floor min max log2. */
bool expr_eval(const struct spec *s, struct yat y, double *out, struct error *err);
bool expr_u64(const struct spec *s, struct yat y, uint64_t *out, struct error *err);
bool expr_u32(const struct spec *s, struct yat y, uint32_t *out, struct error *err);

bool read_params(struct reader *r);
bool read_buffers(struct reader *r, struct yat map);
bool read_launches(struct reader *r, struct yat root);
/* An argument {tensormap: {buffer, dims, box, ..}}. */
bool read_tensor_map(struct reader *r, struct yat y, struct spec_arg *a);
bool read_elem(struct yat y, enum elem *out, struct error *err);
bool read_buffer_name(struct reader *r, struct yat y, uint32_t *out);
bool read_expects(struct reader *r, struct yat map);
bool read_metrics(struct reader *r, struct yat map);
uint32_t spec_add_program(struct spec *s, const char *path); /* index; one entry a path */
const struct source *spec_source(const struct spec *s);

/* The tensor map as its argument says, of a buffer that has an address. */
struct tensor_map spec_tensor_map(const struct spec *s, const struct spec_arg *a);
/* Natural-alignment layout of a launch's arguments, or the kernel's own records. */
uint32_t spec_arg_offset(const struct spec *s, uint32_t launch, uint32_t arg); /* in the parameter block */
bool spec_check_args(const struct spec *s, uint32_t launch, struct error *err);
const struct reference *reference_find(const char *name);

#endif
