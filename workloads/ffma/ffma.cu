// Eight independent chains of multiply-adds a thread: nothing but arithmetic.
extern "C" __global__ void ffma_chains(const float *x, float *y, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[i], v[8];
    for (int k = 0; k < 8; k++)
        v[k] = a + (float)k;
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int j = 0; j < 8; j++)
#pragma unroll
            for (int k = 0; k < 8; k++)
                v[k] = __fmaf_rn(v[k], 0.5f, a);
    float sum = v[0];
    for (int k = 1; k < 8; k++)
        sum = __fadd_rn(sum, v[k]);
    y[i] = sum;
}
