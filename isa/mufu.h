/* The function unit (MUFU): reciprocal, roots, exponential, logarithm, sine and cosine of revolutions, tanh.
 * Sources and results are bit patterns; fn is a value of MOD_MUFU. */
#ifndef HEDDLE_ISA_MUFU_H
#define HEDDLE_ISA_MUFU_H

#include "base/base.h"

enum mufu_fn { MUFU_COS, MUFU_SIN, MUFU_EX2, MUFU_LG2, MUFU_RCP, MUFU_RSQ, MUFU_RCP64H, MUFU_RSQ64H, MUFU_SQRT, MUFU_TANH, MUFU_COUNT };

uint32_t mufu(uint32_t fn, uint32_t x);
uint32_t mufu_f16(uint32_t fn, uint32_t x);  /* a half in the low bits */
uint32_t mufu_bf16(uint32_t fn, uint32_t x);
/* True if results of fn are correctly rounded ones that the hardware's may differ from in the last bits. */
bool mufu_approximate(uint32_t fn);

#endif
