/* The stored listings of tests/data (made by tests/corpus/build.py with NVIDIA's disassembler; `listing` of compiled
 * kernels, `forms` of words that vary every field of every row of encoding.def): every instruction must decode, list
 * with equal text, and encode to the same 128 bits. No tool is needed here. With an argument, prints which opcodes,
 * encoding rows and modifier values the corpus shows and which not. */
#include "isa/encoding.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const int archs[] = {75, 80, 86, 89, 90};

struct listing {
    uint8_t *raw;
    uint32_t n, total;
    const uint8_t *address, *times, *low, *high;
    const char *text;
};

static uint64_t little(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static bool listing_read(const char *name, int arch, struct listing *l, struct error *err)
{
    const char *root = getenv("HEDDLE_SOURCE_DIR");
    char *path = xasprintf("%s/tests/data/%s_sm_%d.z", root ? root : ".", name, arch);
    uint8_t *file;
    size_t len;
    bool ok = file_read(path, &file, &len, err);
    free(path);
    if (!ok)
        return false;
    uLongf size = (uLongf)little(file, 8);
    l->raw = xcalloc(size + 1, 1);
    ok = len > 8 && uncompress(l->raw, &size, file + 8, (uLong)(len - 8)) == Z_OK;
    free(file);
    if (!ok)
        return error_set(err, EXIT_FAILED, "tests/data/%s_sm_%d.z does not inflate", name, arch);
    l->n = (uint32_t)little(l->raw, 4);
    l->total = (uint32_t)little(l->raw + 4, 4);
    l->address = l->raw + 8;
    l->times = l->address + 4 * (size_t)l->n;
    l->low = l->times + 4 * (size_t)l->n;
    l->high = l->low + 8 * (size_t)l->n;
    l->text = (const char *)(l->high + 8 * (size_t)l->n);
    return true;
}

struct seen {
    uint64_t op[OP_COUNT];
    uint8_t *row;
    uint8_t mod[MOD_COUNT][128];
};

static void note(struct seen *s, const struct inst *in, uint32_t times)
{
    s->op[in->op] += times;
    s->row[in->form] = 1;
    for (unsigned m = 0; m < MOD_COUNT; m++)
        s->mod[m][in->mod[m]] = 1;
}

/* One instruction: decode, list, encode as decoded and as if from text. */
static bool check_one(int arch, const uint64_t w[2], uint32_t address, const char *text, struct inst *in,
                      struct error *err)
{
    enum arch a = (enum arch)arch;
    if (!inst_decode(a, w, address, in, err))
        return false;
    struct sb got = {0};
    inst_print(a, in, &got);
    bool same = !strcmp(got.text, text);
    if (!same)
        error_set(err, EXIT_FAILED, "sm_%d 0x%016llx 0x%016llx: \"%s\" instead of \"%s\"", arch,
                  (unsigned long long)w[0], (unsigned long long)w[1], got.text, text);
    sb_finish(&got);
    uint64_t back[2];
    struct inst fresh = *in;
    for (int pass = 0; same && pass < 2; pass++) {
        if (!inst_encode(a, &fresh, address, back, err))
            return false;
        if (back[0] != w[0] || back[1] != w[1])
            return error_set(err, EXIT_FAILED,
                             "sm_%d \"%s\": encodes to 0x%016llx 0x%016llx instead of 0x%016llx 0x%016llx", arch, text,
                             (unsigned long long)back[0], (unsigned long long)back[1], (unsigned long long)w[0],
                             (unsigned long long)w[1]);
        fresh.form = 0xffff;
    }
    return same;
}

static unsigned check_arch(const char *name, int arch, struct seen *s, uint64_t *instructions)
{
    struct listing l = {0};
    struct error err = {0};
    if (!listing_read(name, arch, &l, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    unsigned bad = 0;
    const char *text = l.text;
    for (uint32_t i = 0; i < l.n; i++, text += strlen(text) + 1) {
        uint64_t w[2] = {little(l.low + 8 * (size_t)i, 8), little(l.high + 8 * (size_t)i, 8)};
        uint32_t times = (uint32_t)little(l.times + 4 * (size_t)i, 4);
        struct inst in;
        struct error e = {0};
        if (check_one(arch, w, (uint32_t)little(l.address + 4 * (size_t)i, 4), text, &in, &e))
            note(s, &in, times);
        else if (bad++ < 10)
            fprintf(stderr, "%s\n", e.text);
    }
    printf("%s sm_%d: %u instructions, %u different, %u wrong\n", name, arch, l.total, l.n, bad);
    *instructions += l.total;
    free(l.raw);
    return bad;
}

static void report(const struct seen *s)
{
    const struct enc_table *t = enc_table();
    printf("\nopcodes with an encoding that the corpus does not show:");
    bool has[OP_COUNT] = {false};
    unsigned rows = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        has[t->row[i].op] = true;
        rows += s->row[i];
    }
    for (unsigned o = 0; o < OP_COUNT; o++)
        if (has[o] && !s->op[o])
            printf(" %s", op_table[o].text);
    printf("\nopcodes without an encoding:");
    for (unsigned o = 0; o < OP_COUNT; o++)
        if (!has[o])
            printf(" %s", op_table[o].text);
    printf("\nencoding rows (opcode, operand form, architecture group) shown: %u of %u\n", rows, t->n);
    printf("modifier values not shown:\n");
    for (unsigned m = 0; m < MOD_COUNT; m++) {
        bool any = false;
        for (unsigned v = 0; v < mod_value_count(m); v++) {
            if (s->mod[m][v])
                continue;
            printf(any ? " %s" : "  %s:", any ? mod_value_name(m, v) : mod_name(m));
            if (!any)
                printf(" %s", mod_value_name(m, v));
            any = true;
        }
        if (any)
            printf("\n");
    }
    printf("instructions by opcode:\n");
    for (unsigned o = 0; o < OP_COUNT; o++)
        if (s->op[o])
            printf("  %-18s %llu\n", op_table[o].text, (unsigned long long)s->op[o]);
}

int main(int argc, char **argv)
{
    (void)argv;
    static struct seen s;
    s.row = xcalloc(enc_table()->n, 1);
    unsigned bad = 0;
    uint64_t instructions = 0, words = 0;
    for (size_t i = 0; i < ARRAY_LEN(archs); i++)
        bad += check_arch("listing", archs[i], &s, &instructions);
    for (size_t i = 0; i < ARRAY_LEN(archs); i++)
        bad += check_arch("forms", archs[i], &s, &words);
    printf("%llu words of all forms\n", (unsigned long long)words);
    printf("%llu instructions, %u wrong\n", (unsigned long long)instructions, bad);
    if (argc > 1)
        report(&s);
    free(s.row);
    return bad || instructions < 200000 ? EXIT_FAILURE : EXIT_SUCCESS;
}
