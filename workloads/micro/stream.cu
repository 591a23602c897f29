// Bandwidth: grid-stride reads, writes and copies of 16 bytes a lane.
extern "C" __global__ void read(const uint4 *x, unsigned *out, long long n, int passes)
{
    unsigned sum = 0;
    for (int p = 0; p < passes; p++) // each pass another block's share, so that L1 does not help
#pragma unroll 4
        for (long long i = (blockIdx.x + 37LL * p) % gridDim.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
            uint4 v = x[i];
            sum += v.x ^ v.y ^ v.z ^ v.w;
        }
    if (sum == 0x12345678)
        out[threadIdx.x] = sum;
}

extern "C" __global__ void write(uint4 *y, long long n)
{
#pragma unroll 4
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
        y[i] = make_uint4(1, 2, 3, 4);
}

extern "C" __global__ void copy(const uint4 *x, uint4 *y, long long n)
{
#pragma unroll 4
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
        y[i] = x[i];
}
