// Moving, counting, sorting, searching: data-parallel building blocks in other ways than those of ../kernels.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include "../kernels/common.cuh"

namespace cg = cooperative_groups;

// Kogge-Stone over two buffers
KERNEL scan_steps(const u32 *in, u32 *out)
{
    __shared__ u32 a[2][1024];
    u32 t = threadIdx.x, from = 0;
    a[0][t] = in[THREAD];
    __syncthreads();
    for (u32 d = 1; d < 1024; d *= 2) {
        a[from ^ 1][t] = a[from][t] + (t >= d ? a[from][t - d] : 0);
        from ^= 1;
        __syncthreads();
    }
    out[THREAD] = a[from][t];
}
// Up and down a tree (Blelloch), exclusive; one word of padding every 32 if `pad`
KERNEL scan_tree(const u32 *in, u32 *out, u32 pad)
{
    extern __shared__ u32 s[];
    u32 t = threadIdx.x, base = blockIdx.x * 1024;
#define AT(i) ((i) + (pad ? (i) / 32 : 0))
    s[AT(t)] = in[base + t];
    s[AT(t + 512)] = in[base + t + 512];
    for (u32 d = 512, off = 1; d; d /= 2, off *= 2) {
        __syncthreads();
        if (t < d)
            s[AT(off * (2 * t + 2) - 1)] += s[AT(off * (2 * t + 1) - 1)];
    }
    if (t == 0)
        s[AT(1023)] = 0;
    for (u32 d = 1, off = 512; d < 1024; d *= 2, off /= 2) {
        __syncthreads();
        if (t < d) {
            u32 i = AT(off * (2 * t + 1) - 1), k = AT(off * (2 * t + 2) - 1), v = s[i];
            s[i] = s[k];
            s[k] += v;
        }
    }
    __syncthreads();
    out[base + t] = s[AT(t)];
    out[base + t + 512] = s[AT(t + 512)];
}
// Sorts 256 keys a block by 16 splits of a bit, ranks by ballots
KERNEL split_sort(const u32 *in, u32 *out)
{
    __shared__ u32 key[256], ones[8];
    u32 t = threadIdx.x, w = t / 32, lane = t & 31, v = in[THREAD] >> 16;
    for (u32 bit = 0; bit < 16; bit++) {
        u32 set = __ballot_sync(~0u, v >> bit & 1);
        if (lane == 0)
            ones[w] = __popc(set);
        __syncthreads();
        u32 before = __popc(set & ((1u << lane) - 1)), total = 0;
        for (u32 i = 0; i < 8; i++) {
            before += i < w ? ones[i] : 0;
            total += ones[i];
        }
        key[v >> bit & 1 ? 256 - total + before : t - before] = v;
        __syncthreads();
        v = key[t];
    }
    out[THREAD] = v;
}
// Odd-even transposition of 512 keys in a block
KERNEL odd_even(const float *in, float *out)
{
    __shared__ float k[512];
    u32 t = threadIdx.x;
    k[t] = in[blockIdx.x * 512 + t];
    k[t + 256] = in[blockIdx.x * 512 + t + 256];
    for (u32 r = 0; r < 512; r++) {
        __syncthreads();
        u32 i = 2 * t + (r & 1);
        if (i + 1 < 512 && k[i] > k[i + 1]) {
            float v = k[i];
            k[i] = k[i + 1];
            k[i + 1] = v;
        }
    }
    __syncthreads();
    out[blockIdx.x * 512 + t] = k[t];
    out[blockIdx.x * 512 + t + 256] = k[t + 256];
}
// 256 bins of bytes, a set a warp in shared memory, merged at the end
KERNEL histogram_warps(const uint4 *in, u32 *bins, u32 quads)
{
    __shared__ u32 mine[8][256];
    u32 w = threadIdx.x / 32;
    for (u32 i = threadIdx.x; i < 2048; i += 256)
        ((u32 *)mine)[i] = 0;
    __syncthreads();
    for (u32 i = THREAD; i < quads; i += gridDim.x * blockDim.x) {
        uint4 v = in[i];
        const u32 words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                atomicAdd(&mine[w][words[k] >> 8 * j & 255], 1);
    }
    __syncthreads();
    u32 s = 0;
    for (u32 i = 0; i < 8; i++)
        s += mine[i][threadIdx.x];
    atomicAdd(bins + threadIdx.x, s);
}
// Few bins and one counter a thread in bytes: no atomics
KERNEL histogram_bytes(const u8 *in, u32 *bins, u32 n)
{
    __shared__ u8 count[64][256];
    for (u32 i = threadIdx.x; i < 64 * 256 / 4; i += 256)
        ((u32 *)count)[i] = 0;
    __syncthreads();
    for (u32 i = 0; i < n; i++)
        count[in[(blockIdx.x * n + i) * 256 + threadIdx.x] & 63][threadIdx.x]++;
    __syncthreads();
    if (threadIdx.x < 64) {
        u32 s = 0;
        for (u32 i = 0; i < 256; i++)
            s += count[threadIdx.x][(i + threadIdx.x * 4) & 255];
        atomicAdd(bins + threadIdx.x, s);
    }
}
// Bytes, through a tile of 64 x 64, four a word
KERNEL transpose_bytes(const u8 *in, u8 *out, u32 n)
{
    __shared__ u8 tile[64][68];
    u32 tx = threadIdx.x, bx = blockIdx.x * 64, by = blockIdx.y * 64;
    for (u32 y = threadIdx.y; y < 64; y += 16)
        *(u32 *)&tile[y][tx * 4] = *(const u32 *)(in + (size_t)(by + y) * n + bx + tx * 4);
    __syncthreads();
    for (u32 y = threadIdx.y; y < 64; y += 16)
        *(uchar4 *)(out + (size_t)(bx + y) * n + by + tx * 4) =
            make_uchar4(tile[tx * 4][y], tile[tx * 4 + 1][y], tile[tx * 4 + 2][y], tile[tx * 4 + 3][y]);
}
KERNEL transpose_double(const double *in, double *out, u32 n)
{
    __shared__ double tile[32][33];
    u32 tx = threadIdx.x, bx = blockIdx.x * 32, by = blockIdx.y * 32;
    for (u32 y = threadIdx.y; y < 32; y += 8)
        tile[y][tx] = in[(size_t)(by + y) * n + bx + tx];
    __syncthreads();
    for (u32 y = threadIdx.y; y < 32; y += 8)
        out[(size_t)(bx + y) * n + by + tx] = tile[tx][y];
}
// Where 64-bit keys would stand in a sorted array
KERNEL lower_bound(const u64 *sorted, const u64 *key, u32 *out, u32 n)
{
    u64 k = key[THREAD] % ((u64)n << 20);
    u32 lo = 0, hi = n;
    while (lo < hi) {
        u32 mid = (lo + hi) / 2;
        if ((sorted[mid] + mid) << 20 < k) // (the array counts up: iota)
            lo = mid + 1;
        else
            hi = mid;
    }
    out[THREAD] = lo;
}
// Membership in a Bloom filter of four hashes
KERNEL bloom(const u32 *filter, const u32 *key, u32 *hits, u32 mask)
{
    u32 h = scramble(key[THREAD]), step = h >> 7 | 1;
    bool in = true;
    for (int i = 0; i < 4 && in; i++, h += step)
        in = filter[h / 32 & mask] >> (h & 31) & 1;
    u32 all = __ballot_sync(~0u, in);
    if ((threadIdx.x & 31) == 0)
        hits[THREAD / 32] = all;
}
// Sums of runs whose heads are flagged: segmented scan in a warp
KERNEL segments(const u32 *in, u32 *out)
{
    u32 lane = threadIdx.x & 31, v = in[THREAD] & 255;
    bool head = (scramble(THREAD) & 7) == 0 || lane == 0;
    u32 heads = __ballot_sync(~0u, head), first = 31 - __clz(heads << (31 - lane) << 0 >> (31 - lane));
    for (u32 d = 1; d < 32; d *= 2) {
        u32 o = __shfl_up_sync(~0u, v, d);
        if (lane >= first + d)
            v += o;
    }
    out[THREAD] = v;
}
// Numbers of seven bits a byte, a stream a thread: short serial chains of byte loads
KERNEL varint(const u8 *in, u32 *out, u32 bytes)
{
    const u8 *p = in + THREAD * bytes, *end = p + bytes;
    u32 h = 0, n = 0;
    while (p < end) {
        u32 v = 0, shift = 0, b;
        do {
            b = *p++;
            v |= (b & 127) << shift;
            shift += 7;
        } while (b & 128 && shift < 28 && p < end);
        h = mix(h, v);
        n++;
    }
    out[THREAD] = h + n;
}
// Work of uneven size handed out by a counter to blocks that stay
KERNEL queue_start(u32 *next) { *next = 0; }
KERNEL queue(const u32 *in, u32 *next, u32 *out, u32 n)
{
    __shared__ u32 item;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            item = atomicAdd(next, 1);
        __syncthreads();
        if (item >= n)
            return;
        u32 v = in[item * blockDim.x + threadIdx.x], rounds = 8 + (scramble(item) & 63);
        for (u32 r = 0; r < rounds; r++)
            v = scramble(v + r);
        out[item * blockDim.x + threadIdx.x] = v;
    }
}
// One round of relaxing every edge of a random graph: atomicMin on words far apart
KERNEL relax_start(u32 *from, u32 *to, u32 n)
{
    if (THREAD < n)
        from[THREAD] = to[THREAD] = scramble(THREAD) & 0xffff;
}
KERNEL relax(const u32 *from, u32 *to, u32 nodes, u32 degree)
{
    u32 e = THREAD;
    atomicMin(to + scramble(e ^ 0x5555) % nodes, from[e / degree] + 1 + (e & 15));
}
// The largest value and where: 64-bit atomics after a reduction in each warp
KERNEL arg_max(const float *x, u64 *best, u32 n)
{
    u64 m = 0;
    for (u32 i = THREAD; i < n; i += gridDim.x * blockDim.x) {
        u32 b = __float_as_uint(x[i]);
        b = b & 0x80000000u ? ~b : b | 0x80000000u;
        u64 v = (u64)b << 32 | i;
        m = v > m ? v : m;
    }
    for (int d = 16; d; d /= 2) {
        u64 o = __shfl_xor_sync(~0u, m, d);
        m = o > m ? o : m;
    }
    if ((threadIdx.x & 31) == 0)
        atomicMax(best, m);
}
// Bits of flags, packed, counted and scanned with cooperative groups
KERNEL group_scan(const u32 *in, u32 *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    u32 v = in[THREAD] & 1023;
    u32 inc = cg::inclusive_scan(tile, v), top = cg::inclusive_scan(tile, v, cg::greater<u32>());
    u32 odd = 0;
    if (v & 1) {
        auto some = cg::coalesced_threads();
        odd = some.thread_rank() * 64 + some.size();
    }
    out[THREAD] = mix(mix(inc, top), odd);
}
