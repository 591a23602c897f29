"""fp16 product; launched with BM = BN = 128, BK = 64, 8 warps, 3 stages. The cubin beside it was built by Triton 3.6 (CUDA 13.0 ptxas) for sm_90."""
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0); pn = tl.program_id(1)
    om = pm * BM + tl.arange(0, BM); on = pn * BN + tl.arange(0, BN); ok = tl.arange(0, BK)
    a = a_ptr + om[:, None] * sam + ok[None, :] * sak; b = b_ptr + ok[:, None] * sbk + on[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=(om[:, None] < M) & (ok[None, :] + k * BK < K), other=0.0); y = tl.load(b, mask=(on[None, :] < N) & (ok[:, None] + k * BK < K), other=0.0)
        acc = tl.dot(x, y, acc); a += BK * sak; b += BK * sbk
    tl.store(c_ptr + om[:, None] * scm + on[None, :] * scn, acc.to(tl.float16), mask=(om[:, None] < M) & (on[None, :] < N))
