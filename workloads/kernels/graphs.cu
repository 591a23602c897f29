// Sparse and irregular: graphs, matrices, strings.
#include "common.cuh"

// A graph without a buffer: edge k of vertex v
__device__ __forceinline__ u32 degree(u32 v) { return v % 37 == 0 ? 60 : v & 7; }
__device__ __forceinline__ u32 neighbour(u32 v, u32 k, u32 n) { return k == 0 ? (v * 2 + 1) % n : scramble(v * 64 + k) % n; }

// One level of a breadth-first search; the frontier is a list
KERNEL bfs_start(u32 *depth, u32 *list, u32 *count)
{
    u32 t = THREAD;
    depth[t] = t == 3 ? 0 : ~0u;
    if (t < 8)
        count[t] = t == 0;
    if (t == 0)
        list[0] = 3;
}
KERNEL bfs_step(u32 *depth, u32 *lists, u32 *count, u32 n, u32 level)
{
    const u32 *from = lists + (level & 1) * n;
    u32 *to = lists + (~level & 1) * n;
    u32 t = THREAD;
    if (t >= count[level])
        return;
    u32 v = from[t];
    for (u32 k = 0; k < degree(v); k++) {
        u32 w = neighbour(v, k, n);
        if (depth[w] == ~0u && atomicCAS(depth + w, ~0u, level + 1) == ~0u)
            to[atomicAdd(count + level + 1, 1)] = w;
    }
}

// y = A x, compressed rows of uneven length: a warp a row, and a thread a row
KERNEL spmv_warp(const float *x, float *y, u32 n)
{
    u32 row = THREAD / 32, lane = threadIdx.x & 31, len = row % 61 == 0 ? 400 : row % 40;
    float sum = 0;
    for (u32 k = lane; k < len; k += 32) {
        u32 c = scramble(row * 512 + k);
        sum += (float)(int)(c >> 24) * 0.125f * x[c % n];
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}
KERNEL spmv_thread(const float *x, float *y, u32 n)
{
    u32 row = THREAD, len = row % 29 == 0 ? 90 : row % 13;
    float sum = 0;
    for (u32 k = 0; k < len; k++) {
        u32 c = scramble(row * 128 + k);
        sum = fmaf((float)(int)(c >> 24) * 0.125f, x[c % n], sum);
    }
    y[row] = sum;
}

// Where a pattern with wildcards occurs in a text; each block a piece that overlaps the next
__constant__ u8 pattern[8] = {1, 2, '?', 0, 3, '*', 2, 1};
KERNEL search(const u8 *text, u32 *hits, u32 *first, u32 n)
{
    u32 t = THREAD, found = 0;
    if (t + 24 < n) {
        u32 i = t, p = 0;
        while (p < 8) {
            u8 want = pattern[p];
            if (want == '*') { // up to eight letters until the next one fits
                u32 most = i + 8;
                while (i < most && (text[i] & 3) != pattern[p + 1])
                    i++;
                if (i == most)
                    break;
            } else if (want != '?') {
                if ((text[i] & 3) != want)
                    break;
                i++;
            } else {
                i++;
            }
            p++;
        }
        found = p == 8;
    }
    u32 b = __ballot_sync(~0u, found);
    if ((threadIdx.x & 31) == 0)
        hits[t / 32] = b;
    if (b && (threadIdx.x & 31) == (u32)__ffs(b) - 1)
        atomicMin(first, t);
}
// Edit distance of two words of 24 letters a thread, rows in local memory
KERNEL distances(const u8 *text, u32 *out)
{
    u32 t = THREAD;
    u8 row[25];
    for (u32 i = 0; i <= 24; i++)
        row[i] = (u8)i;
    for (u32 i = 1; i <= 24; i++) {
        u8 diag = row[0], a = text[(t * 24 + i) & 0xffff] & 7;
        row[0] = (u8)i;
        for (u32 k = 1; k <= 24; k++) {
            u8 up = row[k], cost = a != (text[(t * 40 + k * 3) & 0xffff] & 7);
            row[k] = (u8)min(min(row[k - 1] + 1, up + 1), diag + cost);
            diag = up;
        }
    }
    out[t] = row[24];
}
// Union-find with path halving: components of a random forest
KERNEL components_start(u32 *parent) { parent[THREAD] = THREAD; }
KERNEL components(u32 *parent, u32 n)
{
    u32 t = THREAD, a = t, b = scramble(t) % n;
    if (t % 3 == 0)
        return;
    for (;;) {
        while (*(volatile u32 *)(parent + a) != a)
            a = *(volatile u32 *)(parent + a);
        while (*(volatile u32 *)(parent + b) != b)
            b = *(volatile u32 *)(parent + b);
        if (a == b)
            break;
        u32 hi = max(a, b), lo = min(a, b);
        if (atomicCAS(parent + hi, hi, lo) == hi)
            break;
    }
}
KERNEL components_label(const u32 *parent, u32 *label)
{
    u32 a = THREAD;
    while (parent[a] != a)
        a = parent[a];
    label[THREAD] = a; // the smallest of the component
}
// Table-driven check sums: a table in constant memory, indexed differently by each lane; and one computed
__device__ u32 crc_byte(u32 c)
{
    for (u32 i = 0; i < 8; i++)
        c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    return c;
}
KERNEL checksum(const u8 *in, u32 *out)
{
    __shared__ u32 table[256];
    table[threadIdx.x] = crc_byte(threadIdx.x);
    __syncthreads();
    u32 t = THREAD, c = ~0u, n = 16 + (in[t & 0xffff] & 63);
    for (u32 i = 0; i < n; i++)
        c = table[(c ^ in[(t * 16 + i) & 0xffff]) & 255] ^ c >> 8;
    out[t] = ~c;
}
