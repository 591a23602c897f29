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
/* The recorded curves of RCP, RSQ, SQRT or EX2 as a row of lanes reads them: the roots have two, by the exponent's
 * parity, the others the same one twice. Segment k of curve c is at c * MUFU_SEGMENTS + k, the bits of mufu_table.h's
 * remainders at c * MUFU_REST_WORDS. */
enum { MUFU_SEGMENT_BITS = 16, MUFU_SEGMENTS = 1 << (23 - MUFU_SEGMENT_BITS), MUFU_REST_WORDS = 1 << (23 - 5) };
struct mufu_curves {
    int64_t c0[2 * MUFU_SEGMENTS], c1[2 * MUFU_SEGMENTS];
    int32_t c2[2 * MUFU_SEGMENTS], y0[2 * MUFU_SEGMENTS];
    uint32_t unsure[2][2]; /* struct series' `unsure`, low and high half */
    uint32_t *rest;        /* a bit for each argument */
};
const struct mufu_curves *mufu_curves(uint32_t fn); /* of an fn that mufu_prepare has seen */
uint32_t mufu_f16(uint32_t fn, uint32_t x); /* a half in the low bits */
uint32_t mufu_bf16(uint32_t fn, uint32_t x);

#endif
