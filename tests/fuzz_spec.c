/* libFuzzer entry: any text gives a launch spec or one error; parameters of a spec can be packed. */
#include <stdlib.h>
#include <string.h>

#include "workloads/workloads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (memchr(data, 0, len))
        return 0;
    char *text = xstrndup((const char *)data, len);
    struct error err = {0};
    struct spec *s = spec_parse("fuzz.yaml", ".", text, NULL, &err);
    must(s || err.status != EXIT_DONE);
    for (uint32_t i = 0; s && i < s->nlaunch; i++) {
        uint8_t *params;
        uint32_t bytes;
        if (spec_pack(s, i, &params, &bytes, &err))
            free(params);
    }
    spec_free(s);
    free(text);
    return 0;
}
