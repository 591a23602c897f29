// Softmax of each row, one block a row: subtract the row's maximum, exponentiate, divide by the sum.
__device__ float warp_max(float v)
{
    for (int half = 16; half; half >>= 1)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, half));
    return v;
}

__device__ float warp_sum(float v)
{
    for (int half = 16; half; half >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, half);
    return v;
}

extern "C" __global__ void softmax(const float *x, float *y, int columns)
{
    __shared__ float part[8];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const float *in = x + (size_t)blockIdx.x * columns;
    float *out = y + (size_t)blockIdx.x * columns;

    float m = -INFINITY;
    for (int c = t; c < columns; c += 256)
        m = fmaxf(m, in[c]);
    m = warp_max(m);
    if (lane == 0)
        part[warp] = m;
    __syncthreads();
    m = part[0];
    for (int k = 1; k < 8; k++)
        m = fmaxf(m, part[k]);
    __syncthreads();

    float sum = 0.0f;
    for (int c = t; c < columns; c += 256) {
        float e = __expf(in[c] - m);
        out[c] = e;
        sum += e;
    }
    sum = warp_sum(sum);
    if (lane == 0)
        part[warp] = sum;
    __syncthreads();
    sum = part[0];
    for (int k = 1; k < 8; k++)
        sum += part[k];
    float scale = 1.0f / sum;
    for (int c = t; c < columns; c += 256)
        out[c] *= scale;
}
