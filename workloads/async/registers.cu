// One warpgroup copies with few registers, two compute with many: registers move between them.
#include "async.cuh"

extern "C" __global__ void __launch_bounds__(384, 1) repartition(const float *x, float *y, int n)
{
    __shared__ float t[4096];
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int i = threadIdx.x; i < 4096; i += 128)
            t[i] = x[i];
        asm volatile("bar.sync 1, 384;" ::: "memory");
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    asm volatile("bar.sync 1, 384;" ::: "memory");
    float a[200], s = 0;
    int id = threadIdx.x - 128;
#pragma unroll
    for (int i = 0; i < 200; i++)
        a[i] = t[(id * 7 + i) & 4095];
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int i = 0; i < 200; i++)
            a[i] = a[i] * a[(i + 1) % 200] + 0.5f;
    }
#pragma unroll
    for (int i = 0; i < 200; i++)
        s += a[i];
    y[blockIdx.x * 256 + id] = s;
}
