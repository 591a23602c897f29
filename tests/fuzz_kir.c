/* libFuzzer entry: any text gives a program or one error, and a program prints to a text that reads back the same. */
#include <stdlib.h>
#include <string.h>

#include "tests/kir_equal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (memchr(data, 0, len))
        return 0;
    char *text = xstrndup((const char *)data, len);
    struct error err = {0};
    struct program *p = kir_assemble("fuzz.kir", text, &err);
    must(p || err.status != EXIT_DONE);
    if (p) {
        struct sb out = {0};
        char why[300];
        kir_print(p, false, &out);
        struct program *q = kir_assemble("again.kir", out.text, &err);
        must(q && same_program(p, q, why));
        program_free(q);
        sb_finish(&out);
    }
    program_free(p);
    free(text);
    return 0;
}
