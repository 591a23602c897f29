// Asynchronous copies into shared memory (cp.async) from lines that L2 holds: every block reads the same 16 KB x 16 again and
// again, 16 bytes a thread and copy, groups of 8 copies, at most 2 groups under way. And one copy at a time, waited for.
// The two groups under way write different places: on the H200 a bypassing copy (cg) onto the target of one that is under way
// replaces it, and half of the data is never read.
// out[0] = cycles of block 0 for 64 groups; out[1] = of 16 single copies.
#include "bench.cuh"

#define COPIES(name, how)                                                                                      \
    extern "C" __global__ void name(unsigned *out, const uint4 *in)                                            \
    {                                                                                                          \
        extern __shared__ __align__(16) uint4 s[];                                                             \
        unsigned to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x), t0 = 0, t1 = 0, step = blockDim.x;  \
        _Pragma("unroll 1") for (int round = 0; round < 80; round++)                                           \
        {                                                                                                      \
            if (round == 16) {                                                                                 \
                asm volatile("cp.async.wait_group 0;" ::: "memory");                                           \
                __syncthreads();                                                                               \
                t0 = now();                                                                                    \
            }                                                                                                  \
            const uint4 *from = in + round % 16 * 8 * step + threadIdx.x;                                      \
            _Pragma("unroll") for (int i = 0; i < 8; i++)                                                      \
                asm volatile("cp.async." how ".shared.global [%0], [%1], 16;" ::"r"(to + (round % 2 * 8 + i) * step * 16), "l"(from + i * step) : "memory"); \
            asm volatile("cp.async.commit_group;" ::: "memory");                                               \
            asm volatile("cp.async.wait_group 1;" ::: "memory");                                               \
        }                                                                                                      \
        asm volatile("cp.async.wait_group 0;" ::: "memory");                                                   \
        __syncthreads();                                                                                       \
        t1 = now();                                                                                            \
        unsigned t2 = t1;                                                                                      \
        _Pragma("unroll 1") for (int i = 0; i < 16; i++)                                                       \
            asm volatile("cp.async." how ".shared.global [%0], [%1], 16;\n cp.async.commit_group;\n cp.async.wait_group 0;" ::"r"(to), "l"(in + threadIdx.x) : "memory"); \
        t2 = now();                                                                                            \
        if (threadIdx.x == 0 && blockIdx.x == 0)                                                               \
            out[0] = t1 - t0, out[1] = t2 - t1;                                                                \
    }
COPIES(copies_cg, "cg")
COPIES(copies_ca, "ca")
// Rows of `row` bytes, 512 bytes apart: a warp's copy touches 512 / row lines, and a part of each where row is below 128.
extern "C" __global__ void copies_rows(unsigned *out, const unsigned char *in, int row)
{
    extern __shared__ __align__(16) uint4 s[];
    unsigned to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x), t0 = 0, t1 = 0, step = blockDim.x, at = threadIdx.x * 16;
    const unsigned char *begin = in + (size_t)at / row * 512 + at % row;
    unsigned next = step * 16 / row * 512;
#pragma unroll 1
    for (int round = 0; round < 80; round++) {
        if (round == 16) {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
            __syncthreads();
            t0 = now();
        }
        const unsigned char *from = begin + (size_t)(round % 16 * 8) * next;
#pragma unroll
        for (int i = 0; i < 8; i++)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + (round % 2 * 8 + i) * step * 16), "l"(from + (size_t)i * next) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    t1 = now();
    if (threadIdx.x == 0)
        out[0] = t1 - t0;
}
