// The kernel whose code gpu.c replaces: parameters, registers, shared and local memory and length are what trials need.
// nvcc -arch=sm_90 -cubin -o template.sm_90.cubin template.cu
struct constants { unsigned word[72]; };
#define P4(x) x x x x
#define P16(x) P4(P4(x))
#define P256(x) P16(P16(x))
extern "C" __global__ void __launch_bounds__(32) trials(unsigned *in, unsigned *out, unsigned *mark, unsigned *scratch, constants c)
{
    unsigned local[32], r[64];
#pragma unroll
    for (int i = 0; i < 64; i++)
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(r[i]) : "l"(in + 32 * i + threadIdx.x));
    local[r[1] & 31] = r[2];
    local[r[3] & 31] = r[4];
    __syncthreads();
    unsigned x = r[5];
    P16(P256(asm volatile("{ .reg .u32 t; xor.b32 t, %0, 0x1234; add.u32 %0, t, %1; }" : "+r"(x) : "r"(r[6]));))
    r[7] += x + r[8] + local[r[9] & 31] + c.word[r[10] & 63];
#pragma unroll
    for (int i = 0; i < 64; i++)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(out + 32 * i + threadIdx.x), "r"(r[i]));
    mark[0] = scratch[0];
}
