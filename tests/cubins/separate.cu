// Separately compiled and linked: functions in sections of their own, addresses that the loader fills in, pointers in
// variables, a table of functions that two kernels share.
//   nvcc -arch=sm_90 -rdc=true -cubin -o o.cubin separate.cu; nvlink -arch=sm_90 -o separate.sm_90.cubin o.cubin
typedef unsigned u32;
__device__ u32 values[4] = {3, 1, 4, 1};
__device__ u32 *third = values + 2;
__device__ u32 *const some[2] = {values, values + 1};
__constant__ u32 *fourth = values + 3;
__device__ u32 count;

__device__ __noinline__ u32 square(u32 x) { return x * x + values[x & 3]; }
__device__ __noinline__ u32 parts(u32 x, u32 y) // its own loop, branches and barrier registers
{
    u32 n = 0;
    for (; x; x /= y)
        n += x % y == 1 ? 10 : 1;
    return n;
}
__device__ __noinline__ u32 both(u32 x) { return square(x) + parts(x, 3); }
typedef u32 function(u32);
__device__ function *table[2] = {square, both};

extern "C" __global__ void direct(u32 *out) { out[threadIdx.x] = both(threadIdx.x) + *third * 100 + *fourth * 1000; }
extern "C" __global__ void by_table(u32 *out)
{
    out[threadIdx.x] = table[threadIdx.x & 1](threadIdx.x) + *some[threadIdx.x & 1];
    atomicAdd(&count, 1);
}
extern "C" __global__ void divided(unsigned long long *out) // 64-bit division: a function of the compiler's own
{
    out[threadIdx.x] = (0x123456789abcdefull * (threadIdx.x + 1)) / (threadIdx.x * 77777ull + 3);
}
extern "C" __global__ void changed(u32 *out) // what a pointer in a variable leads to, set and read
{
    if (threadIdx.x == 0)
        third = values + 1;
    __syncthreads();
    out[threadIdx.x] = *third;
}
