/* Cubins: every one in the tree loads, records are what the compiler wrote, broken files give one error. */
#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

static char *source_path(const char *name)
{
    const char *root = getenv("HEDDLE_SOURCE_DIR");
    return path_join(root ? root : ".", name);
}

static struct program *load(const char *name)
{
    char *path = source_path(name);
    struct error err = {0};
    struct program *p = program_load(path, &err);
    ck_assert_msg(p != NULL, "%s", err.text);
    free(path);
    return p;
}

START_TEST(records_of_a_kernel)
{
    struct program *p = load("workloads/gelu/gelu.sm_90.cubin");
    struct error err = {0};
    ck_assert_int_eq(p->arch, ARCH_SM90);
    ck_assert(!p->arch_specific);
    struct kernel *k = program_kernel(p, "gelu", &err);
    ck_assert_ptr_nonnull(k);
    ck_assert_uint_eq(k->n * INST_BYTES, 896);
    ck_assert_uint_eq(k->nparam, 3);
    ck_assert_uint_eq(k->param_bytes, 20);
    ck_assert_uint_eq(k->params[2].offset, 16);
    ck_assert_uint_eq(k->params[2].bytes, 4);
    ck_assert_uint_eq(k->shared_bytes, 0);
    ck_assert(strstr(p->files[k->code[3].file], "gelu.cu") != NULL);
    ck_assert_uint_gt(k->code[3].line, 0);
    ck_assert_ptr_null(program_kernel(p, "gleu", &err));
    ck_assert(strstr(err.text, "did you mean gelu?") != NULL);
    program_free(p);
}
END_TEST

/* A kernel may be called by the C++ function's own name, where that is one kernel. */
START_TEST(names_of_the_source)
{
    static char *const names[] = {"plain",   "_Z4geluPfi", "_ZN3lib3addIfEEvPT_", "_ZN3lib3addIdEEvPT_",
                                  "_ZL3own", "_Z9cut"};
    struct kernel k[ARRAY_LEN(names)] = {0};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        k[i].name = names[i];
    struct program p = {.path = "some.cubin", .kernels = k, .nkernel = ARRAY_LEN(names)};
    struct error err = {0};
    ck_assert_ptr_eq(program_kernel(&p, "plain", &err), &k[0]);
    ck_assert_ptr_eq(program_kernel(&p, "gelu", &err), &k[1]);
    ck_assert_ptr_eq(program_kernel(&p, "_Z4geluPfi", &err), &k[1]);
    ck_assert_ptr_eq(program_kernel(&p, "_ZN3lib3addIdEEvPT_", &err), &k[3]);
    ck_assert_ptr_eq(program_kernel(&p, "own", &err), &k[4]);
    ck_assert_ptr_null(program_kernel(&p, "add", &err));
    ck_assert(strstr(err.text, "2 kernels called add; say which: _ZN3lib3addIfEEvPT_ _ZN3lib3addIdEEvPT_") != NULL);
    ck_assert_ptr_null(program_kernel(&p, "lib", &err));
    ck_assert_ptr_null(program_kernel(&p, "cut", &err)); /* the length says more than there is */
    ck_assert(strstr(err.text, "it has plain _Z4geluPfi") != NULL || strstr(err.text, "did you mean") != NULL);
}
END_TEST

START_TEST(shared_memory_without_the_reserved_kilobyte)
{
    struct program *p = load("workloads/reduce/reduce.sm_90.cubin");
    ck_assert_uint_eq(p->kernels[0].shared_bytes, 1024);
    program_free(p);
}
END_TEST

START_TEST(hidden_parameters_and_block_size_of_triton)
{
    struct program *p = load("workloads/softmax/triton.sm_90.cubin");
    ck_assert(p->arch_specific);
    ck_assert_uint_eq(p->kernels[0].reqntid[0] % 32, 0);
    ck_assert_uint_gt(p->kernels[0].reqntid[0], 0);
    ck_assert_uint_gt(p->kernels[0].nparam, 2);
    program_free(p);
}
END_TEST

static uint32_t load_folder(const char *folder)
{
    uint32_t n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t len = strlen(e->d_name);
        char *path = path_join(folder, e->d_name);
        if (len > 6 && strcmp(e->d_name + len - 6, ".cubin") == 0) {
            struct error err = {0};
            struct program *p = program_load(path, &err);
            ck_assert_msg(p != NULL && program_whole(p, &err), "%s", err.text);
            program_free(p);
            n++;
        }
        free(path);
    }
    if (d)
        closedir(d);
    return n;
}

START_TEST(every_cubin_of_the_tree_loads)
{
    char *root = source_path("workloads");
    uint32_t n = 0;
    DIR *d = opendir(root);
    ck_assert_ptr_nonnull(d);
    for (struct dirent *e; (e = readdir(d));) {
        char *folder = path_join(root, e->d_name);
        if (e->d_name[0] != '.')
            n += load_folder(folder);
        free(folder);
    }
    closedir(d);
    free(root);
    ck_assert_uint_gt(n, 15);
}
END_TEST

static struct program *load_bytes(const uint8_t *data, size_t len, struct error *err)
{
    uint8_t *exact = malloc(len ? len : 1); /* so that a read beyond the end is seen by the sanitizer */
    memcpy(exact, data, len);
    struct program *p = cubin_read("broken.cubin", exact, len, err);
    free(exact);
    return p;
}

