"""Softmax of a row; launched with BLOCK = 1024 and 4 warps. The cubin beside it was built by Triton 3.6 (CUDA 13.0 ptxas) for sm_90."""
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, xs, ys, n, BLOCK: tl.constexpr):
    r = tl.program_id(0); c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + r * xs + c, mask=c < n, other=float("-inf"))
    x = x - tl.max(x, axis=0); e = tl.exp(x)
    tl.store(y_ptr + r * ys + c, e / tl.sum(e, axis=0), mask=c < n)
