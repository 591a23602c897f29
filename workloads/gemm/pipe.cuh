// What the tensor-core products share: asynchronous copies into shared memory and loads of matrix fragments.
#pragma once
#include <stdint.h>

__device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}
// Copies `bytes` of 16 and fills the rest with zeros.
__device__ __forceinline__ void copy16(uint32_t to, const void *from, int bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}
__device__ __forceinline__ void copies_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N>
__device__ __forceinline__ void copies_wait() // until at most N groups are under way
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
__device__ __forceinline__ void fragments(uint32_t *r, uint32_t at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void fragments_turned(uint32_t *r, uint32_t at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
// Bytes of a 16-byte chunk that lie inside: of `left` elements of `size` bytes from its first one.
__device__ __forceinline__ int inside(int left, int size)
{
    int bytes = left * size;
    return bytes < 0 ? 0 : bytes > 16 ? 16 : bytes;
}
