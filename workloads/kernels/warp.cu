// Warps: cooperative groups, votes, matches, reductions, shuffles under partial masks.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include "common.cuh"
namespace cg = cooperative_groups;

template <int size> __device__ u32 tile_sum(u32 v, u32 h)
{
    cg::thread_block_tile<size> tile = cg::tiled_partition<size>(cg::this_thread_block());
    h = mix(h, cg::reduce(tile, v, cg::plus<u32>()));
    h = mix(h, cg::reduce(tile, v, cg::less<u32>()));
    h = mix(h, cg::reduce(tile, (int)v, cg::greater<int>()));
    h = mix(h, cg::reduce(tile, v, cg::bit_xor<u32>()));
    h = mix(h, cg::inclusive_scan(tile, v, cg::plus<u32>()));
    h = mix(h, cg::exclusive_scan(tile, v & 0xffff));
    h = mix(h, tile.shfl_up(v, 1));
    h = mix(h, tile.any(v & 1) + 2 * tile.all(v & 3));
    return mix(h, tile.ballot(v & 4));
}
KERNEL tiles(const u32 *in, u32 *out)
{
    u32 t = THREAD, v = in[t], h = 0;
    h = tile_sum<32>(v, h);
    h = tile_sum<16>(v, h);
    h = tile_sum<8>(v, h);
    h = tile_sum<4>(v, h);
    h = tile_sum<2>(v, h);
    h = tile_sum<1>(v, h);
    out[t] = h;
}

// Groups of the threads that happen to be together.
KERNEL coalesced(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    for (u32 i = 0; i < 8; i++) {
        u32 v = scramble(in[t] + i);
        if (v % 3 != i % 3) {
            cg::coalesced_group g = cg::coalesced_threads();
            h = mix(h, g.size() * 64 + g.thread_rank());
            h = mix(h, cg::reduce(g, v >> 8, cg::plus<u32>()));
            h = mix(h, g.shfl(v, g.size() - 1));
            if (v & 16) {
                cg::coalesced_group inner = cg::coalesced_threads();
                h = mix(h, inner.shfl_down(v, 1));
                h = mix(h, cg::reduce(inner, v, cg::bit_and<u32>()));
            } else {
                h = mix(h, g.num_threads());
            }
        }
    }
    out[t] = h;
}

KERNEL labeled(const u32 *in, u32 *out)
{
    u32 t = THREAD, v = in[t], h = 0;
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::coalesced_group same = cg::labeled_partition(warp, (int)(v % 5));
    h = mix(h, same.size() * 32 + same.thread_rank());
    h = mix(h, cg::reduce(same, v, cg::plus<u32>()));
    h = mix(h, cg::exclusive_scan(same, v >> 16, cg::plus<u32>()));
    cg::coalesced_group half = cg::binary_partition(warp, v & 64);
    h = mix(h, half.size() + half.meta_group_rank() * 64);
    h = mix(h, cg::reduce(half, (int)v, cg::less<int>()));
    cg::coalesced_group nested = cg::labeled_partition(half, v >> 8 & 3);
    h = mix(h, cg::inclusive_scan(nested, v & 255));
    out[t] = h;
}

// match, redux, vote inside divergent branches
KERNEL matches(const u32 *in, u32 *out)
{
    u32 t = THREAD, h = 0;
    for (u32 i = 0; i < 16; i++) {
        u32 v = scramble(in[t] ^ i * 77), key = v % (i + 1), m = __activemask();
        int all;
        if ((v >> 8) % 4 == 0) {
            m = __activemask();
            h = mix(h, __match_any_sync(m, key));
            h = mix(h, __match_any_sync(m, (u64)key << 40 | 5));
            h = mix(h, __reduce_add_sync(m, v));
        } else {
            m = __activemask();
            h = mix(h, __match_all_sync(m, v >> 31, &all) + all);
            h = mix(h, __match_all_sync(m, (u64)(v >> 30) << 33, &all) ^ all);
            h = mix(h, __reduce_min_sync(m, (int)v));
            h = mix(h, __reduce_max_sync(m, v));
            h = mix(h, __reduce_or_sync(m, v & 0xff00ff) ^ __reduce_and_sync(m, v | 0xffff) ^ __reduce_xor_sync(m, v));
        }
        __syncwarp();
        h = mix(h, __ballot_sync(~0u, v & 8));
        h = mix(h, __any_sync(~0u, v == 3) + 2 * __all_sync(~0u, v < 0xf0000000u));
    }
    out[t] = h;
}

// Widths, segments, lanes beyond the segment, partial masks
KERNEL shuffles(const u32 *in, u32 *out)
{
    u32 t = THREAD, v = in[t], lane = t & 31, h = 0;
    for (int width = 32; width >= 2; width /= 2) {
        h = mix(h, __shfl_sync(~0u, v, (int)(v & 63), width));
        h = mix(h, __shfl_up_sync(~0u, v, 3, width));
        h = mix(h, __shfl_down_sync(~0u, v, v % 7, width));
        h = mix(h, __shfl_xor_sync(~0u, v, width / 2 + 1, width));
        h = mix(h, (u64)__shfl_sync(~0u, (u64)v << 20, (int)lane + 1, width));
        h = mix(h, __shfl_xor_sync(~0u, (double)v, 1, width));
    }
    if (lane < 20) // the others do not take part
        h = mix(h, __shfl_down_sync(0x000fffffu, v, lane < 16 ? 4 : 0));
    else
        h = mix(h, __shfl_sync(0xfff00000u, v, 20 + (int)lane % 12));
    out[t] = h;
}

// Leader of a group does the work for all: election, broadcast, aggregated counter
KERNEL aggregate(const u32 *in, u32 *counter, u32 *out)
{
    __shared__ u32 count[8], base[8];
    u32 t = THREAD;
    if (threadIdx.x < 8)
        count[threadIdx.x] = 0;
    __syncthreads();
    for (u32 i = 0; i < 8; i++) {
        u32 v = scramble(in[t] + i), bin = v >> 29;
        if (v & 6) {
            u32 peers = __match_any_sync(__activemask(), bin), leader = __ffs(peers) - 1, lane = t & 31;
            if (lane == leader)
                atomicAdd(&count[bin], __popc(peers));
        }
    }
    __syncthreads();
    if (threadIdx.x < 8) {
        base[threadIdx.x] = count[threadIdx.x];
        atomicAdd(&counter[threadIdx.x], count[threadIdx.x]);
    }
    __syncthreads();
    out[t] = base[t & 7];
}
