// Integer arithmetic: packed video functions, dot products, wide division, big numbers.
#include "common.cuh"

KERNEL video(const u32 *in, u32 *out)
{
    u32 t = THREAD, a = in[t], b = in[t ^ 1], h = 0;
    if (a & 1)
        b = (b & 0x00ffff00u) | 0x80000080u;
    h = mix(h, __vadd4(a, b)), h = mix(h, __vsub4(a, b)), h = mix(h, __vaddss4(a, b)), h = mix(h, __vaddus4(a, b));
    h = mix(h, __vsubss4(a, b)), h = mix(h, __vsubus4(a, b)), h = mix(h, __vavgs4(a, b)), h = mix(h, __vavgu4(a, b));
    h = mix(h, __vhaddu4(a, b)), h = mix(h, __vabs4(a)), h = mix(h, __vabsss4(a)), h = mix(h, __vneg4(a)), h = mix(h, __vnegss4(a));
    h = mix(h, __vabsdiffs4(a, b)), h = mix(h, __vabsdiffu4(a, b)), h = mix(h, __vsads4(a, b)), h = mix(h, __vsadu4(a, b));
    h = mix(h, __vmaxs4(a, b)), h = mix(h, __vmaxu4(a, b)), h = mix(h, __vmins4(a, b)), h = mix(h, __vminu4(a, b));
    h = mix(h, __vcmpeq4(a, b)), h = mix(h, __vcmpgts4(a, b)), h = mix(h, __vcmpleu4(a, b)), h = mix(h, __vsetne4(a, b));
    h = mix(h, __vseteq4(a, b)), h = mix(h, __vsetges4(a, b)), h = mix(h, __vsetltu4(a, b));
    h = mix(h, __vadd2(a, b)), h = mix(h, __vsub2(a, b)), h = mix(h, __vaddss2(a, b)), h = mix(h, __vaddus2(a, b));
    h = mix(h, __vsubss2(a, b)), h = mix(h, __vsubus2(a, b)), h = mix(h, __vavgs2(a, b)), h = mix(h, __vavgu2(a, b));
    h = mix(h, __vabs2(a)), h = mix(h, __vabsss2(a)), h = mix(h, __vneg2(a)), h = mix(h, __vnegss2(a));
    h = mix(h, __vabsdiffs2(a, b)), h = mix(h, __vabsdiffu2(a, b)), h = mix(h, __vsads2(a, b)), h = mix(h, __vsadu2(a, b));
    h = mix(h, __vmaxs2(a, b)), h = mix(h, __vmaxu2(a, b)), h = mix(h, __vmins2(a, b)), h = mix(h, __vminu2(a, b));
    h = mix(h, __vcmpeq2(a, b)), h = mix(h, __vcmpgts2(a, b)), h = mix(h, __vcmpleu2(a, b)), h = mix(h, __vsetne2(a, b));
    bool p, q;
    h = mix(h, __vibmax_s16x2(a, b, &p, &q)), h = mix(h, p + 2 * q);
    h = mix(h, __vibmin_u16x2(a, b, &p, &q)), h = mix(h, p + 2 * q);
    h = mix(h, __vibmax_u32(a, b, &p)), h = mix(h, (u32)p);
    h = mix(h, __vibmin_s32((int)a, (int)b, &p)), h = mix(h, (u32)p);
    out[t] = h;
}
// Three operands, clamps at zero, fused with an addition
KERNEL video3(const u32 *in, u32 *out)
{
    u32 t = THREAD, a = in[t], b = in[t ^ 1], c = in[t ^ 2], h = 0;
    if (a & 1)
        c = b;
    int x = (int)a, y = (int)b, z = (int)c;
    h = mix(h, __vimax3_s32(x, y, z)), h = mix(h, __vimin3_s32(x, y, z)), h = mix(h, __vimax3_u32(a, b, c)), h = mix(h, __vimin3_u32(a, b, c));
    h = mix(h, __vimax3_s16x2(a, b, c)), h = mix(h, __vimin3_s16x2(a, b, c)), h = mix(h, __vimax3_u16x2(a, b, c)), h = mix(h, __vimin3_u16x2(a, b, c));
    h = mix(h, __vimax_s32_relu(x, y)), h = mix(h, __vimin_s32_relu(x, y)), h = mix(h, __vimax_s16x2_relu(a, b)), h = mix(h, __vimin_s16x2_relu(a, b));
    h = mix(h, __vimax3_s32_relu(x, y, z)), h = mix(h, __vimin3_s32_relu(x, y, z)), h = mix(h, __vimax3_s16x2_relu(a, b, c)), h = mix(h, __vimin3_s16x2_relu(a, b, c));
    h = mix(h, __viaddmax_s32(x, y, z)), h = mix(h, __viaddmin_s32(x, y, z)), h = mix(h, __viaddmax_u32(a, b, c)), h = mix(h, __viaddmin_u32(a, b, c));
    h = mix(h, __viaddmax_s16x2(a, b, c)), h = mix(h, __viaddmin_s16x2(a, b, c)), h = mix(h, __viaddmax_u16x2(a, b, c)), h = mix(h, __viaddmin_u16x2(a, b, c));
    h = mix(h, __viaddmax_s32_relu(x, y, z)), h = mix(h, __viaddmin_s32_relu(x, y, z)), h = mix(h, __viaddmax_s16x2_relu(a, b, c)), h = mix(h, __viaddmin_s16x2_relu(a, b, c));
    out[t] = h;
}

