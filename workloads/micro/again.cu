// What L1 keeps of rows that are read or written and read again, by the profiler's hits. mode, bits: 1 read x, 2 read x again, 4 write y,
// 8 read y and write it. A row begins `skip` words behind a multiple of `columns`, so lines may be shared by two warps. overtaken: a store to
// sectors of a line whose other sectors are under way.
#include "bench.cuh"

__device__ __forceinline__ float get(const float *p)
{
    float v;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory");
    return v;
}

extern "C" __global__ void again(float *y, const float *x, int columns, int skip, int mode)
{
    const float *in = x + (long long)blockIdx.x * columns + skip;
    float *to = y + (long long)blockIdx.x * columns + skip, s = 0;
    for (int bit = 1; bit < 4; bit *= 2) {
        if (mode & bit)
            for (int c = threadIdx.x; c < columns; c += blockDim.x)
                s += get(in + c);
        __syncthreads();
    }
    if (mode & 4)
        for (int c = threadIdx.x; c < columns; c += blockDim.x)
            to[c] = s;
    __syncthreads();
    if (mode & 8)
        for (int c = threadIdx.x; c < columns; c += blockDim.x)
            to[c] = get(to + c) * 3;
    if (s == 12345.5f)
        y[0] = s;
}

// Warp 0 reads the first sector of a line; warp 1 stores the others `later` cycles behind; then both read what they had. 16 lines.
extern "C" __global__ void overtaken(float *y, const float *x, int later)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float s = 0;
    for (int k = 0; k < 16; k++) {
        float *p = y + 32 * k + lane;
        __syncthreads();
        unsigned t = now();
        if (warp == 0 && lane < 8)
            s += get(p);
        while (now() - t < (unsigned)later)
            ;
        if (warp == 1 && lane >= 8)
            *(volatile float *)p = k;
        while (now() - t < 3000)
            ;
        if (warp == 0 ? lane < 8 : lane >= 8)
            s += get(p);
    }
    if (s == 12345.5f)
        y[0] = x[0];
}
