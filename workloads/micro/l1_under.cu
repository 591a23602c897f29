// Loads that hit in L1 while another warp's miss all the time: do they wait for these?
#include "bench.cuh"

__device__ __forceinline__ unsigned load(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ __forceinline__ unsigned now_after(unsigned v) // the clock once v is there to be stored
{
    __shared__ unsigned kept[160];
    unsigned t, at = (unsigned)__cvta_generic_to_shared(kept + threadIdx.x);
    asm volatile("st.volatile.shared.u32 [%1], %2;\n\tmov.u32 %0, %%clock;" : "=r"(t) : "r"(at), "r"(v) : "memory");
    return t;
}

// Warp 0 hits in one line; warp `other` misses, four loads of so many lines at a time, until warp 0 is done. out[0] = cycles of 64 hits, out[1] = of 64 hits while
// the other warp does nothing.
extern "C" __global__ void beside(unsigned *out, const unsigned *x, const unsigned *hot, int other, int lines)
{
    __shared__ volatile unsigned done;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int round = 0; round < 3; round++) {
        done = 0;
        __syncthreads();
        if (warp == 0) {
            unsigned sum = 0, t0 = now();
            for (int i = 0; i < 64; i++)
                sum = load(hot + lane + sum), sum = now_after(sum) == 1;
            unsigned t1 = now();
            done = 1;
            if (lane == 0)
                out[round == 2] = t1 - t0;
        } else if (warp == other && round < 2) {
            unsigned sum = 0;
            for (int i = 0; !done && i < 1024; i++) {
                const unsigned *p = x + ((i * 4 * 32 + lane * lines / 32 * 32 + lane % (32 / lines)) & (1 << 22) - 1);
                sum += load(p) + load(p + 32 * lines) + load(p + 64 * lines) + load(p + 96 * lines);
            }
            out[8 + lane] = sum;
        }
        __syncthreads();
    }
}
