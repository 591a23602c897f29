/* heddle diff: two JSON reports, counter by counter. */
#include "cli/cli.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static json_t *read_report(const char *path, struct error *err)
{
    json_error_t e;
    json_t *root = json_load_file(path, 0, &e);
    if (!root && e.line < 0)
        error_set(err, EXIT_BAD_INPUT, "%s: %s", path, e.text);
    else if (!root)
        error_set(err, EXIT_BAD_INPUT, "%s:%d:%d: %s", path, e.line, e.column, e.text);
    else if (!json_is_array(json_object_get(root, "launches")))
        error_set(err, EXIT_BAD_INPUT, "%s: not a report of `heddle run --json`: no launches", path);
    if (err->status != EXIT_DONE) {
        json_decref(root);
        return NULL;
    }
    return root;
}

static void counter_row(const char *name, json_t *a, json_t *b, struct sb *out)
{
    if (!json_is_number(a) || !json_is_number(b) || json_number_value(a) == json_number_value(b))
        return;
    double x = json_number_value(a), y = json_number_value(b);
    char from[32], to[32], by[32] = "";
    number(from, x);
    number(to, y);
    if (x != 0)
        snprintf(by, sizeof by, "%+.1f %%", 100 * (y / x - 1));
    sb_addf(out, "  %-76s %16s %16s %10s\n", name, from, to, by);
}

static void launch_diff(size_t i, json_t *a, json_t *b, struct sb *out)
{
    const char *ka = json_string_value(json_object_get(a, "kernel")),
               *kb = json_string_value(json_object_get(b, "kernel"));
    sb_addf(out, "%zu: %s%s%s\n", i, ka ? ka : "?", ka && kb && strcmp(ka, kb) != 0 ? " against " : "",
            ka && kb && strcmp(ka, kb) != 0 ? kb : "");
    counter_row("cycles", json_object_get(a, "cycles"), json_object_get(b, "cycles"), out);
    counter_row("time_us", json_object_get(a, "time_us"), json_object_get(b, "time_us"), out);
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(a, "counters"), name, value)
        counter_row(name, value, json_object_get(json_object_get(b, "counters"), name), out);
}

static void diff(const char *const *paths, struct sb *out, struct error *err)
{
    json_t *a = read_report(paths[0], err), *b = a ? read_report(paths[1], err) : NULL;
    if (b) {
        json_t *la = json_object_get(a, "launches"), *lb = json_object_get(b, "launches");
        if (json_array_size(la) != json_array_size(lb))
            sb_addf(out, "%zu launches against %zu; the common ones:\n", json_array_size(la), json_array_size(lb));
        for (size_t i = 0; i < json_array_size(la) && i < json_array_size(lb); i++)
            launch_diff(i, json_array_get(la, i), json_array_get(lb, i), out);
    }
    json_decref(a);
    json_decref(b);
}

enum exit_status verb_diff(int argc, char **argv, struct error *err)
{
    struct strings rest = {0};
    struct sb out = {0};
    bool ok = opts_parse(NULL, NULL, 0, argc, argv, &rest, err);
    if (ok && rest.n != 2)
        error_set(err, EXIT_BAD_INPUT, "usage: heddle diff A.json B.json");
    else if (ok)
        diff(rest.items, &out, err);
    if (err->status == EXIT_DONE)
        print_out(&out, err);
    sb_finish(&out);
    strings_finish(&rest);
    return err->status;
}
