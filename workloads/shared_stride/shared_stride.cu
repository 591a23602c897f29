// Lane l of each warp reads word l * stride of shared memory: gcd(stride, 32) lanes meet on each bank that is used.
extern "C" __global__ void shared_stride(const unsigned *x, unsigned *y, int stride, int rounds)
{
    __shared__ unsigned s[2048];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x)
        s[k] = x[k];
    __syncthreads();
    unsigned at = (threadIdx.x & 31) * stride, sum = 0;
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            sum = sum * 3 + s[(at + k * 32) & 2047];
        at += 1;
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
