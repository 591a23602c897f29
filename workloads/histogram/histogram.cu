// Histogram of bytes. Shared: each block counts in its own 256 bins and adds them to global memory once.
extern "C" __global__ void histogram(const unsigned *x, unsigned *bins, int nword)
{
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < nword; i += gridDim.x * 256) {
        unsigned w = x[i];
        atomicAdd(&s[w & 255], 1);
        atomicAdd(&s[w >> 8 & 255], 1);
        atomicAdd(&s[w >> 16 & 255], 1);
        atomicAdd(&s[w >> 24], 1);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

// Global: every byte is one atomic in L2.
extern "C" __global__ void histogram_global(const unsigned *x, unsigned *bins, int nword)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < nword; i += gridDim.x * 256) {
        unsigned w = x[i];
        atomicAdd(&bins[w & 255], 1);
        atomicAdd(&bins[w >> 8 & 255], 1);
        atomicAdd(&bins[w >> 16 & 255], 1);
        atomicAdd(&bins[w >> 24], 1);
    }
}
