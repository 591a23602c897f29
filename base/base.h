/* base: what every layer needs and none owns: errors, memory, text, YAML, queues.
 * The only header of base/ that other folders include. */
#ifndef HEDDLE_BASE_BASE_H
#define HEDDLE_BASE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* For what hardly ever runs: it, and the way to it, are laid apart from the code of every cycle. */
#define SELDOM __attribute__((cold))
/* Not the usual way of a function that runs all the time: called, so that it takes no registers from that one. */
#define APART __attribute__((noinline))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- failure: three kinds, three manners -------------------------------------------------
 * A user's mistake or a failed run fills a struct error, which travels up to the verb that
 * prints it once. Our own bug calls must(). Out of memory ends the program in xcalloc. */
enum exit_status {
    EXIT_DONE = 0,        /* ran and is right */
    EXIT_FAILED = 1,      /* wrong result, fault, accuracy bound missed */
    EXIT_BAD_INPUT = 2,   /* bad usage or input */
    EXIT_NO_PROGRESS = 3, /* deadlock or livelock */
    EXIT_INTERRUPTED = 130,
};

struct error {
    enum exit_status status; /* EXIT_DONE: no error yet */
    char text[4096];         /* whole message, may hold several lines, no final newline */
};

/* A text file held in memory, so that messages can show the line. Owned by the caller. */
struct source {
    char *path; /* as the user named it */
    char *text; /* NUL-terminated */
    size_t len;
};
struct srcpos {
    uint32_t line, col; /* 1-based; 0: unknown */
};

bool source_read(struct source *s, const char *path, struct error *err);
void source_from_text(struct source *s, const char *path, const char *text); /* copies both */
void source_finish(struct source *s);

/* All error_* keep the first error they were given and return false, so that a caller can write
 * `return error_set(err, EXIT_FAILED, ...)`. */
