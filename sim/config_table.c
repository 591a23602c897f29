/* params.def expanded into tables; lookup by path. */
#include "sim/config_table.h"

#include <math.h>
#include <string.h>

#define ENUM(name, ...) static const char *const enum_names_##name[] = {__VA_ARGS__};
#include "sim/params.def"

/* What a row's type means. An enumeration's row comes from its ENUM row. */
#define ROW_U32(f)                                                                                                     \
    {                                                                                                                  \
        KIND_U32, offsetof(struct config, f), 0, NULL, 0                                                               \
    }
#define ROW_U64(f)                                                                                                     \
    {                                                                                                                  \
        KIND_U64, offsetof(struct config, f), 0, NULL, 0                                                               \
    }
#define ROW_F64(f)                                                                                                     \
    {                                                                                                                  \
        KIND_F64, offsetof(struct config, f), 0, NULL, 0                                                               \
    }
#define ROW_BOOL(f)                                                                                                    \
    {                                                                                                                  \
        KIND_BOOL, offsetof(struct config, f), 0, NULL, 0                                                              \
    }
#define ROW_STR(f)                                                                                                     \
    {                                                                                                                  \
        KIND_STR, offsetof(struct config, f), 0, NULL, 0                                                               \
    }
#define ROW_LIST_U32(f)                                                                                                \
    {                                                                                                                  \
        KIND_LIST, offsetof(struct config, f), offsetof(struct config, n_##f), NULL, 0                                 \
    }
#define ROW_ENUM(f, e)                                                                                                 \
    {                                                                                                                  \
        KIND_ENUM, offsetof(struct config, f), 0, enum_names_##e, ARRAY_LEN(enum_names_##e)                            \
    }
#define ROW_ENUM_policy(f)     ROW_ENUM(f, policy)
#define ROW_ENUM_divergence(f) ROW_ENUM(f, divergence)
#define ROW_ENUM_hazards(f)    ROW_ENUM(f, hazards)
#define ROW_ENUM_memcheck(f)   ROW_ENUM(f, memcheck)
const struct param_row param_rows[] = {
#define PARAM(type, field, ...) ROW_##type(field),
#include "sim/params.def"
};

const struct param_info param_table[] = {
#define PARAM(type, field, path, min, max, unit, doc) {path, #type, unit, doc, min, max},
#include "sim/params.def"
};
const size_t param_count = ARRAY_LEN(param_table);

int param_find(const char *path)
{
    for (size_t i = 0; i < param_count; i++)
        if (strcmp(param_table[i].path, path) == 0)
            return (int)i;
    return -1;
}

int param_of_field(size_t offset)
{
    for (size_t i = 0; i < param_count; i++)
        if (param_rows[i].at == offset)
            return (int)i;
    return -1;
}

bool param_is_group(const char *path)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < param_count; i++)
        if (strncmp(param_table[i].path, path, n) == 0 && param_table[i].path[n] == '.')
            return true;
    return false;
}

const char *param_suggest(const char *path)
{
    const char *names[ARRAY_LEN(param_table)];
    for (size_t i = 0; i < param_count; i++)
        names[i] = param_table[i].path;
    const char *best = nearest_name(path, names, param_count);
    if (best)
        return best;
    /* A right last word in the wrong place, or a group's name. */
    const char *last = strrchr(path, '.');
    last = last ? last + 1 : path;
    for (size_t i = 0; i < param_count; i++) {
        const char *tail = strrchr(names[i], '.');
        if (strcmp(tail ? tail + 1 : names[i], last) == 0)
            return names[i];
    }
    static char const *const groups[] = {"clocks", "topology", "launch", "sm",      "interconnect",
                                         "l2",     "memory",   "dram",   "compute", "base"};
    return nearest_name(path, groups, ARRAY_LEN(groups));
}

void param_range(size_t param, struct sb *out)
{
    const struct param_row *r = &param_rows[param];
    for (size_t i = 0; i < r->nname; i++)
        sb_addf(out, "%s%s", i ? ", " : "", r->names[i]);
    if (r->kind == KIND_BOOL)
        sb_add(out, "true, false");
    else if (r->kind != KIND_ENUM && r->kind != KIND_STR)
        sb_addf(out, "%.12g to %.12g", param_table[param].min, param_table[param].max);
}

static void list_value(const uint32_t *v, uint32_t n, struct sb *out)
{
    sb_add(out, "[");
    for (uint32_t i = 0; i < n; i++)
        sb_addf(out, "%s%u", i ? ", " : "", v[i]);
    sb_add(out, "]");
}

void config_value(const struct config *c, size_t param, struct sb *out)
{
    const struct param_row *r = &param_rows[param];
    const char *p = (const char *)c + r->at;
    switch (r->kind) {
    case KIND_U32:
        sb_addf(out, "%u", *(const uint32_t *)p);
        break;
    case KIND_U64:
        sb_addf(out, "%llu", (unsigned long long)*(const uint64_t *)p);
        break;
    case KIND_F64:
        sb_addf(out, "%.12g", *(const double *)p);
        break;
    case KIND_BOOL:
        sb_add(out, *(const bool *)p ? "true" : "false");
        break;
    case KIND_STR:
        sb_add(out, p);
        break;
    case KIND_LIST:
        list_value((const uint32_t *)p, *(const uint32_t *)((const char *)c + r->at_count), out);
        break;
    case KIND_ENUM:
        sb_add(out, r->names[*(const int *)p]);
        break;
    }
}
