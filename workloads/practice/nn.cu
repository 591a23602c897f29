// Layers of neural networks as people write them by hand: normalisation, rotary positions, decoding, quantised weights.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../kernels/common.cuh"

__device__ __forceinline__ float warp_sum(float v)
{
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    return v;
}
// Sum over a block of at most 32 warps; every thread gets it.
__device__ float block_sum(float v, float *part)
{
    v = warp_sum(v);
    __syncthreads();
    if ((threadIdx.x & 31) == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    float s = 0;
    for (u32 i = 0; i < blockDim.x / 32; i++)
        s += part[i];
    return s;
}

// One row a block, mean and variance in one pass over four columns a thread
KERNEL layernorm(const float4 *x, const float4 *gain, const float4 *bias, float4 *y, u32 quads)
{
    __shared__ float part[32];
    const float4 *row = x + (size_t)blockIdx.x * quads;
    float s = 0, ss = 0;
    for (u32 i = threadIdx.x; i < quads; i += blockDim.x) {
        float4 v = row[i];
        s += v.x + v.y + v.z + v.w;
        ss += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    float mean = block_sum(s, part) / (4 * quads);
    float rstd = rsqrtf(block_sum(ss, part) / (4 * quads) - mean * mean + 1e-5f);
    for (u32 i = threadIdx.x; i < quads; i += blockDim.x) {
        float4 v = row[i], g = gain[i], b = bias[i];
        v.x = (v.x - mean) * rstd * g.x + b.x;
        v.y = (v.y - mean) * rstd * g.y + b.y;
        v.z = (v.z - mean) * rstd * g.z + b.z;
        v.w = (v.w - mean) * rstd * g.w + b.w;
        y[(size_t)blockIdx.x * quads + i] = v;
    }
}
// A row a warp, bf16 in and out, with the residual added first
KERNEL rmsnorm(const __nv_bfloat162 *x, __nv_bfloat162 *res, const __nv_bfloat162 *w, __nv_bfloat162 *y, u32 pairs)
{
    u32 row = THREAD / 32, lane = threadIdx.x & 31;
    float ss = 0;
    for (u32 i = lane; i < pairs; i += 32) {
        float2 a = __bfloat1622float2(x[row * pairs + i]), b = __bfloat1622float2(res[row * pairs + i]);
        a.x += b.x, a.y += b.y;
        res[row * pairs + i] = __float22bfloat162_rn(a);
        ss += a.x * a.x + a.y * a.y;
    }
    float r = rsqrtf(warp_sum(ss) / (2 * pairs) + 1e-6f);
    for (u32 i = lane; i < pairs; i += 32) {
        float2 a = __bfloat1622float2(res[row * pairs + i]), g = __bfloat1622float2(w[i]);
        y[row * pairs + i] = __floats2bfloat162_rn(a.x * r * g.x, a.y * r * g.y);
    }
}
// Rotary positions on half pairs; angles by the math library
KERNEL rope(__half2 *q, u32 heads, u32 dim, u32 first)
{
    u32 pos = blockIdx.x, half = dim / 2;
    for (u32 t = threadIdx.x; t < heads * half; t += blockDim.x) {
        u32 i = t % half;
        float angle = (float)(first + pos) * exp2f(-13.287712f * (float)i / (float)half), s, c;
        sincosf(angle, &s, &c);
        float2 v = __half22float2(q[(size_t)pos * heads * half + t]);
        q[(size_t)pos * heads * half + t] = __floats2half2_rn(v.x * c - v.y * s, v.x * s + v.y * c);
    }
}
// Rows of a table by index, 16 bytes a lane
KERNEL embedding(const float4 *table, const u32 *id, float4 *y, u32 quads)
{
    u32 row = blockIdx.x * blockDim.y + threadIdx.y;
    const float4 *from = table + (size_t)id[row] * quads;
    for (u32 i = threadIdx.x; i < quads; i += 32)
        y[(size_t)row * quads + i] = from[i];
}
// Softmax over rows in one pass: each lane keeps (maximum, sum), then the warp merges them
KERNEL online_softmax(const float *x, float *y, u32 n)
{
    u32 row = THREAD / 32, lane = threadIdx.x & 31;
    float m = -INFINITY, s = 0;
    for (u32 i = lane; i < n; i += 32) {
        float v = x[row * n + i], top = fmaxf(m, v);
        s = s * __expf(m - top) + __expf(v - top);
        m = top;
    }
    for (int d = 16; d; d /= 2) {
        float om = __shfl_xor_sync(~0u, m, d), os = __shfl_xor_sync(~0u, s, d), top = fmaxf(m, om);
        s = s * __expf(m - top) + os * __expf(om - top);
        m = top;
    }
    for (u32 i = lane; i < n; i += 32)
        y[row * n + i] = __expf(x[row * n + i] - m) / s;
}
// gate * sigmoid(gate) * up
KERNEL swiglu(const __nv_bfloat162 *gate, const __nv_bfloat162 *up, __nv_bfloat162 *y, u32 pairs)
{
    for (u32 i = THREAD; i < pairs; i += gridDim.x * blockDim.x) {
        float2 g = __bfloat1622float2(gate[i]), u = __bfloat1622float2(up[i]);
        y[i] = __floats2bfloat162_rn(g.x / (1 + __expf(-g.x)) * u.x, g.y / (1 + __expf(-g.y)) * u.y);
    }
}
// y = W x with W in 4 bits, groups of 32 with a half scale: a warp a row
KERNEL gemv_int4(const uint4 *w, const __half *scale, const __half2 *x, float *y, u32 groups)
{
    u32 row = THREAD / 32, lane = threadIdx.x & 31;
    float sum = 0;
    for (u32 g = lane; g < groups; g += 32) {
        uint4 q = w[(size_t)row * groups + g];
        const u32 words[4] = {q.x, q.y, q.z, q.w};
        float part = 0;
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                float2 v = __half22float2(x[g * 16 + k * 4 + j]);
                u32 b = words[k] >> 8 * j;
                part += (float)((int)(b & 15) - 8) * v.x + (float)((int)(b >> 4 & 15) - 8) * v.y;
            }
        sum += part * __half2float(scale[(size_t)row * groups + g]);
    }
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}
// One query a head against a cache of keys and values: scores in shared memory, then the weighted sum
KERNEL decode_attention(const __half2 *q, const __half2 *k, const __half2 *v, float *y, u32 length)
{
    extern __shared__ float score[];
    __shared__ float part[32];
    const u32 head = blockIdx.x, lane = threadIdx.x & 31, w = threadIdx.x / 32, warps = blockDim.x / 32;
    float2 mine = __half22float2(q[head * 32 + lane]); // 64 wide
    for (u32 t = w; t < length; t += warps) {
        float2 key = __half22float2(k[((size_t)head * length + t) * 32 + lane]);
        float s = warp_sum(mine.x * key.x + mine.y * key.y);
        if (lane == 0)
            score[t] = s * 0.125f;
    }
    __syncthreads();
    float m = -INFINITY;
    for (u32 t = threadIdx.x; t < length; t += blockDim.x)
        m = fmaxf(m, score[t]);
    for (int d = 16; d; d /= 2)
        m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    if (lane == 0)
        part[w] = m;
    __syncthreads();
    for (u32 i = 0; i < warps; i++)
        m = fmaxf(m, part[i]);
    float sum = 0;
    for (u32 t = threadIdx.x; t < length; t += blockDim.x)
        sum += score[t] = __expf(score[t] - m);
    sum = block_sum(sum, part);
    __shared__ float2 acc[8][32];
    float2 a = {0, 0};
    for (u32 t = w; t < length; t += warps) {
        float2 x = __half22float2(v[((size_t)head * length + t) * 32 + lane]);
        a.x += score[t] * x.x, a.y += score[t] * x.y;
    }
    acc[w][lane] = a;
    __syncthreads();
    if (w == 0) {
        for (u32 i = 1; i < warps; i++)
            a.x += acc[i][lane].x, a.y += acc[i][lane].y;
        y[head * 64 + 2 * lane] = a.x / sum;
        y[head * 64 + 2 * lane + 1] = a.y / sum;
    }
}
// The eight largest of a row: each lane keeps a sorted eight, then the warp takes the best of 32 heads eight times
KERNEL top_k(const float *x, float *value, u32 *index, u32 n)
{
    u32 row = THREAD / 32, lane = threadIdx.x & 31;
    float v[8];
    u32 at[8];
#pragma unroll
    for (int i = 0; i < 8; i++)
        v[i] = -INFINITY, at[i] = ~0u;
    for (u32 c = lane; c < n; c += 32) {
        float a = x[row * n + c];
        u32 p = c;
        if (a > v[7]) {
#pragma unroll
            for (int i = 0; i < 8; i++)
                if (a > v[i]) {
                    float tv = v[i];
                    u32 tp = at[i];
                    v[i] = a, at[i] = p;
                    a = tv, p = tp;
                }
        }
    }
    for (int k = 0; k < 8; k++) {
        float best = v[0];
        u32 who = lane;
        for (int d = 16; d; d /= 2) {
            float o = __shfl_xor_sync(~0u, best, d);
            u32 w = __shfl_xor_sync(~0u, who, d);
            if (o > best || (o == best && w < who))
                best = o, who = w;
        }
        if (lane == who) {
            value[row * 8 + k] = v[0];
            index[row * 8 + k] = at[0];
#pragma unroll
            for (int i = 0; i < 7; i++)
                v[i] = v[i + 1], at[i] = at[i + 1];
            v[7] = -INFINITY;
        }
        __syncwarp();
    }
}
// Products of 8-bit integers, four at a time: 64 x 64 tiles, 4 x 4 outputs a thread
KERNEL gemm_dp4a(const int *a, const int *b, int *c, u32 n, u32 words)
{
    __shared__ int as[16][65], bs[16][65];
    const u32 tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    int acc[4][4] = {};
    for (u32 k0 = 0; k0 < words; k0 += 16) {
        for (u32 i = t; i < 1024; i += 256) {
            as[i & 15][i / 16] = a[(size_t)(blockIdx.y * 64 + i / 16) * words + k0 + (i & 15)];
            bs[i & 15][i / 16] = b[(size_t)(blockIdx.x * 64 + i / 16) * words + k0 + (i & 15)];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            int x[4], y[4];
            for (int i = 0; i < 4; i++)
                x[i] = as[k][ty + 16 * i], y[i] = bs[k][tx + 16 * i];
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    acc[i][j] = __dp4a(x[i], y[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(size_t)(blockIdx.y * 64 + ty + 16 * i) * n + blockIdx.x * 64 + tx + 16 * j] = acc[i][j];
}
// Straight convolution, eight output channels a thread, filters in constant memory
__constant__ float filters[8 * 4 * 9] = {
#define R9(x) x, x * 2, x * -1, x * .5f, x * 3, x * -2, x * .25f, x, x * -.5f
    R9(1), R9(2), R9(.5f), R9(3), R9(-1), R9(1.5f), R9(2.5f), R9(-2), R9(1), R9(.125f), R9(4), R9(.75f),
};
KERNEL conv_channels(const float *x, float *y, u32 w, u32 h)
{
    u32 cx = blockIdx.x * 32 + threadIdx.x, cy = blockIdx.y * 8 + threadIdx.y;
    float acc[8] = {};
    for (u32 c = 0; c < 4; c++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                u32 px = cx + dx, py = cy + dy;
                float v = px < w && py < h ? x[(c * h + py) * w + px] : 0;
#pragma unroll
                for (int o = 0; o < 8; o++)
                    acc[o] += v * filters[(o * 4 + c) * 9 + (dy + 1) * 3 + dx + 1];
            }
#pragma unroll
    for (int o = 0; o < 8; o++)
        y[((size_t)o * h + cy) * w + cx] = acc[o];
}
