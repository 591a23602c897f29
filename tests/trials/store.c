/* The file of trials: u64 inflated size, then a zlib stream of u32 count and the columns low[], high[], flags[],
 * space[], family[], state[], start[], hashes[][] (little endian). */
#include "tests/trials/trials.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { TRIAL_BYTES = 16 + 4 * TRIAL_BLOCKS + 6 };

struct stream {
    uint8_t *at;
    bool reading;
};

static void column(struct stream *p, struct trials *s, size_t offset, size_t bytes)
{
    uint8_t *trials = (uint8_t *)s->t;
    for (uint32_t i = 0; i < s->n; i++, p->at += bytes) {
        uint8_t *f = trials + i * sizeof *s->t + offset;
        memcpy(p->reading ? f : p->at, p->reading ? p->at : f, bytes);
    }
}
#define COLUMN(p, s, field) column(p, s, offsetof(struct trial, field), sizeof(s)->t->field)
static void columns(struct trials *s, uint8_t *bytes, bool reading)
{
    struct stream p = {bytes, reading};
    COLUMN(&p, s, word[0]);
    COLUMN(&p, s, word[1]);
    COLUMN(&p, s, flags);
    COLUMN(&p, s, space);
    COLUMN(&p, s, family);
    COLUMN(&p, s, state);
    COLUMN(&p, s, start);
    COLUMN(&p, s, hash);
}

bool trials_write(const struct trials *s, const char *path, struct error *err)
{
    size_t len = 4 + (size_t)s->n * TRIAL_BYTES;
    uint8_t *raw = xcalloc(len, 1);
    uLongf packed = compressBound((uLong)len);
    uint8_t *file = xcalloc(8 + packed, 1);
    struct trials copy = *s;
    memcpy(raw, &s->n, 4);
    columns(&copy, raw + 4, false);
    uint64_t size = len;
    memcpy(file, &size, 8);
    bool ok = compress2(file + 8, &packed, raw, (uLong)len, 9) == Z_OK && file_write(path, file, 8 + packed, err);
    free(raw);
    free(file);
    return ok;
}

bool trials_read(struct trials *s, const char *path, struct error *err)
{
    uint8_t *file;
    size_t len;
    uint64_t size = 0;
    if (!file_read(path, &file, &len, err))
        return false;
    if (len > 8)
        memcpy(&size, file, 8);
    uint8_t *raw = xcalloc(size + 4, 1);
    uLongf got = (uLongf)size;
    bool ok = len > 8 && uncompress(raw, &got, file + 8, (uLong)(len - 8)) == Z_OK && size >= 4;
    if (ok) {
        memcpy(&s->n, raw, 4);
        ok = size == 4 + (uint64_t)s->n * TRIAL_BYTES;
    }
    if (ok) {
        s->t = xcalloc(s->n, sizeof *s->t);
        columns(s, raw + 4, true);
    } else {
        error_set(err, EXIT_FAILED, "%s does not inflate", path);
    }
    free(raw);
    free(file);
    return ok;
}
