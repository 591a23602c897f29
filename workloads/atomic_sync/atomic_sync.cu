// All threads of a block add to one word in global memory, meet at the barrier, and read it: each must see the sum.
extern "C" __global__ void atomic_sync(const int *x, int *sums, int *seen)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[blockIdx.x], x[i]);
    __syncthreads();
    seen[i] = sums[blockIdx.x];
}

// Old values of one counter are a permutation of 0 .. n-1.
extern "C" __global__ void atomic_ticket(int *counter, int *ticket, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        ticket[i] = atomicAdd(counter, 1);
}
