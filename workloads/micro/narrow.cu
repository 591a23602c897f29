// The same bytes in 4, 8 or 16 a lane, read, written or copied, by a thread an element or by threads that go round.
template <class T> struct unit;
template <> struct unit<unsigned> {
    static __device__ unsigned fold(unsigned v) { return v; }
    static __device__ unsigned made() { return 1; }
};
template <> struct unit<uint2> {
    static __device__ unsigned fold(uint2 v) { return v.x ^ v.y; }
    static __device__ uint2 made() { return make_uint2(1, 2); }
};
template <> struct unit<uint4> {
    static __device__ unsigned fold(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }
    static __device__ uint4 made() { return make_uint4(1, 2, 3, 4); }
};

#define KERNELS(bytes, type)                                                                                                     \
    extern "C" __global__ void read##bytes(const type *x, type *y, int n)                                                        \
    {                                                                                                                            \
        unsigned sum = 0;                                                                                                        \
        _Pragma("unroll 1") for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)              \
            sum ^= unit<type>::fold(x[i]);                                                                                       \
        if (sum == 0x12345678)                                                                                                   \
            *(unsigned *)y = sum;                                                                                                \
    }                                                                                                                            \
    extern "C" __global__ void write##bytes(const type *x, type *y, int n)                                                       \
    {                                                                                                                            \
        _Pragma("unroll 1") for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)              \
            y[i] = unit<type>::made();                                                                                           \
    }                                                                                                                            \
    extern "C" __global__ void copy##bytes(const type *x, type *y, int n)                                                        \
    {                                                                                                                            \
        _Pragma("unroll 1") for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)              \
            y[i] = x[i];                                                                                                         \
    }
KERNELS(4, unsigned)
KERNELS(8, uint2)
KERNELS(16, uint4)
