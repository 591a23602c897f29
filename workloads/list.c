/* Which workloads there are: every .yaml directly in a folder of the workloads folder. */
#include "workloads/spec.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

const char *workload_dir(void)
{
    const char *env = getenv("HEDDLE_WORKLOAD_DIR");
    return env && *env ? env : HEDDLE_WORKLOADS_FOLDER;
}

struct found {
    struct spec_entry *list;
    size_t n, cap;
};

/* First `title:` line of the file; listing must not stop at a broken spec. */
static char *title_of(const char *path)
{
    struct source src;
    struct error err = {0};
    char *title = NULL;
    if (!source_read(&src, path, &err))
        return xstrdup("");
    for (const char *p = src.text; p && !title; p = strchr(p, '\n')) {
        p += *p == '\n';
        if (strncmp(p, "title: ", 7) == 0) {
            p += 7 + (p[7] == '"');
            title = xstrndup(p, strcspn(p, "\"\n\r"));
        }
        if (*p == 0)
            break;
    }
    source_finish(&src);
    return title ? title : xstrdup("");
}

static void add(struct found *f, const char *folder, const char *dir, const char *file)
{
    size_t stem = strlen(file) - 5;
    f->list = grow(f->list, f->n, &f->cap, sizeof *f->list);
    struct spec_entry *e = &f->list[f->n++];
    e->path = path_join(dir, file);
    e->name = strcmp(file, "spec.yaml") == 0 ? xstrdup(folder) : xasprintf("%s_%.*s", folder, (int)stem, file);
    e->title = title_of(e->path);
    e->micro = strcmp(folder, "micro") == 0;
}

static void scan(struct found *f, const char *folder)
{
    char *dir = path_join(workload_dir(), folder);
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t len = strlen(e->d_name);
        if (len > 5 && e->d_name[0] != '.' && strcmp(e->d_name + len - 5, ".yaml") == 0)
            add(f, folder, dir, e->d_name);
    }
    if (d)
        closedir(d);
    free(dir);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct spec_entry *)a)->name, ((const struct spec_entry *)b)->name);
}

struct spec_entry *spec_list(size_t *n, struct error *err)
{
    struct found f = {0};
    *n = 0;
    DIR *d = opendir(workload_dir());
    if (!d) {
        error_set(err, EXIT_BAD_INPUT, "the workloads folder %s cannot be read (HEDDLE_WORKLOAD_DIR names it)",
                  workload_dir());
        return NULL;
    }
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.')
            scan(&f, e->d_name);
    closedir(d);
    if (f.n)
        qsort(f.list, f.n, sizeof *f.list, by_name);
    *n = f.n;
    return f.list ? f.list : xcalloc(1, sizeof *f.list);
}

void spec_list_free(struct spec_entry *list, size_t n)
{
    for (size_t i = 0; list && i < n; i++) {
        free(list[i].name);
        free(list[i].path);
        free(list[i].title);
    }
    free(list);
}
