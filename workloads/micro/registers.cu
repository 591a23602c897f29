// Special registers. out[0 ..] = how many threads or warps read something else than they must, or by how much:
//   0 %laneid, 1 .. 5 %lanemask_eq lt le gt ge, 6 %tid %ntid %ctaid %nctaid against their place in the grid, 7 %smid not below %nsmid,
//   8 %warpid not below %nwarpid, 9 warps of a block with one %warpid, 10 two blocks on one SM at a time with one %warpid,
//   11 warps that do not follow the block's first one from sub-core (%warpid mod 4) to sub-core, 12 %clock that ran backwards, 13 %clock and %clock64 that differ,
//   14 %globaltimer that ran backwards, 15 cycles from one reading of %clock to the next, 16 the same of %clock64,
//   17 cycles of %clock in 1000 steps of 4 cycles, 18 nanoseconds of %globaltimer in 400,000 of them.
// of_warp[warp] = %warpid | %smid << 8 | 1 << 31.
#include "bench.cuh"

#define READ(reg) ({ unsigned v; asm volatile("mov.u32 %0, %%" reg ";" : "=r"(v)); v; })
__device__ __forceinline__ unsigned long long ns()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}
__device__ __forceinline__ unsigned long long now64()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}
__device__ __forceinline__ void wrong(unsigned *out, int which, bool is) { if (is) atomicAdd(out + which, 1); }

extern "C" __global__ void registers(unsigned *out, unsigned *of_warp, unsigned *taken)
{
    __shared__ unsigned seen[64], first;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    wrong(out, 0, READ("laneid") != lane);
    wrong(out, 1, READ("lanemask_eq") != 1u << lane);
    wrong(out, 2, READ("lanemask_lt") != (1u << lane) - 1);
    wrong(out, 3, READ("lanemask_le") != (2u << lane) - 1);
    wrong(out, 4, READ("lanemask_gt") != ~((2u << lane) - 1));
    wrong(out, 5, READ("lanemask_ge") != ~((1u << lane) - 1));
    wrong(out, 6, READ("tid.x") != threadIdx.x || READ("ntid.x") != blockDim.x || READ("ctaid.x") != blockIdx.x || READ("nctaid.x") != gridDim.x);
    unsigned smid = READ("smid"), warpid = READ("warpid");
    wrong(out, 7, smid >= READ("nsmid"));
    wrong(out, 8, warpid >= READ("nwarpid"));
    if (threadIdx.x < 64)
        seen[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        first = warpid;
    __syncthreads();
    if (lane == 0) {
        wrong(out, 9, atomicAdd(&seen[warpid & 63], 1) != 0);
        wrong(out, 10, atomicAdd(&taken[smid * 64 + (warpid & 63)], 1) != 0); // all blocks are resident at once
        wrong(out, 11, (first + warp) % 4 != warpid % 4);
        of_warp[blockIdx.x * (blockDim.x / 32) + warp] = warpid | smid << 8 | 1u << 31;
    }
    unsigned c = now();
    unsigned long long c64 = now64(), t = ns();
    wrong(out, 13, (unsigned)c64 - c > 1000);
    for (int i = 0; i < 20; i++) {
        unsigned c1 = now();
        unsigned long long t1 = ns();
        wrong(out, 12, (int)(c1 - c) < 0);
        wrong(out, 14, t1 < t);
        c = c1, t = t1;
    }
}
// One warp: how clocks run.
extern "C" __global__ void clocks(unsigned *out, float a)
{
    float x = a;
    unsigned t0 = 0, t1 = 0, t2 = 0;
    unsigned long long l0 = 0, l1 = 0, n0 = 0, n1 = 0;
#define STEPS for (int i = 0; i < 10; i++) { REP32(FADD) REP32(FADD) REP32(FADD) REP4(FADD) }
#define FADD asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a) : "memory");
    for (int round = 0; round < 2; round++) { // the first fills the instruction cache
        t0 = now();
        t1 = now();
        out[15] = t1 - t0;
        l0 = now64();
        l1 = now64();
        out[16] = l1 - l0;
        t0 = now();
        STEPS
        t2 = now();
        n0 = ns();
        for (int k = 0; k < 100; k++) {
            STEPS
        }
        n1 = ns();
    }
    out[17] = t2 - t0;
    out[18] = n1 - n0;
    out[19] = __float_as_uint(x);
}
