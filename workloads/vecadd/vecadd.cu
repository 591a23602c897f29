// z = x + y, one element a thread: the smallest useful kernel. Twelve bytes move for every addition.
extern "C" __global__ void vecadd(const float *x, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = x[i] + y[i];
}