START_TEST(broken_files_give_one_error)
{
    char *path = source_path("workloads/reduce/reduce.sm_90.cubin");
    uint8_t *data;
    size_t len;
    struct error err = {0};
    ck_assert(file_read(path, &data, &len, &err));
    for (size_t cut = 0; cut < len; cut += 61) {
        struct error e = {0};
        struct program *p = load_bytes(data, cut, &e);
        ck_assert(p != NULL || e.text[0]);
        program_free(p);
    }
    uint32_t seed = 1;
    for (int i = 0; i < 400; i++) {
        uint8_t kept[8];
        uint32_t at[8];
        for (int b = 0; b < 8; b++) {
            at[b] = (seed = hash32(seed + 1)) % (b < 4 ? (uint32_t)len : 4096);
            kept[b] = data[at[b]];
            data[at[b]] = (uint8_t)(seed >> 24);
        }
        struct error e = {0};
        struct program *p = load_bytes(data, len, &e);
        ck_assert(p != NULL || e.text[0]);
        program_free(p);
        for (int b = 7; b >= 0; b--)
            data[at[b]] = kept[b];
    }
    free(data);
    free(path);
}
END_TEST

/* A word that is not known, or broken code, of one kernel: the others run; all that is wrong is said when the whole
 * file is asked for. */
START_TEST(a_kernel_is_refused_alone)
{
    static const struct {
        const char *changes, *says;
        size_t at; /* byte of the first instruction */
        uint8_t to;
    } ways[] = {{"opcode", "unknown opcode", 0, 0xff},
                {"opcode bits", "is known, but not with bits", 10, 0xff},
                {"a register", "R254 is used", 2, 0xfe}};
    struct error err = {0};
    char *path = source_path("tests/cubins/calls.sm_90.cubin");
    uint8_t *data;
    size_t len, first = 0;
    ck_assert(file_read(path, &data, &len, &err));
    struct program *p = load_bytes(data, len, &err);
    ck_assert_msg(p != NULL, "%s", err.text);
    const struct inst *in = &program_kernel(p, "mutual", &err)->code[1];
    for (size_t i = 0; i + 16 <= len && !first; i += 8)
        first = memcmp(data + i, in->word, 16) == 0 && memcmp(data + i - 16, in[-1].word, 16) == 0 &&
                        memcmp(data + i + 16, in[1].word, 16) == 0
                    ? i
                    : 0;
    ck_assert_uint_gt(first, 0);
    program_free(p);
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        struct error whole = {0}, one = {0}, none = {0};
        uint8_t kept = data[first + ways[i].at];
        data[first + ways[i].at] = ways[i].to;
        p = load_bytes(data, len, &none);
        ck_assert_msg(p != NULL, "%s: %s", ways[i].changes, none.text);
        ck_assert_msg(program_kernel(p, "recursion", &none) != NULL, "%s: %s", ways[i].changes, none.text);
        ck_assert_ptr_null(program_kernel(p, "mutual", &one));
        ck_assert(!program_whole(p, &whole));
        ck_assert_msg(strstr(one.text, "kernel mutual: ") && strstr(one.text, ways[i].says), "%s: %s", ways[i].changes,
                      one.text);
        ck_assert_msg(strstr(whole.text, "kernel mutual: ") && strstr(whole.text, ways[i].says), "%s", whole.text);
        ck_assert_int_eq(one.status, EXIT_BAD_INPUT);
        program_free(p);
        data[first + ways[i].at] = kept;
    }
    free(data);
    free(path);
}
END_TEST

START_TEST(an_object_that_needs_linking_is_refused)
{
    char *path = source_path("tests/cubins/separate.sm_90.cubin");
    uint8_t *data;
    size_t len;
    struct error err = {0}, why = {0};
    ck_assert(file_read(path, &data, &len, &err));
    data[16] = 1; /* ET_REL */
    struct program *p = load_bytes(data, len, &err);
    ck_assert_msg(p != NULL, "%s", err.text);
    ck_assert_ptr_null(program_kernel(p, "direct", &why));
    ck_assert_msg(strstr(why.text, "nvlink") != NULL, "%s", why.text);
    program_free(p);
    free(data);
    free(path);
}
END_TEST

START_TEST(other_machines_are_refused)
{
    char *path = source_path("workloads/reduce/reduce.sm_90.cubin");
    uint8_t *data;
    size_t len;
    struct error err = {0};
    ck_assert(file_read(path, &data, &len, &err));
    data[49] = 100; /* sm_100 */
    ck_assert_ptr_null(cubin_read("x.cubin", data, len, &err));
    ck_assert(strstr(err.text, "code for sm_100") != NULL);
    struct error other = {0};
    data[18] = 62;
    ck_assert_ptr_null(cubin_read("x.cubin", data, len, &other));
    ck_assert(strstr(other.text, "machine 62") != NULL);
    free(data);
    free(path);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cubin");
    TCase *t = tcase_create("cubin");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, records_of_a_kernel);
    tcase_add_test(t, names_of_the_source);
    tcase_add_test(t, shared_memory_without_the_reserved_kilobyte);
    tcase_add_test(t, hidden_parameters_and_block_size_of_triton);
    tcase_add_test(t, every_cubin_of_the_tree_loads);
    tcase_add_test(t, broken_files_give_one_error);
    tcase_add_test(t, a_kernel_is_refused_alone);
    tcase_add_test(t, an_object_that_needs_linking_is_refused);
    tcase_add_test(t, other_machines_are_refused);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
