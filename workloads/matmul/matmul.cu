// C = A B in fp32, n x n, n a multiple of 32.

// One thread an element, everything from global memory: 2 n^3 loads.
extern "C" __global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum = __fmaf_rn(a[row * n + k], b[k * n + col], sum);
    c[row * n + col] = sum;
}

// 32 x 32 tiles in shared memory: 32 times fewer global loads.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[32][32], tb[32][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * 32 + tx, row = blockIdx.y * 32 + ty;
    float sum = 0.0f;
    for (int t = 0; t < n; t += 32) {
        ta[ty][tx] = a[row * n + t + tx];
        tb[ty][tx] = b[(t + ty) * n + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k++)
            sum = __fmaf_rn(ta[ty][k], tb[k][tx], sum);
        __syncthreads();
    }
    c[row * n + col] = sum;
}