SELDOM bool error_set(struct error *err, enum exit_status status, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* "path:line:col: message", then the source line and a caret under col. Status EXIT_BAD_INPUT. */
bool error_at(struct error *err, const struct source *s, struct srcpos at, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* Appends ": hint" style text to an existing error (a suggestion, a list). */
SELDOM void error_note(struct error *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

#define must(cond) ((cond) ? (void)0 : must_fail(#cond, __FILE__, __LINE__))
_Noreturn void must_fail(const char *cond, const char *file, int line);

/* ---- memory: never returns NULL; says the size asked for and exits when there is none ------ */
void *xcalloc(size_t n, size_t size); /* zeroed */
void *xrealloc(void *p, size_t n, size_t size);
enum { HOST_LINE = 64 }; /* bytes of a line of the host's caches */
void *xalloc_aligned(size_t bytes, size_t align); /* zeroed; free() */
_Noreturn void out_of_memory(size_t bytes);
/* Zeroed address space in large pages, aligned to one; what is never touched costs nothing. NULL if the host has none.
 * munmap(*mapping, *mapped). */
void *large_pages(size_t bytes, size_t *mapped, void **mapping);
struct arena; /* pieces that are given back all at once */
struct arena *arena_new(void);
void arena_free(struct arena *a);
void *arena_zalloc(struct arena *a, size_t n, size_t size); /* zeroed, aligned to 64 bytes */
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Grows p (element size esz) so that index n fits; *cap counts elements. Returns p. */
void *grow(void *p, size_t n, size_t *cap, size_t esz);

/* ---- text --------------------------------------------------------------------------------- */
struct sb { /* string builder; {0} is empty; text is NUL-terminated once anything was added */
    char *text;
    size_t len, cap;
};
void sb_add(struct sb *b, const char *s);
void sb_addn(struct sb *b, const char *s, size_t n);
void sb_addf(struct sb *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void sb_finish(struct sb *b);

/* Name of `names` nearest to `word` by edit distance, or NULL if none is near enough to suggest. */
const char *nearest_name(const char *word, const char *const *names, size_t n);
/* Whole-string numbers: decimal, 0x, and for u64 also 2^k and suffixes K M G (powers of 1024). */
bool parse_u64(const char *s, uint64_t *out);
bool parse_i64(const char *s, int64_t *out);
bool parse_f64(const char *s, double *out);

/* Writes a whole file through a temporary name and rename, so nothing is left half-written. What is no regular file, a
 * pipe or a device, is written itself. */
bool file_write(const char *path, const void *data, size_t len, struct error *err);
/* The same for what is written piece by piece: the name to write to; NULL: err says why nothing can be written there. */
char *file_begin(const char *path, struct error *err);
/* All is written (ok), or it failed with errno `why` (0: not known). Frees `part`. */
bool file_end(const char *path, char *part, bool ok, int why, struct error *err);
bool file_can_write(const char *path, struct error *err); /* leaves nothing behind */
bool file_read(const char *path, uint8_t **data, size_t *len, struct error *err);
bool file_exists(const char *path);
char *path_join(const char *dir, const char *name); /* name alone if absolute; owned by caller */
char *path_dir(const char *path);                   /* owned by caller */
void sha256_hex(const void *data, size_t len, char out[65]);

/* ---- YAML through libyaml, every node knows its position ----------------------------------- */
enum ykind { Y_NULL, Y_SCALAR, Y_LIST, Y_MAP };
struct ynode {
    enum ykind kind;
    struct srcpos at;
    char *text;           /* Y_SCALAR */
    bool quoted;          /* Y_SCALAR written in quotes: a string even if it looks like a number */
    size_t n;             /* children of a list; pairs of a map */
    struct ynode **items; /* list items, or map values */
    struct ynode **keys;  /* map keys, all scalars */
};
struct ydoc {
    struct source src;
    struct ynode *root;
};
bool ydoc_read(struct ydoc *d, const char *path, struct error *err);
bool ydoc_parse(struct ydoc *d, const char *path, const char *text, struct error *err);
void ydoc_finish(struct ydoc *d);
struct ynode *ymap_get(const struct ynode *map, const char *key); /* NULL if absent */
bool ynode_u64(const struct ydoc *d, const struct ynode *n, uint64_t *out, struct error *err);
bool ynode_i64(const struct ydoc *d, const struct ynode *n, int64_t *out, struct error *err);
bool ynode_f64(const struct ydoc *d, const struct ynode *n, double *out, struct error *err);
bool ynode_bool(const struct ydoc *d, const struct ynode *n, bool *out, struct error *err);
bool ynode_str(const struct ydoc *d, const struct ynode *n, const char **out, struct error *err);

/* ---- queues ------------------------------------------------------------------------------- */
typedef uint64_t cycle; /* SM cycles since the run began; the one time base */

/* Binary heap of (time, key) -> value. Equal times leave in key order, so runs repeat exactly. */
struct event {
    cycle time;
    uint64_t key;
    uint64_t value;
};
struct eventq {
    struct event *heap;
    size_t n, cap;
};
void eventq_push(struct eventq *q, struct event e);
bool eventq_peek(const struct eventq *q, struct event *e);
struct event eventq_pop(struct eventq *q); /* must not be empty */
void eventq_finish(struct eventq *q);

/* Division by a number that stays the same for long, without the host's instruction for it, which takes tens of cycles:
 * a product with the inverse, rounded down, gives the quotient or one less. Exact for every dividend. */
struct divisor {
    uint64_t by, inverse; /* 2^64 / by, rounded down (by 1: one less) */
};

static inline struct divisor divisor_of(uint64_t by) /* by: not 0 */
{
    return (struct divisor){by, UINT64_MAX / by};
}

static inline uint64_t quotient_of(uint64_t x, const struct divisor *d)
{
    uint64_t q = (uint64_t)((unsigned __int128)x * d->inverse >> 64);
    return q + (x - q * d->by >= d->by);
}

static inline uint64_t remainder_of(uint64_t x, const struct divisor *d)
{
    return x - quotient_of(x, d) * d->by;
}

/* hash32 of DESIGN: defines buffer contents on every side. */
static inline uint32_t hash32(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    x ^= x >> 16;
    return x;
}

#endif
