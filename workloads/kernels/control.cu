// Control flow: jump tables, calls through pointers, recursion, arrays on the stack, divergence of all kinds.
#include "common.cuh"

// A small virtual machine: an indexed branch whose targets differ from lane to lane
KERNEL interpreter(const u32 *in, u32 *out)
{
    u32 t = THREAD, pc = in[t] & 0xff, acc = in[t], reg = t, steps = 0;
    while (steps < 40) {
        u32 code = in[(pc + (t & ~31u)) & 0xfff];
        steps++;
        switch (code % 13) {
        case 0: acc += reg; pc++; break;
        case 1: acc ^= code; pc++; break;
        case 2: reg = acc * 5; pc += 2; break;
        case 3: acc = acc / (reg | 1); pc++; break;
        case 4: if (acc & 1) pc += 3; else pc++; break;
        case 5: acc = acc << (reg & 31) | acc >> (32 - (reg & 31) & 31); pc++; break;
        case 6: reg -= acc; pc = code & 0xff; break;
        case 7: acc = __popc(acc) * reg; pc++; break;
        case 8: { u32 s = acc; acc = reg; reg = s; } pc++; break;
        case 9: acc -= 0x12345; pc += acc & 3; break;
        case 10: reg = mix(reg, acc); // falls on
        case 11: acc = mix(acc, reg); pc++; break;
        default: steps += 4; pc += 5; break;
        }
    }
    out[t] = acc ^ reg;
}

typedef u32 operation(u32, u32);
__device__ __noinline__ u32 op_add(u32 a, u32 b) { return a + b; }
__device__ __noinline__ u32 op_hash(u32 a, u32 b)
{
    volatile u32 box[16];
    for (u32 i = 0; i < 16; i++)
        box[i] = scramble(a + i);
    return box[b & 15];
}
__device__ __noinline__ u32 op_divide(u32 a, u32 b) { return (u32)(((u64)a << 20) / (b | 1)); }
__device__ __noinline__ u32 op_float(u32 a, u32 b) { return __float_as_uint(sinf(__uint_as_float((a & 0x7fffff) | 0x4e000000)) / (float)(b | 1)); }
__device__ operation *operations[4] = {op_add, op_hash, op_divide, op_float};
KERNEL pointers(const u32 *in, u32 *out)
{
    u32 t = THREAD, v = in[t];
    for (u32 i = 0; i < 6; i++)
        v = operations[v >> 30](v, t + i);
    out[t] = v;
}

struct node {
    u32 seed;
    __device__ node(u32 s) : seed(s) {}
    virtual __device__ u32 value(u32 x) const { return x ^ seed; }
    virtual __device__ u32 twice(u32 x) const { return value(value(x)); }
};
struct scaled : node {
    u32 k;
    __device__ scaled(u32 s) : node(s), k(s | 1) {}
    __device__ u32 value(u32 x) const override { return x * k + seed; }
};
struct rotated : scaled {
    __device__ rotated(u32 s) : scaled(s) {}
    __device__ u32 value(u32 x) const override { return __funnelshift_l(x, x, k & 31) + 1; }
    __device__ u32 twice(u32 x) const override { return scaled::value(node::twice(x)); }
};
inline __device__ void *operator new(size_t, void *p, int) { return p; }
inline __device__ void operator delete(void *, void *, int) {}
KERNEL virtuals(const u32 *in, u32 *out)
{
    u32 t = THREAD, v = in[t];
    alignas(16) char room[3][32];
    node *list[3] = {new (room[0], 0) node(v), new (room[1], 0) scaled(v), new (room[2], 0) rotated(v)};
    for (u32 i = 0; i < 8; i++)
        v = v & 1 ? list[v % 3]->value(v) : list[v % 3]->twice(v + i);
    out[t] = v;
}

