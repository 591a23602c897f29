// Lines that L2 does not hold, so many bytes apart: how long until all 256 threads of one block have theirs. sweep() reads so much
// that nothing of them is left in L2. out[0] = cycles of all rounds, each of other lines.
#include "bench.cuh"

extern "C" __global__ void sweep(const uint4 *x, unsigned *out, long long n)
{
    unsigned sum = 0;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
        uint4 v = x[i];
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 0x12345678)
        out[0] = sum;
}

extern "C" __global__ void spread(unsigned *out, const unsigned *x, unsigned stride, int rounds)
{
    unsigned sum = 0, cycles = 0;
    for (int r = 0; r < rounds; r++) {
        const unsigned *p = x + ((size_t)r * 256 + threadIdx.x) * (stride / 4);
        __syncthreads();
        unsigned t0 = now(), v;
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
        sum += v;
        __syncthreads();
        asm volatile("" ::"r"(sum) : "memory");
        cycles += now() - t0;
    }
    if (threadIdx.x == 0)
        out[0] = cycles;
    out[1 + threadIdx.x] = sum;
}
