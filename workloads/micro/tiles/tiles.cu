// Matrix products of every shape and type over awkward tiles: what a real GPU answers, bit for bit. Block t makes tile t from
// the operands that kernels.h draws; each line below is one instruction. out[(t * threads + thread) * words ..] gets the
// thread's results.
#pragma nv_diag_suppress 550 // registers of A where A lies in shared memory
#include <stdint.h>
typedef uint32_t u32;
typedef uint64_t u64;

template <typename T> static __device__ __forceinline__ T as(u32 x);
template <> __device__ __forceinline__ u32 as<u32>(u32 x) { return x; }
template <> __device__ __forceinline__ float as<float>(u32 x) { return __uint_as_float(x); }
static __device__ __forceinline__ u32 bits(u32 x) { return x; }
static __device__ __forceinline__ u32 bits(float x) { return __float_as_uint(x); }

// ---- a warp's products: registers of A, B and C, 32 lanes each
#define MMA(name, ptx, D, A, B, type, con, words)                                                                                   \
    extern "C" __global__ void name(const u32 *pa, const u32 *pb, const u32 *pc, u32 *out)                                          \
    {                                                                                                                               \
        u32 lane = threadIdx.x, a[4], b[2];                                                                                         \
        type d[4];                                                                                                                  \
        for (u32 i = 0; i < 4; i++)                                                                                                 \
            a[i] = pa[(blockIdx.x * 4 + i) * 32 + lane], d[i] = as<type>(pc[(blockIdx.x * 4 + i) * 32 + lane]);                     \
        for (u32 i = 0; i < 2; i++)                                                                                                 \
            b[i] = pb[(blockIdx.x * 2 + i) * 32 + lane];                                                                            \
        asm volatile("mma.sync.aligned." ptx " " D ", " A ", " B ", " D ";"                                                         \
                     : con(d[0]), con(d[1]), con(d[2]), con(d[3])                                                                   \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                                           \
        for (u32 i = 0; i < words; i++)                                                                                             \
            out[(blockIdx.x * 32 + lane) * words + i] = bits(d[i]);                                                                 \
    }
MMA(f16_1688_f32, "m16n8k8.row.col.f32.f16.f16.f32", "{%0,%1,%2,%3}", "{%4,%5}", "{%8}", float, "+f", 4)
MMA(f16_1688_f16, "m16n8k8.row.col.f16.f16.f16.f16", "{%0,%1}", "{%4,%5}", "{%8}", u32, "+r", 2)
MMA(bf16_1688_f32, "m16n8k8.row.col.f32.bf16.bf16.f32", "{%0,%1,%2,%3}", "{%4,%5}", "{%8}", float, "+f", 4)
MMA(f16_16816_f32, "m16n8k16.row.col.f32.f16.f16.f32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", float, "+f", 4)
MMA(f16_16816_f16, "m16n8k16.row.col.f16.f16.f16.f16", "{%0,%1}", "{%4,%5,%6,%7}", "{%8,%9}", u32, "+r", 2)
MMA(bf16_16816_f32, "m16n8k16.row.col.f32.bf16.bf16.f32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", float, "+f", 4)
MMA(tf32_1684_f32, "m16n8k4.row.col.f32.tf32.tf32.f32", "{%0,%1,%2,%3}", "{%4,%5}", "{%8}", float, "+f", 4)
MMA(tf32_1688_f32, "m16n8k8.row.col.f32.tf32.tf32.f32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", float, "+f", 4)
MMA(e4m3_e4m3_16832_f32, "m16n8k32.row.col.f32.e4m3.e4m3.f32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", float, "+f", 4)
MMA(e4m3_e5m2_16832_f32, "m16n8k32.row.col.f32.e4m3.e5m2.f32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", float, "+f", 4)
MMA(e5m2_e4m3_16832_f32, "m16n8k32.row.col.f32.e5m2.e4m3.f32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", float, "+f", 4)
MMA(e5m2_e5m2_16832_f32, "m16n8k32.row.col.f32.e5m2.e5m2.f32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", float, "+f", 4)
MMA(s8_s8_16832, "m16n8k32.row.col.s32.s8.s8.s32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", u32, "+r", 4)
MMA(s8_s8_16832_sat, "m16n8k32.row.col.satfinite.s32.s8.s8.s32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", u32, "+r", 4)
MMA(s8_u8_16832, "m16n8k32.row.col.s32.s8.u8.s32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", u32, "+r", 4)
MMA(s8_u8_16832_sat, "m16n8k32.row.col.satfinite.s32.s8.u8.s32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", u32, "+r", 4)
MMA(u8_s8_16832, "m16n8k32.row.col.s32.u8.s8.s32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", u32, "+r", 4)
MMA(u8_s8_16832_sat, "m16n8k32.row.col.satfinite.s32.u8.s8.s32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", u32, "+r", 4)
MMA(u8_u8_16832, "m16n8k32.row.col.s32.u8.u8.s32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", u32, "+r", 4)
MMA(u8_u8_16832_sat, "m16n8k32.row.col.satfinite.s32.u8.u8.s32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", u32, "+r", 4)
MMA(s8_s8_16816, "m16n8k16.row.col.s32.s8.s8.s32", "{%0,%1,%2,%3}", "{%4,%5}", "{%8}", u32, "+r", 4)
MMA(u8_s8_8816, "m8n8k16.row.col.s32.u8.s8.s32", "{%0,%1}", "{%4}", "{%8}", u32, "+r", 2)
MMA(s4_s4_16864, "m16n8k64.row.col.s32.s4.s4.s32", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", u32, "+r", 4)
MMA(u4_s4_16832, "m16n8k32.row.col.s32.u4.s4.s32", "{%0,%1,%2,%3}", "{%4,%5}", "{%8}", u32, "+r", 4)
MMA(b1_168256_and, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}", u32, "+r", 4)
#define F64(name, ptx, D, A, B, nd)                                                                                                 \
    extern "C" __global__ void name(const u32 *pa, const u32 *pb, const u32 *pc, u32 *out)                                          \
    {                                                                                                                               \
        u32 lane = threadIdx.x;                                                                                                     \
        double v[16]; /* accumulators, A, B */                                                                                      \
        for (u32 i = 0; i < 16; i++) {                                                                                              \
            const u32 *p = i < 4 ? pc + (blockIdx.x * 4 + i) * 64 : i < 12 ? pa + (blockIdx.x * 8 + i - 4) * 64 : pb + (blockIdx.x * 4 + i - 12) * 64; \
            v[i] = __hiloint2double((int)p[lane * 2 + 1], (int)p[lane * 2]);                                                        \
        }                                                                                                                           \
        asm volatile("mma.sync.aligned." ptx ".row.col.f64.f64.f64.f64 " D ", " A ", " B ", " D ";"                                 \
                     : "+d"(v[0]), "+d"(v[1]), "+d"(v[2]), "+d"(v[3])                                                               \
                     : "d"(v[4]), "d"(v[5]), "d"(v[6]), "d"(v[7]), "d"(v[8]), "d"(v[9]), "d"(v[10]), "d"(v[11]), "d"(v[12]), "d"(v[13]), "d"(v[14]), "d"(v[15])); \
        for (u32 i = 0; i < nd; i++) {                                                                                              \
            u64 u = (u64)__double_as_longlong(v[i]);                                                                                \
            out[((blockIdx.x * 32 + lane) * nd + i) * 2] = (u32)u, out[((blockIdx.x * 32 + lane) * nd + i) * 2 + 1] = (u32)(u >> 32); \
        }                                                                                                                           \
    }
F64(f64_884, "m8n8k4", "{%0,%1}", "{%4}", "{%12}", 2)
F64(f64_1684, "m16n8k4", "{%0,%1,%2,%3}", "{%4,%5}", "{%12}", 4)
F64(f64_1688, "m16n8k8", "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%12,%13}", 4)
F64(f64_16816, "m16n8k16", "{%0,%1,%2,%3}", "{%4,%5,%6,%7,%8,%9,%10,%11}", "{%12,%13,%14,%15}", 4)

// ---- a warpgroup's products: A (or registers) and B in 8 KB of shared memory each, wherever the descriptors find them
static __device__ __forceinline__ u64 descriptor(const void *p, u32 lead, u32 stride, u32 swizzle)
{
    u64 at = __cvta_generic_to_shared(p);
    return (at >> 4 & 0x3fff) | (u64)(lead >> 4) << 16 | (u64)(stride >> 4) << 32 | (u64)swizzle << 62;
}
static __device__ __forceinline__ void fill(u32 *to, const u32 *from)
{
#pragma unroll 1
    for (u32 i = threadIdx.x * 4; i < 2048; i += 512)
        *(uint4 *)(to + i) = *(const uint4 *)(from + blockIdx.x * 2048 + i);
}
static __device__ __forceinline__ void ready()
{
    __syncthreads();
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
static __device__ __forceinline__ void finish()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
#define E4(con, d, i) con(d[i]), con(d[i + 1]), con(d[i + 2]), con(d[i + 3])
#define E8(con, d, i) E4(con, d, i), E4(con, d, i + 4)
#define E16(con, d, i) E8(con, d, i), E8(con, d, i + 8)
#define E64(con, d, i) E16(con, d, i), E16(con, d, i + 16), E16(con, d, i + 32), E16(con, d, i + 48)
#define E128(con, d, i) E64(con, d, i), E64(con, d, i + 64)
#define D4 "{%0,%1,%2,%3}"
#define AB4 "%4, %5"
#define AR4 "{%4, %5, %6, %7}, %8"
#define D8 "{%0,%1,%2,%3,%4,%5,%6,%7}"
#define AB8 "%8, %9"
#define AR8 "{%8, %9, %10, %11}, %12"
#define D16 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}"
#define AB16 "%16, %17"
#define AR16 "{%16, %17, %18, %19}, %20"
#define D64 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}"
#define AB64 "%64, %65"
#define AR64 "{%64, %65, %66, %67}, %68"
#define D128 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}"
#define AB128 "%128, %129"
#define AR128 "{%128, %129, %130, %131}, %132"
#define WG_KERNEL(name, acc, type, la, sa, lb, sb, swizzle, MEMORY_A, BODY)                                                         \
    extern "C" __global__ void __launch_bounds__(128) name(const u32 *pa, const u32 *pb, const u32 *pc, u32 *out)                   \
    {                                                                                                                               \
        __shared__ __align__(1024) u32 memory[2][2048];                                                                             \
        if (MEMORY_A)                                                                                                               \
            fill(memory[0], pa);                                                                                                    \
        fill(memory[1], pb);                                                                                                        \
        type d[acc];                                                                                                                \
        _Pragma("unroll") for (u32 i = 0; i < acc; i++) d[i] = as<type>(pc[(blockIdx.x * acc + i) * 128 + threadIdx.x]);            \
        u32 a[4];                                                                                                                   \
        for (u32 i = 0; i < 4; i++)                                                                                                 \
            a[i] = MEMORY_A ? 0 : pa[(blockIdx.x * 4 + i) * 128 + threadIdx.x];                                                     \
        u64 da = descriptor(memory[0], la, sa, swizzle), db = descriptor(memory[1], lb, sb, swizzle);                               \
        ready();                                                                                                                    \
        BODY;                                                                                                                       \
        finish();                                                                                                                   \
        _Pragma("unroll") for (u32 i = 0; i < acc; i++) out[(blockIdx.x * 128 + threadIdx.x) * acc + i] = bits(d[i]);               \
        (void)da, (void)a;                                                                                                          \
    }
#define WG(name, ptx, acc, type, con, tail, scale, swizzle, la, sa, lb, sb)                                                          \
    WG_KERNEL(name, acc, type, la, sa, lb, sb, swizzle, true,                                                                        \
              asm volatile("{ .reg .pred p; setp.ne.b32 p, " #scale ", 0; wgmma.mma_async.sync.aligned." ptx " " D##acc ", " AB##acc ", p" tail "; }" \
                           : E##acc(con, d, 0) : "l"(da), "l"(db)))
#define WG_REG(name, ptx, acc, type, con, tail, scale, swizzle, la, sa, lb, sb)                                                      \
    WG_KERNEL(name, acc, type, la, sa, lb, sb, swizzle, false,                                                                       \
              asm volatile("{ .reg .pred p; setp.ne.b32 p, " #scale ", 0; wgmma.mma_async.sync.aligned." ptx " " D##acc ", " AR##acc ", p" tail "; }" \
                           : E##acc(con, d, 0) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(db)))
WG(wg_f16_f32, "m64n16k16.f32.f16.f16", 8, float, "+f", ", 1, 1, 0, 0", 1, 0, 128, 256, 128, 256)
WG(wg_bf16_f32, "m64n16k16.f32.bf16.bf16", 8, float, "+f", ", 1, 1, 0, 0", 1, 0, 128, 256, 128, 256)
WG(wg_f16_f16, "m64n16k16.f16.f16.f16", 4, u32, "+r", ", 1, 1, 0, 0", 1, 0, 128, 256, 128, 256)
WG(wg_tf32_f32, "m64n16k8.f32.tf32.tf32", 8, float, "+f", ", 1, 1", 1, 0, 128, 256, 128, 256)
WG(wg_e4m3_e4m3_f32, "m64n16k32.f32.e4m3.e4m3", 8, float, "+f", ", 1, 1", 1, 0, 128, 256, 128, 256)
WG(wg_e4m3_e5m2_f32, "m64n16k32.f32.e4m3.e5m2", 8, float, "+f", ", 1, 1", 1, 0, 128, 256, 128, 256)
WG(wg_e5m2_e4m3_f32, "m64n16k32.f32.e5m2.e4m3", 8, float, "+f", ", 1, 1", 1, 0, 128, 256, 128, 256)
WG(wg_e5m2_e5m2_f32, "m64n16k32.f32.e5m2.e5m2", 8, float, "+f", ", 1, 1", 1, 0, 128, 256, 128, 256)
WG(wg_e4m3_e5m2_f16, "m64n16k32.f16.e4m3.e5m2", 4, u32, "+r", ", 1, 1", 1, 0, 128, 256, 128, 256)
WG(wg_e5m2_e5m2_f16, "m64n16k32.f16.e5m2.e5m2", 4, u32, "+r", ", 1, 1", 1, 0, 128, 256, 128, 256)
WG(wg_s8_s8, "m64n16k32.s32.s8.s8", 8, u32, "+r", "", 1, 0, 128, 256, 128, 256)
WG(wg_s8_u8, "m64n16k32.s32.s8.u8", 8, u32, "+r", "", 1, 0, 128, 256, 128, 256)
WG(wg_u8_s8, "m64n16k32.s32.u8.s8", 8, u32, "+r", "", 1, 0, 128, 256, 128, 256)
WG(wg_u8_u8, "m64n16k32.s32.u8.u8", 8, u32, "+r", "", 1, 0, 128, 256, 128, 256)
WG(wg_s8_u8_sat, "m64n16k32.s32.s8.u8.satfinite", 8, u32, "+r", "", 1, 0, 128, 256, 128, 256)
WG(wg_b1_and, "m64n16k256.s32.b1.b1.and.popc", 8, u32, "+r", "", 1, 0, 128, 256, 128, 256)
WG(wg_f16_negative, "m64n16k16.f32.f16.f16", 8, float, "+f", ", -1, 1, 0, 0", 1, 0, 128, 256, 128, 256)
WG(wg_bf16_negative, "m64n16k16.f32.bf16.bf16", 8, float, "+f", ", -1, -1, 0, 0", 1, 0, 128, 256, 128, 256)
WG(wg_f16_fresh, "m64n16k16.f32.f16.f16", 8, float, "+f", ", 1, 1, 0, 0", 0, 0, 128, 256, 128, 256)
WG_REG(wg_f16_registers, "m64n16k16.f32.f16.f16", 8, float, "+f", ", 1, 1, 0", 1, 0, 128, 256, 128, 256)
WG_REG(wg_bf16_registers, "m64n16k16.f32.bf16.bf16", 8, float, "+f", ", 1, 1, 0", 1, 0, 128, 256, 128, 256)
WG_REG(wg_tf32_registers, "m64n16k8.f32.tf32.tf32", 8, float, "+f", ", 1, 1", 1, 0, 128, 256, 128, 256)
WG_REG(wg_e4m3_registers, "m64n16k32.f32.e4m3.e4m3", 8, float, "+f", ", 1, 1", 1, 0, 128, 256, 128, 256)
WG_REG(wg_s8_registers, "m64n16k32.s32.s8.s8", 8, u32, "+r", "", 1, 0, 128, 256, 128, 256)
WG(wg_f16_swizzle32, "m64n32k16.f32.f16.f16", 16, float, "+f", ", 1, 1, 0, 0", 1, 3, 16, 256, 16, 256)
WG(wg_f16_turned32, "m64n128k16.f32.f16.f16", 64, float, "+f", ", 1, 1, 1, 1", 1, 3, 512, 256, 512, 256)
WG(wg_f16_swizzle64, "m64n32k16.f32.f16.f16", 16, float, "+f", ", 1, 1, 0, 0", 1, 2, 16, 512, 16, 512)
WG(wg_f16_turned64, "m64n128k16.f32.f16.f16", 64, float, "+f", ", 1, 1, 1, 1", 1, 2, 1024, 512, 1024, 512)
WG(wg_f16_swizzle128, "m64n32k16.f32.f16.f16", 16, float, "+f", ", 1, 1, 0, 0", 1, 1, 16, 1024, 16, 1024)
WG(wg_f16_turned128, "m64n128k16.f32.f16.f16", 64, float, "+f", ", 1, 1, 1, 1", 1, 1, 2048, 1024, 2048, 1024)
WG(wg_f16_turned, "m64n32k16.f32.f16.f16", 16, float, "+f", ", 1, 1, 1, 1", 1, 0, 128, 256, 128, 256)
WG(wg_tf32_swizzle128, "m64n32k8.f32.tf32.tf32", 16, float, "+f", ", 1, 1", 1, 1, 16, 1024, 16, 1024)
WG(wg_e4m3_swizzle128, "m64n32k32.f32.e4m3.e4m3", 16, float, "+f", ", 1, 1", 1, 1, 16, 1024, 16, 1024)
WG(wg_s8_swizzle64, "m64n32k32.s32.s8.s8", 16, u32, "+r", "", 1, 2, 16, 512, 16, 512)
WG(wg_f16_n256, "m64n256k16.f32.f16.f16", 128, float, "+f", ", 1, 1, 0, 0", 1, 3, 16, 256, 16, 256)
WG(wg_f16_n8, "m64n8k16.f32.f16.f16", 4, float, "+f", ", 1, 1, 0, 0", 1, 0, 128, 256, 128, 256)
