/* Runs a fuzz target without libFuzzer: over the files given, then over damaged copies of them. For CI: no crash.
 *   fuzz_x ROUNDS FILE.. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void one(const uint8_t *data, size_t len)
{
    uint8_t *exact = malloc(len ? len : 1); /* a read beyond the end is then seen by a sanitizer */
    must(exact);
    memcpy(exact, data, len);
    LLVMFuzzerTestOneInput(exact, len);
    free(exact);
}

static void damaged(const uint8_t *data, size_t len, uint32_t *seed)
{
    uint8_t *copy = malloc(len + 1);
    must(copy);
    memcpy(copy, data, len);
    unsigned n = 1 + (*seed = hash32(*seed + 1)) % 6;
    for (unsigned i = 0; i < n && len; i++) {
        uint32_t at = (*seed = hash32(*seed + 1)) % len;
        copy[at] = *seed & 0x10000 ? copy[(*seed >> 3) % len] : (uint8_t)(*seed >> 24);
    }
    size_t cut = *seed % 8 ? len : *seed / 8 % (len + 1);
    one(copy, cut);
    free(copy);
}

int main(int argc, char **argv)
{
    uint64_t rounds = 0, runs = 0;
    uint32_t seed = 1;
    if (argc < 3 || !parse_u64(argv[1], &rounds)) {
        fprintf(stderr, "usage: %s ROUNDS FILE..\n", argv[0]);
        return EXIT_BAD_INPUT;
    }
    for (int i = 2; i < argc; i++) {
        uint8_t *data;
        size_t len;
        struct error err = {0};
        if (!file_read(argv[i], &data, &len, &err)) {
            fprintf(stderr, "%s\n", err.text);
            return EXIT_FAILED;
        }
        one(data, len);
        for (uint64_t r = 0; r < rounds; r++, runs++)
            damaged(data, len, &seed);
        free(data);
    }
    printf("%llu damaged inputs, no crash\n", (unsigned long long)runs);
    return 0;
}
