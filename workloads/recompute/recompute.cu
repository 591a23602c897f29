// Three sigmoids, one upon the other, and their gradient. The backward pass needs what lay between: either the forward pass
// stores it, or the backward pass computes it again from x.
__device__ __forceinline__ float sigmoid(float x)
{
    return 1.0f / (1.0f + __expf(-x));
}
__device__ __forceinline__ float slope(float s)
{
    return s * (1.0f - s);
}

extern "C" __global__ void forward_store(const float *x, float *s1, float *s2, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = sigmoid(x[i]), b = sigmoid(a);
    s1[i] = a, s2[i] = b, out[i] = sigmoid(b);
}
extern "C" __global__ void backward_stored(const float *s1, const float *s2, const float *out, const float *dout, float *dx, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        dx[i] = dout[i] * slope(out[i]) * slope(s2[i]) * slope(s1[i]);
}

extern "C" __global__ void forward(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = sigmoid(sigmoid(sigmoid(x[i])));
}
extern "C" __global__ void backward_again(const float *x, const float *dout, float *dx, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = sigmoid(x[i]), b = sigmoid(a), c = sigmoid(b);
    dx[i] = dout[i] * slope(c) * slope(b) * slope(a);
}