KERNEL dots(const u32 *in, u32 *out)
{
    u32 t = THREAD, a = in[t], b = in[t ^ 1], h = in[t ^ 2];
    int s = (int)h;
    for (u32 i = 0; i < 8; i++) {
        s = __dp4a((int)a, (int)b, s);
        h = __dp4a(a, b, h);
        s = __dp2a_lo((int)a, (int)b, s), s = __dp2a_hi((int)a, (int)b, s);
        h = __dp2a_lo(a, b, h), h = __dp2a_hi(a, b, h);
        int m;
        asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(m) : "r"(a), "r"(b), "r"(s));
        asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(m) : "r"(a), "r"(b), "r"(m));
        asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(m) : "r"(a), "r"(b), "r"(m));
        asm("dp2a.hi.u32.s32 %0, %1, %2, %3;" : "=r"(m) : "r"(a), "r"(b), "r"(m));
        a = mix(a, m), b = mix(b, s);
    }
    out[t] = mix(h, s);
}

KERNEL bits(const u32 *in, u32 *out)
{
    u32 t = THREAD, a = in[t], b = in[t ^ 1], h = 0;
    if (a % 7 == 0)
        a = a & 7 ? 0 : ~0u;
    for (u32 i = 0; i < 40; i += 3) {
        h = mix(h, __funnelshift_l(a, b, i)), h = mix(h, __funnelshift_r(a, b, i + b)), h = mix(h, __funnelshift_lc(a, b, i)), h = mix(h, __funnelshift_rc(a, b, i));
        h = mix(h, i < 32 ? a << i : 0), h = mix(h, (int)a >> min(i, 31u)), h = mix(h, ((u64)a << 32 | b) >> i), h = mix(h, (u64)((i64)((u64)a << 32 | b) >> i));
        h = mix(h, __byte_perm(a, b, h)), h = mix(h, __brev(a)), h = mix(h, (u64)__brevll((u64)a << 32 | b));
        h = mix(h, __clz((int)a)), h = mix(h, __clzll((i64)a << i)), h = mix(h, __ffs((int)(a & b))), h = mix(h, __ffsll((i64)b << i));
        h = mix(h, __popc(a)), h = mix(h, __popcll((u64)a << 32 | h)), h = mix(h, __fns(a, i & 31, 2)), h = mix(h, __rhadd((int)a, (int)b)), h = mix(h, __hadd((int)a, (int)b));
        h = mix(h, __sad((int)a, (int)b, h)), h = mix(h, __usad(a, b, h)), h = mix(h, __mulhi((int)a, (int)b)), h = mix(h, __umulhi(a, h));
        h = mix(h, __umul24(a, b)), h = mix(h, __mul24((int)a, (int)b)), h = mix(h, (u64)__mul64hi((i64)a * b, (i64)h << 20)), h = mix(h, __umul64hi((u64)a * b, (u64)h << 31));
        u32 r;
        asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(i), "r"(h & 63)); h = mix(h, r);
        asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(i), "r"(h & 63)); h = mix(h, r);
        asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(i), "r"(h & 63)); h = mix(h, r);
        asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(i), "r"(h & 63)); h = mix(h, r);
        asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(r) : "r"(i), "r"(h & 63)); h = mix(h, r);
        asm("szext.clamp.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(h & 63)); h = mix(h, r);
        asm("szext.wrap.u32 %0, %1, %2;" : "=r"(r) : "r"(b), "r"(h & 63)); h = mix(h, r);
        asm("bfind.s32 %0, %1;" : "=r"(r) : "r"(b)); h = mix(h, r);
        asm("bfind.shiftamt.u32 %0, %1;" : "=r"(r) : "r"(a)); h = mix(h, r);
        asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(i)); h = mix(h, r);
        asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(h)); h = mix(h, r);
        a = mix(a, h);
    }
    out[t] = h;
}

