/* Calls the CUDA compiler for a .cu file: $NVCC, or nvcc of the search path. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(const char *const argv[])
{
    pid_t pid = fork();
    if (pid < 0)
        return -1;
    if (pid == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO); /* stdout is the report's */
        execvp(argv[0], (char *const *)argv);
        _exit(errno == ENOENT ? 127 : 126);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

char *nvcc_compile(const char *path, uint32_t isa, struct error *err)
{
    if (!file_exists(path)) {
        error_set(err, EXIT_BAD_INPUT, "%s: no such file", path);
        return NULL;
    }
    const char *tmp = getenv("TMPDIR"), *nvcc = getenv("NVCC");
    char *out = xasprintf("%s/heddleXXXXXX.cubin", tmp && *tmp ? tmp : "/tmp");
    int fd = mkstemps(out, 6);
    if (fd < 0) {
        error_set(err, EXIT_FAILED, "cannot create %s", out);
        free(out);
        return NULL;
    }
    close(fd);
    char arch[32];
    snprintf(arch, sizeof arch, "-arch=sm_%u", isa);
    const char *argv[] = {nvcc && *nvcc ? nvcc : "nvcc", "-cubin", "-O3", "-lineinfo", arch, "-o", out, path, NULL};
    int status = run(argv);
    if (status == 0)
        return out;
    if (status == 127)
        error_set(err, EXIT_BAD_INPUT, "%s: %s not found; set NVCC, or give a .cubin", path, argv[0]);
    else
        error_set(err, EXIT_BAD_INPUT, "%s: %s failed", path, argv[0]);
    remove(out);
    free(out);
    return NULL;
}
