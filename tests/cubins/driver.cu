// What the driver has in no file: addresses of __constant__ variables as memory, and functions of its own.
//   nvcc -arch=sm_90 -cubin -o driver.sm_90.cubin driver.cu
#include <cstdio>
typedef unsigned u32;
__constant__ u32 table[4] = {10, 20, 30, 40};
__device__ const u32 *in_variable = table + 1;
__constant__ const u32 *in_constant = table + 2;
__device__ __noinline__ u32 ends(const u32 *p) { return p[0] + p[3]; }
extern "C" __global__ void pointers(u32 *out) // to constant or to global memory: which, is seen when it runs
{
    u32 t = threadIdx.x;
    out[t] = ends(t == 3 ? out + 128 : table) + *in_variable * 100 + *in_constant * 10000;
}

extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);
extern "C" __global__ void asserts(u32 *out, u32 wrong)
{
    if (threadIdx.x == wrong)
        __assertfail("threadIdx.x != wrong", "driver.cu", 1234, "asserts", 1);
    out[threadIdx.x] = 1;
}
extern "C" __global__ void prints(u32 *out, u32 who)
{
    if (threadIdx.x == who)
        printf("hello\n");
    out[threadIdx.x] = 1;
}
