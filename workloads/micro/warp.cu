// Between the lanes of a warp.
#include "bench.cuh"

#define SHFL(x) asm volatile("shfl.sync.idx.b32 %0, %0, %0, 0x1f, 0xffffffff;" : "+r"(x));
#define SHFLX(x) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(x));
#define REDUX(x) asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(x));
#define MATCH(x) asm volatile("match.any.sync.b32 %0, %0, 0xffffffff;" : "+r"(x));
// Set a predicate, then vote.
#define VOTE(x) asm volatile("{.reg .pred p;\n\tsetp.lt.u32 p, %0, %1;\n\tvote.sync.ballot.b32 %0, p, 0xffffffff;}" : "+r"(x) : "r"(a));
BOTH(shfl_idx, unsigned, SHFL)
BOTH(shfl_bfly, unsigned, SHFLX)
BOTH(redux, unsigned, REDUX)
BOTH(match_any, unsigned, MATCH)
BOTH(setp_vote, unsigned, VOTE)
