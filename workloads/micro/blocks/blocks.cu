// When the blocks of a grid start, and how long after the last of them the launch ends: blocks that fit all at once spin for
// some cycles, store if asked to, and note the timer at their start and end.
// Built and run on the GPU: nvcc -O3 -arch=sm_90 -o blocks blocks.cu && ncu --profile-from-start off --csv --page raw
//   --clock-control none --cache-control none --metrics sm__cycles_active.max,sm__cycles_active.avg,sm__cycles_elapsed.max ./blocks
#include <algorithm>
#include <cstdio>
#include <cuda_profiler_api.h>
#include <vector>

__global__ void spin(unsigned *out, unsigned *y, unsigned cycles, unsigned stores, unsigned loads)
{
    unsigned t0, t, a, b, v = 0, i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t0)::"memory");
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(a)::"memory");
    for (unsigned k = 0; k < loads; k++)
        v += y[i + v + (k << 18)];
    do
        asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    while (t - t0 < cycles);
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(b)::"memory");
    for (unsigned k = 0; k < stores; k++)
        y[i + (k << 18)] = v;
    if (threadIdx.x == 0)
        out[2 * blockIdx.x] = a, out[2 * blockIdx.x + 1] = b;
}

int main()
{
    enum { ROUNDS = 4, WORDS = 1 << 24 };
    static const unsigned cases[][5] = {
        {16, 256, 600, 0, 0},   {16, 256, 600, 1, 0},   {64, 256, 600, 0, 0},   {64, 256, 600, 1, 0},  {132, 256, 600, 0, 0},
        {132, 256, 600, 1, 0},  {132, 256, 600, 4, 0},  {132, 256, 600, 0, 1},  {132, 256, 600, 1, 1}, {264, 64, 600, 0, 0},
        {264, 64, 600, 1, 0},   {264, 256, 600, 0, 0},  {264, 256, 600, 1, 0},  {528, 256, 600, 0, 0}, {528, 256, 600, 1, 0},
        {1024, 64, 600, 0, 0},  {1024, 64, 600, 1, 0},  {1024, 64, 600, 9, 2},  {1056, 256, 600, 0, 0}, {1056, 256, 600, 1, 0},
        {1056, 256, 600, 1, 2}, {132, 256, 3000, 0, 0}, {132, 256, 3000, 1, 1}, {1056, 256, 3000, 0, 0},
    };
    unsigned *out, *y;
    std::vector<unsigned> h;
    cudaMalloc(&out, 2 * 1056 * sizeof *out);
    cudaMalloc(&y, WORDS * sizeof *y);
    cudaMemset(y, 0, WORDS * sizeof *y);
    for (auto &c : cases)
        for (int r = 0; r < ROUNDS; r++) {
            if (r == 1)
                cudaProfilerStart();
            spin<<<c[0], c[1]>>>(out, y, c[2], c[3], c[4]);
            h.resize(2 * c[0]);
            cudaMemcpy(h.data(), out, 8 * c[0], cudaMemcpyDeviceToHost);
            unsigned first = ~0u, last = 0, end = 0;
            for (unsigned b = 0; b < c[0]; b++) {
                first = std::min(first, h[2 * b]);
                last = std::max(last, h[2 * b]);
                end = std::max(end, h[2 * b + 1]);
            }
            if (r)
                printf("grid %u block %u cycles %u stores %u loads %u: starts %u ns apart, end after %u ns\n", c[0], c[1], c[2],
                       c[3], c[4], last - first, end - first);
        }
    cudaProfilerStop();
}
