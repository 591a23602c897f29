/* Whole files, read into memory or written so that nothing is left half-written. */
#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_read(const char *path, uint8_t **data, size_t *len, struct error *err)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return error_set(err, EXIT_BAD_INPUT, "%s: %s", path, strerror(errno));
    struct stat st;
    if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
        fclose(f);
        return error_set(err, EXIT_BAD_INPUT, "%s: is a folder", path);
    }
    size_t n = 0, cap = 0;
    uint8_t *p = NULL;
    for (;;) {
        p = grow(p, n + 65536, &cap, 1); /* room for one more read and a final NUL */
        size_t got = fread(p + n, 1, 65536, f);
        n += got;
        if (got < 65536)
            break;
    }
    bool ok = !ferror(f);
    fclose(f);
    if (!ok) {
        free(p);
        return error_set(err, EXIT_BAD_INPUT, "%s: cannot be read", path);
    }
    p[n] = 0;
    *data = p;
    *len = n;
    return true;
}

static bool cannot_write(const char *path, int why, struct error *err)
{
    return error_set(err, EXIT_BAD_INPUT, "%s: cannot be written: %s", path, strerror(why));
}

char *file_begin(const char *path, struct error *err)
{
    struct stat st;
    bool there = stat(path, &st) == 0;
    if (there && S_ISDIR(st.st_mode)) {
        cannot_write(path, EISDIR, err);
        return NULL;
    }
    if (there && !S_ISREG(st.st_mode)) /* a pipe or a device: nothing may take its place */
        return xstrdup(path);
    char *part = xasprintf("%s.part%ld", path, (long)getpid());
    FILE *f = *path ? fopen(part, "wb") : NULL;
    if (f)
        fclose(f);
    else
        cannot_write(path, errno, err);
    if (f)
        return part;
    free(part);
    return NULL;
}

bool file_end(const char *path, char *part, bool ok, int why, struct error *err)
{
    bool own_name = strcmp(path, part) != 0;
    if (ok && own_name && rename(part, path) != 0) {
        ok = false;
        why = errno;
    }
    if (!ok) {
        cannot_write(path, why ? why : EIO, err);
        if (own_name)
            unlink(part);
    }
    free(part);
    return ok;
}

bool file_can_write(const char *path, struct error *err)
{
    char *part = file_begin(path, err);
    if (part && strcmp(path, part) != 0)
        unlink(part);
    free(part);
    return part != NULL;
}

bool file_write(const char *path, const void *data, size_t len, struct error *err)
{
    char *part = file_begin(path, err);
    if (!part)
        return false;
    FILE *f = fopen(part, "wb");
    bool ok = f && fwrite(data, 1, len, f) == len && fflush(f) == 0;
    int why = errno;
    if (f)
        ok = fclose(f) == 0 && ok;
    return file_end(path, part, ok, why, err);
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

char *path_join(const char *dir, const char *name)
{
    if (name[0] == '/' || dir[0] == 0)
        return xstrdup(name);
    return xasprintf("%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", name);
}

char *path_dir(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return xstrdup(".");
    return slash == path ? xstrdup("/") : xstrndup(path, (size_t)(slash - path));
}

bool source_read(struct source *s, const char *path, struct error *err)
{
    uint8_t *data = NULL;
    *s = (struct source){0};
    size_t len = 0;
    if (!file_read(path, &data, &len, err))
        return false;
    must(data != NULL);
    s->len = len;
    s->path = xstrdup(path);
    s->text = (char *)data;
    if (memchr(data, 0, s->len)) {
        source_finish(s);
        return error_set(err, EXIT_BAD_INPUT, "%s: is not a text file", path);
    }
    return true;
}

void source_from_text(struct source *s, const char *path, const char *text)
{
    s->path = xstrdup(path);
    s->text = xstrdup(text);
    s->len = strlen(text);
}

void source_finish(struct source *s)
{
    free(s->path);
    free(s->text);
    *s = (struct source){0};
}
