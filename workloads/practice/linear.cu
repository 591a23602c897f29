// Linear algebra in small: sparse products, factorisations, batches, transforms.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include "../kernels/common.cuh"

namespace cg = cooperative_groups;

// A row of between 0 and 31 entries, made up from its number: four lanes a row
__device__ __forceinline__ u32 row_start(u32 r) { return r * 15 + (scramble(r) & 15); }
KERNEL spmv_csr(const float *value, const u32 *column, const float *x, float *y, u32 mask)
{
    auto four = cg::tiled_partition<4>(cg::this_thread_block());
    u32 r = THREAD / 4;
    float s = 0;
    for (u32 i = row_start(r) + four.thread_rank(); i < row_start(r + 1); i += 4)
        s += value[i] * x[column[i] & mask];
    s = cg::reduce(four, s, cg::plus<float>());
    if (four.thread_rank() == 0)
        y[r] = s;
}
KERNEL spmv_ell(const float *value, const u32 *column, const float *x, float *y, u32 rows, u32 width)
{
    u32 r = THREAD;
    float s = 0;
    for (u32 k = 0; k < width; k++) {
        u32 c = __ldg(column + k * rows + r);
        if (c % 5)
            s += value[k * rows + r] * x[c % rows];
    }
    y[r] = s;
}
// y = A x, a row a block; double
KERNEL gemv_double(const double2 *a, const double2 *x, double *y, u32 pairs)
{
    __shared__ double part[8];
    double s = 0;
    for (u32 i = threadIdx.x; i < pairs; i += blockDim.x) {
        double2 m = a[(size_t)blockIdx.x * pairs + i], v = x[i];
        s = fma(m.x, v.x, fma(m.y, v.y, s));
    }
    for (int d = 16; d; d /= 2)
        s += __shfl_down_sync(~0u, s, d);
    if ((threadIdx.x & 31) == 0)
        part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; i++)
            s += part[i];
        y[blockIdx.x] = s;
    }
}
// y = A' x, a column a thread: coalesced without shared memory
KERNEL gemv_transposed(const float *a, const float *x, float *y, u32 rows, u32 columns)
{
    u32 c = THREAD;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (u32 r = 0; r < rows; r += 4) {
        s0 += a[(size_t)r * columns + c] * x[r];
        s1 += a[(size_t)(r + 1) * columns + c] * x[r + 1];
        s2 += a[(size_t)(r + 2) * columns + c] * x[r + 2];
        s3 += a[(size_t)(r + 3) * columns + c] * x[r + 3];
    }
    y[c] = s0 + s1 + (s2 + s3);
}
// 16 x 16 products, one a block
KERNEL batched(const float *a, const float *b, float *c)
{
    __shared__ float as[16][16], bs[16][17];
    u32 tx = threadIdx.x, ty = threadIdx.y, at = blockIdx.x * 256 + ty * 16 + tx;
    as[ty][tx] = a[at];
    bs[ty][tx] = b[at];
    __syncthreads();
    float s = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        s += as[ty][k] * bs[k][tx];
    c[at] = s;
}
// Cholesky of A'A + I, 16 x 16 a warp, in shared memory
KERNEL cholesky(const float *in, float *out)
{
    __shared__ float m[4][16][17];
    u32 w = threadIdx.x / 32, lane = threadIdx.x & 31, base = (THREAD / 32) * 256;
    for (u32 e = lane; e < 256; e += 32) {
        float s = e / 16 == e % 16 ? 1.0f : 0.0f;
        for (u32 k = 0; k < 16; k++)
            s += in[base + k * 16 + e / 16] * in[base + k * 16 + e % 16];
        m[w][e / 16][e % 16] = s;
    }
    __syncwarp();
    for (u32 j = 0; j < 16; j++) {
        float d = sqrtf(m[w][j][j]);
        __syncwarp();
        if (lane == j)
            m[w][j][j] = d;
        else if (lane > j && lane < 16)
            m[w][lane][j] /= d;
        __syncwarp();
        if (lane > j && lane < 16)
            for (u32 k = j + 1; k <= lane; k++)
                m[w][lane][k] -= m[w][lane][j] * m[w][k][j];
        __syncwarp();
    }
    for (u32 e = lane; e < 256; e += 32)
        out[base + e] = e % 16 <= e / 16 ? m[w][e / 16][e % 16] : 0;
}
// Gauss-Jordan of 4 x 4 doubles in registers with a pivot search: a matrix a thread
KERNEL solve4(const double *in, double *out, u32 n)
{
    double a[4][5];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            a[i][j] = in[(i * 5 + j) * n + THREAD];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int best = k;
#pragma unroll
        for (int i = k + 1; i < 4; i++)
            if (fabs(a[i][k]) > fabs(a[k][k]) && best == k)
                best = i;
#pragma unroll
        for (int i = k + 1; i < 4; i++)
            if (i == best)
                for (int j = 0; j < 5; j++) {
                    double t = a[k][j];
                    a[k][j] = a[i][j];
                    a[i][j] = t;
                }
        double inv = 1.0 / a[k][k];
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (i != k) {
                double f = a[i][k] * inv;
                for (int j = k; j < 5; j++)
                    a[i][j] -= f * a[k][j];
            }
    }
    for (int i = 0; i < 4; i++)
        out[i * n + THREAD] = a[i][4] / a[i][i];
}
// Number-theoretic transform of 512 values a block, modulo 12289, in shared memory
KERNEL ntt(const u32 *in, u32 *out)
{
    __shared__ u32 v[512];
    const u32 p = 12289, t = threadIdx.x;
    for (u32 i = t; i < 512; i += 256)
        v[__brev(i) >> 23] = in[blockIdx.x * 512 + i] % p;
    u32 root = 10302; // of order 512
    for (u32 len = 1; len < 512; len *= 2) {
        u32 w = 1, base = root, e = t & (len - 1), scale = 256 / len;
        for (u32 q = e * scale; q; q /= 2) {
            if (q & 1)
                w = w * base % p;
            base = base * base % p;
        }
        u32 i = 2 * t - e;
        __syncthreads();
        u32 a = v[i], b = v[i + len] * w % p;
        v[i] = (a + b) % p;
        v[i + len] = (a + p - b) % p;
    }
    __syncthreads();
    for (u32 i = t; i < 512; i += 256)
        out[blockIdx.x * 512 + i] = v[i];
}
// All shortest paths inside 32 x 32 tiles
KERNEL floyd(const u32 *in, u32 *out)
{
    __shared__ u32 d[32][33];
    u32 tx = threadIdx.x, base = blockIdx.x * 1024;
    for (u32 y = threadIdx.y; y < 32; y += 8)
        d[y][tx] = in[base + y * 32 + tx] & 1023;
    for (u32 k = 0; k < 32; k++) {
        __syncthreads();
        for (u32 y = threadIdx.y; y < 32; y += 8) {
            u32 via = d[y][k] + d[k][tx];
            if (via < d[y][tx])
                d[y][tx] = via;
        }
    }
    __syncthreads();
    for (u32 y = threadIdx.y; y < 32; y += 8)
        out[base + y * 32 + tx] = d[y][tx];
}
// Two buffers filled by asynchronous copies while the other is multiplied: 64 x 64 tiles, 4 x 4 a thread
KERNEL sgemm_pipeline(const float *a, const float *b, float *c, u32 n)
{
    __shared__ __align__(16) float as[2][64][16], bs[2][16][64];
    const u32 t = threadIdx.x, tx = t & 15, ty = t / 16;
    const float *arow = a + (size_t)(blockIdx.y * 64 + t / 4) * n + t % 4 * 4, *brow = b + (size_t)(t / 16) * n + blockIdx.x * 64 + t % 16 * 4;
    float acc[4][4] = {};
    __pipeline_memcpy_async(&as[0][t / 4][t % 4 * 4], arow, 16);
    __pipeline_memcpy_async(&bs[0][t / 16][t % 16 * 4], brow, 16);
    __pipeline_commit();
    for (u32 k0 = 0, s = 0; k0 < n; k0 += 16, s ^= 1) {
        if (k0 + 16 < n) {
            __pipeline_memcpy_async(&as[s ^ 1][t / 4][t % 4 * 4], arow + k0 + 16, 16);
            __pipeline_memcpy_async(&bs[s ^ 1][t / 16][t % 16 * 4], brow + (size_t)(k0 + 16) * n, 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 y = *(const float4 *)&bs[s][k][tx * 4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float x = as[s][ty * 4 + i][k];
                acc[i][0] += x * y.x, acc[i][1] += x * y.y, acc[i][2] += x * y.z, acc[i][3] += x * y.w;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        *(float4 *)&c[(size_t)(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
// tf32 fragments straight from global memory: 16 x 16 a warp
KERNEL wmma_tf32(const float *a, const float *b, float *c, u32 n)
{
    using namespace nvcuda::wmma;
    u32 warp = THREAD / 32, row = warp / (n / 16) * 16, col = warp % (n / 16) * 16;
    fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> fa;
    fragment<matrix_b, 16, 16, 8, precision::tf32, col_major> fb;
    fragment<accumulator, 16, 16, 8, float> acc;
    fill_fragment(acc, 0.0f);
    for (u32 k = 0; k < n; k += 8) {
        load_matrix_sync(fa, a + (size_t)row * n + k, n);
        load_matrix_sync(fb, b + (size_t)col * n + k, n);
        for (int i = 0; i < fa.num_elements; i++)
            fa.x[i] = __float_to_tf32(fa.x[i]);
        for (int i = 0; i < fb.num_elements; i++)
            fb.x[i] = __float_to_tf32(fb.x[i]);
        mma_sync(acc, fa, fb, acc);
    }
    store_matrix_sync(c + (size_t)row * n + col, acc, n, mem_row_major);
}
// A polynomial of degree 31 by Horner's rule, four at once: nothing but fused multiply-adds
KERNEL horner(const float4 *x, float4 *y, u32 rounds)
{
    float4 v = x[THREAD], s = {1, 1, 1, 1};
    for (u32 r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < 32; k++) {
            float c = 1.0f / (k + 1);
            s.x = s.x * v.x + c, s.y = s.y * v.y + c, s.z = s.z * v.z + c, s.w = s.w * v.w + c;
        }
    y[THREAD] = s;
}
