/* Puts recordings together: trials_join OUT IN... A word that several have is taken from the last that tried it. What
 * was not tried, hung or led to an error of an address is left out. trials_join --listing LISTING.z OUT: the words of
 * compilers' code (tests/data/listing_sm_90.z), which the GPU accepts, as something KNOWN for trials_gpu. */
#include "tests/trials/trials.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static bool kept(const struct trial *t)
{
    struct inst in;
    struct error err = {0};
    if (!inst_decode(ARCH_SM90, t->word, 0, &in, &err))
        return false; /* the tables have it no more: the disassembler does not know it */
    return t->state == TRIAL_DONE || t->state == TRIAL_REFUSED || t->state == TRIAL_ALIKE;
}
static int by_word(const void *a, const void *b)
{
    const struct trial *x = *(struct trial *const *)a, *y = *(struct trial *const *)b;
    if (x->word[0] != y->word[0])
        return x->word[0] < y->word[0] ? -1 : 1;
    if (x->word[1] != y->word[1])
        return x->word[1] < y->word[1] ? -1 : 1;
    int kx = x->flags << 8 | x->space, ky = y->flags << 8 | y->space;
    if (kx != ky)
        return kx < ky ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->state == TRIAL_ALIKE) - (y->state == TRIAL_ALIKE); /* what was tried first */
}
static bool same(const struct trial *x, const struct trial *y)
{
    return memcmp(x->word, y->word, sizeof x->word) == 0 && x->flags == y->flags && x->space == y->space &&
           (x->start == y->start || y->state != TRIAL_DONE);
}

static int join(int n, char **in, const char *path)
{
    struct trials all = {0}, s;
    struct error err = {0};
    size_t cap = 0;
    for (int i = 0; i < n; i++) {
        if (!trials_read(&s, in[i], &err))
            return fprintf(stderr, "%s\n", err.text), 1;
        for (uint32_t k = 0; k < s.n; k++)
            if (kept(&s.t[k])) {
                all.t = grow(all.t, all.n, &cap, sizeof *all.t);
                all.t[all.n++] = s.t[k];
            }
        free(s.t);
    }
    struct trial **order = xcalloc(all.n + 1, sizeof(void *)), *last = NULL;
    for (uint32_t i = 0; i < all.n; i++)
        order[i] = &all.t[i];
    qsort(order, all.n, sizeof *order, by_word);
    struct trials out = {xcalloc(all.n + 1, sizeof *out.t), 0};
    for (uint32_t i = 0; i < all.n; i++)
        if (!last || !same(last, order[i]))
            out.t[out.n++] = *(last = order[i]);
    printf("%u words, %u different\n", all.n, out.n);
    return trials_write(&out, path, &err) ? 0 : (fprintf(stderr, "%s\n", err.text), 1);
}

static int known(const char *listing, const char *path)
{
    uint8_t *file;
    size_t len;
    uint64_t size;
    uint32_t n;
    struct error err = {0};
    if (!file_read(listing, &file, &len, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    memcpy(&size, file, 8);
    uint8_t *raw = xcalloc(size, 1);
    uLongf got = (uLongf)size;
    if (uncompress(raw, &got, file + 8, (uLong)(len - 8)) != Z_OK)
        return fprintf(stderr, "%s does not inflate\n", listing), 1;
    memcpy(&n, raw, 4);
    struct trials s = {xcalloc(n, sizeof *s.t), n};
    for (uint32_t i = 0; i < n; i++) {
        memcpy(&s.t[i].word[0], raw + 8 + (size_t)n * 8 + (size_t)i * 8, 8);
        memcpy(&s.t[i].word[1], raw + 8 + (size_t)n * 16 + (size_t)i * 8, 8);
        s.t[i].state = TRIAL_DONE;
    }
    return trials_write(&s, path, &err) ? 0 : (fprintf(stderr, "%s\n", err.text), 1);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--listing") == 0)
        return known(argv[2], argv[3]);
    if (argc < 3)
        return fprintf(stderr, "trials_join OUT IN.., or trials_join --listing LISTING.z OUT\n"), 2;
    return join(argc - 2, argv + 2, argv[1]);
}
