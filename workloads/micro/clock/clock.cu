// The clock of an SM, as clock64 over globaltimer, while tensor pipes work: by kind of product, duty, SMs at work,
// Built and run on the GPU: nvcc -gencode arch=compute_90a,code=sm_90a -O3 -o clock clock.cu && ./clock
// time.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
typedef unsigned u32;
typedef unsigned long long u64;
struct out {
    u64 c0, c1, t0, t1;
    u32 smid, products;
};
__device__ u64 now_ns()
{
    u64 t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}
__device__ u64 edge(u64 *c)
{
    u64 a = now_ns(), b;
    do {
        b = now_ns();
        *c = clock64();
    } while (b == a);
    return b;
} // a step of the timer
template <int KIND> __device__ __forceinline__ void product(float *d, u32 a, u32 b)
{
    int *i = (int *)d;
    if (KIND == 1)
        for (int k = 0; k < 4; k++)
            d[k] = fmaf(d[k], __uint_as_float(a), 1.0f);
    if (KIND == 2)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a), "r"(b));
    if (KIND == 3)
        asm volatile(
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3};"
            : "+r"(i[0]), "+r"(i[1]), "+r"(i[2]), "+r"(i[3])
            : "r"(a), "r"(b));
    if (KIND == 4)
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a), "r"(b));
}
template <int KIND> __global__ void probe(out *o, int total_ns, int burst, int gap, int busy, u32 a, u32 b, float *sink)
{
    float d[4][4] = {};
    u64 c0, c1;
    u64 t0 = edge(&c0), t1 = t0;
    u32 n = 0;
    bool works = (int)blockIdx.x < busy;
    while (now_ns() - t0 < (u64)total_ns) {
        if (works) {
            for (int i = 0; i < burst; i++)
                for (int k = 0; k < 4; k++)
                    product<KIND>(d[k], a, b);
            n += burst * 4;
        }
        if (gap || !works) {
            u64 w = clock64();
            while (clock64() - w < (u64)(works ? gap : 200))
                ;
        }
    }
    t1 = edge(&c1);
    u32 sm;
    asm("mov.u32 %0, %smid;" : "=r"(sm));
    if (threadIdx.x == 0)
        o[blockIdx.x] = {c0, c1, t0, t1, sm, n};
    float s = 0;
    for (int k = 0; k < 16; k++)
        s += d[k / 4][k % 4];
    if (s == 12345.678f)
        *sink = s;
}

