// Blocks that hear of one another. A launch must have all its blocks resident at once.
#include <cooperative_groups.h>

// A message passed from block to block: each waits for the flag of the one before it, reads its word, adds one, writes
// its own word, and after a fence its flag.
extern "C" __global__ void message(unsigned *words, volatile unsigned *flags)
{
    if (threadIdx.x)
        return;
    unsigned b = blockIdx.x, got = 0;
    if (b) {
        while (!flags[b - 1])
            ;
        __threadfence();
        got = words[b - 1];
    }
    words[b] = got + 1;
    __threadfence();
    flags[b] = 1;
}

// Rounds of: everybody writes, the whole grid meets, everybody reads another block's word.
extern "C" __global__ void grid_sync(unsigned *a, unsigned *b, int rounds)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    unsigned n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    for (int r = 0; r < rounds; r++) {
        grid.sync();
        b[i] = a[(i + blockDim.x) % n] + 1;
        grid.sync();
        a[i] = b[(i + blockDim.x) % n] + 1;
    }
}
