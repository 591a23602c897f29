/* heddle: chooses the verb, prints its error once, turns it into the exit status. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < nverb; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

static enum exit_status unknown_verb(const char *name, struct error *err)
{
    const char *names[64];
    for (size_t i = 0; i < nverb; i++)
        names[i] = verbs[i].name;
    const char *near = nearest_name(name, names, nverb);
    if (near)
        error_set(err, EXIT_BAD_INPUT, "no verb '%s'; did you mean '%s'?", name, near);
    else
        error_set(err, EXIT_BAD_INPUT, "no verb '%s'; `heddle help` lists them", name);
    return EXIT_BAD_INPUT;
}

int main(int argc, char **argv)
{
    struct error err = {0};
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("heddle %s\n", version_text());
        return EXIT_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    const struct verb *v = find_verb(name);
    enum exit_status status;
    if (!v)
        status = unknown_verb(name, &err);
    else
        status = argc > 1 ? v->run(argc - 1, argv + 1, &err) : v->run(1, argv, &err);
    if (err.status != EXIT_DONE) {
        fflush(stdout);
        fprintf(stderr, "heddle: %s\n", err.text);
        if (status == EXIT_DONE)
            status = err.status;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "heddle: cannot write the output\n");
        return status == EXIT_DONE ? EXIT_FAILED : (int)status;
    }
    return (int)status;
}
