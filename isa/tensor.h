/* Matrix multiply-accumulate on unpacked tiles: the arithmetic, without how operands lie in registers or memory.
 *
 * The model is the published bit-exact one (MMA-Sim, arXiv 2511.10909): products are exact; every addend, the
 * accumulator included, is cut toward zero to `fraction` bits below the largest exponent; the sum is exact; a float
 * result is cut toward zero, a half result rounded to nearest. */
#ifndef HEDDLE_ISA_TENSOR_H
#define HEDDLE_ISA_TENSOR_H

#include "isa/float.h"

enum tensor_format { TENSOR_F16, TENSOR_BF16, TENSOR_TF32, TENSOR_E4M3, TENSOR_E5M2 };
enum { TENSOR_ROWS = 16, TENSOR_K = 32, TENSOR_N = 256, TENSOR_CHUNK = 16 };

/* 16 rows of A, n columns of B; element bit patterns. n may be any multiple of 8 (columns are padded to 16). */
struct tensor_tile {
    uint32_t n, k;
    uint32_t step; /* products summed at once: k, or a part of it */
    uint32_t fraction;
    enum tensor_format fa, fb;
    bool half_result; /* c and d are halves */
    bool short_result; /* floats with 13 fraction bits: warpgroup products of 8-bit floats */
    bool neg_a, neg_b;
    uint32_t a[TENSOR_ROWS][TENSOR_K];
    uint32_t b[TENSOR_K][TENSOR_N];
    uint32_t c[TENSOR_ROWS][TENSOR_N]; /* in: accumulator; out: result */
};
void EXEC_SYM(tensor_multiply)(struct tensor_tile *t);
/* How the tensor core of an architecture sums: fraction bits and products at once for k products of a format. */
void tensor_arithmetic(enum arch arch, enum tensor_format f, uint32_t k, uint32_t *fraction, uint32_t *step);

/* One warp's part of HGMMA and its like: in exec_gmma.c. */
exec_fn *EXEC_SYM(exec_gmma_of)(const struct inst *in);

#endif
