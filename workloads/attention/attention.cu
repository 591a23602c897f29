// Attention in fp32, O = softmax(scale Q K') V for heads of n x 64, n a multiple of 32: one kernel that never writes the n x n
// matrix, beside the three that do.

// FlashAttention, simplified. A block of four warps has 32 rows of Q; it walks along tiles of 32 keys and values in shared
// memory. Each warp has eight rows: lane j first holds the score of key j, then columns j and j + 32 of the output. The
// softmax is online: the sums so far are scaled whenever a row's maximum grows.
extern "C" __global__ void __launch_bounds__(128) flash(const float *q, const float *k, const float *v, float *o, int n, float scale)
{
    __shared__ float tq[32][64], tk[32][64 + 1], tv[32][64]; // keys padded: lanes read different rows
    int t = threadIdx.x, lane = t % 32, row = t / 32 * 8;
    size_t head = (size_t)blockIdx.y * n * 64;
    q += head + blockIdx.x * 32 * 64, o += head + blockIdx.x * 32 * 64, k += head, v += head;
    for (int i = t; i < 32 * 64; i += 128)
        tq[i / 64][i % 64] = q[i];
    float top[8], sum[8] = {}, left[8] = {}, right[8] = {};
    for (int r = 0; r < 8; r++)
        top[r] = -__int_as_float(0x7f800000);
    for (int j = 0; j < n; j += 32) {
        __syncthreads(); // nobody reads the tiles any more
        for (int i = t; i < 32 * 64; i += 128) {
            tk[i / 64][i % 64] = k[j * 64 + i];
            tv[i / 64][i % 64] = v[j * 64 + i];
        }
        __syncthreads();
        float score[8] = {};
#pragma unroll 8
        for (int c = 0; c < 64; c++) {
            float key = tk[lane][c];
#pragma unroll
            for (int r = 0; r < 8; r++)
                score[r] = fmaf(tq[row + r][c], key, score[r]);
        }
#pragma unroll
        for (int r = 0; r < 8; r++) {
            float s = score[r] * scale, m = s;
            for (int d = 16; d; d /= 2)
                m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
            m = fmaxf(m, top[r]);
            float p = __expf(s - m), shrink = __expf(top[r] - m), all = p;
            for (int d = 16; d; d /= 2)
                all += __shfl_xor_sync(~0u, all, d);
            top[r] = m, sum[r] = sum[r] * shrink + all, left[r] *= shrink, right[r] *= shrink;
            score[r] = p;
        }
#pragma unroll 4
        for (int c = 0; c < 32; c++) {
            float a = tv[c][lane], b = tv[c][lane + 32];
#pragma unroll
            for (int r = 0; r < 8; r++) {
                float p = __shfl_sync(~0u, score[r], c);
                left[r] = fmaf(p, a, left[r]);
                right[r] = fmaf(p, b, right[r]);
            }
        }
    }
    for (int r = 0; r < 8; r++) {
        o[(row + r) * 64 + lane] = left[r] / sum[r];
        o[(row + r) * 64 + lane + 32] = right[r] / sum[r];
    }
}

// The same in three kernels. S = scale Q K': a block makes 32 x 32 scores.
extern "C" __global__ void __launch_bounds__(128) scores(const float *q, const float *k, float *s, int n, float scale)
{
    __shared__ float tq[32][64], tk[32][64 + 1];
    int t = threadIdx.x, lane = t % 32, row = t / 32 * 8;
    size_t head = (size_t)blockIdx.z * n * 64;
    q += head + blockIdx.y * 32 * 64, k += head + blockIdx.x * 32 * 64;
    for (int i = t; i < 32 * 64; i += 128) {
        tq[i / 64][i % 64] = q[i];
        tk[i / 64][i % 64] = k[i];
    }
    __syncthreads();
    float score[8] = {};
#pragma unroll 8
    for (int c = 0; c < 64; c++) {
        float key = tk[lane][c];
#pragma unroll
        for (int r = 0; r < 8; r++)
            score[r] = fmaf(tq[row + r][c], key, score[r]);
    }
    s += ((size_t)blockIdx.z * n + blockIdx.y * 32 + row) * n + blockIdx.x * 32 + lane;
    for (int r = 0; r < 8; r++)
        s[(size_t)r * n] = score[r] * scale;
}

// P = softmax(S) by rows, in place of S: a warp a row.
extern "C" __global__ void __launch_bounds__(128) weights(float *s, int n)
{
    int lane = threadIdx.x % 32;
    s += ((size_t)blockIdx.x * 4 + threadIdx.x / 32) * n;
    float m = -__int_as_float(0x7f800000), sum = 0;
    for (int i = lane; i < n; i += 32)
        m = fmaxf(m, s[i]);
    for (int d = 16; d; d /= 2)
        m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    for (int i = lane; i < n; i += 32)
        sum += __expf(s[i] - m);
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    for (int i = lane; i < n; i += 32)
        s[i] = __expf(s[i] - m) / sum;
}

// O = P V: a block makes 32 rows.
extern "C" __global__ void __launch_bounds__(128) values(const float *p, const float *v, float *o, int n)
{
    __shared__ float tp[32][32], tv[32][64];
    int t = threadIdx.x, lane = t % 32, row = t / 32 * 8;
    size_t first = (size_t)blockIdx.y * n + blockIdx.x * 32;
    p += first * n, o += first * 64, v += (size_t)blockIdx.y * n * 64;
    float left[8] = {}, right[8] = {};
    for (int j = 0; j < n; j += 32) {
        __syncthreads();
        for (int r = 0; r < 8; r++)
            tp[row + r][lane] = p[(size_t)(row + r) * n + j + lane];
        for (int i = t; i < 32 * 64; i += 128)
            tv[i / 64][i % 64] = v[j * 64 + i];
        __syncthreads();
#pragma unroll 4
        for (int c = 0; c < 32; c++) {
            float a = tv[c][lane], b = tv[c][lane + 32];
#pragma unroll
            for (int r = 0; r < 8; r++) {
                left[r] = fmaf(tp[row + r][c], a, left[r]);
                right[r] = fmaf(tp[row + r][c], b, right[r]);
            }
        }
    }
    for (int r = 0; r < 8; r++) {
        o[(row + r) * 64 + lane] = left[r];
        o[(row + r) * 64 + lane + 32] = right[r];
    }
}
