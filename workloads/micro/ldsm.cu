// Loads of matrix fragments (ldmatrix): every warp loads 64 x 8 times; rows lie `stride` bytes apart, so stride 16 has no
// conflicts and stride 128 puts the eight rows of a matrix into one bank group. out[0] = cycles of the block.
#include "bench.cuh"

#define LOADED(name, access)                                                                                   \
    extern "C" __global__ void name(unsigned *out, int stride)                                                 \
    {                                                                                                          \
        __shared__ __align__(16) unsigned s[8192];                                                             \
        for (int k = threadIdx.x; k < 8192; k += blockDim.x)                                                   \
            s[k] = 0;                                                                                          \
        unsigned at = (unsigned)__cvta_generic_to_shared(s) + ((threadIdx.x & 31) * stride & 32767);           \
        unsigned x = 0, y = 0, z = 0, w = 0, t0 = 0;                                                           \
        _Pragma("unroll 1") for (int round = 0; round < 65; round++)                                           \
        {                                                                                                      \
            if (round == 1) {                                                                                  \
                __syncthreads();                                                                               \
                t0 = now();                                                                                    \
            }                                                                                                  \
            REP8(access)                                                                                       \
        }                                                                                                      \
        __syncthreads();                                                                                       \
        unsigned t1 = now();                                                                                   \
        if (threadIdx.x == 0)                                                                                  \
            out[0] = t1 - t0;                                                                                  \
        out[4 + threadIdx.x] = x + y + z + w;                                                                  \
    }
LOADED(ldsm_x1, asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(at) : "memory");)
LOADED(ldsm_x2, asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at) : "memory");)
LOADED(ldsm_x4, asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(at) : "memory");)
LOADED(ldsm_x4_trans, asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(at) : "memory");)
LOADED(stsm_x4, asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0, %1, %2, %3};" : "+r"(x), "+r"(y), "+r"(z), "+r"(w) : "r"(at) : "memory");)

// One warp, each load's address made of the one before it (zeros): cycles of 128.
#define CHAIN(name, access)                                                                                    \
    extern "C" __global__ void name(unsigned *out)                                                             \
    {                                                                                                          \
        __shared__ __align__(16) unsigned s[1024];                                                             \
        for (int k = threadIdx.x; k < 1024; k += blockDim.x)                                                   \
            s[k] = 0;                                                                                          \
        __syncthreads();                                                                                       \
        unsigned at = (unsigned)__cvta_generic_to_shared(s) + threadIdx.x * 16, x = 0, y = 0, z = 0, w = 0, t0 = 0, t1 = 0, t2 = 0; \
        _Pragma("unroll 1") for (int round = 0; round < 3; round++)                                            \
        {                                                                                                      \
            t0 = now();                                                                                        \
            REP32(access at += x;)                                                                             \
            t1 = now();                                                                                        \
            REP160(access at += x;)                                                                            \
            t2 = now();                                                                                        \
        }                                                                                                      \
        if (threadIdx.x == 0)                                                                                  \
            out[0] = (t2 - t1) - (t1 - t0);                                                                    \
        out[4 + threadIdx.x] = at + y + z + w;                                                                 \
    }
CHAIN(chain_x1, asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(at) : "memory");)
CHAIN(chain_x2, asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at) : "memory");)
CHAIN(chain_x4, asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(at) : "memory");)
CHAIN(chain_x4_trans, asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(at) : "memory");)
