// Runs the kernels of ops.cu on a real GPU and writes what they answer.
//
//   nvcc -arch=sm_90 -cubin -o ops.sm_90.cubin ops.cu
//   nvcc -O2 -o answers answers.cu -lcuda
//   ./answers ops.sm_90.cubin ops.answers.bin
//
// The file: for each kernel, in the order below, 4096 * n words. Inputs: 64 awkward patterns, then 4096 hashed words.
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

static void check(CUresult r, const char *what)
{
    const char *s = NULL;
    if (r == CUDA_SUCCESS)
        return;
    cuGetErrorString(r, &s);
    fprintf(stderr, "%s: %s\n", what, s ? s : "?");
    exit(1);
}
#define CK(call) check(call, #call)
int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: answers ops.sm_90.cubin OUT\n");
        return 2;
    }
    static uint32_t in[OPS_INPUTS], out[4096 * 64];
    ops_inputs(in);
    CUdevice dev;
    CUcontext ctx;
    CUmodule mod;
    CUdeviceptr din, dout;
    CK(cuInit(0));
    CK(cuDeviceGet(&dev, 0));
    CK(cuDevicePrimaryCtxRetain(&ctx, dev));
    CK(cuCtxSetCurrent(ctx));
    CK(cuModuleLoad(&mod, argv[1]));
    CK(cuMemAlloc(&din, sizeof in));
    CK(cuMemAlloc(&dout, sizeof out));
    CK(cuMemcpyHtoD(din, in, sizeof in));
    FILE *f = fopen(argv[2], "wb");
    for (unsigned k = 0; k < OPS_KERNELS; k++) {
        CUfunction fn;
        void *args[] = {&din, &dout};
        CK(cuModuleGetFunction(&fn, mod, ops_kernels[k].name));
        CK(cuMemsetD8(dout, 0, sizeof out));
        CK(cuLaunchKernel(fn, 32, 1, 1, 128, 1, 1, 0, 0, args, NULL));
        CK(cuCtxSynchronize());
        CK(cuMemcpyDtoH(out, dout, sizeof out));
        if (!f || fwrite(out, 4, (size_t)4096 * ops_kernels[k].words, f) != (size_t)4096 * ops_kernels[k].words) {
            perror(argv[2]);
            return 1;
        }
        printf("%s\n", ops_kernels[k].name);
    }
    return fclose(f) != 0;
}