__global__ void wg(out *o, int total_ns, int burst, int gap, int busy, int kind, float *sink)
{
    __shared__ __align__(1024) unsigned char sm_[49152];
    for (int i = threadIdx.x; i < 49152; i += blockDim.x)
        sm_[i] = kind & 1 ? (unsigned char)(i * 37 + 11) & 0x3b : 0;
    __syncthreads();
    u64 base = (u64)__cvta_generic_to_shared(sm_);
    u64 da = ((base & 0x3ffff) >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62),
        db = (((base + 16384) & 0x3ffff) >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62);
    float r[64] = {};
    u64 c0, c1;
    u64 t0 = edge(&c0), t1 = t0;
    u32 n = 0;
    bool works = (int)blockIdx.x < busy;
    while (true) {
        __shared__ int go;
        if (threadIdx.x == 0)
            go = now_ns() - t0 < (u64)total_ns;
        __syncthreads();
        int g = go;
        __syncthreads();
        if (!g)
            break;
        if (works) {
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            for (int i = 0; i < burst; i++) {
#define R8(b)                                                                                                          \
    "+f"(r[b]), "+f"(r[b + 1]), "+f"(r[b + 2]), "+f"(r[b + 3]), "+f"(r[b + 4]), "+f"(r[b + 5]), "+f"(r[b + 6]),        \
        "+f"(r[b + 7])
#define REGS                                                                                                           \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%" \
    "30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%" \
    "58,%59,%60,%61,%62,%63}"
                if (kind < 2)
                    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " REGS
                                 ", %64, %65, 1, 1, 1, 0, 0;"
                                 : R8(0), R8(8), R8(16), R8(24), R8(32), R8(40), R8(48), R8(56)
                                 : "l"(da), "l"(db));
                else
                    asm volatile("wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 " REGS ", %64, %65, 1, 1, 1;"
                                 : R8(0), R8(8), R8(16), R8(24), R8(32), R8(40), R8(48), R8(56)
                                 : "l"(da), "l"(db));
            }
            asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
            n += burst;
        }
        if (gap || !works) {
            u64 w = clock64();
            while (clock64() - w < (u64)(works ? gap : 200))
                ;
        }
    }
    t1 = edge(&c1);
    u32 sm;
    asm("mov.u32 %0, %smid;" : "=r"(sm));
    if (threadIdx.x == 0)
        o[blockIdx.x] = {c0, c1, t0, t1, sm, n};
    float s = 0;
    for (int k = 0; k < 64; k++)
        s += r[k];
    if (s == 12345.678f)
        *sink = s;
}
static out h[132];
static out *dev;
static float *sink;
static void report(const char *name, int ns, int burst, int gap, int busy, int warps)
{
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("%s: %s\n", name, cudaGetErrorString(e));
        exit(1);
    }
    cudaMemcpy(h, dev, sizeof h, cudaMemcpyDeviceToHost);
    std::vector<double> w, idle;
    double products = 0, cyc = 0;
    for (int i = 0; i < 132; i++) {
        double mhz = (double)(h[i].c1 - h[i].c0) * 1e3 / (double)(h[i].t1 - h[i].t0);
        (i < busy ? w : idle).push_back(mhz);
        if (i < busy) {
            products += h[i].products;
            cyc += h[i].c1 - h[i].c0;
        }
    }
    std::sort(w.begin(), w.end());
    std::sort(idle.begin(), idle.end());
    printf("%s ns %d burst %d gap %d busy %d warps %d: products/kcycle/SM %.2f  working MHz %.0f %.0f %.0f  idle MHz "
           "%.0f %.0f %.0f  n_idle_slow %d\n",
           name, ns, burst, gap, busy, warps, products / (cyc + 1) * 1e3 * warps, w.empty() ? 0 : w[0],
           w.empty() ? 0 : w[w.size() / 2], w.empty() ? 0 : w.back(), idle.empty() ? 0 : idle[0],
           idle.empty() ? 0 : idle[idle.size() / 2], idle.empty() ? 0 : idle.back(),
           (int)std::count_if(idle.begin(), idle.end(), [](double m) { return m < 1940; }));
}
int main()
{
    cudaMalloc(&dev, sizeof h);
    cudaMalloc(&sink, 4);
    const u32 datas[2] = {0, 0x3c3a2f51};
    for (int i = 0; i < 3; i++) {
        probe<0><<<132, 128>>>(dev, 3000000, 1, 0, 132, 0, 0, sink);
        report("warm-up", 3000000, 1, 0, 132, 4);
    }
#define P(K, NAME, NS, BURST, GAP, BUSY, W, D)                                                                         \
    do {                                                                                                               \
        probe<K><<<132, 32 * W>>>(dev, NS, BURST, GAP, BUSY, datas[D], datas[D], sink);                                \
        report(NAME, NS, BURST, GAP, BUSY, W);                                                                         \
    } while (0)
    int busies[] = {1, 4, 16, 66, 132};
    for (int ns : {10000, 50000, 300000, 2000000})
        for (int busy : {4, 132}) {
            P(1, "ffma", ns, 8, 0, busy, 16, 1);
            P(2, "hmma random", ns, 8, 0, busy, 8, 1);
            P(2, "hmma zero", ns, 8, 0, busy, 8, 0);
        }
    for (int busy : busies)
        for (int w : {1, 4, 8, 16})
            P(2, "hmma", 300000, 8, 0, busy, w, 1);
    for (int busy : {4, 132})
        for (int gap : {50, 100, 200, 400, 800, 1600, 3200, 12800})
            P(2, "hmma duty", 300000, 8, gap, busy, 4, 1);
    for (int busy : {4, 132}) {
        P(3, "imma", 300000, 8, 0, busy, 8, 1);
        P(4, "tf32", 300000, 8, 0, busy, 8, 1);
    }

#define W(KIND, NAME, NS, BURST, GAP, BUSY, WARPS)                                                                     \
    do {                                                                                                               \
        wg<<<132, 32 * WARPS>>>(dev, NS, BURST, GAP, BUSY, KIND, sink);                                                \
        report(NAME, NS, BURST, GAP, BUSY, WARPS);                                                                     \
    } while (0)
    for (int ns : {10000, 50000, 300000, 2000000})
        for (int busy : {4, 132}) {
            W(0, "wgmma f16 zero", ns, 4, 0, busy, 8);
            W(1, "wgmma f16 random", ns, 4, 0, busy, 8);
            W(2, "wgmma fp8 zero", ns, 4, 0, busy, 8);
            W(3, "wgmma fp8 random", ns, 4, 0, busy, 8);
        }
    for (int busy : busies)
        W(1, "wgmma f16", 300000, 4, 0, busy, 4);
    for (int busy : {4, 132})
        for (int gap : {200, 400, 800, 1600, 3200, 12800})
            W(1, "wgmma duty", 300000, 4, gap, busy, 4);
}
