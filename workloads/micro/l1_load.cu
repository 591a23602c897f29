// Global memory that hits in L1, under load: every warp reads (or writes) 64 x 8 times at a lane stride, each time 128
// bytes further; out[0] = cycles of the block. The first round brings the lines. Results are added up, so that none is
// dropped. And how fast one warp may issue memory instructions.
#include "bench.cuh"

#define LOADED(name, bytes, access)                                                                \
    extern "C" __global__ void name(unsigned *out, char *in, int stride)                           \
    {                                                                                              \
        char *at = in + ((threadIdx.x & 31) * stride * bytes & 32767);                             \
        unsigned sum = 0, t0 = 0;                                                                  \
        _Pragma("unroll 1") for (int round = 0; round < 65; round++)                               \
        {                                                                                          \
            if (round == 1) {                                                                      \
                __syncthreads();                                                                   \
                t0 = now();                                                                        \
            }                                                                                      \
            uint4 v[8] = {};                                                                       \
            access(0) access(1) access(2) access(3) access(4) access(5) access(6) access(7)        \
            _Pragma("unroll") for (int k = 0; k < 8; k++) sum += v[k].x + v[k].y + v[k].z + v[k].w; \
        }                                                                                          \
        __syncthreads();                                                                           \
        unsigned t1 = now();                                                                       \
        if (threadIdx.x == 0)                                                                      \
            out[0] = t1 - t0;                                                                      \
        out[4 + threadIdx.x] = sum;                                                                \
    }
#define LD8(k) asm volatile("ld.global.u8 %0, [%1+" #k "*128];" : "=r"(v[k].x) : "l"(at) : "memory");
#define LD32(k) asm volatile("ld.global.u32 %0, [%1+" #k "*128];" : "=r"(v[k].x) : "l"(at) : "memory");
#define LD64(k) asm volatile("ld.global.v2.u32 {%0, %1}, [%2+" #k "*128];" : "=r"(v[k].x), "=r"(v[k].y) : "l"(at) : "memory");
#define LD128(k) asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4+" #k "*128];" : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w) : "l"(at) : "memory");
#define ST32(k) asm volatile("st.global.u32 [%0+" #k "*128], %1;" ::"l"(at), "r"(sum) : "memory");
#define ST128(k) asm volatile("st.global.v4.u32 [%0+" #k "*128], {%1, %1, %1, %1};" ::"l"(at), "r"(sum) : "memory");
// One broadcast load and one of 128 bytes in turn, as a matrix product makes them.
#define PAIR(k) asm volatile("ld.global.u32 %0, [%2+" #k "*128];\n\tld.global.u32 %1, [%3+" #k "*128];" : "=r"(v[k].x), "=r"(v[k].y) : "l"(at), "l"(in) : "memory");
LOADED(ldg8, 1, LD8)
LOADED(ldg32, 4, LD32)
LOADED(ldg64, 8, LD64)
LOADED(ldg128, 16, LD128)
LOADED(stg32, 4, ST32)
LOADED(stg128, 16, ST128)
LOADED(ldg_pair, 4, PAIR)

// issue_NAME: one warp; out[n] = cycles from before the first to after the issue of the n-th of 16 accesses (n from 1),
// out[0] = two clock reads alone. Nobody waits for the results before the last clock.
#define CLOCKED(n, access) access(n); t[n] = now();
#define ISSUE(name, access)                                                                        \
    extern "C" __global__ void issue_##name(unsigned *out, unsigned *in)                           \
    {                                                                                              \
        __shared__ unsigned s[1024];                                                               \
        unsigned v[17] = {0}, t[18], at = (unsigned)__cvta_generic_to_shared(s) + 4 * threadIdx.x; \
        for (int k = threadIdx.x; k < 1024; k += 32)                                               \
            s[k] = 0;                                                                              \
        unsigned *p = in + threadIdx.x;                                                            \
        _Pragma("unroll 1") for (int round = 0; round < 3; round++)                                \
        {                                                                                          \
            __syncthreads();                                                                       \
            t[17] = now();                                                                         \
            t[0] = now();                                                                          \
            CLOCKED(1, access) CLOCKED(2, access) CLOCKED(3, access) CLOCKED(4, access)            \
            CLOCKED(5, access) CLOCKED(6, access) CLOCKED(7, access) CLOCKED(8, access)            \
            CLOCKED(9, access) CLOCKED(10, access) CLOCKED(11, access) CLOCKED(12, access)         \
            CLOCKED(13, access) CLOCKED(14, access) CLOCKED(15, access) CLOCKED(16, access)        \
        }                                                                                          \
        for (int n = 1; n <= 16; n++)                                                              \
            v[0] += v[n];                                                                          \
        if (threadIdx.x == 0)                                                                      \
            for (int n = 0; n <= 16; n++)                                                          \
                out[n] = t[n] - t[17];                                                             \
        out[32 + threadIdx.x] = v[0] + at + p[0];                                                  \
    }
#define LDG(n) asm volatile("ld.relaxed.cta.global.u32 %0, [%1+" #n "*128];" : "=r"(v[n]) : "l"(p) : "memory")
#define STG(n) asm volatile("st.global.u32 [%0+" #n "*128], %1;" ::"l"(p), "r"(at) : "memory")
#define LDS(n) asm volatile("ld.volatile.shared.u32 %0, [%1+" #n "*128];" : "=r"(v[n]) : "r"(at) : "memory")
#define STS(n) asm volatile("st.volatile.shared.u32 [%0+" #n "*128], %0;" ::"r"(at) : "memory")
#define SHFL(n) asm volatile("shfl.sync.bfly.b32 %0, %1, " #n ", 31, -1;" : "=r"(v[n]) : "r"(at) : "memory")
ISSUE(ldg32, LDG)
ISSUE(stg32, STG)
ISSUE(lds32, LDS)
ISSUE(sts32, STS)
ISSUE(shfl, SHFL)
