// Stores that cover a sector in part. Thread i writes `width` bytes at i * stride; later passes write `step` bytes further on.
#define STORE(name, type)                                                                                     \
    extern "C" __global__ void name(char *y, int n, int stride, int step, int passes)                          \
    {                                                                                                          \
        for (int p = 0; p < passes; p++)                                                                       \
            for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)             \
                *(volatile type *)(y + (long long)i * stride + p * step) = (type)i;                             \
    }
STORE(store_1, unsigned char)
STORE(store_2, unsigned short)
STORE(store_4, unsigned)
STORE(store_8, unsigned long long)
