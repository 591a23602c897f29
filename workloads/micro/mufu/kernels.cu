// The function unit's operations, one kernel each: y = op(first + i) for 2^23 consecutive bit patterns.
// Built to a cubin that sweep.cu loads. SIN and COS come with a multiplication by 1/(2 pi) before them; sweep.cu
// patches its constant to 1 in the machine code, so that the operation itself is seen.
typedef unsigned int u32;
typedef unsigned long long u64;

static __device__ u64 mix(u32 x, u32 y)
{
    u64 t = (u64)x << 32 | y;
    t ^= t >> 33;
    t *= 0xff51afd7ed558ccdull;
    t ^= t >> 33;
    t *= 0xc4ceb9fe1a85ec53ull;
    return t ^ t >> 33;
}
// out may be null; hash gets the sum of mix(x, y).
#define SWEEP(name, ptx)                                                                    \
    extern "C" __global__ void name(u32 first, u32 n, u32 *out, u64 *hash)                  \
    {                                                                                       \
        u64 sum = 0;                                                                        \
        for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { \
            u32 x = first + i, y;                                                           \
            asm volatile(ptx : "=r"(y) : "r"(x));                                           \
            sum += mix(x, y);                                                               \
            if (out)                                                                        \
                out[i] = y;                                                                 \
        }                                                                                   \
        atomicAdd(hash, sum);                                                               \
    }
SWEEP(rcp, "rcp.approx.ftz.f32 %0, %1;")
SWEEP(rsq, "rsqrt.approx.ftz.f32 %0, %1;")
SWEEP(sqrt_, "sqrt.approx.ftz.f32 %0, %1;")
SWEEP(ex2, "ex2.approx.ftz.f32 %0, %1;")
SWEEP(lg2, "lg2.approx.ftz.f32 %0, %1;")
SWEEP(sin_, "sin.approx.ftz.f32 %0, %1;")
SWEEP(cos_, "cos.approx.ftz.f32 %0, %1;")
SWEEP(tanh_, "tanh.approx.f32 %0, %1;")
SWEEP(rcp64h, "{ .reg .b64 a, b; .reg .b32 t; mov.b64 a, {0, %1}; rcp.approx.ftz.f64 b, a; mov.b64 {t, %0}, b; }")
SWEEP(rsq64h, "{ .reg .b64 a, b; .reg .b32 t; mov.b64 a, {0, %1}; rsqrt.approx.ftz.f64 b, a; mov.b64 {t, %0}, b; }")
SWEEP(tanh_f16, "{ .reg .b16 a, b, c; mov.b32 {a, b}, %1; tanh.approx.f16 c, a; mov.b16 b, 0; mov.b32 %0, {c, b}; }")
SWEEP(ex2_f16, "{ .reg .b16 a, b, c; mov.b32 {a, b}, %1; ex2.approx.f16 c, a; mov.b16 b, 0; mov.b32 %0, {c, b}; }")
SWEEP(tanh_bf16, "{ .reg .b16 a, b, c; mov.b32 {a, b}, %1; tanh.approx.bf16 c, a; mov.b16 b, 0; mov.b32 %0, {c, b}; }")
SWEEP(ex2_bf16, "{ .reg .b16 a, b, c; mov.b32 {a, b}, %1; ex2.approx.ftz.bf16 c, a; mov.b16 b, 0; mov.b32 %0, {c, b}; }")

// Which operands take the slow path of a division: seen by the time it takes.
extern "C" __global__ void divide_clock(const u32 *a, const u32 *b, u32 *out, u32 n)
{
    u32 i = blockIdx.x; // one thread a block, so that no other lane's path is timed
    if (i >= n)
        return;
    float x = __uint_as_float(a[i]), y = __uint_as_float(b[i]), q;
    u32 t0, t1;
#pragma unroll 1
    for (int k = 0; k < 3; k++) { // the first ones warm the instruction cache on both paths
        asm volatile("{ mov.u32 %0, %%clock; }" : "=r"(t0), "+f"(x), "+f"(y) :: "memory");
        asm volatile("div.rn.f32 %0, %1, %2;" : "=f"(q) : "f"(x), "f"(y) : "memory");
        asm volatile("{ mov.u32 %0, %%clock; }" : "=r"(t1), "+f"(q) :: "memory");
        out[2 * i] = t1 - t0;
        out[2 * i + 1] = __float_as_uint(q);
    }
}
