// What else compilers emit: inline PTX, tables, function pointers, volatile, launch bounds, state machines, barriers of parts.
#include "../kernels/common.cuh"

// Encryption rounds by tables in shared memory: lookups at random banks
KERNEL table_rounds(const u32 *in, u32 *out, u32 rounds)
{
    __shared__ u32 table[4][256];
    for (u32 i = threadIdx.x; i < 1024; i += blockDim.x)
        ((u32 *)table)[i] = scramble(i * 77u + 1);
    __syncthreads();
    u32 a = in[THREAD], b = a * 3 + 1;
    for (u32 r = 0; r < rounds; r++) {
        u32 t = table[0][a & 255] ^ table[1][a >> 8 & 255] ^ table[2][a >> 16 & 255] ^ table[3][a >> 24];
        a = b ^ t;
        b = __funnelshift_l(t, t, 8) + r;
    }
    out[THREAD] = a ^ b;
}
// A state machine over text with its table in constant memory: lanes index it differently
__constant__ u8 next_state[16][16] = {
    {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14}, {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1},
    {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3},       {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5},
    {0, 15, 1, 14, 2, 13, 3, 12, 4, 11, 5, 10, 6, 9, 7, 8}, {1, 1, 2, 3, 5, 8, 13, 5, 2, 7, 9, 0, 9, 9, 2, 11},
};
KERNEL automaton(const u8 *text, u32 *out, u32 length)
{
    u32 state = THREAD & 15, visits = 0;
    const uchar4 *p = (const uchar4 *)(text + (size_t)THREAD * length);
    for (u32 i = 0; i < length / 4; i++) {
        uchar4 c = p[i];
        state = next_state[state][c.x & 15];
        state = next_state[state][c.y & 15];
        state = next_state[state][c.z & 15];
        state = next_state[state][c.w & 15];
        visits += state == 7;
    }
    out[THREAD] = state << 16 | visits;
}
// Operations chosen through a table of device functions
typedef float (*step)(float, float);
__device__ __noinline__ float step_add(float a, float b) { return a + b; }
__device__ __noinline__ float step_scale(float a, float b) { return a * b + 0.25f; }
__device__ __noinline__ float step_root(float a, float b) { return sqrtf(fabsf(a - b)); }
__device__ __noinline__ float step_wave(float a, float b) { return __sinf(a) * b; }
__device__ step steps[4] = {step_add, step_scale, step_root, step_wave};
KERNEL called(const float *x, const u32 *which, float *y, u32 rounds)
{
    float v = x[THREAD], w = v;
    u32 code = which[blockIdx.x]; // the same for all lanes
    for (u32 r = 0; r < rounds; r++) {
        v = steps[code & 3](v, w);
        code = code >> 2 | code << 30;
    }
    y[THREAD] = v;
}
// Straight PTX: bit fields, permutes, three-input logic, wide products, funnel shifts, packed minima
KERNEL inline_ptx(const u32 *in, u32 *out, u32 rounds)
{
    u32 a = in[THREAD], b = a ^ 0x12345678u, c = THREAD;
    for (u32 r = 0; r < rounds; r++) {
        u32 t, p, l, f;
        asm volatile("bfe.u32 %0, %1, %2, 11;" : "=r"(t) : "r"(a), "r"(r & 15));
        asm volatile("prmt.b32 %0, %1, %2, 0x2461;" : "=r"(p) : "r"(a), "r"(b));
        asm volatile("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(l) : "r"(a), "r"(b), "r"(c));
        asm volatile("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(f) : "r"(p), "r"(l), "r"(t & 31));
        u64 w;
        asm volatile("mad.wide.u32 %0, %1, %2, %3;" : "=l"(w) : "r"(f), "r"(t), "l"((u64)b << 7));
        asm volatile("vmin4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(c) : "r"(f), "r"(l), "r"(0));
        asm volatile("{.reg .pred q; setp.gt.s32 q, %1, 0; selp.b32 %0, %2, %3, q;}" : "=r"(a) : "r"(l), "r"(f), "r"(p));
        b = (u32)(w >> 16) + c;
    }
    out[THREAD] = a ^ b ^ c;
}
// Tree sums in the last warp through volatile shared memory
KERNEL __launch_bounds__(256, 4) volatile_tree(const float *x, float *y)
{
    __shared__ float s[256];
    u32 t = threadIdx.x;
    s[t] = x[blockIdx.x * 512 + t] + x[blockIdx.x * 512 + 256 + t];
    __syncthreads();
    for (u32 d = 128; d > 32; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        volatile float *v = s;
        float a = v[t] + v[t + 32];
        for (int d = 16; d; d /= 2) {
            v[t] = a;
            __syncwarp();
            a += v[t ^ d];
            __syncwarp();
        }
        if (t == 0)
            y[blockIdx.x] = a;
    }
}
// Producers and consumers meet at named barriers
KERNEL relay_barriers(const u32 *in, u32 *out, u32 rounds)
{
    __shared__ u32 box[2][64];
    u32 t = threadIdx.x, w = t / 64, i = t & 63, sum = 0;
    for (u32 r = 0; r < rounds; r++) {
        u32 s = r & 1;
        if (w == 0) { // waits until the slot is empty, fills it, says so
            asm volatile("bar.sync %0, 128;" ::"r"(1 + s));
            box[s][i] = in[(blockIdx.x * rounds + r) * 64 + i];
            asm volatile("bar.arrive %0, 128;" ::"r"(3 + s));
        } else {
            if (r < 2)
                asm volatile("bar.arrive %0, 128;" ::"r"(1 + s));
            asm volatile("bar.sync %0, 128;" ::"r"(3 + s));
            sum = mix(sum, box[s][i ^ 5]);
            if (r + 2 < rounds)
                asm volatile("bar.arrive %0, 128;" ::"r"(1 + s));
        }
    }
    if (w)
        out[blockIdx.x * 64 + i] = sum;
}
// Nested loops and breaks that differ by lane, a switch, an early return
KERNEL branches(const u32 *in, u32 *out, u32 n)
{
    u32 i = THREAD, h = in[i], kind = h & 7;
    if (h % 11 == 0) {
        out[i] = h;
        return;
    }
    for (u32 a = 0; a < (h >> 8 & 15); a++) {
        for (u32 b = 0; b < 8; b++) {
            if ((h >> b & 3) == 3 && b > a)
                break;
            h = mix(h, a * b);
        }
        switch (kind ^ (a & 1)) {
        case 0: h += h << 3; break;
        case 1: h ^= h >> 5; break;
        case 2: h = __brev(h); break;
        case 3: h *= 2654435761u; break;
        case 4: h -= n; break;
        case 5: h = ~h; // and falls
        default: h = __funnelshift_r(h, a, 7);
        }
        if (h % 23 == 0)
            continue;
        h = mix(h, kind);
    }
    out[i] = h;
}
// Shuffles inside parts of a warp, masks found by voting
KERNEL parts(const u32 *in, u32 *out)
{
    u32 v = in[THREAD], lane = threadIdx.x & 31, r = 0;
    u32 low = __ballot_sync(~0u, v & 1);
    if (v & 1) {
        r = __shfl_sync(low, v, __ffs(low) - 1);
        r += __reduce_max_sync(low, v >> 8);
        r ^= __match_any_sync(low, v >> 30);
    } else {
        r = __shfl_down_sync(~low, v, 3);
        r = (~low >> ((lane + 3) & 31) & 1) && lane + 3 < 32 ? r : v;
        r += __popc(__activemask() & ~low);
    }
    r += __shfl_xor_sync(~0u, r, 7, 8);
    r ^= __shfl_up_sync(~0u, r, 2, 16);
    out[THREAD] = r + __all_sync(~0u, v != 5) * 2 + __any_sync(~0u, v > 0xf0000000u);
}
// Every kind of atomic on shared memory, then on a table in device memory
KERNEL atomic_kinds(const u32 *in, u32 *table, u32 *out)
{
    __shared__ u32 s[8 * 32];
    u32 v = in[THREAD], at = v & 31;
    s[threadIdx.x] = threadIdx.x < 32 ? ~0u : 0;
    __syncthreads();
    atomicAnd(s + at, v | 0xff);
    atomicOr(s + 32 + at, v & 0xff00);
    atomicXor(s + 64 + at, v);
    atomicMin((int *)s + 96 + at, (int)v);
    atomicMax(s + 128 + at, v);
    atomicInc(s + 160 + at, 5);
    atomicDec(s + 192 + at, 1000);
    atomicAdd(s + 224 + at, v);
    __syncthreads();
    u32 w = s[threadIdx.x];
    atomicXor(table + (w & 1023), v);
    atomicMax(table + 1024 + (v >> 22), w);
    atomicAdd(table + 2048 + (threadIdx.x & 7), 1);
    atomicOr((u64 *)(table + 4096) + at, (u64)v << 13);
    out[THREAD] = w;
}
// Sums by float additions to a few words of shared memory: a loop of compare-and-swap
KERNEL shared_float_sums(const u32 *in, float *y)
{
    __shared__ float s[16];
    if (threadIdx.x < 16)
        s[threadIdx.x] = 0;
    __syncthreads();
    u32 v = in[THREAD];
    atomicAdd(s + (v >> 28), (float)(v & 255)); // whole numbers: any order gives the same sum
    __syncthreads();
    if (threadIdx.x < 16)
        y[blockIdx.x * 16 + threadIdx.x] = s[threadIdx.x];
}
