// Calls whose stack the compiler cannot size: recursion, pointers to functions, virtual functions.
//   nvcc -arch=sm_90 -cubin -o calls.sm_90.cubin calls.cu
typedef unsigned u32;
__device__ __noinline__ u32 fib(u32 n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void recursion(u32 *out) { out[threadIdx.x] = fib(threadIdx.x & 7); }

__device__ __noinline__ u32 odd(u32 n);
__device__ __noinline__ u32 even(u32 n) { return n == 0 ? 1 : 2 * odd(n - 1); }
__device__ __noinline__ u32 odd(u32 n) { return n == 0 ? 3 : even(n - 1) + 5; }
extern "C" __global__ void mutual(u32 *out) { out[threadIdx.x] = even(threadIdx.x & 7); }

typedef u32 function(u32);
__device__ __noinline__ u32 f0(u32 x)
{
    volatile u32 a[20];
    for (u32 i = 0; i < 20; i++)
        a[i] = x + i;
    return a[x & 15];
}
__device__ __noinline__ u32 f1(u32 x) { return x * 3; }
__device__ __noinline__ u32 f2(u32 x)
{
    volatile u32 a[40];
    for (u32 i = 0; i < 40; i++)
        a[i] = x - i;
    return a[x & 31];
}
__device__ function *table[3] = {f0, f1, f2};
extern "C" __global__ void indirect(u32 *out) { out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x); }

struct shape {
    u32 a;
    __device__ shape(u32 x) : a(x) {}
    virtual __device__ u32 area() { return a; }
};
struct square : shape {
    __device__ square(u32 x) : shape(x) {}
    __device__ u32 area() override { return a * a; }
};
struct cube : square {
    __device__ cube(u32 x) : square(x) {}
    __device__ u32 area() override { return 6 * square::area(); }
};
extern "C" __global__ void virtuals(u32 *out)
{
    u32 t = threadIdx.x;
    alignas(16) char room[sizeof(cube)];
    shape *s = t % 3 == 0 ? new (room) shape(t) : t % 3 == 1 ? new (room) square(t) : (shape *)new (room) cube(t);
    out[t] = s->area();
}
// The sum of 0 .. n-1, one frame a step.
__device__ __noinline__ u32 deep(u32 n)
{
    volatile u32 here = n;
    return n == 0 ? 0 : deep(n - 1) + here;
}
extern "C" __global__ void frames(u32 *out) { out[threadIdx.x] = deep(threadIdx.x & 15); }
