/* The table of references: what each output must be, computed on the CPU. A reference repeats the kernel's own
 * arithmetic in the same order where that is exact (fused where the compiler fuses), so the result must agree bit for
 * bit; where the kernel uses approximate functions it computes in double and the spec states the bound. */
#include "workloads/references.h"

#include <string.h>

const struct reference references[] = {
#define X(name, doc) {#name, doc, ref_##name, NULL},
#define J(name, doc) {#name, doc, NULL, judge_##name},
    HEDDLE_REFERENCES(X, J)
#undef X
#undef J
};
const uint32_t nreference = ARRAY_LEN(references);

const struct reference *reference_find(const char *name)
{
    for (uint32_t i = 0; i < nreference; i++)
        if (strcmp(references[i].name, name) == 0)
            return &references[i];
    return NULL;
}
