// Runs the kernels of tiles.cu on a real GPU and writes what they answer.
//
//   nvcc -arch=sm_90a -cubin -o tiles.sm_90a.cubin tiles.cu
//   nvcc -O2 -o answers answers.cu -lcuda
//   ./answers tiles.sm_90a.cubin tiles.answers tiles.answers.bin
//
// tiles.answers: a line for each kernel and class of tiles: name, class, hash over the results. The .bin file has the results.
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

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
static void hashes(FILE *f, const struct tiles_kernel *k, const uint32_t *out)
{
    uint32_t n = TILES_OF_CLASS * k->threads * k->words;
    for (uint32_t c = 0; c < TILES_CLASSES; c++) {
        unsigned long long h = 0xcbf29ce484222325;
        for (uint32_t i = 0; i < n; i++)
            h = (h ^ out[c * n + i]) * 0x100000001b3;
        fprintf(f, "%s %u %016llx\n", k->name, c, h);
    }
}
int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: answers tiles.sm_90a.cubin tiles.answers tiles.answers.bin\n");
        return 2;
    }
    static uint32_t in[3][TILES * TILES_MOST], out[TILES * TILES_MOST];
    CUdevice dev;
    CUcontext ctx;
    CUmodule mod;
    CUdeviceptr d[3], dout;
    CK(cuInit(0));
    CK(cuDeviceGet(&dev, 0));
    CK(cuDevicePrimaryCtxRetain(&ctx, dev));
    CK(cuCtxSetCurrent(ctx));
    CK(cuModuleLoad(&mod, argv[1]));
    for (int i = 0; i < 3; i++)
        CK(cuMemAlloc(&d[i], sizeof in[i]));
    CK(cuMemAlloc(&dout, sizeof out));
    FILE *text = fopen(argv[2], "w"), *f = fopen(argv[3], "wb");
    if (!text || !f)
        return perror(argv[2]), 1;
    for (unsigned i = 0; i < TILES_KERNELS; i++) {
        const struct tiles_kernel *k = &tiles_kernels[i];
        size_t n = (size_t)TILES * k->threads * k->words;
        CUfunction fn;
        void *args[] = {&d[0], &d[1], &d[2], &dout};
        for (int w = 0; w < 3; w++) {
            tiles_operand(k, w, in[w]);
            CK(cuMemcpyHtoD(d[w], in[w], sizeof in[w]));
        }
        CK(cuModuleGetFunction(&fn, mod, k->name));
        CK(cuMemsetD8(dout, 0, sizeof out));
        CK(cuLaunchKernel(fn, TILES, 1, 1, k->threads, 1, 1, 0, 0, args, NULL));
        CK(cuCtxSynchronize());
        CK(cuMemcpyDtoH(out, dout, 4 * n));
        hashes(text, k, out);
        if (fwrite(out, 4, n, f) != n)
            return perror(argv[3]), 1;
    }
    return fclose(f) | fclose(text);
}
