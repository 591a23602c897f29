// The order in which the paths of a warp run: each lane notes each place that it passes, the lanes that pass with it, and
// the clock. One warp; in[lane] decides where a lane goes. What an H200 noted: tests/data/paths.h200.txt.
#pragma nv_diag_suppress 177
typedef unsigned u32;
#define LOG(id) do { u32 m_, c_; asm volatile("activemask.b32 %0; \n\t mov.u32 %1, %%clock;" : "=r"(m_), "=r"(c_) :: "memory"); \
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" :: "l"(at), "r"((u32)(id)), "r"(m_), "r"(c_), "r"(1) : "memory"); at++; } while (0)
#define KERNEL(name) extern "C" __global__ void name(uint4 *log, const u32 *in, u32 *mem)
#define BEGIN u32 x = threadIdx.x, v = in[x]; uint4 *at = log + x * 512; (void)v;

KERNEL(ifs)
{
    BEGIN
    LOG(0);
    if (v & 1) LOG(1); else LOG(2);
    LOG(3);
    if (v < 8) LOG(4); else LOG(5);
    LOG(6);
    if (v >= 8) LOG(7); else LOG(8);
    LOG(9);
    if (v & 1) { LOG(10); if (v & 2) LOG(11); else LOG(12); LOG(13); }
    else { LOG(14); if (v & 2) LOG(15); else LOG(16); LOG(17); }
    LOG(18);
    if (v == 5) LOG(19);
    LOG(20);
    if (v != 5) LOG(21);
    LOG(22);
    if (v & 1) { LOG(23); if (v & 2) { LOG(24); if (v & 4) LOG(25); } }
    LOG(26);
}
KERNEL(loops)
{
    BEGIN
    LOG(0);
    for (u32 i = 0; i < v % 5; i++) LOG(1 + i);
    LOG(10);
    for (u32 i = 0; i < v % 3; i++) { LOG(11); for (u32 k = 0; k < (v >> 2 & 1) + i; k++) LOG(12 + k); LOG(20); }
    LOG(21);
    for (u32 i = 0; i < 4; i++) {
        LOG(22);
        if ((v >> i & 3) == 3) break;
        LOG(23);
        if ((v + i) % 3 == 0) continue;
        LOG(24);
    }
    LOG(25);
    for (u32 i = 0; i < 3; i++) { for (u32 k = 0; k < 3; k++) { LOG(26); if ((v ^ i * k) % 7 == 3) goto done; if (v % (k + 2) == i) break; LOG(27); } LOG(28); }
done:
    LOG(29);
    if (v % 7 == 1) return;
    LOG(30);
    __syncwarp(__activemask());
    LOG(31);
}
KERNEL(switches)
{
    BEGIN
    LOG(0);
    for (u32 i = 0; i < 2; i++) {
        switch ((v + i * 3) % 9) {
        case 0: LOG(1); mem[x] = v; break;
        case 1: LOG(2); mem[x] = v * v; break;
        case 2: LOG(3); mem[x] = v / 3; // falls on
        case 3: LOG(4); mem[x] ^= v; break;
        case 4: LOG(5); mem[x + 32] = v; break;
        case 5: LOG(6); mem[x] += v; break;
        case 6: LOG(7); mem[x] -= v; break;
        case 7: LOG(8); mem[x] = v % 11; break;
        default: LOG(9); mem[x + 64] = 1; break;
        }
        LOG(10);
    }
    LOG(11);
}
__device__ __noinline__ uint4 *f0(uint4 *at, u32 v) { LOG(40); if (v & 4) LOG(41); LOG(42); return at; }
__device__ __noinline__ uint4 *f1(uint4 *at, u32 v) { LOG(43); if (v & 4) LOG(44); else LOG(45); LOG(46); return at; }
__device__ __noinline__ uint4 *f2(uint4 *at, u32 v) { LOG(47); return at; }
typedef uint4 *fun(uint4 *, u32);
__device__ fun *table[4] = {f0, f1, f2, f0};
KERNEL(calls)
{
    BEGIN
    LOG(0);
    if (v & 1) at = f0(at, v); else at = f1(at, v);
    LOG(1);
    if (v & 2) at = f2(at, v);
    LOG(2);
    at = v & 1 ? f1(at, v) : v & 2 ? f1(at, v + 4) : at;
    LOG(3);
    for (u32 i = 0; i < 2; i++) { at = table[(v + i) & 3](at, v); LOG(4); }
    LOG(5);
}
__device__ __noinline__ uint4 *tree(uint4 *at, u32 n)
{
    LOG(100 + n);
    if (n == 0) return at;
    at = tree(at, n - 1);
    LOG(200 + n);
    at = tree(at, n - 1);
    LOG(300 + n);
    return at;
}
__device__ __noinline__ uint4 *chain(uint4 *at, u32 n)
{
    LOG(400 + n);
    if (n) { at = chain(at, n - 1); LOG(500 + n); }
    return at;
}
KERNEL(deep1) { BEGIN LOG(0); at = chain(at, v % 4); LOG(1); at = chain(at, v & 1); LOG(2); }
KERNEL(deep2) { BEGIN LOG(0); at = tree(at, v % 3); LOG(1); at = tree(at, 1); LOG(2); }
KERNEL(deep3) { BEGIN LOG(0); at = tree(at, 1 + v % 4); LOG(1); }
__device__ __noinline__ uint4 *odd(uint4 *at, u32 n);
__device__ __noinline__ uint4 *even(uint4 *at, u32 n) { LOG(600 + n); if (n == 0) return at; if (n & 4) at = odd(at, n / 2); at = odd(at, n - 1); LOG(620 + n); return at; }
__device__ __noinline__ uint4 *odd(uint4 *at, u32 n) { LOG(640 + n); if (n > 1) { at = even(at, n - 2); LOG(660 + n); } return at; }
KERNEL(mutual) { BEGIN LOG(0); at = even(at, v % 8); LOG(1); }
KERNEL(sleeps)
{
    BEGIN
    LOG(0);
    if (v & 1) { LOG(1); __nanosleep(1000); LOG(2); } else { LOG(3); __nanosleep(4000); LOG(4); }
    LOG(5);
    if (v < 8) { LOG(6); __nanosleep(1000); LOG(7); __nanosleep(1000); LOG(8); } else { for (u32 i = 0; i < 6; i++) LOG(9 + i); }
    LOG(20);
    if (v & 1) { LOG(21); __nanosleep(2000); LOG(22); __nanosleep(2000); LOG(23); } else { LOG(24); __nanosleep(500); LOG(25); __nanosleep(500); LOG(26); __nanosleep(500); LOG(27); __nanosleep(500); LOG(28); }
    LOG(29);
}
KERNEL(loads)
{
    BEGIN
    volatile u32 *far = mem + 4096;
    LOG(0);
    u32 r = 0;
    if (v & 1) { LOG(1); r = far[x * 64]; r = far[x * 64 + 8192 + r]; if (r) LOG(2); LOG(3); r += far[x * 64 + 16384 + r]; if (r) LOG(4); }
    else { LOG(5); r = far[x * 64 + 32768]; if (r) LOG(6); LOG(7); r = far[x * 64 + 65536 + r]; if (r) LOG(8); LOG(9); }
    LOG(10);
    if (r == 12345) mem[0] = r;
    if (v < 16) { atomicAdd(mem + 1, 1); LOG(11); r = atomicAdd(mem + 2, 1); if (r > 100) LOG(12); LOG(13); } else { LOG(14); r = atomicAdd(mem + 3, 1); if (r > 100) LOG(15); LOG(16); }
    LOG(17);
}
KERNEL(spins)
{
    BEGIN
    __shared__ volatile u32 flag[4];
    if (x < 4) flag[x] = 0;
    __syncwarp();
    LOG(0);
    u32 n = 0;
    if (v == 0) { LOG(1); while (flag[0] == 0) n++; LOG(2); } else { LOG(3); flag[0] = 1; LOG(4); }
    LOG(5);
    if (v != 0) { LOG(6); while (flag[1] == 0) n++; LOG(7); } else { LOG(8); flag[1] = 1; LOG(9); }
    LOG(10);
    if (v == 3) { while (flag[2] == 0) n++; LOG(11); }
    else if (v == 2) { LOG(12); flag[2] = 1; }
    LOG(13);
    LOG(1000 + n);
}
KERNEL(lockshared)
{
    BEGIN
    __shared__ u32 lock;
    lock = 0;
    __syncwarp();
    LOG(0);
    bool done = false;
    u32 n = 0;
    while (!done) { n++; if (atomicCAS(&lock, 0, 1) == 0) { LOG(1); __threadfence_block(); atomicExch(&lock, 0); done = true; LOG(2); } }
    LOG(3);
    while (atomicCAS(&lock, 0, 1)) n++;
    LOG(4); __threadfence_block(); atomicExch(&lock, 0);
    LOG(5);
    LOG(1000 + n);
}
KERNEL(lockglobal)
{
    BEGIN
    LOG(0);
    bool done = false;
    u32 n = 0;
    while (!done) { n++; if (atomicCAS(mem, 0, 1) == 0) { LOG(1); __threadfence(); atomicExch(mem, 0); done = true; LOG(2); } }
    LOG(3);
    LOG(1000 + n);
    u32 old = mem[1], seen;
    n = 0;
    for (; (seen = atomicCAS(mem + 1, old, old + 3)) != old; old = seen) n++;
    LOG(4);
    LOG(1000 + n);
    n = 0;
    while (atomicCAS(mem + 2, 0, 1)) { n++; __nanosleep(20); }
    LOG(5); __threadfence(); atomicExch(mem + 2, 0);
    LOG(6);
    LOG(1000 + n);
}
KERNEL(syncs)
{
    BEGIN
    LOG(0);
    if (v & 1) { LOG(1); __syncwarp(0xaaaaaaaa); LOG(2); if (v & 2) { LOG(3); } __syncwarp(0xaaaaaaaa); LOG(4); } else { LOG(5); __syncwarp(0x55555555); LOG(6); }
    LOG(7);
    if (v & 2) LOG(8);
    LOG(9);
    __syncwarp();
    LOG(10);
    u32 m = v < 8 ? 0xff : v < 16 ? 0xff00 : 0xffff0000;
    if (v & 1) LOG(11);
    __syncwarp(m);
    LOG(12);
    u32 r = __shfl_xor_sync(m, v, 1);
    LOG(13 + (r > 40));
    r = __reduce_add_sync(m, v);
    LOG(15 + (r == 1));
    r = __ballot_sync(m, v & 4);
    LOG(17 + (r == 1));
    if (v & 1) { r = __shfl_xor_sync(0xaaaaaaaa, v, 2); LOG(19); } else { r = __shfl_xor_sync(0x55555555, v, 2); LOG(20); }
    LOG(21 + (r > 40));
    if (v & 8) r = __shfl_xor_sync(~0u, v, 8); else { LOG(30); r = __shfl_xor_sync(~0u, v, 8); }
    LOG(31 + (r > 40));
    r = __match_any_sync(~0u, v & 3);
    LOG(32);
    __syncwarp(r);
    LOG(33);
}
