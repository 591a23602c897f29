// Sorting, scanning, counting: the building blocks of data-parallel programs.
#include "common.cuh"

// Bitonic sort of 2048 keys a block in shared memory; block b sorts down when b is odd
KERNEL bitonic(const u32 *in, u32 *out)
{
    __shared__ u32 key[2048];
    u32 base = blockIdx.x * 2048;
    for (u32 i = threadIdx.x; i < 2048; i += blockDim.x)
        key[i] = in[base + i] % (blockIdx.x % 3 == 0 ? 50u : ~0u);
    for (u32 size = 2; size <= 2048; size *= 2)
        for (u32 step = size / 2; step; step /= 2) {
            __syncthreads();
            for (u32 p = threadIdx.x; p < 1024; p += blockDim.x) {
                u32 i = 2 * p - (p & (step - 1)), k = i + step;
                bool down = ((i & size) != 0) != (blockIdx.x & 1);
                u32 a = key[i], b = key[k];
                if ((a > b) != down) {
                    key[i] = b;
                    key[k] = a;
                }
            }
        }
    __syncthreads();
    for (u32 i = threadIdx.x; i < 2048; i += blockDim.x)
        out[base + i] = key[i];
}
// Batcher's network on 16 registers a thread
template <int n> __device__ void network(float (&a)[n])
{
#pragma unroll
    for (int p = 1; p < n; p *= 2)
#pragma unroll
        for (int k = p; k >= 1; k /= 2)
#pragma unroll
            for (int j = k % p; j + k < n; j += 2 * k)
#pragma unroll
                for (int i = 0; i < k; i++)
                    if (i + j + k < n && (i + j) / (2 * p) == (i + j + k) / (2 * p)) {
                        float x = fminf(a[i + j], a[i + j + k]), y = fmaxf(a[i + j], a[i + j + k]);
                        a[i + j] = x;
                        a[i + j + k] = y;
                    }
}
KERNEL medians(const float *in, float *out, u32 n)
{
    u32 t = THREAD;
    float a[16];
    for (u32 i = 0; i < 16; i++)
        a[i] = in[t + i * n];
    network(a);
    for (u32 i = 0; i < 16; i += 5)
        out[t + i / 5 * n] = a[i];
}

KERNEL lookback_start(u64 *state, u32 *ticket, u32 n)
{
    if (THREAD < n)
        state[THREAD] = 0;
    if (THREAD == 0)
        *ticket = 0;
}
// Prefix sums of the whole array in one pass: blocks look back over their predecessors' sums
KERNEL lookback(const u32 *in, volatile u64 *state, u32 *ticket, u32 *out)
{
    __shared__ u32 warp_sum[8], tile, before;
    u32 lane = threadIdx.x & 31, w = threadIdx.x / 32;
    if (threadIdx.x == 0)
        tile = atomicAdd(ticket, 1); // tiles in the order in which blocks really start
    __syncthreads();
    u32 i = tile * 1024 + threadIdx.x * 4;
    uint4 v = *(const uint4 *)(in + i);
    v.y += v.x, v.z += v.y, v.w += v.z;
    u32 sum = v.w;
    for (u32 d = 1; d < 32; d *= 2) {
        u32 o = __shfl_up_sync(~0u, sum, d);
        sum += lane >= d ? o : 0;
    }
    if (lane == 31)
        warp_sum[w] = sum;
    __syncthreads();
    u32 base = 0, total = 0;
    for (u32 k = 0; k < 8; k++) {
        base += k < w ? warp_sum[k] : 0;
        total += warp_sum[k];
    }
    if (w == 0) {
        if (lane == 0) {
            state[tile] = (u64)(tile == 0 ? 2 : 1) << 32 | total;
            __threadfence();
        }
        u32 prefix = 0;
        for (int at = (int)tile - 1; tile && at >= -31; at -= 32) {
            int k = at - (int)lane;
            u64 s = 2ull << 32;
            if (k >= 0)
                while ((s = state[k]) >> 32 == 0)
                    ;
            u32 done = __ballot_sync(~0u, s >> 32 == 2), last = __ffs(done) - 1;
            u32 part = lane <= (done ? last : 31) ? (u32)s : 0;
            prefix += __reduce_add_sync(~0u, part);
            if (done)
                break;
        }
        if (lane == 0) {
            before = prefix;
            if (tile)
                state[tile] = 2ull << 32 | (u32)(prefix + total);
            __threadfence();
        }
    }
    __syncthreads();
    u32 add = before + base + sum - v.w;
    *(uint4 *)(out + i) = make_uint4(v.x + add, v.y + add, v.z + add, v.w + add);
}

