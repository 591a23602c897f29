// Kernels as people write them, taken into use after a model had met them for the first time: groups and queues, sorts in
// registers, boards of bits, halos in three dimensions, transforms, trees, gradients, fragments, barriers in arrays, byte codes.
#include "../kernels/common.cuh"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_fp16.h>
#include <mma.h>
namespace cg = cooperative_groups;

__device__ __forceinline__ float warp_sum(float v)
{
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    return v;
}
__device__ float block_sum(float v, float *room)
{
    v = warp_sum(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        room[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x % 32 < blockDim.x / 32 ? room[threadIdx.x % 32] : 0;
    return warp_sum(v);
}
__device__ __forceinline__ float2 cmul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ __forceinline__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 turn(float2 a) { return make_float2(a.y, -a.x); }
// A queue of what passes a test, one atomic for each group of lanes that pass, then its checksum
KERNEL queue_clear(u32 *tail, u64 *sum) { *tail = 0; *sum = 0; }
KERNEL queue_push(const u32 *in, u32 *queue, u32 *tail, u32 n)
{
    for (u32 i = THREAD; i < n; i += gridDim.x * blockDim.x) {
        u32 v = in[i];
        if (__popc(v) & 1 && v % 7 != 3) {
            auto g = cg::coalesced_threads();
            u32 at;
            if (g.thread_rank() == 0)
                at = atomicAdd(tail, g.size());
            queue[g.shfl(at, 0) + g.thread_rank()] = v;
        }
    }
}
KERNEL queue_sum(const u32 *queue, const u32 *tail, u64 *sum)
{
    u64 s = 0;
    for (u32 i = THREAD; i < *tail; i += gridDim.x * blockDim.x)
        s += (u64)queue[i] * queue[i];
    for (int d = 16; d; d /= 2)
        s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, s);
}
// 128 pairs sorted by a warp in registers: a bitonic network over shuffles
KERNEL warp_bitonic(const u64 *in, u64 *out)
{
    u32 lane = threadIdx.x % 32;
    size_t first = (size_t)(THREAD / 32) * 128;
    u64 k[4];
#pragma unroll
    for (u32 i = 0; i < 4; i++)
        k[i] = in[first + i * 32 + lane];
#pragma unroll
    for (u32 size = 2; size <= 128; size *= 2)
#pragma unroll
        for (u32 step = size / 2; step; step /= 2) {
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                u32 at = i * 32 + lane;
                bool up = (at & size) == 0;
                if (step >= 32) {
                    u32 j = i ^ (step / 32);
                    if (j > i) {
                        u64 a = k[i], b = k[j];
                        if ((a > b) == up)
                            k[i] = b, k[j] = a;
                    }
                } else {
                    u64 other = __shfl_xor_sync(~0u, k[i], step);
                    bool low = (lane & step) == 0;
                    k[i] = (low == up) == (k[i] < other) ? k[i] : other;
                }
            }
        }
#pragma unroll
    for (u32 i = 0; i < 4; i++)
        out[first + i * 32 + lane] = k[i];
}
// Ranks within digits by matching lanes (one pass of a radix sort of a tile)
KERNEL match_ranks(const u32 *in, u32 *out, u32 *counts)
{
    __shared__ u32 bins[8][16];
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (u32 i = threadIdx.x; i < 128; i += blockDim.x)
        bins[i / 16][i % 16] = 0;
    __syncthreads();
    u32 v = in[THREAD], digit = v >> 5 & 15;
    u32 same = __match_any_sync(~0u, digit), before = __popc(same & ((1u << lane) - 1));
    if (before == 0)
        bins[warp][digit] = __popc(same);
    __syncthreads();
    if (threadIdx.x < 16) {
        u32 s = 0;
        for (u32 w = 0; w < 8; w++) {
            u32 c = bins[w][threadIdx.x];
            bins[w][threadIdx.x] = s;
            s += c;
        }
        counts[blockIdx.x * 16 + threadIdx.x] = s;
        for (u32 d = 1; d < 16; d *= 2) {
            u32 x = __shfl_up_sync(0xffff, s, d, 16);
            if (threadIdx.x >= d)
                s += x;
        }
        u32 start = __shfl_up_sync(0xffff, s, 1, 16);
        start = threadIdx.x ? start : 0;
        for (u32 w = 0; w < 8; w++)
            bins[w][threadIdx.x] += start;
    }
    __syncthreads();
    out[blockIdx.x * 256 + bins[warp][digit] + before] = v;
}
// Generations of a board of bits, 32 cells a word, full adders on whole words
KERNEL life_bits(const u32 *in, u32 *out, u32 words, u32 rows)
{
    u32 x = threadIdx.x + blockIdx.x * blockDim.x, y = blockIdx.y;
    if (x >= words)
        return;
    u32 ones = 0, twos = 0, fours = 0, self = 0;
    for (int dy = -1; dy <= 1; dy++) {
        const u32 *r = in + (size_t)((y + dy + rows) % rows) * words;
        u32 m = r[x], l = __funnelshift_l(r[(x + words - 1) % words], m, 1), g = __funnelshift_r(m, r[(x + 1) % words], 1);
        u32 v[3] = {l, g, m};
        if (dy == 0)
            self = m;
        for (int k = 0; k < (dy == 0 ? 2 : 3); k++) {
            u32 c = ones & v[k];
            ones ^= v[k];
            u32 d = twos & c;
            twos ^= c;
            fours |= d;
        }
    }
    out[(size_t)y * words + x] = twos & ~fours & (ones | self);
}
#define QR(a, b, c, d)                                                                                                 \
    a += b, d ^= a, d = __funnelshift_l(d, d, 16), c += d, b ^= c, b = __funnelshift_l(b, b, 12), a += b, d ^= a,       \
        d = __funnelshift_l(d, d, 8), c += d, b ^= c, b = __funnelshift_l(b, b, 7)
