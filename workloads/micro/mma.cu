// Warp-level matrix products of every shape and type that this part's assembler has an instruction for. Products of doubles in
// four sums have no throughput kernel (registers): their chain is run by many warps instead.
#define FROM_BARRIER_TO_BARRIER
#include "bench.cuh"

struct acc {
    float v[4];
};
struct acci {
    int v[4];
};
struct accd {
    double v[2];
};
struct accd4 {
    double v[4];
};
#define U(x) __float_as_uint(x)
#define D4 "{%0,%1,%2,%3}"
#define F32S(x) "+f"((x).v[0]), "+f"((x).v[1]), "+f"((x).v[2]), "+f"((x).v[3])
#define S32S(x) "+r"((x).v[0]), "+r"((x).v[1]), "+r"((x).v[2]), "+r"((x).v[3])
#define INPUTS "r"(U(a.v[0])), "r"(U(b.v[0])), "r"(U(c.v[0])), "r"(U(d.v[0]))
#define BYTES "r"(a.v[0]), "r"(b.v[0]), "r"(c.v[0]), "r"(d.v[0])
#define K16(types) "mma.sync.aligned.m16n8k16.row.col." types " " D4 ", {%4,%5,%4,%5}, {%6,%7}, " D4 ";"
#define K8(types) "mma.sync.aligned.m16n8k8.row.col." types " " D4 ", {%4,%5}, {%6}, " D4 ";"
#define BF16(x) asm volatile(K16("f32.bf16.bf16.f32") : F32S(x) : INPUTS);
BOTH(hmma_16816_bf16, acc, BF16)
#define F16ACC(x) asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%2,%3}, {%4,%5}, {%0,%1};" : "+r"((x).v[0]), "+r"((x).v[1]) : BYTES);
BOTH(hmma_16816_f16, acci, F16ACC)
#define TF8(x) asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " D4 ", {%4,%5,%4,%5}, {%6,%7}, " D4 ";" : F32S(x) : INPUTS);
BOTH(hmma_1688_tf32, acc, TF8)
#define TF4(x) asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " D4 ", {%4,%5}, {%6}, " D4 ";" : F32S(x) : INPUTS);
BOTH(hmma_1684_tf32, acc, TF4)
#define I32(x) asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " D4 ", {%4,%5,%4,%5}, {%6,%7}, " D4 ";" : S32S(x) : BYTES);
BOTH(imma_16832, acci, I32)
#define I16(x) asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 " D4 ", {%4,%5}, {%6}, " D4 ";" : S32S(x) : BYTES);
BOTH(imma_16816, acci, I16)
#define DM(x) asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"((x).v[0]), "+d"((x).v[1]) : "d"(a.v[0]), "d"(b.v[0]));
BOTH(dmma_884, accd, DM)
#define DM16(x) asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 " D4 ", {%4,%5,%4,%5,%4,%5,%4,%5}, {%6,%7,%6,%7}, " D4 ";" : "+d"((x).v[0]), "+d"((x).v[1]), "+d"((x).v[2]), "+d"((x).v[3]) : "d"(a.v[0]), "d"(b.v[0]), "d"(c.v[0]), "d"(d.v[0]));
LATENCY(dmma_16816, accd4, DM16)
#define DM4(x) asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 " D4 ", {%4,%5}, {%6}, " D4 ";" : "+d"((x).v[0]), "+d"((x).v[1]), "+d"((x).v[2]), "+d"((x).v[3]) : "d"(a.v[0]), "d"(b.v[0]), "d"(c.v[0]));
LATENCY(dmma_1684, accd4, DM4)
