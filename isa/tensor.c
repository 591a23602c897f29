/* How each generation's tensor core sums products (MMA-Sim, arXiv 2511.10909). */
#include "isa/tensor.h"

void tensor_arithmetic(enum arch arch, enum tensor_format f, uint32_t k, uint32_t *fraction, uint32_t *step)
{
    bool fp8 = f == TENSOR_E4M3 || f == TENSOR_E5M2;
    *step = k;
    switch (arch) {
    case ARCH_SM75:
        *fraction = 24;
        break;
    case ARCH_SM80:
    case ARCH_SM86:
    case ARCH_SM89: {
        uint32_t most = fp8 ? 16 : f == TENSOR_TF32 ? 4 : 8; /* longer ones are done in two steps */
        *fraction = fp8 ? 13 : 24;
        *step = k < most ? k : most;
        break;
    }
    default:
        *fraction = fp8 ? 13 : 25;
        break;
    }
}