// Recursion of different depth in each lane
__device__ __noinline__ u32 ackermann(u32 m, u32 n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
__device__ __noinline__ u32 hanoi(u32 n, u32 from, u32 to, u32 h)
{
    if (n == 0)
        return h;
    h = hanoi(n - 1, from, 3 - from - to, h);
    return hanoi(n - 1, 3 - from - to, to, mix(h, from * 4 + to + n * 16));
}
KERNEL recursion(const u32 *in, u32 *out)
{
    u32 t = THREAD, v = in[t];
    u32 r = ackermann(v & 1, v >> 2 & 7);
    out[t] = mix(r, hanoi(2 + (v >> 8) % 4, 0, 2, v));
}
__device__ __noinline__ void quicksort(u32 *a, int lo, int hi)
{
    if (lo >= hi)
        return;
    u32 pivot = a[(lo + hi) / 2];
    int i = lo, k = hi;
    while (i <= k) {
        while (a[i] < pivot)
            i++;
        while (a[k] > pivot)
            k--;
        if (i <= k) {
            u32 s = a[i];
            a[i++] = a[k];
            a[k--] = s;
        }
    }
    quicksort(a, lo, k);
    quicksort(a, i, hi);
}
KERNEL sort_each(const u32 *in, u32 *out)
{
    u32 t = THREAD, a[20], h = 0;
    for (u32 i = 0; i < 20; i++)
        a[i] = scramble(in[t] + i) % (t % 4 == 0 ? 3u : 1000000u);
    quicksort(a, 0, 19);
    for (u32 i = 0; i < 20; i++)
        h = mix(h, a[i]);
    out[t] = h;
}

// alloca and arrays of a size that only the data know
KERNEL stack_arrays(const u32 *in, u32 *out)
{
    u32 t = THREAD, n = 4 + in[t] % 24, h = 0;
    u32 *a = (u32 *)alloca(n * sizeof(u32));
    u8 bytes[64];
    for (u32 i = 0; i < n; i++)
        a[i] = scramble(in[t] ^ i);
    for (u32 i = 0; i < 64; i++)
        bytes[i] = (u8)(a[i % n] >> (i & 7));
    for (u32 i = 1; i < n; i++) // insertion sort
        for (u32 k = i; k && a[k - 1] > a[k]; k--) {
            u32 s = a[k];
            a[k] = a[k - 1];
            a[k - 1] = s;
        }
    for (u32 i = 0; i < n; i++)
        h = mix(h, a[i] + bytes[a[i] & 63]);
    out[t] = h;
}

KERNEL collatz(const u32 *in, u32 *out)
{
    u32 t = THREAD, steps = 0;
    u64 v = in[t] % 100000 + 1;
    while (v != 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        steps++;
    }
    out[t] = steps;
}

// Nested loops left from inside, early returns before and after barriers, lanes that wait for each other
KERNEL exits(const u32 *in, u32 *out)
{
    __shared__ u32 box[128];
    u32 t = THREAD, v = in[t], h = 0;
    box[threadIdx.x] = v;
    if (v % 97 == 0 && threadIdx.x >= 96)
        h = 1;
    for (u32 i = 0; i < 12; i++) {
        for (u32 k = 0; k < 12; k++) {
            if ((v >> (i + k & 31) & 7) == 7)
                goto done;
            if ((v ^ i * k) % 11 == 3)
                continue;
            if (v % (k + 2) == i)
                break;
            h = mix(h, i * 16 + k);
        }
        v = scramble(v);
        if (v % 29 == 1)
            break;
    }
done:
    __syncthreads();
    h = mix(h, box[(threadIdx.x * 7 + 3) & 127]);
    if (h % 5 == 0) {
        out[t] = h;
        return;
    }
    for (u32 i = 0; i < h % 9; i++)
        h = mix(h, i);
    out[t] = h + 1;
}

// A lock between the lanes of a warp, and between blocks
KERNEL locks(const u32 *in, u32 *lock, u32 *sum, u32 *out)
{
    __shared__ u32 inside;
    __shared__ volatile u32 total;
    u32 t = THREAD;
    if (threadIdx.x == 0)
        inside = total = 0;
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(&inside, 0, 1) == 0) {
            total += in[t] & 0xff; // not atomic: the lock protects it
            __threadfence_block();
            atomicExch(&inside, 0);
            done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 wait = 8;
        while (atomicCAS(lock, 0, 1) != 0) {
            __nanosleep(wait);
            wait = wait < 256 ? 2 * wait : wait;
        }
        *(volatile u32 *)sum += total;
        __threadfence();
        atomicExch(lock, 0);
    }
    out[t] = total;
}
