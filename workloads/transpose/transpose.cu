// Transpose of an n x n matrix, blocks of 32 x 8 threads over tiles of 32 x 32.

// Reads rows, writes columns: each store of a warp touches 32 lines.
extern "C" __global__ void transpose_naive(const float *x, float *y, int n)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        y[(size_t)c * n + r + k] = x[(size_t)(r + k) * n + c];
}

// Through shared memory: both sides touch whole lines, but the columns of the tile all lie on one bank.
extern "C" __global__ void transpose_tiled(const float *x, float *y, int n)
{
    __shared__ float tile[32][32];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = x[(size_t)(r + k) * n + c];
    __syncthreads();
    c = blockIdx.y * 32 + threadIdx.x;
    r = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        y[(size_t)(r + k) * n + c] = tile[threadIdx.x][threadIdx.y + k];
}

// One column of padding spreads a column over all banks.
extern "C" __global__ void transpose_padded(const float *x, float *y, int n)
{
    __shared__ float tile[32][33];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = x[(size_t)(r + k) * n + c];
    __syncthreads();
    c = blockIdx.y * 32 + threadIdx.x;
    r = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        y[(size_t)(r + k) * n + c] = tile[threadIdx.x][threadIdx.y + k];
}
