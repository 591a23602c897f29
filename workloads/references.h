/* Private to workloads/: the list of references (X computes a buffer, J judges one) and helpers that they share. */
#ifndef HEDDLE_WORKLOADS_REFERENCES_H
#define HEDDLE_WORKLOADS_REFERENCES_H

#include "workloads/spec.h"

#define HEDDLE_REFERENCES(X, J)                                                                    \
    X(vecadd, "z = x + y")                                                                         \
    X(saxpy, "y = fma(a, x, y)")                                                                   \
    X(relu, "y = x > 0 ? x : 0")                                                                   \
    X(gelu, "y = x / 2 (1 + tanh(0.79788456 (x + 0.044715 x^3))), in double")                      \
    X(divergence, "y = x > 0 ? sqrt(x) : x x")                                                     \
    X(divergence_long, "64 operations a round on either side")                                     \
    X(copy, "y[i] = x[i * stride + offset]")                                                       \
    X(shared_stride, "weighted sums of words read at a stride")                                    \
    X(reduce, "sums of 256, as a tree")                                                            \
    X(softmax, "exp(x - max) / sum of each row, in double")                                        \
    X(block_sums, "sum of each block's integers")                                                  \
    X(block_sums_seen, "the same, once a thread")                                                  \
    X(count, "how many threads")                                                                   \
    X(transpose, "y[c][r] = x[r][c]")                                                              \
    X(histogram, "how often each byte occurs")                                                     \
    X(matmul, "fp32 products summed in the order of k, fused")                                     \
    X(matmul_f16, "fp16 products summed in double")                                                \
    X(gemm, "a b in double, any types; rows padded to 16 bytes")                                   \
    X(gemm_turned, "a b' in double: b is n x k")                                                   \
    X(gemm_turned_fp8, "a b' as Hopper's tensor cores sum 8-bit floats, 32 products at a time")     \
    X(attention_f32, "softmax(scale q k^T) v of each head, in double")                             \
    X(sigmoids, "three sigmoids, one upon the other")                                              \
    X(sigmoids_gradient, "their gradient times dout, in double")                                   \
    X(attention, "softmax(q k^T / 8) v of each head, in double")                                   \
    X(chase, "where the ring of pointers leads")                                                   \
    X(ffma, "eight chains of fma(v, 0.5, a), summed")                                              \
    J(permutation, "every number from 0 to n - 1 once")                                            \
    J(racy_slots, "slot k holds a thread number that is k modulo 64")                              \
    J(racy_seen, "the poison, or a thread number that belongs to the next slot")

#define X(name, doc) reference_fn ref_##name;
#define J(name, doc) checker_fn judge_##name;
HEDDLE_REFERENCES(X, J)
#undef X
#undef J

/* Initial contents of the buffer called name. False: the spec has none, or of another type. */
bool ref_input(const struct spec *s, const void *const *init, const char *name, enum elem type, const void **data, uint64_t *count,
               struct error *err);
uint64_t ref_param(const struct spec *s, const char *name); /* a size parameter, 0 if absent */

#endif
