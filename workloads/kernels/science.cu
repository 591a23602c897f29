// Numerical programs.
#include "common.cuh"

KERNEL nbody(const float4 *in, float4 *out, u32 n, float dt)
{
    __shared__ float4 tile[128];
    u32 t = THREAD;
    float4 p = in[t];
    float ax = 0, ay = 0, az = 0;
    for (u32 b = 0; b < n; b += 128) {
        tile[threadIdx.x] = in[b + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (u32 i = 0; i < 128; i++) {
            float dx = tile[i].x - p.x, dy = tile[i].y - p.y, dz = tile[i].z - p.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), s = tile[i].w * r * r * r;
            ax += dx * s, ay += dy * s, az += dz * s;
        }
        __syncthreads();
    }
    out[t] = make_float4(p.x + ax * dt, p.y + ay * dt, p.z + az * dt, p.w);
}
KERNEL mandelbrot(u16 *out, u32 width, float step)
{
    u32 t = THREAD;
    float cx = -2.1f + step * (float)(t % width), cy = -1.2f + step * (float)(t / width), x = 0, y = 0;
    u32 i = 0;
    while (i < 200 && x * x + y * y < 4) {
        float s = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = s;
        i++;
    }
    out[t] = (u16)i;
}
// Philox 4x32-10 and Box-Muller: an option's price by chance
__device__ uint4 philox(uint4 c, uint2 k)
{
    for (int i = 0; i < 10; i++) {
        u32 h0 = __umulhi(0xd2511f53u, c.x), h1 = __umulhi(0xcd9e8d57u, c.z);
        c = make_uint4(h1 ^ c.y ^ k.x, 0xcd9e8d57u * c.z, h0 ^ c.w ^ k.y, 0xd2511f53u * c.x);
        k.x += 0x9e3779b9u, k.y += 0xbb67ae85u;
    }
    return c;
}
KERNEL monte_carlo(float *out, u32 rounds)
{
    u32 t = THREAD;
    float sum = 0;
    u32 inside = 0;
    for (u32 i = 0; i < rounds; i++) {
        uint4 r = philox(make_uint4(t, i, 7, 9), make_uint2(1, 2));
        float u = ((float)r.x + 1.0f) * 0x1p-32f, z = sqrtf(-2 * logf(u)) * cosf(6.2831853f * ((float)r.y * 0x1p-32f));
        float pay = 100 * expf(0.015f + 0.2f * z) - 100;
        sum += pay > 0 ? pay : 0;
        float a = (float)r.z * 0x1p-32f, b = (float)r.w * 0x1p-32f;
        inside += a * a + b * b < 1;
    }
    out[2 * t] = sum;
    out[2 * t + 1] = (float)inside / (float)rounds;
}
// Fast Fourier transform of 512 complex numbers a block, radix 2, in shared memory
KERNEL fourier(const float2 *in, float2 *out)
{
    __shared__ float2 a[512];
    u32 x = threadIdx.x;
    for (u32 i = x; i < 512; i += 256)
        a[__brev(i) >> 23] = in[blockIdx.x * 512 + i];
    for (u32 half = 1; half < 512; half *= 2) {
        __syncthreads();
        u32 k = x & (half - 1), i = 2 * (x - k) + k;
        float s, c;
        sincospif((float)k / (float)half, &s, &c);
        float2 p = a[i], q = a[i + half];
        float re = q.x * c + q.y * s, im = q.y * c - q.x * s;
        a[i] = make_float2(p.x + re, p.y + im);
        a[i + half] = make_float2(p.x - re, p.y - im);
    }
    __syncthreads();
    for (u32 i = x; i < 512; i += 256)
        out[blockIdx.x * 512 + i] = a[i];
}
// Heat on a grid of 32 x 32 x z, rows kept in registers as it climbs
KERNEL heat(const float *in, float *out, u32 depth)
{
    __shared__ float plane[34][34];
    u32 x = threadIdx.x, y = threadIdx.y, area = gridDim.x * 32 * 32, at = blockIdx.x * 1024 + y * 32 + x;
    float below = in[at], here = in[at + area], above;
    for (u32 z = 1; z + 1 < depth; z++) {
        above = in[at + (z + 1) * area];
        plane[y + 1][x + 1] = here;
        if (x == 0 || x == 31) // edges reflect
            plane[y + 1][x == 0 ? 0 : 33] = here;
        if (y == 0 || y == 31)
            plane[y == 0 ? 0 : 33][x + 1] = here;
        __syncthreads();
        out[at + z * area] = here + 0.1f * (below + above + plane[y][x + 1] + plane[y + 2][x + 1] + plane[y + 1][x] + plane[y + 1][x + 2] - 6 * here);
        __syncthreads();
        below = here;
        here = above;
    }
}
KERNEL life(const u8 *in, u8 *out, u32 w, u32 h)
{
    u32 t = THREAD, x = t % w, y = t / w, l = x ? x - 1 : w - 1, r = x + 1 < w ? x + 1 : 0, u = y ? y - 1 : h - 1, d = y + 1 < h ? y + 1 : 0;
    u32 n = (in[u * w + l] & 1) + (in[u * w + x] & 1) + (in[u * w + r] & 1) + (in[y * w + l] & 1) + (in[y * w + r] & 1) + (in[d * w + l] & 1) + (in[d * w + x] & 1) + (in[d * w + r] & 1);
    out[t] = n == 3 || (n == 2 && (in[t] & 1));
}
// 5 x 5 convolution with weights in constant memory; a frame of zeros around the picture
__constant__ float weights[25] = {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1};
KERNEL convolution(const float *in, float *out, int w, int h)
{
    __shared__ float tile[20][36];
    int x0 = (int)blockIdx.x * 32 - 2, y0 = (int)blockIdx.y * 16 - 2;
    for (int i = (int)(threadIdx.y * 32 + threadIdx.x); i < 20 * 36; i += 512) {
        int x = x0 + i % 36, y = y0 + i / 36;
        tile[i / 36][i % 36] = x >= 0 && y >= 0 && x < w && y < h ? in[y * w + x] : 0;
    }
    __syncthreads();
    float s = 0;
#pragma unroll
    for (int i = 0; i < 25; i++)
        s += tile[threadIdx.y + i / 5][threadIdx.x + i % 5] * weights[i];
    out[(y0 + 2 + (int)threadIdx.y) * w + x0 + 2 + (int)threadIdx.x] = s * (1.0f / 256);
}
// LU decomposition with partial pivoting of a 32 x 32 tile by a warp, and its determinant
KERNEL lu(const float *in, float *out, float *det)
{
    __shared__ float a[4][32][33];
    u32 w = threadIdx.x / 32, lane = threadIdx.x & 31, tile = blockIdx.x * 4 + w;
    for (u32 i = 0; i < 32; i++)
        a[w][i][lane] = in[tile * 1024 + i * 32 + lane];
    __syncwarp();
    float d = 1;
    for (u32 k = 0; k < 32; k++) {
        float best = lane >= k ? fabsf(a[w][lane][k]) : -1;
        u32 at = lane;
        for (int s = 16; s; s /= 2) {
            float o = __shfl_xor_sync(~0u, best, s);
            u32 p = __shfl_xor_sync(~0u, at, s);
            if (o > best || (o == best && p < at))
                best = o, at = p;
        }
        if (at != k) {
            float s = a[w][k][lane];
            a[w][k][lane] = a[w][at][lane];
            a[w][at][lane] = s;
            d = -d;
        }
        __syncwarp();
        float pivot = a[w][k][k];
        d *= pivot;
        if (lane > k) {
            float f = a[w][lane][k] / pivot;
            a[w][lane][k] = f;
            for (u32 c = k + 1; c < 32; c++)
                a[w][lane][c] -= f * a[w][k][c];
        }
        __syncwarp();
    }
    for (u32 i = 0; i < 32; i++)
        out[tile * 1024 + i * 32 + lane] = a[w][i][lane];
    if (lane == 0)
        det[tile] = d;
}
// Inverses of 4 x 4 matrices of doubles by Gauss-Jordan, one a thread
KERNEL inverses(const double *in, double *out)
{
    u32 t = THREAD;
    double a[4][8];
    for (u32 i = 0; i < 16; i++)
        a[i / 4][i % 4] = in[(u64)i * gridDim.x * blockDim.x + t], a[i / 4][4 + i % 4] = i % 5 == 0;
    for (u32 k = 0; k < 4; k++) {
        u32 p = k;
        for (u32 i = k + 1; i < 4; i++)
            if (fabs(a[i][k]) > fabs(a[p][k]))
                p = i;
        for (u32 c = 0; c < 8; c++) {
            double s = a[p][c];
            a[p][c] = a[k][c];
            a[k][c] = s;
        }
        double r = 1 / a[k][k];
        for (u32 c = 0; c < 8; c++)
            a[k][c] *= r;
        for (u32 i = 0; i < 4; i++)
            if (i != k) {
                double f = a[i][k];
                for (u32 c = 0; c < 8; c++)
                    a[i][c] -= f * a[k][c];
            }
    }
    for (u32 i = 0; i < 16; i++)
        out[(u64)i * gridDim.x * blockDim.x + t] = a[i / 4][4 + i % 4];
}
// A predator and its prey: Runge-Kutta with steps of each lane's own size
KERNEL adaptive(const float *in, float *out)
{
    u32 t = THREAD, steps = 0;
    float x = 1 + in[t], y = 2 - in[t], time = 0, h = 0.1f;
    while (time < 3 && steps < 300) {
        float k1 = x * (1.5f - y), l1 = y * (x - 3), k2 = (x + h * k1) * (1.5f - (y + h * l1)), l2 = (y + h * l1) * ((x + h * k1) - 3);
        float ex = 0.5f * h * fabsf(k2 - k1), ey = 0.5f * h * fabsf(l2 - l1), e = fmaxf(ex, ey);
        if (e < 1e-2f) {
            x += 0.5f * h * (k1 + k2), y += 0.5f * h * (l1 + l2);
            time += h;
        }
        h *= e > 0 ? fminf(2.0f, fmaxf(0.3f, 0.9f * sqrtf(1e-2f / e))) : 2.0f;
        steps++;
    }
    out[2 * t] = x;
    out[2 * t + 1] = y + (float)steps;
}
KERNEL black_scholes(const float *in, float *out)
{
    u32 t = THREAD;
    for (u32 i = 0; i < 8; i++) {
        float s = 5 + 25 * in[t], k = 1 + 99 * (float)(scramble(t + i) >> 8) * 0x1p-24f, y = 0.25f + 9.75f * (float)(i & 3) * 0.33f, v = 0.3f * sqrtf(y);
        float d1 = (logf(s / k) + (0.02f + 0.045f) * y) / v, d2 = d1 - v, e = expf(-0.02f * y);
        out[t * 8 + i] = s * normcdff(d1) - k * e * normcdff(d2);
    }
}
// Rays against a few spheres, with mirrors: loops of a length that the picture decides
KERNEL rays(u32 *out, u32 width)
{
    u32 t = THREAD;
    float ox = 0, oy = 0, oz = -4, dx = ((float)(t % width) / (float)width - 0.5f), dy = ((float)(t / width) / (float)width - 0.5f), dz = 1, light = 0, weight = 1;
    float n = rsqrtf(dx * dx + dy * dy + dz * dz);
    dx *= n, dy *= n, dz *= n;
    for (u32 bounce = 0; bounce < 6; bounce++) {
        float best = 1e30f, nx = 0, ny = 0, nz = 0;
        for (u32 k = 0; k < 9; k++) {
            float cx = ox - ((float)(k % 3) - 1), cy = oy - ((float)(k / 3) - 1), cz = oz - 0.3f * (float)k;
            float b = cx * dx + cy * dy + cz * dz, c = cx * cx + cy * cy + cz * cz - 0.2f, q = b * b - c;
            if (q > 0) {
                float l = -b - sqrtf(q);
                if (l > 1e-3f && l < best) {
                    best = l;
                    nx = (cx + l * dx) / 0.4472136f, ny = (cy + l * dy) / 0.4472136f, nz = (cz + l * dz) / 0.4472136f;
                }
            }
        }
        if (best == 1e30f) {
            light += weight * (0.5f + 0.5f * dy);
            break;
        }
        ox += best * dx, oy += best * dy, oz += best * dz;
        float d = 2 * (dx * nx + dy * ny + dz * nz);
        dx -= d * nx, dy -= d * ny, dz -= d * nz;
        light += weight * 0.1f * fmaxf(0.0f, nx + ny - nz);
        weight *= 0.7f;
    }
    out[t] = (u32)__float2int_rn(__saturatef(light) * 255) << 16 | (__float_as_uint(light) & 0xffff);
}
// SHA-256 of 64-byte messages that differ in a counter
__constant__ u32 round_words[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__device__ __forceinline__ u32 turn(u32 x, u32 n) { return __funnelshift_r(x, x, n); }
KERNEL sha256(const u32 *in, u32 *out)
{
    u32 t = THREAD, w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, v[8];
    for (u32 i = 0; i < 16; i++)
        w[i] = in[i] + (i == 3 ? t : 0);
    for (u32 i = 0; i < 8; i++)
        v[i] = s[i];
#pragma unroll 16
    for (u32 i = 0; i < 64; i++) {
        if (i >= 16) {
            u32 a = w[(i + 1) & 15], b = w[(i + 14) & 15];
            w[i & 15] += (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[(i + 9) & 15] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
        }
        u32 x = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + round_words[i] + w[i & 15];
        u32 y = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + x, v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = x + y;
    }
    for (u32 i = 0; i < 8; i++)
        out[t * 8 + i] = s[i] + v[i];
}
// Triangular solves in a chain of 256 unknowns a block: each waits for the one before
KERNEL solve(const float *in, float *out)
{
    __shared__ float x[256];
    u32 i = threadIdx.x;
    float b = in[blockIdx.x * 256 + i];
    for (u32 k = 0; k < 256; k++) {
        if (i == k)
            x[k] = b / (1.5f + 0.001f * (float)k);
        __syncthreads();
        if (i > k && (i - k) % 5 < 3)
            b -= 0.25f * x[k] * (float)((i * 7 + k) & 3);
    }
    out[blockIdx.x * 256 + i] = x[i];
}
// Nearest of 64 centres in 8 dimensions, ties to the lower
KERNEL nearest(const float *in, const float *centre, u8 *out, u32 n)
{
    __shared__ float c[64 * 8];
    for (u32 i = threadIdx.x; i < 512; i += blockDim.x)
        c[i] = centre[i];
    __syncthreads();
    u32 t = THREAD, best = 0;
    float x[8], least = INFINITY;
    for (u32 k = 0; k < 8; k++)
        x[k] = in[k * n + t];
    for (u32 i = 0; i < 64; i++) {
        float d = 0;
#pragma unroll
        for (u32 k = 0; k < 8; k++) {
            float e = x[k] - c[i * 8 + k];
            d = fmaf(e, e, d);
        }
        if (d < least)
            least = d, best = i;
    }
    out[t] = (u8)best;
}
