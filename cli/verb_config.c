/* heddle config explain|diff|check */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static struct config *load(const char *name, const struct common *c, struct error *err)
{
    struct common named = *c;
    named.config = name;
    return common_config(&named, err);
}

static bool explain(const char *name, const struct common *c, struct sb *out, struct error *err)
{
    struct config *config = load(name, c, err);
    if (!config)
        return false;
    config_explain(config, out);
    free(config);
    return true;
}

static bool diff(const char *a_name, const char *b_name, const struct common *c, struct sb *out, struct error *err)
{
    struct common plain = *c;
    plain.sets = (struct strings){0}; /* overrides are for the second: what would they change? */
    struct config *a = load(a_name, &plain, err), *b = a ? load(b_name, c, err) : NULL;
    if (b)
        config_diff(a, b, out);
    free(a);
    free(b);
    return b != NULL;
}

static bool check(const struct strings *names, const struct common *c, struct sb *out, struct error *err)
{
    for (size_t i = 1; i < names->n; i++) {
        struct config *config = load(names->items[i], c, err);
        if (!config)
            return false;
        sb_addf(out, "%s: fine (%s, %u SMs)\n", names->items[i], config->name, config->nsm);
        free(config);
    }
    return true;
}

static bool dispatch(const struct strings *rest, const struct common *c, struct sb *out, struct error *err)
{
    const char *what = rest->n ? rest->items[0] : "";
    if (strcmp(what, "explain") == 0 && rest->n <= 2)
        return explain(rest->n == 2 ? rest->items[1] : c->config, c, out, err);
    if (strcmp(what, "diff") == 0 && rest->n == 3)
        return diff(rest->items[1], rest->items[2], c, out, err);
    if (strcmp(what, "diff") == 0 && rest->n == 2)
        return diff(rest->items[1], rest->items[1], c, out, err);
    if (strcmp(what, "check") == 0 && rest->n >= 2)
        return check(rest, c, out, err);
    return error_set(err, EXIT_BAD_INPUT, "usage: heddle config explain NAME | diff A B | check NAME..");
}

enum exit_status verb_config(int argc, char **argv, struct error *err)
{
    struct common c = common_defaults();
    struct common_opts table = common_table(&c, WITH_CONFIG);
    const struct opt *tables[] = {table.row};
    struct strings rest = {0};
    struct sb out = {0};
    if (opts_parse(tables, &table.n, 1, argc, argv, &rest, err) && dispatch(&rest, &c, &out, err))
        print_out(&out, err);
    sb_finish(&out);
    strings_finish(&rest);
    common_finish(&c);
    return err->status;
}
