// C = A B in fp32, n x n, n a multiple of the tile: what a larger tile and registers save. See also ../matmul.

// 16 x 16 tiles in shared memory: 16 times fewer global loads than one thread an element without tiles.
extern "C" __global__ void gemm_tiled16(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float sum = 0.0f;
    for (int t = 0; t < n; t += 16) {
        ta[ty][tx] = a[row * n + t + tx];
        tb[ty][tx] = b[(t + ty) * n + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum = __fmaf_rn(ta[ty][k], tb[k][tx], sum);
        __syncthreads();
    }
    c[row * n + col] = sum;
}

// 64 x 64 tiles, 8 deep; 4 x 8 sums in the registers of each of 128 threads, so that 12 words of shared memory serve 32
// products. Loads and stores are four words wide; A is turned while it is stored, so that its columns are read as rows.
extern "C" __global__ void __launch_bounds__(128) gemm_registers(const float *a, const float *b, float *c, int n)
{
    __shared__ __align__(16) float ta[2][8][64 + 4], tb[2][8][64];
    int t = threadIdx.x, tx = t % 8, ty = t / 8;
    const float *pa = a + (blockIdx.y * 64 + t / 2) * n + t % 2 * 4;
    const float *pb = b + t / 16 * n + blockIdx.x * 64 + t % 16 * 4;
    float sum[4][8] = {};
    float4 va = *(const float4 *)pa, vb = *(const float4 *)pb;
    for (int k0 = 0, stage = 0; k0 < n; k0 += 8, stage ^= 1) {
        int k = t % 2 * 4;
        ta[stage][k][t / 2] = va.x, ta[stage][k + 1][t / 2] = va.y, ta[stage][k + 2][t / 2] = va.z, ta[stage][k + 3][t / 2] = va.w;
        *(float4 *)&tb[stage][t / 16][t % 16 * 4] = vb;
        __syncthreads();
        if (k0 + 8 < n) { // the next tile is on its way while this one is used
            pa += 8, pb += 8 * n;
            va = *(const float4 *)pa, vb = *(const float4 *)pb;
        }
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float4 x = *(const float4 *)&ta[stage][i][ty * 4];
            float4 y = *(const float4 *)&tb[stage][i][tx * 4], z = *(const float4 *)&tb[stage][i][32 + tx * 4];
            float row[4] = {x.x, x.y, x.z, x.w}, col[8] = {y.x, y.y, y.z, y.w, z.x, z.y, z.z, z.w};
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int s = 0; s < 8; s++)
                    sum[r][s] = __fmaf_rn(row[r], col[s], sum[r][s]);
        }
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float *out = c + (blockIdx.y * 64 + ty * 4 + r) * n + blockIdx.x * 64 + tx * 4;
        *(float4 *)out = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
        *(float4 *)(out + 32) = make_float4(sum[r][4], sum[r][5], sum[r][6], sum[r][7]);
    }
}