// One pass of a radix sort: digit counts, their scan, and a stable scatter
KERNEL radix_count(const u32 *in, u32 *count, u32 shift)
{
    __shared__ u32 bin[16];
    if (threadIdx.x < 16)
        bin[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bin[in[THREAD] >> shift & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        count[threadIdx.x * gridDim.x + blockIdx.x] = bin[threadIdx.x];
}
KERNEL radix_scan(u32 *count, u32 n)
{
    __shared__ u32 part[1024];
    u32 per = (n + blockDim.x - 1) / blockDim.x, from = threadIdx.x * per, sum = 0;
    for (u32 i = from; i < min(from + per, n); i++)
        sum += count[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (u32 d = 1; d < blockDim.x; d *= 2) {
        u32 v = threadIdx.x >= d ? part[threadIdx.x - d] : 0;
        __syncthreads();
        part[threadIdx.x] += v;
        __syncthreads();
    }
    u32 run = threadIdx.x ? part[threadIdx.x - 1] : 0;
    for (u32 i = from; i < min(from + per, n); i++) {
        u32 v = count[i];
        count[i] = run;
        run += v;
    }
}
KERNEL radix_scatter(const u32 *in, const u32 *start, u32 *out, u32 shift)
{
    __shared__ u32 warp_count[16][8];
    u32 v = in[THREAD], digit = v >> shift & 15, w = threadIdx.x / 32, lane = threadIdx.x & 31;
    if (threadIdx.x < 128)
        warp_count[threadIdx.x / 8][threadIdx.x % 8] = 0;
    __syncthreads();
    u32 peers = __match_any_sync(~0u, digit), rank = __popc(peers & ((1u << lane) - 1));
    if (rank == 0)
        warp_count[digit][w] = __popc(peers);
    __syncthreads();
    u32 at = start[digit * gridDim.x + blockIdx.x] + rank;
    for (u32 k = 0; k < w; k++)
        at += warp_count[digit][k];
    out[at] = v;
}

// Merge of two sorted halves: each thread finds its part by the merge path
KERNEL merge_path(const u32 *a, const u32 *b, u32 *out, u32 n)
{
    const u32 each = 8;
    u32 diag = THREAD * each, lo = diag > n ? diag - n : 0, hi = min(diag, n);
    while (lo < hi) {
        u32 mid = (lo + hi) / 2;
        if (a[mid] <= b[diag - 1 - mid])
            lo = mid + 1;
        else
            hi = mid;
    }
    u32 i = lo, k = diag - lo;
    for (u32 s = 0; s < each; s++)
        out[diag + s] = k >= n || (i < n && a[i] <= b[k]) ? a[i++] : b[k++];
}
// a[i] = i-th of an increasing sequence with repeats
KERNEL ascend(u32 *a, u32 *b)
{
    u32 t = THREAD;
    a[t] = t * 3 + (scramble(t) & 1);
    b[t] = t / 4 * 12 + (t & 3 ? 1 : 0);
}

// Runs of equal bytes: their values, lengths and number, in order, one block a kilobyte
KERNEL run_length(const u8 *in, u8 *value, u16 *length, u32 *number)
{
    __shared__ u32 warp_heads[32];
    __shared__ u16 start[1025];
    u32 x = threadIdx.x, i = blockIdx.x * 1024 + x, lane = x & 31, w = x / 32;
    u8 v = in[i] & 3; // short runs and long ones
    bool head = x == 0 || (in[i - 1] & 3) != v || (in[i] & 0xc0) == 0xc0;
    u32 b = __ballot_sync(~0u, head);
    if (lane == 0)
        warp_heads[w] = __popc(b);
    __syncthreads();
    u32 rank = __popc(b & ((2u << lane) - 1)) - 1, total = 0;
    for (u32 k = 0; k < 32; k++) {
        rank += k < w ? warp_heads[k] : 0;
        total += warp_heads[k];
    }
    if (head) {
        start[rank] = (u16)x;
        value[blockIdx.x * 1024 + rank] = v;
    }
    if (x == 0) {
        start[total] = 1024;
        number[blockIdx.x] = total;
    }
    __syncthreads();
    if (x < total)
        length[blockIdx.x * 1024 + x] = (u16)(start[x + 1] - start[x]);
}

// Keeps what passes a test, in order
KERNEL compact(const u32 *in, u32 *out, u32 *number)
{
    __shared__ u32 part[8];
    u32 v = in[THREAD], lane = threadIdx.x & 31, w = threadIdx.x / 32;
    bool keep = __popc(v) > 17 || blockIdx.x % 7 == 0;
    int at = __popc(__ballot_sync(~0u, keep) & ((1u << lane) - 1));
    int all = __syncthreads_count(keep);
    if (lane == 31)
        part[w] = (u32)at + keep;
    __syncthreads();
    for (u32 k = 0; k < w; k++)
        at += (int)part[k];
    if (keep)
        out[blockIdx.x * blockDim.x + at] = v;
    int any = __syncthreads_or(v % 70001 == 0), every = __syncthreads_and(v > 900);
    if (threadIdx.x == 0)
        number[blockIdx.x] = (u32)all + (any ? 65536u : 0) + (every ? 131072u : 0);
}

// Reductions of all kinds by one template
template <class T, class F> __device__ T reduce_block(T v, F f)
{
    __shared__ T part[32];
    for (int d = 16; d; d /= 2)
        v = f(v, __shfl_down_sync(~0u, v, d));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[0];
    for (u32 i = 1; i < blockDim.x / 32; i++)
        v = f(v, part[i]);
    return v;
}
KERNEL reductions(const u32 *in, u32 *out)
{
    u32 h = 0, v = in[THREAD];
    float f = awkward(v);
    double d = (double)(int)v * 0.001;
    h = mix(h, reduce_block(v, [](u32 a, u32 b) { return a + b; }));
    h = mix(h, reduce_block((u64)v, [](u64 a, u64 b) { return a * 3 + b; }));
    h = mix(h, reduce_block((int)v, [](int a, int b) { return min(a, b); }));
    h = mix(h, reduce_block(f, [](float a, float b) { return fmaxf(a, b); }));
    h = mix(h, reduce_block(f, [](float a, float b) { return a + b; }));
    h = mix(h, reduce_block(d, [](double a, double b) { return a + b; }));
    h = mix(h, reduce_block((u64)v << 32 | THREAD, [](u64 a, u64 b) { return max(a, b); })); // where the largest is
    h = mix(h, reduce_block(v, [](u32 a, u32 b) { return __byte_perm(a, b, 0x5140) ^ b; }));
    if (threadIdx.x < 32)
        out[blockIdx.x * 32 + threadIdx.x] = h + threadIdx.x;
}

// Transform, scan and reduce over zipped iterators, as template libraries write them
template <class A, class B> struct zip {
    A a;
    B b;
    struct value { u32 x; float y; };
    __device__ value operator[](u32 i) const { return {a[i], b[i]}; }
};
struct counting { __device__ u32 operator[](u32 i) const { return i * 7 + 1; } };
template <class I, class F> struct transformed {
    I in;
    F f;
    __device__ auto operator[](u32 i) const { return f(in[i]); }
};
template <class I, class T, class F> __device__ T fold(I in, u32 from, u32 step, u32 n, T init, F f)
{
    for (u32 i = from; i < n; i += step)
        init = f(init, in[i]);
    return init;
}
KERNEL templates(const float *in, double *out, u32 n)
{
    auto zipped = zip<counting, const float *>{{}, in};
    auto square = [](auto v) { return (double)v.y * v.y * (v.x % 5 == 0 ? -1 : 1); };
    auto pipeline = transformed<decltype(zipped), decltype(square)>{zipped, square};
    double sum = fold(pipeline, THREAD, gridDim.x * blockDim.x, n, 0.0, [](double a, double b) { return a + b; });
    double most = fold(pipeline, THREAD, gridDim.x * blockDim.x, n, -1e300, [](double a, double b) { return a > b ? a : b; });
    sum = reduce_block(sum, [](double a, double b) { return a + b; });
    most = reduce_block(most, [](double a, double b) { return fmax(a, b); });
    if (threadIdx.x == 0)
        out[blockIdx.x * 2] = sum, out[blockIdx.x * 2 + 1] = most;
}

// Insertions into a hash table with linear probing, then a look-up of every key
KERNEL hash_insert(const u32 *in, u32 *table, u32 slots)
{
    u32 key = in[THREAD] % 5000 + 1; // many twice
    for (u32 at = scramble(key) % slots;; at = at + 1 == slots ? 0 : at + 1) {
        u32 old = atomicCAS(table + 2 * at, 0, key);
        if (old == 0 || old == key) {
            atomicAdd(table + 2 * at + 1, 1);
            return;
        }
    }
}
KERNEL hash_find(const u32 *in, const u32 *table, u32 slots, u32 *out)
{
    u32 key = in[THREAD] % 6000 + 1, at = scramble(key) % slots; // some are not there
    while (table[2 * at] && table[2 * at] != key)
        at = at + 1 == slots ? 0 : at + 1;
    out[THREAD] = table[2 * at] ? table[2 * at + 1] : 0;
}
