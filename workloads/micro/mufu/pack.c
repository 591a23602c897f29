/* Packs what sweep.cu recorded into isa/mufu.tables.
 *
 *   cc -O2 -I. -D_GNU_SOURCE -o pack workloads/micro/mufu/pack.c isa/mufu_table.c base/[a-z]*.c -lyaml -lm && ./pack
 * DIR isa/mufu.tables
 *
 * The series, in the order of enum mufu_series in isa/mufu.c. */
#include "workloads/micro/mufu/pack_series.h"

static const char *dir;
static uint32_t *load(const char *name, uint32_t block)
{
    char path[512];
    uint8_t *data;
    size_t len, at = 4;
    struct error err = {0};
    snprintf(path, sizeof path, "%s/%s_%03x.d8", dir, name, block);
    if (!file_read(path, &data, &len, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    uint32_t *y = xcalloc(1 << 23, 4);
    memcpy(y, data, 4);
    for (uint32_t i = 1; i < 1 << 23; i++) {
        if (data[at] == 0x80) {
            memcpy(&y[i], data + at + 1, 4);
            at += 5;
        } else {
            y[i] = y[i - 1] + (uint32_t)(int8_t)data[at++];
        }
    }
    must(at == len);
    free(data);
    return y;
}
static double value(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return (double)f;
}
/* |value| * 2^unit, every 2^step-th of the recorded ones. */
static void pack_values(FILE *f, const char *name, const uint32_t *y, uint32_t log2n, uint32_t step, int unit,
                        bool cut24, bool raw)
{
    int32_t *v = xcalloc(1u << log2n, 4);
    for (uint32_t i = 0; i < 1u << log2n; i++)
        v[i] = (int32_t)floor(ldexp(fabs(value(y[(size_t)i << step])), unit));
    pack_series(f, name, v, log2n,
                log2n < 16   ? log2n
                : log2n > 22 ? cut24 ? 14 : 16
                : log2n > 20 ? 14
                             : 12,
                cut24, raw ? y : NULL);
    free(v);
}
static void reverse(uint32_t *y)
{
    for (uint32_t i = 0, k = (1 << 23) - 1; i < k; i++, k--) {
        uint32_t t = y[i];
        y[i] = y[k], y[k] = t;
    }
}
static void pack_words(FILE *f, const char *name, const uint32_t *y) /* 2^20 high words of doubles below 1 */
{
    int32_t *v = xcalloc(1 << 20, 4);
    for (uint32_t i = 0; i < 1 << 20; i++)
        v[i] = (int32_t)(y[i] - 0x3fe00000u);
    pack_series(f, name, v, 20, 13, false, NULL);
    free(v);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    dir = argv[1];
    FILE *f = fopen(argv[2], "wb");
    if (!f)
        return 1;
    pack_values(f, "rcp", load("rcp", 127), 23, 0, 24, false, false);
    pack_values(f, "rsq even", load("rsq", 127), 23, 0, 24, false, false);
    pack_values(f, "rsq odd", load("rsq", 128), 23, 0, 24, false, false);
    pack_values(f, "sqrt even", load("sqrt_", 127), 23, 0, 23, false, false);
    pack_values(f, "sqrt odd", load("sqrt_", 128), 23, 0, 23, false, false);
    pack_values(f, "ex2", load("ex2", 127), 23, 0, 22, false, false);
    pack_values(f, "lg2", load("lg2", 128), 23, 0, 23, false, false);
    pack_values(f, "lg2 above 1", load("lg2", 127), 23, 0, 30, true, true);
    uint32_t *y = load("lg2", 126);
    reverse(y);
    pack_values(f, "lg2 below 1", y, 23, 0, 31, true, true);
    y = load("sin_", 0x7d);
    reverse(y);
    pack_values(f, "sin", y, 23, 0, 30, true, true);
    static const uint8_t step[] = {6, 6, 6, 5, 5, 4, 4, 4, 3, 2, 3};
    for (uint32_t e = 0x77; e <= 0x81; e++) {
        char name[16];
        snprintf(name, sizeof name, "tanh %x", e);
        pack_values(f, name, load("tanh_", e), 23u - step[e - 0x77], step[e - 0x77], e <= 0x78 ? 31 : 30, true, false);
    }
    y = load("rcp64h", 0x7f);
    pack_words(f, "rcp64h", y + 7 * (1 << 20));
    y = load("rsq64h", 0x7f);
    pack_words(f, "rsq64h", y + 7 * (1 << 20));
    pack_words(f, "rsq64h odd", y + 6 * (1 << 20));
    return fclose(f) != 0;
}
