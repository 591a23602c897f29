// Shared by the microbenchmarks: kernels that time a chain of one instruction (latency) and many independent chains
// (throughput). STEP(x) is one instruction, or the few that the file says, which read and write x; the inline
// assembly is volatile so that the compiler keeps every one. Constants come from memory, so that it cannot fold them.
//
// lat_NAME(out, in): one warp. out[0] = cycles of 128 steps (160 steps minus 32 steps, so that reading the clock does
// not count), out[1], out[2] the two times. The loop runs three times; the first two fill the instruction cache.
// thr_NAME(out, in): every warp of the one block does 4 x 32 x 8 steps in eight independent chains; out[0] = cycles from the
// first warp's start, behind a barrier, to the last warp's end: which warp goes first does not count. (A clock behind a barrier
// alone is read when its warp comes to it; here a load stands between, which waits until the barrier opens.)
#pragma once
#pragma nv_diag_suppress 550 // constants that a step does not use

__device__ __forceinline__ unsigned now()
{
    unsigned t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

#define REP4(s) s s s s
#define REP8(s) REP4(s) REP4(s)
#define REP32(s) REP4(REP8(s))
#define REP160(s) REP32(s) REP32(s) REP32(s) REP32(s) REP32(s)

#define LATENCY(name, type, STEP)                                                                  \
    extern "C" __global__ void lat_##name(unsigned *out, const type *in)                           \
    {                                                                                              \
        type x = in[threadIdx.x + 8], a = in[0], b = in[1], c = in[2], d = in[3];                  \
        unsigned t0 = 0, t1 = 0, t2 = 0;                                                           \
        (void)a, (void)b, (void)c, (void)d;                                                        \
        _Pragma("unroll 1") for (int round = 0; round < 3; round++)                                \
        {                                                                                          \
            __syncwarp();                                                                          \
            t0 = now();                                                                            \
            REP32(STEP(x))                                                                         \
            t1 = now();                                                                            \
            REP160(STEP(x))                                                                        \
            t2 = now();                                                                            \
        }                                                                                          \
        if (threadIdx.x == 0) {                                                                    \
            out[0] = (t2 - t1) - (t1 - t0);                                                        \
            out[1] = t1 - t0;                                                                      \
            out[2] = t2 - t1;                                                                      \
        }                                                                                          \
        ((type *)(out + 4))[threadIdx.x] = x;                                                      \
    }

#ifdef FROM_BARRIER_TO_BARRIER // as the tensor kernels were measured
#define SPAN_WORDS
#define SPAN_BEGIN
#define SPAN_OPEN
#define SPAN_END                                                                                   \
    __syncthreads();                                                                               \
    t1 = now();                                                                                    \
    if (threadIdx.x == 0)                                                                          \
        out[0] = t1 - t0;
#else
#define SPAN_WORDS __shared__ unsigned first, last;
#define SPAN_OPEN (void)*(volatile unsigned *)&first;
#define SPAN_BEGIN                                                                                 \
    if (threadIdx.x == 0)                                                                          \
        first = ~0u, last = 0;
#define SPAN_END                                                                                   \
    t1 = now();                                                                                    \
    __syncthreads();                                                                               \
    atomicMin(&first, t0 & 0x7fffffff);                                                            \
    atomicMax(&last, t1 & 0x7fffffff);                                                             \
    __syncthreads();                                                                               \
    if (threadIdx.x == 0)                                                                          \
        out[0] = last - first & 0x7fffffff;
#endif
#define THROUGHPUT(name, type, STEP)                                                               \
    extern "C" __global__ void __launch_bounds__(1024) thr_##name(unsigned *out, const type *in)   \
    {                                                                                              \
        SPAN_WORDS                                                                                 \
        type x0 = in[threadIdx.x % 32 + 8], a = in[0], b = in[1], c = in[2], d = in[3];            \
        type x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0, x6 = x0, x7 = x0;                        \
        unsigned t0 = 0, t1 = 0;                                                                   \
        (void)a, (void)b, (void)c, (void)d;                                                        \
        SPAN_BEGIN                                                                                 \
        _Pragma("unroll 1") for (int round = 0; round < 5; round++)                                \
        {                                                                                          \
            if (round == 1) { /* the first round filled the instruction cache */                   \
                __syncthreads();                                                                   \
                SPAN_OPEN                                                                          \
                t0 = now();                                                                        \
            }                                                                                      \
            REP32(STEP(x0) STEP(x1) STEP(x2) STEP(x3) STEP(x4) STEP(x5) STEP(x6) STEP(x7))         \
        }                                                                                          \
        SPAN_END                                                                                   \
        type *sink = (type *)(out + 4) + threadIdx.x * 8;                                          \
        sink[0] = x0, sink[1] = x1, sink[2] = x2, sink[3] = x3;                                    \
        sink[4] = x4, sink[5] = x5, sink[6] = x6, sink[7] = x7;                                    \
    }

#ifndef BOTH // rate.cu has its own
#define BOTH(name, type, STEP) LATENCY(name, type, STEP) THROUGHPUT(name, type, STEP)
#endif
