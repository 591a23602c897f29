// Sum of 256 elements a block: a tree in shared memory, then shuffles inside the last warp.
extern "C" __global__ void reduce(const float *x, float *y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half >= 32; half >>= 1) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t < 32) {
        float v = s[t];
#pragma unroll
        for (int half = 16; half; half >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, half);
        if (t == 0)
            y[blockIdx.x] = v;
    }
}
