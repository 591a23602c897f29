// A dozen kernels of ordinary kinds, written and measured after the model's constants had been settled a second time.
#include "../kernels/common.cuh"
#include <cuda_fp16.h>

// Dot products of rows of halves: vector loads, a tree over the block
KERNEL dot_half(const __half2 *a, const __half2 *b, float *out, u32 pairs)
{
    __shared__ float part[8];
    const __half2 *p = a + (size_t)blockIdx.x * pairs, *q = b + (size_t)blockIdx.x * pairs;
    float s = 0;
    for (u32 i = threadIdx.x; i < pairs; i += blockDim.x) {
        float2 x = __half22float2(p[i]), y = __half22float2(q[i]);
        s += x.x * y.x + x.y * y.y;
    }
    for (int d = 16; d; d /= 2)
        s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (u32 w = 1; w < blockDim.x / 32; w++)
            s += part[w];
        out[blockIdx.x] = s;
    }
}
// A filter of 31 taps along a line, the line and its halo in shared memory, the taps in constant memory
__constant__ float taps[31] = {1,  -2, 3,  -4, 5,  -6, 7,  -8, 9,  -10, 11, -12, 13, -14, 15, 16,
                               15, 14, 13, 12, 11, 10, 9,  8,  7,  6,   5,  4,   3,  2,   1};
