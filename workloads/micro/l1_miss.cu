// Loads of a naive matrix product, under load and taken apart: `a` is a word that all lanes read, the next word each time
// (a warp has a row of its own, so one load in eight meets a new sector), `b` a whole line that all warps read in turn (a
// new line each time). What they read is in L2. out[0] = cycles of the block for 64 x 8 loads a warp, or pairs of loads;
// two blocks that share an SM read other rows.
#include "bench.cuh"
#pragma nv_diag_suppress 177 // what only some of the kernels use

enum { ROUNDS = 64, ROW = 4096 };

// A grid of two blocks a SM, of which those on SM 0 work and the others keep their places: a full SM, and nobody else at L2.
__device__ __forceinline__ bool elsewhere()
{
    unsigned sm;
    unsigned long long from, t;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from)::"memory");
    for (t = from; sm && t - from < 100000;) {
        __nanosleep(10000);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    }
    return sm != 0;
}

#define LOADS(name, first, access)                                                                 \
    extern "C" __global__ void name(unsigned *out, const char *in)                                 \
    {                                                                                              \
        if (gridDim.x > 1 && elsewhere())                                                          \
            return;                                                                                \
        unsigned sum = 0, t0, t1, step = out[2] + threadIdx.x;                                     \
        const char *rows = in + 65536 + (threadIdx.x >> 5) * ROW + (blockIdx.x > 131 ? 2048 : 0), *hot = in + 65536 * 4; \
        const char *b = in + (threadIdx.x & 31) * 4, *a = rows;                                    \
        float x = 1, y = 2;                                                                        \
        unsigned long long far = 0;                                                                \
        for (unsigned i = threadIdx.x * 32; i < 65536 * 4 + 4096; i += blockDim.x * 32)            \
            asm volatile("{.reg .u32 t; ld.global.cg.u32 t, [%0];}" ::"l"(in + i) : "memory");     \
        for (unsigned i = 0; i < 1024; i += 128)                                                   \
            asm volatile("{.reg .u32 t; ld.relaxed.cta.global.u32 t, [%0];}" ::"l"(hot + i) : "memory"); \
        __syncthreads();                                                                           \
        t0 = now();                                                                                \
        _Pragma("unroll 1") for (int round = 0; round < ROUNDS; round++)                           \
        {                                                                                          \
            unsigned v[8], w[8] = {};                                                              \
            first access(1) access(2) access(3) access(4) access(5) access(6) access(7)            \
            _Pragma("unroll") for (int k = 0; k < 8; k++) sum += v[k] + w[k];                      \
            a += 32;                                                                               \
            b += 1024;                                                                             \
        }                                                                                          \
        __syncthreads();                                                                           \
        t1 = now();                                                                                \
        if (threadIdx.x == 0)                                                                      \
            out[0] = t1 - t0;                                                                      \
        out[4 + threadIdx.x] = sum + (unsigned)(x + y) + (unsigned)far;                            \
    }
#define GET(to, from, k, bytes) asm volatile("ld.relaxed.cta.global.u32 %0, [%1+" #k "*" #bytes "];" : "=r"(to) : "l"(from) : "memory");
#define WORD(k) GET(v[k], a, k, 4)
#define LINE(k) GET(v[k], b, k, 128)
#define HOT(k) GET(v[k], hot, k, 128)
#define PAIR(k) WORD(k) GET(w[k], b, k, 128)
#define HOT_PAIR(k) HOT(k) GET(w[k], hot, k, 64)
// as between the loads of the product: a sum of products, and the next address
#define MORE asm volatile("fma.rn.f32 %0, %0, %1, %0;\n\tmad.wide.s32 %2, %3, %3, %2;" : "+f"(x), "+f"(y), "+l"(far) : "r"(step) : "memory");
#define PAIR_MORE(k) PAIR(k) MORE
#define HOT_PAIR_MORE(k) HOT_PAIR(k) MORE
LOADS(words, WORD(0), WORD)
LOADS(words_hot, WORD(0), HOT)
LOADS(lines, LINE(0), LINE)
LOADS(lines_hot, LINE(0), HOT)
LOADS(both, PAIR(0), PAIR)
LOADS(both_more, PAIR_MORE(0), PAIR_MORE)
LOADS(hot, HOT_PAIR(0), HOT_PAIR)
LOADS(hot_more, HOT_PAIR_MORE(0), HOT_PAIR_MORE)

// One warp: a load that misses, then one that hits: when does each come? out[0], out[1]: the hit and the miss, from the issue
// of the miss on; out[2]: the hit alone.
#define AFTER(x) asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(x) : "memory");
extern "C" __global__ void hit_behind_miss(unsigned *out, const char *in)
{
    unsigned v, w, t0, t1, t2, t3, sum = 0;
    const char *fresh = in + 65536 + threadIdx.x * 4, *hot = in + threadIdx.x * 4;
    _Pragma("unroll 1") for (int round = 0; round < 3; round++)
    {
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(fresh) : "memory");
        asm volatile("ld.relaxed.cta.global.u32 %0, [%1];" : "=r"(w) : "l"(hot) : "memory");
        AFTER(v) AFTER(w)
        t0 = now();
        GET(w, hot, 0, 0)
        AFTER(w)
        t1 = now();
        GET(v, fresh, 0, 0)
        GET(w, hot, 0, 0)
        AFTER(w)
        t2 = now();
        AFTER(v)
        t3 = now();
        fresh += 128;
    }
    if (threadIdx.x == 0) {
        out[0] = t2 - t1;
        out[1] = t3 - t1;
        out[2] = t1 - t0;
    }
    out[4 + threadIdx.x] = sum;
}
