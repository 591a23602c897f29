// What control flow costs: calls, indirect branches, lanes apart and together again, sleep, fences. A round has four places with 8
// multiply-adds and one thing more each, which the name says. out[1], out[2] = cycles of the block for 16 and 64 rounds,
// out[0] = their difference.
#include "bench.cuh"

#define F(x) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a) : "memory");
#define F8(x) REP8(F(x))
typedef float (*step)(float, float);
__device__ __noinline__ float leaf(float x, float a) { F(x) return x; }
__device__ __noinline__ float other(float x, float a) { F(x) F(x) return x; }
// Saves its return address and the barrier that it uses, as every function does that calls one.
__device__ __noinline__ float inner(float x, float a) { if (x >= a) x = leaf(x, a); F(x) return x; }
__device__ step steps[4] = {leaf, other, inner, leaf};

#define FLOW(name, own_of_lane, STEP)                                                                                  \
    extern "C" __global__ void name(unsigned *out, const unsigned *in, int all)                                        \
    {                                                                                                                  \
        __shared__ unsigned word;                                                                                      \
        unsigned t[2] = {0, 0}, own = in[threadIdx.x % 32], lane = threadIdx.x % 32;                                   \
        float x = 1, a = __uint_as_float(in[33]);                                                                      \
        step f = steps[own_of_lane];                                                                                   \
        (void)own, (void)f, (void)lane;                                                                                \
        _Pragma("unroll 1") for (int part = 0; part < 3; part++) /* the first fills the instruction caches */          \
        {                                                                                                              \
            int rounds = part == 2 ? 64 : 16;                                                                          \
            __syncthreads();                                                                                           \
            (void)*(volatile unsigned *)&word;                                                                         \
            unsigned t0 = now();                                                                                       \
            _Pragma("unroll 1") for (int round = 0; round < rounds; round++)                                           \
            {                                                                                                          \
                REP4(F8(x) STEP)                                                                                       \
            }                                                                                                          \
            __syncthreads();                                                                                           \
            (void)*(volatile unsigned *)&word;                                                                         \
            t[0] = t[1], t[1] = now() - t0;                                                                            \
        }                                                                                                              \
        if (threadIdx.x == 0)                                                                                          \
            out[0] = t[1] - t[0], out[1] = t[0], out[2] = t[1];                                                                              \
        out[4 + threadIdx.x] = __float_as_uint(x);                                                                     \
    }
// An indirect branch: the compiler makes a tree of comparisons of a switch of this size.
#define CASE(n, op) "c" #n ": " op ".rn.f32 %0, %0, %1; " op ".rn.f32 %0, %0, %1; " op ".rn.f32 %0, %0, %1; " op ".rn.f32 %0, %0, %1;\n\tbra d;\n\t"
#define SWITCH(x, which)                                                                                               \
    asm volatile("{.reg .u32 i;\n\tand.b32 i, %2, 3;\n\tto: .branchtargets c0, c1, c2, c3;\n\tbrx.idx i, to;\n\t"      \
                 CASE(0, "add") CASE(1, "mul") CASE(2, "add") CASE(3, "mul") "d:\n\t}"                                 \
                 : "+f"(x) : "f"(a), "r"(which) : "memory");
#define ADD8(x) REP8(asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a) : "memory");)

FLOW(flow_none, all, )
FLOW(flow_call, all, x = leaf(x, a);)
FLOW(flow_call_call, all, x = inner(x, a);)
FLOW(flow_pointer, all, x = f(x, a);)
FLOW(flow_pointer_lanes, all + (lane & 1), x = f(x, a);)
FLOW(flow_pointer_call, all + 2, x = f(x, a);)
FLOW(flow_switch, all, SWITCH(x, all + round))
FLOW(flow_switch_lanes, all, SWITCH(x, lane + round))
FLOW(flow_halves, all, if (lane + round & 1) { F8(x) } else { ADD8(x) })
FLOW(flow_one_lane, all, if (lane == (round & 31)) { F8(x) })
FLOW(flow_turns, all, for (int i = 0; i < (lane & 3); i++) { F(x) F(x) F(x) F(x) })
FLOW(flow_syncwarp, all, __syncwarp();)
FLOW(flow_syncwarp_halves, all, __syncwarp(lane & 16 ? 0xffff0000u : 0x0000ffffu);)
FLOW(flow_one_syncwarp, all, if (lane == (round & 31)) { F8(x) } __syncwarp();)
FLOW(flow_sleep, all, __nanosleep(0);)
FLOW(flow_one_sleeps, all, if (lane == (round & 31)) { for (int i = 0; i < 4; i++) { F(x) __nanosleep(0); } } __syncwarp();)
FLOW(flow_vote_branch, all, if (__any_sync(0xffffffffu, lane == all + 40)) { ADD8(x) })
// Lanes wait at a barrier of the block, which takes them only together, while one of them works or sleeps.
FLOW(flow_one_barrier, all, if (lane == (round & 31)) { F8(x) } __syncthreads();)
FLOW(flow_sleeps_barrier, all, if (lane == (round & 31)) { for (int i = 0; i < 4 + all; i++) { F(x) __nanosleep(20); } } __syncthreads();)
FLOW(flow_sleep_20, all, __nanosleep(20);)
FLOW(flow_sleeps_loop, all, if (lane == (round & 31)) { for (int i = 4 + all; i > 0; i--) { __nanosleep(20); (void)*(volatile unsigned *)&word; } } __syncthreads();)
// Fences, alone and behind a store that is on its way.
#define STORE(x) *(volatile float *)(out + 256 + threadIdx.x) = x;
FLOW(flow_fence_block, all, __threadfence_block();)
FLOW(flow_fence, all, __threadfence();)
FLOW(flow_fence_system, all, __threadfence_system();)
FLOW(flow_store, all, STORE(x))
FLOW(flow_store_fence_block, all, STORE(x) __threadfence_block();)
FLOW(flow_store_fence, all, STORE(x) __threadfence();)
FLOW(flow_store_fence_system, all, STORE(x) __threadfence_system();)
