"""Attention forward; launched with D = BM = BN = 64 and 4 warps. The cubin beside it was built by Triton 3.6 (CUDA 13.0 ptxas) for sm_90."""
import triton
import triton.language as tl


@triton.jit
def flash_kernel(q_ptr, k_ptr, v_ptr, o_ptr, N, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    pid = tl.program_id(0); h = tl.program_id(1); base = h * N * D
    om = pid * BM + tl.arange(0, BM); d = tl.arange(0, D)
    q = tl.load(q_ptr + base + om[:, None] * D + d[None, :])
    m = tl.full((BM,), float("-inf"), tl.float32); l = tl.zeros((BM,), tl.float32); acc = tl.zeros((BM, D), tl.float32)
    for j in range(0, N, BN):
        on = j + tl.arange(0, BN)
        k = tl.load(k_ptr + base + on[:, None] * D + d[None, :]); v = tl.load(v_ptr + base + on[:, None] * D + d[None, :])
        s = tl.dot(q, tl.trans(k)) * scale
        mn = tl.maximum(m, tl.max(s, 1)); p = tl.exp(s - mn[:, None]); alpha = tl.exp(m - mn)
        l = l * alpha + tl.sum(p, 1); acc = acc * alpha[:, None]; acc = tl.dot(p.to(tl.float16), v, acc); m = mn
    tl.store(o_ptr + base + om[:, None] * D + d[None, :], (acc / l[:, None]).to(tl.float16))
