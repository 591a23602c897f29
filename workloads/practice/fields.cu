// Grids, images, particles and random numbers.
#include "../kernels/common.cuh"

// Nine taps along a line, halo in shared memory
KERNEL stencil_line(const float *in, float *out, u32 n)
{
    __shared__ float s[256 + 8];
    u32 t = threadIdx.x, i = THREAD;
    s[t + 4] = in[i];
    if (t < 4) {
        s[t] = i >= 4 ? in[i - 4] : 0;
        s[t + 260] = i + 256 < n ? in[i + 256] : 0;
    }
    __syncthreads();
    float v = 0;
#pragma unroll
    for (int k = 0; k < 9; k++)
        v += s[t + k] * (1.0f + k);
    out[i] = v;
}
// Jacobi steps inside a tile before it is written: dynamic shared memory, two buffers
KERNEL jacobi_tile(const float *in, float *out, u32 w, u32 steps)
{
    extern __shared__ float both[];
    const u32 tx = threadIdx.x, ty = threadIdx.y, p = 34;
    float *a = both, *b = both + p * p;
    for (u32 i = ty * 32 + tx; i < p * p; i += 256)
        a[i] = b[i] = in[(blockIdx.y * 32 + i / p) * w + blockIdx.x * 32 + i % p];
    __syncthreads();
    for (u32 s = 0; s < steps; s++) {
        for (u32 y = ty + 1; y < 33; y += 8) {
            u32 i = y * p + tx + 1;
            b[i] = 0.25f * (a[i - 1] + a[i + 1] + a[i - p] + a[i + p]);
        }
        __syncthreads();
        float *t = a;
        a = b;
        b = t;
    }
    for (u32 y = ty + 1; y < 33; y += 8)
        out[(blockIdx.y * 32 + y - 1) * (gridDim.x * 32) + blockIdx.x * 32 + tx] = a[y * p + tx + 1];
}
// 27 neighbours of a box, straight from global memory
KERNEL stencil_box(const float *in, float *out, u32 w, u32 h, u32 d)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x + 1 >= w || y + 1 >= h)
        return;
    for (u32 z = 1; z + 1 < d; z++) {
        float s = 0;
#pragma unroll
        for (int c = 0; c < 27; c++)
            s += in[((z + c / 9 - 1) * h + y + c / 3 % 3 - 1) * w + x + c % 3 - 1];
        out[(z * h + y) * w + x] = s;
    }
}
// Lattice Boltzmann in two dimensions, nine directions in separate arrays
KERNEL lattice(const float *__restrict__ in, float *__restrict__ out, u32 w, u32 h)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const float wt[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
    float f[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        u32 px = (x + w - cx[k]) % w, py = (y + h - cy[k]) % h;
        f[k] = in[(k * h + py) * w + px];
        rho += f[k], ux += f[k] * cx[k], uy += f[k] * cy[k];
    }
    ux /= rho, uy /= rho;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        float cu = 3 * (cx[k] * ux + cy[k] * uy);
        float eq = rho * wt[k] * (1 + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
        out[(k * h + y) * w + x] = f[k] - 0.6f * (f[k] - eq);
    }
}
// Edge-preserving blur: two exponentials a tap
KERNEL bilateral(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float centre = in[y * w + x], sum = 0, norm = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int px = min(max(x + dx, 0), w - 1), py = min(max(y + dy, 0), h - 1);
            float v = in[py * w + px], d = v - centre, k = expf(-(dx * dx + dy * dy) * 0.125f) * expf(-d * d * 8);
            sum += k * v, norm += k;
        }
    out[y * w + x] = sum / norm;
}
// Bilinear enlargement of four 8-bit channels
KERNEL resize(const uchar4 *in, uchar4 *out, u32 w, u32 h, float sx, float sy)
{
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float fx = fmaxf((x + 0.5f) * sx - 0.5f, 0), fy = fmaxf((y + 0.5f) * sy - 0.5f, 0);
    u32 x0 = (u32)fx, y0 = (u32)fy, x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
    float ax = fx - x0, ay = fy - y0;
    uchar4 a = in[y0 * w + x0], b = in[y0 * w + x1], c = in[y1 * w + x0], d = in[y1 * w + x1];
#define MIX(m) (u8)(__float2uint_rn((a.m * (1 - ax) + b.m * ax) * (1 - ay) + (c.m * (1 - ax) + d.m * ax) * ay))
    out[(size_t)y * gridDim.x * 32 + x] = make_uchar4(MIX(x), MIX(y), MIX(z), MIX(w));
}
// Pairs of particles inside a cut-off: a test that half of the lanes pass
KERNEL pairs(const float4 *pos, float4 *force, u32 n)
{
    __shared__ float4 tile[128];
    float4 me = pos[THREAD], f = {0, 0, 0, 0};
    for (u32 base = 0; base < n; base += 128) {
        __syncthreads();
        tile[threadIdx.x] = pos[base + threadIdx.x];
        __syncthreads();
        for (u32 j = 0; j < 128; j++) {
            float dx = me.x - tile[j].x, dy = me.y - tile[j].y, dz = me.z - tile[j].z, r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < 0.5f && base + j != THREAD) {
                float i2 = 1 / (r2 + 0.01f), i6 = i2 * i2 * i2 * 1e-6f, k = 24 * i2 * i6 * (2 * i6 - 1);
                f.x += k * dx, f.y += k * dy, f.z += k * dz, f.w += 4 * i6 * (i6 - 1);
            }
        }
    }
    force[THREAD] = f;
}
// z = z^2 + c in double
KERNEL julia(u8 *out, u32 w, double step, u32 limit)
{
    u32 i = THREAD, k = 0;
    double x = (double)(i % w) * step - 1.5, y = (double)(i / w) * step - 1.0;
    while (k < limit && x * x + y * y < 4) {
        double t = x * x - y * y - 0.8;
        y = 2 * x * y + 0.156;
        x = t;
        k++;
    }
    out[i] = (u8)k;
}
// Philox 4x32-10, then normal deviates by Box and Muller
KERNEL philox(float4 *out, u32 key, u32 rounds)
{
    u32 c[4] = {THREAD, 0, 0, 0};
    float4 sum = {0, 0, 0, 0};
    for (u32 r = 0; r < rounds; r++) {
        u32 v[4] = {c[0], r, c[2], c[3]}, k0 = key, k1 = 0xcafe;
#pragma unroll
        for (int i = 0; i < 10; i++, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u) {
            u32 hi0 = __umulhi(0xd2511f53u, v[0]), lo0 = 0xd2511f53u * v[0];
            u32 hi1 = __umulhi(0xcd9e8d57u, v[2]), lo1 = 0xcd9e8d57u * v[2];
            v[0] = hi1 ^ v[1] ^ k0, v[1] = lo1, v[2] = hi0 ^ v[3] ^ k1, v[3] = lo0;
        }
        float u0 = (v[0] + 1.0f) * 2.3283064e-10f, u1 = v[1] * 2.3283064e-10f, s, co;
        float rad = sqrtf(-2 * logf(u0));
        sincospif(2 * u1, &s, &co);
        sum.x += rad * s, sum.y += rad * co;
        sum.z += __uint_as_float(0x3f800000u | v[2] >> 9) - 1, sum.w += __uint_as_float(0x3f800000u | v[3] >> 9) - 1;
    }
    out[THREAD] = sum;
}
// Points in a circle by xorshift
KERNEL circle(u32 *hits, u32 rounds)
{
    u32 s = scramble(THREAD + 1) | 1, n = 0;
    for (u32 r = 0; r < rounds; r++) {
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        u32 x = s >> 16, y = s & 0xffff;
        n += x * x + (u64)y * y < (1ull << 32);
    }
    n = __reduce_add_sync(~0u, n);
    if ((threadIdx.x & 31) == 0)
        hits[THREAD / 32] = n;
}
// A fractal's distance field by marching rays; the loop ends at different steps in each lane
struct vec {
    float x, y, z;
};
__device__ __noinline__ float distance_to(vec p)
{
    float d = 0, scale = 1;
    for (int i = 0; i < 4; i++) {
        p.x = fabsf(p.x) - 0.5f, p.y = fabsf(p.y) - 0.4f, p.z = fabsf(p.z) - 0.3f;
        float r = p.x * p.x + p.y * p.y + p.z * p.z, k = fminf(fmaxf(1 / r, 1.0f), 2.0f);
        p.x = p.x * k - 0.2f, p.y *= k, p.z *= k;
        scale *= k;
        d = sqrtf(r) / scale;
    }
    return d - 0.02f;
}
KERNEL march(u32 *out, u32 w)
{
    u32 i = THREAD;
    float dx = (float)(i % w) / w - 0.5f, dy = (float)(i / w) / w - 0.5f, t = 0;
    u32 n = 0;
    while (n < 48) {
        vec p = {dx * t, dy * t, t - 2};
        float d = distance_to(p);
        if (d < 0.01f || t > 6)
            break;
        t += d * 0.7f;
        n++;
    }
    out[i] = n << 24 | (__float_as_uint(t) >> 8);
}
