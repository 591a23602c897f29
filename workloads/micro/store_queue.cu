// How many stores an SM takes before they have left: clock after each of 24 stores of a warp, when all are warm. Each lane stores W bytes;
// a warp's stores are `step` bytes apart, warps 64 KB. out: cycles after the 8th, the 16th and the 24th store of each warp.
#include "bench.cuh"

template <int W> __device__ __forceinline__ void put(char *p, unsigned x)
{
    if (W == 4)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory");
    else if (W == 8)
        asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(p), "r"(x) : "memory");
    else
        asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(x) : "memory");
}
template <int W> __device__ __forceinline__ void stores(unsigned *out, char *y, int step)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32, t[25];
    char *p = y + warp * 65536 + lane * W;
    for (int round = 0; round < 3; round++) {
        __syncthreads();
        __nanosleep(3000);
        __syncthreads();
        t[0] = now();
#pragma unroll
        for (int i = 0; i < 24; i++) {
            put<W>(p + i * step, i);
            t[i + 1] = now();
        }
    }
    if (lane == 0) {
        out[warp] = t[8] - t[0];
        out[warps + warp] = t[16] - t[0];
        out[2 * warps + warp] = t[24] - t[0];
    }
}
extern "C" __global__ void stores4(unsigned *out, char *y, int step) { stores<4>(out, y, step); }
extern "C" __global__ void stores8(unsigned *out, char *y, int step) { stores<8>(out, y, step); }
extern "C" __global__ void stores16(unsigned *out, char *y, int step) { stores<16>(out, y, step); }
