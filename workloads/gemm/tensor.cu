// C = A B with A, B, C in fp16 and sums in fp32, on tensor cores. A is m x k, B k x n, rows lda, ldb, ldc elements apart.
#include <cuda_fp16.h>
#include <mma.h>

#include "pipe.cuh"

// By the C++ interface: 64 x 64 tiles, 32 deep, four warps of 32 x 32; m, n, k multiples of 64, 64, 32.
extern "C" __global__ void __launch_bounds__(128) gemm_wmma(const half *a, const half *b, half *c, int m, int n, int k)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(16) half ta[64][32 + 8], tb[32][64 + 8]; // padded: rows begin in different banks
    int t = threadIdx.x, warp = t / 32, row = warp / 2 * 32, col = warp % 2 * 32;
    fragment<accumulator, 16, 16, 16, float> sum[2][2];
    for (int i = 0; i < 4; i++)
        fill_fragment(sum[i / 2][i % 2], 0.0f);
    for (int k0 = 0; k0 < k; k0 += 32) {
        for (int i = t; i < 256; i += 128) {
            *(uint4 *)&ta[i / 4][i % 4 * 8] = *(const uint4 *)&a[(size_t)(blockIdx.y * 64 + i / 4) * k + k0 + i % 4 * 8];
            *(uint4 *)&tb[i / 8][i % 8 * 8] = *(const uint4 *)&b[(size_t)(k0 + i / 8) * n + blockIdx.x * 64 + i % 8 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int k1 = 0; k1 < 32; k1 += 16) {
            fragment<matrix_a, 16, 16, 16, half, row_major> fa[2];
            fragment<matrix_b, 16, 16, 16, half, row_major> fb[2];
            for (int i = 0; i < 2; i++) {
                load_matrix_sync(fa[i], &ta[row + 16 * i][k1], 32 + 8);
                load_matrix_sync(fb[i], &tb[k1][col + 16 * i], 64 + 8);
            }
            for (int i = 0; i < 4; i++)
                mma_sync(sum[i / 2][i % 2], fa[i / 2], fb[i % 2], sum[i / 2][i % 2]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        fragment<accumulator, 16, 16, 16, half> out;
        for (int e = 0; e < out.num_elements; e++)
            out.x[e] = __float2half_rn(sum[i / 2][i % 2].x[e]);
        store_matrix_sync(&c[(size_t)(blockIdx.y * 64 + row + i / 2 * 16) * n + blockIdx.x * 64 + col + i % 2 * 16], out, n, mem_row_major);
    }
}

__device__ __forceinline__ void multiply(float *d, const uint32_t *a, const uint32_t *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// BM x BN tiles, 32 deep, in STAGES stages of shared memory; eight warps of WM x WN. Any m, n, k: what lies outside is
// zero. 16-byte chunks are stored at places that depend on the row, so that eight rows of a fragment lie in all banks.
template <int BM, int BN, int WM, int WN, int STAGES>
__device__ __forceinline__ void product(const half *a, const half *b, half *c, int m, int n, int k, int lda, int ldb, int ldc)
{
    extern __shared__ __align__(128) half tiles[];
    constexpr int bytes_a = BM * 64, bytes_b = BN * 64;
    uint32_t base = shared_address(tiles), t = threadIdx.x, lane = t % 32, warp = t / 32;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, steps = (k + 31) / 32;
    int wrow = warp / (BN / WN) * WM, wcol = warp % (BN / WN) * WN;
    auto load = [&](int step) {
        uint32_t to = base + step % STAGES * (bytes_a + bytes_b);
        int k0 = step * 32;
#pragma unroll
        for (int i = t; i < BM * 4; i += 256) {
            int r = i / 4, q = i % 4, in = row0 + r < m ? inside(k - k0 - q * 8, 2) : 0;
            copy16(to + r * 64 + (q ^ (r / 2 & 3)) * 16, in ? a + (size_t)(row0 + r) * lda + k0 + q * 8 : a, in);
        }
#pragma unroll
        for (int i = t; i < BN * 4; i += 256) {
            int r = i / (BN / 8), q = i % (BN / 8), in = k0 + r < k ? inside(n - col0 - q * 8, 2) : 0;
            copy16(to + bytes_a + r * BN * 2 + (q ^ (r & 7)) * 16, in ? b + (size_t)(k0 + r) * ldb + col0 + q * 8 : b, in);
        }
    };
    float sum[WM / 16][WN / 8][4] = {};
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps)
            load(s);
        copies_commit();
    }
    for (int step = 0; step < steps; step++) {
        copies_wait<STAGES - 2>();
        __syncthreads();
        if (step + STAGES - 1 < steps)
            load(step + STAGES - 1);
        copies_commit();
        uint32_t at = base + step % STAGES * (bytes_a + bytes_b), bt = at + bytes_a;
#pragma unroll
        for (int k1 = 0; k1 < 32; k1 += 16) {
            uint32_t fa[WM / 16][4], fb[WN / 8][2];
#pragma unroll
            for (int i = 0; i < WM / 16; i++) {
                int r = wrow + i * 16 + lane % 16, q = k1 / 8 + lane / 16;
                fragments(fa[i], at + r * 64 + (q ^ (r / 2 & 3)) * 16);
            }
#pragma unroll
            for (int i = 0; i < WN / 8; i += 2) {
                int r = k1 + lane % 16, q = wcol / 8 + i + lane / 16;
                fragments_turned(fb[i], bt + r * BN * 2 + (q ^ (r & 7)) * 16);
            }
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int j = 0; j < WN / 8; j++)
                    multiply(sum[i][j], fa[i], fb[j]);
        }
    }
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 8; j++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                int r = row0 + wrow + i * 16 + h * 8 + lane / 4, q = col0 + wcol + j * 8 + lane % 4 * 2;
                half2 pair = __floats2half2_rn(sum[i][j][2 * h], sum[i][j][2 * h + 1]);
                half *out = c + (size_t)r * ldc + q;
                if (r < m && q + 1 < n)
                    *(half2 *)out = pair;
                else if (r < m && q < n)
                    *out = __low2half(pair);
            }
}
extern "C" __global__ void __launch_bounds__(256)
gemm_mma(const half *a, const half *b, half *c, int m, int n, int k, int lda, int ldb, int ldc)
{
    product<128, 128, 64, 32, 3>(a, b, c, m, n, k, lda, ldb, ldc);
}
extern "C" __global__ void __launch_bounds__(256)
gemm_mma256(const half *a, const half *b, half *c, int m, int n, int k, int lda, int ldb, int ldc)
{
    product<256, 128, 64, 64, 3>(a, b, c, m, n, k, lda, ldb, ldc);
}
