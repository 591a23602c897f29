/* libFuzzer entry: a hostile cubin gives a program or one error; a program can be printed and its graph built. */
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct error err = {0};
    struct program *p = cubin_read("fuzz.cubin", data, len, &err);
    must(p || err.status != EXIT_DONE);
    struct sb text = {0};
    for (uint32_t i = 0; p && i < p->nkernel; i++) {
        struct cfg g;
        struct error e = {0};
        if (cfg_build(&g, &p->kernels[i], &e))
            cfg_finish(&g);
    }
    if (p)
        kir_print(p, false, &text);
    sb_finish(&text);
    program_free(p);
    return 0;
}
