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

bool file_write(const char *path, const void *data, size_t len, struct error *err)
{
    struct stat st;
    bool special = stat(path, &st) == 0 && !S_ISREG(st.st_mode); /* a pipe or /dev/null: no rename */
    char *tmp = special ? xstrdup(path) : xasprintf("%s.part%ld", path, (long)getpid());
    FILE *f = fopen(tmp, "wb");
    bool ok = f && fwrite(data, 1, len, f) == len;
    if (f)
        ok = fclose(f) == 0 && ok;
    ok = ok && (special || rename(tmp, path) == 0);
    if (!ok) {
        error_set(err, EXIT_BAD_INPUT, "%s: cannot be written: %s", path, strerror(errno));
        if (!special)
            unlink(tmp);
    }
    free(tmp);
    return ok;
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