KERNEL chacha(const u32 *key, const uint4 *in, uint4 *out)
{
    u32 s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, key[0], key[1], key[2], key[3],
                 key[4],     key[5],     key[6],     key[7],     THREAD, 0,      7,      9},
        x[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        x[i] = s[i];
    for (int r = 0; r < 10; r++) {
        QR(x[0], x[4], x[8], x[12]); QR(x[1], x[5], x[9], x[13]); QR(x[2], x[6], x[10], x[14]); QR(x[3], x[7], x[11], x[15]);
        QR(x[0], x[5], x[10], x[15]); QR(x[1], x[6], x[11], x[12]); QR(x[2], x[7], x[8], x[13]); QR(x[3], x[4], x[9], x[14]);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint4 v = in[(size_t)THREAD * 4 + i];
        v.x ^= x[i * 4] + s[i * 4], v.y ^= x[i * 4 + 1] + s[i * 4 + 1], v.z ^= x[i * 4 + 2] + s[i * 4 + 2], v.w ^= x[i * 4 + 3] + s[i * 4 + 3];
        out[(size_t)THREAD * 4 + i] = v;
    }
}
// Seven points in three dimensions, a plane's tile with halo in shared memory, marching upward
KERNEL stencil3d(const float *in, float *out, u32 w, u32 h, u32 d)
{
    __shared__ float s[10][34];
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    size_t plane = (size_t)w * h, at = (size_t)y * w + x;
    float below = 0, self = in[at], above = in[plane + at];
    for (u32 z = 0; z < d; z++) {
        __syncthreads();
        s[ty][tx] = self;
        if (tx == 1)
            s[ty][0] = x ? in[z * plane + at - 1] : 0;
        if (tx == 32)
            s[ty][33] = x + 1 < w ? in[z * plane + at + 1] : 0;
        if (ty == 1)
            s[0][tx] = y ? in[z * plane + at - w] : 0;
        if (ty == 8)
            s[9][tx] = y + 1 < h ? in[z * plane + at + w] : 0;
        __syncthreads();
        out[z * plane + at] = 0.4f * self + 0.1f * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] + below + above);
        below = self, self = above;
        above = z + 2 < d ? in[(z + 2) * plane + at] : 0;
    }
}
// 1024 complex numbers a block of 256, radix 4, five passes through shared memory
KERNEL fft_radix4(const float2 *in, float2 *out)
{
    __shared__ float2 s[1024];
    u32 t = threadIdx.x;
    float2 v[4];
    for (int k = 0; k < 4; k++)
        v[k] = in[(size_t)blockIdx.x * 1024 + t + 256 * k];
    for (u32 n = 1; n < 1024; n *= 4) {
        u32 j = t % n;
        float sn, cs;
        sincospif(-(float)j / (float)(2 * n), &sn, &cs);
        float2 w = make_float2(cs, sn), w2 = cmul(w, w), w3 = cmul(w2, w);
        v[1] = cmul(v[1], w), v[2] = cmul(v[2], w2), v[3] = cmul(v[3], w3);
        float2 a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = turn(v[1] - v[3]);
        u32 to = (t / n) * 4 * n + j;
        __syncthreads();
        s[to] = a + c, s[to + n] = b + d, s[to + 2 * n] = a - c, s[to + 3 * n] = b - d;
        __syncthreads();
        for (int k = 0; k < 4; k++)
            v[k] = s[t + 256 * k];
    }
    for (int k = 0; k < 4; k++)
        out[(size_t)blockIdx.x * 1024 + t + 256 * k] = v[k];
}
// A dense product at the places of a sparse matrix
KERNEL sddmm(const float4 *a, const float4 *b, const u32 *place, float *out, u32 rows)
{
    u32 e = THREAD / 8, k = threadIdx.x % 8, p = place[e], r = p % rows, c = p / rows % rows;
    float s = 0;
#pragma unroll
    for (u32 i = 0; i < 2; i++) {
        float4 x = __ldg(&a[r * 16 + i * 8 + k]), y = __ldg(&b[c * 16 + i * 8 + k]);
        s += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    for (int d = 4; d; d /= 2)
        s += __shfl_down_sync(~0u, s, d, 8);
    if (k == 0)
        out[e] = s;
}
// Rays through an implicit tree of boxes, a stack of nodes in local memory
KERNEL tree_rays(const float4 *box, u32 *hit, u32 levels)
{
    u32 r = scramble(THREAD);
    float ox = (r & 1023) / 1024.f, oy = (r >> 10 & 1023) / 1024.f, dx = (r >> 20) / 4096.f - 0.5f, dy = 1, near = 1e30f;
    float ix = 1 / dx, iy = 1 / dy;
    u32 stack[24], top = 0, best = ~0u, visits = 0;
    stack[top++] = 1;
    while (top) {
        u32 n = stack[--top];
        float4 b = box[n];
        float cx = fabsf(b.x), cy = fabsf(b.y) * 8, s = (0.02f + fabsf(b.z)) * (n < 64 ? 8 : 1);
        float t0 = (cx - s - ox) * ix, t1 = (cx + s - ox) * ix, u0 = (cy - s - oy) * iy, u1 = (cy + s - oy) * iy;
        float in = fmaxf(fminf(t0, t1), fminf(u0, u1)), out = fminf(fmaxf(t0, t1), fmaxf(u0, u1));
        visits++;
        if (in > out || out < 0 || in > near)
            continue;
        if (n >> (levels - 1)) {
            if (in < near)
                near = in, best = n;
            continue;
        }
        u32 first = dx > 0 ? 2 * n : 2 * n + 1;
        stack[top++] = first ^ 1;
        stack[top++] = first;
    }
    hit[THREAD] = best ^ visits << 20;
}
// dx of a layer norm, a row a block; parts of the gain's gradient a block of rows
KERNEL layernorm_back(const float *x, const float *dy, const float *gain, float *dx, float *dgain, u32 n, u32 rows)
{
    __shared__ float room[32];
    float dg[4] = {0, 0, 0, 0};
    for (u32 r = 0; r < rows; r++) {
        size_t row = ((size_t)blockIdx.x * rows + r) * n;
        float s = 0, q = 0;
        for (u32 i = threadIdx.x; i < n; i += blockDim.x)
            s += x[row + i], q += x[row + i] * x[row + i];
        s = block_sum(s, room) / n, q = block_sum(q, room) / n;
        float rs = rsqrtf(q - s * s + 1e-5f), a = 0, b = 0;
        for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
            float h = (x[row + i] - s) * rs, g = dy[row + i] * gain[i];
            a += g, b += g * h;
        }
        a = block_sum(a, room) / n, b = block_sum(b, room) / n;
        u32 k = 0;
        for (u32 i = threadIdx.x; i < n; i += blockDim.x, k++) {
            float h = (x[row + i] - s) * rs, g = dy[row + i] * gain[i];
            dx[row + i] = (g - a - h * b) * rs;
            dg[k & 3] += dy[row + i] * h;
        }
    }
    u32 k = 0;
    for (u32 i = threadIdx.x; i < n; i += blockDim.x, k++)
        dgain[(size_t)blockIdx.x * n + i] = dg[k & 3];
}
// h = a h + b x along time, chunks of 32 scanned by a warp as pairs
KERNEL selective_scan(const float *a, const float *b, float *h, u32 length)
{
    u32 lane = threadIdx.x % 32;
    size_t base = (size_t)(THREAD / 32) * length;
    float carry = 0;
    for (u32 t = 0; t < length; t += 32) {
        float p = __expf(-fabsf(a[base + t + lane])), q = b[base + t + lane];
        for (u32 d = 1; d < 32; d *= 2) {
            float op = __shfl_up_sync(~0u, p, d), oq = __shfl_up_sync(~0u, q, d);
            if (lane >= d)
                q += p * oq, p *= op;
        }
        float v = p * carry + q;
        h[base + t + lane] = v;
        carry = __shfl_sync(~0u, v, 31);
    }
}
// Winograd F(2 x 2, 3 x 3): a tile a thread, 4 channels in, 4 out
KERNEL winograd(const float *x, const float *u, float *y, u32 w, u32 h)
{
    __shared__ float f[256];
    f[threadIdx.x] = u[threadIdx.x];
    __syncthreads();
    u32 t = THREAD, tx = t % (w / 2), ty = t / (w / 2);
    float m[4][16] = {};
    for (u32 c = 0; c < 4; c++) {
        float d[4][4], v[4][4];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                u32 sx = tx * 2 + j - 1, sy = ty * 2 + i - 1;
                d[i][j] = sx < w && sy < h ? x[((size_t)c * h + sy) * w + sx] : 0;
            }
        for (int j = 0; j < 4; j++) {
            float a = d[0][j] - d[2][j], b = d[1][j] + d[2][j], e = d[2][j] - d[1][j], g = d[1][j] - d[3][j];
            d[0][j] = a, d[1][j] = b, d[2][j] = e, d[3][j] = g;
        }
        for (int i = 0; i < 4; i++)
            v[i][0] = d[i][0] - d[i][2], v[i][1] = d[i][1] + d[i][2], v[i][2] = d[i][2] - d[i][1], v[i][3] = d[i][1] - d[i][3];
#pragma unroll
        for (u32 k = 0; k < 4; k++)
#pragma unroll
            for (int i = 0; i < 16; i++)
                m[k][i] += v[i / 4][i % 4] * f[(k * 4 + c) * 16 + i];
    }
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
        float p[2][4];
        for (int j = 0; j < 4; j++) {
            p[0][j] = m[k][j] + m[k][4 + j] + m[k][8 + j];
            p[1][j] = m[k][4 + j] - m[k][8 + j] - m[k][12 + j];
        }
        for (int i = 0; i < 2; i++)
            *(float2 *)&y[((size_t)k * h + ty * 2 + i) * w + tx * 2] =
                make_float2(p[i][0] + p[i][1] + p[i][2], p[i][1] - p[i][2] - p[i][3]);
    }
}
// Attention with wmma: a head's 64 queries a block of 4 warps, keys in tiles of 64, softmax online in shared memory
KERNEL __launch_bounds__(128) wmma_attention(const __half *q, const __half *k, const __half *v, float *out, u32 length, u32 causal)
{
    using namespace nvcuda;
    extern __shared__ __align__(32) unsigned char raw[];
    __half(*ks)[72] = (__half(*)[72])raw;
    __half(*vs)[72] = ks + 64;
    float(*ss)[72] = (float(*)[72])(vs + 64);
    float(*os)[72] = ss + 64;
    __half(*ps)[72] = (__half(*)[72])(os + 64);
    __shared__ float most[64], total[64];
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, tiles = length / 64, head = blockIdx.y, first = blockIdx.x * 64;
    size_t base = (size_t)head * length * 64;
    for (u32 i = threadIdx.x; i < 4096; i += 128)
        os[i / 64][i % 64] = 0;
    if (threadIdx.x < 64)
        most[threadIdx.x] = -1e30f, total[threadIdx.x] = 0;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fq[4], fp;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fk;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fv;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    for (u32 d = 0; d < 4; d++)
        wmma::load_matrix_sync(fq[d], q + base + (size_t)(first + warp * 16) * 64 + d * 16, 64);
    for (u32 t = 0; t < (causal ? blockIdx.x + 1 : tiles); t++) {
        __syncthreads();
        for (u32 i = threadIdx.x; i < 512; i += 128) {
            u32 r = i / 8, c = i % 8 * 8;
            *(uint4 *)&ks[r][c] = *(const uint4 *)&k[base + (size_t)(t * 64 + r) * 64 + c];
            *(uint4 *)&vs[r][c] = *(const uint4 *)&v[base + (size_t)(t * 64 + r) * 64 + c];
        }
        __syncthreads();
        for (u32 j = 0; j < 4; j++) {
            wmma::fill_fragment(acc, 0.f);
            for (u32 d = 0; d < 4; d++) {
                wmma::load_matrix_sync(fk, &ks[j * 16][d * 16], 72);
                wmma::mma_sync(acc, fq[d], fk, acc);
            }
            wmma::store_matrix_sync(&ss[warp * 16][j * 16], acc, 72, wmma::mem_row_major);
        }
        __syncwarp();
        for (u32 r = warp * 16; r < warp * 16 + 16; r++) {
            float a = ss[r][lane] * 0.125f, b = ss[r][lane + 32] * 0.125f;
            if (causal && t == blockIdx.x) {
                a = lane > r ? -1e30f : a;
                b = lane + 32 > r ? -1e30f : b;
            }
            float m = fmaxf(a, b);
            for (int d = 16; d; d /= 2)
                m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
            float old = most[r], now = fmaxf(old, m), f = __expf(old - now);
            a = __expf(a - now), b = __expf(b - now);
            ps[r][lane] = __float2half(a), ps[r][lane + 32] = __float2half(b);
            float s = warp_sum(a + b);
            __syncwarp();
            if (lane == 0)
                most[r] = now, total[r] = total[r] * f + s;
            os[r][lane] *= f, os[r][lane + 32] *= f;
        }
        __syncwarp();
        for (u32 d = 0; d < 4; d++) {
            wmma::load_matrix_sync(acc, &os[warp * 16][d * 16], 72, wmma::mem_row_major);
            for (u32 j = 0; j < 4; j++) {
                wmma::load_matrix_sync(fp, &ps[warp * 16][j * 16], 72);
                wmma::load_matrix_sync(fv, &vs[j * 16][d * 16], 72);
                wmma::mma_sync(acc, fp, fv, acc);
            }
            wmma::store_matrix_sync(&os[warp * 16][d * 16], acc, 72, wmma::mem_row_major);
        }
        __syncwarp();
    }
    for (u32 r = warp * 16; r < warp * 16 + 16; r++)
        for (u32 c = lane; c < 64; c += 32)
            out[base + (size_t)(first + r) * 64 + c] = os[r][c] / total[r];
}
// A word's phases with arrive and wait apart; one warp makes, the others use
KERNEL makers(const u32 *in, u32 *out, u32 rounds)
{
    using bar = cuda::barrier<cuda::thread_scope_block>;
    __shared__ bar full[2], empty[2];
    __shared__ u32 item[2][32];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 128);
        init(&empty[threadIdx.x], 128);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (u32 k = 0; k < rounds; k++) {
            if (k >= 2)
                empty[k & 1].arrive_and_wait();
            item[k & 1][threadIdx.x] = in[(blockIdx.x * rounds + k) * 32 + threadIdx.x] * 3;
            (void)full[k & 1].arrive();
        }
    } else {
        u32 s = 0;
        for (u32 k = 0; k < rounds; k++) {
            full[k & 1].arrive_and_wait();
            s = mix(s, item[k & 1][(threadIdx.x + k) & 31]);
            if (k + 2 < rounds)
                (void)empty[k & 1].arrive();
        }
        out[blockIdx.x * 96 + threadIdx.x - 32] = s;
    }
}
// A machine for byte code of 64-bit values, the same program for all
__constant__ u8 code[32] = {0, 1, 5, 2, 3, 4, 6, 7, 1, 8, 2, 9, 5, 3, 10, 6, 4, 11, 7, 1, 12, 2, 13, 8, 3, 14, 9, 1, 15, 0, 5, 6};
KERNEL bytecode(const u64 *in, u64 *out, u32 rounds)
{
    u64 a = in[THREAD], b = THREAD + 1, c = 3;
    for (u32 k = 0; k < rounds; k++) {
        switch (code[k & 31]) {
        case 0: a += b; break;
        case 1: b ^= a << 7; break;
        case 2: c = a * b + c; break;
        case 3: a = __umul64hi(a, c | 1) + b; break;
        case 4: b = b % (c | 5); break;
        case 5: c = __brevll(c) ^ a; break;
        case 6: a = __popcll(a) + (b << (c & 31)); break;
        case 7: b = (u64)__clzll((i64)a) + c; break;
        case 8: c = (i64)a >> (b & 63); break;
        case 9: a = a / (b | 3); break;
        case 10: b = min(a, c); break;
        case 11: c = __ffsll((i64)b) * a; break;
        case 12: a = (u64)(i64)(double)(i64)(a ^ c); break;
        case 13: b = a > b ? c : ~b; break;
        case 14: c = (u64)((i64)c % 1000003); break;
        default: a = a << 13 | a >> 51;
        }
    }
    out[THREAD] = a ^ b ^ c;
}
// Odd strides: copies of structures of 12 and 3 bytes, sets, moves over one another
struct rgb { u8 r, g, b; };
KERNEL odd_bytes(const float3 *p, const rgb *c, float3 *q, rgb *d, u32 n)
{
    for (u32 i = THREAD; i < n; i += gridDim.x * blockDim.x) {
        float3 v = p[i];
        rgb k = c[i];
        char room[40];
        memset(room, (int)k.r, sizeof room);
        memcpy(room + 5, &v, 12);
        for (int j = 19; j >= 0; j--)
            room[j + 7] = room[j + 5];
        float3 w;
        memcpy(&w, room + 7, 12);
        q[i] = make_float3(w.z, w.x, w.y + (float)room[k.b % 40]);
        d[i] = {k.b, k.r, (u8)(k.g + room[k.g % 40])};
    }
}
