// What DRAM makes of an access pattern: rows of its banks are activated, bursts of 32 bytes come, and L2 fetches two.

// y[i] = x[(i * step) mod n], n a power of two: step 1 reads one word after another, a large odd step anywhere.
extern "C" __global__ void gather(const float *x, float *y, unsigned step, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i * step & n - 1];
}

// Sums of a row-major n x n matrix. By columns: a lane has a column, so a warp's lanes read neighbours of one row.
extern "C" __global__ void column_sums(const float *x, float *y, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int r = 0; r < n; r++)
        s += x[(size_t)r * n + c];
    y[c] = s;
}

// By rows: a lane has a row, so a warp's lanes read one column, a row apart.
extern "C" __global__ void row_sums(const float *x, float *y, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int c = 0; c < n; c++)
        s += x[(size_t)r * n + c];
    y[r] = s;
}

// Copies the left tile of 32 columns of each of `rows` rows that lie `pitch` words apart, from word `first` on: a warp a row.
extern "C" __global__ void tile(const float *x, float *y, int pitch, int first, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r < rows)
        y[r * 32 + lane] = x[(size_t)r * pitch + first + lane];
}
