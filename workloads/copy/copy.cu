// Copies whose reads are apart by a stride, or begin off a 128-byte line.
extern "C" __global__ void copy_strided(const float *x, float *y, int stride, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[(size_t)i * stride];
}

extern "C" __global__ void copy_offset(const float *x, float *y, int offset, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i + offset];
}

// Four elements a lane.
extern "C" __global__ void copy_wide(const float4 *x, float4 *y, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4)
        y[i] = x[i];
}
