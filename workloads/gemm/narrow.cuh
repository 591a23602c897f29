// C = A B' from one-byte elements on tensor cores: A is m x k, B n x k (both with k contiguous, as the fragments want it).
// 128 x 128 tiles, 64 deep, three stages of cp.async, eight warps of 64 x 32; m, n, k multiples of 128, 128, 64. The
// type ACC of the sums and multiply(ACC *d, a, b), one m16n8k32, come from the file that includes this one.
#include "pipe.cuh"

__device__ __forceinline__ void multiply(ACC *d, const uint32_t *a, const uint32_t *b);

__device__ __forceinline__ void narrow_product(const uint8_t *a, const uint8_t *b, ACC *c, int m, int n, int k)
{
    extern __shared__ __align__(128) uint8_t tiles[];
    constexpr int stages = 3, half_stage = 128 * 64;
    uint32_t base = shared_address(tiles), t = threadIdx.x, lane = t % 32, warp = t / 32;
    int steps = k / 64, wrow = warp / 4 * 64, wcol = warp % 4 * 32;
    a += (size_t)blockIdx.y * 128 * k, b += (size_t)blockIdx.x * 128 * k;
    auto load = [&](int step) {
        uint32_t to = base + step % stages * 2 * half_stage;
#pragma unroll
        for (int i = t; i < 512; i += 256) {
            int r = i / 4, q = i % 4, at = r * 64 + (q ^ (r / 2 & 3)) * 16;
            copy16(to + at, a + (size_t)r * k + step * 64 + q * 16, 16);
            copy16(to + half_stage + at, b + (size_t)r * k + step * 64 + q * 16, 16);
        }
    };
    ACC sum[4][4][4] = {};
    for (int s = 0; s < stages - 1; s++) {
        if (s < steps)
            load(s);
        copies_commit();
    }
    for (int step = 0; step < steps; step++) {
        copies_wait<stages - 2>();
        __syncthreads();
        if (step + stages - 1 < steps)
            load(step + stages - 1);
        copies_commit();
        uint32_t at = base + step % stages * 2 * half_stage, bt = at + half_stage;
#pragma unroll
        for (int k1 = 0; k1 < 2; k1++) { // 32 elements are two chunks
            uint32_t fa[4][4], fb[2][4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                int r = wrow + i * 16 + lane % 16, q = k1 * 2 + lane / 16;
                fragments(fa[i], at + r * 64 + (q ^ (r / 2 & 3)) * 16);
            }
#pragma unroll
            for (int j = 0; j < 2; j++) { // 16 rows of B: two column groups of C
                int r = wcol + j * 16 + lane / 16 * 8 + lane % 8, q = k1 * 2 + lane / 8 % 2;
                fragments(fb[j], bt + r * 64 + (q ^ (r / 2 & 3)) * 16);
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    multiply(sum[i][j], fa[i], &fb[j / 2][j % 2 * 2]);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                size_t r = blockIdx.y * 128 + wrow + i * 16 + h * 8 + lane / 4, q = blockIdx.x * 128 + wcol + j * 8 + lane % 4 * 2;
                c[r * n + q] = sum[i][j][2 * h];
                c[r * n + q + 1] = sum[i][j][2 * h + 1];
            }
}
