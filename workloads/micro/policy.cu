// What L1 keeps, by cache operator: loads whose time tells whether they hit. One thread.
static __device__ __forceinline__ unsigned now()
{
    unsigned t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

// The words hold 0, so each load waits for the one before; a line a load.
#define LOAD(name, op)                                                                             \
    static __device__ __forceinline__ unsigned load_##name(const unsigned *p)                      \
    {                                                                                              \
        unsigned v;                                                                                \
        asm volatile(op " %0, [%1];" : "=r"(v) : "l"(p) : "memory");                               \
        return v;                                                                                  \
    }
LOAD(ca, "ld.global.u32")
LOAD(sm, "ld.global.ca.u32") // LDG.STRONG.SM
LOAD(cg, "ld.global.cg.u32")
LOAD(cs, "ld.global.cs.u32")
LOAD(lu, "ld.global.lu.u32")
LOAD(cv, "ld.global.cv.u32")
LOAD(volatile, "ld.volatile.global.u32")
LOAD(relaxed, "ld.relaxed.gpu.global.u32")
LOAD(nc, "ld.global.nc.u32")
LOAD(first, "ld.global.L1::evict_first.u32")
LOAD(last, "ld.global.L1::evict_last.u32")
LOAD(unchanged, "ld.global.L1::evict_unchanged.u32")
LOAD(none, "ld.global.L1::no_allocate.u32")
LOAD(nc_none, "ld.global.nc.L1::no_allocate.u32")
static __device__ __forceinline__ unsigned load_next(const unsigned *p) { return load_ca(p + 1); } // another word of the sector

#define STORE(name, op)                                                                            \
    static __device__ __forceinline__ unsigned load_##name(unsigned *p)                            \
    {                                                                                              \
        asm volatile(op " [%0], %1;" ::"l"(p), "r"(0) : "memory");                                 \
        return 0;                                                                                  \
    }
STORE(st_wb, "st.global.wb.u32")
STORE(st_cg, "st.global.cg.u32")
STORE(st_cs, "st.global.cs.u32")
STORE(st_wt, "st.global.wt.u32")
STORE(st_relaxed, "st.relaxed.gpu.global.u32")
STORE(red, "red.relaxed.gpu.global.add.u32")
#define WHOLE(name, op)                                                                            \
    static __device__ __forceinline__ unsigned load_##name(unsigned *p)                            \
    {                                                                                              \
        asm volatile(op ".v4.u32 [%0], {%1, %1, %1, %1};\n\t" op ".v4.u32 [%0+16], {%1, %1, %1, %1};" ::"l"(p), "r"(0) : "memory"); \
        return 0;                                                                                  \
    }
WHOLE(whole, "st.global")
WHOLE(whole_cg, "st.global.cg")
WHOLE(whole_cs, "st.global.cs")

enum { LINES = 16, WORDS = 32 };

// Time of one access of each line, in order
#define WALK(op, p, lines)                                                                         \
    ({                                                                                             \
        unsigned off = 0, from = now();                                                            \
        _Pragma("unroll 1") for (int i = 0; i < (lines); i++)                                      \
            off += load_##op((p) + i * WORDS + off);                                               \
        unsigned to = now() + off;                                                                 \
        to - from;                                                                                 \
    })

// First a, then b timed, over lines of their own
#define PAIR(a, b)                                                                                 \
    sink += WALK(ca, p, LINES), sink += WALK(a, p, LINES), __threadfence_block(), t = WALK(b, p, LINES), out[k++] = t, p += LINES * WORDS;
#define FRESH(a, b) sink += WALK(a, p, LINES), t = WALK(b, p, LINES), out[k++] = t, p += LINES * WORDS;

extern "C" __global__ void pairs(unsigned *x, unsigned *out)
{
    unsigned *p = x, t, sink = 0; // (a load whose result nobody wants is not done)
    int k = 0;
    sink += WALK(cg, x, 2048);
    for (int round = 0; round < 2; round++) { // the second finds its code in the caches, and lines of its own
        k = 0;
        FRESH(ca, ca) FRESH(cg, ca) FRESH(cs, ca) FRESH(lu, ca) FRESH(cv, ca) FRESH(volatile, ca) FRESH(relaxed, ca) FRESH(nc, ca)
        FRESH(first, ca) FRESH(last, ca) FRESH(unchanged, ca) FRESH(none, ca) FRESH(nc_none, ca) FRESH(sm, ca)
        FRESH(ca, cg) FRESH(ca, cs) FRESH(ca, lu) FRESH(ca, cv) FRESH(ca, volatile) FRESH(ca, relaxed) FRESH(ca, nc)
        FRESH(ca, first) FRESH(ca, last) FRESH(ca, unchanged) FRESH(ca, none) FRESH(ca, nc_none) FRESH(ca, sm)
        PAIR(cg, ca) PAIR(cs, ca) PAIR(lu, ca) PAIR(cv, ca) PAIR(volatile, ca) PAIR(relaxed, ca)
        PAIR(first, ca) PAIR(none, ca) PAIR(nc_none, ca)
        PAIR(st_wb, ca) PAIR(st_cg, ca) PAIR(st_cs, ca) PAIR(st_wt, ca) PAIR(st_relaxed, ca) PAIR(red, ca)
        FRESH(whole, ca) FRESH(whole_cg, ca) FRESH(whole_cs, ca) FRESH(st_wb, ca)
        PAIR(whole, ca) PAIR(whole_cg, ca) PAIR(whole_cs, ca) FRESH(st_wb, next) PAIR(st_wb, next) FRESH(whole, next)
    }
    out[63] = sink;
}

// `held` lines by a, then `streamed` others by b, then the held ones timed: what a stream drives out
#define STREAM(b)                                                                                  \
    for (int i = 0; i < streamed; i += 8) {                                                        \
        unsigned s = 0;                                                                            \
        _Pragma("unroll") for (int q = 0; q < 8; q++)                                              \
            s += load_##b(x + (size_t)(4096 + i + q) * WORDS);                                     \
        if (s)                                                                                     \
            out[40] = s;                                                                           \
    }
#define EVICT(a, b)                                                                                \
    STREAM(ca) STREAM(ca)                                                                          \
    sink += WALK(a, x, held), sink += WALK(a, x, held);                                            \
    STREAM(b)                                                                                      \
    t = WALK(ca, x, held), out[k++] = t;

extern "C" __global__ void streams(unsigned *x, unsigned *out, int held, int streamed)
{
    int k = 0;
    unsigned t, sink = 0;
    EVICT(ca, ca) EVICT(ca, first) EVICT(ca, cs) EVICT(ca, lu) EVICT(ca, none) EVICT(ca, cg) EVICT(ca, unchanged)
    EVICT(last, ca) EVICT(last, last) EVICT(last, first) EVICT(first, ca) EVICT(first, first) EVICT(cs, ca) EVICT(unchanged, ca)
    EVICT(ca, last)
    out[63] = sink;
}