KERNEL filter_line(const float *in, float *out, u32 n)
{
    __shared__ float line[256 + 30];
    int first = (int)(blockIdx.x * 256) - 15;
    for (int i = threadIdx.x; i < 256 + 30; i += 256)
        line[i] = first + i >= 0 && first + i < (int)n ? in[first + i] : 0;
    __syncthreads();
    float s = 0;
#pragma unroll
    for (int k = 0; k < 31; k++)
        s += taps[k] * line[threadIdx.x + k];
    if (THREAD < n)
        out[THREAD] = s;
}
// Bit-reversed order: one side of the copy is scattered
KERNEL bit_reverse(const float2 *in, float2 *out, u32 log2)
{
    u32 i = THREAD;
    out[__brev(i) >> (32 - log2)] = in[i];
}
// Keeps the positive numbers of each block, in order
KERNEL keep_positive(const int *in, int *out, u32 *kept)
{
    __shared__ u32 before[9];
    int v = in[THREAD];
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, vote = __ballot_sync(~0u, v > 0);
    if (lane == 0)
        before[warp + 1] = __popc(vote);
    __syncthreads();
    if (threadIdx.x == 0) {
        before[0] = 0;
        for (u32 w = 1; w <= blockDim.x / 32; w++)
            before[w] += before[w - 1];
        kept[blockIdx.x] = before[blockDim.x / 32];
    }
    __syncthreads();
    if (v > 0)
        out[blockIdx.x * blockDim.x + before[warp] + __popc(vote & ((1u << lane) - 1))] = v;
}
// Means over a node's neighbours, a warp a node, a feature a lane
KERNEL neighbours(const float *features, const u32 *edges, float *out, u32 nodes, u32 degree)
{
    u32 node = THREAD / 32, lane = threadIdx.x % 32;
    float s = 0;
    u32 n = degree / 2 + node % degree;
    for (u32 e = 0; e < n; e++)
        s += features[(size_t)(edges[(size_t)node * 2 * degree + e] % nodes) * 32 + lane];
    out[(size_t)node * 32 + lane] = s / (float)n;
}
// Paths of a price, an option's value of each: exponentials, logarithms, sines
KERNEL paths(float *out, u32 steps)
{
    u32 seed = THREAD * 2654435761u + 1;
    float x = 0, low = 0;
    for (u32 t = 0; t < steps; t++) {
        seed = scramble(seed + t);
        float u = (seed >> 8) * 0x1p-24f + 0x1p-25f, v = (scramble(seed) >> 8) * 0x1p-24f;
        x += 0.01f * sqrtf(-2 * __logf(u)) * __cosf(6.2831853f * v) - 0.00005f;
        low = fminf(low, x);
    }
    out[THREAD] = fmaxf(0.f, __expf(x) - 0.9f) * (low > -0.4f);
}
// Rows to eight bits, each by its largest number
KERNEL quantize_rows(const float4 *in, char4 *out, float *scale, u32 quads)
{
    __shared__ float most[8];
    const float4 *p = in + (size_t)blockIdx.x * quads;
    float m = 0;
    for (u32 i = threadIdx.x; i < quads; i += blockDim.x) {
        float4 v = p[i];
        m = fmaxf(fmaxf(m, fmaxf(fabsf(v.x), fabsf(v.y))), fmaxf(fabsf(v.z), fabsf(v.w)));
    }
    for (int d = 16; d; d /= 2)
        m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    if (threadIdx.x % 32 == 0)
        most[threadIdx.x / 32] = m;
    __syncthreads();
    for (u32 w = 0; w < blockDim.x / 32; w++)
        m = fmaxf(m, most[w]);
    float s = 127 / m;
    for (u32 i = threadIdx.x; i < quads; i += blockDim.x) {
        float4 v = p[i];
        out[(size_t)blockIdx.x * quads + i] = make_char4((char)__float2int_rn(v.x * s), (char)__float2int_rn(v.y * s),
                                                         (char)__float2int_rn(v.z * s), (char)__float2int_rn(v.w * s));
    }
    if (threadIdx.x == 0)
        scale[blockIdx.x] = m / 127;
}
// Windows of 3 x 3 of an image as rows of a matrix
KERNEL windows(const float *image, float *out, u32 width, u32 height)
{
    u32 t = THREAD, x = t % width, y = t / width;
    for (u32 k = 0; k < 9; k++) {
        int sx = (int)x + (int)(k % 3) - 1, sy = (int)y + (int)(k / 3) - 1;
        bool inside = sx >= 0 && sy >= 0 && sx < (int)width && sy < (int)height;
        out[(size_t)k * width * height + t] = inside ? image[sy * width + sx] : 0;
    }
}
// Edit distance of two strings, a block a pair, diagonal by diagonal
KERNEL edit_distance(const u8 *a, const u8 *b, u32 *out)
{
    __shared__ u16 d[3][129];
    __shared__ u8 s[128], r[128];
    u32 t = threadIdx.x;
    s[t] = a[blockIdx.x * 128 + t] & 3;
    r[t] = b[blockIdx.x * 128 + t] & 3;
    for (u32 k = 0; k < 257; k++) {
        __syncthreads();
        for (u32 i = t; i <= 128; i += 128) {
            u32 j = k - i;
            if (i > k || j > 128)
                continue;
            u16 v = (u16)(i + j);
            if (i && j) {
                v = d[(k + 1) % 3][i - 1] + (s[i - 1] != r[j - 1]);
                v = min(v, min((u16)(d[(k + 2) % 3][i] + 1), (u16)(d[(k + 2) % 3][i - 1] + 1)));
            }
            d[k % 3][i] = v;
        }
    }
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = d[256 % 3][128];
}
// Probes of a hash table by linear steps
KERNEL probe(const u32 *keys, const u32 *table, u32 *out, u32 mask)
{
    u32 key = keys[THREAD] | 1, at = scramble(key) & mask, steps = 0;
    while (steps < 32 && (table[at] & 7) != (key & 7)) {
        at = (at + 1) & mask;
        steps++;
    }
    out[THREAD] = at << 6 | steps;
}
// The largest of 2 x 2, four outputs a thread
KERNEL pool(const float4 *in, float2 *out, u32 quads)
{
    u32 t = THREAD, row = t / quads, q = t % quads;
    float4 a = in[(size_t)2 * row * quads + q], b = in[(size_t)(2 * row + 1) * quads + q];
    out[t] = make_float2(fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y)), fmaxf(fmaxf(a.z, a.w), fmaxf(b.z, b.w)));
}
// Running sums of rows, a warp a row
KERNEL row_sums_running(const float *in, float *out, u32 columns)
{
    u32 row = THREAD / 32, lane = threadIdx.x % 32;
    float carry = 0;
    for (u32 c = lane; c < columns; c += 32) {
        float v = in[(size_t)row * columns + c];
        for (int d = 1; d < 32; d *= 2) {
            float u = __shfl_up_sync(~0u, v, d);
            if ((int)lane >= d)
                v += u;
        }
        v += carry;
        out[(size_t)row * columns + c] = v;
        carry = __shfl_sync(~0u, v, 31);
    }
}
