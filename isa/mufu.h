/* The function unit (MUFU): reciprocal, roots, exponential, logarithm, sine and cosine of revolutions, tanh, bit for
 * bit as a real GPU (H200) computes them. Sources and results are bit patterns; fn is a value of MOD_MUFU. */
#ifndef HEDDLE_ISA_MUFU_H
#define HEDDLE_ISA_MUFU_H

#include "base/base.h"

enum mufu_fn {
    MUFU_COS,
    MUFU_SIN,
    MUFU_EX2,
    MUFU_LG2,
    MUFU_RCP,
    MUFU_RSQ,
    MUFU_RCP64H,
    MUFU_RSQ64H,
    MUFU_SQRT,
    MUFU_TANH,
    MUFU_COUNT
};

/* Unpacks the recorded values that fn needs, once; call before the first mufu of that fn. */
void mufu_prepare(uint32_t fn);
uint32_t mufu(uint32_t fn, uint32_t x);
/* The recorded curve of RCP, RSQ, SQRT or EX2; of the roots, by the exponent's parity. */
struct series;
const struct series *mufu_curve(uint32_t fn, bool odd);
uint32_t mufu_f16(uint32_t fn, uint32_t x); /* a half in the low bits */
uint32_t mufu_bf16(uint32_t fn, uint32_t x);

#endif
