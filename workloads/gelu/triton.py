"""GeLU; launched with BLOCK = 1024 and 4 warps. The cubin beside it was built by Triton 3.6 (CUDA 13.0 ptxas) for sm_90."""
import triton
import triton.language as tl


@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK); m = offs < n
    x = tl.load(x_ptr + offs, mask=m)
    a = 0.79788456 * (x + 0.044715 * x * x * x)
    e = tl.exp(2 * a); t = (e - 1) / (e + 1)
    tl.store(y_ptr + offs, 0.5 * x * (1 + t), mask=m)
