// Lanes of one warp that go different ways are issued one way after the other.

// The lecture's example. The bodies are so short that the compiler predicates part of it instead of branching.
extern "C" __global__ void divergence(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        if (v > 0.0f)
            v = sqrtf(v);
        else
            v = v * v;
        y[i] = v;
    }
}

// 64 instructions on either side, too long for predication; the sign never changes, so each round takes the same way.
extern "C" __global__ void divergence_long(const float *x, float *y, int rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        if (v > 0.0f) {
#pragma unroll
            for (int k = 0; k < 64; k++)
                v = __fmaf_rn(v, 0.96875f, 0.0625f);
        } else {
#pragma unroll
            for (int k = 0; k < 32; k++)
                v = __fadd_rn(__fmul_rn(v, 0.9375f), -0.125f);
        }
    }
    y[i] = v;
}