// Quotients and remainders of all widths: the fast paths and the slow ones (large divisors, INT_MIN, zero)
KERNEL division(const u32 *in, u32 *out)
{
    u32 t = THREAD, a = in[t], b = in[t ^ 1], h = 0;
    for (u32 i = 0; i < 6; i++) {
        u64 x = (u64)a << 32 | b, y = i == 0 ? b >> 20 : i == 1 ? (u64)b << 13 : i == 2 ? b | 0x8000000000000001ull : (u64)a * b;
        y = y ? y : 1;
        i64 s = (i64)x, d = i == 3 ? -1 : (i64)y;
        if (i == 3)
            s = (a & 1) ? (i64)0x8000000000000001ull : s;
        h = mix(h, x / y), h = mix(h, x % y), h = mix(h, s / d), h = mix(h, s % d);
        u32 v = (u32)y ? (u32)y : 3;
        h = mix(h, a / v), h = mix(h, a % v), h = mix(h, (int)(a | 1) / ((int)v == -1 ? 5 : (int)v)), h = mix(h, (int)a % ((int)v == -1 ? 7 : (int)v));
        h = mix(h, (u32)((u16)a / ((u16)b | 1))), h = mix(h, a / 7 + a % 10 + (u32)((int)a / 100));
        a = mix(a, h), b = mix(b, a);
    }
    out[t] = h;
}

KERNEL wide(const u64 *in, u64 *out)
{
    u32 t = THREAD;
    unsigned __int128 a = (unsigned __int128)in[t] << 64 | in[t ^ 1], b = in[t ^ 2];
    if (t & 1)
        b = b << (in[t] & 60) | 1;
    b |= b == 0;
    __int128 s = (__int128)a, d = (__int128)(t & 2 ? -b : b);
    unsigned __int128 q = a / b, r = a % b, p = a * (b | 3), m = (unsigned __int128)(s / d) ^ (unsigned __int128)(s % d);
    out[4 * t] = (u64)q ^ (u64)(q >> 64) * 3;
    out[4 * t + 1] = (u64)r ^ (u64)(r >> 64) * 5;
    out[4 * t + 2] = (u64)(p >> 37) ^ (u64)(p >> 64) + (a < b) + (s < d);
    out[4 * t + 3] = (u64)m ^ (u64)(m >> 64);
}

// Products of 512-bit numbers, one a thread: carry chains
KERNEL bigmul(const u32 *in, u32 *out)
{
    u32 t = THREAD, r[32] = {0};
    for (u32 i = 0; i < 16; i++) {
        u32 carry = 0, a = in[(t * 16 + i) & 0xffff];
        if (t % 5 == 0)
            a = ~0u; // carries all the way
        for (u32 k = 0; k < 16; k++) {
            u32 b = t % 5 == 0 ? ~0u : in[(t * 48 + k) & 0xffff];
            u64 p = (u64)a * b + r[i + k] + carry;
            r[i + k] = (u32)p;
            carry = (u32)(p >> 32);
        }
        r[i + 16] = carry;
    }
    u32 h = 0, borrow = 0;
    for (u32 i = 0; i < 32; i++) {
        u32 d;
        asm volatile("{ .reg .u32 z; add.cc.u32 z, %2, 0xffffffff; subc.cc.u32 %0, %3, %4; subc.u32 %1, 0, 0; }" : "=r"(d), "=r"(borrow) : "r"(borrow & 1 ? 0u : 1u), "r"(r[i]), "r"(in[i]));
        h = mix(h, d);
    }
    out[t] = h;
}

// Montgomery products modulo a prime near 2^64; powers by squaring with data-dependent length
KERNEL modular(const u64 *in, u64 *out)
{
    const u64 p = 0xffffffff00000001ull;
    u32 t = THREAD;
    u64 x = in[t] % p, y = 1, e = in[t ^ 1] >> (in[t] & 31);
    while (e) {
        if (e & 1)
            y = (u64)((unsigned __int128)y * x % p);
        x = (u64)((unsigned __int128)x * x % p);
        e >>= 4;
    }
    out[t] = y;
}
