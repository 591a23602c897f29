// Wrong on purpose: every block stores to the same 64 words, and reads what others may have stored. No order is
// defined; a simulator must still give the same answer every time.
extern "C" __global__ void racy(int *slots, int *seen, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        slots[i & 63] = i;
        seen[i] = slots[(i + 1) & 63];
    }
}
