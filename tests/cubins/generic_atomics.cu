// Atomics of all types through generic addresses that mean shared memory in one lane and global memory in the next.
//   nvcc -arch=sm_90 -cubin -o generic_atomics.sm_90.cubin generic_atomics.cu
// Each lane has a word of its own, so the old and the new values are known without a GPU: tests/t_calls.c.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef unsigned u32;
typedef unsigned long long u64;

// g: 64 words for the lanes of global memory, 64 first words of shared memory, 64 operands
#define BODY(T, USE)                                                                                  \
    __shared__ T s[64];                                                                               \
    u32 t = threadIdx.x;                                                                              \
    s[t] = g[t + 64];                                                                                 \
    __syncthreads();                                                                                  \
    T *p = (t + k) & 1 ? &s[t ^ 1] : &g[t];                                                           \
    USE;                                                                                              \
    __syncthreads();                                                                                  \
    out[t + 64] = s[t];
#define BOTH(name, T, op)                                                                             \
    extern "C" __global__ void old_##name(T *g, T *out, int k) { BODY(T, out[t] = op(p, g[t + 128])) } \
    extern "C" __global__ void new_##name(T *g, T *out, int k) { BODY(T, op(p, g[t + 128])) }
__device__ u32 cas32(u32 *p, u32 v) { return atomicCAS(p, v, v + 1); }
__device__ u64 cas64(u64 *p, u64 v) { return atomicCAS(p, v, v + 1); }
__device__ unsigned short cas16(unsigned short *p, unsigned short v) { return atomicCAS(p, v, (unsigned short)(v + 1)); }

BOTH(add_s32, int, atomicAdd)
BOTH(add_u64, u64, atomicAdd)
BOTH(add_f32, float, atomicAdd)
BOTH(add_f64, double, atomicAdd)
BOTH(add_f16x2, __half2, atomicAdd)
BOTH(add_bf16x2, __nv_bfloat162, atomicAdd)
BOTH(add_f16, __half, atomicAdd)
BOTH(add_bf16, __nv_bfloat16, atomicAdd)
BOTH(min_s32, int, atomicMin)
BOTH(min_u32, u32, atomicMin)
BOTH(max_s64, long long, atomicMax)
BOTH(min_u64, u64, atomicMin)
BOTH(and_u64, u64, atomicAnd)
BOTH(or_u64, u64, atomicOr)
BOTH(xor_u64, u64, atomicXor)
BOTH(inc_u32, u32, atomicInc)
BOTH(dec_u32, u32, atomicDec)
BOTH(exch_s32, int, atomicExch)
BOTH(exch_u64, u64, atomicExch)
BOTH(cas_u32, u32, cas32)
BOTH(cas_u64, u64, cas64)
BOTH(cas_u16, unsigned short, cas16)
