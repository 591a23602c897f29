// Bandwidth of a part of the chip: only the SMs of some GPCs work, or some SMs of each, on all lines or on those of one half of
// the L2. Two blocks of 1,024 threads an SM, which begin together.

// GPC of each TPC, as block placement showed it (hw_configs/h200.yaml).
__constant__ unsigned char gpc_of_tpc[66] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 1,
                                             2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 6, 7, 0, 0, 0, 0};

struct crew {
    unsigned rank, count; // of the SMs that work; rank ~0: not this one
};

static __device__ struct crew crew_of(unsigned sm, unsigned gpcs, unsigned most)
{
    unsigned have[8] = {0};
    struct crew c = {~0u, 0};
#pragma unroll 1
    for (unsigned s = 0; s < 132; s++) {
        unsigned g = gpc_of_tpc[s / 2];
        unsigned n = 0;
#pragma unroll
        for (int k = 0; k < 8; k++)
            if (k == g)
                n = have[k]++;
        if (!(gpcs >> g & 1) || n >= most)
            continue;
        if (s == sm)
            c.rank = c.count;
        c.count++;
    }
    return c;
}

static __device__ unsigned now_ns()
{
    unsigned t;
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(t)::"memory");
    return t;
}

// The i-th 16 bytes of one half: of each two blocks of 4 KB the one whose number has that parity (sim/addrmap.c).
static __device__ long long place(long long i, int parity)
{
    long long block = i >> 8;
    return parity > 1 ? i : (2 * block + ((__popcll(block) ^ parity) & 1)) << 8 | (i & 255);
}

static __device__ unsigned fetch(const uint4 *p)
{
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
    return v.x ^ v.y ^ v.z ^ v.w;
}

static __device__ void keep(uint4 *p, unsigned v)
{
    asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(v) : "memory");
}

// R reads for W writes, from and to streams `apart` 16-byte words from one another
template <int R, int W>
static __device__ unsigned stream(const uint4 *x, uint4 *y, long long n, long long apart, int passes, int parity, long long first, long long step)
{
    unsigned sum = 0;
    for (int p = 0; p < passes; p++)
#pragma unroll 2
        for (long long i = first; i < n; i += step) {
            long long at = place(i, parity);
            unsigned v = 0;
#pragma unroll
            for (int r = 0; r < R; r++)
                v += fetch(x + r * apart + at);
            sum += v;
#pragma unroll
            for (int w = 0; w < W; w++)
                keep(y + w * apart + at, v);
        }
    return sum;
}

// out: nanoseconds from first to last, and what it needs for that; seats: blocks that came to each SM
extern "C" __global__ void __launch_bounds__(1024, 2)
    part(const uint4 *x, uint4 *y, unsigned *out, unsigned *seats, long long n, long long apart, int passes, int mode, int parity, int gpcs, int most)
{
    __shared__ unsigned seat;
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    struct crew c = crew_of(sm, gpcs, most);
    if (threadIdx.x == 0) {
        seat = atomicAdd(&seats[sm], 1);
        __threadfence();
        atomicAdd(&out[3], 1);
        while (*(volatile unsigned *)&out[3] < gridDim.x)
            ;
        if (c.rank != ~0u)
            atomicMin(&out[1], now_ns());
    }
    __syncthreads();
    unsigned sum = 0;
    if (c.rank != ~0u) {
        long long first = (c.rank * 2 + seat) * 1024LL + threadIdx.x, step = c.count * 2048LL;
        switch (mode) {
        case 10: sum = stream<1, 0>(x, y, n, apart, passes, parity, first, step); break;
        case 1: sum = stream<0, 1>(x, y, n, apart, passes, parity, first, step); break;
        case 11: sum = stream<1, 1>(x, y, n, apart, passes, parity, first, step); break;
        case 21: sum = stream<2, 1>(x, y, n, apart, passes, parity, first, step); break;
        case 12: sum = stream<1, 2>(x, y, n, apart, passes, parity, first, step); break;
        case 31: sum = stream<3, 1>(x, y, n, apart, passes, parity, first, step); break;
        }
    }
    if (sum == 0x12345678)
        out[8] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (c.rank != ~0u)
            atomicMax(&out[2], now_ns());
        __threadfence();
        if (atomicAdd(&out[4], 1) == gridDim.x - 1)
            out[0] = atomicMax(&out[2], 0) - atomicMin(&out[1], ~0u);
    }
}

extern "C" __global__ void begin(unsigned *out, unsigned *seats)
{
    seats[threadIdx.x] = 0;
    if (threadIdx.x < 16)
        out[threadIdx.x] = threadIdx.x == 1 ? ~0u : 0;
}
