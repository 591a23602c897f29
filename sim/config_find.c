/* Where hardware configs are: by name in the hw_configs folder, or by file name. */
#include "sim/config_table.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *exe_dir(void)
{
    char buf[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", buf, sizeof buf - 1);
    if (n <= 0)
        return NULL;
    buf[n] = 0;
    return path_dir(buf);
}

char **config_dirs(void)
{
    char **dirs = xcalloc(8, sizeof *dirs);
    size_t n = 0;
    const char *env = getenv("HEDDLE_CONFIG_DIR");
    if (env && *env)
        dirs[n++] = xstrdup(env);
    char *exe = exe_dir();
    if (exe) {
        dirs[n++] = path_join(exe, "../hw_configs");
        dirs[n++] = path_join(exe, "../share/heddle/hw_configs");
        free(exe);
    }
#ifdef HEDDLE_SOURCE_CONFIGS
    dirs[n++] = xstrdup(HEDDLE_SOURCE_CONFIGS);
#endif
#ifdef HEDDLE_INSTALLED_CONFIGS
    dirs[n++] = xstrdup(HEDDLE_INSTALLED_CONFIGS);
#endif
    return dirs;
}

void config_dirs_free(char **dirs)
{
    for (size_t i = 0; dirs[i]; i++)
        free(dirs[i]);
    free(dirs);
}

static bool is_path(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".yaml") == 0) ||
           (n > 4 && strcmp(name + n - 4, ".yml") == 0);
}

/* A named config, or a file name: beside `beside` if that is given, else as it stands. NULL: not found. */
char *config_find(const char *name, const char *beside)
{
    if (is_path(name)) {
        char *dir = beside ? path_dir(beside) : NULL;
        char *path = dir ? path_join(dir, name) : xstrdup(name);
        free(dir);
        return path;
    }
    char *file = xasprintf("%s.yaml", name), *found = NULL;
    if (beside) {
        char *dir = path_dir(beside);
        found = path_join(dir, file);
        free(dir);
        if (!file_exists(found)) {
            free(found);
            found = NULL;
        }
    }
    char **dirs = config_dirs();
    for (size_t i = 0; dirs[i] && !found; i++) {
        char *path = path_join(dirs[i], file);
        if (file_exists(path))
            found = path;
        else
            free(path);
    }
    config_dirs_free(dirs);
    free(file);
    return found;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_name(char **names, size_t n, const char *s)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], s) == 0)
            return true;
    return false;
}

char **config_names(void)
{
    char **names = NULL, **dirs = config_dirs();
    size_t n = 0, cap = 0;
    for (size_t i = 0; dirs[i]; i++) {
        DIR *dir = opendir(dirs[i]);
        for (struct dirent *e; dir && (e = readdir(dir));) {
            size_t len = strlen(e->d_name);
            if (len <= 5 || e->d_name[0] == '.' || strcmp(e->d_name + len - 5, ".yaml") != 0)
                continue;
            char *name = xstrndup(e->d_name, len - 5);
            if (has_name(names, n, name)) {
                free(name);
                continue;
            }
            names = grow(names, n, &cap, sizeof *names);
            names[n++] = name;
        }
        if (dir)
            closedir(dir);
    }
    config_dirs_free(dirs);
    if (n)
        qsort(names, n, sizeof *names, by_name);
    names = grow(names, n, &cap, sizeof *names);
    names[n] = NULL;
    return names;
}

bool config_not_found(const char *name, struct error *err)
{
    char **names = config_names();
    size_t n = 0;
    struct sb all = {0};
    for (; names[n]; n++)
        sb_addf(&all, "%s%s", n ? ", " : "", names[n]);
    const char *near = nearest_name(name, (const char *const *)names, n);
    if (near)
        error_set(err, EXIT_BAD_INPUT, "no config '%s'; did you mean '%s'?", name, near);
    else
        error_set(err, EXIT_BAD_INPUT, "no config '%s'; there are: %s", name,
                  n ? all.text : "none (HEDDLE_CONFIG_DIR names the folder)");
    sb_finish(&all);
    config_dirs_free(names);
    return false;
}
